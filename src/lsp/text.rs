//! Places in a text: byte offsets here, lines and columns of the editor there; files here, addresses there.

use crate::{Extent, line_starts};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// A text with the beginnings of its lines.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text.
    pub text: Arc<str>,
    starts: Vec<u32>,
    /// Whether the editor counts columns in bytes instead of UTF-16 units.
    in_bytes: bool,
}

impl Text {
    /// A text whose columns are counted in bytes, or in UTF-16 units.
    pub fn new(text: impl Into<Arc<str>>, in_bytes: bool) -> Text {
        let text = text.into();
        Text { starts: line_starts(&text), text, in_bytes }
    }

    /// The number of the line of an offset.
    pub fn line(&self, offset: u32) -> u32 {
        (self.starts.partition_point(|start| *start <= offset) - 1) as u32
    }

    /// The text of a line without its end; empty past the last one.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(start) = self.starts.get(line as usize) else { return "" };
        let end = self.starts.get(line as usize + 1).map_or(self.text.len(), |next| *next as usize);
        self.text[*start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// Where an offset is for the editor.
    pub fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset as u32);
        let before = &self.text[self.starts[line as usize] as usize..offset];
        let column = if self.in_bytes { before.len() } else { before.encode_utf16().count() };
        Position { line, character: column as u32 }
    }

    /// Where an extent is for the editor.
    pub fn range(&self, (lo, hi): Extent) -> Range {
        Range { start: self.position(lo), end: self.position(hi) }
    }

    /// The offset of a place of the editor; what lies past the end of a line or of the text is its end.
    pub fn offset(&self, at: Position) -> u32 {
        let Some(start) = self.starts.get(at.line as usize) else { return self.text.len() as u32 };
        let line = self.line_text(at.line);
        let mut left = at.character as usize;
        for (i, c) in line.char_indices() {
            if left == 0 {
                return start + i as u32;
            }
            let units = if self.in_bytes { c.len_utf8() } else { c.len_utf16() };
            left = left.saturating_sub(units);
        }
        start + line.len() as u32
    }

    /// The text in an extent, or as much of it as there is.
    pub fn slice(&self, (lo, hi): Extent) -> &str {
        self.text.get(lo as usize..hi as usize).unwrap_or("")
    }

    /// The text after a change in the editor.
    pub fn changed(&self, change: &TextDocumentContentChangeEvent) -> Text {
        let Some(range) = change.range else { return Text::new(change.text.as_str(), self.in_bytes) };
        let (lo, hi) = (self.offset(range.start) as usize, self.offset(range.end) as usize);
        let (lo, hi) = (lo.min(hi), lo.max(hi));
        let mut text = String::with_capacity(self.text.len() + change.text.len());
        text += &self.text[..lo];
        text += &change.text;
        text += &self.text[hi..];
        Text::new(text, self.in_bytes)
    }
}

/// Where an offset of an old text lies in a new one: what stands in front of all changes stays, what stands behind moves.
pub fn moved(old: &str, new: &str, offset: u32) -> Option<u32> {
    if old == new {
        return Some(offset);
    }
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - same;
    let tail = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    let at = offset as usize;
    if at <= same {
        Some(offset)
    } else if at >= old.len() - tail {
        Some((at + new.len() - old.len()) as u32)
    } else {
        None
    }
}

/// The file that an address names, if it is one.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let (mut bytes, mut left) = (Vec::with_capacity(path.len()), path.as_bytes());
    while let [first, rest @ ..] = left {
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => (bytes.push(byte), left = &rest[2..]).1,
            _ => (bytes.push(*first), left = rest).1,
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/..` is a path of Windows.
    let path = match path.as_bytes() {
        [b'/', _, b':', ..] => path[1..].to_string(),
        _ => path,
    };
    Some(crate::tidy(Path::new(&path)))
}

/// The address of a file.
pub fn uri_of(path: &Path) -> Option<Uri> {
    let path = path.to_string_lossy().replace('\\', "/");
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(byte.into())
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_the_editor_counts_them() {
        let utf16 = Text::new("a\n\u{1d11e}é x\n", false);
        let at = utf16.text.find('x').expect("an x") as u32;
        assert_eq!(utf16.position(at), Position { line: 1, character: 4 });
        assert_eq!(utf16.offset(Position { line: 1, character: 4 }), at);
        let bytes = Text::new("a\n\u{1d11e}é x\n", true);
        assert_eq!(bytes.position(at), Position { line: 1, character: 7 });
        assert_eq!(bytes.offset(Position { line: 1, character: 99 }), at + 1);
        assert_eq!(bytes.offset(Position { line: 9, character: 0 }), bytes.text.len() as u32);
    }

    #[test]
    fn addresses_lead_to_files_and_back() {
        let path = Path::new("/a b/ü%.csl");
        let uri = uri_of(path).expect("an address");
        assert_eq!(uri.as_str(), "file:///a%20b/%C3%BC%25.csl");
        assert_eq!(path_of(&uri).as_deref(), Some(path));
        assert_eq!(path_of(&Uri::from_str("untitled:a").expect("an address")), None);
    }

    #[test]
    fn offsets_behind_a_change_move_with_it() {
        assert_eq!(moved("one two three", "one 2 three", 2), Some(2));
        assert_eq!(moved("one two three", "one 2 three", 8), Some(6));
        assert_eq!(moved("one two three", "one 2 three", 5), None);
    }
}
