//! Arithmetic on comptime values: operators, conversions, coercions.

use super::mismatch::mismatch as wrong_type;
use super::value::{Elems, Pointer, Value};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result, suggest};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::float::FloatKind;
use crate::value::number::Integer;
use crate::value::ty::{EnumTy, IntTy, PtrTy, Ty};
use std::cmp::Ordering;
use std::sync::Arc;

/// What the result of an overflow at comptime is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// An error: the expression itself is written for comptime (ruling OQ-03).
    Reject,
    /// Wraps: inside a function that also runs at run time, both must agree (ruling OQ-04).
    Wrap,
}

/// `a op b` for two values of one type (`and`, `or` are not handled here: they short-circuit).
pub fn binary(op: BinaryOp, a: &Value, b: &Value, overflow: Overflow) -> Result<Value> {
    use BinaryOp::*;
    match op {
        Shl | Shr => shift(op, a, b, overflow),
        Eq | Ne => {
            equality(a, b).map(|same| Value::Bool(same == (op == Eq))).ok_or_else(|| mismatch(op, a, b))
        }
        Lt | Gt | Le | Ge => ordering(op, a, b),
        _ => match (a, b) {
            (Value::Int(t, x), Value::Int(_, y)) => {
                let v = int_op(op, x, y).ok_or_else(|| int_trouble(op, y))?;
                fit(*t, v, overflow, &|| format!("{x} {} {y}", op.symbol()))
            }
            (Value::Float(k, x), Value::Float(_, y)) => {
                float_op(op, *k, *x, *y).unwrap_or_else(|| Err(mismatch(op, a, b)))
            }
            (Value::Bool(x), Value::Bool(y)) if matches!(op, BitAnd | BitOr | BitXor) => {
                Err(rules::BAD_OPERANDS
                    .because(&[("op", &op.symbol()), ("left", &"bool"), ("right", &"bool")])
                    .help(format!("`{x}` and `{y}` are bools: use `and`, `or`, `!=`")))
            }
            _ => Err(mismatch(op, a, b)),
        },
    }
}

fn mismatch(op: BinaryOp, a: &Value, b: &Value) -> Diag {
    if let (Value::Undefined(_), _) | (_, Value::Undefined(_)) = (a, b) {
        return rules::UNDEFINED_VALUE.plain();
    }
    rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", &a.ty()), ("right", &b.ty())])
}

fn int_trouble(op: BinaryOp, right: &Integer) -> Diag {
    if right.is_zero() && matches!(op, BinaryOp::Div | BinaryOp::Rem) {
        return rules::DIVISION_BY_ZERO.plain();
    }
    rules::NUMBER_TOO_LARGE.plain()
}

fn int_op(op: BinaryOp, x: &Integer, y: &Integer) -> Option<Integer> {
    match op {
        BinaryOp::Add => x.add(y),
        BinaryOp::Sub => x.sub(y),
        BinaryOp::Mul => x.mul(y),
        BinaryOp::Div => x.div(y),
        BinaryOp::Rem => x.rem(y),
        BinaryOp::BitAnd => Some(x.and(y)),
        BinaryOp::BitOr => Some(x.or(y)),
        BinaryOp::BitXor => Some(x.xor(y)),
        _ => None,
    }
}

/// Checks or wraps a result into its type.
fn fit(ty: Option<IntTy>, v: Integer, overflow: Overflow, what: &dyn Fn() -> String) -> Result<Value> {
    let Some(t) = ty else { return Ok(Value::Int(None, v)) };
    if v.fits(t.signed, t.bits) {
        return Ok(Value::Int(ty, v));
    }
    match overflow {
        Overflow::Wrap => Ok(Value::Int(ty, v.wrap(t.signed, t.bits))),
        Overflow::Reject => {
            let c = rules::INTEGER_OVERFLOW.because(&[("what", &what()), ("type", &Ty::Int(t))]);
            Err(c.help(format!("use a number from {}, or a wider type", range_of(t))))
        }
    }
}

/// The numbers of a type: `0 to 65535`.
fn range_of(t: IntTy) -> String {
    let one = |bits: u32| Integer::Small(1).shl(&Integer::Small(bits.into()));
    let power = |bits: u32| one(bits).unwrap_or(Integer::ZERO);
    let below = |n: Integer| n.sub(&Integer::ONE).unwrap_or(Integer::ZERO);
    match t.signed {
        true => format!("{} to {}", power(t.bits - 1).neg(), below(power(t.bits - 1))),
        false => format!("0 to {}", below(power(t.bits))),
    }
}

fn float_op(op: BinaryOp, k: FloatKind, x: f64, y: f64) -> Option<Result<Value>> {
    let v = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        _ => return None,
    };
    if k == FloatKind::Comptime && (v.is_nan() || op == BinaryOp::Div && y == 0.0) {
        return Some(Err(rules::DIVISION_BY_ZERO.plain()));
    }
    // both operands are exact in f64 and its 53 bits are more than twice those of f32, so rounding
    // the f64 result once more gives the correctly rounded result of the narrow type
    Some(Ok(Value::Float(k, k.round(v))))
}

fn shift(op: BinaryOp, a: &Value, b: &Value, overflow: Overflow) -> Result<Value> {
    let (Value::Int(t, x), Value::Int(bt, n)) = (a, b) else { return Err(mismatch(op, a, b)) };
    if n.is_negative() || bt.is_some_and(|t| t.signed) {
        return Err(rules::BAD_SHIFT
            .because(&[("amount", n)])
            .help("give the amount an unsigned type: `@as(u16, ..)`"));
    }
    if t.is_some_and(|t| n.to::<u32>().is_none_or(|n| n >= t.bits)) {
        return Err(rules::BAD_SHIFT.because(&[("amount", n)]).help(match t {
            Some(t) => format!("a {} can be shifted by 0 to {}", Ty::Int(*t), t.bits - 1),
            None => "shift by a smaller amount".to_string(),
        }));
    }
    let v = if op == BinaryOp::Shl { x.shl(n) } else { x.shr(n) };
    let v = v.ok_or_else(|| rules::NUMBER_TOO_LARGE.plain())?;
    // bits shifted out on the left are lost also at comptime: hash and mask code relies on it
    let overflow = if t.is_some() { Overflow::Wrap } else { overflow };
    fit(*t, v, overflow, &|| format!("{x} {} {n}", op.symbol()))
}

/// Whether two values are equal; `None` if they cannot be compared.
pub fn equality(a: &Value, b: &Value) -> Option<bool> {
    Some(match (a, b) {
        (Value::Int(_, x), Value::Int(_, y)) => x == y,
        (Value::Float(_, x), Value::Float(_, y)) => x == y,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Enum(s, x), Value::Enum(t, y)) if s == t => x == y,
        (Value::Id(j, x), Value::Id(k, y)) if j == k => x == y,
        (Value::Str(x), Value::Str(y)) => x == y,
        (Value::Type(x), Value::Type(y)) => x == y,
        (Value::Ptr(x), Value::Ptr(y)) => x.to == y.to,
        (Value::Void, Value::Void) => true,
        _ => return None,
    })
}

fn ordering(op: BinaryOp, a: &Value, b: &Value) -> Result<Value> {
    let order = match (a, b) {
        // One question each, as tiles share what is compiled if they answer it alike.
        (Value::Int(_, x), Value::Int(_, y)) => {
            return Ok(Value::Bool(match op {
                BinaryOp::Lt => x.is_less(y),
                BinaryOp::Gt => y.is_less(x),
                BinaryOp::Le => !y.is_less(x),
                _ => !x.is_less(y),
            }));
        }
        (Value::Float(_, x), Value::Float(_, y)) => x.partial_cmp(y),
        _ => return Err(mismatch(op, a, b)),
    };
    Ok(Value::Bool(match op {
        BinaryOp::Lt => order == Some(Ordering::Less),
        BinaryOp::Gt => order == Some(Ordering::Greater),
        BinaryOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }))
}

/// `-a`, `~a`, `!a`.
pub fn unary(op: UnaryOp, a: &Value, overflow: Overflow) -> Result<Value> {
    let symbol = match op {
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::AddressOf => "&",
    };
    match (op, a) {
        (UnaryOp::Neg, Value::Int(t, x)) if t.is_none_or(|t| t.signed) => {
            fit(*t, x.neg(), overflow, &|| format!("-{x}"))
        }
        (UnaryOp::Neg, Value::Float(k, x)) => Ok(Value::Float(*k, -x)),
        (UnaryOp::BitNot, Value::Int(Some(t), x)) => Ok(Value::Int(Some(*t), x.not().wrap(t.signed, t.bits))),
        (UnaryOp::Not, Value::Bool(x)) => Ok(Value::Bool(!x)),
        (_, Value::Undefined(_)) => Err(rules::UNDEFINED_VALUE.plain()),
        _ => Err(rules::BAD_OPERAND.because(&[("op", &symbol), ("type", &a.ty())])),
    }
}

/// `@as(ty, v)`: the explicit conversion.
pub fn cast(v: &Value, ty: &Ty, overflow: Overflow) -> Result<Value> {
    let no = || rules::BAD_CAST.because(&[("from", &v.ty()), ("to", ty)]);
    if let Value::Undefined(_) = v {
        return Ok(Value::Undefined(ty.clone()));
    }
    match (ty, v) {
        (Ty::Int(t), Value::Int(from, x)) => {
            let wraps = if from.is_some() { overflow } else { Overflow::Reject };
            fit(Some(*t), x.clone(), wraps, &|| x.to_string())
        }
        (Ty::Int(t), Value::Float(_, x)) => {
            let n = Integer::from_f64(x.trunc()).ok_or_else(no)?;
            fit(Some(*t), n, Overflow::Reject, &|| format!("{x:?}"))
        }
        (Ty::Int(_) | Ty::Float(_), Value::Bool(b)) => cast(&Value::int((*b).into()), ty, overflow),
        (Ty::Int(_) | Ty::Float(_), Value::Enum(e, n)) => {
            cast(&Value::Int(Some(e.repr), Integer::Small(*n)), ty, overflow)
        }
        (Ty::ComptimeInt, Value::Int(_, x)) => Ok(Value::Int(None, x.clone())),
        (Ty::ComptimeInt, Value::Float(_, x)) => {
            Ok(Value::Int(None, Integer::from_f64(x.trunc()).ok_or_else(no)?))
        }
        (Ty::Float(FloatKind::Comptime), Value::Int(_, x)) => {
            Ok(Value::Float(FloatKind::Comptime, x.to_f64()))
        }
        (Ty::Float(k), Value::Int(_, x)) => Ok(Value::Float(*k, k.round(x.to_odd_f64()))),
        (Ty::Float(k), Value::Float(_, x)) => Ok(Value::Float(*k, k.round(*x))),
        (Ty::Bool, Value::Int(_, x)) => Ok(Value::Bool(!x.is_zero())),
        (Ty::Bool, Value::Float(_, x)) => Ok(Value::Bool(*x != 0.0)),
        (Ty::Bool, Value::Enum(_, n)) => Ok(Value::Bool(*n != 0)),
        (Ty::Bool, Value::Bool(_)) => Ok(v.clone()),
        (Ty::Enum(e), Value::Int(_, x)) => {
            let n = x.to_i128().filter(|n| e.members.iter().any(|(_, m)| m == n));
            let n = n.ok_or_else(|| {
                let diag = rules::BAD_CAST.because(&[("from", x), ("to", ty)]);
                diag.help(format!("its values are {}", values_of(e)))
            })?;
            Ok(Value::Enum(e.clone(), n))
        }
        _ => coerce(v, ty).map_err(|_| no()),
    }
}

/// The values of an enum with their numbers, for people.
fn values_of(of: &EnumTy) -> String {
    const MOST: usize = 12;
    let values = of.members.iter().take(MOST).map(|(name, n)| format!("`{name}` ({n})"));
    let listed = values.collect::<Vec<_>>().join(", ");
    if of.members.len() > MOST { listed + " and others" } else { listed }
}

/// The implicit conversion: only what keeps the value (language section 5).
pub fn coerce(v: &Value, ty: &Ty) -> Result<Value> {
    let from = v.ty();
    if from == *ty && !matches!(v, Value::Fn(_)) {
        return Ok(v.clone());
    }
    let no = || wrong_type(ty, &from);
    match (ty, v) {
        (Ty::Error, _) => Ok(v.clone()),
        (_, Value::Undefined(_)) => Ok(Value::Undefined(ty.clone())),
        // ruling: a known integer becomes any integer type that holds its value, as public programs
        // hand `i16` parameters to `u16` ones
        (Ty::Int(t), Value::Int(_, x)) => fit(Some(*t), x.clone(), Overflow::Reject, &|| x.to_string()),
        (Ty::ComptimeInt, Value::Int(_, x)) => Ok(Value::Int(None, x.clone())),
        (Ty::Float(k), Value::Float(FloatKind::Comptime, x)) => {
            let r = k.round(*x);
            if r.is_infinite() && x.is_finite() {
                return Err(rules::INTEGER_OVERFLOW.because(&[("what", &format!("{x:?}")), ("type", ty)]));
            }
            Ok(Value::Float(*k, r))
        }
        (Ty::Float(FloatKind::Comptime), Value::Float(_, x)) => Ok(Value::Float(FloatKind::Comptime, *x)),
        (Ty::Float(FloatKind::F32), Value::Float(k, x)) if *k != FloatKind::F32 => {
            Ok(Value::Float(FloatKind::F32, *x))
        }
        // ruling OQ-07: an exactly representable comptime_int is a float where one is asked for
        (Ty::Float(k), Value::Int(None, x)) if x.is_exactly(k.round(x.to_f64())) => {
            Ok(Value::Float(*k, x.to_f64()))
        }
        (Ty::Float(_), Value::Int(..)) => Err(no()),
        (Ty::ComptimeStruct, Value::Record(r)) if matches!(r.ty, Ty::Anon(_)) => Ok(v.clone()),
        (Ty::Ptr(to), Value::Ptr(p)) if pointer_coerces(&Ty::Ptr(p.ty.clone()), ty) => {
            Ok(Value::Ptr(Pointer { ty: to.clone(), to: p.to }))
        }
        (Ty::Struct(s), Value::Record(r)) if matches!(r.ty, Ty::Anon(_)) => {
            let fields = coerce_fields(v, ty, s.fields.iter().map(|(n, t)| (n.as_str(), t)))?;
            Ok(Value::record(ty.clone(), fields))
        }
        (Ty::Anon(a), Value::Record(_)) => {
            let fields = coerce_anon(v, ty, a)?.ok_or_else(no)?;
            Ok(Value::record(ty.clone(), fields))
        }
        (Ty::Array(t), Value::Array(a)) if t.dims == a.ty.dims => {
            let elems = match &a.elems {
                Elems::Splat(e) => Elems::Splat(coerce(e, &t.elem)?),
                Elems::List(all) => {
                    Elems::List(all.iter().map(|e| coerce(e, &t.elem)).collect::<Result<_>>()?)
                }
            };
            Ok(Value::array(t.clone(), elems))
        }
        (Ty::Type, Value::Type(_)) => Ok(v.clone()),
        _ => Err(no()),
    }
}

/// The diagnostic about a field that a type does not have.
pub fn unknown_field(name: &str, ty: &Ty) -> Diag {
    let c = rules::UNKNOWN_FIELD.because(&[("name", &name), ("type", ty)]);
    let has_elements = matches!(ty, Ty::Array(_)) || matches!(ty, Ty::Ptr(p) if matches!(p.to, Ty::Array(_)));
    if has_elements && matches!(name, "len" | "length" | "size" | "count" | "shape") {
        return c.help("write `@element_count(@type_of(a))` for the number of elements of an array");
    }
    if *ty == Ty::ComptimeInt && matches!(name, "f" | "F" | "f32" | "d") {
        return c.help("write `1.0`: a float has digits on both sides of its point, and no suffix");
    }
    if let Ty::Dsd(_) = ty {
        return c.help(of_dsd(name));
    }
    suggest::instead(c, name, ty.field_names(), "its fields are")
}

/// How a property of a DSD changes; code cannot read it.
fn of_dsd(name: &str) -> &'static str {
    match name {
        "extent" | "length" | "len" | "size" => {
            "a DSD has no fields: make a changed one, `d = @set_dsd_length(d, n)`"
        }
        "stride" => "a DSD has no fields: make a changed one, `d = @set_dsd_stride(d, n)`",
        "base_address" | "base" | "address" => {
            "a DSD has no fields: make a changed one, `d = @set_dsd_base_addr(d, array)`"
        }
        "offset" => "a DSD has no fields: make a changed one, `d = @increment_dsd_offset(d, n, T)`",
        _ => "a DSD has no fields: make another one with `@get_dsd`",
    }
}

fn coerce_fields<'t>(
    v: &Value,
    to: &Ty,
    want: impl Iterator<Item = (&'t str, &'t Ty)>,
) -> Result<Vec<Value>> {
    let want: Vec<_> = want.collect();
    let have = v.fields().unwrap_or_default();
    for (name, _) in &have {
        if !want.iter().any(|(n, _)| n == name) {
            return Err(unknown_field(name, to));
        }
    }
    want.iter()
        .map(|(name, ty)| match v.field(name) {
            Some(value) => coerce(value, ty),
            None => Err(rules::MISSING_FIELD.because(&[("name", name)])),
        })
        .collect()
}

fn coerce_anon(v: &Value, ty: &Ty, to: &crate::value::ty::AnonTy) -> Result<Option<Vec<Value>>> {
    let Value::Record(r) = v else { return Ok(None) };
    if r.fields.len() != to.types.len() {
        return Ok(None);
    }
    match &to.names {
        Some(names) => coerce_fields(v, ty, names.iter().map(|n| n.as_str()).zip(&to.types)).map(Some),
        None => r.fields.iter().zip(&to.types).map(|(f, t)| coerce(f, t)).collect::<Result<_>>().map(Some),
    }
}

/// iN to iM, uN to uM, uN to iM, M larger.
pub fn widens(from: IntTy, to: IntTy) -> bool {
    from == to || to.bits > from.bits && (to.signed || !from.signed)
}

/// Whether a pointer of one type may silently become one of the other.
pub fn pointer_coerces(from: &Ty, to: &Ty) -> bool {
    let (Ty::Ptr(f), Ty::Ptr(t)) = (from, to) else { return false };
    if f.is_const && !t.is_const {
        return false;
    }
    if t.to == Ty::AnyOpaque || f.many == t.many && f.to == t.to {
        return true;
    }
    match (&f.to, &t.to) {
        // *[N]T to [*]T, also from several dimensions (ruling OQ-09)
        (Ty::Array(a), elem) if t.many && !f.many => a.elem == *elem,
        // *T to *[1]T
        (one, Ty::Array(a)) if !t.many && !f.many => a.dims == [1] && a.elem == *one,
        (Ty::Fn(a), Ty::Fn(b)) => a.params == b.params && a.ret == b.ret,
        _ => false,
    }
}

/// The type to which all of these coerce (language section 5); `None` if there is none.
pub fn peer(types: &[Ty]) -> Option<Ty> {
    let mut best = types.first()?.clone();
    for t in &types[1..] {
        best = peer_of_two(&best, t)?;
    }
    Some(best)
}

fn peer_of_two(a: &Ty, b: &Ty) -> Option<Ty> {
    if a == b || matches!(b, Ty::NoReturn | Ty::Error) {
        return Some(a.clone());
    }
    match (a, b) {
        (Ty::NoReturn | Ty::Error, _) => Some(b.clone()),
        (Ty::ComptimeInt, Ty::Int(_) | Ty::Float(_)) => Some(b.clone()),
        (Ty::Int(_) | Ty::Float(_), Ty::ComptimeInt) => Some(a.clone()),
        (Ty::Int(x), Ty::Int(y)) if widens(*x, *y) => Some(b.clone()),
        (Ty::Int(x), Ty::Int(y)) if widens(*y, *x) => Some(a.clone()),
        (Ty::Float(FloatKind::Comptime), Ty::Float(_)) => Some(b.clone()),
        (Ty::Float(_), Ty::Float(FloatKind::Comptime)) => Some(a.clone()),
        (Ty::Float(FloatKind::F32), Ty::Float(_)) => Some(a.clone()),
        (Ty::Float(_), Ty::Float(FloatKind::F32)) => Some(b.clone()),
        (Ty::Ptr(_), Ty::Ptr(_)) if pointer_coerces(a, b) => Some(b.clone()),
        (Ty::Ptr(_), Ty::Ptr(_)) if pointer_coerces(b, a) => Some(a.clone()),
        (Ty::Ptr(x), Ty::Ptr(y)) => {
            let element = elements_behind(x).filter(|element| elements_behind(y) == Some(element))?;
            Some(element.clone().pointer(x.is_const || y.is_const, true))
        }
        (Ty::Anon(_), Ty::Struct(_)) => Some(b.clone()),
        (Ty::Struct(_), Ty::Anon(_)) => Some(a.clone()),
        _ => None,
    }
}

/// The type of the elements of the array that a pointer may be seen to point to, as a `[*]T`.
fn elements_behind(pointer: &PtrTy) -> Option<&Ty> {
    match &pointer.to {
        to if pointer.many => Some(to),
        Ty::Array(a) => Some(&a.elem),
        _ => None,
    }
}

/// The bits of a number, bool, enum or packed struct.
pub fn bits_of(v: &Value) -> Option<Integer> {
    match v {
        Value::Int(Some(t), x) => Some(x.wrap(false, t.bits)),
        Value::Float(FloatKind::Comptime, _) => None,
        Value::Float(k, x) => Some(Integer::Small(k.to_bits(*x).into())),
        Value::Bool(b) => Some(Integer::Small((*b).into())),
        Value::Id(_, n) => Some(Integer::Small((*n).into())),
        Value::Enum(t, n) => Some(Integer::Small(*n).wrap(false, t.repr.bits)),
        Value::Undefined(_) => Some(Integer::ZERO),
        Value::Record(r) => {
            let mut all = Integer::ZERO;
            for (i, field) in r.fields.iter().enumerate() {
                let off = Integer::Small(r.ty.packed_offset(i).into());
                all = all.or(&bits_of(field)?.shl(&off)?);
            }
            Some(all)
        }
        Value::Union(u) => bits_of(&u.value),
        _ => None,
    }
}

/// The value that has these bits; `None` if the type has no bit pattern.
pub fn from_bits_of(ty: &Ty, bits: &Integer) -> Option<Value> {
    Some(match ty {
        Ty::Int(t) => Value::Int(Some(*t), bits.wrap(t.signed, t.bits)),
        Ty::Float(FloatKind::Comptime) => return None,
        Ty::Float(k) => Value::Float(*k, k.from_bits(bits.low_u64())),
        Ty::Bool => Value::Bool(!bits.is_zero()),
        Ty::Id(k) => Value::Id(*k, bits.low_u64() as u16),
        Ty::Enum(t) => Value::Enum(t.clone(), bits.wrap(t.repr.signed, t.repr.bits).to_i128()?),
        Ty::Struct(s) => {
            let field = |(i, (_, t)): (usize, &(_, Ty))| {
                let off = Integer::Small(ty.packed_offset(i).into());
                from_bits_of(t, &bits.shr(&off)?.wrap(false, t.bits()?))
            };
            Value::record(ty.clone(), s.fields.iter().enumerate().map(field).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// `@bitcast(ty, v)`.
pub fn bitcast(v: &Value, ty: &Ty) -> Result<Value> {
    let no = || rules::BAD_BITCAST.because(&[("from", &v.ty()), ("to", ty)]);
    if let (Ty::Ptr(p), Some(addr)) = (ty, v.to::<u16>()) {
        return Ok(Value::Ptr(Pointer { ty: Arc::clone(p), to: super::value::Pointee::Address(addr) }));
    }
    if v.ty().bits() != ty.bits() {
        return Err(no());
    }
    bits_of(v).and_then(|b| from_bits_of(ty, &b)).ok_or_else(no)
}
