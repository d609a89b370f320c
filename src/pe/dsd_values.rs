//! DSDs as values: in memory, and in DSRs.

use super::registers::{AsyncSettings, Loaded, ResolvedOperand, Use};
use super::threads::Threads;
use super::vector_unit::VectorUnit;
use crate::arch::{Color, InQueue, OutQueue};
use crate::diagnostics::rules::dsd::DSR_QUEUE;
use crate::diagnostics::rules::run::{DSD_UNSET, DSR_EMPTY, DSR_NOT_MEMORY};
use crate::diagnostics::{At, Diag};
use crate::dsd::{DSD_WORDS, Dsd, Mem, MemKind};
use crate::image::DsrRef;
use crate::image::code::{DsdEdit, DsdRef, DsrLoad, Reg};
use crate::value::ty::{DsdTy, Ty};

impl VectorUnit<'_> {
    /// `@load_to_dsr` and its family.
    pub fn load_dsr(&mut self, load: &DsrLoad, threads: &Threads) -> Result<(), Diag> {
        self.checks.check_free(load.dsr.id, threads).at(load.span)?;
        let (dsd, at) = self.dsd_value(load.dsd).at(load.span)?;
        if load.is_unbound {
            let kind = if matches!(dsd, Dsd::FabIn(_)) { DsdTy::FabIn } else { DsdTy::FabOut };
            let diag = DSR_QUEUE.because(&[("dsd", &Ty::Dsd(kind))]).at(load.span);
            return Err(diag.help("bind it with `@initialize_queue` in a comptime block").for_good());
        }
        let settings = AsyncSettings::of(&load.config, |reg| self.main.register(reg));
        self.registers.load(load, dsd, at, settings);
        Ok(())
    }

    /// The DSD that a load copies, and the address of its first element.
    fn dsd_value(&mut self, dsd: DsdRef) -> Result<(Dsd, u16), Diag> {
        let dsd = match dsd {
            DsdRef::Const(n) => self.tile.dsds[n as usize],
            DsdRef::At(reg, _) => self.dsd_at(self.main.address(reg))?,
            DsdRef::Dsr(_) => {
                let ResolvedOperand { dsd, at, .. } = self.operand(dsd, Use::Value)?;
                return Ok((dsd, at));
            }
        };
        Ok((dsd, dsd.start()))
    }

    /// `@set_dsr_base_addr`: changes only the address.
    pub fn set_dsr_base(&mut self, dsr: DsrRef, a: Reg, threads: &Threads) -> Result<(), Diag> {
        self.checks.check_free(dsr.id, threads)?;
        let base = self.main.address(a) as u16;
        let Some(loaded) = self.registers.slot(dsr.id).copied() else {
            return Err(DSR_EMPTY.because(&[("dsr", &dsr.id)]));
        };
        match loaded.dsd {
            Dsd::Mem(mut mem @ Mem { kind: MemKind::Mem1d | MemKind::Mem4d, .. }) => {
                self.reach().aim(&mut mem, base);
                self.registers.set(dsr.id, Loaded { dsd: Dsd::Mem(mem), at: base, ..loaded });
                Ok(())
            }
            Dsd::Mem(_) | Dsd::FabIn(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => {
                let c = DSR_NOT_MEMORY.because(&[("dsr", &dsr.id), ("what", &loaded.contents())]);
                Err(c.also(loaded.span, "it was loaded here"))
            }
        }
    }

    /// The DSD value at an address.
    pub fn dsd_at(&mut self, at: usize) -> Result<Dsd, Diag> {
        Dsd::from_words(self.memory.slice(at, DSD_WORDS.into())?).ok_or_else(|| DSD_UNSET.plain())
    }

    /// Writes a DSD value to an address.
    pub fn put_dsd(&mut self, at: usize, dsd: &Dsd) -> Result<(), Diag> {
        self.memory.slice_mut(at, DSD_WORDS.into())?.copy_from_slice(&dsd.to_words());
        self.sanitizer.give_value(at, DSD_WORDS.into());
        Ok(())
    }

    /// Changes one property of the DSD value at the address in a register.
    pub fn edit_dsd(&mut self, (a, b): (Reg, Reg), edit: DsdEdit, origin: u16) -> Result<(), Diag> {
        let (at, value) = (self.main.address(a), self.main.register(b));
        let mut dsd = self.dsd_at(at)?;
        self.edit(&mut dsd, edit, value, origin)?;
        self.put_dsd(at, &dsd)
    }

    /// Changes one property of a DSD.
    fn edit(&self, dsd: &mut Dsd, edit: DsdEdit, value: u64, origin: u16) -> Result<(), Diag> {
        let word = value as u16;
        if let Dsd::Mem(mem) = dsd {
            mem.origin = origin;
        }
        match (dsd, edit) {
            (Dsd::Mem(mem), DsdEdit::Base) => self.reach().aim(mem, word),
            (Dsd::Mem(mem), DsdEdit::Offset { words }) => {
                mem.base = mem.base.wrapping_add(word.wrapping_mul(words.into()));
            }
            (Dsd::Mem(mem), DsdEdit::Length) => mem.extent[0] = word,
            (Dsd::Mem(mem), DsdEdit::Stride) => mem.step[0] = word as i16,
            // Unless something has written over the DSD that the variable held.
            (dsd, edit) => {
                return edit_fabric(dsd, edit, word).then_some(()).ok_or_else(|| DSD_UNSET.plain());
            }
        }
        Ok(())
    }
}

/// Changes one property of a fabric DSD; false if it has none such.
pub(super) fn edit_fabric(dsd: &mut Dsd, edit: DsdEdit, value: u16) -> bool {
    match (dsd, edit) {
        (Dsd::FabIn(fabin), DsdEdit::Length) => fabin.extent = value,
        (Dsd::FabIn(fabin), DsdEdit::Color) => fabin.color = Color::numbered(value),
        (Dsd::FabIn(fabin), DsdEdit::Queue) => fabin.queue = Some(InQueue(value as u8)),
        (Dsd::FabOut(fabout), DsdEdit::Length) => fabout.extent = value,
        (Dsd::FabOut(fabout), DsdEdit::Color) => fabout.color = Color::numbered(value),
        (Dsd::FabOut(fabout), DsdEdit::Queue) => fabout.queue = Some(OutQueue(value as u8)),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pe::tests::fabout;

    #[test]
    fn each_property_of_a_fabout_dsd_can_be_changed() {
        let mut dsd = Dsd::FabOut(fabout(1, 2, 1));
        let edits = [(DsdEdit::Length, 9), (DsdEdit::Color, 3), (DsdEdit::Queue, 5)];
        assert!(edits.into_iter().all(|(edit, value)| edit_fabric(&mut dsd, edit, value)));
        assert_eq!(dsd, Dsd::FabOut(fabout(3, 5, 9)));
    }
}
