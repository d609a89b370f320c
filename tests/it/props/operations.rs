//! Every DSD operation against a model of its own, element by element.

use super::arrays::{Array, scalar_literal, some_bits};
use super::choices::Choices;
use super::cursors::AddressCursor;
use super::number::{Elem, Number};
use super::trial::{Expected, Trial, check};
use Elem::{F16, F32, Int16, Int32};
use std::fmt::Write;

/// What an operation takes, for one element.
#[derive(Copy, Clone)]
struct Value {
    elem: Elem,
    bits: u32,
}

impl Value {
    fn number(self) -> Number {
        match self.elem {
            Int16 => Number::whole((self.bits as i16).into()),
            Int32 => Number::whole((self.bits as i32).into()),
            F16 | F32 => Number::of(self.elem, self.bits),
        }
    }

    fn name(self) -> u16 {
        self.bits as u16
    }
}

/// The result for one element of this kind, and for `@addc16` the carry.
type Model = fn(Elem, &[Value], &mut u32) -> u32;

/// A form is written with a letter for each operand, the destination first: `I`, `L`, `H` and `S`
/// are DSDs over 16-bit and 32-bit integers, `f16` and `f32`; small letters are scalars, and `*`
/// stands before a pointer to a scalar.
struct Operation {
    name: &'static str,
    forms: &'static [&'static str],
    model: Model,
}

const WORDS: &[&str] = &["III", "IiI", "IIi"];
const HALVES: &[&str] = &["HHH", "HhH", "HHh", "*hhH"];
const SINGLES: &[&str] = &["SSS", "SsS", "SSs", "*ssS"];

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation { name: "add16", forms: WORDS, model: |_, x, _| x[0].name().wrapping_add(x[1].name()).into() },
    Operation { name: "addc16", forms: WORDS, model: add_with_carry },
    Operation { name: "sub16", forms: &["III", "IIi"], model: |_, x, _| x[0].name().wrapping_sub(x[1].name()).into() },
    Operation { name: "and16", forms: WORDS, model: |_, x, _| x[0].bits & x[1].bits },
    Operation { name: "or16", forms: WORDS, model: |_, x, _| x[0].bits | x[1].bits },
    Operation { name: "xor16", forms: WORDS, model: |_, x, _| x[0].bits ^ x[1].bits },
    Operation { name: "sar16", forms: WORDS, model: |_, x, _| u32::from(((x[0].name() as i16) >> x[1].bits) as u16) },
    Operation { name: "sll16", forms: WORDS, model: |_, x, _| x[0].bits << x[1].bits & 0xffff },
    Operation { name: "slr16", forms: WORDS, model: |_, x, _| x[0].bits >> x[1].bits },
    Operation { name: "mov16", forms: &["II", "*iI", "Ii"], model: |_, x, _| x[0].bits },
    Operation { name: "mov32", forms: &["LL", "*lL", "Ll"], model: |_, x, _| x[0].bits },
    Operation { name: "clz", forms: &["II", "Ii"], model: |_, x, _| (0..16).take_while(|k| x[0].bits >> (15 - k) & 1 == 0).count() as u32 },
    Operation { name: "ctz", forms: &["II", "Ii"], model: |_, x, _| (0..16).take_while(|k| x[0].bits >> k & 1 == 0).count() as u32 },
    Operation { name: "popcnt", forms: &["II", "Ii"], model: |_, x, _| (0..16).map(|k| x[0].bits >> k & 1).sum() },
    Operation { name: "faddh", forms: HALVES, model: sum },
    Operation { name: "fsubh", forms: HALVES, model: difference },
    Operation { name: "fmulh", forms: HALVES, model: product },
    Operation { name: "fmaxh", forms: HALVES, model: larger },
    Operation { name: "fadds", forms: SINGLES, model: sum },
    Operation { name: "fsubs", forms: SINGLES, model: difference },
    Operation { name: "fmuls", forms: SINGLES, model: product },
    Operation { name: "fmaxs", forms: SINGLES, model: larger },
    Operation { name: "faddhs", forms: &["SSH", "ShS", "SSh", "*ssH"], model: sum },
    Operation { name: "fmach", forms: &["HHHh"], model: multiply_add },
    Operation { name: "fmacs", forms: &["SSSs"], model: multiply_add },
    Operation { name: "fmachs", forms: &["SSHh"], model: multiply_add },
    Operation { name: "fmovh", forms: &["HH", "*hH", "Hh"], model: |_, x, _| x[0].bits },
    Operation { name: "fmovs", forms: &["SS", "*sS", "Ss"], model: |_, x, _| x[0].bits },
    Operation { name: "fnegh", forms: &["HH", "Hh"], model: |_, x, _| x[0].bits ^ 0x8000 },
    Operation { name: "fnegs", forms: &["SS", "Ss"], model: |_, x, _| x[0].bits ^ 0x8000_0000 },
    Operation { name: "fabsh", forms: &["HH", "Hh"], model: |_, x, _| x[0].bits & 0x7fff },
    Operation { name: "fabss", forms: &["SS", "Ss"], model: |_, x, _| x[0].bits & 0x7fff_ffff },
    Operation { name: "fh2s", forms: &["SH", "Sh"], model: converted },
    Operation { name: "fs2h", forms: &["HS", "Hs"], model: converted },
    Operation { name: "fh2xp16", forms: &["IH", "Ih", "*ih"], model: to_integer },
    Operation { name: "fs2xp16", forms: &["IS", "Is", "*is"], model: to_integer },
    Operation { name: "xp162fh", forms: &["HI", "Hi"], model: converted },
    Operation { name: "xp162fs", forms: &["SI", "Si"], model: converted },
    Operation { name: "fnormh", forms: &["*hh"], model: |to, x, _| x[0].number().significand().bits(to) },
    Operation { name: "fnorms", forms: &["*ss"], model: |to, x, _| x[0].number().significand().bits(to) },
    Operation { name: "fscaleh", forms: &["*hhi"], model: scaled },
    Operation { name: "fscales", forms: &["*ssi"], model: scaled },
];

fn add_with_carry(_: Elem, x: &[Value], carry: &mut u32) -> u32 {
    let sum = x[0].bits + x[1].bits + *carry;
    *carry = sum >> 16;
    sum & 0xffff
}

fn sum(to: Elem, x: &[Value], _: &mut u32) -> u32 {
    x[0].number().plus(&x[1].number()).bits(to)
}

fn difference(to: Elem, x: &[Value], _: &mut u32) -> u32 {
    x[0].number().plus(&x[1].number().negated()).bits(to)
}

fn product(to: Elem, x: &[Value], _: &mut u32) -> u32 {
    x[0].number().times(&x[1].number()).bits(to)
}

fn larger(to: Elem, x: &[Value], _: &mut u32) -> u32 {
    x[0].number().larger(x[1].number()).bits(to)
}

fn multiply_add(to: Elem, x: &[Value], _: &mut u32) -> u32 {
    x[0].number().plus(&x[1].number().times(&x[2].number())).bits(to)
}

fn converted(to: Elem, x: &[Value], _: &mut u32) -> u32 {
    x[0].number().bits(to)
}

fn to_integer(_: Elem, x: &[Value], _: &mut u32) -> u32 {
    u32::from(x[0].number().to_i16() as u16)
}

fn scaled(to: Elem, x: &[Value], _: &mut u32) -> u32 {
    x[0].number().scaled((x[1].name() as i16).into()).bits(to)
}

#[test]
fn every_operation_has_a_model() {
    let modelled: Vec<_> = OPERATIONS.iter().map(|op| op.name).collect();
    let known: Vec<_> = cslrun::catalogue::operations().map(|op| op.name).collect();
    assert_eq!(modelled, known);
}

macro_rules! each_operation {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let op = OPERATIONS.iter().find(|op| op.name == stringify!($name)).expect("a row of the table");
            check(op.name, 40, |choices, prefix| generate(op, choices, prefix));
        })*

        #[test]
        fn every_operation_is_tested() {
            let tested = [$(stringify!($name)),*];
            assert!(OPERATIONS.iter().map(|op| op.name).eq(tested));
        }
    };
}

each_operation! {
    add16 addc16 sub16 and16 or16 xor16 sar16 sll16 slr16 mov16 mov32 clz ctz popcnt
    faddh fsubh fmulh fmaxh fadds fsubs fmuls fmaxs faddhs fmach fmacs fmachs
    fmovh fmovs fnegh fnegs fabsh fabss fh2s fs2h fh2xp16 fs2xp16 xp162fh xp162fs
    fnormh fnorms fscaleh fscales
}

/// An operand of a trial.
enum Operand {
    /// Elements of an array, by its number.
    Vector(usize, Vec<usize>),
    Scalar(u32),
    /// A variable of its own.
    Pointer,
}

/// A trial while it is made.
struct Draft<'a> {
    op: &'a Operation,
    choices: &'a mut Choices,
    prefix: &'a str,
    trial: Trial,
    arrays: Vec<Array>,
    /// Number of elements.
    count: usize,
    /// The vector of the destination, its array and its element.
    dest: Option<(AddressCursor, usize, Elem)>,
    /// Stride registers that the vectors take.
    strides: usize,
}

/// What a PE has of them.
const STRIDE_REGISTERS: usize = 8;

fn generate(op: &Operation, choices: &mut Choices, prefix: &str) -> Trial {
    let form = choices.pick(op.forms);
    // Longer ones are rare, but must cross the pieces in which elements are handled.
    let count = if choices.once_in(25) { 60 + choices.below(80) } else { 1 + choices.below(12) } as usize;
    let has_vector = form.contains(char::is_uppercase);
    let count = if has_vector { count } else { 1 };
    let mut draft = Draft {
        op,
        choices,
        prefix,
        trial: Trial::default(),
        arrays: Vec::new(),
        count,
        dest: None,
        strides: 0,
    };
    let letters: Vec<char> = form.chars().filter(|c| *c != '*').collect();
    let mut operands = Vec::new();
    let mut words = Vec::new();
    for (place, letter) in letters.iter().enumerate() {
        let (operand, word) = draft.operand(place, *letter, place == 0 && form.starts_with('*'));
        operands.push(operand);
        words.push(word);
    }
    let _ = writeln!(draft.trial.body, "  @{}({});", op.name, words.join(", "));
    let elems: Vec<Elem> = letters.iter().map(|letter| elem(*letter)).collect();
    draft.finish(&operands, &elems)
}

fn elem(letter: char) -> Elem {
    match letter.to_ascii_uppercase() {
        'I' => Int16,
        'L' => Int32,
        'H' => F16,
        'S' => F32,
        other => panic!("no operand is written {other}"),
    }
}

impl Draft<'_> {
    /// An operand and how it is written in the call.
    fn operand(&mut self, place: usize, letter: char, is_pointer: bool) -> (Operand, String) {
        let elem = elem(letter);
        if is_pointer {
            let name = format!("{}_p", self.prefix);
            let ty = self.choices.pick(elem.types());
            let _ = writeln!(self.trial.globals, "var {name}: {ty} = {};", scalar_literal(ty, elem, 1));
            return (Operand::Pointer, format!("&{name}"));
        }
        if letter.is_uppercase() {
            return self.vector(place, elem);
        }
        let bits = some_bits(self.choices, elem, self.limit(place));
        let ty = self.choices.pick(elem.types());
        let literal = scalar_literal(ty, elem, bits);
        if self.choices.once_in(2) {
            let name = format!("{}_s{place}", self.prefix);
            let _ = writeln!(self.trial.globals, "var {name}: {ty} = {literal};");
            return (Operand::Scalar(bits), name);
        }
        (Operand::Scalar(bits), format!("@as({ty}, {literal})"))
    }

    /// Amounts of shifts are below 16.
    fn limit(&self, place: usize) -> Option<u32> {
        (place == 2 && matches!(self.op.name, "sar16" | "sll16" | "slr16")).then_some(16)
    }

    fn vector(&mut self, place: usize, elem: Elem) -> (Operand, String) {
        let limited = self.limit(place).is_some();
        let shared = self.dest.clone().filter(|(_, _, other)| *other == elem && !limited);
        let (cursor, array) = match shared {
            // The destination itself, as in `x = x + y`.
            Some((cursor, array, _)) if self.choices.once_in(4) => (cursor, array),
            // Any other elements of the same array.
            Some((_, array, _)) if self.choices.once_in(5) => {
                self.trial.unchecked = true;
                (AddressCursor::any(self.choices, self.count), array)
            }
            Some(_) | None => {
                let ty = self.choices.pick(elem.types());
                let name = format!("{}_a{}", self.prefix, self.arrays.len());
                let limit = self.limit(place);
                self.arrays.push(Array { name, ty, elem, limit, sizes: Vec::new(), data: Vec::new() });
                (AddressCursor::any(self.choices, self.count), self.arrays.len() - 1)
            }
        };
        let strides = if cursor.mem4d { cursor.lengths.len() - 1 } else { 0 };
        let fits = self.strides + strides <= STRIDE_REGISTERS;
        let cursor = if fits { cursor } else { AddressCursor::line(self.count) };
        self.strides += if fits { strides } else { 0 };
        let size = cursor.end() + self.choices.below(3) as usize;
        self.arrays[array].grow(size);
        let word = self.dsd(place, &cursor, array);
        let elements = cursor.indices();
        if place == 0 {
            self.dest = Some((cursor, array, elem));
        }
        (Operand::Vector(array, elements), word)
    }

    /// Declares a DSD, and writes how it is used: as a constant, a variable, or through a DSR.
    fn dsd(&mut self, place: usize, cursor: &AddressCursor, array: usize) -> String {
        let name = format!("{}_d{place}", self.prefix);
        let value = cursor.dsd(&self.arrays[array].name);
        let kind = self.choices.pick(&["const", "var"]);
        let _ = writeln!(self.trial.globals, "{kind} {name} = {value};");
        if cursor.mem4d || !self.choices.once_in(4) {
            return name;
        }
        let file = match place {
            0 => "dsr_dest",
            1 => self.choices.pick(&["dsr_src0", "dsr_src1"]),
            _ => "dsr_src1",
        };
        // On wse2, dest and src0 of one operation carry the same number.
        let number = if file == "dsr_src1" { 1 + place } else { 1 };
        let _ = writeln!(self.trial.globals, "const {name}r = @get_dsr({file}, {number});");
        let _ = writeln!(self.trial.body, "  @load_to_dsr({name}r, {name});");
        format!("{name}r")
    }

    /// Computes what memory must hold, one element after the other.
    fn finish(mut self, operands: &[Operand], elems: &[Elem]) -> Trial {
        for array in &mut self.arrays {
            array.fill(self.choices);
            self.trial.globals.push_str(&array.declaration());
        }
        let accumulates = matches!(operands, [Operand::Pointer, Operand::Scalar(_), Operand::Vector(..), ..]);
        let (mut carry, mut kept) = (0, None);
        for k in 0..self.count {
            let mut values: Vec<Value> = Vec::new();
            for (operand, elem) in operands[1..].iter().zip(&elems[1..]) {
                let bits = match operand {
                    Operand::Vector(array, elements) => self.arrays[*array].data[elements[k]],
                    Operand::Scalar(bits) => *bits,
                    Operand::Pointer => panic!("only the destination is a pointer"),
                };
                values.push(Value { elem: *elem, bits });
            }
            if let Some(kept) = kept.filter(|_| accumulates) {
                values[0].bits = kept;
            }
            let result = (self.op.model)(elems[0], &values, &mut carry);
            kept = Some(result);
            if let Operand::Vector(array, elements) = &operands[0] {
                self.arrays[*array].data[elements[k]] = result;
            }
        }
        if let (Operand::Pointer, Some(kept)) = (&operands[0], kept) {
            let name = format!("{}_p", self.prefix);
            self.trial.expected.push(Expected { name, elem: elems[0], bits: vec![kept] });
        }
        self.trial.expected.extend(self.arrays.into_iter().map(Array::expected));
        self.trial
    }
}
