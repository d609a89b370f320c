//! Operands whose order decides the result: one calls a function that changes what the other uses
//! (entry UB-057). Only what names say is looked at: globals of the file and functions of the file.

use super::effects::Uses;
use super::eval::Eval;
use super::unit::Unit;
use super::walk::Sema;
use crate::diagnostics::rules::comptime::OPERAND_ORDER;
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprId, ExprKind, Name, UnaryOp};
use indexmap::IndexSet;

/// Warns when the order of two operands can be seen.
pub fn check_order(sema: &mut Sema<'_>, a: ExprId, op: BinaryOp, b: ExprId, span: Span) {
    let unit = sema.unit();
    if unit.library || sema.is_comptime() || unit.effects.0.is_empty() {
        return;
    }
    let (left, right) = (uses(&sema.eval, &unit, a), uses(&sema.eval, &unit, b));
    let clash = [(&left, &right), (&right, &left)].into_iter().find_map(|(one, other)| {
        one.1.writes.iter().find(|name| other.0.contains(*name) || other.1.reads.contains(*name))
    });
    // Two numbers of a generator may change places in a sum.
    let same = || commutes(op) && sema.snippet(a) == sema.snippet(b);
    if let Some(name) = clash.filter(|_| !same()) {
        let diag = OPERAND_ORDER.because(&[("name", name)]).at(span);
        sema.report(diag.help("compute one of the operands in a separate statement first"));
    }
}

/// The same for the arguments of a call, and the elements of an array or a struct.
pub fn check_all(sema: &mut Sema<'_>, operands: &[ExprId], span: Span) {
    let unit = sema.unit();
    if operands.len() < 2 || unit.library || sema.is_comptime() || unit.effects.0.is_empty() {
        return;
    }
    let all: Vec<_> = operands.iter().map(|operand| uses(&sema.eval, &unit, *operand)).collect();
    let clash = all.iter().enumerate().find_map(|(n, one)| {
        let others = || all.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, other)| other);
        one.1
            .writes
            .iter()
            .find(|name| others().any(|other| other.0.contains(*name) || other.1.reads.contains(*name)))
    });
    if let Some(name) = clash {
        let diag = OPERAND_ORDER.because(&[("name", name)]).at(span);
        sema.report(diag.help("compute one of the operands in a separate statement first"));
    }
}

/// The globals that an operand names, and those that the functions use which it calls.
fn uses(eval: &Eval, unit: &Unit, operand: ExprId) -> (IndexSet<Name>, Uses) {
    let (mut named, mut called) = (IndexSet::new(), Uses::default());
    // An address does not change with the variable.
    let mut addressed: Vec<Span> = Vec::new();
    for e in below(&unit.file, operand) {
        match &e.kind {
            ExprKind::Unary(UnaryOp::AddressOf, of) => addressed.push(unit.file.expr(*of).span),
            ExprKind::Name(_) if addressed.iter().any(|of| of.lo <= e.span.lo && e.span.hi <= of.hi) => {}
            ExprKind::Name(name) if eval.frame().declared_at(name).is_none() => {
                named.insert(name.clone());
            }
            ExprKind::Call { callee, .. } => {
                let ExprKind::Name(name) = &unit.file.expr(*callee).kind else { continue };
                let Some(uses) = unit.effects.0.get(name) else { continue };
                called.reads.extend(uses.reads.iter().cloned());
                called.writes.extend(uses.writes.iter().cloned());
            }
            _ => {}
        }
    }
    (named, called)
}

fn commutes(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Mul | BitAnd | BitXor | BitOr | Eq | Ne)
}

/// An expression and its parts. Parts are written before the whole.
fn below(file: &ast::File, id: ExprId) -> impl Iterator<Item = &ast::Expr> {
    let whole = file.expr(id).span;
    let before = file.exprs[..=id.0 as usize].iter().rev();
    let near = before.take_while(move |e| e.span.hi > whole.lo);
    near.filter(move |e| e.span.lo >= whole.lo && e.span.hi <= whole.hi)
}
