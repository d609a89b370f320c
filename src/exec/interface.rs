//! The interface of the scalar loop: its inputs, and the reasons why it stops.

use super::prepared::PreparedFunction;
use super::vector::plan::VectorPlan;
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
}

/// The cycle budget: cycles used and cycles allowed.
pub(crate) struct Meter {
    /// Cycles used since the loop was entered.
    pub spent: u64,
    /// Cycles allowed. The loop compares only at jumps, because straight-line code is short.
    pub budget: u64,
}

/// The parts of a tile that do not change while the loop runs.
#[derive(Copy, Clone)]
pub(crate) struct Code<'a> {
    pub tile: &'a TileImage,
    /// The functions of the tile that have run.
    pub functions: &'a [OnceLock<PreparedFunction>],
    /// The vector operations that the loop executes itself.
    pub plans: &'a [Option<VectorPlan>],
    /// Functions run without superinstructions.
    pub is_plain: bool,
}

impl<'a> Code<'a> {
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
        self.functions[n].get_or_init(|| PreparedFunction::new(&self.tile.functions[n], self.is_plain))
    }
}
