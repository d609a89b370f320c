use super::{Complaint, Diagnostic};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Display;

/// How bad a diagnostic is. `Unsupported` is ours, not the user's: exit status 5.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Suspicious, the program still runs.
    Warning,
    /// The program is rejected, or the run stops.
    Error,
    /// Valid CSL that cslrun does not do.
    Unsupported,
}

impl Severity {
    /// Whether it stops the program.
    pub fn is_error(self) -> bool {
        matches!(self, Severity::Error | Severity::Unsupported)
    }

    /// The word shown in front of the rule.
    pub fn word(self) -> &'static str {
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
    /// Title with `{key}` holes.
    pub title: &'static str,
    /// What to do about it where the place that raises it does not know better; with the same holes.
    pub help: Option<&'static str>,
    /// One sentence: why the rule exists.
    pub why: &'static str,
}

impl Rule {
    /// Raises the rule; each `{key}` of the title and of the usual help is replaced.
    pub fn because(&'static self, facts: &[(&str, &dyn Display)]) -> Complaint {
        self.raise(filled(self.title, facts), self.help.map(|help| filled(help, facts)))
    }

    /// Raises the rule without facts.
    pub fn plain(&'static self) -> Complaint {
        self.because(&[])
    }

    fn raise(&'static self, title: String, help: Option<String>) -> Complaint {
        Complaint(Box::new(Diagnostic {
            rule: Cow::Borrowed(self.name),
            severity: self.severity,
            title,
            primary: None,
            others: Vec::new(),
            notes: Vec::new(),
            help,
            has_own_help: false,
            moment: None,
            also_on: 0,
            report: None,
        }))
    }
}

fn filled(text: &str, facts: &[(&str, &dyn Display)]) -> String {
    facts
        .iter()
        .fold(text.to_string(), |text, (key, value)| text.replace(&format!("{{{key}}}"), &value.to_string()))
}

/// Declares rules: doc comment (the why), constant, name, optional severity, title, usual help.
#[macro_export]
macro_rules! rules {
    ($($(#[doc = $why:literal])+ $(@$severity:ident)? $id:ident = $name:literal : $title:literal $(=> $help:literal)?;)*) => {
        $($(#[doc = $why])+
        pub static $id: $crate::diagnostics::Rule = $crate::diagnostics::Rule {
            name: $name,
            severity: $crate::rules!(@severity $($severity)?),
            title: $title,
            help: $crate::rules!(@help $($help)?),
            why: concat!($($why),+),
        };)*
        /// Every rule of this room, in alphabetical order of their constants.
        pub static ALL: &[&$crate::diagnostics::Rule] = &[$(&$id),*];
    };
    (@help) => { None };
    (@help $help:literal) => { Some($help) };
    (@severity) => { $crate::diagnostics::Severity::Error };
    (@severity $s:ident) => { $crate::diagnostics::Severity::$s };
}
