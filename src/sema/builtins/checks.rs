//! What a program asks and says while it is compiled, and what it asserts.

use super::arguments;
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, Name, UnaryOp};
use crate::value::ty::Ty;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "is_comptime", takes: 0..=0, phase: Phase::Anywhere, is_pure: true,
        usage: "@is_comptime()",
        doc: "whether this is evaluated at comptime",
        run: Run::Known(|s, _| Ok(Value::Bool(s.is_comptime()))), ..USUAL },
    Builtin { name: "is_arch", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@is_arch(name)",
        doc: "whether the program is compiled for this machine",
        run: Run::Known(|s, call| is_arch(s, call.args[0])), ..USUAL },
    Builtin { name: "comptime_assert", takes: 1..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@comptime_assert(condition, message)",
        doc: "rejects the program unless the condition is true",
        run: Run::Known(comptime_assert), ..USUAL },
    Builtin { name: "comptime_print", takes: 0..=64, phase: Phase::Anywhere,
        usage: "@comptime_print(value, ..)",
        doc: "prints values during compilation",
        run: Run::Known(comptime_print), ..USUAL },
    Builtin { name: "assert", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@assert(condition)",
        doc: "stops the simulation unless the condition is true",
        run: Run::Operand(|s, call| assert(s, call.args[0], call.span)), ..USUAL },
];

fn is_arch(sema: &mut Sema<'_>, name: ExprId) -> Result<Value> {
    let at = sema.span(name);
    let word = arguments::known_str(sema, name)?;
    // The machine before WSE-2: public programs ask whether they are compiled for it.
    if word == "wse1" {
        return Ok(Value::Bool(false));
    }
    let arch = crate::arch::ArchName::parse(&word).ok_or_else(|| {
        rules::UNKNOWN_ARCH.because(&[("name", &word)]).at(at).help("write \"wse2\" or \"wse3\"")
    })?;
    Ok(Value::Bool(arch == sema.arch.name))
}

fn comptime_assert(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Value> {
    let holds = sema.known_as(call.args[0], &Ty::Bool)?;
    if holds == Value::Bool(true) {
        return Ok(Value::Void);
    }
    let text = match call.args.get(1) {
        Some(m) => arguments::known_str(sema, *m)?,
        None => sema.snippet(call.args[0]),
    };
    Err(with_values(sema, rules::COMPTIME_ASSERT.because(&[("text", &text)]).at(call.span), call.args[0]))
}

/// Adds what the names in a condition stand for.
fn with_values(sema: &mut Sema<'_>, mut diag: Diag, condition: ExprId) -> Diag {
    let (unit, evaluated) = (sema.unit(), evaluated(sema, condition));
    let mut told: Vec<&Name> = Vec::new();
    for (expr, id) in unit.file.exprs.iter().zip(0..).map(|(expr, n)| (expr, ExprId(n))) {
        let ExprKind::Name(name) = &expr.kind else { continue };
        let is_evaluated = evaluated.iter().any(|span| (span.lo..span.hi).contains(&expr.span.lo));
        if !is_evaluated || told.contains(&name) {
            continue;
        }
        told.push(name);
        if let Ok(value) = sema.known(id)
            && matches!(
                value,
                Value::Bool(_) | Value::Int(..) | Value::Float(..) | Value::Str(_) | Value::Enum(..)
            )
        {
            diag = diag.note(format!("`{name}` is {value}"));
        }
    }
    diag
}

/// The parts of a known condition that decide it. What stands behind them may have no value.
fn evaluated(sema: &mut Sema<'_>, condition: ExprId) -> Vec<Span> {
    let (left, right, stops_at) = match sema.unit().file.expr(condition).kind {
        ExprKind::Binary(BinaryOp::And, left, right) => (left, right, false),
        ExprKind::Binary(BinaryOp::Or, left, right) => (left, right, true),
        ExprKind::Unary(UnaryOp::Not, inner) => return evaluated(sema, inner),
        _ => return vec![sema.span(condition)],
    };
    let mut parts = evaluated(sema, left);
    if sema.known(left).is_ok_and(|value| value == Value::Bool(!stops_at)) {
        parts.extend(evaluated(sema, right));
    }
    parts
}

fn comptime_print(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Value> {
    let mut parts = Vec::new();
    for a in call.args {
        let v = sema.known(*a)?;
        parts.push(v.as_str().unwrap_or_else(|| v.to_string()));
    }
    sema.report(rules::COMPTIME_PRINT.because(&[("text", &parts.join(" "))]).at(call.span));
    Ok(Value::Void)
}

fn assert(sema: &mut Sema<'_>, condition: ExprId, span: Span) -> Result<Operand> {
    let v = sema.value_as(condition, &Ty::Bool)?;
    if sema.is_comptime() {
        return match v {
            Operand::Known(Value::Bool(true)) => Ok(Operand::void()),
            _ => {
                let diag = rules::COMPTIME_ASSERT.because(&[("text", &sema.snippet(condition))]).at(span);
                Err(with_values(sema, diag, condition))
            }
        };
    }
    let text = sema.snippet(condition);
    sema.emit_assert(&v, &text, span)?;
    Ok(Operand::void())
}
