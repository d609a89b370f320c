//! The memory operands of an operation that begins, for the race detector.

use super::fifo::{FifoEnd, FifoState};
use super::operation::{ElementDest, ElementSource, Operation};
use crate::dsd::FifoAccess;
use crate::dsd::access::AddressCursor;
use crate::dsd::footprint::Footprint;
use crate::dsd::local::{Dest, Source};

/// A memory operand of an operation that begins.
pub(super) struct OpenOperand {
    pub footprint: Footprint,
    pub is_written: bool,
    /// The FIFO, if it is one: its ends are ordered by the FIFO itself.
    pub fifo: Option<u8>,
}

/// Visits the memory operands of an operation that has done nothing yet. It is written without iterators, because it
/// is part of every start.
#[inline(always)]
pub(super) fn each_operand(operation: &Operation, fifos: &[FifoState], mut visit: impl FnMut(OpenOperand)) {
    match &operation.to {
        ElementDest::Local(Dest::AddressCursor(cursor)) => {
            if let Some(footprint) = vector(cursor, operation) {
                visit(OpenOperand { footprint, is_written: true, fifo: None });
            }
        }
        ElementDest::Local(Dest::Scalar { at, words, .. }) => {
            let footprint = Footprint::words(*at, (*words).into());
            visit(OpenOperand { footprint, is_written: true, fifo: None });
        }
        ElementDest::Fifo(end) => visit(fifo(end, fifos, FifoAccess::Push)),
        ElementDest::Fabric(_) | ElementDest::Nowhere => {}
    }
    for from in operation.sources() {
        match from {
            ElementSource::Local(Source::AddressCursor(cursor)) => {
                if let Some(footprint) = vector(cursor, operation) {
                    visit(OpenOperand { footprint, is_written: false, fifo: None });
                }
            }
            ElementSource::Fifo(end) => visit(fifo(end, fifos, FifoAccess::Pop)),
            ElementSource::Local(Source::Scalar(_)) | ElementSource::Fabric(_) => {}
        }
    }
    if let Some(cursor) = &operation.cleared
        && let Some(footprint) = vector(cursor, operation)
    {
        visit(OpenOperand { footprint, is_written: true, fifo: None });
    }
}

/// The FIFOs of an operation, bit = number.
pub(super) fn fifos_of(operation: &Operation) -> u64 {
    let sources = operation.sources().iter().filter_map(|from| match from {
        ElementSource::Fifo(end) => Some(end.fifo),
        ElementSource::Local(_) | ElementSource::Fabric(_) => None,
    });
    let dest = if let ElementDest::Fifo(end) = &operation.to { Some(end.fifo) } else { None };
    sources.chain(dest).fold(0, |all, fifo| all | 1 << (fifo & 63))
}

/// The words of a vector. An operation on more elements than a vector has goes on behind it, unless `Operation::room` tells
/// that only a control wavelet may follow.
fn vector(cursor: &AddressCursor, operation: &Operation) -> Option<Footprint> {
    let within = operation.room.unwrap_or(u32::MAX);
    Footprint::new(cursor, operation.total.map_or(cursor.elements(), |total| total.min(within)))
}

fn fifo(end: &FifoEnd, fifos: &[FifoState], access: FifoAccess) -> OpenOperand {
    let is_written = access == FifoAccess::Push;
    OpenOperand { footprint: fifos[end.fifo].footprint(), is_written, fifo: Some(end.fifo as u8) }
}
