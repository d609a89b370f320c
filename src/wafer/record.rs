//! The recording of a run.

use super::Wafer;
use crate::trace::{Filter, Recorder, Recording};

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
}
