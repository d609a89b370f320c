//! Operators: folded when both operands are known, otherwise written as code.

use super::advice;
use super::arith::{self};
use super::eval::{Eval, ExprValue};
use super::expectation::Expectation;
use super::operand::{Operand, repr};
use super::value::Value;
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::Op;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, ExprId, UnaryOp};
use crate::value::number::Integer;
use crate::value::ty::{IntTy, Ty};

/// A prefix operator.
pub fn unary(
    sema: &mut Sema<'_>,
    op: UnaryOp,
    operand: ExprId,
    span: Span,
    want: Expectation<'_>,
) -> Result<ExprValue> {
    let v = sema.value_for(operand, want)?;
    let ty = v.ty();
    if let Operand::Known(v) = &v {
        let folded = arith::unary(op, v, sema.eval.overflow()).map(ExprValue::known);
        return folded.map_err(|c| match (op, c.rule() == rules::BAD_OPERAND.name) {
            (UnaryOp::Not, true) => bad_operand(sema, "!", &ty, operand, span),
            (UnaryOp::Neg, true) => bad_operand(sema, "-", &ty, operand, span),
            _ => c,
        });
    }
    let symbol = if op == UnaryOp::Neg {
        "-"
    } else if op == UnaryOp::Not {
        "!"
    } else {
        "~"
    };
    if repr(&ty).is_none() {
        return Err(bad_operand(sema, symbol, &ty, operand, span));
    }
    let a = sema.reg_of(&v, span)?;
    let result = sema.lower.unary(op, a, ty.clone()).map(ExprValue::Value);
    result.ok_or_else(|| bad_operand(sema, symbol, &ty, operand, span))
}

/// `and` (`stops_at` false) and `or` (`stops_at` true).
pub fn short_circuit(sema: &mut Sema<'_>, a: ExprId, b: ExprId, stops_at: bool) -> Result<ExprValue> {
    let span = sema.span(a);
    let left = sema.value_as(a, &Ty::Bool)?;
    if let Operand::Known(Value::Bool(v)) = left {
        if v == stops_at {
            return Ok(ExprValue::known(Value::Bool(v)));
        }
        return sema.value_as(b, &Ty::Bool).map(ExprValue::Value);
    }
    let d = sema.b().reg();
    let mark = d + 1;
    let end = sema.b().label();
    let left = sema.reg_of(&left, span)?;
    sema.b().mov(d, left, mark);
    sema.b().branch(d, stops_at, end, Op::NO_MERGE);
    sema.b().conditional_depth += 1;
    let right = sema.value_as(b, &Ty::Bool);
    sema.b().conditional_depth -= 1;
    let right = right?;
    let right = sema.reg_of(&right, span)?;
    sema.b().mov(d, right, mark);
    sema.b().bind(end);
    Ok(ExprValue::Value(Operand::Reg(d, Ty::Bool)))
}

/// An infix operator on two values.
pub fn binary(sema: &mut Sema<'_>, op: BinaryOp, a: Operand, b: Operand, span: Span) -> Result<Operand> {
    if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
        return shift(sema, op, a, b, span);
    }
    if let (Operand::Known(a), Operand::Known(b)) = (&a, &b)
        && let Some(ty) = shared_int(a, b)
        && let (Value::Int(_, x), Value::Int(_, y)) = (a, b)
    {
        let (a, b) = (Value::Int(ty, x.clone()), Value::Int(ty, y.clone()));
        return fold(&mut sema.eval, op, &Operand::Known(a), &Operand::Known(b), span);
    }
    if let (Operand::Known(Value::Type(_)), Operand::Known(Value::Type(_)))
    | (Operand::Known(Value::Str(_)), Operand::Known(Value::Str(_))) = (&a, &b)
    {
        return fold(&mut sema.eval, op, &a, &b, span);
    }
    let (ta, tb) = (a.ty(), b.ty());
    let ty = peer_of_operands(&a, &b).ok_or_else(|| {
        let diag =
            rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", &ta), ("right", &tb)]).at(span);
        if ta.is_numeric() && tb.is_numeric() {
            // An integer of a float would lose its fraction.
            let to = match if tb.is_float() && !ta.is_float() { &tb } else { &ta } {
                to if *to == Ty::COMPTIME_FLOAT => &Ty::F32,
                to => to,
            };
            return diag.help(format!("convert one of them: `@as({to}, ..)`"));
        }
        match advice::on_operands(op.symbol(), &ta, &tb) {
            Some(help) => diag.help(help),
            None => diag,
        }
    })?;
    let (a, b) = (sema.coerce(a, &ty, span)?, sema.coerce(b, &ty, span)?);
    if let (Operand::Known(_), Operand::Known(_)) = (&a, &b) {
        return fold(&mut sema.eval, op, &a, &b, span);
    }
    binary_code(sema, op, &a, &b, &ty, span)
}

fn fold(eval: &mut Eval, op: BinaryOp, a: &Operand, b: &Operand, span: Span) -> Result<Operand> {
    let (Operand::Known(a), Operand::Known(b)) = (a, b) else { unreachable!("both are known") };
    let result = arith::binary(op, a, b, eval.overflow()).map(Operand::Known).at(span);
    result.map_err(|diag| match advice::on_operands(op.symbol(), &a.ty(), &b.ty()) {
        Some(help) if diag.rule() == rules::BAD_OPERANDS.name => diag.help(help),
        _ => diag,
    })
}

fn shift(sema: &mut Sema<'_>, op: BinaryOp, a: Operand, b: Operand, span: Span) -> Result<Operand> {
    if let (Operand::Known(_), Operand::Known(_)) = (&a, &b) {
        return fold(&mut sema.eval, op, &a, &b, span);
    }
    let (ta, tb) = (a.ty(), b.ty());
    let bad = || rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", &ta), ("right", &tb)]).at(span);
    let amount_ok = match (&b, &tb) {
        (Operand::Known(Value::Int(_, n)), _) => !n.is_negative(),
        (_, Ty::Int(t)) => !t.signed,
        _ => false,
    };
    if !amount_ok {
        return Err(bad().help("the amount of a shift must be unsigned"));
    }
    let amount = match &b {
        Operand::Known(v) if tb == Ty::ComptimeInt => Operand::Known(arith::coerce(v, &Ty::U16).at(span)?),
        _ => b,
    };
    if let (Operand::Known(number), Ty::ComptimeInt) = (&a, &ta) {
        let typed = format!("`@as(u16, {number}) {} ..`", op.symbol());
        return Err(bad().help(format!("give the number a type, which is that of the result: {typed}")));
    }
    let Ty::Int(_) = ta else { return Err(bad()) };
    let r = repr(&ta).ok_or_else(bad)?;
    let (x, n) = (sema.reg_of(&a, span)?, sema.reg_of(&amount, span)?);
    Ok(Operand::Reg(sema.lower.shift(op, x, n, r), ta))
}

fn binary_code(
    sema: &mut Sema<'_>,
    op: BinaryOp,
    a: &Operand,
    b: &Operand,
    ty: &Ty,
    span: Span,
) -> Result<Operand> {
    let bad = || {
        let diag = rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", ty), ("right", ty)]).at(span);
        match advice::on_operands(op.symbol(), ty, ty) {
            Some(help) => diag.help(help),
            None => diag,
        }
    };
    repr(ty).ok_or_else(bad)?;
    let registers = (sema.reg_of(a, span)?, sema.reg_of(b, span)?);
    sema.lower.binary(op, registers, ty).ok_or_else(bad)
}

/// The diagnostic about an operand of a prefix operator. The operand of `!` is shown compared with 0.
fn bad_operand(sema: &Sema<'_>, symbol: &str, ty: &Ty, operand: ExprId, span: Span) -> Diag {
    let diag = rules::BAD_OPERAND.because(&[("op", &symbol), ("type", ty)]).at(span);
    if matches!(ty, Ty::Array(_)) {
        return diag.help(advice::ELEMENTS);
    }
    if let ("-", Ty::Int(int)) = (symbol, ty)
        && !int.signed
    {
        let signed = Ty::int(true, int.bits);
        return diag.help(format!("write `-@as({signed}, {})`", sema.snippet(operand)));
    }
    if symbol != "!" || !ty.is_numeric() {
        return diag;
    }
    let instead = format!("{} == 0", sema.snippet(operand));
    diag.help(format!("compare it: `{instead}`")).replace(span, instead)
}

impl Op {
    /// A mark above every register: nothing is a temporary.
    pub const NO_MERGE: u16 = u16::MAX;
}

/// The common type of two small integers, if it is that of one of them and holds the other. `peer` and `coerce` say the
/// same, and make types for it; most operators of a layout are of this kind.
fn shared_int(a: &Value, b: &Value) -> Option<Option<IntTy>> {
    let (Value::Int(s, Integer::Small(_)), Value::Int(t, Integer::Small(_))) = (a, b) else { return None };
    let holds = |ty: &IntTy, v: &Value| matches!(v, Value::Int(_, n) if n.fits(ty.signed, ty.bits));
    match (s, t) {
        _ if s == t => Some(*s),
        (Some(ty), None) if holds(ty, b) => Some(*s),
        (None, Some(ty)) if holds(ty, a) => Some(*t),
        _ => None,
    }
}

/// The common type of two operands: that of their types, or that of one if the other is a known value
/// which it holds.
fn peer_of_operands(a: &Operand, b: &Operand) -> Option<Ty> {
    let (ta, tb) = (a.ty(), b.ty());
    if let Some(ty) = arith::peer(&[ta.clone(), tb.clone()]) {
        return Some(ty);
    }
    let holds = |v: &Operand, ty: &Ty| v.known().is_some_and(|v| ty.is_int() && arith::coerce(v, ty).is_ok());
    if holds(b, &ta) {
        Some(ta)
    } else if holds(a, &tb) {
        Some(tb)
    } else {
        None
    }
}
