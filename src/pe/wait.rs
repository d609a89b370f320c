//! What a PE waits for, as values that a report can name.

use crate::arch::{Color, InQueue, OutQueue, TaskId, UtId};
use crate::source::Span;

/// When a PE wants to run again.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// In this cycle.
    At(u64),
    /// Not before something happens to it: a wavelet is delivered, the host launches, or its router
    /// has room again for one of [`super::Pe::refused`].
    OnEvent,
}

/// Who waits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The end of what runs on the main thread.
    MainThread,
    /// Somebody who takes these wavelets.
    Consumer {
        /// Their color.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<InQueue>,
        /// The control task that the oldest one names and that may not run on this channel.
        blocked: Option<String>,
    },
    /// The router.
    Router {
        /// The color.
        color: Color,
        /// The queue, unless it is a private one.
        queue: Option<OutQueue>,
    },
}

/// Something on a PE that is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Who waits.
    pub who: Waiter,
    /// For what.
    pub on: WaitsFor,
    /// The task, function or operation.
    pub name: String,
    /// The cycle in which the waiting began.
    pub since: u64,
    /// Elements done and elements in all; `None` where nothing is counted or the end is unknown.
    pub progress: Option<(u32, u32)>,
    /// The operation or binding.
    pub span: Option<Span>,
}
