//! What a PE notes for a profile. The cycles are exact although the PE runs ahead of the clock: whoever calls says in which
//! cycle something happens.

use super::fabric_operands::{FabInOperand, FabOutOperand};
use super::operation::{ElementDest, Operation, StepResult};
use super::queues::Queues;
use super::stall::Stall;
use super::tasks::CompletionAction;
use super::threads::{MAIN, Thread};
use super::trace_buffer::reason;
use crate::arch::Color;
use crate::dsd::Simd;
use crate::exec::counts::CodeCounts;
use crate::fabric::Ramp;
use crate::image::FnId;
use crate::profile::{NotedOperation, Origin, PeRecords, QueueMark, Record, Started};
use crate::source::Span;
use crate::trace::Reason;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Elements of one operation that are further apart than this begin a new record.
const MOST_STRIDE: u64 = 16;

/// The wavelet that somebody has just taken: its color, and how many lie behind it in the queue.
#[derive(Copy, Clone, Debug)]
struct Taken {
    color: Color,
    behind: usize,
}

/// Elements that may be followed by others in the same record.
#[derive(Clone, Debug)]
struct OpenMoves {
    from: u64,
    last: u64,
    times: u32,
    stride: u64,
    elements: u32,
}

/// The notes of a PE.
#[derive(Clone)]
pub(super) struct ProfileLog {
    notes: PeRecords,
    /// The pieces of code that have run since the last record of code.
    pub counts: CodeCounts,
    /// Where the next record of code begins.
    code_from: u64,
    /// For each thread, the elements that have moved last.
    open: [Option<OpenMoves>; MAIN + 1],
    /// For each thread, the elements that its operation has done.
    seen: [u32; MAIN + 1],
    /// Records that name a wavelet whose origin is not known yet.
    pending: Vec<(usize, Taken)>,
    /// Shapes by the hash of their pieces, operations by themselves.
    shapes: FxHashMap<u64, u32>,
    operations: FxHashMap<NotedOperation, u32>,
    /// By input and by output, the most wavelets that it has held.
    fullest: [Vec<u32>; 2],
    /// Elements of the operation that the PE does at once.
    pub elements: u32,
    /// The operation that the PE serves has records of its own.
    has_records: bool,
    limit: usize,
}

impl ProfileLog {
    /// Empty notes, of so many records and pieces of code at most.
    pub fn new(limit: usize) -> ProfileLog {
        ProfileLog {
            notes: PeRecords::default(),
            counts: CodeCounts::new(),
            code_from: 0,
            open: [const { None }; MAIN + 1],
            seen: [0; MAIN + 1],
            pending: Vec::new(),
            shapes: FxHashMap::default(),
            operations: FxHashMap::default(),
            fullest: [Vec::new(), Vec::new()],
            elements: 0,
            has_records: false,
            limit,
        }
    }

    fn push(&mut self, at: u64, record: Record) {
        if self.notes.cut.is_some() {
            return;
        }
        if self.notes.records.len() + self.notes.pieces.len() >= self.limit {
            self.notes.cut = Some(at);
            return;
        }
        self.notes.records.push(record);
    }

    fn push_taking(&mut self, at: u64, record: Record, taken: Option<Taken>) {
        let index = self.notes.records.len();
        self.push(at, record);
        if let Some(taken) = taken.filter(|_| self.notes.records.len() > index) {
            self.pending.push((index, taken));
        }
    }

    /// A task or function starts, and runs code from a cycle on.
    pub fn task(
        &mut self,
        function: FnId,
        started: Started,
        input: Option<usize>,
        queues: &Queues,
        (from, until): (u64, u64),
    ) {
        self.code_from = until;
        let taken = input.map(|input| taken_from(input, queues));
        input.into_iter().for_each(|input| self.note_taken(input, queues));
        self.push_taking(from, Record::Task { from, until, function, started, origin: None }, taken);
    }

    /// The task or function has returned.
    #[cold]
    pub fn task_end(&mut self, at: u64) {
        self.code(at);
        self.push(at, Record::TaskEnd { at });
    }

    /// What has run so far is a stretch of code up to a cycle.
    pub fn code(&mut self, until: u64) {
        if self.notes.cut.is_some() {
            let mut forgotten = Vec::new();
            self.counts.take(&mut forgotten);
        } else {
            let first = self.notes.pieces.len();
            self.counts.take(&mut self.notes.pieces);
            if first < self.notes.pieces.len() || until > self.code_from {
                let shape = self.shape(first);
                let from = std::mem::replace(&mut self.code_from, until);
                self.push(from, Record::Code { from, until, shape });
            }
        }
        self.code_from = until;
    }

    /// The shape of the pieces from one on, which are forgotten if others are equal.
    fn shape(&mut self, first: usize) -> u32 {
        let PeRecords { pieces, shapes, .. } = &mut self.notes;
        let mut hasher = FxHasher::default();
        pieces[first..].hash(&mut hasher);
        let next = shapes.len() as u32;
        let shape = *self.shapes.entry(hasher.finish()).or_insert(next);
        if let Some((from, to)) = shapes.get(shape as usize).copied()
            && pieces[from as usize..to as usize] == pieces[first..]
        {
            pieces.truncate(first);
            return shape;
        }
        shapes.push((first as u32, pieces.len() as u32));
        next
    }

    /// An operation of the code has taken some cycles, or has gone on after it had to wait since a cycle.
    pub fn served(
        &mut self,
        (function, at): (FnId, usize),
        cycles: u64,
        waited: Option<(Reason, u64)>,
        now: u64,
    ) {
        let elements = std::mem::take(&mut self.elements);
        if std::mem::take(&mut self.has_records) {
            return;
        }
        if let Some((on, from)) = waited {
            self.wait(MAIN, on, (from, now), None);
            self.code_from = now;
        }
        self.counts.add_operation(function, at, cycles, elements.into());
    }

    /// A thread has waited for something.
    fn wait(&mut self, thread: usize, on: Reason, (from, until): (u64, u64), taken: Option<Taken>) {
        if from < until {
            let record = Record::Wait { thread: thread as u8, from, until, on, origin: None };
            self.push_taking(from, record, taken);
        }
    }

    /// A thread waits for something else than since a cycle.
    pub fn wait_changes(&mut self, thread: usize, on: Reason, from: u64, now: u64) {
        self.wait(thread, on, (from, now), None);
    }

    /// A thread begins an operation.
    pub fn begin(&mut self, thread: usize, operation: NotedOperation, from: u64, started: u64) {
        self.code(from);
        let next = self.notes.operations.len() as u32;
        let operation = *self.operations.entry(operation).or_insert_with(|| {
            self.notes.operations.push(operation);
            next
        });
        self.seen[thread] = 0;
        self.push(from, Record::Begin { thread: thread as u8, from, started, operation });
    }

    /// A step of an operation.
    #[cold]
    #[inline(never)]
    pub fn step(&mut self, place: usize, thread: &Thread, step: StepResult, queues: &Queues, now: u64) {
        let operation = &thread.operation;
        let input = operation.fabins().next().map(|fabin| fabin.input);
        let taken = input.map(|input| taken_from(input, queues));
        if let StepResult::Stalled(stall) = step {
            self.close(place, taken);
            if let Some((old, since)) = thread.stalled.filter(|(old, _)| *old != stall) {
                self.wait(place, reason(old, operation.color(), queues), (since, now), None);
            }
            return;
        }
        input.into_iter().for_each(|input| self.note_taken(input, queues));
        if let Some((stall, since)) = thread.stalled {
            let on = reason(stall, operation.color(), queues);
            let ended_by = taken.filter(|_| matches!(stall, Stall::Input(_)));
            self.wait(place, on, (since, now), ended_by);
        }
        if let Some(output) = operation.output() {
            raise(&mut self.fullest[1], output, queues.outputs[output].len_by(now));
        }
        let elements = operation.done.saturating_sub(self.seen[place]);
        self.seen[place] = operation.done;
        self.moved(place, (now, elements), taken);
    }

    fn moved(&mut self, place: usize, (now, elements): (u64, u32), taken: Option<Taken>) {
        if let Some(open) = &mut self.open[place] {
            let stride = now - open.last;
            if open.times == 1 && stride <= MOST_STRIDE || stride == open.stride {
                (open.stride, open.last) = (stride, now);
                open.times += 1;
                open.elements += elements;
                return;
            }
            // The wavelet that has just been taken came behind the last one of those before.
            self.close(place, taken.map(|taken| Taken { behind: taken.behind + 1, ..taken }));
        }
        self.open[place] = Some(OpenMoves { from: now, last: now, times: 1, stride: 1, elements });
    }

    /// The next elements of a thread have a record of their own. The last wavelet that was taken came before all that lie
    /// in the queue.
    fn close(&mut self, place: usize, taken: Option<Taken>) {
        let Some(OpenMoves { from, times, stride, elements, .. }) = self.open[place].take() else { return };
        let (thread, stride) = (place as u8, stride as u32);
        let moves = Record::Moves { thread, from, times, stride, elements, origin: None };
        self.push_taking(from, moves, taken);
    }

    /// A wavelet was taken from an input; what a queue holds at most it holds before that.
    fn note_taken(&mut self, input: usize, queues: &Queues) {
        raise(&mut self.fullest[0], input, queues.inputs[input].len() + 1);
    }

    fn origin(&mut self, origin: Origin) -> u32 {
        self.notes.origins.push(origin);
        self.notes.origins.len() as u32 - 1
    }

    /// An operation has ended; what follows on the main thread begins in a cycle.
    #[cold]
    pub fn end(
        &mut self,
        place: usize,
        thread: &Thread,
        done: CompletionAction,
        queues: &Queues,
        (at, next): (u64, u64),
    ) {
        let fabin = thread.operation.fabins().next();
        self.close(place, fabin.map(|fabin| taken_from(fabin.input, queues)));
        self.note_end(place, done, at, next);
    }

    fn note_end(&mut self, place: usize, done: CompletionAction, at: u64, next: u64) {
        let then = match done {
            CompletionAction::Nothing => None,
            CompletionAction::Activate(id) | CompletionAction::Unblock(id) => Some(id),
        };
        self.push(at, Record::End { thread: place as u8, at, then });
        if place == MAIN {
            self.code_from = next;
        }
    }

    /// An operation has sent all of its elements ahead of the clock, one after the other since it started, up to the
    /// cycle `last`.
    pub fn sent_early(
        &mut self,
        place: usize,
        operation: NotedOperation,
        (from, started): (u64, u64),
        (last, elements): (u64, u32),
        then: CompletionAction,
    ) {
        self.begin(place, operation, from, started);
        let (first, thread) = (started + 1, place as u8);
        let times = (last + 1 - first) as u32;
        self.push(first, Record::Moves { thread, from: first, times, stride: 1, elements, origin: None });
        self.note_end(place, then, last + 1, last + 1);
        self.has_records = place == MAIN;
    }

    /// Whether there is anything to ask the router for.
    #[inline]
    pub fn asks(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Asks the router where the wavelets came from that were taken in this visit.
    pub fn find_origins(&mut self, ramp: &dyn Ramp) {
        while let Some((index, Taken { color, behind })) = self.pending.pop() {
            let Some(found) = ramp.origin(color, behind) else { continue };
            let found = self.origin(found);
            if let Record::Task { origin, .. } | Record::Wait { origin, .. } | Record::Moves { origin, .. } =
                &mut self.notes.records[index]
            {
                *origin = Some(found);
            }
        }
    }

    /// The notes up to a cycle, in which these threads still wait.
    pub fn notes(
        &self,
        memory: u32,
        code_until: u64,
        waits: &[(usize, Reason, u64)],
        queues: &Queues,
        now: u64,
    ) -> PeRecords {
        let mut log = self.clone();
        (0..=MAIN).for_each(|place| log.close(place, None));
        if code_until > log.code_from {
            log.code(code_until);
        }
        for (thread, on, since) in waits {
            log.wait(*thread, *on, (*since, now), None);
        }
        log.notes.memory = memory.max(log.counts.deepest as u32);
        log.notes.queues = self.marks(queues);
        log.notes
    }

    fn marks(&self, queues: &Queues) -> Vec<QueueMark> {
        let most = |row: &[u32], at: usize, now: usize| row.get(at).copied().unwrap_or(0).max(now as u32);
        let inputs = queues.inputs.iter().enumerate().map(|(at, inbox)| QueueMark {
            input: inbox.queue,
            output: None,
            is_input: true,
            color: inbox.color,
            most: most(&self.fullest[0], at, inbox.len()),
            depth: inbox.depth.into(),
        });
        let outputs = queues.outputs.iter().enumerate().filter_map(|(at, outbox)| {
            let most = most(&self.fullest[1], at, outbox.len());
            let (output, color, depth) = (outbox.queue, outbox.color_now()?, outbox.depth.into());
            Some(QueueMark { input: None, output, is_input: false, color, most, depth })
        });
        inputs.chain(outputs).filter(|mark| mark.most > 0).collect()
    }
}

/// An entry of a row of maxima.
fn raise(row: &mut Vec<u32>, at: usize, most: usize) {
    if at >= row.len() {
        row.resize(at + 1, 0);
    }
    row[at] = row[at].max(most as u32);
}

fn taken_from(input: usize, queues: &Queues) -> Taken {
    let inbox = &queues.inputs[input];
    Taken { color: inbox.color, behind: inbox.len() }
}

/// What a profile says about an operation.
pub(super) fn noted(
    operation: &Operation,
    (span, function): (Span, FnId),
    queues: &Queues,
) -> NotedOperation {
    let reads = operation.fabins().fold(0, |all, fabin| all | 1 << queues.inputs[fabin.input].color.0);
    // A wavelet in each cycle, and in each wavelet an element, or two narrow ones.
    let lanes = |narrow: bool, simd: Simd| if narrow && simd != Simd::Off { 2 } else { 1 };
    let taken = operation.fabins().map(|FabInOperand { narrow, simd, .. }| lanes(*narrow, *simd)).min();
    let sent = match &operation.to {
        ElementDest::Fabric(FabOutOperand { narrow, simd, .. }) => Some(lanes(*narrow, *simd)),
        ElementDest::Local(_) | ElementDest::Fifo(_) | ElementDest::Nowhere => None,
    };
    let width = taken.into_iter().chain(sent).min().unwrap_or(1);
    NotedOperation { name: operation.name(), span, function, reads, sends: operation.color(), width }
}
