//! Programs and files of strangers: what they import, and output that cannot be written.

#![cfg(unix)]

use crate::cli::{Folder, answers, finish};
use std::fs::{self, File};
use std::process::{Command, Stdio};

/// Says the value of a constant of another file.
fn imports(file: &str) -> String {
    format!("const b = @import_module(\"{file}\");\ncomptime {{ @comptime_print(b.value); }}\n")
}

fn add(folder: &Folder, file: &str, text: &str) {
    let path = folder.0.join(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
    fs::write(path, text).expect("a writable file");
}

#[test]
fn imports_stay_in_the_folder_that_they_are_confined_to() {
    let folder = Folder::new("import-root");
    add(&folder, "mine/a.csl", &imports("lib/b.csl"));
    add(&folder, "mine/lib/b.csl", "const value = 7;\n");
    add(&folder, "mine/up.csl", &imports("../other/b.csl"));
    add(&folder, "other/b.csl", "const value = 8;\n");
    answers(&folder.cslrun("check mine/a.csl --import-root mine"), 0, &[]);
    let cslc = |file: &str| {
        let words = ["--arch=wse3", file, "--import-root", "mine"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_cslc"));
        command.args(words).current_dir(&folder.0).output().expect("the built command starts")
    };
    answers(&cslc("mine/a.csl"), 0, &[]);
    answers(&cslc("mine/up.csl"), 1, &["unreadable-file"]);
    answers(&folder.cslrun("check mine/up.csl"), 0, &[]);
    let words = ["mine/up.csl:1:26", "unreadable-file", "other/b.csl", "`--import-root` confines imports"];
    answers(&folder.cslrun("check mine/up.csl --import-root mine"), 1, &words);
    // A link leads where it leads.
    std::os::unix::fs::symlink(folder.0.join("other"), folder.0.join("mine/link")).expect("a link");
    add(&folder, "mine/by_link.csl", &imports("link/b.csl"));
    answers(&folder.cslrun("check mine/by_link.csl"), 0, &[]);
    answers(&folder.cslrun("check mine/by_link.csl --import-root mine"), 1, &["unreadable-file"]);
    // Whether a file exists that may not be imported is not told.
    add(&folder, "mine/none.csl", &imports("../other/none.csl"));
    answers(&folder.cslrun("check mine/none.csl --import-root mine"), 1, &["confines imports"]);
}

#[test]
fn a_pipe_or_a_device_cannot_be_imported() {
    let folder = Folder::new("devices");
    let made = Command::new("mkfifo").arg(folder.0.join("pipe.csl")).status().expect("mkfifo runs");
    assert!(made.success());
    add(&folder, "a.csl", &imports("pipe.csl"));
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl:1:26", "it is no regular file"]);
    add(&folder, "b.csl", &imports("/dev/zero"));
    answers(&folder.cslrun("check b.csl"), 1, &["b.csl:1:26", "it is no regular file"]);
    // As the program itself, it is read no further than a program can be long.
    answers(&folder.cslrun("check /dev/zero"), 1, &["it has more than 64 MiB"]);
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let folder = Folder::new("full");
    let full = File::options().write(true).open("/dev/full").expect("the device is there");
    let command = Command::new(env!("CARGO_BIN_EXE_cslrun"))
        .arg("explain")
        .current_dir(&folder.0)
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn();
    let output = finish(command.expect("the built command starts"));
    answers(&output, 2, &["the output cannot be written: No space left on device"]);
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = Folder::new("whole");
    add(&folder, "a.csl", "task t() void {}\ncomptime { @bind_local_task(t, @get_local_task_id(8)); }\n");
    add(&folder, "trace.json", "before");
    answers(&folder.cslrun("a.csl --trace=trace.json --report=report.html"), 0, &[]);
    let text = fs::read_to_string(folder.0.join("trace.json")).expect("the trace is there");
    assert!(text.starts_with('{') && text.trim_end().ends_with('}'), "{text}");
    answers(&folder.cslrun("a.csl --trace=missing/trace.json"), 2, &["missing/trace.json cannot be written"]);
    answers(&folder.cslrun("a.csl --report=/dev/full"), 2, &["/dev/full cannot be written: No space left"]);
    let names = fs::read_dir(&folder.0).expect("the folder").map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["a.csl", "report.html", "trace.json"], "nothing else is left behind");
}
