//! A whole wafer: how long it takes to begin, what a step costs, what it takes of memory. Every run is a
//! process of its own. It takes minutes and gigabytes, so it is measured only when asked for by name.

use crate::programs;
use crate::table::{Row, Target, Unit};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WAFER: (u32, u32) = (750, 994);
const SMALL: (u32, u32) = (64, 64);
/// So many that the time of a small grid can be measured.
const SMALL_STEPS: u32 = 20;

/// GiB.
const MEMORY: Target = Target { must: 8.0, goal: 4.0 };
/// Seconds.
const FIRST_CYCLE: Target = Target { must: 60.0, goal: 20.0 };
/// Seconds.
const STEP: Target = Target { must: 1.0, goal: 0.25 };
/// A step of a PE on the wafer beside one on the small grid.
const GROWTH: Target = Target { must: 4.0, goal: 2.0 };
/// Two threads beside one.
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
        return vec![row.not_measured("takes minutes: `cargo bench --bench ratios -- scale`")];
    }
    let mut rows = exchange();
    let places = run("places.csl", (256, 256), &["--threads", "1"]);
    let row = Row::new("256 x 256, every PE with its own parameters, source to end");
    rows.push(row.ours(places.seconds, Unit::Seconds).target(OWN_PARAMETERS));
    rows
}

fn exchange() -> Vec<Row> {
    let start = steps(WAFER, 0, 2);
    let [one, two] = [1, 2].map(|threads| steps(WAFER, 1, threads));
    let [small, small_start] = [SMALL_STEPS, 0].map(|n| steps(SMALL, n, 1).seconds);
    let [one_step, two_step] = [&one, &two].map(|run| run.seconds - start.seconds);
    let small_step = (small - small_start) / f64::from(SMALL_STEPS);
    let per_pe = |seconds: f64, (width, height): (u32, u32)| seconds * 1e9 / f64::from(width * height);
    let (wafer, grid) = (per_pe(one_step, WAFER), per_pe(small_step, SMALL));
    vec![
        Row::new("750 x 994, peak memory").ours(two.gibibytes, Unit::Gibibytes).target(MEMORY),
        Row::new("750 x 994, source to first cycle").ours(start.seconds, Unit::Seconds).target(FIRST_CYCLE),
        Row::new("750 x 994, an exchange step on 2 threads").ours(two_step, Unit::Seconds).target(STEP),
        Row::new("750 x 994, a step of one PE")
            .ours(wafer, Unit::Nanoseconds)
            .anchor("64 x 64", grid)
            .ratio(wafer / grid, Unit::Times)
            .target(GROWTH),
        Row::new("750 x 994, a step on 2 threads")
            .ours(two_step, Unit::Seconds)
            .anchor("1 thread", one_step)
            .ratio(one_step / two_step, Unit::Times)
            .target(THREADS),
    ]
}

fn steps(size: (u32, u32), steps: u32, threads: u32) -> Taken {
    let (steps, threads) = (format!("steps={steps}"), threads.to_string());
    run("exchange.csl", size, &["--param", &steps, "--threads", &threads])
}

fn run(program: &str, (width, height): (u32, u32), more: &[&str]) -> Taken {
    let begin = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cslrun"));
    command.arg(programs::file(program)).args(more).stdout(Stdio::null());
    for (name, value) in [("width", width), ("height", height)] {
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
    assert!(status.success(), "{program} of {width} x {height} PEs runs");
    Taken { seconds: begin.elapsed().as_secs_f64(), gibibytes: peak }
}

/// The most memory that a process has had so far.
fn peak_memory(child: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024.0 / 1024.0)
}
