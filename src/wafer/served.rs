//! The end of programs that serve the host: what waits for more words when the host has stopped.
//!
//! In: a stall report. Out: whether it is such an end, and a note that says so. Never: looks at the wafer.

use super::stall::{Missing, PeWait, StallReport};
use crate::arch::PeCoord;
use crate::diagnostics::render::estimated_cycles;
use crate::diagnostics::rules::tasks::DEADLOCK;
use crate::diagnostics::{Diagnostic, Moment, Severity, counted};

impl StallReport {
    /// Whether everything that waits has received words of the host or of another PE before, and now waits for the first
    /// element of more. A program that serves one message after the other ends like this when the host stops.
    pub fn only_serves(&self) -> bool {
        let is_next = |wait: &PeWait| {
            let is_first = wait.progress.is_some_and(|(done, _)| done == 0);
            let has_served = match &wait.missing {
                Some(Missing::Wavelets { received, reachable, .. }) => *received > 0 && *reachable,
                Some(Missing::FromHost { received, .. }) => *received > 0,
                _ => false,
            };
            is_first && has_served
        };
        let comes_from_host = |wait: &PeWait| match &wait.missing {
            Some(Missing::FromHost { .. }) => true,
            Some(Missing::Wavelets { senders, .. }) => senders.iter().any(|s| s.stream.is_some()),
            _ => false,
        };
        let is_quiet = self.left.is_empty() && self.collectives.is_empty() && self.host.is_empty();
        let is_whole = is_quiet && self.more == 0 && self.circle.is_empty();
        is_whole && self.waits.iter().any(comes_from_host) && self.waits.iter().all(is_next)
    }

    /// A note about operations that wait for more from the host.
    pub fn served(&self) -> Diagnostic {
        let mut note = DEADLOCK.plain();
        if let Some(PeWait { pe: PeCoord { x, y }, also_on, span, .. }) = self.waits.first() {
            note = note.on(Moment { x: *x, y: *y, cycle: self.cycle });
            note.0.also_on = *also_on;
            if let Some(span) = span {
                note = note.at(*span);
            }
        }
        let mut note: Diagnostic = note.into();
        let what = counted(self.unfinished, "operation");
        let cycles = estimated_cycles(self.cycle);
        note.title = format!("the host is done after {cycles}, and {what} would take more words");
        note.severity = Severity::Note;
        note
    }
}
