//! The cost of detecting undefined behaviour: each program compared with itself under `--unchecked`.

use crate::measure::{Pair, beside, each};
use crate::programs::{compile, run, run_with};
use crate::table::{Row, Target, Unit};
use crate::vectors::OPERATIONS;
use cslrun::{Program, RunOptions};
use std::sync::Arc;

/// Time with the checks by time without.
const COST: Target = Target { must: 2.0, goal: 1.3 };

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, n) in [("nested", 2000), ("mandelbrot", 200), ("sieve", 20), ("fib", 25)] {
        rows.push(cost(name, &compile(&format!("{name}.csl"), &[("n", n)])));
    }
    for (op, (name, _)) in OPERATIONS.into_iter().enumerate() {
        for n in [16, 1024] {
            let params = [("n", n), ("stride", 1), ("rounds", 4_000_000 / n), ("op", op as i128)];
            rows.push(cost(&format!("{name} of {n} elements"), &compile("vectors.csl", &params)));
        }
    }
    let stream = compile("stream.csl", &[("width", 32), ("height", 32), ("words", 4096)]);
    rows.push(cost("DSD streams, 32 x 32", &stream));
    rows
}

fn cost(name: &str, program: &Arc<Program>) -> Row {
    let unchecked = || run_with(program, RunOptions { checked: false, ..RunOptions::default() });
    let Pair { ours, anchor, speed } = beside(each(|| run(program)), each(unchecked));
    let row =
        Row::new(format!("{name}, time compared with --unchecked")).ours(ours * 1e3, Unit::Milliseconds);
    row.anchor("--unchecked", anchor * 1e3).ratio(1.0 / speed, Unit::Times).target(COST)
}
