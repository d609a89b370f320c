//! What a run records: events, and changes of memory.

use super::pe_array::PeArray;
use crate::fabric::Fabric;
use crate::image::Program;
use crate::pe::Pe;
use crate::trace::{Follower, History, Recorder, Recording, TraceFilter};
use std::sync::Arc;

/// The recorders of a run; without them recording costs nothing.
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
        pe_array: &mut PeArray,
    ) {
        pe_array.record(filter.code);
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

    /// Takes the events of a cycle, and stops recording once the filter wants no later ones.
    pub fn end_cycle(&mut self, now: u64, fabric: &mut Fabric, pe_array: &mut PeArray) {
        if !fabric.is_recording() {
            return;
        }
        self.take(|| fabric.events());
        if self.recorder.as_mut().is_some_and(|recorder| !recorder.end_cycle(now)) {
            fabric.stop_recording();
            pe_array.stop_recording();
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

    /// Records what has changed in the memory of a PE.
    pub fn look_at_memory(&mut self, index: usize, pe: &mut Pe, cycle: u64) {
        let Some(follower) = &mut self.follower else { return };
        follower.look(index, cycle, |variable, into| {
            if let Ok(words) = pe.read_words(variable.addr.into(), into.len()) {
                into.copy_from_slice(words);
            }
        });
    }
}
