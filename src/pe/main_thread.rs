//! The main thread: its call stack, its wait state, and the launches of the host.

use super::stall::Stall;
use crate::exec::calls::Calls;
use crate::image::code::{Reg, Target};
use crate::image::{FnId, TileImage};
use crate::source::Span;
use std::collections::VecDeque;

/// A launch of the host that has not started yet.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub function: FnId,
    pub arguments: Vec<u64>,
    /// From this cycle on it has its turn before tasks that are ready.
    pub due: u64,
}

/// How many cycles a command of the host waits while a PE always has a ready task. Then the command runs between two
/// tasks, so that a task that polls for what the host writes sees it.
pub const HOST_PATIENCE: u64 = 10_000;

/// The state of the main thread. Fields that every visit reads come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct MainThread {
    /// The cycle up to which code has run; it may be ahead of the clock.
    pub busy_until: u64,
    /// Stopped in a `@map`, at an operation that must be tried again.
    pub stalled: Option<Box<(Stall, u64)>>,
    /// Stopped at a synchronous operation.
    pub waiting: bool,
    /// The host has launched a function here.
    pub was_launched: bool,
    /// A launch has not started yet.
    has_launches: bool,
    /// A command of the host has its turn: no task starts.
    pub is_hosts_turn: bool,
    /// A launched function has not called `unblock_cmd_stream` yet.
    pub command_stream_blocked: bool,
    pub calls: Calls,
    /// Launches that have not started yet, in order.
    launches: VecDeque<Launch>,
}

/// The outcome of an operation that the scalar loop does not execute itself.
pub(super) enum Served {
    /// Complete, after this many cycles.
    Done(u64),
    /// Complete, and the code has jumped to another place, after this many cycles.
    Jump(Target, u64),
    /// Refused while the main thread is ahead of the clock; it must wait until the clock has caught up.
    Later,
    /// Started; the main thread waits until it is complete.
    Waits,
    /// Not possible now; it must be tried again.
    Retry(Stall),
}

impl MainThread {
    /// An idle main thread, on a PE with this many words of memory.
    pub fn new(memory: usize) -> MainThread {
        MainThread {
            busy_until: 0,
            stalled: None,
            waiting: false,
            was_launched: false,
            has_launches: false,
            is_hosts_turn: false,
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

    /// Resumes after the operation that it has waited for.
    pub fn resume(&mut self, now: u64) {
        self.calls.last_mut().pc += 1;
        self.waiting = false;
        self.busy_until = self.busy_until.max(now + 1);
    }

    /// Whether it is stopped at an operation that must be tried again.
    pub fn is_stalled(&self) -> bool {
        self.stalled.is_some()
    }

    /// The reason why it cannot try again yet.
    pub fn stalled_on(&self) -> Option<Stall> {
        self.stalled.as_ref().map(|stalled| stalled.0)
    }

    /// Whether it waits for nothing but the clock.
    pub fn can_run(&self) -> bool {
        !self.is_free() && !self.waiting && self.stalled.is_none()
    }

    /// Stores the bool that an operation returns, if code uses it.
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
    pub fn launch(&mut self, (function, now): (FnId, u64), arguments: &[u64], has_memcpy: bool) {
        self.command_stream_blocked = has_memcpy;
        (self.was_launched, self.has_launches) = (true, true);
        let due = now + HOST_PATIENCE;
        self.launches.push_back(Launch { function, arguments: arguments.to_vec(), due });
    }

    /// Whether the oldest launch has waited for so long that it goes before tasks that are ready.
    #[inline]
    pub fn has_due_launch(&self, now: u64) -> bool {
        self.has_launches && self.launches.front().is_some_and(|launch| launch.due <= now)
    }

    /// Whether a launch has not started yet.
    #[inline]
    pub fn has_launches(&self) -> bool {
        self.has_launches
    }

    /// Takes the oldest launch that has not started yet.
    pub fn take_launch(&mut self) -> Option<Launch> {
        let launch = self.launches.pop_front();
        self.has_launches = !self.launches.is_empty();
        launch
    }

    /// The launches that have not started yet.
    pub fn launches(&self) -> &VecDeque<Launch> {
        &self.launches
    }

    /// The source location that the innermost call executes.
    pub fn place(&self, tile: &TileImage) -> Span {
        let frame = self.calls.last().expect("an operation runs in a call");
        let function = &tile.functions[frame.function.0 as usize];
        function.spans.get(frame.pc).copied().unwrap_or(function.span)
    }

    /// The source location in the caller of the innermost call, or in the innermost call if it has no caller.
    pub fn caller_place(&self, tile: &TileImage) -> Span {
        let Some(frame) = self.calls.caller() else { return self.place(tile) };
        let function = &tile.functions[frame.function.0 as usize];
        function.spans.get(frame.pc.wrapping_sub(1)).copied().unwrap_or(function.span)
    }
}
