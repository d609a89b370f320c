//! What runs of one program under two schedules leave behind, and the report about two that end differently.

use super::args::RunArgs;
use super::number;
use super::outcome::Outcome;
use super::reading::Shown;
use super::running::{fail, options};
use super::steps::{self, Trouble};
use super::{Exit, evidence, interrupt};
use crate::diagnostics::Diag;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::host::ORDER_DEPENDENT;
use crate::{
    Deviation, Diagnostic, Failure, FinalVariable, PeCoord, Program, RunOptions, Runner, Scalar, SeenWrite,
    SourceMap, Span, VisitedStates,
};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The end of one run, as far as it is compared with others.
pub struct Ending {
    /// A hash of the variables and the printed lines.
    pub hash: u64,
    /// The rules that it broke in the end, with their places.
    pub failed: Vec<String>,
    /// What it warned of.
    pub warnings: Vec<Diagnostic>,
    /// Whether it was stopped.
    pub interrupted: bool,
    /// The command line does not fit the program.
    pub misused: Option<Trouble>,
    /// Places of `@assert`s that held.
    pub asserts_held: BTreeSet<Span>,
}

impl Ending {
    /// Whether another run ends otherwise.
    pub fn differs(&self, other: &Ending) -> bool {
        (self.hash, &self.failed) != (other.hash, &other.failed)
    }
}

/// What decides what is up to the machine.
#[derive(Clone)]
pub enum Schedule {
    /// A seed.
    Seed(u64),
    /// Scripts: what is not as usual, and where the run may end early.
    Script(Vec<Deviation>, Option<VisitedStates>),
}

/// A schedule and its names in messages.
pub struct NamedSchedule {
    /// The schedule.
    pub schedule: Schedule,
    /// What ends differently: "seed 4".
    pub subject: String,
    /// What something happens with: "seed 4".
    pub with: String,
}

/// A program that is run several times.
#[derive(Copy, Clone)]
pub struct Trials<'a> {
    /// How.
    pub args: &'a RunArgs,
    /// The program.
    pub program: &'a Arc<Program>,
    /// The cycle limit, if it is not that of the command line.
    pub max_cycles: Option<u64>,
    /// Time stamp counters tell no time.
    pub holds_clock: bool,
}

impl Trials<'_> {
    /// Runs the program; `watched` are words whose writes are to be noted.
    pub fn perform(
        self,
        schedule: &Schedule,
        watched: Option<&FinalVariable>,
    ) -> (Runner, Result<Vec<Diagnostic>, Trouble>) {
        self.perform_and_show(schedule, watched, &mut Vec::new())
    }

    /// The same; what the host reads is added to `shown`.
    pub fn perform_and_show(
        self,
        schedule: &Schedule,
        watched: Option<&FinalVariable>,
        shown: &mut Vec<Shown>,
    ) -> (Runner, Result<Vec<Diagnostic>, Trouble>) {
        let usual = options(self.args);
        let max_cycles = self.max_cycles.or(usual.max_cycles);
        let seed = if let Schedule::Seed(seed) = schedule { Some(*seed) } else { None };
        let options = RunOptions { seed, threads: 1, max_cycles, holds_clock: self.holds_clock, ..usual };
        let mut runner = Runner::new(Arc::clone(self.program), options);
        if let Schedule::Script(deviations, met) = schedule {
            runner.follow(deviations, met.clone());
        }
        if let Some(word) = watched {
            runner.watch_words(word.pe, word.addr, word.words);
        }
        let result = steps::perform_all(&mut runner, &self.args.steps, shown);
        (runner, result)
    }

    /// The end of a run.
    pub fn end(self, runner: &mut Runner, result: Result<Vec<Diagnostic>, Trouble>) -> Ending {
        let mut ending = Ending {
            hash: runner.final_hash(),
            failed: Vec::new(),
            warnings: Vec::new(),
            interrupted: false,
            misused: None,
            asserts_held: runner.report().asserts_held,
        };
        match result {
            Ok(warnings) => ending.warnings = warnings,
            Err(Trouble::Run(Failure::Interrupted(_))) => {
                ending.interrupted = true;
                ending.warnings = runner.warnings();
            }
            Err(Trouble::Run(failure)) if !matches!(failure, Failure::Misuse(_)) => {
                ending.failed = broken(&failure, &self.program.sources);
                ending.warnings = runner.warnings();
            }
            Err(trouble) => ending.misused = Some(trouble),
        }
        ending
    }

    /// The same trials without time: what a program stores of its time stamps is equal in all of them.
    pub fn without_time(self) -> Self {
        Trials { holds_clock: true, ..self }
    }

    /// Whether two schedules whose runs end differently do so for another reason than the time that they take.
    pub fn differ_without_time(self, both: [&Schedule; 2]) -> bool {
        let trials = self.without_time();
        let [one, other] = both.map(|schedule| {
            let (mut runner, result) = trials.perform(schedule, None);
            trials.end(&mut runner, result)
        });
        one.differs(&other)
    }

    /// Calls `attempt` with 0, 1 and so on below `count`, on as many threads as the command line asks for; it gives a
    /// result, and whether the attempts end with it. Gives the results up to the first such one, in order, so that they
    /// do not depend on the number of threads.
    pub fn up_to_first<T: Send>(self, count: u64, attempt: impl Fn(u64) -> (T, bool) + Sync) -> Vec<T> {
        let automatic = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.args.threads.unwrap_or_else(automatic);
        let threads = threads.min(usize::try_from(count).unwrap_or(usize::MAX));
        // Numbers are taken in order, and none behind one that ends the attempts: all before the first such are tried.
        let (next, last) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        let results = Mutex::new(Vec::new());
        let work = || {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= count || n > last.load(Ordering::Relaxed) {
                    return;
                }
                let (result, is_last) = attempt(n);
                if is_last {
                    last.fetch_min(n, Ordering::Relaxed);
                }
                results.lock().expect("no thread panics").push((n, result));
            }
        };
        std::thread::scope(|scope| {
            let help = || std::thread::Builder::new().spawn_scoped(scope, work);
            // Where the system gives no more threads, or none as in a browser, this one does what is left.
            (1..threads).for_each(|_| drop(help()));
            work();
        });
        let (mut results, last) = (results.into_inner().expect("no thread panics"), last.into_inner());
        results.retain(|(n, _)| *n <= last);
        results.sort_by_key(|(n, _)| *n);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// All runs fail in the same way: shows one of them.
    pub fn show_failure(self, schedule: &Schedule, outcome: &mut Outcome) {
        let (mut runner, result) = self.perform(schedule, None);
        outcome.diagnostics.clear();
        if let Err(Trouble::Run(failure)) = result {
            outcome.diagnostics.extend(runner.warnings());
            fail(&failure, outcome);
            evidence::add(outcome, &mut runner);
        }
    }

    /// Reports that two schedules end differently: which word, who wrote it, and what `choices` tells of the PE where
    /// they differ. Nothing if they do not.
    pub fn report(
        self,
        both: &[NamedSchedule; 2],
        choices: impl FnOnce(Diag, Option<PeCoord>) -> Diag,
        help: String,
        outcome: &mut Outcome,
    ) {
        let [(mut one, one_ended), (mut other, other_ended)] =
            both.each_ref().map(|named| self.perform(&named.schedule, None));
        let failed = |ended: &Result<Vec<Diagnostic>, Trouble>| match ended {
            Err(Trouble::Run(failure)) => broken(failure, &self.program.sources),
            _ => Vec::new(),
        };
        let word = first_word(&one.final_variables(), &other.final_variables());
        let line = first_line(&one.final_lines(), &other.final_lines());
        let has_failed = failed(&one_ended) != failed(&other_ended);
        let what = match (&word, &line) {
            _ if has_failed => "in another way",
            (Some(_), _) => "with another memory",
            (None, Some(_)) => "with another output",
            (None, None) => return,
        };
        let [first, then] = both;
        let mut diag =
            ORDER_DEPENDENT.because(&[("other", &then.subject), ("first", &first.subject), ("what", &what)]);
        let at = word.as_ref().map(|(word, _)| word.pe).or(line.as_ref().map(|(pe, _)| *pe));
        if let Some((word, values)) = &word {
            diag = self.with_word(diag, both, word);
            diag = diag.note(values.text(both));
        } else if let (Some((pe, lines)), false) = (&line, has_failed) {
            let shown =
                |k: usize| lines[k].as_ref().map_or("nothing".to_string(), |line| format!("`{line}`"));
            diag = diag.note(format!(
                "{pe} prints {} with {}, {} with {}",
                shown(0),
                first.with,
                shown(1),
                then.with
            ));
        }
        diag = choices(diag, at);
        outcome.exit = Exit::WentWrong;
        if has_failed && let Err(Trouble::Run(failure)) = other_ended {
            outcome.diagnostics.extend(failure.diagnostics(&self.program.sources));
        } else if has_failed && let Err(Trouble::Run(failure)) = one_ended {
            outcome.diagnostics.extend(failure.diagnostics(&self.program.sources));
        }
        outcome.diagnostics.push(diag.help(help).into());
    }

    /// Adds who wrote a word last in both runs.
    fn with_word(self, diag: Diag, both: &[NamedSchedule; 2], word: &FinalVariable) -> Diag {
        let last = |named: &NamedSchedule| -> Option<SeenWrite> {
            let (mut runner, _) = self.perform(&named.schedule, Some(word));
            runner.seen_writes(word.pe).last().copied()
        };
        let [one, other] = both.each_ref().map(last);
        let names = both.each_ref().map(|named| &named.with);
        let cycle = |write: &SeenWrite| format!("in cycle {}", grouped(write.cycle));
        match (one, other) {
            (Some(a), Some(b)) if a.span == b.span => match a.span {
                Some(span) => diag.at(span).label(format!(
                    "written last here: {} with {}, {} with {}",
                    cycle(&a),
                    names[0],
                    cycle(&b),
                    names[1]
                )),
                None => diag.note("the host has written it last"),
            },
            (a, b) => {
                let mut diag = diag;
                for (write, name) in [(b, names[1]), (a, names[0])] {
                    diag = match write {
                        Some(write @ SeenWrite { span: Some(span), .. }) => {
                            let text = format!("written last here with {name}, {}", cycle(&write));
                            let is_first = diag.0.primary.is_none();
                            if is_first { diag.at(span).label(text) } else { diag.also(span, text) }
                        }
                        Some(_) => diag.note(format!("with {name} the host has written it last")),
                        None => diag.note(format!("with {name} nothing has written it")),
                    };
                }
                diag
            }
        }
    }
}

/// Ends the command, because its words do not fit the program.
pub fn refuse(trouble: Trouble, outcome: &mut Outcome) {
    interrupt::run_ends();
    match trouble {
        Trouble::Words(words) => outcome.refuse(words),
        Trouble::Run(failure) => fail(&failure, outcome),
    }
}

/// The rules behind a failure, with the places of their first labels.
fn broken(failure: &Failure, sources: &SourceMap) -> Vec<String> {
    let all = failure.diagnostics(sources);
    let name = |d: &Diagnostic| {
        let place = d.primary.as_ref().map(|label| (label.span.file.0, label.span.lo));
        format!("{} at {place:?}", d.rule)
    };
    let mut names: Vec<String> = all.iter().filter(|d| d.severity.is_error()).map(name).collect();
    names.sort();
    names
}

/// Both values of an element that differs.
struct TwoValues {
    element: String,
    pe: PeCoord,
    values: [String; 2],
}

impl TwoValues {
    fn text(&self, [first, then]: &[NamedSchedule; 2]) -> String {
        let TwoValues { element, pe, values: [one, other] } = self;
        format!("`{element}` on {pe} holds {one} with {}, {other} with {}", first.with, then.with)
    }
}

/// The first element that differs: its variable, narrowed to the element, and both values.
fn first_word(one: &[FinalVariable], other: &[FinalVariable]) -> Option<(FinalVariable, TwoValues)> {
    let (a, b) = one.iter().zip(other).find(|(a, b)| a != b)?;
    let k = a.values.iter().zip(&b.values).position(|(a, b)| a != b)?;
    let element = if a.single { a.name.clone() } else { format!("{}[{k}]", a.name) };
    let values = [a, b].map(|variable| number::show(variable.values[k], variable.scalar));
    // Two bytes share a word.
    let words_behind = if a.scalar.words() as usize == a.words && !is_byte(a) { k * a.words } else { k / 2 };
    let word = FinalVariable { addr: a.addr + words_behind, values: Vec::new(), ..a.clone() };
    Some((word, TwoValues { element, pe: a.pe, values }))
}

fn is_byte(variable: &FinalVariable) -> bool {
    matches!(variable.scalar, Scalar::U8 | Scalar::I8) && !variable.single
}

type LinePair = [Option<String>; 2];

/// The first line that differs, and the PE that has printed it.
fn first_line(one: &[(PeCoord, String)], other: &[(PeCoord, String)]) -> Option<(PeCoord, LinePair)> {
    let k = (0..one.len().max(other.len())).find(|k| one.get(*k) != other.get(*k))?;
    let (a, b) = (one.get(k), other.get(k));
    let pe = a.map(|line| line.0).into_iter().chain(b.map(|line| line.0)).min_by_key(|pe| (pe.y, pe.x))?;
    let of = |line: Option<&(PeCoord, String)>| line.filter(|line| line.0 == pe).map(|line| line.1.clone());
    Some((pe, [of(a), of(b)]))
}
