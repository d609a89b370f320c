//! A DSD operation that moves element by element, because an operand is the fabric or a FIFO.

use super::fabric_operands::{FabInOperand, FabOutOperand, Mixed};
use super::fifo::{FifoEnd, FifoState};
use super::queues::Queues;
use super::stall::Stall;
use super::tasks::Tasks;
use crate::arch::{Color, DsrId};
use crate::diagnostics::Diag;
use crate::dsd::access::AddressCursor;
use crate::dsd::local::{self, Dest, Source, write};
use crate::dsd::ops::DsdOp;
use crate::dsd::{FifoAccess, Simd};
use crate::exec::memory::Memory;

/// Where elements come from.
#[derive(Clone, Debug)]
pub(super) enum ElementSource {
    Local(Source),
    Fabric(FabInOperand),
    Fifo(FifoEnd),
}

/// Where elements go.
#[derive(Clone, Debug)]
pub(super) enum ElementDest {
    Local(Dest),
    Fabric(FabOutOperand),
    Fifo(FifoEnd),
    /// `@dfilt`: data wavelets are dropped, control wavelets are counted.
    Nowhere,
}

/// Whether an operand can process the next element.
enum Readiness {
    Yes,
    /// It can process no more elements in this cycle.
    NotThisCycle,
    Control(usize),
    No(Stall),
}

/// The outcome of a step.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum StepResult {
    /// Elements were done, more are to come.
    Moved,
    Stalled(Stall),
    Finished,
    /// An element is there that its memory operands have no room for.
    Full,
    /// A control wavelet has ended it (`on_control`).
    Ended,
}

/// How much an operation may do in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Pacing {
    /// Unknown: it moves elements until one cannot move.
    Any,
    /// One element in a cycle: every element takes or makes a wavelet of its own, no FIFO can refuse it, and no
    /// control wavelet can end it.
    Paced,
    /// Likewise, and each fabric operand has a queue of its own.
    Single,
}

/// The components that an operation works on in a step.
pub(super) struct StepContext<'a> {
    pub memory: &'a mut Memory,
    pub queues: &'a mut Queues,
    pub fifos: &'a mut Vec<FifoState>,
    pub tasks: &'a mut Tasks,
    pub now: u64,
}

/// An operation in progress. The fields are in this order so that what every step looks at lies in few
/// lines of the cache.
#[derive(Clone)]
#[repr(C)]
pub(super) struct Operation {
    /// `None`: it ends only by a control wavelet.
    pub total: Option<u32>,
    pub done: u32,
    /// The first result so far of an accumulation, or the carry.
    pub carried: u32,
    pub op: &'static DsdOp,
    /// Number of sources.
    arity: u8,
    /// A control wavelet ends it.
    pub stops_at_control: bool,
    /// How much it may do in a cycle.
    pub steps: Pacing,
    /// Whether a wavelet that it has taken must be reported.
    has_mixed: bool,
    /// The DSRs behind the FIFOs of destination and sources, if their types do not say that they hold FIFOs.
    pub untyped_fifos: [Option<DsrId>; 2],
    pub to: ElementDest,
    pub from: [ElementSource; 3],
    /// The source that is set to zero when all is done (`.zero`), from its first element on.
    pub cleared: Option<AddressCursor>,
    /// Elements that its memory operands hold, if only a control wavelet may come after them.
    pub room: Option<u32>,
    /// The control wavelet that ends it stays in its queue.
    pub keeps_control: bool,
}

impl Operation {
    /// An operation on scalars that has done nothing yet.
    pub fn new(op: &'static DsdOp, arity: usize) -> Operation {
        let nothing = || ElementSource::Local(Source::Scalar(0));
        Operation {
            op,
            to: ElementDest::Local(Dest::Scalar { at: 0, words: 1, accumulates: false }),
            from: [nothing(), nothing(), nothing()],
            total: None,
            done: 0,
            cleared: None,
            arity: arity as u8,
            carried: 0,
            stops_at_control: false,
            room: None,
            keeps_control: false,
            steps: Pacing::Any,
            has_mixed: false,
            untyped_fifos: [None; 2],
        }
    }

    /// Makes another operation of it, on scalars, that has done nothing yet.
    pub fn renew(&mut self, op: &'static DsdOp, arity: usize) {
        let Operation { to, from, cleared, room, total, done, carried, .. } = self;
        *to = ElementDest::Local(Dest::Scalar { at: 0, words: 1, accumulates: false });
        from.iter_mut().for_each(|from| *from = ElementSource::Local(Source::Scalar(0)));
        (*cleared, *room, *total, *done, *carried) = (None, None, None, 0, 0);
        (self.op, self.arity) = (op, arity as u8);
        (self.stops_at_control, self.keeps_control) = (false, false);
        (self.steps, self.has_mixed) = (Pacing::Any, false);
        self.untyped_fifos = [None; 2];
    }

    /// The name that the program calls it by, without `@`.
    pub fn name(&self) -> &'static str {
        if matches!(self.to, ElementDest::Nowhere) { "dfilt" } else { self.op.name }
    }

    /// What it reads.
    #[inline]
    pub fn sources(&self) -> &[ElementSource] {
        &self.from[..usize::from(self.arity)]
    }

    /// Whether nothing is left to do.
    pub fn is_complete(&self) -> bool {
        self.total == Some(self.done)
    }

    /// Elements left to do.
    pub fn remaining(&self) -> u32 {
        self.total.map_or(u32::MAX, |total| total - self.done)
    }

    /// Does what can be done in one cycle; without fabric operands, all that can be done.
    pub fn step(&mut self, context: &mut StepContext<'_>) -> Result<StepResult, Diag> {
        if self.steps == Pacing::Single && !self.is_complete() {
            return self.step_once(context);
        }
        let before = self.done;
        while !self.is_complete() {
            match self.ready(context) {
                Readiness::Yes if self.drops_data(context) => return Ok(StepResult::Moved),
                Readiness::Yes if self.room == Some(self.done) => return Ok(StepResult::Full),
                Readiness::Yes => {
                    self.element(context)?;
                    if self.ends_message(context) && !self.is_complete() {
                        self.conclude(context.memory)?;
                        return Ok(StepResult::Ended);
                    }
                    if self.steps == Pacing::Paced && !self.is_complete() {
                        return Ok(StepResult::Moved);
                    }
                }
                Readiness::Control(input) => {
                    if context.accept_end_control(input, self.keeps_control) {
                        self.conclude(context.memory)?;
                        return Ok(StepResult::Ended);
                    }
                }
                Readiness::NotThisCycle => return Ok(StepResult::Moved),
                Readiness::No(_) if self.done > before => return Ok(StepResult::Moved),
                Readiness::No(stall) => return Ok(StepResult::Stalled(stall)),
            }
        }
        self.conclude(context.memory)?;
        Ok(StepResult::Finished)
    }

    /// The same as [`Operation::step`] for an operation of [`Pacing::Single`] that is not complete.
    #[inline]
    pub fn step_once(&mut self, context: &mut StepContext<'_>) -> Result<StepResult, Diag> {
        let mut is_used_up = false;
        for from in self.sources() {
            if let ElementSource::Fabric(fabin) = from {
                if context.queues.inputs[fabin.input].items.is_empty() {
                    return Ok(StepResult::Stalled(Stall::Input(fabin.input)));
                }
                is_used_up |= fabin.last_used == context.now;
            }
        }
        if let ElementDest::Fabric(fabout) = &self.to {
            let is_used = fabout.last_used == context.now;
            if !is_used && context.queues.outputs[fabout.output].space() == 0 {
                return Ok(StepResult::Stalled(Stall::Output(fabout.output)));
            }
            is_used_up |= is_used;
        }
        if is_used_up {
            return Ok(StepResult::Moved);
        }
        self.element(context)?;
        if !self.is_complete() {
            return Ok(StepResult::Moved);
        }
        self.conclude(context.memory)?;
        Ok(StepResult::Finished)
    }

    /// How it steps.
    pub fn pacing(&self) -> Pacing {
        let (sources, to) = (self.sources(), &self.to);
        let is_single = |narrow: bool, simd: Simd| !narrow || simd == Simd::Off;
        let takes =
            |from: &ElementSource| matches!(from, ElementSource::Fabric(i) if is_single(i.narrow, i.simd));
        let sends = matches!(to, ElementDest::Fabric(o) if is_single(o.narrow, o.simd));
        let has_fifo = matches!(to, ElementDest::Fifo(_))
            || sources.iter().any(|from| matches!(from, ElementSource::Fifo(_)));
        if self.stops_at_control || has_fifo || !sends && !sources.iter().any(takes) {
            return Pacing::Any;
        }
        let is_single = sources.iter().all(|from| takes(from) || matches!(from, ElementSource::Local(_)))
            && (sends || matches!(to, ElementDest::Local(_)))
            && self.inputs().count_ones() as usize == self.fabins().count();
        if is_single { Pacing::Single } else { Pacing::Paced }
    }

    /// Whether `@dfilt` has dropped the wavelet that is there.
    fn drops_data(&self, context: &mut StepContext<'_>) -> bool {
        let (ElementDest::Nowhere, ElementSource::Fabric(fabin)) = (&self.to, &self.from[0]) else {
            return false;
        };
        let inbox = &mut context.queues.inputs[fabin.input];
        let is_data = inbox.head().is_some_and(|w| !w.control);
        is_data && inbox.take(context.now).is_some()
    }

    /// The inputs it reads, bit = input.
    pub fn inputs(&self) -> u64 {
        self.fabins().fold(0, |all, fabin| all | 1 << fabin.input)
    }

    /// Its fabric sources.
    pub fn fabins(&self) -> impl Iterator<Item = &FabInOperand> {
        self.from.iter().filter_map(|from| match from {
            ElementSource::Fabric(fabin) => Some(fabin),
            ElementSource::Local(_) | ElementSource::Fifo(_) => None,
        })
    }

    /// Whether something was wrong with a wavelet that it has taken.
    pub fn has_mixed(&self) -> bool {
        self.has_mixed
    }

    /// What was wrong with a wavelet that it has just taken.
    pub fn take_mixed(&mut self) -> Option<Mixed> {
        // Control wavelets are what `@dfilt` counts.
        if !std::mem::take(&mut self.has_mixed) || matches!(self.to, ElementDest::Nowhere) {
            return None;
        }
        self.from.iter_mut().find_map(|from| match from {
            ElementSource::Fabric(fabin) => fabin.mixed.take(),
            ElementSource::Local(_) | ElementSource::Fifo(_) => None,
        })
    }

    /// The color it sends.
    pub fn color(&self) -> Option<Color> {
        match &self.to {
            ElementDest::Fabric(fabout) => Some(fabout.color),
            ElementDest::Local(_) | ElementDest::Fifo(_) | ElementDest::Nowhere => None,
        }
    }

    /// The output it writes.
    pub fn output(&self) -> Option<usize> {
        match &self.to {
            ElementDest::Fabric(fabout) => Some(fabout.output),
            ElementDest::Local(_) | ElementDest::Fifo(_) | ElementDest::Nowhere => None,
        }
    }

    /// What others must not use at the same time in another order, as sets: inputs, outputs, FIFOs that it takes from
    /// and that it adds to.
    pub fn shared_parts(&self) -> [u64; 4] {
        let takes = self.sources().iter().filter_map(|from| match from {
            ElementSource::Fifo(end) => Some(end.fifo),
            ElementSource::Local(_) | ElementSource::Fabric(_) => None,
        });
        let adds = if let ElementDest::Fifo(end) = &self.to { 1 << (end.fifo & 63) } else { 0 };
        let output = self.output().map_or(0, |output| 1 << (output & 63));
        [self.inputs(), output, takes.fold(0, |all, fifo| all | 1 << (fifo & 63)), adds]
    }

    /// Whether it has just taken the last word of a message of `<message_passing>`.
    fn ends_message(&self, context: &mut StepContext<'_>) -> bool {
        self.stops_at_control
            && self.sources().iter().any(|from| match from {
                ElementSource::Fabric(fabin) => context.queues.inputs[fabin.input].end_message(),
                ElementSource::Local(_) | ElementSource::Fifo(_) => false,
            })
    }

    fn ready(&self, context: &mut StepContext<'_>) -> Readiness {
        let mut is_used_up = false;
        for (k, from) in self.sources().iter().enumerate() {
            match from {
                ElementSource::Local(_) => {}
                ElementSource::Fifo(end) if self.fits(end, FifoAccess::Pop, context) => {}
                ElementSource::Fifo(end) => return Readiness::No(Stall::FifoEmpty(*end)),
                ElementSource::Fabric(fabin) => match self.intake_ready(fabin, context) {
                    Readiness::Yes if k > 0 && self.lacks_second(k, fabin.input, context) => {
                        return Readiness::No(Stall::Input(fabin.input));
                    }
                    Readiness::Yes => {}
                    Readiness::NotThisCycle => is_used_up = true,
                    other => return other,
                },
            }
        }
        match &self.to {
            ElementDest::Local(_) | ElementDest::Nowhere => {}
            ElementDest::Fifo(end) if self.fits(end, FifoAccess::Push, context) => {}
            ElementDest::Fifo(end) => return Readiness::No(Stall::FifoFull(*end)),
            ElementDest::Fabric(fabout) => match self.outlet_ready(fabout, context) {
                Readiness::Yes => {}
                Readiness::NotThisCycle => is_used_up = true,
                other => return other,
            },
        }
        if is_used_up { Readiness::NotThisCycle } else { Readiness::Yes }
    }

    /// Whether source `k` and one before it take from the same input, and there are not enough wavelets for both.
    fn lacks_second(&self, k: usize, input: usize, context: &StepContext<'_>) -> bool {
        let takes = |from: &ElementSource| matches!(from, ElementSource::Fabric(fabin) if fabin.input == input && fabin.half.is_none());
        let takers = self.sources()[..=k].iter().filter(|from| takes(from)).count();
        context.queues.inputs[input].len() < takers
    }

    /// Whether a FIFO has space or data for the elements that move together next.
    fn fits(&self, end: &FifoEnd, access: FifoAccess, context: &mut StepContext<'_>) -> bool {
        let starts = self.done.is_multiple_of(end.group);
        let elements = if starts { end.group.min(self.remaining()) } else { 1 };
        let words = elements as u16 * end.words;
        let fifo = &mut context.fifos[end.fifo];
        let fits = fifo.room(access) >= words;
        if !fits {
            fifo.refuse(access, words);
        }
        fits
    }

    fn intake_ready(&self, fabin: &FabInOperand, context: &StepContext<'_>) -> Readiness {
        if fabin.half.is_some() {
            return Readiness::Yes;
        }
        let inbox = &context.queues.inputs[fabin.input];
        let Some(head) = inbox.head() else { return Readiness::No(Stall::Input(fabin.input)) };
        if head.control && self.stops_at_control && !inbox.is_message() {
            return Readiness::Control(fabin.input);
        }
        if fabin.last_used == context.now {
            return Readiness::NotThisCycle;
        }
        // `simd_64` goes on only when a pair of wavelets is there.
        let pairs = fabin.narrow && fabin.simd == Simd::Simd64 && self.remaining() > 2;
        if pairs && !fabin.paired && inbox.len() < 2 {
            return Readiness::No(Stall::Input(fabin.input));
        }
        Readiness::Yes
    }

    fn outlet_ready(&self, fabout: &FabOutOperand, context: &StepContext<'_>) -> Readiness {
        if fabout.narrow && fabout.simd != Simd::Off && fabout.half.is_none() && self.remaining() > 1 {
            return Readiness::Yes;
        }
        if fabout.last_used == context.now {
            return Readiness::NotThisCycle;
        }
        if context.queues.outputs[fabout.output].space() == 0 {
            return Readiness::No(Stall::Output(fabout.output));
        }
        Readiness::Yes
    }

    #[inline]
    fn element(&mut self, context: &mut StepContext<'_>) -> Result<(), Diag> {
        let mut values = [0; 3];
        for k in 0..usize::from(self.arity).min(values.len()) {
            values[k] = self.take(k, context)?;
        }
        let result = self.compute(values);
        let is_last = self.remaining() == 1;
        self.put(result, is_last, context)?;
        self.done += 1;
        Ok(())
    }

    /// The next result, from what the sources give.
    #[inline]
    pub fn compute(&mut self, mut values: [u32; 3]) -> u32 {
        if self.accumulates() {
            values[0] = self.carried;
        }
        if self.op.kernel.carries {
            values[2] = self.carried >> 16;
        }
        self.carried = (self.op.kernel.each)(values[0], values[1], values[2]);
        self.carried
    }

    /// Ends it at a FIFO that stalls it: what is left becomes the length of the next operation.
    pub fn leave_length(&self, stall: Stall, fifos: &mut [FifoState]) {
        let (end, access) = match stall {
            Stall::FifoEmpty(end) => (end, FifoAccess::Pop),
            Stall::FifoFull(end) => (end, FifoAccess::Push),
            Stall::Input(_) | Stall::Output(_) => return,
        };
        let left = self.total.map_or(0, |total| total - self.done);
        *fifos[end.fifo].length_mut(access) = left * u32::from(end.words);
    }

    fn accumulates(&self) -> bool {
        matches!(self.to, ElementDest::Local(Dest::Scalar { accumulates: true, .. }))
    }

    #[inline]
    fn take(&mut self, source: usize, context: &mut StepContext<'_>) -> Result<u32, Diag> {
        match &mut self.from[source] {
            ElementSource::Local(source) => local::next(context.memory.words(), source),
            ElementSource::Fifo(end) => {
                let (value, task) = context.fifos[end.fifo].pop(context.memory.words(), end.words);
                activate(context.tasks, task)?;
                Ok(value)
            }
            ElementSource::Fabric(fabin) => {
                let value = fabin.take(context.queues, context.now);
                self.has_mixed |= fabin.mixed.is_some();
                Ok(value)
            }
        }
    }

    #[inline]
    fn put(&mut self, value: u32, is_last: bool, context: &mut StepContext<'_>) -> Result<(), Diag> {
        match &mut self.to {
            ElementDest::Local(Dest::AddressCursor(cursor)) => {
                let (at, words) = (cursor.next_element()?, cursor.words());
                write(context.memory.words_mut(), at, words, value);
            }
            ElementDest::Local(Dest::Scalar { .. }) | ElementDest::Nowhere => {}
            ElementDest::Fifo(end) => {
                let task = context.fifos[end.fifo].push(context.memory.words_mut(), value, end.words);
                activate(context.tasks, task)?;
            }
            ElementDest::Fabric(fabout) => fabout.put(value, is_last, context.queues, context.now),
        }
        Ok(())
    }

    /// What follows the last element: a scalar destination gets its value, a source is cleared.
    fn conclude(&self, memory: &mut Memory) -> Result<(), Diag> {
        if let ElementDest::Local(Dest::Scalar { at, words, accumulates }) = self.to
            && (self.done > 0 || accumulates)
        {
            write(memory.words_mut(), at, words, self.carried);
        }
        if let Some(mut cursor) = self.cleared {
            for _ in 0..self.done {
                let (at, words) = (cursor.next_element()?, cursor.words());
                write(memory.words_mut(), at, words, 0);
            }
        }
        Ok(())
    }
}

fn activate(tasks: &mut Tasks, task: Option<crate::arch::TaskId>) -> Result<(), Diag> {
    task.map_or(Ok(()), |id| tasks.activate(id))
}
