//! Kernels over rows whose elements lie one above the other with words between them.
//!
//! Fast path: the loop does not look where each element lies, where `elements` does for each operand. Every third element
//! takes a third of the time (docs/performance.md). `--engine plain` does without; the properties in `local/tests.rs` hold
//! both equal.

use super::access::Row;
use super::block::{RowBlock, RowSource};
use super::elements::{Element, for_each_element};

/// Rows with fewer elements are not worth the preparation.
pub(super) const STRIDED: usize = 12;

/// Calls `each` for rows upward, without looking where each element lies if source and destination lie apart.
#[inline(always)]
pub(super) fn run_strided<A: Element, B: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    each: &impl Fn(A, B) -> R,
) {
    for row in 0..block.rows {
        let row = block.rest_of_row(row, 0);
        // The words behind the last element may lie outside.
        let before = row.dest.count - 1;
        let ran = run_row_apart(memory, &row, before, each).is_some();
        for_each_element(memory, &row.rest_of_row(0, if ran { before } else { 0 }), each);
    }
}

/// The first elements of a row; `None` if source and destination share words, or words between their elements.
#[inline(always)]
fn run_row_apart<A: Element, B: Element, R: Element>(
    memory: &mut [u16],
    row: &RowBlock,
    count: usize,
    each: &impl Fn(A, B) -> R,
) -> Option<()> {
    let range = |row: &Row| row.at..row.at + row.step as usize * count;
    let to = range(&row.dest);
    let step = row.dest.step as usize;
    let is_onto = |a: &Row| A::WORDS == R::WORDS && (a.at, a.step) == (row.dest.at, row.dest.step);
    match &row.sources[..2] {
        [RowSource::Line(a, _), RowSource::Line(b, _)] if is_onto(a) => {
            let [to, from] = memory.get_disjoint_mut([to, range(b)]).ok()?;
            for (to, b) in to.chunks_exact_mut(step).zip(from.chunks_exact(b.step as usize)) {
                each(A::load(to, 0), B::load(b, 0)).store(to, 0);
            }
        }
        [RowSource::Line(a, _), RowSource::Line(b, _)] => {
            let [to, from, other] = memory.get_disjoint_mut([to, range(a), range(b)]).ok()?;
            let sources = from.chunks_exact(a.step as usize).zip(other.chunks_exact(b.step as usize));
            for (to, (a, b)) in to.chunks_exact_mut(step).zip(sources) {
                each(A::load(a, 0), B::load(b, 0)).store(to, 0);
            }
        }
        [RowSource::Line(a, _), b] if is_onto(a) => {
            let b = B::from_lane(b.scalar());
            for to in memory.get_mut(to)?.chunks_exact_mut(step) {
                each(A::load(to, 0), b).store(to, 0);
            }
        }
        [RowSource::Line(a, _), b] => {
            let [to, from] = memory.get_disjoint_mut([to, range(a)]).ok()?;
            let b = B::from_lane(b.scalar());
            for (to, a) in to.chunks_exact_mut(step).zip(from.chunks_exact(a.step as usize)) {
                each(A::load(a, 0), b).store(to, 0);
            }
        }
        _ => return None,
    }
    Some(())
}
