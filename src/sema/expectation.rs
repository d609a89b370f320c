//! The type that the context of an expression expects.
//!
//! In: an expression as it is written. Out: whether its type may depend on that. Never: evaluates it.

use crate::syntax::ast::{ExprId, ExprKind, File};
use crate::value::ty::Ty;

/// The type that an expression should have.
#[derive(Copy, Clone, Debug)]
pub enum Expectation<'t> {
    /// It has whatever type it has.
    Nothing,
    /// It must have this type.
    Exactly(&'t Ty),
    /// It may have another type, but literals that are chosen at run time become values of this one:
    /// `n < (if (late) 7 else 38)`.
    OfLiterals(&'t Ty),
}

impl<'t> Expectation<'t> {
    /// The type that is asked for, if any.
    pub fn ty(self) -> Option<&'t Ty> {
        match self {
            Expectation::Nothing => None,
            Expectation::Exactly(ty) | Expectation::OfLiterals(ty) => Some(ty),
        }
    }

    /// What is asked of the operands of an operator whose result has their type.
    pub fn of_operands(self) -> Expectation<'t> {
        self.ty().map_or(Expectation::Nothing, Expectation::OfLiterals)
    }
}

impl<'t> From<Option<&'t Ty>> for Expectation<'t> {
    fn from(ty: Option<&'t Ty>) -> Expectation<'t> {
        ty.map_or(Expectation::Nothing, Expectation::Exactly)
    }
}

/// Whether an expression may choose one of several literals: an `if`, a `switch` or a block, or an operator
/// with one as operand.
pub fn may_choose(file: &File, id: ExprId) -> bool {
    match &file.expr(id).kind {
        ExprKind::If { .. } | ExprKind::Switch { .. } | ExprKind::Block(_) => true,
        ExprKind::Unary(_, operand) => may_choose(file, *operand),
        ExprKind::Binary(_, a, b) => may_choose(file, *a) || may_choose(file, *b),
        _ => false,
    }
}

/// Whether an expression chooses nothing, so that its type can be found before its turn at little cost.
pub fn is_plain(file: &File, id: ExprId) -> bool {
    let plain = |id: &ExprId| is_plain(file, *id);
    match &file.expr(id).kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Name(_) => true,
        ExprKind::Builtin { args, .. } => args.iter().all(plain),
        ExprKind::Call { callee, args } => plain(callee) && args.iter().all(plain),
        ExprKind::Field { base, .. } => plain(base),
        ExprKind::Deref(base) | ExprKind::Unary(_, base) => plain(base),
        ExprKind::Index { base, indices } => plain(base) && indices.iter().all(plain),
        ExprKind::Binary(_, a, b) => plain(a) && plain(b),
        _ => false,
    }
}
