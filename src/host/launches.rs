//! Launches of functions on all PEs.

use super::commands::{HostCommand, NextLaunch, Ticket};
use super::{Failure, Runner};
use crate::arch::PeCoord;
use crate::image::FnId;

#[derive(Clone)]
struct LaunchCommand {
    name: String,
    pes: Vec<(PeCoord, FnId)>,
    args: Vec<u64>,
}

impl HostCommand for LaunchCommand {
    fn describe(&self) -> String {
        format!("the launch of `{}`", self.name)
    }

    fn is_launch(&self) -> bool {
        true
    }

    /// A launch of a function on all PEs.
    fn advance(&mut self, _: &mut Runner) -> Result<bool, Failure> {
        Ok(false)
    }

    fn is_done(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>, host: &mut Runner) -> Option<Vec<u32>> {
        let skew = host.options.launch_skew.unwrap_or(host.program.arch.numbers().hop_latency.into());
        host.wafer.launch(self.pes, &self.args, skew);
        host.stream.last_launch = Some(self.name);
        host.stream.next_launch = NextLaunch::After { copies: 0 };
        None
    }
}

impl Runner {
    /// Launches a function on all PEs; returns when it has been issued, not when it is done.
    /// Each argument is one word; a 16-bit parameter takes the low half.
    ///
    /// # Errors
    /// As [`Runner::queue_launch`] and [`Runner::wait`].
    pub fn launch(&mut self, name: &str, args: &[u32]) -> Result<(), Failure> {
        let ticket = self.queue_launch(name, args)?;
        self.wait(ticket)
    }

    /// Queues a launch.
    ///
    /// # Errors
    /// [`Failure::Misuse`] if the program exports no such function, or it takes another number of arguments.
    pub fn queue_launch(&mut self, name: &str, args: &[u32]) -> Result<Ticket, Failure> {
        let (pes, args) = self.launch_targets(name, args)?;
        Ok(self.queue(LaunchCommand { name: name.to_string(), pes, args }))
    }
}
