//! `cslrun explore`: runs a program under all schedules that matter, up to a budget.

mod schedule;
mod search;

pub use schedule::WrittenSchedule;

use super::args::ExploreArgs;
use super::endings::{Ending, NamedSchedule, Schedule, Trials, refuse};
use super::outcome::Outcome;
use super::reading::Shown;
use super::record::{Explored, Record};
use super::running::fail;
use super::{Exit, interrupt};
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::run::DATA_RACE;
use crate::diagnostics::rules::tasks::DEADLOCK;
use crate::diagnostics::{Diag, counted};
use crate::{Deviation, Diagnostic, ExplorationEnd, Loader, PeCoord, Runner, SeenDecision, VisitedStates};
use search::{Counts, RunEnd, Search, Tried};
use std::sync::Arc;

/// Schedules that are tried together. The number of threads does not change it: what is known when a run begins must not
/// depend on it.
const BATCH: usize = 64;
/// A run may take so many times the cycles of the usual one, and some more.
const MOST_TIMES: u64 = 16;
const MORE_CYCLES: u64 = 100_000;
/// Decisions that are shown.
const MOST_SHOWN: usize = 12;

/// What was found.
struct Found {
    deviations: Vec<Deviation>,
    ending: Ending,
    /// Whether the run came to its end.
    has_ended: bool,
}

/// `cslrun explore FILE.csl`
pub fn explore(args: &ExploreArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.run.compile.format());
    let Some(program) = outcome.compile(&args.run.compile, loader) else { return outcome };
    if let Err(failure) = Runner::check_memory(&program, args.run.memory) {
        fail(&failure, &mut outcome);
        return outcome;
    }
    let program = Arc::new(program);
    let trials = Trials { args: &args.run, program: &program, max_cycles: None, holds_clock: false };
    explore_program(args, trials, &mut outcome);
    interrupt::run_ends();
    outcome
}

fn explore_program(args: &ExploreArgs, trials: Trials<'_>, outcome: &mut Outcome) {
    let mut search = Search::default();
    let mut shown = Vec::new();
    let (usual, reference, cycles) = follow(trials, Vec::new(), &search, &mut shown);
    if let Some(trouble) = reference.misused {
        return refuse(trouble, outcome);
    }
    let only = Explored { budget: args.budget, ..Explored::default() };
    if reference.interrupted {
        outcome.exit = Exit::Interrupted;
        let record = Record::Explored(Explored { interrupted: true, ..only });
        return outcome.tell("interrupted before the run with the usual schedule has ended\n", &record);
    }
    outcome.asserts_held.clone_from(&reference.asserts_held);
    if !reference.failed.is_empty() {
        let record = Record::Explored(Explored { schedules: 1, runs: 1, ..only });
        outcome.tell("the usual schedule fails; no other one was tried\n", &record);
        return trials.show_failure(&script(&[], None), outcome);
    }
    outcome.diagnostics.extend(reference.warnings.iter().cloned());
    let limit = cycles.saturating_mul(MOST_TIMES).saturating_add(MORE_CYCLES);
    let trials = Trials { max_cycles: Some(args.run.max_cycles.unwrap_or(limit)), ..trials };
    search.take(usual);
    match search_all(args, trials, &mut search, &reference) {
        Err(Stopped) => {
            search.stop();
            tell_summary(args, &mut search, true, outcome);
            outcome.exit = Exit::Interrupted;
        }
        Ok(None) => {
            shown.iter().for_each(|shown| shown.tell(outcome));
            tell_summary(args, &mut search, false, outcome);
        }
        Ok(Some(found)) => report(args, trials, &search, &reference, found, outcome),
    }
}

/// The user has stopped the command.
struct Stopped;

/// Tries schedules until one is found, all were tried or the budget is spent.
fn search_all(
    args: &ExploreArgs,
    trials: Trials<'_>,
    search: &mut Search,
    reference: &Ending,
) -> Result<Option<Found>, Stopped> {
    loop {
        let left = args.budget.saturating_sub(search.counts.runs());
        let batch = search.next(BATCH.min(usize::try_from(left).unwrap_or(BATCH)));
        if batch.is_empty() {
            return Ok(None);
        }
        for attempt in try_together(trials, &batch, search, reference) {
            let (tried, ending, is_found) = attempt.ok_or(Stopped)?;
            let (deviations, has_ended) = (tried.deviations.clone(), tried.end == RunEnd::Ended);
            search.take(tried);
            if is_found {
                return Ok(Some(Found { deviations, ending, has_ended }));
            }
        }
    }
}

/// Tries some schedules, in their order up to the first that brings something to light; tells which one does. `None` for
/// one that the user has stopped.
fn try_together(
    trials: Trials<'_>,
    batch: &[Vec<Deviation>],
    search: &Search,
    reference: &Ending,
) -> Vec<Option<(Tried, Ending, bool)>> {
    trials.up_to_first(batch.len() as u64, |n| {
        let (tried, ending, _) = follow(trials, batch[n as usize].clone(), search, &mut Vec::new());
        let is_found = is_found(trials, &tried, &ending, reference);
        // What a run leaves behind that was stopped says nothing.
        match interrupt::is_asked() {
            true => (None, true),
            false => (Some((tried, ending, is_found)), is_found),
        }
    })
}

/// Runs the program under a schedule, up to a state that is known; gives the cycles that it took, too. What the host reads
/// is added to `shown`.
fn follow(
    trials: Trials<'_>,
    deviations: Vec<Deviation>,
    search: &Search,
    shown: &mut Vec<Shown>,
) -> (Tried, Ending, u64) {
    let schedule = script(&deviations, Some(&search.met));
    let (mut runner, result) = trials.perform_and_show(&schedule, None, shown);
    let ending = trials.end(&mut runner, result);
    let end = match runner.script_end() {
        Some(ExplorationEnd::Visited) => RunEnd::Visited,
        Some(ExplorationEnd::NoProgress) => RunEnd::NoProgress,
        None => RunEnd::Ended,
    };
    let (decisions, states) = (runner.decisions(), runner.states().to_vec());
    let is_cut = runner.has_lost_decisions();
    (Tried { deviations, decisions, states, end, is_cut }, ending, runner.cycles())
}

fn script(deviations: &[Deviation], met: Option<&VisitedStates>) -> Schedule {
    Schedule::Script(deviations.to_vec(), met.cloned())
}

/// Whether a run has brought to light what the usual one has not.
fn is_found(trials: Trials<'_>, tried: &Tried, ending: &Ending, reference: &Ending) -> bool {
    !serious(ending, reference).is_empty()
        || tried.end == RunEnd::Ended
            && ending.differs(reference)
            && trials.differ_without_time([&script(&[], None), &script(&tried.deviations, None)])
}

/// Warnings of races and of operations that never end, which the usual run does not give.
fn serious(ending: &Ending, reference: &Ending) -> Vec<Diagnostic> {
    let mut new = new_warnings(ending, reference);
    new.retain(|warning| [DATA_RACE.name, DEADLOCK.name].contains(&&*warning.rule));
    new
}

/// Warnings that the usual run does not give.
fn new_warnings(ending: &Ending, reference: &Ending) -> Vec<Diagnostic> {
    let key = |d: &Diagnostic| (d.rule.clone(), d.primary.as_ref().map(|label| label.span));
    let known: Vec<_> = reference.warnings.iter().map(key).collect();
    ending.warnings.iter().filter(|warning| !known.contains(&key(warning))).cloned().collect()
}

/// Tells what was tried without a find.
fn tell_summary(args: &ExploreArgs, search: &mut Search, interrupted: bool, outcome: &mut Outcome) {
    let (complete, Counts { ended, met, .. }) = (search.is_complete(), search.counts);
    let depth = if complete { None } else { search.depth() };
    let (schedules, runs) = (ended + met, search.counts.runs());
    let budget = args.budget;
    let record = Record::Explored(Explored { complete, schedules, runs, budget, depth, interrupted });
    let how = if interrupted { "interrupted: " } else { "" };
    outcome.tell(&format!("{how}{}", summary(args, search)), &record);
}

/// What was tried without a find.
fn summary(args: &ExploreArgs, search: &mut Search) -> String {
    let is_complete = search.is_complete();
    let Counts { ended, met, in_vain } = search.counts;
    let first = match (is_complete, ended + met) {
        (true, 1) => "the only schedule ends as usual: nothing can happen in another order\n".to_string(),
        (true, all) => {
            format!("all {} schedules end with the same memory and the same output\n", grouped(all))
        }
        (false, _) => {
            let depth = search.depth().map_or(String::new(), |depth| {
                let decisions = counted(depth as u64, "unusual decision");
                format!("; all with up to {decisions} were")
            });
            let schedules = counted(ended + met, "schedule");
            format!("no difference in {schedules}; not all of them were tried{depth}\n")
        }
    };
    let budget = grouped(args.budget);
    let parts = [(ended, "to the end"), (met, "to a state of another run"), (in_vain, "waited in vain")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
    let runs = counted(search.counts.runs(), "run");
    format!("{first}{runs}, of at most {budget}: {}\n", parts.join(", "))
}

/// Reports a schedule, and writes it to a file if the command line names one.
fn report(
    args: &ExploreArgs,
    trials: Trials<'_>,
    search: &Search,
    reference: &Ending,
    found: Found,
    outcome: &mut Outcome,
) {
    let Found { deviations, ending, has_ended } = found;
    let (runner, _) = trials.perform(&script(&deviations, None), None);
    let decisions = runner.decisions();
    let is_unusual = |seen: &&SeenDecision| seen.decision.taken != Some(0);
    let unusual: Vec<SeenDecision> = decisions.iter().filter(is_unusual).cloned().collect();
    let program = args.run.compile.file.display();
    let lines = schedule::text(&runner, &unusual);
    let text = format!("# a schedule for `cslrun run {program} --schedule FILE`\n{lines}");
    let run = search.counts.runs();
    let shown = format!("# run {} ends differently\n{text}", grouped(run));
    outcome.tell(&shown, &Record::Schedule { run, text: &text });
    let help = match &args.schedule_file {
        None => format!(
            "`--schedule-file FILE` writes the schedule, and `cslrun run {program} --schedule FILE` repeats it"
        ),
        Some(file) => {
            if !outcome.write_file(file, "the schedule is", "schedule", text.as_bytes()) {
                return;
            }
            format!("`cslrun run {program} --schedule {}` repeats it", file.display())
        }
    };
    let notes: Vec<String> =
        unusual.iter().take(MOST_SHOWN).map(|seen| schedule::sentence(&runner, seen, &decisions)).collect();
    let named = |deviations: &[Deviation], subject: &str, with: &str| NamedSchedule {
        schedule: script(deviations, None),
        subject: subject.to_string(),
        with: with.to_string(),
    };
    let both = [
        named(&[], "the usual one", "the usual schedule"),
        named(&deviations, "another schedule", "the other"),
    ];
    outcome.exit = Exit::WentWrong;
    for mut warning in new_warnings(&ending, reference) {
        warning.notes.extend(notes.iter().map(|note| format!("with another schedule than usual: {note}")));
        outcome.diagnostics.push(warning);
    }
    let choices =
        |diag: Diag, _: Option<PeCoord>| notes.iter().fold(diag, |diag, note| diag.note(note.clone()));
    if has_ended && ending.differs(reference) {
        trials.without_time().report(&both, choices, help, outcome);
    }
}
