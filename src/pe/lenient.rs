//! How a PE goes on behind a diagnostic whose level is not `deny`: as the hardware would, which checks
//! nothing. `docs/levels.md` says for each rule what that is.

use super::Pe;
use super::interp::Served;
use super::operation::Operation;
use crate::diagnostics::rules::run::MEMORY_OUT_OF_BOUNDS;
use crate::diagnostics::{Diag, Level};
use crate::dsd::access::AddressCursor;
use crate::exec::convert::{saturate, signed};
use crate::exec::memory::{load, store};
use crate::image::TileImage;
use crate::image::code::{Access, BYTES, Op, byte_behind, word_of};
use crate::source::Span;

impl Pe {
    /// Does the operation that the scalar loop has refused without its checks.
    ///
    /// # Errors
    /// The diagnostic itself if it is denied, or if the operation has no meaning without the check.
    pub(super) fn go_on_behind(&mut self, tile: &TileImage, diag: Diag) -> Result<Served, Diag> {
        self.hazard(diag.clone())?;
        let frame = self.main.calls.last().expect("an operation runs in a call");
        let op = tile.functions[frame.function.0 as usize].code[frame.pc];
        let reg = |a| self.main.register(a);
        let at = |base: u64, index: u64, words: u16| match words {
            BYTES => byte_behind(base, index),
            _ => (base.wrapping_add(index.wrapping_mul(words.into()))) & 0xffff,
        };
        match op {
            // A register without a value counts as zero.
            Op::CheckSet { a } => {
                self.main.set_register(a, 0);
                return Ok(Served::Done(0));
            }
            Op::Load { d, a, off, kind } => self.load_unchecked(d, reg(a) + u64::from(off), kind)?,
            Op::LoadElem { d, base, b, kind, .. } => {
                self.load_unchecked(
                    d,
                    at(base.into(), reg(b), if kind.is_byte() { BYTES } else { kind.words() }),
                    kind,
                )?;
            }
            Op::Store { s, a, off, kind } => self.store_unchecked(reg(s), reg(a) + u64::from(off), kind)?,
            Op::StoreElem { s, base, b, kind, .. } => {
                self.store_unchecked(
                    reg(s),
                    at(base.into(), reg(b), if kind.is_byte() { BYTES } else { kind.words() }),
                    kind,
                )?;
            }
            Op::Element { d, a, b, words, .. } => {
                let address = at(reg(a), reg(b), words);
                self.main.set_register(d, address);
            }
            Op::Convert { d, a, from, to } => {
                let value = saturate(reg(a), from, to);
                self.main.set_register(d, value);
            }
            // The quotient wraps around to the dividend.
            Op::DivS { d, a, sh, .. } => {
                let value = signed(reg(a), sh);
                self.main.set_register(d, value);
            }
            Op::RemS { d, .. } => self.main.set_register(d, 0),
            _ => return Err(diag),
        }
        Ok(Served::Done(1))
    }

    /// The length of an operation. If an operand in memory is too short for it and that is not denied,
    /// the operation goes on behind the end of the operand.
    pub(super) fn length(
        &mut self,
        total: impl Fn(bool) -> Result<Option<u32>, Diag>,
        span: Span,
    ) -> Result<Option<u32>, Diag> {
        match total(self.is_checked) {
            Ok(total) => Ok(total),
            Err(diag) => {
                self.hazard(diag.at(span))?;
                total(false)
            }
        }
    }

    fn load_unchecked(&mut self, d: u16, at: u64, kind: Access) -> Result<(), Diag> {
        let (at, words) = (at as usize, usize::from(kind.words()));
        let word = if kind.is_byte() { word_of(at) } else { at };
        self.memory.reach(word + words);
        self.sanitizer.settle(self.memory.words_mut(), word, words);
        let value = load(self.memory.words(), at, kind)?;
        self.main.set_register(d, value);
        Ok(())
    }

    fn store_unchecked(&mut self, value: u64, at: u64, kind: Access) -> Result<(), Diag> {
        let (at, words) = (at as usize, usize::from(kind.words()));
        let word = if kind.is_byte() { word_of(at) } else { at };
        self.memory.reach(word + words);
        self.sanitizer.give_value(word, words);
        store(self.memory.words_mut(), at, kind, value)
    }

    /// Looks at the elements of an operation before the first one is done, unless an element out of
    /// bounds is denied: then the operation finds it itself. Operands that would leave their variable
    /// may touch the whole memory afterwards.
    ///
    /// # Errors
    /// None but those of the level; what leaves the memory is found by the operation.
    pub(super) fn check_reach<'w>(
        &mut self,
        cursors: impl Iterator<Item = (usize, &'w mut AddressCursor)>,
        count: u32,
        span: Span,
    ) -> Result<(), Diag> {
        if self.levels.of(MEMORY_OUT_OF_BOUNDS.name) == Level::Deny {
            return Ok(());
        }
        let size = self.memory.size();
        let mut leaving = Vec::new();
        for (operand, cursor) in cursors.filter(|(_, cursor)| cursor.reaches(count.into()) < count.into()) {
            leaving.push((operand, *cursor));
            cursor.widen(size);
            self.memory.reach(cursor.end(count));
        }
        if leaving.is_empty() {
            return Ok(());
        }
        let diag = MEMORY_OUT_OF_BOUNDS.because(&[("address", &0), ("what", &"its variable")]);
        let diag = self.explain_reach(diag, leaving.iter().map(|(operand, cursor)| (*operand, cursor)));
        self.hazard(diag.at(span))
    }

    /// The same for an operation with fabric or FIFO operands; one without an end is not looked at.
    pub(super) fn check_operation(&mut self, operation: &mut Operation, span: Span) -> Result<(), Diag> {
        match operation.total {
            Some(total) => {
                let count = operation.room.map_or(total, |room| room.min(total));
                let cleared = operation.cleared.map(|cursor| cursor.reaches(count.into()) < count.into());
                self.check_reach(operation.cursors_mut(), count, span)?;
                if let (Some(cursor), Some(true)) = (&mut operation.cleared, cleared) {
                    cursor.widen(self.memory.size());
                }
                Ok(())
            }
            None => Ok(()),
        }
    }
}
