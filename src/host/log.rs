//! What the host does while a run is recorded.

use super::commands::Ticket;
use super::{Failure, Runner};
use crate::trace::HostEvent;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// How many events are kept; a longer script is shown up to there.
const MOST_EVENTS: usize = 200_000;

/// The commands and the waits of the host so far.
pub(super) struct HostLog {
    /// The line of the host script that issues the next command.
    pub place: Option<String>,
    cycles: RangeInclusive<u64>,
    events: Vec<HostEvent>,
    /// Commands that are not done: their place in the list.
    open: BTreeMap<Ticket, usize>,
}

impl HostLog {
    /// An empty log that shows what happens in these cycles.
    pub fn new(cycles: RangeInclusive<u64>) -> HostLog {
        HostLog { place: None, cycles, events: Vec::new(), open: BTreeMap::new() }
    }

    /// The events in order, up to the cycle in which the recording is cut; none if nobody but the wafer acts.
    pub fn events(&self, cut: Option<u64>) -> Vec<HostEvent> {
        if self.events.iter().all(|e| e.is_wait && e.place.is_none()) {
            return Vec::new();
        }
        let last = cut.unwrap_or(u64::MAX);
        let is_shown = |e: &&HostEvent| self.cycles.contains(&e.issued) && e.issued <= last;
        self.events.iter().filter(is_shown).cloned().collect()
    }

    /// A command that is not done, in words; nothing if it is not in the log.
    pub fn describe(&self, ticket: Ticket) -> String {
        self.open.get(&ticket).map_or_else(String::new, |index| self.events[*index].what.clone())
    }

    /// The host issues a command.
    pub fn issued(&mut self, ticket: Ticket, what: String, now: u64) {
        if let Some(index) = self.push(false, what, now) {
            self.open.insert(ticket, index);
        }
    }

    /// A command begins on the wafer.
    pub fn begun(&mut self, ticket: Ticket, now: u64) {
        if let Some(index) = self.open.get(&ticket) {
            self.events[*index].begun = Some(now);
        }
    }

    /// A command is done.
    pub fn done(&mut self, ticket: Ticket, now: u64) {
        if let Some(index) = self.open.remove(&ticket) {
            self.events[index].done = Some(now);
        }
    }

    /// Ends a wait of the host; one that took no time is dropped.
    fn end_wait(&mut self, index: usize, now: u64) {
        if self.events[index].issued == now && index + 1 == self.events.len() {
            self.events.pop();
        } else {
            self.events[index].done = Some(now);
        }
    }

    fn push(&mut self, is_wait: bool, what: String, now: u64) -> Option<usize> {
        if self.events.len() >= MOST_EVENTS {
            return None;
        }
        let place = self.place.clone();
        self.events.push(HostEvent { is_wait, what, place, issued: now, begun: None, done: None });
        Some(self.events.len() - 1)
    }
}

impl Runner {
    /// Runs, and notes for a recording that the host waits meanwhile; an empty text notes nothing.
    pub(super) fn while_waiting<T>(
        &mut self,
        what: &str,
        run: impl FnOnce(&mut Runner) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let now = self.wafer.now();
        let log = self.log.as_mut().filter(|_| !what.is_empty());
        let index = log.and_then(|log| log.push(true, what.to_string(), now));
        let result = run(self);
        let now = self.wafer.now();
        if let (Some(log), Some(index)) = (&mut self.log, index) {
            log.end_wait(index, now);
        }
        result
    }
}
