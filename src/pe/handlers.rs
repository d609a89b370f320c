//! The teardown task: what makes it run, and what it runs.

use super::Pe;
use crate::arch::{Color, InQueue, OutQueue, TEARDOWN_TASK, TaskId};
use crate::diagnostics::Complaint;
use crate::diagnostics::rules::run::FLUSH_OPEN;
use crate::image::{Event, FnId, TileImage};

/// Number of the first output queue in a set of queues; input queues come first.
const OUTPUTS: u16 = 8;

/// What the teardown task has to do, and what it may ask about.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Duties {
    /// Handlers that have to run, bit = number in the tile.
    due: u64,
    /// Colors that have gone into teardown, bit = color.
    torn_down: u32,
    /// What the last read of the low half of `torn_down` has found.
    seen: u32,
    /// Queues that `@queue_flush` has named and that are not empty yet, bit = queue.
    flushing: u16,
    /// Those that have become empty since, until `queue_flush.exit`.
    flushed: u16,
}

impl Duties {
    /// A half of the colors that have gone into teardown since the low half was read.
    pub fn read_torn_down(&mut self, half: u16) -> u16 {
        if half == 0 {
            self.seen = std::mem::take(&mut self.torn_down);
            return self.seen as u16;
        }
        (self.seen >> 16) as u16
    }

    /// Queues that are empty after a flush: inputs in the low byte, outputs in the high one.
    pub fn flushed(&self) -> u16 {
        self.flushed
    }

    /// The program leaves flushes.
    pub fn set_flushed(&mut self, queues: u16) {
        self.flushed &= queues;
    }
}

impl Pe {
    /// One of its colors has gone into teardown.
    pub fn tear_down(&mut self, color: Color) {
        self.duties.torn_down |= 1 << color.0;
        self.raise(Event::Teardown(color));
    }

    /// `@queue_flush`: 0 to 7 are input queues, the others output queues.
    pub(super) fn flush(&mut self, queue: u16) -> Result<(), Complaint> {
        let bit = 1 << (queue & 15);
        if self.duties.flushed & bit != 0 {
            let (event, _) = self.emptiness(queue);
            let open = FLUSH_OPEN.because(&[("queue", &event)]);
            return Err(open.help("call `tile_config.queue_flush.exit(queue)` before the next flush"));
        }
        self.duties.flushing |= bit;
        Ok(())
    }

    /// Tells the teardown task about queues that have become empty.
    pub(super) fn watch_flushes(&mut self) {
        if self.duties.flushing == 0 {
            return;
        }
        for queue in 0..2 * OUTPUTS {
            let bit = 1 << queue;
            let (event, is_empty) = self.emptiness(queue);
            if self.duties.flushing & bit != 0 && is_empty {
                self.duties.flushing &= !bit;
                self.duties.flushed |= bit;
                self.raise(event);
            }
        }
    }

    fn emptiness(&self, queue: u16) -> (Event, bool) {
        if queue < OUTPUTS {
            let queue = InQueue(queue as u8);
            (Event::EmptyInput(queue), self.queues.is_input_empty(queue))
        } else {
            let queue = OutQueue((queue - OUTPUTS) as u8);
            (Event::EmptyOutput(queue), self.queues.is_output_empty(queue))
        }
    }

    /// A program has handlers, or a teardown task of its own.
    fn raise(&mut self, event: Event) {
        let handler = self.tile.handlers.iter().position(|h| h.on == event);
        if let Some(n) = handler {
            self.duties.due |= 1 << n;
        }
        if handler.is_some() || self.tile.handlers.is_empty() {
            self.tasks.tear_down();
        }
    }

    /// The handler that runs next; the task stays active while there are more.
    pub(super) fn next_handler(&mut self, tile: &TileImage) -> Option<FnId> {
        let first = self.duties.due.trailing_zeros();
        self.duties.due &= !1u64.checked_shl(first).unwrap_or(0);
        if self.duties.due == 0 {
            self.tasks.start(TaskId(TEARDOWN_TASK));
        }
        let handler = tile.handlers.get(first as usize)?;
        if let Event::Teardown(color) = handler.on {
            self.duties.torn_down &= !(1 << color.0);
        }
        Some(handler.function)
    }
}
