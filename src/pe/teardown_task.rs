//! The teardown task: the events that activate it, and the handlers that it calls.

use super::checks::Checks;
use super::operation::Operation;
use super::queues::Queues;
use super::tasks::Tasks;
use super::threads::Threads;
use crate::arch::{Color, InQueue, OutQueue, TEARDOWN_TASK, TaskId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{FLUSH_NOT_LEFT, FLUSH_OPEN, FLUSH_TOO_EARLY};
use crate::image::{FnId, TeardownCause, TileImage};
use crate::source::Span;

/// Number of the first output queue in a set of queues; input queues come first.
const OUTPUTS: u16 = 8;
/// Number of queues in such a set.
pub(super) const QUEUES: u16 = 2 * OUTPUTS;

/// Pending work of the teardown task, and the registers that it can read. Fields that every visit reads come
/// last.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct TeardownTask {
    /// Handlers that must run, bit = number in the tile.
    due: u64,
    /// Colors that have gone into teardown, bit = color.
    torn_down: u32,
    /// The value of `torn_down` at the last read of its low half.
    seen: u32,
    /// The cycle in which the task that read it started.
    read_in: Option<u64>,
    /// Flushed queues that have become empty, until `queue_flush.exit`, bit = queue.
    flushed: u16,
    /// Queues whose handler is running, and the source location of the handler.
    answered: Option<(u16, Span)>,
    /// Queues of `@queue_flush` calls that are not empty yet.
    flushing: Vec<Flush>,
}

/// A `@queue_flush` that waits for its queue.
#[derive(Clone, Debug)]
struct Flush {
    queue: u16,
    span: Span,
}

impl TeardownTask {
    /// Whether the task that started in a given cycle has read the register before.
    pub fn has_read(&self, half: u16, task: u64) -> bool {
        half == 0 && self.read_in == Some(task)
    }

    /// Reads one half of the set of colors that have gone into teardown since the low half was last read, for
    /// the task that started in a given cycle.
    pub fn read_torn_down(&mut self, half: u16, task: u64) -> u16 {
        if half > 0 {
            return (self.seen >> 16) as u16;
        }
        self.read_in = Some(task);
        self.seen = std::mem::take(&mut self.torn_down);
        self.seen as u16
    }

    /// Whether a `@queue_flush` waits for its queue.
    pub fn has_flushes(&self) -> bool {
        !self.flushing.is_empty()
    }

    /// Whether the running task handles flushes, so that its end must be checked.
    #[inline]
    pub fn are_answered(&self) -> bool {
        self.answered.is_some()
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

/// The events that the teardown task handles.
pub(super) struct TeardownContext<'a> {
    pub tile: &'a TileImage,
    pub tasks: &'a mut Tasks,
    pub queues: &'a Queues,
    pub threads: &'a Threads,
    pub checks: &'a mut Checks,
}

impl TeardownTask {
    /// One of its colors has gone into teardown.
    pub fn tear_down(&mut self, color: Color, tile: &TileImage, tasks: &mut Tasks) {
        self.torn_down |= 1 << color.0;
        self.raise(TeardownCause::Teardown(color), tile, tasks);
    }

    /// `@queue_flush`: 0 to 7 are input queues, the others output queues.
    pub fn flush(
        &mut self,
        queue: u16,
        place: Span,
        queues: &Queues,
        checks: &mut Checks,
    ) -> Result<(), Diag> {
        if checks.is_checked && self.flushed & 1 << queue != 0 {
            let (event, _) = emptiness(queue, queues);
            let open = FLUSH_OPEN.because(&[("queue", &event)]);
            let open = open.at(place);
            checks.hazard(open.help("call `tile_config.queue_flush.exit(queue)` before the next flush"))?;
        }
        self.flushing.push(Flush { queue, span: place });
        Ok(())
    }

    /// Activates the teardown task for queues that have become empty.
    pub fn watch_flushes(&mut self, context: &mut TeardownContext<'_>) -> Result<(), Diag> {
        let all = std::mem::take(&mut self.flushing).into_iter();
        let (empty, waiting): (Vec<Flush>, Vec<Flush>) =
            all.partition(|f| emptiness(f.queue, context.queues).1);
        for flush in empty {
            let (event, _) = emptiness(flush.queue, context.queues);
            context.check_users(event, flush.span)?;
            self.flushed |= 1 << flush.queue;
            self.raise(event, context.tile, context.tasks);
        }
        self.flushing = waiting;
        Ok(())
    }

    /// A program has handlers, or a teardown task of its own.
    fn raise(&mut self, event: TeardownCause, tile: &TileImage, tasks: &mut Tasks) {
        let handler = tile.handlers.iter().position(|h| h.on == event);
        if let Some(n) = handler {
            self.due |= 1 << n;
        }
        if handler.is_some() || tile.handlers.is_empty() {
            tasks.tear_down();
        }
    }

    /// The handler to run next; the task stays active while there are more.
    pub fn next_handler(&mut self, tile: &TileImage, tasks: &mut Tasks) -> Option<FnId> {
        let first = self.due.trailing_zeros();
        self.due &= !1u64.checked_shl(first).unwrap_or(0);
        if self.due == 0 {
            tasks.start(TaskId(TEARDOWN_TASK));
        }
        let handler = tile.handlers.get(first as usize)?;
        if let TeardownCause::Teardown(color) = handler.on {
            self.torn_down &= !(1 << color.0);
        }
        let queues = match handler.on {
            TeardownCause::Teardown(_) => 0,
            TeardownCause::EmptyInput(queue) => 1 << queue.0,
            TeardownCause::EmptyOutput(queue) => 1 << (u16::from(queue.0) + OUTPUTS),
        };
        self.answered = Some((queues, tile.functions[handler.function.0 as usize].span));
        Some(handler.function)
    }

    /// A teardown task of the program itself starts: it handles all flushes.
    pub fn begin_teardown_task(&mut self, at: Span) {
        self.answered = Some((self.flushed, at));
    }

    /// A task has ended; if it handled flushes, it must have ended them (`queue_flush.exit`).
    pub fn end_task(&mut self, context: &mut TeardownContext<'_>) -> Result<(), Diag> {
        let Some((answered, at)) = self.answered.take() else { return Ok(()) };
        let open = answered & self.flushed;
        if open == 0 || !context.checks.is_checked {
            return Ok(());
        }
        let (event, _) = emptiness(open.trailing_zeros() as u16, context.queues);
        let diag = FLUSH_NOT_LEFT.because(&[("queue", &event)]);
        context
            .checks
            .hazard(diag.at(at).help("call `tile_config.queue_flush.exit(queue)` in the handler"))?;
        self.raise(event, context.tile, context.tasks);
        Ok(())
    }
}

impl TeardownContext<'_> {
    /// Warns if a flushed queue is empty only because an operation has not started to fill it.
    fn check_users(&mut self, event: TeardownCause, span: Span) -> Result<(), Diag> {
        let is_user = |operation: &Operation| match event {
            TeardownCause::Teardown(_) => false,
            TeardownCause::EmptyInput(queue) => self
                .queues
                .inputs
                .iter()
                .enumerate()
                .any(|(n, inbox)| operation.inputs() & 1 << n != 0 && inbox.queue == Some(queue)),
            TeardownCause::EmptyOutput(queue) => {
                operation.output().is_some_and(|n| self.queues.outputs[n].queue == Some(queue))
            }
        };
        let user =
            self.threads.iter().find(|(_, thread)| is_user(&thread.operation)).map(|(_, thread)| thread.span);
        match user {
            Some(user) if self.checks.is_checked => {
                let early = FLUSH_TOO_EARLY.because(&[("queue", &event)]).at(span);
                let early = early.also(user, "this one is not complete");
                self.checks
                    .hazard(early.help("flush the queue in the task that `.activate` of the operation names"))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// The event that a queue is empty, and whether it is.
fn emptiness(queue: u16, queues: &Queues) -> (TeardownCause, bool) {
    if queue < OUTPUTS {
        let input = InQueue(queue as u8);
        (TeardownCause::EmptyInput(input), queues.is_input_empty(input))
    } else {
        let output = OutQueue((queue - OUTPUTS) as u8);
        (TeardownCause::EmptyOutput(output), queues.is_output_empty(output))
    }
}
