//! Commands that Ctrl-C or SIGTERM stops: how soon they end, and what they say then.

use crate::cli::{Folder, answers, finish, spawn};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A program that runs for ever.
const ENDLESS: &str = "var n: u16 = 0;\ntask t() void { while (true) { n += 1; } }\n\
                       comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";

/// A program that counts for a while.
const LONG: &str = "var n: u32 = 0;\ntask t() void { while (n < 40000) { n += 1; } }\n\
                    comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";

/// How soon a command ends after a signal (docs/cli.md).
const SOON: Duration = Duration::from_secs(2);

/// What a command answers that gets a signal as soon as it listens.
fn stop(child: Child, signal: &str) -> Output {
    await_listener(&child);
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success(), "the run ended before it was interrupted");
    let asked = Instant::now();
    let output = finish(child);
    assert!(asked.elapsed() < SOON, "{:?} to stop", asked.elapsed());
    output
}

/// Waits until a process catches Ctrl-C. Where nothing tells that, it gets half a second.
fn await_listener(child: &Child) {
    let place = format!("/proc/{}/status", child.id());
    let catches = || {
        let status = std::fs::read_to_string(&place).ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        // Signal 2 is the second bit.
        Some(u64::from_str_radix(mask.trim(), 16).ok()? & 2 != 0)
    };
    let begun = Instant::now();
    while catches() == Some(false) {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never listens to Ctrl-C");
        std::thread::sleep(Duration::from_millis(10));
    }
    if catches().is_none() {
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// What a command line answers that is interrupted when it has come so far that its output has none of these words: nothing
/// tells this from outside, so it gets more time in each trial.
fn stop_later(folder: &Folder, line: &str, early: &[&str]) -> Output {
    for trial in 0..8 {
        let child = spawn(&folder.0, line);
        std::thread::sleep(Duration::from_millis(100 << trial));
        let output = stop(child, "-INT");
        let text = [&*output.stdout, &*output.stderr].concat();
        if !early.iter().any(|words| String::from_utf8_lossy(&text).contains(words)) {
            return output;
        }
    }
    panic!("{line} has never come so far")
}

#[test]
fn an_interrupted_run_ends_soon_and_reports() {
    let text = "const simprint = @import_module(\"<simprint>\");\nvar n: u32 = 0;\n\
                task t() void { simprint.print_string(\"begins\\n\"); while (true) { n += 1; } }\n\
                comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";
    let folder = Folder::with("interrupt", "a.csl", text);
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let mut child = spawn(&folder.0, "a.csl --max-cycles 1000000000000");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut shown = String::new();
        lines.read_line(&mut shown).expect("text");
        assert!(shown.contains("begins"), "what was printed is shown: {shown}");
        let output = stop(child, signal);
        // The name of the rule, which no case can break: "interrupted".
        answers(
            &output,
            status,
            &[
                "error[interrupted]: interrupted after about",
                "a.csl:3",
                "still running here",
                "PE(0,0): `t` has been running since cycle",
            ],
        );
    }
}

#[test]
fn lines_are_shown_while_the_program_runs() {
    let text = "const simprint = @import_module(\"<simprint>\");\nvar n: u32 = 0;\n\
                task t() void {\n  simprint.print_string(\"begins\\n\");\n  while (true) {\n    n += 1;\n\
                if (n == 3) { simprint.print_string(\"goes on\\n\"); }\n  }\n}\n\
                comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";
    let folder = Folder::with("live", "a.csl", text);
    for (words, begins, goes_on) in [
        ("a.csl --cycles off", "PE(0,0): begins\n", "PE(0,0): goes on\n"),
        ("a.csl --cycles off --message-format json", "\"text\":\"begins\"", "\"text\":\"goes on\""),
    ] {
        let mut child = spawn(&folder.0, &format!("{words} --max-cycles 1000000000000"));
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut shown = String::new();
        for _ in 0..2 {
            lines.read_line(&mut shown).expect("text");
        }
        assert!(shown.contains(begins) && shown.contains(goes_on), "{shown}");
        assert!(child.try_wait().expect("a child").is_none(), "it still runs");
        answers(&stop(child, "-INT"), 130, &["interrupted"]);
        lines.read_to_string(&mut shown).expect("text");
        assert_eq!(shown.matches("begins").count() + shown.matches("goes on").count(), 2, "{shown}");
    }
}

#[test]
fn an_interrupted_compilation_ends_soon() {
    let text = "layout {\n  @set_rectangle(1500, 1300);\n  for (@range(u16, 1300)) |y| {\n\
                for (@range(u16, 1500)) |x| { @set_tile_code(x, y, \"b.csl\", .{}); }\n  }\n\
                for (@range(u16, 60000)) |i| { for (@range(u16, 1000)) |j| {} }\n}\n";
    let folder = Folder::with("interrupt-compile", "a.csl", text);
    folder.write("b.csl", "");
    let output = stop(spawn(&folder.0, "a.csl"), "-INT");
    answers(&output, 130, &["interrupted before the program ran"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_run_shows_its_progress_on_a_terminal_and_takes_it_back() {
    use std::io::Write;
    let folder = Folder::with("progress", "a.csl", ENDLESS);
    let command = format!("{} a.csl --max-cycles 1000000000000", env!("CARGO_BIN_EXE_cslrun"));
    // It gives the command a terminal of its own.
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(&folder.0)
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`script` is part of every Debian");
    let (mut keys, mut screen) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let (mut shown, mut buffer) = (String::new(), [0; 4096]);
    while !shown.contains("PE busy, at most") {
        let read = screen.read(&mut buffer).expect("a terminal that can be read");
        assert!(read > 0, "it ended: {shown}");
        shown.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    keys.write_all(b"\x03").expect("Ctrl-C");
    screen.read_to_string(&mut shown).expect("a terminal that can be read");
    assert_eq!(finish(child).status.code(), Some(130), "{shown}");
    let (line, report) = shown.split_once("error").expect("a report");
    assert!(line.trim_start_matches(['\r', '^', 'C']).starts_with(|c: char| c.is_ascii_digit()), "{shown:?}");
    assert!(line.contains(" cycles, ") && line.contains(" per second, 1 PE busy"), "{shown:?}");
    assert!(!report.contains(" per second"), "{shown:?}");
    let last = line.rsplit("limit").next().unwrap_or_default();
    assert!(last.ends_with('\r') || last.contains("\r\u{1b}"), "the line is taken back: {shown:?}");
}

#[test]
fn a_long_run_shows_no_progress_to_a_pipe() {
    let folder = Folder::with("no-progress", "a.csl", ENDLESS);
    let child = spawn(&folder.0, "a.csl --max-cycles 1000000000000");
    std::thread::sleep(Duration::from_millis(1500));
    let output = stop(child, "-INT");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with("error[interrupted]"), "{text}");
    assert!(!text.contains('\r') && !text.contains("per second"), "{text}");
}

#[test]
fn many_runs_tell_at_an_interruption_what_they_have_shown() {
    let folder = Folder::with("interrupted-seeds", "a.csl", LONG);
    folder.write("endless.csl", LONG.replace("n < 40000", "true"));
    let early = ["before the first of", "before the program ran"];
    let output = stop_later(&folder, "a.csl --seeds 1..1000000000", &early);
    answers(&output, 130, &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.starts_with("interrupted after ") && text.contains(" of 1,000,000,000 runs: seed"),
        "{text}"
    );
    assert!(text.ends_with(" end with the same memory and the same output\n"), "{text}");
    let first = "interrupted before the first of 3 runs has ended\n";
    let early = ["before the program ran"];
    let output = stop_later(&folder, "endless.csl --seeds 1..3 --max-cycles 1000000000000", &early);
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stdout)), (Some(130), first));
    let line = "endless.csl --seeds 1..3 --max-cycles 1000000000000 --message-format json";
    let output = stop_later(&folder, line, &early);
    let record = "{\"kind\":\"seeds\",\"first\":1,\"last\":null,\"interrupted\":true}\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), record);
}

#[test]
fn a_search_tells_at_an_interruption_how_far_it_has_come() {
    let task = |n: u32| {
        format!("task t{n}() void {{ var i: u32 = 0; while (i < 3000) {{ i += 1; }} x = x * 3 ^ {n}; }}\n")
    };
    let start = |n: u32| {
        format!(
            "@bind_local_task(t{n}, @get_local_task_id({id})); @activate(@get_local_task_id({id}));\n",
            id = 8 + n
        )
    };
    let tasks: String = (0..10).map(task).collect();
    let starts: String = (0..10).map(start).collect();
    let folder = Folder::with("interrupted-search", "endless.csl", LONG.replace("n < 40000", "true"));
    folder.write(
        "a.csl",
        format!("var x: u32 = 0;\n{}comptime {{\n{starts}}}\n", tasks.replace("x = x * 3 ^", "x +=")),
    );
    let early = ["before the run with the usual schedule", "before the program ran"];
    let output = stop_later(&folder, "explore a.csl --budget 100000000 --threads 1", &early);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.starts_with("interrupted: no difference in "), "{text}");
    let line = "explore endless.csl --max-cycles 1000000000000";
    let output = stop_later(&folder, line, &["before the program ran"]);
    let text = "interrupted before the run with the usual schedule has ended\n";
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stdout)), (Some(130), text));
}
