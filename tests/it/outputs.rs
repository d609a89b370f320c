//! Files that the command writes, and programs that it can read only once.

use crate::cli::{Folder, answers, finish, spawn};
use std::io::Write;

const PROGRAM: &str = "var x: u16 = 1;\n";

#[test]
fn a_program_is_not_overwritten_by_an_output() {
    let folder = Folder::with("outputs", "pe.csl", PROGRAM);
    for line in ["pe.csl --report pe.csl", "dsd pe.csl --svg pe.csl", "explore pe.csl --schedule-file pe.csl"]
    {
        answers(&folder.cslrun(line), 2, &["`pe.csl` may be a program, and would be overwritten"]);
    }
}

#[test]
fn a_program_with_another_ending_is_not_overwritten_either() {
    let folder = Folder::with("outputs-text", "prog.txt", PROGRAM);
    let lines =
        ["prog.txt --report prog.txt", "profile prog.txt --output ./prog.txt", "prog.txt --trace=prog.txt"];
    for line in
        lines.into_iter().chain(["explore prog.txt --schedule-file prog.txt", "dsd prog.txt --svg prog.txt"])
    {
        answers(&folder.cslrun(line), 2, &["`prog.txt` is the program, and would be overwritten"]);
    }
    let layout = "layout {\n  @set_rectangle(1, 1);\n  @set_tile_code(0, 0, \"prog.txt\", .{});\n}\n";
    folder.write("layout.csl", layout);
    let output = folder.cslrun("layout.csl --report prog.txt");
    answers(
        &output,
        1,
        &["layout.csl:3:24", "this command would overwrite it", "choose another name for what"],
    );
    assert_eq!(std::fs::read_to_string(folder.0.join("prog.txt")).expect("a file"), PROGRAM);
    answers(&folder.cslrun("prog.txt --report other.txt"), 0, &[]);
}

#[cfg(unix)]
#[test]
fn a_program_is_not_overwritten_by_another_name_of_its_file() {
    let folder = Folder::with("outputs-link", "prog.csl", PROGRAM);
    std::fs::hard_link(folder.0.join("prog.csl"), folder.0.join("page.html")).expect("a link");
    let output = folder.cslrun("prog.csl --report page.html");
    answers(&output, 2, &["`prog.csl` is the program, and would be overwritten"]);
    assert_eq!(std::fs::read_to_string(folder.0.join("prog.csl")).expect("a file"), PROGRAM);
}

/// A variable that two of three PEs have.
#[test]
fn the_file_of_a_variable_that_some_pes_lack_is_told_to_hold_some_pes() {
    let layout = "layout {\n  @set_rectangle(3, 1);\n  @set_tile_code(0, 0, \"a.csl\", .{ .x = 1 });\n  \
                  @set_tile_code(1, 0, \"b.csl\", .{});\n  @set_tile_code(2, 0, \"a.csl\", .{ .x = 3 });\n}\n";
    let folder = Folder::with("outputs-some", "layout.csl", layout);
    folder.write("a.csl", "param x: u16;\nexport var y = @constants([2]u16, x);\n");
    folder.write("b.csl", "");
    let output = folder.cslrun("layout.csl --get y=y.npy");
    answers(&output, 0, &[]);
    let text = "`y` is in y.npy\n  the file holds the 2 PEs that have it, row by row; PE(1,0) has no `y`\n";
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.starts_with(text), "{shown}");
    let file = std::fs::read(folder.0.join("y.npy")).expect("a file");
    assert!(
        String::from_utf8_lossy(&file).contains("'shape': (2, 2, )")
            && file.ends_with(&[1, 0, 1, 0, 3, 0, 3, 0])
    );
    let output = folder.cslrun("layout.csl --get y=y.npy --message-format json");
    let record = r#"{"kind":"file","path":"y.npy","holds":"variable","without":[[1,0]]}"#;
    assert!(String::from_utf8_lossy(&output.stdout).contains(record));
}

#[test]
fn a_number_that_does_not_fit_the_type_of_a_variable_is_refused() {
    let names = ["bool", "u4", "i3", "u8", "i8", "u16", "i16", "u32", "i32", "f16", "f32"];
    let zero = |ty: &str| if ty == "bool" { "false" } else { "0" };
    let declared: String =
        names.iter().map(|ty| format!("var v_{ty} = @constants([2]{ty}, {});\n", zero(ty))).collect();
    let exports: String = names.iter().map(|ty| format!("  @export_symbol(v_{ty});\n")).collect();
    let folder = Folder::with("sets", "a.csl", format!("{declared}comptime {{\n{exports}}}\n"));
    for (ty, wrong, right) in [
        ("bool", "2", "1"),
        ("u4", "17", "15"),
        ("i3", "4", "-4"),
        ("u8", "300", "255"),
        ("i8", "-129", "-128"),
        ("u16", "-1", "65535"),
        ("i16", "1.5", "-32768"),
        ("u32", "4294967296", "4294967295"),
        ("i32", "2147483648", "-2147483648"),
        ("f16", "70000", "65504"),
        ("f32", "1e39", "1e38"),
    ] {
        let refusal = format!("cslrun: --set v_{ty}: {wrong} does not fit {ty}, which ");
        answers(&folder.cslrun(&format!("a.csl --set v_{ty}={wrong}")), 2, &[&refusal]);
        answers(&folder.cslrun(&format!("a.csl --set v_{ty}={right}")), 0, &[]);
    }
}

/// Checks a program that is written to standard input, and expects the place of its mistake.
fn checks_input(test: &str, file: &str) {
    let folder = Folder::new(test);
    let mut child = spawn(&folder.0, &format!("check {file}"));
    child.stdin.take().expect("a pipe").write_all(b"var x: u16 = y;\n").expect("it reads");
    answers(&finish(child), 0, &[&format!("{file}:1:14")]);
}

#[test]
fn a_program_can_come_from_standard_input() {
    checks_input("input", "-");
}

#[cfg(unix)]
#[test]
fn a_program_in_a_pipe_is_read_once() {
    checks_input("pipe", "/dev/stdin");
}

#[cfg(unix)]
#[test]
fn a_formatted_file_keeps_its_mode_and_its_names() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let folder = Folder::with("modes", "a.csl", "var   x:u16=1;\n");
    folder.write("b.csl", "var   x:u16=1;\n");
    let path = |file: &str| folder.0.join(file);
    for file in ["a.csl", "b.csl"] {
        std::fs::set_permissions(path(file), PermissionsExt::from_mode(0o755)).expect("a mode");
    }
    std::fs::hard_link(path("b.csl"), path("b.txt")).expect("a second name");
    // A link that leads up has no end.
    symlink("..", path("up")).expect("a link");
    let output = folder.cslrun("fmt .");
    answers(&output, 0, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "./a.csl\n./b.csl\n");
    for (file, links) in [("a.csl", 1), ("b.csl", 2)] {
        let known = path(file).metadata().expect("a file");
        assert_eq!((known.mode() & 0o777, known.nlink()), (0o755, links), "{file}");
    }
    assert_eq!(std::fs::read_to_string(path("b.txt")).expect("a file"), PROGRAM);
}

#[test]
fn formatted_text_has_every_byte() {
    let folder = Folder::new("bytes");
    let text = b"// a\x01b\x7fc\x00d\nvar x: u16 = 1;\n";
    let mut child = spawn(&folder.0, "fmt -");
    child.stdin.take().expect("a pipe").write_all(text).expect("it reads");
    assert_eq!(finish(child).stdout, text);
}

#[test]
fn changes_are_told_in_json() {
    let folder = Folder::with("fixed", "pe.csl", "fn f() void { var x: u16 = 1; x++; }\n");
    let output = folder.cslrun("check pe.csl --fix --message-format json");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with('{') && text.lines().all(|line| line.starts_with('{')), "{text}");
    assert!(text.contains("\"file\":\"pe.csl\",\"changes\":1"), "{text}");
}

#[test]
fn numbers_that_cannot_be_read_are_explained() {
    let folder = Folder::with("numbers", "pe.csl", PROGRAM);
    answers(
        &folder.cslrun("pe.csl --max-cycles 1e3"),
        2,
        &["must be a positive whole number, such as 1000000"],
    );
    let signed = [
        ("pe.csl --max-cycles -1", "must be a positive whole number"),
        ("pe.csl --max-cycles 0", "must be a positive whole number"),
        ("test --max-cycles -1", "must be a positive whole number"),
        ("explore pe.csl --budget -1", "it must be a positive whole number"),
        ("pe.csl --max-inlined-iterations -1", "it must be a positive whole number"),
        ("pe.csl --threads -1", "must be a whole number of at least 1"),
        ("pe.csl --seeds=-1..3", "`-1` is not a seed"),
        ("pe.csl --memory -1", "it must be a number of bytes"),
        ("pe.csl --trace --trace-limit -1", "-1 is not in 1.."),
        ("test --seed -1", "a seed is a whole number from 0 on"),
    ];
    for (line, words) in signed {
        let output = folder.cslrun(line);
        answers(&output, 2, &[words]);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("tip:"), "{line}: {output:?}");
    }
    answers(&folder.cslrun("pe.csl --seed -1"), 2, &["a seed is a whole number from 0 on"]);
    answers(
        &folder.cslrun("pe.csl --trace --trace-color 24"),
        2,
        &["`24` is no color: the colors are 0 to 23"],
    );
}
