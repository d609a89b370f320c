//! The main thread: its calls, what it waits for, and what the host has launched.

use super::stall::Stall;
use crate::exec::calls::Calls;
use crate::image::code::{Reg, Target};
use crate::image::{FnId, TileImage};
use crate::source::Span;
use std::collections::VecDeque;

/// What the host wants to run.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub function: FnId,
    pub arguments: Vec<u64>,
}

/// What the main thread is doing; what every visit looks at comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct MainThread {
    /// Code has run up to this cycle.
    pub busy_until: u64,
    /// Stopped in a `@map`, at an operation that has to be tried again.
    pub stalled: Option<Box<(Stall, u64)>>,
    /// Stopped at a synchronous operation.
    pub waiting: bool,
    /// The host has launched something.
    pub was_launched: bool,
    /// A launched function has not called `unblock_cmd_stream` yet.
    pub command_stream_blocked: bool,
    pub calls: Calls,
    pub launches: VecDeque<Launch>,
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
        MainThread {
            busy_until: 0,
            stalled: None,
            waiting: false,
            was_launched: false,
            command_stream_blocked: false,
            calls: Calls::new(memory),
            launches: VecDeque::new(),
        }
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

    /// Stores the bool that an operation returns, if anybody wants it.
    pub fn set_result(&mut self, register: Option<Reg>, value: bool) {
        if let Some(register) = register {
            self.set_register(register, value.into());
        }
    }

    /// The address in a register of the running call.
    pub fn address(&self, reg: Reg) -> usize {
        self.register(reg) as u16 as usize
    }

    /// Queues a function that the host wants to run. In a tile without `<memcpy/memcpy>` there is nothing to
    /// unblock the command stream with: its launches end by themselves.
    pub fn launch(&mut self, function: FnId, arguments: &[u64], has_memcpy: bool) {
        self.command_stream_blocked = has_memcpy;
        self.was_launched = true;
        self.launches.push_back(Launch { function, arguments: arguments.to_vec() });
    }

    /// What the innermost call executes.
    pub fn place(&self, tile: &TileImage) -> Span {
        let frame = self.calls.last().expect("an operation runs in a call");
        let function = &tile.functions[frame.function.0 as usize];
        function.spans.get(frame.pc).copied().unwrap_or(function.span)
    }

    /// What the call around the innermost one executes; the innermost one if there is no other.
    pub fn caller_place(&self, tile: &TileImage) -> Span {
        let Some(frame) = self.calls.caller() else { return self.place(tile) };
        let function = &tile.functions[frame.function.0 as usize];
        function.spans.get(frame.pc.wrapping_sub(1)).copied().unwrap_or(function.span)
    }
}
