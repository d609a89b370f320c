//! The main thread: calls, tasks, and how it stops and goes on.

use super::operation::Stall;
use super::scalar::{self, Exit, Meter, Window};
use super::tasks::{Ready, arguments, binding};
use super::wait::{Wait, Waiter, WaitsFor};
use super::{Pe, World};
use crate::diagnostics::rules::run::{MEMORY_OUT_OF_BOUNDS, STACK_OVERFLOW};
use crate::diagnostics::{At, Complaint};
use crate::image::code::{Op, Reg, Target};
use crate::image::{FnId, Function, TaskKind, TileImage};
use crate::source::Span;
use std::sync::Arc;

/// More nested calls than this do not fit into the memory of a PE in practice (ruling).
const MAX_FRAMES: usize = 4096;
/// Cycles that the main thread may run ahead of the clock when nothing else happens on the PE.
const AHEAD_ALONE: u64 = 10_000;
/// The same while a microthread shares the memory.
const AHEAD_SHARED: u64 = 64;
/// Cycles to start a task (estimate).
const TASK_START: u64 = 4;
/// Cycles of a call beyond its operations (estimate).
const CALL: u64 = 2;

/// A call that has not returned.
#[derive(Copy, Clone, Debug)]
pub(super) struct Frame {
    function: FnId,
    pc: usize,
    /// Its register 0.
    base: usize,
    /// Address of its words of memory.
    address: u16,
}

/// What the main thread is doing.
#[derive(Clone, Debug, Default)]
pub(super) struct MainThread {
    frames: Vec<Frame>,
    registers: Vec<u64>,
    /// Code has run up to this cycle.
    pub busy_until: u64,
    /// Stopped at a synchronous operation.
    pub waiting: bool,
    /// Stopped in a `@map`, at an operation that has to be tried again.
    stalled: Option<(Stall, u64)>,
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
    /// Whether no task or function runs.
    pub fn is_free(&self) -> bool {
        self.frames.is_empty()
    }

    /// A register of the running call.
    pub fn register(&self, reg: Reg) -> u64 {
        self.registers[self.window() + usize::from(reg)]
    }

    /// Sets a register of the running call.
    pub fn set_register(&mut self, reg: Reg, value: u64) {
        let at = self.window() + usize::from(reg);
        self.registers[at] = value;
    }

    fn window(&self) -> usize {
        self.frames.last().expect("an operation runs in a call").base
    }

    /// Goes on after the operation that it has waited for.
    pub fn resume(&mut self, now: u64) {
        self.frames.last_mut().expect("an operation runs in a call").pc += 1;
        self.waiting = false;
        self.busy_until = self.busy_until.max(now + 1);
    }

    /// Whether it stopped at an operation that has to be tried again.
    pub fn is_stalled(&self) -> bool {
        self.stalled.is_some()
    }

    /// Whether it only needs time.
    pub fn can_run(&self) -> bool {
        !self.is_free() && !self.waiting && self.stalled.is_none()
    }

    fn enter(&mut self, tile: &TileImage, memory: usize, f: FnId, base: usize) -> Result<(), Complaint> {
        let function = &tile.functions[f.0 as usize];
        let address = match self.frames.last() {
            None => u32::from(tile.data_end),
            Some(caller) => {
                let words = tile.functions[caller.function.0 as usize].frame_words.max(1);
                u32::from(caller.address) + u32::from(words)
            }
        };
        let end = address + u32::from(function.frame_words.max(1));
        if end as usize > memory || self.frames.len() == MAX_FRAMES {
            return Err(STACK_OVERFLOW.because(&[("name", &function.name)]));
        }
        let top = base + usize::from(function.registers).max(1);
        if self.registers.len() < top {
            self.registers.resize(top, 0);
        }
        let consts = base + usize::from(function.params);
        self.registers[consts..consts + function.consts.len()].copy_from_slice(&function.consts);
        self.frames.push(Frame { function: f, pc: 0, base, address: address as u16 });
        Ok(())
    }
}

impl Pe {
    /// Starts what may start, or goes on with what runs; false if there was nothing to do.
    pub(super) fn run_main(&mut self, now: u64, world: &mut World<'_>) -> Result<bool, Complaint> {
        if self.main.waiting || self.main.busy_until > now {
            return Ok(false);
        }
        if self.main.is_free() {
            return self.start_next(now);
        }
        let tile = Arc::clone(&self.tile);
        let mut meter = Meter { spent: 0, budget: self.ahead() };
        loop {
            match self.turn(&tile, now, &mut meter, world) {
                Ok(true) => {}
                Ok(false) => break,
                Err(complaint) => return Err(complaint.on(self.moment(now + meter.spent))),
            }
        }
        self.main.busy_until = now + meter.spent;
        Ok(self.main.stalled.is_none())
    }

    fn ahead(&self) -> u64 {
        if self.lanes.is_empty() { AHEAD_ALONE } else { AHEAD_SHARED }
    }

    /// Runs to the next call, return or service; false when the main thread has to stop.
    fn turn(
        &mut self,
        tile: &TileImage,
        now: u64,
        meter: &mut Meter,
        world: &mut World<'_>,
    ) -> Result<bool, Complaint> {
        let main = &mut self.main;
        let Some(frame) = main.frames.last_mut() else { return Ok(false) };
        let function = &tile.functions[frame.function.0 as usize];
        let base = frame.base;
        let window = Window {
            code: &function.code,
            registers: &mut main.registers[base..base + usize::from(function.registers)],
            memory: self.memory.words_mut(),
            frame: frame.address,
        };
        let exit = match scalar::run(window, &mut frame.pc, meter) {
            Ok(exit) => exit,
            // It may have met a word that is not there yet; then it tries again.
            Err(c) if c.rule() == MEMORY_OUT_OF_BOUNDS.name && self.memory.grow() => return Ok(true),
            Err(c) => return Err(placed(c, function, frame.pc)),
        };
        match exit {
            Exit::Pause => return Ok(false),
            Exit::Return => {
                main.frames.pop();
                return Ok(!main.frames.is_empty());
            }
            Exit::Call { f, base: window } => {
                meter.spent += CALL;
                let size = self.memory.size();
                let pc = frame.pc - 1;
                main.enter(tile, size, f, base + usize::from(window)).at(span(function, pc))?;
            }
            Exit::Service(op) => {
                let pc = frame.pc;
                let served =
                    self.service(tile, op, now, meter, world).map_err(|c| placed(c, function, pc))?;
                return Ok(self.after_service(served, now, meter));
            }
        }
        Ok(true)
    }

    fn after_service(&mut self, served: Served, now: u64, meter: &mut Meter) -> bool {
        let frame = self.main.frames.last_mut().expect("an operation runs in a call");
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
                self.main.stalled =
                    self.main.stalled.filter(|(old, _)| *old == stall).or(Some((stall, since)));
                return false;
            }
            Served::Waits => {
                self.main.waiting = true;
                return false;
            }
        }
        true
    }

    /// Picks a task, or else what the host has launched; false if there is nothing.
    fn start_next(&mut self, now: u64) -> Result<bool, Complaint> {
        let claimed = self.lanes.claimed_inputs();
        let tile = Arc::clone(&self.tile);
        let ready = self.tasks.pick(self.arch.name, &mut self.queues, claimed, now);
        let (function, arguments, count) = match ready {
            Some(Ready::Local(id)) => {
                self.tasks.start(id);
                (binding(&tile, TaskKind::Local, id)?.function, [0; 2], 0)
            }
            Some(Ready::Wavelet { id, kind, input }) => {
                let bound = binding(&tile, kind, id)?;
                let word = self.queues.inputs[input].take(now).expect("the picker has seen it").data;
                (bound.function, arguments(&bound.params, word), bound.params.len().min(2))
            }
            None => return self.start_launch(&tile, now),
        };
        self.start(&tile, function, &arguments[..count], now)?;
        Ok(true)
    }

    fn start_launch(&mut self, tile: &TileImage, now: u64) -> Result<bool, Complaint> {
        let Some(launch) = self.launches.pop_front() else { return Ok(false) };
        self.start(tile, launch.function, &launch.arguments, now)?;
        Ok(true)
    }

    fn start(&mut self, tile: &TileImage, f: FnId, arguments: &[u64], now: u64) -> Result<(), Complaint> {
        self.main.registers.clear();
        self.main.registers.extend_from_slice(arguments);
        let span = tile.functions[f.0 as usize].span;
        self.main.enter(tile, self.memory.size(), f, 0).at(span)?;
        self.main.busy_until = now + TASK_START;
        self.task_since = now;
        Ok(())
    }
}

impl Pe {
    /// What keeps the main thread from going on, if it is not an operation in progress.
    pub(super) fn main_wait(&self) -> Option<Wait> {
        let (stall, since) = self.main.stalled?;
        let frame = self.main.frames.last()?;
        let function = &self.tile.functions[frame.function.0 as usize];
        let on = match stall {
            Stall::Input(input) => {
                let inbox = &self.queues.inputs[input];
                WaitsFor::Wavelet { color: inbox.color, queue: inbox.queue }
            }
            Stall::Output(output) => {
                let outbox = &self.queues.outputs[output];
                let (color, queue) = (outbox.head_color()?, outbox.queue);
                WaitsFor::Space { color, queue }
            }
            Stall::FifoEmpty(_) | Stall::FifoFull(_) => unreachable!("`@map` uses no FIFO"),
        };
        let span = Some(span(function, frame.pc));
        Some(Wait { who: Waiter::MainThread, on, name: "@map".to_string(), since, progress: None, span })
    }
}

fn span(function: &Function, pc: usize) -> Span {
    function.spans.get(pc).copied().unwrap_or(function.span)
}

fn placed(complaint: Complaint, function: &Function, pc: usize) -> Complaint {
    complaint.at(span(function, pc))
}

/// Whether the operation does something that others may see at once.
pub(super) fn needs_clock(op: Op) -> bool {
    use crate::image::code::Intrinsic;
    match op {
        Op::BlockUt { .. } | Op::UnblockUt { .. } | Op::FifoLength { .. } => true,
        Op::Intrinsic { id, .. } => {
            matches!(id, Intrinsic::UnblockCommandStream | Intrinsic::ConfigRead | Intrinsic::ConfigWrite)
        }
        _ => false,
    }
}
