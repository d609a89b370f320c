//! How far a run has come, for another thread to look at.

use std::sync::atomic::{AtomicU64, Ordering};

/// The last sign of life of a run.
#[derive(Debug, Default)]
pub struct Pulse {
    cycle: AtomicU64,
    busy: AtomicU64,
}

impl Pulse {
    /// Before the first cycle.
    pub const fn new() -> Pulse {
        Pulse { cycle: AtomicU64::new(0), busy: AtomicU64::new(0) }
    }

    /// A cycle begins in which so many PEs run.
    pub(super) fn beat(&self, cycle: u64, busy: usize) {
        self.cycle.store(cycle, Ordering::Relaxed);
        self.busy.store(busy as u64, Ordering::Relaxed);
    }

    /// The last cycle, and how many PEs ran in it.
    pub fn last(&self) -> (u64, u64) {
        (self.cycle.load(Ordering::Relaxed), self.busy.load(Ordering::Relaxed))
    }
}
