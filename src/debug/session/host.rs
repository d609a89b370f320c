//! The host of the run is a script: it acts, waits, and acts again.

use super::{AtomicBool, Course, Ending, HostScript, Session, Stop, StopKind, Wait, World};
use crate::Failure;

/// The run of a host script.
impl Session {
    /// Whether the run belongs to a host script.
    pub fn has_script(&self) -> bool {
        self.script.is_some()
    }

    /// Whether the end of the run is shown.
    pub fn show_end(&mut self, shows: bool) {
        if let Some(script) = &mut self.script {
            script.shows_end = shows;
        }
    }

    /// The script waits for something: the run goes on as it was told.
    pub fn wait(&mut self, wait: Wait) {
        let Some(script) = &mut self.script else { return };
        script.wait = Some(wait);
        match script.course {
            Course::On => self.forward(None),
            Course::Step(kind) => self.forward(Some(kind)),
            Course::Cycle(cycle) => self.go_to_cycle(cycle),
        }
    }

    /// The script waits no longer.
    pub fn end_wait(&mut self) {
        if let Some(script) = &mut self.script {
            script.wait = None;
        }
    }

    /// Why the run cannot go on, once it has been followed to there.
    pub fn failure(&self) -> Option<Failure> {
        match self.timeline.ending()?.0 {
            Ending::Failed(failure) => Some(failure.clone()),
            Ending::Finished(_) => None,
        }
    }

    /// The run as far as it has come, for the script to act on it.
    pub fn frontier(&mut self) -> &mut World {
        self.timeline.frontier()
    }

    /// Stands where the run is while the script computes; false if it stands already.
    pub fn stand_beside_script(&mut self) -> bool {
        let is_beside = self.script.is_some() && self.stop.kind == StopKind::Host;
        if is_beside {
            let text = "the host script computes; this is the last moment of the run so far".to_string();
            self.stop = Stop::new(StopKind::Pause, text);
        }
        is_beside
    }

    /// Nobody debugs the run any longer: the script goes on as if nobody had, until `stop` becomes true.
    pub fn let_go(&mut self, stop: &'static AtomicBool) {
        self.end_wait();
        self.timeline.forget();
        self.frontier().runner.stop_when(stop);
    }
}

/// Whether a host script acts now; a failure if it has waited in vain.
pub(super) fn acts_now(script: Option<&HostScript>, world: &World) -> Option<Result<(), Failure>> {
    match &script?.wait {
        Some(wait) => wait.is_over(world),
        None => Some(Ok(())),
    }
}
