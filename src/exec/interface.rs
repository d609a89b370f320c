//! The interface of the scalar loop: its inputs, and the reasons why it stops.

use super::prepared::{PreparedFunction, PreparedTile};
use super::vector::plan::VectorPlan;
use crate::arch::{Arch, TaskId};
use crate::image::TileImage;
use crate::image::code::{FnId, Op};
use std::sync::OnceLock;

/// Why the loop stopped. The innermost call points at the next operation.
pub(crate) enum StopReason {
    /// The next operation must be executed by the PE.
    Service(Op),
    /// All calls have returned.
    End,
    /// The cycle budget is used up.
    Pause,
    /// The next operation would access a word that the guard watches; the guard knows which.
    Guarded,
}

/// The cycle budget: cycles used and cycles allowed.
pub(crate) struct Meter {
    /// Cycles used since the loop was entered.
    pub spent: u64,
    /// Cycles allowed. The loop compares only at jumps, because straight-line code is short.
    pub budget: u64,
    /// From so many cycles on, code may not change the state of a task before the PE has done what follows an
    /// operation that has ended.
    pub due: u64,
}

/// The parts of a tile that do not change while the loop runs.
#[derive(Copy, Clone)]
pub(crate) struct Code<'a> {
    pub tile: &'a TileImage,
    /// The machine, whose costs its code has.
    pub arch: &'a Arch,
    /// The functions of the tile that have run.
    pub functions: &'a [OnceLock<PreparedFunction>],
    /// The vector operations that the loop executes itself.
    pub plans: &'a [Option<VectorPlan>],
    /// Functions run without superinstructions.
    pub is_plain: bool,
}

impl<'a> Code<'a> {
    /// All of a tile.
    #[inline]
    pub fn of(tile: &'a PreparedTile, arch: &'a Arch) -> Code<'a> {
        let (functions, plans) = (tile.functions(), tile.plans(arch));
        Code { tile, arch, functions, plans, is_plain: tile.is_plain() }
    }

    #[inline(always)]
    pub fn function(self, f: FnId) -> &'a PreparedFunction {
        let n = f.0 as usize;
        match self.functions[n].get() {
            Some(ready) => ready,
            None => self.prepare(n),
        }
    }

    #[cold]
    fn prepare(self, n: usize) -> &'a PreparedFunction {
        self.functions[n]
            .get_or_init(|| PreparedFunction::new(&self.tile.functions[n], self.arch, self.is_plain))
    }
}

/// The state of the tasks of a PE, as far as code changes it; bit = id. Fields that every visit reads come last.
#[derive(Copy, Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct TaskState {
    /// The local task that ran last.
    pub last: Option<TaskId>,
    /// The local task whose code runs, or the last one if nothing else has run since.
    pub running: Option<TaskId>,
    /// Local tasks that have activated themselves; data tasks take precedence over them.
    pub again: u64,
    /// Bound local tasks.
    pub local: u64,
    /// Local tasks that are active.
    pub active: u64,
    /// Tasks and channels that are blocked.
    pub blocked: u64,
}

impl TaskState {
    /// Blocks, unblocks or activates the task in a register where nothing is to be said about it; false for all other
    /// operations. Most of what a small task does is this.
    #[inline(always)]
    pub fn set(&mut self, op: Op, register: u64) -> bool {
        let id = TaskId(register as u8);
        let bit = 1 << (id.0 & 63);
        match op {
            Op::Block { .. } => self.blocked |= bit,
            Op::Unblock { .. } => self.blocked &= !bit,
            Op::Activate { .. } if self.local & !self.active & bit != 0 => {
                self.active |= bit;
                self.again |= if self.running == Some(id) { bit } else { 0 };
            }
            _ => return false,
        }
        true
    }
}
