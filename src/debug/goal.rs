//! What a host script waits for, and how the run goes on when the script has acted.

use super::script::World;
use crate::{Failure, Runner, StepKind, Ticket};

/// How far a host script lets the run go before it acts again.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A command is done.
    Done(Ticket),
    /// A cycle begins.
    Cycle(u64),
    /// Nothing happens any more.
    Quiet,
    /// The same, and that is the end of the run.
    End,
}

/// What goes wrong when the run does what the script has asked for, if something does.
type Trial = dyn Fn(&mut Runner) -> Option<Failure> + Send + Sync;

/// A goal, and what the script does when it is reached.
pub struct Wait {
    /// The goal.
    pub goal: Goal,
    /// Tells on a copy of the run whether the script waits in vain.
    pub trial: Box<Trial>,
}

impl Wait {
    /// Whether the script acts now; a failure if it has waited in vain.
    pub fn is_over(&self, world: &World) -> Option<Result<(), Failure>> {
        let is_reached = match self.goal {
            Goal::Done(ticket) => world.runner.is_done(ticket),
            Goal::Cycle(cycle) => world.runner.next_cycle() >= cycle,
            Goal::Quiet | Goal::End => false,
        };
        if is_reached {
            return Some(Ok(()));
        }
        world.is_quiet().then(|| (self.trial)(&mut world.runner.fork()).map_or(Ok(()), Err))
    }
}

/// Where somebody has sent the run, for when the host script has acted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Course {
    /// Until something stops it.
    On,
    /// To the end of a step.
    Step(StepKind),
    /// To a cycle.
    Cycle(u64),
}

/// The host script of a run.
pub struct HostScript {
    /// What it waits for; `None` while it computes.
    pub wait: Option<Wait>,
    /// Where the run is going.
    pub course: Course,
    /// Whether the end of the run is shown.
    pub shows_end: bool,
}
