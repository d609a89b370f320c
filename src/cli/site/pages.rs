//! The files of a site, in a folder or in one piece.

use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A file of the site.
pub struct File<'p> {
    /// Its content.
    pub bytes: Cow<'p, [u8]>,
    /// Whether the content is compressed by gzip.
    pub is_compressed: bool,
}

/// What a site consists of. Paths are relative and hold no `..`.
pub trait Pages: Send + Sync {
    /// The file at a path.
    fn file(&self, path: &str) -> Option<File<'_>>;
}

/// A folder that `scripts/site` has built.
pub struct Folder(pub PathBuf);

impl Pages for Folder {
    fn file(&self, path: &str) -> Option<File<'_>> {
        let bytes = std::fs::read(self.0.join(path)).ok()?;
        Some(File { bytes: bytes.into(), is_compressed: false })
    }
}

/// A site in one piece, as `scripts/site` writes it: a line of JSON with the length of each file, then the files in the
/// same order, each compressed by gzip.
pub struct Pack {
    files: BTreeMap<String, &'static [u8]>,
}

#[derive(Deserialize)]
struct Entry {
    path: String,
    length: usize,
}

impl Pack {
    /// Finds the files.
    pub fn new(bytes: &'static [u8]) -> Result<Pack, String> {
        let damaged = || "the site in this cslrun is damaged".to_string();
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
        let entries: Vec<Entry> = serde_json::from_slice(&bytes[..end]).map_err(|_| damaged())?;
        let mut rest = &bytes[end + 1..];
        let mut files = BTreeMap::new();
        for Entry { path, length } in entries {
            let (file, others) = rest.split_at_checked(length).ok_or_else(damaged)?;
            files.insert(path, file);
            rest = others;
        }
        Ok(Pack { files })
    }
}

impl Pages for Pack {
    fn file(&self, path: &str) -> Option<File<'_>> {
        Some(File { bytes: Cow::Borrowed(self.files.get(path)?), is_compressed: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_has_its_files() {
        let pack =
            Pack::new(b"[{\"path\":\"a\",\"length\":2},{\"path\":\"b/c\",\"length\":1}]\nxyz").unwrap();
        assert_eq!(&*pack.file("a").unwrap().bytes, b"xy");
        assert_eq!(&*pack.file("b/c").unwrap().bytes, b"z");
        assert!(pack.file("c").is_none());
    }

    #[test]
    fn a_damaged_pack_is_refused() {
        for bytes in [&b"[]"[..], b"no JSON\n", b"[{\"path\":\"a\",\"length\":9}]\nxyz"] {
            assert!(Pack::new(bytes).is_err(), "{bytes:?}");
        }
    }
}
