//! How many cycles code takes (estimates): each operation by its class and the words of its values, with the numbers
//! of the machine (`arch/costs.rs`).
//!
//! A function that runs keeps the sums of the cycles of its operations in a table, so that the scalar loop need not
//! count them one by one.

use super::loops::{Saved, saved_in_loops};
use super::widths::{register_words, words_of};
use crate::arch::{Costs, VectorCosts};
use crate::dsd::DSD_WORDS;
use crate::image::Function;
use crate::image::code::{Access, BYTES, DsdOperand, DsdRef, Intrinsic, Op, Reg, VectorOp};

/// Cycles between the start of an operation and its first element.
pub(crate) const LAUNCH: u64 = 1;

/// Cycles until an operation can start: its operands must be in DSRs and registers (estimate).
pub(crate) fn start_cycles(vector: &VectorOp, costs: &VectorCosts) -> u64 {
    let of = |operand: &DsdOperand| match operand {
        DsdOperand::Dsd(DsdRef::Const(_)) => costs.dsd,
        DsdOperand::Dsd(DsdRef::At(..)) => costs.variable,
        DsdOperand::Scalar(_) | DsdOperand::Pointer(_) => costs.operand,
        DsdOperand::Dsd(DsdRef::Dsr(_)) | DsdOperand::Nowhere => 0,
    };
    vector.sources.iter().chain([&vector.dest]).map(of).map(u64::from).sum()
}

/// Cycles of each operation of a function.
pub(crate) fn op_cycles(function: &Function, costs: &Costs) -> Vec<u32> {
    let first = function.params;
    let cycles = OpCycles { costs, words: register_words(function), first, consts: &function.consts };
    let saved = saved_in_loops(function, costs.vectors.hides_loop_overhead);
    let mut joins = vec![false; function.code.len() + 1];
    for op in function.code.iter() {
        if let Some(to) = { *op }.target_mut() {
            joins[*to as usize] = true;
        }
    }
    let mut values = Values::new(function);
    let code = function.code.iter().zip(joins).enumerate();
    code.map(|(at, (op, joins))| {
        let goes_back = { *op }.target_mut().is_some_and(|to| *to as usize <= at);
        let again = if goes_back { costs.scalar.repeat.into() } else { 0 };
        match op {
            _ if values.are_known(*op, joins) || saved[at] == Saved::All => 0,
            Op::Jump { to } if matches!(function.code.get(*to as usize), Some(Op::MapNext { .. })) => 0,
            // A compiler rotates loops: the test is at the end, so that each iteration has one jump.
            Op::Jump { .. } if goes_back => again,
            _ if saved[at] == Saved::Address => cycles.access(*op),
            _ => cycles.of(*op) + again,
        }
    })
    .collect()
}

/// Before each operation of a function, and behind the last one: the cycles of all that stand before it.
pub(crate) fn cycles_before(function: &Function, costs: &Costs) -> Box<[u32]> {
    let mut sum = 0;
    let each = op_cycles(function, costs).into_iter().map(|cycles| {
        sum += cycles;
        sum
    });
    std::iter::once(0).chain(each).collect()
}

/// Cycles of an operation that the PE does for the scalar loop; the words of values do not count there.
pub(crate) fn served_cycles(op: Op, costs: &Costs) -> u64 {
    OpCycles { costs, words: Vec::new(), first: 0, consts: &[] }.of(op).into()
}

/// Local value numbering: a compiler neither recomputes a value that it has, nor reloads what nothing can have
/// changed. Numbers hold within a basic block.
struct Values {
    /// By register.
    of: Vec<Reg>,
    /// Operations on values, with the number of their result.
    known: Vec<(Op, Reg)>,
    next: Reg,
}

impl Values {
    fn new(function: &Function) -> Values {
        Values { of: (0..function.registers).collect(), known: Vec::new(), next: function.registers }
    }

    /// Whether an operation computes what is known; `joins`: a jump leads to it.
    fn are_known(&mut self, op: Op, joins: bool) -> bool {
        if joins {
            self.forget(0);
        }
        let mut on_values = op;
        on_values.map_registers(|register| self.of.get(usize::from(register)).copied().unwrap_or(register));
        let dest = { op }.dest_mut().copied();
        match (op, dest) {
            (Op::Mov { d, a }, _) => self.set(d, self.of.get(usize::from(a)).copied()),
            (_, Some(d)) => {
                *on_values.dest_mut().expect("the operation has a destination") = 0;
                let found = self.known.iter().find(|(op, _)| *op == on_values).map(|(_, value)| *value);
                let value = self.set(d, found);
                if found.is_none() {
                    self.known.push((on_values, value));
                }
                return found.is_some();
            }
            (Op::StoreAt { s, addr, kind }, _) => {
                self.known.retain(|(op, _)| match op {
                    Op::LoadAt { addr: its, kind: as_kind, .. } => {
                        *its + as_kind.words() <= addr || addr + kind.words() <= *its
                    }
                    Op::Load { .. } | Op::LoadElem { .. } => false,
                    _ => true,
                });
                let value = self.of.get(usize::from(s)).copied().unwrap_or(s);
                self.known.push((Op::LoadAt { d: 0, addr, kind }, value));
                0
            }
            (Op::Store { .. } | Op::StoreElem { .. } | Op::Copy { .. } | Op::Zero { .. }, _) => {
                let is_load =
                    |op: &Op| matches!(op, Op::Load { .. } | Op::LoadAt { .. } | Op::LoadElem { .. });
                self.known.retain(|(op, _)| !is_load(op));
                0
            }
            (Op::Call { base, .. } | Op::CallPtr { base, .. }, _) => self.forget(base),
            (Op::Intrinsic { base, .. } | Op::MapNext { base, .. }, _) => self.forget(base),
            (Op::Vector { .. } | Op::MapPut { .. }, _) => self.forget(0),
            (Op::Unset { d, .. }, _) => self.set(d, None),
            _ => 0,
        };
        false
    }

    /// A register gets a value, or one that is new.
    fn set(&mut self, register: Reg, value: Option<Reg>) -> Reg {
        self.next = self.next.wrapping_add(1);
        let value = value.unwrap_or(self.next);
        if let Some(its) = self.of.get_mut(usize::from(register)) {
            *its = value;
        }
        value
    }

    /// Memory and the registers from one on may hold anything.
    fn forget(&mut self, from: Reg) -> Reg {
        self.known.clear();
        for register in from..self.of.len() as Reg {
            self.set(register, None);
        }
        0
    }
}

/// The cycles of one operation.
struct OpCycles<'a> {
    costs: &'a Costs,
    /// By register: the words of the values that it holds.
    words: Vec<u8>,
    /// The first register of a constant, and the constants.
    first: Reg,
    consts: &'a [u64],
}

impl OpCycles<'_> {
    /// The constant in a register.
    fn constant(&self, register: Reg) -> Option<u64> {
        self.consts.get(usize::from(register.checked_sub(self.first)?)).copied()
    }

    /// Cycles of an access whose address is at hand.
    fn access(&self, op: Op) -> u32 {
        let costs = &self.costs.scalar;
        match op {
            Op::Load { kind, .. } | Op::LoadElem { kind, .. } => {
                u32::from(kind.words()).div_ceil(2) * u32::from(costs.load)
            }
            Op::StoreElem { kind, .. } => u32::from(kind.words()).div_ceil(2) * u32::from(costs.store),
            _ => self.of(op),
        }
    }

    fn words(&self, register: Reg) -> u32 {
        self.words.get(usize::from(register)).copied().unwrap_or(1).into()
    }

    /// Cycles of an operation. The elements of a DSD operation are not included, and what depends on its operands.
    fn of(&self, op: Op) -> u32 {
        self.of_integers(op).or_else(|| self.of_memory(op)).unwrap_or_else(|| self.of_others(op).into())
    }

    fn arithmetic(&self, words: u32) -> u32 {
        let costs = &self.costs.scalar;
        if words > 1 { u32::from(costs.wide_arithmetic) * words / 2 } else { costs.arithmetic.into() }
    }

    /// Arithmetic and comparisons, which depend on the width.
    fn of_integers(&self, op: Op) -> Option<u32> {
        let costs = &self.costs.scalar;
        let compared = |a, b| self.arithmetic(self.words(a).max(self.words(b)));
        // A compiler computes only those words of a result that are used.
        let used = |d, sh| self.words(d).min(words_of(sh));
        let by_width = |words: u32, narrow: u16, wide: u16| u32::from(if words > 1 { wide } else { narrow });
        let product = |words| by_width(words, costs.multiply, costs.wide_multiply);
        let shift = |words| by_width(words, costs.shift, costs.wide_shift);
        let quotient = |b, words| match self.constant(b) {
            // Division by a constant becomes a multiplication and a shift.
            Some(_) => product(words) + shift(words),
            None => by_width(words, costs.divide, costs.wide_divide),
        };
        let is_shift = |b| self.constant(b).is_some_and(u64::is_power_of_two);
        Some(match op {
            Op::Mov { a, .. } => self.words(a) * u32::from(costs.copy),
            Op::AddS { d, sh, .. } | Op::AddU { d, sh, .. } => self.arithmetic(used(d, sh)),
            Op::SubS { d, sh, .. } | Op::SubU { d, sh, .. } => self.arithmetic(used(d, sh)),
            Op::NegS { d, sh, .. } | Op::BitNotS { d, sh, .. } | Op::BitNotU { d, sh, .. } => {
                self.arithmetic(used(d, sh))
            }
            Op::MulS { d, sh, .. } | Op::MulU { d, sh, .. } => product(used(d, sh)),
            Op::DivU { b, sh, .. } if is_shift(b) => shift(words_of(sh)),
            Op::RemU { b, sh, .. } if is_shift(b) => self.arithmetic(words_of(sh)),
            Op::DivS { b, sh, .. } | Op::DivU { b, sh, .. } => quotient(b, words_of(sh)),
            Op::RemS { b, sh, .. } | Op::RemU { b, sh, .. } => quotient(b, words_of(sh)),
            Op::ShlS { d, sh, .. } | Op::ShlU { d, sh, .. } => shift(used(d, sh)),
            // The upper words move down.
            Op::ShrS { sh, .. } | Op::ShrU { sh, .. } => shift(words_of(sh)),
            Op::And { a, b, .. } | Op::Or { a, b, .. } | Op::Xor { a, b, .. } => compared(a, b),
            Op::Eq { a, b, .. } | Op::Ne { a, b, .. } | Op::LtS { a, b, .. } => compared(a, b),
            Op::LtU { a, b, .. } | Op::LeS { a, b, .. } | Op::LeU { a, b, .. } => compared(a, b),
            Op::JumpEq { a, b, .. } | Op::JumpNe { a, b, .. } | Op::JumpLtS { a, b, .. } => {
                compared(a, b) + u32::from(costs.jump)
            }
            Op::JumpLtU { a, b, .. } | Op::JumpLeS { a, b, .. } | Op::JumpLeU { a, b, .. } => {
                compared(a, b) + u32::from(costs.jump)
            }
            _ => return None,
        })
    }

    /// Loads, stores and copies.
    fn of_memory(&self, op: Op) -> Option<u32> {
        let costs = &self.costs.scalar;
        let pairs = |words: u16| u32::from(words).div_ceil(2);
        let (index, wait) = (u32::from(costs.index), u32::from(costs.wait));
        let loads = |kind: Access| pairs(kind.words()) * u32::from(costs.load);
        let stores = |kind: Access| pairs(kind.words()) * u32::from(costs.store);
        Some(match op {
            Op::LoadAt { kind, .. } => loads(kind),
            Op::Load { kind, .. } => loads(kind) + wait,
            Op::LoadElem { kind, .. } => index + wait + loads(kind),
            Op::StoreAt { kind, .. } | Op::Store { kind, .. } => stores(kind),
            Op::StoreElem { kind, .. } => index + stores(kind),
            Op::Element { words, .. } if words == BYTES || words.is_power_of_two() => index,
            Op::Element { .. } => index + u32::from(costs.multiply),
            // A DSD is longer here than on the machine.
            Op::Copy { words: DSD_WORDS, .. } => u32::from(costs.load + costs.store),
            Op::Copy { words, .. } => pairs(words) * u32::from(costs.load + costs.store),
            Op::Zero { words, .. } => pairs(words) * u32::from(costs.store),
            _ => return None,
        })
    }

    fn of_others(&self, op: Op) -> u16 {
        let costs = &self.costs.scalar;
        match op {
            Op::Intrinsic { id: Intrinsic::Math32 | Intrinsic::Math16, .. } => costs.math,
            Op::Intrinsic { .. } => costs.register,
            Op::Convert { from, to, .. } if from.is_float() || to.is_float() => costs.convert,
            Op::Convert { .. } | Op::NormS { .. } | Op::NormU { .. } | Op::Not { .. } | Op::Frame { .. } => {
                costs.arithmetic
            }
            Op::FDiv { .. } | Op::HDiv { .. } => costs.float_divide,
            Op::FAdd { .. } | Op::FSub { .. } | Op::FMul { .. } | Op::FNeg { .. } | Op::FEq { .. } => {
                costs.float
            }
            Op::FNe { .. } | Op::FLt { .. } | Op::FLe { .. } | Op::HAdd { .. } | Op::HSub { .. } => {
                costs.float
            }
            Op::HMul { .. } | Op::HNeg { .. } | Op::HEq { .. } | Op::HNe { .. } | Op::HLt { .. } => {
                costs.float
            }
            Op::HLe { .. } => costs.float,
            Op::Call { .. } | Op::CallPtr { .. } => costs.call,
            Op::Ret => costs.leave,
            Op::Jump { .. } | Op::JumpIf { .. } | Op::JumpUnless { .. } | Op::Assert { .. } => costs.jump,
            Op::MapNext { .. } => costs.iteration,
            Op::MapPut { .. } => costs.store,
            Op::EditDsd { in_place: true, .. } => self.costs.vectors.update,
            Op::PutDsd { .. } | Op::EditDsd { .. } | Op::SetDsrBase { .. } => self.costs.vectors.edit,
            Op::FifoLength { .. } => self.costs.vectors.edit,
            Op::LoadDsr { .. } | Op::MapBegin { .. } | Op::MapEnd { .. } => self.costs.vectors.load,
            Op::Activate { .. } | Op::Block { .. } | Op::Unblock { .. } => self.costs.tasks.state,
            Op::BlockUt { .. } | Op::UnblockUt { .. } => self.costs.tasks.state,
            // Checks take no cycles, so that the timing of a program is the same with and without them; the start
            // of a DSD operation depends on its operands.
            _ => 0,
        }
    }
}
