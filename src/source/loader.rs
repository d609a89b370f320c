use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// There is no such file.
    NotFound,
    /// The file is not valid UTF-8; the offset of the first bad byte.
    NotUtf8(usize),
    /// Anything else, in the words of the operating system.
    Other(String),
}

/// Where program text comes from.
pub trait Loader {
    /// Reads the whole file.
    ///
    /// # Errors
    /// The file does not exist, cannot be read, or is not valid UTF-8.
    fn load(&self, path: &Path) -> Result<String, LoadError>;
}

/// Reads from the file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskLoader;

impl Loader for DiskLoader {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        let bytes = std::fs::read(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => LoadError::NotFound,
            _ => LoadError::Other(e.to_string()),
        })?;
        String::from_utf8(bytes).map_err(|e| LoadError::NotUtf8(e.utf8_error().valid_up_to()))
    }
}

/// Serves files from memory, for tests and for embedding.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: BTreeMap<PathBuf, String>,
}

impl MemoryLoader {
    /// Adds or replaces a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<String>) {
        self.files.insert(tidy(&path.into()), text.into());
    }
}

impl Loader for MemoryLoader {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        self.files.get(&tidy(path)).cloned().ok_or(LoadError::NotFound)
    }
}

/// Removes `.` and `x/..` from a path without asking the file system.
pub fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
