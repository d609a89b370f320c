//! Operations in progress: one of the main thread and one per microthread.

use super::operation::Operation;
use super::queues::Queues;
use super::stall::Stall;
use crate::arch::{DsrId, TaskId};
use crate::dsd::Priority;
use crate::image::code::Reg;
use crate::prefetch;
use crate::source::Span;

/// What happens when an operation ends.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Done {
    #[default]
    Nothing,
    Activate(TaskId),
    Unblock(TaskId),
}

/// Which operand tells a DSR where it has come to.
#[derive(Copy, Clone, Debug)]
pub(super) struct Saved {
    pub dsr: DsrId,
    /// 0: the destination, k: source k.
    pub operand: usize,
}

/// An operation that goes on over several cycles; what every step looks at comes first.
#[derive(Clone)]
#[repr(C, align(64))]
pub(super) struct Thread {
    /// Since when it waits for what.
    pub stalled: Option<(Stall, u64)>,
    pub operation: Operation,
    pub completion: Done,
    pub on_control: Option<Done>,
    pub priority: Priority,
    /// Register for the result of a synchronous operation.
    pub result: Option<Reg>,
    pub saved: Vec<Saved>,
    /// The DSRs among its operands.
    pub registers: Vec<DsrId>,
    pub is_async: bool,
    /// The program names no microthread: it runs in that of a queue, or in a free one.
    pub ut_by_queue: bool,
    pub span: Span,
    pub started: u64,
}

/// All of them; what every visit looks at comes first.
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
    /// Nothing is done before its time: either an operation sends on a color without a route, so that the run
    /// stops at its first wavelet and must find the PE as it is then; or the engine is plain.
    pub in_step: bool,
    /// Inputs that belong to operations, bit = input.
    claimed: u64,
    main: Option<Box<Thread>>,
    /// The place of the operation that has ended last, for the next one.
    pub spare: Option<Box<Thread>>,
    threads: [Option<Box<Thread>>; 8],
}

/// The places of a set, in their order.
fn places(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
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

    /// The place of the only operation, if it is not blocked.
    pub fn only_place(&self) -> Option<usize> {
        let place = self.live.trailing_zeros() as usize;
        let is_blocked = place < MAIN && self.blocked & 1 << place != 0;
        (self.live.is_power_of_two() && !is_blocked).then_some(place)
    }

    /// Puts an operation into its free place.
    pub fn install(&mut self, place: usize, mut thread: Thread) {
        thread.operation.steps = thread.operation.kind_of_steps();
        self.live |= 1 << place;
        self.claimed |= thread.operation.inputs();
        let rank = match thread.priority {
            _ if place == MAIN => 2,
            Priority::High => 0,
            Priority::Medium => 1,
            Priority::Low => 3,
        };
        self.ranks[rank] |= 1 << place;
        let thread = match self.spare.take() {
            Some(mut place) => {
                *place = thread;
                place
            }
            None => Box::new(thread),
        };
        *self.slot(place) = Some(thread);
    }

    /// The place of an operation, to change.
    pub fn slot(&mut self, place: usize) -> &mut Option<Box<Thread>> {
        if place == MAIN { &mut self.main } else { &mut self.threads[place] }
    }

    /// Takes an operation out of its place.
    pub fn remove(&mut self, place: usize) -> Box<Thread> {
        self.live &= !(1 << place);
        self.ranks.iter_mut().for_each(|places| *places &= self.live);
        let thread = self.slot(place).take().expect("only live threads are removed");
        self.claimed = self.iter().fold(0, |all, (_, thread)| all | thread.operation.inputs());
        thread
    }

    /// The operations in progress with their places; the main thread's comes last.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Thread)> {
        places(self.live).filter_map(|place| {
            let thread = if place == MAIN { &self.main } else { &self.threads[place] };
            Some((place, thread.as_deref()?))
        })
    }

    /// Whether any operation may move: what it waited for when it was last tried may be there now.
    pub fn may_move(&self, queues: &Queues) -> bool {
        let free = self.live & !u16::from(self.blocked);
        self.iter().filter(|(place, _)| free & 1 << place != 0).any(|(_, thread)| {
            thread.stalled.is_none_or(|(stall, _)| match stall {
                Stall::Input(input) => queues.inputs[input].len() > 0,
                Stall::Output(output) => queues.outputs[output].space() > 0,
                Stall::FifoEmpty(_) | Stall::FifoFull(_) => true,
            })
        })
    }

    /// Prefetches the operations in progress, and the place for the next one.
    pub fn prefetch(&self) {
        self.iter().for_each(|(_, thread)| prefetch::value(thread, 512));
        self.spare.iter().for_each(|place| prefetch::value(&**place, 512));
    }

    /// Inputs that belong to operations, bit = input.
    pub fn claimed_inputs(&self) -> u64 {
        self.claimed
    }

    /// The first of a set of places by priority: synchronous operations come between medium and low.
    /// Equal ones take turns.
    pub fn first(&self, places: u16) -> Option<usize> {
        let equal = self.ranks.iter().map(|rank| rank & places).find(|some| *some != 0)?;
        let behind = equal & (u16::MAX << self.latest << 1);
        let next = if behind != 0 { behind } else { equal };
        Some(next.trailing_zeros() as usize)
    }
}
