//! Why a run stands, in words.

use crate::{Diagnostic, Failure, MessageFormat, PeCoord, Program, render};

/// What ends a run in the debugger, so that it can be looked at.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Exceptions {
    /// Errors.
    pub errors: bool,
    /// Hangs and the cycle limit.
    pub hangs: bool,
    /// Warnings.
    pub warnings: bool,
}

/// Why a run stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StopKind {
    /// At the beginning.
    Entry,
    /// A step is done.
    Step,
    /// A breakpoint was met.
    Breakpoint,
    /// Words that are watched were written.
    Data,
    /// Somebody has asked for it.
    Pause,
    /// The cycle is reached.
    Goto,
    /// The program went wrong or hangs, or there is a warning.
    Exception,
    /// The run is over, and nobody wants to see its end.
    Ended,
    /// The host script is to act; the run goes on by itself.
    Host,
}

/// Why a run stands.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The reason.
    pub kind: StopKind,
    /// What there is to say.
    pub text: String,
    /// A longer text.
    pub report: String,
    /// Breakpoints that were met.
    pub breakpoints: Vec<u32>,
}

impl Stop {
    /// A stop without breakpoints.
    pub fn new(kind: StopKind, text: String) -> Stop {
        Stop { kind, text, report: String::new(), breakpoints: Vec::new() }
    }
}

/// The end of a run that has finished, and the PE to look at.
pub fn finished(program: &Program, warnings: &[Diagnostic]) -> (Stop, Option<PeCoord>) {
    let report = render(program.sources(), warnings, MessageFormat::Plain, false);
    let text = "the run has finished".to_string();
    (Stop { report, ..Stop::new(StopKind::Ended, text) }, place(warnings))
}

/// The end of a run that has failed, and the PE that is to blame.
pub fn failed(program: &Program, failure: &Failure, wanted: Exceptions) -> (Stop, Option<PeCoord>) {
    let diagnostics = failure.diagnostics(program.sources());
    let (text, is_wanted) = match failure {
        Failure::Misuse(_) => ("the host has asked for something that does not exist", wanted.errors),
        Failure::Trapped(_) => ("the program has failed", wanted.errors),
        Failure::Stalled(_) => ("the program hangs", wanted.hangs),
        Failure::OutOfCycles(_) => ("the cycle limit is reached", wanted.hangs),
        Failure::Interrupted(_) => ("the run was interrupted", wanted.hangs),
    };
    let report = render(program.sources(), &diagnostics, MessageFormat::Plain, false);
    let title = diagnostics.first().map_or(String::new(), |first| format!(": {}", first.title));
    let kind = if is_wanted { StopKind::Exception } else { StopKind::Ended };
    let stop = Stop { report, ..Stop::new(kind, format!("{text}{title}")) };
    (stop, place(&diagnostics))
}

fn place(diagnostics: &[Diagnostic]) -> Option<PeCoord> {
    let moment = diagnostics.iter().find_map(|diagnostic| diagnostic.moment)?;
    Some(PeCoord { x: moment.x, y: moment.y })
}
