//! Runs a case of `tests/cases`.
//!
//! The diagnostics must be exactly those that the case marks. A case that says `//! run` has an `@assert`
//! and executes all of them, unless it marks an error. One that says `//! explore` runs under all schedules.

use crate::case_file::{Case, CaseFile, Mark};
use cslrun::cli::{Exit, Outcome, perform_words};
use cslrun::{Diagnostic, MemoryLoader, Span};
use std::collections::BTreeSet;

/// Runs a case; the diagnostics must be those that it marks, and without any it must come through.
pub fn check(case: &Case) -> Result<Outcome, String> {
    let outcome = perform(case)?;
    let marks = case.marks();
    let found = found(&outcome);
    if marks != found {
        let text = outcome.stderr_text(false);
        let lost: Vec<_> = marks.iter().filter(|m| !found.contains(m)).collect();
        let unmarked: Vec<_> = found.iter().filter(|m| !marks.contains(m)).collect();
        return Err(format!("marked but not found: {lost:?}\nfound but not marked: {unmarked:?}\n{text}"));
    }
    if marks.is_empty() && outcome.exit != Exit::Fine {
        return Err(format!("ended with {:?}\n{}", outcome.exit, outcome.stderr_text(false)));
    }
    if let Some(wanted) = &case.help {
        let help = outcome.diagnostics.first().and_then(|d| d.help.as_deref()).unwrap_or_default();
        if !help.lines().next().unwrap_or_default().contains(wanted) {
            return Err(format!("the first help must contain {wanted}, and is\n{help}"));
        }
    }
    let stops = marks.iter().any(|m| !m.what.starts_with("warning"));
    if case.run && !stops {
        every_assert_was_reached(case, &outcome)?;
    }
    Ok(outcome)
}

fn every_assert_was_reached(case: &Case, outcome: &Outcome) -> Result<(), String> {
    let place = |span: &Span| {
        let line = outcome.sources.line_col(span.file, span.lo).line;
        (outcome.sources.file(span.file).name.clone(), line)
    };
    let held: BTreeSet<(String, usize)> = outcome.asserts_held.iter().map(place).collect();
    let asserts: BTreeSet<(String, usize)> = case.files.iter().flat_map(CaseFile::asserts).collect();
    if asserts.is_empty() && case.marks().is_empty() {
        return Err("there is no `@assert`".to_string());
    }
    match asserts.difference(&held).next() {
        Some((file, line)) => Err(format!("the `@assert` in line {line} of {file} was never executed")),
        None => Ok(()),
    }
}

fn perform(case: &Case) -> Result<Outcome, String> {
    let mut loader = MemoryLoader::default();
    for file in &case.files {
        loader.add(&file.name, file.text.as_str());
    }
    let program = case.files[0].name.as_str();
    let mut words = vec!["cslrun"];
    words.extend(case.subcommand());
    words.push(program);
    words.extend(case.args.iter().map(String::as_str));
    perform_words(&words, &loader).ok_or_else(|| format!("wrong arguments: {}", case.args.join(" ")))
}

/// What the program was told, as marks.
fn found(outcome: &Outcome) -> Vec<Mark> {
    let mut found: Vec<Mark> = outcome.diagnostics.iter().map(|d| mark(outcome, d)).collect();
    found.sort();
    found
}

fn mark(outcome: &Outcome, d: &Diagnostic) -> Mark {
    let what = format!("{}[{}]", d.severity.name(), d.rule);
    let place = d.primary.as_ref().map(|label| {
        let line = outcome.sources.line_col(label.span.file, label.span.lo).line;
        (outcome.sources.file(label.span.file).name.clone(), line)
    });
    // The library has no room for marks.
    let (file, line) = place.filter(|(file, _)| !file.starts_with('<')).unwrap_or_default();
    Mark { file, line, what }
}
