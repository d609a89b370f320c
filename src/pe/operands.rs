//! The operands of an operation that are in memory.

use super::operation::{From, Operation, To};
use crate::dsd::access::AddressCursor;
use crate::dsd::local::{Dest, Source};
use std::ops::Range;

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

    /// The numbers of its elements to come.
    pub fn to_come(&self) -> Range<u32> {
        self.done..self.total.unwrap_or(u32::MAX)
    }

    /// Whether this many elements are in bounds for all operands.
    pub fn stays_in_bounds(&self, count: u32) -> bool {
        self.cursors().all(|(_, cursor)| cursor.reaches(count.into()) >= count.into())
    }

    /// The same where nothing but the number of elements decides.
    pub fn is_certainly_in_bounds(&self, count: u32) -> bool {
        self.room.is_none() && self.cleared.is_none() && self.stays_in_bounds(count)
    }
}
