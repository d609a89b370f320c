//! `--seeds A..B`: runs a program under many schedules and compares what the runs leave behind.

use super::args::RunArgs;
use super::endings::{Ending, NamedSchedule, Schedule, Trials, refuse};
use super::outcome::Outcome;
use super::{Exit, interrupt};
use crate::diagnostics::Diag;
use crate::diagnostics::render::grouped;
use crate::{Diagnostic, FinalVariable, PeCoord, Program, Scalar, SeenChoice};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Runs the program once for each seed, on as many threads, and reports the first run that ends differently.
pub fn run(args: &RunArgs, program: &Arc<Program>, outcome: &mut Outcome) {
    let Some((first, last)) = args.seeds else { return };
    let trials = Trials { args, program, max_cycles: None };
    let reference = end(trials, first);
    if let Some(trouble) = reference.misused {
        return refuse(trouble, outcome);
    }
    outcome.asserts_held.clone_from(&reference.asserts_held);
    let (endings, found) = others(trials, (first, last), &reference);
    interrupt::run_ends();
    if reference.interrupted || endings.values().any(|(_, interrupted)| *interrupted) {
        outcome.exit = Exit::Interrupted;
        return;
    }
    add_warnings((first, reference.warnings), endings, found.unwrap_or(last), outcome);
    match found {
        Some(seed) => report(trials, (first, seed), outcome),
        None => {
            let runs = grouped(last - first + 1);
            outcome.printed += &format!(
                "seeds {first} to {last}: all {runs} runs end with the same memory and the same output\n"
            );
            if !reference.failed.is_empty() {
                trials.show_failure(&Schedule::Seed(first), outcome);
            }
        }
    }
}

/// Runs all seeds but the first; gives their warnings and whether they were interrupted, and the first seed whose run
/// ends otherwise than `reference`.
fn others(trials: Trials<'_>, (first, last): (u64, u64), reference: &Ending) -> (Endings, Option<u64>) {
    let stop = interrupt::run_begins();
    let automatic = || std::thread::available_parallelism().map_or(1, usize::from);
    let workers = trials.args.threads.unwrap_or_else(automatic);
    // Seeds are taken in order, and none behind one that has differed: the lowest such seed is always found.
    let (next, differs) = (AtomicU64::new(first.saturating_add(1)), AtomicU64::new(u64::MAX));
    let endings = Mutex::new(Endings::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let is_behind = seed > last || seed > differs.load(Ordering::Relaxed);
            if is_behind || stop.load(Ordering::Relaxed) {
                return;
            }
            let ending = end(trials, seed);
            if ending.differs(reference) {
                differs.fetch_min(seed, Ordering::Relaxed);
            }
            let Ending { warnings, interrupted, .. } = ending;
            endings.lock().expect("no thread panics").insert(seed, (warnings, interrupted));
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let found = Some(differs.into_inner()).filter(|seed| *seed <= last);
    (endings.into_inner().expect("no thread panics"), found)
}

/// The warnings of the run of each seed, and whether it was interrupted.
type Endings = BTreeMap<u64, (Vec<Diagnostic>, bool)>;

/// The warnings of the first run, and those that only other seeds show.
fn add_warnings(
    (first, warnings): (u64, Vec<Diagnostic>),
    endings: Endings,
    last: u64,
    outcome: &mut Outcome,
) {
    let key = |d: &Diagnostic| (d.rule.clone(), d.primary.as_ref().map(|label| label.span));
    let mut seen: Vec<_> = warnings.iter().map(key).collect();
    outcome.diagnostics.extend(warnings);
    for (seed, (warnings, _)) in endings.into_iter().filter(|(seed, _)| *seed <= last) {
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
        None => diag.note(format!("seed {seed}: {at} does nothing more")),
    })
}

fn sentence(at: PeCoord, choice: &SeenChoice) -> String {
    let SeenChoice { cycle, chosen, others } = choice;
    let also = match others.as_slice() {
        [] => "nothing else could".to_string(),
        [one] => format!("{one} could as well"),
        [many @ .., last] => format!("{} and {last} could as well", many.join(", ")),
    };
    format!("{at}, cycle {}: {chosen}; {also}", grouped(*cycle))
}
