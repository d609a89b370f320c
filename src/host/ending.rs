//! The end of a run: what the program does when the host has nothing more to do with it.

use super::{Failure, Runner, failure};
use crate::diagnostics::Diagnostic;
use crate::image::code::Intrinsic;
use crate::wafer::Ended;

/// How many cycles a program on one PE may continue after the last command of the host, to finish computing and
/// printing. Larger wafers take longer to simulate, so they get fewer, down to a tenth.
const END_PATIENCE: u64 = 10_000_000;

impl Runner {
    /// Runs every queued command, then the program until nothing happens any more. Returns warnings about
    /// copies, about the run, and about whatever is left unfinished.
    ///
    /// # Errors
    /// The program fails, stalls, reaches its cycle limit or is interrupted; or a warning of the end is denied.
    pub fn run_until_idle(&mut self) -> Result<Vec<Diagnostic>, Failure> {
        self.while_waiting("the end of the run", Runner::run_to_the_end)
    }

    fn run_to_the_end(&mut self) -> Result<Vec<Diagnostic>, Failure> {
        self.run_until_commands_done()?;
        let mut warnings: Vec<_> = std::mem::take(&mut self.warnings).into_values().collect();
        let left = self.run_the_rest()?;
        warnings.extend(self.wafer.warnings());
        warnings.extend(left);
        // Diagnostics that are known only at the end can be denied as well.
        match warnings.iter().any(|d| d.severity.is_error()) {
            true => Err(Failure::Trapped(warnings)),
            false => Ok(warnings),
        }
    }

    fn has_host(&self) -> bool {
        self.program.memcpy.is_some() || self.program.sdk_layout.is_some() || self.serves_edges
    }

    /// Runs the program after the last command, for as long as [`END_PATIENCE`] allows.
    fn run_the_rest(&mut self) -> Result<Vec<Diagnostic>, Failure> {
        let limit = self.limit();
        let has_host = self.has_host();
        while has_host && self.wafer.blocked() > 0 && self.advance_if_possible()? {}
        // A user who sets a limit wants to run up to it.
        if !has_host || self.wafer.blocked() > 0 || self.options.max_cycles.is_some() {
            return self.run_to_the_limit(limit);
        }
        let patience = END_PATIENCE / (self.wafer.active_pes() as u64).clamp(1, 10);
        let since = self.wafer.now();
        match self.run_to_the_limit(limit.min(since + patience)) {
            Err(Failure::OutOfCycles(report)) => {
                let warning = report.still_running(self.wafer.now() - since, &self.program.sources);
                Ok(self.options.levels.judge(warning).into_iter().collect())
            }
            ended => ended,
        }
    }

    /// Runs until nothing happens any more, or the cycle limit is reached.
    fn run_to_the_limit(&mut self, limit: u64) -> Result<Vec<Diagnostic>, Failure> {
        let ended = match self.ports.is_empty() {
            true => self.wafer.run_until_idle(limit),
            false => {
                while self.advance_within(limit)? {}
                self.wafer
                    .stall_report(Vec::new())
                    .map_or(Ended::Idle, |report| Ended::Stalled(Box::new(report)))
            }
        };
        let has_host = self.has_host();
        let quiet = matches!(ended, Ended::Idle | Ended::Stalled(_));
        // Without memcpy there is no command stream that could be unblocked.
        let mut left = Vec::new();
        if quiet && self.program.memcpy.is_some() && self.wafer.blocked() > 0 {
            let is_at_rest = match &ended {
                Ended::Stalled(report) => report.only_asynchronous,
                _ => true,
            };
            // If code that unblocks the stream exists but has not run, the program has taken a wrong path: an
            // error.
            let is_told = self.stream.has_overtaken;
            if !is_told
                && (!is_at_rest
                    || self.program.tiles.iter().any(|t| t.asks_for(Intrinsic::UnblockCommandStream)))
            {
                return Err(self.stalled());
            }
            left.extend(self.never_unblocked().filter(|_| !is_told));
        }
        match ended {
            Ended::Idle => left.extend(self.leftovers()),
            // The host has all that it requested, and `stop()` waits for nothing else; a program may leave
            // receivers waiting for their first wavelet.
            Ended::Stalled(report) if has_host && report.only_armed => left.extend(self.leftovers()),
            Ended::Stalled(report) if has_host && report.only_serves() => {
                left.push(report.served());
                left.extend(self.leftovers());
            }
            Ended::Stalled(report) if has_host => {
                left.extend(report.warnings(&self.program.sources));
                left.extend(self.unreceived().into_iter().filter_map(|diag| self.options.levels.judge(diag)));
            }
            Ended::Stalled(report) => return Err(Failure::Stalled(report)),
            other => return Err(failure(other)),
        }
        Ok(left)
    }

    /// Warnings about leftovers at the end, with the levels that the user has chosen.
    fn leftovers(&self) -> impl Iterator<Item = Diagnostic> {
        let levels = self.options.levels;
        self.wafer.leftovers().into_iter().chain(self.unreceived()).filter_map(move |left| levels.judge(left))
    }
}
