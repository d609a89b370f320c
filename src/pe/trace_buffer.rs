//! The events that a PE records for a trace.

use super::main_thread::MainThread;
use super::operation::Operation;
use super::queues::Queues;
use super::stall::Stall;
use super::tasks::Picked;
use super::threads::{MAIN, Thread, Threads};
use crate::arch::{Color, PeCoord, UtId};
use crate::exec::counts::{CodeCounts, Piece};
use crate::image::FnId;
use crate::source::Span;
use crate::trace::{Event, EventKind, Queue, Reason, TaskCause, ThreadId, TracedOperation};

/// Events that have not been fetched yet, and the last recorded state, to detect changes.
#[derive(Clone)]
pub(super) struct TraceBuffer {
    at: PeCoord,
    pub events: Vec<Event>,
    /// The task on the main thread, and the cycle in which it started.
    task: Option<(FnId, u64)>,
    /// What each thread waits for, and since which cycle.
    waits: [Option<(Reason, u64)>; MAIN + 1],
    /// `@map`s of the main thread that have not ended.
    maps: Vec<(TracedOperation, u64)>,
    depths: Vec<(Queue, Color, u16)>,
    /// The code that runs, if it is recorded.
    pub code: Option<CodeCounts>,
}

/// An operation that completed at once.
pub(super) struct Quick {
    pub name: &'static str,
    pub span: Span,
    pub done: u32,
    pub of: Option<u32>,
}

impl TraceBuffer {
    /// The trace buffer of the PE at a position; it records which code runs, or only what tasks and operations do.
    pub fn new(at: PeCoord, has_code: bool) -> TraceBuffer {
        let (waits, code) = ([None; MAIN + 1], has_code.then(CodeCounts::in_order));
        TraceBuffer { at, events: Vec::new(), task: None, waits, maps: Vec::new(), depths: Vec::new(), code }
    }

    fn note(&mut self, cycle: u64, what: EventKind) {
        self.events.push(Event { cycle, pe: self.at, what });
    }

    /// A task or a launched function starts.
    pub fn task_start(&mut self, function: FnId, ready: Option<Picked>, queues: &Queues, now: u64) {
        let cause = match ready {
            Some(Picked::Local(id)) => TaskCause::Activated(id),
            Some(Picked::Wavelet { input, .. }) => {
                TaskCause::Wavelet(queues.inputs[usize::from(input)].color)
            }
            None => TaskCause::Launched,
        };
        self.task = Some((function, now));
        self.note(now, EventKind::TaskStart { function, cause });
    }

    /// The task or function has returned.
    pub fn task_end(&mut self, cycle: u64) {
        let Some((function, since)) = self.task.take() else { return };
        self.note(cycle, EventKind::TaskEnd { function, since });
    }

    /// The scalar loop has run from a cycle on; `cycles` says how many a piece of code has taken.
    pub fn ran(&mut self, from: u64, cycles: impl Fn(&Piece) -> u64) {
        let Some((pieces, is_cut)) = self.code.as_mut().map(CodeCounts::take_in_order) else { return };
        let mut cycle = from;
        for piece in pieces {
            let Piece { function, from, to, .. } = piece;
            if from < to {
                self.note(cycle, EventKind::Code { function, from, to });
            }
            cycle += cycles(&piece);
        }
        if is_cut && let Some((function, _)) = self.task {
            self.note(cycle, EventKind::Code { function, from: 0, to: 0 });
        }
    }

    /// An operation on memory or FIFOs alone has completed at once.
    pub fn at_once(&mut self, quick: Quick, since: u64, cycles: u64) {
        let Quick { name, span, done, of } = quick;
        let operation = TracedOperation { thread: ThreadId::Main, name, span, of, colors: 0 };
        self.note(since, EventKind::Start(operation));
        self.note(since + cycles, EventKind::End { operation, since, done });
    }

    /// An operation starts that takes several cycles or may stall.
    pub fn start(&mut self, place: usize, operation: &Operation, span: Span, queues: &Queues, cycle: u64) {
        let operation = described(place, operation, span, queues);
        self.note(cycle, EventKind::Start(operation));
    }

    /// It has ended.
    pub fn end(&mut self, place: usize, thread: &Thread, queues: &Queues, now: u64) {
        self.note_wait(place, None, now);
        let operation = described(place, &thread.operation, thread.span, queues);
        let cycle = if place == MAIN { now + 1 } else { now };
        self.note(cycle, EventKind::End { operation, since: thread.launched, done: thread.operation.done });
    }

    /// A `@map` starts.
    pub fn map_start(&mut self, of: Option<u32>, colors: u32, span: Span, cycle: u64) {
        let operation = TracedOperation { thread: ThreadId::Main, name: "map", span, of, colors };
        self.maps.push((operation, cycle));
        self.note(cycle, EventKind::Start(operation));
    }

    /// It has ended.
    pub fn map_end(&mut self, done: u32, cycle: u64) {
        let Some((operation, since)) = self.maps.pop() else { return };
        self.note_wait(MAIN, None, cycle);
        self.note(cycle, EventKind::End { operation, since, done });
    }

    /// Records what has changed since the last call: which threads wait, and how full the queues are.
    pub fn observe(&mut self, main: &MainThread, threads: &Threads, queues: &Queues, now: u64) {
        for place in 0..=MAIN {
            let wait = wait_of(place, main, threads, queues);
            self.note_wait(place, wait, now);
        }
        let inputs = queues.inputs.iter().map(|i| (Queue::In(i.queue), Some(i.color), i.len()));
        let outputs = queues.outputs.iter().map(|o| (Queue::Out(o.queue), o.color_now(), o.len()));
        let depths: Vec<_> = inputs.chain(outputs).collect();
        for (queue, color, depth) in depths {
            self.note_depth(queue, color, depth as u16, now);
        }
    }

    fn note_depth(&mut self, queue: Queue, color: Option<Color>, depth: u16, now: u64) {
        // Private input queues have no number, so their colors tell them apart.
        let same = |(q, c, _): &&mut (Queue, Color, u16)| {
            *q == queue && (!matches!(q, Queue::In(None)) || Some(*c) == color)
        };
        let color = match (self.depths.iter_mut().find(same), color) {
            (Some((_, old, before)), color) => {
                if *before == depth {
                    return;
                }
                (*old, *before) = (color.unwrap_or(*old), depth);
                *old
            }
            (None, Some(color)) if depth > 0 => {
                self.depths.push((queue, color, depth));
                color
            }
            (None, _) => return,
        };
        self.note(now, EventKind::Depth { queue, color, depth });
    }

    fn note_wait(&mut self, place: usize, wait: Option<Reason>, now: u64) {
        let before = self.waits[place];
        if before.map(|(reason, _)| reason) == wait {
            return;
        }
        self.waits[place] = wait.map(|reason| (reason, now));
        let thread = thread(place);
        if let Some((_, since)) = before {
            self.note(now, EventKind::Resume { thread, since });
        }
        if let Some(on) = wait {
            self.note(now, EventKind::Stall { thread, on });
        }
    }
}

fn described(place: usize, operation: &Operation, span: Span, queues: &Queues) -> TracedOperation {
    let read = operation.fabins().map(|fabin| queues.inputs[fabin.input].color);
    let colors = read.chain(operation.color()).fold(0, |all, color| all | 1 << color.0);
    TracedOperation { thread: thread(place), name: operation.name(), span, of: operation.total, colors }
}

/// What the operation of a thread waits for.
fn wait_of(place: usize, main: &MainThread, threads: &Threads, queues: &Queues) -> Option<Reason> {
    let is_blocked = place != MAIN && threads.blocked & 1 << place != 0;
    let thread = threads.iter().find(|(other, _)| *other == place).map(|(_, thread)| thread);
    match (thread, place) {
        (Some(_), _) if is_blocked => Some(Reason::Unblock),
        (Some(thread), _) => thread.stalled.map(|(stall, _)| reason(stall, thread.operation.color(), queues)),
        (None, MAIN) => main.stalled_on().map(|stall| reason(stall, None, queues)),
        (None, _) => None,
    }
}

/// What a stall is a wait for.
pub(super) fn reason(stall: Stall, sends: Option<Color>, queues: &Queues) -> Reason {
    match stall {
        Stall::Input(input) => {
            let inbox = &queues.inputs[input];
            Reason::Wavelet { color: inbox.color, queue: inbox.queue }
        }
        Stall::Output(output) => {
            let outbox = &queues.outputs[output];
            let color = sends.or(outbox.color_now()).expect("a full queue holds wavelets of a color");
            Reason::Space { color, queue: outbox.queue }
        }
        Stall::FifoEmpty(end) => Reason::FifoData(end.fifo as u16),
        Stall::FifoFull(end) => Reason::FifoSpace(end.fifo as u16),
    }
}

fn thread(place: usize) -> ThreadId {
    if place == MAIN { ThreadId::Main } else { ThreadId::Micro(UtId(place as u8)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::counts::Counting;
    use crate::exec::guard::Guard;

    #[test]
    fn operations_that_are_counted_by_themselves_are_no_code_but_take_their_cycles() {
        let mut trace = TraceBuffer::new(PeCoord { x: 0, y: 0 }, true);
        let mut counting = Counting { counts: trace.code.as_mut().expect("code is recorded"), words: None };
        counting.ran(FnId(1), 0, 4);
        counting.counts.add_operation(FnId(1), 4, 30, 6);
        counting.ran(FnId(1), 5, 7);
        trace.ran(
            10,
            |piece| if piece.from == piece.to { piece.cycles } else { (piece.to - piece.from).into() },
        );
        let code: Vec<_> = trace.events.iter().map(|event| (event.cycle, event.what)).collect();
        let piece = |from, to| EventKind::Code { function: FnId(1), from, to };
        assert_eq!(code, [(10, piece(0, 4)), (44, piece(5, 7))]);
    }
}
