//! The precedence of infix operators.

use super::Builder;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::syntax::{CHAINED_COMPARISON, NOT_CSL};
use crate::syntax::ast::*;
use crate::syntax::foreign;

/// The precedence of an operator; a larger number binds tighter.
fn tightness(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Mul | Div | Rem => 8,
        Add | Sub => 7,
        Shl | Shr => 6,
        BitAnd => 5,
        BitXor => 4,
        BitOr => 3,
        Eq | Ne | Lt | Gt | Le | Ge => COMPARISON,
        And => 1,
        Or => 0,
    }
}

/// The precedence of comparisons, the only level without associativity.
const COMPARISON: u8 = 2;

impl Builder {
    /// Joins operands by precedence. All levels associate to the left, comparisons not at all.
    pub fn chain(&mut self, operands: Vec<(ExprId, BinaryOp)>, last: ExprId) -> ExprId {
        // The stack of left sides, with precedence increasing towards the top.
        let mut open: Vec<(ExprId, BinaryOp)> = Vec::new();
        for (operand, op) in operands {
            let left = self.close(&mut open, operand, tightness(op));
            self.refuse_chained_comparison(left, op);
            open.push((left, op));
        }
        self.close(&mut open, last, 0)
    }

    /// Reduces every operator on the stack that binds at least as tightly as the next one.
    fn close(&mut self, open: &mut Vec<(ExprId, BinaryOp)>, right: ExprId, next: u8) -> ExprId {
        let mut right = right;
        while let Some((left, op)) = open.pop_if(|(_, op)| tightness(*op) >= next) {
            right = self.infix(left, op, right);
        }
        right
    }

    fn infix(&mut self, left: ExprId, op: BinaryOp, right: ExprId) -> ExprId {
        let span = self.expr_span(left).to(self.expr_span(right));
        self.add_expr(ExprKind::Binary(op, left, right), span)
    }

    fn refuse_chained_comparison(&mut self, left: ExprId, op: BinaryOp) {
        // A comparison in parentheses is an operand, not part of this chain; its span shows the parentheses.
        let ExprKind::Binary(first, _, inner) = self.file.expr(left).kind else { return };
        let (span, end) = (self.expr_span(left), self.expr_span(inner).hi);
        if tightness(op) == COMPARISON && tightness(first) == COMPARISON && span.hi == end {
            if let Some(diag) = self.types_in_angles(left, op) {
                self.complain(diag);
                self.replace_expr(left, ExprKind::Error);
                return;
            }
            let help = "join two comparisons with `and`, or put one in parentheses";
            self.complain(CHAINED_COMPARISON.plain().at(span).help(help));
            // Its type would be a second mistake.
            self.replace_expr(left, ExprKind::Error);
        }
    }

    /// `static_cast<int>(x)`, `f<i16>(x)`: read as two comparisons.
    fn types_in_angles(&self, left: ExprId, op: BinaryOp) -> Option<Diag> {
        let ExprKind::Binary(BinaryOp::Lt, function, ty) = self.file.expr(left).kind else { return None };
        let name = |id: ExprId| match &self.file.expr(id).kind {
            ExprKind::Name(name) => Some(name.clone()),
            _ => None,
        };
        let (function, ty) = (name(function)?, name(ty)?);
        let known = foreign::meant_type(&ty).filter(|_| op == BinaryOp::Gt)?;
        let help = match function.as_str() {
            cast if cast.ends_with("_cast") => format!("write `@as({known}, x)`"),
            function => format!("pass the type as an argument: `{function}({known}, ..)`"),
        };
        let what = format!("`{function}<{ty}>`");
        Some(NOT_CSL.because(&[("what", &what)]).at(self.expr_span(left)).help(help))
    }
}
