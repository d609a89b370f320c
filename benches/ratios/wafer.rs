//! Many PEs.

use crate::measure::{Pair, beside, each};
use crate::programs::{compile, run};
use crate::table::{Row, Unit};
use std::time::Instant;

pub fn rows() -> Vec<Row> {
    let mut rows = idle();
    rows.push(one_at_work());
    rows
}

/// A wafer whose PEs all run one short task.
fn idle() -> Vec<Row> {
    let side = [("width", 256), ("height", 256), ("busy", 0), ("n", 0), ("rest", 1)];
    let begin = Instant::now();
    let program = compile("grid.csl", &side);
    let before = resident();
    let runner = run(&program);
    let seconds = begin.elapsed().as_secs_f64();
    let what = "256 x 256, source to the end of a short task everywhere";
    let mut rows = vec![Row::new(what).ours(seconds, Unit::Seconds)];
    if let (Some(before), Some(after)) = (before, resident()) {
        let per_pe = after.saturating_sub(before) as f64 / (256.0 * 256.0);
        rows.push(Row::new("256 x 256, host memory per PE that has run").ours(per_pe, Unit::Bytes));
    }
    drop(runner);
    rows
}

/// PEs that sleep cost nothing.
fn one_at_work() -> Row {
    let [many, one] = [64, 1].map(|side| {
        let params = [("width", side), ("height", side), ("busy", 1), ("n", 1_000_000), ("rest", 0)];
        compile("grid.csl", &params)
    });
    let Pair { ours, anchor, speed } = beside(each(|| run(&many)), each(|| run(&one)));
    let row =
        Row::new("64 x 64 with one PE at work, compared with 1 x 1").ours(ours * 1e3, Unit::Milliseconds);
    row.anchor("1 x 1", anchor * 1e3).ratio(1.0 / speed, Unit::Times)
}

/// Bytes of memory of this process.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    status.split_whitespace().nth(1)?.parse::<usize>().ok().map(|pages| pages * 4096)
}
