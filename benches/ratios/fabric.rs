//! Wavelets on the move.

use crate::measure::{alone, each};
use crate::programs::{compile, run};
use crate::table::{Row, Target, Unit};

/// Millions of hops in a second.
const STREAMS: Target = Target { must: 100.0, goal: 1000.0 };

pub fn rows() -> Vec<Row> {
    let program = compile("stream.csl", &[("width", 32), ("height", 32), ("words", 4096)]);
    let hops = run(&program).report().hops as f64;
    let seconds = alone(each(|| run(&program)));
    let row = Row::new("DSD streams over static routes, 32 x 32, hops");
    vec![row.ours(hops / seconds / 1e6, Unit::MillionsPerSecond).target(STREAMS)]
}
