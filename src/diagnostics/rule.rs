use super::level::Lint;
use super::{Diag, Diagnostic};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Display;

/// How severe a diagnostic is. `Unsupported` is a limit of cslrun, not an error of the user: exit status 5.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Suspicious, but the program still runs.
    Warning,
    /// The program is rejected, or the run stops.
    Error,
    /// Valid CSL that cslrun does not support.
    Unsupported,
}

impl Severity {
    /// Whether it stops the program.
    pub fn is_error(self) -> bool {
        matches!(self, Severity::Error | Severity::Unsupported)
    }

    /// The word shown in front of the rule.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Unsupported => "unsupported",
        }
    }
}

/// One rule that cslrun enforces: a name, a page `docs/rules/<name>.md`, a case that breaks it.
#[derive(Debug)]
pub struct Rule {
    /// Kebab-case name, as shown in `error[name]`.
    pub name: &'static str,
    /// Default severity.
    pub severity: Severity,
    /// The level, which the user can change; `None` if the rule is an error in every program.
    pub lint: Option<Lint>,
    /// Title with `{key}` placeholders.
    pub title: &'static str,
    /// The default help, with the same placeholders; the place that raises the rule may replace it.
    pub help: Option<&'static str>,
    /// One sentence: what is wrong in a program that breaks the rule. `cslrun explain` lists it.
    pub meaning: &'static str,
    /// Why the rule exists; empty if the meaning says it.
    pub why: &'static str,
}

impl Rule {
    /// Raises the rule; each `{key}` of the title and of the default help is replaced.
    pub(crate) fn because(&'static self, facts: &[(&str, &dyn Display)]) -> Diag {
        self.raise(filled(self.title, facts), self.help.map(|help| filled(help, facts)))
    }

    /// Raises the rule without facts.
    pub(crate) fn plain(&'static self) -> Diag {
        self.because(&[])
    }

    fn raise(&'static self, title: String, help: Option<String>) -> Diag {
        Diag(Box::new(Diagnostic {
            rule: Cow::Borrowed(self.name),
            severity: self.severity,
            title,
            primary: None,
            others: Vec::new(),
            notes: Vec::new(),
            help,
            fix: None,
            has_own_help: false,
            moment: None,
            calls: Vec::new(),
            repeats: 0,
            also_on: 0,
            is_final: false,
            report: None,
        }))
    }
}

fn filled(text: &str, facts: &[(&str, &dyn Display)]) -> String {
    facts
        .iter()
        .fold(text.to_string(), |text, (key, value)| text.replace(&format!("{{{key}}}"), &value.to_string()))
}

/// Declares rules: doc comment (the meaning in the first line, then the reason), constant, name, optional
/// severity, title, default help.
///
/// `@Warning` and `@Deny` are rules with a level that the user may change; the group in parentheses
/// (`hazards`, `undefined`, `style`, `unused`) is `hazards` if none is given.
#[macro_export]
macro_rules! rules {
    ($(#[doc = $meaning:literal] $(#[doc = $why:literal])* $(@$severity:ident $(($group:ident))?)? $id:ident = $name:literal : $title:literal $(=> $help:literal)?;)*) => {
        $(#[doc = $meaning]
        $(#[doc = $why])*
        pub static $id: $crate::diagnostics::Rule = $crate::diagnostics::Rule {
            name: $name,
            severity: $crate::rules!(@severity $($severity)?),
            lint: $crate::rules!(@lint $($severity $($group)?)?),
            title: $title,
            help: $crate::rules!(@help $($help)?),
            meaning: $meaning,
            why: concat!($($why),*),
        };)*
        /// Every rule of this module, in alphabetical order of their constants.
        pub static ALL: &[&$crate::diagnostics::Rule] = &[$(&$id),*];
    };
    (@lint) => { None };
    (@lint Warning) => { $crate::rules!(@lint Warning hazards) };
    (@lint Deny) => { $crate::rules!(@lint Deny hazards) };
    (@lint Warning $group:ident) => { $crate::rules!(@lint Warn, $group) };
    (@lint Deny $group:ident) => { $crate::rules!(@lint Deny, $group) };
    (@lint $other:ident) => { None };
    (@lint $level:ident, $group:ident) => {
        Some($crate::diagnostics::Lint {
            default: $crate::diagnostics::Level::$level,
            group: $crate::rules!(@group $group),
        })
    };
    (@group hazards) => { $crate::diagnostics::Group::Hazards };
    (@group undefined) => { $crate::diagnostics::Group::Undefined };
    (@group unused) => { $crate::diagnostics::Group::Unused };
    (@group style) => { $crate::diagnostics::Group::Style };
    (@help) => { None };
    (@help $help:literal) => { Some($help) };
    (@severity) => { $crate::diagnostics::Severity::Error };
    (@severity Deny) => { $crate::diagnostics::Severity::Error };
    (@severity $s:ident) => { $crate::diagnostics::Severity::$s };
}
