//! Superinstructions that read or write memory: elements of arrays, fields, what pointers point to.

use super::sequence::{Binary, binary, comparison, near, other};
use crate::image::code::{Access, BYTES, IN_VARIABLE, Op, Reg};
use crate::image::superinstructions::*;

/// Superinstructions that start with an element access.
pub(super) fn element(access: Op, then: Op) -> Option<Op> {
    use Op::*;
    let (d, base, i, len, kind) = match access {
        LoadElem { d, base, b, len, kind } => (d, base, b, len, kind),
        StoreElem { s, base, b, len, kind } => (s, base, b, len, kind),
        _ => return None,
    };
    match (access, then, comparison(then)) {
        (LoadElem { .. }, JumpIf { a, .. }, Some((_, _, to))) if a == d => {
            return Some(LoadElemJumpIf(ElemTest { d, base, i, len, to, kind }));
        }
        (LoadElem { .. }, JumpUnless { a, .. }, Some((_, _, to))) if a == d => {
            return Some(LoadElemJumpUnless(ElemTest { d, base, i, len, to, kind }));
        }
        _ => {}
    }
    let Binary { d: e, a: left, b: right, sh } = binary(then).filter(|_| !kind.is_byte())?;
    if let (LoadElem { .. }, FAdd { .. }) = (access, then)
        && right == d
        && kind == Access::U32
    {
        return Some(LoadElemOnto(ElemStep { d, base, i, len, e, c: left, kind, sh }));
    }
    let (make, one): (fn(ElemStep) -> Op, Reg) = match (access, then) {
        (LoadElem { .. }, AddU { .. }) => (LoadElemAddU, d),
        (LoadElem { .. }, AddS { .. }) => (LoadElemAddS, d),
        (LoadElem { .. }, FMul { .. }) if kind == Access::U32 => (LoadElemFMul, d),
        (StoreElem { .. }, AddU { .. }) => (StoreElemAddU, e),
        _ => return None,
    };
    let c = other(then, one)?;
    Some(make(ElemStep { d, base, i, len, e, c, kind, sh }))
}

/// Superinstructions that end with an element access.
pub(super) fn stored_element(first: Op, access: Op) -> Option<Op> {
    use Op::*;
    let Binary { d, a, b, sh } = binary(first)?;
    if let (AddU { .. }, LoadElem { d: loaded, base, b: i, len, kind }) = (first, access)
        && let Some(c) = other(first, d)
    {
        return Some(AddULoadElem(ElemStep { d: loaded, base, i, len, e: d, c, kind, sh }));
    }
    if let LoadElem { .. } = access {
        return offset(first, access);
    }
    let StoreElem { s, base, b: i, len, kind } = access else { return None };
    let make = match first {
        AddU { .. } => AddUStoreElem,
        AddS { .. } => AddSStoreElem,
        FAdd { .. } if kind == Access::U32 => FAddStoreElem,
        FMul { .. } if kind == Access::U32 => FMulStoreElem,
        _ => return None,
    };
    (s == d).then_some(make(ElemStep { d, base, i, len, e: a, c: b, kind, sh }))
}

/// Superinstructions that end with an access to an element whose index has just been computed.
fn offset(first: Op, access: Op) -> Option<Op> {
    use Op::*;
    let (Binary { d, a, b, sh }, LoadElem { d: v, base, b: i, len, kind }) = (binary(first)?, access) else {
        return None;
    };
    let make = match first {
        AddS { .. } => AddSOffsetLoad,
        SubS { .. } => SubSOffsetLoad,
        AddU { .. } => AddUOffsetLoad,
        SubU { .. } => SubUOffsetLoad,
        _ => return None,
    };
    let [near_d, a, b, v] = near([d, a, b, v])?;
    (i == d).then_some(make(Offset { d: near_d, a, b, v, base, len, kind, sh }))
}

/// `[row * size + column]` of an array.
pub(super) fn index(first: Op, then: Op, access: Op) -> Option<Op> {
    use Op::*;
    let (MulU { d, a, b, sh }, AddU { d: e, sh: then_sh, .. }) = (first, then) else { return None };
    let c = other(then, d)?;
    let (v, base, i, len, kind) = match access {
        LoadElem { d, base, b, len, kind } => (d, base, b, len, kind),
        StoreElem { s, base, b, len, kind } => (s, base, b, len, kind),
        _ => return None,
    };
    let make = match (access, kind) {
        (StoreElem { .. }, _) => MulUAddUStoreElem,
        (_, Access::U32) => MulUAddULoad32,
        _ => MulUAddULoadElem,
    };
    let [d, a, b, near_e, c, v] = near([d, a, b, e, c, v])?;
    (i == e && sh == then_sh).then_some(make(Index { d, a, b, e: near_e, c, v, base, len, kind, sh }))
}

/// The comparison of an element that was just loaded.
pub(super) fn judged(access: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let LoadElem { d, base, b: i, len, kind } = access else { return None };
    let (x, y, to) = comparison(jump)?;
    let make = match jump {
        JumpLtS { .. } => LoadElemJumpLtS,
        JumpLeS { .. } => LoadElemJumpLeS,
        JumpLtU { .. } => LoadElemJumpLtU,
        JumpLeU { .. } => LoadElemJumpLeU,
        JumpEq { .. } => LoadElemJumpEq,
        JumpNe { .. } => LoadElemJumpNe,
        _ => return None,
    };
    let [d, i, x, y] = near([d, i, x, y])?;
    Some(make(ElemJump { d, i, x, y, base, len, to, kind }))
}

/// The length of an array of whole words, if it is known.
fn known(len: u32, words: u16) -> Option<u16> {
    u16::try_from(len).ok().filter(|_| words != BYTES)
}

/// `[i, j]` of an array, and perhaps the load of that element.
pub(super) fn elements(row: Op, element: Op, access: Option<Op>) -> Option<Op> {
    let (
        Op::Element { d, a, b, words, len },
        Op::Element { d: e, a: from, b: c, words: inner, len: inner_len },
    ) = (row, element)
    else {
        return None;
    };
    let (len, inner_len) = (known(len, words)?, known(inner_len, inner)?);
    let inner_words = u8::try_from(inner).ok().filter(|_| from == d)?;
    let (v, kind) = match access {
        Some(Op::Load { d: v, a, off: 0, kind }) if a == e => (v, kind),
        Some(_) => return None,
        None => (e, Access::U16),
    };
    let make = if access.is_some() { Op::ElementElementLoad } else { Op::ElementElement };
    let [d, a, b, e, c, v] = near([d, a, b, e, c, v])?;
    Some(make(NestedElements { d, a, b, e, c, v, words, len, inner_len, inner_words, kind }))
}

/// A field of an element, or the whole element.
fn member(element: Op, access: Op) -> Option<Op> {
    let Op::Element { d, a, b, words, len } = element else { return None };
    let len = known(len, words)?;
    let (v, from, off, kind) = pointer_access(access)?;
    let make = if matches!(access, Op::Load { .. }) { Op::MemberLoad } else { Op::MemberStore };
    let [near_d, a, b, v] = near([d, a, b, v])?;
    (from == d).then_some(make(Member { d: near_d, a, b, v, words, len, off, kind }))
}

/// The value, the pointer and the word behind it of an access through a pointer.
fn pointer_access(op: Op) -> Option<(Reg, Reg, u16, Access)> {
    match op {
        Op::Load { d, a, off, kind } => Some((d, a, off, kind)),
        Op::Store { s, a, off, kind } => Some((s, a, off, kind)),
        _ => None,
    }
}

/// Superinstructions that access something behind a pointer.
pub(super) fn pointed(first: Op, then: Op) -> Option<Op> {
    element_behind(first, then)
        .or_else(|| member(first, then))
        .or_else(|| elements(first, then, None))
        .or_else(|| framed(first, then))
        .or_else(|| field(first, then))
}

fn framed(address: Op, access: Op) -> Option<Op> {
    use Op::*;
    let Frame { d, off } = address else { return None };
    let (v, from, word, kind) = pointer_access(access)?;
    let make = match (access, kind) {
        (Load { .. }, Access::U32) => FrameLoad32,
        (Load { .. }, Access::S32) => FrameLoadS32,
        (Load { .. }, Access::U16) => FrameLoadU16,
        (Load { .. }, Access::S16) => FrameLoadS16,
        (Load { .. }, _) => FrameLoad,
        (_, Access::U32 | Access::S32) => FrameStore32,
        (_, Access::U16 | Access::S16) => FrameStore16,
        _ => FrameStore,
    };
    (from == d && word == 0).then_some(make(Framed { d, off, v, kind }))
}

fn field(first: Op, then: Op) -> Option<Op> {
    use Op::*;
    if let (Load { d, a, off, kind }, Load { d: e, a: b, off: then_off, kind: then_kind }) = (first, then) {
        let [d, a, e, b] = near([d, a, e, b])?;
        return Some(LoadLoad(Loads { d, a, e, b, off, then_off, kind, then_kind }));
    }
    if let Load { d, a: p, off, kind } = first {
        let make = match then {
            AddS { .. } => LoadAddS,
            AddU { .. } => LoadAddU,
            FAdd { .. } => LoadFAdd,
            _ => return None,
        };
        let (Binary { d: e, sh, .. }, c) = (binary(then)?, other(then, d)?);
        let [d, p, e, c] = near([d, p, e, c])?;
        return Some(make(Field { d, p, e, c, off, kind, sh }));
    }
    let (Binary { d, a, b, sh }, Store { s, a: p, off, kind }) = (binary(first)?, then) else { return None };
    let make = match first {
        AddS { .. } => AddSStore,
        AddU { .. } => AddUStore,
        FAdd { .. } => FAddStore,
        _ => return None,
    };
    let [near_d, p, e, c] = near([d, p, a, b])?;
    (s == d).then_some(make(Field { d: near_d, p, e, c, off, kind, sh }))
}

fn element_behind(address: Op, access: Op) -> Option<Op> {
    use Op::*;
    let Element { d, a, b, words, len: IN_VARIABLE } = address else { return None };
    let (v, from, off, kind) = pointer_access(access)?;
    let make = match (access, kind) {
        (Load { .. }, _) if words == BYTES => ElementLoad,
        (_, _) if words == BYTES => ElementStore,
        (Load { .. }, Access::U32) => ElementLoad32,
        (Load { .. }, Access::S32) => ElementLoadS32,
        (Load { .. }, Access::U16) => ElementLoadU16,
        (Load { .. }, Access::S16) => ElementLoadS16,
        (Load { .. }, _) => ElementLoad,
        (_, Access::U32 | Access::S32) => ElementStore32,
        (_, Access::U16 | Access::S16) => ElementStore16,
        _ => ElementStore,
    };
    (from == d).then_some(make(Pointed { d, a, b, words, v, off, kind }))
}

/// An element behind a pointer, as a value of a wider type.
pub(super) fn element_widened(address: Op, access: Op, cast: Op) -> Option<Op> {
    let Op::Element { d, a, b, words, len: IN_VARIABLE } = address else { return None };
    let Op::Load { d: v, a: from, off, kind } = access else { return None };
    let (e, is_signed) = wider(cast, v, kind)?;
    let make = if is_signed { Op::ElementLoadNormS } else { Op::ElementLoadNormU };
    let [near_d, a, b, v, e] = near([d, a, b, v, e])?;
    (from == d && words != BYTES).then_some(make(PointedNorm { d: near_d, a, b, v, e, words, off }))
}

/// An element of an array, as a value of a wider type.
pub(super) fn widened(access: Op, cast: Op) -> Option<Op> {
    let Op::LoadElem { d, base, b: i, len, kind } = access else { return None };
    let (e, is_signed) = wider(cast, d, kind)?;
    let make = if is_signed { Op::LoadElemNormS } else { Op::LoadElemNormU };
    Some(make(ElemNorm { d, base, i, len, e }))
}

/// The register that a cast of `v`, a value of 16 bits in memory, only copies it to, and whether both are signed.
fn wider(cast: Op, v: Reg, kind: Access) -> Option<(Reg, bool)> {
    match (cast, kind) {
        (Op::NormS { d, a, sh: ..=48 }, Access::S16) if a == v => Some((d, true)),
        (Op::NormU { d, a, sh: ..=48 }, Access::U16) if a == v => Some((d, false)),
        _ => None,
    }
}
