//! The start of a DSD operation: its operands, its length, and who runs it.
//!
//! While the main thread runs ahead of the clock it also launches operations on the fabric (`Pe::may_start_early`), and
//! sends for operations that nothing can delay (`Pe::send_early`). A PE is visited less often: in game-of-life, 16 x 16,
//! 20 generations, 74,718 visits instead of 102,866, and 0.92 of the instructions. An asynchronous operation of several
//! elements is sent at once if the code behind it leaves it alone for so long (`VectorSite::undisturbed_cycles`): another 0.93.
//! A recording and `--engine plain` switch it off; `tests/it/engines.rs` compares whole programs.

use super::checks::still_running;
use super::element::Pe;
use super::main_thread::Served;
use super::open_operation::{Begun, Place};
use super::operation::{ElementSource, StepResult};
use super::registers::AsyncSettings;
use super::stall::OnStall;
use super::start::Start;
use super::tasks::CompletionAction;
use super::threads::{MAIN, PendingCompletion, UtChoice};
use super::trace_buffer::Quick;
use crate::arch::{ArchName, Color, UtId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::dsd::{DSD_QUEUE, IGNORED_SETTING};
use crate::diagnostics::rules::run::{MICROTHREAD_IN_USE, MICROTHREAD_OF_QUEUE};
use crate::dsd::Dsd;
use crate::dsd::ops::OPS;
use crate::exec::PreparedTile;
use crate::exec::cycles::LAUNCH;
use crate::exec::vector::line_shape::VectorShape;
use crate::fabric::Ramp;
use crate::image::DsrRef;
use crate::image::TileImage;
use crate::image::code::{Completion, DsdOperand, DsdRef, VectorOp};
use crate::source::Span;
use crate::value::ty::DsdTy;

/// The timing of an operation when the main thread reaches it.
#[derive(Copy, Clone)]
pub(super) struct LaunchTiming {
    pub time: u64,
    /// Whether the main thread is ahead of the clock.
    pub ran_ahead: bool,
    /// Nothing reads the state of the PE before this cycle.
    pub unobserved_until: u64,
    /// Cycles until the operation can start.
    pub start_cycles: u64,
    /// For this many cycles after the launch of an asynchronous operation, nothing on the PE interferes with it.
    pub undisturbed_cycles: u64,
}

impl LaunchTiming {
    /// Of an operation of the main thread that takes no cycles to start, so far as is known.
    pub fn new(time: u64, ran_ahead: bool, unobserved_until: u64) -> LaunchTiming {
        LaunchTiming { time, ran_ahead, unobserved_until, start_cycles: 0, undisturbed_cycles: 0 }
    }

    /// Whether this many elements can be sent in consecutive cycles before anything could observe the difference.
    pub fn leaves_unnoticed(&self, count: u32, is_async: bool) -> bool {
        let is_unseen = self.time + self.start_cycles + u64::from(count) + 1 < self.unobserved_until;
        match is_async {
            true => {
                u64::from(count) <= LAUNCH
                    || is_unseen && u64::from(count) <= LAUNCH + self.undisturbed_cycles
            }
            // The code behind it runs ahead of the clock as well.
            false => is_unseen,
        }
    }
}

impl Pe {
    /// Starts `tile.vector_ops[n]`.
    pub(super) fn start_vector(
        &mut self,
        tile: &PreparedTile,
        n: u32,
        timing: LaunchTiming,
        ramp: &dyn Ramp,
    ) -> Result<Served, Diag> {
        let vector = &tile.vector_ops[n as usize];
        let site = tile.site(n, self.arch);
        let timing = LaunchTiming {
            start_cycles: site.start_cycles,
            undisturbed_cycles: site.undisturbed_cycles,
            ..timing
        };
        if let VectorShape::Send(shape) = &site.shape
            && let Some(served) = self.send_short(shape, vector, timing)
        {
            return Ok(served);
        }
        if let Some((count, cycles)) = self.vector_unit().run_at_once(&site.shape, vector)? {
            let op = &OPS[usize::from(vector.op)];
            let cycles = LAUNCH + timing.start_cycles + u64::from(cycles);
            let quick = Quick { name: op.name, span: vector.span, done: count, of: Some(count) };
            if let Some(trace) = self.observer.trace() {
                trace.at_once(quick, timing.time, cycles);
            }
            if let Some(profile) = self.observer.profile() {
                profile.elements = count;
            }
            return Ok(Served::Done(cycles));
        }
        // After `@queue_flush`, an operation must not start before it is known whether the queue is empty.
        if timing.ran_ahead && (self.duties.has_flushes() || !self.may_start_early(tile, vector)) {
            return Ok(Served::Later);
        }
        self.checks.is_early = timing.ran_ahead;
        let started = self.start_slowly(vector, timing, ramp);
        self.checks.is_early = false;
        // Errors are reported when the clock has caught up: the operation is tried again then.
        if timing.ran_ahead { Ok(started.unwrap_or(Served::Later)) } else { started }
    }

    fn start_slowly(
        &mut self,
        vector: &VectorOp,
        timing: LaunchTiming,
        ramp: &dyn Ramp,
    ) -> Result<Served, Diag> {
        let thread = self.threads.take_spare(vector.span);
        let mut start = self.vector_unit().resolve(vector, thread)?;
        if let Some(color) = start.thread.operation.color() {
            self.note_route(color, ramp);
        }
        if self.threads.must_not_run_ahead && timing.ran_ahead {
            return Ok(Served::Later);
        }
        start.thread.operation.total = {
            let Pe { checks, memory, tile, .. } = self;
            checks.length(|checked| start.total(checked), memory, tile, vector.span)?
        };
        start.note_room(self.checks.is_checked);
        if let Some(setting) = start.ignored {
            self.check_ignored(setting, vector)?;
        }
        self.vector_unit().check_operation(&mut start.thread.operation, vector.span)?;
        if self.races.is_on {
            self.vector_unit().check_operands(&start.thread.operation, vector.span)?;
        }
        if !start.has_fabric {
            return self.run_on_fifos(vector, start, timing);
        }
        if self.sends_without_a_wait(&start, timing) {
            return self.send_early(vector, start, timing);
        }
        self.launch_thread(vector, start, timing)
    }

    /// Warns that a setting of an operation has no effect, because of the load that its DSR has now. If no load of
    /// the DSR has the setting, that was told before the run.
    #[cold]
    fn check_ignored(&mut self, setting: &str, vector: &VectorOp) -> Result<(), Diag> {
        let operands = std::iter::once(&vector.dest).chain(&vector.sources);
        let mut registers = operands.filter_map(|operand| match operand {
            DsdOperand::Dsd(DsdRef::Dsr(dsr)) => Some(*dsr),
            _ => None,
        });
        // A vector in memory takes no settings.
        let is_memory = |dsr: &DsrRef| {
            self.registers.loaded(dsr.id).is_some_and(|loaded| matches!(loaded.dsd, Dsd::Mem(_)))
        };
        let dsr = registers.clone().find(|dsr| !is_memory(dsr)).or(registers.next());
        let Some(dsr) = dsr.filter(|_| self.checks.is_checked) else { return Ok(()) };
        let mut loads = self.tile.dsr_loads.iter().filter(|load| load.dsr.id == dsr.id);
        let has_it = loads.any(|load| match setting {
            "async" => load.config.is_async,
            "on_control" => load.config.on_control.is_some(),
            _ => load.config.completion != Completion::Nothing,
        });
        let Some(loaded) = self.registers.slot(dsr.id).filter(|_| has_it) else { return Ok(()) };
        let facts: [(&str, &dyn std::fmt::Display); 2] = [("setting", &setting), ("dsr", &dsr.id)];
        let diag = IGNORED_SETTING.because(&facts).at(vector.span);
        let diag = diag.also(loaded.span, "it was loaded here");
        let is_another = matches!(setting, "activate" | "unblock")
            && loaded.settings.completion != CompletionAction::Nothing;
        let diag = if is_another { diag.note("the load names another end, which applies") } else { diag };
        self.checks
            .hazard(diag.help("put the setting into the load: a DSR keeps the settings it was loaded with"))
    }

    /// Keeps the PE in step with the clock from the first operation on that uses a color without a route.
    fn note_route(&mut self, color: Color, ramp: &dyn Ramp) {
        let bit = 1 << (color.0 & 31);
        if self.threads.routed & bit == 0 {
            let is_routed = ramp.is_routed(color);
            self.threads.routed |= if is_routed { bit } else { 0 };
            self.threads.must_not_run_ahead |= !is_routed;
        }
    }

    /// Whether nothing can keep an operation from sending an element in each of the next cycles, and from ending
    /// before the main thread comes to its next operation.
    fn sends_without_a_wait(&self, start: &Start, timing: LaunchTiming) -> bool {
        let operation = &start.thread.operation;
        let (Some(output), Some(total)) = (operation.output(), operation.total) else { return false };
        let AsyncSettings { is_async, on_control, .. } = &start.settings;
        timing.leaves_unnoticed(total, *is_async)
            && !(*is_async && (start.lacks_queue || on_control.is_some()))
            && total > 0
            && self.threads.is_empty()
            && !self.is_observed()
            && total as usize <= self.queues.outputs[output].space()
            && operation.sources().iter().all(|from| matches!(from, ElementSource::Local(_)))
            && operation.stays_in_bounds(total)
            && !self.queues.have_command()
    }

    /// Runs the whole operation now, and leaves its wavelets in the output queue until the cycles in which they are
    /// sent.
    fn send_early(
        &mut self,
        vector: &VectorOp,
        mut start: Start,
        timing: LaunchTiming,
    ) -> Result<Served, Diag> {
        let time = timing.time;
        let AsyncSettings { is_async, completion, .. } = start.settings;
        self.checks.check_queues(
            &start.thread.operation,
            is_async,
            vector.span,
            &mut self.queues,
            &self.threads,
        )?;
        let mut cycle = time + timing.start_cycles + 1;
        if is_async {
            let count = start.thread.operation.total.expect("it has a length");
            let begun = Begun { span: vector.span, place: Place::ahead(cycle, count), completion };
            self.races.start(&start.thread.operation, &self.fifos, begun);
        }
        while start.thread.operation.step(&mut self.surroundings(cycle).0)? != StepResult::Finished {
            cycle += 1;
        }
        if self.observer.has_profile() {
            self.note_sent_early(vector, &start, time, cycle);
        }
        self.registers.save_positions(&start.thread.operation, &start.thread.registers);
        if !is_async && self.races.is_on {
            self.note_end(MAIN, &start.thread, CompletionAction::Nothing, cycle);
        }
        let ut = start.ut;
        self.threads.spare = Some(start.thread);
        self.main.set_result(vector.result, true);
        if !is_async {
            return Ok(Served::Done(cycle + 1 - time));
        }
        self.threads.latest = ut.map_or(0, |ut| ut.0 & 7);
        self.threads.end_later(PendingCompletion { cycle, done: completion, span: vector.span });
        Ok(Served::Done(timing.start_cycles + LAUNCH))
    }

    /// Whether an operation can be made ready now that starts when the clock has caught up. Until then only
    /// microthreads and arriving wavelets change the PE. So its operands may not be what these change: a FIFO, a
    /// DSR in which an operation in progress notes its position, or an input queue that does not exist yet or
    /// that served another color.
    fn may_start_early(&self, tile: &TileImage, vector: &VectorOp) -> bool {
        let is_fixed = |dsd: &Dsd| match dsd {
            Dsd::Mem(_) | Dsd::FabOut(_) => true,
            Dsd::FabIn(fabin) => self.queues.has_input(fabin.color, fabin.queue),
            Dsd::Fifo(_) => false,
        };
        let stays = |operand: &DsdOperand| match *operand {
            DsdOperand::Dsd(DsdRef::Const(n)) => is_fixed(&tile.dsds[n as usize]),
            DsdOperand::Dsd(DsdRef::At(_, ty)) => !matches!(ty, DsdTy::FabIn | DsdTy::Fifo),
            DsdOperand::Dsd(DsdRef::Dsr(dsr)) => {
                !self.threads.save_into(dsr.id)
                    && self.registers.get(dsr).is_ok_and(|loaded| is_fixed(&loaded.dsd))
            }
            DsdOperand::Scalar(_) | DsdOperand::Pointer(_) | DsdOperand::Nowhere => true,
        };
        !self.is_observed() && vector.sources.iter().chain([&vector.dest]).all(stays)
    }

    fn run_on_fifos(
        &mut self,
        vector: &VectorOp,
        mut start: Start,
        timing: LaunchTiming,
    ) -> Result<Served, Diag> {
        let time = timing.time;
        let at_once = !self.tile.is_plain()
            && start.thread.operation.run_on_rings(&mut self.memory, &mut self.fifos)?;
        let mut step = if at_once { StepResult::Finished } else { StepResult::Moved };
        while step == StepResult::Moved {
            step = start.thread.operation.step(&mut self.surroundings(time).0)?;
        }
        let mut complete = true;
        if let StepResult::Stalled(stall) = step {
            match stall.outcome(&self.fifos, &self.tile, false)? {
                OnStall::Waits => {
                    let timing = LaunchTiming { ran_ahead: false, unobserved_until: 0, ..timing };
                    return self.launch_thread(vector, start, timing);
                }
                OnStall::GivesUp => {
                    self.checks.check_event(stall, &start.thread.operation, &self.tile)?;
                    start.thread.operation.leave_length(stall, &mut self.fifos);
                    let total = start.thread.operation.total;
                    self.checks.check_result((vector.result, vector.span), stall, total, &self.tile)?;
                    complete = false;
                }
                OnStall::Ends => {}
            }
        }
        self.registers.save_positions(&start.thread.operation, &start.thread.registers);
        self.main.set_result(vector.result, complete);
        if self.races.is_on {
            self.note_end(MAIN, &start.thread, CompletionAction::Nothing, time);
        }
        let operation = &start.thread.operation;
        let cycles = LAUNCH + timing.start_cycles + u64::from(operation.done);
        let (done, of) = (operation.done, operation.total);
        if let Some(trace) = self.observer.trace() {
            trace.at_once(Quick { name: operation.name(), span: vector.span, done, of }, time, cycles);
        }
        if let Some(profile) = self.observer.profile() {
            profile.elements = done;
        }
        self.threads.spare = Some(start.thread);
        Ok(Served::Done(cycles))
    }

    fn launch_thread(
        &mut self,
        vector: &VectorOp,
        start: Start,
        timing: LaunchTiming,
    ) -> Result<Served, Diag> {
        let started = timing.time + timing.start_cycles;
        let Start { mut thread, settings, ut, ut_by_queue, lacks_queue, has_fabric, .. } = start;
        if settings.is_async && lacks_queue {
            return Err(DSD_QUEUE.plain().help("give it `.input_queue` or `.output_queue`"));
        }
        let is_async = settings.is_async;
        // Which microthread is free is not known before the clock has caught up.
        if timing.ran_ahead
            && is_async
            && !ut.map_or(self.threads.is_empty(), |ut| !self.threads.is_live(usize::from(ut.0 & 7)))
        {
            return Ok(Served::Later);
        }
        self.checks.check_queues(
            &thread.operation,
            is_async,
            vector.span,
            &mut self.queues,
            &self.threads,
        )?;
        let place = if is_async { self.microthread(ut, ut_by_queue, vector.span)? } else { MAIN };
        thread.on_control = settings.at_control();
        thread.operation.stops_at_control = thread.on_control.is_some();
        thread.operation.keeps_control = settings.keeps_control();
        if let Some(trace) = self.observer.trace() {
            trace.start(place, &thread.operation, vector.span, &self.queues, timing.time);
        }
        thread.completion = if is_async { settings.completion } else { CompletionAction::Nothing };
        if is_async && has_fabric {
            let completion = thread.on_control.filter(|_| thread.completion == CompletionAction::Nothing);
            let completion = completion.unwrap_or(thread.completion);
            self.races.start(
                &thread.operation,
                &self.fifos,
                Begun { span: vector.span, place: Place::Thread(place), completion },
            );
        }
        thread.priority = settings.priority.unwrap_or_default();
        (thread.result, thread.is_async, thread.span) = (vector.result, is_async, vector.span);
        thread.ut_choice = match ut {
            Some(ut) if usize::from(ut.0 & 7) == place && ut_by_queue => UtChoice::Queue,
            Some(ut) if usize::from(ut.0 & 7) == place => UtChoice::Named,
            Some(_) | None => UtChoice::Free,
        };
        (thread.launched, thread.started, thread.stalled) = (timing.time, started, None);
        if self.observer.has_profile() {
            self.note_begin(place, &thread);
        }
        self.threads.install(place, thread);
        if !is_async {
            return Ok(Served::Waits);
        }
        self.main.set_result(vector.result, true);
        Ok(Served::Done(timing.start_cycles + LAUNCH))
    }

    /// A free microthread: number `ut`, or any. If that one is busy and this is not denied, another one
    /// runs the operation. `by_queue`: the program names none, so the number is that of a queue. WSE-3
    /// does not tie microthreads to queues, and programs rely on another one being found there, for this
    /// operation or for the one that runs.
    fn microthread(&mut self, ut: Option<UtId>, by_queue: bool, span: Span) -> Result<usize, Diag> {
        let place = match ut {
            Some(ut) => usize::from(ut.0 & 7),
            None => (0..MAIN).find(|place| !self.threads.is_live(*place)).unwrap_or(0),
        };
        let running = self.threads.iter().find(|(other, _)| *other == place);
        let Some((_, thread)) = running else { return Ok(place) };
        // An operation that runs in a microthread that it did not name does not own that number.
        let is_named = !by_queue && thread.ut_choice == UtChoice::Named;
        let rule = if !is_named && self.arch.name == ArchName::Wse3 {
            &MICROTHREAD_OF_QUEUE
        } else {
            &MICROTHREAD_IN_USE
        };
        let both = by_queue && ut.is_some() && thread.ut_choice == UtChoice::Queue && thread.span != span;
        let chosen = match by_queue && ut.is_some() {
            true if both => ", chosen by the queues of both operations,",
            true => ", chosen by the number of a queue,",
            false => "",
        };
        let diag = rule.because(&[("ut", &place), ("chosen", &chosen)]).at(span);
        let diag = match thread.ut_choice {
            _ if thread.span == span => still_running(diag, span),
            UtChoice::Named => still_running(diag, thread.span),
            UtChoice::Queue if both => still_running(diag, thread.span),
            UtChoice::Queue => diag.also(
                thread.span,
                "this one is still running; the number of its queue has chosen the microthread",
            ),
            UtChoice::Free => {
                diag.also(thread.span, "this one is still running, in the first microthread that was free")
            }
        };
        // The two may have to run at the same time, and on WSE-2 only the number of a queue chooses.
        let diag = match by_queue && ut.is_some() && thread.span != span && self.arch.name == ArchName::Wse2 {
            true => diag.help("give one of the two operations a queue with another number"),
            false => diag,
        };
        match (0..MAIN).find(|place| !self.threads.is_live(*place)) {
            Some(free) => self.checks.hazard(diag).map(|()| free),
            None => Err(diag.for_good()),
        }
    }
}
