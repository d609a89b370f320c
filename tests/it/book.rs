//! The book below `docs/book`: its programs run, its exercises fail as they stand, its solutions do
//! not. That the pages show what is printed is tested with all other pages, in `console`. Programs with a host
//! script, which `sh` runs, are tested with the Python package (`python/tests/test_book.py`).

use crate::case_file::CaseFile;
use crate::console::{Shown, commands, run};
use crate::{files_below, root};
use cslrun::cli::perform_words;
use cslrun::{DiskLoader, KEYWORDS, catalogue};
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// A chapter: the name of its page without `.md`, and the text.
struct Chapter {
    name: String,
    text: String,
}

fn folder() -> PathBuf {
    root().join("docs/book/src")
}

fn read(page: &str) -> String {
    read_to_string(folder().join(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
}

/// The chapters in the order of the table of contents.
fn chapters() -> Vec<Chapter> {
    let summary = read("SUMMARY.md");
    let pages = summary.lines().filter_map(|line| line.strip_prefix("- [")?.split(['(', ')']).nth(1));
    let chapter = |page: &str| Chapter { name: page.trim_end_matches(".md").to_string(), text: read(page) };
    pages.map(chapter).collect()
}

impl Chapter {
    /// What a name of its programs starts with, such as `03-`.
    fn number(&self) -> &str {
        &self.name[..3]
    }

    fn commands_with(&self, part: &str) -> Vec<Shown> {
        commands(&self.text).into_iter().filter(|shown| shown.command.contains(part)).collect()
    }
}

#[test]
fn the_chapters_are_numbered_and_none_is_left_out() {
    let listed: BTreeSet<String> = chapters().into_iter().map(|chapter| chapter.name).collect();
    for (number, name) in (1..).zip(&listed) {
        assert!(name.starts_with(&format!("{number:02}-")), "{name} is chapter {number}");
    }
    let pages = files_below(&folder(), "md").into_iter();
    let written: BTreeSet<String> = pages
        .map(|page| page.file_stem().expect("a file").to_string_lossy().into_owned())
        .filter(|name| !["SUMMARY", "introduction"].contains(&name.as_str()))
        .collect();
    assert_eq!(listed, written);
}

#[test]
fn every_chapter_shows_a_program_that_checks_itself_and_a_picture() {
    for chapter in chapters() {
        let runs = chapter.commands_with(&format!(" ../programs/{}", chapter.number()));
        assert!(!runs.is_empty(), "{}: its program is not run", chapter.name);
        let of_cslrun = runs.iter().filter(|shown| shown.command.starts_with("cslrun ../"));
        of_cslrun.filter(|shown| shown.status == 0).for_each(|shown| passes(&shown.command));
        let pictures = chapter.commands_with(&format!("cslrun dsd ../programs/{}", chapter.number()));
        assert!(!pictures.is_empty(), "{}: no DSD is drawn", chapter.name);
        assert!(pictures.iter().all(|shown| shown.status == 0), "{}: no DSD", chapter.name);
    }
}

/// Runs a program of the book without a diagnostic, and sees that each of its `@assert`s is reached.
fn passes(command: &str) {
    let book = root().join("docs/book");
    let command = command.replace("../", &format!("{}/", book.display()));
    let words: Vec<&str> = command.split_whitespace().collect();
    let outcome = perform_words(&words, &DiskLoader).unwrap_or_else(|| panic!("{command}: wrong words"));
    assert!(outcome.diagnostics.is_empty(), "{command}\n{}", outcome.stderr_text(false));
    let held = outcome.asserts_held.iter().map(|span| {
        let line = outcome.sources.line_col(span.file, span.lo).line;
        (outcome.sources.file(span.file).name.clone(), line)
    });
    let asserts: BTreeSet<(String, usize)> =
        files_of(Path::new(words[1])).flat_map(|f| f.asserts()).collect();
    assert!(!asserts.is_empty(), "{command}: it checks nothing");
    assert_eq!(asserts, held.collect(), "{command}: each `@assert` is reached");
}

/// The files of a program: those of its folder if it has a layout.
fn files_of(program: &Path) -> impl Iterator<Item = CaseFile> {
    let folder = program.parent().expect("a program in a folder");
    let paths =
        if program.ends_with("layout.csl") { files_below(folder, "csl") } else { vec![program.into()] };
    paths.into_iter().map(|path| CaseFile {
        text: read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
        name: path.display().to_string(),
    })
}

#[test]
fn every_exercise_fails_with_the_rule_that_the_page_names() {
    for chapter in chapters() {
        let exercises = chapter.commands_with("../exercises/");
        assert_eq!(exercises.len(), 2, "{}: exercises", chapter.name);
        for (shown, letter) in exercises.iter().zip(["a", "b"]) {
            let name = format!("../exercises/{}{letter}", chapter.number());
            assert!(shown.command.contains(&name), "{}: {}", chapter.name, shown.command);
            if !is_of_cslrun(shown) {
                continue;
            }
            let real = run(&shown.command, &folder());
            assert_ne!(real.status, 0, "{}", shown.command);
            let rule = real.output.split(['[', ']']).nth(1).unwrap_or_default();
            let before = chapter.text.split(&shown.command).next().unwrap_or_default();
            let task = before.rsplit("### ").next().unwrap_or_default();
            assert!(task.contains(&format!("`{rule}`")), "{} fails with {rule}", shown.command);
        }
    }
}

fn is_of_cslrun(shown: &Shown) -> bool {
    shown.command.starts_with("cslrun ")
}

#[test]
fn every_exercise_has_a_hint() {
    for chapter in chapters() {
        let (_, exercises) = chapter.text.split_once("\n## Exercises\n").expect("exercises");
        for section in exercises.split("\n### ").skip(1) {
            let (_, hint) = section
                .split_once("<details class=\"hint\">\n<summary>Hint</summary>\n\n")
                .unwrap_or_default();
            assert!(hint.ends_with("\n\n</details>\n"), "{}: {section}", chapter.name);
        }
    }
}

#[test]
fn every_solution_passes_and_asserts_what_its_exercise_does() {
    for shown in
        chapters().iter().flat_map(|chapter| chapter.commands_with("../exercises/")).filter(is_of_cslrun)
    {
        passes(&shown.command.replace("/exercises/", "/solutions/"));
    }
    for exercise in files_below(&root().join("docs/book/exercises"), "csl") {
        let path = exercise.to_string_lossy().replace("/exercises/", "/solutions/");
        let solution = read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let text = read_to_string(&exercise).expect("a readable exercise");
        for assertion in text.lines().map(str::trim).filter(|line| line.contains("@assert(")) {
            assert!(solution.contains(assertion), "{path} leaves out {assertion}");
        }
    }
}

#[test]
fn no_program_of_the_book_is_unused() {
    let text: String = chapters().into_iter().map(|chapter| chapter.text).collect();
    for file in ["csl", "py", "sh"].iter().flat_map(|kind| files_below(&folder().join("../programs"), kind)) {
        let name = file.strip_prefix(folder().join("..")).expect("a file of the book").display().to_string();
        assert!(included(&text).contains(&format!("../{name}")), "{name} is shown in no chapter");
    }
}

/// The files that a page includes.
fn included(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("{{#include ")?.strip_suffix("}}"));
    lines.map(str::to_string).collect()
}

#[test]
fn listings_color_the_words_of_the_language() {
    let path = root().join("docs/book/builder/src/code.rs");
    let source = read_to_string(&path).expect("the builder of the book");
    let words = |list: &str| -> BTreeSet<String> {
        let (_, rest) = source.split_once(&format!("const {list}: &str = \"")).expect("a list of words");
        let words = rest.split('"').next().unwrap_or_default().split_whitespace();
        words.filter(|word| *word != "\\").map(str::to_string).collect()
    };
    let owned = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<BTreeSet<String>>();
    // `noinline` is a word only before `fn`.
    let reserved: Vec<&str> = KEYWORDS.iter().copied().chain(["noinline"]).collect();
    assert_eq!(words("KEYWORDS"), owned(&reserved));
    let types: Vec<&str> = catalogue::types().into_iter().filter(|name| !is_sized(name)).collect();
    let missing: Vec<String> = owned(&types).difference(&words("TYPES")).cloned().collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// `i16`, `u32`: all of them have a color, whatever their width.
fn is_sized(name: &str) -> bool {
    name.strip_prefix(['i', 'u']).is_some_and(|width| width.parse::<u32>().is_ok())
}
