//! The fast loop: scalar code of one call, on its registers and the memory.
//!
//! It knows no PE. What it cannot do itself (calls, tasks, vectors) it hands back as an [`Exit`].

use super::memory::{load, out_of_array, store};
use super::{arithmetic, convert};
use crate::diagnostics::Complaint;
use crate::image::code::{FnId, Op, Reg};

/// Why the loop stopped. The program counter points past the operation, except after `Service`.
pub(super) enum Exit {
    /// An operation for the PE.
    Service(Op),
    /// A call with its window at `base`.
    Call {
        /// The callee.
        f: FnId,
        /// The caller's register that is the callee's register 0.
        base: Reg,
    },
    /// The call has ended.
    Return,
    /// The cycles are used up.
    Pause,
}

/// What one call works on.
pub(super) struct Window<'a> {
    /// Its code.
    pub code: &'a [Op],
    /// Its registers.
    pub registers: &'a mut [u64],
    /// The memory as far as it is there.
    pub memory: &'a mut [u16],
    /// Address of its frame.
    pub frame: u16,
}

/// Cycles used and cycles allowed.
pub(super) struct Meter {
    /// Since the start of the turn.
    pub spent: u64,
    /// Looked at only where code may loop.
    pub budget: u64,
}

/// Runs from `pc` on; `pc` says where it stopped, also after a complaint.
pub(super) fn run(window: Window<'_>, pc: &mut usize, meter: &mut Meter) -> Result<Exit, Complaint> {
    let Window { code, registers, memory, frame } = window;
    let mut at = *pc;
    let mut spent = meter.spent;
    let exit = loop {
        let op = code[at];
        at += 1;
        spent += 1;
        // Every loop jumps, so looking at the meter in jumps is enough.
        let target = match jump(registers, op) {
            Jump::To(target) => target,
            Jump::Pass => continue,
            Jump::Other => match step(registers, memory, frame, op) {
                Ok(true) => continue,
                Ok(false) => {
                    let exit = leave(registers, op);
                    if let Exit::Service(_) = exit {
                        (at, spent) = (at - 1, spent - 1);
                    }
                    break Ok(exit);
                }
                Err(complaint) => {
                    (at, spent) = (at - 1, spent - 1);
                    break Err(complaint);
                }
            },
        };
        at = target as usize;
        if spent >= meter.budget {
            break Ok(Exit::Pause);
        }
    };
    (*pc, meter.spent) = (at, spent);
    exit
}

enum Jump {
    To(u32),
    Pass,
    Other,
}

#[inline(always)]
fn jump(r: &[u64], op: Op) -> Jump {
    let reg = |reg: Reg| r[reg as usize];
    let (taken, to) = match op {
        Op::Jump { to } => (true, to),
        Op::JumpIf { a, to } => (reg(a) != 0, to),
        Op::JumpUnless { a, to } => (reg(a) == 0, to),
        Op::JumpEq { a, b, to } => (reg(a) == reg(b), to),
        Op::JumpNe { a, b, to } => (reg(a) != reg(b), to),
        Op::JumpLtS { a, b, to } => ((reg(a) as i64) < reg(b) as i64, to),
        Op::JumpLtU { a, b, to } => (reg(a) < reg(b), to),
        Op::JumpLeS { a, b, to } => (reg(a) as i64 <= reg(b) as i64, to),
        Op::JumpLeU { a, b, to } => (reg(a) <= reg(b), to),
        _ => return Jump::Other,
    };
    if taken { Jump::To(to) } else { Jump::Pass }
}

/// One operation on registers and memory; false if it is none of these.
#[inline(always)]
fn step(r: &mut [u64], memory: &mut [u16], frame: u16, op: Op) -> Result<bool, Complaint> {
    match op {
        Op::Load { d, a, off, kind } => {
            r[d as usize] = load(memory, r[a as usize] as usize + off as usize, kind)?;
        }
        Op::Store { s, a, off, kind } => {
            store(memory, r[a as usize] as usize + off as usize, kind, r[s as usize])?;
        }
        Op::LoadAt { d, addr, kind } => r[d as usize] = load(memory, addr as usize, kind)?,
        Op::StoreAt { s, addr, kind } => store(memory, addr as usize, kind, r[s as usize])?,
        Op::LoadElem { d, base, b, len, kind } => {
            let at = element(base.into(), r[b as usize], kind.words(), len.into())?;
            r[d as usize] = load(memory, at, kind)?;
        }
        Op::StoreElem { s, base, b, len, kind } => {
            let at = element(base.into(), r[b as usize], kind.words(), len.into())?;
            store(memory, at, kind, r[s as usize])?;
        }
        Op::Element { d, a, b, words, len } if len != u32::MAX => {
            r[d as usize] = element(r[a as usize], r[b as usize], words, len)? as u64;
        }
        // An index of a pointer to many may be negative; addresses have 16 bits.
        Op::Element { d, a, b, words, .. } => {
            let offset = r[b as usize].wrapping_mul(words.into());
            r[d as usize] = u64::from(r[a as usize].wrapping_add(offset) as u16);
        }
        Op::Frame { d, off } => r[d as usize] = u64::from(frame.wrapping_add(off)),
        Op::Convert { d, a, from, to } => r[d as usize] = convert::convert(r[a as usize], from, to)?,
        _ => return arithmetic::step(r, op),
    }
    Ok(true)
}

#[inline(always)]
fn element(base: u64, index: u64, words: u16, len: u32) -> Result<usize, Complaint> {
    if index >= u64::from(len) {
        return Err(out_of_array(index, len));
    }
    Ok((base + index * u64::from(words)) as usize)
}

fn leave(r: &[u64], op: Op) -> Exit {
    match op {
        Op::Call { f, base } => Exit::Call { f, base },
        Op::CallPtr { a, base } => Exit::Call { f: FnId(r[a as usize] as u32), base },
        Op::Ret => Exit::Return,
        other => Exit::Service(other),
    }
}
