//! Runs with prescribed scheduling choices, and the states that they visit. A run that reaches a state of another run
//! would go on like that one, so it is cut short.

use super::Wafer;
use super::repetition::wafer_state;
use crate::arch::PeCoord;
use crate::pe::{Decision, Deviation, ScheduleProgress};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Hashes of the states that other runs have visited.
pub type VisitedStates = Arc<FxHashSet<u64>>;

/// Why a run with prescribed choices was interrupted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ExplorationEnd {
    /// It has reached a state that another run has visited.
    Visited,
    /// PEs waited for another event, and none came.
    NoProgress,
}

/// One run that follows a script.
#[derive(Debug)]
pub(super) struct Exploration {
    progress: Arc<ScheduleProgress>,
    /// What other runs have met; `None` if the run is to be followed to its end, whatever happens.
    met: Option<VisitedStates>,
    /// The states behind the decisions after the last deviation, and how many decisions were made by then.
    states: Vec<(u64, u64)>,
    /// How many decisions had been made when states were last compared.
    looked_at: u64,
    /// The state of the host.
    host: u64,
    end: Option<ExplorationEnd>,
}

impl Wafer {
    /// Prescribes scheduling choices. Call it before the run starts. With `met`, the run is interrupted when it
    /// reaches one of these states after the last deviation, or when PEs wait in vain; without it, such PEs stop
    /// waiting.
    pub fn follow(&mut self, deviations: &[Deviation], met: Option<VisitedStates>) {
        let progress = Arc::new(ScheduleProgress::new(deviations.len()));
        self.pe_array.follow(deviations, &progress);
        let (states, looked_at, host) = (Vec::new(), 0, 0);
        self.exploration = Some(Box::new(Exploration { progress, met, states, looked_at, host, end: None }));
    }

    /// Whether scripts decide.
    #[inline]
    pub fn follows_script(&self) -> bool {
        self.exploration.is_some()
    }

    /// Notes the state of the host.
    pub fn note_host(&mut self, state: u64) {
        if let Some(exploration) = &mut self.exploration {
            exploration.host = state;
        }
    }

    /// Why the run was interrupted, if its script is the reason.
    pub fn script_end(&self) -> Option<ExplorationEnd> {
        self.exploration.as_ref()?.end
    }

    /// The states that the run has met, each with the number of decisions by then.
    pub fn states(&self) -> &[(u64, u64)] {
        self.exploration.as_ref().map_or(&[], |exploration| &exploration.states)
    }

    /// Whether a PE has made more decisions than are noted.
    pub fn has_lost_decisions(&self) -> bool {
        self.exploration.as_ref().is_some_and(|exploration| exploration.progress.is_cut())
    }

    /// What all PEs have decided.
    pub fn decisions(&self) -> impl Iterator<Item = (PeCoord, &[Decision])> {
        self.pe_array.made().map(|(_, at, pe)| (at, pe.decisions()))
    }

    /// Whether a PE waits because of its script.
    pub fn has_held(&mut self) -> bool {
        self.exploration.is_some() && self.pe_array.held().next().is_some()
    }

    /// Called when nothing happens while PEs wait as prescribed: they stop waiting, or the run is interrupted.
    pub fn release_held(&mut self) {
        let Some(exploration) = &mut self.exploration else { return };
        if exploration.met.is_some() {
            exploration.end = Some(ExplorationEnd::NoProgress);
            return;
        }
        let (now, bands) = (self.now, &mut self.bands);
        for (index, pe) in self.pe_array.held() {
            pe.release();
            bands.of(index).event_queue.wake(index, now, now);
        }
    }

    /// Called at the end of a cycle: whether the run has reached a state that another one has visited.
    #[cold]
    pub(super) fn meets_state(&mut self) -> bool {
        let Some(exploration) = &mut self.exploration else { return false };
        let (Some(met), decided) = (&exploration.met, exploration.progress.decided()) else { return false };
        if decided == exploration.looked_at || exploration.progress.left() > 0 {
            return false;
        }
        exploration.looked_at = decided;
        let written = self.findings.written();
        let mut state = wafer_state(self.now, written, (&self.pe_array, false), &self.bands);
        state.add(exploration.host);
        state.add(self.launches.state(self.now));
        state.add_debug(&(self.findings.printed_by_pe(), &self.collectives, &self.messages));
        let hash = state.finish();
        if met.contains(&hash) {
            exploration.end = Some(ExplorationEnd::Visited);
        }
        exploration.states.push((hash, decided));
        exploration.end.is_some()
    }
}
