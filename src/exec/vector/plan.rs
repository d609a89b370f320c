//! The plan of a DSD operation whose operands are known before it runs. Most operations work on whole vectors
//! in memory whose descriptors never change, so a PE need not read the descriptors each time.
//!
//! Loops over constant vectors gain: the sum of one element takes 20 ns instead of 141 (docs/performance.md). The
//! official examples change their DSDs from call to call and do not: 25-pt-stencil, 10 x 10, runs 12,200 plans, six
//! examples execute 0.998 to 1.000 of the instructions without any. `--engine plain` runs without them, and so does a
//! recorded run; `tests/it/engines.rs` compares whole programs, `tests/it/props/operations.rs` single
//! operations.

use crate::arch::Arch;
use crate::dsd::access::{AddressCursor, Row};
use crate::dsd::banks::{Banked, element_cycles};
use crate::dsd::direct::{DirectPlan, Input};
use crate::dsd::kernels::Kernel;
use crate::dsd::ops::OPS;
use crate::dsd::overlap::{MOST_AT_ONCE, lag};
use crate::dsd::{Dsd, Mem, MemKind};
use crate::exec::cycles::{LAUNCH, start_cycles};
use crate::image::TileImage;
use crate::image::code::{DsdOperand, DsdRef, Reg, VectorOp};

/// A DSD operation between vectors in memory that stay inside their arrays and do not conflict with each other.
#[derive(Clone)]
pub(crate) struct VectorPlan {
    /// The kernel that computes the results.
    pub kernel: &'static Kernel,
    /// The destination.
    pub dest: PlannedDest,
    /// The sources of the kernel.
    pub sources: [PlannedSource; 3],
    /// The slices of memory, if the kernel can work on the memory directly.
    pub direct: Option<DirectPlan>,
    /// One past the last word that the operation touches.
    pub end: usize,
    /// Cycles that it takes.
    pub cycles: u32,
    /// Elements of its operands.
    pub elements: u32,
    /// The register of the returned bool.
    pub result: Option<Reg>,
}

/// The destination of a [`VectorPlan`].
#[derive(Clone, Debug)]
pub(crate) enum PlannedDest {
    /// A vector, and the words per element.
    Line(Row, u16),
    /// The global behind the pointer in a register, of this many words, to which the second source is reduced. It
    /// must end before the last address: the PE deals with what lies in the frame of a call.
    Sum(Reg, u16, usize),
    /// A vector that is no line, or that a line may change which is read later.
    Rows(Box<PlannedRows>),
}

/// The vectors of an operation at their first elements.
#[derive(Clone, Debug)]
pub(crate) struct PlannedRows {
    pub dest: AddressCursor,
    /// Those of the sources of the kernel that are vectors.
    pub sources: [Option<AddressCursor>; 3],
}

/// A source of a [`VectorPlan`].
#[derive(Copy, Clone, Debug)]
pub(crate) enum PlannedSource {
    /// The operation has no such source.
    Nothing,
    /// The scalar in a register, of this many words.
    Scalar(Reg, u16),
    /// A vector, and the words per element.
    Line(Row, u16),
}

/// The plan of an operation; `None` if not all of its operands are known.
pub(crate) fn plan(tile: &TileImage, vector: &VectorOp, arch: &Arch) -> Option<VectorPlan> {
    match vector.dest {
        DsdOperand::Pointer(reg) => sum(tile, vector, reg, arch),
        _ => lines(tile, vector, arch).or_else(|| rows(tile, vector, arch)),
    }
}

/// The plan of an operation on lines.
fn lines(tile: &TileImage, vector: &VectorOp, arch: &Arch) -> Option<VectorPlan> {
    let op = &OPS[usize::from(vector.op)];
    let form = vector.form();
    let dest = known_memory(tile, vector.dest)?;
    let count = dest.length();
    let row = |mem: &Mem, words: u16| {
        let fits = mem.length() == count && !mem.index_offset;
        fits.then(|| Row::new(mem, mem.base, words, count, limits(mem, arch))).flatten()
    };
    let words = op.dest.words();
    let to = row(dest, words)?;
    let mut end = to.span(words).1;
    let mut sources = [PlannedSource::Nothing; 3];
    for ((part, operand), source) in sources.iter_mut().zip(&vector.sources).zip(form.sources) {
        let its = source.elem().words();
        *part = match *operand {
            DsdOperand::Scalar(reg) => PlannedSource::Scalar(reg, its),
            DsdOperand::Dsd(_) => {
                let from = row(known_memory(tile, *operand)?, its)?;
                end = end.max(from.span(its).1);
                (!to.disturbs_pieces(words, &from, its, MOST_AT_ONCE))
                    .then_some(PlannedSource::Line(from, its))?
            }
            DsdOperand::Pointer(_) | DsdOperand::Nowhere => return None,
        };
    }
    // The kernels on lines compute elements independently of each other and read at most two vectors.
    if op.kernel.carries || matches!(sources[2], PlannedSource::Line(..)) {
        return None;
    }
    if form.flipped {
        sources.swap(0, 1);
    }
    let banked = sources.each_ref().map(|source| match source {
        PlannedSource::Line(row, words) => Some(banked_at(row, *words)),
        PlannedSource::Nothing | PlannedSource::Scalar(..) => None,
    });
    let cycles = cycles(vector, arch, count, Some(banked_at(&to, words)), banked);
    let (kernel, end, result) = (&op.kernel, end as usize, vector.result);
    let direct = direct_plan(&(to, words), &sources);
    let dest = PlannedDest::Line(to, words);
    Some(VectorPlan { kernel, dest, sources, direct, end, cycles, elements: count, result })
}

/// The plan of an operation on vectors of any dimensions. An element may be read after it has been written, but not so
/// soon that a machine could read it too early, because the PE has something to say about that.
fn rows(tile: &TileImage, vector: &VectorOp, arch: &Arch) -> Option<VectorPlan> {
    let op = &OPS[usize::from(vector.op)];
    let form = vector.form();
    let dest = known_memory(tile, vector.dest)?;
    let count = dest.length();
    let cursor = |mem: &Mem, words: u16| {
        let fits = mem.length() == count && !mem.index_offset && mem.kind != MemKind::Circbuf && count > 0;
        let cursor = AddressCursor::new(mem, mem.base, words, limits(mem, arch));
        (fits && cursor.is_whole_in_bounds()).then_some(cursor)
    };
    let to = cursor(dest, op.dest.words())?;
    let mut end = to.whole_span().1;
    let (mut sources, mut cursors, mut banked) = ([PlannedSource::Nothing; 3], [None; 3], [None; 3]);
    for (k, (operand, source)) in vector.sources.iter().zip(form.sources).enumerate() {
        // The kernel takes them in this order.
        let place = if form.flipped && k < 2 { 1 - k } else { k };
        let words = source.elem().words();
        match *operand {
            DsdOperand::Scalar(reg) => sources[place] = PlannedSource::Scalar(reg, words),
            DsdOperand::Dsd(_) => {
                let mem = known_memory(tile, *operand)?;
                let from = cursor(mem, words)?;
                if lag(&to, &from, count).is_some_and(|lag| lag < MOST_AT_ONCE as u32) {
                    return None;
                }
                end = end.max(from.whole_span().1);
                (cursors[place], banked[place]) = (Some(from), Some(Banked::new(mem, mem.base)));
            }
            DsdOperand::Pointer(_) | DsdOperand::Nowhere => return None,
        }
    }
    Some(VectorPlan {
        kernel: &op.kernel,
        dest: PlannedDest::Rows(Box::new(PlannedRows { dest: to, sources: cursors })),
        sources,
        direct: None,
        end: end as usize,
        cycles: cycles(vector, arch, count, Some(Banked::new(dest, dest.base)), banked),
        elements: count,
        result: vector.result,
    })
}

/// The plan of the reduction of a vector to the scalar behind a pointer.
fn sum(tile: &TileImage, vector: &VectorOp, to: Reg, arch: &Arch) -> Option<VectorPlan> {
    let op = &OPS[usize::from(vector.op)];
    let form = vector.form();
    let ([DsdOperand::Scalar(first), from], [one, other]) = (&vector.sources[..], form.sources) else {
        return None;
    };
    let (mem, words) = (known_memory(tile, *from)?, other.elem().words());
    let count = mem.length();
    if mem.index_offset || count == 0 || form.flipped {
        return None;
    }
    let row = Row::new(mem, mem.base, words, count, limits(mem, arch))?;
    let first = PlannedSource::Scalar(*first, one.elem().words());
    Some(VectorPlan {
        kernel: &op.kernel,
        dest: PlannedDest::Sum(to, op.dest.words(), tile.data_end.into()),
        sources: [first, PlannedSource::Line(row, words), PlannedSource::Nothing],
        direct: None,
        end: row.span(words).1 as usize,
        cycles: cycles(vector, arch, count, None, [Some(banked_at(&row, words)), None, None]),
        elements: count,
        result: vector.result,
    })
}

/// The words that a vector may access.
fn limits(mem: &Mem, arch: &Arch) -> (u16, u16) {
    (mem.lo, mem.hi.min(arch.memory_words as u16))
}

/// The cycles from the launch of an operation to its end.
fn cycles(
    vector: &VectorOp,
    arch: &Arch,
    count: u32,
    dest: Option<Banked>,
    sources: [Option<Banked>; 3],
) -> u32 {
    let op = &OPS[usize::from(vector.op)];
    let start = LAUNCH + start_cycles(vector, &arch.costs.vectors);
    let each = if dest.is_none() { op.cycles_to_scalar() } else { 1 };
    start as u32 + each * element_cycles(op.width(arch.name), count, dest, sources)
}

/// The address and stride of a row, as the banks see it.
fn banked_at(row: &Row, words: u16) -> Banked {
    Banked { at: row.at as u16, stride: row.step / i32::from(words) }
}

/// The memory DSD behind an operand that is a constant.
fn known_memory(tile: &TileImage, operand: DsdOperand) -> Option<&Mem> {
    let DsdOperand::Dsd(DsdRef::Const(n)) = operand else { return None };
    let Dsd::Mem(mem) = tile.dsds.get(n as usize)? else { return None };
    Some(mem)
}

fn direct_plan(dest: &(Row, u16), sources: &[PlannedSource; 3]) -> Option<DirectPlan> {
    let input = |part: &PlannedSource| match part {
        PlannedSource::Nothing => Some(Input::Nothing),
        PlannedSource::Scalar(_, words) => (*words <= dest.1).then_some(Input::Scalar),
        PlannedSource::Line(row, words) => Input::line(row, *words, dest),
    };
    match sources {
        [PlannedSource::Line(row, words), PlannedSource::Nothing, PlannedSource::Nothing]
            if *words != dest.1 =>
        {
            DirectPlan::converting(dest, &(*row, *words))
        }
        _ => DirectPlan::new(dest, [input(&sources[0])?, input(&sources[1])?]),
    }
}
