use super::args::RunArgs;
use super::outcome::{Outcome, verdict};
use super::progress::ProgressLine;
use super::report;
use super::steps::{self, Trouble};
use super::{Exit, evidence, interrupt, seeds, threads, trace};
use crate::diagnostics::render::{estimated_cycles, grouped};
use crate::diagnostics::rules::{check::QUEUE_NOT_INITIALIZED, run::QUEUE_UNBOUND};
use crate::{Diagnostic, Failure, Loader, RunOptions, Runner};
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
    let line = ProgressLine::begin(args.max_cycles);
    let pulse = line.pulse();
    let mut runner = Runner::new(Arc::new(program), RunOptions { threads, pulse, ..options(args) });
    if let Some(filter) = filter.or_else(|| args.report.is_some().then(report::filter)) {
        runner.record(filter);
    }
    if args.report.is_some() {
        report::prepare(&mut runner);
    }
    perform(runner, args, line, &mut outcome);
    outcome
}

fn perform(mut runner: Runner, args: &RunArgs, line: ProgressLine, outcome: &mut Outcome) {
    let mut shown = String::new();
    let result = steps_and_rest(&mut runner, args, &mut shown);
    interrupt::run_ends();
    drop(line);
    outcome.asserts_held = runner.report().asserts_held;
    trace::show(&args.trace, &mut runner, outcome);
    outcome.printed += &printed_lines(&mut runner);
    outcome.printed += &shown;
    match result {
        Ok(warnings) => {
            outcome.diagnostics.extend(warnings);
            outcome.printed += &format!("{}\n", estimated_cycles(runner.cycles()));
        }
        Err(Trouble::Words(words)) => outcome.refuse(words),
        Err(Trouble::Run(failure)) => {
            outcome.diagnostics.extend(runner.warnings());
            fail(&failure, outcome);
            evidence::add(outcome, &mut runner);
        }
    }
    if let Some(path) = &args.report {
        report::write(path, &mut runner, outcome);
    }
    if outcome.exit == Exit::Interrupted {
        // Whoever has stopped it does not wait until a wafer is cleared away.
        std::mem::forget(runner);
    }
}

/// How a run is to be performed, as far as the command line says.
pub fn options(args: &RunArgs) -> RunOptions {
    let defaults = RunOptions::default();
    RunOptions {
        max_cycles: args.max_cycles.unwrap_or(defaults.max_cycles),
        checked: !args.unchecked,
        levels: args.compile.levels,
        seed: args.seed,
        plain: args.compile.engine.is_plain(),
        stop: Some(interrupt::run_begins()),
        ..defaults
    }
}

/// The steps, and then the program until nothing is left to do. Gives warnings about the end.
fn steps_and_rest(
    runner: &mut Runner,
    args: &RunArgs,
    shown: &mut String,
) -> Result<Vec<Diagnostic>, Trouble> {
    for step in &args.steps {
        steps::perform(runner, step, shown)?;
    }
    Ok(runner.run_until_idle()?)
}

fn printed_lines(runner: &mut Runner) -> String {
    let lines = runner.printed().iter();
    lines.map(|p| format!("{}, cycle {}: {}\n", p.pe, grouped(p.cycle), p.text)).collect()
}

/// Notes a failure: its diagnostics, and the exit status that it means.
pub(super) fn fail(failure: &Failure, outcome: &mut Outcome) {
    let diagnostics = failure.diagnostics(&outcome.sources);
    outcome.exit = match failure {
        Failure::Misuse(_) => Exit::Usage,
        Failure::Trapped(_) => verdict(&diagnostics, Exit::WentWrong),
        Failure::Stalled(_) | Failure::OutOfCycles(_) => Exit::Stuck,
        Failure::Interrupted(_) => Exit::Interrupted,
    };
    outcome.diagnostics.retain(|warning| !diagnostics.iter().any(|error| has_come_true(warning, error)));
    outcome.diagnostics.extend(diagnostics);
}

/// Whether an error is what a warning before the run was about.
fn has_come_true(warning: &Diagnostic, error: &Diagnostic) -> bool {
    let is_the_same = warning.rule == QUEUE_NOT_INITIALIZED.name && error.rule == QUEUE_UNBOUND.name;
    let place = |d: &Diagnostic| d.primary.as_ref().map(|label| label.span);
    is_the_same && place(warning) == place(error)
}
