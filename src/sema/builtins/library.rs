//! Builtins that only the embedded library may use.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::{arguments, conversions, ids, intrinsics};
use crate::arch::{Arch, Color, InQueue};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::image::MemcpyColors;
use crate::image::code::Intrinsic;
use crate::sema::layout::Columns;
use crate::sema::operand::Operand;
use crate::sema::stream_checks;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::syntax::ast::ExprId;
use crate::value::float::FloatKind;
use crate::value::math::{self, MathFunction};
use crate::value::ty::{IdKind, IntTy, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "__math", takes: 2..=3, phase: Phase::Anywhere, is_pure: true,
        usage: "@__math(comptime name, x, y)",
        doc: "library: a function of `value::math`, of f32, the fp16 type or comptime_float",
        run: Run::Operand(math), ..USUAL },
    Builtin { name: "__string_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@__string_id(comptime string) u32",
        doc: "library: the index of a string among those of the tile",
        run: Run::Known(|s, call| string_id(s, call.args[0])), ..USUAL },
    Builtin { name: "__type_kind", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@__type_kind(T) comptime_string",
        doc: "library: `signed`, `unsigned`, `float`, `dsd`, `dsr`, `many` (a pointer `[*]T`) or `other`",
        run: Run::Known(|s, call| s.ty(call.args[0]).map(|ty| Value::str(type_kind(&ty)))), ..USUAL },
    Builtin { name: "__type_bits", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@__type_bits(T) comptime_int",
        doc: "library: the size of a value of type T in bits",
        run: Run::Known(|s, call| size_in_bits(s, call.args[0])), ..USUAL },
    Builtin { name: "__type_align", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@__type_align(T) comptime_int",
        doc: "library: the alignment of a value of type T in words",
        run: Run::Known(|s, call| s.ty(call.args[0]).map(|ty| Value::int(ty.align_words().into()))), ..USUAL },
    Builtin { name: "__unsigned", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@__unsigned(bits) type",
        doc: "library: the unsigned integer type of so many bits",
        run: Run::Known(|s, call| unsigned(s, call.args[0])), ..USUAL },
    Builtin { name: "__pointee", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@__pointee(T) type",
        doc: "library: the type that a pointer of type T points to",
        run: Run::Known(|s, call| type_behind(s, call.args[0])), ..USUAL },
    Builtin { name: "__count", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@__count(x) comptime_int",
        doc: "library: the number of fields of a struct, or of elements of a tuple or array",
        run: Run::Known(|s, call| count(s, call.args[0])), ..USUAL },
    Builtin { name: "__has_columns", takes: 0..=0, phase: Phase::Anywhere, is_pure: true,
        usage: "@__has_columns() bool",
        doc: "library: the program asks whether a PE is in the first or last column",
        run: Run::Known(|s, _| Ok(Value::Bool(s.layout.columns == Columns::Given))), ..USUAL },
    Builtin { name: "__mailbox", takes: 1..=1, phase: Phase::Block,
        usage: "@__mailbox(queue)",
        doc: "library: messages arrive in this queue, and the control wavelet that ends one starts no task",
        run: Run::Operand(|s, call| mailbox(s, call.args[0])), ..USUAL },
    Builtin { name: "__memcpy", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@__memcpy(params)",
        doc: "library: the program talks to the host over the colors MEMCPYH2D_1.. and MEMCPYD2H_1..",
        run: Run::Operand(|s, call| memcpy_params(s, call.args[0])), ..USUAL },
    Builtin { name: "__memcpy_server", takes: 1..=1, phase: Phase::Block,
        usage: "@__memcpy_server(params)",
        doc: "library: this tile receives commands of the host, and streams over the colors MEMCPYH2D_1.. and MEMCPYD2H_1..",
        run: Run::Operand(|s, call| memcpy_server(s, call.args[0])), ..USUAL },
];

fn string_id(sema: &mut Sema<'_>, text: ExprId) -> Result<Value> {
    let text = arguments::known_str(sema, text)?;
    Ok(Value::u32(sema.lower.tile.string(&text)))
}

/// Of an array of bytes two share a word; everything else takes whole ones, if it is more than a number.
fn size_in_bits(sema: &mut Sema<'_>, ty: ExprId) -> Result<Value> {
    let at = sema.span(ty);
    let ty = sema.ty(ty)?;
    let bits = match &ty {
        Ty::Array(array) if array.elem.is_byte() => Some(8 * array.len()),
        Ty::Array(_) => ty.words().map(|words| 16 * u64::from(words)),
        _ => ty.bits().map(u64::from).or_else(|| ty.words().map(|words| 16 * u64::from(words))),
    };
    let bits = bits.ok_or_else(|| rules::COMPTIME_ONLY.because(&[("type", &ty)]).at(at))?;
    Ok(Value::int(bits.into()))
}

fn unsigned(sema: &mut Sema<'_>, bits: ExprId) -> Result<Value> {
    let at = sema.span(bits);
    let v = sema.known(bits)?;
    let bits = v.to::<u32>().ok_or_else(|| rules::REPORTED.plain().at(at))?;
    Ok(Value::Type(Ty::Int(IntTy { signed: false, bits })))
}

fn type_behind(sema: &mut Sema<'_>, ty: ExprId) -> Result<Value> {
    match sema.ty(ty)? {
        Ty::Ptr(pointer) => Ok(Value::Type(pointer.to.clone())),
        other => {
            Err(rules::TYPE_MISMATCH.because(&[("want", &"a pointer"), ("have", &other)]).at(sema.span(ty)))
        }
    }
}

fn mailbox(sema: &mut Sema<'_>, queue: ExprId) -> Result<Operand> {
    if let Value::Id(_, queue) = sema.known_as(queue, &Ty::Id(IdKind::InputQueue))? {
        sema.lower.tile.image.mailbox = Some(InQueue(queue as u8));
    }
    Ok(Operand::void())
}

fn memcpy_server(sema: &mut Sema<'_>, params: ExprId) -> Result<Operand> {
    let (given, at) = (sema.known(params)?, sema.span(params));
    sema.lower.tile.image.streams = stream_colors(sema.arch, &given).at(at)?;
    sema.lower.tile.image.has_memcpy = true;
    Ok(Operand::void())
}

fn count(sema: &mut Sema<'_>, e: ExprId) -> Result<Value> {
    let v = sema.value(e, None)?;
    let n = match v.ty() {
        Ty::Array(array) => array.dims[0] as usize,
        _ => super::arguments::fields_of(&v).map_or(0, |f| f.len()),
    };
    Ok(Value::int(n as i128))
}

fn math(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let name = arguments::known_str(sema, call.args[0])?;
    let f = MathFunction::parse(&name)
        .ok_or_else(|| rules::UNKNOWN_BUILTIN.because(&[("name", &name)]).at(call.span))?;
    let at = sema.span(call.args[1]);
    let x = sema.value(call.args[1], None)?;
    let ty = x.ty();
    let y = match call.args.get(2) {
        Some(y) => sema.value_as(*y, &ty)?,
        None => Operand::Known(Value::Float(FloatKind::Comptime, 0.0)),
    };
    if let (Operand::Known(Value::Float(k, x)), Operand::Known(Value::Float(_, y))) = (&x, &y) {
        let v = match k {
            FloatKind::F32 => f64::from(math::eval32(f, *x as f32, *y as f32)),
            _ => k.round(math::eval64(f, *x, *y)),
        };
        if *k == FloatKind::Comptime && v.is_nan() {
            let c = rules::BAD_OPERAND.because(&[("op", &name), ("type", &format!("{x:?}"))]).at(at);
            return Err(c.help("give it a type if the result may be NaN: `@as(f32, ..)`"));
        }
        return Ok(Operand::Known(Value::Float(*k, v)));
    }
    // The other formats of 16 bits are computed in f32.
    let (id, own) = match ty {
        Ty::F32 | Ty::Float(FloatKind::Bf16 | FloatKind::Cb16) => (Intrinsic::Math32, Ty::F32),
        Ty::Float(FloatKind::F16) => (Intrinsic::Math16, Ty::F16),
        ref other => {
            return Err(rules::TYPE_MISMATCH.because(&[("want", &"f16 or f32"), ("have", other)]).at(at));
        }
    };
    let (x, y) = (sema.coerce(x, &own, at)?, sema.coerce(y, &own, at)?);
    let arguments = [Operand::Known(Value::u16(f as u16)), x, y];
    let result = intrinsics::intrinsic(sema, id, &arguments, own, call.span)?;
    conversions::convert(sema, result, &ty, call.span)
}

fn memcpy_params(sema: &mut Sema<'_>, params: ExprId) -> Result<Operand> {
    let at = sema.span(params);
    let given = sema.known(params)?;
    if sema.layout.streams().is_some_and(|streams| streams.are_of(&given)) {
        return Ok(Operand::void());
    }
    let colors = stream_colors(sema.arch, &given).at(at)?;
    stream_checks::found(sema, colors, given, at).map(|()| Operand::void())
}

/// The colors of the streams among the parameters of `<memcpy/get_params>` or `<memcpy/memcpy>`.
fn stream_colors(arch: &Arch, given: &Value) -> Result<MemcpyColors> {
    let mut colors = MemcpyColors::default();
    for n in 0..4 {
        colors.h2d[n] = stream_color(arch, given.field(&format!("MEMCPYH2D_{}", n + 1)))?;
        colors.d2h[n] = stream_color(arch, given.field(&format!("MEMCPYD2H_{}", n + 1)))?;
    }
    Ok(colors)
}

/// The color of a stream: since SDK 2.10 programs give its number.
fn stream_color(arch: &Arch, given: Option<&Value>) -> Result<Option<Color>> {
    let number = match given {
        Some(Value::Id(IdKind::Color, c)) => *c,
        Some(v @ Value::Int(..)) => match ids::known_id(arch, v, IdKind::Color)? {
            Value::Id(_, c) => c,
            other => unreachable!("{other} is no id"),
        },
        _ => return Ok(None),
    };
    Ok(Color::numbered(number))
}

fn type_kind(ty: &Ty) -> &'static str {
    match ty {
        Ty::ComptimeInt => "signed",
        Ty::Int(t) if t.signed => "signed",
        Ty::Int(_) => "unsigned",
        Ty::Float(_) => "float",
        Ty::Dsd(_) => "dsd",
        Ty::Id(k) if k.is_dsr() => "dsr",
        Ty::Ptr(p) if p.many => "many",
        _ => "other",
    }
}
