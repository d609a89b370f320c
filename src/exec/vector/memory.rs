//! DSD operations on memory whose plan is known: one call of a kernel.

use super::plan::{PlannedDest, PlannedRows, PlannedSource, VectorPlan};
use crate::dsd::access::Row;
use crate::dsd::block::RowSource;
use crate::dsd::local::{Dest, Source};
use crate::dsd::{direct, local};
use crate::exec::calls::WINDOW;
use crate::image::code::Reg;

/// Runs an operation with a plan; returns the cycles that it takes, or `None` if it touches words of
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
    match &op.dest {
        PlannedDest::Line(row, words) => run_lines(op, (*row, *words), scalars, memory),
        PlannedDest::Sum(to, words, end) => {
            return sum(op, (r, *to), (*words, *end), scalars[0], memory);
        }
        PlannedDest::Rows(rows) => run_rows(op, rows, scalars, memory),
    }
    if let Some(register) = op.result {
        r[usize::from(register)] = 1;
    }
    Some(op.cycles)
}

fn run_lines(op: &VectorPlan, dest: (Row, u16), scalars: [u32; 3], memory: &mut [u16]) {
    if op.direct.as_ref().and_then(|plan| direct::run(memory, op.kernel, plan, scalars)).is_none() {
        let row_sources = std::array::from_fn(|k| match op.sources[k] {
            PlannedSource::Nothing => RowSource::Nothing,
            PlannedSource::Scalar(..) => RowSource::Scalar(scalars[k]),
            PlannedSource::Line(row, words) => RowSource::Line(row, words),
        });
        local::run_lines(memory, op.kernel, dest, &row_sources);
    }
}

fn run_rows(op: &VectorPlan, rows: &PlannedRows, scalars: [u32; 3], memory: &mut [u16]) {
    let mut sources = std::array::from_fn(|k| match rows.sources[k] {
        Some(cursor) => Source::AddressCursor(cursor),
        None => Source::Scalar(scalars[k]),
    });
    let mut dest = Dest::AddressCursor(rows.dest);
    let ran = local::run(memory, op.kernel, &mut dest, &mut sources, op.elements);
    assert!(ran.is_ok(), "a plan has looked where all elements lie");
}

/// Reduces a vector to a scalar. `None` if it is not a global that is allocated.
fn sum(
    op: &VectorPlan,
    (r, to): (&mut [u64; WINDOW], Reg),
    (words, end): (u16, usize),
    first: u32,
    memory: &mut [u16],
) -> Option<u32> {
    let PlannedSource::Line(row, _) = op.sources[1] else { return None };
    let at = usize::from(r[usize::from(to)] as u16);
    if at + usize::from(words) > end.min(memory.len()) {
        return None;
    }
    let value = (op.kernel.fold)(memory, first, row);
    local::write(memory, at, words, value);
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
