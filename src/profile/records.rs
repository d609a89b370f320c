//! What a run leaves for its profile: what each PE has done when, and what its routers have passed on.

use crate::arch::{Color, Direction, InQueue, OutQueue, TaskId};
use crate::exec::counts::Piece;
use crate::image::FnId;
use crate::source::Span;
use crate::trace::Reason;

/// Where a wavelet came from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The PE that sent it, row by row.
    pub pe: u32,
    /// Whether it came from the host.
    pub from_host: bool,
    /// The cycle in which it was sent.
    pub sent: u64,
    /// The cycle in which it came into an input queue.
    pub delivered: u64,
}

/// Why a task or function started.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Started {
    /// A local task was active.
    Active(TaskId),
    /// A wavelet of this color came.
    Wavelet(Color),
    /// The host launched it.
    Launched,
}

/// An operation that goes on over several cycles.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct NotedOperation {
    /// The builtin, without `@`.
    pub name: &'static str,
    /// The call.
    pub span: Span,
    /// The function with the call.
    pub function: FnId,
    /// The colors that it receives, bit = color.
    pub reads: u32,
    /// The color that it sends.
    pub sends: Option<Color>,
    /// The most elements that it can do in a cycle.
    pub width: u8,
}

/// The place of the main thread among the threads of a PE; lower places are microthreads.
pub const MAIN_THREAD: u8 = 8;

/// Something that a PE has done. Cycles that end something are those behind it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The main thread prepares a task or function.
    Task { from: u64, until: u64, function: FnId, started: Started, origin: Option<u32> },
    /// It runs code, a shape of [`PeRecords::shapes`].
    Code { from: u64, until: u64, shape: u32 },
    /// The task has returned.
    TaskEnd { at: u64 },
    /// A thread has an operation: the main thread came to it in a cycle, and the first element may move after `started`.
    Begin { thread: u8, from: u64, started: u64, operation: u32 },
    /// Elements of it move: in `times` cycles, one every `stride` cycles. `elements` counts them; `origin` is that of the
    /// last wavelet that was taken.
    Moves { thread: u8, from: u64, times: u32, stride: u32, elements: u32, origin: Option<u32> },
    /// It waits. `origin` is that of the wavelet that has ended the wait.
    Wait { thread: u8, from: u64, until: u64, on: Reason, origin: Option<u32> },
    /// It has ended, which activates or unblocks a task.
    End { thread: u8, at: u64, then: Option<TaskId> },
}

/// The most wavelets that a queue has held.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueueMark {
    /// An input queue; `None` for a private one or if it is none.
    pub input: Option<InQueue>,
    /// An output queue.
    pub output: Option<OutQueue>,
    /// Whether wavelets come in through it.
    pub is_input: bool,
    /// The color of what it held.
    pub color: Color,
    /// The most wavelets.
    pub most: u32,
    /// How many it can hold.
    pub depth: u32,
}

/// What a PE has done.
#[derive(Clone, Debug, Default)]
pub struct PeRecords {
    /// What has happened; of each thread in order.
    pub records: Vec<Record>,
    /// The pieces of code of all shapes.
    pub pieces: Vec<Piece>,
    /// By shape: the first of its pieces, and one past the last.
    pub shapes: Vec<(u32, u32)>,
    /// The operations that records name.
    pub operations: Vec<NotedOperation>,
    /// The origins that records name.
    pub origins: Vec<Origin>,
    /// The fullest state of each queue.
    pub queues: Vec<QueueMark>,
    /// Words of memory in use at most: variables, and the deepest calls.
    pub memory: u32,
    /// If there was too much to record, the cycle up to which everything is here.
    pub cut: Option<u64>,
}

/// The wavelets of a color that have left a router in one direction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LinkCount {
    /// The PE of the router, row by row.
    pub pe: u32,
    /// The direction; the ramp leads to the PE.
    pub to: Direction,
    /// The color.
    pub color: Color,
    /// How many.
    pub words: u64,
}

/// The wavelets of a color that a PE has given to its router, and taken from it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RampCount {
    /// The PE, row by row.
    pub pe: u32,
    /// The color.
    pub color: Color,
    /// How many it has sent.
    pub sent: u64,
    /// How many have come into its queues.
    pub delivered: u64,
}

/// What the routers have passed on.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// By router and color: all links that wavelets have crossed.
    pub links: Vec<LinkCount>,
    /// By PE and color: its ramp.
    pub ramps: Vec<RampCount>,
}
