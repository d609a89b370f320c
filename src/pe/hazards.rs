//! What a PE can find out about a program that goes wrong without a word on the machine. Nothing of
//! this changes what happens; `--unchecked` leaves it out.

use super::Pe;
use super::operation::{Intake, Mixed, Operation};
use super::tasks::bit;
use crate::arch::{ArchName, TaskId};
use crate::diagnostics::rules::run as rules;
use crate::diagnostics::{At, Complaint};
use crate::image::{TaskKind, TileImage};
use crate::source::Span;

impl Pe {
    /// Says something about a program that goes on.
    fn warn(&mut self, warning: Complaint) {
        self.warnings.push(warning);
    }

    /// No two operations share a queue, and what is left of one is no business of the next. On WSE-3
    /// operations of different microthreads may share one; one of the main thread has no microthread
    /// that would tell them apart (ruling OQ-37).
    pub(super) fn check_queues(
        &mut self,
        operation: &Operation,
        is_async: bool,
        span: Span,
    ) -> Result<(), Complaint> {
        if !self.options.checked {
            return Ok(());
        }
        if let Some((queue, other)) = self.shared_queue(operation) {
            if self.arch.name == ArchName::Wse2 {
                let c = rules::QUEUE_IN_USE.because(&[("queue", &queue)]);
                return Err(c.also(other, "this one is still running").help(WAIT));
            }
            if !is_async {
                let c = rules::QUEUE_SHARED.because(&[("queue", &queue)]).at(span);
                self.warn(c.also(other, "this one is still running").help(WAIT));
            }
        }
        self.check_outlet(operation)?;
        for intake in operation.intakes() {
            self.check_intake(intake, span)?;
        }
        Ok(())
    }

    /// A queue that an operation in progress uses, too, and where that operation stands.
    fn shared_queue(&self, operation: &Operation) -> Option<(String, Span)> {
        let (inputs, output) = (operation.inputs(), operation.output());
        self.lanes.iter().find_map(|(_, lane)| {
            let shared = lane.operation.inputs() & inputs;
            if shared != 0 {
                let inbox = &self.queues.inputs[shared.trailing_zeros() as usize];
                let private = || format!("color {}", inbox.color);
                return Some((inbox.queue.map_or_else(private, |q| format!("input queue {q}")), lane.span));
            }
            let output = output.filter(|output| lane.operation.output() == Some(*output))?;
            let queue = self.queues.outputs[output].queue;
            Some((queue.map_or("the output queue".into(), |q| format!("output queue {q}")), lane.span))
        })
    }

    /// Wavelets of another color that have not left yet would share the queue.
    fn check_outlet(&self, operation: &Operation) -> Result<(), Complaint> {
        let (Some(output), Some(color)) = (operation.output(), operation.color()) else { return Ok(()) };
        let outbox = &self.queues.outputs[output];
        let (Some(queue), Some(head)) = (outbox.queue, outbox.head_color()) else { return Ok(()) };
        if head == color {
            return Ok(());
        }
        let facts: [(&str, &dyn std::fmt::Display); 3] =
            [("queue", &format!("output queue {queue}")), ("count", &outbox.len()), ("color", &head)];
        Err(rules::QUEUE_NOT_EMPTY.because(&facts).help("use another queue, or wait until they have left"))
    }

    /// An input queue that served another color must have been emptied.
    fn check_intake(&mut self, intake: &Intake, span: Span) -> Result<(), Complaint> {
        let Some(queue) = intake.queue else { return Ok(()) };
        let color = self.queues.inputs[intake.input].color;
        let before = self.queues.read_through(queue, color, span);
        let Some((other, place)) = before.filter(|(other, _)| *other != color) else { return Ok(()) };
        let left = self.queues.inputs.iter().find(|i| i.color == other).map_or(0, |i| i.len());
        if left == 0 {
            return Ok(());
        }
        let facts: [(&str, &dyn std::fmt::Display); 3] =
            [("queue", &format!("input queue {queue}")), ("count", &left), ("color", &other)];
        let c = rules::QUEUE_NOT_EMPTY.because(&facts).also(place, format!("this one reads color {other}"));
        Err(c.help("take all wavelets of the first color before the queue serves another"))
    }

    /// A data task that is ready for the wavelets of an operation: one of them gets them.
    pub(super) fn check_contest(&self, now: u64) -> Result<(), Complaint> {
        let idle = self.main.is_free() && self.main.busy_until <= now;
        if !self.options.checked || !idle || self.lanes.is_empty() {
            return Ok(());
        }
        for (_, lane) in self.lanes.iter() {
            for intake in lane.operation.intakes() {
                let Some(id) = self.tasks.wants(self.arch.name, &self.queues, intake.input) else { continue };
                let color = self.queues.inputs[intake.input].color;
                let mut c = rules::STOLEN_WAVELETS.because(&[("color", &color)]).at(lane.span);
                if let Some(task) = self.tile.tasks.iter().find(|t| t.id == id && t.kind == TaskKind::Data) {
                    c = c.also(task.span, format!("`{}` is bound to it and not blocked", task.name));
                }
                return Err(
                    c.help("block the task while the operation runs, and unblock it when it is complete")
                );
            }
        }
        Ok(())
    }

    /// What an operation has just taken as data and should not have.
    pub(super) fn check_intakes(&mut self, place: usize) -> Result<(), Complaint> {
        let Some(lane) = self.lanes.slot(place) else { return Ok(()) };
        let span = lane.span;
        let Some(mixed) = lane.operation.take_mixed() else { return Ok(()) };
        self.check_mixed(mixed, span)
    }

    /// A wavelet that loses something on the way in.
    pub(super) fn check_mixed(&mut self, mixed: Mixed, span: Span) -> Result<(), Complaint> {
        if !self.options.checked {
            return Ok(());
        }
        match mixed {
            Mixed::Control(color) => {
                let c = rules::CONTROL_AS_DATA.because(&[("color", &color)]).at(span);
                let help =
                    "set `.control_transform` to pass them on, or end the operation with `.on_control`";
                self.warn(c.help(help));
                Ok(())
            }
            Mixed::Marked(wavelet) => {
                let index = format!("{:#06x}", wavelet.data >> 16);
                let c = rules::INDEX_TOO_WIDE.because(&[("index", &index)]);
                Err(c.help("keep indices below 0x4000: bits 31 and 30 mark control wavelets")).at(span)
            }
        }
    }

    /// A second activation is lost, because a task is active or it is not.
    pub(super) fn check_activation(&mut self, id: TaskId, span: Span) {
        if self.options.checked && self.tasks.active & bit(id) != 0 {
            let name = self.tile.tasks.iter().find(|t| t.id == id && t.kind == TaskKind::Local);
            let name = name.map_or("", |t| t.name.as_str()).to_string();
            let c = rules::ALREADY_ACTIVE.because(&[("name", &name), ("id", &id)]).at(span);
            self.warn(c.help("count in a variable, and let the task look at it"));
        }
    }

    /// A launch is over when the stream is unblocked once.
    pub(super) fn check_unblock(&mut self, tile: &TileImage) {
        if self.options.checked && self.was_launched && !self.command_stream_blocked {
            let c = rules::UNBLOCKED_TWICE.plain().at(self.caller_place(tile));
            self.warn(c.help("call `unblock_cmd_stream` once for each launch, when its work is done"));
        }
    }
}

const WAIT: &str = "start it when the other one is complete: `.activate` a task that does";
