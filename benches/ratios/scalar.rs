//! Scalar code, compared with two interpreters that run the same kernels.

use crate::measure::{Pair, beside, each, geometric_mean};
use crate::programs::{self, compile, global, run};
use crate::table::{Row, Target, Unit};
use std::process::Command;
use wasmi::{Engine, Instance, Linker, Module, Store};

/// The programs, and the number of times that each does its work.
const KERNELS: [(&str, u32); 17] = [
    ("nested", 2000),
    ("mandelbrot", 200),
    ("sieve", 20),
    ("fib", 25),
    ("matmul", 30),
    ("quicksort", 60),
    ("collatz", 10_000),
    ("bytes", 200),
    ("stencil", 500),
    ("structs", 5000),
    ("pointers", 500),
    ("callbacks", 1000),
    ("switch", 1_000_000),
    ("polynomial", 10_000),
    ("xorshift", 500_000),
    ("gcd", 400),
    ("functions", 200_000),
];
const LUA: Target = Target { must: 1.2, goal: 2.5 };
/// Of the slowest kernel compared with Lua.
const SLOWEST: Target = Target { must: 0.8, goal: 1.5 };
const WASMI: Target = Target { must: 0.6, goal: 1.0 };

pub fn rows() -> Vec<Row> {
    let mut rows = against("Lua 5.4", LUA, Some(SLOWEST), &KERNELS, lua);
    // WebAssembly has no f16, and no functions of `<math>`.
    let has_code = |(name, _): &(&str, u32)| programs::file(&format!("{name}.wat")).exists();
    let kernels: Vec<_> = KERNELS.into_iter().filter(has_code).collect();
    rows.extend(against("wasmi", WASMI, None, &kernels, |name, n| Some(wasmi(name, n))));
    rows
}

/// Seconds, iterations and result of one run of a kernel.
struct Ran {
    seconds: f64,
    iterations: u64,
    result: u64,
}

/// The kernels compared with those of a baseline, the geometric mean of the ratios, and the smallest of them if
/// that has a target.
fn against(
    anchor: &str,
    target: Target,
    slowest: Option<Target>,
    kernels: &[(&str, u32)],
    theirs: impl Fn(&str, u32) -> Option<Ran>,
) -> Vec<Row> {
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    for &(name, n) in kernels {
        let what = format!("{name}, per iteration, compared with {anchor}");
        let Some(once) = theirs(name, n) else {
            rows.push(Row::new(what).not_measured(format!("no {anchor} here")));
            continue;
        };
        let program = compile(&format!("{name}.csl"), &[("n", n.into())]);
        let mut runner = run(&program);
        assert_eq!(global(&mut runner, "result"), once.result, "{name} must compute what {anchor} does");
        let Pair { ours, anchor: other, speed } =
            beside(each(|| run(&program)), || theirs(name, n).expect("it was here before").seconds);
        // Steps near the edge of the set depend on the width of the floats.
        let (mine, other) = (ours / global(&mut runner, "iterations") as f64, other / once.iterations as f64);
        let speed = speed * (ours / mine) / once.iterations as f64;
        ratios.push(speed);
        let row = Row::new(what).ours(mine * 1e9, Unit::Nanoseconds);
        rows.push(row.anchor(anchor, other * 1e9).ratio(speed, Unit::Times));
    }
    if ratios.len() == kernels.len() {
        let mean = Row::new(format!("scalar kernels compared with {anchor}, geometric mean"));
        rows.push(mean.ratio(geometric_mean(&ratios), Unit::Times).target(target));
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let row = |target| {
            Row::new(format!("slowest of them compared with {anchor}"))
                .ratio(least, Unit::Times)
                .target(target)
        };
        rows.extend(slowest.map(row));
    }
    rows
}

/// `None` without Lua.
fn lua(name: &str, n: u32) -> Option<Ran> {
    let file = programs::file(&format!("{name}.lua"));
    let output = Command::new("lua5.4").arg(file).arg(n.to_string()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace();
    let iterations = numbers.next()?.parse().ok()?;
    let result = numbers.next()?.parse().ok()?;
    Some(Ran { seconds: numbers.next()?.parse().ok()?, iterations, result })
}

fn wasmi(name: &str, n: u32) -> Ran {
    let engine = Engine::default();
    let text = std::fs::read(programs::file(&format!("{name}.wat"))).expect("the kernel is there");
    let module = Module::new(&engine, text).expect("the kernel is WebAssembly");
    let mut store = Store::new(&engine, ());
    let instance: Instance =
        Linker::new(&engine).instantiate_and_start(&mut store, &module).expect("it needs nothing");
    let kernel = instance.get_typed_func::<u32, u32>(&store, "run").expect("every kernel is called so");
    let mut result = 0;
    let seconds = each(|| result = kernel.call(&mut store, n).expect("no kernel traps"))();
    let iterations = instance.get_global(&store, "iterations").expect("every kernel counts").get(&store);
    let iterations = iterations.i32().expect("it counts in i32") as u32;
    Ran { seconds, iterations: iterations.into(), result: result.into() }
}
