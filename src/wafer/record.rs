//! What is written down of a run: events, and how memory has changed.

use super::cells::Cells;
use crate::fabric::Fabric;
use crate::image::Program;
use crate::trace::{Follower, History, Recorder, Recording, TraceFilter};
use std::sync::Arc;

/// Those who write down what happens; without them a run costs nothing more.
#[derive(Default)]
pub(super) struct Observers {
    /// While the run is recorded.
    recorder: Option<Box<Recorder>>,
    /// While memory is followed.
    follower: Option<Box<Follower>>,
}

impl Observers {
    /// Whether there are none.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.recorder.is_none() && self.follower.is_none()
    }

    /// Whether memory is followed.
    #[inline]
    pub fn is_following(&self) -> bool {
        self.follower.is_some()
    }

    /// From now on events are recorded, as far as the filter wants them.
    pub fn record(
        &mut self,
        filter: TraceFilter,
        program: &Arc<Program>,
        fabric: &mut Fabric,
        cells: &mut Cells,
    ) {
        cells.record(filter.code);
        self.recorder = Some(Box::new(Recorder::new(filter, program)));
        fabric.record();
    }

    /// What was recorded before a cycle; `None` if nothing is recorded.
    pub fn recording(&self, now: u64) -> Option<Recording> {
        self.recorder.as_ref().map(|recorder| recorder.recording(now))
    }

    /// Takes what a PE or the routers have written.
    #[inline]
    pub fn take<'e>(&mut self, events: impl FnOnce() -> Option<&'e mut Vec<crate::trace::Event>>) {
        if let Some(recorder) = &mut self.recorder
            && let Some(events) = events()
        {
            recorder.take(events);
        }
    }

    /// Takes what a cycle has left, and lets nobody write who would not be heard.
    pub fn end_cycle(&mut self, now: u64, fabric: &mut Fabric, cells: &mut Cells) {
        if !fabric.is_recording() {
            return;
        }
        self.take(|| fabric.events());
        if self.recorder.as_mut().is_some_and(|recorder| !recorder.end_cycle(now)) {
            fabric.stop_recording();
            cells.stop_recording();
        }
    }

    /// Follows the exported variables of all PEs, or all variables if nothing is exported, until so
    /// many words have changed.
    pub fn follow_memory(&mut self, program: &Arc<Program>, limit: usize) {
        self.follower = Some(Box::new(Follower::new(program, limit)));
    }

    /// How the variables have changed before a cycle; `None` if they are not followed.
    pub fn memory_history(&self, now: u64) -> Option<History> {
        self.follower.as_ref().map(|follower| follower.history(now))
    }

    /// Looks what has changed on a PE.
    pub fn look_at_memory(&mut self, index: usize, cells: &mut Cells, cycle: u64) {
        let Some(follower) = &mut self.follower else { return };
        let Some(pe) = cells.pe(index) else { return };
        follower.look(index, cycle, |variable, into| {
            if let Ok(words) = pe.read_words(variable.addr.into(), into.len()) {
                into.copy_from_slice(words);
            }
        });
    }
}
