//! Operations in progress: one of the main thread and one per microthread.

use super::expected::Expected;
use super::operation::Operation;
use super::queues::{Queues, members};
use super::seed::ScheduleSeed;
use super::stall::Stall;
use super::tasks::CompletionAction;
use crate::arch::{Color, DsrId, TaskId};
use crate::dsd::Priority;
use crate::dsd::ops::OPS;
use crate::image::code::Reg;
use crate::prefetch;
use crate::source::Span;

/// The DSRs among the operands of an operation; operand 0 is the destination.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct OperandDsrs {
    of: [Option<DsrId>; 4],
    /// Operands whose DSR keeps the address where its vector goes on (`save_address`), bit = operand.
    saved: u8,
}

impl OperandDsrs {
    /// An operand is in a register.
    pub fn note(&mut self, operand: usize, dsr: DsrId, saves: bool) {
        self.of[operand] = Some(dsr);
        self.saved |= u8::from(saves) << operand;
    }

    /// Whether a register is among them.
    pub fn contains(&self, dsr: DsrId) -> bool {
        self.of.contains(&Some(dsr))
    }

    /// The operands whose registers keep the address where their vectors go on.
    pub fn saved(&self) -> impl Iterator<Item = (usize, DsrId)> {
        let is_saved = |operand: &usize| self.saved & 1 << operand != 0;
        (0..self.of.len()).filter(is_saved).filter_map(|operand| Some((operand, self.of[operand]?)))
    }

    /// The first two sources change places.
    pub fn swap_sources(&mut self) {
        self.of.swap(1, 2);
        let [first, second] = [1, 2].map(|operand| self.saved >> operand & 1);
        self.saved = self.saved & !0b110 | second << 1 | first << 2;
    }
}

/// Why an operation runs in its microthread.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum UtChoice {
    /// The program names it.
    Named,
    /// The program names none, and it has the number of a queue.
    Queue,
    /// It was the first one that was free: the one that the program or a queue names was busy, or there is none.
    Free,
}

/// An operation that goes on over several cycles; what every step looks at comes first.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Thread {
    /// What it waits for, and since when.
    pub stalled: Option<(Stall, u64)>,
    pub operation: Operation,
    pub completion: CompletionAction,
    pub on_control: Option<CompletionAction>,
    /// Register for the result of a synchronous operation.
    pub result: Option<Reg>,
    pub priority: Priority,
    pub registers: OperandDsrs,
    pub is_async: bool,
    pub ut_choice: UtChoice,
    pub span: Span,
    /// When the main thread came to it.
    pub launched: u64,
    /// It does its first element after this cycle, which may be ahead of the clock.
    pub started: u64,
}

impl Thread {
    /// An operation that is yet to be prepared.
    fn empty(span: Span) -> Thread {
        Thread {
            stalled: None,
            operation: Operation::new(&OPS[0], 0),
            completion: CompletionAction::Nothing,
            on_control: None,
            priority: Priority::default(),
            result: None,
            registers: OperandDsrs::default(),
            is_async: false,
            ut_choice: UtChoice::Named,
            span,
            launched: 0,
            started: 0,
        }
    }

    /// Whether its end unblocks this task, or any.
    fn unblocks(&self, task: Option<TaskId>) -> bool {
        let ends = [Some(self.completion), self.on_control];
        ends.into_iter()
            .flatten()
            .any(|done| matches!(done, CompletionAction::Unblock(id) if task.is_none_or(|task| task == id)))
    }

    /// What it waits for, and since when.
    pub fn waits(&self, queues: &Queues) -> Option<(Stall, u64)> {
        self.operation.waits_since_moved(queues).or(self.stalled)
    }
}

/// The end of an asynchronous operation that was done ahead of the clock.
#[derive(Copy, Clone, Debug)]
pub(super) struct PendingCompletion {
    pub cycle: u64,
    pub done: CompletionAction,
    /// The operation.
    pub span: Span,
}

/// The queue that an operation has stalled on, in two bytes: 0 for none, an odd number for an input.
#[derive(Copy, Clone, Default)]
struct StalledQueue(u16);

impl StalledQueue {
    fn of(stall: Stall) -> StalledQueue {
        let number = |queue: usize, kind: u16| u16::try_from(queue).ok()?.checked_mul(2)?.checked_add(kind);
        let number = match stall {
            Stall::Input(input) => number(input, 1),
            Stall::Output(output) => number(output, 2),
            Stall::FifoEmpty(_) | Stall::FifoFull(_) => None,
        };
        StalledQueue(number.unwrap_or(0))
    }

    /// Whether an operation that tried again would only stall again.
    #[inline]
    fn is_as_before(self, queues: &Queues) -> bool {
        match (self.0.checked_sub(1), self.0 % 2) {
            (None, _) => false,
            (Some(number), 1) => queues.inputs[usize::from(number / 2)].items.is_empty(),
            (Some(number), _) => queues.outputs[usize::from(number / 2)].space() == 0,
        }
    }
}

/// All operations in progress. The fields that every visit reads come first.
#[derive(Clone, Default)]
#[repr(C)]
pub(super) struct Threads {
    pub live: u16,
    /// The place whose operation moved last.
    pub latest: u8,
    /// Blocked microthreads, bit = id.
    pub blocked: u8,
    /// Places of operations in progress by who goes first.
    ranks: [u16; 4],
    /// Places of operations that may not have started yet: they were launched ahead of the clock.
    ahead: u16,
    /// Whether the PE must not run ahead of the clock: an operation sends on a color without a route, so that the run
    /// stops at its first wavelet and must find the PE as it is then; or the engine is plain.
    pub must_not_run_ahead: bool,
    /// Whether `pending_completions` holds any.
    has_endings: bool,
    /// Places whose operations have stalled on a queue, bit = place.
    stalled: u16,
    /// Places of operations that put each wavelet into memory or a scalar.
    storing: u16,
    /// Places of operations whose end unblocks a task.
    unblocking: u16,
    /// The operation that moved last has done so without a visit, and there has been none since.
    moved_early: bool,
    /// The operation that began last has been prepared in `spare`, so the next one may be.
    pub takes_spare: bool,
    /// Receives that store each wavelet on arrival.
    pub expected: Expected,
    /// Inputs that belong to operations, bit = input.
    claimed: u64,
    /// The first cycle behind which an operation of `ahead` starts.
    first_ahead: u64,
    main: Option<Box<Thread>>,
    /// The memory of the operation that has ended last, for the next one.
    pub spare: Option<Box<Thread>>,
    /// Colors that are known to have a route, bit = color.
    pub routed: u32,
    /// For each place what its operation has stalled on, so that one that would only stall again is not looked at.
    stalled_on: [StalledQueue; 9],
    threads: [Option<Box<Thread>>; 8],
    /// What follows asynchronous operations that were done ahead of the clock, in the order of their ends.
    pending_completions: Vec<PendingCompletion>,
}

/// The place of the main thread's operation.
pub(super) const MAIN: usize = 8;

impl Threads {
    /// Whether nothing is in progress.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Whether this place is taken.
    pub fn is_live(&self, place: usize) -> bool {
        self.live & 1 << place != 0
    }

    /// Memory for an operation at `span` that is being prepared; what it holds has been used.
    pub fn take_spare(&mut self, span: Span) -> Box<Thread> {
        self.takes_spare = true;
        self.spare.take().unwrap_or_else(|| Box::new(Thread::empty(span)))
    }

    /// Puts an operation into its free place.
    pub fn install(&mut self, place: usize, mut thread: Box<Thread>) {
        thread.operation.steps = thread.operation.pacing();
        self.live |= 1 << place;
        self.first_ahead =
            if self.ahead == 0 { thread.started } else { self.first_ahead.min(thread.started) };
        self.ahead |= 1 << place;
        self.stalled &= !(1 << place);
        self.claimed |= thread.operation.inputs();
        self.storing |= u16::from(thread.operation.only_stores()) << place;
        self.unblocking |= u16::from(thread.unblocks(None)) << place;
        let rank = match thread.priority {
            _ if place == MAIN => 2,
            Priority::High => 0,
            Priority::Medium => 1,
            Priority::Low => 3,
        };
        self.ranks[rank] |= 1 << place;
        *self.slot(place) = Some(thread);
    }

    /// The place of an operation, to change.
    pub fn slot(&mut self, place: usize) -> &mut Option<Box<Thread>> {
        if place == MAIN { &mut self.main } else { &mut self.threads[place] }
    }

    /// Notes what follows an operation that ends in a cycle to come.
    pub fn end_later(&mut self, ending: PendingCompletion) {
        if ending.done != CompletionAction::Nothing {
            self.pending_completions.push(ending);
            self.has_endings = true;
        }
    }

    /// The end of an operation by some cycle, each once; they come in the order in which they were noted.
    #[inline]
    pub fn take_ending(&mut self, now: u64) -> Option<PendingCompletion> {
        if self.next_ending()? > now {
            return None;
        }
        let ending = self.pending_completions.remove(0);
        self.has_endings = !self.pending_completions.is_empty();
        Some(ending)
    }

    /// When the next operation ends that was done ahead of the clock.
    #[inline]
    pub fn next_ending(&self) -> Option<u64> {
        if self.has_endings { self.pending_completions.first().map(|ending| ending.cycle) } else { None }
    }

    /// The ends to come of operations that were done ahead of the clock.
    pub fn pending_completions(&self) -> &[PendingCompletion] {
        &self.pending_completions
    }

    /// Takes an operation out of its place.
    pub fn remove(&mut self, place: usize) -> Box<Thread> {
        self.live &= !(1 << place);
        self.ranks.iter_mut().for_each(|places| *places &= self.live);
        let thread = self.slot(place).take().expect("only live threads are removed");
        if self.ahead & 1 << place != 0 {
            self.note_started(0);
        }
        self.storing &= self.live;
        self.unblocking &= self.live;
        self.claimed = self.iter().fold(0, |all, (_, thread)| all | thread.operation.inputs());
        thread
    }

    /// The operations in progress with their places; the main thread's comes last.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Thread)> {
        members(self.live.into()).filter_map(|place| {
            let thread = if place == MAIN { &self.main } else { &self.threads[place] };
            Some((place, thread.as_deref()?))
        })
    }

    /// The places of operations that may move in a cycle: they have started, are not blocked, and the queue that
    /// they stalled on holds a wavelet or has space again.
    #[inline(always)]
    pub fn running(&mut self, queues: &Queues, now: u64) -> u16 {
        if self.ahead != 0 && self.first_ahead < now {
            self.note_started(now);
        }
        let mut set = self.live & !u16::from(self.blocked) & !self.ahead;
        for place in members((set & self.stalled).into()) {
            if self.stalled_on[place].is_as_before(queues) {
                set &= !(1 << place);
            }
        }
        set
    }

    /// As [`Threads::running`], for rare callers.
    #[inline(never)]
    pub fn running_places(&mut self, queues: &Queues, now: u64) -> u16 {
        self.running(queues, now)
    }

    /// Looks which operations have started before a cycle.
    fn note_started(&mut self, now: u64) {
        let (mut ahead, mut first) = (0, u64::MAX);
        for place in members((self.ahead & self.live).into()) {
            let thread = if place == MAIN { &self.main } else { &self.threads[place] };
            if let Some(started) = thread.as_ref().map(|thread| thread.started).filter(|cycle| *cycle >= now)
            {
                (ahead, first) = (ahead | 1 << place, first.min(started));
            }
        }
        (self.ahead, self.first_ahead) = (ahead, first);
    }

    /// Notes that an operation does not wait any more.
    #[inline]
    pub fn note_move(&mut self, place: usize) {
        self.stalled &= !(1 << place);
    }

    /// Notes that an operation waits for something.
    pub fn note_stall(&mut self, place: usize, stall: Stall) {
        self.stalled_on[place] = StalledQueue::of(stall);
        self.stalled |= 1 << place;
    }

    /// Notes that an operation has taken the only wavelet of an input, in a cycle without a visit so far.
    pub fn note_early_move(&mut self, place: usize, input: usize, now: u64) {
        (self.latest, self.moved_early) = (place as u8, true);
        // A visit in the next cycle would find that nothing more has come.
        let stall = Stall::Input(input);
        self.note_stall(place, stall);
        self.slot(place).iter_mut().for_each(|thread| thread.stalled = Some((stall, now + 1)));
    }

    /// The operation of a place has stored the only wavelet of a color in a cycle without a visit.
    pub fn expect(&mut self, color: Color, place: usize) {
        self.expected.calm();
        // Once an operation starts that has been launched ahead of the clock, others may move.
        if self.ahead == 0 {
            self.expected.add(color, place);
        }
    }

    /// Whether an operation has moved in this cycle before the visit: then no other can.
    #[inline]
    pub fn have_moved_early(&mut self, now: u64) -> bool {
        std::mem::take(&mut self.moved_early) && self.is_waiting_behind(now)
    }

    /// Whether the operation that moved last waits since the cycle behind this one.
    fn is_waiting_behind(&mut self, now: u64) -> bool {
        let latest = usize::from(self.latest);
        let stalled = self.slot(latest).as_ref().and_then(|thread| thread.stalled);
        stalled.is_some_and(|(_, since)| since == now + 1)
    }

    /// Whether no operation starts or ends in a cycle to come.
    #[inline(always)]
    pub fn are_as_started(&self) -> bool {
        self.ahead == 0 && !self.has_endings
    }

    /// The first cycle after `now` in which an operation does its first element that has not started by then.
    /// [`Threads::running`] was asked in this cycle before.
    #[inline]
    pub fn next_start(&self, now: u64) -> Option<u64> {
        debug_assert!(
            self.ahead == 0 || self.first_ahead >= now,
            "operations that have started are not ahead"
        );
        (self.ahead != 0).then(|| self.first_ahead + 1)
    }

    /// Whether an operation in progress notes its position in a DSR.
    pub fn save_into(&self, dsr: DsrId) -> bool {
        self.iter().any(|(_, thread)| thread.registers.saved().any(|(_, saved)| saved == dsr))
    }

    /// Whether an operand of an operation in progress is in a DSR.
    pub fn use_register(&self, dsr: DsrId) -> bool {
        !self.is_empty() && self.iter().any(|(_, thread)| thread.registers.contains(dsr))
    }

    /// Whether any operation may move: what it waited for when it was last tried may be there now.
    pub fn may_move(&mut self, queues: &Queues, now: u64) -> bool {
        // The one that has just moved waits for nothing, so that most visits need not look at queues.
        self.live & !u16::from(self.blocked) & !self.ahead & !self.stalled != 0
            || self.running_places(queues, now) != 0
    }

    /// How many elements the operation of a place has done.
    pub fn done(&self, place: usize) -> u32 {
        self.iter().find(|(other, _)| *other == place).map_or(0, |(_, thread)| thread.operation.done)
    }

    /// Prefetches the operations in progress.
    pub fn prefetch(&self) {
        self.iter().for_each(|(_, thread)| prefetch::value(thread, size_of::<Thread>()));
    }

    /// Prefetches the place for the next operation.
    pub fn prefetch_spare(&self) {
        let place = self.spare.as_ref().filter(|_| self.takes_spare);
        place.into_iter().for_each(|place| prefetch::value(&**place, size_of::<Thread>()));
    }

    /// Whether an input may belong to an operation that puts each wavelet into memory or a scalar.
    #[inline]
    pub fn may_store_from(&self, input: usize) -> bool {
        self.storing != 0 && self.claimed & 1 << input != 0
    }

    /// Whether the operation of a place puts each wavelet into memory or a scalar.
    pub fn is_storing(&self, place: usize) -> bool {
        self.storing & 1 << place != 0
    }

    /// Inputs that belong to operations, bit = input.
    pub fn claimed_inputs(&self) -> u64 {
        self.claimed
    }

    /// The first of a set of places by priority: synchronous operations come between medium and low.
    /// Equal ones take turns, or a schedule decides.
    pub fn first(&self, places: u16, schedule: Option<ScheduleSeed>, now: u64) -> Option<usize> {
        let equal = self.equal(places);
        if let (Some(schedule), true) = (schedule, equal.count_ones() > 1) {
            let question = |place: &usize| schedule.number(now << 6 | 1 << 5 | *place as u64);
            return members(equal.into()).min_by_key(question);
        }
        let behind = equal & (u16::MAX << self.latest << 1);
        let next = if behind != 0 { behind } else { equal };
        (next != 0).then_some(next.trailing_zeros() as usize)
    }

    /// The places of the operations of the highest priority in progress that use a queue or a FIFO that another of them
    /// uses, too. What the others do does not depend on who goes first.
    pub fn sharing(&self) -> u16 {
        let equal = self.equal(self.live & !u16::from(self.blocked));
        if equal.count_ones() < 2 {
            return 0;
        }
        let used: Vec<_> = self.iter().filter(|(place, _)| equal & 1 << place != 0).collect();
        let shares = |(place, thread): &(usize, &Thread)| {
            let own = thread.operation.shared_parts();
            let meets = |(other, thread): &(usize, &Thread)| {
                let parts = thread.operation.shared_parts();
                other != place && own.iter().zip(parts).any(|(own, part)| own & part != 0)
            };
            used.iter().any(meets)
        };
        used.iter().filter(|one| shares(one)).fold(0, |all, (place, _)| all | 1 << place)
    }

    /// Whether the end of an operation in progress unblocks any task.
    #[inline]
    pub fn unblock_any(&self) -> bool {
        self.unblocking != 0
    }

    /// The same for one task.
    pub fn unblock(&self, task: TaskId) -> bool {
        self.unblock_any() && self.iter().any(|(_, thread)| thread.unblocks(Some(task)))
    }

    /// Those of a set of places that have the highest priority.
    pub fn equal(&self, places: u16) -> u16 {
        self.ranks.iter().map(|rank| rank & places).find(|some| *some != 0).unwrap_or(0)
    }
}
