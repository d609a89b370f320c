//! Where a PE tells its race detector what happens, and reports what it finds.

use super::element::Pe;
use super::operation::{From, Operation, To};
use super::races::{OpenOperand, OpenOperands, RaceAccess};
use super::tasks::{Done, Picked, bit};
use super::threads::{MAIN, Thread};
use super::vector_unit::VectorUnit;
use crate::arch::{ArchName, TEARDOWN_TASK, TaskId};
use crate::diagnostics::Diag;
use crate::dsd::footprint::Footprint;
use crate::dsd::local::Dest;
use crate::exec::guard::GuardedWords;
use crate::image::TileImage;
use crate::source::Span;

/// The memory operands of an operation that has done nothing yet.
fn operands(operation: &Operation, fifo: impl Fn(usize) -> Footprint) -> OpenOperands {
    let mut all = [const { None }; 4];
    for (k, cursor) in operation.cursors() {
        let count = operation.total.map_or(cursor.elements(), |total| total.min(cursor.elements()));
        let footprint = Footprint::new(cursor, count);
        all[k] = footprint.map(|footprint| OpenOperand { footprint, is_written: k == 0, fifo: None });
    }
    if let To::Local(Dest::Scalar { at, words, .. }) = operation.to {
        let footprint = Footprint::words(at, words.into());
        all[0] = Some(OpenOperand { footprint, is_written: true, fifo: None });
    }
    if let Some(cursor) = &operation.cleared {
        let footprint = Footprint::new(cursor, operation.total.unwrap_or(cursor.elements()));
        all[0] = footprint.map(|footprint| OpenOperand { footprint, is_written: true, fifo: None });
    }
    let dest = if let To::Fifo(end) = &operation.to { Some((0, end)) } else { None };
    let sources = operation.sources().iter().enumerate().filter_map(|(k, from)| match from {
        From::Fifo(end) => Some((k + 1, end)),
        From::Local(_) | From::Fabric(_) => None,
    });
    for (k, end) in dest.into_iter().chain(sources) {
        let footprint = fifo(end.fifo);
        all[k] = Some(OpenOperand { footprint, is_written: k == 0, fifo: Some(end.fifo as u8) });
    }
    all
}

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

    /// The same for the operands of an operation that is about to start. Returns them.
    pub fn check_operands(
        &mut self,
        operation: &Operation,
        is_async: bool,
        span: Span,
    ) -> Result<OpenOperands, Diag> {
        if !(self.races.is_on || is_async && self.races.detects) {
            return Ok([const { None }; 4]);
        }
        let operands = operands(operation, |fifo| self.fifos[fifo].footprint());
        if self.races.is_on {
            for operand in operands.iter().flatten() {
                self.check_access(&operand.footprint, operand.is_written, operand.fifo, span)?;
            }
        }
        Ok(operands)
    }
}

impl Pe {
    /// The operation of a thread has ended.
    pub(super) fn note_end(&mut self, place: usize, thread: &Thread, done: Done) {
        match place {
            MAIN => self.races.waited_for(&thread.operation, &self.threads),
            _ => self.races.end(place, done),
        }
    }

    /// A task starts.
    #[inline]
    pub(super) fn note_start(&mut self, picked: Picked, also: TaskId) {
        if !self.races.is_on {
            return;
        }
        match picked {
            Picked::Local(TaskId(TEARDOWN_TASK)) => self.races.all_is_seen(),
            Picked::Local(id) => self.races.task_starts(bit(id), None, &self.threads),
            Picked::Wavelet { id, input, .. } => {
                // An operation may have unblocked the channel of the wavelet.
                let inbox = &self.queues.inputs[input];
                let channel = match self.arch.name {
                    ArchName::Wse2 => inbox.color.0,
                    ArchName::Wse3 => inbox.queue.map_or(inbox.color.0, |queue| queue.0),
                };
                let ids = bit(id) | bit(also) | bit(TaskId(channel));
                self.races.task_starts(ids, Some(input), &self.threads);
            }
        }
    }

    /// The guard has stopped the scalar loop before an access.
    pub(super) fn guarded_access(&mut self, tile: &TileImage, cycle: u64) -> Result<(), Diag> {
        let Some(access) = self.races.guard().and_then(GuardedWords::let_pass) else { return Ok(()) };
        let words = Footprint::words(access.at, access.words);
        let span = self.main.place(tile);
        self.races.cycle = cycle;
        if self.races.race(&words, access.is_write, None).is_none() {
            self.races.renew_guard();
        }
        self.vector_unit().check_access(&words, access.is_write, None, span)
    }

    /// The host accesses memory: the diagnostic if an operation uses it that may not have ended.
    pub fn host_race(&mut self, at: usize, words: usize, is_write: bool) -> Option<Diag> {
        if !self.races.is_on || words == 0 {
            return None;
        }
        self.races.host_comes(&self.threads);
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
