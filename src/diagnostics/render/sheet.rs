use super::visible::{printable, stand_in};
use crate::diagnostics::{Diagnostic, Label};
use crate::source::{FileId, SourceMap, Span};
use codespan_reporting::files::{Error, Files};
use std::borrow::Cow;
use std::ops::Range;

/// A line longer than this is not shown; its labels are written as `file:line:column: text`.
const LONGEST_LINE: usize = 400;

/// The files as the renderers show them: the text of `map`, with every character that would
/// upset a terminal replaced by a harmless one of the same length, so that offsets stay valid.
pub struct Sheets<'a> {
    map: &'a SourceMap,
    texts: Vec<Option<String>>,
    names: Vec<Cow<'a, str>>,
}

/// One label, fitted to its file.
#[derive(PartialEq, Eq)]
pub struct Mark<'d> {
    /// The file; always known to the `SourceMap`.
    pub file: FileId,
    /// Bytes, inside the file and on character boundaries.
    pub range: Range<usize>,
    /// What it says; may be empty.
    pub text: &'d str,
    /// Whether it is the place to blame.
    pub primary: bool,
}

impl<'a> Sheets<'a> {
    /// Prepares the files that the diagnostics point into.
    pub fn new(map: &'a SourceMap, diagnostics: &[Diagnostic]) -> Sheets<'a> {
        let mut texts = vec![None; map.files().len()];
        for label in diagnostics.iter().flat_map(|d| d.primary.iter().chain(&d.others)) {
            if let Some(text @ None) = texts.get_mut(label.span.file.0 as usize) {
                *text = Some(map.file(label.span.file).text.chars().map(stand_in).collect());
            }
        }
        let names = map.files().iter().map(|file| printable(&file.name)).collect();
        Sheets { map, texts, names }
    }

    /// The labels of a diagnostic, the primary one first; labels of unknown files are left out.
    pub fn marks<'d>(&self, d: &'d Diagnostic) -> Vec<Mark<'d>> {
        let primary = d.primary.iter().filter_map(|l| self.mark(l, true));
        let mut marks: Vec<Mark> = Vec::new();
        for mark in primary.chain(d.others.iter().filter_map(|l| self.mark(l, false))) {
            // A recursion passes the same call many times.
            if !marks.contains(&mark) {
                marks.push(mark);
            }
        }
        marks
    }

    /// The marks that can be shown as excerpts, and the others as text.
    pub fn shown_and_told<'d>(&self, d: &'d Diagnostic) -> (Vec<Mark<'d>>, Vec<String>) {
        let (shown, long): (Vec<_>, Vec<_>) = self.marks(d).into_iter().partition(|m| self.fits(m));
        (shown, long.iter().map(|m| self.told(m)).collect())
    }

    /// `file:line:column` of the start of a mark.
    pub fn place(&self, mark: &Mark) -> String {
        let place = self.map.describe(Span::new(mark.file, mark.range.start, mark.range.end));
        printable(&place).into_owned()
    }

    /// Line and column of the start of a mark, both from 1.
    pub fn line_column(&self, mark: &Mark) -> (usize, usize) {
        let at = self.map.line_col(mark.file, mark.range.start as u32);
        (at.line, at.column)
    }

    /// Line and column of the start of a mark and of the character behind its end, all from 1.
    pub fn region(&self, mark: &Mark) -> ((usize, usize), (usize, usize)) {
        let end = self.map.line_col(mark.file, mark.range.end as u32);
        (self.line_column(mark), (end.line, end.column))
    }

    /// The name of a file, escaped for output.
    pub fn name_of(&self, file: FileId) -> &str {
        &self.names[file.0 as usize]
    }

    /// The name of a file, not escaped.
    pub fn exact_name_of(&self, file: FileId) -> &'a str {
        &self.map.file(file).name
    }

    /// The printable text of a file that some diagnostic points into.
    pub fn text(&self, file: FileId) -> &str {
        self.texts[file.0 as usize].as_deref().unwrap_or_default()
    }

    // Both renderers panic on spans outside the text or inside a character. Every span passes here.
    fn mark<'d>(&self, label: &'d Label, primary: bool) -> Option<Mark<'d>> {
        let file = label.span.file;
        let text = self.texts.get(file.0 as usize)?.as_deref()?;
        let lo = floor(text, label.span.lo as usize);
        let mut hi = floor(text, label.span.hi as usize).max(lo);
        // A span that ends with a line break would be drawn as one of two lines.
        while hi > lo && text.as_bytes()[hi - 1] == b'\n' {
            hi -= 1;
        }
        Some(Mark { file, range: lo..hi, text: &label.text, primary })
    }

    fn fits(&self, mark: &Mark) -> bool {
        let text = self.text(mark.file);
        let before = &text[..mark.range.start];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let end = text[mark.range.end..].find('\n').map_or(text.len(), |i| mark.range.end + i);
        text[start..end].lines().all(|line| line.len() <= LONGEST_LINE)
    }

    fn told(&self, mark: &Mark) -> String {
        match mark.text {
            "" => format!("at {}", self.place(mark)),
            text => format!("at {}: {text}", self.place(mark)),
        }
    }
}

impl<'a> Files<'a> for Sheets<'_> {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<&'a str, Error> {
        Ok(self.name_of(id))
    }

    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        Ok(self.text(id))
    }

    fn line_index(&'a self, id: FileId, offset: usize) -> Result<usize, Error> {
        Ok(self.map.file(id).line_starts().partition_point(|s| *s as usize <= offset) - 1)
    }

    fn line_range(&'a self, id: FileId, line: usize) -> Result<Range<usize>, Error> {
        let starts = self.map.file(id).line_starts();
        let end = self.text(id).len();
        let start_of = |line: usize| starts.get(line).map_or(end, |s| *s as usize);
        Ok(start_of(line)..start_of(line + 1))
    }
}

fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
