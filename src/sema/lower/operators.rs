//! Operators on registers.

use super::code::Lower;
use crate::image::Scalar;
use crate::image::code::{Op, Reg};
use crate::sema::operand::{Operand, Repr, repr};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::ty::Ty;

impl Lower {
    /// A prefix operator on a value of this type; `None` if it takes no such value.
    pub fn unary(&mut self, op: UnaryOp, a: Reg, ty: Ty) -> Option<Operand> {
        let r = repr(&ty)?;
        if r.scalar.is_other_half() {
            let wide = self.widen(a, r.scalar);
            let result = self.unary(op, wide, Ty::F32)?;
            return Some(self.rounded(result, &ty, r.scalar));
        }
        let d = self.b().reg();
        let op = match (op, r.scalar, &ty) {
            (UnaryOp::Neg, Scalar::F32, _) => Op::FNeg { d, a },
            (UnaryOp::Neg, Scalar::F16, _) => Op::HNeg { d, a },
            (UnaryOp::Neg, _, Ty::Int(_)) if r.signed => Op::NegS { d, a, sh: r.sh() },
            (UnaryOp::BitNot, _, Ty::Int(_)) if r.signed => Op::BitNotS { d, a, sh: r.sh() },
            (UnaryOp::BitNot, _, Ty::Int(_)) => Op::BitNotU { d, a, sh: r.sh() },
            (UnaryOp::Not, Scalar::Bool, _) => Op::Not { d, a },
            _ => return None,
        };
        self.b().emit(op);
        Some(Operand::Reg(d, ty))
    }

    /// An infix operator on two values of one type; `None` if it takes no such values.
    pub fn binary(&mut self, op: BinaryOp, (a, b): (Reg, Reg), ty: &Ty) -> Option<Operand> {
        let r = repr(ty)?;
        if r.scalar.is_other_half() {
            // Rounding the result of f32 once more rounds correctly, see `value::f16`.
            let wide = (self.widen(a, r.scalar), self.widen(b, r.scalar));
            let result = self.binary(op, wide, &Ty::F32)?;
            return Some(self.rounded(result, ty, r.scalar));
        }
        let d = self.b().reg();
        if let Some(code) = comparison_op(op, r.scalar, r.signed, d, a, b) {
            let ordered = !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            if ordered && !ty.is_numeric() {
                return None;
            }
            self.b().emit(code);
            return Some(Operand::Reg(d, Ty::Bool));
        }
        let code = match ty {
            Ty::Float(_) => float_code(op, r.scalar, d, a, b),
            Ty::Int(_) => int_code(op, r.signed, r.sh(), d, a, b),
            _ => None,
        };
        self.b().emit(code?);
        Some(Operand::Reg(d, ty.clone()))
    }

    /// `a << n` and `a >> n`; `r` is how `a` lies in its register.
    pub fn shift(&mut self, op: BinaryOp, a: Reg, n: Reg, r: Repr) -> Reg {
        let d = self.b().reg();
        let sh = r.sh();
        self.b().emit(match (op, r.signed) {
            (BinaryOp::Shl, true) => Op::ShlS { d, a, b: n, sh },
            (BinaryOp::Shl, false) => Op::ShlU { d, a, b: n, sh },
            (_, true) => Op::ShrS { d, a, b: n, sh },
            (_, false) => Op::ShrU { d, a, b: n, sh },
        });
        d
    }

    /// Widens a 16-bit float to an f32.
    pub fn widen(&mut self, a: Reg, from: Scalar) -> Reg {
        let d = self.b().reg();
        self.b().emit(Op::Convert { d, a, from, to: Scalar::F32 });
        d
    }

    /// A result of f32 operations as the 16-bit float that it is computed for; a comparison has none.
    fn rounded(&mut self, result: Operand, ty: &Ty, to: Scalar) -> Operand {
        let Operand::Reg(a, Ty::F32) = result else { return result };
        let d = self.b().reg();
        self.b().emit(Op::Convert { d, a, from: Scalar::F32, to });
        Operand::Reg(d, ty.clone())
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
