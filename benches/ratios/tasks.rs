//! What starting a task costs.

use crate::measure::{alone, each};
use crate::programs::{compile, run};
use crate::table::{Row, Target, Unit};

/// Nanoseconds.
const DISPATCH: Target = Target { must: 200.0, goal: 50.0 };
const TIMES: u32 = 100_000;

pub fn rows() -> Vec<Row> {
    let program = compile("activations.csl", &[("n", TIMES.into())]);
    let seconds = alone(each(|| run(&program))) / f64::from(TIMES);
    let row = Row::new("activation and dispatch of a task that only activates itself");
    vec![row.ours(seconds * 1e9, Unit::Nanoseconds).target(DISPATCH)]
}
