//! A whole wafer: how long it takes to begin, what a step costs, what it takes of memory. Start and memory
//! are those of a process of its own; steps are measured from the first cycle to the end. It takes minutes
//! and gigabytes, so it is measured only when asked for by name.

use crate::measure::{beside, clock_seconds};
use crate::programs::{self, compile};
use crate::table::{Row, Target, Unit};
use cslrun::{Program, RunOptions, Runner};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const WAFER: (u32, u32) = (750, 994);
/// Where steps are measured: on the whole wafer one takes minutes.
const LARGE: (u32, u32) = (256, 256);
const SMALL: (u32, u32) = (64, 64);

/// GiB.
const MEMORY: Target = Target { must: 8.0, goal: 4.0 };
/// Seconds.
const FIRST_CYCLE: Target = Target { must: 60.0, goal: 20.0 };
/// A step of a PE on the large grid, compared with one on the small grid.
const GROWTH: Target = Target { must: 4.0, goal: 2.0 };
/// Two threads, compared with one.
const THREADS: Target = Target { must: 1.5, goal: 1.8 };
/// Seconds.
const OWN_PARAMETERS: Target = Target { must: 10.0, goal: 5.0 };

/// What a run took.
struct Taken {
    seconds: f64,
    gibibytes: f64,
}

pub fn rows() -> Vec<Row> {
    if !std::env::args().any(|word| word == "scale") {
        let row = Row::new("750 x 994 PEs: memory, start, steps, threads");
        return vec![row.not_measured("takes minutes: `cargo bench -p benches --bench ratios -- scale`")];
    }
    let mut rows = exchange();
    let places = run(
        "places.csl",
        &[("width", "256".to_string()), ("height", "256".to_string())],
        &["--threads", "1"],
    );
    let row = Row::new("256 x 256, every PE with its own parameters, source to end");
    rows.push(row.ours(places.seconds, Unit::Seconds).target(OWN_PARAMETERS));
    rows
}

fn exchange() -> Vec<Row> {
    let size = [("width", WAFER.0.to_string()), ("height", WAFER.1.to_string())];
    let start =
        run("exchange.csl", &[&size[..], &[("steps", "0".to_string())]].concat(), &["--threads", "2"]);
    let (large, small) = (exchanges(LARGE, 1), exchanges(SMALL, 1));
    let on = |program, threads| move || seconds_of(program, RunOptions { threads, ..RunOptions::default() });
    let threads = beside(on(&large, 2), on(&large, 1));
    let per_pe = |seconds: f64, (width, height): (u32, u32)| seconds * 1e9 / f64::from(width * height);
    let growth = beside(on(&large, 1), on(&small, 1));
    let (grown, grid) = (per_pe(growth.ours, LARGE), per_pe(growth.anchor, SMALL));
    vec![
        Row::new("750 x 994, peak memory at the first cycle")
            .ours(start.gibibytes, Unit::Gibibytes)
            .target(MEMORY),
        Row::new("750 x 994, source to first cycle").ours(start.seconds, Unit::Seconds).target(FIRST_CYCLE),
        Row::new("256 x 256, an exchange step on 2 threads")
            .ours(threads.ours, Unit::Seconds)
            .anchor("1 thread", threads.anchor)
            .ratio(threads.speed, Unit::Times)
            .target(THREADS),
        Row::new("256 x 256, an exchange step of one PE")
            .ours(grown, Unit::Nanoseconds)
            .anchor("64 x 64", grid)
            .ratio(grown / grid, Unit::Times)
            .target(GROWTH),
    ]
}

fn exchanges((width, height): (u32, u32), steps: u32) -> Arc<Program> {
    let params = [("width", width), ("height", height), ("steps", steps)];
    compile("exchange.csl", &params.map(|(name, n)| (name, i128::from(n))))
}

/// From the first cycle to the end.
fn seconds_of(program: &Arc<Program>, options: RunOptions) -> f64 {
    let mut runner = Runner::new(program.clone(), options);
    clock_seconds(|| runner.run_until_idle().unwrap_or_else(|failure| panic!("it must run: {failure:#?}")))
}

fn run(program: &str, params: &[(&str, String)], more: &[&str]) -> Taken {
    let begin = Instant::now();
    let mut command = crate::command();
    command.arg(programs::file(program)).args(more).stdout(Stdio::null());
    for (name, value) in params {
        command.args(["--param", &format!("{name}={value}")]);
    }
    let mut child = command.spawn().expect("the built command starts");
    let mut peak = 0.0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            break status;
        }
        peak = peak_memory(&child).unwrap_or(peak);
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{program} with {params:?} runs");
    Taken { seconds: begin.elapsed().as_secs_f64(), gibibytes: peak }
}

/// The most memory that a process has had so far.
fn peak_memory(child: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024.0 / 1024.0)
}
