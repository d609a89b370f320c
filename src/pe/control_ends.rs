//! The control wavelets that end operations (`.on_control`).

use super::operation::{Operation, StepContext};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::LENGTH_MISMATCH;

impl StepContext<'_> {
    /// Notes a control wavelet at the head of an input, which ends this operation; false if it has already ended
    /// another one. An operation that `keeps` it leaves it in the queue, for its control task or for the next
    /// operation (ruling OQ-30).
    pub fn accept_end_control(&mut self, input: usize, keeps: bool) -> bool {
        let inbox = &mut self.queues.inputs[input];
        let is_new = !inbox.head_has_ended_operation;
        if is_new && keeps && !inbox.is_mailbox {
            inbox.head_has_ended_operation = true;
        } else {
            inbox.take(self.now);
        }
        is_new
    }
}

impl Operation {
    /// The diagnostic about an element that comes where a control wavelet should have.
    pub fn no_room(&self) -> Diag {
        let (total, room) = (self.total.unwrap_or(self.done + 1), self.done);
        LENGTH_MISMATCH
            .because(&[("one", &total), ("other", &room)])
            .note(format!("element {} has arrived without a control wavelet before it", room + 1))
    }
}
