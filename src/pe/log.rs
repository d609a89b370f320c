//! What PEs leave behind for people: printed lines and debug traces.

use crate::arch::PeCoord;
use crate::diagnostics::{Diag, Diagnostic, fold_moments};
use crate::source::Span;
use indexmap::IndexMap;
use indexmap::map::Entry;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A line printed through `<simprint>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Who printed it.
    pub pe: PeCoord,
    /// When the line was complete.
    pub cycle: u64,
    /// The line, without its end.
    pub text: String,
}

/// A record of a `<debug>` trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Who wrote it.
    pub pe: PeCoord,
    /// When.
    pub cycle: u64,
    /// Which trace: a string of the tile.
    pub key: u32,
    /// The kind of value, as `<debug>` numbers them.
    pub tag: u16,
    /// The value: low and high word.
    pub value: [u32; 2],
}

/// The beginning of a collective operation on one PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The PE.
    pub pe: PeCoord,
    /// When.
    pub cycle: u64,
    /// With its column, not with its row.
    pub is_column: bool,
    /// The first color of the axis: several imports of the library have several.
    pub color: u16,
    /// The operation, as `Intrinsic::Collective` numbers them.
    pub kind: u16,
    /// Where the data come from or go to.
    pub root: u16,
    /// Elements per PE.
    pub count: u16,
    /// PEs of the row or column.
    pub size: u16,
    /// Calls under way, the innermost first.
    pub calls: Vec<Span>,
}

/// A call of `<message_passing>` on one PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageCall {
    /// The PE.
    pub pe: PeCoord,
    /// When.
    pub cycle: u64,
    /// What the call does.
    pub end: LetterEnd,
    /// Elements of its buffer.
    pub room: u16,
    /// Calls under way, the innermost first.
    pub calls: Vec<Span>,
}

/// One end of a message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LetterEnd {
    /// It leaves.
    Send {
        /// For this PE, which may not exist.
        to: PeCoord,
        /// Elements.
        length: u16,
    },
    /// The next one that comes is taken.
    Receive,
}

/// Collects in the order of writing.
#[derive(Clone, Debug, Default)]
pub struct PeLog {
    /// Printed lines.
    pub printed: Vec<Printed>,
    /// Trace records.
    pub traced: Vec<Traced>,
    /// Places of the `@assert`s that held at least once.
    pub asserts_held: BTreeSet<Span>,
    /// Collective operations that have begun, until somebody takes them.
    pub joined: Vec<Joined>,
    /// Calls of `<message_passing>`, until somebody takes them.
    pub letters: Vec<MessageCall>,
    /// What was suspicious: each rule once for each place on each PE.
    warnings: IndexMap<(Cow<'static, str>, Option<Span>, PeCoord), Diagnostic>,
}

impl PeLog {
    /// Takes a warning; only the first of its kind is kept, and counts the others.
    pub fn warn(&mut self, pe: PeCoord, warning: Diag) {
        let place = warning.0.primary.as_ref().map(|l| l.span);
        self.add((warning.0.rule.clone(), place, pe), warning.into());
    }

    fn add(&mut self, key: (Cow<'static, str>, Option<Span>, PeCoord), warning: Diagnostic) {
        match self.warnings.entry(key) {
            Entry::Occupied(mut first) => first.get_mut().repeats += 1 + warning.repeats,
            Entry::Vacant(entry) => {
                entry.insert(warning);
            }
        }
    }

    /// Adds what others have written after that.
    pub fn append(&mut self, mut later: PeLog) {
        self.printed.append(&mut later.printed);
        self.traced.append(&mut later.traced);
        self.asserts_held.append(&mut later.asserts_held);
        self.joined.append(&mut later.joined);
        self.letters.append(&mut later.letters);
        for (key, warning) in later.warnings {
            self.add(key, warning);
        }
    }

    /// The warnings, equal ones of many PEs folded.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        fold_moments(self.warnings.values().cloned())
    }
}

/// A line is printed when it has this many bytes, even if it goes on (ruling).
const LINE_BYTES: usize = 256;

/// The line that a PE has begun.
#[derive(Clone, Debug, Default)]
pub(super) struct LineBuffer(String);

impl LineBuffer {
    /// Adds text; complete lines go to the log.
    pub fn print(&mut self, text: &str, pe: PeCoord, cycle: u64, log: &mut PeLog) {
        for c in text.chars() {
            if c != '\n' {
                self.0.push(c);
            }
            if c == '\n' || self.0.len() >= LINE_BYTES {
                log.printed.push(Printed { pe, cycle, text: std::mem::take(&mut self.0) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_appears_when_it_ends_or_is_full() {
        let (pe, mut line, mut log) = (PeCoord { x: 1, y: 2 }, LineBuffer::default(), PeLog::default());
        line.print("a", pe, 3, &mut log);
        assert!(log.printed.is_empty());
        line.print("b\nc", pe, 4, &mut log);
        line.print(&"d".repeat(255), pe, 5, &mut log);
        let lines: Vec<_> = log.printed.iter().map(|p| (p.cycle, p.text.len())).collect();
        assert_eq!(lines, [(4, 2), (5, 256)]);
    }
}
