//! Operations that end in the cycle in which the picker chooses.
//!
//! The task that starts loses its activation, and an operation that ends activates it: if both happen in one cycle, it is
//! active afterwards (docs/decisions.md).

use super::element::Pe;
use super::scripted::Next;
use super::tasks::{Picked, bit};
use crate::arch::{TEARDOWN_TASK, TaskId};
use crate::diagnostics::Diag;
use crate::source::Span;

/// No task has this number.
pub(super) const NO_TASK: TaskId = TaskId(u8::MAX);

/// Activations, by operations that have just ended, of tasks that were active already.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties(Vec<(TaskId, Span)>);

impl Pe {
    /// Whether the picker chooses in a cycle, and what an operation that ends in it activates has been active before it: two
    /// operations that end in one cycle activate a task once.
    pub(super) fn ties(&self, id: TaskId, cycle: u64) -> bool {
        self.tasks.state.active & !self.tasks.state.blocked & bit(id) != 0
            && id.0 != TEARDOWN_TASK
            && id != self.just_activated
            && self.main.is_free()
            && !self.main.is_hosts_turn
            && self.main.busy_until <= cycle
            // A script decides which of the two comes first.
            && self.script.is_none()
    }

    /// Remembers such an activation until the picker has chosen.
    #[cold]
    pub(super) fn note_tie(&mut self, id: TaskId, span: Span) {
        self.ties.0.push((id, span));
        self.has_ties = true;
    }

    /// The picker has chosen. Whether the task that starts stays active, because an operation activates it once more; all
    /// other activations are lost.
    #[cold]
    pub(super) fn settle_ties(&mut self, next: &Next) -> Result<bool, Diag> {
        let mut ties = std::mem::take(&mut self.ties.0);
        self.has_ties = false;
        let kept = match next {
            Next::Task(Picked::Local(started)) => ties.iter().position(|(id, _)| id == started),
            _ => None,
        };
        kept.map(|at| ties.remove(at));
        for (id, span) in ties {
            self.checks.check_activation(id, span, &self.tile, &self.tasks)?;
        }
        Ok(kept.is_some())
    }
}
