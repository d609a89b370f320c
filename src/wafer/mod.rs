//! The wafer: all PEs and routers under one clock.
//!
//! In: a `Program`. Out: what the PEs have computed, printed and traced; how the run ended.
//! Never: compiles anything, or goes on after an error.

mod advice;
mod band_step;
mod bands;
mod broken_routes;
mod causes;
mod collectives;
mod conditions;
mod dependencies;
mod edges;
mod event_queue;
mod explain;
mod exploration;
mod facts;
mod findings;
mod fork;
mod groups;
mod heartbeat;
mod launches;
mod left;
mod line_follower;
mod locality_step;
mod message_checks;
mod pe_array;
mod pieces;
mod record;
mod repetition;
mod served;
mod stall;
mod step;
mod stopped;
#[cfg(test)]
mod tests;
mod threading_policy;
mod traps;
mod unprinted;
mod unreached;
mod worker_pool;

pub use crate::pe::{
    Activity, BreakpointMatcher, DebugOrders, ExecutionPoint, FrameState, Notice, Notices, QueueState,
    StepKind, StepOrder, StopCandidate, TileMarks, Wait, Waiter, WaitsFor,
};
pub use crate::pe::{
    Candidate, Chosen, Decision, Deviation, HOST_PATIENCE, NotedWrite, Pe, PeOptions, Printed, ScheduleSeed,
    Traced, WriteLog,
};
pub use causes::Cause;
pub use explain::need_words;
pub use exploration::{ExplorationEnd, VisitedStates};
pub use fork::SenderState;
pub use heartbeat::Heartbeat;
pub use line_follower::LineConsumer;
pub use stall::{HostWait, StallReport};
pub use stopped::StopReport;

use crate::arch::{Color, PeCoord};
use crate::diagnostics::Diagnostic;
use crate::fabric::Fabric;
use crate::image::{FnId, NO_TILE, Program};
use crate::profile::{PeRecords, Traffic};
use crate::source::Span;
use crate::trace::{History, Recording, TraceFilter};
use bands::Bands;
use collectives::Collectives;
use exploration::Exploration;
use findings::Findings;
use groups::Waits;
use heartbeat::Signals;
use launches::Launches;
use message_checks::MessageChecks;
use pe_array::PeArray;
use record::Observers;
use repetition::{Livelock, Repetition};
use stall::Explainer;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use worker_pool::WorkerPool;

/// The fewest records of a profile that a PE may have, however many PEs share the limit.
const LEAST_RECORDS: usize = 2_000;

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
    /// The wafer repeats the same states: a livelock.
    Repeats,
}

/// A wafer that runs one program.
pub struct Wafer {
    program: Arc<Program>,
    pe_array: PeArray,
    bands: Bands,
    launches: Launches,
    now: u64,
    /// The cycle that the furthest PE has reached.
    reached: u64,
    /// Whether this cycle had any effect; visits that do nothing do not count.
    has_acted: bool,
    /// How many of the last cycles had no effect.
    idle: u64,
    findings: Findings,
    pool: WorkerPool,
    collectives: Collectives,
    messages: MessageChecks,
    observers: Observers,
    repetition: Repetition,
    /// The progress of a run whose scheduling choices are prescribed.
    exploration: Option<Box<Exploration>>,
    /// The part of the run that repeats forever.
    repeated: Option<Livelock>,
    signals: Signals,
}

impl Wafer {
    /// A wafer at cycle 0; PEs with active tasks are about to run.
    pub fn new(program: &Arc<Program>, options: PeOptions) -> Wafer {
        let mut fabric = Fabric::new(program);
        if options.checked {
            fabric.check();
        }
        Wafer {
            program: program.clone(),
            pe_array: PeArray::new(program, options),
            bands: Bands::new(program, fabric),
            launches: Launches::default(),
            now: 0,
            reached: 0,
            has_acted: false,
            idle: 0,
            findings: Findings::new(options.levels),
            pool: WorkerPool::new(1, 1),
            collectives: Collectives::default(),
            messages: MessageChecks::default(),
            observers: Observers::default(),
            repetition: Repetition::default(),
            exploration: None,
            repeated: None,
            signals: Signals::default(),
        }
    }

    /// Sets the flag that stops the run, in the middle of a cycle, once it is true.
    pub fn stop_when(&mut self, stop: &'static AtomicBool) {
        self.signals.stop_when(stop);
        self.bands.iter_mut().for_each(|band| band.fabric.stop_when(stop));
    }

    /// Sets where each cycle publishes how far the run has come.
    pub fn show(&mut self, pulse: &'static Heartbeat) {
        self.signals.show(pulse);
    }

    /// Lets a schedule decide what is up to the machine: the order of equally ready tasks and of equal microthreads,
    /// and when launches arrive; before anything runs.
    pub fn shuffle(&mut self, schedule: ScheduleSeed) {
        // Seeded choices depend on the cycle, so equal states need not go on alike.
        self.repetition.turn_off();
        self.pe_array.shuffle(schedule);
        self.launches.shuffle(schedule);
    }

    /// Lets all PEs note what they choose; before anything runs.
    pub fn note_choices(&mut self) {
        self.pe_array.note_choices();
    }

    /// Sets the depth of all link buffers, 1 to 4 wavelets for each color. Call it before the run starts.
    pub fn limit_links(&mut self, depth: u8) {
        self.bands.iter_mut().for_each(|band| band.fabric.limit_links(depth));
    }

    /// Runs each cycle on up to `threads` threads, as long as each gets at least `pes` PEs. Call it before the run
    /// starts.
    pub fn run_on(&mut self, threads: usize, pes: usize) {
        self.pool = WorkerPool::new(threads, pes);
        self.bands.cut(&self.program, self.pool.size());
    }

    /// Sets from how many PEs on the state counts as larger than the caches.
    pub fn set_large_from(&mut self, pes: usize) {
        self.bands.iter_mut().for_each(|band| band.fabric.set_large_from(pes));
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The cycle that comes next.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Cycles since the start, without those at the end in which nothing happened; after an error, the cycle of
    /// the earliest one.
    pub fn cycles(&self) -> u64 {
        self.findings.first_error().unwrap_or(self.end())
    }

    /// The last cycle in which a PE was given a wavelet; 0 if none was.
    pub fn last_arrival(&self) -> u64 {
        self.bands.last_arrival()
    }

    /// The cycle after the last one in which anything has happened, as far as the clock has come.
    fn end(&self) -> u64 {
        self.reached.clamp(self.now - self.idle, self.now)
    }

    /// Advances the clock; nothing happens before that cycle.
    pub fn idle_until(&mut self, cycle: u64) {
        if cycle > self.now {
            (self.now, self.idle) = (cycle, 0);
        }
    }

    /// Links that wavelets have crossed.
    pub fn hops(&self) -> u64 {
        self.bands.iter().map(|band| band.fabric.hops()).sum()
    }

    /// Trace records so far, by cycle and PE.
    pub fn traced(&mut self) -> &[Traced] {
        self.findings.traced()
    }

    /// Places of the `@assert`s that held at least once, on any PE.
    pub fn asserts_held(&self) -> &BTreeSet<Span> {
        self.findings.asserts_held()
    }

    /// What was suspicious so far, equal findings of many PEs folded.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let levels = self.findings.levels();
        let has_lost = self.bands.iter().any(|band| band.fabric.has_losses());
        let lost = match has_lost {
            true => self.bands.look(|fabric| traps::lost_wavelets(fabric, &self.program, levels)),
            false => Vec::new(),
        };
        let unprinted = unprinted::unprinted_text(&self.pe_array, self.findings.last_cycle(), levels);
        self.findings.warnings(&self.program.sources).into_iter().chain(lost).chain(unprinted).collect()
    }

    /// A PE, for the host; `None` if it has no code.
    pub fn pe(&mut self, at: PeCoord) -> Option<&mut Pe> {
        let index = self.program.pe_index(at);
        self.pe_array.pe(index)
    }

    /// The PEs to which something has happened.
    pub fn made(&self) -> impl Iterator<Item = (PeCoord, &Pe)> {
        self.pe_array.made().map(|(_, at, pe)| (at, pe))
    }

    /// How many PEs something has happened to.
    pub fn active_pes(&self) -> usize {
        self.pe_array.active()
    }

    /// How many PEs have a launch that has not unblocked the command stream.
    pub fn blocked(&self) -> usize {
        self.launches.blocked()
    }

    /// Lets PEs run a function from the next cycle on, each `skew` cycles after its western
    /// neighbour. The functions may differ between tiles.
    pub fn launch(&mut self, pes: Vec<(PeCoord, FnId)>, args: &[u64], skew: u64) {
        self.launches.add(pes, args, (self.now, skew), &self.program);
    }

    /// Reserves a PE for a command of the host: once its task has ended, no other one starts. `false` ends the
    /// reservation.
    pub fn set_hosts_turn(&mut self, at: PeCoord, is_hosts_turn: bool) {
        let index = self.program.pe_index(at);
        if let Some(pe) = self.pe_array.pe(index) {
            pe.set_hosts_turn(is_hosts_turn);
            self.bands.of(index).event_queue.wake(index, self.now, self.now);
        }
    }

    /// Gives a PE a word of a host stream; false while it has too many.
    pub fn stream_in(&mut self, at: PeCoord, color: Color, word: u32) -> bool {
        let pe = self.program.pe_index(at);
        self.bands.fabric(pe).give_from_host(pe, color, word, self.now)
    }

    /// Takes a word that a PE has sent to the host.
    pub fn stream_out(&mut self, at: PeCoord, color: Color) -> Option<u32> {
        let pe = self.program.pe_index(at);
        let wavelet = self.bands.fabric(pe).take_for_host(pe, color, self.now)?;
        self.wake_freed();
        Some(wavelet.data)
    }

    /// Sends a word from the PE that the host replaces; false while the fabric takes no more.
    pub fn send_for_host(&mut self, at: PeCoord, color: Color, word: u32) -> bool {
        let pe = self.program.pe_index(at);
        self.bands.fabric(pe).send_for_host(pe, color, word, self.now)
    }

    /// Takes a word that has arrived at the PE that the host replaces.
    pub fn receive_for_host(&mut self, at: PeCoord, color: Color) -> Option<u32> {
        let pe = self.program.pe_index(at);
        self.bands.fabric(pe).receive_for_host(pe, color, self.now)
    }

    /// Records what happens, as far as the filter wants it; before anything runs. The run itself stays
    /// as it is, cycle by cycle.
    pub fn record(&mut self, filter: TraceFilter) {
        self.bands.cut(&self.program, 1);
        self.observers.record(filter, &self.program, &mut self.bands.first.fabric, &mut self.pe_array);
    }

    /// What was recorded so far; `None` if nothing is recorded.
    pub fn recording(&mut self) -> Option<Recording> {
        self.observers.take(|| self.bands.first.fabric.events());
        let mut recording = self.observers.recording(self.now)?;
        if self.bands.first.fabric.is_profiled() {
            recording.renumber();
        }
        Some(recording)
    }

    /// Takes notes for a profile, of about so many records of all PEs at most; before anything runs. The run itself
    /// stays as it is.
    pub fn profile(&mut self, limit: usize) {
        self.bands.cut(&self.program, 1);
        self.bands.first.fabric.profile();
        let pes = self.program.place.iter().filter(|tile| **tile != NO_TILE).count();
        self.pe_array.profile((limit / pes.max(1)).max(LEAST_RECORDS));
    }

    /// The notes of all PEs so far, by PE, and of the routers; `None` if nothing is profiled.
    pub fn profile_notes(&self) -> Option<(Vec<(u32, PeRecords)>, Traffic)> {
        let traffic = self.bands.first.fabric.traffic()?;
        let notes = |(index, _, pe): (usize, PeCoord, &Pe)| Some((index as u32, pe.profile_notes(self.now)?));
        Some((self.pe_array.made().filter_map(notes).collect(), traffic))
    }

    /// Follows the exported variables of all PEs, or all variables if nothing is exported, until so
    /// many words have changed; before anything runs.
    pub fn follow_memory(&mut self, limit: usize) {
        self.bands.cut(&self.program, 1);
        self.observers.follow_memory(&self.program, limit);
    }

    /// How the variables have changed so far; `None` if they are not followed.
    pub fn memory_history(&self) -> Option<History> {
        self.observers.memory_history(self.now)
    }

    /// The host has written to a PE.
    pub fn note_written(&mut self, at: PeCoord) {
        let index = self.program.pe_index(at);
        if let Some(pe) = self.pe_array.pe(index) {
            self.observers.look_at_memory(index, pe, self.now);
        }
    }

    /// Checks an access of the host to words of a PE: a hazard if an operation uses them whose end nothing has seen.
    pub fn check_copy(&mut self, at: PeCoord, addr: usize, words: usize, is_write: bool) {
        let now = self.now;
        if let Some(race) = self.pe(at).and_then(|pe| pe.host_race(addr, words, is_write, now)) {
            self.findings.hazard(at, race.on(traps::moment(at, now)));
        }
    }

    /// Warnings about what a finished run leaves behind.
    pub fn leftovers(&self) -> Vec<Diagnostic> {
        self.explain(|explainer| explain::leftovers(&explainer, self.now))
    }

    /// What can never finish now that nothing moves; `None` if everything is finished.
    pub fn stall_report(&self, host: Vec<HostWait>) -> Option<StallReport> {
        let levels = self.findings.levels();
        self.explain(|explainer| {
            let mut report = StallReport::new(&explainer, &self.collectives, host, self.end())?;
            let idle = explain::never_activated(&explainer).into_iter();
            report.never_activated = idle.filter_map(|warning| levels.judge(warning)).collect();
            Some(report)
        })
    }

    fn stop_report(&self, cycle: u64, interrupted: bool) -> Box<StopReport> {
        self.explain(|explainer| Box::new(StopReport::new(&explainer, &self.bands, cycle, interrupted)))
    }

    fn explain<R>(&self, with: impl FnOnce(Explainer<'_>) -> R) -> R {
        let (pe_array, waits) = (&self.pe_array, Waits::new(&self.pe_array, &self.pool));
        let findings = &self.findings;
        self.bands.look(|fabric| with(Explainer::new(pe_array, fabric, &self.messages, findings, waits)))
    }

    /// Runs until nothing happens any more.
    pub fn run_until_idle(&mut self, limit: u64) -> Ended {
        self.set_unobserved_until(limit);
        let ended = self.run_to_the_end(limit);
        self.set_unobserved_until(0);
        ended
    }

    /// Promises that nothing reads the state of the wafer before this cycle, so that PEs may run ahead of the clock
    /// until then.
    pub fn set_unobserved_until(&mut self, cycle: u64) {
        self.bands.set_unobserved_until(cycle);
    }

    fn run_to_the_end(&mut self, limit: u64) -> Ended {
        loop {
            if self.now >= limit {
                return self.out_of_cycles(limit);
            }
            match self.cycle(limit) {
                Progress::Moving => {}
                Progress::Trapped => return self.trapped(),
                Progress::Repeats => return self.repeats(),
                Progress::Interrupted => return self.interrupted(),
                Progress::Quiet if self.has_held() => self.release_held(),
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
        Ended::Trapped(self.findings.errors())
    }

    /// The end of a run that repeats itself.
    pub fn repeats(&self) -> Ended {
        let mut report = self.stop_report(self.now, false);
        report.repeats = self.repeated.clone();
        Ended::OutOfCycles(report)
    }

    /// Restarts the search for a livelock: an action of the host can end what has repeated so far.
    #[inline]
    pub fn note_host_action(&mut self) {
        self.repetition.forget();
    }

    /// The end of a run that takes too long.
    pub fn out_of_cycles(&mut self, limit: u64) -> Ended {
        self.findings.stop(Some(limit));
        Ended::OutOfCycles(self.stop_report(limit, false))
    }

    /// The end of a run that somebody has stopped.
    pub fn interrupted(&self) -> Ended {
        Ended::Interrupted(self.stop_report(self.now, true))
    }
}
