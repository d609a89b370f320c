//! Console blocks in the documentation are tests: what `$ cslrun ..` is shown to print, it prints.
//!
//! The command runs in the folder of the page. `? 3` in the first line of the output is the exit
//! status, when it is not 0. Other commands are not run.

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
fn the_documentation_shows_what_is_printed() {
    for page in ["README.md", "CONTRIBUTING.md"] {
        check(&root().join(page));
    }
    for page in files_below(&root().join("docs"), "md") {
        check(&page);
    }
}

/// One command of a console block and what it is shown to print.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    command: String,
    status: i32,
    output: String,
}

/// Runs the commands of a page; returns how many there were.
fn check(page: &Path) -> usize {
    let text = std::fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let mut ran = 0;
    for shown in commands(&text) {
        let Some(args) = shown.command.strip_prefix("cslrun ") else { continue };
        let result = Command::new(env!("CARGO_BIN_EXE_cslrun"))
            .args(args.split_whitespace())
            .current_dir(page.parent().expect("a page in a folder"))
            .output()
            .expect("the built command runs");
        let output =
            [result.stdout, result.stderr].map(|o| String::from_utf8_lossy(&o).into_owned()).concat();
        assert_eq!(output.trim_end(), shown.output.trim_end(), "{}: {}", page.display(), shown.command);
        assert_eq!(result.status.code(), Some(shown.status), "{}: {}", page.display(), shown.command);
        ran += 1;
    }
    ran
}

fn commands(text: &str) -> Vec<Shown> {
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
