//! Runs the examples of `examples/seeds`: the snippets of the specification, each completed to a
//! program.
//!
//! They are written like the cases: a header, marks at the lines that break rules, `@assert`s that
//! hold. A file without a header is a part of the program whose name its own begins with.

use crate::case_file::{Case, CaseFile, is_program};
use crate::cases::check;
use crate::{files_below, root};
use std::path::Path;

#[test]
fn every_snippet_behaves_as_its_comments_say() {
    let failures: Vec<_> = files_below(&root().join("examples/seeds"), "csl")
        .iter()
        .filter_map(|path| Some(format!("{}: {}", name(path), check_program(path).err()?)))
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_program_is_listed_in_the_page() {
    let page = root().join("examples/seeds/README.md");
    let text = std::fs::read_to_string(page).expect("the page of the folder");
    let programs = files_below(&root().join("examples/seeds"), "csl").into_iter().filter(|p| is_program(p));
    let unlisted: Vec<_> =
        programs.map(|p| name(&p)).filter(|name| !text.contains(&format!("]({name})"))).collect();
    assert!(unlisted.is_empty(), "not in README.md: {unlisted:?}");
}

fn check_program(path: &Path) -> Result<(), String> {
    if !is_program(path) {
        return Ok(());
    }
    let mut case = Case::read(path)?;
    let program = file_name(path);
    let stem = program.trim_end_matches(".csl");
    for part in files_below(path.parent().expect("a file in a folder"), "csl") {
        let name = file_name(&part);
        if !is_program(&part) && name.starts_with(stem) {
            case.files.push(CaseFile { name, text: read(&part) });
        }
    }
    check(&case).map(drop)
}

fn file_name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The path below `examples/seeds`, as the page writes it.
fn name(path: &Path) -> String {
    let below = path.strip_prefix(root().join("examples/seeds")).expect("a path below the folder");
    below.display().to_string()
}
