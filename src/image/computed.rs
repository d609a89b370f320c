//! DSDs that code builds of values that are the same in every run, such as a color that a function gives.
//!
//! In: the code of a tile. Out: the DSDs. Never: guesses; what depends on memory or on a wavelet is not known.

use super::code::{DsdEdit, DsdOperand, DsdRef, FnId, Op, Reg};
use super::{Function, TileImage};
use crate::arch::{Color, InQueue, OutQueue};
use crate::dsd::Dsd;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps of a called function that are followed, those of what it calls included.
const MOST_STEPS: u32 = 256;

/// Who uses a DSD at an address in a register.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum User {
    /// An operand of `TileImage::vector_ops`.
    Vector(usize, Reg),
    /// An operand of `TileImage::maps`.
    Map(usize, Reg),
    /// One of `TileImage::dsr_loads`.
    Load(usize),
}

impl TileImage {
    /// The DSDs of the fabric in the frames of functions that are the same whenever their users run.
    pub(super) fn computed_dsds(&self) -> Vec<(User, Dsd)> {
        let builds = |f: &&Arc<Function>| f.code.iter().any(|op| matches!(op, Op::EditDsd { .. }));
        let takes = |f: &&Arc<Function>| f.code.iter().any(|op| self.takes_fabric_dsd(*op));
        self.functions.iter().filter(builds).filter(takes).flat_map(|f| CodeScan::through(self, f)).collect()
    }

    /// Whether an operand of an operation is a fabric DSD at an address in a register.
    fn takes_fabric_dsd(&self, op: Op) -> bool {
        let is_it =
            |operand: &DsdOperand| matches!(operand, DsdOperand::Dsd(dsd) if dsd.is_computed_fabric());
        match op {
            Op::Vector { n } => self
                .vector_ops
                .get(n as usize)
                .is_some_and(|vector| is_it(&vector.dest) || vector.sources.iter().any(is_it)),
            Op::MapBegin { n } => self
                .maps
                .get(n as usize)
                .is_some_and(|map| map.inputs.iter().chain(&map.output).any(|(operand, _)| is_it(operand))),
            Op::LoadDsr { n } => {
                self.dsr_loads.get(n as usize).is_some_and(|load| load.dsd.is_computed_fabric())
            }
            _ => false,
        }
    }

    /// What a function gives for arguments, if nothing else decides about it.
    fn result(&self, f: FnId, args: &[Option<u64>], steps: &mut u32) -> Option<u64> {
        let function = self.functions.get(f.0 as usize)?;
        let mut registers = vec![None; usize::from(function.registers) + args.len()];
        registers[..args.len()].copy_from_slice(args);
        let constants = registers.iter_mut().skip(function.params.into());
        constants.zip(&function.consts).for_each(|(register, value)| *register = Some(*value));
        let mut pc = 0;
        loop {
            *steps = steps.checked_sub(1)?;
            let op = *function.code.get(pc)?;
            pc += 1;
            match op {
                Op::Ret => return registers[0],
                Op::Call { f, base } => {
                    let count = self.functions.get(f.0 as usize)?.params;
                    let args = registers.get(usize::from(base)..usize::from(base + count))?.to_vec();
                    let result = self.result(f, &args, steps);
                    registers[usize::from(base)..].fill(None);
                    *registers.get_mut(usize::from(base))? = result;
                    // The constants lie among the registers of the caller.
                    let constants = registers.iter_mut().skip(function.params.into());
                    constants.zip(&function.consts).for_each(|(register, value)| *register = Some(*value));
                }
                op => match jump(op, &registers)? {
                    Some(target) => pc = target,
                    None => compute(op, &mut registers)?,
                },
            }
        }
    }
}

/// Where an operation jumps to; the outer `None` if that is not known.
fn jump(op: Op, registers: &[Option<u64>]) -> Option<Option<usize>> {
    let at = |r: Reg| registers.get(usize::from(r)).copied().flatten();
    let (goes, to) = match op {
        Op::Jump { to } => (true, to),
        Op::JumpIf { a, to } => (at(a)? != 0, to),
        Op::JumpUnless { a, to } => (at(a)? == 0, to),
        Op::JumpEq { a, b, to } => (at(a)? == at(b)?, to),
        Op::JumpNe { a, b, to } => (at(a)? != at(b)?, to),
        Op::JumpLtS { a, b, to } => ((at(a)? as i64) < at(b)? as i64, to),
        Op::JumpLtU { a, b, to } => (at(a)? < at(b)?, to),
        Op::JumpLeS { a, b, to } => (at(a)? as i64 <= at(b)? as i64, to),
        Op::JumpLeU { a, b, to } => (at(a)? <= at(b)?, to),
        _ => return Some(None),
    };
    Some(goes.then_some(to as usize))
}

/// Computes a register; `None` for what is not followed.
fn compute(op: Op, registers: &mut [Option<u64>]) -> Option<()> {
    let at = |r: Reg| registers.get(usize::from(r)).copied().flatten();
    let both = |a: Reg, b: Reg, f: fn(u64, u64) -> u64| Some(f(at(a)?, at(b)?));
    let unsigned = |value: Option<u64>, sh: u8| value.map(|v| v << sh >> sh);
    let signed = |value: Option<u64>, sh: u8| value.map(|v| ((v << sh) as i64 >> sh) as u64);
    let (d, value) = match op {
        Op::Mov { d, a } => (d, at(a)),
        Op::AddU { d, a, b, sh } => (d, unsigned(both(a, b, u64::wrapping_add), sh)),
        Op::AddS { d, a, b, sh } => (d, signed(both(a, b, u64::wrapping_add), sh)),
        Op::SubU { d, a, b, sh } => (d, unsigned(both(a, b, u64::wrapping_sub), sh)),
        Op::SubS { d, a, b, sh } => (d, signed(both(a, b, u64::wrapping_sub), sh)),
        Op::NormU { d, a, sh } => (d, unsigned(at(a), sh)),
        Op::NormS { d, a, sh } => (d, signed(at(a), sh)),
        Op::Not { d, a } => (d, at(a).map(|v| v ^ 1)),
        Op::Eq { d, a, b } => (d, both(a, b, |a, b| u64::from(a == b))),
        Op::Ne { d, a, b } => (d, both(a, b, |a, b| u64::from(a != b))),
        Op::LtS { d, a, b } => (d, both(a, b, |a, b| u64::from((a as i64) < b as i64))),
        Op::LtU { d, a, b } => (d, both(a, b, |a, b| u64::from(a < b))),
        Op::LeS { d, a, b } => (d, both(a, b, |a, b| u64::from(a as i64 <= b as i64))),
        Op::LeU { d, a, b } => (d, both(a, b, |a, b| u64::from(a <= b))),
        Op::CheckId { .. } => return Some(()),
        _ => return None,
    };
    *registers.get_mut(usize::from(d))? = value;
    Some(())
}

/// What is known of a register.
#[derive(Copy, Clone)]
enum KnownContent {
    Number(u64),
    /// An address in the frame of the call.
    Frame(u16),
}

/// One look at the code of a function, from its first operation to its last.
struct CodeScan<'t> {
    tile: &'t TileImage,
    function: &'t Function,
    /// By register.
    held: Vec<Option<KnownContent>>,
    /// The DSD at each place of the frame; `None` where several are put, or one that is not known.
    built: BTreeMap<u16, Option<Dsd>>,
    users: Vec<(User, u16)>,
}

impl CodeScan<'_> {
    fn through(tile: &TileImage, function: &Function) -> Vec<(User, Dsd)> {
        let held = vec![None; function.registers.into()];
        let mut scan = CodeScan { tile, function, held, built: BTreeMap::new(), users: Vec::new() };
        let mut is_target = vec![false; function.code.len() + 1];
        for op in &function.code {
            if let Some(target) = { *op }.target_mut().and_then(|to| is_target.get_mut(*to as usize)) {
                *target = true;
            }
        }
        for (op, is_target) in function.code.iter().zip(is_target) {
            if is_target {
                scan.held.fill(None);
            }
            scan.step(*op);
        }
        let CodeScan { built, users, .. } = scan;
        let known = |(user, place)| Some((user, built.get(&place).copied().flatten()?));
        users.into_iter().filter_map(known).collect()
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Mov { d, a } => self.set(d, self.held(a)),
            Op::Frame { d, off } => self.set(d, Some(KnownContent::Frame(off))),
            Op::PutDsd { a, n } => self.put(a, self.tile.dsds.get(n as usize).copied()),
            Op::Copy { a, b, .. } => self.put(a, self.at(b)),
            Op::Zero { a, .. } | Op::UnsetWords { a, .. } | Op::Store { a, .. } => self.put(a, None),
            Op::EditDsd { a, b, edit, .. } => self.edit(a, b, edit),
            Op::Call { f, base } => self.call(f, base),
            Op::CallPtr { base, .. } | Op::Intrinsic { base, .. } | Op::MapNext { base, .. } => {
                self.forget_from(base);
            }
            Op::Vector { n } => self.vector(n as usize),
            Op::MapBegin { n } => self.map(n as usize),
            Op::LoadDsr { n } => {
                if let Some(DsdRef::At(register, _)) = self.tile.dsr_loads.get(n as usize).map(|l| l.dsd) {
                    self.used(User::Load(n as usize), register);
                }
            }
            mut other => {
                if let Some(d) = other.dest_mut().copied() {
                    self.set(d, None);
                }
            }
        }
    }

    fn held(&self, register: Reg) -> Option<KnownContent> {
        let constant = || self.function.constant(register).map(KnownContent::Number);
        self.held.get(usize::from(register)).copied().flatten().or_else(constant)
    }

    fn set(&mut self, register: Reg, held: Option<KnownContent>) {
        if let Some(known) = self.held.get_mut(usize::from(register)) {
            *known = held;
        }
    }

    /// A call may change the registers from this one on.
    fn forget_from(&mut self, base: Reg) {
        self.held.iter_mut().skip(base.into()).for_each(|held| *held = None);
    }

    /// The DSD at an address.
    fn at(&self, address: Reg) -> Option<Dsd> {
        match self.held(address)? {
            KnownContent::Frame(place) => self.built.get(&place).copied().flatten(),
            KnownContent::Number(_) => None,
        }
    }

    fn put(&mut self, address: Reg, dsd: Option<Dsd>) {
        if let Some(KnownContent::Frame(place)) = self.held(address) {
            let first = !self.built.contains_key(&place);
            self.built.insert(place, dsd.filter(|_| first));
        }
    }

    fn edit(&mut self, address: Reg, value: Reg, edit: DsdEdit) {
        let Some(KnownContent::Frame(place)) = self.held(address) else { return };
        let number = match self.held(value) {
            Some(KnownContent::Number(n)) => u8::try_from(n).ok(),
            Some(KnownContent::Frame(_)) | None => None,
        };
        if let Some(slot) = self.built.get_mut(&place) {
            *slot = slot.and_then(|dsd| edited(dsd, edit, number));
        }
    }

    fn call(&mut self, f: FnId, base: Reg) {
        let count = self.tile.functions.get(f.0 as usize).map_or(0, |f| f.params);
        let number = |register: Reg| match self.held(register) {
            Some(KnownContent::Number(n)) => Some(n),
            Some(KnownContent::Frame(_)) | None => None,
        };
        let args: Vec<_> = (base..base.saturating_add(count)).map(number).collect();
        let result = self.tile.result(f, &args, &mut MOST_STEPS.clone());
        self.forget_from(base);
        self.set(base, result.map(KnownContent::Number));
    }

    fn vector(&mut self, n: usize) {
        let Some(vector) = self.tile.vector_ops.get(n) else { return };
        for operand in vector.sources.iter().chain([&vector.dest]) {
            if let DsdOperand::Dsd(DsdRef::At(register, _)) = operand {
                self.used(User::Vector(n, *register), *register);
            }
        }
        if let Some(result) = vector.result {
            self.set(result, None);
        }
    }

    fn map(&mut self, n: usize) {
        let Some(map) = self.tile.maps.get(n) else { return };
        for (operand, _) in map.inputs.iter().chain(&map.output) {
            if let DsdOperand::Dsd(DsdRef::At(register, _)) = operand {
                self.used(User::Map(n, *register), *register);
            }
        }
    }

    fn used(&mut self, user: User, address: Reg) {
        if let Some(KnownContent::Frame(place)) = self.held(address) {
            self.users.push((user, place));
        }
    }
}

/// A fabric DSD with another color or queue; `None` if it is not known. What else code changes does not
/// matter to those who ask where wavelets go.
fn edited(dsd: Dsd, edit: DsdEdit, number: Option<u8>) -> Option<Dsd> {
    let mut dsd = dsd;
    match (&mut dsd, edit) {
        (Dsd::FabIn(f), DsdEdit::Color) => f.color = Some(Color(number?)),
        (Dsd::FabOut(f), DsdEdit::Color) => f.color = Some(Color(number?)),
        (Dsd::FabIn(f), DsdEdit::Queue) => f.queue = Some(InQueue(number?)),
        (Dsd::FabOut(f), DsdEdit::Queue) => f.queue = Some(OutQueue(number?)),
        _ => {}
    }
    Some(dsd)
}
