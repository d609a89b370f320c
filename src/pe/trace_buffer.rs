//! What a PE writes down while a run is recorded.

use super::Pe;
use super::operation::{Operation, Stall};
use super::tasks::Picked;
use super::threads::{MAIN, Thread};
use crate::arch::{Color, UtId};
use crate::image::FnId;
use crate::source::Span;
use crate::trace::{Event, EventKind, Queue, Reason, TaskCause, ThreadId, TracedOperation};

/// Events that nobody has taken, and what the last ones have said.
#[derive(Clone, Default)]
pub(super) struct TraceBuffer {
    events: Vec<Event>,
    /// What runs on the main thread, and since when.
    task: Option<(FnId, u64)>,
    /// What each thread waits for, and since when.
    waits: [Option<(Reason, u64)>; MAIN + 1],
    /// `@map`s of the main thread that have not ended.
    maps: Vec<(TracedOperation, u64)>,
    depths: Vec<(Queue, Color, u16)>,
}

/// An operation that was done at once.
pub(super) struct Quick {
    pub name: &'static str,
    pub span: Span,
    pub done: u32,
    pub of: Option<u32>,
}

impl Pe {
    /// From now on writes down what happens.
    pub fn record(&mut self) {
        self.trace_buffer = Some(Box::default());
    }

    /// Writes nothing down any more.
    pub fn stop_recording(&mut self) {
        self.trace_buffer = None;
    }

    /// What it has written down since the last call; `None` if it does not.
    pub fn events(&mut self) -> Option<&mut Vec<Event>> {
        self.trace_buffer.as_mut().map(|trace_buffer| &mut trace_buffer.events)
    }

    fn note(&mut self, cycle: u64, what: EventKind) {
        let pe = self.at;
        if let Some(trace_buffer) = &mut self.trace_buffer {
            trace_buffer.events.push(Event { cycle, pe, what });
        }
    }

    /// A task or a launched function begins.
    pub(super) fn note_task_start(&mut self, function: FnId, ready: Option<Picked>, now: u64) {
        let Some(trace_buffer) = &mut self.trace_buffer else { return };
        let cause = match ready {
            Some(Picked::Local(id)) => TaskCause::Activated(id),
            Some(Picked::Wavelet { input, .. }) => TaskCause::Wavelet(self.queues.inputs[input].color),
            None => TaskCause::Launched,
        };
        trace_buffer.task = Some((function, now));
        self.note(now, EventKind::TaskStart { function, cause });
    }

    /// It has returned.
    pub(super) fn note_task_end(&mut self, cycle: u64) {
        let Some(trace_buffer) = &mut self.trace_buffer else { return };
        let Some((function, since)) = trace_buffer.task.take() else { return };
        self.note(cycle, EventKind::TaskEnd { function, since });
    }

    /// An operation on memory or FIFOs alone was done at once.
    pub(super) fn note_at_once(&mut self, quick: Quick, since: u64, cycles: u64) {
        if self.trace_buffer.is_none() {
            return;
        }
        let Quick { name, span, done, of } = quick;
        let operation = TracedOperation { thread: ThreadId::Main, name, span, of, colors: 0 };
        self.note(since, EventKind::Start(operation));
        self.note(since + cycles, EventKind::End { operation, since, done });
    }

    /// An operation begins that takes its time.
    pub(super) fn note_start(&mut self, place: usize, operation: &Operation, span: Span, cycle: u64) {
        if self.trace_buffer.is_some() {
            let operation = self.described(place, operation, span);
            self.note(cycle, EventKind::Start(operation));
        }
    }

    /// It has ended.
    pub(super) fn note_end(&mut self, place: usize, thread: &Thread, now: u64) {
        if self.trace_buffer.is_none() {
            return;
        }
        self.note_wait(place, None, now);
        let operation = self.described(place, &thread.operation, thread.span);
        let cycle = if place == MAIN { now + 1 } else { now };
        self.note(cycle, EventKind::End { operation, since: thread.started, done: thread.operation.done });
    }

    fn described(&self, place: usize, operation: &Operation, span: Span) -> TracedOperation {
        let read = operation.intakes().map(|intake| self.queues.inputs[intake.input].color);
        let colors = read.chain(operation.color()).fold(0, |all, color| all | 1 << color.0);
        TracedOperation { thread: thread(place), name: operation.name(), span, of: operation.total, colors }
    }

    /// A `@map` begins.
    pub(super) fn note_map_start(&mut self, of: Option<u32>, colors: u32, span: Span, cycle: u64) {
        let Some(trace_buffer) = &mut self.trace_buffer else { return };
        let operation = TracedOperation { thread: ThreadId::Main, name: "map", span, of, colors };
        trace_buffer.maps.push((operation, cycle));
        self.note(cycle, EventKind::Start(operation));
    }

    /// It has ended.
    pub(super) fn note_map_end(&mut self, done: u32, cycle: u64) {
        let Some(trace_buffer) = &mut self.trace_buffer else { return };
        let Some((operation, since)) = trace_buffer.maps.pop() else { return };
        self.note_wait(MAIN, None, cycle);
        self.note(cycle, EventKind::End { operation, since, done });
    }

    /// Writes down what has changed since the last call: who waits, and how full the queues are.
    pub(super) fn observe(&mut self, now: u64) {
        for place in 0..=MAIN {
            let wait = self.wait_of(place);
            self.note_wait(place, wait, now);
        }
        let inputs = self.queues.inputs.iter().map(|i| (Queue::In(i.queue), Some(i.color), i.len()));
        let outputs = self.queues.outputs.iter().map(|o| (Queue::Out(o.queue), o.color_now(), o.len()));
        let depths: Vec<_> = inputs.chain(outputs).collect();
        for (queue, color, depth) in depths {
            self.note_depth(queue, color, depth as u16, now);
        }
    }

    fn note_depth(&mut self, queue: Queue, color: Option<Color>, depth: u16, now: u64) {
        let Some(trace_buffer) = &mut self.trace_buffer else { return };
        // Private input queues are told apart by their colors.
        let same = |(q, c, _): &&mut (Queue, Color, u16)| {
            *q == queue && (!matches!(q, Queue::In(None)) || Some(*c) == color)
        };
        let color = match (trace_buffer.depths.iter_mut().find(same), color) {
            (Some((_, old, before)), color) => {
                if *before == depth {
                    return;
                }
                (*old, *before) = (color.unwrap_or(*old), depth);
                *old
            }
            (None, Some(color)) if depth > 0 => {
                trace_buffer.depths.push((queue, color, depth));
                color
            }
            (None, _) => return,
        };
        self.note(now, EventKind::Depth { queue, color, depth });
    }

    fn wait_of(&self, place: usize) -> Option<Reason> {
        let is_blocked = place != MAIN && self.threads.blocked & 1 << place != 0;
        let thread = self.threads.iter().find(|(other, _)| *other == place).map(|(_, thread)| thread);
        match (thread, place) {
            (Some(_), _) if is_blocked => Some(Reason::Unblock),
            (Some(thread), _) => {
                thread.stalled.map(|(stall, _)| self.reason(stall, thread.operation.color()))
            }
            (None, MAIN) => self.main.stalled_on().map(|stall| self.reason(stall, None)),
            (None, _) => None,
        }
    }

    fn reason(&self, stall: Stall, sends: Option<Color>) -> Reason {
        match stall {
            Stall::Input(input) => {
                let inbox = &self.queues.inputs[input];
                Reason::Wavelet { color: inbox.color, queue: inbox.queue }
            }
            Stall::Output(output) => {
                let outbox = &self.queues.outputs[output];
                let color = sends.or(outbox.color_now()).expect("a full queue holds wavelets of a color");
                Reason::Space { color, queue: outbox.queue }
            }
            Stall::FifoEmpty(end) => Reason::FifoData(end.fifo as u16),
            Stall::FifoFull(end) => Reason::FifoSpace(end.fifo as u16),
        }
    }

    fn note_wait(&mut self, place: usize, wait: Option<Reason>, now: u64) {
        let Some(trace_buffer) = &mut self.trace_buffer else { return };
        let before = trace_buffer.waits[place];
        if before.map(|(reason, _)| reason) == wait {
            return;
        }
        trace_buffer.waits[place] = wait.map(|reason| (reason, now));
        let thread = thread(place);
        if let Some((_, since)) = before {
            self.note(now, EventKind::Resume { thread, since });
        }
        if let Some(on) = wait {
            self.note(now, EventKind::Stall { thread, on });
        }
    }
}

fn thread(place: usize) -> ThreadId {
    if place == MAIN { ThreadId::Main } else { ThreadId::Micro(UtId(place as u8)) }
}
