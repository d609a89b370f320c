//! One table of the things that a user waits for: each row compares cslrun with a baseline that is measured in the
//! same run, and gives a minimum and a goal. `cargo bench -p benches` prints it; words after `--` select groups by
//! name.
//!
//! Each group is a file with one function that returns its rows.

mod checker;
mod collectives;
mod estimate;
mod fabric;
mod measure;
mod parse;
mod programs;
mod records;
mod scalar;
mod scale;
mod shapes;
mod start;
mod table;
mod tasks;
mod vectors;
mod wafer;

use std::path::Path;
use std::process::{Command, ExitCode};
use table::Row;

/// A group of rows.
type Group = (&'static str, fn() -> Vec<Row>);

const GROUPS: &[Group] = &[
    ("scalar", scalar::rows),
    ("vectors", vectors::rows),
    ("shapes", shapes::rows),
    ("tasks", tasks::rows),
    ("fabric", fabric::rows),
    ("parse", parse::rows),
    ("start", start::rows),
    ("wafer", wafer::rows),
    ("scale", scale::rows),
    ("checker", checker::rows),
    ("estimate", estimate::rows),
];

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Makes this program the command `cslrun`, with the same allocator.
const AS_COMMAND: &str = "CSLRUN_BENCH_AS_COMMAND";

/// The command `cslrun`, in a process of its own.
fn command() -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.env(AS_COMMAND, "1");
    command
}

fn main() -> ExitCode {
    cslrun::cli::keep_huge_pages();
    if std::env::var_os(AS_COMMAND).is_some() {
        return cslrun::cli::main();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --all-targets` starts this, too.
    if !arguments.iter().any(|a| a == "--bench") {
        return ExitCode::SUCCESS;
    }
    let chosen: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let groups = GROUPS.iter().filter(|(name, _)| chosen.is_empty() || chosen.iter().any(|c| c == name));
    let before = load();
    let rows: Vec<Row> = groups.flat_map(|(_, rows)| rows()).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores, load {before} before and {} after, 5 repeats in turns, medians", load());
    println!("{}", table::render(&rows));
    ExitCode::SUCCESS
}

/// Processes that wanted to run in the last minute.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().next().unwrap_or("unknown").to_string()
}
