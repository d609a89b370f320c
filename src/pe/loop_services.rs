//! What scalar code gets from the PE while its loop goes on: loads of DSRs, changes of DSDs, and operations on short
//! lines in memory.
//!
//! Fast path: leaving the loop, serving such an operation and entering the loop again takes 350 to 700 instructions
//! (conjugate-gradient), most of them overhead. Whatever needs a diagnostic or is unusual takes the general path
//! (`pe/service.rs`). A recording and `--engine plain` do without it; `tests/it/engines.rs` compares whole programs.

use super::checks::Checks;
use super::dsd_values::edit_fabric;
use super::lines::{LineUnit, Lines};
use super::reach::global_bounds;
use super::registers::{AsyncSettings, Registers};
use super::threads::Threads;
use crate::arch::{Arch, DsrId};
use crate::dsd::{DSD_WORDS, Dsd, MemKind, MemWords};
use crate::exec::PreparedTile;
use crate::exec::calls::WINDOW;
use crate::exec::cycles::LAUNCH;
use crate::exec::interface::{LoopMemory, LoopServices, ServedInLoop};
use crate::exec::vector::line_shape::VectorShape;
use crate::image::DsrRef;
use crate::image::code::{DsdEdit, DsdRef, DsrLoad, Op, Reg};

/// The parts of a PE that these operations need.
pub(super) struct PeServices<'a> {
    pub tile: &'a PreparedTile,
    pub arch: &'static Arch,
    pub registers: &'a mut Registers,
    pub checks: &'a Checks,
    pub threads: &'a Threads,
    /// Words of memory, allocated or not.
    pub size: usize,
}

type Registry = [u64; WINDOW];

impl LoopServices for PeServices<'_> {
    fn serve(&mut self, op: Op, r: &mut Registry, memory: &mut LoopMemory<'_>) -> Option<ServedInLoop> {
        // What the code of these operations costs is among the cycles of its function, but for vectors.
        match op {
            Op::Vector { n } => return self.run_lines(n, r, memory),
            Op::LoadDsr { n } => self.load_dsr(&self.tile.dsr_loads[n as usize], r, memory)?,
            Op::PutDsd { a, n } => {
                let (at, words) = dsd_words(a, r, memory)?;
                *words = self.tile.dsds[n as usize].to_words();
                memory.sanitizer.give_value(at, DSD_WORDS.into());
            }
            Op::EditDsd { a, b, edit, origin, .. } => {
                let (at, words) = dsd_words(a, r, memory)?;
                let value = r[usize::from(b)] as u16;
                match MemWords::new(words) {
                    Some(mem) => self.edit(mem, (edit, value), origin)?,
                    None => *words = edited(words, edit, value)?,
                }
                memory.sanitizer.give_value(at, DSD_WORDS.into());
            }
            Op::SetDsrBase { dsr, a } => self.set_dsr_base(dsr, r[usize::from(a)] as u16)?,
            _ => return None,
        }
        Some(ServedInLoop::default())
    }
}

impl PeServices<'_> {
    fn run_lines(&mut self, n: u32, r: &mut Registry, memory: &mut LoopMemory<'_>) -> Option<ServedInLoop> {
        let tile = self.tile;
        let site = tile.site(n, self.arch);
        let VectorShape::Lines(shape) = &site.shape else { return None };
        let mut unit = LineUnit {
            tile,
            checks: self.checks,
            size: self.size,
            registers: self.registers,
            memory: memory.words,
            scalars: r,
        };
        let mut lines = Lines::EMPTY;
        if !unit.find(shape, &mut lines) {
            return None;
        }
        let is_told =
            self.checks.constant_dest(tile, shape.dest.0, lines.start(), memory.sanitizer).is_some();
        // The path outside of the loop tells who watches.
        let is_watched = memory.watched.is_some_and(|watched| lines.are_watched(watched));
        if is_told || is_watched || lines.end > unit.memory.len() {
            return None;
        }
        let (elements, cycles) = unit.run(&lines, shape, &tile.vector_ops[n as usize]);
        Some(ServedInLoop { cycles: (LAUNCH + site.start_cycles) as u32 + cycles, elements })
    }

    fn load_dsr(&mut self, load: &DsrLoad, r: &mut Registry, memory: &mut LoopMemory<'_>) -> Option<()> {
        if load.is_unbound || !self.is_free(load.dsr.id) {
            return None;
        }
        let settings = AsyncSettings::of(&load.config, |reg| r[usize::from(reg)]);
        match load.dsd {
            DsdRef::Const(n) => {
                let dsd = &self.tile.dsds[n as usize];
                self.registers.load(load, *dsd, dsd.start(), settings);
            }
            DsdRef::At(a, _) => self.registers.load_words(load, dsd_words(a, r, memory)?.1, settings)?,
            DsdRef::Dsr(_) => return None,
        }
        Some(())
    }

    /// Changes one property of a vector in memory.
    fn edit(&self, mut mem: MemWords<'_>, (edit, value): (DsdEdit, u16), origin: u16) -> Option<()> {
        match edit {
            DsdEdit::Base => {
                let warns = self.checks.warns_outside;
                let (words, has_soft_bounds) = global_bounds(self.tile, value, self.size, warns)?;
                mem.aim(value, words, has_soft_bounds);
            }
            DsdEdit::Offset { words } => mem.shift(value.wrapping_mul(words.into())),
            DsdEdit::Length => mem.set_length(value),
            DsdEdit::Stride => mem.set_stride(value),
            DsdEdit::Color | DsdEdit::Queue => return None,
        }
        mem.set_origin(origin);
        Some(())
    }

    fn set_dsr_base(&mut self, dsr: DsrRef, base: u16) -> Option<()> {
        if !self.is_free(dsr.id) {
            return None;
        }
        let loaded = self.registers.slot(dsr.id)?;
        let Dsd::Mem(mem) = &mut loaded.dsd else { return None };
        if mem.kind == MemKind::Circbuf {
            return None;
        }
        let (words, has_soft_bounds) = global_bounds(self.tile, base, self.size, self.checks.warns_outside)?;
        (mem.base, mem.lo, mem.hi, mem.has_soft_bounds) = (base, words.0, words.1, has_soft_bounds);
        loaded.at = base;
        Some(())
    }

    /// Whether no operation in progress uses a register.
    fn is_free(&self, dsr: DsrId) -> bool {
        !self.checks.is_checked || !self.threads.use_register(dsr)
    }
}

/// A fabric DSD with another property.
fn edited(words: &[u16], edit: DsdEdit, value: u16) -> Option<[u16; DSD_WORDS as usize]> {
    let mut dsd = Dsd::from_words(words)?;
    edit_fabric(&mut dsd, edit, value).then(|| dsd.to_words())
}

/// The words of the DSD value at the address in a register, if they are allocated.
#[inline]
fn dsd_words<'m>(
    a: Reg,
    r: &Registry,
    memory: &'m mut LoopMemory<'_>,
) -> Option<(usize, &'m mut [u16; DSD_WORDS as usize])> {
    let at = usize::from(r[usize::from(a)] as u16);
    Some((at, memory.words.get_mut(at..)?.first_chunk_mut()?))
}
