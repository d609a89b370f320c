//! Fields of structs.

use super::entry::{Builtin, Phase, Run, USUAL};
use super::{arguments, conversions};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::sema::eval::ExprValue;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::sema::{literals, suffix};
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident};
use crate::value::ty::{AnonTy, Ty};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "field", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@field(struct, name)",
        doc: "a field by its name",
        run: Run::Place(|s, call| field_builtin(s, call.args[0], call.args[1])), ..USUAL },
    Builtin { name: "has_field", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@has_field(struct, name)",
        doc: "whether a struct has a field",
        run: Run::Known(|s, call| has_field(s, call.args[0], call.args[1])), ..USUAL },
    Builtin { name: "concat_structs", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@concat_structs(a, b)",
        doc: "joins two anonymous structs or tuples",
        run: Run::Operand(|s, call| concat(s, call.args[0], call.args[1], call.span)), ..USUAL },
];

fn field_builtin(sema: &mut Sema<'_>, base: ExprId, name: ExprId) -> Result<ExprValue> {
    let at = sema.span(name);
    let name = Ident { name: SmolStr::new(arguments::known_str(sema, name)?), span: at };
    suffix::field(sema, base, &name)
}

fn has_field(sema: &mut Sema<'_>, base: ExprId, name: ExprId) -> Result<Value> {
    let name = arguments::known_str(sema, name)?;
    let ty = match conversions::type_of(sema, base)? {
        Ty::Module | Ty::Type => {
            let v = sema.known(base)?;
            return Ok(Value::Bool(match &v {
                Value::Module(m) => sema.instance(*m).unit.names.contains_key(name.as_str()),
                Value::Type(t) => t.field(&name).is_some(),
                _ => false,
            }));
        }
        other => other,
    };
    Ok(Value::Bool(ty.field(&name).is_some()))
}

fn concat(sema: &mut Sema<'_>, a: ExprId, b: ExprId, span: Span) -> Result<Operand> {
    let (at_a, at_b) = (sema.span(a), sema.span(b));
    let (left, right) = (sema.value(a, None)?, sema.value(b, None)?);
    let not_anon =
        |v: &Operand| rules::TYPE_MISMATCH.because(&[("want", &"an anonymous struct"), ("have", &v.ty())]);
    let names = |v: &Operand| match v.ty() {
        Ty::Anon(t) => Some(t),
        _ => None,
    };
    let ta = names(&left).ok_or_else(|| not_anon(&left).at(at_a))?;
    let tb = names(&right).ok_or_else(|| not_anon(&right).at(at_b))?;
    let empty = |t: &AnonTy| t.types.is_empty();
    if ta.names.is_some() != tb.names.is_some() && !empty(&ta) && !empty(&tb) {
        return Err(not_anon(&right).at(span).note("a struct with names and a tuple cannot be joined"));
    }
    let mut names = ta.names.clone().unwrap_or_default();
    let mut parts = parts_of(left);
    let places: FxHashMap<SmolStr, usize> = names.iter().cloned().zip(0..).collect();
    for (n, part) in parts_of(right).into_iter().enumerate() {
        let name = tb.names.as_ref().map(|names| names[n].clone());
        let place = name.as_ref().and_then(|name| places.get(name).copied());
        match (place, name) {
            // A parameter that was not given: programs for SDK 0.9 and before give `<memcpy/memcpy>` the colors of streams,
            // of which `<memcpy/get_params>` knows nothing.
            (Some(place), _) if parts[place].ty() == Ty::Void => parts[place] = part,
            (Some(_), Some(name)) => {
                let diag = rules::DUPLICATE_NAME.because(&[("name", &name)]).at(at_b);
                return Err(diag.also(at_a, "this struct has it, too"));
            }
            (_, name) => {
                names.extend(name);
                parts.push(part);
            }
        }
    }
    let names = (names.len() == parts.len()).then_some(names);
    literals::gather(names, parts).at(span)
}

fn parts_of(v: Operand) -> Vec<Operand> {
    match v {
        Operand::Known(Value::Record(r)) => r.fields.iter().cloned().map(Operand::Known).collect(),
        Operand::Parts(_, parts) => parts,
        _ => Vec::new(),
    }
}
