//! Notes who writes some words of a PE, for the comparison of two runs of one program.

use crate::dsd::footprint::Footprint;
use crate::source::Span;

/// How many writes are kept; after that each new one replaces the last.
const MOST: usize = 100_000;

/// A write to words that are watched.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NotedWrite {
    /// When, as an estimate.
    pub cycle: u64,
    /// The code that wrote; `None` for the host.
    pub span: Option<Span>,
    /// The first word of those that are watched together.
    pub at: usize,
    /// How many operations the code of the PE has begun; 0 unless it is debugged.
    pub operations: u64,
}

/// Some words and their writes so far.
#[derive(Clone, Debug)]
pub struct WriteLog {
    /// First word and number of words.
    watched: Vec<(usize, usize)>,
    writes: Vec<NotedWrite>,
    /// How many operations a debugged PE has begun.
    pub operations: u64,
}

impl WriteLog {
    /// Watches `words` words from `at` on.
    pub fn new(at: usize, words: usize) -> WriteLog {
        WriteLog { watched: vec![(at, words)], writes: Vec::new(), operations: 0 }
    }

    /// Watches what another one watches, too.
    pub fn join(&mut self, other: WriteLog) {
        self.watched.extend(other.watched);
    }

    /// The words that are watched together.
    pub fn footprints(&self) -> impl Iterator<Item = Footprint> {
        self.watched.iter().map(|(at, words)| Footprint::words(*at, *words))
    }

    /// Notes a write if it concerns the words.
    pub fn note(&mut self, words: &Footprint, cycle: u64, span: Option<Span>) {
        for (at, count) in &self.watched {
            let write = NotedWrite { cycle, span, at: *at, operations: self.operations };
            // An operation that could not start ahead of the clock is tried again.
            if !words.contains(*at, *count) || self.writes.last() == Some(&write) {
                continue;
            }
            if self.writes.len() == MOST {
                self.writes.pop();
            }
            self.writes.push(write);
        }
    }

    /// The writes in their order.
    pub fn writes(&self) -> &[NotedWrite] {
        &self.writes
    }
}
