//! The inputs to start from: the cases of `tests/cases` and the programs of `examples`.
//!
//! An input is the text of a case: lines `//! args: ...` give arguments of the command, lines `//- name.csl` begin a
//! further file (`tests/it/case_text.rs`).

#[path = "../../tests/it/case_text.rs"]
mod case_text;

use cslrun::{Arch, MemoryLoader};
use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is a folder of the repository")
}

/// The texts of all seeds, in the order of their paths.
///
/// # Panics
/// There are none: without them a campaign would try nothing and find nothing.
pub fn all() -> Vec<String> {
    let mut paths = Vec::new();
    ["tests/cases", "examples"].iter().for_each(|folder| collect(&root().join(folder), &mut paths));
    assert!(
        !paths.is_empty(),
        "no seeds in {}: was the folder moved since this was built?",
        root().display()
    );
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => collect(&path, paths),
            Some(extension) if extension == "csl" => paths.push(path),
            _ => {}
        }
    }
}

/// A program as an input describes it.
pub struct Input {
    /// The files.
    pub files: MemoryLoader,
    /// The name of the root file.
    pub root: String,
    /// The text of the root file.
    pub text: String,
    /// Arguments of the command.
    pub args: Vec<String>,
}

impl Input {
    /// Reads the text of a case.
    pub fn read(text: &str) -> Input {
        let args = case_text::header(text).filter(|(key, _)| *key == "args");
        let args = args.flat_map(|(_, words)| words.split_whitespace()).map(str::to_string).collect();
        let mut parts = case_text::files("main.csl", text);
        let mut files = MemoryLoader::default();
        parts.iter().for_each(|(name, text)| files.add(name.as_str(), text.as_str()));
        let (root, text) = parts.swap_remove(0);
        Input { files, root, text, args }
    }

    /// The machine that its arguments name.
    pub fn arch(&self) -> Arch {
        if self.args.iter().any(|word| word == "wse3") { Arch::Wse3 } else { Arch::Wse2 }
    }
}
