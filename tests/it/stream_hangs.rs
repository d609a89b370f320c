//! Hangs at streams between the host and a PE: of an `SdkLayout`, and into FIFOs.

use cslrun::{
    Arch, Color, CompileOptions, Failure, Layout, MemoryLoader, MessageFormat, Region, RunOptions, Runner,
    StreamRequest, compile, compile_layout, render,
};
use std::path::Path;
use std::sync::Arc;

const REGION: &str = r#"
param numbers: color;
const queue = @get_input_queue(2);
var got: [8]u32;
const from_host = @get_dsd(fabin_dsd, .{ .extent = 8, .fabric_color = numbers, .input_queue = queue });
const all = @get_dsd(mem1d_dsd, .{ .base_address = &got, .extent = 8 });
task main() void {
  @mov32(all, from_host, .{ .async = true });
}
comptime {
  @bind_local_task(main, @get_local_task_id(8));
  @activate(@get_local_task_id(8));
  @initialize_queue(queue, .{ .color = numbers });
}
"#;

/// One region of one PE, to which the host sends numbers.
const LAYOUT: &str = r#"{
  "wafer": [8, 3],
  "colors": [{ "name": "numbers", "value": null }],
  "regions": [{
    "name": "sink", "source": "sink.csl", "area": [3, 1, 1, 1], "placed": true,
    "params": [{ "area": [0, 0, 1, 1], "name": "numbers", "value": { "color": 0 } }],
    "paints": [],
    "ports": [{
      "name": "in", "input": true, "color": 0, "edge": "LEFT", "positions": [{ "inputs": [], "outputs": ["RAMP"] }]
    }],
    "symbols": []
  }],
  "connections": [],
  "streams": [{
    "name": "given", "input": true, "end": { "port": { "region": 0, "port": 0 } }, "io_loc": null, "buffer": 64
  }]
}"#;

fn text_of(runner: &Runner, failure: Failure) -> String {
    let Failure::Stalled(report) = failure else { panic!("{failure:?}") };
    let sources = runner.program().sources();
    render(sources, &[report.diagnostic(sources)], MessageFormat::Plain, false)
}

/// The end of a run in which the host has sent numbers to the region, as people read it.
fn end_with(region: &str, numbers: &[u32]) -> String {
    let mut loader = MemoryLoader::default();
    loader.add("sink.csl", region);
    let layout = Layout::from_json(LAYOUT, Vec::new()).expect("a description");
    let compiled =
        compile_layout(&layout, &loader, &CompileOptions::new(Arch::Wse3)).expect("a layout that fits");
    assert_eq!(compiled.compilation.diagnostics, []);
    let program = compiled.compilation.program.expect("a program without an error");
    let mut runner = Runner::new(Arc::new(program), RunOptions::default());
    runner.queue_send(0, numbers);
    runner.run_until_quiet().expect("the host has nothing to wait for");
    let warnings = runner.run_until_idle().expect("the host has all that it wants");
    render(runner.program().sources(), &warnings, MessageFormat::Plain, false)
}

#[test]
fn a_stream_on_which_the_host_has_sent_too_little_is_named() {
    let text = end_with(REGION, &[1, 2, 3, 4, 5]);
    assert!(text.contains("on the stream 'given'"), "{text}");
    insta::assert_snapshot!(text);
}

/// Its task takes eight numbers after the other.
const SERVER: &str = r#"
param numbers: color;
const queue = @get_input_queue(2);
var got: [8]u32;
const from_host = @get_dsd(fabin_dsd, .{ .extent = 8, .fabric_color = numbers, .input_queue = queue });
const all = @get_dsd(mem1d_dsd, .{ .base_address = &got, .extent = 8 });
const id = @get_local_task_id(8);
task main() void {
  @mov32(all, from_host);
  @activate(id);
}
comptime {
  @bind_local_task(main, id);
  @activate(id);
  @initialize_queue(queue, .{ .color = numbers });
}
"#;

#[test]
fn a_task_that_would_serve_the_next_message_is_only_noted() {
    let text = end_with(SERVER, &[1; 16]);
    assert!(text.starts_with("note[deadlock]: the host is done after"), "{text}");
    assert!(text.lines().count() <= 8, "{text}");
    // What has begun is not served.
    let text = end_with(SERVER, &[1; 20]);
    assert!(text.contains("stopped after 4 of 8"), "{text}");
    // Nothing was ever served.
    let text = end_with(SERVER, &[]);
    assert!(text.contains("warning[deadlock]"), "{text}");
}

/// Words of the host go through a FIFO, from which a task would send them back.
const THROUGH_FIFO: &str = r#"
const memcpy = @import_module("<memcpy/get_params>", .{
  .width = 1, .height = 1, .MEMCPYH2D_1 = @get_color(4), .MEMCPYD2H_1 = @get_color(5)
});
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
}
"#;

const FIFO: &str = r#"
param memcpy_params: comptime_struct;
const memcpy = @import_module("<memcpy/memcpy>", memcpy_params);
var buffer = @zeros([16]u32);
const from_host = @get_dsd(fabin_dsd, .{
  .extent = 0x7fff, .fabric_color = memcpy.MEMCPYH2D_1, .input_queue = @get_input_queue(2)
});
const to_host = @get_dsd(fabout_dsd, .{
  .extent = 4, .fabric_color = memcpy.MEMCPYD2H_1, .output_queue = @get_output_queue(3)
});
const main_id = @get_local_task_id(9);
const back_id = @get_local_task_id(10);
const fifo = @allocate_fifo(buffer, .{ .activate_push = back_id });
task main() void { @mov32(fifo, from_host); }
task back() void { @mov32(to_host, fifo, .{ .async = true }); }
comptime {
  @bind_local_task(main, main_id);
  @bind_local_task(back, back_id);
  @activate(main_id);
}
"#;

#[test]
fn an_endless_operation_into_a_fifo_that_keeps_tasks_from_running_is_named() {
    let mut loader = MemoryLoader::default();
    loader.add("layout.csl", THROUGH_FIFO);
    loader.add("pe.csl", FIFO);
    let compilation = compile(Path::new("layout.csl"), &loader, &CompileOptions::new(Arch::Wse2));
    assert_eq!(compilation.diagnostics, []);
    let program = compilation.program.expect("a program without an error");
    let mut runner = Runner::new(Arc::new(program), RunOptions::default());
    let words = |color| StreamRequest {
        color: Color(color),
        region: Region { x: 0, y: 0, w: 1, h: 1 },
        elements: 4,
        pe_by_pe: true,
    };
    runner.queue_stream_in(&words(4), &[1, 2, 3, 4]).expect("a stream");
    runner.queue_stream_out(&words(5)).expect("a stream");
    let failure = runner.run_until_commands_done().expect_err("the task that sends never runs");
    let text = text_of(&runner, failure);
    assert!(text.contains("`.async = true`"), "{text}");
    insta::assert_snapshot!(text);
}
