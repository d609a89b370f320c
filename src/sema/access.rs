//! `|i, j|{M, N} -> A[..]`: folded to base, strides and extents (dsd-dsr section 2).

use super::advice::advice_on_indices;
use super::arith;
use super::eval::ExprValue;
use super::operand::{Addr, Base, Place};
use super::value::{Pointee, Pointer, Value};
use super::walk::Sema;
use crate::diagnostics::rules::comptime::NOT_COMPTIME;
use crate::diagnostics::rules::dsd as rules;
use crate::diagnostics::{At, Diag, Result, Rule, counted};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, Ident, UnaryOp};
use crate::value::ty::{PtrTy, Ty};
use std::sync::Arc;

/// Dimensions of a DSD at most.
const MAX_DIMENSIONS: usize = 4;

/// A number plus a multiple of each induction variable.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Affine {
    constant: i64,
    coefficients: Vec<i64>,
    /// The type of the expression; `None` if it is a number without one.
    ty: Option<Ty>,
}

/// The anonymous struct that an access stands for.
pub fn access(
    sema: &mut Sema<'_>,
    vars: &[Ident],
    lengths: &[ExprId],
    target: ExprId,
    indices: &[ExprId],
    span: Span,
) -> Result<Value> {
    check_variables(vars, lengths.len(), span)?;
    let extents = lengths.iter().map(|l| extent(sema, *l)).collect::<Result<Vec<u16>>>()?;
    check_target(sema, vars, target, indices, span)?;
    let (base, dims) = access_target(sema, target)?;
    if dims.len() != indices.len() {
        let all: Vec<String> = indices.iter().map(|index| sema.snippet(*index)).collect();
        let have = counted(dims.len() as u64, "dimension");
        return Err(access_indices(dims.len(), indices.len())
            .at(span)
            .also(sema.span(target), format!("this array has {have}"))
            .help(advice_on_indices(&sema.snippet(target), dims.len(), &all)));
    }
    let mut sum = Affine { constant: 0, coefficients: vec![0; vars.len()], ty: None };
    for (k, index) in indices.iter().enumerate() {
        let pitch: i64 = dims[k + 1..].iter().map(|d| i64::from(*d)).product();
        let part = sema.at_comptime(|s| affine(s, *index, vars)).map_err(|c| {
            let help = "build the DSD without it, and move it with `@increment_dsd_offset`";
            known_too_late(c, &rules::ACCESS_INDEX, help)
        })?;
        sum = sum.plus(&part.times(pitch));
    }
    Ok(record(base, &sum, &extents))
}

fn access_indices(want: usize, have: usize) -> Diag {
    let index = |n: usize| counted(n as u64, "index");
    let (dims, want) = (counted(want as u64, "dimension"), index(want));
    rules::ACCESS_INDICES.because(&[("dims", &dims), ("want", &want), ("have", &have)])
}

fn extent(sema: &mut Sema<'_>, id: ExprId) -> Result<u16> {
    let at = sema.span(id);
    let v = sema.known(id).map_err(|c| {
        let help = "build the DSD with the maximum length, and change it with `@set_dsd_length`";
        known_too_late(c, &rules::ACCESS_LENGTH, help)
    })?;
    v.to::<u16>().ok_or_else(|| rules::BAD_EXTENT.because(&[("value", &v)]).at(at))
}

/// `A[i][j]`, as other languages write `A[i, j]`.
fn check_target(
    sema: &Sema<'_>,
    vars: &[Ident],
    target: ExprId,
    indices: &[ExprId],
    span: Span,
) -> Result<()> {
    let unit = sema.unit();
    let ExprKind::Index { base, indices: before } = &unit.file.expr(target).kind else { return Ok(()) };
    if !before.iter().any(|index| mentions(sema, *index, vars)) {
        return Ok(());
    }
    let all: Vec<String> = before.iter().chain(indices).map(|index| sema.snippet(*index)).collect();
    let instead = format!("{}[{}]", sema.snippet(*base), all.join(", "));
    Err(access_indices(all.len(), indices.len())
        .at(span)
        .help(format!("write all indices in one pair of brackets: `{instead}`")))
}

/// A pointer to the tensor, and its dimensions.
fn access_target(sema: &mut Sema<'_>, target: ExprId) -> Result<(Value, Vec<u32>)> {
    let at = sema.span(target);
    let ev = sema.at_comptime(|s| s.expr(target, None))?;
    let not_a_tensor = |ty: &Ty| {
        rules::ACCESS_TARGET
            .because(&[("type", ty)])
            .at(at)
            .help("use a global array, or a constant pointer to one")
    };
    match ev {
        ExprValue::Place(Place::Memory {
            addr: Addr { base: Base::Global(id), off },
            ty: Ty::Array(a),
            writable,
            ..
        }) => {
            let ty = PtrTy { to: Ty::Array(a.clone()), is_const: !writable, many: false };
            let ptr = Pointer { ty: Arc::new(ty), to: Pointee::Global(id, off) };
            Ok((Value::Ptr(ptr), a.dims.clone()))
        }
        ExprValue::Place(Place::Memory {
            addr: Addr { base: Base::Frame | Base::Reg(_), .. }, ty, ..
        }) if matches!(ty, Ty::Array(_)) => {
            let diag = rules::ACCESS_TARGET.because(&[("type", &format!("a local {ty}"))]).at(at);
            let text = sema.snippet(target);
            Err(diag.note("where it lies is only known at run time").help(format!(
                "declare `{text}` outside of functions, or write `.base_address = &{text}` and `.extent`"
            )))
        }
        other => {
            let v = sema.value_of(other, at)?;
            let Some(Value::Ptr(p)) = v.known() else { return Err(not_a_tensor(&v.ty())) };
            let Ty::Array(a) = &p.ty.to else { return Err(not_a_tensor(&v.ty())) };
            Ok((Value::Ptr(p.clone()), a.dims.clone()))
        }
    }
}

fn affine(sema: &mut Sema<'_>, id: ExprId, vars: &[Ident]) -> Result<Affine> {
    let unit = sema.unit();
    let expr = unit.file.expr(id);
    let span = expr.span;
    let no = || {
        let help = "write a sum of constants and constant multiples, such as `2 * i + 1`";
        rules::NOT_AFFINE.plain().at(span).help(help)
    };
    match &expr.kind {
        ExprKind::Name(name) if vars.iter().any(|v| v.name == *name) => {
            let coefficients = vars.iter().map(|v| i64::from(v.name == *name)).collect();
            Ok(Affine { constant: 0, coefficients, ty: Some(Ty::int(true, 16)) })
        }
        ExprKind::Unary(UnaryOp::Neg, e) => Ok(affine(sema, *e, vars)?.times(-1)),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) => {
            let places = [*a, *b];
            let (a, b) = (affine(sema, *a, vars)?, affine(sema, *b, vars)?);
            check_types(sema, [&a, &b], places)?;
            match op {
                BinaryOp::Add => Ok(a.plus(&b)),
                BinaryOp::Sub => Ok(a.plus(&b.times(-1))),
                _ if a.is_constant() => Ok(Affine { ty: b.typed_with(&a), ..b.times(a.constant) }),
                _ if b.is_constant() => Ok(Affine { ty: a.typed_with(&b), ..a.times(b.constant) }),
                _ => Err(no().note("two induction variables are multiplied")),
            }
        }
        _ if mentions(sema, id, vars) => {
            Err(no().note("induction variables can only be added, subtracted, and multiplied by constants"))
        }
        _ => {
            let v = sema.known(id)?;
            let constant = v.to::<i64>().ok_or_else(no).at(span)?;
            let ty = Some(v.ty()).filter(|ty| *ty != Ty::ComptimeInt);
            Ok(Affine { constant, coefficients: vec![0; vars.len()], ty })
        }
    }
}

/// Warns of a number of another type than that of the induction variables with which it is combined.
fn check_types(sema: &mut Sema<'_>, terms: [&Affine; 2], places: [ExprId; 2]) -> Result<()> {
    let (Some(first), Some(second)) = (&terms[0].ty, &terms[1].ty) else { return Ok(()) };
    let is_alone = terms[0].is_constant() == terms[1].is_constant();
    if first == second || is_alone {
        return Ok(());
    }
    let other = usize::from(terms[1].is_constant());
    let text = sema.snippet(places[other]);
    let want = Ty::int(true, 16);
    let facts: [(&str, &dyn std::fmt::Display); 2] =
        [("text", &text), ("type", if other == 0 { first } else { second })];
    let diag = rules::ACCESS_TYPE.because(&facts).at(sema.span(places[other]));
    sema.lint(diag.help(format!("convert it: `@as({want}, {text})`")))
}

fn mentions(sema: &Sema<'_>, id: ExprId, vars: &[Ident]) -> bool {
    let unit = &sema.frame().unit;
    match &unit.file.expr(id).kind {
        ExprKind::Name(name) => vars.iter().any(|v| v.name == *name),
        ExprKind::Unary(_, e) | ExprKind::Comptime(e) | ExprKind::Deref(e) => mentions(sema, *e, vars),
        ExprKind::Binary(_, a, b) => mentions(sema, *a, vars) || mentions(sema, *b, vars),
        ExprKind::Builtin { args, .. } | ExprKind::Call { args, .. } => {
            args.iter().any(|a| mentions(sema, *a, vars))
        }
        ExprKind::Index { base, indices } => {
            mentions(sema, *base, vars) || indices.iter().any(|i| mentions(sema, *i, vars))
        }
        ExprKind::Field { base, .. } => mentions(sema, *base, vars),
        _ => false,
    }
}

/// As many lengths as variables, at most four, each with a name of its own.
fn check_variables(vars: &[Ident], lengths: usize, span: Span) -> Result<()> {
    if vars.len() > MAX_DIMENSIONS {
        return Err(rules::ACCESS_VARIABLES
            .because(&[("most", &MAX_DIMENSIONS), ("have", &vars.len())])
            .at(span)
            .help("loop over the outermost dimension, and move the DSD with `@increment_dsd_offset`"));
    }
    if vars.len() != lengths {
        return Err(rules::ACCESS_LENGTHS
            .because(&[
                ("vars", &counted(vars.len() as u64, "induction variable")),
                ("want", &counted(vars.len() as u64, "length")),
                ("have", &lengths),
            ])
            .at(span)
            .help("give each variable one length"));
    }
    for (i, v) in vars.iter().enumerate() {
        if let Some(first) = vars[..i].iter().find(|w| w.name == v.name) {
            return Err(rules::ACCESS_NAMES
                .because(&[("name", &v.name)])
                .at(v.span)
                .also(first.span, "already an induction variable here"));
        }
    }
    Ok(())
}

/// What is not known at comptime is a mistake of its own in an access.
fn known_too_late(diag: Diag, rule: &'static Rule, help: &str) -> Diag {
    if diag.rule() != NOT_COMPTIME.name {
        return diag;
    }
    let mut own = rule.plain();
    own.0.primary = diag.0.primary;
    own.0.others = diag.0.others;
    own.help(help)
}

impl Affine {
    fn is_constant(&self) -> bool {
        self.coefficients.iter().all(|c| *c == 0)
    }

    /// The type of an expression of both: that of the induction variables, if it has any.
    fn typed_with(&self, other: &Affine) -> Option<Ty> {
        let (first, second) = if self.is_constant() { (other, self) } else { (self, other) };
        first.ty.clone().or_else(|| second.ty.clone())
    }

    fn plus(&self, other: &Affine) -> Affine {
        let pairs = self.coefficients.iter().zip(&other.coefficients);
        Affine {
            constant: self.constant.saturating_add(other.constant),
            coefficients: pairs.map(|(a, b)| a.saturating_add(*b)).collect(),
            ty: self.typed_with(other),
        }
    }

    fn times(&self, k: i64) -> Affine {
        Affine {
            constant: self.constant.saturating_mul(k),
            coefficients: self.coefficients.iter().map(|c| c.saturating_mul(k)).collect(),
            ty: self.ty.clone(),
        }
    }
}

/// `.base_address`, `.offset`, `.stride`, `.extent`: strides are the step deltas, inner to outer, and
/// extents are outer to inner (dsd-dsr section 2). They have the types of the properties of a DSD, so that of one dimension
/// a stride is an `i8`; what does not fit is a number without a type, which the DSD refuses.
fn record(base: Value, sum: &Affine, extents: &[u16]) -> Value {
    let steps = step_deltas(&sum.coefficients, extents);
    let stride_bits = if extents.len() == 1 { 8 } else { 16 };
    Value::anon(vec![
        ("base_address".into(), base),
        ("offset".into(), signed(sum.constant, 16)),
        ("stride".into(), Value::tuple(steps.iter().map(|s| signed(*s, stride_bits)).collect())),
        ("extent".into(), Value::tuple(extents.iter().map(|e| Value::u16(*e)).collect())),
    ])
}

fn signed(n: i64, bits: u32) -> Value {
    let ty = Ty::int(true, bits);
    arith::coerce(&Value::int(n.into()), &ty).unwrap_or(Value::int(n.into()))
}

/// From the coefficient of each variable (slowest first) to what is added when a dimension ticks
/// (fastest first): the way back over the faster dimensions is taken off.
fn step_deltas(coefficients: &[i64], extents: &[u16]) -> Vec<i64> {
    let mut way_back = 0i64;
    let mut steps = Vec::with_capacity(coefficients.len());
    for (c, extent) in coefficients.iter().zip(extents).rev() {
        steps.push(c.saturating_sub(way_back));
        way_back = way_back.saturating_add(c.saturating_mul((i64::from(*extent) - 1).max(0)));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::step_deltas;

    #[test]
    fn step_deltas_agree_with_the_worked_examples_of_the_reference() {
        // |i,j|{5,5} -> A[2*i+j]
        assert_eq!(step_deltas(&[2, 1], &[5, 5]), [1, -2]);
        // |i,j,k,l| over four dimensions of 5, coefficients 5, 5, 1, 1
        assert_eq!(step_deltas(&[5, 5, 1, 1], &[5, 5, 5, 5]), [1, -3, -3, -23]);
    }
}
