//! Operations between FIFOs and memory that complete at once. For them a FIFO is a circular buffer.
//!
//! Fast path: an operation whose FIFOs have data and space for all of its elements takes a fiftieth of the
//! time of stepping element by element (docs/performance.md). No official example moves data between a FIFO and
//! memory. A FIFO that has refused an
//! operation before, an element across its end, or too large a length is left to the steps, and so is
//! everything with `--engine plain`. The property of FIFOs in `tests/it/props/fifos.rs` compares both with a
//! model.

use super::fifo::{FifoEnd, FifoState};
use super::operation::{ElementDest, ElementSource, Operation};
use crate::diagnostics::Diag;
use crate::dsd::FifoAccess;
use crate::dsd::local::{self, Dest, Source};
use crate::exec::memory::Memory;

impl Operation {
    /// Processes all elements, if nothing can stall the operation; otherwise processes none and returns false.
    pub fn run_on_rings(&mut self, memory: &mut Memory, fifos: &mut [FifoState]) -> Result<bool, Diag> {
        let Some(total) = self.total.filter(|total| *total > 0) else { return Ok(false) };
        let Some((mut dest, mut sources)) = self.rings(total, fifos) else { return Ok(false) };
        local::run(memory.words_mut(), &self.op.kernel, &mut dest, &mut sources, total)?;
        match &mut self.to {
            ElementDest::Fifo(end) => fifos[end.fifo].pass(FifoAccess::Push, end.words, total),
            ElementDest::Local(old) => *old = dest,
            ElementDest::Fabric(_) | ElementDest::Nowhere => {}
        }
        for (from, source) in self.from.iter_mut().zip(sources) {
            match from {
                ElementSource::Fifo(end) => fifos[end.fifo].pass(FifoAccess::Pop, end.words, total),
                ElementSource::Local(old) => *old = source,
                ElementSource::Fabric(_) => {}
            }
        }
        self.done = total;
        Ok(true)
    }

    /// Its operands as vectors in memory; `None` if an element may have to wait or is out of bounds.
    fn rings(&self, total: u32, fifos: &[FifoState]) -> Option<(Dest, [Source; 3])> {
        let mut used = 0u64;
        let mut ring = |end: &FifoEnd, access: FifoAccess| {
            // An operation that reads and writes the same FIFO changes its fill level with each element.
            let is_first = used & 1 << end.fifo == 0;
            used |= 1 << end.fifo;
            is_first.then(|| fifos[end.fifo].ring(access, end.words, total)).flatten()
        };
        if self.done > 0 || self.cleared.is_some() || !self.stays_in_bounds(total) {
            return None;
        }
        let dest = match &self.to {
            ElementDest::Local(dest) => *dest,
            ElementDest::Fifo(end) => Dest::AddressCursor(ring(end, FifoAccess::Push)?),
            ElementDest::Fabric(_) | ElementDest::Nowhere => return None,
        };
        let mut sources = [Source::Scalar(0); 3];
        for (source, from) in sources.iter_mut().zip(&self.from) {
            *source = match from {
                ElementSource::Local(source) => *source,
                ElementSource::Fifo(end) => Source::AddressCursor(ring(end, FifoAccess::Pop)?),
                ElementSource::Fabric(_) => return None,
            };
        }
        Some((dest, sources))
    }
}
