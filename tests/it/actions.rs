//! The action for GitHub: what it runs annotates and writes a SARIF document.

use crate::cli::Folder;
use crate::root;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs what the last step of `action.yml` runs; `None` without bash.
fn annotate(folder: &Path, [command, paths, options, sarif]: [&str; 4]) -> Option<Output> {
    let own = Path::new(env!("CARGO_BIN_EXE_cslrun")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut bash = Command::new("bash");
    bash.arg(root().join("scripts/annotate")).current_dir(folder);
    bash.env("PATH", format!("{}:{path}", own.display()));
    bash.envs([("COMMAND", command), ("PATHS", paths), ("OPTIONS", options), ("SARIF", sarif)]);
    let output = bash.output();
    if output.is_err() {
        println!("skipped: there is no bash that could run scripts/annotate");
    }
    output.ok()
}

fn programs(test: &str) -> Folder {
    let folder = Folder::new(test);
    std::fs::write(folder.0.join("a.csl"), "comptime { @comptime_assert(@is_arch(\"wse3\")); }\n")
        .expect("a file");
    std::fs::write(folder.0.join("b.csl"), "fn\n").expect("a file");
    folder
}

#[test]
fn the_action_annotates_and_writes_one_document() {
    let folder = programs("action");
    let Some(output) = annotate(&folder.0, ["check", "a.csl b.csl", "--arch wse3", "out.sarif"]) else {
        return;
    };
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("a.csl: fine") && text.contains("::error file=b.csl,line="), "{text}");
    let document = std::fs::read_to_string(folder.0.join("out.sarif")).expect("a document");
    let log: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "syntax-error");
    let fine = annotate(&folder.0, ["check", "a.csl", "--arch wse3", ""]).expect("bash");
    assert_eq!(fine.status.code(), Some(0));
}

#[test]
fn the_action_writes_no_document_for_a_command_that_could_not_do_its_work() {
    let folder = programs("action-refused");
    for words in [
        ["check", "c.csl", "", "out.sarif"],
        ["erase", "a.csl", "", "out.sarif"],
        ["check", "a.csl", "--arhc", "out.sarif"],
    ] {
        let Some(output) = annotate(&folder.0, words) else { return };
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("::error title=cslrun::"), "{text}");
        assert!(!folder.0.join("out.sarif").exists());
    }
}
