//! What all ways to run a program share: the options of a run, and what a failure does to the outcome.

use super::args::RunArgs;
use super::outcome::{Outcome, verdict};
use super::{Exit, interrupt};
use crate::diagnostics::rules::{check::QUEUE_NOT_INITIALIZED, run::QUEUE_UNBOUND};
use crate::{Diagnostic, Failure, RunOptions};

/// How a run is to be performed, as far as the command line says.
pub fn options(args: &RunArgs) -> RunOptions {
    let defaults = RunOptions::default();
    RunOptions {
        max_cycles: args.max_cycles,
        checked: !args.unchecked,
        levels: args.compile.levels,
        seed: args.seed,
        plain: args.compile.engine.is_plain(),
        stop: Some(interrupt::run_begins()),
        ..defaults
    }
}

/// Ends a run that has failed.
pub fn fail(failure: &Failure, outcome: &mut Outcome) {
    let mut diagnostics = failure.diagnostics(&outcome.sources);
    outcome.exit = match failure {
        Failure::Misuse(_) => Exit::Usage,
        Failure::Trapped(_) => verdict(&diagnostics, Exit::WentWrong),
        Failure::Stalled(_) | Failure::OutOfCycles(_) => Exit::Stuck,
        Failure::Interrupted(_) => Exit::Interrupted,
    };
    outcome.diagnostics.retain(|warning| {
        let Some(error) = diagnostics.iter_mut().find(|error| has_come_true(warning, error)) else {
            return true;
        };
        // It may say more about the program than the run knows.
        if !warning.others.is_empty() {
            error.others.extend(warning.others.iter().cloned());
            error.help.clone_from(&warning.help);
        }
        false
    });
    outcome.diagnostics.extend(diagnostics);
}

/// Whether an error is what a warning before the run was about: the same queue of the same file.
fn has_come_true(warning: &Diagnostic, error: &Diagnostic) -> bool {
    let is_the_same = warning.rule == QUEUE_NOT_INITIALIZED.name && error.rule == QUEUE_UNBOUND.name;
    let file = |d: &Diagnostic| d.primary.as_ref().map(|label| label.span.file);
    let queue = warning.title.strip_suffix(" has no color");
    is_the_same && file(warning) == file(error) && queue.is_some_and(|queue| error.title.ends_with(queue))
}
