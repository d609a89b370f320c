//! Work that must not grow faster than the program: counted, not timed.

use super::{CompileOptions, compile};
use crate::arch::ArchName;
use crate::diagnostics::Sink;
use crate::image::TileImage;
use crate::source::{MemoryLoader, SourceMap};
use std::path::Path;
use std::sync::Arc;

/// The only tile of a program.
pub fn tile(program: &str) -> Arc<TileImage> {
    let mut loader = MemoryLoader::default();
    loader.add("p.csl", program);
    let (mut sources, mut sink) = (SourceMap::default(), Sink::default());
    let options = CompileOptions::new(ArchName::Wse2);
    let program = compile(&loader, &mut sources, Path::new("p.csl"), &options, &mut sink);
    assert_eq!(sink.all(), []);
    Arc::clone(&program.expect("a program without a mistake").tiles[0])
}

/// A layout of a whole wafer takes more comptime steps than an endless loop is allowed.
#[test]
fn a_layout_that_sets_something_at_each_turn_has_steps_for_the_next() {
    let mut loader = MemoryLoader::default();
    let turn =
        |builtin: &str| format!("for (@range(u16, 20)) |x| {{ for (@range(u16, 20)) |y| {{ {builtin} }} }}");
    let code = turn("@set_tile_code(x, y, \"pe.csl\", .{});");
    let route =
        turn("@set_color_config(x, y, @get_color(1), .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });");
    loader.add("layout.csl", format!("layout {{ @set_rectangle(20, 20); {code} {route} }}"));
    loader.add("pe.csl", "");
    let mut options = CompileOptions::new(ArchName::Wse2);
    options.comptime_fuel = 300;
    let (mut sources, mut sink) = (SourceMap::default(), Sink::default());
    let program = compile(&loader, &mut sources, Path::new("layout.csl"), &options, &mut sink);
    let program = program.unwrap_or_else(|| panic!("{:?}", sink.all()));
    assert_eq!(program.place.len(), 400);
}

/// A DSD or a place that were kept once for each turn would be looked for among all the others.
#[test]
fn what_is_kept_of_an_inline_loop_does_not_grow_with_its_turns() {
    for turns in [2, 200] {
        let tile = tile(&format!(
            "var a = @zeros([16]u32);
task main() void {{
  inline for (@range(i32, 0, {turns}, 1)) |i| {{
    @mov32(@get_dsd(mem1d_dsd, .{{ .tensor_access = |k|{{4}} -> a[k] }}),
           @get_dsd(mem1d_dsd, .{{ .tensor_access = |k|{{4}} -> a[k+4] }}));
  }}
}}
comptime {{ const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }}"
        ));
        assert_eq!((tile.vector_ops.len(), tile.dsds.len(), tile.origins.len()), (turns, 2, 2));
    }
}
