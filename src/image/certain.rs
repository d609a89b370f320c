//! Which operations of a tile run whenever its program does, so that no condition, loop or wavelet
//! decides about them.

use super::code::{Completion, DsdOperand, DsdRef, IdArg, Op, Reg, VectorOp};
use super::{ExportTarget, FnId, Function, TaskKind, TileImage};
use crate::arch::TaskId;
use crate::dsd::Dsd;

/// Operations that are certain to run, by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certain {
    /// Of `TileImage::vector_ops`.
    pub vectors: Vec<bool>,
    /// Of `TileImage::maps`.
    pub maps: Vec<bool>,
}

impl TileImage {
    /// Follows the tasks that are active at the start and the functions that the host can launch.
    pub fn certain(&self) -> Certain {
        let mut found =
            Certain { vectors: vec![false; self.vector_ops.len()], maps: vec![false; self.maps.len()] };
        let mut seen = vec![false; self.functions.len()];
        let mut open: Vec<FnId> = self.starts().collect();
        while let Some(f) = open.pop() {
            let Some(function) = self.functions.get(f.0 as usize) else { continue };
            if std::mem::replace(&mut seen[f.0 as usize], true) {
                continue;
            }
            for op in function.unconditional() {
                match op {
                    Op::Call { f, .. } => open.push(f),
                    Op::Activate { a } => {
                        open.extend(function.constant(a).and_then(|id| self.local_task(TaskId(id as u8))));
                    }
                    Op::MapBegin { n } => found.maps[n as usize] = true,
                    Op::Vector { n } => {
                        found.vectors[n as usize] = true;
                        open.extend(self.follows(&self.vector_ops[n as usize]));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn starts(&self) -> impl Iterator<Item = FnId> {
        let ready = self.active & !self.blocked;
        let tasks =
            (0..64).filter(move |id| ready & 1 << id != 0).filter_map(|id| self.local_task(TaskId(id)));
        let exports = self.exports.iter().filter_map(|e| match e.target {
            ExportTarget::Fn(f) => Some(f),
            ExportTarget::Pointer(_) | ExportTarget::Data(_) => None,
        });
        tasks.chain(exports)
    }

    fn local_task(&self, id: TaskId) -> Option<FnId> {
        self.tasks.iter().find(|t| t.id == id && t.kind == TaskKind::Local).map(|t| t.function)
    }

    /// The task that the end of an operation activates; operations that wait for wavelets may not end.
    fn follows(&self, op: &VectorOp) -> Option<FnId> {
        let waits = op.sources.iter().any(|source| match source {
            DsdOperand::Dsd(DsdRef::Const(n)) => matches!(self.dsds.get(*n as usize), Some(Dsd::FabIn(_))),
            DsdOperand::Dsd(DsdRef::At(..) | DsdRef::Dsr(_)) => true,
            DsdOperand::Scalar(_) | DsdOperand::Pointer(_) | DsdOperand::Nowhere => false,
        });
        match op.config.completion {
            Completion::Activate(IdArg::Known(id)) if !waits => self.local_task(id),
            _ => None,
        }
    }
}

impl Function {
    /// What a register holds that is never anything but a constant.
    pub fn constant(&self, reg: Reg) -> Option<u64> {
        self.consts.get(usize::from(reg).checked_sub(self.params.into())?).copied()
    }

    /// The constant that the operations right before one have put into a register.
    pub fn constant_before(&self, pc: usize, reg: Reg) -> Option<u64> {
        let moves = self.code[..pc].iter().rev().map_while(|op| match *op {
            Op::Mov { d, a } => Some((d, a)),
            _ => None,
        });
        moves.into_iter().find(|(d, _)| *d == reg).and_then(|(_, a)| self.constant(a))
    }

    /// Operations that no jump passes over.
    fn unconditional(&self) -> impl Iterator<Item = Op> {
        let mut behind = 0;
        self.code
            .iter()
            .enumerate()
            .map_while(move |(pc, op)| {
                let skipped = pc < behind;
                let mut jump = *op;
                if let Some(target) = jump.target_mut() {
                    behind = behind.max(*target as usize);
                }
                // What follows the first way out is not always reached.
                (!matches!(op, Op::Ret | Op::Trap { .. })).then_some((skipped, *op))
            })
            .filter_map(|(skipped, op)| (!skipped).then_some(op))
    }
}
