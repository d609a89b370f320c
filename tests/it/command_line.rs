//! What the command line refuses before anything runs, and which files a command says that it has written.

use crate::cli::{Folder, answers};
use crate::root;
use std::process::Command;

/// A test that never ends.
const ENDLESS_TEST: &str = "var n: u32 = 0;\nfn test_endless() void { while (true) { n += 1; } }\n\
                            comptime { @export_symbol(test_endless); }\n";

#[test]
fn a_test_without_end_is_stopped_by_a_limit_that_can_be_raised() {
    let folder = Folder::with("test-limit", "test_a.csl", ENDLESS_TEST);
    let output = folder.cslrun("test --max-cycles 20_000");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("not finished after 20,000 cycles"), "{text}");
    assert!(text.contains("raise the limit with --max-cycles"), "{text}");
    let text = String::from_utf8_lossy(&folder.cslrun("test").stdout).into_owned();
    assert!(text.contains("not finished after 10,000,000 cycles"), "{text}");
}

/// A program that does nothing.
const PROGRAM: &str = "var x: u16 = 1;\ncomptime { @export_symbol(x); }\n";

#[test]
fn a_folder_that_is_searched_must_exist() {
    let folder = Folder::with("no-folder", "a.csl", PROGRAM);
    folder.write("test_a.csl", ENDLESS_TEST);
    let missing = [
        "a.csl --import-root nosuch",
        "run a.csl --import-path . --import-path nosuch",
        "check a.csl --import-root nosuch",
        "dump a.csl --import-path nosuch",
        "dsd a.csl --import-path nosuch",
        "explore a.csl --import-root nosuch",
        "profile a.csl --import-root nosuch",
        "test --import-root nosuch",
        "debug --prompt a.csl --import-root nosuch",
    ];
    for line in missing {
        answers(&folder.cslrun(line), 2, &["--import-", ": there is no folder nosuch"]);
    }
    answers(&folder.cslrun("check a.csl --import-root a.csl"), 2, &["--import-root: a.csl is not a folder"]);
    answers(&folder.cslrun("check a.csl --import-root ."), 0, &[]);
    let json = folder.cslrun("check a.csl --import-root nosuch --message-format json");
    answers(&json, 2, &[r#"{"kind":"message","text":"--import-root: there is no folder nosuch"}"#]);
}

#[test]
fn the_compiler_command_needs_its_folders_too() {
    let folder = Folder::with("no-folder-cslc", "a.csl", PROGRAM);
    let cslc = |option: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cslc"));
        command.args(["a.csl", "--arch=wse2", option, "nosuch"]).current_dir(&folder.0);
        command.output().expect("the built command starts")
    };
    answers(&cslc("--import-root"), 1, &["cslc: error: --import-root: there is no folder nosuch"]);
    // Scripts of others may name folders that not every machine has.
    let warned = String::from_utf8_lossy(&cslc("--import-path").stderr).into_owned();
    assert!(warned.contains("cslc: warning: --import-path: there is no folder nosuch"), "{warned}");
}

#[test]
fn what_memcpy_needs_beside_it_is_named() {
    let folder = Folder::with("beside-memcpy", "a.csl", PROGRAM);
    let cslc = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cslc"));
        command.args(["a.csl", "--arch=wse2", "--memcpy"]).args(options).current_dir(&folder.0);
        let output = command.output().expect("the built command starts");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let warned = cslc(&["--width-west-buf=2"]);
    assert!(warned.contains("needs --channels=1 beside --memcpy"), "{warned}");
    assert!(warned.contains("needs --fabric-offsets=6,1 beside --memcpy"), "{warned}");
    assert_eq!(cslc(&["--channels=1", "--fabric-offsets=4,1"]), "");
}

#[test]
fn a_file_without_a_folder_is_refused_before_the_run() {
    let folder = Folder::with("no-parent", "a.csl", PROGRAM);
    folder.write("test_a.csl", ENDLESS_TEST);
    std::fs::create_dir(folder.0.join("dir.npy")).expect("a writable folder");
    let lines = [
        "a.csl --get x=missing/x.npy",
        "a.csl --trace=missing/t.txt",
        "a.csl --trace=missing/t.json",
        "a.csl --report missing/r.html",
        "profile a.csl --output missing/p.html",
        "explore a.csl --schedule-file missing/s.txt",
        "dsd a.csl --svg missing/d.svg",
        "test --junit missing/j.xml",
    ];
    for line in lines {
        let output = folder.cslrun(line);
        answers(&output, 2, &["cslrun: missing/", " cannot be written: there is no folder missing"]);
        assert!(output.stdout.is_empty(), "{line}: {output:?}");
    }
    answers(
        &folder.cslrun("a.csl --get x=a.csl/x.npy"),
        2,
        &["a.csl/x.npy cannot be written: a.csl is not a folder"],
    );
    answers(&folder.cslrun("a.csl --get x=dir.npy"), 2, &["cannot be written: dir.npy is a folder"]);
    assert!(!folder.0.join("missing").exists());
}

#[test]
fn a_check_tells_how_many_warnings_there_are() {
    let folder = Folder::with("check-warnings", "a.csl", "var x: u16 = y;\n");
    let output = folder.cslrun("check a.csl");
    answers(&output, 0, &["a.csl:1:14", "1 warning"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed, "a.csl: 1 warning, 1 x 1 PEs, 1 distinct program\n");
    let json = folder.cslrun("check a.csl --message-format json");
    assert!(String::from_utf8_lossy(&json.stdout).contains(r#""warnings":1"#), "{json:?}");
    let fine = folder.cslrun("check a.csl -A unused");
    assert_eq!(String::from_utf8_lossy(&fine.stdout), "a.csl: fine, 1 x 1 PEs, 1 distinct program\n");
}

#[test]
fn many_runs_read_variables_and_write_no_file() {
    let folder = Folder::with("many-runs", "a.csl", PROGRAM);
    let seeds = folder.cslrun("a.csl --get x --seeds 1..3");
    let text = "x = 1\nseeds 1 to 3: all 3 runs end with the same memory and the same output\n";
    assert_eq!(String::from_utf8_lossy(&seeds.stdout), text);
    let explored = folder.cslrun("explore a.csl --get x");
    let printed = String::from_utf8_lossy(&explored.stdout).into_owned();
    assert!(printed.starts_with("x = 1\nthe only schedule ends as usual"), "{printed}");
    let instead = "use `--get x` instead of `--get x=x.npy`";
    answers(&folder.cslrun("a.csl --get x=x.npy --seeds 1..3"), 2, &["`--seeds` runs", instead]);
    answers(&folder.cslrun("explore a.csl --get x=x.npy"), 2, &["`explore` runs", instead]);
    answers(&folder.cslrun("a.csl --cycles off --seeds 1..3"), 2, &["cannot be used with", "--cycles"]);
}

#[test]
fn files_are_told_in_every_format() {
    let text = "var x: u16 = 1;\nconst all = @get_dsd(mem1d_dsd, .{ .base_address = &y, .extent = 2 });\nvar y = [2]u16{ 1, 2 };\n\
                fn test_x() void { @add16(all, all, x); }\ncomptime { @export_symbol(x); @export_symbol(test_x); }\n";
    let folder = Folder::with("file-records", "test_a.csl", text);
    let writers = root().join("tests/cases/orders/two-writers.csl");
    std::fs::copy(writers, folder.0.join("writers.csl")).expect("a file of the repository");
    let files = [
        ("test_a.csl --get x=x.npy", "x.npy", "variable", "`x` is in x.npy\n"),
        ("dsd test_a.csl --svg all.svg", "all.svg", "picture", " is in all.svg\n"),
        ("explore writers.csl --schedule-file s.txt", "s.txt", "schedule", "the schedule is in s.txt\n"),
        ("test --junit out.xml", "out.xml", "tests", "the results are in out.xml\n"),
    ];
    for (line, path, holds, told) in files {
        let plain = folder.cslrun(line);
        assert!(String::from_utf8_lossy(&plain.stdout).contains(told), "{line}: {plain:?}");
        assert!(folder.0.join(path).is_file(), "{line}");
        let json = folder.cslrun(&format!("{line} --message-format json"));
        let record = format!("{{\"kind\":\"file\",\"path\":\"{path}\",\"holds\":\"{holds}\"}}");
        assert!(String::from_utf8_lossy(&json.stdout).lines().any(|line| line == record), "{line}: {json:?}");
    }
}

#[test]
fn the_programs_of_a_check_are_explained_together() {
    let folder = Folder::new("check-help");
    let output = folder.cslrun("check --help");
    answers(&output, 0, &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let arguments = text.split("Options:").next().unwrap_or_default();
    assert!(arguments.contains("More programs, which are checked in the same way"), "{text}");
}
