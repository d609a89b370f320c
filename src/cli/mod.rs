//! The command line.
//!
//! In: arguments, files, the terminal. Out: text on stdout, diagnostics on stderr, an exit status.
//! Never: decides what CSL means. The only module that prints or reads the environment.

mod apart;
mod args;
mod check;
mod completions;
mod csl_files;
mod cslc;
mod debug;
mod dsd;
mod dump;
mod endings;
mod engine;
mod evidence;
mod explain;
mod explore;
mod fault;
mod fmt;
mod html;
#[cfg(not(target_family = "wasm"))]
mod huge_pages;
mod interrupt;
mod junit;
mod learn;
mod listing;
mod lsp;
mod man;
mod memory;
mod named_paths;
mod npy;
mod number;
mod outcome;
mod output;
mod page;
mod picture;
mod profile;
mod progress;
mod read_once;
mod reading;
mod record;
mod report;
mod run;
mod running;
mod screen;
mod seeds;
mod settings;
mod site;
mod steps;
mod suite;
mod terminal;
mod threads;
mod trace;

pub use apart::{DsdPicture, Performed, compiled_program, dsd_pictures, perform_apart};
pub use debug::{AttachedRun, Debugger, Goal};
pub use dsd::DrawnDsds;
pub use evidence::add_values as add_values_of_assertions;
#[cfg(not(target_family = "wasm"))]
pub use huge_pages::keep_huge_pages;
pub use lsp::{EmbeddedServer, language_server};
pub use outcome::Outcome;
pub use progress::ProgressLine;
pub use settings::RunSettings;

use crate::{DiskLoader, Levels, Loader};
use args::Command;
use named_paths::NamedPaths;
use read_once::ReadOnce;
use std::ffi::OsString;
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
    /// Stopped by SIGTERM: what a shell says of a process without a handler.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The command `cslrun`, from arguments to exit status.
pub fn main() -> ExitCode {
    guarded(|| command(std::env::args_os())).into()
}

/// Does what a command line asks for; the first word is the name of the command.
fn command(words: impl Iterator<Item = OsString>) -> Exit {
    let words: Vec<OsString> = words.collect();
    output::speak(args::asks_for_json(&words));
    let levels = match levels_of_environment() {
        Ok(levels) => levels,
        Err(words) => {
            output::complain(&words);
            return Exit::Usage;
        }
    };
    match args::parse(words, levels) {
        Ok(Command::Learn(args)) if args.watch => learn::watch(&args, &DiskLoader, show),
        Ok(Command::Fmt(args)) => show_with(&fmt::fmt(&args, &DiskLoader), output::print_text),
        Ok(command) => {
            // A lesson compares what its program has printed.
            if matches!(command, Command::Run(_)) {
                output::show_lines_at_once();
            }
            show(&perform(&command, &ReadOnce::default()))
        }
        Err(refusal) => refuse(&refusal),
    }
}

/// Ends a command whose command line asks for nothing that can be done, or only for help.
fn refuse(refusal: &args::Refusal) -> Exit {
    match refusal.complaint() {
        Some(words) if output::speaks_json() => output::complain(words.trim_end()),
        Some(_) | None => refusal.print(),
    }
    if refusal.complaint().is_some() { Exit::Usage } else { Exit::Fine }
}

/// The command `cslrun`, from the words after its name to exit status; what it prints goes to the terminal.
pub fn cslrun(words: Vec<String>) -> Exit {
    guarded(move || command(std::iter::once("cslrun".into()).chain(words.into_iter().map(Into::into))))
}

/// The command `cslc`, from the words after its name to exit status; what it prints goes to the terminal.
pub fn cslc(words: Vec<String>) -> Exit {
    guarded(move || cslc::run(&words))
}

/// The options of the vendor's `cslc`, and whether each has an effect in cslrun.
pub fn cslc_options() -> impl Iterator<Item = (&'static str, bool)> {
    cslc::known_options()
}

/// Does what a command line asks for without printing: the first word is the name of the command.
/// `None` when the words ask for nothing that can be done.
pub fn perform_words(words: &[&str], loader: &dyn Loader) -> Option<Outcome> {
    let command = args::parse(words.iter().map(Into::into), Levels::default()).ok()?;
    Some(perform(&command, loader))
}

/// Draws the DSDs that a command line of `cslrun dsd` names: the first word is the name of the command. `None` when the
/// words make no sense; an outcome tells why there is nothing to draw.
pub fn drawn_dsds(words: &[&str], loader: &dyn Loader) -> Option<Result<DrawnDsds, Box<Outcome>>> {
    match args::parse(words.iter().map(Into::into), Levels::default()).ok()? {
        Command::Dsd(args) => Some(dsd::draw(&args, loader)),
        _ => None,
    }
}

/// The levels that the environment variable `CSLRUN_FLAGS` chooses, written like the options of the
/// command line.
///
/// # Errors
/// A text for people that names the variable.
pub fn levels_of_environment() -> Result<Levels, String> {
    let mut levels = Levels::default();
    let flags = std::env::var("CSLRUN_FLAGS").unwrap_or_default();
    levels.choose_flags(&flags).map_err(|why| format!("CSLRUN_FLAGS: {why}"))?;
    Ok(levels)
}

/// Runs a command with what every command of this package needs: room for deep recursion, a
/// report for our own faults, and an answer to Ctrl-C.
fn guarded(command: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    fault::install();
    interrupt::install();
    match fault::on_a_large_stack(command) {
        Exit::Interrupted => interrupt::exit(),
        exit => exit,
    }
}

fn perform(command: &Command, loader: &dyn Loader) -> Outcome {
    let named = NamedPaths::of(command);
    if let Some(why) = named.obstacle() {
        let mut outcome = Outcome::new(named.format);
        outcome.refuse(why);
        return outcome;
    }
    let loader = &named.spared_by(loader);
    match command {
        Command::Run(args) => run::run(args, loader).printable(),
        Command::Check(args) => check::check(args, loader).printable(),
        Command::Explore(args) => explore::explore(args, loader).printable(),
        Command::Dump(args) => dump::dump(args, loader).printable(),
        Command::Dsd(args) => dsd::dsd(args, loader).printable(),
        Command::Test(args) => suite::test(args, loader).printable(),
        Command::Explain(rule) => explain::explain(rule.as_deref(), output::width()),
        #[cfg(not(target_family = "wasm"))]
        Command::Learn(args) => learn::learn(args, loader),
        Command::Fmt(args) => fmt::fmt(args, loader),
        #[cfg(not(target_family = "wasm"))]
        Command::Lsp => lsp::lsp(),
        #[cfg(not(target_family = "wasm"))]
        Command::Debug(args) => debug::debug(args),
        #[cfg(not(target_family = "wasm"))]
        Command::Book(args) => site::serve("book", args),
        #[cfg(not(target_family = "wasm"))]
        Command::Play(args) => site::serve("play", args),
        #[cfg(not(target_family = "wasm"))]
        Command::Completions(shell) => completions::completions(*shell),
        #[cfg(not(target_family = "wasm"))]
        Command::Man(folder) => man::man(folder),
        // What needs a terminal, a disk, a network or an installation would only make larger what a page loads.
        #[cfg(target_family = "wasm")]
        _ => {
            let mut outcome = Outcome::new(crate::MessageFormat::Plain);
            outcome.refuse("this command does not run in a browser".to_string());
            outcome
        }
    }
}

fn show(outcome: &Outcome) -> Exit {
    show_with(outcome, output::print)
}

fn show_with(outcome: &Outcome, print: fn(&str) -> bool) -> Exit {
    let (stdout, stderr) = outcome.streams(output::colored());
    let is_written = print(&stdout);
    output::print_error(&stderr);
    if is_written || outcome.exit != Exit::Fine { outcome.exit } else { Exit::Usage }
}
