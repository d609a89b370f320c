//! Why an operation cannot go on, and what follows.

use super::fifo::{FifoEnd, FifoState};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::FIFO_FAULT;
use crate::dsd::FifoAction;
use crate::image::TileImage;

/// Why an element cannot be done now.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Stall {
    Input(usize),
    Output(usize),
    FifoEmpty(FifoEnd),
    FifoFull(FifoEnd),
}

/// What follows when an operation cannot go on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum OnStall {
    Waits,
    /// It returns false and leaves its length.
    GivesUp,
    /// As if it were complete.
    Ends,
}

impl Stall {
    /// What an operation does that has stalled: only FIFOs let it do anything but wait.
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
