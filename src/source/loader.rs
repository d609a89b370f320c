use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// There is no such file.
    NotFound,
    /// It lies outside of the folder that imports are confined to.
    Outside,
    /// The file is not valid UTF-8.
    NotUtf8 {
        /// The offset of the first bad byte.
        at: usize,
        /// The text up to the end of its line, with U+FFFD in place of what is not valid.
        text: String,
    },
    /// The command that reads it writes it, too.
    Written,
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

    /// Whether a program may import a file: one within `root`, if imports are confined to a folder.
    ///
    /// # Errors
    /// Why not. A file that does not exist is no error here.
    fn admit(&self, path: &Path, root: Option<&Path>) -> Result<(), LoadError> {
        admit_within(&tidy(path), root.map(tidy))
    }
}

fn admit_within(path: &Path, root: Option<PathBuf>) -> Result<(), LoadError> {
    if root.is_none_or(|root| path.starts_with(root)) { Ok(()) } else { Err(LoadError::Outside) }
}

/// Bytes of a file at most: a program is written by people.
const MOST_BYTES: u64 = 64 << 20;

/// Reads from the file system: files of up to 64 MiB. Imports must be regular files.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskLoader;

impl Loader for DiskLoader {
    fn load(&self, path: &Path) -> Result<String, LoadError> {
        let failed = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => LoadError::NotFound,
            // A browser has no disk.
            std::io::ErrorKind::Unsupported => LoadError::NotFound,
            _ => LoadError::Other(e.to_string()),
        };
        let file = File::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(LoadError::Other("it has more than 64 MiB".to_string()));
        }
        utf8_text(bytes)
    }

    fn admit(&self, path: &Path, root: Option<&Path>) -> Result<(), LoadError> {
        // What links lead to counts. A path that leads nowhere is as good as its text.
        let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
        let real = |path: &Path| real(path).map_or_else(|_| tidy(path), |path| tidy(&path));
        admit_within(&real(path), root.map(real))?;
        // To open a pipe or a device may wait forever.
        let is_strange = path.metadata().is_ok_and(|known| !known.is_file() && !known.is_dir());
        if is_strange { Err(LoadError::Other("it is no regular file".to_string())) } else { Ok(()) }
    }
}

/// The bytes of a file as text.
///
/// # Errors
/// They are not valid UTF-8.
pub fn utf8_text(bytes: Vec<u8>) -> Result<String, LoadError> {
    String::from_utf8(bytes).map_err(|error| {
        let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let rest = bytes[at..].iter().position(|byte| *byte == b'\n');
        let end = rest.map_or(bytes.len(), |rest| at + rest);
        LoadError::NotUtf8 { at, text: String::from_utf8_lossy(&bytes[..end]).into_owned() }
    })
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
