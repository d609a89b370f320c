//! Operators: folded when both operands are known, otherwise written as code.

use super::arith::{self, Overflow};
use super::operand::{Operand, repr};
use super::scope::{Ev, Return};
use super::value::Value;
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::image::Scalar;
use crate::image::code::Op;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, ExprId, UnaryOp};
use crate::value::ty::Ty;

impl Sema<'_> {
    /// Whether overflow wraps here: in functions, which must agree with themselves at run time.
    pub fn overflow(&self) -> Overflow {
        match self.frame().ret {
            Return::Forbidden => Overflow::Reject,
            Return::Value(_) | Return::Code(_) | Return::Inline { .. } => Overflow::Wrap,
        }
    }

    /// A prefix operator.
    pub fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span, want: Option<&Ty>) -> Result<Ev> {
        let v = self.value(operand, want)?;
        if let Operand::Known(v) = &v {
            return arith::unary(op, v, self.overflow()).map(Ev::known);
        }
        let ty = v.ty();
        let symbol = if op == UnaryOp::Neg {
            "-"
        } else if op == UnaryOp::Not {
            "!"
        } else {
            "~"
        };
        let bad = || rules::BAD_OPERAND.because(&[("op", &symbol), ("type", &ty)]).at(span);
        let r = repr(&ty).ok_or_else(bad)?;
        let a = self.reg_of(&v, span)?;
        let d = self.b().reg();
        let op = match (op, r.scalar, &ty) {
            (UnaryOp::Neg, Scalar::F32, _) => Op::FNeg { d, a },
            (UnaryOp::Neg, Scalar::F16, _) => Op::HNeg { d, a },
            (UnaryOp::Neg, _, Ty::Int(_)) if r.signed => Op::NegS { d, a, sh: r.sh() },
            (UnaryOp::BitNot, _, Ty::Int(_)) if r.signed => Op::BitNotS { d, a, sh: r.sh() },
            (UnaryOp::BitNot, _, Ty::Int(_)) => Op::BitNotU { d, a, sh: r.sh() },
            (UnaryOp::Not, Scalar::Bool, _) => Op::Not { d, a },
            _ => return Err(bad()),
        };
        self.b().emit(op);
        Ok(Ev::Value(Operand::Reg(d, ty)))
    }

    /// `and` (`stops_at` false) and `or` (`stops_at` true).
    pub fn short_circuit(&mut self, a: ExprId, b: ExprId, stops_at: bool) -> Result<Ev> {
        let span = self.span(a);
        let left = self.value_as(a, &Ty::Bool)?;
        if let Operand::Known(Value::Bool(v)) = left {
            if v == stops_at {
                return Ok(Ev::known(Value::Bool(v)));
            }
            return self.value_as(b, &Ty::Bool).map(Ev::Value);
        }
        let d = self.b().reg();
        let mark = d + 1;
        let end = self.b().label();
        let left = self.reg_of(&left, span)?;
        self.b().mov(d, left, mark);
        self.b().branch(d, stops_at, end, Op::NO_MERGE);
        self.b().conditional_depth += 1;
        let right = self.value_as(b, &Ty::Bool);
        self.b().conditional_depth -= 1;
        let right = right?;
        let right = self.reg_of(&right, span)?;
        self.b().mov(d, right, mark);
        self.b().bind(end);
        Ok(Ev::Value(Operand::Reg(d, Ty::Bool)))
    }

    /// An infix operator on two values.
    pub fn binary(&mut self, op: BinaryOp, a: Operand, b: Operand, span: Span) -> Result<Operand> {
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.shift(op, a, b, span);
        }
        if let (Operand::Known(Value::Type(_)), Operand::Known(Value::Type(_)))
        | (Operand::Known(Value::Str(_)), Operand::Known(Value::Str(_))) = (&a, &b)
        {
            return self.fold(op, &a, &b, span);
        }
        let (ta, tb) = (a.ty(), b.ty());
        let ty = peer_of_operands(&a, &b).ok_or_else(|| {
            let diag =
                rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", &ta), ("right", &tb)]).at(span);
            if ta.is_numeric() && tb.is_numeric() {
                return diag.help(format!("convert one of them: `@as({ta}, ..)`"));
            }
            diag
        })?;
        let (a, b) = (self.coerce(a, &ty, span)?, self.coerce(b, &ty, span)?);
        if let (Operand::Known(_), Operand::Known(_)) = (&a, &b) {
            return self.fold(op, &a, &b, span);
        }
        self.binary_code(op, &a, &b, &ty, span)
    }

    fn fold(&mut self, op: BinaryOp, a: &Operand, b: &Operand, span: Span) -> Result<Operand> {
        let (Operand::Known(a), Operand::Known(b)) = (a, b) else { unreachable!("both are known") };
        arith::binary(op, a, b, self.overflow()).map(Operand::Known).at(span)
    }

    fn shift(&mut self, op: BinaryOp, a: Operand, b: Operand, span: Span) -> Result<Operand> {
        if let (Operand::Known(_), Operand::Known(_)) = (&a, &b) {
            return self.fold(op, &a, &b, span);
        }
        let (ta, tb) = (a.ty(), b.ty());
        let bad =
            || rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", &ta), ("right", &tb)]).at(span);
        let amount_ok = match (&b, &tb) {
            (Operand::Known(Value::Int(_, n)), _) => !n.is_negative(),
            (_, Ty::Int(t)) => !t.signed,
            _ => false,
        };
        if !amount_ok {
            return Err(bad().help("the amount of a shift must be unsigned"));
        }
        let amount = match &b {
            Operand::Known(v) if tb == Ty::ComptimeInt => {
                Operand::Known(arith::coerce(v, &Ty::U16).at(span)?)
            }
            _ => b,
        };
        let Ty::Int(_) = ta else { return Err(bad()) };
        let r = repr(&ta).ok_or_else(bad)?;
        let (x, n) = (self.reg_of(&a, span)?, self.reg_of(&amount, span)?);
        let d = self.b().reg();
        let sh = r.sh();
        self.b().emit(match (op, r.signed) {
            (BinaryOp::Shl, true) => Op::ShlS { d, a: x, b: n, sh },
            (BinaryOp::Shl, false) => Op::ShlU { d, a: x, b: n, sh },
            (_, true) => Op::ShrS { d, a: x, b: n, sh },
            (_, false) => Op::ShrU { d, a: x, b: n, sh },
        });
        Ok(Operand::Reg(d, ta))
    }

    fn binary_code(
        &mut self,
        op: BinaryOp,
        a: &Operand,
        b: &Operand,
        ty: &Ty,
        span: Span,
    ) -> Result<Operand> {
        let bad =
            || rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", ty), ("right", ty)]).at(span);
        let r = repr(ty).ok_or_else(bad)?;
        let (x, y) = (self.reg_of(a, span)?, self.reg_of(b, span)?);
        let d = self.b().reg();
        let comparison = comparison_op(op, r.scalar, r.signed, d, x, y);
        if let Some(code) = comparison {
            let ordered = !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            if ordered && !ty.is_numeric() {
                return Err(bad());
            }
            self.b().emit(code);
            return Ok(Operand::Reg(d, Ty::Bool));
        }
        let code = match ty {
            Ty::Float(_) => float_code(op, r.scalar, d, x, y),
            Ty::Int(_) => int_code(op, r.signed, r.sh(), d, x, y),
            _ => None,
        };
        self.b().emit(code.ok_or_else(bad)?);
        Ok(Operand::Reg(d, ty.clone()))
    }
}

impl Op {
    /// A mark above every register: nothing is a temporary.
    pub const NO_MERGE: u16 = u16::MAX;
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

fn comparison_op(op: BinaryOp, scalar: Scalar, signed: bool, d: u16, a: u16, b: u16) -> Option<Op> {
    use BinaryOp::*;
    let (a, b) = if matches!(op, Gt | Ge) { (b, a) } else { (a, b) };
    Some(match (scalar, op) {
        (Scalar::F32, Eq) => Op::FEq { d, a, b },
        (Scalar::F32, Ne) => Op::FNe { d, a, b },
        (Scalar::F32, Lt | Gt) => Op::FLt { d, a, b },
        (Scalar::F32, Le | Ge) => Op::FLe { d, a, b },
        (Scalar::F16, Eq) => Op::HEq { d, a, b },
        (Scalar::F16, Ne) => Op::HNe { d, a, b },
        (Scalar::F16, Lt | Gt) => Op::HLt { d, a, b },
        (Scalar::F16, Le | Ge) => Op::HLe { d, a, b },
        (_, Eq) => Op::Eq { d, a, b },
        (_, Ne) => Op::Ne { d, a, b },
        (_, Lt | Gt) if signed => Op::LtS { d, a, b },
        (_, Lt | Gt) => Op::LtU { d, a, b },
        (_, Le | Ge) if signed => Op::LeS { d, a, b },
        (_, Le | Ge) => Op::LeU { d, a, b },
        _ => return None,
    })
}

fn float_code(op: BinaryOp, scalar: Scalar, d: u16, a: u16, b: u16) -> Option<Op> {
    Some(match (op, scalar == Scalar::F32) {
        (BinaryOp::Add, true) => Op::FAdd { d, a, b },
        (BinaryOp::Sub, true) => Op::FSub { d, a, b },
        (BinaryOp::Mul, true) => Op::FMul { d, a, b },
        (BinaryOp::Div, true) => Op::FDiv { d, a, b },
        (BinaryOp::Add, false) => Op::HAdd { d, a, b },
        (BinaryOp::Sub, false) => Op::HSub { d, a, b },
        (BinaryOp::Mul, false) => Op::HMul { d, a, b },
        (BinaryOp::Div, false) => Op::HDiv { d, a, b },
        _ => return None,
    })
}

fn int_code(op: BinaryOp, signed: bool, sh: u8, d: u16, a: u16, b: u16) -> Option<Op> {
    Some(match (op, signed) {
        (BinaryOp::Add, true) => Op::AddS { d, a, b, sh },
        (BinaryOp::Add, false) => Op::AddU { d, a, b, sh },
        (BinaryOp::Sub, true) => Op::SubS { d, a, b, sh },
        (BinaryOp::Sub, false) => Op::SubU { d, a, b, sh },
        (BinaryOp::Mul, true) => Op::MulS { d, a, b, sh },
        (BinaryOp::Mul, false) => Op::MulU { d, a, b, sh },
        (BinaryOp::Div, true) => Op::DivS { d, a, b, sh },
        (BinaryOp::Div, false) => Op::DivU { d, a, b, sh },
        (BinaryOp::Rem, true) => Op::RemS { d, a, b, sh },
        (BinaryOp::Rem, false) => Op::RemU { d, a, b, sh },
        (BinaryOp::BitAnd, _) => Op::And { d, a, b },
        (BinaryOp::BitOr, _) => Op::Or { d, a, b },
        (BinaryOp::BitXor, _) => Op::Xor { d, a, b },
        _ => return None,
    })
}
