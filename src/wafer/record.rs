//! The recording of a run.

use super::Wafer;
use crate::arch::PeCoord;
use crate::trace::{Filter, Follower, History, Recorder, Recording};

impl Wafer {
    /// Records what happens, as far as the filter wants it; before anything runs. The run itself stays
    /// as it is, cycle by cycle.
    pub fn record(&mut self, filter: Filter) {
        self.recorder = Some(Box::new(Recorder::new(filter, &self.program)));
        self.fabric.record();
        self.cells.record(true);
    }

    /// What was recorded so far; `None` if nothing is recorded.
    pub fn recording(&mut self) -> Option<Recording> {
        self.record_fabric();
        self.recorder.as_ref().map(|recorder| recorder.recording(self.now))
    }

    /// Takes what the routers have written.
    pub(super) fn record_fabric(&mut self) {
        if let (Some(recorder), Some(events)) = (&mut self.recorder, self.fabric.events()) {
            recorder.take(events);
        }
    }

    /// Takes what the cycle has left, and lets nobody write who would not be heard.
    pub(super) fn end_of_recorded_cycle(&mut self) {
        if !self.fabric.is_recording() {
            return;
        }
        self.record_fabric();
        if self.recorder.as_mut().is_some_and(|recorder| !recorder.end_cycle(self.now)) {
            self.fabric.stop_recording();
            self.cells.record(false);
        }
    }

    /// Follows the exported variables of all PEs, or all variables if nothing is exported, until so
    /// many words have changed; before anything runs.
    pub fn follow_memory(&mut self, limit: usize) {
        self.follower = Some(Box::new(Follower::new(&self.program, limit)));
    }

    /// How the variables have changed so far; `None` if they are not followed.
    pub fn memory_history(&self) -> Option<History> {
        self.follower.as_ref().map(|follower| follower.history(self.now))
    }

    /// The host has written to a PE.
    pub fn note_written(&mut self, at: PeCoord) {
        let pe = self.program.pe_index(at);
        self.look_at_memory(pe, self.now);
    }

    /// Looks what has changed on a PE.
    pub(super) fn look_at_memory(&mut self, index: usize, cycle: u64) {
        let Some(follower) = &mut self.follower else { return };
        let Some(pe) = self.cells.pe(index) else { return };
        follower.look(index, cycle, |variable, into| {
            if let Ok(words) = pe.read_words(variable.addr.into(), into.len()) {
                into.copy_from_slice(words);
            }
        });
    }
}
