use super::args::{RunArgs, ShownCycles, TraceTarget};
use super::explore::WrittenSchedule;
use super::outcome::Outcome;
use super::progress::ProgressLine;
use super::record::{self, PrintedRecord, Record};
use super::running::{fail, options};
use super::steps::{self, Trouble};
use super::{Exit, evidence, interrupt, output, seeds, threads, trace};
use super::{profile, report};
use crate::diagnostics::render::{estimated_run, grouped};
use crate::{Diagnostic, LoadError, Loader, MessageFormat, Printed, RunOptions, Runner};
use std::sync::Arc;

/// `cslrun FILE.csl`
pub fn run(args: &RunArgs, loader: &dyn Loader) -> Outcome {
    let mut outcome = Outcome::new(args.compile.format());
    let Some(program) = outcome.compile(&args.compile, loader) else { return outcome };
    if let Err(failure) = Runner::check_memory(&program, args.memory) {
        fail(&failure, &mut outcome);
        return outcome;
    }
    if args.seeds.is_some() {
        seeds::run(args, &Arc::new(program), &mut outcome);
        return outcome;
    }
    let asked =
        trace::filter(&args.trace, &program).and_then(|f| Ok((f, threads::threads(args.threads, &program)?)));
    let (filter, threads) = match asked {
        Ok(asked) => asked,
        Err(words) => {
            outcome.refuse(words);
            return outcome;
        }
    };
    let schedule = match written_schedule(args, loader) {
        Ok(schedule) => schedule,
        Err(words) => {
            outcome.refuse(words);
            return outcome;
        }
    };
    let line = ProgressLine::begin(args.max_cycles);
    let pulse = ProgressLine::pulse();
    let mut runner = Runner::new(Arc::new(program), RunOptions { threads, pulse, ..options(args) });
    if let Some(filter) = filter.or_else(|| args.report.is_some().then(report::filter)) {
        runner.record(filter);
    }
    if args.report.is_some() {
        report::prepare(&mut runner);
    }
    if args.profile.is_some() {
        profile::prepare(&mut runner);
    }
    if let Some(schedule) = &schedule {
        runner.follow(&schedule.deviations(), None);
    }
    if follows_lines(args, &outcome) {
        let (cycles, format) = (args.shown_cycles, outcome.format);
        runner.follow_lines(Box::new(move |lines| show_at_once(lines, cycles, format)));
    }
    perform(runner, (args, schedule), line, &mut outcome);
    outcome
}

/// Whether printed lines can be shown while the program runs. A trace on the screen comes before them, and those of another
/// schedule than the one that was asked for are not shown at all.
fn follows_lines(args: &RunArgs, outcome: &Outcome) -> bool {
    let is_first = args.trace.trace != Some(TraceTarget::Screen) && args.schedule.is_none();
    output::shows_lines_at_once() && is_first && outcome.format != MessageFormat::Sarif
}

/// Shows lines on stdout as they would be shown at the end; false if that is not possible.
fn show_at_once(lines: &[Printed], cycles: ShownCycles, format: MessageFormat) -> bool {
    let mut outcome = Outcome::new(format);
    lines.iter().for_each(|line| tell_line(line, cycles, &mut outcome));
    output::print(&outcome.printable().printed)
}

/// The schedule that the run follows.
fn written_schedule(args: &RunArgs, loader: &dyn Loader) -> Result<Option<WrittenSchedule>, String> {
    let Some(path) = &args.schedule else { return Ok(None) };
    match loader.load(path) {
        Ok(text) => WrittenSchedule::parse(path, &text).map(Some),
        Err(LoadError::NotFound) => Err(format!("there is no file {}", path.display())),
        Err(LoadError::Outside) => Err(format!("{} is outside of the import root", path.display())),
        Err(LoadError::NotUtf8 { .. }) => Err(format!("{} is not text", path.display())),
        Err(LoadError::Written) => Err(format!("{} would be overwritten", path.display())),
        Err(LoadError::Other(why)) => Err(format!("{}: {why}", path.display())),
    }
}

fn perform(
    mut runner: Runner,
    (args, schedule): (&RunArgs, Option<WrittenSchedule>),
    line: ProgressLine,
    outcome: &mut Outcome,
) {
    let mut shown = Vec::new();
    let result = steps::perform_all(&mut runner, &args.steps, &mut shown);
    interrupt::run_ends();
    drop(line);
    outcome.asserts_held = runner.report().asserts_held;
    // Results of another schedule are not what was asked for.
    if let Some(Err(words)) = schedule.map(|schedule| schedule.check(&runner)) {
        return outcome.refuse(words);
    }
    trace::show(&args.trace, &mut runner, outcome);
    for line in runner.take_unshown() {
        tell_line(&line, args.shown_cycles, outcome);
    }
    shown.iter().for_each(|shown| shown.tell(outcome));
    match result {
        Ok(warnings) => {
            outcome.diagnostics.extend(warnings);
            if args.shown_cycles == ShownCycles::On {
                let cycles = runner.cycles();
                outcome.tell(&format!("{}\n", estimated_run(cycles)), &Record::Cycles { cycles });
            }
        }
        Err(Trouble::Words(words)) => outcome.refuse(words),
        Err(Trouble::Run(failure)) => {
            outcome.diagnostics.extend(runner.warnings());
            fail(&failure, outcome);
            evidence::add(outcome, &mut runner);
        }
    }
    if args.shown_cycles == ShownCycles::Off {
        let all = std::mem::take(&mut outcome.diagnostics);
        outcome.diagnostics = all.into_iter().map(Diagnostic::undated).collect();
    }
    if let Some(path) = &args.report {
        report::write(path, &mut runner, outcome);
    }
    if let Some(target) = &args.profile {
        profile::show(target, &runner, outcome);
    }
    if outcome.exit == Exit::Interrupted {
        // Whoever has stopped it does not wait until a wafer is cleared away.
        std::mem::forget(runner);
    }
}

fn tell_line(p: &Printed, cycles: ShownCycles, outcome: &mut Outcome) {
    let (text, cycle) = match cycles {
        ShownCycles::On => (format!("{}, cycle {}: {}\n", p.pe, grouped(p.cycle), p.text), Some(p.cycle)),
        ShownCycles::Off => (format!("{}: {}\n", p.pe, p.text), None),
    };
    let record = PrintedRecord { pe: record::place(p.pe), cycle, text: &p.text };
    outcome.tell(&text, &Record::Printed(record));
}
