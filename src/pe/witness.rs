//! Notes who writes some words of a PE, for the comparison of two runs of one program.

use crate::dsd::footprint::Footprint;
use crate::source::Span;

/// Writes that are noted; of more only the last is kept.
const MOST: usize = 100_000;

/// A write of the words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NotedWrite {
    /// When, as an estimate.
    pub cycle: u64,
    /// The code that wrote; `None` for the host.
    pub span: Option<Span>,
}

/// Some words and their writes so far.
#[derive(Clone, Debug)]
pub struct Witness {
    at: usize,
    words: usize,
    writes: Vec<NotedWrite>,
}

impl Witness {
    /// Watches `words` words from `at` on.
    pub fn new(at: usize, words: usize) -> Witness {
        Witness { at, words, writes: Vec::new() }
    }

    /// The words.
    pub fn footprint(&self) -> Footprint {
        Footprint::words(self.at, self.words)
    }

    /// Notes a write if it concerns the words.
    pub fn note(&mut self, words: &Footprint, write: NotedWrite) {
        // An operation that could not start ahead of the clock is tried again.
        if !words.contains(self.at, self.words) || self.writes.last() == Some(&write) {
            return;
        }
        if self.writes.len() == MOST {
            self.writes.pop();
        }
        self.writes.push(write);
    }

    /// The writes in their order.
    pub fn writes(&self) -> &[NotedWrite] {
        &self.writes
    }
}
