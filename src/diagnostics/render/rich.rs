use super::sheet::{Mark, Sheets};
use crate::diagnostics::{Diagnostic, Severity};
use crate::source::FileId;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

/// One diagnostic as a drawing, followed by an empty line.
pub fn one(sheets: &Sheets, d: &Diagnostic, color: bool) -> String {
    let (shown, told) = sheets.shown_and_told(d);
    let title = level(d.severity).primary_title(&d.title).id(d.rule.as_ref());
    let mut group = Group::with_title(title).elements(files(&shown).into_iter().map(|file| {
        let marks = shown.iter().filter(|m| m.file == file);
        Snippet::source(sheets.text(file)).path(sheets.name_of(file)).annotations(marks.map(annotation))
    }));
    for note in told.iter().chain(&super::notes(d)) {
        group = group.element(Level::NOTE.no_name().message(note.clone()));
    }
    if let Some(help) = &d.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Unicode).render(&[group]) + "\n\n"
}

// The library knows no "unsupported".
fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
        Severity::Unsupported => Level::ERROR.with_name(severity.word()),
    }
}

/// The files of the marks, that of the place to blame first.
fn files(marks: &[Mark]) -> Vec<FileId> {
    let mut files: Vec<FileId> = Vec::new();
    for mark in marks {
        if !files.contains(&mark.file) {
            files.push(mark.file);
        }
    }
    files
}

fn annotation<'a>(mark: &'a Mark) -> Annotation<'a> {
    let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let annotation = kind.span(mark.range.clone());
    if mark.text.is_empty() { annotation } else { annotation.label(mark.text) }
}
