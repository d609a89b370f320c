//! The interface of the scalar loop: its inputs, and the reasons why it stops.

use super::calls::WINDOW;
use super::guard::GuardedWords;
use super::prepared::{CodeCache, PreparedFunction, PreparedTile};
use super::sanitizer::Sanitizer;
use super::vector::plan::VectorPlan;
use crate::arch::{Arch, TaskId};
use crate::image::TileImage;
use crate::image::code::{FnId, Op};
use std::sync::{Arc, OnceLock};

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

/// An operation that a PE has done while the scalar loop goes on.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct ServedInLoop {
    /// The cycles that it takes beyond those of its function.
    pub cycles: u32,
    /// The elements that it has processed.
    pub elements: u32,
}

/// What a PE does for code while the scalar loop goes on. To leave the loop and to enter it again costs more than most
/// of these operations: they load a DSR, change a DSD, or work on short lines in memory.
pub(crate) trait LoopServices {
    /// Does an operation of which nothing has to be told but its cycles and elements.
    /// `None`: nothing is done, and the loop must stop for it.
    fn serve(&mut self, op: Op, r: &mut [u64; WINDOW], memory: &mut LoopMemory<'_>) -> Option<ServedInLoop>;
}

/// The memory of a PE and its shadow, as the scalar loop has them.
pub(crate) struct LoopMemory<'a> {
    /// The words that are allocated.
    pub words: &'a mut [u16],
    /// Their shadow.
    pub sanitizer: &'a mut Sanitizer,
    /// The words that are watched, if any.
    pub watched: Option<&'a GuardedWords>,
}

/// Does nothing: the loop stops for everything.
pub(crate) struct NoServices;

impl LoopServices for NoServices {
    fn serve(&mut self, _: Op, _: &mut [u64; WINDOW], _: &mut LoopMemory<'_>) -> Option<ServedInLoop> {
        None
    }
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

impl Meter {
    /// Cycles left.
    #[inline(always)]
    pub fn left(&self) -> i64 {
        self.budget as i64 - self.spent as i64
    }

    /// So many are left.
    #[inline(always)]
    pub fn leave(&mut self, left: i64) {
        self.spent = (self.budget as i64 - left) as u64;
    }

    /// Cycles left when something is due.
    #[inline(always)]
    pub fn left_when_due(&self) -> i64 {
        (self.budget as i64).saturating_sub_unsigned(self.due)
    }
}

/// The parts of a tile that do not change while the loop runs.
#[derive(Copy, Clone)]
pub(crate) struct Code<'a> {
    pub tile: &'a TileImage,
    /// The machine, whose costs its code has.
    pub arch: &'a Arch,
    /// The functions of the tile that have run.
    pub functions: &'a [OnceLock<Arc<PreparedFunction>>],
    /// The vector operations that the loop executes itself.
    pub plans: &'a [Option<VectorPlan>],
    /// Those that other tiles of the program have run.
    pub cache: &'a CodeCache,
}

impl<'a> Code<'a> {
    /// All of a tile.
    #[inline]
    pub fn of(tile: &'a PreparedTile, arch: &'a Arch) -> Code<'a> {
        Code { plans: tile.plans(arch), ..Code::without_plans(tile, arch) }
    }

    /// All of a tile; the loop hands back every vector operation.
    #[inline]
    pub fn without_plans(tile: &'a PreparedTile, arch: &'a Arch) -> Code<'a> {
        Code { tile, arch, functions: tile.functions(), plans: &[], cache: tile.cache() }
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
        self.functions[n].get_or_init(|| self.cache.prepared(&self.tile.functions[n], self.arch))
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
    /// The task that a wavelet has started last.
    pub last_by_wavelet: u8,
    /// Local tasks that have activated themselves; tasks of wavelets take precedence over them, each once.
    pub again: u64,
    /// Tasks that wavelets have started since a task that has activated itself had its turn.
    pub since_again: u64,
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
