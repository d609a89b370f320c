//! The main thread: starts tasks, executes code, stops and resumes.

use super::bindings::{arguments, binding};
use super::checks::Activator;
use super::choices::Chosen;
use super::element::{Environment, Pe};
use super::lenient::{continue_past, with_array, writes_outside};
use super::loop_services::PeServices;
use super::main_thread::{Launch, Served};
use super::scripted::Next;
use super::tasks::{Picked, bit};
use crate::arch::config::ConfigWord;
use crate::arch::{TEARDOWN_TASK, TaskId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{
    INDEX_OUT_OF_BOUNDS, MEMORY_OUT_OF_BOUNDS, OUTSIDE_ARRAY, POINTER_OUT_OF_BOUNDS,
};
use crate::exec::calls::Worker;
use crate::exec::guard::Unguarded;
use crate::exec::interface::{Code, LoopServices, Meter, NoServices, StopReason};
use crate::exec::{PreparedTile, scalar};
use crate::image::code::{Access, Op};
use crate::image::{FnId, TaskKind, TileImage};

/// How many cycles the main thread may run ahead of the clock when nothing else happens on the PE.
pub(super) const AHEAD_ALONE: u64 = 10_000;
/// The same limit while a microthread shares the memory.
const AHEAD_SHARED: u64 = 64;
/// Cycles of an access to the configuration space (estimate).
const CONFIG_ACCESS: u64 = 2;

impl Pe {
    /// Starts a task, or continues the running one; false if there was nothing to do. `resumed`: the cycle in
    /// which the operation that the thread waited for completed.
    pub(super) fn run_main(
        &mut self,
        now: u64,
        resumed: bool,
        environment: &mut Environment<'_>,
    ) -> Result<bool, Diag> {
        let early = self.main.busy_until.saturating_sub(now);
        if self.main.waiting || early > 0 && !(resumed && self.may_run_ahead(environment.worker)) {
            return Ok(false);
        }
        if self.checks.is_to_fail {
            return self.checks.take_failure().map_or(Ok(false), Err);
        }
        let may_start = self.main.is_free() && !self.main.is_hosts_turn && self.may_start();
        let next = if may_start { self.next_up(now) } else { None };
        if self.main.is_free() && next.is_none() {
            return Ok(false);
        }
        let tile = environment.worker.take_tile(&self.tile);
        let ran = self.run_code(&tile, next, (now, early), environment);
        environment.worker.give_back(tile);
        ran.or_else(|diag| self.fail_in_time(diag, now))
    }

    /// An error ahead of the clock ends the run when the clock has caught up: before that, another PE may fail.
    #[cold]
    fn fail_in_time(&mut self, diag: Diag, now: u64) -> Result<bool, Diag> {
        match diag.0.moment {
            Some(moment) if moment.cycle > now => {
                (self.main.busy_until, self.main.waiting) = (moment.cycle, false);
                self.checks.fail_in_time(diag);
                Ok(true)
            }
            _ => Err(diag),
        }
    }

    /// Starts `next`, if any, and runs code from `early` cycles after `now` on.
    fn run_code(
        &mut self,
        tile: &PreparedTile,
        next: Option<Next>,
        (now, early): (u64, u64),
        environment: &mut Environment<'_>,
    ) -> Result<bool, Diag> {
        let is_quiet = self.is_quiet(now, environment.worker);
        let mut spent = early;
        if let Some(next) = next {
            self.start_next(tile, next, now)?;
            // The task must see everything that microthreads do until it has started.
            if self.main.is_free() || !self.threads.is_empty() {
                return Ok(true);
            }
            spent = self.main.busy_until - now;
        }
        let moved = self.go_on(tile, now, spent, environment)?;
        match self.main.is_free() {
            true if is_quiet => self.run_next_tasks(tile, environment, moved),
            true => self.run_certain_tasks(tile, now, environment, moved),
            false => Ok(moved),
        }
    }

    /// Runs code until the main thread must stop, from `spent` cycles after `now` on.
    pub(super) fn go_on(
        &mut self,
        tile: &PreparedTile,
        now: u64,
        spent: u64,
        environment: &mut Environment<'_>,
    ) -> Result<bool, Diag> {
        let mut meter = Meter { spent, budget: self.ahead(), due: u64::MAX };
        self.main.calls.take_registers(environment.worker);
        let ended = loop {
            match self.turn(tile, now, &mut meter, environment) {
                Ok(true) => {}
                Ok(false) => break Ok(self.main.stalled.is_none()),
                Err(diag) => break Err(diag.on(self.moment(now + meter.spent))),
            }
        };
        self.main.calls.return_registers(tile, environment.worker);
        self.main.busy_until = now + meter.spent;
        ended
    }

    /// Whether the code after an operation may run before the clock has caught up: nothing else runs on this
    /// PE or observes it, and the picker has nothing to drop when the task ends.
    fn may_run_ahead(&self, worker: &Worker) -> bool {
        self.threads.is_empty()
            && !self.is_observed()
            && self.main.busy_until < worker.unobserved_until
            && !self.queues.have_command()
    }

    fn ahead(&self) -> u64 {
        match self.threads.is_empty() {
            _ if self.threads.must_not_run_ahead => 1,
            false if self.races.keeps_pace => 1,
            true => AHEAD_ALONE,
            false => AHEAD_SHARED,
        }
    }

    /// Runs until code needs a service of the PE; false when the main thread must stop.
    #[inline(always)]
    fn turn(
        &mut self,
        tile: &PreparedTile,
        now: u64,
        meter: &mut Meter,
        environment: &mut Environment<'_>,
    ) -> Result<bool, Diag> {
        meter.due = self.states_change_in(now);
        let stop = self.run_scalar(tile, now, meter);
        // Borrowed, not copied: a copy is stored in pieces, and a load across two of them (no store forwarding) stalls
        // until all earlier stores are done.
        let op = match &stop {
            Ok(StopReason::Service(op)) => op,
            Ok(StopReason::Guarded) => return self.access_guarded(tile, now, meter),
            Ok(StopReason::Pause) => return Ok(false),
            Ok(StopReason::End) => {
                self.note_task_end(now + meter.spent);
                if self.duties.are_answered() {
                    let heard = self.checks.warnings.len();
                    let (duties, mut context) = self.duties();
                    duties.end_task(&mut context)?;
                    self.date_warnings(heard, now + meter.spent);
                }
                return Ok(false);
            }
            // It may have met a word that is not allocated yet, or a pointer into the stack; then it
            // tries again.
            Err(c) if c.rule() == MEMORY_OUT_OF_BOUNDS.name && self.memory.grow() => return Ok(true),
            Err(c)
                if c.rule() == POINTER_OUT_OF_BOUNDS.name
                    && self.sanitizer.may_step(tile, self.main.calls.frames()) =>
            {
                return Ok(true);
            }
            Err(c) => return self.continue_after(c.clone(), tile, (now, meter), environment),
        };
        self.complete_endings(now + meter.spent)?;
        if meter.spent > 0 && self.blocks_too_early(*op) {
            return Ok(false);
        }
        if let Op::Block { a } | Op::Unblock { a } | Op::Activate { a } = *op
            && self.tasks.state.set(*op, self.main.register(a))
        {
            self.note_served(&Served::Done(self.arch.costs.tasks.state.into()), now + meter.spent);
            meter.spent += u64::from(self.arch.costs.tasks.state);
            self.main.calls.last_mut().pc += 1;
            return Ok(true);
        }
        let heard = self.checks.warnings.len();
        let served = self.service(tile, op, now, meter, environment);
        self.place_warnings(tile, heard, now + meter.spent);
        let served = served.map_err(|c| c.at(self.main.place(tile)))?;
        Ok(self.after_service(served, now, meter))
    }

    /// Handles an access that the guard has stopped; false when the main thread must stop.
    fn access_guarded(&mut self, tile: &PreparedTile, now: u64, meter: &mut Meter) -> Result<bool, Diag> {
        let heard = self.checks.warnings.len();
        let is_met = self.guarded_access(tile, now + meter.spent)?;
        self.place_warnings(tile, heard, now + meter.spent);
        // The access happens now or in the next visit, and what follows does not run ahead either.
        meter.budget = if is_met { self.ahead() } else { meter.budget };
        Ok(!is_met || meter.spent == 0)
    }

    /// In how many cycles an operation may change the state of a task: 0 if that is not known.
    #[inline]
    fn states_change_in(&self, now: u64) -> u64 {
        match self.threads.next_ending() {
            _ if self.threads.unblock_any() => 0,
            ending => ending.map_or(u64::MAX, |ending| ending.saturating_sub(now)),
        }
    }

    /// Whether code ahead of the clock blocks a task that an operation in progress may unblock before that.
    fn blocks_too_early(&self, op: Op) -> bool {
        matches!(op, Op::Block { a } if self.threads.unblock(TaskId(self.main.register(a) as u8)))
    }

    /// Runs the scalar loop, guarded while somebody wants to know of accesses to memory.
    #[inline]
    fn run_scalar(&mut self, tile: &PreparedTile, now: u64, meter: &mut Meter) -> Result<StopReason, Diag> {
        if !self.observer.is_nobody() {
            let code = Code::of(tile, self.arch);
            if self.observer.has_profile() {
                return self.run_counted(tile, code, meter);
            }
            if self.observer.debugged().is_some() {
                return self.run_debugged(code, meter);
            }
            if self.observer.trace().is_some_and(|trace| trace.code.is_some()) {
                return self.run_recorded(code, now, meter);
            }
        }
        let is_observed = self.is_observed();
        let guard = self.races.guard();
        let mut services = PeServices {
            tile,
            arch: self.arch,
            registers: &mut self.registers,
            checks: &self.checks,
            threads: &self.threads,
            size: self.memory.size(),
        };
        let mut nothing = NoServices;
        let services: &mut dyn LoopServices = if is_observed { &mut nothing } else { &mut services };
        let (words, maps) = (self.memory.words_mut(), &mut self.map_iterations);
        let (calls, sanitizer) = (&mut self.main.calls, &mut self.sanitizer);
        let around = (&mut self.tasks.state, services);
        // A recorded run takes the path that records events, and a guarded one that which compares operands.
        let code = if is_observed || guard.is_some() {
            Code::without_plans(tile, self.arch)
        } else {
            Code::of(tile, self.arch)
        };
        match guard {
            None => scalar::run(code, calls, maps, (words, &mut Unguarded), sanitizer, around, meter),
            Some(guard) => scalar::run(code, calls, maps, (words, guard), sanitizer, around, meter),
        }
    }

    /// Continues after an operation that the scalar loop has refused: it may access the configuration space, or its
    /// diagnostic may not be denied.
    fn continue_after(
        &mut self,
        fault: Diag,
        tile: &TileImage,
        (now, meter): (u64, &mut Meter),
        environment: &mut Environment<'_>,
    ) -> Result<bool, Diag> {
        let fault = self.sanitizer.explain(fault, tile, self.main.calls.frames());
        // Decodes the operation again: the loop may have executed it as a part of a superinstruction.
        let fault = if fault.rule() == INDEX_OUT_OF_BOUNDS.name && !writes_outside(&self.main, tile) {
            fault.under(&OUTSIDE_ARRAY)
        } else {
            fault
        };
        let is_index = [INDEX_OUT_OF_BOUNDS.name, OUTSIDE_ARRAY.name].contains(&fault.rule());
        let fault = if is_index { with_array(fault, &self.main, tile) } else { fault };
        let (heard, cycle) = (self.checks.warnings.len(), now + meter.spent);
        let poked = self.poke(tile, meter, now, environment).unwrap_or(Err(fault));
        let served = match poked {
            Ok(served) => served,
            Err(c) => {
                self.checks.hazard(c.clone().at(self.main.place(tile)))?;
                self.place_warnings(tile, heard, cycle);
                continue_past(&mut self.main, &mut self.memory, &mut self.sanitizer, tile)?
                    .ok_or_else(|| c.at(self.main.place(tile)))?
            }
        };
        self.date_warnings(heard, cycle);
        Ok(self.after_service(served, now, meter))
    }

    /// Loads or stores through a pointer into the configuration space, as programs for SDK 1.1 and
    /// before do; `None` if the next operation of the main thread is something else.
    fn poke(
        &mut self,
        tile: &TileImage,
        meter: &Meter,
        now: u64,
        environment: &mut Environment<'_>,
    ) -> Option<Result<Served, Diag>> {
        let frame = self.main.calls.last()?;
        let op = *tile.functions[frame.function.0 as usize].code.get(frame.pc)?;
        let at = |a, off: u16| self.main.register(a) as usize + usize::from(off);
        let (address, kind) = match op {
            Op::Load { a, off, kind, .. } | Op::Store { a, off, kind, .. } => (at(a, off), kind),
            Op::LoadAt { addr, kind, .. } | Op::StoreAt { addr, kind, .. } => (addr.into(), kind),
            _ => return None,
        };
        let word = ConfigWord::pointed(address as u64).filter(|_| kind == Access::U16)?;
        if meter.spent > 0 {
            return Some(Ok(Served::Later));
        }
        environment.worker.alone_until = 0;
        let result = match op {
            Op::Load { d, .. } | Op::LoadAt { d, .. } => self
                .config_space(environment, now)
                .read(word)
                .map(|value| self.main.set_register(d, value.into())),
            Op::Store { s, .. } | Op::StoreAt { s, .. } => {
                let value = self.main.register(s) as u16;
                self.config_space(environment, now).write(word, value)
            }
            _ => return None,
        };
        Some(result.map(|()| Served::Done(CONFIG_ACCESS)))
    }

    fn after_service(&mut self, served: Served, now: u64, meter: &mut Meter) -> bool {
        self.note_served(&served, now + meter.spent);
        let frame = self.main.calls.last_mut();
        match served {
            Served::Done(cycles) => {
                self.main.stalled = None;
                meter.spent += cycles;
                frame.pc += 1;
                // It may have started a microthread.
                meter.budget = self.ahead();
            }
            Served::Jump(target, cycles) => {
                meter.spent += cycles;
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
        self.tasks.are_active() || self.main.has_launches() || self.queues.hold_unclaimed(claimed)
    }

    /// Picks a task, or else what the host has launched.
    pub(super) fn next_up(&mut self, now: u64) -> Option<Next> {
        if self.script.is_some() {
            return self.next_by_script(now);
        }
        if self.main.has_due_launch(now) {
            return self.main.take_launch().map(Next::launch);
        }
        let claimed = self.threads.claimed_inputs();
        match self.tasks.pick(self.arch.name, &mut self.queues, claimed, now) {
            Some(ready) => Some(Next::Task(ready)),
            None => self.main.take_launch().map(Next::launch),
        }
    }

    /// The picker has chosen. Whether the task that starts stays active: an operation that ends in this cycle activates it
    /// once more. Such activations of other tasks are lost.
    #[cold]
    fn settle_ties(&mut self, next: &Next) -> Result<bool, Diag> {
        let started = match next {
            Next::Task(Picked::Local(id)) => Some(*id),
            _ => None,
        };
        let (stays_active, lost) = self.ties.settle(started);
        self.has_ties = false;
        for (id, span) in lost {
            self.checks.check_activation(id, Activator::EndedOperation, span, &self.tile, &self.tasks)?;
        }
        Ok(stays_active)
    }

    /// Starts what was picked.
    pub(super) fn start_next(&mut self, tile: &PreparedTile, next: Next, now: u64) -> Result<(), Diag> {
        let stays_active = self.has_ties && self.settle_ties(&next)?;
        let ready = match next {
            Next::Task(ready) => ready,
            Next::Launch(launch) => return self.start_launch(tile, &launch, now),
        };
        self.tasks.started += 1;
        let start = match ready {
            Picked::Local(_) => self.arch.costs.tasks.start,
            Picked::Wavelet { .. } => self.arch.costs.tasks.data_start,
        };
        let (function, arguments, count) = match ready {
            Picked::Local(TaskId(TEARDOWN_TASK)) if !tile.handlers.is_empty() => {
                self.note_start(ready, TaskId(TEARDOWN_TASK), now);
                let Some(function) = self.duties.next_handler(tile, &mut self.tasks) else { return Ok(()) };
                (function, [0; 2], 0)
            }
            Picked::Local(id) => {
                self.note_start(ready, id, now);
                self.tasks.start(id);
                self.tasks.state.active |= if stays_active { bit(id) } else { 0 };
                let bound = binding(tile, TaskKind::Local, id)?;
                if id.0 == TEARDOWN_TASK {
                    self.duties.begin_teardown_task(tile.functions[bound.function.0 as usize].span);
                }
                // Only tasks of programs before SDK 1.1 may have parameters, whose values are not defined.
                (bound.function, [0; 2], bound.params.len().min(2))
            }
            Picked::Wavelet { id, kind, input } => {
                let input = usize::from(input);
                self.tasks.start_other(Some(id));
                let (kind, id) = if kind == TaskKind::Data { self.tasks.rotate(id) } else { (kind, id) };
                self.note_start(ready, id, now);
                let bound = binding(tile, kind, id).map_err(|c| self.came_by(c, input))?;
                let word = self.queues.inputs[input].take(now).expect("the picker has seen it").data;
                (bound.function, arguments(&bound.params, word), bound.params.len().min(2))
            }
        };
        self.note_task_start(function, Some(ready), now);
        self.start(tile, (function, start), &arguments[..count], now)
    }

    /// Adds to a diagnostic where the wavelet that names a task arrived from.
    fn came_by(&self, c: Diag, input: usize) -> Diag {
        let color = self.queues.inputs[input].color;
        let c = match self.tile.input_queues.iter().find(|b| b.color == color) {
            Some(bound) => c.at(bound.span).label("it arrived through this queue"),
            None => c,
        };
        c.note(format!("the control wavelet has color {color}"))
    }

    #[inline]
    fn note_task_start(&mut self, function: FnId, ready: Option<Picked>, now: u64) {
        if let (Some(choices), Some(picked)) = (&mut self.choices, ready) {
            let claimed = self.threads.claimed_inputs();
            let others = self.tasks.others(self.arch.name, &mut self.queues, claimed, picked);
            choices.note(now, Chosen::Task { function, others });
        }
        if let Some(trace) = self.observer.trace() {
            trace.task_start(function, ready, &self.queues, now);
        }
        if self.observer.has_profile() {
            self.note_profiled_task(function, ready, now);
        }
    }

    fn start_launch(&mut self, tile: &PreparedTile, launch: &Launch, now: u64) -> Result<(), Diag> {
        self.tasks.start_other(None);
        self.races.note_host_access(&self.threads, now);
        self.note_task_start(launch.function, None, now);
        self.start(tile, (launch.function, self.arch.costs.tasks.start), &launch.arguments, now)
    }

    fn start(
        &mut self,
        tile: &PreparedTile,
        (f, cycles): (FnId, u16),
        arguments: &[u64],
        now: u64,
    ) -> Result<(), Diag> {
        let words = Code::of(tile, self.arch).function(f).frame_words;
        let begun = self.main.calls.begin(tile, (f, words), arguments);
        begun.map_err(|diag| diag.at(tile.functions[f.0 as usize].span))?;
        self.main.busy_until = now + u64::from(cycles);
        (self.tasks.function, self.tasks.since) = (Some(f), now);
        Ok(())
    }
}
