//! A function as a PE runs it: what a call needs lies together, and the code is fused.

use super::code::{Op, Reg};
use super::{Function, TileImage};
use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;

/// A function that has run at least once.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The fused code.
    pub code: Box<[Op]>,
    /// Copied into the registers behind the parameters when it is called.
    pub consts: Box<[u64]>,
    /// Its first constant.
    pub params: Reg,
    /// One past the last register to be cleared behind the constants. None is, if the code reads no
    /// register that it has not written.
    pub cleared: Reg,
    /// Words of memory that a call needs.
    pub frame_words: u16,
}

/// The functions of a tile, each made ready when it first runs. They follow from the rest of the tile, so
/// they are neither stored nor compared.
#[derive(Clone, Default)]
pub struct ReadyCode(OnceLock<Box<[OnceLock<Ready>]>>);

impl fmt::Debug for ReadyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadyCode")
    }
}

impl PartialEq for ReadyCode {
    fn eq(&self, _: &ReadyCode) -> bool {
        true
    }
}

impl TileImage {
    /// The functions that have run, by number.
    #[inline]
    pub fn ready(&self) -> &[OnceLock<Ready>] {
        self.ready.0.get_or_init(|| self.functions.iter().map(|_| OnceLock::new()).collect())
    }
}

/// Registers of which the search for reads before writes keeps track.
const TRACKED: u16 = 128;

impl Function {
    /// What a PE runs.
    pub fn prepare(&self) -> Ready {
        let given = self.params + self.consts.len() as u16;
        let cleared = if self.reads_old_registers(given) { self.registers } else { given };
        Ready {
            code: self.fuse(),
            consts: self.consts.clone().into_boxed_slice(),
            params: self.params,
            cleared,
            frame_words: self.frame_words,
        }
    }

    /// Whether the code may read a register from `given` on that it has not written, on any way.
    fn reads_old_registers(&self, given: Reg) -> bool {
        if self.registers > TRACKED || self.code.iter().any(names_registers_elsewhere) {
            return true;
        }
        // What every way that leads to an operation has written; less with each way that is found.
        let mut written = vec![u128::MAX; self.code.len() + 1];
        written[0] = bits_below(given);
        loop {
            let mut settled = true;
            for (at, op) in self.code.iter().enumerate() {
                let (reads, writes) = reads_and_writes(*op);
                if reads & !written[at] != 0 {
                    return true;
                }
                let after = written[at] | writes;
                let ends = matches!(op, Op::Jump { .. } | Op::Ret | Op::Trap { .. });
                let mut op = *op;
                let target = op.target_mut().map(|to| *to as usize);
                for next in target.into_iter().chain((!ends).then_some(at + 1)) {
                    settled &= written[next] & !after == 0;
                    written[next] &= after;
                }
            }
            if settled {
                return false;
            }
        }
    }
}

fn bits_below(reg: Reg) -> u128 {
    if reg >= TRACKED { u128::MAX } else { (1 << reg) - 1 }
}

/// Whether lists beside the code say which registers the operation takes.
fn names_registers_elsewhere(op: &Op) -> bool {
    use Op::*;
    matches!(op, Vector { .. } | MapBegin { .. } | MapNext { .. } | MapPut { .. } | MapEnd { .. })
        || matches!(op, LoadDsr { .. } | Intrinsic { .. })
}

/// The registers that an operation reads and writes, bit = register.
fn reads_and_writes(mut op: Op) -> (u128, u128) {
    /// Stands for what is only written.
    const NOWHERE: Reg = Reg::MAX;
    let bit = |reg: Reg| 1u128.checked_shl(reg.into()).unwrap_or(0);
    match op {
        // The arguments were moved to where the callee finds them.
        Op::Call { base, .. } => return (0, bit(base)),
        Op::CallPtr { a, base } => return (bit(a), bit(base)),
        Op::Unset { d, .. } => return (0, bit(d)),
        _ => {}
    }
    let mut writes = 0;
    if let Some(d) = op.dest_mut() {
        writes = bit(*d);
        *d = NOWHERE;
    }
    let reads = Cell::new(0);
    op.map_registers(|reg| {
        reads.set(reads.get() | bit(reg));
        reg
    });
    (reads.get(), writes)
}
