//! Values that become values of another type, wherever one is expected.

use super::arith;
use super::literals::known_parts;
use super::mismatch::mismatch;
use super::operand::{Addr, Operand, comptime_only, repr};
use super::value::{Pointee, Value};
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::source::Span;
use crate::value::ty::{FieldLayout, Ty};

/// The implicit conversion.
pub fn coerce(sema: &mut Sema<'_>, value: Operand, to: &Ty, span: Span) -> Result<Operand> {
    if matches!(&value, Operand::Known(v) if v.is_scalar_of(to)) {
        return Ok(value);
    }
    let from = value.ty();
    match value {
        Operand::Known(Value::Fn(f)) => coerce_fn(sema, f, to, span),
        // Only the module of a function knows its type, so these fields are converted one by one.
        Operand::Known(Value::Record(r))
            if holds_function(&r.fields) && matches!(to, Ty::Struct(_) | Ty::Anon(_)) =>
        {
            let parts = r.fields.iter().cloned().map(Operand::Known).collect();
            coerce_parts(sema, from, parts, to, span).map(all_known)
        }
        Operand::Known(v) => arith::coerce(&v, to).map(Operand::Known).at(span),
        Operand::Parts(Ty::Anon(_) | Ty::Array(_) | Ty::Struct(_), _) if *to == Ty::ComptimeStruct => {
            Ok(value)
        }
        Operand::Parts(ty, parts) => coerce_parts(sema, ty, parts, to, span),
        _ if from == *to => Ok(value),
        Operand::Mem(addr, Ty::Anon(_)) if matches!(to, Ty::Struct(_)) => {
            let fields = from.field_names().into_iter().map(str::to_string).collect::<Vec<_>>();
            let mut parts = Vec::new();
            for name in &fields {
                let (_, ty, off) = from.field(name).expect("its own field");
                parts.push(sema.lower.load_at(Addr { base: addr.base, off: addr.off + off }, &ty)?);
            }
            coerce_parts(sema, from, parts, to, span)
        }
        Operand::Reg(r, _) if reg_coerces(&from, to) => Ok(Operand::Reg(r, to.clone())),
        Operand::Reg(a, _) if from.is_float() && *to == Ty::F32 => {
            let from = repr(&from).ok_or_else(|| comptime_only(&from).at(span))?;
            Ok(Operand::Reg(sema.lower.widen(a, from.scalar), to.clone()))
        }
        _ => Err(mismatch(to, &from).at(span)),
    }
}

fn holds_function(values: &[Value]) -> bool {
    values.iter().any(|v| match v {
        Value::Fn(_) => true,
        Value::Record(r) => holds_function(&r.fields),
        _ => false,
    })
}

/// Parts of which all are known, as a known value.
fn all_known(value: Operand) -> Operand {
    match value {
        Operand::Parts(ty, parts) => match known_parts(&parts) {
            Some(values) => Operand::Known(Value::record(ty, values)),
            None => Operand::Parts(ty, parts),
        },
        other => other,
    }
}

fn coerce_fn(sema: &mut Sema<'_>, f: super::value::FnRef, to: &Ty, span: Span) -> Result<Operand> {
    let have = Ty::Fn(sema.fn_type(f)?);
    match to {
        Ty::Fn(_) if *to == have => Ok(Operand::Known(Value::Fn(f))),
        Ty::Ptr(p) if p.to == have => {
            let ptr = super::value::Pointer { ty: p.clone(), to: Pointee::Fn(f) };
            Ok(Operand::Known(Value::Ptr(ptr)))
        }
        _ => Err(mismatch(to, &have).at(span)),
    }
}

fn coerce_parts(sema: &mut Sema<'_>, ty: Ty, parts: Vec<Operand>, to: &Ty, span: Span) -> Result<Operand> {
    if ty == *to {
        return Ok(Operand::Parts(ty, parts));
    }
    let no = || rules::TYPE_MISMATCH.because(&[("want", to), ("have", &ty)]).at(span);
    let (Ty::Anon(a), Ty::Struct(s)) = (&ty, to) else {
        return match (&ty, to) {
            (Ty::Anon(a), Ty::Anon(b)) if a.names == b.names && a.types.len() == b.types.len() => {
                let types = b.types.clone();
                let parts = parts.into_iter().zip(&types).map(|(p, t)| coerce(sema, p, t, span));
                Ok(Operand::Parts(to.clone(), parts.collect::<Result<_>>()?))
            }
            _ => Err(no()),
        };
    };
    let names = a.names.clone().ok_or_else(no)?;
    if let Some(extra) = names.iter().find(|n| !s.fields.iter().any(|(m, _)| m == *n)) {
        return Err(arith::unknown_field(extra, to).at(span));
    }
    let mut out = Vec::new();
    for (name, ty) in &s.fields {
        let at = names.iter().position(|n| n == name);
        let at = at.ok_or_else(|| rules::MISSING_FIELD.because(&[("name", name)]).at(span))?;
        out.push(coerce(sema, parts[at].clone(), ty, span)?);
    }
    match s.layout {
        FieldLayout::Packed => pack(sema, to, out, span),
        _ => Ok(Operand::Parts(to.clone(), out)),
    }
}

/// The fields of a packed struct in one register, as it lies in memory.
fn pack(sema: &mut Sema<'_>, to: &Ty, fields: Vec<Operand>, span: Span) -> Result<Operand> {
    if known_parts(&fields).is_some() {
        return Ok(all_known(Operand::Parts(to.clone(), fields)));
    }
    if repr(to).is_none() {
        return Err(comptime_only(to).at(span));
    }
    let mut all = sema.b().constant(0);
    for (i, field) in fields.iter().enumerate() {
        let new = sema.reg_of(field, span)?;
        all = sema.lower.insert_bits(all, new, to.packed_offset(i), &field.ty());
    }
    Ok(Operand::Reg(all, to.clone()))
}

fn reg_coerces(from: &Ty, to: &Ty) -> bool {
    match (from, to) {
        (Ty::Int(f), Ty::Int(t)) => arith::widens(*f, *t),
        (Ty::Ptr(_), Ty::Ptr(_)) => arith::pointer_coerces(from, to),
        (Ty::Enum(a), Ty::Enum(b)) => a == b,
        _ => from == to,
    }
}
