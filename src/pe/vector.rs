//! The start of a DSD operation: its operands, its length, and who runs it.

use super::fifo::OnStall;
use super::interp::Served;
use super::operation::{From, Intake, Operation, Outlet, StepResult, Surroundings, To};
use super::registers::{ResolvedOperand, Use};
use super::start::Start;
use super::threads::{Done, MAIN, Thread};
use super::trace_buffer::Quick;
use super::{Pe, Ramp};
use crate::arch::{ArchName, DsrId, UtId};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::dsd::{DSD_QUEUE, FABIN_DEST};
use crate::diagnostics::rules::run::{DFILT_DSR, MICROTHREAD_IN_USE, MICROTHREAD_OF_QUEUE, MISSING_INDEX};
use crate::dsd::access::AddressCursor;
use crate::dsd::local::{Dest, Source};
use crate::dsd::ops::OPS;
use crate::dsd::{Dsd, FabIn, FabOut, Mem};
use crate::exec::vector::LAUNCH;
use crate::exec::vector::memory::scalar_lane;
use crate::image::TileImage;
use crate::image::code::{DsdRef, Operand, Reg, VectorOp};
use crate::source::Span;

/// When the main thread comes to an operation.
#[derive(Copy, Clone)]
pub(super) struct Pace {
    pub time: u64,
    /// The clock has not come so far.
    pub ran_ahead: bool,
    /// Nobody looks before this cycle.
    pub unseen_until: u64,
}

impl Pe {
    /// Starts `tile.vector_ops[n]`.
    pub(super) fn start_vector(
        &mut self,
        tile: &TileImage,
        n: u32,
        pace: Pace,
        ramp: &dyn Ramp,
    ) -> Result<Served, Diag> {
        let vector = &tile.vector_ops[n as usize];
        let op = &OPS[usize::from(vector.op)];
        if let Some(count) = self.run_at_once(tile, vector)? {
            let cycles = LAUNCH + u64::from(count.div_ceil(u32::from(op.width(self.arch.name).max(1))));
            let quick = Quick { name: op.name, span: vector.span, done: count, of: Some(count) };
            self.note_at_once(quick, pace.time, cycles);
            return Ok(Served::Done(cycles));
        }
        let is_unseen = pace.time < pace.unseen_until && self.may_start_early(tile, vector);
        if pace.ran_ahead && !is_unseen {
            return Ok(Served::Later);
        }
        self.is_early = pace.ran_ahead;
        let started = self.start_slowly(tile, vector, pace, ramp, is_unseen);
        self.is_early = false;
        // What is wrong is said when the clock has caught up.
        if pace.ran_ahead { Ok(started.unwrap_or(Served::Later)) } else { started }
    }

    fn start_slowly(
        &mut self,
        tile: &TileImage,
        vector: &VectorOp,
        pace: Pace,
        ramp: &dyn Ramp,
        is_unseen: bool,
    ) -> Result<Served, Diag> {
        let mut start = self.resolve(tile, vector)?;
        self.threads.will_stop |= start.operation.color().is_some_and(|color| !ramp.is_routed(color));
        if self.threads.will_stop && pace.ran_ahead {
            return Ok(Served::Later);
        }
        let is_unseen = is_unseen && !self.threads.will_stop;
        start.operation.total = self.length(|checked| start.total(checked), vector.span)?;
        start.note_room(self.is_checked);
        self.check_operation(&mut start.operation, vector.span)?;
        if !start.has_fabric {
            return self.run_on_fifos(vector, start, pace.time);
        }
        if is_unseen && self.sends_without_a_wait(&start.operation, pace) {
            return self.send_early(vector, start, pace.time);
        }
        self.launch_thread(vector, start, pace.time)
    }

    /// Whether nothing can keep an operation from sending an element in each of the next cycles.
    fn sends_without_a_wait(&self, operation: &Operation, pace: Pace) -> bool {
        let (Some(output), Some(total)) = (operation.output(), operation.total) else { return false };
        total as usize <= self.queues.outputs[output].space()
            && operation.inputs() == 0
            && pace.time + u64::from(total) + 1 < pace.unseen_until
            && operation.stays_in_bounds(total)
            && !self.has_command()
    }

    /// Does all of it, and leaves the wavelets in the output queue for the cycles in which they are sent.
    fn send_early(&mut self, vector: &VectorOp, mut start: Start, time: u64) -> Result<Served, Diag> {
        self.check_queues(&start.operation, false, vector.span)?;
        let mut cycle = time + 1;
        while start.operation.step(&mut self.surroundings(cycle))? != StepResult::Finished {
            cycle += 1;
        }
        self.save_positions(&start.operation, &start.saved);
        self.set_result(vector, true);
        Ok(Served::Done(cycle + 1 - time))
    }

    /// Whether an operation can be made ready now that starts when the clock has caught up: nothing
    /// that happens until then makes a difference to its start.
    fn may_start_early(&self, tile: &TileImage, vector: &VectorOp) -> bool {
        let is_fixed = |operand: &Operand| match *operand {
            Operand::Dsd(DsdRef::Const(n)) => match &tile.dsds[n as usize] {
                Dsd::Mem(_) | Dsd::FabOut(_) => true,
                Dsd::FabIn(fabin) => self.queues.has_input(fabin.color, fabin.queue),
                Dsd::Fifo(_) => false,
            },
            Operand::Dsd(DsdRef::At(..) | DsdRef::Dsr(_)) => false,
            Operand::Scalar(_) | Operand::Pointer(_) | Operand::Nowhere => true,
        };
        self.threads.is_empty()
            && !self.is_observed()
            && !vector.config.is_async
            && vector.sources.iter().chain([&vector.dest]).all(is_fixed)
    }

    fn run_on_fifos(&mut self, vector: &VectorOp, mut start: Start, time: u64) -> Result<Served, Diag> {
        let mut step = StepResult::Moved;
        while step == StepResult::Moved {
            step = start.operation.step(&mut self.surroundings(time))?;
        }
        let mut complete = true;
        if let StepResult::Stalled(stall) = step {
            match self.verdict(stall, false)? {
                OnStall::Waits => return self.launch_thread(vector, start, time),
                OnStall::GivesUp => {
                    self.leave_length(stall, &start.operation)?;
                    self.check_result(vector.result, stall, vector.span)?;
                    complete = false;
                }
                OnStall::Ends => {}
            }
        }
        self.save_positions(&start.operation, &start.saved);
        self.set_result(vector, complete);
        let operation = &start.operation;
        let cycles = LAUNCH + u64::from(operation.done);
        let (done, of) = (operation.done, operation.total);
        self.note_at_once(Quick { name: operation.name(), span: vector.span, done, of }, time, cycles);
        Ok(Served::Done(cycles))
    }

    /// What an operation works on.
    pub(super) fn surroundings(&mut self, now: u64) -> Surroundings<'_> {
        Surroundings {
            memory: &mut self.memory,
            queues: &mut self.queues,
            fifos: &mut self.fifos,
            tasks: &mut self.tasks,
            now,
        }
    }

    /// Stores the returned bool, if anybody wants it.
    pub(super) fn set_result(&mut self, vector: &VectorOp, value: bool) {
        if let Some(register) = vector.result {
            self.main.set_register(register, value.into());
        }
    }

    fn launch_thread(&mut self, vector: &VectorOp, start: Start, time: u64) -> Result<Served, Diag> {
        let Start { mut operation, settings, saved, registers, ut, ut_by_queue, lacks_queue, .. } = start;
        if settings.is_async && lacks_queue {
            return Err(DSD_QUEUE.plain().help("give it `.input_queue` or `.output_queue`"));
        }
        self.check_queues(&operation, settings.is_async, vector.span)?;
        let place = if settings.is_async { self.microthread(ut, ut_by_queue, vector.span)? } else { MAIN };
        let on_control = settings.at_control();
        operation.stops_at_control = on_control.is_some();
        self.note_start(place, &operation, vector.span, time);
        let thread = Thread {
            operation,
            completion: if settings.is_async { settings.completion } else { Done::Nothing },
            on_control,
            priority: settings.priority.unwrap_or_default(),
            result: vector.result,
            saved,
            registers,
            is_async: settings.is_async,
            // One that had to go elsewhere has no claim on the number of its place either.
            ut_by_queue: ut_by_queue || ut.is_some_and(|ut| usize::from(ut.0 & 7) != place),
            span: vector.span,
            started: time,
            stalled: None,
        };
        self.threads.install(place, thread);
        if !settings.is_async {
            return Ok(Served::Waits);
        }
        self.set_result(vector, true);
        Ok(Served::Done(LAUNCH))
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
        let by_queue = (by_queue || thread.ut_by_queue) && self.arch.name == ArchName::Wse3;
        let rule = if by_queue { &MICROTHREAD_OF_QUEUE } else { &MICROTHREAD_IN_USE };
        let diag = rule.because(&[("ut", &place)]).at(span);
        let diag = diag.also(thread.span, "this one is still running");
        match (0..MAIN).find(|place| !self.threads.is_live(*place)) {
            Some(free) => self.hazard(diag).map(|()| free),
            None => Err(diag.for_good()),
        }
    }

    fn resolve(&mut self, tile: &TileImage, vector: &VectorOp) -> Result<Start, Diag> {
        let op = &OPS[usize::from(vector.op)];
        let form = vector.form();
        let mut start = Start::new(op, vector, self.settings(&vector.config));
        let index = vector.index.map(|reg| self.main.register(reg) as u16);
        start.operation.to = match vector.dest {
            Operand::Dsd(dsd) => self.dest(tile, dsd, op.dest.words(), index, &mut start)?,
            Operand::Pointer(reg) => To::Local(self.scalar_dest(reg, op.dest.words(), vector)?),
            Operand::Nowhere => To::Nowhere,
            Operand::Scalar(_) => unreachable!("a destination is a vector or a pointer"),
        };
        for (k, source) in vector.sources.iter().enumerate() {
            let words = form.sources[k].elem().words();
            let from = match *source {
                Operand::Dsd(dsd) => self.source(tile, dsd, k, words, index, &mut start)?,
                Operand::Nowhere => unreachable!("a source is somewhere"),
                Operand::Scalar(reg) | Operand::Pointer(reg) => {
                    From::Local(Source::Scalar(self.scalar_source(reg, words)))
                }
            };
            start.operation.from[k] = from;
        }
        if let (Some(From::Local(Source::Scalar(first))), To::Local(Dest::Scalar { accumulates: true, .. })) =
            (start.operation.from.first(), &start.operation.to)
        {
            start.operation.carried = *first;
        }
        if let Some(zero) = start.zero {
            start.clear_later(zero)?;
        }
        if form.flipped {
            start.operation.from.swap(0, 1);
            start.saved.iter_mut().for_each(|s| s.operand = [0, 2, 1, 3][s.operand]);
        }
        start.settle();
        Ok(start)
    }

    /// A scalar source as a lane.
    pub(super) fn scalar_source(&self, reg: Reg, words: u16) -> u32 {
        scalar_lane(self.main.register(reg), words)
    }

    /// The destination at the address in a register.
    pub(super) fn scalar_dest(&mut self, reg: Reg, words: u16, vector: &VectorOp) -> Result<Dest, Diag> {
        let at = self.address(reg);
        self.memory.slice(at, words.into())?;
        self.sanitizer.give_value(at, words.into());
        let accumulates = matches!(vector.sources[..], [Operand::Scalar(_), Operand::Dsd(_), ..]);
        Ok(Dest::Scalar { at, words, accumulates })
    }

    /// The DSD behind an operand.
    pub(super) fn operand(
        &mut self,
        tile: &TileImage,
        dsd: DsdRef,
        purpose: Use,
    ) -> Result<ResolvedOperand, Diag> {
        Ok(match dsd {
            DsdRef::Const(n) => ResolvedOperand::plain(tile.dsds[n as usize]),
            DsdRef::At(reg, _) => ResolvedOperand::plain(self.dsd_at(self.address(reg))?),
            DsdRef::Dsr(dsr) => {
                let mut loaded = *self.registers.get(dsr)?;
                if self.is_checked {
                    self.check_use(&loaded, dsr.id, purpose)?;
                    loaded = self.check_extended(loaded, dsr.id)?;
                }
                let holds_fifo = matches!(loaded.dsd, Dsd::Fifo(_));
                ResolvedOperand {
                    dsd: loaded.dsd,
                    at: loaded.at,
                    settings: Some(loaded.settings),
                    dsr: Some(dsr.id),
                    saved: loaded.save_address.then_some(dsr.id),
                    untyped_fifo: (holds_fifo && !dsr.fifo).then_some(dsr.id),
                }
            }
        })
    }

    fn dest(
        &mut self,
        tile: &TileImage,
        dsd: DsdRef,
        words: u16,
        index: Option<u16>,
        start: &mut Start,
    ) -> Result<To, Diag> {
        let resolved = self.operand(tile, dsd, Use::Operation)?;
        start.note(0, &resolved);
        Ok(match resolved.dsd {
            Dsd::Mem(mem) => To::Local(Dest::AddressCursor(self.cursor(&mem, resolved.at, words, index)?)),
            Dsd::FabOut(fabout) => {
                start.note_fabric(fabout.queue.map(|q| UtId(q.0)), fabout.priority);
                To::Fabric(self.outlet(&fabout, words, index)?)
            }
            Dsd::Fifo(fifo) => {
                let end = self.fifo_end(fifo, words);
                start.note_fifo(&mut self.fifos[end.fifo], true, words);
                To::Fifo(end)
            }
            Dsd::FabIn(_) => {
                let diag = FABIN_DEST.plain().help("a fabout_dsd in a dsr_dest sends wavelets");
                return Err(self.loaded_here(dsd, diag));
            }
        })
    }

    fn source(
        &mut self,
        tile: &TileImage,
        dsd: DsdRef,
        k: usize,
        words: u16,
        index: Option<u16>,
        start: &mut Start,
    ) -> Result<From, Diag> {
        let resolved = self.operand(tile, dsd, Use::Operation)?;
        if let (To::Nowhere, DsdRef::Dsr(dsr)) = (&start.operation.to, dsd) {
            check_filtered(&resolved, dsr.id)?;
        }
        start.note(k + 1, &resolved);
        Ok(match resolved.dsd {
            Dsd::Mem(mem) => {
                From::Local(Source::AddressCursor(self.cursor(&mem, resolved.at, words, index)?))
            }
            Dsd::FabIn(fabin) => {
                let intake = self.intake(&fabin, words)?;
                let queue = fabin.queue.or(self.queues.inputs[intake.input].queue);
                start.note_fabric(queue.map(|q| UtId(q.0)), fabin.priority);
                From::Fabric(intake)
            }
            Dsd::Fifo(fifo) => {
                let end = self.fifo_end(fifo, words);
                start.note_fifo(&mut self.fifos[end.fifo], false, words);
                From::Fifo(end)
            }
            Dsd::FabOut(_) => unreachable!("comptime lets nobody read from a fabout DSD"),
        })
    }

    /// The elements of a memory operand.
    pub(super) fn cursor(
        &mut self,
        mem: &Mem,
        at: u16,
        words: u16,
        index: Option<u16>,
    ) -> Result<AddressCursor, Diag> {
        let offset = match index {
            Some(index) if mem.index_offset => index,
            None if mem.index_offset && self.is_checked => {
                self.hazard(MISSING_INDEX.plain())?;
                0
            }
            Some(_) | None => 0,
        };
        let size = self.memory.size();
        self.sanitizer.give_value(mem.lo.into(), usize::from(mem.hi - mem.lo.min(mem.hi)));
        let cursor = AddressCursor::new(mem, at.wrapping_add(offset), words, self.limits(mem));
        // Without checks an operation may be longer than its operand.
        self.memory.reach(if self.is_checked { cursor.end(mem.length()) } else { size });
        Ok(cursor)
    }

    /// The words that a memory operand may touch.
    #[inline]
    pub(super) fn limits(&self, mem: &Mem) -> (u16, u16) {
        let size = self.memory.size() as u16;
        if self.is_checked { (mem.lo, mem.hi.min(size)) } else { (0, size) }
    }

    /// What `.control_transform` xors into control wavelets: the low bits of their index.
    fn control_mask(&self, transforms: bool) -> Option<u32> {
        transforms.then(|| u32::from(self.configuration.control_mask) << 16)
    }

    /// A fabin operand with elements of `words` words.
    pub(super) fn intake(&mut self, fabin: &FabIn, words: u16) -> Result<Intake, Diag> {
        Ok(Intake {
            input: self.queues.input(fabin.color, fabin.queue)?,
            queue: fabin.queue,
            narrow: words == 1,
            simd: fabin.simd,
            mixed: None,
            control_transform: self.control_mask(fabin.control_transform),
            half: None,
            paired: false,
            last_used: u64::MAX,
        })
    }

    /// A fabout operand with elements of `words` words.
    pub(super) fn outlet(&mut self, fabout: &FabOut, words: u16, index: Option<u16>) -> Result<Outlet, Diag> {
        let (output, color) = self.queues.output(fabout.color, fabout.queue)?;
        if fabout.index_offset && index.is_none() && self.is_checked {
            self.hazard(MISSING_INDEX.plain())?;
        }
        Ok(Outlet {
            output,
            narrow: words == 1,
            color,
            simd: fabout.simd,
            control: fabout.control,
            control_transform: self.control_mask(fabout.control_transform),
            advance_switch: fabout.advance_switch,
            index: index.filter(|_| fabout.index_offset),
            half: None,
            last_used: u64::MAX,
        })
    }
}

/// The DSR of `@dfilt` names an input queue, and a microthread works on it.
fn check_filtered(resolved: &ResolvedOperand, dsr: DsrId) -> Result<(), Diag> {
    let is_async = resolved.settings.is_some_and(|s| s.is_async);
    match (resolved.dsd, is_async) {
        (Dsd::FabIn(_), true) => Ok(()),
        (Dsd::FabIn(_), false) => {
            let wrong = DFILT_DSR.because(&[("dsr", &dsr), ("how", &"is not asynchronous")]);
            Err(wrong.help("load it with `.{ .async = true }`"))
        }
        _ => {
            let wrong = DFILT_DSR.because(&[("dsr", &dsr), ("how", &"holds no fabin_dsd")]);
            Err(wrong.help("load it with the fabin_dsd whose wavelets are to be dropped"))
        }
    }
}
