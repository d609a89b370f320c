//! The CSL files that the words of a command line mean.

use std::io;
use std::path::{Path, PathBuf};

/// Files that are named, and those `*.csl` below named folders whose names are `wanted`, in order. Hidden ones are left
/// out, and so are links to folders. `pattern` is what is looked for, for the message when there is nothing.
///
/// # Errors
/// A text for people.
pub fn files(paths: &[PathBuf], wanted: fn(&str) -> bool, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            below(path, wanted, &mut all).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        } else if path.is_file() {
            all.push(path.clone());
        } else {
            return Err(format!("there is no file or folder {}", path.display()));
        }
    }
    if all.is_empty() { Err(format!("there is no file {pattern}")) } else { Ok(all) }
}

fn below(folder: &Path, wanted: fn(&str) -> bool, all: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        } else if path.is_dir() {
            // A link may lead to a folder above, and then there is no end.
            if path.is_symlink() {
                continue;
            }
            below(&path, wanted, all)?;
        } else if wanted(&name) && name.ends_with(".csl") {
            all.push(path);
        }
    }
    Ok(())
}
