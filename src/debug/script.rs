//! What the host does in a run that is debugged, so that the run can stop between any two ticks.
//!
//! The actions of a command line are known before the run. Those of a host script become known while it runs: they are
//! kept with their ticks, and a copy of the run does them again in the same ticks.

use crate::{Diagnostic, Failure, PeCoord, Runner, Scalar, Ticket};
use std::sync::{Arc, Mutex, PoisonError};

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

/// Something that a host script does to a run, and that can be done again in a copy of it.
type Act = dyn Fn(&mut Runner) + Send + Sync;

/// What a host script has done so far, each with its tick; all copies of a run share it.
#[derive(Clone, Default)]
pub struct ActLog(Arc<Mutex<Vec<DatedAct>>>);

/// An act, with the tick before which it was done.
type DatedAct = (u64, Arc<Act>);

impl ActLog {
    /// Something has been done at the beginning of a tick. Gives the number of acts so far.
    fn add(&self, tick: u64, act: Arc<Act>) -> usize {
        let mut acts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        acts.push((tick, act));
        acts.len()
    }

    /// The act of this number, if it belongs to the beginning of a tick.
    fn get(&self, number: usize, tick: u64) -> Option<Arc<Act>> {
        let acts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        acts.get(number).filter(|(of, _)| *of == tick).map(|(_, act)| Arc::clone(act))
    }
}

/// Who acts as the host.
#[derive(Clone)]
enum Host {
    Planned(Arc<[HostAction]>),
    Script(ActLog),
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
    host: Host,
    /// How many of its actions were done.
    next: usize,
    /// What the host waits for.
    awaited: Option<Ticket>,
    /// Ticks so far.
    ticks: u64,
    /// Whether nothing has happened in the last tick, nor will before the host script acts.
    is_quiet: bool,
}

impl World {
    /// Nothing has been done yet.
    pub fn new(runner: Runner, actions: Vec<HostAction>) -> World {
        World::of(runner, Host::Planned(actions.into()))
    }

    /// The run of a host script.
    pub fn of_script(runner: Runner) -> World {
        World::of(runner, Host::Script(ActLog::default()))
    }

    fn of(runner: Runner, host: Host) -> World {
        World { runner, host, next: 0, awaited: None, ticks: 0, is_quiet: false }
    }

    /// A copy that goes on in the same way.
    pub fn fork(&self) -> World {
        World { runner: self.runner.fork(), host: self.host.clone(), ..*self }
    }

    /// Whether nothing happens any more before the host script acts.
    pub fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// The host script does something, now and in all copies that come to this tick.
    pub fn act<T>(&mut self, act: Arc<impl Fn(&mut Runner) -> T + Send + Sync + 'static>) -> T {
        self.catch_up();
        self.is_quiet = false;
        let result = act(&mut self.runner);
        if let Host::Script(log) = &self.host {
            self.next = log.add(self.ticks, Arc::new(move |runner| drop(act(runner))));
        }
        result
    }

    /// Does what the host script has done before this tick.
    pub fn catch_up(&mut self) {
        let Host::Script(log) = &self.host else { return };
        while let Some(act) = log.get(self.next, self.ticks) {
            act(&mut self.runner);
            self.next += 1;
        }
    }

    /// Does the next tick.
    pub fn tick(&mut self) -> Tick {
        match self.try_tick() {
            Ok(tick) => tick,
            Err(failure) => Tick::Ended(Ending::Failed(failure)),
        }
    }

    fn try_tick(&mut self) -> Result<Tick, Failure> {
        self.catch_up();
        self.ticks += 1;
        let actions = match &self.host {
            Host::Planned(actions) => Arc::clone(actions),
            Host::Script(_) => {
                self.is_quiet = !self.runner.tick()?;
                return Ok(Tick::Moved);
            }
        };
        while self.awaited.is_none_or(|ticket| self.runner.is_done(ticket)) && self.next < actions.len() {
            self.begin(&actions[self.next])?;
            self.next += 1;
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

    fn begin(&mut self, action: &HostAction) -> Result<(), Failure> {
        match action {
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
        Ok(())
    }
}
