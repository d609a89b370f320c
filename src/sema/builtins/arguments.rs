//! What builtins read of their arguments.

use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::syntax::ast::ExprId;
use crate::value::ty::Ty;
use smol_str::SmolStr;

/// A string that must be known.
pub fn known_str(sema: &mut Sema<'_>, id: ExprId) -> Result<String> {
    let at = sema.span(id);
    let v = sema.known(id)?;
    v.as_str().ok_or_else(|| rules::TYPE_MISMATCH.because(&[("want", &Ty::String), ("have", &v.ty())]).at(at))
}

/// The fields of a configuration struct, known or not.
pub fn fields(sema: &mut Sema<'_>, id: ExprId) -> Result<Vec<(SmolStr, Operand)>> {
    let at = sema.span(id);
    let v = sema.value(id, None)?;
    fields_of(&v)
        .ok_or_else(|| rules::TYPE_MISMATCH.because(&[("want", &"a struct"), ("have", &v.ty())]).at(at))
}

/// The fields of an anonymous struct.
pub fn fields_of(v: &Operand) -> Option<Vec<(SmolStr, Operand)>> {
    match v {
        Operand::Known(v) => {
            let fields = v.fields()?;
            Some(fields.into_iter().map(|(n, v)| (n, Operand::Known(v))).collect())
        }
        Operand::Parts(Ty::Anon(a), parts) => {
            let names = a.names.clone().unwrap_or_else(|| vec![SmolStr::default(); parts.len()]);
            Some(names.into_iter().zip(parts.iter().cloned()).collect())
        }
        _ => None,
    }
}

/// The one field of `.{ .name = true }`.
pub fn chosen(v: &Value) -> Option<SmolStr> {
    match v.fields()?.as_slice() {
        [(name, Value::Bool(true))] => Some(name.clone()),
        _ => None,
    }
}
