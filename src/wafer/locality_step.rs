//! One cycle of a wafer whose state is larger than the caches.
//!
//! Wavelets are delivered to some PEs just before these run, and their routers decide just after, so that each piece
//! of state is loaded once per cycle. Neither a PE nor a router sees what the others do in the same cycle, so this
//! order has no visible effect.
//!
//! It serves wafers of at least 4,096 PEs on one thread; what it gains on a public example has not been measured.
//! `RunOptions::large_from` with a higher number, a recording and `--engine plain` switch it off;
//! `nothing_depends_on_the_number_of_threads_and_the_size_of_caches` in `tests/it/props/streams.rs` and the tests of
//! `fabric/tests/traffic.rs` compare it with the plain order.

use super::Wafer;
use super::band_step::{BandEffects, CycleContext, alone_until};

impl Wafer {
    /// Whether PEs run in pieces.
    pub(super) fn is_worth_ordering(&self) -> bool {
        self.bands.first.fabric.is_large() && self.observers.are_none()
    }

    /// Hands over what has come down the ramps, runs all PEs that are due, in the order of their numbers, and
    /// lets the fabric step. Gives how many have run.
    pub(super) fn locality_step(&mut self) -> usize {
        let (signals, now) = (self.signals, self.now);
        let band = &mut self.bands.first;
        let (delivering, due) = (band.fabric.take_delivering(now), band.event_queue.take_due(now));
        let alone_until = match delivering.is_empty() && due.len() == 1 {
            true => alone_until(&self.bands, &self.launches, now),
            false => 0,
        };
        let (factory, pe_array) = self.pe_array.share();
        let context = CycleContext { program: &self.program, factory, signals, now, alone_until };
        let mut effects = BandEffects::default();
        self.bands.first.run_in_order(context, (delivering, due), pe_array, &mut effects, true);
        let ran = effects.ran;
        signals.beat(now, ran);
        self.take(effects);
        ran
    }
}
