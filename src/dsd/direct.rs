//! Vectors of one width that are contiguous, or every second element of such, and conversions between contiguous
//! ones of two widths: kernels work on the memory itself.
//!
//! Fast path: the loop of a kernel runs over slices of memory, with the widest instructions of the processor, where
//! `local` copies elements into lanes and back. Contiguous vectors come to more than half of the speed of native loops
//! (docs/performance.md, DSD operations in memory). The official example single-tile-matvec (4 x 4 PEs, tiles of 50)
//! executes 1.10 times the instructions without it. `--engine plain` does without; `tests/it/engines.rs` compares whole programs, the properties in
//! `local/tests.rs` single operations.

use super::access::Row;
use super::block::{RowBlock, RowSource};
use super::kernels::{DirectKernel, Kernel};
use super::lanes::Word;
use std::ops::Range;
use zerocopy::{FromBytes, IntoBytes};

/// Elements for which a scalar is spread out.
const SPREAD: usize = 64;

/// One of the first two sources.
#[derive(Clone, Debug)]
pub enum Input {
    /// The operation has no such source.
    Nothing,
    /// The same bits for every element.
    Scalar,
    /// These words of memory.
    Words(Range<usize>),
}

impl Input {
    /// A line whose elements have the width and the distance of those of the destination.
    pub fn line(row: &Row, words: u16, dest: &(Row, u16)) -> Option<Input> {
        (words == dest.1 && row.step == dest.0.step).then(|| range(row).map(Input::Words)).flatten()
    }
}

/// Where the elements of an operation lie whose kernel can work on the memory itself.
#[derive(Clone, Debug)]
pub struct DirectPlan {
    width: Width,
    dest: Range<usize>,
    sources: [Input; 2],
}

#[derive(Copy, Clone, Debug)]
enum Width {
    Short,
    Long,
    ShortApart,
    LongApart,
    /// From one source of the other width.
    Widening,
    Narrowing,
}

impl DirectPlan {
    /// `None` if the elements do not lie one behind the other, or every second one does.
    pub fn new(dest: &(Row, u16), sources: [Input; 2]) -> Option<DirectPlan> {
        let width = match (dest.1, dest.0.step) {
            (1, 1) => Width::Short,
            (2, 2) => Width::Long,
            (1, 2) => Width::ShortApart,
            (2, 4) => Width::LongApart,
            _ => return None,
        };
        Some(DirectPlan { width, dest: range(&dest.0)?, sources })
    }

    /// Elements of so many words that lie one behind the other, as those of the sources do.
    #[inline(always)]
    pub fn contiguous(words: u16, dest: Range<usize>, sources: [Input; 2]) -> Option<DirectPlan> {
        let width = match words {
            1 => Width::Short,
            2 => Width::Long,
            _ => return None,
        };
        Some(DirectPlan { width, dest, sources })
    }

    /// A conversion from a line whose elements have another width than those of the destination; both must be
    /// contiguous.
    pub fn converting(dest: &(Row, u16), source: &(Row, u16)) -> Option<DirectPlan> {
        let steps = (dest.0.step, source.0.step);
        let width = match (dest.1, source.1) {
            (2, 1) if steps == (2, 1) => Width::Widening,
            (1, 2) if steps == (1, 2) => Width::Narrowing,
            _ => return None,
        };
        let sources = [Input::Words(range(&source.0)?), Input::Nothing];
        Some(DirectPlan { width, dest: range(&dest.0)?, sources })
    }
}

/// The words of a line, with what lies behind each element.
fn range(row: &Row) -> Option<Range<usize>> {
    Some(row.at..row.at + row.count * usize::try_from(row.step).ok()?)
}

/// Runs the kernel; a scalar that is no source is 0. `None` if the vectors overlap in a way, or lie at
/// addresses, that ask for a copy.
#[inline]
pub fn run(memory: &mut [u16], kernel: &Kernel, plan: &DirectPlan, scalars: [u32; 3]) -> Option<()> {
    let directs = kernel.direct.as_ref()?;
    match plan.width {
        Width::Short => run_elements(memory, &directs.short, plan, scalars),
        Width::Long => run_elements(memory, &directs.long, plan, scalars),
        Width::ShortApart => run_elements(memory, &directs.short_apart, plan, scalars),
        Width::LongApart => run_elements(memory, &directs.long_apart, plan, scalars),
        Width::Widening => convert(memory, directs.widening, plan),
        Width::Narrowing => convert(memory, directs.narrowing, plan),
    }
}

fn convert<W: Word, A: Word>(
    memory: &mut [u16],
    kernel: fn(&mut [W], &[A]),
    plan: &DirectPlan,
) -> Option<()> {
    let Input::Words(a) = &plan.sources[0] else { return None };
    let [dest, a] = memory.get_disjoint_mut([plan.dest.clone(), a.clone()]).ok()?;
    kernel(elements(dest)?, elements(a)?);
    Some(())
}

fn run_elements<W: Word>(
    memory: &mut [u16],
    kernel: &DirectKernel<W>,
    plan: &DirectPlan,
    scalars: [u32; 3],
) -> Option<()> {
    let spread = |source: usize| [W::of(scalars[source]); SPREAD];
    let (dest, third) = (plan.dest.clone(), scalars[2]);
    match &plan.sources {
        [Input::Words(a), Input::Words(b)] if *a == dest => {
            let [dest, b] = memory.get_disjoint_mut([dest, b.clone()]).ok()?;
            (kernel.onto)(elements(dest)?, elements(b)?, third);
        }
        [Input::Words(a), _] if *a == dest => {
            let b = spread(1);
            for dest in elements(memory.get_mut(dest)?)?.chunks_mut(SPREAD) {
                (kernel.onto)(dest, &b[..dest.len()], third);
            }
        }
        [Input::Words(a), Input::Words(b)] if a != b => {
            let [dest, a, b] = memory.get_disjoint_mut([dest, a.clone(), b.clone()]).ok()?;
            (kernel.apart)(elements(dest)?, elements(a)?, elements(b)?, third);
        }
        [Input::Words(a), Input::Words(_) | Input::Nothing] => {
            let [dest, a] = memory.get_disjoint_mut([dest, a.clone()]).ok()?;
            let a = elements(a)?;
            (kernel.apart)(elements(dest)?, a, a, third);
        }
        [Input::Words(a), Input::Scalar] => {
            let [dest, a] = memory.get_disjoint_mut([dest, a.clone()]).ok()?;
            let b = spread(1);
            for (dest, a) in elements(dest)?.chunks_mut(SPREAD).zip(elements(a)?.chunks(SPREAD)) {
                (kernel.apart)(dest, a, &b[..dest.len()], third);
            }
        }
        [Input::Scalar | Input::Nothing, Input::Words(b)] => {
            let [dest, b] = memory.get_disjoint_mut([dest, b.clone()]).ok()?;
            let a = spread(0);
            for (dest, b) in elements(dest)?.chunks_mut(SPREAD).zip(elements(b)?.chunks(SPREAD)) {
                (kernel.apart)(dest, &a[..dest.len()], b, third);
            }
        }
        [Input::Scalar | Input::Nothing, Input::Scalar | Input::Nothing] => {
            let (a, b) = (spread(0), spread(1));
            for dest in elements(memory.get_mut(dest)?)?.chunks_mut(SPREAD) {
                (kernel.apart)(dest, &a[..dest.len()], &b[..dest.len()], third);
            }
        }
    }
    Some(())
}

/// Runs the kernel on one row after the other, as long as they lie one element behind the other and apart
/// from each other; gives the number of these rows.
//
// Tiles of matrices have many short rows: what holds for all of them is looked at once.
pub fn run_block(memory: &mut [u16], kernel: &Kernel, words: u16, block: &RowBlock) -> usize {
    let Some(directs) = &kernel.direct else { return 0 };
    match (words, block.dest.step) {
        (1, 1) => run_rows(memory, &directs.short, words, block),
        (2, 2) => run_rows(memory, &directs.long, words, block),
        _ => 0,
    }
}

fn run_rows<W: Word>(memory: &mut [u16], kernel: &DirectKernel<W>, words: u16, block: &RowBlock) -> usize {
    let RowSource::Line(a, width) = block.sources[0] else { return 0 };
    let (length, third) = (block.dest.count * usize::from(words), block.sources[2].scalar());
    let range = |first: usize, pitch: i32, row: usize| {
        let at = first.wrapping_add_signed(pitch as isize * row as isize);
        at..at + length
    };
    let fits = |row: &Row, width: u16| width == words && row.step == block.dest.step;
    let is_onto = a.at == block.dest.at && block.pitch[0] == block.pitch[1];
    if !fits(&a, width) {
        return 0;
    }
    let bits = block.sources[1].scalar();
    let spread = [W::of(bits); SPREAD];
    let scalars = spread.get(..block.dest.count).filter(|_| words > 1 || bits >> 16 == 0);
    let mut done = 0;
    while done < block.rows {
        let dest = range(block.dest.at, block.pitch[0], done);
        let from = range(a.at, block.pitch[1], done);
        let ran = match (&block.sources[1], scalars) {
            (RowSource::Line(b, width), _) if !fits(b, *width) => None,
            (RowSource::Line(b, _), _) if is_onto => {
                onto(memory, kernel, dest, range(b.at, block.pitch[2], done), third)
            }
            (RowSource::Line(b, _), _) => {
                apart(memory, kernel, [dest, from, range(b.at, block.pitch[2], done)], third)
            }
            (RowSource::Nothing | RowSource::Scalar(_), Some(scalars)) => {
                with_scalar(memory, kernel, (dest, from), scalars, third)
            }
            (RowSource::Nothing | RowSource::Scalar(_), None) => None,
        };
        if ran.is_none() {
            break;
        }
        done += 1;
    }
    done
}

#[inline]
fn onto<W: Word>(
    memory: &mut [u16],
    kernel: &DirectKernel<W>,
    dest: Range<usize>,
    b: Range<usize>,
    third: u32,
) -> Option<()> {
    let [dest, b] = memory.get_disjoint_mut([dest, b]).ok()?;
    (kernel.onto)(elements(dest)?, elements(b)?, third);
    Some(())
}

#[inline]
fn apart<W: Word>(
    memory: &mut [u16],
    kernel: &DirectKernel<W>,
    all: [Range<usize>; 3],
    third: u32,
) -> Option<()> {
    let [dest, a, b] = memory.get_disjoint_mut(all).ok()?;
    (kernel.apart)(elements(dest)?, elements(a)?, elements(b)?, third);
    Some(())
}

#[inline]
fn with_scalar<W: Word>(
    memory: &mut [u16],
    kernel: &DirectKernel<W>,
    (dest, a): (Range<usize>, Range<usize>),
    scalars: &[W],
    third: u32,
) -> Option<()> {
    if dest == a {
        (kernel.onto)(elements(memory.get_mut(dest)?)?, scalars, third);
        return Some(());
    }
    let [dest, a] = memory.get_disjoint_mut([dest, a]).ok()?;
    (kernel.apart)(elements(dest)?, elements(a)?, scalars, third);
    Some(())
}

fn elements<W: Word>(words: &mut [u16]) -> Option<&mut [W]> {
    <[W]>::mut_from_bytes(words.as_mut_bytes()).ok()
}
