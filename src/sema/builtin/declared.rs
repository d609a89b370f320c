//! What a complaint about an argument says besides its own place.

use crate::diagnostics::{Complaint, Rule};
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::{Decl, ExprId, ExprKind, UnaryOp};

impl Sema<'_> {
    /// Shows where the name in an argument is declared.
    pub fn with_declaration(&self, c: Complaint, id: ExprId) -> Complaint {
        match self.declaration(id) {
            Some(span) => c.also(span, "declared here"),
            None => c,
        }
    }

    /// Where the name in an argument, perhaps behind an `&`, is declared.
    pub fn declaration(&self, id: ExprId) -> Option<Span> {
        let frame = self.frame();
        let mut expr = frame.unit.file.expr(id);
        while let ExprKind::Unary(UnaryOp::AddressOf, of) = &expr.kind {
            expr = frame.unit.file.expr(*of);
        }
        let ExprKind::Name(name) = &expr.kind else { return None };
        if let Some((scope, slot)) = self.find_local(name) {
            return Some(frame.scopes[scope].names[slot].2);
        }
        match &frame.unit.file.decls[*frame.unit.names.get(name)? as usize] {
            Decl::Var(v) => Some(v.span),
            Decl::Fn(_) | Decl::Layout(..) | Decl::Comptime(..) => None,
        }
    }
}

/// What is not known at comptime, or does not fit, is `own` where that says more; the places stay.
pub fn instead_of(general: &Rule, c: Complaint, own: Complaint) -> Complaint {
    if c.rule() != general.name {
        return c;
    }
    let mut own = own;
    own.0.primary = c.0.primary;
    own.0.others = c.0.others;
    own
}
