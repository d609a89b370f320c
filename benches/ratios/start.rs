//! Start-up: the smallest program as a process, and large programs from source to the first cycle.

use crate::measure::{alone, clock_seconds, each};
use crate::programs;
use crate::table::{Row, Target, Unit};
use cslrun::{ParamValue, RunOptions, Runner};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

/// Milliseconds.
const PROCESS: Target = Target { must: 50.0, goal: 15.0 };
/// Milliseconds.
const FIRST_CYCLE: Target = Target { must: 200.0, goal: 50.0 };

/// Benchmarks of csl-examples: the one with the most PEs and the one with the most source, as their
/// scripts compile them.
const EXAMPLES: [(&str, &[(&str, i128)]); 2] = [
    ("game-of-life", &[("x_dim", 12), ("y_dim", 12)]),
    (
        "25-pt-stencil",
        &[
            ("width", 10),
            ("height", 10),
            ("zDim", 10),
            ("sourceLength", 10),
            ("dx", 20),
            ("srcX", 0),
            ("srcY", 0),
            ("srcZ", 0),
        ],
    ),
];

pub fn rows() -> Vec<Row> {
    let mut rows = vec![process()];
    rows.extend(EXAMPLES.map(|(name, params)| first_cycle(name, params)));
    rows
}

fn process() -> Row {
    let file = programs::file("smallest.csl");
    let start = || {
        let status = crate::command().arg(&file).stdout(Stdio::null()).status();
        assert!(status.is_ok_and(|s| s.success()), "the smallest program runs");
    };
    let row = Row::new("smallest program, process start to exit");
    row.ours(alone(|| clock_seconds(start)) * 1e3, Unit::Milliseconds).target(PROCESS)
}

fn first_cycle(name: &str, params: &[(&str, i128)]) -> Row {
    let row = Row::new(format!("{name} of csl-examples, source to first cycle"));
    let Some(folder) = std::env::var_os("CSL_EXAMPLES") else {
        return row.not_measured("CSL_EXAMPLES names no copy of them");
    };
    let file = Path::new(&folder).join("benchmarks").join(name).join("layout.csl");
    let params: Vec<_> = params.iter().map(|(n, v)| (n.to_string(), ParamValue::Int(*v))).collect();
    let start = || {
        let program = Arc::new(programs::compile_file(&file, params.clone()));
        let mut runner = Runner::new(program, RunOptions { max_cycles: Some(1), ..RunOptions::default() });
        // It either waits for its host or has used up its cycle, which counts as a failure.
        let _ = runner.run_until_idle();
        runner
    };
    row.ours(alone(each(start)) * 1e3, Unit::Milliseconds).target(FIRST_CYCLE)
}
