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

#[test]
fn every_file_of_a_checkout_of_public_examples_parses() {
    let Some(root) = std::env::var_os("CSL_EXAMPLES") else { return };
    let mut files = Vec::new();
    csl_files(Path::new(&root), &mut files);
    assert!(!files.is_empty(), "CSL_EXAMPLES names no folder with .csl files");
    let mut problems = Vec::new();
    for path in &files {
        let text = std::fs::read_to_string(path).expect("an example is text");
        let parsed = parse(FileId(0), &text);
        problems.extend(parsed.problems.into_iter().map(|p| format!("{}: {}", path.display(), p.0.title)));
    }
    println!("{} files parsed", files.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
