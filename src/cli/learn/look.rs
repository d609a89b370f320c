use super::folder::Folder;
use super::lesson::Lesson;
use crate::cli::args::{self, Command};
use crate::cli::outcome::Outcome;
use crate::cli::{Exit, run};
use crate::diagnostics::rules::tasks::CYCLE_LIMIT;
use crate::{Levels, Loader, Severity, Span};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// No lesson needs that many.
const MOST_CYCLES: &str = "100000";

/// How a lesson stands: what its program did, and what is still to be said about it.
#[derive(Debug)]
pub struct Look {
    /// The run.
    pub outcome: Outcome,
    /// What is left to do although the program has run to its end.
    pub left: Option<String>,
}

impl Look {
    /// Runs a lesson as it stands in the folder.
    pub fn at(lesson: &Lesson, folder: &Folder, loader: &dyn Loader) -> Look {
        let outcome = run(lesson, folder, loader);
        let ended = outcome.exit == Exit::Fine;
        let left = ended.then(|| left(lesson, &outcome, folder)).flatten();
        Look { outcome, left }
    }

    /// Whether a lesson is done. One that nobody has changed is not, and need not run.
    pub fn is_done(lesson: &Lesson, folder: &Folder, loader: &dyn Loader) -> bool {
        let texts = folder.texts(lesson);
        let same = lesson.files.iter().zip(&texts).all(|(file, text)| text.as_deref() == Some(file.text));
        !same && texts.iter().all(Option::is_some) && Look::at(lesson, folder, loader).done()
    }

    /// What the program has printed.
    pub fn lines(&self) -> Vec<&str> {
        lines(&self.outcome)
    }

    /// The rule that stands in the way.
    pub fn rule(&self) -> Option<&str> {
        let worst = self.outcome.diagnostics.iter().min_by_key(|d| d.severity == Severity::Warning);
        worst.map(|d| d.rule.as_ref())
    }

    /// Whether nothing is left to do.
    pub fn done(&self) -> bool {
        self.outcome.exit == Exit::Fine && self.left.is_none()
    }
}

fn run(lesson: &Lesson, folder: &Folder, loader: &dyn Loader) -> Outcome {
    // That a task never starts may be the exercise.
    let fixed =
        ["cslrun", "--max-cycles", MOST_CYCLES, "-A", "never-activated"].iter().chain(&lesson.head.run);
    // A path may look like an option.
    let path = ["--".into(), folder.path(&lesson.files[0]).into_os_string()];
    match args::parse(fixed.map(OsString::from).chain(path), Levels::default()) {
        Ok(Command::Run(args)) => without_advice(run::run(&args, loader).printable()),
        other => panic!("the arguments of lesson {} are those of a run: {other:?}", lesson.number),
    }
}

/// The limit of a lesson cannot be raised.
fn without_advice(mut outcome: Outcome) -> Outcome {
    let limits = outcome.diagnostics.iter_mut().filter(|d| d.rule == CYCLE_LIMIT.name);
    limits.for_each(|d| d.help = None);
    outcome
}

/// What is left to do when a program has come to its end.
fn left(lesson: &Lesson, outcome: &Outcome, folder: &Folder) -> Option<String> {
    if !outcome.diagnostics.is_empty() {
        return Some("the program runs, but with a warning".to_string());
    }
    let asked = lesson.files.iter().flat_map(|file| assertions(file.text));
    let here: BTreeSet<String> =
        folder.texts(lesson).iter().flatten().flat_map(|text| assertions(text)).map(without_blanks).collect();
    let held: BTreeSet<String> = outcome.asserts_held.iter().filter_map(|at| held(outcome, *at)).collect();
    for assertion in asked {
        let plain = without_blanks(assertion);
        if !here.contains(&plain) {
            return Some(format!(
                "the program runs, but this line of the lesson is missing or changed:\n    {assertion}\n\
                 put it back, or start again with `{} {} --reset`",
                folder.command(),
                lesson.name()
            ));
        }
        if !held.contains(&plain) {
            let place = place(lesson, folder, &plain).unwrap_or_default();
            return Some(format!("the program ends without reaching this line:\n{place}    {assertion}"));
        }
    }
    other_output(lesson, outcome)
}

/// The file and the line of an `@assert`, as diagnostics show them.
fn place(lesson: &Lesson, folder: &Folder, plain: &str) -> Option<String> {
    lesson.files.iter().zip(folder.texts(lesson)).find_map(|(file, text)| {
        let text = text?;
        let is_it = |line: &str| assertion(line).is_some_and(|found| without_blanks(found) == plain);
        let number = text.lines().position(is_it)? + 1;
        Some(format!("  --> {}:{number}\n", folder.path(file).display()))
    })
}

/// What the program has printed: a run that comes to its end adds the number of cycles.
fn lines(outcome: &Outcome) -> Vec<&str> {
    let mut lines: Vec<&str> = outcome.printed.lines().collect();
    if outcome.exit == Exit::Fine {
        lines.pop();
    }
    lines
}

/// A line that `<simprint>` prints, without the PE and the cycle in front.
fn bare(line: &str) -> &str {
    let is_place = |place: &str| place.starts_with("PE(") && place.contains("), cycle ");
    line.split_once(": ").filter(|(place, _)| is_place(place)).map_or(line, |(_, text)| text)
}

/// What the program has to print, if that is not what it prints.
fn other_output(lesson: &Lesson, outcome: &Outcome) -> Option<String> {
    let asked = &lesson.head.prints;
    (!asked.is_empty() && !lines(outcome).into_iter().map(bare).eq(asked.iter().copied()))
        .then(|| format!("the program runs, but it must print this:\n    {}", asked.join("\n    ")))
}

/// The `@assert`s of a text, each from its name to the end of its line.
pub fn assertions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(assertion)
}

fn assertion(line: &str) -> Option<&str> {
    let code = line.split("//").next().unwrap_or_default();
    code.find("@assert(").map(|at| code[at..].trim_end())
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The line of an `@assert` that was executed.
fn held(outcome: &Outcome, at: Span) -> Option<String> {
    let line = outcome.sources.line_col(at.file, at.lo).line;
    let text = &outcome.sources.file(at.file).text;
    text.lines().nth(line - 1).and_then(assertion).map(without_blanks)
}
