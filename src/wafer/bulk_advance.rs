//! Many cycles at once, while nothing happens but that streams flow.
//!
//! It changes nothing that anybody can see: in each of these cycles the same PEs would send and take
//! one element each, and the same routers would pass one wavelet each.
//!
//! `--hop-by-hop` and `--engine plain` switch it off; `tests/it/props/streams.rs` compares it with wavelets that go
//! hop by hop. What it gains on public programs has not been measured.

use super::Wafer;
use crate::fabric::{Stream, Wavelet};
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
    pub until: u64,
    /// How many PEs have run in the last cycle.
    pub ran: usize,
    /// That, and what the fabric has had to do.
    shape: (usize, (usize, usize)),
    next: u64,
    pause: u64,
    words: Vec<Wavelet>,
}

impl Wafer {
    /// Does the next cycles if nothing but steady streams happens in them; false if it has done none.
    pub(super) fn bulk_advance(&mut self) -> bool {
        if self.bulk_advance.until < self.now + FEWEST || !self.fabric.uses_channels() {
            return false;
        }
        let shape = (self.bulk_advance.ran, self.fabric.activity());
        if shape != self.bulk_advance.shape {
            // Something begins or ends.
            (self.bulk_advance.shape, self.bulk_advance.pause, self.bulk_advance.next) =
                (shape, 0, self.now + 1);
        }
        if self.now < self.bulk_advance.next {
            return false;
        }
        let mut due = std::mem::take(&mut self.due);
        self.event_queue.take_due(self.now, &mut due);
        let found = self.steady(&due);
        if let Some((streams, cycles)) = &found {
            streams.iter().for_each(|stream| self.flow(stream, *cycles));
            self.now += cycles;
            self.fabric.resume(self.now);
            self.bulk_advance.pause = PAUSES.start;
        } else {
            self.bulk_advance.pause = (2 * self.bulk_advance.pause).clamp(PAUSES.start, PAUSES.end);
        }
        self.bulk_advance.next = self.now + self.bulk_advance.pause;
        for pe in due.drain(..) {
            self.event_queue.wake(pe as usize, self.now, self.now);
        }
        self.due = due;
        found.is_some()
    }

    /// The streams that are all that happens, and for how many cycles.
    fn steady(&mut self, due: &[u32]) -> Option<(Vec<Stream>, u64)> {
        let launch = self.launches.front().map(|l| l.cycle);
        let next = [self.event_queue.next(self.now), launch].into_iter().flatten().min();
        let end = next.unwrap_or(u64::MAX).min(self.bulk_advance.until).min(self.now + MOST);
        let mut cycles = end.saturating_sub(self.now);
        // A stream keeps two PEs busy.
        if cycles < FEWEST || due.is_empty() || !due.len().is_multiple_of(2) {
            return None;
        }
        let streams = self.fabric.steady_streams(self.now).filter(|all| all.len() * 2 == due.len())?;
        let mut ends: Vec<u32> = Vec::with_capacity(due.len());
        for stream in &streams {
            let ((sender, sent), (receiver, taken)) = (stream.sender, stream.receiver);
            let sends = self.cells.pe(sender)?.sends_steadily(sent, self.now)?;
            let takes = self.cells.pe(receiver)?.takes_steadily(taken, self.now)?;
            cycles = cycles.min(sends).min(takes);
            ends.extend([sender as u32, receiver as u32]);
        }
        ends.sort_unstable();
        (cycles >= FEWEST && ends == due).then_some((streams, cycles))
    }

    fn flow(&mut self, stream: &Stream, cycles: u64) {
        let mut words = std::mem::take(&mut self.bulk_advance.words);
        let ((sender, _), (receiver, color)) = (stream.sender, stream.receiver);
        let sender = self.cells.pe(sender).expect("it sends");
        let sent = sender.send_steadily(self.now, cycles, &mut words);
        self.fabric.flow(stream, &mut words);
        let receiver = self.cells.pe(receiver).expect("it receives");
        let taken = receiver.take_steadily(self.now, color, &words);
        assert!(sent.is_ok() && taken.is_ok(), "a steady stream stays in its memory: that was looked at");
        words.clear();
        self.bulk_advance.words = words;
    }
}
