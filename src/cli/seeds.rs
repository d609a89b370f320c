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

/// How a run ends, compared with the first one.
#[derive(Copy, Clone, PartialEq, Eq)]
enum End {
    /// Equally, perhaps but for what follows from the time stamps that the program has read.
    Same { but_time: bool },
    /// With another memory, another output or another error.
    Other,
}

/// What a run is worth beside the first one, with its warnings; `None` if it was stopped before that was known.
type Compared = Option<(Vec<Diagnostic>, End)>;

/// Runs the program once for each seed, on as many threads, and reports the first run that ends differently.
pub fn run(args: &RunArgs, program: &Arc<Program>, outcome: &mut Outcome) {
    let Some((first, last)) = args.seeds else { return };
    let trials = Trials { args, program, max_cycles: None, holds_clock: false };
    let mut shown = Vec::new();
    let (mut runner, result) = trials.perform_and_show(&Schedule::Seed(first), None, &mut shown);
    let reference = trials.end(&mut runner, result);
    drop(runner);
    if let Some(trouble) = reference.misused {
        return refuse(trouble, outcome);
    }
    outcome.asserts_held.clone_from(&reference.asserts_held);
    interrupt::run_begins();
    // All seeds but the first, up to the first whose run ends otherwise.
    let others = if reference.interrupted { 0 } else { last - first };
    let runs = trials.up_to_first(others, |n| compare(trials, &reference, [first, first + 1 + n]));
    interrupt::run_ends();
    if interrupt::is_asked() {
        return tell_interrupted((first, last), reference, runs, outcome);
    }
    let runs: Vec<(Vec<Diagnostic>, End)> = runs.into_iter().flatten().collect();
    let is_found = runs.last().is_some_and(|(_, end)| *end == End::Other);
    let but_time = runs.iter().any(|(_, end)| *end == End::Same { but_time: true });
    let found = is_found.then(|| first + runs.len() as u64);
    let others = runs.into_iter().map(|(warnings, _)| warnings);
    add_warnings((first..=last).zip(std::iter::once(reference.warnings).chain(others)), outcome);
    match found {
        Some(seed) => report(trials.without_time(), (first, seed), outcome),
        None => {
            shown.iter().for_each(|shown| shown.tell(outcome));
            let runs = grouped(last - first + 1);
            let but = if but_time { ", but for what follows from time stamps" } else { "" };
            let failed = !reference.failed.is_empty();
            let how = in_which_way(failed);
            let text = format!("seeds {first} to {last}: all {runs} runs {how}{but}\n");
            let record = Record::Seeds { first, last: Some(last), failed, interrupted: false };
            outcome.tell(&text, &record);
            if failed {
                trials.show_failure(&Schedule::Seed(first), outcome);
            }
        }
    }
}

/// How runs end that end alike.
fn in_which_way(failed: bool) -> &'static str {
    match failed {
        true => "fail in the same way",
        false => "end with the same memory and the same output",
    }
}

/// Runs the program with the second seed and compares the end with that of the first; true if no other run is needed.
fn compare(trials: Trials<'_>, reference: &Ending, seeds: [u64; 2]) -> (Compared, bool) {
    let ending = end(trials, seeds[1]);
    let is_other = ending.differs(reference);
    let differs = is_other && trials.differ_without_time(seeds.map(Schedule::Seed).each_ref());
    // What a run leaves behind that was stopped says nothing.
    let is_stopped = interrupt::is_asked();
    if is_stopped && (is_other || ending.interrupted) {
        return (None, true);
    }
    let end = if differs { End::Other } else { End::Same { but_time: is_other } };
    (Some((ending.warnings, end)), differs || is_stopped)
}

/// Tells which runs had ended, and how, when the user has stopped the command.
fn tell_interrupted(
    (first, last): (u64, u64),
    reference: Ending,
    runs: Vec<Compared>,
    outcome: &mut Outcome,
) {
    outcome.exit = Exit::Interrupted;
    let failed = !reference.failed.is_empty();
    let all = grouped(last - first + 1);
    if reference.interrupted {
        let record = Record::Seeds { first, last: None, failed, interrupted: true };
        return outcome.tell(&format!("interrupted before the first of {all} runs has ended\n"), &record);
    }
    let others: Vec<_> = runs.into_iter().map_while(|run| Some(run?.0)).collect();
    let reached = first + others.len() as u64;
    let text = match reached - first + 1 {
        1 => format!(
            "interrupted after 1 of {all} runs: seed {first} {}\n",
            if failed { "fails" } else { "ends well" }
        ),
        n => {
            let how = in_which_way(failed);
            format!("interrupted after {} of {all} runs: seeds {first} to {reached} {how}\n", grouped(n))
        }
    };
    add_warnings((first..=reached).zip(std::iter::once(reference.warnings).chain(others)), outcome);
    outcome.tell(&text, &Record::Seeds { first, last: Some(reached), failed, interrupted: true });
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
