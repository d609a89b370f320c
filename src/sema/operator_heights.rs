//! Which expressions of a file are made of names, literals, operators and `@as`: those that the short path of
//! `known_arithmetic` may compute.

use crate::syntax::ast::{self, ExprId, ExprKind, UnaryOp};

/// Expressions that nest deeper are left to the general path.
const MAX_HEIGHT: u8 = 24;

/// For each expression of a file, how deeply its operators nest: 1 for a name or a literal, 0 if it is made of anything
/// else, or nests too deeply.
pub fn heights(file: &ast::File) -> Vec<u8> {
    let mut heights: Vec<u8> = Vec::with_capacity(file.exprs.len());
    for expr in &file.exprs {
        // Operands stand before the operators that they belong to.
        let of = |id: &ExprId| {
            heights.get(id.0 as usize).copied().filter(|height| (1..MAX_HEIGHT).contains(height))
        };
        let height = match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Name(_) => Some(1),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot | UnaryOp::Not, a) => of(a).map(|a| a + 1),
            ExprKind::Binary(_, a, b) => of(a).zip(of(b)).map(|(a, b)| a.max(b) + 1),
            ExprKind::Builtin { name, args } if name.name == "as" => match args.as_slice() {
                [ty, value] if of(ty) == Some(1) => of(value).map(|value| value + 1),
                _ => None,
            },
            _ => None,
        };
        heights.push(height.unwrap_or(0));
    }
    heights
}
