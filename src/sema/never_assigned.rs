//! Globals without a value that code reads, although nothing gives them one.

use super::effects::root;
use super::unit::Unit;
use super::uses::Uses;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::comptime as rules;
use crate::image::ExportName;
use crate::source::{FileId, Span};
use crate::syntax::ast::{Decl, ExprId, ExprKind, Linkage, Name, VarDecl, VarKind};
use crate::value::ty::Ty;

/// The warnings about such globals of a program that is complete. What no code uses is no concern; what only code that is
/// not used assigns counts as assigned.
pub fn never_assigned(uses: &Uses, exports: &[ExportName]) -> Vec<Diag> {
    let mut found = Vec::new();
    for (unit, _) in uses.files.values() {
        for (n, decl) in unit.file.decls.iter().enumerate() {
            let Decl::Var(v) = decl else { continue };
            let name = &v.name.name;
            let is_unset = is_number_without_value(unit, v) && uses.has(unit, n) && !may_be_set(unit, name);
            // The host may also name a variable that only the layout exports.
            let is_out = exports.iter().any(|export| export.name == name.as_str());
            if is_unset && !is_out && !is_named_elsewhere(uses, unit.file.id, name) {
                found.push(diagnostic(unit, v));
            }
        }
    }
    found
}

fn diagnostic(unit: &Unit, v: &VarDecl) -> Diag {
    let diag = rules::NEVER_ASSIGNED.because(&[("name", &v.name.name)]).at(v.span);
    match first_mention(unit, &v.name.name) {
        Some(read) => diag.also(read, "read here"),
        None => diag,
    }
}

/// Arrays and pointers are assigned in more ways than numbers.
fn is_number_without_value(unit: &Unit, v: &VarDecl) -> bool {
    let is_number = |ty: ExprId| match &unit.file.expr(ty).kind {
        ExprKind::Name(name) => Ty::predeclared(name).is_some_and(|ty| ty.is_numeric() || ty == Ty::Bool),
        _ => false,
    };
    let is_unset = v.init.is_none_or(|init| matches!(unit.file.expr(init).kind, ExprKind::Undefined));
    v.kind == VarKind::Var && v.linkage == Linkage::Plain && is_unset && v.ty.is_some_and(is_number)
}

/// Whether its own file assigns a global, takes its address, or gives it to the host or to a DSD.
fn may_be_set(unit: &Unit, name: &Name) -> bool {
    let is_it = |e: &ExprId| root(&unit.file, *e).is_some_and(|(_, of)| of == name);
    let hands_out = |kind: &ExprKind| match kind {
        ExprKind::Access { target, .. } => is_it(target),
        ExprKind::Builtin { name, args } => name.name.starts_with("export") && args.iter().any(is_it),
        _ => false,
    };
    unit.may_assign(name) || unit.file.exprs.iter().any(|expr| hands_out(&expr.kind))
}

/// Whether another file has a field of this name, which may be the global as a member of its module.
fn is_named_elsewhere(uses: &Uses, file: FileId, name: &Name) -> bool {
    let others = uses.files.values().filter(|(unit, _)| unit.file.id != file);
    let mut kinds = others.flat_map(|(unit, _)| unit.file.exprs.iter().map(|expr| &expr.kind));
    kinds.any(|kind| matches!(kind, ExprKind::Field { name: field, .. } if field.name == *name))
}

/// Where a file first mentions a name.
fn first_mention(unit: &Unit, name: &Name) -> Option<Span> {
    let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Name(other) if other == name);
    let mentions = unit.file.exprs.iter().filter(|expr| is_it(&expr.kind)).map(|expr| expr.span);
    mentions.min_by_key(|span| span.lo)
}
