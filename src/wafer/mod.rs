//! All of it, with one clock.
//!
//! In: a `Program`. Out: what the PEs have computed, printed and traced; how the run ended.
//! Never: compiles anything, or goes on after an error.

mod bulk_advance;
mod cells;
mod collectives;
mod event_queue;
mod explain;
mod facts;
mod groups;
mod host;
mod letters;
mod locality_step;
mod parallel_step;
mod pulse;
mod receivers;
mod record;
mod stall;
mod stopped;
#[cfg(test)]
mod tests;
mod traps;
mod worker_pool;

pub use crate::pe::{Pe, PeOptions, Printed, Traced};
pub use pulse::Pulse;
pub use receivers::Taker;
pub use stall::{HostWait, StallReport};
pub use stopped::StopReport;

use crate::arch::PeCoord;
use crate::diagnostics::{Diag, Diagnostic, fold_moments};
use crate::fabric::Fabric;
use crate::image::{FnId, Program};
use crate::pe::{PeLog, Wake, Worker};
use crate::source::Span;
use crate::trace::{Follower, Recorder};
use bulk_advance::BulkAdvance;
use cells::Cells;
use collectives::Collectives;
use event_queue::EventQueue;
use letters::Letters;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use worker_pool::WorkerPool;

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// Nothing is left to do.
    Idle,
    /// Nothing can move, and something is not finished.
    Stalled(Box<StallReport>),
    /// The program went wrong.
    Trapped(Vec<Diagnostic>),
    /// The limit is reached.
    OutOfCycles(Box<StopReport>),
    /// Somebody has asked it to stop.
    Interrupted(Box<StopReport>),
}

/// What one call of [`Wafer::cycle`] has found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Something may happen again.
    Moving,
    /// Nothing happens any more until the host does something.
    Quiet,
    /// The program went wrong.
    Trapped,
    /// Somebody has asked the wafer to stop.
    Interrupted,
}

/// PEs that run between two looks at whether to stop: far less than a second.
const PES_BETWEEN_LOOKS: usize = 256;

/// A launch on its way to a PE.
struct PendingLaunch {
    cycle: u64,
    pe: usize,
    function: FnId,
    args: Arc<[u64]>,
}

/// A wafer that runs one program.
pub struct Wafer {
    program: Arc<Program>,
    cells: Cells,
    fabric: Fabric,
    event_queue: EventQueue,
    launches: VecDeque<PendingLaunch>,
    now: u64,
    due: Vec<u32>,
    /// Those that run at the same time.
    running: Vec<u32>,
    log: PeLog,
    /// One for each thread.
    workers: Vec<Worker>,
    /// The threads.
    pool: WorkerPool,
    /// Fewer are not worth a thread.
    pes_of_a_thread: usize,
    collectives: Collectives,
    letters: Letters,
    trapped: Vec<Diag>,
    blocked: usize,
    /// The cycle that the furthest PE has reached.
    reached: u64,
    bulk_advance: BulkAdvance,
    /// While the run is recorded.
    recorder: Option<Box<Recorder>>,
    /// Becomes true when the run is to stop.
    stop: Option<&'static AtomicBool>,
    /// Where the run shows how far it has come.
    pulse: Option<&'static Pulse>,
    /// While memory is followed.
    follower: Option<Box<Follower>>,
}

impl Wafer {
    /// A wafer at cycle 0; PEs with active tasks are about to run.
    pub fn new(program: &Arc<Program>, options: PeOptions) -> Wafer {
        let count = usize::from(program.width) * usize::from(program.height);
        let mut event_queue = EventQueue::new(count);
        for (pe, tile) in program.place.iter().enumerate() {
            if program.tiles.get(*tile as usize).is_some_and(|t| t.active != 0) {
                event_queue.wake(pe, 0, 0);
            }
        }
        let mut fabric = Fabric::new(program);
        if options.checked {
            fabric.check();
        }
        Wafer {
            program: program.clone(),
            cells: Cells::new(program, options),
            fabric,
            event_queue,
            launches: VecDeque::new(),
            now: 0,
            due: Vec::new(),
            running: Vec::new(),
            log: PeLog::default(),
            workers: vec![Worker::default()],
            pool: WorkerPool::new(1),
            pes_of_a_thread: 1,
            collectives: Collectives::default(),
            letters: Letters::default(),
            trapped: Vec::new(),
            blocked: 0,
            reached: 0,
            bulk_advance: BulkAdvance::default(),
            recorder: None,
            stop: None,
            pulse: None,
            follower: None,
        }
    }

    /// Stops in the middle of everything once this becomes true.
    pub fn stop_when(&mut self, stop: &'static AtomicBool) {
        self.stop = Some(stop);
        self.fabric.stop_when(stop);
    }

    /// Shows in every cycle how far the run has come.
    pub fn show(&mut self, pulse: &'static Pulse) {
        self.pulse = Some(pulse);
    }

    /// Picks among equally ready tasks in an order that the seed decides; before anything runs.
    pub fn shuffle(&mut self, seed: u64) {
        self.cells.maker.seed = Some(seed);
    }

    /// Gives all routers other buffers, 1 to 4 wavelets for each color and link; before anything runs.
    pub fn limit_links(&mut self, depth: u8) {
        self.fabric.limit_links(depth);
    }

    /// Lets every wavelet go from router to router, also where a stream has its way for itself.
    pub fn go_hop_by_hop(&mut self) {
        self.fabric.go_hop_by_hop();
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The cycle that comes next.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Lets time pass in which nothing happens.
    pub fn idle_until(&mut self, cycle: u64) {
        self.now = self.now.max(cycle);
    }

    /// Links that wavelets have crossed.
    pub fn hops(&self) -> u64 {
        self.fabric.hops()
    }

    /// Lines printed so far, by cycle and PE.
    pub fn printed(&mut self) -> &[Printed] {
        // A PE may run ahead of the clock, so lines are not written in order.
        self.log.printed.sort_by_key(|p| (p.cycle, p.pe.y, p.pe.x));
        &self.log.printed
    }

    /// Trace records so far, by cycle and PE.
    pub fn traced(&mut self) -> &[Traced] {
        self.log.traced.sort_by_key(|t| (t.cycle, t.pe.y, t.pe.x));
        &self.log.traced
    }

    /// Places of the `@assert`s that held at least once, on any PE.
    pub fn asserts_held(&self) -> &BTreeSet<Span> {
        &self.log.asserts_held
    }

    /// What was suspicious so far, equal findings of many PEs folded.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let lost = self.lost_wavelets();
        self.log.warnings().into_iter().chain(lost).collect()
    }

    /// A PE, for the host; `None` if it has no code.
    pub fn pe(&mut self, at: PeCoord) -> Option<&mut Pe> {
        let index = self.program.pe_index(at);
        self.cells.pe(index)
    }

    /// The PEs to which something has happened.
    pub fn made(&self) -> impl Iterator<Item = (PeCoord, &Pe)> {
        self.cells.made().map(|(_, at, pe)| (at, pe))
    }

    /// How many PEs something has happened to.
    pub fn active_pes(&self) -> usize {
        self.cells.active()
    }

    /// How many PEs have a launch that has not unblocked the command stream.
    pub fn blocked(&self) -> usize {
        self.blocked + self.launches.len()
    }

    /// Lets PEs run a function from the next cycle on, each `skew` cycles after its western
    /// neighbour. The functions may differ between tiles.
    pub fn launch(&mut self, mut pes: Vec<(PeCoord, FnId)>, args: &[u64], skew: u64) {
        pes.sort_by_key(|(at, _)| (at.x, at.y));
        let args: Arc<[u64]> = args.into();
        for (at, function) in pes {
            let cycle = self.now + u64::from(at.x) * skew;
            let pe = self.program.pe_index(at);
            self.launches.push_back(PendingLaunch { cycle, pe, function, args: args.clone() });
        }
    }

    /// Runs the next cycle in which anything happens.
    pub fn cycle(&mut self) -> Progress {
        if !self.trapped.is_empty() {
            return Progress::Trapped;
        }
        if self.is_to_stop() {
            return Progress::Interrupted;
        }
        let fabric = self.fabric.next_awake(self.now);
        if fabric != Some(self.now) {
            let launch = self.launches.front().map(|l| l.cycle);
            match [fabric, self.event_queue.next(self.now), launch].into_iter().flatten().min() {
                Some(next) if self.now < self.bulk_advance.until && next >= self.bulk_advance.until => {
                    self.now = self.bulk_advance.until;
                    return Progress::Moving;
                }
                Some(next) => self.now = next.max(self.now),
                None if self.reached > self.now => {
                    self.now = self.reached;
                    return Progress::Moving;
                }
                None => return Progress::Quiet,
            }
        }
        self.begin_launches();
        if self.bulk_advance() {
            return Progress::Moving;
        }
        self.cells.begin_cycle(self.now);
        if self.is_worth_ordering() {
            self.locality_step();
        } else {
            self.run_pes();
            self.fabric.step(self.now);
        }
        self.end_of_recorded_cycle();
        self.now += 1;
        self.wake_freed();
        self.tear_down();
        self.join_collectives();
        self.note_letters();
        self.trap_unrouted();
        self.trap_collisions();
        if self.trapped.is_empty() { Progress::Moving } else { Progress::Trapped }
    }

    /// Runs until nothing happens any more.
    pub fn run_until_idle(&mut self, limit: u64) -> Ended {
        self.nobody_looks_before(limit);
        let ended = self.run_to_the_end(limit);
        self.nobody_looks_before(0);
        ended
    }

    /// Several cycles may be done at once up to this one.
    pub fn nobody_looks_before(&mut self, cycle: u64) {
        self.bulk_advance.until = cycle;
        self.workers.iter_mut().for_each(|worker| worker.unseen_until = cycle);
    }

    fn run_to_the_end(&mut self, limit: u64) -> Ended {
        loop {
            if self.now >= limit {
                return self.out_of_cycles(limit);
            }
            match self.cycle() {
                Progress::Moving => {}
                Progress::Trapped => return self.trapped(),
                Progress::Interrupted => return self.interrupted(),
                Progress::Quiet => {
                    return match self.stall_report(Vec::new()) {
                        Some(report) => Ended::Stalled(Box::new(report)),
                        None => Ended::Idle,
                    };
                }
            }
        }
    }

    /// The errors of the last cycle, equal ones folded.
    pub fn trapped(&self) -> Ended {
        Ended::Trapped(fold_moments(self.trapped.iter().cloned().map(Diagnostic::from)))
    }

    /// The end of a run that takes too long.
    pub fn out_of_cycles(&self, limit: u64) -> Ended {
        Ended::OutOfCycles(Box::new(self.stop_report(limit, false)))
    }

    /// The end of a run that somebody has stopped.
    pub fn interrupted(&self) -> Ended {
        Ended::Interrupted(Box::new(self.stop_report(self.now, true)))
    }

    fn is_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn begin_launches(&mut self) {
        while self.launches.front().is_some_and(|l| l.cycle <= self.now) {
            let Some(PendingLaunch { pe, function, args, .. }) = self.launches.pop_front() else { return };
            let Some(cell) = self.cells.pe(pe) else { continue };
            let before = cell.command_stream_blocked();
            cell.launch(function, &args);
            self.blocked += usize::from(cell.command_stream_blocked() && !before);
            self.event_queue.wake(pe, self.now, self.now);
        }
    }

    fn run_pes(&mut self) {
        self.fabric.deliver(self.now, &mut self.cells);
        self.record_fabric();
        for (pe, wake) in self.cells.take_delivered() {
            match wake {
                Wake::At(cycle) => self.event_queue.wake(pe as usize, cycle, self.now),
                Wake::OnEvent => {}
            }
        }
        let mut due = std::mem::take(&mut self.due);
        self.event_queue.take_due(self.now, &mut due);
        if let Some(pulse) = self.pulse {
            pulse.beat(self.now, due.len());
        }
        self.bulk_advance.ran = due.len();
        self.workers[0].alone_until = self.alone_until(&due);
        if self.is_worth_sharing(due.len()) {
            self.run_in_parallel(&due);
        } else {
            due.chunks(PES_BETWEEN_LOOKS).for_each(|pes| self.run_in_turn(pes));
        }
        due.clear();
        self.due = due;
    }

    /// The cycle before which nothing happens on the wafer but what the only PE does that runs now; 0 if
    /// there are others, or wavelets are on their way to somebody.
    fn alone_until(&self, due: &[u32]) -> u64 {
        if due.len() != 1 || self.recorder.is_some() || self.follower.is_some() {
            return 0;
        }
        let launch = self.launches.front().map(|l| l.cycle);
        let others = [self.fabric.next_awake(self.now), self.event_queue.next(self.now), launch];
        others.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    fn run_in_turn(&mut self, pes: &[u32]) {
        match self.is_to_stop() {
            true => self.put_off(pes),
            false => pes.iter().for_each(|pe| self.run_pe(*pe as usize)),
        }
    }

    /// They do not run any more, and are to be found among the unfinished.
    fn put_off(&mut self, pes: &[u32]) {
        pes.iter().for_each(|pe| self.event_queue.wake(*pe as usize, self.now, self.now));
    }

    #[inline(always)]
    fn run_pe(&mut self, index: usize) {
        let Some(pe) = self.cells.pe(index) else { return };
        let before = pe.command_stream_blocked();
        let reached = pe.busy_until();
        let mut ramp = self.fabric.ramp(index, self.now);
        let wake = pe.cycle(self.now, &mut ramp, &mut self.log, &mut self.workers[0]);
        self.blocked -= usize::from(before && !pe.command_stream_blocked());
        let busy_until = pe.busy_until();
        self.reached = self.reached.max(busy_until);
        if let Some(recorder) = &mut self.recorder {
            pe.events().into_iter().for_each(|events| recorder.take(events));
        }
        if pe.has_made_room() {
            self.fabric.retry(index);
        }
        match wake {
            Ok(Wake::At(cycle)) => self.event_queue.wake(index, cycle.max(self.now + 1), self.now),
            Ok(Wake::OnEvent) => {}
            Err(diag) => {
                let calls = pe.calls();
                self.trapped.push(explain::outside_library(diag, &calls, &self.program.sources));
            }
        }
        if self.follower.is_some() && self.fabric.is_recording() {
            let cycle = if busy_until > reached { busy_until } else { self.now };
            self.look_at_memory(index, cycle.max(self.now));
        }
    }

    fn wake_freed(&mut self) {
        for pe in self.fabric.take_freed() {
            self.cells.pe(pe as usize).into_iter().for_each(Pe::resume_sending);
            self.event_queue.wake(pe as usize, self.now, self.now);
        }
    }

    fn tear_down(&mut self) {
        for (pe, color) in self.fabric.take_torn_down() {
            let Some(cell) = self.cells.pe(pe as usize) else { continue };
            cell.tear_down(color);
            self.event_queue.wake(pe as usize, self.now, self.now);
        }
    }

    fn join_collectives(&mut self) {
        if self.log.joined.is_empty() {
            return;
        }
        let joined = std::mem::take(&mut self.log.joined);
        for (pe, diag) in self.collectives.join(joined, &self.program.sources) {
            self.hazard(pe, diag);
        }
    }

    fn note_letters(&mut self) {
        if !self.log.letters.is_empty() {
            let calls = std::mem::take(&mut self.log.letters);
            self.trapped.extend(self.letters.note(calls, &self.program).err());
        }
        for (from, to) in self.fabric.take_handed_over() {
            let paired = self.letters.hand_over(from as usize, to as usize, &self.program.sources);
            self.trapped.extend(paired.err());
        }
    }
}
