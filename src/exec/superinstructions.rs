//! Superinstructions: frequent sequences of operations become one, so that fewer are dispatched.
//!
//! The official example wide-multiplication, with 2,048 bits, executes 1.11 times the instructions without them; our
//! own scalar benchmarks take 1.2 to 1.4 times as long (docs/performance.md). Where little scalar code runs, finding
//! them costs up to 2.5 % (7pt-stencil-spmv, 8 x 8). `--engine plain` runs without them. The property
//! `superinstructions_do_exactly_what_their_parts_do` (`exec/tests.rs`) compares them with the operations
//! that they are made of, and `tests/it/engines.rs` whole programs.

use crate::image::FnId;
use crate::image::code::{IN_VARIABLE, Op, Reg};
use crate::image::superinstructions::*;

/// Replaces every operation that starts a known sequence by its superinstruction. The other operations stay in
/// place, so that jumps to them still work.
pub(crate) fn combined(code: &[Op]) -> Box<[Op]> {
    (0..code.len()).map(|at| longest(&code[at..]).unwrap_or(code[at])).collect()
}

fn longest(code: &[Op]) -> Option<Op> {
    match *code {
        [a, b, c, ..] => three(a, b, c).or_else(|| two(a, b)),
        [a, b] => two(a, b),
        _ => None,
    }
}

fn three(a: Op, b: Op, c: Op) -> Option<Op> {
    count(a, b, c)
        .or_else(|| three_floats(a, b, c))
        .or_else(|| short(a, b, c))
        .or_else(|| global(a, b, c))
        .or_else(|| moved_call(a, b, c))
}

fn two(a: Op, b: Op) -> Option<Op> {
    looped(a, b)
        .or_else(|| chain(a, b))
        .or_else(|| test(a, b))
        .or_else(|| element(a, b))
        .or_else(|| stored_element(a, b))
        .or_else(|| pointed(a, b))
        .or_else(|| moves(a, b))
}

/// The operands of a binary operation.
struct Binary {
    d: Reg,
    a: Reg,
    b: Reg,
    sh: u8,
}

fn binary(op: Op) -> Option<Binary> {
    use Op::*;
    Some(match op {
        AddS { d, a, b, sh } | AddU { d, a, b, sh } | SubS { d, a, b, sh } => Binary { d, a, b, sh },
        SubU { d, a, b, sh } | MulS { d, a, b, sh } | MulU { d, a, b, sh } => Binary { d, a, b, sh },
        ShlU { d, a, b, sh } | ShrU { d, a, b, sh } => Binary { d, a, b, sh },
        And { d, a, b } | Or { d, a, b } | Xor { d, a, b } => Binary { d, a, b, sh: 0 },
        FAdd { d, a, b } | FSub { d, a, b } | FMul { d, a, b } => Binary { d, a, b, sh: 0 },
        Eq { d, a, b } | Ne { d, a, b } | LtS { d, a, b } | LtU { d, a, b } => Binary { d, a, b, sh: 0 },
        LeS { d, a, b } | LeU { d, a, b } | FLt { d, a, b } | FLe { d, a, b } => Binary { d, a, b, sh: 0 },
        _ => return None,
    })
}

/// The other operand of an operation that has `one` as an operand. Commutative integer operations may swap
/// their operands; float operations may not, because the result NaN depends on the order.
fn other(op: Op, one: Reg) -> Option<Reg> {
    use Op::*;
    let Binary { a, b, .. } = binary(op)?;
    if a == one {
        return Some(b);
    }
    let swaps = matches!(op, AddS { .. } | AddU { .. } | And { .. } | Or { .. } | Xor { .. });
    (b == one && swaps).then_some(a)
}

/// The comparison of a conditional jump, and its target.
fn comparison(op: Op) -> Option<(Reg, Reg, NearTarget)> {
    use Op::*;
    let (x, y, to) = match op {
        JumpEq { a, b, to } | JumpNe { a, b, to } | JumpLtS { a, b, to } => (a, b, to),
        JumpLtU { a, b, to } | JumpLeS { a, b, to } | JumpLeU { a, b, to } => (a, b, to),
        JumpIf { a, to } | JumpUnless { a, to } => (a, a, to),
        _ => return None,
    };
    Some((x, y, NearTarget::try_from(to).ok()?))
}

fn looped(step: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let Binary { d, a, b, sh } = binary(step)?;
    let (x, y, to) = comparison(jump)?;
    let make = match (step, jump) {
        (AddU { .. }, JumpLtU { .. }) => AddUJumpLtU,
        (AddU { .. }, JumpLeU { .. }) => AddUJumpLeU,
        (AddU { .. }, JumpNe { .. }) => AddUJumpNe,
        (AddU { .. }, JumpEq { .. }) => AddUJumpEq,
        (AddS { .. }, JumpLtS { .. }) => AddSJumpLtS,
        (AddS { .. }, JumpLeS { .. }) => AddSJumpLeS,
        (AddS { .. }, JumpLtU { .. }) => AddSJumpLtU,
        (AddS { .. }, JumpNe { .. }) => AddSJumpNe,
        (SubU { .. }, JumpLtU { .. }) => SubUJumpLtU,
        (SubU { .. }, JumpLeU { .. }) => SubUJumpLeU,
        (SubU { .. }, JumpNe { .. }) => SubUJumpNe,
        (SubS { .. }, JumpLtS { .. }) => SubSJumpLtS,
        (SubS { .. }, JumpLeS { .. }) => SubSJumpLeS,
        (SubS { .. }, JumpNe { .. }) => SubSJumpNe,
        (And { .. }, JumpEq { .. }) => AndJumpEq,
        (And { .. }, JumpNe { .. }) => AndJumpNe,
        _ => return None,
    };
    Some(make(Loop { d, a, b, x, y, to, sh }))
}

fn count(add: Op, step: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let (Binary { d, sh, .. }, Binary { d: i, a, b: k, sh: step_sh }) = (binary(add)?, binary(step)?);
    let (x, n, to) = comparison(jump)?;
    let c = other(add, d)?;
    if a != i || x != i {
        return None;
    }
    let make = match (add, step, jump) {
        (AddU { .. }, AddU { .. }, JumpLtU { .. }) => AddUAddUJumpLtU,
        (AddU { .. }, AddS { .. }, JumpLtU { .. }) => AddUAddSJumpLtU,
        (AddS { .. }, AddS { .. }, JumpLtS { .. }) => AddSAddSJumpLtS,
        (AddS { .. }, AddS { .. }, JumpLtU { .. }) => AddSAddSJumpLtU,
        (AddS { .. }, AddU { .. }, JumpLtU { .. }) => AddSAddUJumpLtU,
        (FAdd { .. }, AddU { .. }, JumpLtU { .. }) => FAddAddUJumpLtU,
        (FAdd { .. }, AddS { .. }, JumpLtS { .. }) => FAddAddSJumpLtS,
        (FAdd { .. }, AddS { .. }, JumpLtU { .. }) => FAddAddSJumpLtU,
        _ => return None,
    };
    Some(make(Count { d, c, i, k, n, to, sh, step_sh }))
}

fn chain(first: Op, then: Op) -> Option<Op> {
    use Op::*;
    let (Binary { d, a, b, sh }, Binary { d: e, a: left, b: right, sh: then_sh }) =
        (binary(first)?, binary(then)?);
    if right == d && left != d {
        let to_left = Chain { d, a, b, e, c: left, sh, then_sh };
        match (first, then) {
            (FMul { .. }, FSub { .. }) => return Some(FMulFrom(to_left)),
            (FMul { .. }, FAdd { .. }) => return Some(FMulOnto(to_left)),
            _ => {}
        }
    }
    let c = other(then, d)?;
    let make = match (first, then) {
        (AddU { .. }, AddU { .. }) => AddUAddU,
        (SubU { .. }, AddU { .. }) => SubUAddU,
        (MulU { .. }, AddU { .. }) => MulUAddU,
        (And { .. }, AddU { .. }) => AndAddU,
        (Or { .. }, AddU { .. }) => OrAddU,
        (Xor { .. }, AddU { .. }) => XorAddU,
        (ShlU { .. }, AddU { .. }) => ShlUAddU,
        (ShrU { .. }, AddU { .. }) => ShrUAddU,
        (AddU { .. }, And { .. }) => AddUAnd,
        (ShrU { .. }, And { .. }) => ShrUAnd,
        (ShlU { .. }, Xor { .. }) => ShlUXor,
        (ShrU { .. }, Xor { .. }) => ShrUXor,
        (MulU { .. }, Xor { .. }) => MulUXor,
        (And { .. }, Xor { .. }) => AndXor,
        (ShlU { .. }, Or { .. }) => ShlUOr,
        (And { .. }, Or { .. }) => AndOr,
        (AddS { .. }, AddS { .. }) => AddSAddS,
        (SubS { .. }, AddS { .. }) => SubSAddS,
        (MulS { .. }, AddS { .. }) => MulSAddS,
        (AddS { .. }, SubS { .. }) => AddSSubS,
        (MulS { .. }, SubS { .. }) => MulSSubS,
        (FAdd { .. }, FAdd { .. }) => FAddFAdd,
        (FAdd { .. }, FSub { .. }) => FAddFSub,
        (FAdd { .. }, FMul { .. }) => FAddFMul,
        (FSub { .. }, FAdd { .. }) => FSubFAdd,
        (FSub { .. }, FSub { .. }) => FSubFSub,
        (FSub { .. }, FMul { .. }) => FSubFMul,
        (FMul { .. }, FAdd { .. }) => FMulFAdd,
        (FMul { .. }, FSub { .. }) => FMulFSub,
        (FMul { .. }, FMul { .. }) => FMulFMul,
        _ => return None,
    };
    Some(make(Chain { d, a, b, e, c, sh, then_sh }))
}

fn three_floats(first: Op, second: Op, third: Op) -> Option<Op> {
    use Op::*;
    let (FMul { d, a, b }, FMul { d: e, a: c, b: g }) = (first, second) else { return None };
    match third {
        FAdd { d: f, a: x, b: y } if (x, y) == (d, e) => Some(ProductsFAdd(Three { d, a, b, e, c, f, g })),
        FSub { d: f, a: x, b: y } if (x, y) == (d, e) => Some(ProductsFSub(Three { d, a, b, e, c, f, g })),
        FAdd { d: f, .. } => {
            let (c, g) = (other(second, d)?, other(third, e)?);
            Some(FMulFMulFAdd(Three { d, a, b, e, c, f, g }))
        }
        _ => None,
    }
}

fn test(compare: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let (Binary { d, a, b, .. }, (x, _, to)) = (binary(compare)?, comparison(jump)?);
    let make = match (compare, jump) {
        (FLt { .. }, JumpIf { .. }) => FLtJumpIf,
        (FLt { .. }, JumpUnless { .. }) => FLtJumpUnless,
        (FLe { .. }, JumpIf { .. }) => FLeJumpIf,
        (FLe { .. }, JumpUnless { .. }) => FLeJumpUnless,
        _ => return None,
    };
    (x == d).then_some(make(Test { d, a, b, to }))
}

fn short(compare: Op, copy: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let Mov { d: e, a: copied } = copy else { return None };
    let (Binary { d, a, b, .. }, (x, _, to)) = (binary(compare)?, comparison(jump)?);
    let make = match (compare, jump) {
        (Eq { .. }, JumpIf { .. }) => EqMovJumpIf,
        (Eq { .. }, JumpUnless { .. }) => EqMovJumpUnless,
        (Ne { .. }, JumpIf { .. }) => NeMovJumpIf,
        (Ne { .. }, JumpUnless { .. }) => NeMovJumpUnless,
        (LtS { .. }, JumpIf { .. }) => LtSMovJumpIf,
        (LtS { .. }, JumpUnless { .. }) => LtSMovJumpUnless,
        (LtU { .. }, JumpIf { .. }) => LtUMovJumpIf,
        (LtU { .. }, JumpUnless { .. }) => LtUMovJumpUnless,
        (LeS { .. }, JumpIf { .. }) => LeSMovJumpIf,
        (LeS { .. }, JumpUnless { .. }) => LeSMovJumpUnless,
        (LeU { .. }, JumpIf { .. }) => LeUMovJumpIf,
        (LeU { .. }, JumpUnless { .. }) => LeUMovJumpUnless,
        (FLt { .. }, JumpIf { .. }) => FLtMovJumpIf,
        (FLt { .. }, JumpUnless { .. }) => FLtMovJumpUnless,
        (FLe { .. }, JumpIf { .. }) => FLeMovJumpIf,
        (FLe { .. }, JumpUnless { .. }) => FLeMovJumpUnless,
        _ => return None,
    };
    (copied == d && x == e).then_some(make(Short { d, a, b, e, to }))
}

/// Superinstructions that start with an element access.
fn element(access: Op, then: Op) -> Option<Op> {
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
    let Binary { d: e, a: left, b: right, sh } = binary(then)?;
    if let (LoadElem { .. }, FAdd { .. }) = (access, then)
        && right == d
    {
        return Some(LoadElemOnto(ElemStep { d, base, i, len, e, c: left, kind, sh }));
    }
    let (make, one): (fn(ElemStep) -> Op, Reg) = match (access, then) {
        (LoadElem { .. }, AddU { .. }) => (LoadElemAddU, d),
        (LoadElem { .. }, AddS { .. }) => (LoadElemAddS, d),
        (LoadElem { .. }, FMul { .. }) => (LoadElemFMul, d),
        (StoreElem { .. }, AddU { .. }) => (StoreElemAddU, e),
        _ => return None,
    };
    let c = other(then, one)?;
    Some(make(ElemStep { d, base, i, len, e, c, kind, sh }))
}

/// Superinstructions that end with an element access.
fn stored_element(first: Op, access: Op) -> Option<Op> {
    use Op::*;
    let Binary { d, a, b, sh } = binary(first)?;
    if let (AddU { .. }, LoadElem { d: loaded, base, b: i, len, kind }) = (first, access) {
        let c = other(first, d)?;
        return Some(AddULoadElem(ElemStep { d: loaded, base, i, len, e: d, c, kind, sh }));
    }
    let StoreElem { s, base, b: i, len, kind } = access else { return None };
    let make = match first {
        AddU { .. } => AddUStoreElem,
        AddS { .. } => AddSStoreElem,
        FAdd { .. } => FAddStoreElem,
        FMul { .. } => FMulStoreElem,
        _ => return None,
    };
    (s == d).then_some(make(ElemStep { d, base, i, len, e: a, c: b, kind, sh }))
}

fn pointed(address: Op, access: Op) -> Option<Op> {
    let Op::Element { d, a, b, words, len: IN_VARIABLE } = address else { return None };
    match access {
        Op::Load { d: v, a: from, off, kind } if from == d => {
            Some(Op::ElementLoad(Pointed { d, a, b, words, v, off, kind }))
        }
        Op::Store { s: v, a: to, off, kind } if to == d => {
            Some(Op::ElementStore(Pointed { d, a, b, words, v, off, kind }))
        }
        _ => None,
    }
}

fn global(load: Op, change: Op, store: Op) -> Option<Op> {
    use Op::*;
    let (LoadAt { d, addr, kind }, StoreAt { s, addr: to, kind: as_kind }) = (load, store) else {
        return None;
    };
    let (Binary { d: e, sh, .. }, c) = (binary(change)?, other(change, d)?);
    let make = match change {
        AddU { .. } => AddUGlobal,
        AddS { .. } => AddSGlobal,
        SubU { .. } => SubUGlobal,
        SubS { .. } => SubSGlobal,
        FAdd { .. } => FAddGlobal,
        _ => return None,
    };
    ((s, to, as_kind) == (e, addr, kind)).then_some(make(GlobalUpdate { d, addr, e, c, kind, sh }))
}

fn moves(first: Op, then: Op) -> Option<Op> {
    match (first, then) {
        (Op::Mov { d, a }, Op::Mov { d: e, a: b }) => Some(Op::MovMov(Moves { d, a, e, b })),
        (Op::Mov { d, a }, Op::Ret) => Some(Op::MovRet(Moves { d, a, e: d, b: a })),
        _ => None,
    }
}

fn moved_call(argument: Op, copy: Op, call: Op) -> Option<Op> {
    use Op::*;
    let Binary { d, a, b, sh } = binary(argument)?;
    let (Mov { d: to, a: from }, Call { f: FnId(f), base }) = (copy, call) else { return None };
    let make = match argument {
        AddU { .. } => AddUMovCall,
        AddS { .. } => AddSMovCall,
        SubU { .. } => SubUMovCall,
        SubS { .. } => SubSMovCall,
        _ => return None,
    };
    let f = u16::try_from(f).ok()?;
    (from == d && to == base).then_some(make(MoveCall { d, a, b, base, f, sh }))
}
