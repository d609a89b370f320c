//! Derives length, thread and settings of a DSD operation from its operands.

use super::fifo::FifoState;
use super::operation::ElementSource;
use super::registers::{AsyncSettings, ResolvedOperand};
use super::short_operand::ShortOperand;
use super::threads::{OperandDsrs, Thread};
use crate::arch::UtId;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::dsd::ZERO_SOURCE;
use crate::dsd::local::Source;
use crate::dsd::ops::DsdOp;
use crate::dsd::{Dsd, ENDLESS, FabIn, FabOut, FifoAccess, Priority, ZeroSource};
use crate::image::code::VectorOp;

/// The length of an operand without an end.
const FOREVER: u32 = u32::MAX;

/// An operation that is being prepared.
pub(super) struct Start {
    /// The operation and its DSRs. It is prepared where it stays while it runs, because it is large.
    pub thread: Box<Thread>,
    pub settings: AsyncSettings,
    pub ut: Option<UtId>,
    /// Whether no operand and no setting names the microthread, so that it is that of a queue.
    pub ut_by_queue: bool,
    pub has_fabric: bool,
    /// Whether a fabric operand names no queue.
    pub lacks_queue: bool,
    /// `.zero` of the destination.
    pub zero: Option<ZeroSource>,
    lengths: Lengths,
    fifo_length: Option<u32>,
    /// Microthread of the first fabric operand's queue.
    queue_ut: Option<UtId>,
    /// The settings of the operands, merged in the order of the operands.
    brought: AsyncSettings,
    /// A setting of the operation that has no effect, because its operands do not have it.
    pub ignored: Option<&'static str>,
    priority: Priority,
}

impl Start {
    /// A new operation, without operands, in place of one that has ended.
    pub fn new(
        mut thread: Box<Thread>,
        op: &'static DsdOp,
        vector: &VectorOp,
        settings: AsyncSettings,
    ) -> Start {
        thread.operation.renew(op, vector.sources.len());
        thread.registers = OperandDsrs::default();
        Start {
            thread,
            settings,
            ut: None,
            ut_by_queue: false,
            has_fabric: false,
            lacks_queue: false,
            zero: None,
            lengths: Lengths::default(),
            fifo_length: None,
            queue_ut: None,
            brought: AsyncSettings::default(),
            ignored: None,
            priority: Priority::Low,
        }
    }

    /// Adds a DSD operand; 0 is the destination.
    #[inline]
    pub fn note(&mut self, operand: usize, resolved: &ResolvedOperand) {
        let endless = |extent: u16| if extent == ENDLESS { FOREVER } else { extent.into() };
        self.lengths.0[operand] = match &resolved.dsd {
            Dsd::Mem(mem) => Some(Length::InMemory(mem.length())),
            Dsd::FabIn(FabIn { extent, .. }) | Dsd::FabOut(FabOut { extent, .. }) => {
                Some(Length::OnFabric(endless(*extent)))
            }
            Dsd::Fifo(_) => None,
        };
        match &resolved.dsd {
            Dsd::FabIn(fabin) => self.lacks_queue |= fabin.queue.is_none(),
            Dsd::FabOut(fabout) => {
                self.lacks_queue |= fabout.queue.is_none();
                self.zero = fabout.zero;
            }
            Dsd::Mem(_) | Dsd::Fifo(_) => {}
        }
        if resolved.untyped_fifo.is_some() {
            self.thread.operation.untyped_fifos[operand.min(1)] = resolved.untyped_fifo;
        }
        if let Some(dsr) = resolved.dsr {
            self.thread.registers.note(operand, dsr, resolved.saved.is_some());
        }
        // A DSR determines the microthread with which it was loaded; a DSD uses that of the operation.
        self.ut = self.ut.or(resolved.settings.map_or(self.settings.ut, |s| s.ut));
        // A DSR keeps the settings of its load; a fabric DSD has those of the operation.
        let is_fabric = matches!(resolved.dsd, Dsd::FabIn(_) | Dsd::FabOut(_));
        match resolved.settings {
            Some(settings) => self.brought.add(settings),
            None if is_fabric => self.brought.add(self.settings),
            None => {}
        }
    }

    /// Adds a FIFO with elements of `words` words; of two lengths the shorter one applies.
    pub fn note_fifo(&mut self, fifo: &mut FifoState, access: FifoAccess, words: u16) {
        self.priority = self.priority.max(fifo.priority);
        let length = fifo.length(access, words);
        if length > 0 {
            self.fifo_length = Some(self.fifo_length.map_or(length, |other| other.min(length)));
        }
    }

    /// Adds a fabric operand.
    pub fn note_fabric(&mut self, queue: Option<UtId>, priority: Priority) {
        self.has_fabric = true;
        self.queue_ut = self.queue_ut.or(queue);
        self.priority = self.priority.max(priority);
    }

    /// Records which source to set to zero. This must happen before the first element is read, because the
    /// cursor moves.
    pub fn clear_later(&mut self, zero: ZeroSource) -> Result<(), Diag> {
        let source =
            zero.position(self.thread.operation.sources().len()).map(|k| &self.thread.operation.from[k]);
        let Some(ElementSource::Local(Source::AddressCursor(cursor))) = source else {
            return Err(ZERO_SOURCE.plain());
        };
        self.thread.operation.cleared = Some(*cursor);
        Ok(())
    }

    /// Decides which thread runs the operation, once all operands are known.
    pub fn settle(&mut self) {
        let AsyncSettings { priority, ut, .. } = self.settings;
        if self.settings.is_async {
            self.ignored = self.settings.lost_in(&self.brought);
        }
        self.settings = self.brought;
        // These two belong to the operation as a whole: the documents give a load no priority.
        self.settings.priority = priority.or(self.brought.priority).or(Some(self.priority));
        self.ut = self.ut.or(ut);
        self.ut_by_queue = self.ut.is_none();
        self.ut = self.ut.or(self.queue_ut);
    }

    /// Number of elements; `None` if there is no end.
    pub fn total(&self, checked: bool) -> Result<Option<u32>, ShortOperand> {
        let checked = checked && !self.ends_at_control();
        match self.fifo_length {
            Some(length) => self.lengths.hold(length, checked).map(Some),
            None => self.lengths.total(checked),
        }
    }

    /// Sets how many elements the memory operands hold, if only a control wavelet may follow them.
    pub fn note_room(&mut self, checked: bool) {
        if checked && self.ends_at_control() {
            self.thread.operation.room = self.lengths.shortest_in_memory();
        }
    }

    /// Whether the program relies on a control wavelet to end the operation; its extent may then be longer.
    fn ends_at_control(&self) -> bool {
        self.settings.on_control.is_some() && self.thread.operation.inputs() != 0
    }
}

/// The number of elements of an operand, and where they are.
#[derive(Copy, Clone, Debug)]
pub(super) enum Length {
    InMemory(u32),
    OnFabric(u32),
}

impl Length {
    fn elements(self) -> u32 {
        match self {
            Length::InMemory(n) | Length::OnFabric(n) => n,
        }
    }
}

/// Lengths of the DSD operands; the destination first.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Lengths(pub [Option<Length>; 4]);

impl Lengths {
    /// Number of elements of the operation; `None` if there is no end.
    #[inline]
    pub fn total(&self, checked: bool) -> Result<Option<u32>, ShortOperand> {
        // With two sources or more, the first is src0 and the second src1; a single one is src1.
        let [dest, first, second, third] = self.0;
        let (mut total, mut is_endless) = (None, false);
        for length in [first, second, third, dest].into_iter().flatten() {
            match length.elements() {
                0 => return Ok(Some(0)),
                FOREVER => is_endless = true,
                elements => total = total.or(Some(elements)),
            }
        }
        match total {
            Some(total) => self.hold(total, checked).map(Some),
            None => Ok(if is_endless { None } else { Some(1) }),
        }
    }

    /// Elements of the shortest memory operand.
    fn shortest_in_memory(&self) -> Option<u32> {
        let in_memory = self.0.into_iter().flatten().filter_map(|length| match length {
            Length::InMemory(n) => Some(n),
            Length::OnFabric(_) => None,
        });
        in_memory.min()
    }

    /// Returns `total` if all memory operands have that many elements.
    fn hold(&self, total: u32, checked: bool) -> Result<u32, ShortOperand> {
        // Longer operands are used in part, and a fabric operand continues for as long as the others do.
        let is_short = |length: &Option<Length>| matches!(length, Some(Length::InMemory(n)) if *n < total);
        if !checked || !self.0.iter().any(is_short) {
            return Ok(total);
        }
        let short = self.0.into_iter().enumerate().find_map(|(place, length)| match length {
            Some(Length::InMemory(n)) if n < total => Some((place, n)),
            Some(Length::InMemory(_) | Length::OnFabric(_)) | None => None,
        });
        match short {
            Some((operand, elements)) => Err(ShortOperand { operand, elements, total }),
            None => Ok(total),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operand_that_is_too_short_is_told_and_no_other_in_memory() {
        let (dest, first, second) = (Length::InMemory(8), Length::OnFabric(4), Length::InMemory(2));
        let lengths = Lengths([Some(dest), Some(first), Some(second), None]);
        let short = lengths.total(true).expect_err("an operand is too short");
        assert_eq!((short.operand, short.elements, short.total), (2, 2, 4));
        assert!(matches!(lengths.total(false), Ok(Some(4))));
    }
}
