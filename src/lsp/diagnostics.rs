//! What is wrong with programs, as the editor shows it.

use super::analysis::Analysis;
use super::text::{Text, uri_of};
use super::workspace::Workspace;
use crate::catalogue;
use crate::{Diagnostic, Severity, Span};
use lsp_types::{
    CodeDescription, Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    Location, NumberOrString, Range,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What stands in front of every diagnostic.
const SOURCE: &str = "cslrun";

/// The rule about a parameter that nobody gives a value.
const MISSING_PARAM: &str = "missing-param";

/// Rules that a declaration breaks only because it, or another one, could not be parsed.
const FOLLOWING: &[&str] =
    &["unknown-name", "unknown-member", "unknown-param", "not-exported", "export-missing"];

/// The diagnostics of each file; files without any are listed if a program contains them.
pub fn shown(
    workspace: &Workspace,
    analyses: &[Analysis],
    pages: Option<&Path>,
) -> BTreeMap<PathBuf, Vec<Shown>> {
    let mut all: BTreeMap<PathBuf, Vec<Shown>> = BTreeMap::new();
    for path in super::analysis::files_of(analyses) {
        all.entry(path).or_default();
    }
    for analysis in analyses {
        let view = View { workspace, analysis, pages };
        if let Some((path, why)) = &analysis.complaint {
            let at = Range::default();
            let shown = plain(at, DiagnosticSeverity::ERROR, why.clone());
            push(&mut all, path.clone(), shown);
        }
        let has_syntax_errors = analysis.diagnostics.iter().any(is_syntax);
        for diagnostic in &analysis.diagnostics {
            if has_syntax_errors && FOLLOWING.contains(&&*diagnostic.rule)
                || view.is_about_settings(diagnostic)
            {
                continue;
            }
            let (path, shown) = view.shown(diagnostic);
            push(&mut all, path, shown);
        }
    }
    all
}

/// Several programs with the same file say the same of it.
fn push(all: &mut BTreeMap<PathBuf, Vec<Shown>>, path: PathBuf, shown: Shown) {
    let of_file = all.entry(path).or_default();
    let same = |other: &Shown| {
        (&other.range, &other.code, &other.message) == (&shown.range, &shown.code, &shown.message)
    };
    if !of_file.iter().any(same) {
        of_file.push(shown);
    }
}

fn is_syntax(diagnostic: &Diagnostic) -> bool {
    catalogue::syntax_rules().iter().any(|rule| rule.name == diagnostic.rule)
}

fn plain(range: Range, severity: DiagnosticSeverity, message: String) -> Shown {
    Shown { range, severity: Some(severity), source: Some(SOURCE.to_string()), message, ..Shown::default() }
}

struct View<'a> {
    workspace: &'a Workspace,
    analysis: &'a Analysis,
    pages: Option<&'a Path>,
}

impl View<'_> {
    /// A parameter of the settings that the program does not have: not the text is wrong.
    fn is_about_settings(&self, diagnostic: &Diagnostic) -> bool {
        diagnostic.rule == "unknown-param" && diagnostic.primary.is_none()
    }

    /// Whether a parameter of the root file has no value.
    fn lacks_value(&self, diagnostic: &Diagnostic) -> bool {
        let root = |span: Span| self.analysis.path(span) == self.analysis.root;
        diagnostic.rule == MISSING_PARAM
            && diagnostic.others.is_empty()
            && diagnostic.primary.as_ref().is_some_and(|label| root(label.span))
    }

    fn shown(&self, diagnostic: &Diagnostic) -> (PathBuf, Shown) {
        let (path, range) = match &diagnostic.primary {
            Some(label) => self.place(label.span),
            None => (self.analysis.root.clone(), Range::default()),
        };
        let severity = match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning | Severity::Unsupported => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        };
        let (severity, message) = match self.lacks_value(diagnostic) {
            true => (DiagnosticSeverity::INFORMATION, self.without_value(diagnostic)),
            false => (severity, message(diagnostic)),
        };
        let rule = catalogue::rules().find(|rule| rule.name == diagnostic.rule);
        let is_old = diagnostic.rule.starts_with("old-");
        let shown = Shown {
            code: (!diagnostic.rule.is_empty()).then(|| NumberOrString::String(diagnostic.rule.to_string())),
            code_description: rule.and_then(|rule| self.page(rule.name)),
            related_information: self.related(diagnostic),
            tags: is_old.then(|| vec![DiagnosticTag::DEPRECATED]),
            ..plain(range, severity, message)
        };
        (path, shown)
    }

    /// What to say when the checks end because nobody gives a parameter a value.
    fn without_value(&self, diagnostic: &Diagnostic) -> String {
        let name = diagnostic.title.split('`').nth(1).unwrap_or("this parameter");
        match self.analysis.is_alone {
            true => format!(
                "`{name}` has no value here, because no layout uses this file: what depends on it is not checked"
            ),
            false => {
                let help = match &self.analysis.setup.named_in {
                    Some(file) => format!("give it a value in `{}`", file_name(file)),
                    None => format!(
                        "write `params = {{ {name} = .. }}` under `[[program]]` in `cslrun.toml`, or \
                         `cslc {} --params={name}:..` in `commands.sh`",
                        file_name(&self.analysis.root)
                    ),
                };
                let what = "the program is checked only as far as it does not need it";
                format!("`{name}` has no value, so {what}\nhelp: {help}")
            }
        }
    }

    fn page(&self, rule: &str) -> Option<CodeDescription> {
        uri_of(&self.pages?.join(format!("{rule}.md"))).map(|href| CodeDescription { href })
    }

    fn related(&self, diagnostic: &Diagnostic) -> Option<Vec<DiagnosticRelatedInformation>> {
        let related = |label: &crate::Label| {
            let (path, range) = self.place(label.span);
            let location = Location { uri: uri_of(&path)?, range };
            Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
        };
        let all: Vec<_> = diagnostic.others.iter().filter_map(related).collect();
        (!all.is_empty()).then_some(all)
    }

    /// Where a span is for the editor. What lies in the library is shown in its files.
    fn place(&self, span: Span) -> (PathBuf, Range) {
        let file = self.analysis.sources.file(span.file);
        let text = Text::new(file.text.clone(), self.workspace.in_bytes);
        let range = text.range((span.lo, span.hi));
        let path = match (file.name.strip_prefix('<'), &self.workspace.library) {
            (Some(name), Some(library)) => library.join(format!("{}.csl", name.trim_end_matches('>'))),
            _ => PathBuf::from(&file.name),
        };
        (path, range)
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Title, what is said at the place, notes and help, as one text.
fn message(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.title.clone();
    if diagnostic.severity == Severity::Unsupported {
        text = format!("not supported by cslrun: {text}");
    }
    if let Some(label) = diagnostic.primary.as_ref().filter(|label| !label.text.is_empty()) {
        text += &format!("\n{}", label.text);
    }
    for note in &diagnostic.notes {
        text += &format!("\nnote: {note}");
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("\nhelp: {help}");
    }
    text
}
