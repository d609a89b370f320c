//! An asynchronous operation whose end nothing has seen, as the race detector remembers it.

use crate::arch::TaskId;
use crate::source::Span;

/// Where an open operation is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Running {
        place: u8,
    },
    /// It has ended as the n-th one; a task with this id would see that.
    Ended {
        number: u32,
        seen_by: Option<TaskId>,
    },
}

/// An asynchronous operation whose end nothing has seen. Its operands are watches of the guard. It is small, because
/// it lies between the state that each visit of a PE looks at.
#[derive(Clone, Debug)]
pub(super) struct OpenOperation {
    /// The owner of the watches.
    pub id: u32,
    pub span: Span,
    pub uses: OpenUse,
    pub has_completion: bool,
    pub progress: Progress,
    /// Elements that are known to be done, because a wavelet has arrived since.
    pub seen: u32,
}

/// An open operation, and the queues and FIFOs that it uses.
#[derive(Copy, Clone, Debug)]
pub(super) struct OpenUse {
    pub name: &'static str,
    /// Inputs, bit = number.
    pub inputs: u64,
    pub fifos: u64,
    pub output: Option<u8>,
}

impl OpenOperation {
    /// The output queue that it uses, bit = number.
    pub fn outputs(&self) -> u64 {
        self.uses.output.map_or(0, |output| 1 << output)
    }
}
