//! Where a name is declared that a diagnostic is about.

use super::advice::with_text;
use super::eval::EvalFrame;
use super::files::Files;
use crate::diagnostics::rules::{comptime, dsd, tasks};
use crate::diagnostics::{Diag, Rule};
use crate::source::Span;
use crate::syntax::ast::{Decl, ExprId, ExprKind, UnaryOp};

/// Shows where the name in an argument is declared.
pub fn with_declaration(frame: &EvalFrame, c: Diag, id: ExprId) -> Diag {
    match declaration(frame, id) {
        Some(span) => c.also(span, "declared here"),
        None => c,
    }
}

/// Shows where the name is declared whose type or value is wrong, if the diagnostic is about one
/// in this statement or declaration.
pub fn with_declared_name(frame: &EvalFrame, files: &Files<'_>, c: Diag, within: Span) -> Diag {
    let c = with_text(files, c);
    if !ABOUT_A_NAME.iter().any(|rule| rule.name == c.rule()) {
        return c;
    }
    let Some(place) = c.0.primary.as_ref().map(|label| label.span) else { return c };
    if place.file != within.file || place.lo < within.lo || within.hi < place.hi {
        return c;
    }
    let name = match c.rule() == comptime::INDEX_RANGE.name {
        true => indexed(files.text(Span { hi: place.lo, ..within })),
        false => head(files.text(place)),
    };
    let Some(declared) = name.and_then(|name| declared_at(frame, name)) else { return c };
    let is_shown = c.0.others.iter().any(|label| label.span == declared);
    if is_shown || (declared.lo <= place.lo && place.hi <= declared.hi) {
        return c;
    }
    c.also(declared, "declared here")
}

/// Shows where the operands are declared that do not fit their operator.
pub fn with_operands(frame: &EvalFrame, c: Diag, left: ExprId, right: ExprId) -> Diag {
    match c.rule() == comptime::BAD_OPERANDS.name {
        true => with_declaration(frame, with_declaration(frame, c, left), right),
        false => c,
    }
}

/// Where a name is declared that can be seen here.
fn declared_at(frame: &EvalFrame, name: &str) -> Option<Span> {
    if let Some(span) = frame.declared_at(name) {
        return Some(span);
    }
    match &frame.unit.file.decls[*frame.unit.names.get(name)? as usize] {
        Decl::Var(v) => Some(v.span),
        Decl::Fn(f) => Some(f.span),
        Decl::Layout(..) | Decl::Comptime(..) => None,
    }
}

/// The DSD that an argument changes, as `d` in `@increment_dsd_offset(d, 1, u16)`, or the argument itself.
pub fn changed(frame: &EvalFrame, id: ExprId) -> ExprId {
    match &frame.unit.file.expr(id).kind {
        ExprKind::Builtin { name, args } if is_change(&name.name) => {
            args.first().map_or(id, |dsd| changed(frame, *dsd))
        }
        _ => id,
    }
}

fn is_change(builtin: &str) -> bool {
    builtin.starts_with("set_dsd_") || builtin == "increment_dsd_offset"
}

/// Where the name in an argument, perhaps behind an `&`, is declared.
pub fn declaration(frame: &EvalFrame, id: ExprId) -> Option<Span> {
    let mut expr = frame.unit.file.expr(id);
    while let ExprKind::Unary(UnaryOp::AddressOf, of) = &expr.kind {
        expr = frame.unit.file.expr(*of);
    }
    let ExprKind::Name(name) = &expr.kind else { return None };
    if let Some(span) = frame.declared_at(name) {
        return Some(span);
    }
    match &frame.unit.file.decls[*frame.unit.names.get(name)? as usize] {
        Decl::Var(v) => Some(v.span),
        Decl::Fn(_) | Decl::Layout(..) | Decl::Comptime(..) => None,
    }
}

/// Rules about the type or the value of something that may have a name.
const ABOUT_A_NAME: &[&Rule] = &[
    &comptime::ARRAY_SIZE,
    &comptime::BAD_ALIGNMENT,
    &comptime::BAD_BITCAST,
    &comptime::BAD_CAST,
    &comptime::COMPTIME_ONLY,
    &comptime::CONST_ASSIGNMENT,
    &comptime::DEREF_MANY,
    &comptime::INDEX_COUNT,
    &comptime::INDEX_RANGE,
    &comptime::INTEGER_OVERFLOW,
    &comptime::NOT_A_POINTER,
    &comptime::NOT_A_STRUCT,
    &comptime::NOT_A_TYPE,
    &comptime::NOT_ASSIGNABLE,
    &comptime::NOT_CALLABLE,
    &comptime::NOT_INDEXABLE,
    &comptime::NOT_ITERABLE,
    &comptime::TASK_CALL,
    &comptime::TYPE_MISMATCH,
    &comptime::UNDEFINED_VALUE,
    &comptime::UNSUPPORTED_WIDTH,
    &dsd::ACCESS_TARGET,
    &dsd::DSD_BASE,
    &dsd::DSD_KIND,
    &dsd::DSD_UNDEFINED,
    &dsd::DSR_TYPE,
    &dsd::FIFO_ARGUMENT,
    &dsd::MAP_ANYTYPE,
    &dsd::OPERAND_TYPE,
    &tasks::NOT_ACTIVATABLE,
    &tasks::NOT_A_TASK,
];

/// The name at the beginning of an expression that is nothing but a name, and what an index, a call
/// or a pointer add to it.
fn head(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('&');
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_suffix =
        rest.is_empty() || rest == ".*" || rest.starts_with(['[', '(']) && rest.ends_with([']', ')']);
    (is_name && is_suffix).then_some(name)
}

/// The name in front of the bracket that is open at the end of a text.
fn indexed(before: &str) -> Option<&str> {
    let mut depth = 0;
    let open = before.char_indices().rev().find_map(|(at, c)| {
        match c {
            ']' | ')' => depth += 1,
            '[' if depth == 0 => return Some(at),
            '[' | '(' => depth -= 1,
            _ => {}
        }
        None
    })?;
    let base = &before[..open];
    let start = base.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    head(&base[start..])
}
