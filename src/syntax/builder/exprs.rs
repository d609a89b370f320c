//! Actions for expressions and types.

use super::{Builder, Switch};
use crate::diagnostics::rules::syntax::SYNTAX_ERROR;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::syntax::literal::{self, NumberLiteral};

impl Builder {
    /// A number that the scanner has checked.
    pub fn number(&mut self, text: &str, lo: usize, hi: usize) -> ExprId {
        let kind = match literal::number(text) {
            Ok(NumberLiteral::Int(value)) => ExprKind::Int(value),
            Ok(NumberLiteral::Float(value)) => ExprKind::Float(value),
            Err(_) => ExprKind::Error,
        };
        self.expr(kind, lo, hi)
    }

    /// A string that the scanner has checked.
    pub fn string(&mut self, text: &str, lo: usize, hi: usize) -> ExprId {
        let kind = literal::string(text).map_or(ExprKind::Error, ExprKind::Str);
        self.expr(kind, lo, hi)
    }

    /// A character that the scanner has checked.
    pub fn character(&mut self, text: &str, lo: usize, hi: usize) -> ExprId {
        let kind = literal::character(text).map_or(ExprKind::Error, |c| ExprKind::Int(c.into()));
        self.expr(kind, lo, hi)
    }

    /// A name.
    pub fn name(&mut self, name: Ident) -> ExprId {
        self.add_expr(ExprKind::Name(name.name), name.span)
    }

    /// `@name(args)`
    pub fn builtin(&mut self, name: Ident, args: Vec<ExprId>, hi: usize) -> ExprId {
        let span = Span { hi: hi as u32, ..name.span };
        self.add_expr(ExprKind::Builtin { name, args }, span)
    }

    /// `(e)` is `e` with a wider span.
    pub fn paren(&mut self, inner: ExprId, lo: usize, hi: usize) -> ExprId {
        self.file.exprs[inner.0 as usize].span = self.span(lo, hi);
        inner
    }

    fn behind(&mut self, base: ExprId, kind: ExprKind, hi: usize) -> ExprId {
        let span = Span { hi: hi as u32, ..self.expr_span(base) };
        self.add_expr(kind, span)
    }

    /// `base.name`
    pub fn field(&mut self, base: ExprId, name: Ident) -> ExprId {
        let hi = name.span.hi as usize;
        self.behind(base, ExprKind::Field { base, name }, hi)
    }

    /// `base.*`
    pub fn deref(&mut self, base: ExprId, hi: usize) -> ExprId {
        self.behind(base, ExprKind::Deref(base), hi)
    }

    /// `base[i, j]`
    pub fn index(&mut self, base: ExprId, indices: Vec<ExprId>, hi: usize) -> ExprId {
        self.behind(base, ExprKind::Index { base, indices }, hi)
    }

    /// `callee(args)`
    pub fn call(&mut self, callee: ExprId, args: Vec<ExprId>, hi: usize) -> ExprId {
        self.behind(callee, ExprKind::Call { callee, args }, hi)
    }

    /// `T{ .a = x }`
    pub fn struct_literal(&mut self, ty: ExprId, fields: Vec<(Ident, ExprId)>, hi: usize) -> ExprId {
        self.behind(ty, ExprKind::Struct { ty: Some(ty), fields }, hi)
    }

    /// `[dims]elem{ items }`
    pub fn array_literal(
        &mut self,
        lo: usize,
        dims: Vec<ExprId>,
        elem: ExprId,
        items: Vec<ExprId>,
        hi: usize,
    ) -> ExprId {
        let ty = self.array_type(lo, dims, elem);
        self.behind(ty, ExprKind::Array { ty, items }, hi)
    }

    /// `|i,j|{M,N} -> A[e, f]`
    pub fn access(&mut self, lo: usize, vars: Vec<Ident>, lengths: Vec<ExprId>, target: ExprId) -> ExprId {
        let span = self.up_to(lo, target);
        match self.replace_expr(target, ExprKind::Error) {
            ExprKind::Index { base, indices } => {
                self.add_expr(ExprKind::Access { vars, lengths, target: base, indices }, span)
            }
            other => {
                let facts: [(&str, &dyn std::fmt::Display); 2] =
                    [("expected", &"an element such as `A[i]` after `->`"), ("found", &"something else")];
                let diag = SYNTAX_ERROR.because(&facts).at(self.expr_span(target));
                let indices: Vec<&str> = vars.iter().map(|var| var.name.as_str()).collect();
                let help = match other {
                    ExprKind::Name(array) => format!("write `{array}[{}]`", indices.join(", ")),
                    _ => format!("write an element, such as `A[{}]`", indices.join(", ")),
                };
                self.complain(diag.help(help));
                self.add_expr(ExprKind::Error, span)
            }
        }
    }

    /// Prefix operator.
    pub fn prefix(&mut self, lo: usize, op: UnaryOp, operand: ExprId) -> ExprId {
        self.add_expr(ExprKind::Unary(op, operand), self.up_to(lo, operand))
    }

    /// `comptime e`
    pub fn comptime(&mut self, lo: usize, inner: ExprId) -> ExprId {
        self.add_expr(ExprKind::Comptime(inner), self.up_to(lo, inner))
    }

    /// `if` as an expression.
    pub fn if_expr(&mut self, lo: usize, cond: ExprId, then: ExprId, els: Option<ExprId>) -> ExprId {
        let span = self.up_to(lo, els.unwrap_or(then));
        self.add_expr(ExprKind::If { cond, then, els }, span)
    }

    /// `switch` as an expression.
    pub fn switch_expr(&mut self, switch: Switch) -> ExprId {
        let Switch { scrutinee, prongs, span } = switch;
        let prongs = prongs.into_iter().map(|p| self.map_prong(p, Builder::stmt_value)).collect();
        self.add_expr(ExprKind::Switch { scrutinee, prongs }, span)
    }
}

/// Types.
impl Builder {
    /// `*T`
    pub fn pointer(&mut self, lo: usize, is_const: bool, to: ExprId) -> ExprId {
        self.add_expr(ExprKind::PtrTy { is_const, to }, self.up_to(lo, to))
    }

    /// `[*]T`
    pub fn many_pointer(&mut self, lo: usize, is_const: bool, to: ExprId) -> ExprId {
        self.add_expr(ExprKind::ManyPtrTy { is_const, to }, self.up_to(lo, to))
    }

    /// `[n, m]T`
    pub fn array_type(&mut self, lo: usize, dims: Vec<ExprId>, elem: ExprId) -> ExprId {
        self.add_expr(ExprKind::ArrayTy { dims, elem }, self.up_to(lo, elem))
    }

    /// `fn (A, B) R`
    pub fn fn_type(&mut self, lo: usize, task: bool, params: Vec<FnParam>, ret: ExprId) -> ExprId {
        self.add_expr(ExprKind::FnTy { task, params, ret }, self.up_to(lo, ret))
    }
}
