use super::sheet::{Mark, Sheets};
use crate::diagnostics::{Diagnostic, Severity};
use crate::source::FileId;
use codespan_reporting::diagnostic as codespan;
use codespan_reporting::term::{self, Chars, Config, termcolor::Buffer};

/// One diagnostic with its excerpts, followed by an empty line.
pub fn one(sheets: &Sheets, d: &Diagnostic, color: bool) -> String {
    let mut buffer = if color { Buffer::ansi() } else { Buffer::no_color() };
    let config = Config { chars: Chars::ascii(), ..Config::default() };
    term::emit_to_write_style(&mut buffer, &config, sheets, &translate(sheets, d))
        .expect("every label was fitted to a known file, and a buffer takes all text");
    let text = String::from_utf8(buffer.into_inner()).expect("the renderer writes UTF-8");
    match d.severity {
        Severity::Unsupported => text.replacen("bug[", "unsupported[", 1),
        Severity::Note | Severity::Warning | Severity::Error => text,
    }
}

fn translate(sheets: &Sheets, d: &Diagnostic) -> codespan::Diagnostic<FileId> {
    let (shown, told) = sheets.shown_and_told(d);
    let help = d.help.iter().map(|h| format!("help: {h}"));
    codespan::Diagnostic::new(severity(d.severity))
        .with_code(d.rule.as_ref())
        .with_message(&d.title)
        .with_labels(shown.into_iter().map(label).collect())
        .with_notes(told.into_iter().chain(super::notes(d)).chain(help).collect())
}

fn label(mark: Mark) -> codespan::Label<FileId> {
    let style = if mark.primary { codespan::LabelStyle::Primary } else { codespan::LabelStyle::Secondary };
    codespan::Label::new(style, mark.file, mark.range).with_message(mark.text)
}

// The library has no word for "unsupported"; `bug` is unused otherwise and renamed afterwards.
fn severity(s: Severity) -> codespan::Severity {
    match s {
        Severity::Note => codespan::Severity::Note,
        Severity::Warning => codespan::Severity::Warning,
        Severity::Error => codespan::Severity::Error,
        Severity::Unsupported => codespan::Severity::Bug,
    }
}
