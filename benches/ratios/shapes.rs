//! DSD operations of one PE on tiles, reversed and overlapping vectors, FIFOs and the like, beside a loop in
//! Rust that adds two plain vectors.

use crate::measure::{Pair, beside, each};
use crate::programs::{compile, run};
use crate::table::{Row, Target, Unit};
use std::hint::black_box;

/// The operations by their number in `shapes.csl`, with the nanoseconds that an element may take.
const OPERATIONS: [(&str, Target); 14] = [
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
];

const ELEMENTS: usize = 512;

pub fn rows() -> Vec<Row> {
    OPERATIONS.into_iter().enumerate().map(|(op, (name, target))| row(op, name, target)).collect()
}

fn row(op: usize, name: &str, target: Target) -> Row {
    let (mut a, b) = (vec![0f32; ELEMENTS], vec![1.5f32; ELEMENTS]);
    let native = move || {
        let (a, b) = (black_box(&mut a[..]), black_box(&b[..]));
        a.iter_mut().zip(b).for_each(|(a, b)| *a += *b);
    };
    let Pair { ours, anchor, .. } = beside(operation(op), each(native));
    let nanoseconds = |seconds: f64| seconds * 1e9 / ELEMENTS as f64;
    Row::new(format!("{name}, an element of {ELEMENTS}"))
        .ours(nanoseconds(ours), Unit::Nanoseconds)
        .anchor("Rust", nanoseconds(anchor))
        .target(target)
}

/// Measures one operation inside of a program that repeats it.
fn operation(op: usize) -> impl FnMut() -> f64 {
    let rounds = 5_000;
    let program = compile("shapes.csl", &[("rounds", rounds), ("op", op as i128)]);
    let mut run = each(move || run(&program));
    move || run() / rounds as f64
}
