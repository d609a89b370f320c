//! What is installed beside the command: completions of shells and man pages.

use crate::cli::{Folder, answers};
use std::process::Command;

/// The subcommands that the help lists.
fn subcommands(folder: &Folder) -> Vec<String> {
    let help = String::from_utf8(folder.cslrun("--help").stdout).expect("UTF-8");
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let lines = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
}

#[test]
fn bash_completes_subcommands_and_options() {
    let folder = Folder::new("bash");
    let script = folder.cslrun("--completions bash");
    answers(&script, 0, &[]);
    std::fs::write(folder.0.join("cslrun.bash"), script.stdout).expect("a writable folder");
    if Command::new("bash").arg("--version").output().is_err() {
        println!("skipped: there is no bash that could read the completions");
        return;
    }
    let offered = |words: &str| {
        let mut reversed = words.split_whitespace().rev();
        let [current, previous] = [reversed.next(), reversed.next()].map(Option::unwrap_or_default);
        let count = words.split_whitespace().count() - 1;
        let code = format!(
            "set -eu; source ./cslrun.bash; COMP_WORDS=({words}); COMP_CWORD={count}; COMPREPLY=()
             _cslrun cslrun '{current}' '{previous}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &code]).current_dir(&folder.0).output();
        let output = output.expect("bash runs");
        answers(&output, 0, &[]);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let has = |offered: &str, word: &str| offered.lines().any(|line| line == word);
    for word in ["run", "check"] {
        let all = offered(&format!("cslrun {}", &word[..1]));
        assert!(has(&all, word), "{word} in {all}");
    }
    assert!(has(&offered("cslrun check --mess"), "--message-format"));
    assert!(has(&offered("cslrun check --message-format sa"), "sarif"));
}

#[test]
fn every_shell_has_completions() {
    let folder = Folder::new("shells");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = folder.cslrun(&format!("--completions {shell}"));
        answers(&output, 0, &[]);
        let script = String::from_utf8(output.stdout).expect("UTF-8");
        for word in subcommands(&folder) {
            assert!(script.contains(&word), "{shell}: {word}");
        }
    }
    answers(&folder.cslrun("--completions tcsh"), 2, &["bash, elvish, fish, powershell, zsh"]);
    answers(&folder.cslrun("a.csl --completions bash"), 2, &["cannot be used with"]);
}

#[test]
fn every_command_has_a_man_page() {
    let folder = Folder::new("man");
    answers(&folder.cslrun("--man pages"), 0, &[]);
    let page = |name: &str| {
        std::fs::read_to_string(folder.0.join("pages").join(format!("{name}.1")))
            .unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let mut commands = subcommands(&folder);
    commands.retain(|name| name != "help");
    assert!(commands.len() >= 9, "{commands:?}");
    for name in &commands {
        let text = page(&format!("cslrun-{name}"));
        assert!(text.contains(".SH NAME") && text.contains(".SH OPTIONS"), "{name}: {text}");
    }
    assert!(page("cslrun").contains("\\-\\-max\\-cycles"), "{}", page("cslrun"));
    for (option, _) in cslrun::cli::cslc_options().filter(|(_, has_effect)| *has_effect) {
        let name = option.replace('-', "\\-");
        assert!(page("cslc").contains(&name), "{name}: {}", page("cslc"));
    }
    let written = std::fs::read_dir(folder.0.join("pages")).expect("a folder").count();
    assert_eq!(written, commands.len() + 2);
}

#[test]
fn a_folder_of_pages_that_cannot_be_made_is_wrong_use() {
    let folder = Folder::new("man-file");
    std::fs::write(folder.0.join("file"), "").expect("a writable folder");
    answers(&folder.cslrun("--man file/pages"), 2, &["the pages cannot be written to file/pages"]);
}
