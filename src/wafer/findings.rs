//! The output of a run: printed lines, warnings, and the errors that end it.

use super::line_follower::{LineConsumer, LineFollower};
use crate::arch::PeCoord;
use crate::diagnostics::rules::run::ALREADY_ACTIVE;
use crate::diagnostics::{Diag, Diagnostic, Levels, fold_moments};
use crate::pe::{CollectiveCall, MessageCall, PeLog, Printed, Traced};
use crate::source::{SourceMap, Span};
use std::collections::BTreeSet;

/// The log of all PEs, and the errors of the last cycle.
#[derive(Clone, Default)]
pub(super) struct Findings {
    log: PeLog,
    errors: Vec<Diag>,
    levels: Levels,
    /// The cycle in which the run was stopped, while it has not gone on.
    stopped: Option<u64>,
    follower: LineFollower,
}

impl Findings {
    /// Nothing yet; levels say what is an error.
    pub fn new(levels: Levels) -> Findings {
        Findings { levels, ..Findings::default() }
    }

    /// The levels of the rules.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// Where a PE has activated a task that was active already.
    pub fn lost_activations(&self, at: PeCoord) -> Vec<Span> {
        self.log.warned_of(&ALREADY_ACTIVE, at).collect()
    }

    /// Takes the output of PEs that have run in a band in a cycle.
    #[inline]
    pub fn append(&mut self, log: &mut PeLog, now: u64) {
        let is_late = |line: &Printed| line.cycle < now;
        debug_assert!(!log.printed.iter().any(is_late), "lines of earlier cycles may have been shown");
        if !log.is_empty() {
            self.log.append(log);
        }
    }

    /// Adds errors of PEs.
    pub fn extend(&mut self, errors: Vec<Diag>) {
        self.errors.extend(errors);
    }

    /// Reports what the wafer has found out about a PE, as an error or a warning by its level.
    pub fn hazard(&mut self, pe: PeCoord, diag: Diag) {
        match self.levels.weigh(diag) {
            Err(diag) => self.errors.push(diag),
            Ok(Some(warning)) => self.log.warn(pe, warning),
            Ok(None) => {}
        }
    }

    /// Reports an error, which ends the run.
    #[cold]
    pub fn error(&mut self, diag: Diag) {
        self.errors.push(diag);
    }

    /// Whether the run has failed.
    #[inline]
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The cycle of the earliest error.
    pub fn first_error(&self) -> Option<u64> {
        self.errors.iter().filter_map(|diag| Some(diag.0.moment?.cycle)).min()
    }

    /// The errors, equal ones folded.
    pub fn errors(&self) -> Vec<Diagnostic> {
        fold_moments(self.errors.iter().cloned().map(Diagnostic::from))
    }

    /// The run was stopped in a cycle, or goes on.
    #[inline]
    pub fn stop(&mut self, cycle: Option<u64>) {
        self.stopped = cycle;
    }

    /// The last cycle that has come to pass: PEs that have run ahead of the clock may have told what would have happened
    /// after the end of the run.
    pub fn last_cycle(&self) -> u64 {
        self.first_error().or(self.stopped).unwrap_or(u64::MAX)
    }

    /// Lines printed so far, by cycle and PE.
    pub fn printed(&mut self) -> &[Printed] {
        // A PE may run ahead of the clock, so lines are not written in order.
        self.log.printed.sort_by_key(|p| (p.cycle, p.pe.y, p.pe.x));
        let last = self.last_cycle();
        &self.log.printed[..self.log.printed.partition_point(|line| line.cycle <= last)]
    }

    /// From now on, shows lines while the run goes on.
    pub fn follow_lines(&mut self, consumer: LineConsumer) {
        self.follower.follow(consumer);
    }

    /// Shows lines of the cycles that are over, if somebody follows and it is time.
    #[inline]
    pub fn show_lines(&mut self, now: u64) {
        if self.follower.is_due(self.log.printed.len()) {
            self.show_lines_before(now);
        }
    }

    #[cold]
    fn show_lines_before(&mut self, now: u64) {
        let lines = self.printed();
        let over = lines.partition_point(|line| line.cycle < now);
        self.follower.show(&self.log.printed[..over]);
    }

    /// Shows what is left of the lines printed so far, and takes those that nobody is shown.
    pub fn take_unshown(&mut self) -> Vec<Printed> {
        let count = self.printed().len();
        let lines = &self.log.printed[..count];
        self.follower.show(lines);
        self.follower.take_left(lines).to_vec()
    }

    /// Lines printed so far, in the order of each PE.
    pub fn printed_by_pe(&self) -> Vec<(PeCoord, &str)> {
        let mut lines: Vec<_> = self.log.printed.iter().map(|line| (line.pe, line.text.as_str())).collect();
        lines.sort_by_key(|(pe, _)| (pe.y, pe.x));
        lines
    }

    /// How many lines and trace records there are.
    pub fn written(&self) -> u64 {
        (self.log.printed.len() + self.log.traced.len()) as u64
    }

    /// Trace records so far, by cycle and PE.
    pub fn traced(&mut self) -> &[Traced] {
        self.log.traced.sort_by_key(|t| (t.cycle, t.pe.y, t.pe.x));
        let last = self.last_cycle();
        &self.log.traced[..self.log.traced.partition_point(|record| record.cycle <= last)]
    }

    /// Places of the `@assert`s that held at least once, on any PE.
    pub fn asserts_held(&self) -> &BTreeSet<Span> {
        &self.log.asserts_held
    }

    /// What was suspicious on PEs so far, equal findings folded.
    pub fn warnings(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        self.log.warnings(self.last_cycle(), sources)
    }

    /// How many different warnings PEs have given.
    pub fn warned(&self) -> usize {
        self.log.warned()
    }

    /// Collective operations that PEs have begun since the last call.
    #[inline]
    pub fn take_joined(&mut self) -> Vec<CollectiveCall> {
        std::mem::take(&mut self.log.joined)
    }

    /// Calls of `<message_passing>` since the last call.
    #[inline]
    pub fn take_message_calls(&mut self) -> Vec<MessageCall> {
        std::mem::take(&mut self.log.message_calls)
    }
}
