//! DSD operations on memory whose plan is known: one call of a kernel.

use super::plan::{PlannedSource, VectorPlan};
use crate::dsd::block::RowSource;
use crate::dsd::{direct, local};
use crate::exec::calls::WINDOW;

/// Runs an operation with a plan; returns the cycles that its elements take, or `None` if it touches words of
/// memory that are not allocated yet.
#[inline(never)]
pub(crate) fn run_known(op: &VectorPlan, r: &mut [u64; WINDOW], memory: &mut [u16]) -> Option<u32> {
    if op.end > memory.len() {
        return None;
    }
    let lane = |reg, words| scalar_lane(r[usize::from(reg)], words);
    let scalars = op.sources.each_ref().map(|source| match *source {
        PlannedSource::Scalar(reg, words) => lane(reg, words),
        PlannedSource::Nothing | PlannedSource::Line(..) => 0,
    });
    if op.direct.as_ref().and_then(|plan| direct::run(memory, op.kernel, plan, scalars)).is_none() {
        let row_sources = op.sources.map(|source| match source {
            PlannedSource::Nothing => RowSource::Nothing,
            PlannedSource::Scalar(reg, words) => RowSource::Scalar(lane(reg, words)),
            PlannedSource::Line(row, words) => RowSource::Line(row, words),
        });
        local::run_lines(memory, op.kernel, op.dest, &row_sources);
    }
    if let Some(register) = op.result {
        r[usize::from(register)] = 1;
    }
    Some(op.cycles)
}

/// A scalar source as a lane. A register holds a narrow signed integer sign-extended, so the upper bits are
/// cut off.
pub(crate) fn scalar_lane(register: u64, words: u16) -> u32 {
    if words == 1 { register as u32 & 0xffff } else { register as u32 }
}
