//! Types and conversions between them.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result};
use crate::dsd::ops::Elem;
use crate::image::code::Op;
use crate::sema::arith;
use crate::sema::eval::ExprValue;
use crate::sema::operand::{Operand, comptime_only, exists_at_run_time, repr};
use crate::sema::options::CompileOptions;
use crate::sema::value::{Pointer, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::ty::{FieldLayout, PtrTy, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "as", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@as(T, value)",
        doc: "converts a number, a bool or an enum",
        run: Run::Operand(|s, call| type_first(s, "as", call, as_builtin)), ..USUAL },
    Builtin { name: "bitcast", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@bitcast(T, value)",
        doc: "reads the bits of a number as another type",
        run: Run::Operand(|s, call| type_first(s, "bitcast", call, bitcast)), ..USUAL },
    Builtin { name: "ptrcast", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@ptrcast(P, pointer)",
        doc: "the same address with another pointer type",
        run: Run::Operand(|s, call| type_first(s, "ptrcast", call, ptrcast)), ..USUAL },
    Builtin { name: "type_of", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@type_of(value)",
        doc: "the type of an expression, which is not evaluated",
        run: Run::Known(|s, call| type_of(s, call.args[0]).map(Value::Type)), ..USUAL },
    Builtin { name: "is_same_type", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@is_same_type(A, B)",
        doc: "whether two types are the same",
        run: Run::Known(|s, call| same_type(s, call.args[0], call.args[1])), ..USUAL },
    Builtin { name: "fp16", takes: 0..=0, phase: Phase::Anywhere, is_pure: true,
        usage: "@fp16()",
        doc: "the 16-bit float type of the program",
        run: Run::Known(|s, _| Ok(Value::Type(fp16(s.options)))), ..USUAL },
];

/// What `@fp16()` names.
pub fn fp16(options: &CompileOptions) -> Ty {
    Ty::Float(options.fp16.kind())
}

/// A type of the elements of a DSD.
pub fn type_of_element(options: &CompileOptions, elem: Elem) -> Ty {
    match elem {
        Elem::Int16 => Ty::U16,
        Elem::Int32 => Ty::U32,
        Elem::F16 => fp16(options),
        Elem::F32 => Ty::F32,
    }
}

/// A conversion of the second argument to the type that is the first.
fn type_first(
    sema: &mut Sema<'_>,
    builtin: &str,
    call: Call<'_>,
    convert: fn(&mut Sema<'_>, Ty, ExprId) -> Result<Operand>,
) -> Result<Operand> {
    match sema.ty(call.args[0]) {
        Ok(to) => convert(sema, to, call.args[1]),
        Err(diag) => Err(swapped(sema, builtin, diag, call.args[0], call.args[1], call.span)),
    }
}

/// `@as(x, i16)`: the arguments of a builtin whose first one is a type stand the other way round.
pub(super) fn swapped(
    sema: &mut Sema<'_>,
    builtin: &str,
    diag: Diag,
    first: ExprId,
    second: ExprId,
    span: Span,
) -> Diag {
    if sema.ty(second).is_err() {
        return diag;
    }
    let Ok(have) = type_of(sema, first) else { return diag };
    let instead = format!("@{builtin}({}, {})", sema.snippet(second), sema.snippet(first));
    let diag = rules::NOT_A_TYPE.because(&[("have", &have)]).at(sema.span(first));
    diag.help(format!("the type comes first: `{instead}`")).replace(span, instead)
}

fn as_builtin(sema: &mut Sema<'_>, to: Ty, value: ExprId) -> Result<Operand> {
    let at = sema.span(value);
    let v = sema.value_near(value, &to)?;
    convert(sema, v, &to, at)
}

/// `@as(to, v)`
pub fn convert(sema: &mut Sema<'_>, v: Operand, to: &Ty, at: Span) -> Result<Operand> {
    if let Operand::Known(known) = &v {
        if matches!(known, Value::Fn(_)) {
            return sema.coerce(v, to, at);
        }
        return arith::cast(known, to, sema.eval.overflow()).map(Operand::Known).at(at);
    }
    let from = v.ty();
    if from == *to {
        return Ok(v);
    }
    let bad = || rules::BAD_CAST.because(&[("from", &from), ("to", to)]).at(at);
    let castable = |t: &Ty| matches!(t, Ty::Int(_) | Ty::Float(_) | Ty::Bool | Ty::Enum(_));
    if !castable(&from) || !castable(to) || matches!((&from, to), (Ty::Enum(_), Ty::Enum(_))) {
        return sema.coerce(v, to, at).map_err(|_| bad());
    }
    exists_at_run_time(to, sema.options.fp16.kind()).at(at)?;
    let form = |ty: &Ty| repr(ty).ok_or_else(|| if ty.is_float() { comptime_only(ty).at(at) } else { bad() });
    let (f, t) = (form(&from)?, form(to)?);
    let a = sema.reg_of(&v, at)?;
    let d = sema.b().reg();
    sema.b().emit(Op::Convert { d, a, from: f.scalar, to: t.scalar });
    if t.is_odd() && !t.scalar.is_float() {
        sema.lower.normalise(d, t);
    }
    Ok(Operand::Reg(d, to.clone()))
}

fn bitcast(sema: &mut Sema<'_>, to: Ty, value: ExprId) -> Result<Operand> {
    let at = sema.span(value);
    let v = match to.bits() {
        Some(bits) => sema.value_near(value, &Ty::int(false, bits))?,
        None => sema.value(value, None)?,
    };
    if let Operand::Known(known) = &v {
        let typed = match (known, to.bits()) {
            // a literal takes the width that is asked for
            (Value::Int(None, n), Some(bits)) if n.fits(false, bits) => {
                arith::coerce(known, &Ty::int(false, bits)).at(at)?
            }
            _ => known.clone(),
        };
        let result = arith::bitcast(&typed, &to).map(Operand::Known).at(at);
        return result.map_err(|diag| with_missing_stream(sema, diag, &typed, value));
    }
    let from = v.ty();
    let bad = || rules::BAD_BITCAST.because(&[("from", &from), ("to", &to)]).at(at);
    if from.bits().is_none() || from.bits() != to.bits() {
        return Err(bad());
    }
    let t = repr(&to).ok_or_else(bad)?;
    let a = sema.reg_of(&v, at)?;
    let d = sema.b().reg();
    let sh = t.sh();
    sema.b().emit(if t.signed { Op::NormS { d, a, sh } } else { Op::NormU { d, a, sh } });
    Ok(Operand::Reg(d, to))
}

/// `@bitcast(u16, sys_mod.MEMCPYH2D_1)`, the usual way to a color, where the layout names no such stream.
fn with_missing_stream(sema: &Sema<'_>, diag: Diag, v: &Value, expr: ExprId) -> Diag {
    let unit = sema.unit();
    match &unit.file.expr(expr).kind {
        ExprKind::Field { name, .. } if v.ty() == Ty::Void && name.name.starts_with("MEMCPY") => {
            let name = &name.name;
            diag.help(format!(
                "give `<memcpy/get_params>` the color of this stream in the layout: `.{name} = ..`"
            ))
        }
        _ => diag,
    }
}

fn ptrcast(sema: &mut Sema<'_>, to: Ty, value: ExprId) -> Result<Operand> {
    let at = sema.span(value);
    let v = sema.value(value, None)?;
    let (Ty::Ptr(p), Ty::Ptr(_)) = (&to, v.ty()) else {
        return Err(rules::BAD_CAST.because(&[("from", &v.ty()), ("to", &to)]).at(at));
    };
    check_layouts(&v.ty(), &to).at(at).or_else(|c| sema.lint(c))?;
    check_cast(sema, &v, p, at)?;
    match v {
        Operand::Known(Value::Ptr(old)) => {
            Ok(Operand::Known(Value::Ptr(Pointer { ty: p.clone(), to: old.to })))
        }
        Operand::Reg(r, _) => Ok(Operand::Reg(r, to)),
        _ => Err(rules::REPORTED.plain()),
    }
}

/// A pointer to anything should lead to what it is cast to; where it leads is seen at run time
/// (entry UB-003).
fn check_cast(sema: &mut Sema<'_>, v: &Operand, to: &PtrTy, at: Span) -> Result<()> {
    let from_any = matches!(v.ty(), Ty::Ptr(from) if from.to == Ty::AnyOpaque);
    let Some(repr) = repr(&to.to).filter(|_| from_any && !sema.is_comptime()) else { return Ok(()) };
    let ty = sema.lower.tile.string(&to.to.to_string());
    let a = sema.reg_of(v, at)?;
    let words = repr.access().words();
    sema.b().emit(Op::CheckCast { a, words, ty });
    Ok(())
}

/// The type of an expression, which need not be known at comptime, wherever its type is asked for. Code that it would
/// need is thrown away.
pub(in crate::sema) fn type_of(sema: &mut Sema<'_>, e: ExprId) -> Result<Ty> {
    if let Some(ty) = type_of_call(sema, e) {
        return Ok(ty);
    }
    let checkpoint = sema.lower.checkpoint();
    let needs_code = [rules::NOT_COMPTIME.name, rules::WRONG_PHASE.name];
    let ev = match sema.expr(e, None) {
        Err(diag) if sema.is_comptime() && needs_code.contains(&diag.rule()) => {
            // A constant with such a mistake tells it once.
            as_code(sema, e).map_err(|again| if again.rule().is_empty() { diag } else { again })
        }
        ev => ev,
    };
    sema.lower.rollback(checkpoint);
    match ev? {
        ExprValue::Value(Operand::Known(Value::Fn(f))) => Ok(Ty::Fn(sema.fn_type(f)?)),
        ExprValue::Value(v) => Ok(v.ty()),
        ExprValue::Place(p) => Ok(p.ty().clone()),
    }
}

/// The type of what a function gives back, if its declaration says it: what the call does is not asked for.
fn type_of_call(sema: &mut Sema<'_>, e: ExprId) -> Option<Ty> {
    let unit = sema.unit();
    let ExprKind::Call { callee, args } = &unit.file.expr(e).kind else { return None };
    if !sema.is_comptime()
        || !matches!(unit.file.expr(*callee).kind, ExprKind::Name(_) | ExprKind::Field { .. })
    {
        return None;
    }
    let Ok(ExprValue::Value(Operand::Known(Value::Fn(f)))) = sema.expr(*callee, None) else { return None };
    let f = sema.modules.overload(f, args.len());
    let (unit, decl) = sema.fn_unit(f);
    let function = unit.function(decl);
    if function.task
        || function.params.len() != args.len()
        || function.params.iter().any(|p| p.ty.is_none() || p.comptime)
    {
        return None;
    }
    let signature = sema.signature(f, &[], function.span).ok()?;
    let is_plain = !signature.generic && !signature.ret.is_comptime_only() && signature.ret != Ty::NoReturn;
    is_plain.then(|| signature.ret.clone())
}

/// The same expression as code, also where no function is being written.
fn as_code(sema: &mut Sema<'_>, e: ExprId) -> Result<ExprValue> {
    let before = sema.eval.set_comptime(false);
    let ev = match sema.lower.checkpoint() {
        Some(_) => sema.expr(e, None),
        None => {
            let aside = sema.lower.set_aside(sema.span(e));
            let ev = sema.expr(e, None);
            sema.lower.take_back(aside);
            ev
        }
    };
    sema.eval.set_comptime(before);
    ev
}

fn same_type(sema: &mut Sema<'_>, a: ExprId, b: ExprId) -> Result<Value> {
    Ok(Value::Bool(sema.ty(a)? == sema.ty(b)?))
}

/// A pointer to a struct whose layout is not defined leads to nothing else (entry UB-005).
fn check_layouts(from: &Ty, to: &Ty) -> Result<()> {
    let (from, to) = (behind(from), behind(to));
    let is_any = |ty: &Ty| matches!(ty, Ty::AnyOpaque);
    if from == to || is_any(from) || is_any(to) {
        return Ok(());
    }
    match [from, to].into_iter().find(|ty| has_free_layout(ty)) {
        Some(ty) => Err(rules::STRUCT_LAYOUT
            .because(&[("type", ty)])
            .help("declare it as `extern struct` or `packed struct`, whose layouts are defined")),
        None => Ok(()),
    }
}

fn has_free_layout(ty: &Ty) -> bool {
    match ty {
        Ty::Struct(s) | Ty::Union(s) => s.layout == FieldLayout::Plain,
        Ty::Anon(_) => true,
        _ => false,
    }
}

/// What a pointer leads to; an array counts as its elements.
fn behind(ty: &Ty) -> &Ty {
    let Ty::Ptr(p) = ty else { return ty };
    match &p.to {
        Ty::Array(a) => &a.elem,
        other => other,
    }
}
