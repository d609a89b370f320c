//! `--seeds A..B`: runs a program under many schedules and compares what the runs leave behind.

use super::args::RunArgs;
use super::endings::{Ending, NamedSchedule, Schedule, Trials, refuse};
use super::outcome::Outcome;
use super::record::Record;
use super::{Exit, interrupt};
use crate::diagnostics::Diag;
use crate::diagnostics::render::grouped;
use crate::{Diagnostic, FinalVariable, PeCoord, Program, Scalar, SeenChoice};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How a run ends, compared with the first one.
#[derive(Copy, Clone, PartialEq, Eq)]
enum End {
    /// Equally, perhaps but for what follows from the time stamps that the program has read.
    Same { but_time: bool },
    /// With another memory, another output or another error.
    Other,
}

/// Runs the program once for each seed, on as many threads, and reports the first run that ends differently.
pub fn run(args: &RunArgs, program: &Arc<Program>, outcome: &mut Outcome) {
    let Some((first, last)) = args.seeds else { return };
    let trials = Trials { args, program, max_cycles: None, holds_clock: false };
    let reference = end(trials, first);
    if let Some(trouble) = reference.misused {
        return refuse(trouble, outcome);
    }
    outcome.asserts_held.clone_from(&reference.asserts_held);
    let stop = interrupt::run_begins();
    // All seeds but the first, up to the first whose run ends otherwise.
    let runs = trials.up_to_first(last - first, |n| {
        let ending = end(trials, first + 1 + n);
        let is_other = ending.differs(&reference);
        let differs =
            is_other && trials.differ_without_time([&Schedule::Seed(first), &Schedule::Seed(first + 1 + n)]);
        let end = if differs { End::Other } else { End::Same { but_time: is_other } };
        ((ending.warnings, end), differs || stop.load(Ordering::Relaxed))
    });
    interrupt::run_ends();
    if reference.interrupted || stop.load(Ordering::Relaxed) {
        outcome.exit = Exit::Interrupted;
        return;
    }
    let is_found = runs.last().is_some_and(|(_, end)| *end == End::Other);
    let but_time = runs.iter().any(|(_, end)| *end == End::Same { but_time: true });
    let found = is_found.then(|| first + runs.len() as u64);
    let others = runs.into_iter().map(|(warnings, _)| warnings);
    add_warnings((first..=last).zip(std::iter::once(reference.warnings).chain(others)), outcome);
    match found {
        Some(seed) => report(trials.without_time(), (first, seed), outcome),
        None => {
            let runs = grouped(last - first + 1);
            let but = if but_time { ", but for what follows from time stamps" } else { "" };
            let failed = !reference.failed.is_empty();
            let how = match failed {
                true => "fail in the same way",
                false => "end with the same memory and the same output",
            };
            let text = format!("seeds {first} to {last}: all {runs} runs {how}{but}\n");
            outcome.tell(&text, &Record::Seeds { first, last, failed });
            if failed {
                trials.show_failure(&Schedule::Seed(first), outcome);
            }
        }
    }
}

/// The warnings of the first run, and those that only the runs of the following seeds show.
fn add_warnings(mut runs: impl Iterator<Item = (u64, Vec<Diagnostic>)>, outcome: &mut Outcome) {
    let Some((first, warnings)) = runs.next() else { return };
    let key = |d: &Diagnostic| (d.rule.clone(), d.primary.as_ref().map(|label| label.span));
    let mut seen: Vec<_> = warnings.iter().map(key).collect();
    outcome.diagnostics.extend(warnings);
    for (seed, warnings) in runs {
        for mut warning in warnings {
            if !seen.contains(&key(&warning)) {
                seen.push(key(&warning));
                warning.notes.push(format!("with `--seed {seed}`, and not with `--seed {first}`"));
                outcome.diagnostics.push(warning);
            }
        }
    }
}

fn end(trials: Trials<'_>, seed: u64) -> Ending {
    let (mut runner, result) = trials.perform(&Schedule::Seed(seed), None);
    trials.end(&mut runner, result)
}

/// Reports that two seeds end differently: which word, who wrote it, and which choice came first.
fn report(trials: Trials<'_>, (first, seed): (u64, u64), outcome: &mut Outcome) {
    let seeds = [first, seed];
    let both = seeds.map(|seed| {
        let name = format!("seed {seed}");
        NamedSchedule { schedule: Schedule::Seed(seed), subject: name.clone(), with: name }
    });
    let choices = |diag, at: Option<PeCoord>| match at {
        Some(at) => with_choices(diag, trials, seeds, at),
        None => diag,
    };
    let help =
        format!("`--seed {first}` and `--seed {seed}` repeat the two runs; let one task activate the other");
    trials.report(&both, choices, help, outcome);
}

/// Adds the first choices in which two runs differ, of one PE or else of the whole wafer.
fn with_choices(diag: Diag, trials: Trials<'_>, seeds: [u64; 2], at: PeCoord) -> Diag {
    let nothing = FinalVariable {
        pe: at,
        name: String::new(),
        scalar: Scalar::U16,
        single: true,
        addr: 0,
        words: 1,
        values: Vec::new(),
    };
    let [(one, _), (other, _)] = seeds.map(|seed| trials.perform(&Schedule::Seed(seed), Some(&nothing)));
    let differing = |at: PeCoord, tasks: bool| {
        let (a, b) = (one.seen_choices(at, tasks), other.seen_choices(at, tasks));
        let k = (0..a.len().max(b.len()))
            .find(|k| a.get(*k).map(|c| &c.chosen) != b.get(*k).map(|c| &c.chosen))?;
        Some((at, [a.get(k).cloned(), b.get(k).cloned()]))
    };
    let (width, height) = trials.program.size();
    let all = || (0..height).flat_map(|y| (0..width).map(move |x| PeCoord { x, y }));
    let earliest = |tasks| {
        let found = all().filter_map(|at| differing(at, tasks));
        found.min_by_key(|(_, [a, b])| [a, b].into_iter().flatten().map(|c| c.cycle).min())
    };
    let found = differing(at, true).or_else(|| earliest(true)).or_else(|| earliest(false));
    let Some((at, choices)) = found else {
        return diag.note("no task and no microthread was chosen differently: launches or copies of the host came at other times");
    };
    seeds.into_iter().zip(choices).fold(diag, |diag, (seed, choice)| match choice {
        Some(choice) => diag.note(format!("seed {seed}: {}", sentence(at, &choice))),
        None => diag.note(format!("seed {seed}: {at} makes no further choice")),
    })
}

fn sentence(at: PeCoord, choice: &SeenChoice) -> String {
    let SeenChoice { cycle, chosen, others } = choice;
    let also = match others.as_slice() {
        [] => "nothing else could have".to_string(),
        [one] => format!("{one} could have instead"),
        [many @ .., last] => format!("{} and {last} could have instead", many.join(", ")),
    };
    format!("{at}, cycle {}: {chosen}; {also}", grouped(*cycle))
}
