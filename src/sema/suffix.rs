//! `base.name`, `base.*`, `base[i]`: steps into structs, modules, pointers and arrays.

use super::advice::advice_on_indices;
use super::eval::ExprValue;
use super::lower::Lower;
use super::operand::{Addr, Base, Operand, PathStep, Place, comptime_only};
use super::union_variants;
use super::unit::Unit;
use super::value::{GlobalId, Pointee, Pointer, Value};
use super::walk::Sema;
use super::words::{part_type, words_of_element};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result, counted, suggest};
use crate::image::code::{IN_VARIABLE, Op};
use crate::source::Span;
use crate::stdlib;
use crate::syntax::ast::{Decl, ExprId, ExprKind, Ident, Name, VarDecl, VarKind};
use crate::value::ty::{ArrayTy, Ty, byte_number, byte_offset};
use std::sync::Arc;

/// `base.name`
pub fn field(sema: &mut Sema<'_>, base: ExprId, name: &Ident) -> Result<ExprValue> {
    let ev = sema.expr(base, None)?;
    field_of(sema, ev, name)
}

/// A field of an outcome.
pub fn field_of(sema: &mut Sema<'_>, ev: ExprValue, name: &Ident) -> Result<ExprValue> {
    match ev {
        ExprValue::Value(Operand::Known(v)) => known_field(sema, v, name),
        ExprValue::Value(Operand::Parts(ty, parts)) => {
            let (i, _, _) = ty.field(&name.name).ok_or_else(|| unknown_field(&ty, name))?;
            Ok(ExprValue::Value(parts[i].clone()))
        }
        ExprValue::Value(Operand::Mem(addr, ty)) => {
            place_field(sema, Place::Memory { addr, ty, writable: false, known: None }, name)
        }
        ExprValue::Value(Operand::Reg(reg, ty)) => {
            place_field(sema, Place::Register { reg, ty, writable: false }, name)
        }
        ExprValue::Place(place) => place_field(sema, place, name),
    }
}

/// A function of the SDK that the library here lacks.
fn unsupported(unit: &Unit, name: &Ident) -> Option<Diag> {
    let module = unit.path.to_str().filter(|_| unit.library)?;
    let path = module.strip_prefix('<')?.strip_suffix('>')?;
    let instead = stdlib::instead_of(path, &name.name)?;
    let diag = rules::UNSUPPORTED_MEMBER.because(&[("name", &name.name), ("module", &module)]);
    Some(diag.at(name.span).help(instead))
}

fn known_field(sema: &mut Sema<'_>, v: Value, name: &Ident) -> Result<ExprValue> {
    match &v {
        Value::Module(instance) => {
            let unit = sema.instance(*instance).unit.clone();
            let Some(decl) = unit.names.get(&name.name) else {
                if unit.file.hidden.contains(&name.name) {
                    return Err(rules::REPORTED.plain());
                }
                if let Some(diag) = unsupported(&unit, name) {
                    return Err(diag);
                }
                let diag = rules::UNKNOWN_MEMBER
                    .because(&[("name", &name.name), ("module", &unit.path.display())])
                    .at(name.span);
                let mut known: Vec<_> = unit.names.keys().map(|n| n.as_str()).collect();
                if unit.library && suggest::nearest(&name.name, known.iter().copied()).is_none() {
                    known = declared_for_others(&unit);
                }
                known.sort_unstable();
                return Err(suggest::instead(diag, &name.name, known, "it declares"));
            };
            sema.member(*instance, *decl, name.span)
        }
        Value::Type(Ty::Enum(e)) => match e.members.iter().find(|(n, _)| *n == name.name) {
            Some((_, n)) => Ok(ExprValue::known(Value::Enum(e.clone(), *n))),
            None => Err(unknown_member(e, name)),
        },
        Value::Record(r) => {
            let Some((i, _, _)) = r.ty.field(&name.name) else {
                sema.layout.columns.ask(&r.ty, &name.name);
                return Err(unknown_field(&r.ty, name));
            };
            Ok(ExprValue::known(r.fields[i].clone()))
        }
        Value::Union(u) if u.ty.fields[u.active].0 == name.name => Ok(ExprValue::known(u.value.clone())),
        Value::Union(u) => {
            let ty = Ty::Union(u.ty.clone());
            let (_, to, _) = ty.field(&name.name).ok_or_else(|| unknown_field(&ty, name))?;
            union_variants::read(u, &to, name).map(ExprValue::known)
        }
        Value::Ptr(p) => {
            let ty = Ty::Ptr(p.ty.clone());
            Err(unknown_field(&ty, name).help("a pointer has no fields: write `.*` in front"))
        }
        other => Err(unknown_field(&other.ty(), name)),
    }
}

fn place_field(sema: &mut Sema<'_>, place: Place, name: &Ident) -> Result<ExprValue> {
    let ty = place.ty().clone();
    if matches!(ty, Ty::Module | Ty::Type) {
        let v = sema.load(&place, name.span)?;
        return field_of(sema, ExprValue::Value(v), name);
    }
    let Some((i, field, off)) = ty.field(&name.name) else {
        let diag = unknown_field(&ty, name);
        return Err(match ty {
            Ty::Ptr(_) => diag.help("a pointer has no fields: write `.*` in front"),
            _ => diag,
        });
    };
    if ty.is_packed() && !matches!(place, Place::Comptime { .. }) {
        let off = ty.packed_offset(i);
        return Ok(ExprValue::Place(Place::Bits { whole: Box::new(place), off, ty: field }));
    }
    if let Place::Memory { known: Some(Value::Union(u)), .. } = &place
        && sema.is_comptime()
    {
        return known_field(sema, Value::Union(u.clone()), name);
    }
    if let Place::Comptime { slot, path, .. } = &place {
        union_variants::use_in_variable(sema, *slot, path, (i, &field), name)?;
    }
    let reinterpreted = union_variants::reinterpreted(&place, i, &field);
    let mut part = sema.lower.narrow(place, PathStep::Field(i), field, off)?;
    if let (Place::Memory { known, .. }, Some(value)) = (&mut part, reinterpreted) {
        *known = Some(value);
    }
    sema.check_variant(&part, &ty, i)?;
    Ok(ExprValue::Place(part))
}

/// The help for a function pointer that is treated as one to data.
const CALL_POINTER: &str = "call a function pointer without `.*`: `p(..)`";

/// `base.*`
pub fn deref(sema: &mut Sema<'_>, base: ExprId, span: Span) -> Result<ExprValue> {
    let v = sema.value(base, None)?;
    deref_value(sema, v, span).map(ExprValue::Place)
}

/// The place behind a pointer.
pub fn deref_value(sema: &mut Sema<'_>, v: Operand, span: Span) -> Result<Place> {
    let ty = v.ty();
    let Ty::Ptr(p) = &ty else {
        let diag = rules::NOT_A_POINTER.because(&[("type", &ty)]).at(span);
        return Err(if matches!(ty, Ty::Fn(_)) { diag.help(CALL_POINTER) } else { diag });
    };
    if p.many {
        return Err(rules::DEREF_MANY.because(&[("type", &ty)]).at(span).help("write an index: `[0]`"));
    }
    let writable = !p.is_const;
    match v {
        Operand::Known(Value::Ptr(ptr)) => known_pointee(sema, &ptr, p.to.clone(), writable, span),
        Operand::Reg(r, _) => {
            let addr = Addr { base: Base::Reg(r), off: 0 };
            Ok(Place::Memory { addr, ty: p.to.clone(), writable, known: None })
        }
        _ => Err(rules::REPORTED.plain()),
    }
}

fn known_pointee(sema: &mut Sema<'_>, ptr: &Pointer, ty: Ty, writable: bool, span: Span) -> Result<Place> {
    match ptr.to {
        Pointee::Global(id, off) => {
            let known = known_at(sema, id, off, &ty);
            Ok(Place::Memory { addr: Addr { base: Base::Global(id), off }, ty, writable, known })
        }
        Pointee::Address(a) => {
            let addr = Addr { base: Base::Absolute, off: a.into() };
            Ok(Place::Memory { addr, ty, writable, known: None })
        }
        Pointee::Fn(_) => Err(rules::NOT_A_POINTER.because(&[("type", &ty)]).at(span).help(CALL_POINTER)),
    }
}

/// The value at an offset in a global that never changes.
fn known_at(sema: &mut Sema<'_>, id: GlobalId, off: u32, ty: &Ty) -> Option<Value> {
    if !sema.is_fixed(id) {
        return None;
    }
    value_at(&sema.global(id).value, off, ty).cloned()
}

/// `base[i, j]`
pub fn index(sema: &mut Sema<'_>, base: ExprId, indices: &[ExprId], span: Span) -> Result<ExprValue> {
    let base_span = sema.span(base);
    let ev = sema.expr(base, None)?;
    let written = indices;
    let indices = indices
        .iter()
        .map(|i| Ok((sema.value_near(*i, &Ty::U16)?, sema.span(*i))))
        .collect::<Result<Vec<_>>>()?;
    let ty = match &ev {
        ExprValue::Value(v) => v.ty(),
        ExprValue::Place(p) => p.ty().clone(),
    };
    match &ty {
        Ty::Array(a) if a.dims.len() != indices.len() => {
            let diag = index_count(a.dims.len(), indices.len()).at(span);
            let all: Vec<String> = written.iter().map(|index| sema.snippet(*index)).collect();
            Err(diag.help(advice_on_indices(&sema.snippet(base), a.dims.len(), &all)))
        }
        Ty::Array(a) => index_array(sema, ev, a, &indices, span),
        Ty::Anon(a) if a.names.is_none() => index_tuple(&mut sema.lower, ev, &ty, &indices, span),
        Ty::Ptr(p) if p.many => {
            let ptr = sema.value_of(ev, base_span)?;
            index_pointer(sema, ptr, &indices, span)
        }
        Ty::Ptr(p) if matches!(p.to, Ty::Array(_)) => Err(rules::NOT_INDEXABLE
            .because(&[("type", &ty)])
            .at(span)
            .help("write `.*` between the pointer and the index: `p.*[i]`")),
        Ty::Type => {
            let text = sema.files.text(span);
            let instead = match text.split_once('[') {
                Some((ty, size)) => format!("[{size}{}", ty.trim()),
                None => "[n]T".to_string(),
            };
            let diag = rules::NOT_INDEXABLE.because(&[("type", &"a type")]).at(span);
            Err(diag.help(format!("the size comes first: `{instead}`")).replace(span, instead))
        }
        _ => {
            let diag = rules::NOT_INDEXABLE.because(&[("type", &ty)]).at(span);
            let fields = ty.field_names();
            if let Some(first) = fields.first() {
                return Err(diag.help(format!(
                    "name the field: `.{first}`; an index takes elements of arrays and tuples"
                )));
            }
            let unit = sema.unit();
            Err(match (&unit.file.expr(base).kind, written) {
                // `A[i][j]`, as other languages write `A[i, j]`.
                (ExprKind::Index { base, indices: rows }, [column]) if rows.len() == 1 => {
                    let all = [sema.snippet(rows[0]), sema.snippet(*column)];
                    diag.help(advice_on_indices(&sema.snippet(*base), 1, &all))
                }
                _ => diag,
            })
        }
    }
}

fn index_tuple(
    lower: &mut Lower,
    ev: ExprValue,
    ty: &Ty,
    indices: &[(Operand, Span)],
    span: Span,
) -> Result<ExprValue> {
    let [(index, at)] = indices else {
        return Err(index_count(1, indices.len()).at(span));
    };
    let Operand::Known(v) = index else {
        return Err(rules::NOT_COMPTIME.because(&[("what", &"the index of a tuple")]).at(*at));
    };
    let len = if let Ty::Anon(a) = ty { a.types.len() } else { 0 };
    let i = v.to::<usize>().filter(|i| *i < len);
    let i = i.ok_or_else(|| rules::INDEX_RANGE.because(&[("index", v), ("len", &len)]).at(*at))?;
    let (part, off) = part_type(ty, i).unwrap_or((Ty::Error, 0));
    match ev {
        ExprValue::Value(Operand::Known(Value::Record(r))) => Ok(ExprValue::known(r.fields[i].clone())),
        ExprValue::Value(Operand::Parts(_, parts)) => Ok(ExprValue::Value(parts[i].clone())),
        ExprValue::Value(Operand::Mem(addr, ty)) => {
            let place = Place::Memory { addr, ty, writable: false, known: None };
            lower.narrow(place, PathStep::Field(i), part, off).map(ExprValue::Place)
        }
        ExprValue::Place(p) => lower.narrow(p, PathStep::Field(i), part, off).map(ExprValue::Place),
        ExprValue::Value(_) => Err(rules::REPORTED.plain()),
    }
}

fn index_array(
    sema: &mut Sema<'_>,
    ev: ExprValue,
    a: &Arc<ArrayTy>,
    indices: &[(Operand, Span)],
    span: Span,
) -> Result<ExprValue> {
    if let Some(position) = known_position(a, indices)? {
        return known_element(&mut sema.lower, ev, a, position, span);
    }
    if sema.is_comptime() {
        let (_, at) = indices.iter().find(|(i, _)| i.known().is_none()).expect("one is not known");
        return Err(rules::NOT_COMPTIME.because(&[("what", &"this index")]).at(*at));
    }
    let (array, writable) = match ev {
        ExprValue::Place(Place::Memory { addr, writable, .. }) => (addr, writable),
        other => {
            let v = sema.value_of(other, span)?;
            (sema.aggregate_addr(&v, span)?, false)
        }
    };
    element_at_run_time(sema, array, a, indices, writable)
}

fn element_at_run_time(
    sema: &mut Sema<'_>,
    array: Addr,
    a: &Arc<ArrayTy>,
    indices: &[(Operand, Span)],
    writable: bool,
) -> Result<ExprValue> {
    let ty = a.elem.clone();
    if let [(index, at)] = indices {
        let index = index_reg(sema, index, *at)?;
        return Ok(ExprValue::Place(Place::Element { array, index, len: a.dims[0], ty, writable }));
    }
    let each = ty.words().ok_or_else(|| comptime_only(&ty))?;
    // Bytes are numbered from the start of the array first: a row of them may end within a word.
    let mut at = if ty.is_byte() { sema.b().constant(0) } else { sema.lower.addr_reg(array)? };
    for (k, (index, span)) in indices.iter().enumerate() {
        let b = index_reg(sema, index, *span)?;
        let pitch: u32 = a.dims[k + 1..].iter().product();
        let d = sema.b().reg();
        let words = (pitch * each) as u16;
        sema.b().emit(Op::Element { d, a: at, b, words, len: a.dims[k] });
        at = d;
    }
    if ty.is_byte() {
        let len = u32::try_from(a.len()).unwrap_or(u32::MAX);
        return Ok(ExprValue::Place(Place::Element { array, index: at, len, ty, writable }));
    }
    let addr = Addr { base: Base::Reg(at), off: 0 };
    Ok(ExprValue::Place(Place::Memory { addr, ty, writable, known: None }))
}

fn index_reg(sema: &mut Sema<'_>, index: &Operand, span: Span) -> Result<u16> {
    match index.ty() {
        Ty::Int(_) => sema.reg_of(index, span),
        Ty::ComptimeInt => {
            let v = sema.coerce(index.clone(), &Ty::U32, span)?;
            sema.reg_of(&v, span)
        }
        other => Err(rules::TYPE_MISMATCH.because(&[("want", &"an integer"), ("have", &other)]).at(span)),
    }
}

fn known_element(
    lower: &mut Lower,
    ev: ExprValue,
    a: &Arc<ArrayTy>,
    position: u64,
    span: Span,
) -> Result<ExprValue> {
    let off = a.elem.element_offset(position as u32).unwrap_or(0);
    match ev {
        ExprValue::Value(Operand::Known(Value::Array(v))) => {
            v.get(position).cloned().map(ExprValue::known).ok_or_else(|| rules::REPORTED.plain())
        }
        ExprValue::Value(Operand::Known(Value::Undefined(_))) => {
            Ok(ExprValue::known(Value::Undefined(a.elem.clone())))
        }
        ExprValue::Value(Operand::Parts(_, parts)) => Ok(ExprValue::Value(parts[position as usize].clone())),
        ExprValue::Value(Operand::Mem(addr, ty)) => {
            let place = Place::Memory { addr, ty, writable: false, known: None };
            lower.narrow(place, PathStep::Element(position), a.elem.clone(), off).map(ExprValue::Place)
        }
        ExprValue::Place(p) => {
            lower.narrow(p, PathStep::Element(position), a.elem.clone(), off).map(ExprValue::Place).at(span)
        }
        ExprValue::Value(_) => Err(rules::REPORTED.plain()),
    }
}

fn index_pointer(
    sema: &mut Sema<'_>,
    ptr: Operand,
    indices: &[(Operand, Span)],
    span: Span,
) -> Result<ExprValue> {
    let [(index, at)] = indices else {
        return Err(index_count(1, indices.len()).at(span));
    };
    let Ty::Ptr(p) = ptr.ty() else { unreachable!("only pointers come here") };
    let (ty, writable) = (p.to.clone(), !p.is_const);
    let each = ty.words().ok_or_else(|| comptime_only(&ty).at(span))?;
    if let Operand::Known(Value::Ptr(Pointer { to: Pointee::Global(id, off), .. })) = &ptr {
        let words = sema.global(*id).ty.words().unwrap_or(0);
        let len = match ty.is_byte() {
            true => sema.lower.data.bytes(*id).saturating_sub(byte_number(*off)),
            false => words.saturating_sub(*off) / each.max(1),
        };
        let start = Addr { base: Base::Global(*id), off: *off };
        if let Operand::Known(v) = index {
            let i = v.to::<u32>().filter(|i| *i < len);
            let i = i.ok_or_else(|| rules::INDEX_RANGE.because(&[("index", v), ("len", &len)]).at(*at))?;
            let off = match ty.is_byte() {
                true => byte_offset(byte_number(*off) + i),
                false => off + i * each,
            };
            let known = known_at(sema, *id, off, &ty);
            let addr = Addr { base: start.base, off };
            return Ok(ExprValue::Place(Place::Memory { addr, ty, writable, known }));
        }
        let index = index_reg(sema, index, *at)?;
        return Ok(ExprValue::Place(Place::Element { array: start, index, len, ty, writable }));
    }
    if sema.is_comptime() {
        return Err(rules::NOT_COMPTIME.because(&[("what", &"this pointer")]).at(span));
    }
    let a = sema.reg_of(&ptr, span)?;
    if index.known().and_then(Value::to::<u32>) == Some(0) {
        let addr = Addr { base: Base::Reg(a), off: 0 };
        return Ok(ExprValue::Place(Place::Memory { addr, ty, writable, known: None }));
    }
    let b = index_reg(sema, index, *at)?;
    let d = sema.b().reg();
    sema.b().emit(Op::Element { d, a, b, words: words_of_element(&ty), len: IN_VARIABLE });
    let addr = Addr { base: Base::Reg(d), off: 0 };
    Ok(ExprValue::Place(Place::Memory { addr, ty, writable, known: None }))
}

fn index_count(want: usize, have: usize) -> crate::diagnostics::Diag {
    let (want, have) = (counted(want as u64, "dimension"), counted(have as u64, "index"));
    rules::INDEX_COUNT.because(&[("want", &want), ("have", &have)])
}

/// What a module declares and does not use itself, and the modules in it: what is there for others.
fn declared_for_others(unit: &Unit) -> Vec<&str> {
    let is_used = |name: &Name| {
        unit.file.exprs.iter().any(|expr| matches!(&expr.kind, ExprKind::Name(used) if used == name))
    };
    let is_module = |v: &VarDecl| {
        let init = v.init.map(|init| &unit.file.expr(init).kind);
        matches!(init, Some(ExprKind::Builtin { name, .. }) if name.name == "import_module")
    };
    let names = unit.file.decls.iter().filter_map(|decl| match decl {
        Decl::Fn(function) if !function.task => Some((&function.name.name, false)),
        Decl::Var(v) if v.kind == VarKind::Const => Some((&v.name.name, is_module(v))),
        _ => None,
    });
    names.filter(|(name, is_module)| *is_module || !is_used(name)).map(|(name, _)| name.as_str()).collect()
}

fn unknown_field(ty: &Ty, name: &Ident) -> crate::diagnostics::Diag {
    super::arith::unknown_field(&name.name, ty).at(name.span)
}

fn unknown_member(e: &crate::value::ty::EnumTy, name: &Ident) -> crate::diagnostics::Diag {
    let ty = Ty::Enum(Arc::new(e.clone()));
    let diag = rules::UNKNOWN_FIELD.because(&[("name", &name.name), ("type", &ty)]).at(name.span);
    suggest::instead(diag, &name.name, e.members.iter().map(|(n, _)| n.as_str()), "its members are")
}

fn known_position(a: &ArrayTy, indices: &[(Operand, Span)]) -> Result<Option<u64>> {
    let mut position = Some(0u64);
    for ((index, at), dim) in indices.iter().zip(&a.dims) {
        match index {
            Operand::Known(v) => {
                let i = v.to::<u64>().filter(|i| *i < u64::from(*dim));
                let i = i.ok_or_else(|| {
                    let diag = rules::INDEX_RANGE.because(&[("index", v), ("len", dim)]).at(*at);
                    if matches!(v, Value::Int(..)) { diag } else { diag.help("an index is an integer") }
                })?;
                position = position.map(|p| p * u64::from(*dim) + i);
            }
            _ => position = None,
        }
    }
    Ok(position)
}

/// The part of a value that lies at a word offset and has a type.
fn value_at<'v>(v: &'v Value, off: u32, ty: &Ty) -> Option<&'v Value> {
    if off == 0 && v.ty() == *ty {
        return Some(v);
    }
    match v {
        Value::Array(a) if a.ty.elem.is_byte() => {
            let element = a.get(byte_number(off).into())?;
            (element.ty() == *ty).then_some(element)
        }
        Value::Array(a) => {
            let each = a.ty.elem.words().filter(|w| *w > 0)?;
            value_at(a.get(u64::from(off / each))?, off % each, ty)
        }
        Value::Record(r) => {
            let (i, start) = (0..r.fields.len())
                .filter_map(|i| r.ty.field_at(i).map(|(_, o)| (i, o)))
                .take_while(|(_, o)| *o <= off)
                .last()?;
            value_at(&r.fields[i], off - start, ty)
        }
        _ => None,
    }
}
