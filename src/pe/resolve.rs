//! Resolves the operands of a DSD operation before it starts.

use super::fabric_operands::FabInOperand;
use super::fifo::FifoEnd;
use super::operation::{ElementDest, ElementSource, Operation};
use super::registers::{AsyncSettings, ResolvedOperand, Use};
use super::start::Start;
use super::threads::Thread;
use super::vector_unit::{BoundsCheck, VectorUnit};
use crate::arch::{DsrId, UtId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::dsd::{FABIN_DEST, FABOUT_SOURCE};
use crate::diagnostics::rules::run::{DFILT_DSR, DSD_UNSET};
use crate::dsd::local::{Dest, Source};
use crate::dsd::ops::OPS;
use crate::dsd::{Dsd, FifoAccess};
use crate::image::code::{DsdOperand, DsdRef, VectorOp};
use crate::source::Span;

impl VectorUnit<'_> {
    /// Finds the operands of an operation, and the thread that will run it. `thread` is memory for it.
    pub fn resolve(&mut self, vector: &VectorOp, thread: Box<Thread>) -> Result<Start, Diag> {
        let op = &OPS[usize::from(vector.op)];
        let form = vector.form();
        let mut start =
            Start::new(thread, op, vector, AsyncSettings::of(&vector.config, |reg| self.main.register(reg)));
        let index = vector.index.map(|reg| self.main.register(reg) as u16);
        start.thread.operation.to = match vector.dest {
            DsdOperand::Dsd(dsd) => self.dest(dsd, op.dest.words(), index, &mut start)?,
            DsdOperand::Pointer(reg) => ElementDest::Local(self.scalar_dest(reg, op.dest.words(), vector)?),
            DsdOperand::Nowhere => ElementDest::Nowhere,
            DsdOperand::Scalar(_) => unreachable!("a destination is a vector or a pointer"),
        };
        for (k, source) in vector.sources.iter().enumerate() {
            let words = form.sources[k].elem().words();
            let from = match *source {
                DsdOperand::Dsd(dsd) => self.source(dsd, k, words, index, &mut start)?,
                DsdOperand::Nowhere => unreachable!("a source is somewhere"),
                DsdOperand::Scalar(reg) | DsdOperand::Pointer(reg) => {
                    ElementSource::Local(Source::Scalar(self.scalar_source(reg, words)))
                }
            };
            start.thread.operation.from[k] = from;
        }
        if let (
            Some(ElementSource::Local(Source::Scalar(first))),
            ElementDest::Local(Dest::Scalar { accumulates: true, .. }),
        ) = (start.thread.operation.from.first(), &start.thread.operation.to)
        {
            start.thread.operation.carried = *first;
        }
        if let Some(zero) = start.zero {
            start.clear_later(zero)?;
        }
        if form.flipped {
            start.thread.operation.from.swap(0, 1);
            start.thread.registers.swap_sources();
        }
        start.settle();
        Ok(start)
    }

    fn dest(
        &mut self,
        dsd: DsdRef,
        words: u16,
        index: Option<u16>,
        start: &mut Start,
    ) -> Result<ElementDest, Diag> {
        let resolved = self.operand(dsd, Use::Operation)?;
        start.note(0, &resolved);
        Ok(match resolved.dsd {
            Dsd::Mem(mem) => {
                ElementDest::Local(Dest::AddressCursor(self.cursor(&mem, resolved.at, words, index)?))
            }
            Dsd::FabOut(fabout) => {
                start.note_fabric(fabout.queue.map(|q| UtId(q.0)), fabout.priority);
                ElementDest::Fabric(self.fabout(&fabout, words, index)?)
            }
            Dsd::Fifo(fifo) => {
                let end = self.fifo_end(fifo.0, words)?;
                start.note_fifo(&mut self.fifos[end.fifo], FifoAccess::Push, words);
                ElementDest::Fifo(end)
            }
            Dsd::FabIn(_) => {
                let diag = FABIN_DEST.plain().help("a fabout_dsd in a dsr_dest sends wavelets");
                return Err(self.registers.loaded_here(dsd, diag));
            }
        })
    }

    fn source(
        &mut self,
        dsd: DsdRef,
        k: usize,
        words: u16,
        index: Option<u16>,
        start: &mut Start,
    ) -> Result<ElementSource, Diag> {
        let resolved = self.operand(dsd, Use::Operation)?;
        match (&start.thread.operation.to, dsd) {
            (ElementDest::Nowhere, DsdRef::Dsr(dsr)) => check_filtered(&resolved, dsr.id)?,
            // Something has written over the variable.
            (ElementDest::Nowhere, _) if !matches!(resolved.dsd, Dsd::FabIn(_)) => {
                return Err(DSD_UNSET.plain());
            }
            _ => {}
        }
        start.note(k + 1, &resolved);
        Ok(match resolved.dsd {
            Dsd::Mem(mem) => {
                ElementSource::Local(Source::AddressCursor(self.cursor(&mem, resolved.at, words, index)?))
            }
            Dsd::FabIn(fabin) => {
                let operand = self.fabin(&fabin, words)?;
                let queue = fabin.queue.or(self.queues.inputs[operand.input].queue);
                start.note_fabric(queue.map(|q| UtId(q.0)), fabin.priority);
                ElementSource::Fabric(operand)
            }
            Dsd::Fifo(fifo) => {
                let end = self.fifo_end(fifo.0, words)?;
                start.note_fifo(&mut self.fifos[end.fifo], FifoAccess::Pop, words);
                ElementSource::Fifo(end)
            }
            Dsd::FabOut(_) => {
                let help = "copy a DSD by assignment, not through a pointer of another type";
                return Err(self.registers.loaded_here(dsd, FABOUT_SOURCE.plain().help(help)));
            }
        })
    }

    /// The FIFO operand of an operation that reads or writes it. Its number may come from memory.
    fn fifo_end(&self, fifo: u8, words: u16) -> Result<FifoEnd, Diag> {
        let state = self.fifos.get(usize::from(fifo)).ok_or_else(|| DSD_UNSET.plain())?;
        Ok(state.end(fifo.into(), words))
    }

    /// The same for an operation with fabric or FIFO operands; one without an end is not checked.
    pub fn check_operation(&mut self, operation: &mut Operation, span: Span) -> Result<(), Diag> {
        self.check_overlap(operation, span)?;
        match operation.total {
            Some(total) if operation.is_certainly_in_bounds(total) => Ok(()),
            Some(total) => {
                let count = operation.room.map_or(total, |room| room.min(total));
                if operation.room.is_some() {
                    // A control wavelet ends it, so that its vectors are longer than what they take.
                    let size = self.memory.size();
                    operation
                        .cursors_mut()
                        .filter(|(_, cursor)| cursor.has_soft_bounds())
                        .for_each(|(_, cursor)| cursor.widen(size));
                }
                let cleared = operation.cleared.map(|cursor| cursor.reaches(count.into()) < count.into());
                let asked =
                    BoundsCheck { elements: 0..count, runs_now: false, clears: cleared.is_some(), span };
                self.check_reach(operation.cursors_mut(), &asked)?;
                if let (Some(cursor), Some(true)) = (&mut operation.cleared, cleared) {
                    cursor.widen(self.memory.size());
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Looks for a word that is read too soon after it was written, because a wavelet brings several elements.
    fn check_overlap(&mut self, operation: &Operation, span: Span) -> Result<(), Diag> {
        let (ElementDest::Local(dest), Some(total)) = (&operation.to, operation.total) else { return Ok(()) };
        let width = elements_at_once(operation).min(operation.op.width(self.queues.arch_name()).into());
        if width < 2 {
            return Ok(());
        }
        let sources = operation.sources().iter().filter_map(|from| match from {
            ElementSource::Local(source) => Some(*source),
            ElementSource::Fabric(_) | ElementSource::Fifo(_) => None,
        });
        let sources: Vec<Source> = sources.collect();
        self.checks.check_overlap(operation.op, width, (dest, &sources), total, span)
    }
}

/// How many elements its fabric operands bring at once, at most.
fn elements_at_once(operation: &Operation) -> u32 {
    let brought = |operand: &FabInOperand| operand.simd.elements(if operand.narrow { 1 } else { 2 });
    operation.fabins().map(brought).min().unwrap_or(u32::MAX)
}

/// Checks the DSR of `@dfilt`: it must hold a fabin_dsd and be loaded with `.async`.
fn check_filtered(resolved: &ResolvedOperand, dsr: DsrId) -> Result<(), Diag> {
    let is_async = resolved.settings.is_some_and(|s| s.is_async);
    match (resolved.dsd, is_async) {
        (Dsd::FabIn(_), true) => Ok(()),
        (Dsd::FabIn(_), false) => {
            let wrong = DFILT_DSR.because(&[("dsr", &dsr), ("how", &"is not asynchronous")]);
            Err(wrong.help("load it with `.{ .async = true }`"))
        }
        _ => {
            let wrong = DFILT_DSR.because(&[("dsr", &dsr), ("how", &"holds no fabin_dsd")]);
            Err(wrong.help("load it with the fabin_dsd whose wavelets are to be dropped"))
        }
    }
}
