//! The estimate of cycles, compared with what programs have printed on the vendor's simulator and on a WSE-3
//! (docs/timing.md): our own programs of the same structure, in `benches/programs/timing`.

use crate::table::{Row, Target, Unit};
use cslrun::{Arch, CompileOptions, DiskLoader, ParamValue, PeCoord, RunOptions, Runner};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How far a row may be off, either way.
const DEVIATION: Target = Target { must: 0.4, goal: 0.2 };
/// The same for the median of all rows.
const MEDIAN: Target = Target { must: 0.15, goal: 0.08 };
/// Where the vendor's examples are, for the program that needs a library of theirs.
const EXAMPLES: &str = "CSLRUN_SDK_EXAMPLES";

/// What a program has printed.
struct Record {
    what: &'static str,
    /// In `benches/programs/timing`, with its parameters.
    program: &'static str,
    params: &'static [(&'static str, i64)],
    /// The PE whose `cycles` are meant.
    pe: (u16, u16),
    recorded: f64,
    /// What the cycles are to be divided by.
    each: f64,
    /// The costs were fitted without this row.
    kept_out: bool,
}

const fn record(
    what: &'static str,
    program: &'static str,
    params: &'static [(&'static str, i64)],
    pe: (u16, u16),
    recorded: f64,
) -> Record {
    Record { what, program, params, pe, recorded, each: 1.0, kept_out: false }
}

impl Record {
    const fn each(self, each: f64) -> Record {
        Record { each, ..self }
    }

    const fn kept_out(self) -> Record {
        Record { kept_out: true, ..self }
    }
}

const GRID: &[(&str, i64)] = &[("width", 16), ("height", 16)];
const TILES: &[(&str, i64)] = &[("height", 120), ("group", 12), ("size", 36)];
const INBOX: &[(&str, i64)] = &[("width", 6)];

const RECORDS: &[Record] = &[
    record("one row of 4, end to end", "broadcast", &[("width", 4), ("height", 1)], (3, 0), 28.0),
    record("one row of 32, end to end", "broadcast", &[("width", 32), ("height", 1)], (31, 0), 28.0)
        .kept_out(),
    record("16 x 16, against the launch, 1 hop", "broadcast", GRID, (0, 1), 30.0),
    record("16 x 16, against the launch, 4 hops", "broadcast", GRID, (0, 4), 36.0),
    record("16 x 16, against the launch, 15 hops", "broadcast", GRID, (0, 15), 58.0).kept_out(),
    record("16 x 16, along the launch", "broadcast", GRID, (15, 0), 34.0),
    record("4 x 4, along the launch", "broadcast", &[("width", 4), ("height", 4)], (3, 0), 34.0).kept_out(),
    record("32 x 32, along the launch", "broadcast", &[("width", 32), ("height", 32)], (31, 0), 34.0)
        .kept_out(),
    record("4 x 4, far corner", "broadcast", &[("width", 4), ("height", 4)], (3, 3), 67.0),
    record("8 x 8, far corner", "broadcast", &[("width", 8), ("height", 8)], (7, 7), 75.0).kept_out(),
    record("16 x 16, far corner", "broadcast", GRID, (15, 15), 91.0),
    record("32 x 32, far corner", "broadcast", &[("width", 32), ("height", 32)], (31, 31), 126.0),
    record("data tasks, 1 wavelet", "inbox", INBOX, (1, 0), 41.0),
    record("data tasks, 2 wavelets", "inbox", INBOX, (2, 0), 69.0).kept_out(),
    record("data tasks, 3 wavelets", "inbox", INBOX, (3, 0), 100.0),
    record("data tasks, 4 wavelets", "inbox", INBOX, (4, 0), 131.0),
    record("data tasks, 5 wavelets", "inbox", INBOX, (5, 0), 162.0).kept_out(),
    record("data tasks, 14 wavelets over bridges", "segments", &[("segments", 3)], (14, 0), 454.0).kept_out(),
    record("relay in software, per hop", "relay", &[("width", 21)], (20, 0), 20.0).each(20.0),
    record("data task per word (hardware)", "words", &[("n", 256), ("by_task", 1)], (1, 0), 43.6)
        .each(256.0)
        .kept_out(),
    record("stream into memory, per word (hardware)", "words", &[("n", 1024), ("by_task", 0)], (1, 0), 0.7)
        .each(1024.0),
    record("allreduce, 2 x 2", "allreduce", &[("width", 2), ("height", 2)], (0, 0), 735.0),
    record("allreduce, 4 x 4", "allreduce", &[("width", 4), ("height", 4)], (0, 0), 874.0).kept_out(),
    record("allreduce, 8 x 8", "allreduce", &[("width", 8), ("height", 8)], (0, 0), 1282.0),
    record("star, radius 1, 1 step", "star", &[("radius", 1), ("steps", 1)], (0, 0), 906.0),
    record("star, radius 1, 4 steps", "star", &[("radius", 1), ("steps", 4)], (0, 0), 3598.0).kept_out(),
    record("star, radius 2, 1 step", "star", &[("radius", 2), ("steps", 1)], (0, 0), 2127.0),
    record("star, radius 2, 3 steps", "star", &[("radius", 2), ("steps", 3)], (0, 0), 6362.0).kept_out(),
    record("star, radius 3, 1 step", "star", &[("radius", 3), ("steps", 1)], (0, 0), 2407.0),
    record("star, radius 3, 3 steps", "star", &[("radius", 3), ("steps", 3)], (0, 0), 7253.0).kept_out(),
    record("box, radius 3, 1 step", "box", &[("radius", 3), ("steps", 1)], (0, 0), 8718.0).kept_out(),
    record("matrix and vector, 4320 x 4320 (hardware)", "gemv", TILES, (0, 0), 1026.0).kept_out(),
];

pub fn rows() -> Vec<Row> {
    let examples = std::env::var_os(EXAMPLES).map(PathBuf::from);
    let mut deviations = Vec::new();
    let mut rows: Vec<Row> = RECORDS
        .iter()
        .map(|record| {
            let kept_out = if record.kept_out { ", kept out of the fit" } else { "" };
            let row = Row::new(format!("{}{kept_out}", record.what));
            if record.program == "allreduce" && examples.is_none() {
                return row.not_measured(format!("{EXAMPLES} does not name the vendor's examples"));
            }
            let ours = cycles(record, examples.as_deref());
            let deviation = ours / record.recorded - 1.0;
            deviations.push(deviation.abs());
            let row = row.ours(ours, Unit::Cycles).anchor("recorded", record.recorded);
            row.ratio(deviation, Unit::Percent).target(DEVIATION)
        })
        .collect();
    deviations.sort_by(f64::total_cmp);
    let median = deviations[deviations.len() / 2];
    rows.push(
        Row::new("estimate of cycles of recorded programs, off by a median of")
            .ratio(median, Unit::Percent)
            .target(MEDIAN),
    );
    rows
}

/// What cslrun estimates.
fn cycles(record: &Record, examples: Option<&Path>) -> f64 {
    let mut options = CompileOptions::new(Arch::Wse3);
    options.params =
        record.params.iter().map(|(name, value)| (name.to_string(), value_of(name, *value))).collect();
    options.import_paths.extend(examples.map(|path| path.join("benchmarks/benchmark-libs")));
    let file = format!("{}/benches/programs/timing/{}.csl", crate::root().display(), record.program);
    let program = cslrun::compile(Path::new(&file), &DiskLoader, &options).into_program();
    let program = program.unwrap_or_else(|report| panic!("a benchmark must compile:\n{report}"));
    let mut runner = Runner::new(Arc::new(program), RunOptions::default());
    runner.launch("start", &[]).unwrap_or_else(|failure| panic!("{file} must start: {failure:#?}"));
    runner.run_until_idle().unwrap_or_else(|failure| panic!("{file} must run: {failure:#?}"));
    let (_, words) =
        runner.read_symbol(PeCoord { x: record.pe.0, y: record.pe.1 }, "cycles").expect("every PE has it");
    f64::from(u32::from(words[0]) | u32::from(words[1]) << 16) / record.each
}

fn value_of(name: &str, value: i64) -> ParamValue {
    if name == "by_task" { ParamValue::Bool(value != 0) } else { ParamValue::Int(value.into()) }
}
