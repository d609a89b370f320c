//! FIFOs under random sequences of synchronous pushes and pops, against a `VecDeque` and two lengths.

use super::arrays::{Array, scalar_literal, some_bits};
use super::choices::Choices;
use super::number::Elem;
use super::trial::{Expected, Trial, check};
use std::collections::VecDeque;
use std::fmt::Write;

#[test]
fn fifos_behave_as_queues_with_two_lengths() {
    // A FIFO keeps its registers for the whole program, so there are few in each.
    check("fifo", 4, generate);
}

const KINDS: [(Elem, &str, &str); 6] = [
    (Elem::Int16, "u16", "@mov16"),
    (Elem::Int16, "i16", "@mov16"),
    (Elem::F16, "f16", "@fmovh"),
    (Elem::Int32, "u32", "@mov32"),
    (Elem::Int32, "i32", "@mov32"),
    (Elem::F32, "f32", "@fmovs"),
];

/// A FIFO as the language describes it, and the program that uses it.
struct Model<'a> {
    choices: &'a mut Choices,
    prefix: &'a str,
    trial: Trial,
    elem: Elem,
    ty: &'static str,
    mov: &'static str,
    capacity: usize,
    queue: VecDeque<u32>,
    /// Elements that the next push or pop moves; 0 if the other operand decides.
    write_length: usize,
    read_length: usize,
    /// What the operations returned.
    returned: Vec<u32>,
}

fn generate(choices: &mut Choices, prefix: &str) -> Trial {
    let (elem, ty, mov) = choices.pick(&KINDS);
    let capacity = 1 + choices.below(12) as usize;
    let steps = 1 + choices.below(12);
    let mut model = Model {
        choices,
        prefix,
        trial: Trial::default(),
        elem,
        ty,
        mov,
        capacity,
        queue: VecDeque::new(),
        write_length: 0,
        read_length: 0,
        returned: Vec::new(),
    };
    let _ = writeln!(model.trial.globals, "var {prefix}_b = @zeros([{capacity}]{ty});");
    let _ = writeln!(model.trial.globals, "const {prefix} = @allocate_fifo({prefix}_b);");
    for step in 0..steps {
        model.step(step as usize);
    }
    let (name, count) = (format!("{prefix}_r"), model.returned.len());
    if count > 0 {
        let _ = writeln!(model.trial.globals, "var {name} = @zeros([{count}]u16);");
        model.trial.expected.push(Expected { name, elem: Elem::Int16, bits: model.returned });
    }
    model.trial
}

impl Model<'_> {
    fn step(&mut self, step: usize) {
        match self.choices.below(6) {
            0 | 1 => self.push_vector(step),
            2 | 3 => self.pop_vector(step),
            4 => match self.choices.once_in(2) {
                true => self.pop_scalar(step),
                false => self.push_scalar(),
            },
            _ => self.set_length(),
        }
    }

    fn set_length(&mut self) {
        let length = self.choices.below(9) as usize;
        let which = self.choices.pick(&["write", "read"]);
        let _ = writeln!(self.trial.body, "  @set_fifo_{which}_length({}, {length});", self.prefix);
        *(if which == "write" { &mut self.write_length } else { &mut self.read_length }) = length;
    }

    /// An array that is long enough for a length of the FIFO, and a DSD over it.
    fn vector(&mut self, step: usize, at_least: usize) -> Array {
        let count = at_least.max(1) + self.choices.below(8) as usize;
        let mut array = Array {
            name: format!("{}_a{step}", self.prefix),
            ty: self.ty,
            elem: self.elem,
            sizes: Vec::new(),
            limit: None,
            data: vec![0; count],
        };
        array.fill(self.choices);
        let name = &array.name;
        self.trial.globals.push_str(&array.declaration());
        let _ = writeln!(
            self.trial.globals,
            "const {name}d = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{count}}} -> {name}[i] }});"
        );
        array
    }

    /// Writes the operation, and keeps what it must return.
    fn operation(&mut self, dest: &str, source: &str, returns: bool) {
        let n = self.returned.len();
        let (prefix, mov) = (self.prefix, self.mov);
        let _ = writeln!(self.trial.body, "  if ({mov}({dest}, {source})) {{ {prefix}_r[{n}] = 1; }}");
        self.returned.push(returns.into());
    }

    fn push_vector(&mut self, step: usize) {
        let array = self.vector(step, self.write_length);
        let wanted = if self.write_length > 0 { self.write_length } else { array.data.len() };
        let moved = self.push(wanted, |k| array.data[k]);
        self.operation(self.prefix, &format!("{}d", array.name), moved == wanted);
        self.trial.expected.push(array.expected());
    }

    fn push_scalar(&mut self) {
        let bits = some_bits(self.choices, self.elem, None);
        let wanted = self.write_length.max(1);
        let moved = self.push(wanted, |_| bits);
        let source = format!("@as({}, {})", self.ty, scalar_literal(self.ty, self.elem, bits));
        self.operation(self.prefix, &source, moved == wanted);
    }

    fn pop_vector(&mut self, step: usize) {
        let mut array = self.vector(step, self.read_length);
        let wanted = if self.read_length > 0 { self.read_length } else { array.data.len() };
        let popped = self.pop(wanted);
        self.operation(&format!("{}d", array.name), self.prefix, popped.len() == wanted);
        array.data[..popped.len()].copy_from_slice(&popped);
        self.trial.expected.push(array.expected());
    }

    fn pop_scalar(&mut self, step: usize) {
        let name = format!("{}_s{step}", self.prefix);
        let before = some_bits(self.choices, self.elem, None);
        let literal = scalar_literal(self.ty, self.elem, before);
        let _ = writeln!(self.trial.globals, "var {name}: {} = {literal};", self.ty);
        let wanted = self.read_length.max(1);
        let popped = self.pop(wanted);
        let complete = popped.len() == wanted;
        self.operation(&format!("&{name}"), self.prefix, complete);
        // Of an operation that found the FIFO empty, everything is discarded.
        let after = popped.last().copied().filter(|_| complete).unwrap_or(before);
        self.trial.expected.push(Expected { name, elem: self.elem, bits: vec![after] });
    }

    /// Pushes as long as there is space; what is left becomes the length.
    fn push(&mut self, wanted: usize, element: impl Fn(usize) -> u32) -> usize {
        let moved = wanted.min(self.capacity - self.queue.len());
        self.queue.extend((0..moved).map(element));
        self.write_length = wanted - moved;
        moved
    }

    fn pop(&mut self, wanted: usize) -> Vec<u32> {
        let moved = wanted.min(self.queue.len());
        self.read_length = wanted - moved;
        self.queue.drain(..moved).collect()
    }
}
