//! Tiles that are made from others are the same as tiles that are compiled one by one.
//!
//! The program uses its parameters in every way in which a constant can depend on them, and in some that decide what
//! is compiled. The parameters are drawn: small ones are often equal to other constants of a function.

use crate::drawn::{Dice, compiles_both_ways};
use cslrun::MemoryLoader;
use std::fmt::Write;

const CODE: &str = r#"
param x: i16;
param y: i16;
param wide: i32;
param shape;
const sum = x + y;
const product: i32 = @as(i32, x) * 3 - y;
const is_edge = x == 0;
const limit: u16 = if (y < 2) 2 else 6;
const table = [3]i16{ x, 1, sum };
const size: u16 = shape.size;

var words = [4]i16{ x, y, sum, 7 };
var last: i32 = wide;
var buffer = @zeros([size]i16);
var rest = [2]i8{ 1, @as(i8, x) };
var at: u16 = 0;

fn pick(n: i16) i16 {
  return switch (n) { 0 => 5, 1 => x, 2 => x + 1, else => sum };
}

fn known(n: i16) i16 {
  return if (n > 3) 3 else n;
}

fn generic(comptime n: i16, k: i16) i16 {
  return k * n + y;
}

fn work(k: i16) i32 {
  var total: i32 = product;
  if (k == x) { total += 1; }
  if (is_edge) { total += @as(i32, y); } else { total -= @as(i32, sum); }
  total += @as(i32, pick(k) + table[at]);
  total ^= @as(i32, x & 3) | wide >> 2;
  total += @as(i32, known(y)) + @as(i32, generic(x, k));
  total -= @as(i32, -x) + @as(i32, ~y) + @as(i32, x << 1) + 2;
  if (x < 2 and k != y) { total += 4; }
  return total * wide;
}

task main() void {
  const out = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{size} -> buffer[i] });
  for (@range(u16, limit)) |i| { last += work(@as(i16, i)); }
  @mov16(out, x);
  @add16(out, out, y);
  inline for (@range(u16, 2)) |i| { words[i] += x - @as(i16, i); }
  rest[at] = @as(i8, x);
}

comptime {
  @comptime_assert(x != 6, "six");
  if (y == 4) { @comptime_print(sum); }
  @bind_local_task(main, @get_local_task_id(8));
  @activate(@get_local_task_id(8));
}
"#;

/// A layout whose PEs have parameters of their own; every fifth program has tiles with an error.
fn layout(seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut below = |bound: usize| dice.below(bound) as i64;
    let (width, height) = (8, 4);
    let highest = if seed.is_multiple_of(5) { 9 } else { 8 };
    let mut text = format!("layout {{\n  @set_rectangle({width}, {height});\n");
    for (px, py) in (0..width).flat_map(|px| (0..height).map(move |py| (px, py))) {
        let (x, y) = (below(highest) - 2, below(7));
        let wide = [x, 5, 40_000, -70_000][below(4) as usize] + below(3);
        let size = 1 + below(2);
        let params = format!(".x = {x}, .y = {y}, .wide = {wide}, .shape = .{{ .size = {size} }}");
        let _ = writeln!(text, "  @set_tile_code({px}, {py}, \"pe.csl\", .{{ {params} }});");
    }
    text + "}\n"
}

#[test]
fn tiles_made_from_others_are_those_that_are_compiled_alone() {
    let (mut compiled, mut refused) = (0, 0);
    for seed in 0..60 {
        let mut files = MemoryLoader::default();
        files.add("layout.csl", layout(seed));
        files.add("pe.csl", CODE);
        let is_compiled = compiles_both_ways("layout.csl", &files, &format!("program {seed}"));
        if is_compiled { compiled += 1 } else { refused += 1 }
    }
    assert!(compiled > 30 && refused > 2, "{compiled} compiled, {refused} refused");
}
