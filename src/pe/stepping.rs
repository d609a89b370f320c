//! How operations in progress move: one element in each cycle, and what follows their end.

use super::bindings::activated;
use super::checks::Activator;
use super::choices::Chosen;
use super::element::Pe;
use super::operation::{StepContext, StepResult};
use super::stall::{OnStall, Stall};
use super::tasks::{CompletionAction, bit};
use super::threads::{MAIN, Thread};
use super::ties::NO_TASK;
use super::vector_unit::BoundsCheck;
use crate::arch::{TEARDOWN_TASK, TaskId};
use crate::diagnostics::{At, Diag};
use crate::source::Span;

impl Pe {
    /// Gives the cycle to the operation that comes first of those that can move; true if any can.
    // A PE does one instruction in a cycle, so microthreads share its speed (docs/decisions.md).
    pub(super) fn run_threads(&mut self, now: u64) -> Result<bool, Diag> {
        if self.threads.is_empty() {
            return Ok(false);
        }
        if self.threads.have_moved_early(now) {
            return Ok(true);
        }
        let mut waiting = self.threads.running(&self.queues, now);
        while let Some(place) = match self.script {
            None if waiting == 0 => None,
            None => self.threads.first(waiting, self.tasks.schedule.as_deref().copied(), now),
            Some(_) => self.first_by_script(waiting, now),
        } {
            let others = if self.choices.is_some() { self.threads.equal(waiting) & !(1 << place) } else { 0 };
            waiting &= !(1 << place);
            // An operation that went before may have ended this one.
            if self.threads.is_live(place) && self.step_thread(place, now)? {
                if let Some(choices) = self.choices.as_mut().filter(|_| others != 0) {
                    choices.note(now, Chosen::Thread { number: place as u8, others });
                }
                self.threads.latest = place as u8;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn step_thread(&mut self, place: usize, now: u64) -> Result<bool, Diag> {
        let mut context = StepContext {
            memory: &mut self.memory,
            queues: &mut self.queues,
            fifos: &mut self.fifos,
            tasks: &mut self.tasks,
            now,
        };
        let thread = self.threads.slot(place).as_mut().expect("only live threads run");
        let step = match thread.operation.step(&mut context) {
            Ok(step) => step,
            Err(diag) => {
                let thread = self.threads.remove(place);
                let operation = &thread.operation;
                let diag = self.vector_unit().reach().explain(diag, operation.cursors(), operation.to_come());
                return Err(diag.at(thread.span));
            }
        };
        if thread.operation.has_mixed()
            && let Some(mixed) = thread.operation.take_mixed()
        {
            self.checks.check_mixed(mixed, thread.span)?;
        }
        if let Some(profile) = self.observer.profile() {
            profile.step(place, thread, step, &self.queues, now);
        }
        match step {
            StepResult::Moved => {
                thread.stalled = None;
                self.threads.note_move(place);
            }
            StepResult::Full => self.overflow(place)?,
            StepResult::Stalled(stall) => {
                if thread.stalled.is_none_or(|(old, _)| old != stall) {
                    thread.stalled = Some((stall, now));
                }
                self.began_to_wait |= thread.operation.done == 0 && thread.stalled == Some((stall, now));
                let (is_async, span) = (thread.is_async, thread.span);
                self.threads.note_stall(place, stall);
                let verdict = stall.outcome(&self.fifos, &self.tile, is_async).at(span)?;
                return self.stall(place, stall, verdict, now);
            }
            StepResult::Finished => {
                let thread = self.threads.remove(place);
                self.finish(place, &thread, thread.completion, true, now)?;
                self.threads.spare = Some(thread);
            }
            StepResult::Ended => {
                let thread = self.threads.remove(place);
                let done = thread.on_control.expect("a control wavelet ends it only with on_control");
                self.finish(place, &thread, done, true, now)?;
                self.threads.spare = Some(thread);
            }
        }
        Ok(true)
    }

    /// Lets an operation continue past the end of its memory operands, unless that is denied.
    fn overflow(&mut self, place: usize) -> Result<(), Diag> {
        let mut thread = self.threads.slot(place).take().expect("only live threads run");
        thread.stalled = None;
        self.threads.note_move(place);
        let goes_on = self.go_beyond_room(&mut thread);
        *self.threads.slot(place) = Some(thread);
        if goes_on.is_err() {
            self.threads.remove(place);
        }
        goes_on
    }

    fn go_beyond_room(&mut self, thread: &mut Thread) -> Result<(), Diag> {
        self.checks.hazard(thread.operation.no_room().at(thread.span))?;
        thread.operation.room = None;
        let operation = &mut thread.operation;
        let (elements, clears) = (operation.to_come(), operation.cleared.is_some());
        let asked = BoundsCheck { elements, runs_now: false, clears, span: thread.span };
        self.vector_unit().check_reach(operation.cursors_mut(), &asked)
    }

    /// Handles a stall; true if the operation has ended instead of waiting.
    fn stall(&mut self, place: usize, stall: Stall, verdict: OnStall, now: u64) -> Result<bool, Diag> {
        if verdict == OnStall::Waits {
            return Ok(false);
        }
        let thread = self.threads.remove(place);
        if verdict == OnStall::GivesUp {
            self.checks.check_event(stall, &thread.operation, &self.tile).at(thread.span)?;
            thread.operation.leave_length(stall, &mut self.fifos);
            self.checks.check_result(
                (thread.result, thread.span),
                stall,
                thread.operation.total,
                &self.tile,
            )?;
            self.finish(place, &thread, CompletionAction::Nothing, false, now)?;
        } else {
            self.finish(place, &thread, thread.completion, true, now)?;
        }
        Ok(true)
    }

    /// Does what follows the end of an operation.
    pub(super) fn finish(
        &mut self,
        place: usize,
        thread: &Thread,
        done: CompletionAction,
        result: bool,
        now: u64,
    ) -> Result<(), Diag> {
        if let Some(trace) = self.observer.trace() {
            trace.end(place, thread, &self.queues, now);
        }
        self.registers.save_positions(&thread.operation, &thread.registers);
        if self.races.is_on {
            self.note_end(place, thread, done, now);
        }
        if let Some(script) = &mut self.script {
            script.favoured = None;
        }
        self.complete(done, thread.span, now, now)?;
        if place == MAIN {
            if let Some(register) = thread.result {
                self.main.set_register(register, result.into());
            }
            self.main.resume(now);
        }
        if let Some(profile) = self.observer.profile() {
            profile.end(place, thread, done, &self.queues, (now + 1, self.main.busy_until));
        }
        Ok(())
    }

    /// Does what follows the ends of operations that were done ahead of the clock, up to a cycle.
    #[inline(always)]
    pub(super) fn complete_endings(&mut self, now: u64) -> Result<(), Diag> {
        if self.threads.next_ending().is_some_and(|ending| ending <= now) {
            self.complete_due(now)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn complete_due(&mut self, now: u64) -> Result<(), Diag> {
        self.just_activated = NO_TASK;
        while let Some(ending) = self.threads.take_ending(now) {
            let heard = self.checks.warnings.len();
            self.complete(ending.done, ending.span, ending.cycle, now)
                .map_err(|diag| diag.on(self.moment(ending.cycle)))?;
            self.date_warnings(heard, ending.cycle);
        }
        Ok(())
    }

    /// Activates or unblocks what an operation names that ended in the cycle `ended`; `now` is the cycle of the
    /// picker.
    fn complete(&mut self, done: CompletionAction, span: Span, ended: u64, now: u64) -> Result<(), Diag> {
        match done {
            CompletionAction::Nothing => {}
            CompletionAction::Activate(id) if ended == now && self.ties(id, now) => {
                self.ties.add(id, span);
                self.has_ties = true;
            }
            CompletionAction::Activate(id) => {
                self.checks.check_activation(id, Activator::EndedOperation, span, &self.tile, &self.tasks)?;
                activated(&self.tile, self.tasks.activate(id), id).at(span)?;
                self.just_activated = if ended == now { id } else { self.just_activated };
            }
            CompletionAction::Unblock(id) => {
                self.tasks.state.blocked &= !bit(id);
                self.tasks.woken |= bit(id);
            }
        }
        Ok(())
    }

    /// Whether the picker chooses in this cycle and the task was active before it: two operations that end in one
    /// cycle activate a task once.
    fn ties(&self, id: TaskId, cycle: u64) -> bool {
        self.tasks.state.active & !self.tasks.state.blocked & bit(id) != 0
            && id.0 != TEARDOWN_TASK
            && id != self.just_activated
            && self.main.is_free()
            && !self.main.is_hosts_turn
            && self.main.busy_until <= cycle
            // A script decides which of the two comes first.
            && self.script.is_none()
    }
}
