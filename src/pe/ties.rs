//! Operations that end in the cycle in which the picker chooses.
//!
//! The task that starts loses its activation, and an operation that ends activates it: if both happen in one cycle, it is
//! active afterwards (docs/decisions.md).

use crate::arch::TaskId;
use crate::source::Span;

/// No task has this number.
pub(super) const NO_TASK: TaskId = TaskId(u8::MAX);

/// Activations, by operations that have just ended, of tasks that were active already.
#[derive(Clone, Debug, Default)]
pub(super) struct SimultaneousActivations(Vec<(TaskId, Span)>);

impl SimultaneousActivations {
    /// Adds one, until the picker has chosen.
    #[cold]
    pub fn add(&mut self, id: TaskId, span: Span) {
        self.0.push((id, span));
    }

    /// The picker has chosen this task: whether an operation activates it once more, and the activations that are lost.
    #[cold]
    pub fn settle(&mut self, started: Option<TaskId>) -> (bool, Vec<(TaskId, Span)>) {
        let mut lost = std::mem::take(&mut self.0);
        let kept = started.and_then(|started| lost.iter().position(|(id, _)| *id == started));
        kept.map(|at| lost.remove(at));
        (kept.is_some(), lost)
    }
}
