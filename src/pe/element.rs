//! One processing element: its components, and the actions that involve several of them.

use super::checks::{Checks, PeOptions};
use super::choices::{Choice, Choices};
use super::clock::Clock;
use super::config::ConfigSpace;
use super::fifo::FifoState;
use super::log::PeLog;
use super::main_thread::MainThread;
use super::map::MapState;
use super::observer::Observer;
use super::operation::StepContext;
use super::prescribed::PrescribedSchedule;
use super::queue::SendOperation;
use super::queues::Queues;
use super::races::Races;
use super::rare::RareState;
use super::registers::Registers;
use super::seed::ScheduleSeed;
use super::tasks::{Tasks, bit};
use super::teardown_task::{TeardownContext, TeardownTask};
use super::threads::Threads;
use super::ties::{NO_TASK, SimultaneousActivations};
use super::trace_buffer::TraceBuffer;
use super::unset_globals::UnsetGlobals;
use super::vector_unit::VectorUnit;
use super::wait::{Activity, Wait, Wake};
use super::waiting::Waiting;
use crate::arch::{Arch, Color, PeCoord, TaskId};
use crate::diagnostics::rules::run::{DATA_RACE, UNSET_VARIABLE};
use crate::diagnostics::{Diag, Level, Moment};
use crate::exec::PreparedTile;
use crate::exec::calls::Worker;
use crate::exec::memory::Memory;
use crate::exec::sanitizer::Sanitizer;
use crate::exec::vector::map::MapIterations;
use crate::fabric::{Ramp, Wavelet};
use crate::image::code::DsrLoad;
use crate::source::Span;
use crate::trace::Event;
use std::sync::Arc;

/// The environment of a PE while it runs.
pub(super) struct Environment<'a> {
    pub ramp: &'a mut dyn Ramp,
    pub log: &'a mut PeLog,
    pub worker: &'a mut Worker,
}

/// One processing element. The order of the fields keeps a visit to few cache lines: first the fields that
/// every visit reads, then those that code needs, then the rest.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Pe {
    /// The trace buffer or the notes for a profile, while the run is recorded or profiled.
    pub(super) observer: Observer,
    pub(super) arch: &'static Arch,
    pub(super) tile: Arc<PreparedTile>,
    pub(super) checks: Checks,
    pub(super) main: MainThread,
    pub(super) queues: Queues,
    pub(super) tasks: Tasks,
    pub(super) threads: Threads,
    pub(super) at: PeCoord,
    /// Nothing happened in the last visit.
    was_idle: bool,
    /// An operation that had done nothing yet began to wait in the last visit.
    pub(super) began_to_wait: bool,
    /// There are `ties`.
    pub(super) has_ties: bool,
    /// The task that an operation which ends in this cycle has activated last.
    pub(super) just_activated: TaskId,
    pub(super) duties: TeardownTask,
    pub(super) memory: Memory,
    pub(super) sanitizer: Sanitizer,
    pub(super) races: Races,
    pub(super) choices: Option<Box<Choices>>,
    /// Decides what the PE does next, if a schedule is followed or searched for.
    pub(super) script: Option<Box<PrescribedSchedule>>,
    /// For each of `maps`, what the scalar loop needs to read and write its elements itself.
    pub(super) map_iterations: Vec<MapIterations>,
    pub(super) fifos: Vec<FifoState>,
    pub(super) registers: Registers,
    pub(super) maps: Vec<MapState>,
    pub(super) ties: SimultaneousActivations,
    pub(super) rare: Box<RareState>,
}

impl Pe {
    /// A PE in its initial state.
    pub fn new(at: PeCoord, arch: &'static Arch, tile: Arc<PreparedTile>, options: PeOptions) -> Pe {
        let mut pe = Pe {
            at,
            was_idle: false,
            began_to_wait: false,
            has_ties: false,
            just_activated: NO_TASK,
            ties: SimultaneousActivations::default(),
            arch,
            checks: Checks::new(options.checked, options.levels),
            memory: Memory::new(arch.memory_words as usize, &tile.data),
            sanitizer: Sanitizer::new(&tile, arch.memory_words as usize, options.checked),
            main: MainThread::new(arch.memory_words as usize),
            tasks: Tasks::new(&tile),
            duties: TeardownTask::default(),
            queues: Queues::new(arch, &tile),
            threads: Threads::default(),
            registers: Registers::new(&tile),
            races: Races::new(options.checked && options.levels.of(DATA_RACE.name) != Level::Allow),
            fifos: tile.fifos.iter().map(FifoState::new).collect(),
            maps: Vec::new(),
            map_iterations: Vec::new(),
            rare: Box::default(),
            choices: None,
            script: None,
            observer: Observer::default(),
            tile: Arc::clone(&tile),
        };
        pe.threads.blocked = tile.blocked_microthreads;
        pe.threads.must_not_run_ahead = options.plain;
        if options.holds_clock {
            pe.rare.clock = Clock::held();
        }
        for fifo in &tile.fifos {
            pe.memory
                .reach(usize::from(fifo.base) + usize::from(fifo.capacity) * usize::from(fifo.element_words));
        }
        if options.checked
            && options.levels.of(UNSET_VARIABLE.name) != Level::Allow
            && let Some(unset) = UnsetGlobals::new(&tile)
        {
            pe.races.watch_unset(unset);
        }
        pe.config_space_without_ramp().set_initial();
        for load in &tile.initial_dsrs {
            let load = &tile.dsr_loads[*load as usize];
            pe.load_dsr(load).expect("loads before the start name constants");
        }
        pe
    }

    /// Runs everything that can run at `now`; returns when the PE wants to run next. The caller keeps one
    /// worker for all PEs that it runs.
    pub fn cycle(
        &mut self,
        now: u64,
        ramp: &mut dyn Ramp,
        log: &mut PeLog,
        worker: &mut Worker,
    ) -> Result<Wake, Diag> {
        self.threads.expected.clear();
        (self.began_to_wait, self.just_activated) = (false, NO_TASK);
        let wake = self.advance(now, Environment { ramp: &mut *ramp, log: &mut *log, worker });
        if let Some(trace) = self.observer.trace() {
            trace.observe(&self.main, &self.threads, &self.queues, now);
        }
        self.after_profiled_visit(ramp);
        if !self.checks.warnings.is_empty() {
            let moment = self.moment(now);
            self.checks.warnings.drain(..).for_each(|warning| log.warn(self.at, warning.on(moment)));
        }
        wake.map_err(|c| c.on(self.moment(now)))
    }

    pub(super) fn moment(&self, cycle: u64) -> Moment {
        Moment { x: self.at.x, y: self.at.y, cycle }
    }

    fn advance(&mut self, now: u64, mut environment: Environment<'_>) -> Result<Wake, Diag> {
        // A data task can take wavelets from an operation only when the main thread is free to start the task.
        if self.main.is_free() && self.main.busy_until <= now {
            self.checks.check_contest(&self.tile, &self.tasks, &self.queues, &self.threads)?;
        }
        self.complete_endings(now)?;
        // Microthreads go first, so the main thread can resume in the cycle in which its operation ends.
        // Queues drain last, so a wavelet can leave in the cycle in which an operation sends it.
        let waited = self.main.waiting;
        let moved = self.run_threads(now)?;
        let resumed = waited && !self.main.waiting;
        let ran = self.run_main(now, resumed, &mut environment)?;
        let sent = self.queues.drain(environment.ramp, now);
        if self.duties.has_flushes() {
            let (duties, mut context) = self.duties();
            duties.watch_flushes(&mut context)?;
        }
        let has_acted = moved || ran || sent;
        self.was_idle = !has_acted;
        let wake = self.next_visit(now, has_acted, sent, environment.ramp);
        if self.threads.are_as_started() && !self.checks.is_to_fail {
            return Ok(wake);
        }
        let ending = self.threads.next_ending().map(|ending| match self.main.waiting {
            true => ending,
            false => ending.max(self.main.busy_until),
        });
        let failure = self.checks.is_to_fail.then_some(self.main.busy_until);
        let visit = if let Wake::At(cycle) = wake { Some(cycle) } else { None };
        let known = [self.threads.next_start(now), ending, failure, visit];
        let first = known.into_iter().fold(u64::MAX, |first, cycle| first.min(cycle.unwrap_or(u64::MAX)));
        Ok(if first == u64::MAX { Wake::OnEvent } else { Wake::At(first) })
    }

    /// When it next wants to run, apart from operations that start later.
    fn next_visit(&mut self, now: u64, is_busy: bool, sent: bool, ramp: &mut dyn Ramp) -> Wake {
        // The router accepts at most one wavelet of a PE per cycle; the rest needs the next cycle.
        if sent && self.queues.has_outgoing_by(now + 1) {
            return Wake::At(now + 1);
        }
        if self.queues.sent_last > now {
            self.queues.send_ahead(ramp, now);
        }
        if let Some(departs) = self.queues.next_departure(now) {
            return Wake::At(departs);
        }
        if is_busy && self.may_go_on(now + 1) {
            return Wake::At(now + 1);
        }
        if is_busy && !self.threads.is_empty() && self.is_observed() {
            return Wake::At(now + 1);
        }
        if self.main.is_hosts_turn && self.main.is_free() {
            let is_ahead = self.main.busy_until > now;
            return if is_ahead { Wake::At(self.main.busy_until) } else { Wake::OnEvent };
        }
        let claimed = self.threads.claimed_inputs();
        let ready = match self.main.is_free() {
            true if self.script.is_some() => self.may_start() && self.has_awake(now),
            true => {
                self.may_start()
                    && (self.main.has_launches()
                        || self.tasks.has_ready(self.arch.name, &self.queues, claimed).unwrap_or_else(|| {
                            self.tasks.pick(self.arch.name, &mut self.queues, claimed, now).is_some()
                        }))
            }
            false => self.main.can_run(),
        };
        if ready { Wake::At(self.main.busy_until.max(now + 1)) } else { Wake::OnEvent }
    }

    /// Whether an operation in progress may continue in cycle `next`, as far as this PE knows.
    fn may_go_on(&mut self, next: u64) -> bool {
        self.main.is_stalled() || !self.threads.is_empty() && self.threads.may_move(&self.queues, next)
    }

    /// Whether nothing happened in the last visit. Which PEs are visited in vain depends on the engine, and so such a visit
    /// does not make a run longer.
    pub fn was_idle(&self) -> bool {
        self.was_idle
    }

    /// From now on, the schedule decides among equally ready tasks and equal microthreads.
    pub fn shuffle(&mut self, schedule: ScheduleSeed) {
        self.tasks.schedule = Some(Box::new(schedule.of(self.at)));
    }

    /// From now on, notes what it chooses.
    pub fn note_choices(&mut self) {
        self.choices = Some(Box::default());
    }

    /// What it has chosen, if that is noted.
    pub fn choices(&self) -> &[Choice] {
        self.choices.as_ref().map_or(&[], |choices| choices.all())
    }

    /// Accepts a wavelet if there is space for it; returns when the PE must run because of it.
    pub fn deliver(&mut self, now: u64, color: Color, wavelet: Wavelet) -> Option<Wake> {
        self.threads.expected.disturb();
        let input = self.queues.deliver(now, color, wavelet)?;
        Some(self.wake_for(input, now, wavelet))
    }

    /// The router has space again for wavelets that it has refused.
    pub fn resume_sending(&mut self) {
        self.queues.resume_sending();
    }

    /// The colors, bit = color, of which it has not accepted wavelets that can enter now; each only once.
    #[inline]
    pub fn take_room(&mut self) -> Option<u32> {
        self.queues.take_room()
    }

    /// The cycle in which the PE must run because of a wavelet that has just arrived at an input.
    #[inline]
    fn wake_for(&self, input: usize, now: u64, wavelet: Wavelet) -> Wake {
        // A recording samples the queues in every cycle, and the picker must drop wavelets that no task takes.
        let is_plain = !self.is_observed() && !wavelet.control && !self.duties.has_flushes();
        if !is_plain || self.main.is_stalled() || self.threads.claimed_inputs() & 1 << input != 0 {
            if !is_plain {
                self.note_arrival(input, wavelet);
            }
            return Wake::At(now);
        }
        // The PE is visited anyway: a task that ends makes the picker look at the queues, and a wavelet that
        // was produced ahead of the clock has already scheduled a visit.
        if !self.main.is_free() || self.queues.next_departure(now).is_some() {
            return Wake::OnEvent;
        }
        let until = self.main.busy_until;
        // If the queue was not empty before, the PE is already scheduled for its oldest wavelet.
        let is_new = until <= now || self.tasks.starts_for(self.arch.name, &self.queues.inputs[input]);
        if is_new { Wake::At(until.max(now)) } else { Wake::OnEvent }
    }

    /// Whether the timing within a visit is observable: then nothing is done ahead of the clock.
    pub(super) fn is_observed(&self) -> bool {
        self.observer.has_trace() || self.threads.must_not_run_ahead
    }

    /// The source locations that its main thread executes, the innermost call first.
    pub fn calls(&self) -> Vec<Span> {
        self.main.calls.places(&self.tile)
    }

    /// The memory of the PE.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The cycle up to which the main thread has run; it may be ahead of the clock.
    pub fn busy_until(&self) -> u64 {
        self.main.busy_until
    }

    /// The cycle that a visit now has reached: code has run up to it, or an operation has begun to wait.
    pub fn reached(&self, now: u64) -> u64 {
        if self.began_to_wait { self.main.busy_until.max(now) } else { self.main.busy_until }
    }

    /// Whether a launched function has not called `unblock_cmd_stream` yet.
    pub fn command_stream_blocked(&self) -> bool {
        self.main.command_stream_blocked
    }

    /// The last operation that sent a color.
    pub fn last_sender(&self, color: Color) -> Option<SendOperation> {
        self.queues.last_sender(color)
    }

    /// The last operation that received a color through a queue.
    pub fn last_reader(&self, color: Color) -> Option<Span> {
        self.queues.last_reader(color)
    }

    /// Whether a task or channel is blocked.
    pub fn is_blocked(&self, id: TaskId) -> bool {
        self.tasks.state.blocked & bit(id) != 0
    }

    /// Whether a local task is active.
    pub fn is_active(&self, id: TaskId) -> bool {
        self.tasks.state.active & bit(id) != 0
    }

    /// Whether a task has started at least once.
    pub fn has_begun(&self, id: TaskId) -> bool {
        self.tasks.begun & bit(id) != 0
    }

    /// What the main thread is doing, or did last; `None` before the first task.
    pub fn activity(&self) -> Option<Activity<'_>> {
        let function = &self.tile.functions[self.tasks.function?.0 as usize];
        Some(Activity {
            name: &function.name,
            span: function.span,
            places: self.calls(),
            since: self.tasks.since,
            started: self.tasks.started,
            ready: self.waiting().ready().collect(),
        })
    }

    /// Everything that is not finished, in the order: main thread and microthreads, tasks, queues.
    pub fn waits(&self) -> Vec<Wait<'_>> {
        self.waiting().all()
    }

    /// The operations among them, those of microthreads first.
    pub fn operations(&self) -> impl Iterator<Item = Wait<'_>> {
        self.waiting().operations()
    }

    fn waiting(&self) -> Waiting<'_> {
        let Pe { tile, main, tasks, threads, queues, .. } = self;
        Waiting { tile, main, tasks, threads, queues }
    }

    /// Starts to record events; with `code` also which code runs.
    pub fn record(&mut self, code: bool) {
        self.threads.expected.clear();
        self.observer.set_trace(Some(TraceBuffer::new(self.at, code)));
    }

    /// Stops recording events.
    pub fn stop_recording(&mut self) {
        self.observer.set_trace(None);
    }

    /// The events recorded since the last call; `None` if the PE does not record.
    pub fn events(&mut self) -> Option<&mut Vec<Event>> {
        self.observer.trace().map(|trace| &mut trace.events)
    }

    /// One of its colors has gone into teardown.
    pub fn tear_down(&mut self, color: Color) {
        self.threads.expected.clear();
        self.duties.tear_down(color, &self.tile, &mut self.tasks);
    }
}

/// The components that work together.
impl Pe {
    /// The components that start DSD operations.
    #[inline]
    pub(super) fn vector_unit(&mut self) -> VectorUnit<'_> {
        self.vector_unit_and_threads().0
    }

    /// The same, and the operations in progress.
    #[inline]
    pub(super) fn vector_unit_and_threads(&mut self) -> (VectorUnit<'_>, &Threads) {
        let unit = VectorUnit {
            tile: &self.tile,
            main: &mut self.main,
            memory: &mut self.memory,
            sanitizer: &mut self.sanitizer,
            registers: &mut self.registers,
            queues: &mut self.queues,
            fifos: &mut self.fifos,
            checks: &mut self.checks,
            races: &mut self.races,
            rare: &self.rare,
        };
        (unit, &self.threads)
    }

    /// What an operation works on in a cycle, and the operations in progress.
    #[inline(always)]
    pub(super) fn surroundings(&mut self, now: u64) -> (StepContext<'_>, &mut Threads) {
        let Pe { memory, queues, fifos, tasks, threads, .. } = self;
        (StepContext { memory, queues, fifos, tasks, now }, threads)
    }

    /// `@load_to_dsr` and its family.
    pub(super) fn load_dsr(&mut self, load: &DsrLoad) -> Result<(), Diag> {
        let (mut unit, threads) = self.vector_unit_and_threads();
        unit.load_dsr(load, threads)
    }

    /// The work of the teardown task, and the components that it concerns.
    pub(super) fn duties(&mut self) -> (&mut TeardownTask, TeardownContext<'_>) {
        let Pe { duties, tile, tasks, queues, threads, checks, .. } = self;
        (duties, TeardownContext { tile, tasks, queues, threads, checks })
    }

    /// The configuration space as code sees it in a cycle.
    pub(super) fn config_space<'a>(
        &'a mut self,
        outside: &'a mut Environment<'_>,
        time: u64,
    ) -> ConfigSpace<'a> {
        // What is written there may take a route away.
        self.threads.routed = 0;
        let mut space = self.config_space_without_ramp();
        let ramp: &mut dyn Ramp = &mut *outside.ramp;
        (space.ramp, space.time) = (Some(ramp), time);
        space
    }

    fn config_space_without_ramp(&mut self) -> ConfigSpace<'_> {
        let RareState { configuration, clock, .. } = &mut *self.rare;
        ConfigSpace {
            configuration,
            tasks: &mut self.tasks,
            queues: &mut self.queues,
            duties: &mut self.duties,
            clock,
            checks: &mut self.checks,
            main: &self.main,
            tile: &self.tile,
            arch: self.arch,
            ramp: None,
            time: 0,
        }
    }
}
