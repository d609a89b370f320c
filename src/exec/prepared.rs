//! Tiles and functions as a PE runs them: what a call needs lies together, frequent sequences of operations
//! are one, and DSD operations whose operands are constants have a plan.
//!
//! In: the image of a tile, which is shared and never changes. Out: what follows from it, computed when a PE
//! first asks. The PEs of a tile share it.

use super::superinstructions::combined;
use super::vector::plan::{VectorPlan, plan};
use crate::arch::Arch;
use crate::image::code::{Op, Reg};
use crate::image::{Function, TileImage};
use std::cell::Cell;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A function that has run at least once.
#[derive(Clone, Debug)]
pub(crate) struct PreparedFunction {
    /// The code with superinstructions.
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

/// A tile, and what its PEs have found out about it; it reads as the [`TileImage`] that it holds.
pub struct PreparedTile {
    image: Arc<TileImage>,
    functions: OnceLock<Box<[OnceLock<PreparedFunction>]>>,
    plans: OnceLock<Box<[Option<VectorPlan>]>>,
    is_plain: bool,
}

impl Deref for PreparedTile {
    type Target = TileImage;

    fn deref(&self) -> &TileImage {
        &self.image
    }
}

impl PreparedTile {
    /// Nothing of it has run. `is_plain`: it runs as it is written, without superinstructions and plans.
    pub fn new(image: Arc<TileImage>, is_plain: bool) -> PreparedTile {
        PreparedTile { image, functions: OnceLock::new(), plans: OnceLock::new(), is_plain }
    }

    /// Whether it runs as it is written.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The functions that have run, by number.
    #[inline]
    pub(crate) fn functions(&self) -> &[OnceLock<PreparedFunction>] {
        self.functions.get_or_init(|| self.image.functions.iter().map(|_| OnceLock::new()).collect())
    }

    /// For each of `vector_ops` its plan; `None` where not all operands are known.
    #[inline]
    pub(crate) fn plans(&self, arch: &Arch) -> &[Option<VectorPlan>] {
        let tile = &self.image;
        self.plans.get_or_init(|| tile.vector_ops.iter().map(|op| plan(tile, op, arch)).collect())
    }
}

/// Registers of which the search for reads before writes keeps track.
const TRACKED: u16 = 128;

impl PreparedFunction {
    /// What a PE runs. `is_plain`: without superinstructions.
    pub fn new(function: &Function, is_plain: bool) -> PreparedFunction {
        let given = function.params + function.consts.len() as u16;
        let cleared = if reads_old_registers(function, given) { function.registers } else { given };
        PreparedFunction {
            code: if is_plain { function.code.clone().into_boxed_slice() } else { combined(&function.code) },
            consts: function.consts.clone().into_boxed_slice(),
            params: function.params,
            cleared,
            frame_words: function.frame_words,
        }
    }
}

/// Whether the code may read a register from `given` on that it has not written, on any way.
fn reads_old_registers(function: &Function, given: Reg) -> bool {
    if function.registers > TRACKED || function.code.iter().any(names_registers_elsewhere) {
        return true;
    }
    // What every way that leads to an operation has written; less with each way that is found.
    let mut written = vec![u128::MAX; function.code.len() + 1];
    written[0] = bits_below(given);
    loop {
        let mut settled = true;
        for (at, op) in function.code.iter().enumerate() {
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
