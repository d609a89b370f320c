//! Local variables as a run knows them: blocks and names, noted in the code that is being written.
//!
//! In: names and what they stand for. Out: `Local`s of the function. Never: notes what only comptime knows.

use super::eval::Binding;
use super::operand::{Addr, Base, Operand};
use super::walk::Sema;
use crate::diagnostics::Result;
use crate::image::code::Reg;
use crate::image::{Local, LocalPlace, Variable};
use crate::source::Span;
use crate::syntax::ast::{Ident, Name};
use crate::value::ty::Ty;

impl Sema<'_> {
    /// Runs `f` in a block of its own: what it declares can be seen until it ends.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.eval.open_scope();
        let alive = self.lower.alive_locals();
        let result = f(self);
        self.lower.end_locals(alive);
        self.eval.close_scope();
        result
    }

    /// Declares a local name, which stands for this from here on.
    ///
    /// # Errors
    /// The block has such a name.
    pub fn declare(&mut self, name: &Ident, binding: Binding) -> Result<()> {
        if name.name != "_" {
            self.note_binding(name, &binding);
        }
        self.eval.declare(&name.name, binding, name.span)
    }

    fn note_binding(&mut self, name: &Ident, binding: &Binding) {
        let (text, span) = (name.name.clone(), name.span);
        match binding {
            Binding::Known(_) | Binding::Variable { .. } | Binding::Poison => {}
            Binding::Register { reg, ty, mutable } => {
                self.note_local(text, span, register(*reg), ty, *mutable);
            }
            Binding::Frame { off, ty, mutable } => {
                self.note_local(text, span, LocalPlace::Frame(*off), ty, *mutable);
            }
            Binding::Alias(operand) => self.note_operand(text, span, operand),
        }
    }

    fn note_operand(&mut self, name: Name, span: Span, operand: &Operand) {
        match operand {
            Operand::Known(_) => {}
            Operand::Reg(reg, ty) => self.note_local(name, span, register(*reg), ty, false),
            Operand::Mem(addr, ty) => {
                if let Some(place) = place_of(*addr) {
                    self.note_local(name, span, place, ty, false);
                }
            }
            Operand::Parts(ty, parts) => {
                let fields = ty.field_names();
                for (n, part) in parts.iter().enumerate() {
                    let path = match fields.get(n) {
                        Some(field) => format!("{name}.{field}"),
                        None => format!("{name}[{n}]"),
                    };
                    self.note_operand(path.into(), span, part);
                }
            }
        }
    }

    fn note_local(&mut self, name: Name, span: Span, place: LocalPlace, ty: &Ty, mutable: bool) {
        let expanded = self.frame().expanded.as_ref().map(|(_, name)| name.clone());
        let ty = self.lower.variable_type(ty);
        self.b().begin_local(Local { name, span, place, ty, mutable, expanded, begin: 0, end: 0 });
    }
}

fn register(reg: Reg) -> LocalPlace {
    LocalPlace::Register(Variable(reg))
}

fn place_of(addr: Addr) -> Option<LocalPlace> {
    let off = u16::try_from(addr.off).ok()?;
    match addr.base {
        Base::Frame => Some(LocalPlace::Frame(off)),
        Base::Reg(reg) => Some(LocalPlace::Behind(Variable(reg), off)),
        Base::Absolute | Base::Global(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::image::{Function, Local, LocalPlace, Op, TileImage};
    use crate::sema::tests::tile;
    use std::collections::BTreeSet;

    const PROGRAM: &str = "\
var total: u16 = 0;
inline fn twice(x: u16, times: u16) u16 {
  const y = x + x;
  return y * times;
}
fn sum(list: [3]u16, start: u16) u16 {
  var result = start;
  {
    const part: u16 = result + 1;
    result += part;
  }
  {
    var part: i32 = @as(i32, result);
    part += 1;
    total = @as(u16, part);
  }
  for (list) |item, i| {
    result += item * i;
  }
  for (@range(u16, 4)) |k| {
    var words: [2]f32;
    words[k & 1] = 0.5;
    result += k;
  }
  const four = 4;
  const larger = twice(result, four + start);
  const pair = .{ .left = start + 1, .right = four };
  total = larger;
  return pair.left;
}
task main() void {
  total = sum([3]u16 { 1, 2, 3 }, total);
}
comptime {
  const id = @get_local_task_id(8);
  @bind_local_task(main, id);
  @activate(id);
}
";

    fn function<'t>(tile: &'t TileImage, name: &str) -> &'t Function {
        tile.functions.iter().find(|f| f.name == name).expect("the function is written")
    }

    /// The name, type and place of a local, and the first and last lines of the operations in its range.
    fn shown(function: &Function, local: &Local) -> String {
        let spans = &function.spans[local.begin as usize..local.end as usize];
        let line = |at: u32| PROGRAM[..at as usize].matches('\n').count() + 1;
        let lines: BTreeSet<usize> = spans.iter().map(|span| line(span.lo)).collect();
        let (first, last) = (lines.first().unwrap_or(&0), lines.last().unwrap_or(&0));
        let declared = line(local.span.lo);
        let place = match local.place {
            LocalPlace::Register(variable) => format!("variable {}", variable.0),
            LocalPlace::Frame(off) => format!("frame {off}, {} words", local.ty.words),
            LocalPlace::Behind(variable, off) => format!("behind variable {} + {off}", variable.0),
        };
        let expanded = local.expanded.iter().map(|name| format!(" of {name}")).collect::<String>();
        let keyword = if local.mutable { "var " } else { "" };
        let ty = &local.ty.text;
        format!("{keyword}{}: {ty}{expanded}, line {declared}, {place}, {first}..{last}", local.name)
    }

    #[test]
    fn every_local_has_a_place_a_type_and_the_lines_of_its_block() {
        let tile = tile(PROGRAM);
        let sum = function(&tile, "sum");
        let locals: Vec<String> = sum.locals.iter().map(|local| shown(sum, local)).collect();
        let expected = "\
list: [3]u16, line 6, behind variable 0 + 0, 3..29
start: u16, line 6, variable 1, 3..29
var result: u16, line 7, variable 2, 3..29
part: u16, line 9, variable 3, 10..10
var part: i32, line 13, variable 3, 14..15
item: u16, line 17, variable 5, 18..18
i: u16, line 17, variable 3, 18..18
k: u16, line 20, variable 3, 21..23
var words: [2]f32, line 21, frame 0, 4 words, 22..23
x: u16 of twice, line 2, variable 6, 3..4
times: u16 of twice, line 2, variable 7, 3..4
y: u16 of twice, line 3, variable 8, 4..4
larger: u16, line 26, variable 4, 27..29
pair.left: u16, line 27, variable 11, 28..29";
        assert_eq!(locals.join("\n"), expected);
        assert_eq!(sum.locals[0].ty.dims, [3]);
    }

    /// The operation in front of the range is the one that has given the value.
    #[test]
    fn a_variable_with_a_value_begins_behind_the_operation_that_writes_its_register() {
        let tile = tile(PROGRAM);
        let sum = function(&tile, "sum");
        let mut seen = 0;
        for local in
            sum.locals.iter().filter(|l| ["result", "part", "y", "larger"].contains(&l.name.as_str()))
        {
            let LocalPlace::Register(variable) = local.place else { panic!("{local:?}") };
            let mut op: Op = sum.code[local.begin as usize - 1];
            assert_eq!(op.dest_mut().copied(), Some(sum.register(variable)), "{local:?}");
            seen += 1;
        }
        assert_eq!(seen, 5);
    }

    #[test]
    fn code_that_is_thrown_away_leaves_no_locals() {
        let tile = tile(
            "var x: u16 = 0;
fn next() u16 { x += 1; return x; }
task main() void {
  const T = @type_of(b: { const gone = next(); while (x < gone) { const also = next(); x += also; } break :b gone; });
  var y: T = 1;
  x = y;
}
comptime { const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }",
        );
        let names: Vec<&str> = function(&tile, "main").locals.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["y"]);
    }
}
