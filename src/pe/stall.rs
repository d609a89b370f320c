//! The reasons why an operation stalls, and what happens then.

use super::fifo::{FifoEnd, FifoState};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::FIFO_FAULT;
use crate::dsd::FifoAction;
use crate::image::TileImage;

/// Why the next element cannot be processed now.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Stall {
    Input(usize),
    Output(usize),
    FifoEmpty(FifoEnd),
    FifoFull(FifoEnd),
}

/// What happens to an operation that stalls.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum OnStall {
    Waits,
    /// It ends and returns false; the elements left become the length of the next operation.
    GivesUp,
    /// It ends as if it were complete.
    Ends,
}

impl Stall {
    /// What a stalled operation does. Only FIFOs allow anything but waiting.
    ///
    /// # Errors
    /// The settings of the FIFO say that this is a fault.
    pub fn outcome(self, fifos: &[FifoState], tile: &TileImage, is_async: bool) -> Result<OnStall, Diag> {
        let (end, state, setting) = match self {
            Stall::Input(_) | Stall::Output(_) => return Ok(OnStall::Waits),
            Stall::FifoEmpty(end) => (end, "empty", "empty_action"),
            Stall::FifoFull(end) => (end, "full", "full_action"),
        };
        let fifo = &fifos[end.fifo];
        let action = if matches!(self, Stall::FifoFull(_)) { fifo.full_action } else { fifo.empty_action };
        match action {
            FifoAction::TestOrSuspend if is_async => Ok(OnStall::Waits),
            FifoAction::TestOrSuspend => Ok(OnStall::GivesUp),
            FifoAction::Terminate => Ok(OnStall::Ends),
            FifoAction::Suspend => Ok(OnStall::Waits),
            FifoAction::Fault => {
                let name = &tile.fifos[end.fifo].name;
                Err(FIFO_FAULT.because(&[("name", name), ("state", &state), ("setting", &setting)]))
            }
        }
    }
}
