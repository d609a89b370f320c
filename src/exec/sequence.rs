//! What the operations of a sequence that becomes one have in common: operands, comparisons; and simpler forms of
//! operations of which something is known.

use crate::image::Scalar;
use crate::image::code::{Access, Intrinsic, Op, Reg};
use crate::image::superinstructions::{NearReg, NearTarget};

/// The operands of a binary operation.
pub(super) struct Binary {
    pub d: Reg,
    pub a: Reg,
    pub b: Reg,
    pub sh: u8,
}

/// The operands of `op`, if it is one that superinstructions are made of.
pub(super) fn binary(op: Op) -> Option<Binary> {
    use Op::*;
    Some(match op {
        AddS { d, a, b, sh } | AddU { d, a, b, sh } | SubS { d, a, b, sh } => Binary { d, a, b, sh },
        SubU { d, a, b, sh } | MulS { d, a, b, sh } | MulU { d, a, b, sh } => Binary { d, a, b, sh },
        ShlU { d, a, b, sh } | ShrU { d, a, b, sh } => Binary { d, a, b, sh },
        And { d, a, b } | Or { d, a, b } | Xor { d, a, b } => Binary { d, a, b, sh: 0 },
        RemU { d, a, b, sh } => Binary { d, a, b, sh },
        HAdd { d, a, b } | HMul { d, a, b } | HLt { d, a, b } => Binary { d, a, b, sh: 0 },
        FAdd { d, a, b } | FSub { d, a, b } | FMul { d, a, b } => Binary { d, a, b, sh: 0 },
        Eq { d, a, b } | Ne { d, a, b } | LtS { d, a, b } | LtU { d, a, b } => Binary { d, a, b, sh: 0 },
        LeS { d, a, b } | LeU { d, a, b } | FLt { d, a, b } | FLe { d, a, b } => Binary { d, a, b, sh: 0 },
        _ => return None,
    })
}

/// The other operand of an operation that has `one` as an operand. Commutative integer operations may swap
/// their operands; float operations may not, because the result NaN depends on the order.
pub(super) fn other(op: Op, one: Reg) -> Option<Reg> {
    use Op::*;
    let Binary { a, b, .. } = binary(op)?;
    if a == one {
        return Some(b);
    }
    let swaps = matches!(op, AddS { .. } | AddU { .. } | And { .. } | Or { .. } | Xor { .. });
    (b == one && swaps).then_some(a)
}

/// The comparison of a conditional jump, and its target.
pub(super) fn comparison(op: Op) -> Option<(Reg, Reg, NearTarget)> {
    use Op::*;
    let (x, y, to) = match op {
        JumpEq { a, b, to } | JumpNe { a, b, to } | JumpLtS { a, b, to } => (a, b, to),
        JumpLtU { a, b, to } | JumpLeS { a, b, to } | JumpLeU { a, b, to } => (a, b, to),
        JumpIf { a, to } | JumpUnless { a, to } => (a, a, to),
        _ => return None,
    };
    Some((x, y, NearTarget::try_from(to).ok()?))
}

/// These registers, if all of them are among the first.
pub(super) fn near<const N: usize>(registers: [Reg; N]) -> Option<[NearReg; N]> {
    let small = registers.map(|r| r as NearReg);
    (small.map(Reg::from) == registers).then_some(small)
}

/// An operation that needs no table: of types in a conversion, where integers are cut, or of intrinsics.
pub(super) fn simpler(op: Op) -> Op {
    if let Op::Intrinsic { id: Intrinsic::Math32, base } = op {
        return Op::Math { base };
    }
    let Op::Convert { d, a, from, to } = op else { return op };
    match (integer(from), integer(to), to) {
        (None, _, Scalar::F32) if from == Scalar::F16 => Op::Widen { d, a },
        (None, _, Scalar::F16) if from == Scalar::F32 => Op::Narrow { d, a },
        (Some((true, _)), _, Scalar::F32) => Op::FromSigned { d, a },
        (Some((false, _)), _, Scalar::F32) => Op::FromUnsigned { d, a },
        (Some(_), Some((true, bits)), _) => Op::NormS { d, a, sh: 64 - bits },
        (Some(_), Some((false, bits)), _) if to != Scalar::Bool => Op::NormU { d, a, sh: 64 - bits },
        _ => op,
    }
}

/// Whether an integer type or bool is signed, and its width in bits.
fn integer(ty: Scalar) -> Option<(bool, u8)> {
    (!ty.is_float()).then(|| (ty.is_signed(), ty.bits()))
}

/// An access to memory that knows its kind.
pub(super) fn sized(op: Op) -> Option<Op> {
    use Op::*;
    Some(match op {
        LoadAt { d, addr, kind: Access::U32 } => LoadAt32 { d, addr },
        LoadAt { d, addr, kind: Access::S32 } => LoadAtS32 { d, addr },
        LoadAt { d, addr, kind: Access::U16 } => LoadAtU16 { d, addr },
        LoadAt { d, addr, kind: Access::S16 } => LoadAtS16 { d, addr },
        StoreAt { s, addr, kind: Access::U32 | Access::S32 } => StoreAt32 { s, addr },
        StoreAt { s, addr, kind: Access::U16 | Access::S16 } => StoreAt16 { s, addr },
        LoadElem { d, base, b, len, kind: Access::S32 } => LoadElemS32 { d, base, b, len },
        LoadElem { d, base, b, len, kind: Access::U32 } => LoadElem32 { d, base, b, len },
        LoadElem { d, base, b, len, kind: Access::U16 } => LoadElemU16 { d, base, b, len },
        LoadElem { d, base, b, len, kind: Access::S16 } => LoadElemS16 { d, base, b, len },
        LoadElem { d, base, b, len, kind: Access::U8 } => LoadElem8 { d, base, b, len },
        StoreElem { s, base, b, len, kind: Access::U8 | Access::S8 } => StoreElem8 { s, base, b, len },
        StoreElem { s, base, b, len, kind: Access::U32 | Access::S32 } => StoreElem32 { s, base, b, len },
        StoreElem { s, base, b, len, kind: Access::U16 | Access::S16 } => StoreElem16 { s, base, b, len },
        Load { d, a, off, kind: Access::U32 } => Load32 { d, a, off },
        Load { d, a, off, kind: Access::S32 } => LoadS32 { d, a, off },
        Load { d, a, off, kind: Access::U16 } => LoadU16 { d, a, off },
        Load { d, a, off, kind: Access::S16 } => LoadS16 { d, a, off },
        Store { s, a, off, kind: Access::U32 | Access::S32 } => Store32 { s, a, off },
        Store { s, a, off, kind: Access::U16 | Access::S16 } => Store16 { s, a, off },
        _ => return None,
    })
}
