//! Many cycles at once, while nothing happens but that streams flow.
//!
//! It changes nothing that anybody can see: in each of these cycles the same PEs would send and take
//! one element each, and the same routers would pass one wavelet each.
//!
//! `--hop-by-hop` and `--engine plain` switch it off; `tests/it/props/streams.rs` compares it with wavelets that go
//! hop by hop. `fabric/steady.rs` says what it gains.

use super::cells::Cells;
use super::event_queue::EventQueue;
use crate::fabric::{Fabric, Stream, Wavelet};
use std::ops::Range;

/// Fewer cycles are not worth it.
const FEWEST: u64 = 16;
/// More are done in several parts, so that somebody who wants to stop the run can.
const MOST: u64 = 1 << 16;
/// How long not to look again when there was nothing to find: the bounds.
const PAUSES: Range<u64> = 4..512;

/// When to look for streams.
#[derive(Clone, Debug, Default)]
pub(super) struct BulkAdvance {
    /// Nobody looks at the wafer before this cycle.
    until: u64,
    /// How many PEs have run in the last cycle.
    ran: usize,
    /// That, and what the fabric has had to do.
    shape: (usize, (usize, usize)),
    next: u64,
    pause: u64,
    /// This keeps the memory of a list.
    words: Vec<Wavelet>,
}

impl BulkAdvance {
    /// Several cycles may be done at once up to this one.
    pub fn nobody_looks_before(&mut self, cycle: u64) {
        self.until = cycle;
    }

    /// The cycle before which nobody looks.
    pub fn until(&self) -> u64 {
        self.until
    }

    /// So many PEs have run in a cycle.
    #[inline]
    pub fn note_ran(&mut self, pes: usize) {
        self.ran = pes;
    }

    /// Does the next cycles, before any launch begins, if nothing but steady streams happens in them: how many.
    #[inline]
    pub fn advance(
        &mut self,
        now: u64,
        launch: Option<u64>,
        cells: &mut Cells,
        fabric: &mut Fabric,
        event_queue: &mut EventQueue,
    ) -> u64 {
        if self.until < now + FEWEST || !fabric.uses_channels() {
            return 0;
        }
        let shape = (self.ran, fabric.activity());
        if shape != self.shape {
            // Something begins or ends.
            (self.shape, self.pause, self.next) = (shape, 0, now + 1);
        }
        if now < self.next {
            return 0;
        }
        self.look(now, launch, cells, fabric, event_queue)
    }

    fn look(
        &mut self,
        now: u64,
        launch: Option<u64>,
        cells: &mut Cells,
        fabric: &mut Fabric,
        event_queue: &mut EventQueue,
    ) -> u64 {
        let due = event_queue.take_due(now);
        let next = [event_queue.next(now), launch].into_iter().flatten().min();
        let end = next.unwrap_or(u64::MAX).min(self.until).min(now + MOST);
        let found = steady(&due, (now, end), cells, fabric);
        let cycles = if let Some((streams, cycles)) = &found {
            streams.iter().for_each(|stream| self.flow(stream, (now, *cycles), cells, fabric));
            fabric.resume(now + cycles);
            self.pause = PAUSES.start;
            *cycles
        } else {
            self.pause = (2 * self.pause).clamp(PAUSES.start, PAUSES.end);
            0
        };
        self.next = now + cycles + self.pause;
        event_queue.wake_all(&due, now + cycles);
        event_queue.keep(due);
        cycles
    }

    fn flow(&mut self, stream: &Stream, (now, cycles): (u64, u64), cells: &mut Cells, fabric: &mut Fabric) {
        let mut words = std::mem::take(&mut self.words);
        let ((sender, _), (receiver, color)) = (stream.sender, stream.receiver);
        let sent = cells.pe(sender).expect("it sends").send_steadily(now, cycles, &mut words);
        fabric.flow(stream, &mut words);
        let taken = cells.pe(receiver).expect("it receives").take_steadily(now, color, &words);
        assert!(sent.is_ok() && taken.is_ok(), "a steady stream stays in its memory: that was looked at");
        words.clear();
        self.words = words;
    }
}

/// The streams that are all that happens between two cycles, and for how many.
fn steady(
    due: &[u32],
    (now, end): (u64, u64),
    cells: &mut Cells,
    fabric: &mut Fabric,
) -> Option<(Vec<Stream>, u64)> {
    let mut cycles = end.saturating_sub(now);
    // A stream keeps two PEs busy.
    if cycles < FEWEST || due.is_empty() || !due.len().is_multiple_of(2) {
        return None;
    }
    let streams = fabric.steady_streams(now).filter(|all| all.len() * 2 == due.len())?;
    let mut ends: Vec<u32> = Vec::with_capacity(due.len());
    for stream in &streams {
        let ((sender, sent), (receiver, taken)) = (stream.sender, stream.receiver);
        let sends = cells.pe(sender)?.sends_steadily(sent, now)?;
        let takes = cells.pe(receiver)?.takes_steadily(taken, now)?;
        cycles = cycles.min(sends).min(takes);
        ends.extend([sender as u32, receiver as u32]);
    }
    ends.sort_unstable();
    (cycles >= FEWEST && ends == due).then_some((streams, cycles))
}
