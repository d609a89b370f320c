//! What the host does in a run that is debugged, so that the run can stop between any two ticks.

use crate::{Diagnostic, Failure, PeCoord, Runner, Scalar, Ticket};
use std::sync::Arc;

/// One thing that the host does.
#[derive(Clone, Debug, PartialEq)]
pub enum HostAction {
    /// Writes a variable on some PEs, as bits, once the program lets the host copy.
    Write {
        /// The variable.
        name: String,
        /// The type of its elements.
        scalar: Scalar,
        /// The elements of each PE.
        values: Vec<(PeCoord, Vec<u64>)>,
    },
    /// Launches a function with these arguments and waits until that is done.
    Launch(String, Vec<u32>),
    /// Waits until the host could copy.
    Settle,
}

/// What a tick has brought.
#[derive(Clone, Debug)]
pub enum Tick {
    /// The run goes on.
    Moved,
    /// The run has ended.
    Ended(Ending),
}

/// How a run has ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// Nothing is left to do. There may be warnings.
    Finished(Vec<Diagnostic>),
    /// It cannot go on.
    Failed(Failure),
}

/// A run, and what the host has still to do in it.
pub struct World {
    /// The run.
    pub runner: Runner,
    actions: Arc<[HostAction]>,
    next: usize,
    /// What the host waits for.
    awaited: Option<Ticket>,
}

impl World {
    /// Nothing has been done yet.
    pub fn new(runner: Runner, actions: Vec<HostAction>) -> World {
        World { runner, actions: actions.into(), next: 0, awaited: None }
    }

    /// A copy that goes on in the same way.
    pub fn fork(&self) -> World {
        let World { runner, actions, next, awaited } = self;
        World { runner: runner.fork(), actions: Arc::clone(actions), next: *next, awaited: *awaited }
    }

    /// Does the next tick.
    pub fn tick(&mut self) -> Tick {
        match self.try_tick() {
            Ok(tick) => tick,
            Err(failure) => Tick::Ended(Ending::Failed(failure)),
        }
    }

    fn try_tick(&mut self) -> Result<Tick, Failure> {
        while self.awaited.is_none_or(|ticket| self.runner.is_done(ticket)) && self.next < self.actions.len()
        {
            self.begin_next()?;
        }
        let waits_for = self.awaited.filter(|ticket| !self.runner.is_done(*ticket));
        if self.runner.tick()? {
            return Ok(Tick::Moved);
        }
        // Nothing happens any more: a copy tells why, so that this one can still be looked at.
        let mut copy = self.runner.fork();
        match waits_for {
            Some(ticket) => copy.wait(ticket).map(|()| Tick::Moved),
            None => Ok(Tick::Ended(Ending::Finished(copy.run_until_idle()?))),
        }
    }

    fn begin_next(&mut self) -> Result<(), Failure> {
        let actions = Arc::clone(&self.actions);
        match &actions[self.next] {
            HostAction::Write { name, scalar, values } => {
                for (at, bits) in values {
                    self.runner.write_elements(*at, name, *scalar, bits)?;
                }
                self.awaited = None;
            }
            HostAction::Launch(name, args) => self.awaited = Some(self.runner.queue_launch(name, args)?),
            // Before the start of a program without memcpy the host may write at once.
            HostAction::Settle if self.runner.next_cycle() == 0 && !self.runner.program().uses_memcpy() => {
                self.awaited = None;
            }
            HostAction::Settle => self.awaited = Some(self.runner.queue_settling()),
        }
        self.next += 1;
        Ok(())
    }
}
