//! How another thread follows a run and stops it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How many PEs run between two checks of the stop flag: far less than a second.
pub(super) const PES_BETWEEN_LOOKS: usize = 256;

/// How far a run has come, for another thread.
#[derive(Debug, Default)]
pub struct Heartbeat {
    cycle: AtomicU64,
    busy: AtomicU64,
}

impl Heartbeat {
    /// Before the first cycle.
    pub const fn new() -> Heartbeat {
        Heartbeat { cycle: AtomicU64::new(0), busy: AtomicU64::new(0) }
    }

    /// The last cycle, and how many PEs ran in it.
    pub fn last(&self) -> (u64, u64) {
        (self.cycle.load(Ordering::Relaxed), self.busy.load(Ordering::Relaxed))
    }
}

/// The connections between a run and another thread.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Signals {
    /// Becomes true when the run is to stop.
    stop: Option<&'static AtomicBool>,
    /// Where the run shows how far it has come.
    pulse: Option<&'static Heartbeat>,
}

impl Signals {
    /// The run stops once this becomes true.
    pub fn stop_when(&mut self, stop: &'static AtomicBool) {
        self.stop = Some(stop);
    }

    /// The run shows here how far it has come.
    pub fn show(&mut self, pulse: &'static Heartbeat) {
        self.pulse = Some(pulse);
    }

    /// Whether the run is to stop.
    #[inline]
    pub fn is_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Publishes that a cycle begins in which `busy` PEs run.
    #[inline]
    pub fn beat(&self, cycle: u64, busy: usize) {
        if let Some(pulse) = self.pulse {
            pulse.cycle.store(cycle, Ordering::Relaxed);
            pulse.busy.store(busy as u64, Ordering::Relaxed);
        }
    }
}
