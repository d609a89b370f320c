//! One table: what a user waits for, beside an anchor that is measured in the same run, with what each
//! row must reach and what it should. `cargo bench` prints it; words after `--` choose rooms by name.
//!
//! Each room is a file with one function that returns its rows.

mod checker;
mod collectives;
mod estimate;
mod fabric;
mod measure;
mod parse;
mod programs;
mod scalar;
mod scale;
mod start;
mod table;
mod tasks;
mod vectors;
mod wafer;

use table::Row;

/// A room of the table.
type Room = (&'static str, fn() -> Vec<Row>);

const ROOMS: &[Room] = &[
    ("scalar", scalar::rows),
    ("vectors", vectors::rows),
    ("tasks", tasks::rows),
    ("fabric", fabric::rows),
    ("parse", parse::rows),
    ("start", start::rows),
    ("wafer", wafer::rows),
    ("scale", scale::rows),
    ("checker", checker::rows),
    ("estimate", estimate::rows),
];

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --all-targets` starts this, too.
    if !arguments.iter().any(|a| a == "--bench") {
        return;
    }
    let chosen: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let rooms = ROOMS.iter().filter(|(name, _)| chosen.is_empty() || chosen.iter().any(|c| c == name));
    let before = load();
    let rows: Vec<Row> = rooms.flat_map(|(_, rows)| rows()).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores, load {before} before and {} after, 5 repeats in turns, medians", load());
    println!("{}", table::render(&rows));
}

/// Processes that wanted to run in the last minute.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().next().unwrap_or("unknown").to_string()
}
