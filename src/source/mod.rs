//! Text: the files of a program and locations in them.
//!
//! In: file names and their contents. Out: `FileId`s, `Span`s, line and column on demand.
//! Never: interprets the text.

mod loader;

pub use loader::{DiskLoader, LoadError, Loader, MemoryLoader, tidy, utf8_text};

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One file of a [`SourceMap`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A piece of one file: byte offsets, `hi` exclusive.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// Bytes `lo..hi` of `file`.
    pub fn new(file: FileId, lo: usize, hi: usize) -> Span {
        Span { file, lo: lo as u32, hi: hi as u32 }
    }

    /// Its bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.lo as usize..self.hi as usize
    }

    /// The smallest span that covers both; they must be of one file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LineCol {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One source file, as shown to people.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// The path as the user wrote it, or `<math>` for the library.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Start offsets of the lines, ascending; the first is 0.
    pub fn line_starts(&self) -> &[u32] {
        &self.line_starts
    }

    /// Whether it belongs to the embedded library.
    pub fn is_library(&self) -> bool {
        self.name.starts_with('<')
    }
}

/// Every file that a compilation has read, in the order of reading.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and names it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let text = text.into();
        let line_starts = line_starts(&text);
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file behind an id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Whether a span is a piece of one of the files.
    pub fn has(&self, span: Span) -> bool {
        let text = self.files.get(span.file.0 as usize).map(|file| &file.text);
        text.is_some_and(|text| text.get(span.range()).is_some())
    }

    /// Whether the tables of all files fit their texts: what a damaged program may lack.
    pub fn is_whole(&self) -> bool {
        self.files.iter().all(|file| file.line_starts == line_starts(&file.text))
    }

    /// All files, in the order of reading.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Line and column of a byte offset; offsets past the end give the last place.
    pub fn line_col(&self, file: FileId, offset: u32) -> LineCol {
        let f = self.file(file);
        let offset = offset.min(f.text.len() as u32);
        let line = f.line_starts.partition_point(|s| *s <= offset) - 1;
        let start = f.line_starts[line] as usize;
        let text = &f.text.as_bytes()[start..offset as usize];
        let column = text.iter().filter(|b| (**b & 0xc0) != 0x80).count() + 1;
        LineCol { line: line + 1, column }
    }

    /// The first of these spans that is in the program itself, not in the library.
    pub fn outside_library(&self, places: &[Span]) -> Option<Span> {
        places.iter().copied().find(|span| !self.file(span.file).is_library())
    }

    /// `file:line:column` of the start of a span.
    pub fn describe(&self, span: Span) -> String {
        let at = self.line_col(span.file, span.lo);
        format!("{}:{}:{}", self.file(span.file).name, at.line, at.column)
    }
}

/// The offsets at which the lines of a text begin.
pub fn line_starts(text: &str) -> Vec<u32> {
    let behind = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
    std::iter::once(0).chain(behind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let mut map = SourceMap::default();
        let f = map.add("a.csl", "x\nä = 1;\n");
        assert_eq!(map.line_col(f, 0), LineCol { line: 1, column: 1 });
        assert_eq!(map.line_col(f, 4), LineCol { line: 2, column: 2 });
        assert_eq!(map.line_col(f, 999), LineCol { line: 3, column: 1 });
    }
}
