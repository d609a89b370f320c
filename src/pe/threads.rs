//! Operations in progress: one of the main thread and one per microthread.

use super::Pe;
use super::fifo::OnStall;
use super::operation::{Operation, Stall, StepResult, Surroundings};
use super::wait::{Wait, Waiter, WaitsFor};
use crate::arch::{DsrId, TaskId, UtId};
use crate::diagnostics::{At, Diag};
use crate::dsd::Priority;
use crate::image::code::Reg;
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
    live: u16,
    /// The place whose operation moved last.
    latest: u8,
    /// Blocked microthreads, bit = id.
    pub blocked: u8,
    /// Places of operations in progress by who goes first.
    ranks: [u16; 4],
    /// An operation sends on a color without a route: the run stops at its first wavelet, and must find
    /// the PE as it is then.
    pub will_stop: bool,
    /// Inputs that belong to operations, bit = input.
    claimed: u64,
    main: Option<Box<Thread>>,
    /// The place of the operation that has ended last, for the next one.
    spare: Option<Box<Thread>>,
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

    pub fn slot(&mut self, place: usize) -> &mut Option<Box<Thread>> {
        if place == MAIN { &mut self.main } else { &mut self.threads[place] }
    }

    fn remove(&mut self, place: usize) -> Box<Thread> {
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

    /// Inputs that belong to operations, bit = input.
    pub fn claimed_inputs(&self) -> u64 {
        self.claimed
    }

    /// The first of a set of places by priority: synchronous operations come between medium and low.
    /// Equal ones take turns.
    fn first(&self, places: u16) -> Option<usize> {
        let equal = self.ranks.iter().map(|rank| rank & places).find(|some| *some != 0)?;
        let behind = equal & (u16::MAX << self.latest << 1);
        let next = if behind != 0 { behind } else { equal };
        Some(next.trailing_zeros() as usize)
    }
}

impl Pe {
    /// Gives the cycle to the operation that comes first of those that can move; true if any can.
    // A PE does one instruction in a cycle, so microthreads share its speed (docs/decisions.md).
    pub(super) fn run_threads(&mut self, now: u64) -> Result<bool, Diag> {
        if self.threads.is_empty() || self.main.starts_at(now).is_some() {
            return Ok(false);
        }
        let mut waiting = self.threads.live & !u16::from(self.threads.blocked);
        while let Some(place) = self.threads.first(waiting) {
            waiting &= !(1 << place);
            // One that goes before may have ended it.
            if self.threads.is_live(place) && self.step_thread(place, now)? {
                self.threads.latest = place as u8;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn step_thread(&mut self, place: usize, now: u64) -> Result<bool, Diag> {
        let mut around = Surroundings {
            memory: &mut self.memory,
            queues: &mut self.queues,
            fifos: &mut self.fifos,
            tasks: &mut self.tasks,
            now,
        };
        let thread = self.threads.slot(place).as_mut().expect("only live threads run");
        let step = match thread.operation.step(&mut around) {
            Ok(step) => step,
            Err(diag) => {
                let thread = self.threads.remove(place);
                return Err(self.explain_reach(diag, thread.operation.cursors()).at(thread.span));
            }
        };
        if thread.operation.has_mixed() {
            self.check_intakes(place)?;
        }
        let thread = self.threads.slot(place).as_mut().expect("only live threads run");
        match step {
            StepResult::Moved => thread.stalled = None,
            StepResult::Full => self.overflow(place)?,
            StepResult::Stalled(stall) => {
                if thread.stalled.is_none_or(|(old, _)| old != stall) {
                    thread.stalled = Some((stall, now));
                }
                let (is_async, span) = (thread.is_async, thread.span);
                let verdict = self.verdict(stall, is_async).at(span)?;
                return self.stall(place, stall, verdict, now);
            }
            StepResult::Finished => {
                let thread = self.threads.remove(place);
                self.finish(place, &thread, thread.completion, true, now)?;
                self.threads.spare = Some(thread);
            }
            StepResult::Ended => {
                let thread = self.threads.remove(place);
                let done = thread.on_control.expect("a control wavelet ends it only with on_control");
                self.finish(place, &thread, done, true, now)?;
                self.threads.spare = Some(thread);
            }
        }
        Ok(true)
    }

    /// An operation goes on behind the end of its memory operands, unless that is denied.
    fn overflow(&mut self, place: usize) -> Result<(), Diag> {
        let mut thread = self.threads.slot(place).take().expect("only live threads run");
        thread.stalled = None;
        let goes_on = self.go_beyond_room(&mut thread);
        *self.threads.slot(place) = Some(thread);
        if goes_on.is_err() {
            self.threads.remove(place);
        }
        goes_on
    }

    fn go_beyond_room(&mut self, thread: &mut Thread) -> Result<(), Diag> {
        self.hazard(thread.operation.no_room().at(thread.span))?;
        thread.operation.room = None;
        let left = thread.operation.remaining();
        self.check_reach(thread.operation.cursors_mut(), left, thread.span)
    }

    /// Does what an operation does that cannot go on; true if that is not waiting.
    fn stall(&mut self, place: usize, stall: Stall, verdict: OnStall, now: u64) -> Result<bool, Diag> {
        if verdict == OnStall::Waits {
            return Ok(false);
        }
        let thread = self.threads.remove(place);
        if verdict == OnStall::GivesUp {
            self.leave_length(stall, &thread.operation).at(thread.span)?;
            self.check_result(thread.result, stall, thread.span)?;
            self.finish(place, &thread, Done::Nothing, false, now)?;
        } else {
            self.finish(place, &thread, thread.completion, true, now)?;
        }
        Ok(true)
    }

    /// Does what follows the end of an operation.
    pub(super) fn finish(
        &mut self,
        place: usize,
        thread: &Thread,
        done: Done,
        result: bool,
        now: u64,
    ) -> Result<(), Diag> {
        self.note_end(place, thread, now);
        self.save_positions(&thread.operation, &thread.saved);
        match done {
            Done::Nothing => {}
            Done::Activate(id) => {
                self.check_activation(id, thread.span)?;
                self.tasks.activate(id).at(thread.span)?;
            }
            Done::Unblock(id) => self.tasks.blocked &= !super::tasks::bit(id),
        }
        if place == MAIN {
            if let Some(register) = thread.result {
                self.main.set_register(register, result.into());
            }
            self.main.resume(now);
        }
        Ok(())
    }

    /// What the operations in progress wait for.
    pub(super) fn thread_waits(&self) -> impl Iterator<Item = Wait<'_>> {
        self.threads.iter().filter_map(|(place, thread)| {
            let blocked = place != MAIN && self.threads.blocked & 1 << place != 0;
            let on = match thread.stalled {
                _ if blocked => WaitsFor::Unblock,
                Some((stall, _)) => self.describe(stall, thread),
                None => return None,
            };
            Some(Wait {
                who: if place == MAIN { Waiter::MainThread } else { Waiter::Microthread(UtId(place as u8)) },
                on,
                name: thread.operation.name(),
                task: if place == MAIN { self.running_task() } else { None },
                since: thread.stalled.map_or(thread.started, |(_, since)| since),
                progress: thread.operation.total.map(|total| (thread.operation.done, total)),
                span: Some(thread.span),
            })
        })
    }

    fn describe(&self, stall: Stall, thread: &Thread) -> WaitsFor {
        match stall {
            Stall::Input(input) => {
                let inbox = &self.queues.inputs[input];
                let ends_at_control = thread.operation.stops_at_control;
                WaitsFor::Wavelet { color: inbox.color, queue: inbox.queue, ends_at_control }
            }
            Stall::Output(output) => {
                let color = thread.operation.color().expect("a fabout operand has a color");
                WaitsFor::Space { color, queue: self.queues.outputs[output].queue }
            }
            Stall::FifoEmpty(end) => WaitsFor::FifoData(self.tile.fifos[end.fifo].name.clone()),
            Stall::FifoFull(end) => WaitsFor::FifoSpace(self.tile.fifos[end.fifo].name.clone()),
        }
    }
}
