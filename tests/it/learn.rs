//! The lessons of `cslrun learn`: each start fails as its head says, each solution is done; and the
//! command as a user meets it, in a folder of its own.

use crate::cli::{Folder, PATIENCE, answers, finish, spawn};
use crate::{files_below, root};
use std::collections::BTreeSet;
use std::fs::{self, read_to_string};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Output};
use std::sync::mpsc::{Receiver, channel};

/// What the head of a lesson calls a failure without a diagnostic.
const NOT_REACHED: &str = "@assert not reached";

fn lessons() -> PathBuf {
    root().join("docs/lessons")
}

/// A lesson as it is written.
struct Lesson {
    /// `07-backwards`
    stem: String,
    /// Its program, from the folder of all starts.
    program: PathBuf,
    head: String,
}

impl Lesson {
    fn of(entry: &Path) -> Lesson {
        let program = if entry.is_dir() { entry.join("layout.csl") } else { entry.to_path_buf() };
        let text = read_to_string(&program).expect("a readable lesson");
        Lesson {
            stem: entry.file_stem().expect("a name").to_string_lossy().into_owned(),
            program: program.strip_prefix(lessons().join("start")).expect("a lesson").to_path_buf(),
            head: text.lines().take_while(|line| line.starts_with("//")).map(|l| format!("{l}\n")).collect(),
        }
    }

    fn name(&self) -> &str {
        self.stem.split_once('-').expect("a number and a name").1
    }

    fn says(&self, key: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
    }
}

fn all() -> Vec<Lesson> {
    let folder = fs::read_dir(lessons().join("start")).expect("the lessons");
    let mut entries: Vec<PathBuf> = folder.map(|e| e.expect("a readable folder").path()).collect();
    entries.sort();
    entries.iter().map(|entry| Lesson::of(entry)).collect()
}

/// A folder with all starts, as the first call of the command leaves it.
fn started(test: &str) -> Folder {
    let folder = Folder::new(&format!("learn-{test}"));
    folder.cslrun("learn");
    folder
}

/// Puts the solution of a lesson where its start is.
fn solve(folder: &Folder, lesson: &Lesson) {
    for file in files_below(&lessons().join("solutions"), "csl") {
        let path = file.strip_prefix(lessons().join("solutions")).expect("a solution");
        if path.starts_with(&lesson.stem) || path.file_stem().is_some_and(|s| s == lesson.stem.as_str()) {
            fs::copy(&file, folder.0.join("learn").join(path)).expect("a writable folder");
        }
    }
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn asserts(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains("@assert(")).map(str::trim).collect()
}

#[test]
fn the_lessons_are_numbered_and_their_heads_are_complete() {
    let summary = read_to_string(root().join("docs/book/src/SUMMARY.md")).expect("the book");
    let chapters: Vec<&str> =
        summary.lines().filter_map(|line| line.strip_prefix("- [")?.split(']').next()).collect();
    let all = all();
    assert!(all.len() >= 30, "{} lessons", all.len());
    let names: BTreeSet<&str> = all.iter().map(Lesson::name).collect();
    assert_eq!(names.len(), all.len(), "every name is used once");
    for (number, lesson) in (1..).zip(&all) {
        assert!(lesson.stem.starts_with(&format!("{number:02}-")), "{} is lesson {number}", lesson.stem);
        assert!(lesson.says(&format!("Lesson {number}")).is_some(), "{}: its first line", lesson.stem);
        assert!(lesson.says("Task").is_some(), "{}: what is there to do?", lesson.stem);
        if let Some(chapter) = lesson.says("Read") {
            let (number, title) = chapter
                .strip_prefix("chapter ")
                .and_then(|rest| rest.split_once(" of the book, "))
                .unwrap_or_else(|| panic!("{}: {chapter}", lesson.stem));
            let number: usize = number.parse().expect("the number of a chapter");
            assert_eq!(chapters.get(number - 1), Some(&title), "{}", lesson.stem);
        }
    }
}

#[test]
fn every_lesson_has_hints_and_a_solution_with_the_same_files_and_asserts() {
    for lesson in all() {
        let hints = read_to_string(lessons().join(format!("hints/{}.txt", lesson.stem))).expect("hints");
        assert!((2..=3).contains(&hints.trim().split("\n\n").count()), "{}: two or three hints", lesson.stem);
    }
    let below = |folder: &str| -> Vec<PathBuf> {
        let base = lessons().join(folder);
        let files = files_below(&base, "csl").into_iter();
        files.map(|file| file.strip_prefix(&base).expect("a file below").to_path_buf()).collect()
    };
    assert_eq!(below("start"), below("solutions"));
    for file in below("start") {
        let text = |folder: &str| read_to_string(lessons().join(folder).join(&file)).expect("a lesson");
        let (start, solution) = (text("start"), text("solutions"));
        let asked = asserts(&start);
        assert_eq!(asked, asserts(&solution), "{}", file.display());
        let distinct: BTreeSet<&&str> = asked.iter().collect();
        assert_eq!(distinct.len(), asked.len(), "{}: each `@assert` once", file.display());
    }
}

#[test]
fn every_start_fails_as_its_head_says() {
    let folder = started("starts");
    for lesson in all() {
        let output = folder.cslrun(&format!("learn {}", lesson.name()));
        assert_ne!(output.status.code(), Some(0), "{}", lesson.stem);
        let text = String::from_utf8_lossy(&output.stderr);
        let fails = lesson.says("Fails").unwrap_or_else(|| panic!("{}: how does it fail?", lesson.stem));
        match fails {
            NOT_REACHED => {
                assert!(text.contains("ends without reaching this line"), "{}: {text}", lesson.stem)
            }
            "another output" => assert!(text.contains("it must print"), "{}: {text}", lesson.stem),
            rule => assert!(text.contains(&format!("[{rule}]")), "{}: {text}", lesson.stem),
        }
    }
}

#[test]
fn with_every_solution_in_place_all_is_done() {
    let folder = started("solutions");
    let all = all();
    for lesson in &all {
        solve(&folder, lesson);
        let output = folder.cslrun(&format!("learn {}", lesson.name()));
        answers(&output, 0, &[]);
        assert!(printed(&output).contains("This lesson is done."), "{}", lesson.stem);
        assert!(output.stderr.is_empty(), "{}: {}", lesson.stem, String::from_utf8_lossy(&output.stderr));
    }
    let output = folder.cslrun("learn");
    answers(&output, 0, &[]);
    let count = format!("{0} of {0} lessons done", all.len());
    assert!(printed(&output).contains(&count), "{}", printed(&output));
    assert!(printed(&output).contains("That was the last lesson"));
    answers(&folder.cslrun("learn --hint"), 2, &["all lessons are done"]);
    answers(&folder.cslrun("learn --watch"), 0, &[]);
}

#[test]
fn the_first_call_writes_the_lessons_and_runs_the_first() {
    let folder = Folder::new("learn-first");
    let output = folder.cslrun("learn");
    let all = all();
    let text = printed(&output);
    answers(&output, 3, &["cslrun: the program ends without reaching this line"]);
    assert!(text.starts_with(&format!("wrote {} lessons into learn\n", all.len())), "{text}");
    assert!(text.contains(&format!("0 of {} lessons done", all.len())), "{text}");
    assert!(text.contains("Lesson 1: "), "{text}");
    for lesson in &all {
        let start = fs::read(lessons().join("start").join(&lesson.program)).expect("a start");
        assert_eq!(fs::read(folder.0.join("learn").join(&lesson.program)).expect("written"), start);
    }
    let page = read_to_string(root().join("docs/learn.md")).expect("the page");
    let shown = text + &String::from_utf8_lossy(&output.stderr);
    assert!(page.contains(&format!("$ cslrun learn\n{shown}```")), "docs/learn.md shows:\n{shown}");
}

#[test]
fn a_solved_lesson_counts_and_the_next_one_follows() {
    let folder = started("next");
    let all = all();
    solve(&folder, &all[0]);
    solve(&folder, &all[4]);
    let text = printed(&folder.cslrun("learn"));
    assert!(text.starts_with(&format!("2 of {} lessons done  [#...#..", all.len())), "{text}");
    assert!(text.contains("Lesson 2: "), "{text}");
    let list = printed(&folder.cslrun("learn --list"));
    let marked: Vec<&str> = list.lines().filter(|line| line.starts_with("done")).collect();
    assert_eq!(marked.len(), 2, "{list}");
    assert!(marked[1].contains(all[4].name()), "{list}");
    let named = printed(&folder.cslrun("learn 1"));
    assert!(named.ends_with("This lesson is done.\nNext is lesson 2: `cslrun learn`\n"), "{named}");
    let open = printed(&folder.cslrun("learn types"));
    assert!(open.contains("run `cslrun learn types` again. Stuck? `cslrun learn types --hint`"), "{open}");
    assert!(open.contains("`cslrun explain type-mismatch`"), "{open}");
}

#[test]
fn files_of_the_user_are_never_overwritten_unless_reset() {
    let folder = started("keep");
    let lesson = &all()[0];
    let path = folder.0.join("learn").join(&lesson.program);
    fs::write(&path, "// mine\n").expect("a writable file");
    fs::remove_file(folder.0.join("learn").join(&all()[1].program)).expect("a file");
    let text = printed(&folder.cslrun("learn"));
    assert!(text.starts_with("wrote 1 lesson into learn\n"), "{text}");
    assert_eq!(read_to_string(&path).expect("a file"), "// mine\n");
    answers(&folder.cslrun(&format!("learn --reset {}", lesson.name())), 0, &[]);
    let start = read_to_string(lessons().join("start").join(&lesson.program)).expect("a start");
    assert_eq!(read_to_string(&path).expect("a file"), start);
}

#[test]
fn hints_come_one_after_the_other_and_the_solution_only_when_asked_for() {
    let folder = Folder::new("learn-hints");
    let first = printed(&folder.cslrun("learn --hint"));
    assert!(first.starts_with("Lesson 1, hint 1 of "), "{first}");
    assert!(first.contains("--hint 2"), "{first}");
    let second = printed(&folder.cslrun("learn first-task --hint 2"));
    assert!(second.starts_with("Lesson 1, hint 2 of 2:\n"), "{second}");
    assert!(second.contains("--solution"), "{second}");
    answers(&folder.cslrun("learn 1 --hint 7"), 2, &["there are 2 hints for `first-task`"]);
    answers(&folder.cslrun("learn --hint first-task"), 2, &["put the lesson before it"]);
    let solution = read_to_string(lessons().join("solutions/01-first-task.csl")).expect("a solution");
    assert_eq!(printed(&folder.cslrun("learn --solution 1")), solution);
    answers(&folder.cslrun("learn --solution"), 2, &["<LESSON>"]);
    assert!(!folder.0.join("learn").exists(), "nothing is written when only asked for words");
}

#[test]
fn a_lesson_is_found_by_number_name_and_file() {
    let folder = started("names");
    for word in ["4", "04-one-vector", "one-vector", "04-one-vector.csl"] {
        let output = folder.cslrun(&format!("learn {word}"));
        assert!(printed(&output).contains("Lesson 4: "), "{word}: {}", printed(&output));
    }
    answers(&folder.cslrun("learn one-vectro"), 2, &["no lesson `one-vectro`; did you mean `one-vector`?"]);
    answers(&folder.cslrun("learn 99"), 2, &["no lesson `99`; `cslrun learn --list` lists all"]);
    answers(&folder.cslrun("learn --list --watch"), 2, &["cannot be used with"]);
}

#[test]
fn asserts_must_stay_and_be_reached() {
    let folder = started("asserts");
    let lesson = &all()[3];
    let path = folder.0.join("learn").join(&lesson.program);
    let start = read_to_string(&path).expect("a start");
    let turn = |text: String| {
        fs::write(&path, text).expect("a writable file");
        folder.cslrun("learn 4")
    };
    let without: String =
        start.lines().filter(|l| !l.contains("@assert(")).map(|l| format!("{l}\n")).collect();
    answers(&turn(without), 3, &["this line of the lesson is missing or changed", "@assert(x[0] == 50"]);
    answers(&turn(start.replace("@assert(", "// @assert(")), 3, &["missing or changed"]);
    answers(&turn(start.replace("x[0] == 50", "x[0] == 10")), 3, &["assertion-failed"]);
    answers(&turn(start.replace("== 50", "== 10")), 3, &["missing or changed"]);
    answers(
        &turn(start.replace("@assert(", "if (x[0] == 0) @assert(")),
        3,
        &["ends without reaching this line"],
    );
    let solved = read_to_string(lessons().join("solutions").join(&lesson.program)).expect("a solution");
    answers(&turn(solved.replace("x[0] == 50 and", "x[0]==50  and")), 0, &[]);
}

#[test]
fn a_program_that_does_not_end_is_not_done() {
    let folder = started("endless");
    let path = folder.0.join("learn/01-first-task.csl");
    let text = read_to_string(&path).expect("a start");
    fs::write(
        &path,
        text.replace("x = x * 2;", "while (true) {}").replace("id);\n}", "id);\n@activate(id);\n}"),
    )
    .expect("a writable file");
    let stopped = folder.cslrun("learn");
    answers(&stopped, 4, &["cycle-limit"]);
    // A lesson has no option for another limit.
    assert!(!String::from_utf8_lossy(&stopped.stderr).contains("--max-cycles"));
}

#[test]
fn a_folder_may_be_made_named_or_be_the_one_we_are_in() {
    let folder = Folder::new("learn-folders");
    let output = folder.cslrun("learn --dir deep/er");
    answers(&output, 3, &[]);
    assert!(folder.0.join("deep/er/01-first-task.csl").is_file());
    assert!(printed(&output).contains("`cslrun learn --dir deep/er`"), "{}", printed(&output));
    let inside = Folder(folder.0.join("deep/er"));
    assert!(printed(&inside.cslrun("learn")).contains("\n  01-first-task.csl\n"));
    assert!(!inside.0.join("learn").exists());
    let odd = printed(&folder.cslrun("learn --dir=-x"));
    assert!(odd.contains("Lesson 1: "), "{odd}");
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new("learn-unwritable");
    fs::write(folder.0.join("learn"), "a file").expect("a writable folder");
    let words = ["cannot be written", "`--dir DIR` chooses another folder"];
    answers(&folder.cslrun("learn"), 2, &words);
    answers(&folder.cslrun("learn --reset 1"), 2, &words);
    answers(&folder.cslrun("learn --watch"), 2, &words);
    // A folder that nobody can write into, not even the one who may do everything.
    answers(&folder.cslrun("learn --dir /proc/cslrun-learn"), 2, &words);
    fs::create_dir_all(folder.0.join("other/01-first-task.csl")).expect("a writable folder");
    answers(&folder.cslrun("learn --dir other"), 2, &["01-first-task.csl"]);
}

#[test]
fn watch_runs_again_after_a_change_and_moves_on() {
    let folder = started("watch");
    let all = all();
    let mut child = spawn(&folder.0, "learn --watch");
    let lines = lines_of(child.stdout.take().expect("its output"));
    let until = |words: &str| loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) if line.contains(words) => break,
            Ok(_) => {}
            Err(e) => panic!("`{words}` is not said: {e}"),
        }
    };
    until("watching lesson 1 for changes");
    let path = folder.0.join("learn").join(&all[0].program);
    let start = read_to_string(&path).expect("a start");
    fs::write(&path, start + "// not yet\n").expect("a writable file");
    until("0 of ");
    until("watching lesson 1 for changes");
    solve(&folder, &all[0]);
    until("1 of ");
    until("This lesson is done.");
    until("Lesson 2: ");
    until("watching lesson 2 for changes");
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(stopped.expect("the command kill").success());
    answers(&finish(child), 130, &["cslrun: interrupted"]);
}

#[test]
fn keys_give_hints_the_list_the_chapter_and_another_lesson() {
    let folder = started("keys");
    let mut child = spawn(&folder.0, "learn --watch");
    let lines = lines_of(child.stdout.take().expect("its output"));
    let mut keys = child.stdin.take().expect("its input");
    let mut press = |key: &str, words: &str| {
        keys.write_all(key.as_bytes()).expect("it reads");
        loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(words) => break,
                Ok(_) => {}
                Err(e) => panic!("after `{key}`, `{words}` is not said: {e}"),
            }
        }
    };
    press("", "watching lesson 1 for changes; keys, then Enter: n next, h hint");
    press("h", "Lesson 1, hint 1 of 2");
    press("h\n", "Lesson 1, hint 2 of 2");
    press("l", "0 of ");
    press("c", "# One vector");
    press("r", "Lesson 1: The first task");
    press("n", "Lesson 2: ");
    press("", "watching lesson 2 for changes");
    keys.write_all(b"q").expect("it reads");
    answers(&finish(child), 0, &[]);
}

#[test]
fn the_chapter_of_a_lesson_is_shown_without_the_repository() {
    let folder = Folder::new("learn-chapter");
    let text = printed(&folder.cslrun("learn first-task --chapter"));
    assert!(text.starts_with("# One vector\n"), "{text}");
    assert!(text.contains("@add16(all_of_x, all_of_x, 10);") && !text.contains("{{#include"), "{text}");
    answers(&folder.cslrun("learn 48 --chapter"), 2, &["`what-a-pe-prints` names no chapter"]);
}

/// What a child prints, line by line, without waiting for more than there is.
fn lines_of(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
