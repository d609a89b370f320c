//! Files that can be read only once, such as a pipe: what was read is kept, because a program is looked for, compiled and
//! perhaps compiled again.

use crate::{DiskLoader, LoadError, Loader, utf8_text};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

/// Reads from the file system, and `-` from standard input. Regular files are read as often as they are asked for.
#[derive(Debug, Default)]
pub struct ReadOnce {
    kept: RefCell<BTreeMap<PathBuf, Result<String, LoadError>>>,
}

impl Loader for ReadOnce {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        let is_input = path == Path::new("-");
        let is_regular = || path.metadata().is_ok_and(|known| known.is_file() || known.is_dir());
        if !is_input && (is_regular() || !path.exists()) {
            return DiskLoader.load(path);
        }
        let mut kept = self.kept.borrow_mut();
        let read = || if is_input { input() } else { DiskLoader.load(path) };
        kept.entry(path.to_path_buf()).or_insert_with(read).clone()
    }

    fn admit(&self, path: &Path, root: Option<&Path>) -> Result<(), LoadError> {
        DiskLoader.admit(path, root)
    }
}

/// All of standard input.
fn input() -> Result<String, LoadError> {
    let mut bytes = Vec::new();
    stdin().lock().read_to_end(&mut bytes).map_err(|e| LoadError::Other(e.to_string()))?;
    utf8_text(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_read_again() {
        let path = std::env::temp_dir().join(format!("cslrun-read-once-{}.csl", std::process::id()));
        let loader = ReadOnce::default();
        for text in ["var a: u16;", "var b: u16;"] {
            std::fs::write(&path, text).expect("a writable folder");
            assert_eq!(loader.load(&path), Ok(text.to_string()));
        }
        std::fs::remove_file(&path).expect("the file");
        assert_eq!(loader.load(&path), Err(LoadError::NotFound));
    }
}
