//! Tasks that start ahead of the clock, in the visit in which the one before them ends.
//!
//! Fast path: a local task whose turn it certainly is (`Pe::has_certain_task`), and any task of a PE that is alone. With the
//! first, a PE of game-of-life, 16 x 16, is visited 12.8 instead of 15.3 times in a generation, with 0.96 of the
//! instructions; histogram-torus, 16 x 16, takes 0.95 of them. A recording, a profile, a schedule and `--engine plain` switch
//! it off; `tests/it/engines.rs` and `props::streams` compare whole programs.

use super::element::{Environment, Pe};
use super::interp::AHEAD_ALONE;
use crate::diagnostics::Diag;
use crate::exec::PreparedTile;
use crate::exec::calls::Worker;

/// How many tasks may start in one visit. It is limited because a run can be interrupted only between visits.
const MOST_TASKS: usize = 1000;

impl Pe {
    /// After a task has ended, runs further tasks for as long as it is certain ahead of the clock which comes next.
    pub(super) fn run_certain_tasks(
        &mut self,
        tile: &PreparedTile,
        now: u64,
        environment: &mut Environment<'_>,
        mut moved: bool,
    ) -> Result<bool, Diag> {
        while self.main.is_free()
            && !self.main.is_hosts_turn
            && self.main.busy_until < now + AHEAD_ALONE
            && self.has_certain_task(environment.worker)
        {
            let at = self.main.busy_until;
            self.complete_endings(at)?;
            let Some(next) = self.next_up(at) else { break };
            self.start_next(tile, next, at).map_err(|c| c.on(self.moment(at)))?;
            moved = self.go_on(tile, now, self.main.busy_until - now, environment)?;
        }
        Ok(moved)
    }

    /// Whether a local task starts when the one that has just ended ahead of the clock is over, whatever wavelets arrive
    /// until then: local tasks come before them, and nothing else happens on the PE.
    fn has_certain_task(&self, worker: &Worker) -> bool {
        let at = self.main.busy_until;
        let ending = self.threads.pending_completions().iter().take_while(|ending| ending.cycle <= at);
        self.tasks.have_certain(ending.map(|ending| ending.done))
            && at < worker.unobserved_until
            && self.threads.is_empty()
            && self.observer.is_nobody()
            && !self.threads.must_not_run_ahead
            && self.script.is_none()
            && self.choices.is_none()
            && !self.duties.has_flushes()
            && !self.queues.have_command()
    }

    /// After a task has ended, runs further tasks for as long as nothing else can happen in between.
    pub(super) fn run_next_tasks(
        &mut self,
        tile: &PreparedTile,
        environment: &mut Environment<'_>,
        mut moved: bool,
    ) -> Result<bool, Diag> {
        for _ in 0..MOST_TASKS {
            let at = self.main.busy_until;
            if !self.main.is_free() || self.main.is_hosts_turn || !self.is_quiet(at, environment.worker) {
                break;
            }
            let Some(next) = self.next_up(at) else { break };
            self.start_next(tile, next, at).map_err(|c| c.on(self.moment(at)))?;
            if self.main.is_free() {
                break;
            }
            moved = self.go_on(tile, at, self.main.busy_until - at, environment)?;
        }
        Ok(moved)
    }

    /// Whether nothing can happen to this PE before a given cycle. If it is between two tasks, the next one may
    /// then start ahead of the clock.
    pub(super) fn is_quiet(&self, cycle: u64, worker: &Worker) -> bool {
        cycle < worker.alone_until.min(worker.unobserved_until)
            && self.threads.is_empty()
            && self.threads.next_ending().is_none()
            && !self.is_observed()
            && !self.duties.has_flushes()
            && self.queues.are_empty()
    }
}
