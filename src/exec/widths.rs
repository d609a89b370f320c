//! How many words of the values in registers a program uses, which decides what they cost.

use crate::image::Function;
use crate::image::code::{Access, Op, Reg};
use std::cell::RefCell;

/// Words of the value in each register of a function: as many as what is computed into it or from it has, but one if no
/// operation uses more. An address has one word, so a compiler computes no more of an index.
pub(super) fn register_words(function: &Function) -> Vec<u8> {
    let registers = usize::from(function.registers);
    let mut widths = Widths { words: vec![1; registers] };
    // Copies are seen both ways.
    for _ in 0..2 {
        function.code.iter().for_each(|op| widths.note(*op));
    }
    let mut uses = Uses { wide: vec![false; registers], has_changed: true };
    while std::mem::take(&mut uses.has_changed) {
        // Backwards: what is computed is used behind it, so that few rounds change anything.
        function.code.iter().rev().for_each(|op| uses.note(*op));
    }
    widths.words.iter().zip(uses.wide).map(|(words, wide)| if wide { *words } else { 1 }).collect()
}

/// Words of an integer of `64 - sh` bits.
pub(super) fn words_of(sh: u8) -> u32 {
    (64 - u32::from(sh & 63)).div_ceil(16)
}

fn words_in(kind: Access) -> u32 {
    kind.words().into()
}

/// Finds out how wide the values of registers are.
struct Widths {
    words: Vec<u8>,
}

impl Widths {
    /// Some registers hold values of this many words.
    fn set<const N: usize>(&mut self, registers: [Reg; N], words: u32) {
        for register in registers {
            if let Some(its) = self.words.get_mut(usize::from(register)) {
                *its = (*its).max(words as u8);
            }
        }
    }

    /// Some registers hold values of the same width.
    fn join<const N: usize>(&mut self, registers: [Reg; N]) {
        let its = |register: &Reg| self.words.get(usize::from(*register)).copied().unwrap_or(1);
        let widest = registers.iter().map(its).max().unwrap_or(1);
        self.set(registers, widest.into());
    }

    fn note(&mut self, op: Op) {
        match op {
            Op::AddS { d, a, b, sh } | Op::AddU { d, a, b, sh } => self.set([d, a, b], words_of(sh)),
            Op::SubS { d, a, b, sh } | Op::SubU { d, a, b, sh } => self.set([d, a, b], words_of(sh)),
            Op::MulS { d, a, b, sh } | Op::MulU { d, a, b, sh } => self.set([d, a, b], words_of(sh)),
            Op::DivS { d, a, b, sh } | Op::DivU { d, a, b, sh } => self.set([d, a, b], words_of(sh)),
            Op::RemS { d, a, b, sh } | Op::RemU { d, a, b, sh } => self.set([d, a, b], words_of(sh)),
            Op::ShlS { d, a, sh, .. } | Op::ShlU { d, a, sh, .. } => self.set([d, a], words_of(sh)),
            Op::ShrS { d, a, sh, .. } | Op::ShrU { d, a, sh, .. } => self.set([d, a], words_of(sh)),
            Op::BitNotS { d, a, sh } | Op::BitNotU { d, a, sh } => self.set([d, a], words_of(sh)),
            Op::NegS { d, a, sh } => self.set([d, a], words_of(sh)),
            Op::NormS { d, sh, .. } | Op::NormU { d, sh, .. } => self.set([d], words_of(sh)),
            Op::And { d, a, b } | Op::Or { d, a, b } | Op::Xor { d, a, b } => self.join([d, a, b]),
            Op::Mov { d, a } => self.join([d, a]),
            Op::FAdd { d, a, b } | Op::FSub { d, a, b } => self.set([d, a, b], 2),
            Op::FMul { d, a, b } | Op::FDiv { d, a, b } => self.set([d, a, b], 2),
            Op::FNeg { d, a } => self.set([d, a], 2),
            Op::Convert { d, a, from, to } => {
                self.set([d], to.words().into());
                self.set([a], from.words().into());
            }
            Op::Load { d, kind, .. } | Op::LoadAt { d, kind, .. } => self.set([d], words_in(kind)),
            Op::LoadElem { d, kind, .. } => self.set([d], words_in(kind)),
            Op::Store { s, kind, .. } | Op::StoreAt { s, kind, .. } => self.set([s], words_in(kind)),
            Op::StoreElem { s, kind, .. } => self.set([s], words_in(kind)),
            _ => {}
        }
    }
}

/// Finds out of which registers more than the lowest word is used.
struct Uses {
    wide: Vec<bool>,
    /// A use was found that makes others.
    has_changed: bool,
}

impl Uses {
    fn is_wide(&self, register: Reg) -> bool {
        self.wide.get(usize::from(register)).is_none_or(|wide| *wide)
    }

    /// All words of these registers are used.
    fn add(&mut self, registers: impl IntoIterator<Item = Reg>) {
        for register in registers {
            if let Some(wide) = self.wide.get_mut(usize::from(register)) {
                self.has_changed |= !std::mem::replace(wide, true);
            }
        }
    }

    /// All words of this register and of those behind it are used.
    fn add_from(&mut self, register: Reg) {
        for wide in self.wide.iter_mut().skip(register.into()) {
            self.has_changed |= !std::mem::replace(wide, true);
        }
    }

    fn note(&mut self, op: Op) {
        match op {
            // The lowest word of the result needs no more of the operands.
            Op::AddS { d, a, b, .. } | Op::AddU { d, a, b, .. } | Op::SubS { d, a, b, .. } => {
                self.pass(d, [a, b])
            }
            Op::SubU { d, a, b, .. } | Op::MulS { d, a, b, .. } | Op::MulU { d, a, b, .. } => {
                self.pass(d, [a, b])
            }
            Op::And { d, a, b } | Op::Or { d, a, b } | Op::Xor { d, a, b } => self.pass(d, [a, b]),
            Op::Mov { d, a } | Op::NegS { d, a, .. } => self.pass(d, [a]),
            Op::BitNotS { d, a, .. } | Op::BitNotU { d, a, .. } => self.pass(d, [a]),
            Op::ShlS { d, a, b, .. } | Op::ShlU { d, a, b, .. } => {
                self.pass(d, [a]);
                self.add([b]);
            }
            Op::NormS { d, a, sh } | Op::NormU { d, a, sh } if words_of(sh) > 1 => self.pass(d, [a]),
            Op::NormS { .. } | Op::NormU { .. } => {}
            // Addresses and indices.
            Op::Element { .. } | Op::LoadElem { .. } | Op::Load { .. } | Op::LoadAt { .. } => {}
            Op::Store { s, kind, .. } | Op::StoreAt { s, kind, .. } if kind.words() > 1 => self.add([s]),
            Op::StoreElem { s, kind, .. } if kind.words() > 1 => self.add([s]),
            Op::Store { .. } | Op::StoreAt { .. } | Op::StoreElem { .. } => {}
            // Arguments and results lie from a register on.
            Op::Call { base, .. } | Op::CallPtr { base, .. } | Op::Intrinsic { base, .. } => {
                self.add_from(base)
            }
            Op::MapNext { base, .. } => self.add_from(base),
            // The result of a call lies in the first register.
            Op::Ret => self.add([0]),
            _ => self.add_operands(op),
        }
    }

    /// All words of its operands are used.
    fn add_operands(&mut self, mut op: Op) {
        let dest = op.dest_mut().copied();
        let uses = RefCell::new(self);
        op.map_registers_of_program(|register| {
            if Some(register) != dest {
                uses.borrow_mut().add([register]);
            }
            register
        });
    }

    fn pass<const N: usize>(&mut self, to: Reg, from: [Reg; N]) {
        if self.is_wide(to) {
            self.add(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FileId, Span};

    /// The words of registers of some code.
    fn words(code: Vec<Op>) -> Vec<u8> {
        let span = Span::new(FileId(0), 0, 0);
        register_words(&Function {
            name: String::new(),
            span,
            params: 0,
            consts: Vec::new(),
            registers: 6,
            frame_words: 0,
            locals: Vec::new().into(),
            spans: vec![span; code.len()].into(),
            code: code.into(),
        })
    }

    const I32: Access = Access::S32;
    const SH: u8 = 32;

    #[test]
    fn a_compiler_computes_one_word_of_an_index() {
        let index = Op::MulS { d: 2, a: 1, b: 1, sh: SH };
        let element = Op::LoadElem { d: 3, base: 0, b: 2, len: 9, kind: I32 };
        let store = |s| Op::StoreAt { s, addr: 0, kind: I32 };
        let load = Op::LoadAt { d: 1, addr: 4, kind: I32 };
        assert_eq!(words(vec![load, index, element, store(3), Op::Ret])[1..4], [1, 1, 2]);
        assert_eq!(words(vec![load, index, element, store(2), Op::Ret])[1..4], [2, 2, 1]);
    }

    #[test]
    fn what_is_compared_counts_with_all_words() {
        let step = Op::AddS { d: 1, a: 1, b: 2, sh: SH };
        let element = Op::LoadElem { d: 3, base: 0, b: 1, len: 9, kind: I32 };
        let again = Op::JumpLtS { a: 1, b: 4, to: 0 };
        assert_eq!(words(vec![step, element, again, Op::Ret])[1], 2);
        assert_eq!(words(vec![step, element, Op::Ret])[1], 1);
    }
}
