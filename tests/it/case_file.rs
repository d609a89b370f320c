//! How a case is written: a CSL program with a header, and marks at the lines that break rules.

#[path = "case_text.rs"]
mod case_text;

use crate::{files_below, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One case of `tests/cases`.
#[derive(Debug, Default)]
pub struct Case {
    /// Where it is written.
    pub path: PathBuf,
    /// The rule that it breaks.
    pub rule: Option<String>,
    /// What it is about, when it breaks no rule.
    pub topic: Option<String>,
    /// The statements of `docs/claims.md` that it checks.
    pub claims: Vec<String>,
    /// The rules that it comes close to and does not break.
    pub clean: Vec<String>,
    /// One sentence: what it shows.
    pub what: Option<String>,
    /// What the first line of the help of its first diagnostic contains.
    pub help: Option<String>,
    /// The PE that a report of a hang has to name first: `PE(1,0)`.
    pub root: Option<String>,
    /// Arguments of the command, such as `--arch wse3 --param N=3 --launch f`.
    pub args: Vec<String>,
    /// Whether the program runs after it is compiled.
    pub run: bool,
    /// Whether it runs under all schedules.
    pub explore: bool,
    /// Diagnostics expected without a place in these files.
    pub placeless: Vec<String>,
    /// The files; the first is the program.
    pub files: Vec<CaseFile>,
}

/// One file of a case.
#[derive(Debug)]
pub struct CaseFile {
    /// The name that the others import.
    pub name: String,
    /// The text, marks included.
    pub text: String,
}

/// A diagnostic expected at a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Such as `error[dsr-exhausted]`.
    pub what: String,
}

/// Every case of `tests/cases`, and every program of `examples/seeds`, which is one too.
pub fn all_cases() -> Vec<Case> {
    let folders = ["tests/cases", "examples/seeds"];
    let files = folders.iter().flat_map(|folder| files_below(&root().join(folder), "csl"));
    let programs = files.filter(|path| !path.starts_with(root().join("examples")) || is_program(path));
    programs.map(|p| Case::read(&p).unwrap_or_else(|e| panic!("{}: {e}", p.display()))).collect()
}

/// The case that stands for each rule: the one of its name, else the first that breaks it.
pub fn cases_of_rules() -> BTreeMap<String, PathBuf> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    let beginner = root().join("tests/cases/beginner");
    let cases = all_cases().into_iter().filter(|c| c.path.starts_with(root().join("tests")));
    for case in cases.filter(|c| !c.path.starts_with(&beginner)) {
        let Some(rule) = case.rule else { continue };
        let is_named = |path: &Path| path.file_stem().is_some_and(|stem| stem == rule.as_str());
        if found.get(&rule).is_none_or(|first| is_named(&case.path) && !is_named(first)) {
            found.insert(rule, case.path);
        }
    }
    found
}

/// Whether an example is a program of its own, which has a header, and not a part of one.
pub fn is_program(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.starts_with("//!"))
}

impl Case {
    /// Reads a case; a header that cannot be understood is a mistake in the case.
    pub fn read(path: &Path) -> Result<Case, String> {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        let mut case = Case { path: path.to_path_buf(), ..Case::default() };
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        for (key, value) in case_text::header(&text) {
            case.set(key, value)?;
        }
        case.files = split(&name, &text);
        Ok(case)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let value = value.to_string();
        match key {
            "rule" => self.rule = Some(value),
            "topic" => self.topic = Some(value),
            "claim" => self.claims.extend(words(&value)),
            "clean" => self.clean.extend(words(&value)),
            "root" => self.root = Some(value),
            "what" => self.what = Some(value),
            "help" => self.help = Some(value),
            "args" => self.args = value.split_whitespace().map(str::to_string).collect(),
            "run" => self.run = true,
            "explore" => self.explore = true,
            "placeless" => self.placeless.push(value),
            other => return Err(format!("unknown header `{other}`")),
        }
        Ok(())
    }

    /// The word behind `cslrun`; `None` runs the program once.
    pub fn subcommand(&self) -> Option<&'static str> {
        match (self.run, self.explore) {
            (_, true) => Some("explore"),
            (true, false) => None,
            (false, false) => Some("check"),
        }
    }

    /// The expected diagnostics, sorted.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks: Vec<Mark> = self.files.iter().flat_map(CaseFile::marks).collect();
        let placeless = |what: &String| Mark { file: String::new(), line: 0, what: what.clone() };
        marks.extend(self.placeless.iter().map(placeless));
        marks.sort();
        marks
    }
}

impl CaseFile {
    /// File and line of each `@assert`; `@assert(false)` marks what must not be reached.
    pub fn asserts(&self) -> Vec<(String, usize)> {
        let lines = self.text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let has = |line: &str| line.contains("@assert(") && !line.contains("@assert(false)");
        lines.zip(1..).filter(|(line, _)| has(line)).map(|(_, n)| (self.name.clone(), n)).collect()
    }

    /// `//~ error[rule]` stands for its own line; each `^` after the `~` goes one line up.
    fn marks(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (i, line) in self.text.lines().enumerate() {
            for piece in line.split("//~").skip(1) {
                let up = piece.len() - piece.trim_start_matches('^').len();
                let what = piece.trim_start_matches('^').trim().to_string();
                marks.push(Mark { file: self.name.clone(), line: i + 1 - up, what });
            }
        }
        marks
    }
}

/// The words of a list with commas or blanks.
fn words(list: &str) -> impl Iterator<Item = String> {
    list.split([',', ' ']).filter(|word| !word.is_empty()).map(str::to_string)
}

/// The files of a case; one without `//- name` markers is one file, header and all.
pub fn split(name: &str, text: &str) -> Vec<CaseFile> {
    case_text::files(name, text).into_iter().map(|(name, text)| CaseFile { name, text }).collect()
}

#[test]
fn marks_know_their_file_and_line() {
    let text =
        "//! rule: r\n//- a.csl\nvar x; //~ error[r] //~ warning[w]\n//- b.csl\n\nvar y;\n//~^ error[s]\n";
    let case = Case { files: split("c.csl", text), placeless: vec!["error[t]".into()], ..Case::default() };
    let marks = case.marks();
    let shown: Vec<_> = marks.iter().map(|m| (m.file.as_str(), m.line, m.what.as_str())).collect();
    let expected =
        [("", 0, "error[t]"), ("a.csl", 1, "error[r]"), ("a.csl", 1, "warning[w]"), ("b.csl", 2, "error[s]")];
    assert_eq!(shown, expected);
}
