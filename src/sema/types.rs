//! Expressions that make types.

use super::arith::coerce;
use super::eval::ExprValue;
use super::externs::not_exportable;
use super::value::Value;
use super::walk::Sema;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result};
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, FieldDecl, FnParam, Ident, LayoutKeyword};
use crate::value::ty::{EnumTy, FieldLayout, FnTy, IntTy, StructTy, Ty};
use smol_str::SmolStr;
use std::sync::Arc;

/// Elements of an array beyond which no machine has memory, and no comptime either.
const MAX_ELEMENTS: u64 = 1 << 28;

/// Fields of a struct at most, together with those of the structs inside.
const MAX_FIELDS: usize = 1 << 16;

/// Types inside of each other beyond which a function that is called with ever deeper ones has no end: each
/// makes another instance, which is compared with all before.
const MAX_NESTING: usize = 500;

/// `*T`, `[n]T`, `fn (A) R`, `struct { .. }`, `enum { .. }`.
pub fn type_former(sema: &mut Sema<'_>, kind: &ExprKind, span: Span) -> Result<Ty> {
    match kind {
        ExprKind::PtrTy { is_const, to } => pointee(sema, *to).map(|t| t.pointer(*is_const, false)),
        ExprKind::ManyPtrTy { is_const, to } => pointee(sema, *to).map(|t| t.pointer(*is_const, true)),
        ExprKind::ArrayTy { dims, elem } => array_type(sema, dims, *elem, span),
        ExprKind::FnTy { task, params, ret } => fn_former(sema, *task, params, *ret),
        ExprKind::StructTy { layout, fields } => {
            struct_type(sema, *layout, fields, span).map(|s| Ty::Struct(Arc::new(s)))
        }
        ExprKind::UnionTy { layout, fields } => {
            let union = struct_type(sema, *layout, fields, span)?;
            check_widths(&union, sema, fields)?;
            Ok(Ty::Union(Arc::new(union)))
        }
        ExprKind::EnumTy { repr, members } => enum_type(sema, *repr, members, span),
        _ => unreachable!("only type formers come here"),
    }
}

fn pointee(sema: &mut Sema<'_>, id: ExprId) -> Result<Ty> {
    let span = sema.span(id);
    let ty = match sema.ty(id) {
        Ok(ty) => ty,
        Err(diag) => return Err(dereferenced(sema, diag, id)),
    };
    if ty.is_comptime_only() && !matches!(ty, Ty::Fn(_)) {
        return Err(rules::COMPTIME_ONLY.because(&[("type", &ty)]).at(span));
    }
    Ok(ty)
}

/// `*p` reads what a pointer leads to in other languages.
fn dereferenced(sema: &mut Sema<'_>, diag: Diag, id: ExprId) -> Diag {
    let have = match sema.expr(id, None) {
        Ok(ExprValue::Place(place)) => place.ty().clone(),
        Ok(ExprValue::Value(value)) => value.ty(),
        Err(_) => return diag,
    };
    if !matches!(have, Ty::Ptr(_)) {
        return diag;
    }
    let (span, pointer) = (sema.span(id), sema.snippet(id));
    let diag = rules::NOT_A_TYPE.because(&[("have", &have)]).at(span);
    let help = format!("write `{pointer}.*` to read what the pointer leads to");
    let star = Span { lo: span.lo - 1, ..span };
    if sema.files.text(star).starts_with('*') {
        diag.help(help).replace(star, format!("{pointer}.*"))
    } else {
        diag.help(help)
    }
}

fn array_type(sema: &mut Sema<'_>, dims: &[ExprId], elem: ExprId, span: Span) -> Result<Ty> {
    let elem_span = sema.span(elem);
    let mut sizes = Vec::with_capacity(dims.len());
    for d in dims {
        let at = sema.span(*d);
        let v = sema.at_comptime(|s| s.value(*d, None))?;
        let v = v
            .known()
            .ok_or_else(|| rules::NOT_COMPTIME.because(&[("what", &"the size of an array")]).at(at))?;
        let size = v.to::<u32>().ok_or_else(|| rules::ARRAY_SIZE.because(&[("size", v)]).at(at))?;
        sizes.push(size);
    }
    let elem = sema.ty(elem)?;
    if matches!(elem, Ty::Array(_)) {
        return Err(rules::ARRAY_OF_ARRAYS.plain().at(elem_span).help("write the sizes together: `[2, 3]T`"));
    }
    let count = sizes.iter().fold(1u64, |n, d| n.saturating_mul(u64::from(*d)));
    if count > MAX_ELEMENTS {
        return Err(rules::ARRAY_TOO_LARGE.because(&[("count", &grouped(count))]).at(span));
    }
    Ok(elem.array(sizes))
}

fn fn_former(sema: &mut Sema<'_>, task: bool, params: &[FnParam], ret: ExprId) -> Result<Ty> {
    let params = params.iter().map(|p| p.ty.map(|t| sema.ty(t)).transpose()).collect::<Result<_>>()?;
    Ok(Ty::Fn(Arc::new(FnTy { task, params, ret: sema.ty(ret)? })))
}

fn struct_type(
    sema: &mut Sema<'_>,
    layout: LayoutKeyword,
    fields: &[FieldDecl],
    span: Span,
) -> Result<StructTy> {
    let layout = match layout {
        LayoutKeyword::Plain => FieldLayout::Plain,
        LayoutKeyword::Extern => FieldLayout::Extern,
        LayoutKeyword::Packed => FieldLayout::Packed,
    };
    let mut out: Vec<(SmolStr, Ty)> = Vec::new();
    for f in fields {
        if out.iter().any(|(n, _)| *n == f.name.name) {
            return Err(rules::DUPLICATE_NAME.because(&[("name", &f.name.name)]).at(f.name.span));
        }
        let at = sema.span(f.ty);
        let ty = sema.ty(f.ty)?;
        if layout == FieldLayout::Packed && ty.bits().is_none() {
            return Err(rules::PACKED_FIELD.because(&[("type", &ty)]).at(at));
        }
        if layout == FieldLayout::Extern
            && let Some(diag) = not_exportable(&ty)
        {
            return Err(diag.at(at).note("other files may see the fields of an extern struct or union"));
        }
        out.push((f.name.name.clone(), ty));
    }
    check_size(out.iter().map(|(_, ty)| ty)).at(span)?;
    Ok(StructTy { origin: (span.file.0, span.lo), name: SmolStr::default(), layout, fields: out })
}

/// The fields of a packed union have one width (language section 4).
fn check_widths(union: &StructTy, sema: &Sema<'_>, fields: &[FieldDecl]) -> Result<()> {
    if union.layout != FieldLayout::Packed {
        return Ok(());
    }
    let widths = union.fields.iter().map(|(_, ty)| ty.bits());
    let mut widths = widths.zip(fields).filter_map(|(bits, field)| Some((bits?, sema.span(field.ty))));
    let Some((first, begin)) = widths.next() else { return Ok(()) };
    match widths.find(|(bits, _)| *bits != first) {
        Some((other, at)) => {
            let what = format!("a packed union with fields of {first} and {other} bits");
            let diag = rules::PACKED_FIELD.because(&[("type", &what)]).at(at);
            Err(diag.also(begin, format!("this has {first} bits")).help("give all fields the same width"))
        }
        None => Ok(()),
    }
}

fn enum_type(
    sema: &mut Sema<'_>,
    repr: Option<ExprId>,
    members: &[(Ident, Option<ExprId>)],
    span: Span,
) -> Result<Ty> {
    // ruling: an enum without a type is a u16
    let mut int = IntTy { signed: false, bits: 16 };
    if let Some(repr) = repr {
        let at = sema.span(repr);
        match sema.ty(repr)? {
            Ty::Int(t) => int = t,
            other => return Err(rules::NOT_A_TYPE.because(&[("have", &other)]).at(at)),
        }
    }
    let given = enum_values(sema, int, members)?;
    let mut used: Vec<i128> = given.iter().flatten().copied().collect();
    let mut next = 0;
    let mut out: Vec<(SmolStr, i128)> = Vec::new();
    for ((name, _), value) in members.iter().zip(given) {
        if out.iter().any(|(n, _)| *n == name.name) {
            return Err(rules::DUPLICATE_NAME.because(&[("name", &name.name)]).at(name.span));
        }
        // members without a value take the smallest unused numbers, left to right (language section 4)
        let value = value.unwrap_or_else(|| {
            while used.contains(&next) {
                next += 1;
            }
            used.push(next);
            next
        });
        // A value that is given was converted to the type before.
        coerce(&Value::int(value), &Ty::Int(int)).at(name.span)?;
        if out.iter().any(|(_, v)| *v == value) {
            return Err(rules::DUPLICATE_CASE.because(&[("value", &value)]).at(name.span));
        }
        out.push((name.name.clone(), value));
    }
    let origin = (span.file.0, span.lo);
    Ok(Ty::Enum(Arc::new(EnumTy { origin, name: SmolStr::default(), repr: int, members: out })))
}

fn enum_values(
    sema: &mut Sema<'_>,
    int: IntTy,
    members: &[(Ident, Option<ExprId>)],
) -> Result<Vec<Option<i128>>> {
    let value = |(_, e): &(Ident, Option<ExprId>)| {
        let Some(e) = e else { return Ok(None) };
        let at = sema.span(*e);
        let v = sema.known_as(*e, &Ty::Int(int))?;
        v.to::<i128>().map(Some).ok_or_else(|| rules::REPORTED.plain().at(at))
    };
    members.iter().map(value).collect()
}

/// Gives a type that has no name yet the name of the constant it is bound to.
pub fn named(v: Value, name: &str) -> Value {
    let name = SmolStr::new(name);
    match v {
        Value::Type(Ty::Struct(s)) if s.name.is_empty() => {
            Value::Type(Ty::Struct(Arc::new(StructTy { name, ..(*s).clone() })))
        }
        Value::Type(Ty::Union(s)) if s.name.is_empty() => {
            Value::Type(Ty::Union(Arc::new(StructTy { name, ..(*s).clone() })))
        }
        Value::Type(Ty::Enum(e)) if e.name.is_empty() => {
            Value::Type(Ty::Enum(Arc::new(EnumTy { name, ..(*e).clone() })))
        }
        other => other,
    }
}

/// Structs of structs can double with each line of a program: refuses them before they get out of hand.
pub fn check_size<'t>(fields: impl IntoIterator<Item = &'t Ty>) -> Result<()> {
    let mut left = MAX_FIELDS;
    if fields.into_iter().all(|ty| take_fields(ty, &mut left)) {
        return Ok(());
    }
    Err(rules::VALUE_TOO_LARGE.because(&[("what", &"struct")]))
}

fn take_fields(ty: &Ty, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match ty {
        Ty::Anon(a) => a.types.iter().all(|t| take_fields(t, left)),
        Ty::Struct(s) | Ty::Union(s) => s.fields.iter().all(|(_, t)| take_fields(t, left)),
        Ty::Array(a) => take_fields(&a.elem, left),
        _ => true,
    }
}

/// Whether a type lies deeper in others than any that a program would write. Fields are looked at until there are too
/// many of them.
pub fn is_too_deep(ty: &Ty) -> bool {
    reaches(ty, MAX_NESTING, &mut { MAX_FIELDS })
}

fn reaches(ty: &Ty, depth: usize, left: &mut usize) -> bool {
    if depth == 0 {
        return true;
    }
    if *left == 0 {
        return false;
    }
    *left -= 1;
    match ty {
        Ty::Anon(a) => a.types.iter().any(|t| reaches(t, depth - 1, left)),
        Ty::Struct(s) | Ty::Union(s) => s.fields.iter().any(|(_, t)| reaches(t, depth - 1, left)),
        Ty::Array(a) => reaches(&a.elem, depth - 1, left),
        Ty::Ptr(p) => reaches(&p.to, depth - 1, left),
        _ => false,
    }
}
