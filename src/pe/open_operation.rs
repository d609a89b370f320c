//! An asynchronous operation whose end nothing has seen, as the race detector remembers it.

use super::tasks::CompletionAction;
use crate::arch::TaskId;
use crate::source::Span;

/// Where an open operation is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Running {
        place: u8,
    },
    /// It was done ahead of the clock as the n-th one: of its elements, one leaves in each of these cycles.
    Leaving {
        first: u64,
        last: u64,
        number: u32,
        seen_by: Option<TaskId>,
    },
    /// It has ended as the n-th one; a task with this id would see that.
    Ended {
        number: u32,
        seen_by: Option<TaskId>,
    },
}

impl Progress {
    /// What it is in a cycle, in which an element leaves before anything else happens.
    pub fn at(self, now: u64) -> Progress {
        match self {
            Progress::Leaving { last, number, seen_by, .. } if last <= now => {
                Progress::Ended { number, seen_by }
            }
            other => other,
        }
    }
}

/// How an asynchronous operation begins.
pub(super) struct Begun {
    pub span: Span,
    pub place: Place,
    pub completion: CompletionAction,
}

/// Where an operation is done.
pub(super) enum Place {
    /// In a thread.
    Thread(usize),
    /// Ahead of the clock: of its elements, one leaves in each of these cycles.
    Ahead { first: u64, last: u64 },
}

impl Place {
    /// Ahead of the clock, with so many elements, at least one.
    pub fn ahead(first: u64, count: u32) -> Place {
        Place::Ahead { first, last: first + u64::from(count).saturating_sub(1) }
    }
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
