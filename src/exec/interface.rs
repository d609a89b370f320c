//! What the scalar loop takes, and what it hands back.

use super::prepared::PreparedFunction;
use super::vector::plan::VectorPlan;
use crate::image::TileImage;
use crate::image::code::{FnId, Op};
use std::sync::OnceLock;

/// Why the loop stopped. The innermost call knows the operation that is next.
pub(crate) enum StopReason {
    /// An operation for the PE is next.
    Service(Op),
    /// All calls have returned.
    End,
    /// The cycles are used up.
    Pause,
}

/// Cycles used and cycles allowed.
pub(crate) struct Meter {
    /// Since the start of the turn.
    pub spent: u64,
    /// Looked at only where code may loop.
    pub budget: u64,
}

/// What does not change while the loop runs.
#[derive(Copy, Clone)]
pub(crate) struct Code<'a> {
    pub tile: &'a TileImage,
    /// The functions of the tile that have run.
    pub functions: &'a [OnceLock<PreparedFunction>],
    /// The vector operations that the loop does itself.
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
