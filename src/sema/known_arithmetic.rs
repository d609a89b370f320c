//! Arithmetic with integers and bools that are known: most of what a layout block computes for each PE.
//!
//! In: an expression whose operands are literals, comptime variables and constants. Out: its value, if that is an
//! integer of at most 128 bits or a bool. Never: an error, an effect; whatever is not as usual is left to the general
//! path in `expr`, which then evaluates the expression from its beginning.
//!
//! Fast path: with it, and with the places where names found their locals last (`EvalFrame::find_named`), `cslrun check`
//! executes 0.69 of the instructions for 64 x 64 PEs of jmazzatorta/laplace-fmmki-wse3, whose layout computes the places of
//! all PEs in a tree.
//! `CompileOptions::memo` and `--engine plain` switch it off; `tests/it/known_arithmetic.rs` compares both with drawn
//! expressions, and `tests/it/engines.rs` with every case.

use super::arith::Overflow;
use super::eval::Binding;
use super::unit::{DeclState, Unit};
use super::value::Value;
use super::walk::Sema;
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, Ident, Name, UnaryOp};
use crate::value::number::Integer;
use crate::value::ty::{IntTy, Ty};
use std::rc::Rc;

/// A value of this path.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Known {
    /// An integer of a type; of none if it is a `comptime_int`.
    Int(Option<IntTy>, i128),
    Bool(bool),
}

impl Known {
    fn of(value: &Value) -> Option<Known> {
        match value {
            Value::Int(ty, Integer::Small(n)) => Some(Known::Int(*ty, *n)),
            Value::Bool(b) => Some(Known::Bool(*b)),
            _ => None,
        }
    }

    fn bool(self) -> Option<bool> {
        match self {
            Known::Bool(b) => Some(b),
            Known::Int(..) => None,
        }
    }
}

impl From<Known> for Value {
    fn from(known: Known) -> Value {
        match known {
            Known::Int(ty, n) => Value::Int(ty, Integer::Small(n)),
            Known::Bool(b) => Value::Bool(b),
        }
    }
}

/// One expression that is evaluated.
struct Arithmetic<'a, 's> {
    sema: &'a mut Sema<'s>,
    unit: &'a Unit,
    overflow: Overflow,
    /// Comptime steps that it has taken.
    steps: u64,
}

impl Sema<'_> {
    /// The value of an expression, if it is one of integers and bools that are known.
    pub(super) fn known_arithmetic(&mut self, id: ExprId) -> Option<Value> {
        if !self.options.memo || self.frame().unit.heights[id.0 as usize] < 2 {
            return None;
        }
        let unit: Rc<Unit> = self.unit();
        let overflow = self.eval.overflow();
        let mut arithmetic = Arithmetic { sema: self, unit: &unit, overflow, steps: 0 };
        let known = arithmetic.value(id)?;
        let steps = arithmetic.steps;
        self.eval.budget.take(steps)?;
        Some(known.into())
    }
}

impl Arithmetic<'_, '_> {
    fn value(&mut self, id: ExprId) -> Option<Known> {
        self.steps += 1;
        match &self.unit.file.expr(id).kind {
            ExprKind::Int(n) => Known::of(&Value::Int(None, Integer::of(n))),
            ExprKind::Bool(b) => Some(Known::Bool(*b)),
            ExprKind::Name(name) => self.name(id, name),
            ExprKind::Unary(op, a) => self.unary(*op, *a),
            ExprKind::Binary(BinaryOp::And, a, b) => self.short_circuit(*a, *b, false),
            ExprKind::Binary(BinaryOp::Or, a, b) => self.short_circuit(*a, *b, true),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                self.binary(*op, a, b)
            }
            ExprKind::Builtin { name, args } => self.conversion(name, args),
            _ => None,
        }
    }

    fn name(&mut self, id: ExprId, name: &Name) -> Option<Known> {
        if let Some(binding) = self.sema.eval.local_at(id, name) {
            return match binding {
                Binding::Known(value) | Binding::Variable { value, skipped: None, .. } => Known::of(value),
                _ => None,
            };
        }
        let decl = *self.unit.names.get(name)?;
        let instance = self.sema.frame().instance;
        let DeclState::Global(id) = self.sema.instance(instance).decls[decl as usize] else { return None };
        let global = self.sema.global(id);
        let known = Known::of(&global.value).filter(|_| !global.is_var)?;
        self.sema.note_global_use(instance, decl, id);
        Some(known)
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId) -> Option<Known> {
        match (op, self.value(a)?) {
            (UnaryOp::Not, Known::Bool(b)) => Some(Known::Bool(!b)),
            (UnaryOp::Neg, Known::Int(ty, n)) if ty.is_none_or(|ty| ty.signed) => fit(ty, n.checked_neg()?),
            (UnaryOp::BitNot, Known::Int(Some(ty), n)) => wrap(ty, !n),
            _ => None,
        }
    }

    fn short_circuit(&mut self, a: ExprId, b: ExprId, stops_at: bool) -> Option<Known> {
        let left = self.value(a)?.bool()?;
        if left == stops_at { Some(Known::Bool(left)) } else { self.value(b)?.bool().map(Known::Bool) }
    }

    fn binary(&self, op: BinaryOp, a: Known, b: Known) -> Option<Known> {
        use BinaryOp::*;
        let (a, b) = match (a, b) {
            (Known::Int(s, x), Known::Int(t, y)) if matches!(op, Shl | Shr) => {
                return shift(op, (s, x), (t, y));
            }
            (Known::Int(s, x), Known::Int(t, y)) => ((s, x), (t, y)),
            (Known::Bool(a), Known::Bool(b)) => return equal(op, a == b),
            (Known::Int(..), Known::Bool(_)) | (Known::Bool(_), Known::Int(..)) => return None,
        };
        let ty = match (a.0, b.0) {
            (s, t) if s == t => s,
            (Some(ty), None) => fit(Some(ty), b.1).and(a.0),
            (None, Some(ty)) => fit(Some(ty), a.1).and(b.0),
            _ => return None,
        };
        if ty.is_none() && a.0 != b.0 {
            return None;
        }
        let (x, y) = (a.1, b.1);
        let result = match op {
            Add => x.checked_add(y)?,
            Sub => x.checked_sub(y)?,
            Mul => x.checked_mul(y)?,
            Div => x.checked_div(y)?,
            Rem => x.checked_rem(y)?,
            BitAnd => x & y,
            BitOr => x | y,
            BitXor => x ^ y,
            Lt => return Some(Known::Bool(x < y)),
            Gt => return Some(Known::Bool(x > y)),
            Le => return Some(Known::Bool(x <= y)),
            Ge => return Some(Known::Bool(x >= y)),
            Eq | Ne => return equal(op, x == y),
            Shl | Shr | And | Or => return None,
        };
        match (ty, self.overflow) {
            (Some(ty), Overflow::Wrap) => wrap(ty, result),
            (ty, _) => fit(ty, result),
        }
    }

    /// `@as(ty, value)`, with a type of integers.
    fn conversion(&mut self, name: &Ident, args: &[ExprId]) -> Option<Known> {
        let [ty, value] = args else { return None };
        let ExprKind::Name(ty) = &self.unit.file.expr(*ty).kind else { return None };
        if name.name != "as" || self.sema.eval.local(ty).is_some() || self.unit.names.contains_key(ty) {
            return None;
        }
        let Ty::Int(ty) = Ty::predeclared(ty)? else { return None };
        // The name of the type is a step, too.
        self.steps += 1;
        match self.value(*value)? {
            Known::Int(Some(_), n) if self.overflow == Overflow::Wrap => wrap(ty, n),
            Known::Int(_, n) => fit(Some(ty), n),
            Known::Bool(b) => fit(Some(ty), b.into()),
        }
    }
}

fn equal(op: BinaryOp, same: bool) -> Option<Known> {
    match op {
        BinaryOp::Eq => Some(Known::Bool(same)),
        BinaryOp::Ne => Some(Known::Bool(!same)),
        _ => None,
    }
}

/// A number of a type, if the type holds it.
fn fit(ty: Option<IntTy>, n: i128) -> Option<Known> {
    ty.is_none_or(|ty| wrapped(ty, n) == Some(n)).then_some(Known::Int(ty, n))
}

/// The number that a type makes of the lowest bits of another.
fn wrap(ty: IntTy, n: i128) -> Option<Known> {
    wrapped(ty, n).map(|n| Known::Int(Some(ty), n))
}

fn wrapped(ty: IntTy, n: i128) -> Option<i128> {
    let unused = 128 - Some(ty.bits).filter(|bits| (1..128).contains(bits))?;
    Some(if ty.signed { n << unused >> unused } else { ((n as u128) << unused >> unused) as i128 })
}

fn shift(
    op: BinaryOp,
    (ty, x): (Option<IntTy>, i128),
    (amount_ty, amount): (Option<IntTy>, i128),
) -> Option<Known> {
    if amount_ty.is_some_and(|ty| ty.signed) {
        return None;
    }
    let amount = u32::try_from(amount).ok().filter(|n| *n < ty.map_or(64, |ty| ty.bits.min(64)))?;
    match (op, ty) {
        (BinaryOp::Shr, _) => Some(Known::Int(ty, x >> amount)),
        // Nothing is lost before the bits are cut off.
        (_, Some(ty)) => wrap(ty, x << amount),
        (_, None) => i64::try_from(x).ok().map(|x| Known::Int(None, i128::from(x) << amount)),
    }
}
