//! Kernels over rows of memory, strictly one element after the other: rows at any distance, in any
//! direction, that lie on top of each other; carries; and reductions.
//!
//! Fast path: one loop for each kernel, where the plain way (`local::run_one_by_one`) asks an address
//! cursor for every operand of every element. Reversed and overlapping vectors and reductions take about
//! a tenth of the time (docs/performance.md); on the official examples it was not measured apart from `dsd::local`.
//! `--engine plain` does without; the properties in
//! `local/tests.rs` hold both equal.

use super::access::Row;
use super::block::{RowBlock, RowSource};
use super::lanes::{LaneValue, widest};
use zerocopy::transmute;

/// What an element is in memory, or nothing for a source that an operation does not have.
pub(super) trait Element: LaneValue {
    /// The element at an address.
    fn load(memory: &[u16], at: usize) -> Self;
    /// Puts it to an address.
    fn store(self, memory: &mut [u16], at: usize);
}

macro_rules! short_elements {
    ($($t:ty)*) => {$(
        impl Element for $t {
            #[inline(always)]
            fn load(memory: &[u16], at: usize) -> $t {
                memory[at] as $t
            }
            #[inline(always)]
            fn store(self, memory: &mut [u16], at: usize) {
                memory[at] = self as u16;
            }
        }
    )*};
}

macro_rules! long_elements {
    ($($t:ty)*) => {$(
        impl Element for $t {
            #[inline(always)]
            fn load(memory: &[u16], at: usize) -> $t {
                let pair = &memory[at..at + 2];
                <$t>::from_lane(joined([pair[0], pair[1]]))
            }
            #[inline(always)]
            fn store(self, memory: &mut [u16], at: usize) {
                let (pair, bits) = (&mut memory[at..at + 2], self.lane());
                (pair[0], pair[1]) = (bits as u16, (bits >> 16) as u16);
            }
        }
    )*};
}

short_elements!(u16 i16);
long_elements!(u32 f32);

impl Element for () {
    #[inline(always)]
    fn load(_: &[u16], _: usize) {}
    #[inline(always)]
    fn store(self, _: &mut [u16], _: usize) {}
}

/// Where a kernel is in a row.
#[derive(Copy, Clone)]
struct RowCursor {
    at: usize,
    step: isize,
}

impl RowCursor {
    /// Those of a row of a block; the block begins with `first`.
    #[inline(always)]
    fn new(first: &Row, row: usize, pitch: i32) -> RowCursor {
        RowCursor {
            at: first.at.wrapping_add_signed(pitch as isize * row as isize),
            step: first.step as isize,
        }
    }

    #[inline(always)]
    fn next(&mut self) -> usize {
        let at = self.at;
        self.at = at.wrapping_add_signed(self.step);
        at
    }
}

/// Calls `each` for every element, with the third source as a scalar. There is no carry: gives 0.
#[inline(always)]
pub(super) fn run<A: Element, B: Element, C: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    each: impl Fn(A, B, C) -> R,
) -> u32 {
    let c = C::from_lane(block.sources[2].scalar());
    widest(
        #[inline(always)]
        || for_each_element(memory, block, |a: A, b: B| each(a, b, c)),
    );
    0
}

/// As [`run`], with the carry of each element into the next: bit 16 of its sum. Takes and gives a carry.
pub(super) fn add_with_carry(memory: &mut [u16], block: &RowBlock) -> u32 {
    let mut carry = block.sources[2].scalar();
    for_each_element(memory, block, |a: u16, b: u16| {
        let sum = u32::from(a) + u32::from(b) + carry;
        carry = sum >> 16;
        sum as u16
    });
    carry
}

/// Takes the first two sources of each element, and puts what `each` makes of them.
#[inline(always)]
fn for_each_element<A: Element, B: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    mut each: impl FnMut(A, B) -> R,
) {
    for row in 0..block.rows {
        let Row { count, .. } = block.dest;
        let mut to = RowCursor::new(&block.dest, row, block.pitch[0]);
        match &block.sources[..2] {
            [RowSource::Line(a, _), RowSource::Line(b, _)] => {
                let (mut a, mut b) =
                    (RowCursor::new(a, row, block.pitch[1]), RowCursor::new(b, row, block.pitch[2]));
                for _ in 0..count {
                    each(A::load(memory, a.next()), B::load(memory, b.next())).store(memory, to.next());
                }
            }
            [RowSource::Line(a, _), b] => {
                let (mut a, b) = (RowCursor::new(a, row, block.pitch[1]), b.scalar());
                for _ in 0..count {
                    each(A::load(memory, a.next()), B::from_lane(b)).store(memory, to.next());
                }
            }
            [a, RowSource::Line(b, _)] => {
                let (a, mut b) = (a.scalar(), RowCursor::new(b, row, block.pitch[2]));
                for _ in 0..count {
                    each(A::from_lane(a), B::load(memory, b.next())).store(memory, to.next());
                }
            }
            scalars => {
                let (a, b) = (scalars[0].scalar(), scalars[1].scalar());
                for _ in 0..count {
                    each(A::from_lane(a), B::from_lane(b)).store(memory, to.next());
                }
            }
        }
    }
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

/// The two words of an element.
#[inline(always)]
fn joined(pair: [u16; 2]) -> u32 {
    let bits: u32 = transmute!(pair);
    // The word at the lower address is the low one.
    if cfg!(target_endian = "big") { bits.rotate_left(16) } else { bits }
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
