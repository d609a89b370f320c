//! Collects events while a program runs.

use super::filter::EventFilter;
use super::{Event, HostEvent, TraceFilter};
use crate::image::Program;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Collects the first events by cycle, up to a limit.
pub struct Recorder {
    sieve: EventFilter,
    limit: usize,
    events: Vec<Event>,
    /// Number of collected events at which superfluous ones are dropped.
    prune_at: usize,
    /// Events after this cycle can no longer be among the first ones.
    horizon: u64,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The events: by cycle, then by PE row by row, then in the order in which they happened.
    pub events: Vec<Event>,
    /// What the host did, in the order in which it began.
    pub host: Vec<HostEvent>,
    /// If there were too many events, the cycle of the last one that was kept.
    pub cut: Option<u64>,
    /// The cycle in which the run ended.
    pub end: u64,
    /// The last cycle that the filter selects.
    pub until: u64,
}

impl Recording {
    /// Gives wavelets the numbers 1, 2, 3 in the order in which they are first seen. In a run that is profiled as well,
    /// numbers say where wavelets come from.
    pub fn renumber(&mut self) {
        let mut numbers = FxHashMap::default();
        for wavelet in self.events.iter_mut().filter_map(|event| event.what.wavelet_mut()) {
            let next = numbers.len() as u64 + 1;
            wavelet.number = *numbers.entry(wavelet.number).or_insert(next);
        }
    }
}

impl Recorder {
    /// An empty recorder.
    pub fn new(filter: TraceFilter, program: &Arc<Program>) -> Recorder {
        let limit = filter.limit;
        let sieve = EventFilter::new(filter, program);
        Recorder { sieve, limit, events: Vec::new(), prune_at: 2 * limit + 1, horizon: u64::MAX }
    }

    /// Adds the events of a PE or of the routers. Events of one thread must arrive in order.
    pub fn take(&mut self, events: &mut Vec<Event>) {
        let (sieve, horizon) = (&mut self.sieve, self.horizon);
        self.events.extend(events.drain(..).filter(|event| sieve.wants(event) && event.cycle <= horizon));
    }

    /// Ends a cycle; false if no later cycle is of interest.
    pub fn end_cycle(&mut self, now: u64) -> bool {
        if self.events.len() >= self.prune_at {
            self.prune();
        }
        now <= self.horizon
    }

    /// Drops superfluous events. PEs run ahead of the clock, so the first events are not those that arrived
    /// first.
    fn prune(&mut self) {
        let mut cycles: Vec<u64> = self.events.iter().map(|e| e.cycle).collect();
        self.horizon = *cycles.select_nth_unstable(self.limit).1;
        self.events.retain(|e| e.cycle <= self.horizon);
        self.prune_at = 2 * self.events.len().max(self.limit) + 1;
    }

    /// The events so far, in order.
    pub fn recording(&self, end: u64) -> Recording {
        let mut events = self.events.clone();
        // The sort is stable: events of one PE in one cycle keep their order.
        events.sort_by_key(|e| (e.cycle, e.pe.y, e.pe.x));
        let is_cut = events.len() > self.limit;
        events.truncate(self.limit);
        let cut = is_cut.then(|| events.last().map_or(0, |e| e.cycle));
        let until = self.sieve.last_cycle().min(end);
        Recording { events, host: Vec::new(), cut, end, until }
    }
}
