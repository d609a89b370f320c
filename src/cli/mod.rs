//! The command line.
//!
//! In: arguments, files, the terminal. Out: text on stdout, diagnostics on stderr, an exit status.
//! Never: decides what CSL means. The only room that prints or reads the environment.

mod args;
mod check;
mod dump;
mod explain;
mod fault;
mod npy;
mod number;
mod output;
mod reading;
mod run;
mod session;

use args::Command;
use std::process::ExitCode;

/// How the command ended, as its exit status tells.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything that was asked for was done.
    Fine = 0,
    /// The program is not valid CSL.
    Rejected = 1,
    /// The command was used wrongly: arguments, files, names.
    Usage = 2,
    /// The program went wrong while it ran.
    WentWrong = 3,
    /// The program stopped making progress, or reached a limit.
    Stuck = 4,
    /// Valid CSL that cslrun does not do.
    Unsupported = 5,
    /// A fault of cslrun itself.
    OurFault = 70,
    /// Stopped by the user.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The command `cslrun`, from arguments to exit status.
pub fn main() -> ExitCode {
    guarded(|| match args::parse(std::env::args_os()) {
        Ok(command) => dispatch(command),
        Err(refusal) => refusal.print(),
    })
}

/// Runs a command with what every command of this package needs: room for deep recursion, a
/// report for our own faults, and an answer to Ctrl-C.
pub fn guarded(command: impl FnOnce() -> Exit + Send + 'static) -> ExitCode {
    fault::install();
    fault::on_a_large_stack(command).into()
}

fn dispatch(command: Command) -> Exit {
    match command {
        Command::Run(run) => run::run(&run),
        Command::Check(compile) => check::check(&compile),
        Command::Dump(compile) => dump::dump(&compile),
        Command::Explain(rule) => explain::explain(rule.as_deref()),
    }
}
