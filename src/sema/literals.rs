//! Literals of structs, unions, tuples and arrays.

use super::arith::{self};
use super::expectation::{Expectation, may_choose};
use super::operand::{Operand, repr};
use super::value::{Elems, Value};
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident};
use crate::value::ty::{AnonTy, FieldLayout, Ty};
use std::rc::Rc;
use std::sync::Arc;

/// `T{ .field = value, .. }` and `.{ .field = value, .. }`
pub fn struct_literal(
    sema: &mut Sema<'_>,
    ty: Option<ExprId>,
    fields: &[(Ident, ExprId)],
    want: Expectation<'_>,
    span: Span,
) -> Result<Operand> {
    let unit = sema.unit();
    let is_open = !sema.is_comptime() && fields.iter().any(|(_, value)| may_choose(&unit.file, *value));
    let near = match ty {
        _ if !is_open => None,
        Some(ty) => sema.ty(ty).ok(),
        None => want.ty().cloned(),
    };
    let site = sema.repeated(span).filter(|_| ty.is_none());
    let is_new = site.is_none_or(|site| !sema.repeats.has_literal(site));
    let mut parts = Vec::with_capacity(fields.len());
    for (at, (name, value)) in fields.iter().enumerate() {
        if is_new && fields[..at].iter().any(|(other, _)| other.name == name.name) {
            return Err(rules::DUPLICATE_NAME.because(&[("name", &name.name)]).at(name.span));
        }
        parts.push(match near.as_ref().and_then(|ty| ty.field(&name.name)) {
            Some((_, ty, _)) => sema.value_near(*value, &ty)?,
            None => sema.value(*value, None)?,
        });
    }
    let names = || Some(fields.iter().map(|(name, _)| name.name.clone()).collect());
    let anon = gather_again(sema, site, names, parts).at(span)?;
    let Some(ty) = ty else { return Ok(anon) };
    let type_span = sema.span(ty);
    match sema.ty(ty)? {
        Ty::Union(u) => union_literal(sema, &u, anon, span),
        to @ (Ty::Struct(_) | Ty::Anon(_)) => sema.coerce(anon, &to, span),
        other => Err(rules::NOT_A_STRUCT.because(&[("type", &other)]).at(type_span)),
    }
}

fn union_literal(
    sema: &mut Sema<'_>,
    u: &Arc<crate::value::ty::StructTy>,
    anon: Operand,
    span: Span,
) -> Result<Operand> {
    let ty = Ty::Union(u.clone());
    let wrong = || rules::UNION_ONE_FIELD.because(&[("type", &ty)]).at(span);
    let names = anon.ty().field_names().iter().map(|n| n.to_string()).collect::<Vec<_>>();
    let [name] = names.as_slice() else { return Err(wrong()) };
    let (active, field, _) = ty.field(name).ok_or_else(|| arith::unknown_field(name, &ty).at(span))?;
    match anon {
        Operand::Known(v) => {
            let value = Operand::Known(v.field(name).ok_or_else(wrong)?.clone());
            let Operand::Known(value) = sema.coerce(value, &field, span)? else {
                unreachable!("known values stay known")
            };
            Ok(Operand::Known(Value::Union(Rc::new(super::value::UnionValue {
                ty: u.clone(),
                active,
                value,
            }))))
        }
        Operand::Parts(_, parts) => {
            let part = sema.coerce(parts[0].clone(), &field, span)?;
            if u.layout == FieldLayout::Packed && repr(&ty).is_some() {
                let (new, zero) = (sema.reg_of(&part, span)?, sema.b().constant(0));
                return Ok(Operand::Reg(sema.lower.insert_bits(zero, new, 0, &field), ty));
            }
            let addr = sema.lower.temporary(&ty, span)?;
            sema.store_union(addr, &ty, active, &part, span)?;
            Ok(Operand::Mem(addr, ty))
        }
        _ => Err(wrong()),
    }
}

/// `.{ a, b, .. }`
pub fn tuple(sema: &mut Sema<'_>, items: &[ExprId], span: Span) -> Result<Operand> {
    let parts = items.iter().map(|i| sema.value(*i, None)).collect::<Result<Vec<_>>>()?;
    let site = sema.repeated(span);
    gather_again(sema, site, || None, parts)
}

/// As [`gather`]; at a place that is evaluated again and again, equal parts give the same value.
fn gather_again(
    sema: &mut Sema<'_>,
    site: Option<Span>,
    names: impl FnOnce() -> Option<Vec<smol_str::SmolStr>>,
    parts: Vec<Operand>,
) -> Result<Operand> {
    let Some(site) = site else { return gather(names(), parts) };
    if let Some(value) = sema.repeats.literal(site, &parts) {
        return Ok(Operand::Known(value));
    }
    let gathered = gather(names(), parts)?;
    if let Operand::Known(value) = &gathered {
        sema.repeats.note_literal(site, value);
    }
    Ok(gathered)
}

/// Parts of an anonymous struct as one operand: known if all of them are.
pub fn gather(names: Option<Vec<smol_str::SmolStr>>, parts: Vec<Operand>) -> Result<Operand> {
    let types: Vec<Ty> = parts.iter().map(Operand::ty).collect();
    super::types::check_size(&types)?;
    let ty = Ty::Anon(Arc::new(AnonTy { names, types }));
    Ok(match known_parts(&parts) {
        Some(values) => Operand::Known(Value::record(ty, values)),
        None => Operand::Parts(ty, parts),
    })
}

/// `[n]T { a, b, .. }`
pub fn array_literal(sema: &mut Sema<'_>, ty: ExprId, items: &[ExprId], span: Span) -> Result<Operand> {
    let ty = sema.ty(ty)?;
    let Ty::Array(a) = &ty else { return Err(rules::NOT_A_TYPE.because(&[("have", &ty)]).at(span)) };
    if a.len() != items.len() as u64 {
        let diag =
            rules::ARRAY_LITERAL_LENGTH.because(&[("want", &a.len()), ("have", &items.len())]).at(span);
        return Err(match items {
            // `int a[12] = {0}` of C.
            [one] if a.elem.is_numeric() => diag.help(format!(
                "for {} equal elements write `@constants({ty}, {})`",
                a.len(),
                sema.snippet(*one)
            )),
            _ => diag,
        });
    }
    let parts = items.iter().map(|i| sema.value_as(*i, &a.elem)).collect::<Result<Vec<_>>>()?;
    Ok(match known_parts(&parts) {
        Some(values) => Operand::Known(Value::array(a.clone(), Elems::List(values))),
        None => Operand::Parts(ty, parts),
    })
}

/// All values, if all are known.
pub fn known_parts(parts: &[Operand]) -> Option<Vec<Value>> {
    parts.iter().map(|p| p.known().cloned()).collect()
}
