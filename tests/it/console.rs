//! Console blocks in the documentation are tests: what `$ cslrun ..` is shown to print, it prints.
//!
//! `trycmd` runs `README.md` and `docs/cli.md` in the root; `TRYCMD=overwrite cargo test` writes what is
//! printed into them. The book and the examples name files beside them, and `trycmd` runs every page in
//! the same folder, so they are run here, each in its own; the tests of the book need the commands of a
//! page with their output, too. `? 3` in the first line of the output is the exit status, when it is not
//! 0. Other commands are not run. `DOCS=write cargo test` writes what is printed.

use crate::{files_below, root};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

#[test]
fn every_example_shows_what_it_prints() {
    let folders = std::fs::read_dir(root().join("examples")).expect("the folder of examples");
    for folder in folders.map(|e| e.expect("a readable folder").path()).filter(|p| p.is_dir()) {
        let page = folder.join("README.md");
        assert!(check(&page) > 0, "{}: no console block runs cslrun", page.display());
    }
}

#[test]
fn the_readme_and_the_page_of_the_command_line_show_what_is_printed() {
    let cases = trycmd::TestCases::new();
    cases.register_bin("cslrun", Path::new(env!("CARGO_BIN_EXE_cslrun")));
    for page in BY_TRYCMD {
        cases.case(root().join(page));
    }
    cases.run();
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let pages = files_below(&root().join("docs"), "md");
    for page in pages.iter().filter(|page| BY_TRYCMD.iter().all(|other| **page != root().join(other))) {
        check(page);
    }
}

/// The pages that `trycmd` runs.
const BY_TRYCMD: [&str; 2] = ["README.md", "docs/cli.md"];

/// One command of a console block and what it is shown to print.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    /// The command.
    pub command: String,
    /// Its exit status.
    pub status: i32,
    /// What it prints, first to standard output, then to standard error.
    pub output: String,
}

/// Runs the commands of a page; returns how many there were.
fn check(page: &Path) -> usize {
    let text = std::fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let (mut updated, mut ran) = (text.clone(), 0);
    for shown in commands(&text).iter().filter(|c| c.command.starts_with("cslrun ")) {
        let real = run(&shown.command, page.parent().expect("a page in a folder"));
        if crate::writes_docs() {
            updated = updated.replacen(&shown.text(), &real.text(), 1);
        } else {
            assert_eq!(real, *shown, "{}: {}", page.display(), shown.command);
        }
        ran += 1;
    }
    if updated != text {
        std::fs::write(page, updated).expect("a writable page");
    }
    ran
}

/// Runs a command in a folder.
pub fn run(command: &str, folder: &Path) -> Shown {
    let result = Command::new(env!("CARGO_BIN_EXE_cslrun"))
        .args(command.split_whitespace().skip(1))
        .current_dir(folder)
        .output()
        .expect("the built command runs");
    let output = [result.stdout, result.stderr].map(|o| String::from_utf8_lossy(&o).into_owned()).concat();
    Shown { command: command.to_string(), status: result.status.code().unwrap_or(-1), output }
}

impl Shown {
    /// The command and its output as a block holds them.
    fn text(&self) -> String {
        let status = if self.status == 0 { String::new() } else { format!("? {}\n", self.status) };
        format!("$ {}\n{status}{}", self.command, self.output)
    }
}

/// The commands of the console blocks of a page.
pub fn commands(text: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (_, line) if line.starts_with("```") => inside = line == "```console",
            (true, line) if line.starts_with("$ ") => {
                found.push(Shown { command: line[2..].to_string(), status: 0, output: String::new() });
            }
            (true, line) => add_output(found.last_mut(), line),
            (false, _) => {}
        }
    }
    found
}

fn add_output(shown: Option<&mut Shown>, line: &str) {
    let Some(shown) = shown else { return };
    match line.strip_prefix("? ").and_then(|status| status.parse().ok()) {
        Some(status) if shown.output.is_empty() => shown.status = status,
        Some(_) | None => {
            let _ = writeln!(shown.output, "{line}");
        }
    }
}

#[test]
fn commands_are_taken_from_console_blocks_only() {
    let text = "```console\n$ cslrun a.csl\n? 3\nfirst\n\nsecond\n$ ls\n```\n```text\n$ cslrun b.csl\n```\n";
    let shown = |command: &str, status, output: &str| Shown {
        command: command.into(),
        status,
        output: output.into(),
    };
    assert_eq!(commands(text), [shown("cslrun a.csl", 3, "first\n\nsecond\n"), shown("ls", 0, "")]);
}
