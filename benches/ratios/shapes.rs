//! DSD operations of one PE on tiles, reversed and overlapping vectors, FIFOs and the like, beside a loop in
//! Rust that adds two plain vectors.

use crate::measure::{Pair, alone, beside, each};
use crate::programs::{compile, run};
use crate::table::{Row, Target, Unit};
use std::hint::black_box;

/// The operations by their number in `shapes.csl`, with the nanoseconds that an element may take.
const OPERATIONS: [(&str, Target); 22] = [
    ("@fadds onto a tile of a matrix", Target { must: 1.0, goal: 0.4 }),
    ("@fadds between tiles of a matrix", Target { must: 1.0, goal: 0.4 }),
    ("@fadds to a scalar", Target { must: 1.5, goal: 0.8 }),
    ("@fmaxs to a scalar", Target { must: 1.5, goal: 0.8 }),
    ("@faddh to a scalar", Target { must: 1.5, goal: 0.8 }),
    ("@fadds onto a reversed vector", Target { must: 1.5, goal: 0.5 }),
    ("@fadds onto what lies 40 elements behind its source", Target { must: 1.5, goal: 0.5 }),
    ("@map of one input", Target { must: 12.0, goal: 4.0 }),
    ("@map of two inputs", Target { must: 12.0, goal: 4.0 }),
    ("push to a FIFO and pop", Target { must: 15.0, goal: 5.0 }),
    ("@addc16", Target { must: 2.0, goal: 1.0 }),
    ("@fmach", Target { must: 0.5, goal: 0.2 }),
    ("@add16 onto a circular buffer", Target { must: 2.0, goal: 1.0 }),
    ("@fadds, every third element", Target { must: 1.5, goal: 0.8 }),
    ("@map of `math.sqrt_f32`", Target { must: 12.0, goal: 4.0 }),
    ("@map of a function that reads and writes globals", Target { must: 12.0, goal: 4.0 }),
    ("@fh2s", CONVERSION),
    ("@fs2h", CONVERSION),
    ("@fh2xp16", CONVERSION),
    ("@fs2xp16", CONVERSION),
    ("@xp162fh", CONVERSION),
    ("@xp162fs", CONVERSION),
];
const CONVERSION: Target = Target { must: 0.4, goal: 0.2 };

/// Operations on one element, by their number from the last of [`OPERATIONS`] on, with the nanoseconds that they may
/// take.
const SINGLE: [(&str, Target); 3] = [
    ("@fadds on DSD variables", Target { must: 90.0, goal: 40.0 }),
    ("@fadds on DSRs", Target { must: 90.0, goal: 40.0 }),
    ("@fadds to a scalar", Target { must: 90.0, goal: 40.0 }),
];

const ELEMENTS: usize = 512;

pub fn rows() -> Vec<Row> {
    let rows = OPERATIONS.into_iter().enumerate().map(|(op, (name, target))| row(op, name, target));
    let singles = SINGLE.into_iter().zip(OPERATIONS.len()..).map(|((name, target), op)| {
        let seconds = alone(operation(op, 200_000));
        Row::new(format!("{name}, one element")).ours(seconds * 1e9, Unit::Nanoseconds).target(target)
    });
    rows.chain(singles).collect()
}

fn row(op: usize, name: &str, target: Target) -> Row {
    let (mut a, b) = (vec![0f32; ELEMENTS], vec![1.5f32; ELEMENTS]);
    let native = move || {
        let (a, b) = (black_box(&mut a[..]), black_box(&b[..]));
        a.iter_mut().zip(b).for_each(|(a, b)| *a += *b);
    };
    let Pair { ours, anchor, .. } = beside(operation(op, 5_000), each(native));
    let nanoseconds = |seconds: f64| seconds * 1e9 / ELEMENTS as f64;
    Row::new(format!("{name}, an element of {ELEMENTS}"))
        .ours(nanoseconds(ours), Unit::Nanoseconds)
        .anchor("Rust", nanoseconds(anchor))
        .target(target)
}

/// Measures one operation inside of a program that repeats it.
fn operation(op: usize, rounds: i128) -> impl FnMut() -> f64 {
    let program = compile("shapes.csl", &[("rounds", rounds), ("op", op as i128)]);
    let mut run = each(move || run(&program));
    move || run() / rounds as f64
}
