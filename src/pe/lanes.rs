//! Operations in progress: one of the main thread and one per microthread.

use super::Pe;
use super::fifo::Verdict;
use super::operation::{Operation, Stall, Step, Surroundings};
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
pub(super) struct Lane {
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
pub(super) struct Lanes {
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
    main: Option<Box<Lane>>,
    /// The place of the operation that has ended last, for the next one.
    spare: Option<Box<Lane>>,
    threads: [Option<Box<Lane>>; 8],
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

impl Lanes {
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
    pub fn install(&mut self, place: usize, mut lane: Lane) {
        lane.operation.steps = lane.operation.kind_of_steps();
        self.live |= 1 << place;
        self.claimed |= lane.operation.inputs();
        let rank = match lane.priority {
            _ if place == MAIN => 2,
            Priority::High => 0,
            Priority::Medium => 1,
            Priority::Low => 3,
        };
        self.ranks[rank] |= 1 << place;
        let lane = match self.spare.take() {
            Some(mut place) => {
                *place = lane;
                place
            }
            None => Box::new(lane),
        };
        *self.slot(place) = Some(lane);
    }

    pub fn slot(&mut self, place: usize) -> &mut Option<Box<Lane>> {
        if place == MAIN { &mut self.main } else { &mut self.threads[place] }
    }

    fn remove(&mut self, place: usize) -> Box<Lane> {
        self.live &= !(1 << place);
        self.ranks.iter_mut().for_each(|places| *places &= self.live);
        let lane = self.slot(place).take().expect("only live lanes are removed");
        self.claimed = self.iter().fold(0, |all, (_, lane)| all | lane.operation.inputs());
        lane
    }

    /// The operations in progress with their places; the main thread's comes last.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Lane)> {
        places(self.live).filter_map(|place| {
            let lane = if place == MAIN { &self.main } else { &self.threads[place] };
            Some((place, lane.as_deref()?))
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
    pub(super) fn run_lanes(&mut self, now: u64) -> Result<bool, Diag> {
        if self.lanes.is_empty() || self.main.starts_at(now).is_some() {
            return Ok(false);
        }
        let mut waiting = self.lanes.live & !u16::from(self.lanes.blocked);
        while let Some(place) = self.lanes.first(waiting) {
            waiting &= !(1 << place);
            // One that goes before may have ended it.
            if self.lanes.is_live(place) && self.run_lane(place, now)? {
                self.lanes.latest = place as u8;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn run_lane(&mut self, place: usize, now: u64) -> Result<bool, Diag> {
        let mut around = Surroundings {
            memory: &mut self.memory,
            queues: &mut self.queues,
            fifos: &mut self.fifos,
            tasks: &mut self.tasks,
            now,
        };
        let lane = self.lanes.slot(place).as_mut().expect("only live lanes run");
        let step = match lane.operation.step(&mut around) {
            Ok(step) => step,
            Err(diag) => {
                let lane = self.lanes.remove(place);
                return Err(self.explain_reach(diag, lane.operation.cursors()).at(lane.span));
            }
        };
        if lane.operation.has_mixed() {
            self.check_intakes(place)?;
        }
        let lane = self.lanes.slot(place).as_mut().expect("only live lanes run");
        match step {
            Step::Moved => lane.stalled = None,
            Step::Full => self.overflow(place)?,
            Step::Stalled(stall) => {
                if lane.stalled.is_none_or(|(old, _)| old != stall) {
                    lane.stalled = Some((stall, now));
                }
                let (is_async, span) = (lane.is_async, lane.span);
                let verdict = self.verdict(stall, is_async).at(span)?;
                return self.stall(place, stall, verdict, now);
            }
            Step::Finished => {
                let lane = self.lanes.remove(place);
                self.finish(place, &lane, lane.completion, true, now)?;
                self.lanes.spare = Some(lane);
            }
            Step::Ended => {
                let lane = self.lanes.remove(place);
                let done = lane.on_control.expect("a control wavelet ends it only with on_control");
                self.finish(place, &lane, done, true, now)?;
                self.lanes.spare = Some(lane);
            }
        }
        Ok(true)
    }

    /// An operation goes on behind the end of its memory operands, unless that is denied.
    fn overflow(&mut self, place: usize) -> Result<(), Diag> {
        let mut lane = self.lanes.slot(place).take().expect("only live lanes run");
        lane.stalled = None;
        let goes_on = self.go_beyond_room(&mut lane);
        *self.lanes.slot(place) = Some(lane);
        if goes_on.is_err() {
            self.lanes.remove(place);
        }
        goes_on
    }

    fn go_beyond_room(&mut self, lane: &mut Lane) -> Result<(), Diag> {
        self.hazard(lane.operation.no_room().at(lane.span))?;
        lane.operation.room = None;
        let left = lane.operation.remaining();
        self.check_reach(lane.operation.cursors_mut(), left, lane.span)
    }

    /// Does what an operation does that cannot go on; true if that is not waiting.
    fn stall(&mut self, place: usize, stall: Stall, verdict: Verdict, now: u64) -> Result<bool, Diag> {
        if verdict == Verdict::Waits {
            return Ok(false);
        }
        let lane = self.lanes.remove(place);
        if verdict == Verdict::GivesUp {
            self.leave_length(stall, &lane.operation).at(lane.span)?;
            self.check_result(lane.result, stall, lane.span)?;
            self.finish(place, &lane, Done::Nothing, false, now)?;
        } else {
            self.finish(place, &lane, lane.completion, true, now)?;
        }
        Ok(true)
    }

    /// Does what follows the end of an operation.
    pub(super) fn finish(
        &mut self,
        place: usize,
        lane: &Lane,
        done: Done,
        result: bool,
        now: u64,
    ) -> Result<(), Diag> {
        self.note_end(place, lane, now);
        self.save_positions(&lane.operation, &lane.saved);
        match done {
            Done::Nothing => {}
            Done::Activate(id) => {
                self.check_activation(id, lane.span)?;
                self.tasks.activate(id).at(lane.span)?;
            }
            Done::Unblock(id) => self.tasks.blocked &= !super::tasks::bit(id),
        }
        if place == MAIN {
            if let Some(register) = lane.result {
                self.main.set_register(register, result.into());
            }
            self.main.resume(now);
        }
        Ok(())
    }

    /// What the operations in progress wait for.
    pub(super) fn lane_waits(&self) -> impl Iterator<Item = Wait<'_>> {
        self.lanes.iter().filter_map(|(place, lane)| {
            let blocked = place != MAIN && self.lanes.blocked & 1 << place != 0;
            let on = match lane.stalled {
                _ if blocked => WaitsFor::Unblock,
                Some((stall, _)) => self.describe(stall, lane),
                None => return None,
            };
            Some(Wait {
                who: if place == MAIN { Waiter::MainThread } else { Waiter::Microthread(UtId(place as u8)) },
                on,
                name: lane.operation.name(),
                task: if place == MAIN { self.running_task() } else { None },
                since: lane.stalled.map_or(lane.started, |(_, since)| since),
                progress: lane.operation.total.map(|total| (lane.operation.done, total)),
                span: Some(lane.span),
            })
        })
    }

    fn describe(&self, stall: Stall, lane: &Lane) -> WaitsFor {
        match stall {
            Stall::Input(input) => {
                let inbox = &self.queues.inputs[input];
                let ends_at_control = lane.operation.stops_at_control;
                WaitsFor::Wavelet { color: inbox.color, queue: inbox.queue, ends_at_control }
            }
            Stall::Output(output) => {
                let color = lane.operation.color().expect("a fabout operand has a color");
                WaitsFor::Space { color, queue: self.queues.outputs[output].queue }
            }
            Stall::FifoEmpty(end) => WaitsFor::FifoData(self.tile.fifos[end.fifo].name.clone()),
            Stall::FifoFull(end) => WaitsFor::FifoSpace(self.tile.fifos[end.fifo].name.clone()),
        }
    }
}
