//! Where a PE tells its race detector what happens, and reports what it finds.

use super::element::Pe;
use super::open_operands::{OpenOperand, each_operand};
use super::operation::Operation;
use super::races::RaceAccess;
use super::tasks::{CompletionAction, Picked, bit};
use super::threads::{MAIN, Thread};
use super::vector_unit::VectorUnit;
use crate::arch::{TEARDOWN_TASK, TaskId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::UNSET_VARIABLE;
use crate::dsd::footprint::Footprint;
use crate::exec::guard::GuardedWords;
use crate::image::TileImage;
use crate::source::Span;

impl VectorUnit<'_> {
    /// Looks for a race between an access of the main thread and the open operations.
    ///
    /// # Errors
    /// The race, if it is denied.
    pub fn check_access(
        &mut self,
        words: &Footprint,
        is_write: bool,
        fifo: Option<u8>,
        span: Span,
    ) -> Result<(), Diag> {
        self.check_unset(words, is_write || fifo.is_some(), span)?;
        if is_write {
            self.races.note_write(words, Some(span));
        }
        let Some(race) = self.races.race(words, is_write, fifo) else { return Ok(()) };
        let access = if is_write { RaceAccess::Write } else { RaceAccess::Read };
        let name = self.reach().name(race.word);
        self.checks.hazard(self.races.diag(race, access, &name).at(span))?;
        self.races.note_reported(race);
        Ok(())
    }

    /// Looks for a read of a global before something has written it. A FIFO orders its ends itself.
    fn check_unset(&mut self, words: &Footprint, is_write: bool, span: Span) -> Result<(), Diag> {
        let Some(unset) = self.races.unset() else { return Ok(()) };
        if is_write {
            if unset.note_write(words) {
                self.races.renew_unset();
            }
            return Ok(());
        }
        let Some(number) = unset.read(words) else { return Ok(()) };
        let symbol = &self.tile.symbols[number];
        let diag = UNSET_VARIABLE.because(&[("name", &symbol.name)]).at(span);
        let help = format!("write all of `{}` that is read before this line", symbol.name);
        self.checks.hazard(diag.also(symbol.span, "declared without a value").help(help))?;
        if let Some(unset) = self.races.unset() {
            unset.forget(number);
        }
        self.races.renew_unset();
        Ok(())
    }

    /// The same for the operands of an operation that is about to start.
    pub fn check_operands(&mut self, operation: &Operation, span: Span) -> Result<(), Diag> {
        let mut found = Vec::new();
        each_operand(operation, self.fifos, |operand| {
            if self.races.is_of_interest(&operand.footprint, operand.is_written) {
                found.push(operand);
            }
        });
        // It reads before it writes.
        found.sort_by_key(|operand| operand.is_written);
        for OpenOperand { footprint, is_written, fifo } in found {
            self.check_access(&footprint, is_written, fifo, span)?;
        }
        Ok(())
    }
}

impl Pe {
    /// The operation of a thread has ended.
    pub(super) fn note_end(&mut self, place: usize, thread: &Thread, done: CompletionAction, now: u64) {
        match place {
            MAIN => self.races.waited_for(&thread.operation, &self.threads, now),
            _ => self.races.end(place, done),
        }
    }

    /// A task starts.
    #[inline]
    pub(super) fn note_start(&mut self, picked: Picked, also: TaskId, now: u64) {
        if !self.races.is_on {
            return;
        }
        match picked {
            Picked::Local(TaskId(TEARDOWN_TASK)) => self.races.mark_all_seen(now),
            Picked::Local(id) => self.races.task_starts(bit(id), None, &self.threads, now),
            Picked::Wavelet { id, input, .. } => {
                let input = usize::from(input);
                // An operation may have unblocked the channel of the wavelet.
                let channel = self.queues.inputs[input].channel(self.arch.name);
                let ids = bit(id) | bit(also) | channel.map_or(0, |channel| bit(TaskId(channel)));
                self.races.task_starts(ids, Some(input), &self.threads, now);
            }
        }
    }

    /// The guard has stopped the scalar loop before an access; whether it has to wait for the clock, because an
    /// operation is at work on these words. From then on the main thread does not run ahead of microthreads.
    pub(super) fn guarded_access(&mut self, tile: &TileImage, cycle: u64) -> Result<bool, Diag> {
        let Some(access) = self.races.guard().and_then(GuardedWords::let_pass) else { return Ok(false) };
        let words = Footprint::words(access.at, access.words);
        let span = self.main.place(tile);
        self.races.cycle = cycle;
        let race = self.races.race(&words, access.is_write, None);
        if race.is_none() {
            self.races.renew_guard();
        }
        let is_met = race.is_some_and(|race| self.races.is_running(race));
        self.races.keeps_pace |= is_met;
        self.vector_unit().check_access(&words, access.is_write, None, span).map(|()| is_met)
    }

    /// Something beside the code of the PE writes memory.
    pub(super) fn note_outside_write(&mut self, at: usize, words: usize) {
        if words == 0 {
            return;
        }
        let words = Footprint::words(at, words);
        if self.races.unset().is_some_and(|unset| unset.note_write(&words)) {
            self.races.renew_unset();
        }
    }

    /// The host accesses memory: the diagnostic if an operation uses it that may not have ended.
    pub fn host_race(&mut self, at: usize, words: usize, is_write: bool, now: u64) -> Option<Diag> {
        if !self.races.is_on || words == 0 {
            return None;
        }
        self.races.note_host_access(&self.threads, now);
        let words = Footprint::words(at, words);
        if is_write {
            self.races.note_write(&words, None);
        }
        let knows_nothing = self.tile.has_memcpy;
        let race = self.races.race(&words, is_write, None)?;
        if !knows_nothing && !self.races.is_running(race) {
            return None;
        }
        let name = self.vector_unit().reach().name(race.word);
        let access = if is_write { RaceAccess::HostWrite } else { RaceAccess::HostRead };
        let diag = self.races.diag(race, access, &name);
        self.races.note_reported(race);
        Some(diag)
    }
}
