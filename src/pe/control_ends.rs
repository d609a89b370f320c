//! The control wavelets that end operations (`.on_control`).

use super::operation::{Operation, Surroundings};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::LENGTH_MISMATCH;

impl Surroundings<'_> {
    /// A control wavelet is the oldest one of an input of an operation that it ends; false if it does not, because it has
    /// ended another one before. An operation that `keeps` it leaves it where it is, for its control task or for the
    /// next operation (ruling OQ-30).
    pub fn hear_control(&mut self, input: usize, keeps: bool) -> bool {
        let inbox = &mut self.queues.inputs[input];
        let is_new = !inbox.is_head_heard;
        if is_new && keeps && !inbox.is_mailbox {
            inbox.is_head_heard = true;
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
