//! The diagnostics about an assignment to something that does not change, and to a pointer instead of what it leads to.

use super::eval::EvalFrame;
use super::lower::Data;
use super::operand::{Addr, Base, Place};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::comptime as rules;
use crate::source::Span;
use crate::syntax::ast::{Decl, ExprId, ExprKind, StmtKind, VarDecl, VarKind};
use crate::value::ty::{PtrTy, Ty};

/// The diagnostic about an assignment to a value of this type, which has no place in memory.
pub fn value(frame: &EvalFrame, lhs: ExprId, ty: &Ty, span: Span) -> Diag {
    let constant = || rules::CONST_ASSIGNMENT.plain().at(span);
    if let Some(help) = instead(frame, lhs) {
        return constant().help(help);
    }
    match constant_named(frame, lhs) {
        Some(name) => constant().help(as_variable(name, ty)),
        None => rules::NOT_ASSIGNABLE.plain().at(span),
    }
}

/// The diagnostic about an assignment to a place that may not be written.
pub fn place(frame: &EvalFrame, data: &Data, place: &Place, lhs: ExprId, span: Span) -> Diag {
    if let Some(index) = index_of_comptime_variable(frame, lhs) {
        let diag = rules::NOT_COMPTIME.because(&[("what", &"an index of this comptime variable")]).at(index);
        return diag.help("declare the array without `comptime`, or give it an index that is known");
    }
    let diag = rules::CONST_ASSIGNMENT.plain().at(span);
    let global = match place {
        Place::Memory { addr: Addr { base: Base::Global(id), .. }, .. } => Some(*id),
        _ => None,
    };
    let diag = global.into_iter().fold(diag, |diag, id| diag.also(data.get(id).span, "declared here"));
    if let Some(help) = instead(frame, lhs) {
        return diag.help(help);
    }
    match global.is_some() || constant_named(frame, lhs).is_some() {
        true => diag.help("declare it `var`"),
        false => diag.help("declare it `var`, or use a pointer that is not `const`"),
    }
}

/// A better help if what is assigned to a pointer is a value of the type that it leads to.
pub fn behind_pointer(mut diag: Diag, pointer: &str, ty: &PtrTy, op: &str, have: &Ty) -> Diag {
    let fits = |to: &Ty| to == have || to.is_numeric() && have.is_numeric();
    let target = match &ty.to {
        to if fits(to) && ty.many => "[0]",
        to if fits(to) => ".*",
        Ty::Array(array) if fits(&array.elem) => ".*[0]",
        _ => return diag,
    };
    if ty.is_const || ty.to.is_comptime_only() {
        return diag;
    }
    diag.0.has_own_help = false;
    diag.help(format!("write `{pointer}{target} {op}= ..` to change what the pointer leads to"))
}

/// The help for a parameter, or an element of a loop.
fn instead(frame: &EvalFrame, lhs: ExprId) -> Option<String> {
    let file = &frame.unit.file;
    let ExprKind::Name(name) = &file.expr(lhs).kind else { return None };
    if let Some(declared) = frame.declared_at(name) {
        return (!is_variable(frame, declared)).then(|| {
            format!("parameters and elements of loops do not change: copy it, `var copy = {name};`, and change the copy")
        });
    }
    match &file.decls[*frame.unit.names.get(name)? as usize] {
        Decl::Var(v) if v.kind == VarKind::Param => Some(format!(
            "a `param` does not change when the program runs: copy it into a `var`, `var copy = {name};`"
        )),
        _ => None,
    }
}

/// The name of the constant that stands left of an assignment.
fn constant_named(frame: &EvalFrame, lhs: ExprId) -> Option<&str> {
    let file = &frame.unit.file;
    let ExprKind::Name(name) = &file.expr(lhs).kind else { return None };
    let is_constant = match frame.declared_at(name) {
        Some(declared) => is_variable(frame, declared),
        None => matches!(&file.decls[*frame.unit.names.get(name)? as usize], Decl::Var(_)),
    };
    is_constant.then_some(name)
}

/// Whether a local is declared by a statement.
fn is_variable(frame: &EvalFrame, declared: Span) -> bool {
    declaration(frame, declared).is_some()
}

fn declaration(frame: &EvalFrame, declared: Span) -> Option<&VarDecl> {
    frame.unit.file.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Var(v) if v.name.span == declared => Some(v),
        _ => None,
    })
}

/// The place of the indices behind a comptime variable, which can be assigned where all of them are known.
fn index_of_comptime_variable(frame: &EvalFrame, lhs: ExprId) -> Option<Span> {
    let file = &frame.unit.file;
    let ExprKind::Index { base, indices } = &file.expr(lhs).kind else { return None };
    let ExprKind::Name(name) = &file.expr(*base).kind else { return None };
    let v = declaration(frame, frame.declared_at(name)?)?;
    (v.comptime && v.kind == VarKind::Var).then(|| file.expr(indices[0]).span)
}

/// The help to declare a constant as a variable.
fn as_variable(name: &str, ty: &Ty) -> String {
    match ty {
        Ty::ComptimeInt => format!("declare it as a variable with a type: `var {name}: i16 = ..`"),
        ty if *ty == Ty::COMPTIME_FLOAT => {
            format!("declare it as a variable with a type: `var {name}: f32 = ..`")
        }
        _ => "declare it `var`".to_string(),
    }
}
