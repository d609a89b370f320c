//! Output of PEs: printed lines, debug traces, and warnings.

use crate::arch::PeCoord;
use crate::diagnostics::{Diag, Diagnostic, Rule, fold_moments};
use crate::source::{SourceMap, Span};
use indexmap::IndexMap;
use indexmap::map::Entry;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A line printed through `<simprint>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The PE that printed it.
    pub pe: PeCoord,
    /// When the line was complete.
    pub cycle: u64,
    /// The line, without its end.
    pub text: String,
}

/// A record of a `<debug>` trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The PE that wrote it.
    pub pe: PeCoord,
    /// The cycle.
    pub cycle: u64,
    /// Which trace: a string of the tile.
    pub key: u32,
    /// The kind of value, in the numbering of `<debug>`.
    pub tag: u16,
    /// The value: low and high word.
    pub value: [u32; 2],
}

/// The start of a collective operation on one PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveCall {
    /// The PE.
    pub pe: PeCoord,
    /// The cycle.
    pub cycle: u64,
    /// Whether the operation is along the column of the PE instead of its row.
    pub is_column: bool,
    /// The first color of the axis. It tells several imports of the library apart.
    pub color: u16,
    /// The operation, in the numbering of `Intrinsic::Collective`.
    pub kind: u16,
    /// Position of the root in the line.
    pub root: u16,
    /// Elements per PE.
    pub count: u16,
    /// PEs of the row or column.
    pub size: u16,
    /// The addresses of what is sent and of what is received.
    pub buffers: [u16; 2],
    /// The call stack, the innermost call first.
    pub calls: Vec<Span>,
}

/// A call of `<message_passing>` on one PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageCall {
    /// The PE.
    pub pe: PeCoord,
    /// The cycle.
    pub cycle: u64,
    /// Which end of the message the call is.
    pub end: MessageEnd,
    /// Size of its buffer, in elements.
    pub room: u16,
    /// The call stack, the innermost call first.
    pub calls: Vec<Span>,
}

/// One end of a message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MessageEnd {
    /// The message is sent.
    Send {
        /// The receiver, which may not exist.
        to: PeCoord,
        /// Its number of elements.
        length: u16,
    },
    /// The next message that arrives is received.
    Receive,
}

/// The output of PEs, in the order of writing.
#[derive(Clone, Debug, Default)]
pub struct PeLog {
    /// Printed lines.
    pub printed: Vec<Printed>,
    /// Trace records.
    pub traced: Vec<Traced>,
    /// Source locations of the `@assert`s that have passed at least once.
    pub asserts_held: BTreeSet<Span>,
    /// Collective operations that have started and have not been fetched yet.
    pub joined: Vec<CollectiveCall>,
    /// Calls of `<message_passing>` that have not been fetched yet.
    pub message_calls: Vec<MessageCall>,
    /// Warnings: each rule once for each source location on each PE.
    warnings: IndexMap<(Cow<'static, str>, Option<Span>, PeCoord), Diagnostic>,
}

impl PeLog {
    /// Adds a warning. Only the first of its kind is kept, with a count of the others.
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

    /// Where a PE has broken a rule that only warns.
    pub fn warned_of(&self, rule: &Rule, at: PeCoord) -> impl Iterator<Item = Span> {
        let is_it = move |(name, _, pe): &&(Cow<'static, str>, Option<Span>, PeCoord)| {
            *name == rule.name && *pe == at
        };
        self.warnings.keys().filter(is_it).filter_map(|(_, span, _)| *span)
    }

    /// How many different warnings there are.
    pub fn warned(&self) -> usize {
        self.warnings.len()
    }

    /// Whether nothing was written.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.printed.is_empty()
            && self.traced.is_empty()
            && self.asserts_held.is_empty()
            && self.joined.is_empty()
            && self.message_calls.is_empty()
            && self.warnings.is_empty()
    }

    /// Takes what was written into another log later.
    pub fn append(&mut self, later: &mut PeLog) {
        self.printed.append(&mut later.printed);
        self.traced.append(&mut later.traced);
        self.asserts_held.append(&mut later.asserts_held);
        self.joined.append(&mut later.joined);
        self.message_calls.append(&mut later.message_calls);
        for (key, warning) in later.warnings.drain(..) {
            self.add(key, warning);
        }
    }

    /// The warnings up to a cycle in the order of their cycles, equal ones of many PEs folded.
    pub fn warnings(&self, last: u64, sources: &SourceMap) -> Vec<Diagnostic> {
        let has_come = |warning: &&Diagnostic| warning.moment.is_none_or(|moment| moment.cycle <= last);
        let mut warnings: Vec<_> = self.warnings.values().filter(has_come).cloned().collect();
        // A PE that runs ahead of the clock gives its warnings earlier than others.
        warnings.iter_mut().for_each(|warning| warning.leave_library(sources));
        warnings.sort_by_key(|warning| warning.moment.map(|moment| (moment.cycle, moment.y, moment.x)));
        fold_moments(warnings)
    }
}

/// A line is printed when it reaches this many bytes, even if it is not complete (ruling).
const LINE_BYTES: usize = 256;

/// The incomplete line of a PE.
#[derive(Clone, Debug, Default)]
pub(super) struct LineBuffer {
    /// What has been printed of it.
    pub text: String,
    /// The cycle in which its last text was printed, and where, innermost call first.
    last: (u64, Vec<Span>),
}

impl LineBuffer {
    /// Adds text; complete lines go to the log.
    pub fn print(&mut self, text: &str, pe: PeCoord, cycle: u64, log: &mut PeLog) {
        for c in text.chars() {
            if c != '\n' {
                self.text.push(c);
            }
            if c == '\n' || self.text.len() >= LINE_BYTES {
                log.printed.push(Printed { pe, cycle, text: std::mem::take(&mut self.text) });
            }
        }
    }

    /// Notes in which cycle and where its last text was printed.
    pub fn note_last(&mut self, cycle: u64, calls: Vec<Span>) {
        self.last = (cycle, calls);
    }

    /// The cycle in which its last text was printed, and where, innermost call first.
    pub fn last(&self) -> (u64, &[Span]) {
        (self.last.0, &self.last.1)
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
