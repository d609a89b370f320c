//! DSD operations whose operands are all in memory: they are complete when the call returns.
//!
//! Most operations are of this kind and short, so this code allocates nothing.
//!
//! Lines in bounds take a fast path (`pe/lines.rs`); everything else goes by address cursors (`run_cursors`), whole rows
//! at a time.

use super::lines::{LineUnit, Lines};
use super::registers::Use;
use super::start::{Length, Lengths};
use super::vector_unit::{BoundsCheck, VectorUnit};
use crate::arch::DsrId;
use crate::diagnostics::Diag;
use crate::dsd::access::{AddressCursor, Row};
use crate::dsd::banks::{Banked, element_cycles};
use crate::dsd::block::RowSource;
use crate::dsd::footprint::Footprint;
use crate::dsd::local::{self, Dest, Source};
use crate::dsd::ops::{DsdOp, OPS};
use crate::dsd::{Dsd, Mem};
use crate::exec::vector::line_shape::{LineShape, VectorShape};
use crate::image::code::{DsdOperand, VectorOp};
use crate::source::Span;

/// A memory operand.
#[derive(Copy, Clone)]
struct Vector {
    mem: Mem,
    /// Address of the first element, in words.
    at: u16,
    /// Words per element.
    words: u16,
    /// The DSR that records where the vector ends (`save_address`).
    saved: Option<DsrId>,
}

/// The DSDs of an operation; the destination first.
type Vectors = [Option<Vector>; 4];

impl VectorUnit<'_> {
    /// Runs an operation if all its operands are in memory; returns the number of its elements, and the cycles that
    /// they take.
    pub fn run_at_once(
        &mut self,
        shape: &VectorShape,
        vector: &VectorOp,
    ) -> Result<Option<(u32, u32)>, Diag> {
        let tile = self.tile;
        match shape {
            VectorShape::Elsewhere | VectorShape::Send(_) => return Ok(None),
            VectorShape::Cursors => {}
            VectorShape::Lines(shape) => {
                let done = self.run_on_lines(shape, vector)?;
                if done.is_some() || self.lines().is_elsewhere(shape) {
                    return Ok(done);
                }
            }
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
        let each = if dest.is_none() { op.cycles_to_scalar() } else { 1 };
        let cycles = element_cycles(op.width(self.queues.arch_name()), count, dest, sources);
        Ok(Some((count, each * cycles)))
    }

    /// The fast path for lines.
    fn run_on_lines(&mut self, shape: &LineShape, vector: &VectorOp) -> Result<Option<(u32, u32)>, Diag> {
        let mut found = Lines::EMPTY;
        if !self.lines().find(shape, &mut found) {
            return Ok(None);
        }
        self.checks.check_dest(self.tile, shape.dest.0, found.start(), vector.span, self.sanitizer)?;
        if self.races.is_on {
            let (row, sources) = self.lines().rows(&found, shape);
            self.check_lines(row, &sources, vector.span)?;
        }
        self.memory.reach(found.end);
        Ok(Some(self.lines().run(&found, shape, vector)))
    }

    /// What works on lines.
    fn lines(&mut self) -> LineUnit<'_> {
        LineUnit {
            tile: self.tile,
            checks: self.checks,
            size: self.memory.size(),
            registers: self.registers,
            memory: self.memory.words_mut(),
            scalars: self.main.calls.window(),
        }
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
        let asked = BoundsCheck { elements: 0..count, runs_now: true, clears: false, span: vector.span };
        self.check_reach(dest_cursor.into_iter().chain(source_cursors), &asked)?;
        let width = u32::from(op.width(self.queues.arch_name()));
        self.checks.check_overlap(op, width, (&dest, &sources[..]), count, vector.span)?;
        if self.races.is_on {
            self.check_cursors(&dest, &sources, count, vector.span)?;
        }
        let run = if self.tile.is_plain() { local::run_one_by_one } else { local::run };
        run(self.memory.words_mut(), &op.kernel, &mut dest, &mut sources, count)?;
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

    /// Looks for races of all other operands.
    #[cold]
    fn check_cursors(
        &mut self,
        dest: &Dest,
        sources: &[Source; 3],
        count: u32,
        span: Span,
    ) -> Result<(), Diag> {
        let (written, read): (Vec<_>, Vec<_>) =
            cursors(dest, sources).partition(|(operand, _)| *operand == 0);
        // It reads before it writes.
        for (operand, cursor) in read.into_iter().chain(written) {
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
