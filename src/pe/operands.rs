//! The operands of an operation that are in memory.

use super::operation::{From, Operation, To};
use crate::dsd::access::AddressCursor;
use crate::dsd::local::{Dest, Source};

/// Elements per piece; a longer run is split into pieces.
const MOST: u64 = 1 << 16;
/// The last elements are processed one by one, together with everything that happens at the end of an
/// operation.
const LAST: u64 = 2;

impl Operation {
    /// The memory operands; 0 is the destination.
    pub fn cursors(&self) -> impl Iterator<Item = (usize, &AddressCursor)> {
        let dest = match &self.to {
            To::Local(Dest::AddressCursor(cursor)) => Some((0, cursor)),
            To::Local(Dest::Scalar { .. }) | To::Fabric(_) | To::Fifo(_) | To::Nowhere => None,
        };
        let sources = self.from.iter().enumerate().filter_map(|(k, from)| match from {
            From::Local(Source::AddressCursor(cursor)) => Some((k + 1, cursor)),
            From::Local(Source::Scalar(_)) | From::Fabric(_) | From::Fifo(_) => None,
        });
        dest.into_iter().chain(sources)
    }

    /// The memory operands, to change; 0 is the destination.
    pub fn cursors_mut(&mut self) -> impl Iterator<Item = (usize, &mut AddressCursor)> {
        let dest = match &mut self.to {
            To::Local(Dest::AddressCursor(cursor)) => Some((0, cursor)),
            To::Local(Dest::Scalar { .. }) | To::Fabric(_) | To::Fifo(_) | To::Nowhere => None,
        };
        let sources = self.from.iter_mut().enumerate().filter_map(|(k, from)| match from {
            From::Local(Source::AddressCursor(cursor)) => Some((k + 1, cursor)),
            From::Local(Source::Scalar(_)) | From::Fabric(_) | From::Fifo(_) => None,
        });
        dest.into_iter().chain(sources)
    }

    /// How many elements can be processed before an operand ends or leaves its memory.
    pub fn steady_elements(&self) -> u64 {
        let left = self.total.map_or(u64::MAX, |total| u64::from(total - self.done));
        let count = left.saturating_sub(LAST).min(MOST);
        self.steady_cursors().map(|cursor| cursor.reaches(count)).min().unwrap_or(count)
    }

    /// Whether this many elements are in bounds for all operands.
    pub fn stays_in_bounds(&self, count: u32) -> bool {
        self.steady_cursors().all(|cursor| cursor.reaches(count.into()) >= count.into())
    }

    fn steady_cursors(&self) -> impl Iterator<Item = &AddressCursor> {
        let dest = if let To::Local(Dest::AddressCursor(cursor)) = &self.to { Some(cursor) } else { None };
        let sources = self.sources().iter().filter_map(|from| match from {
            From::Local(Source::AddressCursor(cursor)) => Some(cursor),
            From::Local(Source::Scalar(_)) | From::Fabric(_) | From::Fifo(_) => None,
        });
        dest.into_iter().chain(sources)
    }
}
