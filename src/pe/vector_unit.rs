//! The vector unit: resolves the operands of DSD operations and maps.
//!
//! In: the operands that code names, DSRs, memory. Out: address cursors, fabric and FIFO operands.
//! Never: moves an element of an operation with fabric operands; `operation` does that, cycle by cycle.

use super::checks::Checks;
use super::fabric_operands::{FabInOperand, FabOutOperand};
use super::fifo::FifoState;
use super::main_thread::MainThread;
use super::queues::Queues;
use super::races::Races;
use super::rare::RareState;
use super::reach::BoundsResolver;
use super::registers::{Registers, ResolvedOperand, Use};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{MEMORY_OUT_OF_BOUNDS, MISSING_INDEX};
use crate::dsd::access::AddressCursor;
use crate::dsd::local::Dest;
use crate::dsd::{FabIn, FabOut, Mem};
use crate::exec::PreparedTile;
use crate::exec::memory::Memory;
use crate::exec::sanitizer::Sanitizer;
use crate::exec::vector::memory::scalar_lane;
use crate::image::DsrRef;
use crate::image::code::{DsdOperand, DsdRef, Reg, VectorOp};
use crate::source::Span;
use std::ops::Range;

/// The parts of a PE that the vector unit reads and changes.
pub(super) struct VectorUnit<'a> {
    pub tile: &'a PreparedTile,
    pub main: &'a mut MainThread,
    pub memory: &'a mut Memory,
    pub sanitizer: &'a mut Sanitizer,
    pub registers: &'a mut Registers,
    pub queues: &'a mut Queues,
    pub fifos: &'a mut Vec<FifoState>,
    pub checks: &'a mut Checks,
    pub races: &'a mut Races,
    pub rare: &'a RareState,
}

/// An operation whose elements are checked before the first one is processed.
pub(super) struct BoundsCheck {
    /// Those to come, by their numbers.
    pub elements: Range<u32>,
    /// Whether it cannot wait, so that it is certain to reach its last element.
    pub runs_now: bool,
    /// It sets a source to zero.
    pub clears: bool,
    pub span: Span,
}

impl VectorUnit<'_> {
    /// The DSD behind an operand.
    #[inline]
    pub fn operand(&mut self, dsd: DsdRef, purpose: Use) -> Result<ResolvedOperand, Diag> {
        Ok(match dsd {
            DsdRef::Const(n) => ResolvedOperand::plain(self.tile.dsds[n as usize]),
            DsdRef::At(reg, _) => ResolvedOperand::plain(self.dsd_at(self.main.address(reg))?),
            DsdRef::Dsr(dsr) => self.operand_in_dsr(dsr, purpose)?,
        })
    }

    fn operand_in_dsr(&mut self, dsr: DsrRef, purpose: Use) -> Result<ResolvedOperand, Diag> {
        let loaded = self.registers.get(dsr)?;
        let is_usable = purpose == Use::Operation && self.registers.is_as_loaded(dsr.id, loaded);
        if self.checks.is_checked && !is_usable {
            return self.judged_operand(dsr, purpose);
        }
        Ok(loaded.operand(dsr))
    }

    /// The same if something may be wrong with the use of the DSR.
    #[inline(never)]
    fn judged_operand(&mut self, dsr: DsrRef, purpose: Use) -> Result<ResolvedOperand, Diag> {
        let loaded = self.registers.get(dsr)?;
        loaded.check_use(dsr.id, purpose, self.checks)?;
        let changed = self.registers.check_extended(loaded, dsr.id, self.checks)?;
        Ok(changed.as_ref().unwrap_or(loaded).operand(dsr))
    }

    /// An address cursor over the elements of a memory operand.
    pub fn cursor(
        &mut self,
        mem: &Mem,
        at: u16,
        words: u16,
        index: Option<u16>,
    ) -> Result<AddressCursor, Diag> {
        let offset = match index {
            Some(index) if mem.index_offset => index,
            None if mem.index_offset && self.checks.is_checked => {
                self.checks.hazard(MISSING_INDEX.plain())?;
                0
            }
            Some(_) | None => 0,
        };
        let size = self.memory.size();
        self.sanitizer.give_value(mem.lo.into(), usize::from(mem.hi - mem.lo.min(mem.hi)));
        let cursor = AddressCursor::new(mem, at.wrapping_add(offset), words, self.limits(mem));
        // Without checks an operation may be longer than its operand.
        self.memory.reach(if self.checks.is_checked { cursor.end(mem.length()) } else { size });
        Ok(cursor)
    }

    /// The range of words that a memory operand may access.
    #[inline]
    pub fn limits(&self, mem: &Mem) -> (u16, u16) {
        self.checks.allowed((mem.lo, mem.hi), self.memory.size())
    }

    /// A fabin operand with elements of `words` words.
    pub fn fabin(&mut self, fabin: &FabIn, words: u16) -> Result<FabInOperand, Diag> {
        Ok(FabInOperand {
            input: self.queues.input(fabin.color, fabin.queue)?,
            queue: fabin.queue,
            narrow: words == 1,
            simd: fabin.simd,
            mixed: None,
            control_transform: self.control_mask(fabin.control_transform),
            half: None,
            paired: false,
            last_used: u64::MAX,
        })
    }

    /// A fabout operand with elements of `words` words.
    pub fn fabout(&mut self, fabout: &FabOut, words: u16, index: Option<u16>) -> Result<FabOutOperand, Diag> {
        let (output, color) = self.queues.output(fabout.color, fabout.queue)?;
        if fabout.index_offset && index.is_none() && self.checks.is_checked {
            self.checks.hazard(MISSING_INDEX.plain())?;
        }
        Ok(FabOutOperand {
            output,
            narrow: words == 1,
            color,
            simd: fabout.simd,
            control: fabout.control,
            control_transform: self.control_mask(fabout.control_transform),
            advance_switch: fabout.advance_switch,
            index: index.filter(|_| fabout.index_offset),
            half: None,
            last_used: u64::MAX,
        })
    }

    /// The mask that `.control_transform` XORs into control wavelets, in the low bits of their index.
    fn control_mask(&self, transforms: bool) -> Option<u32> {
        transforms.then(|| u32::from(self.rare.configuration.control_mask) << 16)
    }

    /// A scalar source as a lane.
    pub fn scalar_source(&self, reg: Reg, words: u16) -> u32 {
        scalar_lane(self.main.register(reg), words)
    }

    /// The destination at the address in a register.
    pub fn scalar_dest(&mut self, reg: Reg, words: u16, vector: &VectorOp) -> Result<Dest, Diag> {
        let at = self.main.address(reg);
        self.memory.slice(at, words.into())?;
        self.sanitizer.give_value(at, words.into());
        let accumulates = matches!(vector.sources[..], [DsdOperand::Scalar(_), DsdOperand::Dsd(_), ..]);
        Ok(Dest::Scalar { at, words, accumulates })
    }

    /// The variables and calls that decide which words a DSD may access.
    pub fn reach(&self) -> BoundsResolver<'_> {
        let (size, warns) = (self.memory.size(), self.checks.warns_outside);
        BoundsResolver { tile: self.tile, calls: &self.main.calls, size, warns }
    }

    /// Checks the elements of an operation before the first one is processed. A source that leaves its variable, a
    /// destination that does because the operation is longer (`length-mismatch`), and a vector that was aimed at a variable
    /// may access the whole memory afterwards, and so may any other if that is not denied.
    ///
    /// # Errors
    /// Diagnostics whose level denies them. An operation that waits may end before it comes to the element that is
    /// wrong, so it detects that one itself.
    pub fn check_reach<'w>(
        &mut self,
        cursors: impl Iterator<Item = (usize, &'w mut AddressCursor)>,
        asked: &BoundsCheck,
    ) -> Result<(), Diag> {
        let (size, denied) = (self.memory.size(), self.checks.denies_out_of_bounds);
        let count = asked.elements.len() as u32;
        let (mut leaving, mut told, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (operand, cursor) in cursors {
            // One that waits may end before it comes to the end of the memory, which it finds itself.
            let finds_itself = !asked.runs_now && cursor.may_touch_all(size);
            if finds_itself || cursor.reaches(count.into()) >= count.into() {
                continue;
            }
            // Beyond a local are the words of other calls.
            let is_global = !cursor.starts_behind(self.tile.data_end);
            let may_leave = if operand == 0 { cursor.is_shorter(count) } else { !asked.clears };
            let tells = cursor.has_soft_bounds() || is_global && may_leave;
            if denied && !tells {
                refused.push((operand, *cursor));
                continue;
            }
            if tells { &mut told } else { &mut leaving }.push((operand, *cursor));
            cursor.widen(size);
            self.memory.reach(cursor.end(count));
            if cursor.reaches(count.into()) < count.into() {
                refused.push((operand, *cursor));
            }
        }
        if asked.runs_now && !refused.is_empty() {
            return Err(self.out_of_bounds(&refused, asked));
        }
        if !told.is_empty() {
            self.tell_leaving(&told, asked)?;
        }
        if leaving.is_empty() {
            return Ok(());
        }
        let diag = self.out_of_bounds(&leaving, asked);
        self.checks.hazard(diag)
    }

    /// What to say about operands that leave their variables.
    #[cold]
    fn out_of_bounds(&self, operands: &[(usize, AddressCursor)], asked: &BoundsCheck) -> Diag {
        let cursors = operands.iter().map(|(operand, cursor)| (*operand, cursor));
        let diag = MEMORY_OUT_OF_BOUNDS.because(&[("address", &0), ("what", &"its variable")]);
        self.reach().explain(diag, cursors, asked.elements.clone()).at(asked.span)
    }

    /// Warns that operands leave the variables that they read, or at which they were aimed.
    #[cold]
    fn tell_leaving(&mut self, operands: &[(usize, AddressCursor)], asked: &BoundsCheck) -> Result<(), Diag> {
        let reach = BoundsResolver {
            tile: self.tile,
            calls: &self.main.calls,
            size: self.memory.size(),
            warns: true,
        };
        let operands = || operands.iter().map(|(operand, cursor)| (*operand, cursor));
        self.checks.outside_variable(asked.span, || reach.leaves(operands(), asked.elements.clone()))
    }
}
