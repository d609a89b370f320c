//! DSD operations on lines in memory: vectors of one dimension, in bounds, where no result is a later source element
//! of another.
//!
//! Fast path: it looks at no more of their DSDs than it needs. Without it, the official examples gemm-collectives_2d,
//! cholesky and conjugate-gradient execute 1.13, 1.09 and 1.03 times the instructions. `--engine plain` never takes it, and
//! goes element by element; `tests/it/engines.rs` compares whole programs, `tests/it/props/operations.rs` single
//! operations.

use super::checks::Checks;
use super::registers::{Loaded, Registers};
use crate::arch::DsrId;
use crate::dsd::access::Row;
use crate::dsd::banks::{Banked, contiguous_cycles, element_cycles};
use crate::dsd::block::RowSource;
use crate::dsd::direct::{self, DirectPlan, Input};
use crate::dsd::footprint::Footprint;
use crate::dsd::local;
use crate::dsd::{DSD_WORDS, Dsd, Mem, MemKind};
use crate::exec::PreparedTile;
use crate::exec::calls::WINDOW;
use crate::exec::guard::GuardedWords;
use crate::exec::vector::line_shape::{LineShape, ShapeSource};
use crate::exec::vector::memory::scalar_lane;
use crate::image::code::{DsdRef, Reg, VectorOp};
use std::ops::Range;

/// A vector of one dimension, without an index. All addresses and distances are in words.
#[derive(Copy, Clone)]
pub(super) struct LineOperand {
    /// Address of the first element.
    at: i32,
    /// From one element to the next.
    step: i32,
    /// In elements.
    length: i32,
    /// Of an element.
    words: i32,
    /// The words that it may access.
    limits: (i32, i32),
    /// The DSR that must be told where the vector ends (`save_address`).
    saved: Option<DsrId>,
}

impl LineOperand {
    /// Stands in for a missing operand; its elements have no words.
    const NOTHING: LineOperand =
        LineOperand { at: 0, step: 0, length: i32::MAX, words: 0, limits: (0, i32::MAX), saved: None };

    #[inline(always)]
    fn of(base: u16, length: u16, stride: i16, words: u16, (low, high): (u16, u16)) -> LineOperand {
        let step = i32::from(stride) * i32::from(words);
        let (at, length, words) = (base.into(), length.into(), words.into());
        LineOperand { at, step, length, words, limits: (low.into(), high.into()), saved: None }
    }

    /// The line that a DSD variable holds, and may access what `allowed` makes of its own limits.
    #[inline(always)]
    pub fn from_words(
        value: &[u16; DSD_WORDS as usize],
        words: u16,
        allowed: impl Fn((u16, u16)) -> (u16, u16),
    ) -> Option<LineOperand> {
        let (base, extent, stride, limits) = Mem::line_from_words(value)?;
        Some(LineOperand::of(base, extent, stride, words, allowed(limits)))
    }

    /// `None` if the vector is not such a one.
    #[inline(always)]
    pub fn new(
        mem: &Mem,
        at: u16,
        words: u16,
        allowed: impl Fn((u16, u16)) -> (u16, u16),
    ) -> Option<LineOperand> {
        let is_line = mem.dims == 1 && mem.kind != MemKind::Circbuf && !mem.index_offset;
        let Mem { extent: [length, ..], step: [stride, ..], lo, hi, .. } = *mem;
        is_line.then(|| LineOperand::of(at, length, stride, words, allowed((lo, hi))))
    }

    /// Its elements.
    pub fn length(&self) -> u16 {
        self.length as u16
    }

    /// The words that it may access.
    pub fn limits(&self) -> (u16, u16) {
        (self.limits.0 as u16, self.limits.1 as u16)
    }

    /// The first elements, if all lie between two addresses.
    pub fn row_within(&self, count: u16, limits: (u16, u16)) -> Option<Row> {
        let row = self.row(count.into());
        row.is_within(self.words as u16, limits).then_some(row)
    }

    fn row(&self, count: i32) -> Row {
        Row { at: self.at as usize, step: self.step, count: count as usize }
    }

    /// First word and one past the last of the first elements.
    #[inline(always)]
    fn span(&self, count: i32) -> (i32, i32) {
        let way = self.step * (count - 1);
        (self.at + way.min(0), self.at + way.max(0) + self.words)
    }

    /// Whether it may access these words.
    #[inline(always)]
    fn allows(&self, (low, high): (i32, i32)) -> bool {
        low >= self.limits.0 && high <= self.limits.1
    }

    /// Whether writing the elements of a destination, which span these words, in long pieces could change what is later
    /// read along this source (`Row::disturbs`).
    #[inline(always)]
    fn is_disturbed_by(&self, its: (i32, i32), dest: &LineOperand, span: (i32, i32), count: i32) -> bool {
        let is_apart = span.1 <= its.0 || its.1 <= span.0;
        let is_in_place =
            (dest.at, dest.step, dest.words) == (self.at, self.step, self.words) && dest.step != 0;
        // Other overlaps that do no harm are rare.
        !is_apart
            && !is_in_place
            && dest.row(count).disturbs(dest.words as u16, &self.row(count), self.words as u16)
    }

    /// The words of the first elements, if no others lie between them.
    #[inline(always)]
    fn contiguous(&self, count: i32) -> Range<usize> {
        self.at as usize..(self.at + count * self.words) as usize
    }

    /// Where it lies, if it is an operand.
    fn banked(&self) -> Option<Banked> {
        (self.words > 0).then(|| Banked { at: self.at as u16, stride: self.step / self.words })
    }

    /// The address behind the first elements.
    fn behind(&self, count: i32) -> u16 {
        (self.at + self.step * count) as u16
    }
}

/// The operands of an operation on lines.
pub(super) struct Lines {
    dest: LineOperand,
    vectors: [LineOperand; 2],
    count: i32,
    /// One past the last word of all.
    pub end: usize,
}

impl Lines {
    /// To be filled in.
    pub const EMPTY: Lines =
        Lines { dest: LineOperand::NOTHING, vectors: [LineOperand::NOTHING; 2], count: 0, end: 0 };

    /// Address of the first element of the destination.
    pub fn start(&self) -> u16 {
        self.dest.at as u16
    }

    /// Whether somebody wants to know that these words are read or written.
    pub fn are_watched(&self, words: &GuardedWords) -> bool {
        let concerns = |line: &LineOperand, is_write| {
            line.words > 0
                && words.concerns(&Footprint::line(&line.row(self.count), line.words as u16), is_write)
        };
        let [first, second] = &self.vectors;
        concerns(first, false) || concerns(second, false) || concerns(&self.dest, true)
    }
}

/// The parts of a PE on which operations on lines work.
pub(super) struct LineUnit<'a> {
    pub tile: &'a PreparedTile,
    pub checks: &'a Checks,
    /// Words of memory, allocated or not.
    pub size: usize,
    pub registers: &'a mut Registers,
    /// The words that are allocated.
    pub memory: &'a mut [u16],
    /// The registers of the innermost call.
    pub scalars: &'a mut [u64; WINDOW],
}

impl LineUnit<'_> {
    /// Finds the operands of an operation; false if not all its vectors are such lines.
    //
    // It fills in what the caller has: a line is larger than what is moved in registers.
    #[inline(always)]
    pub fn find(&self, shape: &LineShape, lines: &mut Lines) -> bool {
        let Lines { dest, vectors: [first, second], .. } = lines;
        let is_found = self.line(shape.dest.0, shape.dest.1, dest)
            && self.source(&shape.sources[0], first)
            && self.source(&shape.sources[1], second);
        let count = match (&first, &second) {
            (LineOperand { words: 1.., .. }, _) => first.length,
            (_, LineOperand { words: 1.., .. }) => second.length,
            _ => dest.length,
        };
        if !is_found || count == 0 || dest.length < count || second.length < count {
            return false;
        }
        let (span, one, other) = (dest.span(count), first.span(count), second.span(count));
        lines.count = count;
        lines.end = span.1.max(one.1).max(other.1) as usize;
        dest.allows(span)
            && first.allows(one)
            && second.allows(other)
            && !first.is_disturbed_by(one, dest, span, count)
            && !second.is_disturbed_by(other, dest, span, count)
    }

    /// Whether an operand is not in memory.
    pub fn is_elsewhere(&self, shape: &LineShape) -> bool {
        let is_outside = |dsd: DsdRef| match dsd {
            DsdRef::Dsr(dsr) => match self.registers.loaded(dsr.id).map(|loaded| &loaded.dsd) {
                Some(Dsd::FabIn(_) | Dsd::FabOut(_)) => !dsr.fifo,
                Some(Dsd::Fifo(_)) => true,
                Some(Dsd::Mem(_)) | None => false,
            },
            DsdRef::Const(_) | DsdRef::At(..) => false,
        };
        let is_source_outside =
            |source: &ShapeSource| matches!(source, ShapeSource::Line(dsd, _) if is_outside(*dsd));
        is_outside(shape.dest.0) || shape.sources.iter().any(is_source_outside)
    }

    /// Does the operation, whose words are all allocated; returns the number of its elements, and the cycles that they
    /// take.
    #[inline(always)]
    pub fn run(&mut self, lines: &Lines, shape: &LineShape, vector: &VectorOp) -> (u32, u32) {
        let Lines { dest, vectors: [first, second], count, .. } = lines;
        let elements = *count as u32;
        let cycles = match self.run_contiguous(lines, shape) {
            Some(()) => {
                let place = |line: &LineOperand| (line.words > 0).then_some(line.at as u16);
                contiguous_cycles(shape.width, elements, dest.at as u16, place(first), place(second))
            }
            None => {
                let (row, sources) = self.rows(lines, shape);
                local::run_lines(self.memory, shape.kernel, row, &sources);
                element_cycles(shape.width, elements, dest.banked(), [first.banked(), second.banked(), None])
            }
        };
        for line in [first, second, dest] {
            if let Some(dsr) = line.saved {
                self.registers.save_position(dsr, line.behind(*count));
            }
        }
        if let Some(result) = vector.result {
            self.scalars[usize::from(result)] = true.into();
        }
        (elements, cycles)
    }

    /// The most frequent case: all vectors are contiguous and have elements of one width.
    #[inline(always)]
    fn run_contiguous(&mut self, lines: &Lines, shape: &LineShape) -> Option<()> {
        let Lines { dest, vectors: [first, second], count, .. } = lines;
        let is_contiguous = |line: &LineOperand| line.step == line.words && line.words == dest.words;
        let (mut scalars, words) = ([0; 3], dest.words as u16);
        let mut input = |k: usize, line: &LineOperand| match shape.sources[k] {
            ShapeSource::Nothing => Some(Input::Nothing),
            ShapeSource::Line(..) => is_contiguous(line).then(|| Input::Words(line.contiguous(*count))),
            // A scalar that is wider than the elements is left to the kernel, which truncates it.
            ShapeSource::Scalar(reg, its) => (its <= words).then(|| {
                scalars[k] = self.scalar(reg, its);
                Input::Scalar
            }),
        };
        let inputs = [input(0, first)?, input(1, second)?];
        input(2, &LineOperand::NOTHING)?;
        if !is_contiguous(dest) {
            return None;
        }
        let plan = DirectPlan::contiguous(words, dest.contiguous(*count), inputs)?;
        direct::run(self.memory, shape.kernel, &plan, scalars)
    }

    /// The elements of the destination, with the words per element, and those of the sources.
    pub fn rows(&self, lines: &Lines, shape: &LineShape) -> ((Row, u16), [RowSource; 3]) {
        let row = |line: &LineOperand| (line.row(lines.count), line.words as u16);
        let mut sources = [RowSource::Nothing; 3];
        for (k, source) in shape.sources.iter().enumerate() {
            sources[k] = match *source {
                ShapeSource::Nothing => continue,
                ShapeSource::Scalar(reg, words) => RowSource::Scalar(self.scalar(reg, words)),
                ShapeSource::Line(..) => {
                    let (row, words) = row(&lines.vectors[k]);
                    RowSource::Line(row, words)
                }
            }
        }
        (row(&lines.dest), sources)
    }

    fn scalar(&self, reg: Reg, words: u16) -> u32 {
        scalar_lane(self.scalars[usize::from(reg)], words)
    }

    /// The vector behind a source; nothing for a scalar.
    #[inline(always)]
    fn source(&self, source: &ShapeSource, line: &mut LineOperand) -> bool {
        match *source {
            ShapeSource::Line(dsd, words) => self.line(dsd, words, line),
            ShapeSource::Nothing | ShapeSource::Scalar(..) => true,
        }
    }

    /// The vector behind an operand.
    #[inline(always)]
    fn line(&self, dsd: DsdRef, words: u16, line: &mut LineOperand) -> bool {
        let allowed = |limits| self.checks.allowed(limits, self.size);
        let found = match dsd {
            DsdRef::Const(n) => match &self.tile.dsds[n as usize] {
                Dsd::Mem(mem) => LineOperand::new(mem, mem.base, words, allowed),
                Dsd::FabIn(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => None,
            },
            DsdRef::At(reg, _) => {
                // Words that are not allocated yet hold no DSD.
                let value = self.memory.get(usize::from(self.scalars[usize::from(reg)] as u16)..);
                let value = value.and_then(|value| value.first_chunk());
                value.and_then(|value| LineOperand::from_words(value, words, allowed))
            }
            DsdRef::Dsr(dsr) => match self.registers.loaded(dsr.id) {
                Some(loaded @ Loaded { dsd: Dsd::Mem(mem), at, save_address, .. }) if !dsr.fifo => {
                    if *save_address {
                        line.saved = Some(dsr.id);
                    }
                    let is_usable = !self.checks.is_checked || self.registers.is_as_loaded(dsr.id, loaded);
                    LineOperand::new(mem, *at, words, allowed).filter(|_| is_usable)
                }
                Some(_) | None => None,
            },
        };
        found.map(|found| *line = LineOperand { saved: line.saved, ..found }).is_some()
    }
}
