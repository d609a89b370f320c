//! Stepping back from the end of a run; with `--nocapture` it prints how long that takes. `DAP_COMMAND=CSLRUN DAP_SIDE=8
//! DAP_ROUNDS=5300` measures a release build with a run of a million cycles.

use super::client::Client;
use crate::cli::Folder;
use serde_json::json;
use std::time::{Duration, Instant};

/// Rounds of the tasks in a run of the tests, and the side of the square of PEs; `DAP_ROUNDS` and `DAP_SIDE` ask for
/// more.
const ROUNDS: u64 = 300;
const SIDE: u64 = 2;

const LAYOUT: &str = "param side: i16;
param rounds: u32;
layout {
  @set_rectangle(side, side);
  for (@range(i16, side)) |x| {
    for (@range(i16, side)) |y| {
      @set_tile_code(x, y, \"pe.csl\", .{ .rounds = rounds });
    }
  }
}
";
const PE: &str = "param rounds: u32;
const id = @get_local_task_id(8);
var n: u32 = 0;
var sum: u32 = 0;
task main() void {
  for (@range(u32, 10)) |i| {
    sum += i * n;
  }
  n += 1;
  if (n < rounds) {
    @activate(id);
  }
}
comptime {
  @bind_local_task(main, id);
  @activate(id);
}
";

#[test]
fn stepping_back_from_the_end_of_a_run_shows_the_state_before() {
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |n| n.parse().expect("a number"));
    let (rounds, side) = (number("DAP_ROUNDS", ROUNDS), number("DAP_SIDE", SIDE));
    let folder = Folder::new("dap-speed");
    std::fs::write(folder.0.join("layout.csl"), LAYOUT).expect("a writable file");
    std::fs::write(folder.0.join("pe.csl"), PE).expect("a writable file");
    let mut client = Client::new(&folder.0);
    client.ask("initialize", json!({})).expect("a greeting");
    let launch = json!({ "program": "layout.csl", "params": { "side": side, "rounds": rounds } });
    client.ask("launch", launch).expect("a launch");
    let start = Instant::now();
    client.ask("configurationDone", json!({})).expect("a start");
    client.events_of_last_request();
    let run = start.elapsed();
    let mut slowest = Duration::ZERO;
    for _ in 0..10 {
        let start = Instant::now();
        client.ask("stepBack", json!({ "threadId": 1 })).expect("a step");
        client.ask("stackTrace", json!({ "threadId": 1 })).expect("a stack");
        slowest = slowest.max(start.elapsed());
    }
    let cycle = client.ask("evaluate", json!({ "expression": "cycle" })).expect("a value");
    let n = client.ask("evaluate", json!({ "expression": "n" })).expect("a value");
    let cycles = cycle["result"].as_str().unwrap_or_default();
    println!("{side} x {side} PEs, {cycles} cycles in {run:?}; the slowest step back took {slowest:?}");
    assert_eq!(n["result"], (rounds - 1).to_string());
    assert_eq!(client.end(), Some(0));
}
