//! Wavelets on the move.

use crate::measure::{alone, beside, each};
use crate::programs::{compile, run};
use crate::table::{Row, Target, Unit};
use cslrun::Program;
use std::sync::Arc;

/// Millions of hops in a second.
const SINGLE: Target = Target { must: 5.0, goal: 25.0 };
/// Hops in a second on 256 x 256 against 32 x 32.
const SCALE: Target = Target { must: 0.5, goal: 0.7 };

pub fn rows() -> Vec<Row> {
    let neighbours = compile("neighbours.csl", &[("width", 32), ("height", 32), ("words", 1000)]);
    let pairs = compile("pairs.csl", &[("width", 32), ("height", 32), ("throws", 200)]);
    let turns = compile("turns.csl", &[("width", 32), ("height", 32), ("rounds", 2000)]);
    let streams = compile("stream.csl", &[("width", 32), ("height", 32), ("words", 4096)]);
    vec![
        speed("wavelets one by one between neighbours, 32 x 32, hops", &neighbours).target(SINGLE),
        speed("wavelets one by one with a turn, 32 x 32, hops", &turns).target(SINGLE),
        speed("a task that replies to each wavelet of a neighbour, 32 x 32, hops", &pairs),
        speed("DSD streams over static routes, 32 x 32, hops", &streams).target(SINGLE),
        large(),
    ]
}

fn hops(program: &Arc<Program>) -> f64 {
    run(program).report().hops as f64
}

fn speed(what: &str, program: &Arc<Program>) -> Row {
    let seconds = alone(each(|| run(program)));
    Row::new(what).ours(hops(program) / seconds / 1e6, Unit::MillionsPerSecond)
}

fn large() -> Row {
    // As many wavelets on both, so many that making the PEs counts little.
    let [large, small] = [(256, 100), (32, 6400)]
        .map(|(side, throws)| compile("pairs.csl", &[("width", side), ("height", side), ("throws", throws)]));
    let times = beside(each(|| run(&large)), each(|| run(&small)));
    let (ours, anchor) = (hops(&large) / times.ours / 1e6, hops(&small) / times.anchor / 1e6);
    let row = Row::new("wavelets one by one between neighbours, 256 x 256, hops");
    let row = row.ours(ours, Unit::MillionsPerSecond).anchor("32 x 32", anchor);
    row.ratio(times.speed * hops(&large) / hops(&small), Unit::Times).target(SCALE)
}
