//! One processing element: memory, main thread, microthreads, tasks and queues.
//!
//! In: a tile image, wavelets and launches. Out: wavelets, memory, printed text, what it waits for.
//! Never: sees another PE, the fabric beyond its ramp, or the text of a program.

mod at_once;
mod config;
mod extended;
mod fifo;
mod handlers;
mod hazards;
mod interp;
mod intrinsics;
mod lenient;
mod log;
mod map;
mod operation;
mod queues;
mod reach;
mod rebind;
mod registers;
mod service;
mod start;
mod steady;
mod tasks;
mod threads;
mod trace_buffer;
mod vector;
mod wait;

#[cfg(test)]
mod tests;

pub use crate::exec::calls::Worker;
pub use crate::exec::memory::Memory;
pub use log::{Joined, LetterEnd, MessageCall, PeLog, Printed, Traced};
pub use queues::SendOperation;
pub use wait::{Activity, Wait, Waiter, WaitsFor, Wake};

use crate::arch::{Arch, Color, PeCoord, TaskId};
use crate::diagnostics::{Diag, Levels, Moment};
use crate::exec::PreparedTile;
use crate::exec::sanitizer::Sanitizer;
use crate::fabric::{Ramp, Wavelet};
use crate::image::{FnId, TaskKind};
use crate::source::Span;
use crate::value::random::Generators;
use config::Configuration;
use fifo::FifoState;
use handlers::Duties;
use interp::MainThread;
use intrinsics::Clock;
use log::LineBuffer;
use map::MapState;
use queues::Queues;
use registers::Registers;
use std::collections::VecDeque;
use std::sync::Arc;
use tasks::{Tasks, binding};
use threads::Threads;
use trace_buffer::TraceBuffer;

/// How a PE runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PeOptions {
    /// Looks for undefined behaviour that does no harm to the simulator itself.
    pub checked: bool,
    /// The levels of rules.
    pub levels: Levels,
}

impl Default for PeOptions {
    fn default() -> PeOptions {
        PeOptions { checked: true, levels: Levels::default() }
    }
}

/// What the host wants to run.
#[derive(Clone, Debug)]
struct Launch {
    function: FnId,
    arguments: Vec<u64>,
}

/// What a PE meets outside while it runs.
struct Outside<'a> {
    ramp: &'a mut dyn Ramp,
    log: &'a mut PeLog,
    worker: &'a mut Worker,
}

/// One processing element. The fields are in this order because what a visit looks at is to lie in few
/// lines of the cache: first what every visit needs, then what code needs, then the rest.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Pe {
    /// While the run is recorded.
    trace_buffer: Option<Box<TraceBuffer>>,
    /// Rarely needed, so it lies elsewhere.
    configuration: Box<Configuration>,
    arch: &'static Arch,
    tile: Arc<PreparedTile>,
    /// What was suspicious in this cycle.
    warnings: Vec<Diag>,
    at: PeCoord,
    is_checked: bool,
    command_stream_blocked: bool,
    /// The host has launched something.
    was_launched: bool,
    /// It makes an operation ready for which the clock has not come far enough.
    is_early: bool,
    main: MainThread,
    launches: VecDeque<Launch>,
    queues: Queues,
    /// The task or function that the main thread has started last, and when.
    started_last: Option<FnId>,
    task_since: u64,
    tasks: Tasks,
    threads: Threads,
    /// What follows begins a line of the cache.
    _padding: u64,
    duties: Duties,
    memory: Memory,
    sanitizer: Sanitizer,
    fifos: Vec<FifoState>,
    registers: Registers,
    maps: Vec<MapState>,
    clock: Clock,
    random: Generators,
    line: LineBuffer,
    levels: Levels,
}

impl Pe {
    /// A PE in its initial state.
    pub fn new(at: PeCoord, arch: &'static Arch, tile: Arc<PreparedTile>, options: PeOptions) -> Pe {
        let mut pe = Pe {
            at,
            arch,
            is_checked: options.checked,
            levels: options.levels,
            memory: Memory::new(arch.memory_words as usize, &tile.data),
            sanitizer: Sanitizer::new(&tile, arch.memory_words as usize, options.checked),
            main: MainThread::new(arch.memory_words as usize),
            started_last: None,
            task_since: 0,
            tasks: Tasks::new(&tile),
            duties: Duties::default(),
            queues: Queues::new(arch, &tile),
            threads: Threads::default(),
            _padding: 0,
            registers: Registers::new(&tile),
            fifos: tile.fifos.iter().map(FifoState::new).collect(),
            maps: Vec::new(),
            launches: VecDeque::new(),
            clock: Clock::default(),
            random: Generators::new(),
            line: LineBuffer::default(),
            configuration: Box::default(),
            command_stream_blocked: false,
            was_launched: false,
            warnings: Vec::new(),
            is_early: false,
            trace_buffer: None,
            tile: Arc::clone(&tile),
        };
        pe.threads.blocked = tile.blocked_microthreads;
        for fifo in &tile.fifos {
            pe.memory
                .reach(usize::from(fifo.base) + usize::from(fifo.capacity) * usize::from(fifo.element_words));
        }
        pe.configure(&tile);
        for load in &tile.initial_dsrs {
            let load = &tile.dsr_loads[*load as usize];
            pe.load_dsr(load).expect("loads before the start name constants");
        }
        pe
    }

    /// Runs whatever may run at `now`; returns when it next wants to run.
    /// Whoever calls keeps one worker for all PEs that it runs.
    pub fn cycle(
        &mut self,
        now: u64,
        ramp: &mut dyn Ramp,
        log: &mut PeLog,
        worker: &mut Worker,
    ) -> Result<Wake, Diag> {
        let wake = self.advance(now, Outside { ramp, log, worker });
        if self.trace_buffer.is_some() {
            self.observe(now);
        }
        if !self.warnings.is_empty() {
            let moment = self.moment(now);
            self.warnings.drain(..).for_each(|warning| log.warn(self.at, warning.on(moment)));
        }
        wake.map_err(|c| c.on(self.moment(now)))
    }

    fn moment(&self, cycle: u64) -> Moment {
        Moment { x: self.at.x, y: self.at.y, cycle }
    }

    fn advance(&mut self, now: u64, mut world: Outside<'_>) -> Result<Wake, Diag> {
        self.check_contest(now)?;
        let waited = self.main.waiting;
        let moved = self.run_threads(now)?;
        let resumed = waited && !self.main.waiting;
        let ran = self.run_main(now, resumed, &mut world)?;
        let sent = self.queues.drain(world.ramp, now);
        if self.duties.has_flushes() {
            self.watch_flushes()?;
        }
        if sent && self.queues.has_outgoing_by(now + 1) {
            return Ok(Wake::At(now + 1));
        }
        if self.queues.sent_last > now {
            self.queues.send_ahead(world.ramp, now);
        }
        if let Some(departs) = self.queues.next_departure(now) {
            return Ok(Wake::At(departs));
        }
        if let Some(start) = self.main.starts_at(now) {
            return Ok(Wake::At(start + 1));
        }
        let others_wait = !self.threads.is_empty() || self.main.is_stalled();
        if others_wait && (moved || ran || sent) {
            return Ok(Wake::At(now + 1));
        }
        let claimed = self.threads.claimed_inputs();
        let ready = match self.main.is_free() {
            true => {
                self.may_start()
                    && (!self.launches.is_empty()
                        || self.tasks.pick(self.arch.name, &mut self.queues, claimed, now).is_some())
            }
            false => self.main.can_run(),
        };
        Ok(if ready { Wake::At(self.main.busy_until.max(now + 1)) } else { Wake::OnEvent })
    }

    /// From now on picks among equally ready tasks in an order that the seed decides.
    pub fn shuffle(&mut self, seed: u64) {
        let place = u64::from(self.at.x) << 48 | u64::from(self.at.y) << 32;
        self.tasks.seed = Some(seed ^ place);
    }

    /// Takes a wavelet, if there is room for it; says when the PE runs because of it.
    pub fn deliver(&mut self, now: u64, color: Color, wavelet: Wavelet) -> Option<Wake> {
        let input = self.queues.deliver(now, color, wavelet)?;
        Some(self.wake_for(input, now, wavelet))
    }

    /// When it runs because of a wavelet that has just come to an input.
    #[inline]
    fn wake_for(&self, input: usize, now: u64, wavelet: Wavelet) -> Wake {
        // What is recorded is looked at in every cycle, and the picker drops wavelets for nobody.
        let is_plain = !self.is_observed() && !wavelet.control && !self.duties.has_flushes();
        if !is_plain || self.main.is_stalled() || self.threads.claimed_inputs() & 1 << input != 0 {
            return Wake::At(now);
        }
        if !self.main.is_free() || self.queues.next_departure(now).is_some() {
            return Wake::OnEvent;
        }
        let until = self.main.busy_until;
        // If there was something before, the time to look at it is known.
        let is_new = until <= now || self.tasks.starts_for(self.arch.name, &self.queues.inputs[input]);
        if is_new { Wake::At(until.max(now)) } else { Wake::OnEvent }
    }

    /// Whether somebody writes down what it does: then nothing is done before its time.
    fn is_observed(&self) -> bool {
        self.trace_buffer.is_some() || self.threads.will_stop
    }

    /// Queues a function for the main thread; it runs when no task wants to.
    pub fn launch(&mut self, f: FnId, arguments: &[u64]) {
        // a tile without <memcpy/memcpy> has nothing to unblock with: its launches end by themselves
        self.command_stream_blocked = self.tile.has_memcpy;
        self.was_launched = true;
        self.launches.push_back(Launch { function: f, arguments: arguments.to_vec() });
    }

    /// What its main thread executes, the innermost call first.
    pub fn calls(&self) -> Vec<Span> {
        self.main.calls.places(&self.tile)
    }

    /// Its memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// `count` words from `addr`, for the host.
    pub fn read_words(&mut self, addr: usize, count: usize) -> Result<&[u16], Diag> {
        self.memory.slice(addr, count)
    }

    /// Changes memory for the host.
    pub fn write_words(&mut self, addr: usize, words: &[u16]) -> Result<(), Diag> {
        self.memory.slice_mut(addr, words.len())?.copy_from_slice(words);
        Ok(())
    }

    /// Whether a host command may reach it: no task runs or is about to.
    pub fn is_between_tasks(&self, now: u64) -> bool {
        self.main.is_free()
            && self.main.busy_until <= now
            && self.launches.is_empty()
            && self.tasks.active & !self.tasks.blocked == 0
    }

    /// The cycle up to which the main thread has run; it may be ahead of the clock.
    pub fn busy_until(&self) -> u64 {
        self.main.busy_until
    }

    /// Whether a launched function has not called `unblock_cmd_stream` yet.
    pub fn command_stream_blocked(&self) -> bool {
        self.command_stream_blocked
    }

    /// Colors that the router has refused in the last cycle, bit = color.
    #[cfg(test)]
    pub fn refused(&self) -> u32 {
        self.queues.refused
    }

    /// Whether nothing runs, waits in a microthread, or wants to leave.
    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        self.main.is_free()
            && self.threads.is_empty()
            && self.launches.is_empty()
            && !self.queues.has_outgoing()
            && self.tasks.active & !self.tasks.blocked == 0
    }

    /// Everything that is not finished, in the order: main thread and microthreads, tasks, queues.
    pub fn waits(&self) -> Vec<Wait<'_>> {
        let mut waits: Vec<_> = self.operations().collect();
        waits.extend(self.tasks.stuck().map(|id| self.stuck_task(id)));
        let queued = self.queues.inputs.iter().filter(|inbox| inbox.len() > 0);
        waits.extend(queued.map(|inbox| {
            let held = self.tasks.held_back(self.arch.name, inbox);
            let task = held.and_then(|id| binding(&self.tile, TaskKind::Control, id).ok());
            let blocked = task.map(|t| format!("`{}` (id {})", t.name, t.id));
            Wait {
                who: Waiter::Queue,
                on: WaitsFor::Consumer {
                    color: inbox.color,
                    queue: inbox.queue,
                    count: inbox.len(),
                    blocked,
                },
                name: "",
                task: None,
                since: inbox.since,
                progress: None,
                span: task.map(|t| t.span),
            }
        }));
        waits.extend(self.queues.outgoing().map(|(color, queue, count)| Wait {
            who: Waiter::Queue,
            on: WaitsFor::Router { color, queue, count },
            name: "",
            task: None,
            since: 0,
            progress: None,
            span: None,
        }));
        waits
    }

    /// The operations among them, those of microthreads first.
    pub fn operations(&self) -> impl Iterator<Item = Wait<'_>> {
        self.thread_waits().chain(self.main_wait())
    }

    /// The operation that was the last to send a color.
    pub fn last_sender(&self, color: Color) -> Option<SendOperation> {
        self.queues.last_sender(color)
    }

    /// The operation that was the last to take a color through a queue.
    pub fn last_reader(&self, color: Color) -> Option<Span> {
        self.queues.last_reader(color)
    }

    /// Whether a task or channel is blocked.
    pub fn is_blocked(&self, id: TaskId) -> bool {
        self.tasks.blocked & tasks::bit(id) != 0
    }

    /// What the main thread does, or did last; `None` before the first task.
    pub fn activity(&self) -> Option<Activity<'_>> {
        let function = &self.tile.functions[self.started_last?.0 as usize];
        Some(Activity {
            name: &function.name,
            span: function.span,
            places: self.calls(),
            since: self.task_since,
            started: self.tasks.started,
        })
    }

    /// The task or launched function on the main thread.
    fn running_task(&self) -> Option<&str> {
        let function = self.started_last.filter(|_| !self.main.is_free())?;
        Some(&self.tile.functions[function.0 as usize].name)
    }

    fn stuck_task(&self, id: TaskId) -> Wait<'_> {
        let bound = binding(&self.tile, TaskKind::Local, id).ok();
        Wait {
            who: Waiter::Task(id),
            on: WaitsFor::Unblock,
            name: bound.map_or("", |b| &b.name),
            task: None,
            since: 0,
            progress: None,
            span: bound.map(|b| b.span),
        }
    }
}
