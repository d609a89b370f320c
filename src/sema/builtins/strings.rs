//! Strings, and values from files.

use super::arguments;
use super::entry::{Builtin, Phase, Run, USUAL};
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::sema::arith;
use crate::sema::value::{Elems, Value};
use crate::sema::walk::Sema;
use crate::syntax::ast::ExprId;
use crate::value::ty::{ArrayTy, Ty};
use std::sync::Arc;

/// Bytes of a string at most.
const MAX_STRING: usize = 1 << 20;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "strlen", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@strlen(string)",
        doc: "the length of a string in bytes",
        run: Run::Known(|s, call| arguments::known_str(s, call.args[0]).map(|text| Value::int(text.len() as i128))), ..USUAL },
    Builtin { name: "strcat", takes: 0..=64, phase: Phase::Anywhere, is_pure: true,
        usage: "@strcat(string, ..)",
        doc: "joins strings",
        run: Run::Known(|s, call| strcat(s, call.args)), ..USUAL },
    Builtin { name: "get_array", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@get_array(string)",
        doc: "the bytes of a string",
        run: Run::Known(|s, call| get_array(s, call.args[0])), ..USUAL },
    Builtin { name: "get_string_from_byte", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@get_string_from_byte(byte)",
        doc: "a string of one byte",
        run: Run::Known(|s, call| string_from_byte(s, call.args[0])), ..USUAL },
];

fn strcat(sema: &mut Sema<'_>, args: &[ExprId]) -> Result<Value> {
    let mut out = Vec::new();
    for a in args {
        match sema.known(*a)? {
            Value::Str(s) if out.len() + s.len() > MAX_STRING => {
                return Err(rules::VALUE_TOO_LARGE.because(&[("what", &"string")]));
            }
            Value::Str(s) => out.extend_from_slice(&s),
            other => {
                let at = sema.span(*a);
                return Err(rules::TYPE_MISMATCH
                    .because(&[("want", &Ty::String), ("have", &other.ty())])
                    .at(at));
            }
        }
    }
    Ok(Value::Str(out.into()))
}

fn get_array(sema: &mut Sema<'_>, s: ExprId) -> Result<Value> {
    let at = sema.span(s);
    let Value::Str(bytes) = sema.known(s)? else {
        return Err(rules::TYPE_MISMATCH
            .because(&[("want", &Ty::String), ("have", &"something else")])
            .at(at));
    };
    let elem = Ty::int(false, 8);
    let byte = |b: &u8| arith::coerce(&Value::int((*b).into()), &elem);
    let list = bytes.iter().map(byte).collect::<Result<Vec<_>>>()?;
    Ok(Value::array(Arc::new(ArrayTy { dims: vec![bytes.len() as u32], elem }), Elems::List(list)))
}

fn string_from_byte(sema: &mut Sema<'_>, b: ExprId) -> Result<Value> {
    let at = sema.span(b);
    let v = sema.known(b)?;
    let byte = v.to::<u8>().ok_or_else(|| {
        let diag = rules::INTEGER_OVERFLOW.because(&[("what", &v), ("type", &Ty::int(false, 8))]);
        diag.at(at).help("a byte is a number from 0 to 255")
    })?;
    Ok(Value::Str([byte].as_slice().into()))
}
