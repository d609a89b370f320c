//! Operations whose operands all lie in memory: they run at once, many elements at a time.
//!
//! Fast path: rows of elements go to a kernel, where the plain way ([`run_one_by_one`]) asks an address cursor for
//! every operand of every element. The official example single-tile-matvec (4 x 4 PEs, tiles of 50) executes 4.9 times
//! the instructions without it. `--engine plain` runs one element after the
//! other; `tests/it/engines.rs` compares whole programs, the properties in `local/tests.rs` single operations.

use super::access::{AddressCursor, Row};
use super::block::{RowBlock, RowSource};
use super::direct::{self, DirectPlan, Input};
use super::kernels::Kernel;
use crate::diagnostics::Diag;

/// Rows of tiles with fewer elements are not worth a call of a kernel for each.
const LONG: usize = 32;

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

/// Runs `kernel` over lines of equal length that have been checked and do not disturb each other:
/// the case that matters most, with the least to do for each operation.
#[inline]
pub fn run_lines(memory: &mut [u16], kernel: &Kernel, dest: (Row, u16), sources: &[RowSource; 3]) {
    if run_directly(memory, kernel, dest, sources).is_some() {
        return;
    }
    (kernel.in_order)(memory, &RowBlock::row(dest.0, sources));
}

/// `None` if the vectors differ in width or distance, or otherwise ask for a copy.
#[inline]
fn run_directly(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: (Row, u16),
    sources: &[RowSource; 3],
) -> Option<()> {
    let input = |source: &RowSource| match source {
        RowSource::Nothing => Some(Input::Nothing),
        // An f32 that is converted does not fit the 16-bit elements of the destination.
        RowSource::Scalar(bits) => (dest.1 > 1 || *bits >> 16 == 0).then_some(Input::Scalar),
        RowSource::Line(row, words) => Input::line(row, *words, &dest),
    };
    let plan = match sources {
        [RowSource::Line(row, words), RowSource::Nothing, RowSource::Nothing] if *words != dest.1 => {
            DirectPlan::converting(&dest, &(*row, *words))?
        }
        _ => DirectPlan::new(&dest, [input(&sources[0])?, input(&sources[1])?])?,
    };
    let scalars = sources.each_ref().map(RowSource::scalar);
    direct::run(memory, kernel, &plan, scalars)
}

/// Runs `kernel` over `count` elements. Elements are done in order, as far as anyone can see.
///
/// # Errors
/// An element lies where it must not; those before it are done.
pub fn run(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &mut Dest,
    sources: &mut [Source; 3],
    count: u32,
) -> Result<(), Diag> {
    let Dest::AddressCursor(cursor) = dest else {
        let mut last = first_of_reduction(dest, sources);
        let folded = fold_rows(memory, kernel, &mut last, sources, count);
        return run_to_scalar(memory, kernel, dest, sources, (last, count - folded));
    };
    if matches!(sources[2], Source::AddressCursor(_)) {
        return run_elements(memory, kernel, cursor, sources, (count, 0));
    }
    run_rows(memory, kernel, cursor, sources, count)
}

/// As [`run`], with an address cursor for every operand of every element: what the fast ways are compared with.
///
/// # Errors
/// An element lies where it must not; those before it are done.
pub fn run_one_by_one(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &mut Dest,
    sources: &mut [Source; 3],
    count: u32,
) -> Result<(), Diag> {
    match dest {
        Dest::AddressCursor(cursor) => run_elements(memory, kernel, cursor, sources, (count, 0)),
        Dest::Scalar { .. } => {
            let first = first_of_reduction(dest, sources);
            run_to_scalar(memory, kernel, dest, sources, (first, count))
        }
    }
}

/// The sources in memory.
fn rows_of(sources: &[Source; 3]) -> impl Iterator<Item = &AddressCursor> {
    sources.iter().filter_map(|source| match source {
        Source::AddressCursor(cursor) => Some(cursor),
        Source::Scalar(_) => None,
    })
}

/// Row by row: elements of a row that disturb each other are done in order.
fn run_rows(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &mut AddressCursor,
    sources: &mut [Source; 3],
    count: u32,
) -> Result<(), Diag> {
    let (mut left, mut carry) = (count as usize, 0);
    while left > 0 {
        let most = rows_of(sources).map(AddressCursor::row_length).fold(dest.row_length(), usize::min);
        let most = most.min(left);
        let Some((row, row_sources)) = rows_ahead(dest, sources, most) else {
            return run_elements(memory, kernel, dest, sources, (left as u32, carry));
        };
        let mut block = block_ahead(dest, sources, (row, row_sources), left / most);
        if kernel.carries {
            block.sources[2] = RowSource::Scalar(carry);
            carry = (kernel.in_order)(memory, &block);
        } else {
            run_block(memory, kernel, dest.words(), &block);
        }
        dest.pass_pieces(&row, (block.rows, block.pitch[0]));
        for ((source, row_source), pitch) in sources.iter_mut().zip(&row_sources).zip(&block.pitch[1..]) {
            if let (Source::AddressCursor(cursor), RowSource::Line(row, _)) = (source, row_source) {
                cursor.pass_pieces(row, (block.rows, *pitch));
            }
        }
        left -= most * block.rows;
    }
    Ok(())
}

/// As many rows as lie at equal distances in all operands.
#[inline]
fn block_ahead(
    dest: &AddressCursor,
    sources: &[Source; 3],
    row: (Row, [RowSource; 3]),
    most: usize,
) -> RowBlock {
    let length = row.0.count;
    let (mut rows, to) = dest.pieces(length, most);
    let mut pitch = [to, 0, 0];
    for (source, pitch) in sources.iter().zip(&mut pitch[1..]) {
        if let Source::AddressCursor(cursor) = source {
            let (its, words) = cursor.pieces(length, most);
            (rows, *pitch) = (rows.min(its), words);
        }
    }
    RowBlock { dest: row.0, sources: row.1, rows, pitch }
}

/// Rows with the loop that is fastest for them.
fn run_block(memory: &mut [u16], kernel: &Kernel, words: u16, block: &RowBlock) {
    if block.rows > 1 && block.dest.count < LONG {
        (kernel.in_order)(memory, block);
        return;
    }
    for row in direct::run_block(memory, kernel, words, block)..block.rows {
        let row = block.rest_of_row(row, 0);
        run_row(memory, kernel, (row.dest, words), &row.sources);
    }
}

/// The next row of each operand; `None` if an element lies where it must not.
#[inline]
fn rows_ahead(dest: &AddressCursor, sources: &[Source; 3], most: usize) -> Option<(Row, [RowSource; 3])> {
    let mut row_sources = [RowSource::Nothing; 3];
    for (row_source, source) in row_sources.iter_mut().zip(sources) {
        *row_source = match source {
            Source::Scalar(bits) => RowSource::Scalar(*bits),
            Source::AddressCursor(cursor) => RowSource::Line(cursor.row(most)?, cursor.words()),
        };
    }
    Some((dest.row(most)?, row_sources))
}

/// One row, with the loop that is fastest for it.
#[inline]
fn run_row(memory: &mut [u16], kernel: &Kernel, dest: (Row, u16), row_sources: &[RowSource; 3]) {
    let (row, words) = dest;
    let disturbs = |row_source: &RowSource| matches!(row_source, RowSource::Line(other, its) if row.disturbs(words, other, *its));
    if row_sources.iter().any(disturbs) {
        (kernel.in_order)(memory, &RowBlock::row(row, row_sources));
    } else {
        run_lines(memory, kernel, dest, row_sources);
    }
}

fn run_elements(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &mut AddressCursor,
    sources: &mut [Source; 3],
    (count, mut carry): (u32, u32),
) -> Result<(), Diag> {
    for _ in 0..count {
        let result = each(memory, kernel, sources, None, carry)?;
        carry = result >> 16;
        let (at, words) = (dest.next_element()?, dest.words());
        write(memory, at, words, result);
    }
    Ok(())
}

/// What a reduction begins with; `None` if the results do not depend on each other.
fn first_of_reduction(dest: &Dest, sources: &[Source; 3]) -> Option<u32> {
    matches!(dest, Dest::Scalar { accumulates: true, .. }).then(|| scalar(&sources[0]))
}

/// Reduces whole rows of the second source; gives the number of their elements. What leaves its limits is left to
/// [`run_to_scalar`].
fn fold_rows(
    memory: &[u16],
    kernel: &Kernel,
    last: &mut Option<u32>,
    sources: &mut [Source; 3],
    count: u32,
) -> u32 {
    let (Some(value), [_, Source::AddressCursor(cursor), _]) = (last, sources) else { return 0 };
    let mut done = 0;
    while done < count
        && let Some(row) = cursor.row((count - done) as usize)
    {
        *value = (kernel.fold)(memory, *value, row);
        cursor.pass(&row);
        done += row.count as u32;
    }
    done
}

/// The last `left` elements of an operation whose destination is a scalar; `last` is the result before them.
fn run_to_scalar(
    memory: &mut [u16],
    kernel: &Kernel,
    dest: &Dest,
    sources: &mut [Source; 3],
    (mut last, left): (Option<u32>, u32),
) -> Result<(), Diag> {
    let Dest::Scalar { at, words, accumulates } = *dest else { unreachable!("vectors go elsewhere") };
    for _ in 0..left {
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

#[cfg(test)]
mod tests;
