//! Comptime arithmetic on the short path gives what the general path gives: the same values, and the same messages.
//!
//! The expressions are drawn. Their operands have different types, and numbers at the ends of these, so that some of them
//! overflow, divide by zero or do not compile.

use crate::drawn::{Dice, compiles_both_ways};
use cslrun::MemoryLoader;
use std::fmt::Write;

const TYPES: [&str; 8] = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"];

impl Dice {
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// A number that the type holds; often one at an end of it.
    fn number(&mut self, ty: &str) -> i128 {
        let bits: u32 = ty[1..].parse().expect("a width");
        let (low, high) = match ty.starts_with('i') {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let some = self.below(100) as i128;
        *[low, high, low + some, high - some, some, some].get(self.below(6)).expect("six")
    }

    /// A number of a type, or now and then something else.
    fn operand(&mut self, ty: &str) -> String {
        match self.below(24) {
            0 => self
                .one_of(&["true", "1.5", "missing", "later", "array", "u8", "9223372036854775807"])
                .to_string(),
            1 => format!("c{}", self.one_of(&TYPES)),
            2..6 => self.one_of(&["0", "1", "2", "7", "100", "number"]).to_string(),
            _ => format!("{}{ty}", self.one_of(&["c", "v", "g"])),
        }
    }

    /// An expression of a type.
    fn integer(&mut self, ty: &str, depth: usize) -> String {
        if depth == 0 || self.below(5) == 0 {
            return self.operand(ty);
        }
        let a = self.integer(ty, depth - 1);
        match self.below(12) {
            0 => format!("-{a}"),
            1 => format!("~{a}"),
            2 | 3 => {
                let from = self.one_of(&TYPES);
                format!("@as({ty}, {})", self.integer(from, depth - 1))
            }
            4 => format!("@as({ty}, {})", self.truth(depth - 1)),
            5 => format!(
                "({a} {} {})",
                self.one_of(&["<<", ">>"]),
                self.one_of(&["1", "7", "cu8", "vu16", "gi8"])
            ),
            _ => {
                let op = self.one_of(&["+", "-", "*", "/", "%", "&", "|", "^"]);
                format!("({a} {op} {})", self.integer(ty, depth - 1))
            }
        }
    }

    /// An expression that is true or false.
    fn truth(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one_of(&["flag", "true", "false", "vu8"]).to_string();
        }
        match self.below(6) {
            0 => format!("!{}", self.truth(depth - 1)),
            1 => {
                let op = self.one_of(&["and", "or", "==", "!="]);
                format!("({} {op} {})", self.truth(depth - 1), self.truth(depth - 1))
            }
            _ => {
                let (ty, op) = (self.one_of(&TYPES), self.one_of(&["==", "!=", "<", ">", "<=", ">="]));
                format!("({} {op} {})", self.integer(ty, depth - 1), self.integer(ty, depth - 1))
            }
        }
    }
}

/// A program that prints an expression, in a function, where overflow wraps, or in a block, where it is an error.
fn program(dice: &mut Dice) -> String {
    let mut text = "const number = 12;\nconst flag = true;\nconst array = [2]i16{ 1, 2 };\n".to_string();
    let (mut constants, mut variables) = (String::new(), String::new());
    for ty in TYPES {
        let _ = writeln!(text, "const g{ty}: {ty} = {};", dice.number(ty));
        let _ = writeln!(constants, "  const c{ty}: {ty} = {};", dice.number(ty));
        let _ = writeln!(variables, "  var v{ty}: {ty} = {};", dice.number(ty));
    }
    let ty = dice.one_of(&TYPES);
    let expression = if dice.below(3) == 0 { dice.truth(4) } else { dice.integer(ty, 4) };
    match dice.below(2) {
        0 => {
            text + &format!(
                "comptime {{\n{constants}{variables}  @comptime_print({expression});\n}}\nconst later = 3;\n"
            )
        }
        _ => {
            text + &format!(
                "fn result() u16 {{\n{constants}{variables}  const all = {expression};\n  @comptime_print(all);\n  \
                 return 1;\n}}\nconst later = 3;\ncomptime {{ @comptime_assert(result() == 1); }}\n"
            )
        }
    }
}

#[test]
fn comptime_arithmetic_is_the_same_on_both_paths() {
    let mut dice = Dice(7);
    let (mut printed, mut refused) = (0, 0);
    for n in 0..1500 {
        let text = program(&mut dice);
        let mut files = MemoryLoader::default();
        files.add("pe.csl", text.clone());
        let what = format!("program {n}:\n{text}");
        if compiles_both_ways("pe.csl", &files, &what) { printed += 1 } else { refused += 1 }
    }
    assert!(printed > 300 && refused > 300, "{printed} printed, {refused} refused");
}
