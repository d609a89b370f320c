use crate::source::FileId;
use crate::syntax::parse;
use std::path::{Path, PathBuf};

/// Every `.csl` file below a folder.
fn csl_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = folder.read_dir() else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            csl_files(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "csl") {
            found.push(path);
        }
    }
}

/// Folders of this repository whose programs parse, apart from those that say that they do not.
const FOLDERS: [&str; 4] = ["benches/programs", "docs", "examples", "src/stdlib/csl"];

/// With `CSL_EXAMPLES`, every file of that folder is looked at, too: a checkout of public examples.
#[test]
fn every_program_of_the_repository_and_of_a_checkout_of_public_examples_parses() {
    let own = FOLDERS.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let public = std::env::var_os("CSL_EXAMPLES").map(PathBuf::from);
    let mut problems = Vec::new();
    for folder in own.into_iter().chain(public) {
        let mut files = Vec::new();
        csl_files(&folder, &mut files);
        assert!(files.len() > 20, "{} .csl files below {}", files.len(), folder.display());
        for path in files {
            let text = std::fs::read_to_string(&path).expect("an example is text");
            let found = parse(FileId(0), &text).problems;
            if text.starts_with("//! rule: syntax-error\n") {
                assert!(!found.is_empty(), "{} parses", path.display());
                continue;
            }
            problems.extend(found.into_iter().map(|p| format!("{}: {}", path.display(), p.0.title)));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
