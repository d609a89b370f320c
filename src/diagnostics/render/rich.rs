use super::sheet::{Mark, Sheets};
use crate::diagnostics::{Diagnostic, Severity};
use crate::source::FileId;
use anstyle::{AnsiColor, Style};
use ariadne::{Cache, Color, Config, Report, ReportKind, Source};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// A range of characters, as the library counts.
type CharSpan = (FileId, Range<usize>);

/// One diagnostic as a drawing, followed by an empty line.
pub fn one(sheets: &Sheets, d: &Diagnostic, color: bool) -> String {
    let (mut shown, told) = sheets.shown_and_told(d);
    // Without an excerpt the library leaves out notes and help as well.
    let Some(first) = shown.first() else {
        return super::plain::one(sheets, d, color);
    };
    let home = first.file;
    let mut report = Report::build(ReportKind::Error, char_span(sheets, first))
        .with_config(Config::default().with_color(color));
    // The library opens a new frame at each step back in a file.
    shown.sort_by_key(|m| (m.file != home, m.file, m.range.start));
    report.add_labels(shown.iter().map(|m| label(sheets, m, d.severity)));
    report.with_notes(told.into_iter().chain(super::notes(d)));
    report.with_helps(&d.help);
    let mut out = Vec::new();
    report
        .finish()
        .write(Drawn::new(sheets, &shown), &mut out)
        .expect("every label was fitted to a known file, and a buffer takes all text");
    let text = String::from_utf8(out).expect("the renderer writes UTF-8");
    // Our own header takes the place of the library's, which has no word for "unsupported".
    let drawing = text.split_once('\n').map_or("", |(_, rest)| rest);
    format!("{}\n{drawing}\n", header(d, color))
}

fn header(d: &Diagnostic, color: bool) -> String {
    let (word, rule, title) = (d.severity.name(), &d.rule, &d.title);
    if !color {
        return format!("{word}[{rule}]: {title}");
    }
    let color = match d.severity {
        Severity::Note => AnsiColor::Green,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Error | Severity::Unsupported => AnsiColor::Red,
    };
    let (tint, bold) = (color.on_default().bold(), Style::new().bold());
    format!("{tint}{word}[{rule}]{tint:#}{bold}: {title}{bold:#}")
}

fn tint(s: Severity) -> Color {
    match s {
        Severity::Note => Color::Green,
        Severity::Warning => Color::Yellow,
        Severity::Error | Severity::Unsupported => Color::Red,
    }
}

fn label(sheets: &Sheets, mark: &Mark, severity: Severity) -> ariadne::Label<CharSpan> {
    let color = if mark.primary { tint(severity) } else { Color::Blue };
    let label = ariadne::Label::new(char_span(sheets, mark)).with_color(color);
    // Without colors the library marks no place that has no text.
    label.with_message(if mark.text.is_empty() { "here" } else { mark.text })
}

// The library's byte mode reads a character offset as a byte offset in every file after the
// first, so that text beyond ASCII shifts its line numbers. Characters are exact.
fn char_span(sheets: &Sheets, mark: &Mark) -> CharSpan {
    let text = sheets.text(mark.file);
    let start = text[..mark.range.start].chars().count();
    let end = start + text[mark.range.clone()].chars().count();
    (mark.file, start..end)
}

/// The files of one drawing.
struct Drawn<'a> {
    sheets: &'a Sheets<'a>,
    sources: BTreeMap<FileId, Source<&'a str>>,
}

impl<'a> Drawn<'a> {
    fn new(sheets: &'a Sheets<'a>, marks: &[Mark]) -> Drawn<'a> {
        let sources = marks.iter().map(|m| (m.file, Source::from(sheets.text(m.file)))).collect();
        Drawn { sheets, sources }
    }
}

impl<'s> Cache<FileId> for Drawn<'s> {
    type Storage = &'s str;

    fn fetch(&mut self, id: &FileId) -> Result<&Source<&'s str>, impl fmt::Debug> {
        self.sources.get(id).ok_or("a file without a mark")
    }

    fn display<'a>(&self, id: &'a FileId) -> Option<impl fmt::Display + 'a> {
        Some(self.sheets.name_of(*id).to_string())
    }
}
