//! Kernels over rows of memory, as if strictly one element after the other: rows at any distance, in any
//! direction, that lie on top of each other; and reductions.
//!
//! Fast path: one loop for each kernel, where the plain way (`local::run_one_by_one`) asks an address
//! cursor for every operand of every element. Reversed and overlapping vectors and reductions take about
//! a tenth of the time (docs/performance.md); on the official examples it was not measured apart from `dsd::local`.
//! `--engine plain` does without; the properties in
//! `local/tests.rs` hold both equal.

use super::access::Row;
use super::block::RowBlock;
use super::chunks::run_in_chunks;
use super::elements::{CHUNK, Element, RowCursor, for_each_element, joined};
use super::lanes::widest;
use super::strided::{STRIDED, run_strided};

/// Calls `each` for every element, with the third source as a scalar. There is no carry: gives 0.
#[inline(always)]
pub(super) fn run<A: Element, B: Element, C: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    each: impl Fn(A, B, C) -> R,
) -> u32 {
    let c = C::from_lane(block.sources[2].scalar());
    let each = |a: A, b: B| each(a, b, c);
    // Each of the loops is a function of its own, because the compiler keeps more of it in registers then.
    if block.is_dense(R::WORDS) && block.dest.count >= CHUNK {
        widest(
            #[inline(always)]
            || {
                run_in_chunks(
                    memory,
                    block,
                    &each,
                    #[inline(always)]
                    |a, b| std::array::from_fn(|k| each(a[k], b[k])),
                )
            },
        );
    } else if block.dest.count >= STRIDED && block.lies_upward(R::WORDS) {
        widest(
            #[inline(always)]
            || run_strided(memory, block, &each),
        );
    } else {
        widest(
            #[inline(always)]
            || for_each_element(memory, block, each),
        );
    }
    0
}

/// As [`run`], in the only loop that every operation has.
#[inline(always)]
pub(super) fn run_elements<A: Element, B: Element, C: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    each: impl Fn(A, B, C) -> R,
) -> u32 {
    let c = C::from_lane(block.sources[2].scalar());
    for_each_element(memory, block, |a: A, b: B| each(a, b, c));
    0
}

/// The last result of a reduction that begins with `first`: each result is the first source of the next
/// element.
#[inline(always)]
pub(super) fn fold<A: Element, B: Element, C: Element, R: Element>(
    memory: &[u16],
    first: u32,
    row: Row,
    each: impl Fn(A, B, C) -> R,
) -> u32 {
    let mut value = first;
    let mut next = |b: B| value = each(A::from_lane(value), b, C::from_lane(0)).lane();
    widest(
        #[inline(always)]
        || {
            // The compiler knows that these lie in memory, so nothing but the operation takes time. Behind the last
            // of short elements there may be no word.
            let pairs = (row.step == 2).then(|| memory.get(row.at..row.at + 2 * row.count)).flatten();
            match pairs {
                Some(words) => words.as_chunks::<2>().0.iter().for_each(|pair| next(B::load(pair, 0))),
                None => {
                    let mut b = RowCursor::new(&row, 0, 0);
                    (0..row.count).for_each(|_| next(B::load(memory, b.next())));
                }
            }
        },
    );
    value
}

/// The reduction of `@fmaxs`: the largest number does not depend on the order, so that several are compared at
/// once, as integers in the order of the numbers.
pub(super) fn largest(memory: &[u16], first: u32, row: Row) -> u32 {
    /// Its own inverse.
    #[inline(always)]
    fn turned(bits: u32) -> u32 {
        bits ^ ((bits as i32 >> 31) as u32 >> 1)
    }
    // A NaN loses.
    #[inline(always)]
    fn key(bits: u32) -> i32 {
        if bits & 0x7fff_ffff > 0x7f80_0000 { i32::MIN } else { turned(bits) as i32 }
    }
    /// Elements that are compared at once.
    const MANY: usize = 16;
    let mut best = i32::MIN;
    widest(
        #[inline(always)]
        || {
            if row.step == 2 {
                let (pairs, _) = memory[row.at..row.at + 2 * row.count].as_chunks::<2>();
                let (many, rest) = pairs.as_chunks::<MANY>();
                let mut bests = [i32::MIN; MANY];
                for pairs in many {
                    for (best, pair) in bests.iter_mut().zip(pairs) {
                        *best = (*best).max(key(joined(*pair)));
                    }
                }
                best =
                    bests.into_iter().chain(rest.iter().map(|pair| key(joined(*pair)))).fold(best, i32::max);
            } else {
                let mut cursor = RowCursor::new(&row, 0, 0);
                best = (0..row.count).fold(best, |best, _| best.max(key(u32::load(memory, cursor.next()))));
            }
        },
    );
    if best > key(first) { turned(best as u32) } else { first }
}
