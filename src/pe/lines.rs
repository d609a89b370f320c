//! DSD operations on lines in memory: vectors of one dimension, in bounds, where no result is a later source element
//! of another.
//!
//! Fast path: it looks at no more of their DSDs than it needs. Without it, the official examples gemm-collectives_2d,
//! cholesky and conjugate-gradient execute 1.13, 1.09 and 1.03 times the instructions. `--engine plain` never takes it, and
//! goes element by element; `tests/it/engines.rs` compares whole programs, `tests/it/props/operations.rs` single
//! operations.

use super::checks::Checks;
use super::registers::{Loaded, Registers};
use crate::arch::{ArchName, DsrId};
use crate::dsd::access::Row;
use crate::dsd::banks::{Banked, element_cycles};
use crate::dsd::block::RowSource;
use crate::dsd::local;
use crate::dsd::ops::OPS;
use crate::dsd::{DSD_WORDS, Dsd, Mem, MemKind};
use crate::exec::PreparedTile;
use crate::exec::calls::WINDOW;
use crate::exec::vector::line_shape::{LineShape, ShapeSource};
use crate::exec::vector::memory::scalar_lane;
use crate::image::code::{DsdRef, Reg, VectorOp};
use crate::value::ty::DsdTy;

/// A vector of one dimension, without an index.
#[derive(Copy, Clone)]
pub(super) struct LineOperand {
    /// Address of the first element, in words.
    at: u16,
    /// In elements.
    length: u16,
    /// Elements from one element to the next.
    stride: i16,
    /// Words per element.
    words: u16,
    /// The words that it may access.
    limits: (u16, u16),
    /// The DSR that must be told where the vector ends (`save_address`).
    saved: Option<DsrId>,
}

impl LineOperand {
    /// Stands for an operand that is none: its elements have no words.
    const NOTHING: LineOperand =
        LineOperand { at: 0, length: 0, stride: 0, words: 0, limits: (0, 0), saved: None };

    /// The line that a DSD variable holds.
    #[inline]
    pub fn from_words(value: &[u16; DSD_WORDS as usize], words: u16) -> Option<LineOperand> {
        let (base, extent, stride, limits) = Mem::line_from_words(value)?;
        Some(LineOperand { at: base, length: extent, stride, words, limits, saved: None })
    }

    /// `None` if the vector is not such a one.
    #[inline]
    pub fn new(mem: &Mem, at: u16, words: u16, saved: Option<DsrId>) -> Option<LineOperand> {
        let is_line = mem.dims == 1 && mem.kind != MemKind::Circbuf && !mem.index_offset;
        let Mem { extent: [length, ..], step: [stride, ..], lo, hi, .. } = *mem;
        is_line.then_some(LineOperand { at, length, stride, words, limits: (lo, hi), saved })
    }

    /// Words from one element to the next.
    #[inline(always)]
    fn step(&self) -> i32 {
        i32::from(self.stride) * i32::from(self.words)
    }

    /// Its elements.
    pub fn length(&self) -> u16 {
        self.length
    }

    /// The words that it may access.
    pub fn limits(&self) -> (u16, u16) {
        self.limits
    }

    /// The first elements, if they are in bounds.
    #[inline]
    pub fn row(&self, count: u16, limits: (u16, u16)) -> Option<Row> {
        let row = Row { at: self.at.into(), step: self.step(), count: count.into() };
        row.is_within(self.words, limits).then_some(row)
    }

    /// Where it lies.
    fn banked(&self) -> Banked {
        Banked { at: self.at, stride: self.stride.into() }
    }

    /// The address behind the first elements.
    fn behind(&self, count: u16) -> u16 {
        (i32::from(self.at) + self.step() * i32::from(count)) as u16
    }
}

/// What the fast path finds.
pub(super) enum LineLookup<T> {
    /// A line, or the elements of an operation on lines.
    Line(T),
    /// A DSD that is not in memory.
    Elsewhere,
    /// Something that it leaves to the general path.
    Unclear,
}

/// The operands of an operation on lines.
pub(super) struct Lines {
    dest: LineOperand,
    vectors: [LineOperand; 2],
    count: u16,
    /// The elements of the destination, and the words per element.
    pub row: (Row, u16),
    /// Those of the sources.
    pub sources: [RowSource; 3],
    /// One past the last word of all.
    pub end: usize,
}

impl Lines {
    /// Address of the first element of the destination.
    pub fn start(&self) -> u16 {
        self.dest.at
    }
}

/// The parts of a PE on which operations on lines work.
pub(super) struct LineUnit<'a> {
    pub tile: &'a PreparedTile,
    pub arch: ArchName,
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
    /// The operands of an operation, if all its vectors are such lines.
    #[inline(always)]
    pub fn find(&self, shape: &LineShape) -> LineLookup<Lines> {
        macro_rules! found {
            ($operand:expr) => {
                match self.line($operand) {
                    LineLookup::Line(line) => line,
                    LineLookup::Elsewhere => return LineLookup::Elsewhere,
                    LineLookup::Unclear => return LineLookup::Unclear,
                }
            };
        }
        let dest = found!(shape.dest);
        let (mut count, mut shortest) = (None, dest.length);
        let mut vectors = [LineOperand::NOTHING; 2];
        let mut sources = [RowSource::Nothing; 3];
        for (k, source) in shape.sources.iter().enumerate() {
            match *source {
                ShapeSource::Nothing => {}
                ShapeSource::Scalar(reg, words) => sources[k] = RowSource::Scalar(self.scalar(reg, words)),
                ShapeSource::Line(dsd, words) => {
                    let line = found!((dsd, words));
                    count = count.or(Some(line.length));
                    shortest = shortest.min(line.length);
                    vectors[k & 1] = line;
                }
            }
        }
        let count = count.unwrap_or(dest.length);
        if count == 0 || shortest < count {
            return LineLookup::Unclear;
        }
        let Some(row) = dest.row(count, self.allowed(dest.limits)) else { return LineLookup::Unclear };
        let mut end = row.span(dest.words).1;
        for (source, line) in sources.iter_mut().zip(&vectors) {
            if line.words == 0 {
                continue;
            }
            let apart = |other: &Row| !row.disturbs(dest.words, other, line.words);
            let Some(other) = line.row(count, self.allowed(line.limits)).filter(apart) else {
                return LineLookup::Unclear;
            };
            end = end.max(other.span(line.words).1);
            *source = RowSource::Line(other, line.words);
        }
        let (row, end) = ((row, dest.words), end as usize);
        LineLookup::Line(Lines { dest, vectors, count, row, sources, end })
    }

    /// Does the operation, whose words are all allocated; returns the number of its elements, and the cycles that they
    /// take.
    #[inline(always)]
    pub fn run(&mut self, lines: &Lines, shape: &LineShape, vector: &VectorOp) -> (u32, u32) {
        local::run_lines(self.memory, shape.kernel, lines.row, &lines.sources);
        for line in lines.vectors.iter().chain([&lines.dest]) {
            if let Some(dsr) = line.saved {
                self.registers.save_position(dsr, line.behind(lines.count));
            }
        }
        if let Some(result) = vector.result {
            self.scalars[usize::from(result)] = true.into();
        }
        let banked = |line: &LineOperand| (line.words > 0).then(|| line.banked());
        let (op, count) = (&OPS[usize::from(vector.op)], u32::from(lines.count));
        let (dest, sources) = (banked(&lines.dest), lines.vectors.each_ref().map(banked));
        (count, element_cycles(op, self.arch, count, dest, &sources))
    }

    fn allowed(&self, limits: (u16, u16)) -> (u16, u16) {
        self.checks.allowed(limits, self.size)
    }

    fn scalar(&self, reg: Reg, words: u16) -> u32 {
        scalar_lane(self.scalars[usize::from(reg)], words)
    }

    /// The vector behind an operand.
    #[inline(always)]
    fn line(&self, (dsd, words): (DsdRef, u16)) -> LineLookup<LineOperand> {
        let line = match dsd {
            DsdRef::Const(n) => match &self.tile.dsds[n as usize] {
                Dsd::Mem(mem) => LineOperand::new(mem, mem.base, words, None),
                Dsd::FabIn(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => return LineLookup::Elsewhere,
            },
            DsdRef::At(_, DsdTy::FabIn | DsdTy::FabOut | DsdTy::Fifo) => return LineLookup::Elsewhere,
            DsdRef::At(reg, _) => {
                // Words that are not allocated yet hold no DSD.
                let value = self.memory.get(usize::from(self.scalars[usize::from(reg)] as u16)..);
                let value = value.and_then(|value| value.first_chunk());
                value.and_then(|value| LineOperand::from_words(value, words))
            }
            DsdRef::Dsr(dsr) => match self.registers.get(dsr) {
                Ok(loaded @ Loaded { dsd: Dsd::Mem(mem), at, save_address, .. }) => {
                    let is_usable = !self.checks.is_checked || self.registers.is_as_loaded(dsr.id, loaded);
                    let saved = save_address.then_some(dsr.id);
                    if is_usable { LineOperand::new(mem, *at, words, saved) } else { None }
                }
                Ok(_) => return LineLookup::Elsewhere,
                Err(_) => None,
            },
        };
        line.map_or(LineLookup::Unclear, LineLookup::Line)
    }
}
