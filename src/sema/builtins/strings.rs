//! Strings, and values from files.

use super::entry::{Builtin, Phase, Run, USUAL};
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::sema::arith;
use crate::sema::value::{Elems, Value};
use crate::sema::world::Sema;
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
        run: Run::Known(|s, call| s.known_str(call.args[0]).map(|text| Value::int(text.len() as i128))), ..USUAL },
    Builtin { name: "strcat", takes: 0..=64, phase: Phase::Anywhere, is_pure: true,
        usage: "@strcat(string, ..)",
        doc: "joins strings",
        run: Run::Known(|s, call| s.strcat(call.args)), ..USUAL },
    Builtin { name: "get_array", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@get_array(string)",
        doc: "the bytes of a string",
        run: Run::Known(|s, call| s.get_array(call.args[0])), ..USUAL },
    Builtin { name: "get_string_from_byte", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@get_string_from_byte(byte)",
        doc: "a string of one byte",
        run: Run::Known(|s, call| s.string_from_byte(call.args[0])), ..USUAL },
];

impl Sema<'_> {
    fn strcat(&mut self, args: &[ExprId]) -> Result<Value> {
        let mut out = Vec::new();
        for a in args {
            match self.known(*a)? {
                Value::Str(s) if out.len() + s.len() > MAX_STRING => {
                    return Err(rules::VALUE_TOO_LARGE.because(&[("what", &"string")]));
                }
                Value::Str(s) => out.extend_from_slice(&s),
                other => {
                    let at = self.span(*a);
                    return Err(rules::TYPE_MISMATCH
                        .because(&[("want", &Ty::String), ("have", &other.ty())])
                        .at(at));
                }
            }
        }
        Ok(Value::Str(out.into()))
    }

    fn get_array(&mut self, s: ExprId) -> Result<Value> {
        let at = self.span(s);
        let Value::Str(bytes) = self.known(s)? else {
            return Err(rules::TYPE_MISMATCH
                .because(&[("want", &Ty::String), ("have", &"something else")])
                .at(at));
        };
        let elem = Ty::int(false, 8);
        let byte = |b: &u8| arith::coerce(&Value::int((*b).into()), &elem);
        let list = bytes.iter().map(byte).collect::<Result<Vec<_>>>()?;
        Ok(Value::array(Arc::new(ArrayTy { dims: vec![bytes.len() as u32], elem }), Elems::List(list)))
    }

    fn string_from_byte(&mut self, b: ExprId) -> Result<Value> {
        let at = self.span(b);
        let v = self.known(b)?;
        let byte =
            v.to::<u8>().ok_or_else(|| rules::INDEX_RANGE.because(&[("index", &v), ("len", &256)]).at(at))?;
        Ok(Value::Str([byte].as_slice().into()))
    }
}
