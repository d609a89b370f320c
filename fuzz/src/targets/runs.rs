//! Running: as the command does it, and in every way there is.

use super::Signs;
use super::story::{first_difference, places, story};
use super::text::{check_text, shown, signs};
use crate::seeds::Input;
use cslrun::cli::{Exit, Outcome, perform_words};
use cslrun::{CompileOptions, Program, RunOptions, compile};
use std::path::Path;
use std::sync::Arc;

/// Programs that are changed at random often run for ever.
const MAX_CYCLES: u64 = 20_000;
/// Layouts with more PEs are not run.
const MOST_PES: usize = 400;
/// Options that an input may give to the command; all take a value but for the levels in one word.
const OPTIONS: [&str; 8] = ["--arch", "--param", "--launch", "--set", "--get", "-A", "-W", "-D"];

/// Does what the arguments ask for.
pub fn command(text: &str) -> Signs {
    let input = Input::read(text);
    let Some(outcome) = perform(&input, &[]) else { return Signs::new() };
    assert!(outcome.exit != Exit::OurFault, "exit 70: {:?}", outcome.complaint);
    check_text(&outcome.printed);
    check_text(&shown(&outcome.sources, &outcome.diagnostics));
    let mut all = signs(&outcome.diagnostics);
    all.insert(format!("{:?}", outcome.exit));
    all
}

/// Runs the command without its arguments that name files.
fn perform(input: &Input, more: &[&str]) -> Option<Outcome> {
    let limit = MAX_CYCLES.to_string();
    let mut words = vec!["cslrun", "--max-cycles", &limit];
    words.extend(more);
    let mut args = input.args.iter();
    while let Some(word) = args.next() {
        if !OPTIONS.contains(&word.as_str()) {
            continue;
        }
        let value = args.next()?;
        // Files belong to the machine that fuzzes.
        if !value.contains(['/', '@']) && !value.contains(".npy") {
            words.extend([word, value.as_str()]);
        }
    }
    words.push(&input.root);
    is_small(input).then(|| perform_words(&words, &input.files)).flatten()
}

/// Whether it can be run in reasonable time: the program is compiled for that.
fn is_small(input: &Input) -> bool {
    let options = CompileOptions::new(input.arch());
    match compile(Path::new(&input.root), &input.files, &options).program {
        Some(program) => pes(&program) <= MOST_PES,
        None => true,
    }
}

fn pes(program: &Program) -> usize {
    let (width, height) = program.size();
    usize::from(width) * usize::from(height)
}

/// Runs a program in every way there is.
pub fn modes(text: &str) -> Signs {
    let input = Input::read(text);
    let compiled = |memo: bool| {
        let options = CompileOptions { memo, ..CompileOptions::new(input.arch()) };
        compile(Path::new(&input.root), &input.files, &options)
    };
    let fast = compiled(true);
    let all = signs(&fast.diagnostics);
    // Some mutants have a layout of many thousands of PEs.
    if fast.program.as_ref().is_some_and(|program| pes(program) > MOST_PES) {
        return all;
    }
    let plain = compiled(false).program;
    let (Some(fast), Some(plain)) = (&fast.program, &plain) else {
        assert_eq!(fast.program.is_some(), plain.is_some(), "only one way to compile finds errors");
        return all;
    };
    let bytes = fast.to_bytes();
    assert!(bytes == plain.to_bytes(), "two ways to compile give different programs");
    let stored = Program::from_bytes(&bytes).expect("a program that was just written can be read");
    assert!(stored.to_bytes() == bytes, "a program that was stored is another one");
    let stored = Arc::new(stored);
    let plain = RunOptions { plain: true, max_cycles: Some(MAX_CYCLES), ..RunOptions::default() };
    let reference = story(&stored, plain);
    // Three threads also go through the wafer as if it were large.
    for (threads, large_from) in [(1, usize::MAX), (2, usize::MAX), (3, 0)] {
        let limits = RunOptions { max_cycles: Some(MAX_CYCLES), ..RunOptions::default() };
        let other = story(&stored, RunOptions { threads, pes_of_a_thread: 1, large_from, ..limits });
        assert!(other == reference, "on {threads} threads: {}", first_difference(&other, &reference));
    }
    compare_outputs(&input);
    all
}

/// A recording, and a run without checks of a program that passes them, do the same.
fn compare_outputs(input: &Input) {
    let told = |more: &[&str]| {
        let outcome = perform(input, more)?;
        Some((outcome.exit, places(&outcome.diagnostics), outcome.printed))
    };
    let Some((exit, broken, printed)) = told(&[]) else { return };
    if let Some((other_exit, other_broken, _)) = told(&["--trace"]) {
        assert!(
            (exit, &broken) == (other_exit, &other_broken),
            "a recording says\n{other_broken}not\n{broken}"
        );
    }
    if exit == Exit::Fine
        && broken.is_empty()
        && let Some((other_exit, _, other_printed)) = told(&["--unchecked"])
    {
        assert!(exit == other_exit && printed == other_printed, "without checks the run is another one");
    }
}
