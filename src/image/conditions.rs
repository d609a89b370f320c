//! The conditions in front of a place in the code, for reports of runs that have not come there.

use super::code::{Op, Reg, Target};
use super::{Function, TileImage};
use crate::source::Span;
use std::cell::RefCell;
use std::collections::BTreeSet;

impl TileImage {
    /// The addresses of the globals that decide whether the code comes to a place: those that the conditions in front of
    /// it in its function read, the nearest condition first.
    pub fn deciding_globals(&self, place: Span) -> Vec<u16> {
        let Some(id) = self.functions_at(place).into_iter().next() else { return Vec::new() };
        let function = &self.functions[id.0 as usize];
        let Some(pc) = function.spans.iter().position(|span| *span == place) else { return Vec::new() };
        let mut found = Vec::new();
        for at in (0..pc).rev().filter(|at| function.decides(*at, pc)) {
            for address in function.globals_behind(at) {
                if !found.contains(&address) {
                    found.push(address);
                }
            }
        }
        found
    }
}

impl Function {
    /// Whether the operation at `at` is a jump that decides whether the one behind it at `pc` is reached.
    fn decides(&self, at: usize, pc: usize) -> bool {
        let Some(target) = condition_target(self.code[at]) else { return false };
        let target = target as usize;
        // `if (done) { return; }` in front of the place.
        let leaves = at < target && target <= pc && matches!(self.code[target - 1], Op::Ret);
        target > pc || leaves
    }

    /// The globals from which the condition of a jump is computed.
    fn globals_behind(&self, at: usize) -> Vec<u16> {
        let mut wanted: BTreeSet<Reg> = registers(self.code[at]).into_iter().collect();
        let mut found = Vec::new();
        for op in self.code[..at].iter().rev() {
            if wanted.is_empty() {
                break;
            }
            match *op {
                Op::LoadAt { d, addr, .. } if wanted.remove(&d) => found.push(addr),
                // What was computed for a variable may still be in its register.
                Op::StoreAt { s, addr, .. } if wanted.remove(&s) => found.push(addr),
                // The result of a call stands for more than its arguments.
                Op::Call { base, .. } | Op::CallPtr { base, .. } | Op::Intrinsic { base, .. } => {
                    wanted.remove(&base);
                }
                mut op => {
                    if op.dest_mut().is_some_and(|dest| wanted.remove(dest)) {
                        let dest = op.dest_mut().copied();
                        wanted.extend(registers(op).into_iter().filter(|reg| Some(*reg) != dest));
                    }
                }
            }
        }
        found
    }
}

/// Where a jump goes that a condition decides about.
fn condition_target(mut op: Op) -> Option<Target> {
    match op {
        Op::Jump { .. } | Op::MapNext { .. } => None,
        _ => op.target_mut().copied(),
    }
}

/// The registers that an operation names.
fn registers(mut op: Op) -> Vec<Reg> {
    let named = RefCell::new(Vec::new());
    op.map_registers_of_program(|reg| {
        named.borrow_mut().push(reg);
        reg
    });
    named.into_inner()
}
