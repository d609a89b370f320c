//! Elements in memory, and kernels over rows of them, strictly one element after the other: rows at any distance, in
//! any direction, that lie on top of each other.

use super::access::Row;
use super::block::{RowBlock, RowSource};
use super::lanes::LaneValue;
use zerocopy::transmute;

/// Elements that are done at once where none of them reads what another one writes.
pub(super) const CHUNK: usize = 8;

/// What an element is in memory, or nothing for a source that an operation does not have.
pub(super) trait Element: LaneValue {
    /// Words of an element.
    const WORDS: u16;
    /// The element at an address.
    fn load(memory: &[u16], at: usize) -> Self;
    /// Puts it to an address.
    fn store(self, memory: &mut [u16], at: usize);
    /// Elements side by side, the first of which lies at an address.
    fn load_chunk(memory: &[u16], at: usize) -> [Self; CHUNK];
    /// Puts them side by side.
    fn store_chunk(chunk: [Self; CHUNK], memory: &mut [u16], at: usize);
}

macro_rules! short_elements {
    ($($t:ty: |$words:ident| $chunk:expr, |$elements:ident| $bits:expr;)*) => {$(
        impl Element for $t {
            const WORDS: u16 = 1;
            #[inline(always)]
            fn load(memory: &[u16], at: usize) -> $t {
                memory[at] as $t
            }
            #[inline(always)]
            fn store(self, memory: &mut [u16], at: usize) {
                memory[at] = self as u16;
            }
            #[inline(always)]
            fn load_chunk(memory: &[u16], at: usize) -> [$t; CHUNK] {
                let $words = *words_at::<CHUNK>(memory, at);
                $chunk
            }
            #[inline(always)]
            fn store_chunk($elements: [$t; CHUNK], memory: &mut [u16], at: usize) {
                let words: [u16; CHUNK] = $bits;
                memory[at..at + CHUNK].copy_from_slice(&words);
            }
        }
    )*};
}

macro_rules! long_elements {
    ($($t:ty: |$numbers:ident| $chunk:expr, |$elements:ident| $bits:expr;)*) => {$(
        impl Element for $t {
            const WORDS: u16 = 2;
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
            #[inline(always)]
            fn load_chunk(memory: &[u16], at: usize) -> [$t; CHUNK] {
                let pairs: [u32; CHUNK] = transmute!(*words_at::<{ 2 * CHUNK }>(memory, at));
                let $numbers = pairs.map(in_order_of_words);
                $chunk
            }
            #[inline(always)]
            fn store_chunk($elements: [$t; CHUNK], memory: &mut [u16], at: usize) {
                let bits: [u32; CHUNK] = $bits;
                let words: [u16; 2 * CHUNK] = transmute!(bits.map(in_order_of_words));
                memory[at..at + 2 * CHUNK].copy_from_slice(&words);
            }
        }
    )*};
}

short_elements! {
    u16: |words| words, |elements| elements;
    i16: |words| transmute!(words), |elements| transmute!(elements);
}
long_elements! {
    u32: |numbers| numbers, |elements| elements;
    f32: |numbers| transmute!(numbers), |elements| transmute!(elements);
}

impl Element for () {
    const WORDS: u16 = 0;
    #[inline(always)]
    fn load(_: &[u16], _: usize) {}
    #[inline(always)]
    fn store(self, _: &mut [u16], _: usize) {}
    #[inline(always)]
    fn load_chunk(_: &[u16], _: usize) -> [(); CHUNK] {
        [(); CHUNK]
    }
    #[inline(always)]
    fn store_chunk(_: [(); CHUNK], _: &mut [u16], _: usize) {}
}

/// Where a kernel is in a row.
#[derive(Copy, Clone)]
pub(super) struct RowCursor {
    at: usize,
    step: isize,
}

impl RowCursor {
    /// Those of a row of a block; the block begins with `first`.
    #[inline(always)]
    pub fn new(first: &Row, row: usize, pitch: i32) -> RowCursor {
        RowCursor {
            at: first.at.wrapping_add_signed(pitch as isize * row as isize),
            step: first.step as isize,
        }
    }

    #[inline(always)]
    pub fn next(&mut self) -> usize {
        let at = self.at;
        self.at = at.wrapping_add_signed(self.step);
        at
    }
}

/// Takes the first two sources of each element, one after the other, and puts what `each` makes of them.
#[inline(always)]
pub(super) fn for_each_element<A: Element, B: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    mut each: impl FnMut(A, B) -> R,
) {
    let (count, [to_pitch, a_pitch, b_pitch]) = (block.dest.count, block.pitch);
    let to = |row| RowCursor::new(&block.dest, row, to_pitch);
    // The rows are the inner loops: those of tiles may be short.
    match &block.sources[..2] {
        [RowSource::Line(a, _), RowSource::Line(b, _)] => {
            for row in 0..block.rows {
                let (mut to, mut a, mut b) =
                    (to(row), RowCursor::new(a, row, a_pitch), RowCursor::new(b, row, b_pitch));
                for _ in 0..count {
                    each(A::load(memory, a.next()), B::load(memory, b.next())).store(memory, to.next());
                }
            }
        }
        [RowSource::Line(a, _), b] => {
            let b = b.scalar();
            for row in 0..block.rows {
                let (mut to, mut a) = (to(row), RowCursor::new(a, row, a_pitch));
                for _ in 0..count {
                    each(A::load(memory, a.next()), B::from_lane(b)).store(memory, to.next());
                }
            }
        }
        [a, RowSource::Line(b, _)] => {
            let a = a.scalar();
            for row in 0..block.rows {
                let (mut to, mut b) = (to(row), RowCursor::new(b, row, b_pitch));
                for _ in 0..count {
                    each(A::from_lane(a), B::load(memory, b.next())).store(memory, to.next());
                }
            }
        }
        scalars => {
            let (a, b) = (scalars[0].scalar(), scalars[1].scalar());
            for row in 0..block.rows {
                let mut to = to(row);
                for _ in 0..count {
                    each(A::from_lane(a), B::from_lane(b)).store(memory, to.next());
                }
            }
        }
    }
}

/// The two words of an element.
#[inline(always)]
pub(super) fn joined(pair: [u16; 2]) -> u32 {
    in_order_of_words(transmute!(pair))
}

/// Of two words in memory, or for two: the one at the lower address is the low one.
#[inline(always)]
fn in_order_of_words(bits: u32) -> u32 {
    if cfg!(target_endian = "big") { bits.rotate_left(16) } else { bits }
}

/// Words from an address on.
#[inline(always)]
pub(super) fn words_at<const N: usize>(memory: &[u16], at: usize) -> &[u16; N] {
    memory[at..].first_chunk().expect("a row lies in memory")
}
