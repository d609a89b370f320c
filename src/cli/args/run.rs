//! The arguments of `cslrun run`.

use super::compile::CompileArgs;
use super::names::{identifier, max_cycles, named, output, seed};
use super::profile_target::ProfileTarget;
use super::trace::TraceArgs;
use crate::cli::number::Number;
use crate::cli::{memory, threads};
use clap::{ArgMatches, Args, ValueEnum};
use std::path::PathBuf;

/// The heading of the options of a run in the help.
const HOW_TO_RUN: &str = "Run";

/// What to run, and how.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// What to compile.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Stop with an error after this many cycles [default: 1000000000]
    #[arg(long, value_name = "N", value_parser = max_cycles, help_heading = HOW_TO_RUN)]
    pub max_cycles: Option<u64>,
    /// Turn off the run-time checks for undefined behaviour: faster, but detects fewer errors
    #[arg(long, help_heading = HOW_TO_RUN)]
    pub unchecked: bool,
    /// Vary what the machine leaves undefined, such as the order of tasks that are ready at the same time; the result
    /// must not change
    #[arg(long, value_name = "N", value_parser = seed, help_heading = HOW_TO_RUN)]
    pub seed: Option<u64>,
    /// Run with each of these seeds, on all processors, and compare the results
    #[arg(long, value_name = "A..B", value_parser = seeds, help_heading = HOW_TO_RUN, conflicts_with_all = ["seed", "trace", "report", "shown_cycles"])]
    pub seeds: Option<(u64, u64)>,
    /// Follow a schedule that `cslrun explore` has written
    #[arg(long, value_name = "FILE", help_heading = HOW_TO_RUN, conflicts_with_all = ["seed", "seeds"])]
    pub schedule: Option<PathBuf>,
    /// Whether to print cycles, which are estimates; `off` suits output that is compared with that of another version
    #[arg(long = "cycles", value_name = "WHETHER", help_heading = HOW_TO_RUN, default_value = "on")]
    pub shown_cycles: ShownCycles,
    /// Number of threads for a large wafer [default: automatic]. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = threads::number, help_heading = HOW_TO_RUN)]
    pub threads: Option<usize>,
    /// Memory that the simulation may use, such as 8G [default: the free memory]
    #[arg(long, value_name = "BYTES", value_parser = memory::size, help_heading = HOW_TO_RUN)]
    pub memory: Option<u64>,
    /// What to record.
    #[command(flatten)]
    pub trace: TraceArgs,
    /// Write an HTML page that shows the run cycle by cycle
    #[arg(long, value_name = "FILE.html", value_parser = output, help_heading = HOW_TO_RUN)]
    pub report: Option<PathBuf>,
    /// The profile, if one is wanted.
    #[arg(skip)]
    pub profile: Option<ProfileTarget>,
    #[command(flatten)]
    written: WrittenSteps,
    /// The steps in the order given.
    #[arg(skip)]
    pub steps: Vec<HostStep>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Host steps, performed in the order given")]
struct WrittenSteps {
    /// Write a variable: numbers separated by commas, or a .npy file
    ///
    /// One number fills the variable. As many numbers as it has elements go to every PE. As many as all PEs
    /// need together are distributed row by row.
    #[arg(long, value_name = "NAME=VALUES|NAME=FILE.npy", value_parser = set, allow_hyphen_values = true)]
    set: Vec<HostStep>,
    /// Launch an exported function on every PE
    #[arg(long, value_name = "FN[:ARG,..]", value_parser = launch)]
    launch: Vec<HostStep>,
    /// Print a variable, or write it to a .npy file
    #[arg(long, value_name = "NAME[=FILE.npy]", value_parser = get)]
    get: Vec<HostStep>,
}

/// Whether cycles are printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShownCycles {
    /// At the end, in front of printed lines and in diagnostics
    On,
    /// Nowhere
    Off,
}

/// One thing that the host does with the running program.
#[derive(Clone, Debug, PartialEq)]
pub enum HostStep {
    /// Write a variable.
    Set(String, SetValues),
    /// Launch a function with these arguments.
    Launch(String, Vec<Number>),
    /// Read a variable, into a file if one is named.
    Get(String, Option<PathBuf>),
}

/// Where the values of `--set` come from.
#[derive(Clone, Debug, PartialEq)]
pub enum SetValues {
    /// The command line.
    Numbers(Vec<Number>),
    /// A `.npy` file.
    File(PathBuf),
}

impl RunArgs {
    /// Puts the steps into the order of the command line: clap sorts arguments by option, and their indices
    /// remember the order.
    pub(super) fn order_steps(&mut self, matches: &ArgMatches) {
        let written = &self.written;
        let options = [("set", &written.set), ("launch", &written.launch), ("get", &written.get)];
        let indexed = options.into_iter().flat_map(|(option, steps)| {
            matches.indices_of(option).into_iter().flatten().zip(steps.iter().cloned())
        });
        let mut all: Vec<(usize, HostStep)> = indexed.collect();
        all.sort_by_key(|(index, _)| *index);
        self.steps = all.into_iter().map(|(_, step)| step).collect();
    }
}

fn set(text: &str) -> Result<HostStep, String> {
    let (name, value) = named(text)?;
    let source = match value.ends_with(".npy") {
        true => SetValues::File(value.into()),
        false => SetValues::Numbers(numbers(value.trim_start_matches('[').trim_end_matches(']'))?),
    };
    Ok(HostStep::Set(name, source))
}

fn launch(text: &str) -> Result<HostStep, String> {
    let (name, args) = text.split_once(':').unwrap_or((text, ""));
    let args = if args.is_empty() { Vec::new() } else { numbers(args)? };
    Ok(HostStep::Launch(identifier(name)?, args))
}

fn get(text: &str) -> Result<HostStep, String> {
    let Some((name, file)) = text.split_once('=') else {
        return Ok(HostStep::Get(identifier(text)?, None));
    };
    if !file.ends_with(".npy") {
        return Err(format!("`{file}` must end in .npy"));
    }
    Ok(HostStep::Get(identifier(name)?, Some(file.into())))
}

fn numbers(text: &str) -> Result<Vec<Number>, String> {
    text.split(',').map(|n| n.trim().parse()).collect()
}

fn seeds(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once("..").ok_or("seeds are written A..B, such as 1..100")?;
    let number = |n: &str| n.parse().map_err(|_| format!("`{n}` is not a seed"));
    match (number(first)?, number(last)?) {
        (first, last) if first < last => Ok((first, last)),
        (first, last) => Err(format!("{first}..{last} are less than two seeds")),
    }
}
