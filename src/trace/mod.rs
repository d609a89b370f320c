//! Recordings: the events of a run, with their cycles and PEs, for people to read.
//!
//! In: events of PEs and routers during a recorded run. Out: a `Recording`. Never: changes a run, or costs
//! time while nothing is recorded.

mod chrome;
mod code_lines;
mod filter;
mod flows;
mod host;
mod memory;
mod names;
mod recorder;
mod text;

pub use chrome::chrome;
pub use code_lines::CodeLines;
pub use filter::{PeRange, TraceFilter};
pub use host::HostEvent;
pub use memory::{Followed, Follower, History};
pub use names::Names;
pub use recorder::{Recorder, Recording};
pub use text::text;

use crate::arch::{Color, Direction, InQueue, OutQueue, PeCoord, TaskId, UtId};
use crate::image::FnId;
use crate::source::Span;

/// One event of a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The cycle.
    pub cycle: u64,
    /// The PE, or the PE of the router.
    pub pe: PeCoord,
    /// What happened.
    pub what: EventKind,
}

/// The kind of an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The main thread starts a task, or a function that the host has launched.
    TaskStart {
        /// Its code, a function of the tile.
        function: FnId,
        /// Why it runs.
        cause: TaskCause,
    },
    /// The task or function has returned; the main thread is free from this cycle on.
    TaskEnd {
        /// Its code.
        function: FnId,
        /// The cycle in which it started.
        since: u64,
    },
    /// The main thread runs straight code, if the filter wants code.
    Code {
        /// The function.
        function: FnId,
        /// Its first operation.
        from: u32,
        /// One past its last operation. If both are equal, the code that follows is not recorded: there was too much.
        to: u32,
    },
    /// An operation starts.
    Start(TracedOperation),
    /// An operation stalls.
    Stall {
        /// Who runs it.
        thread: ThreadId,
        /// What it waits for.
        on: Reason,
    },
    /// An operation resumes after a stall.
    Resume {
        /// Who runs it.
        thread: ThreadId,
        /// When the stall began.
        since: u64,
    },
    /// An operation has ended. On a microthread this is the cycle of its last element, on the main thread the
    /// first cycle in which other code can run.
    End {
        /// The operation.
        operation: TracedOperation,
        /// The cycle in which it started.
        since: u64,
        /// Number of elements processed.
        done: u32,
    },
    /// A PE has passed a wavelet to its router.
    Sent(TracedWavelet),
    /// The host has sent a wavelet, which arrives on the ramp of this PE.
    FromHost(TracedWavelet),
    /// The host has received a wavelet that this PE has sent.
    ToHost(TracedWavelet),
    /// A wavelet leaves a router, and is at the next one in the next cycle.
    Hop {
        /// Which one.
        wavelet: TracedWavelet,
        /// The side on which it arrived.
        from: Direction,
        /// The side on which it leaves; RAMP leads to the PE.
        to: Direction,
    },
    /// A router has dropped a wavelet: a filter took it out, or the route leads nowhere.
    Dropped(TracedWavelet),
    /// A wavelet arrives in an input queue.
    Delivered {
        /// Which one.
        wavelet: TracedWavelet,
        /// The queue, unless it is a private one.
        queue: Option<InQueue>,
    },
    /// The number of wavelets in a queue differs from that at the end of the previous cycle.
    Depth {
        /// Which queue.
        queue: Queue,
        /// The color of what it holds or held.
        color: Color,
        /// Wavelets inside.
        depth: u16,
    },
    /// The switch of a color has another position.
    Switch {
        /// The color.
        color: Color,
        /// The new position.
        position: u8,
    },
    /// A control wavelet has suspended a color at this router.
    Teardown {
        /// The color.
        color: Color,
    },
}

/// A DSD operation or a `@map`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TracedOperation {
    /// The thread that runs it. A microthread runs one operation at a time; those of the main thread can be
    /// nested, because the function of a `@map` can contain operations.
    pub thread: ThreadId,
    /// The builtin, without `@`.
    pub name: &'static str,
    /// The call.
    pub span: Span,
    /// Number of elements; `None` if the operation has no fixed length.
    pub of: Option<u32>,
    /// Colors that it reads or writes, bit = color.
    pub colors: u32,
}

/// Who runs an operation.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadId {
    /// The thread that also runs tasks.
    Main,
    /// A microthread.
    Micro(UtId),
}

/// Why a task or a function runs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TaskCause {
    /// It was activated.
    Activated(TaskId),
    /// A wavelet of this color has arrived.
    Wavelet(Color),
    /// The host has launched it.
    Launched,
}

/// What an operation waits for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A wavelet.
    Wavelet {
        /// Its color.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<InQueue>,
    },
    /// Space in an output queue.
    Space {
        /// The color that it sends.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<OutQueue>,
    },
    /// An element in this FIFO of the tile.
    FifoData(u16),
    /// Space in this FIFO of the tile.
    FifoSpace(u16),
    /// The microthread is blocked.
    Unblock,
}

/// A queue of a PE; without a number it is a private one of its color.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Queue {
    /// From the router.
    In(Option<InQueue>),
    /// To the router.
    Out(Option<OutQueue>),
}

/// A wavelet in flight.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TracedWavelet {
    /// Its running number, from 1 on in the order of sending; copies keep it.
    pub number: u64,
    /// Its color, which a color swap can change.
    pub color: Color,
    /// The payload.
    pub data: u32,
    /// Whether it is a control wavelet.
    pub control: bool,
}

impl EventKind {
    /// The wavelet that an event is about.
    fn wavelet_mut(&mut self) -> Option<&mut TracedWavelet> {
        match self {
            EventKind::Sent(wavelet)
            | EventKind::FromHost(wavelet)
            | EventKind::ToHost(wavelet)
            | EventKind::Dropped(wavelet)
            | EventKind::Hop { wavelet, .. }
            | EventKind::Delivered { wavelet, .. } => Some(wavelet),
            EventKind::TaskStart { .. }
            | EventKind::TaskEnd { .. }
            | EventKind::Code { .. }
            | EventKind::Start(_)
            | EventKind::Stall { .. }
            | EventKind::Resume { .. }
            | EventKind::End { .. }
            | EventKind::Depth { .. }
            | EventKind::Switch { .. }
            | EventKind::Teardown { .. } => None,
        }
    }

    /// The color that an event of routers and queues is about.
    pub fn color(&self) -> Option<Color> {
        match self {
            EventKind::Sent(w) | EventKind::FromHost(w) | EventKind::ToHost(w) | EventKind::Dropped(w) => {
                Some(w.color)
            }
            EventKind::Hop { wavelet, .. } | EventKind::Delivered { wavelet, .. } => Some(wavelet.color),
            EventKind::Depth { color, .. }
            | EventKind::Switch { color, .. }
            | EventKind::Teardown { color } => Some(*color),
            EventKind::TaskStart { cause: TaskCause::Wavelet(color), .. } => Some(*color),
            EventKind::TaskStart { .. }
            | EventKind::TaskEnd { .. }
            | EventKind::Code { .. }
            | EventKind::Start(_)
            | EventKind::Stall { .. }
            | EventKind::Resume { .. }
            | EventKind::End { .. } => None,
        }
    }
}
