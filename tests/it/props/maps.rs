//! `@map` with random functions: the plain engine calls them for one element after the other, and the fast one
//! does many elements at a time where it can. Both must leave the same memory after the same cycles, and stop at
//! the same element if one fails.

use super::choices::{Choices, shrink};
use super::trial::count;
use cslrun::{
    Arch, CompileOptions, MemoryLoader, MessageFormat, PeCoord, RunOptions, Runner, compile, render,
};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Words of a PE.
const MEMORY: usize = 0x6000;

#[test]
fn a_map_does_the_same_in_both_engines() {
    let mut failed = 0;
    for seed in 0..count() {
        let mut choices = Choices::from_seed(seed);
        let is_different = |text: &str| outcome(text, false) != outcome(text, true);
        let text = program(&mut choices);
        failed += usize::from(outcome(&text, false).contains("error"));
        if is_different(&text) {
            let simplest = shrink(choices.made(), |list| is_different(&program(&mut Choices::replay(list))));
            let text = program(&mut Choices::replay(&simplest));
            panic!("seed {seed}\n{text}\n{}\nplain:\n{}", outcome(&text, false), outcome(&text, true));
        }
    }
    // Most programs end, but elements that fail are compared, too.
    assert!(count() < 200 || failed > 0 && failed < count() as usize / 2, "{failed} have failed");
}

/// All that can be seen of a run.
fn outcome(text: &str, plain: bool) -> String {
    let mut loader = MemoryLoader::default();
    loader.add("map.csl", text);
    let program = compile(Path::new("map.csl"), &loader, &CompileOptions::new(Arch::Wse2)).into_program();
    let program = program.unwrap_or_else(|why| panic!("{text}\n{why}"));
    let mut runner = Runner::new(Arc::new(program), RunOptions { plain, ..RunOptions::default() });
    let mut story = match runner.run_until_idle() {
        Ok(_) => format!("{:?}\n", runner.report()),
        Err(failure) => {
            let sources = runner.program().sources();
            render(sources, &failure.diagnostics(sources), MessageFormat::Plain, false)
        }
    };
    let words = runner.memory(PeCoord { x: 0, y: 0 }, MEMORY).unwrap_or_default();
    let end = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
    let _ = write!(story, "{:x?}", &words[..end]);
    story
}

/// A program with some maps over the same arrays.
fn program(choices: &mut Choices) -> String {
    let ty = choices.pick(&["i16", "u16", "i32", "u32", "f16", "f32"]);
    let length = choices.pick(&[3, 9, 17, 65, 130, 300]);
    let (is_float, is_signed) = (ty.starts_with('f'), !ty.starts_with('u'));
    let mut functions = Functions { choices, ty, is_float, is_signed };
    let mut text = format!("const math = @import_module(\"<math>\");\nvar a = @zeros([700]{ty});\n");
    let _ = write!(text, "var table = @zeros([16]{ty});\nvar total: {ty} = 1;\nvar last: {ty} = 2;\n");
    text.push_str("var index: i16 = 0;\n");
    let helper = functions.body("helper", false);
    text.push_str(&helper);
    let mut maps = String::new();
    for n in 0..1 + functions.choices.below(2) {
        let line = |choices: &mut Choices| {
            let (first, step) = (choices.below(100), choices.pick(&[1, 1, 1, 2]));
            format!("@get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{length}}} -> a[{step} * i + {first}] }})")
        };
        let function = functions.body(&format!("f{n}"), true);
        text.push_str(&function);
        let choices = &mut *functions.choices;
        let _ = writeln!(text, "const x{n} = {};\nconst y{n} = {};", line(choices), line(choices));
        let to = if choices.once_in(2) {
            let _ = writeln!(text, "var b{n} = @zeros([{length}]{ty});");
            format!("@get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{length}}} -> b{n}[i] }})")
        } else {
            line(choices)
        };
        let _ = writeln!(text, "const z{n} = {to};");
        let second = if choices.once_in(2) { format!("y{n}") } else { "last".to_string() };
        let _ = writeln!(
            maps,
            "  @map(f{n}, x{n}, {second}, {}, z{n});",
            choices.pick(&["&total", "&last", "&table[3]"])
        );
    }
    let value =
        if is_float { format!("@as({ty}, i % 23) * 0.5 - 3.0") } else { format!("@as({ty}, i % 23)") };
    let _ = write!(
        text,
        "task main() void {{\n  for (@range(i16, 700)) |i| {{ a[i] = {value}; }}\n  \
         for (@range(i16, 16)) |i| {{ table[i] = @as({ty}, i); }}\n{maps}}}\n\
         comptime {{\n  @bind_local_task(main, @get_local_task_id(8));\n  \
         @activate(@get_local_task_id(8));\n}}\n"
    );
    text
}

/// Writes functions.
struct Functions<'c> {
    choices: &'c mut Choices,
    ty: &'static str,
    is_float: bool,
    is_signed: bool,
}

impl Functions<'_> {
    /// A function of two numbers and of a pointer to one.
    fn body(&mut self, name: &str, may_call: bool) -> String {
        let ty = self.ty;
        let mut text = format!("fn {name}(x: {ty}, y: {ty}, p: *{ty}) {ty} {{\n  var v: {ty} = x;\n");
        for _ in 0..1 + self.choices.below(4) {
            let (term, other) = (self.term(), self.term());
            let line = match self.choices.below(9) {
                0 => format!("if (v < {term}) {{ v = {other}; }}"),
                1 => format!("if (v > {term}) {{ return {other}; }} else {{ v += {term}; }}"),
                2 => format!("total {} v;", self.choices.pick(&["+=", "+=", "-=", "*="])),
                3 => format!("last = v; v = {term};"),
                4 if !self.is_float => {
                    format!("v += table[@as(u16, v) & {}];", self.choices.pick(&[7, 15, 31]))
                }
                4 => format!("v = math.sqrt_{ty}({term});"),
                5 if may_call => format!("v = helper({term}, v, p);"),
                6 => format!("v /= {term};"),
                7 => "index += 1;".to_string(),
                _ => {
                    let operator = self.choices.pick(&["+", "-", "*"]);
                    format!("v = v {operator} {term};")
                }
            };
            let _ = writeln!(text, "  {line}");
        }
        let _ = write!(text, "  return v;\n}}\n");
        text
    }

    /// A term without side effects.
    fn term(&mut self) -> String {
        match self.choices.below(6) {
            0 => "y".to_string(),
            1 => "(x + y)".to_string(),
            2 => self.choices.pick(&["last", "total", "table[5]"]).to_string(),
            3 => "p.*".to_string(),
            4 if self.is_signed => "-x".to_string(),
            _ if self.is_float => self.choices.pick(&["1.5", "0.25", "-2.0"]).to_string(),
            _ => self.choices.pick(&["1", "3", "7"]).to_string(),
        }
    }
}
