//! `--seeds A..B`: runs a program under many schedules and compares what the runs leave behind.

use super::args::RunArgs;
use super::number;
use super::outcome::Outcome;
use super::running::{fail, options};
use super::steps::{self, Trouble};
use super::{Exit, evidence, interrupt};
use crate::diagnostics::Diag;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::host::ORDER_DEPENDENT;
use crate::{
    Diagnostic, Failure, FinalVariable, PeCoord, Program, RunOptions, Runner, Scalar, SeenChoice, SeenWrite,
    SourceMap, Span,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The end of one run, as far as it is compared with others.
struct Ending {
    hash: u64,
    /// The rules that it broke in the end, with their places.
    failed: Vec<String>,
    warnings: Vec<Diagnostic>,
    interrupted: bool,
    misused: Option<Trouble>,
    asserts_held: BTreeSet<Span>,
}

/// Runs the program once for each seed, on as many threads, and reports the first run that ends differently.
pub fn run(args: &RunArgs, program: &Arc<Program>, outcome: &mut Outcome) {
    let Some((first, last)) = args.seeds else { return };
    let reference = end(args, program, first);
    if let Some(trouble) = reference.misused {
        return refuse(trouble, outcome);
    }
    outcome.asserts_held.clone_from(&reference.asserts_held);
    let (endings, found) = others(args, program, (first, last), &reference);
    interrupt::run_ends();
    if reference.interrupted || endings.values().any(|(_, interrupted)| *interrupted) {
        outcome.exit = Exit::Interrupted;
        return;
    }
    add_warnings((first, reference.warnings), endings, found.unwrap_or(last), outcome);
    match found {
        Some(seed) => report(args, program, (first, seed), outcome),
        None => {
            let runs = grouped(last - first + 1);
            outcome.printed += &format!(
                "seeds {first} to {last}: all {runs} runs end with the same memory and the same output\n"
            );
            if !reference.failed.is_empty() {
                show_failure(args, program, first, outcome);
            }
        }
    }
}

/// All runs fail in the same way: shows one of them.
fn show_failure(args: &RunArgs, program: &Arc<Program>, seed: u64, outcome: &mut Outcome) {
    let (mut runner, result) = perform(args, program, seed, None);
    outcome.diagnostics.clear();
    if let Err(Trouble::Run(failure)) = result {
        outcome.diagnostics.extend(runner.warnings());
        fail(&failure, outcome);
        evidence::add(outcome, &mut runner);
    }
}

/// Runs all seeds but the first; gives their warnings and whether they were interrupted, and the first seed whose run
/// ends otherwise than `reference`.
fn others(
    args: &RunArgs,
    program: &Arc<Program>,
    (first, last): (u64, u64),
    reference: &Ending,
) -> (Endings, Option<u64>) {
    let stop = interrupt::run_begins();
    let automatic = || std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.threads.unwrap_or_else(automatic);
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
            let Ending { hash, failed, warnings, interrupted, .. } = end(args, program, seed);
            if hash != reference.hash || failed != reference.failed {
                differs.fetch_min(seed, Ordering::Relaxed);
            }
            endings.lock().expect("no thread panics").insert(seed, (warnings, interrupted));
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let found = Some(differs.into_inner()).filter(|seed| *seed <= last);
    (endings.into_inner().expect("no thread panics"), found)
}

/// The warnings of the run of each seed, and whether it was interrupted.
type Endings = BTreeMap<u64, (Vec<Diagnostic>, bool)>;

fn refuse(trouble: Trouble, outcome: &mut Outcome) {
    interrupt::run_ends();
    match trouble {
        Trouble::Words(words) => outcome.refuse(words),
        Trouble::Run(failure) => fail(&failure, outcome),
    }
}

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

/// Runs the program with a seed; `watched` are words whose writes are to be noted.
fn perform(
    args: &RunArgs,
    program: &Arc<Program>,
    seed: u64,
    watched: Option<&FinalVariable>,
) -> (Runner, Result<Vec<Diagnostic>, Trouble>) {
    let options = RunOptions { seed: Some(seed), threads: 1, ..options(args) };
    let mut runner = Runner::new(Arc::clone(program), options);
    if let Some(word) = watched {
        runner.watch_words(word.pe, word.addr, word.words);
    }
    let result = steps_and_rest(&mut runner, args);
    (runner, result)
}

fn steps_and_rest(runner: &mut Runner, args: &RunArgs) -> Result<Vec<Diagnostic>, Trouble> {
    for step in &args.steps {
        steps::perform(runner, step, &mut String::new())?;
    }
    Ok(runner.run_until_idle()?)
}

fn end(args: &RunArgs, program: &Arc<Program>, seed: u64) -> Ending {
    let (mut runner, result) = perform(args, program, seed, None);
    let hash = runner.final_hash();
    let mut ending = Ending {
        hash,
        failed: Vec::new(),
        warnings: Vec::new(),
        interrupted: false,
        misused: None,
        asserts_held: runner.report().asserts_held,
    };
    match result {
        Ok(warnings) => ending.warnings = warnings,
        Err(Trouble::Run(Failure::Interrupted(_))) => ending.interrupted = true,
        Err(Trouble::Run(failure)) if !matches!(failure, Failure::Misuse(_)) => {
            ending.failed = broken(&failure, &program.sources);
            ending.warnings = runner.warnings();
        }
        Err(trouble) => ending.misused = Some(trouble),
    }
    ending
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

/// Reports that two seeds end differently: which word, who wrote it, and which choice came first.
fn report(args: &RunArgs, program: &Arc<Program>, (first, seed): (u64, u64), outcome: &mut Outcome) {
    let (mut one, one_ended) = perform(args, program, first, None);
    let (mut other, other_ended) = perform(args, program, seed, None);
    let seeds = [first, seed];
    let failed = |ended: &Result<Vec<Diagnostic>, Trouble>| match ended {
        Err(Trouble::Run(failure)) => broken(failure, &program.sources),
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
    let mut diag = ORDER_DEPENDENT.because(&[("seed", &seed), ("first", &first), ("what", &what)]);
    let at = word.as_ref().map(|(word, _)| word.pe).or(line.as_ref().map(|(pe, _)| *pe));
    if let Some((word, notes)) = &word {
        diag = with_word(diag, args, program, seeds, word);
        diag = diag.note(notes.clone().with(seeds));
    } else if let (Some((pe, lines)), false) = (&line, has_failed) {
        let shown = |k: usize| lines[k].as_ref().map_or("nothing".to_string(), |line| format!("`{line}`"));
        diag =
            diag.note(format!("{pe} prints {} with seed {first}, {} with seed {seed}", shown(0), shown(1)));
    }
    if let Some(at) = at {
        diag = with_choices(diag, args, program, seeds, at);
    }
    outcome.exit = Exit::WentWrong;
    if has_failed && let Err(Trouble::Run(failure)) = other_ended {
        outcome.diagnostics.extend(failure.diagnostics(&program.sources));
    } else if has_failed && let Err(Trouble::Run(failure)) = one_ended {
        outcome.diagnostics.extend(failure.diagnostics(&program.sources));
    }
    let diag = diag.help(format!(
        "`--seed {first}` and `--seed {seed}` repeat the two runs; let one task activate the other"
    ));
    outcome.diagnostics.push(diag.into());
}

/// Both values of an element that differs.
#[derive(Clone)]
struct TwoValues {
    element: String,
    pe: PeCoord,
    values: [String; 2],
}

impl TwoValues {
    fn with(self, seeds: [u64; 2]) -> String {
        let TwoValues { element, pe, values: [one, other] } = self;
        format!("`{element}` on {pe} holds {one} with seed {}, {other} with seed {}", seeds[0], seeds[1])
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

/// Adds who wrote a word last in both runs.
fn with_word(
    diag: Diag,
    args: &RunArgs,
    program: &Arc<Program>,
    seeds: [u64; 2],
    word: &FinalVariable,
) -> Diag {
    let last = |seed| -> Option<SeenWrite> {
        let (mut runner, _) = perform(args, program, seed, Some(word));
        runner.seen_writes(word.pe).last().copied()
    };
    let [one, other] = seeds.map(last);
    let cycle = |write: &SeenWrite| format!("in cycle {}", grouped(write.cycle));
    match (one, other) {
        (Some(a), Some(b)) if a.span == b.span => match a.span {
            Some(span) => diag.at(span).label(format!(
                "written last here: {} with seed {}, {} with seed {}",
                cycle(&a),
                seeds[0],
                cycle(&b),
                seeds[1]
            )),
            None => diag.note("the host has written it last"),
        },
        (a, b) => {
            let mut diag = diag;
            for (write, seed) in [(b, seeds[1]), (a, seeds[0])] {
                diag = match write {
                    Some(write @ SeenWrite { span: Some(span), .. }) => {
                        let text = format!("written last here with seed {seed}, {}", cycle(&write));
                        let is_first = diag.0.primary.is_none();
                        if is_first { diag.at(span).label(text) } else { diag.also(span, text) }
                    }
                    Some(_) => diag.note(format!("with seed {seed} the host has written it last")),
                    None => diag.note(format!("with seed {seed} nothing has written it")),
                };
            }
            diag
        }
    }
}

/// Adds the first choices in which two runs differ, of one PE or else of the whole wafer.
fn with_choices(diag: Diag, args: &RunArgs, program: &Arc<Program>, seeds: [u64; 2], at: PeCoord) -> Diag {
    let nothing = FinalVariable {
        pe: at,
        name: String::new(),
        scalar: Scalar::U16,
        single: true,
        addr: 0,
        words: 1,
        values: Vec::new(),
    };
    let [(one, _), (other, _)] = seeds.map(|seed| perform(args, program, seed, Some(&nothing)));
    let differing = |at: PeCoord, tasks: bool| {
        let (a, b) = (one.seen_choices(at, tasks), other.seen_choices(at, tasks));
        let k = (0..a.len().max(b.len()))
            .find(|k| a.get(*k).map(|c| &c.chosen) != b.get(*k).map(|c| &c.chosen))?;
        Some((at, [a.get(k).cloned(), b.get(k).cloned()]))
    };
    let (width, height) = program.size();
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
