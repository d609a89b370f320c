//! Kernels over rows whose elements lie side by side, up or down, eight elements at once: tiles, reversed vectors, and
//! results that lie eight elements or more behind a source.
//!
//! Fast path: it loads all elements of a chunk before it stores one, so that the rows may share memory as long as no chunk
//! reads what it writes itself. Rows of 16 take two thirds of the time of a kernel for each row, and what lies behind its
//! source a quarter of that of single elements (docs/performance.md). `--engine plain` does without; the properties in
//! `local/tests.rs` hold both equal.

use super::access::Row;
use super::block::{RowBlock, RowSource};
use super::elements::{CHUNK, Element, for_each_element};

/// Calls `many` for chunks of elements, where that gives what `each` gives for one after the other, and `each` for all
/// others.
#[inline(always)]
pub(super) fn run_in_chunks<A: Element, B: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    each: &impl Fn(A, B) -> R,
    many: impl Fn([A; CHUNK], [B; CHUNK]) -> [R; CHUNK],
) {
    if block.dest.count < CHUNK {
        return for_each_element(memory, block, each);
    }
    let chunks = (Chunks::along(&block.dest), Chunks::of(&block.sources[0]), Chunks::of(&block.sources[1]));
    // The compiler makes better loops where it knows how the elements of each operand lie.
    match (&chunks.0.way, &chunks.1.way, &chunks.2.way) {
        (Way::Up, Way::Up, Way::Up) => {
            run_rows_in_chunks(
                memory,
                block,
                chunks,
                each,
                many,
                (Chunks::store_up, Chunks::load_up, Chunks::load_up),
            );
        }
        _ => {
            run_rows_in_chunks(memory, block, chunks, each, many, (Chunks::store, Chunks::load, Chunks::load))
        }
    }
}

/// The same with what loads and stores chunks.
#[inline(always)]
fn run_rows_in_chunks<A: Element, B: Element, R: Element>(
    memory: &mut [u16],
    block: &RowBlock,
    (mut to, mut a, mut b): (Chunks<R>, Chunks<A>, Chunks<B>),
    each: &impl Fn(A, B) -> R,
    many: impl Fn([A; CHUNK], [B; CHUNK]) -> [R; CHUNK],
    (store, load_a, load_b): (
        impl Fn(&Chunks<R>, &mut [u16], usize, [R; CHUNK]),
        impl Fn(&Chunks<A>, &[u16], usize) -> [A; CHUNK],
        impl Fn(&Chunks<B>, &[u16], usize) -> [B; CHUNK],
    ),
) {
    let are_alike = block.allows_pieces_alike(R::WORDS, CHUNK);
    for row in 0..block.rows {
        let mut done = 0;
        if are_alike || block.rest_of_row(row, 0).allows_pieces(R::WORDS, CHUNK) {
            while done + CHUNK <= block.dest.count {
                let results = many(load_a(&a, memory, done), load_b(&b, memory, done));
                store(&to, memory, done, results);
                done += CHUNK;
            }
        }
        if done < block.dest.count {
            for_each_element(memory, &block.rest_of_row(row, done), each);
        }
        (to.at, a.at, b.at) = (
            to.at.wrapping_add_signed(block.pitch[0] as isize),
            a.at.wrapping_add_signed(block.pitch[1] as isize),
            b.at.wrapping_add_signed(block.pitch[2] as isize),
        );
    }
}

/// The elements of an operand that lie side by side, or the same for all.
struct Chunks<T> {
    way: Way<T>,
    /// The first element.
    at: usize,
}

enum Way<T> {
    Same([T; CHUNK]),
    Up,
    Down,
}

impl<T: Element> Chunks<T> {
    #[inline(always)]
    fn of(source: &RowSource) -> Chunks<T> {
        match source {
            RowSource::Line(row, _) => Chunks::along(row),
            scalar => Chunks { way: Way::Same([T::from_lane(scalar.scalar()); CHUNK]), at: 0 },
        }
    }

    #[inline(always)]
    fn along(row: &Row) -> Chunks<T> {
        Chunks { way: if row.step < 0 { Way::Down } else { Way::Up }, at: row.at }
    }

    #[inline(always)]
    fn load_up(&self, memory: &[u16], done: usize) -> [T; CHUNK] {
        T::load_chunk(memory, self.at + usize::from(T::WORDS) * done)
    }

    #[inline(always)]
    fn store_up(&self, memory: &mut [u16], done: usize, chunk: [T; CHUNK]) {
        T::store_chunk(chunk, memory, self.at + usize::from(T::WORDS) * done);
    }

    /// The next chunk after `done` elements.
    #[inline(always)]
    fn load(&self, memory: &[u16], done: usize) -> [T; CHUNK] {
        let words = usize::from(T::WORDS);
        match self.way {
            Way::Same(chunk) => chunk,
            Way::Up => self.load_up(memory, done),
            Way::Down => turned(T::load_chunk(memory, self.at - words * (done + CHUNK - 1))),
        }
    }

    #[inline(always)]
    fn store(&self, memory: &mut [u16], done: usize, chunk: [T; CHUNK]) {
        let words = usize::from(T::WORDS);
        match self.way {
            Way::Same(_) => {}
            Way::Up => self.store_up(memory, done, chunk),
            Way::Down => T::store_chunk(turned(chunk), memory, self.at - words * (done + CHUNK - 1)),
        }
    }
}

/// The last element first.
#[inline(always)]
fn turned<T: Copy>(chunk: [T; CHUNK]) -> [T; CHUNK] {
    std::array::from_fn(|k| chunk[CHUNK - 1 - k])
}
