//! The grammar of editors agrees with cslrun: on the text of programs, on their names, and on the words of the language.

mod corpus;
mod names;
mod queries;
mod words;

use std::path::{Path, PathBuf};
use tree_sitter::{Language, Parser, Tree};

/// The folder of the grammar.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the repository.
fn file(path: &str) -> String {
    let path = here().join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files below a folder with this ending, in order.
fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    let is_ours = |path: &Path| !path.ends_with("target") && !path.ends_with("node_modules");
    let mut all = Vec::new();
    for path in entries {
        if path.is_dir() && !path.is_symlink() && is_ours(&path) {
            all.extend(files_below(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            all.push(path);
        }
    }
    all
}

fn language() -> Language {
    tree_sitter_csl::LANGUAGE.into()
}

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("a version that the library reads");
    parser.parse(text, None).expect("no time limit")
}
