//! `cslrun fmt`: what it writes, and what it leaves alone.

use crate::cli::{Folder, answers};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

const UGLY: &str = "param n:u16;\ntask main( )void{x=n;y=n;}\n";
const NEAT: &str = "param n: u16;\ntask main() void {\n  x = n;\n  y = n;\n}\n";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    fs::create_dir(folder.0.join("inner")).expect("a writable folder");
    fs::write(folder.0.join("inner/ugly.csl"), UGLY).expect("a writable file");
    fs::write(folder.0.join("neat.csl"), NEAT).expect("a writable file");
    folder
}

fn text(folder: &Folder, file: &str) -> String {
    fs::read_to_string(folder.0.join(file)).expect("a text")
}

#[test]
fn files_of_folders_are_written_and_named_if_they_change() {
    let folder = folder("fmt-write");
    let output = folder.cslrun("fmt");
    answers(&output, 0, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "only one changes");
    assert_eq!((text(&folder, "inner/ugly.csl"), text(&folder, "neat.csl")), (NEAT.into(), NEAT.into()));
    assert!(folder.cslrun("fmt").stdout.is_empty(), "nothing is left to do");
}

#[test]
fn a_check_and_a_difference_write_nothing() {
    let folder = folder("fmt-check");
    let output = folder.cslrun("fmt --check");
    answers(&output, 1, &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("ugly.csl"));
    answers(&folder.cslrun("fmt --check neat.csl"), 0, &[]);
    let output = folder.cslrun("fmt --diff inner/ugly.csl");
    answers(&output, 0, &[]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("-param n:u16;\n") && shown.contains("+param n: u16;\n"), "{shown}");
    assert_eq!(text(&folder, "inner/ugly.csl"), UGLY);
}

#[test]
fn what_is_no_csl_stays_as_it_is_and_the_rest_is_formatted() {
    let folder = folder("fmt-error");
    fs::write(folder.0.join("broken.csl"), "var x: u16 = ;\n").expect("a writable file");
    fs::write(folder.0.join("latin.csl"), b"// \xe9\n").expect("a writable file");
    answers(&folder.cslrun("fmt broken.csl inner"), 1, &["syntax-error", "broken.csl:1"]);
    assert_eq!(
        (text(&folder, "broken.csl"), text(&folder, "inner/ugly.csl")),
        ("var x: u16 = ;\n".into(), NEAT.into())
    );
    answers(&folder.cslrun("fmt latin.csl neat.csl"), 2, &["latin.csl cannot be read as text"]);
    answers(&folder.cslrun("fmt none.csl"), 2, &["there is no file or folder none.csl"]);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cslrun"));
    let pipes = command.args(["fmt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.spawn().expect("the built command starts");
    child.stdin.take().expect("a pipe").write_all(UGLY.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("a child of ours");
    assert_eq!(String::from_utf8_lossy(&output.stdout), NEAT);
}
