//! DSD operations whose operands are all in memory: they are complete when the call returns.
//!
//! Most operations are of this kind and short, so this code allocates nothing.
//!
//! Lines in bounds take a fast path (`run_on_lines`), which looks at no more of their DSDs than it needs; everything
//! else goes by address cursors (`run_cursors`), whole rows at a time. Without the fast path, the official examples
//! gemm-collectives_2d, cholesky and conjugate-gradient execute 1.13, 1.09 and 1.03 times the instructions. `--engine
//! plain` never takes it, and goes element by element;
//! `tests/it/engines.rs` compares whole programs, `tests/it/props/operations.rs` single operations.

use super::registers::{Loaded, Use};
use super::start::{Length, Lengths};
use super::vector_unit::VectorUnit;
use crate::arch::DsrId;
use crate::diagnostics::Diag;
use crate::dsd::access::{AddressCursor, Row};
use crate::dsd::banks::{Banked, element_cycles};
use crate::dsd::block::RowSource;
use crate::dsd::footprint::Footprint;
use crate::dsd::local::{self, Dest, Source};
use crate::dsd::ops::{DsdOp, OPS};
use crate::dsd::{DSD_WORDS, Dsd, Mem, MemKind};
use crate::exec::vector::line_shape::{LineShape, ShapeSource, VectorShape};
use crate::image::code::{DsdOperand, DsdRef, VectorOp};
use crate::source::Span;
use crate::value::ty::DsdTy;

/// A memory operand.
#[derive(Copy, Clone)]
struct Vector {
    mem: Mem,
    /// Address of the first element, in words.
    at: u16,
    /// Words per element.
    words: u16,
    /// The DSR that must be told where the vector ends (`save_address`).
    saved: Option<DsrId>,
}

/// A vector of one dimension, without an index.
#[derive(Copy, Clone)]
struct LineOperand {
    /// Address of the first element, in words.
    at: u16,
    /// In elements.
    length: u16,
    /// Words from one element to the next.
    step: i32,
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
        LineOperand { at: 0, length: 0, step: 0, words: 0, limits: (0, 0), saved: None };

    /// The line that a DSD variable holds.
    #[inline]
    fn from_words(value: &[u16; DSD_WORDS as usize], words: u16) -> Option<LineOperand> {
        let (base, extent, step, limits) = Mem::line_from_words(value)?;
        let step = i32::from(step) * i32::from(words);
        Some(LineOperand { at: base, length: extent, step, words, limits, saved: None })
    }

    /// `None` if the vector is not such a one.
    #[inline]
    fn new(mem: &Mem, at: u16, words: u16, saved: Option<DsrId>) -> Option<LineOperand> {
        let is_line = mem.dims == 1 && mem.kind != MemKind::Circbuf && !mem.index_offset;
        let Mem { extent: [length, ..], step: [step, ..], lo, hi, .. } = *mem;
        let step = i32::from(step) * i32::from(words);
        is_line.then_some(LineOperand { at, length, step, words, limits: (lo, hi), saved })
    }

    /// The first elements, if they are in bounds.
    #[inline]
    fn row(&self, count: u16, limits: (u16, u16)) -> Option<Row> {
        let row = Row { at: self.at.into(), step: self.step, count: count.into() };
        row.is_within(self.words, limits).then_some(row)
    }

    /// Where it lies.
    fn banked(&self) -> Banked {
        Banked { at: self.at, stride: self.step / i32::from(self.words) }
    }

    /// The address behind the first elements.
    fn behind(&self, count: u16) -> u16 {
        (i32::from(self.at) + self.step * i32::from(count)) as u16
    }
}

/// What the fast path finds.
enum LineLookup<T> {
    /// A line, or the elements of an operation on lines.
    Line(T),
    /// A DSD that is not in memory.
    Elsewhere,
    /// Something that it leaves to the general path.
    Unclear,
}

/// The DSDs of an operation; the destination first.
type Vectors = [Option<Vector>; 4];

impl VectorUnit<'_> {
    /// Runs `vector_ops[n]` if all its operands are in memory; returns the number of its elements, and the cycles that
    /// they take.
    pub fn run_at_once(&mut self, n: u32, vector: &VectorOp) -> Result<Option<(u32, u32)>, Diag> {
        let tile = self.tile;
        match tile.shape(n) {
            VectorShape::Elsewhere => return Ok(None),
            VectorShape::Cursors => {}
            VectorShape::Lines(shape) => match self.run_on_lines(shape, vector)? {
                LineLookup::Line(done) => return Ok(Some(done)),
                LineLookup::Elsewhere => return Ok(None),
                LineLookup::Unclear => {}
            },
        }
        let (op, form) = (&OPS[usize::from(vector.op)], vector.form());
        let mut vectors: Vectors = [None; 4];
        let mut scalars = [None; 3];
        for (k, vector_of) in vectors.iter_mut().enumerate().take(vector.sources.len() + 1) {
            let (operand, words) = match k {
                0 => (vector.dest, op.dest.words()),
                _ => (vector.sources[k - 1], form.sources[k - 1].elem().words()),
            };
            match operand {
                DsdOperand::Dsd(dsd) => {
                    let resolved = self.operand(dsd, Use::Operation)?;
                    let Dsd::Mem(mem) = resolved.dsd else { return Ok(None) };
                    *vector_of = Some(Vector { mem, at: resolved.at, words, saved: resolved.saved });
                }
                DsdOperand::Scalar(reg) if k > 0 => {
                    scalars[k - 1] = Some(self.scalar_source(reg, words));
                }
                DsdOperand::Nowhere => return Ok(None),
                DsdOperand::Scalar(_) | DsdOperand::Pointer(_) => {}
            }
        }
        if let (Some(dest), DsdOperand::Dsd(dsd)) = (&vectors[0], vector.dest) {
            self.checks.check_dest(tile, dsd, dest.at, vector.span, self.sanitizer)?;
        }
        if form.flipped {
            scalars.swap(0, 1);
            vectors.swap(1, 2);
        }
        let lengths =
            Lengths(vectors.each_ref().map(|v| v.as_ref().map(|v| Length::InMemory(v.mem.length()))));
        let count = {
            let VectorUnit { checks, memory, tile, .. } = self;
            checks.length(|checked| lengths.total(checked), memory, tile, vector.span)?
        }
        .unwrap_or(0);
        self.run_cursors(op, vector, &vectors, scalars, count)?;
        self.main.set_result(vector.result, true);
        let [dest, sources @ ..] = vectors.map(|vector| vector.map(|its| Banked::new(&its.mem, its.at)));
        Ok(Some((count, element_cycles(op, self.queues.arch_name(), count, dest, &sources))))
    }

    /// The fast path: all vectors are lines in bounds that are long enough, and no result is a later source element of
    /// another. Otherwise nothing is done.
    fn run_on_lines(&mut self, shape: &LineShape, vector: &VectorOp) -> Result<LineLookup<(u32, u32)>, Diag> {
        macro_rules! found {
            ($operand:expr) => {
                match self.line($operand) {
                    LineLookup::Line(line) => line,
                    LineLookup::Elsewhere => return Ok(LineLookup::Elsewhere),
                    LineLookup::Unclear => return Ok(LineLookup::Unclear),
                }
            };
        }
        let dest = found!(shape.dest);
        let (mut count, mut shortest) = (None, dest.length);
        let mut lines = [LineOperand::NOTHING; 2];
        let mut row_sources = [RowSource::Nothing; 3];
        for (k, source) in shape.sources.iter().enumerate() {
            match *source {
                ShapeSource::Nothing => {}
                ShapeSource::Scalar(reg, words) => {
                    row_sources[k] = RowSource::Scalar(self.scalar_source(reg, words));
                }
                ShapeSource::Line(dsd, words) => {
                    let line = found!((dsd, words));
                    count = count.or(Some(line.length));
                    shortest = shortest.min(line.length);
                    lines[k & 1] = line;
                }
            }
        }
        let count = count.unwrap_or(dest.length);
        if count == 0 || shortest < count {
            return Ok(LineLookup::Unclear);
        }
        let Some(row) = dest.row(count, self.allowed(dest.limits)) else { return Ok(LineLookup::Unclear) };
        let mut end = row.span(dest.words).1;
        for (row_source, line) in row_sources.iter_mut().zip(&lines) {
            if line.words == 0 {
                continue;
            }
            let apart = |other: &Row| !row.disturbs(dest.words, other, line.words);
            let Some(other) = line.row(count, self.allowed(line.limits)).filter(apart) else {
                return Ok(LineLookup::Unclear);
            };
            end = end.max(other.span(line.words).1);
            *row_source = RowSource::Line(other, line.words);
        }
        self.checks.check_dest(self.tile, shape.dest.0, dest.at, vector.span, self.sanitizer)?;
        if self.races.is_on {
            self.check_lines((row, dest.words), &row_sources, vector.span)?;
        }
        self.memory.reach(end as usize);
        local::run_lines(self.memory.words_mut(), shape.kernel, (row, dest.words), &row_sources);
        Ok(LineLookup::Line(self.lines_are_done(vector, &dest, &lines, count)))
    }

    /// Notes that an operation on lines is complete; returns the number of its elements, and the cycles that they take.
    #[inline]
    fn lines_are_done(
        &mut self,
        vector: &VectorOp,
        dest: &LineOperand,
        sources: &[LineOperand; 2],
        count: u16,
    ) -> (u32, u32) {
        for line in sources.iter().chain([dest]) {
            if let Some(dsr) = line.saved {
                self.registers.save_position(dsr, line.behind(count));
            }
        }
        self.main.set_result(vector.result, true);
        let banked = |line: &LineOperand| (line.words > 0).then(|| line.banked());
        let (op, count) = (&OPS[usize::from(vector.op)], u32::from(count));
        let (dest, sources) = (banked(dest), sources.each_ref().map(banked));
        (count, element_cycles(op, self.queues.arch_name(), count, dest, &sources))
    }

    /// The vector behind an operand.
    #[inline]
    fn line(&self, (dsd, words): (DsdRef, u16)) -> LineLookup<LineOperand> {
        let line = match dsd {
            DsdRef::Const(n) => match &self.tile.dsds[n as usize] {
                Dsd::Mem(mem) => LineOperand::new(mem, mem.base, words, None),
                Dsd::FabIn(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => return LineLookup::Elsewhere,
            },
            DsdRef::At(_, DsdTy::FabIn | DsdTy::FabOut | DsdTy::Fifo) => return LineLookup::Elsewhere,
            DsdRef::At(reg, _) => {
                // Words that are not allocated yet hold no DSD.
                let value = self.memory.words().get(self.main.address(reg)..);
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

    /// The general path, element by element.
    fn run_cursors(
        &mut self,
        op: &'static DsdOp,
        vector: &VectorOp,
        vectors: &Vectors,
        scalars: [Option<u32>; 3],
        count: u32,
    ) -> Result<(), Diag> {
        let index = vector.index.map(|reg| self.main.register(reg) as u16);
        let mut sources = scalars.map(|bits| Source::Scalar(bits.unwrap_or(0)));
        for (source, found) in sources.iter_mut().zip(&vectors[1..]) {
            if let Some(v) = found {
                *source = Source::AddressCursor(self.cursor(&v.mem, v.at, v.words, index)?);
            }
        }
        let mut dest = match (&vectors[0], vector.dest) {
            (Some(v), _) => Dest::AddressCursor(self.cursor(&v.mem, v.at, v.words, index)?),
            (None, DsdOperand::Pointer(reg)) => self.scalar_dest(reg, op.dest.words(), vector)?,
            (None, _) => unreachable!("a destination is a vector or a pointer"),
        };
        let dest_cursor = if let Dest::AddressCursor(cursor) = &mut dest { Some((0, cursor)) } else { None };
        let source_cursors = sources.iter_mut().zip(1..).filter_map(|(source, k)| match source {
            Source::AddressCursor(cursor) => Some((k, cursor)),
            Source::Scalar(_) => None,
        });
        self.check_reach(dest_cursor.into_iter().chain(source_cursors), count, vector.span)?;
        {
            let arch = self.queues.arch_name();
            self.checks.check_overlap(op, (&dest, &sources), count, vector.span, arch)?;
        };
        if self.races.is_on {
            self.check_cursors(&dest, &sources, count, vector.span)?;
        }
        let run = if self.tile.is_plain() { local::run_one_by_one } else { local::run };
        let ran = run(self.memory.words_mut(), &op.kernel, &mut dest, &mut sources, count);
        ran.map_err(|c| self.reach().explain(c, cursors(&dest, &sources)))?;
        self.save_cursors(&dest, &sources, vectors);
        Ok(())
    }

    /// Looks for races of operands that are lines.
    #[cold]
    fn check_lines(&mut self, dest: (Row, u16), sources: &[RowSource; 3], span: Span) -> Result<(), Diag> {
        for source in sources {
            if let RowSource::Line(row, words) = source {
                self.check_access(&Footprint::line(row, *words), false, None, span)?;
            }
        }
        self.check_access(&Footprint::line(&dest.0, dest.1), true, None, span)
    }

    /// The same for others.
    #[cold]
    fn check_cursors(
        &mut self,
        dest: &Dest,
        sources: &[Source; 3],
        count: u32,
        span: Span,
    ) -> Result<(), Diag> {
        for (operand, cursor) in cursors(dest, sources) {
            if let Some(words) = Footprint::new(cursor, count.min(cursor.elements())) {
                self.check_access(&words, operand == 0, None, span)?;
            }
        }
        match *dest {
            Dest::Scalar { at, words, .. } => {
                self.check_access(&Footprint::words(at, words.into()), true, None, span)
            }
            Dest::AddressCursor(_) => Ok(()),
        }
    }

    fn save_cursors(&mut self, dest: &Dest, sources: &[Source; 3], vectors: &Vectors) {
        let mut save = |vector: &Option<Vector>, cursor: &AddressCursor| {
            if let Some(Vector { saved: Some(dsr), .. }) = vector {
                self.registers.save_position(*dsr, cursor.position());
            }
        };
        if let Dest::AddressCursor(cursor) = dest {
            save(&vectors[0], cursor);
        }
        for (source, vector) in sources.iter().zip(&vectors[1..]) {
            if let Source::AddressCursor(cursor) = source {
                save(vector, cursor);
            }
        }
    }
}

/// The memory operands; 0 is the destination.
fn cursors<'a>(dest: &'a Dest, sources: &'a [Source; 3]) -> impl Iterator<Item = (usize, &'a AddressCursor)> {
    let dest = if let Dest::AddressCursor(cursor) = dest { Some((0, cursor)) } else { None };
    let sources = sources.iter().enumerate().filter_map(|(k, source)| match source {
        Source::AddressCursor(cursor) => Some((k + 1, cursor)),
        Source::Scalar(_) => None,
    });
    dest.into_iter().chain(sources)
}
