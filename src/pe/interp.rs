//! The main thread: calls, tasks, and how it stops and goes on.

use super::intrinsics::can_be_seen;
use super::operation::Stall;
use super::tasks::{Picked, arguments, binding};
use super::wait::{Wait, Waiter, WaitsFor};
use super::{Launch, Outside, Pe};
use crate::arch::{TEARDOWN_TASK, TaskId};
use crate::diagnostics::rules::run::{MEMORY_OUT_OF_BOUNDS, POINTER_OUT_OF_BOUNDS};
use crate::diagnostics::{At, Diag};
use crate::exec::calls::{Calls, Worker};
use crate::exec::interface::{Code, Meter, StopReason};
use crate::exec::scalar;
use crate::image::code::{Op, Reg, Target};
use crate::image::{FnId, TaskKind, TileImage};
use crate::source::Span;
use std::sync::Arc;

/// Cycles that the main thread may run ahead of the clock when nothing else happens on the PE.
const AHEAD_ALONE: u64 = 10_000;
/// The same while a microthread shares the memory.
const AHEAD_SHARED: u64 = 64;
/// Tasks that may start in one visit: between two of them somebody may stop the run.
const MOST_TASKS: usize = 1000;
/// Cycles to start a task (estimate).
const TASK_START: u64 = 4;

/// What the main thread is doing; what every visit looks at comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct MainThread {
    /// Code has run up to this cycle.
    pub busy_until: u64,
    /// Stopped in a `@map`, at an operation that has to be tried again.
    stalled: Option<Box<(Stall, u64)>>,
    /// Stopped at a synchronous operation.
    pub waiting: bool,
    pub calls: Calls,
}

/// What the main thread starts.
enum Next {
    Task(Picked),
    Launch(Launch),
}

/// What became of an operation that the scalar loop does not know.
pub(super) enum Served {
    /// Complete, after this many cycles.
    Done(u64),
    /// Complete; the code goes on elsewhere.
    Jump(Target),
    /// It must not happen before the clock has caught up.
    Later,
    /// Started; the main thread waits until it is complete.
    Waits,
    /// Not possible now; to be tried again.
    Retry(Stall),
}

impl MainThread {
    /// Nothing runs, on a PE with this many words of memory.
    pub fn new(memory: usize) -> MainThread {
        MainThread { calls: Calls::new(memory), busy_until: 0, waiting: false, stalled: None }
    }

    /// Whether no task or function runs.
    pub fn is_free(&self) -> bool {
        self.calls.is_empty()
    }

    /// A register of the running call.
    pub fn register(&self, reg: Reg) -> u64 {
        self.calls.register(reg)
    }

    /// Sets a register of the running call.
    pub fn set_register(&mut self, reg: Reg, value: u64) {
        self.calls.set_register(reg, value);
    }

    /// Goes on after the operation that it has waited for.
    pub fn resume(&mut self, now: u64) {
        self.calls.last_mut().pc += 1;
        self.waiting = false;
        self.busy_until = self.busy_until.max(now + 1);
    }

    /// Whether it stopped at an operation that has to be tried again.
    pub fn is_stalled(&self) -> bool {
        self.stalled.is_some()
    }

    /// What keeps it from trying again.
    pub fn stalled_on(&self) -> Option<Stall> {
        self.stalled.as_ref().map(|stalled| stalled.0)
    }

    /// When the synchronous operation starts for which it waits, if that was not before `now`.
    pub fn starts_at(&self, now: u64) -> Option<u64> {
        (self.waiting && self.busy_until >= now).then_some(self.busy_until)
    }

    /// Whether it only needs time.
    pub fn can_run(&self) -> bool {
        !self.is_free() && !self.waiting && self.stalled.is_none()
    }
}

impl Pe {
    /// Starts what may start, or goes on with what runs; false if there was nothing to do.
    /// `resumed`: the operation that it has waited for is complete since this cycle.
    pub(super) fn run_main(
        &mut self,
        now: u64,
        resumed: bool,
        world: &mut Outside<'_>,
    ) -> Result<bool, Diag> {
        let early = self.main.busy_until.saturating_sub(now);
        if self.main.waiting || early > 0 && !(resumed && self.may_run_ahead(world.worker)) {
            return Ok(false);
        }
        let next = if self.main.is_free() && self.may_start() { self.next_up(now) } else { None };
        if self.main.is_free() && next.is_none() {
            return Ok(false);
        }
        let is_quiet = self.is_quiet(now, world.worker);
        let tile = Arc::clone(&self.tile);
        let mut spent = early;
        if let Some(next) = next {
            self.start_next(&tile, next, now)?;
            // What a microthread does until the task has started is to be seen by the task.
            if self.main.is_free() || !self.threads.is_empty() {
                return Ok(true);
            }
            spent = self.main.busy_until - now;
        }
        let moved = self.go_on(&tile, now, spent, world)?;
        if is_quiet { self.run_next_tasks(&tile, world, moved) } else { Ok(moved) }
    }

    /// Runs the tasks behind one that has ended, as long as nothing can come between them.
    fn run_next_tasks(
        &mut self,
        tile: &TileImage,
        world: &mut Outside<'_>,
        mut moved: bool,
    ) -> Result<bool, Diag> {
        for _ in 0..MOST_TASKS {
            let at = self.main.busy_until;
            if !self.main.is_free() || !self.is_quiet(at, world.worker) {
                break;
            }
            let Some(next) = self.next_up(at) else { break };
            self.start_next(tile, next, at).map_err(|c| c.on(self.moment(at)))?;
            if self.main.is_free() {
                break;
            }
            moved = self.go_on(tile, at, self.main.busy_until - at, world)?;
        }
        Ok(moved)
    }

    /// Runs code until the main thread has to stop, from `spent` cycles after `now` on.
    fn go_on(
        &mut self,
        tile: &TileImage,
        now: u64,
        spent: u64,
        world: &mut Outside<'_>,
    ) -> Result<bool, Diag> {
        let mut meter = Meter { spent, budget: self.ahead() };
        let (moment, heard) = (self.moment(now + spent), self.warnings.len());
        self.main.calls.take_registers(world.worker);
        let ended = loop {
            match self.turn(tile, now, &mut meter, world) {
                Ok(true) => {}
                Ok(false) => break Ok(self.main.stalled.is_none()),
                Err(diag) => break Err(diag.on(self.moment(now + meter.spent))),
            }
        };
        self.main.calls.return_registers(tile, world.worker);
        self.main.busy_until = now + meter.spent;
        for warning in &mut self.warnings[heard..] {
            warning.0.moment.get_or_insert(moment);
        }
        ended
    }

    /// Whether nothing can happen to this PE before a cycle: if it is then between two tasks, the next one
    /// may start before the clock has come so far.
    fn is_quiet(&self, cycle: u64, worker: &Worker) -> bool {
        cycle < worker.alone_until.min(worker.unseen_until)
            && self.threads.is_empty()
            && !self.is_observed()
            && !self.duties.has_flushes()
            && self.queues.are_empty()
    }

    /// Whether the code behind an operation may run before the clock has caught up: nobody else
    /// works on this PE or looks at it, and the picker has nothing to drop when the task ends.
    fn may_run_ahead(&self, worker: &Worker) -> bool {
        self.threads.is_empty()
            && !self.is_observed()
            && self.main.busy_until < worker.unseen_until
            && !self.has_command()
    }

    /// Whether the picker may have something to drop.
    pub(super) fn has_command(&self) -> bool {
        self.queues.inputs.iter().filter_map(|inbox| inbox.head()).any(|head| head.control)
    }

    fn ahead(&self) -> u64 {
        match self.threads.is_empty() {
            _ if self.threads.will_stop => 1,
            true => AHEAD_ALONE,
            false => AHEAD_SHARED,
        }
    }

    /// Runs to the next service; false when the main thread has to stop.
    fn turn(
        &mut self,
        tile: &TileImage,
        now: u64,
        meter: &mut Meter,
        world: &mut Outside<'_>,
    ) -> Result<bool, Diag> {
        // What is recorded goes the way on which it is written down.
        let plans = if !self.is_observed() { self.tile.plans(self.arch) } else { &[] };
        let words = self.memory.words_mut();
        let code = Code { tile, functions: self.tile.functions(), plans };
        let op = match scalar::run(code, &mut self.main.calls, words, &mut self.sanitizer, meter) {
            Ok(StopReason::Service(op)) => op,
            Ok(StopReason::Pause) => return Ok(false),
            Ok(StopReason::End) => {
                self.note_task_end(now + meter.spent);
                return self.end_task().map(|()| false);
            }
            // It may have met a word that is not there yet, or a pointer into the stack; then it tries again.
            Err(c) if c.rule() == MEMORY_OUT_OF_BOUNDS.name && self.memory.grow() => return Ok(true),
            Err(c)
                if c.rule() == POINTER_OUT_OF_BOUNDS.name
                    && self.sanitizer.may_step(tile, self.main.calls.frames()) =>
            {
                return Ok(true);
            }
            Err(c) => {
                let c = self.sanitizer.explain(c, tile, self.main.calls.frames());
                let poked = self.poke(tile, meter, now, world).unwrap_or(Err(c));
                let served = match poked {
                    Ok(served) => served,
                    Err(c) => self.go_on_behind(tile, c.at(self.place(tile)))?,
                };
                return Ok(self.after_service(served, now, meter));
            }
        };
        let heard = self.warnings.len();
        let served = self.service(tile, op, now, meter, world);
        if self.warnings.len() > heard {
            let place = self.place(tile);
            self.warnings[heard..].iter_mut().for_each(|warning| warning.place(place));
        }
        let served = served.map_err(|c| c.at(self.place(tile)))?;
        Ok(self.after_service(served, now, meter))
    }

    /// What the innermost call executes.
    pub(super) fn place(&self, tile: &TileImage) -> Span {
        let frame = self.main.calls.last().expect("an operation runs in a call");
        let function = &tile.functions[frame.function.0 as usize];
        function.spans.get(frame.pc).copied().unwrap_or(function.span)
    }

    /// What the call around the innermost one executes; the innermost one if there is no other.
    pub(super) fn caller_place(&self, tile: &TileImage) -> Span {
        let Some(frame) = self.main.calls.caller() else { return self.place(tile) };
        let function = &tile.functions[frame.function.0 as usize];
        function.spans.get(frame.pc.wrapping_sub(1)).copied().unwrap_or(function.span)
    }

    fn after_service(&mut self, served: Served, now: u64, meter: &mut Meter) -> bool {
        let frame = self.main.calls.last_mut();
        match served {
            Served::Done(cycles) => {
                self.main.stalled = None;
                meter.spent += cycles;
                frame.pc += 1;
                // It may have started a microthread.
                meter.budget = self.ahead();
            }
            Served::Jump(target) => {
                meter.spent += 1;
                frame.pc = target as usize;
                return meter.spent < meter.budget;
            }
            Served::Later => return false,
            Served::Retry(stall) => {
                let since = now + meter.spent;
                let before = self.main.stalled.take().filter(|stalled| stalled.0 == stall);
                self.main.stalled = before.or_else(|| Some(Box::new((stall, since))));
                return false;
            }
            Served::Waits => {
                self.main.waiting = true;
                return false;
            }
        }
        true
    }

    /// Whether there may be something to start.
    #[inline]
    pub(super) fn may_start(&self) -> bool {
        let claimed = self.threads.claimed_inputs();
        self.tasks.are_active() || self.was_launched || self.queues.hold_besides(claimed)
    }

    /// Picks a task, or else what the host has launched.
    fn next_up(&mut self, now: u64) -> Option<Next> {
        let claimed = self.threads.claimed_inputs();
        match self.tasks.pick(self.arch.name, &mut self.queues, claimed, now) {
            Some(ready) => Some(Next::Task(ready)),
            None => self.launches.pop_front().map(Next::Launch),
        }
    }

    /// Starts what was picked.
    fn start_next(&mut self, tile: &TileImage, next: Next, now: u64) -> Result<(), Diag> {
        let ready = match next {
            Next::Task(ready) => ready,
            Next::Launch(launch) => return self.start_launch(tile, &launch, now),
        };
        self.tasks.started += 1;
        let (function, arguments, count) = match ready {
            Picked::Local(TaskId(TEARDOWN_TASK)) if !tile.handlers.is_empty() => {
                let Some(function) = self.next_handler(tile) else { return Ok(()) };
                (function, [0; 2], 0)
            }
            Picked::Local(id) => {
                self.tasks.start(id);
                let function = binding(tile, TaskKind::Local, id)?.function;
                if id.0 == TEARDOWN_TASK {
                    self.begin_teardown_task(tile.functions[function.0 as usize].span);
                }
                (function, [0; 2], 0)
            }
            Picked::Wavelet { id, kind, input } => {
                self.tasks.start_other();
                let (kind, id) = if kind == TaskKind::Data { self.tasks.rotate(id) } else { (kind, id) };
                let bound = binding(tile, kind, id).map_err(|c| self.came_by(c, input))?;
                let word = self.queues.inputs[input].take(now).expect("the picker has seen it").data;
                (bound.function, arguments(&bound.params, word), bound.params.len().min(2))
            }
        };
        self.note_task_start(function, Some(ready), now);
        self.start(tile, function, &arguments[..count], now)
    }

    /// Says where the wavelet has come from that names a task.
    fn came_by(&self, c: Diag, input: usize) -> Diag {
        let color = self.queues.inputs[input].color;
        let c = match self.tile.input_queues.iter().find(|b| b.color == color) {
            Some(bound) => c.at(bound.span).label("it has come through this queue"),
            None => c,
        };
        c.note(format!("the control wavelet has color {color}"))
    }

    fn start_launch(&mut self, tile: &TileImage, launch: &Launch, now: u64) -> Result<(), Diag> {
        self.tasks.start_other();
        self.note_task_start(launch.function, None, now);
        self.start(tile, launch.function, &launch.arguments, now)
    }

    fn start(&mut self, tile: &TileImage, f: FnId, arguments: &[u64], now: u64) -> Result<(), Diag> {
        let span = tile.functions[f.0 as usize].span;
        self.main.calls.begin(tile, f, arguments).at(span)?;
        self.main.busy_until = now + TASK_START;
        (self.started_last, self.task_since) = (Some(f), now);
        Ok(())
    }
}

impl Pe {
    /// What keeps the main thread from going on, if it is not an operation in progress.
    pub(super) fn main_wait(&self) -> Option<Wait<'_>> {
        let (stall, since) = *self.main.stalled.as_deref()?;
        let on = match stall {
            Stall::Input(input) => {
                let inbox = &self.queues.inputs[input];
                WaitsFor::Wavelet { color: inbox.color, queue: inbox.queue, ends_at_control: false }
            }
            Stall::Output(output) => {
                let outbox = &self.queues.outputs[output];
                let (color, queue) = (outbox.head_color()?, outbox.queue);
                WaitsFor::Space { color, queue }
            }
            Stall::FifoEmpty(_) | Stall::FifoFull(_) => unreachable!("`@map` uses no FIFO"),
        };
        let span = Some(self.place(&self.tile));
        Some(Wait {
            who: Waiter::MainThread,
            on,
            name: "map",
            task: self.running_task(),
            since,
            progress: None,
            span,
        })
    }
}

/// Whether the operation does something that others may see at once.
pub(super) fn needs_clock(op: Op) -> bool {
    match op {
        Op::BlockUt { .. } | Op::UnblockUt { .. } | Op::FifoLength { .. } => true,
        Op::Intrinsic { id, .. } => can_be_seen(id),
        _ => false,
    }
}
