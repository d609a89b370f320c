//! Operations of one `f16` or 16-bit integer, and conversions, on all 65,536 values.

use super::number::{Elem, Number};
use cslrun::{Arch, CompileOptions, MemoryLoader, PeCoord, Program, RunOptions, Runner, Scalar, compile};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Values in one run.
const PIECE: u32 = 1024;

/// Something with one operand: the statement for all elements of `x` or, in a loop, for `x[i]`; the
/// types of its operand and its result; the expected bits.
struct Unary {
    statement: &'static str,
    from: Elem,
    to: Elem,
    expected: fn(u32) -> u32,
}

fn half(bits: u32) -> Number {
    Number::of(Elem::F16, bits)
}

fn integer(bits: u32) -> Number {
    Number::whole((bits as u16 as i16).into())
}

fn bits_from_the_top(bits: u32) -> u32 {
    (0..16).take_while(|k| bits >> (15 - k) & 1 == 0).count() as u32
}

fn bits_from_the_bottom(bits: u32) -> u32 {
    (0..16).take_while(|k| bits >> k & 1 == 0).count() as u32
}

use Elem::{F16, F32, Int16};

#[rustfmt::skip]
const VECTORS: &[Unary] = &[
    Unary { statement: "@fmovh(dy, dx)", from: F16, to: F16, expected: |x| x },
    Unary { statement: "@fnegh(dy, dx)", from: F16, to: F16, expected: |x| x ^ 0x8000 },
    Unary { statement: "@fabsh(dy, dx)", from: F16, to: F16, expected: |x| x & 0x7fff },
    Unary { statement: "@fh2s(dy, dx)", from: F16, to: F32, expected: |x| half(x).bits(F32) },
    Unary { statement: "@fh2xp16(dy, dx)", from: F16, to: Int16, expected: |x| u32::from(half(x).to_i16() as u16) },
    Unary { statement: "@xp162fh(dy, dx)", from: Int16, to: F16, expected: |x| integer(x).bits(F16) },
    Unary { statement: "@xp162fs(dy, dx)", from: Int16, to: F32, expected: |x| integer(x).bits(F32) },
    Unary { statement: "@clz(dy, dx)", from: Int16, to: Int16, expected: bits_from_the_top },
    Unary { statement: "@ctz(dy, dx)", from: Int16, to: Int16, expected: bits_from_the_bottom },
    Unary { statement: "@popcnt(dy, dx)", from: Int16, to: Int16, expected: |x| (0..16).map(|k| x >> k & 1).sum() },
];

#[rustfmt::skip]
const SCALARS: &[Unary] = &[
    Unary { statement: "y[i] = -x[i]", from: F16, to: F16, expected: |x| x ^ 0x8000 },
    Unary { statement: "y[i] = @as(f32, x[i])", from: F16, to: F32, expected: |x| half(x).bits(F32) },
    Unary { statement: "y[i] = @as(f16, @as(f32, x[i]))", from: F16, to: F16, expected: |x| x },
    Unary { statement: "y[i] = @as(f16, x[i])", from: Int16, to: F16, expected: |x| integer(x).bits(F16) },
    Unary { statement: "y[i] = @as(f32, x[i])", from: Int16, to: F32, expected: |x| integer(x).bits(F32) },
    Unary { statement: "y[i] = if (x[i] >= -32768.0 and x[i] < 32768.0) @as(i16, x[i]) else 0", from: F16, to: Int16, expected: to_integer_in_range },
    Unary { statement: "@fnormh(&y[i], x[i])", from: F16, to: F16, expected: |x| half(x).significand().bits(F16) },
    Unary { statement: "@fscaleh(&y[i], x[i], 3)", from: F16, to: F16, expected: |x| half(x).scaled(3).bits(F16) },
    Unary { statement: "@fscaleh(&y[i], x[i], -9)", from: F16, to: F16, expected: |x| half(x).scaled(-9).bits(F16) },
];

fn to_integer_in_range(bits: u32) -> u32 {
    let float = half::f16::from_bits(bits as u16).to_f64();
    if (-32768.0..32768.0).contains(&float) { u32::from(float as i16 as u16) } else { 0 }
}

#[test]
fn every_vector_operation_is_right_for_every_value() {
    for unary in VECTORS {
        check(unary, &format!("task main() void {{ {}; }}", unary.statement));
    }
}

#[test]
fn every_scalar_conversion_is_right_for_every_value() {
    for unary in SCALARS {
        let text =
            format!("task main() void {{ for (@range(u16, {PIECE})) |i| {{ {}; }} }}", unary.statement);
        check(unary, &text);
    }
}

fn check(unary: &Unary, main: &str) {
    let program = Arc::new(compile_all(unary, main));
    let options = RunOptions { checked: false, ..RunOptions::default() };
    let at = PeCoord { x: 0, y: 0 };
    for start in (0..1u32 << 16).step_by(PIECE as usize) {
        let mut runner = Runner::new(Arc::clone(&program), options);
        let values: Vec<u64> = (start..start + PIECE).map(u64::from).collect();
        let scalar = if unary.from == F16 { Scalar::F16 } else { Scalar::I16 };
        runner.write_elements(at, "x", scalar, &values).expect("the program has x");
        runner.run_until_idle().expect("the program runs to its end");
        let (_, words) = runner.read_symbol(at, "y").expect("the program has y");
        for (value, found) in (start..).zip(words.chunks(unary.to.words())) {
            let found = found.iter().rev().fold(0, |bits, word| bits << 16 | u32::from(*word));
            let expected = (unary.expected)(value);
            let both_nan = unary.to.is_nan(found) && unary.to.is_nan(expected);
            let what = unary.statement;
            assert!(found == expected || both_nan, "{what} for {value:#06x}: {found:#x}, not {expected:#x}");
        }
    }
}

fn compile_all(unary: &Unary, main: &str) -> Program {
    let (from, to) = (unary.from.types(), unary.to.types());
    let mut text = String::new();
    for (name, types) in [("x", from), ("y", to)] {
        let ty = types[types.len() - 1];
        let _ = writeln!(text, "var {name} = @zeros([{PIECE}]{ty});");
        let access = format!("|i|{{{PIECE}}} -> {name}[i]");
        let _ = writeln!(text, "const d{name} = @get_dsd(mem1d_dsd, .{{ .tensor_access = {access} }});");
    }
    let _ = writeln!(text, "{main}\nconst main_id = @get_local_task_id(8);");
    text.push_str("comptime { @bind_local_task(main, main_id); @activate(main_id); }\n");
    let mut loader = MemoryLoader::default();
    loader.add("all.csl", text.as_str());
    let compilation = compile(Path::new("all.csl"), &loader, &CompileOptions::new(Arch::Wse2));
    compilation.into_program().unwrap_or_else(|report| panic!("{text}\n{report}"))
}
