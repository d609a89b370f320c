//! The code of one function while it is being written.

use super::assigned::{self, UnsetRead};
use crate::image::code::{ADDRESS_ONLY, IN_VARIABLE, Op, Reg, Target};
use crate::image::{Function, Local, LocalPlace};
use crate::sema::operand::{Addr, Base};
use crate::source::Span;
use crate::value::symbolic::TermId;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

/// A place in the code that jumps name before it is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct JumpLabel(pub u32);

/// Registers from here on stand for constants until the function is finished.
const CONST_BASE: Reg = 0x8000;

/// The register of the result. It becomes register 0, which without parameters belongs to someone
/// else until the function returns.
pub const RESULT: Reg = 0x7fff;

/// What tells the constants of a function apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Constant {
    /// The same on all tiles.
    Bits(u64),
    /// It depends on parameters, and keeps a register of its own until these are known.
    Term(TermId),
}

/// Writes one function.
#[derive(Debug)]
pub struct FnBuilder {
    code: Vec<Op>,
    spans: Vec<Span>,
    labels: Vec<Option<u32>>,
    consts: IndexMap<Constant, u64>,
    params: u16,
    next_reg: Reg,
    max_reg: Reg,
    frame_words: u32,
    /// Until the function is finished `begin` and `end` are labels, which follow the code when it moves.
    locals: Vec<Local>,
    /// The locals that are in scope, as indices into `locals`.
    alive: Vec<usize>,
    /// Variables that were declared without a value.
    unset: FxHashSet<Reg>,
    /// Where the code below a label begins: no operation before it may be merged with one after.
    barrier: usize,
    /// The place that operations written now belong to.
    pub span: Span,
    /// The call of the program in whose place code of the library is written: a diagnostic is about the call.
    pub library_call: Option<Span>,
    /// How many run-time branches and loops surround the current place.
    pub conditional_depth: u32,
}

/// A point in the code of a function to return to.
#[derive(Copy, Clone, Debug)]
pub struct Checkpoint {
    code: usize,
    labels: usize,
    locals: usize,
    reg: Reg,
}

/// Registers of a function at most, and constants.
const MAX_REG: Reg = 0x7f00;

/// Operations of a function at most: many times what fits on a PE.
const MAX_CODE: usize = 1 << 22;

impl FnBuilder {
    /// A function whose arguments arrive in the first `params` registers.
    pub fn new(params: u16, span: Span) -> FnBuilder {
        FnBuilder {
            code: Vec::new(),
            spans: Vec::new(),
            labels: Vec::new(),
            consts: IndexMap::new(),
            params,
            next_reg: params,
            max_reg: params,
            frame_words: 0,
            locals: Vec::new(),
            alive: Vec::new(),
            unset: FxHashSet::default(),
            barrier: 0,
            span,
            library_call: None,
            conditional_depth: 0,
        }
    }

    /// A register that is free from here until `release`.
    pub fn reg(&mut self) -> Reg {
        let r = self.next_reg;
        self.next_reg = (r + 1).min(MAX_REG);
        self.max_reg = self.max_reg.max(self.next_reg);
        r
    }

    /// Remembers which registers are in use.
    pub fn mark(&self) -> Reg {
        self.next_reg
    }

    /// Frees every register taken since `mark`.
    pub fn release(&mut self, mark: Reg) {
        self.next_reg = mark;
    }

    /// Whether the register was taken since `mark`, and so holds nothing that has a name.
    pub fn is_temporary(&self, r: Reg, mark: Reg) -> bool {
        r >= mark && r < CONST_BASE
    }

    /// The register that holds a constant.
    pub fn constant(&mut self, bits: u64) -> Reg {
        self.constant_register(Constant::Bits(bits), bits)
    }

    /// The register that holds a constant, and the term that says what it is on other tiles.
    pub fn constant_or_term(&mut self, (bits, term): (u64, Option<TermId>)) -> Reg {
        self.constant_register(term.map_or(Constant::Bits(bits), Constant::Term), bits)
    }

    fn constant_register(&mut self, constant: Constant, bits: u64) -> Reg {
        CONST_BASE + self.consts.insert_full(constant, bits).0.min(usize::from(MAX_REG)) as Reg
    }

    /// The constants that depend on parameters, by their position.
    pub fn terms(&self) -> Vec<(u16, TermId)> {
        let term = |(n, constant): (usize, &Constant)| match constant {
            Constant::Term(term) => Some((n as u16, *term)),
            Constant::Bits(_) => None,
        };
        self.consts.keys().enumerate().filter_map(term).collect()
    }

    /// Whether more was written than a function can hold. Registers and constants are then shared
    /// wrongly, and the function is refused.
    pub fn is_full(&self) -> bool {
        self.next_reg >= MAX_REG || self.consts.len() >= usize::from(MAX_REG) || self.code.len() >= MAX_CODE
    }

    /// Reserves words of the frame. Returns their offset.
    pub fn frame(&mut self, words: u32, align: u32) -> Option<u16> {
        let at = self.frame_words.next_multiple_of(align.max(1));
        self.frame_words = at.checked_add(words)?;
        u16::try_from(self.frame_words).ok().map(|_| at as u16)
    }

    /// A local is declared, whose value is there from here on.
    pub fn begin_local(&mut self, local: Local) {
        let (begin, end) = (self.label(), self.label());
        self.set_here(begin);
        self.alive.push(self.locals.len());
        self.locals.push(Local { begin: begin.0, end: end.0, ..local });
    }

    /// How many locals can be seen, for [`FnBuilder::end_locals`].
    pub fn alive_locals(&self) -> usize {
        self.alive.len()
    }

    /// The block ends that began when so many locals could be seen.
    pub fn end_locals(&mut self, before: usize) {
        for at in self.alive.split_off(before.min(self.alive.len())) {
            let end = JumpLabel(self.locals[at].end);
            self.set_here(end);
        }
    }

    /// The local whose address has just been taken into a register.
    pub fn local_behind(&self, reg: Reg) -> Option<&Local> {
        match self.code.last() {
            Some(Op::Frame { d, off }) if *d == reg => {
                self.locals.iter().find(|l| l.place == LocalPlace::Frame(*off))
            }
            _ => None,
        }
    }

    /// Of the element that has just been looked up only the address is wanted: it may lie behind the
    /// last element.
    pub fn only_address(&mut self, addr: Addr) {
        if let (Some(Op::Element { d, len, .. }), Base::Reg(reg)) = (self.code.last_mut(), addr.base)
            && (*d, *len) == (reg, IN_VARIABLE)
        {
            *len = ADDRESS_ONLY;
        }
    }

    /// A variable begins in a register: without a value if `unset` holds the number of its name.
    pub fn begin_variable(&mut self, reg: Reg, unset: Option<u32>) {
        self.unset.remove(&reg);
        if let Some(name) = unset {
            self.unset.insert(reg);
            self.emit(Op::Unset { d: reg, name });
            self.fence();
        }
    }

    /// A variable is read.
    pub fn read_variable(&mut self, a: Reg, span: Span) {
        if self.unset.contains(&a) {
            let around = std::mem::replace(&mut self.span, span);
            self.emit(Op::CheckSet { a });
            self.span = around;
        }
    }

    /// Removes checks of `read_variable` that always pass. Returns the reads that can never have a value.
    pub fn settle_variables(&mut self) -> Vec<UnsetRead> {
        assigned::settle(&mut self.code, &mut self.spans, &mut self.labels)
    }

    /// Appends an operation. Returns its position.
    pub fn emit(&mut self, op: Op) -> usize {
        self.code.push(op);
        self.spans.push(self.place());
        self.code.len() - 1
    }

    /// The place of what is written now, outside of the library if it stands in a function of the program.
    pub fn place(&self) -> Span {
        self.library_call.unwrap_or(self.span)
    }

    /// The operation that was written last.
    pub fn last(&self) -> Option<Op> {
        self.code.last().copied()
    }

    /// Replaces an operation that was written as a placeholder.
    pub fn patch(&mut self, at: usize, op: Op) {
        self.code[at] = op;
    }

    /// Remembers how much is written.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            code: self.code.len(),
            labels: self.labels.len(),
            locals: self.locals.len(),
            reg: self.next_reg,
        }
    }

    /// Throws away what was written since a checkpoint.
    pub fn rollback(&mut self, to: Checkpoint) {
        self.code.truncate(to.code);
        self.spans.truncate(to.code);
        self.labels.truncate(to.labels);
        self.locals.truncate(to.locals);
        self.next_reg = to.reg;
        self.barrier = self.barrier.min(to.code);
    }

    /// Forbids merging across the current place (a placeholder stands there).
    pub fn fence(&mut self) {
        self.barrier = self.code.len();
    }

    /// Moves a register; writes straight into `d` if the value was just computed into a temporary.
    pub fn mov(&mut self, d: Reg, a: Reg, mark: Reg) {
        if d == a {
            return;
        }
        if self.is_temporary(a, mark)
            && self.code.len() > self.barrier
            && let Some(dest) = self.code.last_mut().and_then(Op::dest_mut)
            && *dest == a
        {
            *dest = d;
            return;
        }
        self.emit(Op::Mov { d, a });
    }

    /// A new place, not yet known.
    pub fn label(&mut self) -> JumpLabel {
        self.labels.push(None);
        JumpLabel(self.labels.len() as u32 - 1)
    }

    /// Binds the label to the current place.
    pub fn bind(&mut self, label: JumpLabel) {
        self.set_here(label);
        self.barrier = self.code.len();
    }

    /// The label is here, and nothing jumps to it: operations on both sides of it may be merged.
    fn set_here(&mut self, label: JumpLabel) {
        self.labels[label.0 as usize] = Some(self.code.len() as u32);
    }

    /// Jumps.
    pub fn jump(&mut self, to: JumpLabel) {
        self.emit(Op::Jump { to: to.0 });
    }

    /// Drops the placeholder at `at` and the jumps to `end` after it, if nothing else was written since and `end` is
    /// here. Returns whether it has dropped them.
    pub fn drop_jumps(&mut self, at: usize, end: JumpLabel) -> bool {
        let is_here = self.labels[end.0 as usize] == Some(self.code.len() as u32);
        let is_jump = |op: &Op| matches!(op, Op::Jump { to } if *to == end.0);
        if !is_here || !self.code[at + 1..].iter().all(is_jump) {
            return false;
        }
        self.code.truncate(at);
        self.spans.truncate(at);
        self.barrier = at;
        let moved = self.labels.iter_mut().flatten();
        moved.for_each(|place| *place = (*place).min(at as u32));
        true
    }

    /// Jumps if the bool in `a` is `when`; merges with the comparison that made it.
    pub fn branch(&mut self, a: Reg, when: bool, to: JumpLabel, mark: Reg) {
        let to: Target = to.0;
        if self.is_temporary(a, mark) && self.code.len() > self.barrier {
            let jump = self.code.last().and_then(|op| compare_and_jump(*op, a, when, to));
            if let Some(op) = jump {
                self.code.pop();
                self.spans.pop();
                self.emit(op);
                return;
            }
        }
        self.emit(if when { Op::JumpIf { a, to } } else { Op::JumpUnless { a, to } });
    }

    /// The finished function: constants get their registers, jumps their targets.
    pub fn finish(mut self, name: String, span: Span) -> Function {
        self.emit(Op::Ret);
        let (params, consts) = (self.params, self.consts.len() as u16);
        let end = self.code.len() as u32 - 1;
        let locals = self.finished_locals();
        for op in &mut self.code {
            op.map_registers(|r| finish_register(r, params, consts));
            if let Some(to) = op.target_mut() {
                *to = self.labels[*to as usize].unwrap_or(end);
            }
        }
        Function {
            name,
            span,
            params,
            consts: self.consts.into_values().collect(),
            registers: (self.max_reg + consts).max(1),
            frame_words: self.frame_words as u16,
            locals: locals.into(),
            code: self.code.into(),
            spans: self.spans.into(),
        }
    }

    /// The locals with their positions in the code, but for those behind whose declarations their blocks have none.
    fn finished_locals(&mut self) -> Vec<Local> {
        let mut locals = std::mem::take(&mut self.locals);
        for local in &mut locals {
            let place = |label: u32| self.labels[label as usize].unwrap_or(self.code.len() as u32);
            (local.begin, local.end) = (place(local.begin), place(local.end));
        }
        locals.retain(|local| local.begin < local.end);
        locals
    }

    /// How a register of this function is numbered in the finished one; for operands that lie
    /// outside the code (vector operations, DSR loads). Constants may still be added, so these are
    /// fixed at the end by `finish_register`.
    pub fn consts_so_far(&self) -> u16 {
        self.consts.len() as u16
    }

    /// The number of arguments.
    pub fn params(&self) -> u16 {
        self.params
    }
}

/// The final number of a register, once all constants are known.
pub fn finish_register(r: Reg, params: u16, consts: u16) -> Reg {
    match r {
        RESULT => 0,
        r if r >= CONST_BASE => params + (r - CONST_BASE),
        r if r >= params => r + consts,
        r => r,
    }
}

/// The jump that does the comparison itself, if `op` is one that it can take in.
fn compare_and_jump(op: Op, flag: Reg, when: bool, to: Target) -> Option<Op> {
    Some(match (op, when) {
        (Op::Eq { d, a, b }, true) | (Op::Ne { d, a, b }, false) if d == flag => Op::JumpEq { a, b, to },
        (Op::Ne { d, a, b }, true) | (Op::Eq { d, a, b }, false) if d == flag => Op::JumpNe { a, b, to },
        (Op::LtS { d, a, b }, true) if d == flag => Op::JumpLtS { a, b, to },
        (Op::LtS { d, a, b }, false) if d == flag => Op::JumpLeS { a: b, b: a, to },
        (Op::LtU { d, a, b }, true) if d == flag => Op::JumpLtU { a, b, to },
        (Op::LtU { d, a, b }, false) if d == flag => Op::JumpLeU { a: b, b: a, to },
        (Op::LeS { d, a, b }, true) if d == flag => Op::JumpLeS { a, b, to },
        (Op::LeS { d, a, b }, false) if d == flag => Op::JumpLtS { a: b, b: a, to },
        (Op::LeU { d, a, b }, true) if d == flag => Op::JumpLeU { a, b, to },
        (Op::LeU { d, a, b }, false) if d == flag => Op::JumpLtU { a: b, b: a, to },
        (Op::Not { d, a }, true) if d == flag => Op::JumpUnless { a, to },
        (Op::Not { d, a }, false) if d == flag => Op::JumpIf { a, to },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn the_result_of_a_function_without_parameters_reaches_register_0() {
        let span = Span::new(FileId(0), 0, 0);
        let mut builder = FnBuilder::new(0, span);
        let (local, one) = (builder.reg(), builder.constant(1));
        builder.emit(Op::Mov { d: local, a: one });
        builder.fence();
        builder.mov(RESULT, local, 0);
        let function = builder.finish("f".to_string(), span);
        assert_eq!(function.code[1], Op::Mov { d: 0, a: 1 });
        assert_eq!((function.code[0], function.registers), (Op::Mov { d: 1, a: 0 }, 2));
    }
}
