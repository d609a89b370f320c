//! Waits of a PE as values, for the hang report.

use crate::arch::{Color, InQueue, OutQueue, TaskId, UtId};
use crate::source::Span;

/// When a PE must run again.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// In this cycle.
    At(u64),
    /// Only after an event: a wavelet is delivered, the host launches, or the router has space again for a color in
    /// `Queues::refused`.
    OnEvent,
}

/// Who or what waits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Waiter {
    /// The task or function on the main thread.
    MainThread,
    /// An asynchronous operation.
    Microthread(UtId),
    /// A task that is active but does not run.
    Task(TaskId),
    /// Wavelets in a queue.
    Queue,
}

/// What it waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WaitsFor {
    /// A wavelet.
    Wavelet {
        /// Its color.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<InQueue>,
        /// Whether a control wavelet would end the operation.
        ends_at_control: bool,
    },
    /// Space in an output queue.
    Space {
        /// The color that it sends.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<OutQueue>,
    },
    /// An element in the FIFO of this name.
    FifoData(String),
    /// Space in the FIFO of this name.
    FifoSpace(String),
    /// `@unblock`.
    Unblock,
    /// An operation or task that receives these wavelets.
    Consumer {
        /// Their color.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<InQueue>,
        /// How many.
        count: usize,
        /// The control task that the oldest one names and that may not run on this channel.
        blocked: Option<String>,
        /// The control task that the oldest one names and that nothing binds.
        unbound: Option<TaskId>,
    },
    /// The router, which must accept these wavelets.
    Router {
        /// The color.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<OutQueue>,
        /// How many wavelets.
        count: usize,
    },
}

/// What the main thread of a PE is doing, or did last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity<'a> {
    /// The task or launched function.
    pub name: &'a str,
    /// Its declaration.
    pub span: Span,
    /// Source locations that its calls execute, the innermost first; empty when it has ended.
    pub places: Vec<Span>,
    /// The cycle in which it started.
    pub since: u64,
    /// How many tasks have started on the PE.
    pub started: u64,
    /// Local tasks that would start if it ended.
    pub ready: Vec<&'a str>,
}

/// Something on a PE that is not finished.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wait<'a> {
    /// Who waits.
    pub who: Waiter,
    /// What it waits for.
    pub on: WaitsFor,
    /// The task, or the operation without `@`; nothing for a queue.
    pub name: &'a str,
    /// The task or launched function whose operation the main thread executes.
    pub task: Option<&'a str>,
    /// The cycle in which the waiting began.
    pub since: u64,
    /// Elements done and elements in total; `None` if nothing is counted or the end is unknown.
    pub progress: Option<(u32, u32)>,
    /// The operation or binding.
    pub span: Option<Span>,
}
