//! Models two optimisations of innermost loops that decide what their code costs: loop-invariant code motion, and
//! full unrolling of short loops with a known trip count.

use crate::image::Function;
use crate::image::code::{Op, Reg};
use std::cell::Cell;
use std::ops::Range;

/// How many operations, in all iterations together, a loop may have to be unrolled: the limit of LLVM at `-O2`, with
/// which `cslc` 2.10 compiles according to a public study, which has seen loops of 8 and 16 iterations unrolled. Ours
/// are not its instructions, but about as many.
const MAX_UNROLLED_OPS: usize = 150;

/// What is known of the value in a register within a loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Known {
    Constant,
    /// A constant in each iteration of a loop that is unrolled.
    Turn,
    /// The same in each iteration: loop-invariant.
    Invariant,
    Nothing,
}

/// What a compiler saves on an operation in a loop.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Saved {
    #[default]
    Nothing,
    /// The operation: it is hoisted out of the loop.
    All,
    /// The computation of its address.
    Address,
}

/// What a compiler saves on each operation of a function because of its loops; `hides_loop_overhead` as in
/// [`VectorCosts`](crate::arch::VectorCosts).
pub(super) fn saved_in_loops(function: &Function, hides_loop_overhead: bool) -> Vec<Saved> {
    let mut saved = vec![Saved::default(); function.code.len()];
    let mut last = None;
    for (at, op) in function.code.iter().enumerate() {
        let Some(to) = { *op }.target_mut().map(|to| *to as usize).filter(|to| *to <= at) else { continue };
        // A loop around another one ends behind it.
        if last.is_none_or(|last| last < to) {
            Loop::new(function, to..at + 1).look(&mut saved[to..=at], hides_loop_overhead);
        }
        last = Some(at);
    }
    saved
}

/// An innermost loop; its last operation jumps back to its first.
struct Loop<'f> {
    code: &'f [Op],
    /// By register of the function.
    known: Vec<Known>,
    /// By register: how many of its operations write it, 2 for more.
    writes: Vec<u8>,
    /// Whether it is unrolled.
    is_unrolled: bool,
}

impl Loop<'_> {
    fn new(function: &Function, range: Range<usize>) -> Loop<'_> {
        let code = &function.code[range.clone()];
        let mut known = vec![Known::Invariant; usize::from(function.registers)];
        let first = usize::from(function.params);
        known.iter_mut().skip(first).take(function.consts.len()).for_each(|it| *it = Known::Constant);
        let mut writes = vec![0u8; known.len()];
        for op in code {
            let range = match { *op }.dest_mut() {
                Some(d) => *d..d.saturating_add(1),
                None => clobbered(*op, function.registers),
            };
            let range = usize::from(range.start).min(writes.len())..usize::from(range.end).min(writes.len());
            writes[range].iter_mut().for_each(|count| *count = (*count + 1).min(2));
        }
        let trip_count = trip_count(function, &range, &writes);
        let is_unrolled =
            trip_count.is_some_and(|trip_count| trip_count.saturating_mul(code.len()) <= MAX_UNROLLED_OPS);
        let mut this = Loop { code, known, writes, is_unrolled };
        this.forget();
        this
    }

    fn of(&self, register: Reg) -> Known {
        self.known.get(usize::from(register)).copied().unwrap_or(Known::Nothing)
    }

    /// Finds what its operations cost less.
    fn look(mut self, saved: &mut [Saved], hides_loop_overhead: bool) {
        let mut joins = vec![false; self.code.len()];
        let end = self.code.len() - 1;
        let back = { self.code[end] }.target_mut().map_or(0, |to| *to as usize);
        for op in self.code {
            if let Some(to) = { *op }.target_mut().map(|to| *to as usize)
                && let Some(joins) = to.checked_sub(back).and_then(|to| joins.get_mut(to))
            {
                *joins = true;
            }
        }
        for (at, op) in self.code.iter().enumerate() {
            if joins[at] && at > 0 {
                self.forget();
            }
            saved[at] = self.saved(*op);
        }
        let is_hidden = hides_loop_overhead && self.code.iter().any(|op| matches!(op, Op::Vector { .. }));
        if self.is_unrolled || is_hidden {
            saved[end] = Saved::All;
        }
        if let (true, Op::JumpLtS { a, .. } | Op::JumpLtU { a, .. }) = (is_hidden, self.code[end])
            && let Some(step) = self.code.iter().rposition(|op| { *op }.dest_mut().is_some_and(|d| *d == a))
        {
            saved[step] = Saved::All;
        }
    }

    /// Forgets what is written on only one of the paths to a join.
    fn forget(&mut self) {
        for (known, writes) in self.known.iter_mut().zip(&self.writes) {
            if *writes > 0 {
                *known = Known::Nothing;
            }
        }
    }

    fn saved(&mut self, op: Op) -> Saved {
        let Some(d) = { op }.dest_mut().copied() else {
            return match op {
                Op::StoreElem { b, .. } if self.of(b) != Known::Nothing => Saved::Address,
                _ => Saved::Nothing,
            };
        };
        let (known, saved) = match op {
            // The step of a counter.
            Op::AddS { a, b, .. } | Op::AddU { a, b, .. }
                if a == d && self.is_unrolled && self.of(b) == Known::Constant && self.is_counter(d) =>
            {
                (Known::Turn, Saved::All)
            }
            Op::LoadElem { b: index, .. } | Op::Load { a: index, .. } => match self.of(index) {
                Known::Nothing => (Known::Nothing, Saved::Nothing),
                _ => (Known::Nothing, Saved::Address),
            },
            Op::LoadAt { .. } => (Known::Nothing, Saved::Nothing),
            _ => match self.together(op, d) {
                Known::Nothing => (Known::Nothing, Saved::Nothing),
                known => (known, Saved::All),
            },
        };
        if let Some(its) = self.known.get_mut(usize::from(d)) {
            *its = known;
        }
        saved
    }

    /// Whether a register is an induction variable: only the step of the loop writes it.
    fn is_counter(&self, register: Reg) -> bool {
        self.writes.get(usize::from(register)) == Some(&1)
    }

    /// What is known of a result, by what is known of the values that it is computed from.
    fn together(&self, op: Op, d: Reg) -> Known {
        let known = Cell::new(Known::Constant);
        let is_dest = Cell::new(true);
        { op }.map_registers(|register| {
            // The destination comes first.
            if is_dest.replace(false) && register == d {
                return register;
            }
            known.set(match (known.get(), self.of(register)) {
                (Known::Constant, other) | (other, Known::Constant) => other,
                (known, other) if known == other => known,
                _ => Known::Nothing,
            });
            register
        });
        known.get()
    }
}

/// The registers that an operation without a destination of its own may write.
fn clobbered(op: Op, registers: Reg) -> Range<Reg> {
    match op {
        Op::Call { base, .. } | Op::CallPtr { base, .. } | Op::Intrinsic { base, .. } => base..registers,
        Op::MapNext { base, .. } => base..registers,
        Op::Vector { .. } => 0..registers,
        Op::Unset { d, .. } => d..d.saturating_add(1),
        _ => 0..0,
    }
}

/// The trip count of a loop whose counter runs from one constant to another.
fn trip_count(function: &Function, range: &Range<usize>, writes: &[u8]) -> Option<usize> {
    let constant = |register: Reg| {
        let place = usize::from(register).checked_sub(usize::from(function.params))?;
        function.consts.get(place).copied()
    };
    let (counter, limit) = match function.code[range.end - 1] {
        Op::JumpLtS { a, b, .. } | Op::JumpLtU { a, b, .. } => (a, constant(b)?),
        _ => return None,
    };
    if writes.get(usize::from(counter)) != Some(&1) {
        return None;
    }
    let (place, pace) = range.clone().find_map(|place| match function.code[place] {
        // It has 16 bits or more, so that it does not turn around before its end.
        Op::AddS { d, a, b, sh } | Op::AddU { d, a, b, sh } if d == counter && a == counter && sh <= 48 => {
            Some((place, constant(b).filter(|pace| (1..1 << 15).contains(pace))?))
        }
        _ => None,
    })?;
    // No path may skip the step: a loop without an end must not be free.
    let skips =
        |op: &Op| { *op }.target_mut().is_some_and(|to| (place + 1..range.end).contains(&(*to as usize)));
    if function.code[range.start..place].iter().any(skips) {
        return None;
    }
    let begun = function.code[..range.start].iter().rev().find_map(|op| match *op {
        Op::Mov { d, a } if d == counter => Some(constant(a)),
        op => ({ op }.dest_mut().copied() == Some(counter)).then_some(None),
    })??;
    // Ranges that count down or around take the other way.
    let length = limit.checked_sub(begun).filter(|length| *length < 1 << 15)?;
    Some(length.div_ceil(pace) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::code::Access;
    use crate::source::{FileId, Span};

    fn function(code: Vec<Op>, consts: Vec<u64>) -> Function {
        let span = Span::new(FileId(0), 0, 0);
        let spans = vec![span; code.len()];
        Function {
            name: "f".into(),
            span,
            params: 0,
            registers: 16,
            frame_words: 0,
            consts,
            locals: Vec::new().into(),
            code: code.into(),
            spans: spans.into(),
        }
    }

    /// Counts register 4 up to the second constant; in each turn a product that is the same, a sum with the counter,
    /// and a load of that element.
    fn counted(trip_count: u64) -> Function {
        let kind = Access::U16;
        let code = vec![
            Op::Mov { d: 4, a: 0 },
            Op::MulU { d: 6, a: 5, b: 1, sh: 48 },
            Op::AddU { d: 7, a: 6, b: 4, sh: 48 },
            Op::LoadElem { d: 8, base: 0, b: 7, len: 100, kind },
            Op::AddU { d: 9, a: 9, b: 8, sh: 48 },
            Op::AddU { d: 4, a: 4, b: 2, sh: 48 },
            Op::JumpLtU { a: 4, b: 1, to: 1 },
            Op::Ret,
        ];
        function(code, vec![0, trip_count, 1])
    }

    #[test]
    fn a_long_loop_leaves_out_what_is_the_same_in_each_turn() {
        use Saved::{All, Nothing};
        let saved = saved_in_loops(&counted(1000), false);
        assert_eq!(saved, [Nothing, All, Nothing, Nothing, Nothing, Nothing, Nothing, Nothing]);
    }

    #[test]
    fn a_loop_that_may_leave_its_step_out_has_no_known_number_of_turns() {
        let mut function = counted(8);
        let mut code = function.code.to_vec();
        code[4] = Op::JumpIf { a: 9, to: 6 };
        function.code = code.into();
        let saved = saved_in_loops(&function, false);
        assert_eq!(saved[5..7], [Saved::Nothing; 2]);
    }

    #[test]
    fn turns_around_dsd_operations_are_hidden_where_the_machine_does_so() {
        use Saved::{All, Nothing};
        let code = vec![
            Op::Mov { d: 4, a: 0 },
            Op::Vector { n: 0 },
            Op::AddU { d: 4, a: 4, b: 2, sh: 48 },
            Op::JumpLtU { a: 4, b: 1, to: 1 },
            Op::Ret,
        ];
        let function = function(code, vec![0, 1000, 1]);
        assert_eq!(saved_in_loops(&function, true), [Nothing, Nothing, All, All, Nothing]);
        assert_eq!(saved_in_loops(&function, false), [Nothing; 5]);
        assert_eq!(saved_in_loops(&counted(1000), true), saved_in_loops(&counted(1000), false));
    }

    #[test]
    fn a_short_loop_is_written_out() {
        use Saved::{All, Nothing};
        let saved = saved_in_loops(&counted(8), false);
        assert_eq!(saved, [Nothing, All, Nothing, Nothing, Nothing, All, All, Nothing]);
    }
}
