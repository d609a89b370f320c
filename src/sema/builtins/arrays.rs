//! Arrays and ranges.

use super::conversions;
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result};
use crate::sema::arith;
use crate::sema::operand::Operand;
use crate::sema::value::{Elems, RangeValue, Value};
use crate::sema::walk::Sema;
use crate::syntax::ast::ExprId;
use crate::value::number::Integer;
use crate::value::ty::{ArrayTy, Ty};
use std::rc::Rc;
use std::sync::Arc;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "dimensions", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@dimensions(Array)",
        doc: "the sizes of an array type",
        run: Run::Known(|s, call| array_arg(s, call.args[0]).map(|t| dimensions(&t))), ..USUAL },
    Builtin { name: "element_count", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@element_count(Array)",
        doc: "the number of elements of an array type",
        run: Run::Known(|s, call| array_arg(s, call.args[0]).map(|t| Value::u32(t.len() as u32))), ..USUAL },
    Builtin { name: "element_type", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@element_type(Array)",
        doc: "the element type of an array type",
        run: Run::Known(|s, call| array_arg(s, call.args[0]).map(|t| Value::Type(t.elem.clone()))), ..USUAL },
    Builtin { name: "rank", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@rank(Array)",
        doc: "the number of dimensions of an array type",
        run: Run::Known(|s, call| array_arg(s, call.args[0]).map(|t| Value::u16(t.dims.len() as u16))), ..USUAL },
    Builtin { name: "zeros", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@zeros([n]T)",
        doc: "an array of zeros",
        run: Run::Known(|s, call| zeros(s, call.args[0])), ..USUAL },
    Builtin { name: "constants", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@constants([n]T, value)",
        doc: "an array of equal elements",
        run: Run::Operand(constants), ..USUAL },
    Builtin { name: "range", takes: 2..=4, phase: Phase::Anywhere, is_pure: true,
        usage: "@range(T, stop) or @range(T, start, stop, step)",
        doc: "a range",
        run: Run::Operand(range), ..USUAL },
    Builtin { name: "range_start", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@range_start(range)",
        doc: "the first element of a range",
        run: Run::Operand(|s, call| range_part(s, call, RangePart::Start)), ..USUAL },
    Builtin { name: "range_stop", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@range_stop(range)",
        doc: "the exclusive bound of a range",
        run: Run::Operand(|s, call| range_part(s, call, RangePart::Stop)), ..USUAL },
    Builtin { name: "range_step", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@range_step(range)",
        doc: "the step of a range",
        run: Run::Operand(|s, call| range_part(s, call, RangePart::Step)), ..USUAL },
];

fn array_arg(sema: &mut Sema<'_>, ty: ExprId) -> Result<Arc<ArrayTy>> {
    let at = sema.span(ty);
    match sema.ty(ty)? {
        Ty::Array(a) => Ok(a),
        other => Err(not_an_array(&other).at(at)),
    }
}

fn zeros(sema: &mut Sema<'_>, ty: ExprId) -> Result<Value> {
    let at = sema.span(ty);
    let a = array_arg(sema, ty).map_err(|diag| {
        let is_other = [rules::NOT_A_TYPE.name, rules::TYPE_MISMATCH.name].contains(&diag.rule());
        match is_other {
            true => diag.help("write the size and the type of an element, such as `@zeros([4]f32)`"),
            false => diag,
        }
    })?;
    let zero = match &a.elem {
        Ty::Int(t) => Value::Int(Some(*t), Integer::ZERO),
        Ty::ComptimeInt => Value::int(0),
        Ty::Float(k) => Value::Float(*k, 0.0),
        other => {
            return Err(rules::BAD_ZEROS
                .because(&[("type", other)])
                .at(at)
                .help(format!("write `@constants({}, ..)`", Ty::Array(a.clone()))));
        }
    };
    Ok(Value::array(a, Elems::Splat(zero)))
}

fn constants(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (ty, value) = (call.args[0], call.args[1]);
    let a = match array_arg(sema, ty) {
        Ok(a) => a,
        Err(diag) => return Err(conversions::swapped(sema, "constants", diag, ty, value, call.span)),
    };
    let at = sema.span(value);
    match sema.value_as(value, &a.elem)? {
        Operand::Known(v) => Ok(Operand::Known(Value::array(a, Elems::Splat(v)))),
        one if a.len() <= 1024 => {
            let parts = vec![one; a.len() as usize];
            Ok(Operand::Parts(Ty::Array(a), parts))
        }
        _ => Err(rules::NOT_COMPTIME.because(&[("what", &"the value of this many elements")]).at(at)),
    }
}

fn range(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let args = call.args;
    let at = sema.span(args[0]);
    let ty = sema.ty(args[0])?;
    if !ty.is_int() {
        return Err(rules::TYPE_MISMATCH.because(&[("want", &"an integer type"), ("have", &ty)]).at(at));
    }
    let mut part = |id: ExprId| match sema.is_comptime() {
        true => sema.known_as(id, &ty).map(Operand::Known),
        false => sema.value_as(id, &ty),
    };
    let number = |n: Integer| arith::coerce(&Value::Int(None, n), &ty).map(Operand::Known);
    let (start, stop, step) = match args {
        [_, stop] => (number(Integer::ZERO)?, part(*stop)?, number(Integer::ONE)?),
        [_, start, stop, step] => (part(*start)?, part(*stop)?, part(*step)?),
        _ => {
            return Err(rules::ARGUMENT_COUNT
                .because(&[("name", &"`@range`"), ("want", &"2 or 4 arguments"), ("have", &args.len())])
                .at(call.span)
                .help("write `@range(T, stop)` or `@range(T, start, stop, step)`"));
        }
    };
    let known = |part: &Operand| part.known().and_then(Value::as_integer);
    if known(&step).is_some_and(|step| step.is_zero()) {
        return Err(rules::RANGE_STEP.plain().at(call.span));
    }
    match (known(&start), known(&stop), known(&step)) {
        (Some(start), Some(stop), Some(step)) => {
            Ok(Operand::Known(Value::Range(Rc::new(RangeValue { ty, start, stop, step }))))
        }
        _ if ty == Ty::ComptimeInt => Err(rules::REPORTED.plain()),
        _ => Ok(Operand::Parts(Ty::Range, vec![start, stop, step])),
    }
}

/// A part of a range, at its place in `Operand::Parts`.
#[derive(Copy, Clone)]
enum RangePart {
    Start,
    Stop,
    Step,
}

fn range_part(sema: &mut Sema<'_>, call: Call<'_>, part: RangePart) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    match sema.value(call.args[0], None)? {
        Operand::Known(Value::Range(r)) => {
            let number = match part {
                RangePart::Start => &r.start,
                RangePart::Stop => &r.stop,
                RangePart::Step => &r.step,
            };
            arith::coerce(&Value::Int(None, number.clone()), &r.ty).map(Operand::Known)
        }
        Operand::Parts(Ty::Range, mut parts) => Ok(parts.swap_remove(part as usize)),
        _ => Err(rules::NOT_ITERABLE.because(&[("type", &"this")]).at(at)),
    }
}

fn not_an_array(ty: &Ty) -> Diag {
    rules::TYPE_MISMATCH.because(&[("want", &"an array type"), ("have", ty)])
}

fn dimensions(a: &ArrayTy) -> Value {
    let ty = ArrayTy { dims: vec![a.dims.len() as u32], elem: Ty::U32 };
    Value::array(Arc::new(ty), Elems::List(a.dims.iter().map(|d| Value::u32(*d)).collect()))
}
