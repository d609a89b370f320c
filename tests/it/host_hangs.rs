//! Hangs in which the host takes part: what it does in which order, and what the report says.

use cslrun::{
    Arch, Color, CompileOptions, Failure, MemoryLoader, MessageFormat, Region, RunOptions, Runner,
    StreamRequest, compile, render,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const IN: Color = Color(4);
const OUT: Color = Color(5);

const LAYOUT: &str = r#"
const memcpy = @import_module("<memcpy/get_params>", .{
  .width = 2, .height = 1, .MEMCPYH2D_1 = @get_color(4), .MEMCPYD2H_1 = @get_color(5)
});
layout {
  @set_rectangle(2, 1);
  for (@range(u16, 2)) |x| {
    @set_tile_code(x, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(x) });
  }
}
"#;

/// Sends each word of the host back.
const RELAY: &str = r#"
param memcpy_params: comptime_struct;
const memcpy = @import_module("<memcpy/memcpy>", memcpy_params);
const from_host = @get_dsd(fabin_dsd, .{
  .extent = EXTENT, .fabric_color = memcpy.MEMCPYH2D_1, .input_queue = @get_input_queue(2)
});
const to_host = @get_dsd(fabout_dsd, .{
  .extent = EXTENT, .fabric_color = memcpy.MEMCPYD2H_1, .output_queue = @get_output_queue(3)
});
const main_id = @get_local_task_id(9);
task main() void {
  @mov32(to_host, from_host, .{ .async = true });
}
comptime {
  @bind_local_task(main, main_id);
  @activate(main_id);
}
"#;

/// The line of the operation in it.
const LINE: usize = 12;

/// The program with so many words for each PE, on a wafer.
fn relay(extent: usize) -> Runner {
    let mut loader = MemoryLoader::default();
    loader.add("layout.csl", LAYOUT);
    loader.add("pe.csl", RELAY.replace("EXTENT", &extent.to_string()));
    let compilation = compile(Path::new("layout.csl"), &loader, &CompileOptions::new(Arch::Wse2));
    assert_eq!(compilation.diagnostics, []);
    let program = compilation.program.expect("a program without an error");
    Runner::new(Arc::new(program), RunOptions::default())
}

fn words(color: Color, elements: usize) -> StreamRequest {
    StreamRequest { color, region: Region { x: 0, y: 0, w: 2, h: 1 }, elements, pe_by_pe: true }
}

/// Does what is queued; gives the report of the hang and what people read.
fn hang(mut runner: Runner) -> (Value, String) {
    match runner.run_until_commands_done() {
        Err(Failure::Stalled(report)) => {
            let sources = runner.program().sources();
            let text = render(sources, &[report.diagnostic(sources)], MessageFormat::Plain, false);
            (report.facts(sources), text)
        }
        other => panic!("{other:?}"),
    }
}

/// The PE and the line that the report names first.
fn root(report: &Value) -> (&Value, u64) {
    let first = &report["waits"][0];
    (&first["pe"], first["at"]["line"].as_u64().expect("a line"))
}

#[test]
fn what_fits_between_host_and_program_comes_through() {
    let mut runner = relay(8);
    let given: Vec<u32> = (0..16).collect();
    runner.queue_stream_in(&words(IN, 8), &given).unwrap();
    let taken = runner.queue_stream_out(&words(OUT, 8)).unwrap();
    runner.run_until_commands_done().unwrap();
    assert_eq!(runner.take_words(taken).unwrap(), given);
}

#[test]
fn a_copy_to_the_device_that_waits_for_the_copy_behind_it_is_a_circle() {
    let mut runner = relay(1000);
    runner.queue_stream_in(&words(IN, 1000), &[0; 2000]).unwrap();
    runner.queue_stream_out(&words(OUT, 1000)).unwrap();
    let (report, text) = hang(runner);
    assert_eq!(root(&report), (&json!([0, 0]), LINE as u64));
    assert_eq!(report["host_in_circle"], true);
    assert_eq!(report["host"].as_array().expect("a list").len(), 2);
    insta::assert_snapshot!(text);
}

#[test]
fn a_copy_from_the_device_before_the_copy_to_it_is_a_circle() {
    let mut runner = relay(8);
    runner.queue_stream_out(&words(OUT, 8)).unwrap();
    runner.queue_stream_in(&words(IN, 8), &[0; 16]).unwrap();
    let (report, text) = hang(runner);
    assert_eq!(root(&report), (&json!([0, 0]), LINE as u64));
    assert_eq!(report["host_in_circle"], true);
    insta::assert_snapshot!(text);
}

#[test]
fn a_program_that_expects_more_words_than_the_host_has_given_says_how_many() {
    let mut runner = relay(8);
    runner.queue_stream_in(&words(IN, 7), &[0; 14]).unwrap();
    runner.queue_stream_out(&words(OUT, 8)).unwrap();
    let (report, text) = hang(runner);
    assert_eq!(root(&report), (&json!([0, 0]), LINE as u64));
    assert!(text.contains("stopped after 7 of 8"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_copy_of_more_words_than_the_program_sends_points_at_what_sends() {
    let mut runner = relay(8);
    runner.queue_stream_in(&words(IN, 8), &[0; 16]).unwrap();
    runner.queue_stream_out(&words(OUT, 9)).unwrap();
    let (report, text) = hang(runner);
    let cause = &report["host"][0]["cause"];
    assert_eq!((&cause["pe"], &cause["at"]["line"]), (&json!([0, 0]), &json!(LINE)));
    assert!(text.contains(&format!("pe.csl:{LINE}:")), "{text}");
}
