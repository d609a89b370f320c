//! One table: what a user waits for, each beside something known. Run it with `benches/run.sh`.
//!
//! Times are the best of several runs; the load of the machine is printed above the table.

use comfy_table::{Table, presets::UTF8_HORIZONTAL_ONLY};
use cslrun::arch::{ArchName, PeCoord};
use cslrun::diagnostics::Sink;
use cslrun::host::{RunOptions, Runner};
use cslrun::image::Program;
use cslrun::sema::{self, CompileOptions, ParamValue};
use cslrun::source::{DiskLoader, FileId, SourceMap};
use cslrun::{stdlib, syntax};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Each measurement repeats for at least this long.
const PATIENCE: Duration = Duration::from_millis(400);

fn main() {
    // `cargo test --all-targets` starts this, too.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let mut rows = Rows::default();
    parsing(&mut rows);
    first_cycle(&mut rows);
    scalar_kernels(&mut rows);
    vectors(&mut rows);
    fabric(&mut rows);
    large_wafers(&mut rows);
    checker(&mut rows);
    println!("{}\n{}", machine(), rows.0);
}

/// The table. A row without a ratio has nothing to stand beside.
struct Rows(Table);

impl Default for Rows {
    fn default() -> Rows {
        let mut table = Table::new();
        table.load_style(UTF8_HORIZONTAL_ONLY);
        table.set_header(["what", "cslrun", "beside", "ratio"]);
        Rows(table)
    }
}

impl Rows {
    fn push(&mut self, what: impl Into<String>, ours: impl Into<String>) {
        self.0.add_row([what.into(), ours.into(), String::new(), String::new()]);
    }

    /// `ratio` is above 1 where cslrun takes longer.
    fn beside(&mut self, what: impl Into<String>, ours: String, theirs: String, ratio: f64) {
        self.0.add_row([what.into(), ours, theirs, format!("{ratio:.2}")]);
    }
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    format!("cores: {cores}, load: {load}; ratio = cslrun / beside, lower is better")
}

/// The best time of `run`, in seconds. What it returns is dropped outside of the measurement.
fn best<T>(mut run: impl FnMut() -> T) -> f64 {
    let (mut best, start) = (f64::MAX, Instant::now());
    for round in 0.. {
        let begin = Instant::now();
        let value = run();
        best = best.min(begin.elapsed().as_secs_f64());
        drop(black_box(value));
        if round >= 2 && start.elapsed() > PATIENCE {
            break;
        }
    }
    best
}

fn nanoseconds(seconds: f64) -> String {
    match seconds * 1e9 {
        n if n < 10.0 => format!("{n:.2} ns"),
        n => format!("{n:.0} ns"),
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1e3)
}

fn program_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs").join(name)
}

fn compile(name: &str, params: &[(&str, i128)]) -> Arc<Program> {
    let mut options = CompileOptions::new(ArchName::Wse2);
    options.params = params.iter().map(|(name, n)| (name.to_string(), ParamValue::Int(*n))).collect();
    let (mut sources, mut sink) = (SourceMap::default(), Sink::default());
    let program = sema::compile(&DiskLoader, &mut sources, &program_file(name), &options, &mut sink);
    Arc::new(program.unwrap_or_else(|| panic!("{name} must compile: {:#?}", sink.all())))
}

fn run(program: &Arc<Program>) -> Runner {
    run_with(program, RunOptions::default())
}

fn run_with(program: &Arc<Program>, options: RunOptions) -> Runner {
    let mut runner = Runner::new(program.clone(), options);
    runner.run_until_idle().unwrap_or_else(|failure| panic!("a benchmark must run: {failure:#?}"));
    runner
}

/// A `u32` global of the first PE.
fn global(runner: &mut Runner, name: &str) -> u64 {
    let (_, words) = runner.read_symbol(PeCoord { x: 0, y: 0 }, name).expect("the program has this global");
    u64::from(words[0]) | u64::from(words[1]) << 16
}

fn parsing(rows: &mut Rows) {
    let text: String = stdlib::names().filter_map(stdlib::find).collect::<String>().repeat(20);
    let seconds = best(|| syntax::parse(FileId(0), &text));
    rows.push("parse", format!("{:.1} MB/s", text.len() as f64 / seconds / 1e6));
}

fn first_cycle(rows: &mut Rows) {
    let seconds = best(|| run(&compile("nested.csl", &[("n", 1)])));
    rows.push("source to the end of a program that does nothing", milliseconds(seconds));
}

fn scalar_kernels(rows: &mut Rows) {
    for (name, n) in [("nested", 2000), ("mandelbrot", 200), ("sieve", 20), ("fib", 25)] {
        let program = compile(&format!("{name}.csl"), &[("n", n)]);
        let seconds = best(|| run(&program));
        let mut runner = run(&program);
        let ours = seconds / global(&mut runner, "iterations") as f64;
        let what = format!("{name}, per iteration, beside Lua 5.4");
        match lua(name, n) {
            None => rows.push(what, format!("{} (no lua5.4 here)", nanoseconds(ours))),
            Some((theirs, result)) => {
                assert_eq!(global(&mut runner, "result"), result, "{name} must compute what Lua does");
                rows.beside(what, nanoseconds(ours), nanoseconds(theirs), ours / theirs);
            }
        }
    }
}

/// Seconds per iteration, and the result; `None` without Lua.
fn lua(name: &str, n: i128) -> Option<(f64, u64)> {
    let once = || {
        let file = program_file(&format!("{name}.lua"));
        let output = Command::new("lua5.4").arg(file).arg(n.to_string()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let mut numbers = text.split_whitespace();
        let iterations: f64 = numbers.next()?.parse().ok()?;
        let result: u64 = numbers.next()?.parse().ok()?;
        let seconds: f64 = numbers.next()?.parse().ok()?;
        Some((seconds / iterations, result))
    };
    (0..5).filter_map(|_| once()).min_by(|a, b| a.0.total_cmp(&b.0))
}

fn vectors(rows: &mut Rows) {
    for n in [16usize, 64, 1024] {
        for (op, name) in ["@fmacs", "@mov32", "@faddh"].into_iter().enumerate() {
            let rounds = 4_000_000 / n;
            let params = [("n", n as i128), ("rounds", rounds as i128), ("op", op as i128)];
            let program = compile("vectors.csl", &params);
            let ours = best(|| run(&program)) / rounds as f64;
            let theirs = native(name, n);
            let what = format!("{name} of {n} elements, beside a Rust loop");
            rows.beside(what, nanoseconds(ours), nanoseconds(theirs), ours / theirs);
        }
    }
}

/// Seconds for one pass of the same loop in Rust.
fn native(name: &str, n: usize) -> f64 {
    const PASSES: usize = 1000;
    let (mut a, b) = (vec![0.0f32; n], vec![1.5f32; n]);
    let (mut c, d) = (vec![0u32; n], vec![7u32; n]);
    let (mut g, h) = (vec![half::f16::ZERO; n], vec![half::f16::ONE; n]);
    let mut pass = || match name {
        "@fmacs" => {
            let scalar = black_box(0.5);
            black_box(&mut a).iter_mut().zip(black_box(&b)).for_each(|(a, b)| *a += *b * scalar);
        }
        "@mov32" => black_box(&mut c).copy_from_slice(black_box(&d)),
        _ => black_box(&mut g).iter_mut().zip(black_box(&h)).for_each(|(g, h)| *g += *h),
    };
    best(|| (0..PASSES).for_each(|_| pass())) / PASSES as f64
}

fn fabric(rows: &mut Rows) {
    let program = compile("stream.csl", &[("width", 32), ("height", 32), ("words", 4096)]);
    let seconds = best(|| run(&program));
    let hops = run(&program).report().hops as f64;
    rows.push("saturated stream on 32 x 32", format!("{:.1} million hops/s", hops / seconds / 1e6));
}

fn large_wafers(rows: &mut Rows) {
    let side = [("width", 256), ("height", 256), ("busy", 0), ("n", 0), ("rest", 1)];
    let begin = Instant::now();
    let program = compile("grid.csl", &side);
    let before = resident();
    let runner = run(&program);
    let seconds = begin.elapsed().as_secs_f64();
    rows.push("256 x 256, source to the end of a short task everywhere", format!("{seconds:.2} s"));
    if let (Some(before), Some(after)) = (before, resident()) {
        let per_pe = after.saturating_sub(before) / (256 * 256);
        rows.push("256 x 256, host memory per PE that has run", format!("{per_pe} bytes"));
    }
    drop(runner);
    let busy = |side| {
        let params = [("width", side), ("height", side), ("busy", 1), ("n", 1_000_000), ("rest", 0)];
        let program = compile("grid.csl", &params);
        best(|| run(&program))
    };
    let (many, one) = (busy(64), busy(1));
    rows.beside(
        "64 x 64 with one PE at work, beside 1 x 1",
        milliseconds(many),
        milliseconds(one),
        many / one,
    );
}

/// What finding undefined behaviour costs: each program as it is, beside itself with `--unchecked`.
fn checker(rows: &mut Rows) {
    for (name, n) in [("nested", 2000), ("mandelbrot", 200), ("sieve", 20), ("fib", 25)] {
        beside_unchecked(rows, name, &compile(&format!("{name}.csl"), &[("n", n)]));
    }
    for (op, name) in ["@fmacs", "@mov32", "@faddh"].into_iter().enumerate() {
        for n in [16, 1024] {
            let params = [("n", n), ("rounds", 4_000_000 / n), ("op", op as i128)];
            beside_unchecked(rows, &format!("{name} of {n} elements"), &compile("vectors.csl", &params));
        }
    }
    let stream = compile("stream.csl", &[("width", 32), ("height", 32), ("words", 4096)]);
    beside_unchecked(rows, "saturated stream on 32 x 32", &stream);
}

fn beside_unchecked(rows: &mut Rows, name: &str, program: &Arc<Program>) {
    let checked = best(|| run(program));
    let unchecked = best(|| run_with(program, RunOptions { checked: false, ..RunOptions::default() }));
    let what = format!("{name}, beside --unchecked");
    rows.beside(what, milliseconds(checked), milliseconds(unchecked), checked / unchecked);
}

/// Bytes of memory of this process.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    status.split_whitespace().nth(1)?.parse::<usize>().ok().map(|pages| pages * 4096)
}
