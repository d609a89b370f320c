//! The operands of an operation that are in memory.

use super::operation::{ElementDest, ElementSource, Operation};
use crate::dsd::access::AddressCursor;
use crate::dsd::local::{Dest, Source};
use std::ops::Range;

impl Operation {
    /// The memory operands; 0 is the destination.
    pub fn cursors(&self) -> impl Iterator<Item = (usize, &AddressCursor)> {
        let dest = match &self.to {
            ElementDest::Local(Dest::AddressCursor(cursor)) => Some((0, cursor)),
            ElementDest::Local(Dest::Scalar { .. })
            | ElementDest::Fabric(_)
            | ElementDest::Fifo(_)
            | ElementDest::Nowhere => None,
        };
        let sources = self.from.iter().enumerate().filter_map(|(k, from)| match from {
            ElementSource::Local(Source::AddressCursor(cursor)) => Some((k + 1, cursor)),
            ElementSource::Local(Source::Scalar(_)) | ElementSource::Fabric(_) | ElementSource::Fifo(_) => {
                None
            }
        });
        dest.into_iter().chain(sources)
    }

    /// The memory operands, to change; 0 is the destination.
    pub fn cursors_mut(&mut self) -> impl Iterator<Item = (usize, &mut AddressCursor)> {
        let dest = match &mut self.to {
            ElementDest::Local(Dest::AddressCursor(cursor)) => Some((0, cursor)),
            ElementDest::Local(Dest::Scalar { .. })
            | ElementDest::Fabric(_)
            | ElementDest::Fifo(_)
            | ElementDest::Nowhere => None,
        };
        let sources = self.from.iter_mut().enumerate().filter_map(|(k, from)| match from {
            ElementSource::Local(Source::AddressCursor(cursor)) => Some((k + 1, cursor)),
            ElementSource::Local(Source::Scalar(_)) | ElementSource::Fabric(_) | ElementSource::Fifo(_) => {
                None
            }
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
