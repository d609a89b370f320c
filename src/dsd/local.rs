//! Operations whose operands all lie in memory: they run at once, many elements at a time.

use super::access::{AddressCursor, Row};
use super::direct::{self, DirectPlan, Input};
use super::kernels::Kernel;
use crate::diagnostics::Diag;

/// Elements handled in one piece.
const PIECE: usize = 64;

/// A source in memory, or a scalar.
#[derive(Copy, Clone, Debug)]
pub enum Source {
    /// The same bits for every element.
    Scalar(u32),
    /// A vector.
    AddressCursor(AddressCursor),
}

/// A destination in memory.
#[derive(Copy, Clone, Debug)]
pub enum Dest {
    /// A vector.
    AddressCursor(AddressCursor),
    /// A scalar of this many words: keeps the last result.
    Scalar {
        /// Its address.
        at: usize,
        /// 1 or 2.
        words: u16,
        /// Each result is the first source of the next element (ruling OQ-23).
        accumulates: bool,
    },
}

/// A source of an operation on lines.
#[derive(Copy, Clone, Debug)]
pub enum Feed {
    /// The operation has no such source.
    Nothing,
    /// The same bits for every element.
    Scalar(u32),
    /// Elements at equal distances, and the words of each.
    Line(Row, u16),
}

/// Runs `kernel` over lines of equal length that have been checked and do not disturb each other:
/// the case that matters most, with the least to do for each operation.
pub fn run_lines(memory: &mut [u16], kernel: &Kernel, dest: (Row, u16), sources: &[Feed; 3]) {
    if run_directly(memory, kernel, dest, sources).is_none() {
        run_copies(memory, kernel, dest, sources);
    }
}

/// `None` if the vectors differ in width or distance, or otherwise ask for a copy.
#[inline]
fn run_directly(memory: &mut [u16], kernel: &Kernel, dest: (Row, u16), sources: &[Feed; 3]) -> Option<()> {
    let input = |source: &Feed| match source {
        Feed::Nothing => Some(Input::Nothing),
        // An f32 that is converted does not fit the 16-bit elements of the destination.
        Feed::Scalar(bits) => (dest.1 > 1 || *bits >> 16 == 0).then_some(Input::Scalar),
        Feed::Line(row, words) => Input::line(row, *words, &dest),
    };
    let plan = DirectPlan::new(&dest, [input(&sources[0])?, input(&sources[1])?])?;
    let scalars = sources.each_ref().map(|source| if let Feed::Scalar(bits) = source { *bits } else { 0 });
    direct::run(memory, kernel, &plan, scalars)
}

fn third(sources: &[Feed; 3]) -> u32 {
    if let Feed::Scalar(bits) = sources[2] { bits } else { 0 }
}

/// Copies elements to lanes and back, piece by piece.
fn run_copies(memory: &mut [u16], kernel: &Kernel, dest: (Row, u16), sources: &[Feed; 3]) {
    let mut lanes = [[0; PIECE]; 3];
    let [out, a, b] = &mut lanes;
    for (source, lanes) in sources.iter().zip([&mut *a, &mut *b]) {
        if let Feed::Scalar(bits) = source {
            lanes.fill(*bits);
        }
    }
    let third = third(sources);
    let mut done = 0;
    while done < dest.0.count {
        let piece = (dest.0.count - done).min(PIECE);
        let part = |row: &Row| {
            let at = row.at.wrapping_add_signed(row.step as isize * done as isize);
            Row { at, count: piece, ..*row }
        };
        for (source, lanes) in sources.iter().zip([&mut *a, &mut *b]) {
            if let Feed::Line(row, words) = source {
                load_row(memory, part(row), *words, &mut lanes[..piece]);
            }
        }
        (kernel.many)(&mut out[..piece], &a[..piece], &b[..piece], third);
        store_row(memory, part(&dest.0), dest.1, &out[..piece]);
        done += piece;
    }
}

/// Runs `kernel` over `count` elements. Elements are done in order, as far as anyone can see.
pub fn run(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &mut Dest,
    sources: &mut [Source; 3],
    count: u32,
) -> Result<(), Diag> {
    let Dest::AddressCursor(cursor) = dest else {
        return run_to_scalar(memory, kernel, dest, sources, count);
    };
    let disturbed =
        sources.iter().any(|s| matches!(s, Source::AddressCursor(source) if cursor.disturbs(source, count)));
    let in_pieces = !disturbed && !kernel.carries && matches!(sources[2], Source::Scalar(_));
    if !in_pieces {
        return run_one_by_one(memory, kernel, cursor, sources, count);
    }
    let mut lanes = [[0; PIECE]; 3];
    let [out, a, b] = &mut lanes;
    fill(&sources[0], a);
    fill(&sources[1], b);
    let third = scalar(&sources[2]);
    let mut left = count as usize;
    while left > 0 {
        let piece = left.min(PIECE);
        for (source, lanes) in sources.iter_mut().zip([&mut *a, &mut *b]) {
            if let Source::AddressCursor(cursor) = source {
                gather(memory, cursor, &mut lanes[..piece])?;
            }
        }
        (kernel.many)(&mut out[..piece], &a[..piece], &b[..piece], third);
        scatter(memory, cursor, &out[..piece])?;
        left -= piece;
    }
    Ok(())
}

fn run_one_by_one(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &mut AddressCursor,
    sources: &mut [Source; 3],
    count: u32,
) -> Result<(), Diag> {
    let mut carry = 0;
    for _ in 0..count {
        let result = each(memory, kernel, sources, None, carry)?;
        carry = result >> 16;
        let (at, words) = (dest.next_element()?, dest.words());
        write(memory, at, words, result);
    }
    Ok(())
}

fn run_to_scalar(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &Dest,
    sources: &mut [Source; 3],
    count: u32,
) -> Result<(), Diag> {
    let Dest::Scalar { at, words, accumulates } = *dest else { unreachable!("vectors go elsewhere") };
    let mut last = if accumulates { Some(scalar(&sources[0])) } else { None };
    for _ in 0..count {
        let first = last.filter(|_| accumulates);
        last = Some(each(memory, kernel, sources, first, 0)?);
    }
    if let Some(value) = last {
        write(memory, at, words, value);
    }
    Ok(())
}

/// One element; `first` stands for the first source, `carry` for the third of operations that carry.
#[inline]
fn each(
    memory: &[u16],
    kernel: &Kernel,
    sources: &mut [Source; 3],
    first: Option<u32>,
    carry: u32,
) -> Result<u32, Diag> {
    let [a, b, c] = sources;
    let a = match first {
        Some(value) => value,
        None => next(memory, a)?,
    };
    let b = next(memory, b)?;
    let c = if kernel.carries { carry } else { next(memory, c)? };
    Ok((kernel.each)(a, b, c))
}

/// The next element of a source.
#[inline]
pub fn next(memory: &[u16], source: &mut Source) -> Result<u32, Diag> {
    match source {
        Source::Scalar(bits) => Ok(*bits),
        Source::AddressCursor(cursor) => {
            let (at, words) = (cursor.next_element()?, cursor.words());
            Ok(read(memory, at, words))
        }
    }
}

/// One element from memory; the address has been checked.
#[inline]
pub fn read(memory: &[u16], at: usize, words: u16) -> u32 {
    match words {
        1 => memory[at].into(),
        _ => u32::from(memory[at]) | u32::from(memory[at + 1]) << 16,
    }
}

/// One element into memory; the address has been checked.
#[inline]
pub fn write(memory: &mut [u16], at: usize, words: u16, bits: u32) {
    memory[at] = bits as u16;
    if words > 1 {
        memory[at + 1] = (bits >> 16) as u16;
    }
}

fn scalar(source: &Source) -> u32 {
    match source {
        Source::Scalar(bits) => *bits,
        Source::AddressCursor(_) => unreachable!("the form of the operation wants a scalar here"),
    }
}

/// Fills the lanes of a scalar once and for all.
fn fill(source: &Source, lanes: &mut [u32; PIECE]) {
    if let Source::Scalar(bits) = source
        && *bits != 0
    {
        lanes.fill(*bits);
    }
}

/// The next elements of a vector, as lanes.
pub fn gather(memory: &[u16], cursor: &mut AddressCursor, mut lanes: &mut [u32]) -> Result<(), Diag> {
    while !lanes.is_empty() {
        let row = cursor.next_row(lanes.len())?;
        let (now, later) = lanes.split_at_mut(row.count);
        lanes = later;
        load_row(memory, row, cursor.words(), now);
    }
    Ok(())
}

/// Lanes become the next elements of a vector.
pub fn scatter(memory: &mut [u16], cursor: &mut AddressCursor, mut lanes: &[u32]) -> Result<(), Diag> {
    while !lanes.is_empty() {
        let row = cursor.next_row(lanes.len())?;
        let (now, later) = lanes.split_at(row.count);
        lanes = later;
        store_row(memory, row, cursor.words(), now);
    }
    Ok(())
}

/// Elements from memory, as lanes; the addresses have been checked.
#[inline]
fn load_row(memory: &[u16], row: Row, words: u16, lanes: &mut [u32]) {
    match (words, row.step) {
        (1, 1) => {
            for (lane, word) in lanes.iter_mut().zip(&memory[row.at..row.at + row.count]) {
                *lane = u32::from(*word);
            }
        }
        (2, 2) => {
            let (pairs, _) = memory[row.at..row.at + 2 * row.count].as_chunks::<2>();
            for (lane, pair) in lanes.iter_mut().zip(pairs) {
                *lane = u32::from(pair[0]) | u32::from(pair[1]) << 16;
            }
        }
        _ => {
            for (k, lane) in lanes.iter_mut().enumerate() {
                *lane = read(memory, (row.at as i32 + k as i32 * row.step) as usize, words);
            }
        }
    }
}

/// Lanes into memory; the addresses have been checked.
#[inline]
fn store_row(memory: &mut [u16], row: Row, words: u16, lanes: &[u32]) {
    match (words, row.step) {
        (1, 1) => {
            for (lane, word) in lanes.iter().zip(&mut memory[row.at..row.at + row.count]) {
                *word = *lane as u16;
            }
        }
        (2, 2) => {
            let (pairs, _) = memory[row.at..row.at + 2 * row.count].as_chunks_mut::<2>();
            for (lane, pair) in lanes.iter().zip(pairs) {
                *pair = [*lane as u16, (*lane >> 16) as u16];
            }
        }
        _ => {
            for (k, lane) in lanes.iter().enumerate() {
                write(memory, (row.at as i32 + k as i32 * row.step) as usize, words, *lane);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsd::ops::{OPS, lookup};
    use crate::dsd::{Mem, MemKind};
    use proptest::prelude::*;

    fn line(at: u16, count: u16, step: i16, words: u16) -> AddressCursor {
        let mem = Mem {
            kind: MemKind::Mem1d,
            base: at,
            dims: 1,
            extent: [count, 1, 1, 1],
            step: [step, 0, 0, 0],
            index_offset: false,
            lo: 0,
            hi: 3000,
            wrap: 0,
            origin: 0,
        };
        AddressCursor::new(&mem, at, words, (0, 3000))
    }

    fn kernel(name: &str) -> &'static Kernel {
        &OPS[usize::from(lookup(name).unwrap())].kernel
    }

    const NOTHING: Source = Source::Scalar(0);

    proptest! {
        #[test]
        fn pieces_and_single_elements_give_the_same_memory(
            at in prop::array::uniform3(1300u16..1400),
            step in prop::array::uniform3(-2i16..4),
            count in 1u16..150,
            wide in any::<bool>(),
        ) {
            let words = if wide { 2 } else { 1 };
            let kernel = kernel(if wide { "fsubs" } else { "sub16" });
            let mut memory: Vec<u16> = (0..3000u16).map(|k| k.wrapping_mul(40503)).collect();
            let mut expected = memory.clone();
            let sources = |k: usize| Source::AddressCursor(line(at[k], count, step[k], words));
            let mut all = [sources(1), sources(2), NOTHING];
            let mut dest = line(at[0], count, step[0], words);
            run_one_by_one(&mut expected, kernel, &mut dest, &mut all, count.into()).unwrap();
            let mut all = [sources(1), sources(2), NOTHING];
            let mut dest = Dest::AddressCursor(line(at[0], count, step[0], words));
            run(&mut memory, kernel, &mut dest, &mut all, count.into()).unwrap();
            prop_assert_eq!(memory, expected);
        }
    }

    proptest! {
        #[test]
        fn lines_and_single_elements_give_the_same_memory(
            at in prop::array::uniform3(0u16..3),
            step in prop::array::uniform3(1i16..3),
            count in 1u16..150,
            wide in any::<bool>(),
            scalars in prop::array::uniform2(prop::option::of(any::<u32>())),
        ) {
            let words = if wide { 2 } else { 1 };
            let kernel = kernel(if wide { "fsubs" } else { "sub16" });
            // Vectors are equal, or far apart.
            let starts = at.map(|at| 700 * at + 200);
            let mut memory: Vec<u16> = (0..3000u16).map(|k| k.wrapping_mul(40503)).collect();
            let mut expected = memory.clone();
            let bits = |s: u32| if wide { s } else { s & 0xffff };
            let source = |k: usize| match scalars[k] {
                Some(s) => (Source::Scalar(bits(s)), Feed::Scalar(bits(s))),
                None => {
                    let step = if at[k + 1] == at[0] { step[0] } else { step[k + 1] };
                    let row = Row { at: starts[k + 1].into(), step: i32::from(step * words), count: count.into() };
                    (Source::AddressCursor(line(starts[k + 1], count, step, words as u16)), Feed::Line(row, words as u16))
                }
            };
            let ((a, feed_a), (b, feed_b)) = (source(0), source(1));
            let mut dest = line(starts[0], count, step[0], words as u16);
            run_one_by_one(&mut expected, kernel, &mut dest, &mut [a, b, NOTHING], count.into()).unwrap();
            let row = Row { at: starts[0].into(), step: i32::from(step[0] * words), count: count.into() };
            run_lines(&mut memory, kernel, (row, words as u16), &[feed_a, feed_b, Feed::Nothing]);
            prop_assert_eq!(memory, expected);
        }
    }

    #[test]
    fn a_carry_ripples_from_element_to_element() {
        let mut memory = vec![0; 1024];
        memory[..4].copy_from_slice(&[0xffff, 0xffff, 1, 7]);
        let mut sources = [Source::AddressCursor(line(0, 4, 1, 1)), Source::Scalar(1), NOTHING];
        let mut dest = Dest::AddressCursor(line(10, 4, 1, 1));
        run(&mut memory, kernel("addc16"), &mut dest, &mut sources, 4).unwrap();
        assert_eq!(memory[10..14], [0, 1, 3, 8]);
    }

    #[test]
    fn a_scalar_destination_accumulates_or_keeps_the_last() {
        let mut memory: Vec<u16> = (0..1024).collect();
        let mut sources = [Source::Scalar(5), Source::AddressCursor(line(1, 4, 1, 1)), NOTHING];
        let mut dest = Dest::Scalar { at: 100, words: 1, accumulates: true };
        run(&mut memory, kernel("add16"), &mut dest, &mut sources, 4).unwrap();
        assert_eq!(memory[100], 15);
        let mut sources = [Source::AddressCursor(line(1, 4, 1, 1)), NOTHING, NOTHING];
        let mut dest = Dest::Scalar { at: 101, words: 1, accumulates: false };
        run(&mut memory, kernel("mov16"), &mut dest, &mut sources, 4).unwrap();
        assert_eq!(memory[101], 4);
    }
}
