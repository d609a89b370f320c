//! The one test binary: CSL cases, the catalogue of rules, the walls between rooms, the console
//! blocks of the documentation, the book, the lessons, and the command line.

mod book;
mod case_file;
mod cases;
mod claims;
mod cli;
mod collectives;
mod compatibility;
mod console;
mod decisions;
mod elsewhere;
mod growth;
mod hangs;
mod host_hangs;
mod learn;
mod levels;
mod library;
mod links;
mod modes;
mod pages;
mod pictures;
mod props;
mod rules;
mod seeds;
mod trace;
mod walls;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether the documentation is to be brought up to date instead of checked.
fn writes_docs() -> bool {
    std::env::var_os("DOCS").is_some_and(|v| v == "write")
}

/// All files below `folder` with this extension, in order of their paths.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|e| e.expect("a readable folder").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
