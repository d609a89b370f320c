//! Superinstructions: frequent sequences of operations become one, so that fewer are dispatched.
//!
//! The official example wide-multiplication, with 2,048 bits, executes 1.11 times the instructions without them; our
//! own scalar benchmarks take 1.2 to 1.4 times as long (docs/performance.md). Where little scalar code runs, finding
//! them costs up to 2.5 % (7pt-stencil-spmv, 8 x 8). `--engine plain` runs without them. The property
//! `superinstructions_do_exactly_what_their_parts_do` (`exec/tests.rs`) compares them with the operations
//! that they are made of, and `tests/it/engines.rs` whole programs.

use super::jump_table::{JumpTable, jump_table};
use super::memory_superinstructions::{
    element, element_widened, elements, index, judged, pointed, stored_element, widened,
};
use super::sequence::{Binary, binary, comparison, near, other, simpler, sized};
use crate::image::code::{Access, Op, Reg};
use crate::image::superinstructions::*;
use crate::image::{FnId, Function};

/// Replaces every operation that starts a known sequence by its superinstruction. The other operations stay in
/// place, so that jumps to them still work.
pub(crate) fn combined(function: &Function) -> (Box<[Op]>, Box<[JumpTable]>) {
    let code: Vec<Op> = function.code.iter().map(|op| simpler(*op)).collect();
    let mut tables = Vec::new();
    let made = (0..code.len()).map(|at| {
        if let Some(table) = jump_table(function, &code, at)
            && let (Op::JumpEq { a, .. }, Ok(n)) = (code[at], u16::try_from(tables.len()))
        {
            tables.push(table);
            return Op::Switch { a, table: n };
        }
        longest(&code[at..]).or_else(|| sized(code[at])).unwrap_or(code[at])
    });
    let made = made.collect();
    (made, tables.into())
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
        .or_else(|| index(a, b, c))
        .or_else(|| elements(a, b, Some(c)))
        .or_else(|| element_widened(a, b, c))
        .or_else(|| moves_call(a, Some(b), c))
        .or_else(|| three_moves(a, b, c))
}

fn two(a: Op, b: Op) -> Option<Op> {
    looped(a, b)
        .or_else(|| chain(a, b))
        .or_else(|| test(a, b))
        .or_else(|| element(a, b))
        .or_else(|| judged(a, b))
        .or_else(|| widened(a, b))
        .or_else(|| stored_element(a, b))
        .or_else(|| pointed(a, b))
        .or_else(|| arm(a, b))
        .or_else(|| moves_call(a, None, b))
        .or_else(|| moves(a, b))
}

fn looped(step: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let Binary { d, a, b, sh } = binary(step)?;
    let (x, y, to) = comparison(jump)?;
    if let Some(next) = next(step, jump) {
        return Some(next);
    }
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
        (RemU { .. }, JumpEq { .. }) => RemUJumpEq,
        (RemU { .. }, JumpNe { .. }) => RemUJumpNe,
        _ => return None,
    };
    Some(make(Loop { d, a, b, x, y, to, sh }))
}

/// The end of a loop: the counter goes on by a step and is compared with its limit.
fn next(step: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let (Binary { d: i, sh, .. }, (x, n, to)) = (binary(step)?, comparison(jump)?);
    let k = other(step, i).filter(|_| x == i)?;
    let make = match (step, sh, jump) {
        (AddU { .. } | AddS { .. }, 0, JumpLtU { .. }) => NextJumpLtU,
        (AddU { .. } | AddS { .. }, 0, JumpLtS { .. }) => NextJumpLtS,
        (AddU { .. }, 32, JumpLtU { .. }) => Next32JumpLtU,
        (AddU { .. }, 48, JumpLtU { .. }) => Next16JumpLtU,
        (AddS { .. }, 48, JumpLtS { .. }) => Next16JumpLtS,
        _ => return None,
    };
    Some(make(StepAndTest { i, k, n, to }))
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
        // Both are computed before one is stored.
        (HMul { .. }, HAdd { .. }) if c != d => HMulHAdd,
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
        (HLt { .. }, JumpIf { .. }) => HLtJumpIf,
        (HLt { .. }, JumpUnless { .. }) => HLtJumpUnless,
        (Eq { .. }, JumpUnless { .. }) => EqJumpUnless,
        (Ne { .. }, JumpUnless { .. }) => NeJumpUnless,
        (LtS { .. }, JumpUnless { .. }) => LtSJumpUnless,
        (LtU { .. }, JumpUnless { .. }) => LtUJumpUnless,
        (LeS { .. }, JumpUnless { .. }) => LeSJumpUnless,
        (LeU { .. }, JumpUnless { .. }) => LeUJumpUnless,
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

fn global(load: Op, change: Op, store: Op) -> Option<Op> {
    use Op::*;
    let (LoadAt { d, addr, kind }, StoreAt { s, addr: to, kind: as_kind }) = (load, store) else {
        return None;
    };
    let (Binary { d: e, sh, .. }, c) = (binary(change)?, other(change, d)?);
    let make = match (change, kind) {
        (AddU { .. }, Access::U32) => AddUGlobal32,
        (AddU { .. }, Access::U16) => AddUGlobal16,
        (AddS { .. }, Access::S32) => AddSGlobal32,
        (AddS { .. }, Access::S16) => AddSGlobal16,
        (SubU { .. }, Access::U32) => SubUGlobal32,
        (SubU { .. }, Access::U16) => SubUGlobal16,
        (SubS { .. }, Access::S32) => SubSGlobal32,
        (SubS { .. }, Access::S16) => SubSGlobal16,
        (FAdd { .. }, Access::U32) => FAddGlobal,
        _ => return None,
    };
    ((s, to, as_kind) == (e, addr, kind)).then_some(make(GlobalUpdate { d, addr, e, c, sh }))
}

fn three_moves(first: Op, second: Op, third: Op) -> Option<Op> {
    match (first, second, third) {
        (Op::Mov { d, a }, Op::Mov { d: e, a: b }, Op::Mov { d: f, a: c }) => {
            let [d, a, e, b, f, c] = near([d, a, e, b, f, c])?;
            Some(Op::MovMovMov(ThreeMoves { d, a, e, b, f, c }))
        }
        (Op::Math { base }, Op::Mov { d, a }, Op::Ret) if a == base => Some(Op::MathMovRet { base, d }),
        _ => None,
    }
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

/// The end of an arm of `if` or `switch`.
fn arm(last: Op, jump: Op) -> Option<Op> {
    use Op::*;
    let Jump { to } = jump else { return None };
    let to = NearTarget::try_from(to).ok()?;
    match last {
        AddU { d, a, b, sh } => Some(AddUJump(ArmEnd { d, a, b, to, sh })),
        AddS { d, a, b, sh } => Some(AddSJump(ArmEnd { d, a, b, to, sh })),
        Mov { d, a } => Some(MovJump(ArmEnd { d, a, b: a, to, sh: 0 })),
        _ => None,
    }
}

fn moves_call(first: Op, then: Option<Op>, call: Op) -> Option<Op> {
    let (Op::Mov { d, a }, Op::Call { f: FnId(f), base }) = (first, call) else { return None };
    let (make, e, b): (fn(MovesCall) -> Op, Reg, Reg) = match then {
        Some(Op::Mov { d: e, a: b }) => (Op::MovMovCall, e, b),
        Some(_) => return None,
        None => (Op::MovCall, d, a),
    };
    let ([d, a, e, b, base], f) = (near([d, a, e, b, base])?, u16::try_from(f).ok()?);
    Some(make(MovesCall { d, a, e, b, base, f }))
}
