//! Runs that follow a script, and the states in which they were: a run that comes to a state of another run goes on as
//! that one.

use super::Wafer;
use super::repetition::wafer_state;
use crate::arch::PeCoord;
use crate::pe::{Decision, Deviation, ScriptProgress};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The states that other runs have met.
pub type MetStates = Arc<FxHashSet<u64>>;

/// Why a run that follows a script was interrupted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ScriptEnd {
    /// It came to a state that another run has met.
    Met,
    /// PEs waited for something else to come, and nothing came.
    InVain,
}

/// One run that follows a script.
#[derive(Debug)]
pub(super) struct Exploration {
    progress: Arc<ScriptProgress>,
    /// What other runs have met; `None` if the run is to be followed to its end, whatever happens.
    met: Option<MetStates>,
    /// The states behind the decisions after the last deviation, and how many decisions were made by then.
    states: Vec<(u64, u64)>,
    /// Decisions at the last look.
    looked_at: u64,
    /// The state of the host.
    host: u64,
    end: Option<ScriptEnd>,
}

impl Wafer {
    /// Lets scripts decide what is up to the machine; before anything runs. With `met`, the run is interrupted where it
    /// comes to one of these states after the last deviation, and where PEs wait in vain; without, they stop waiting.
    pub fn follow(&mut self, deviations: &[Deviation], met: Option<MetStates>) {
        let progress = Arc::new(ScriptProgress::new(deviations.len()));
        self.cells.follow(deviations, &progress);
        let (states, looked_at, host) = (Vec::new(), 0, 0);
        self.exploration = Some(Box::new(Exploration { progress, met, states, looked_at, host, end: None }));
    }

    /// Whether scripts decide.
    #[inline]
    pub fn follows_script(&self) -> bool {
        self.exploration.is_some()
    }

    /// The host is in another state.
    pub fn note_host(&mut self, state: u64) {
        if let Some(exploration) = &mut self.exploration {
            exploration.host = state;
        }
    }

    /// Why the run was interrupted, if its script is the reason.
    pub fn script_end(&self) -> Option<ScriptEnd> {
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
        self.cells.made().map(|(_, at, pe)| (at, pe.decisions()))
    }

    /// Whether a PE waits because of its script.
    pub fn has_held(&mut self) -> bool {
        self.exploration.is_some() && self.cells.held().next().is_some()
    }

    /// Nothing happens any more while PEs wait because of their scripts. They stop waiting, or the run is interrupted.
    pub fn release_held(&mut self) {
        let Some(exploration) = &mut self.exploration else { return };
        if exploration.met.is_some() {
            exploration.end = Some(ScriptEnd::InVain);
            return;
        }
        let (now, bands) = (self.now, &mut self.bands);
        for (index, pe) in self.cells.held() {
            pe.release();
            bands.of(index).event_queue.wake(index, now, now);
        }
    }

    /// A cycle is over; whether the run has come to a state that another one has met.
    #[cold]
    pub(super) fn meets_state(&mut self) -> bool {
        let Some(exploration) = &mut self.exploration else { return false };
        let (Some(met), decided) = (&exploration.met, exploration.progress.decided()) else { return false };
        if decided == exploration.looked_at || exploration.progress.left() > 0 {
            return false;
        }
        exploration.looked_at = decided;
        let written = self.findings.written();
        let mut state = wafer_state(self.now, written, (&self.cells, false), &self.bands);
        state.add(exploration.host);
        state.add(self.launches.state(self.now));
        state.add_debug(&(self.findings.printed_by_pe(), &self.collectives, &self.letters));
        let hash = state.finish();
        if met.contains(&hash) {
            exploration.end = Some(ScriptEnd::Met);
        }
        exploration.states.push((hash, decided));
        exploration.end.is_some()
    }
}
