//! Fields of structs.

use super::entry::{Builtin, Phase, Run, USUAL};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::sema::operand::Operand;
use crate::sema::scope::Ev;
use crate::sema::value::Value;
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident};
use crate::value::ty::{AnonTy, Ty};
use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "field", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@field(struct, name)",
        doc: "a field by its name",
        run: Run::Place(|s, call| s.field_builtin(call.args[0], call.args[1])), ..USUAL },
    Builtin { name: "has_field", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@has_field(struct, name)",
        doc: "whether a struct has a field",
        run: Run::Known(|s, call| s.has_field(call.args[0], call.args[1])), ..USUAL },
    Builtin { name: "concat_structs", takes: 2..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@concat_structs(a, b)",
        doc: "joins two anonymous structs or tuples",
        run: Run::Operand(|s, call| s.concat(call.args[0], call.args[1], call.span)), ..USUAL },
];

impl Sema<'_> {
    fn field_builtin(&mut self, base: ExprId, name: ExprId) -> Result<Ev> {
        let at = self.span(name);
        let name = Ident { name: SmolStr::new(self.known_str(name)?), span: at };
        self.field(base, &name)
    }

    fn has_field(&mut self, base: ExprId, name: ExprId) -> Result<Value> {
        let name = self.known_str(name)?;
        let ty = match self.type_of(base)? {
            Ty::Module | Ty::Type => {
                let v = self.known(base)?;
                return Ok(Value::Bool(match &v {
                    Value::Module(m) => self.instance(*m).unit.names.contains_key(name.as_str()),
                    Value::Type(t) => t.field(&name).is_some(),
                    _ => false,
                }));
            }
            other => other,
        };
        Ok(Value::Bool(ty.field(&name).is_some()))
    }

    fn concat(&mut self, a: ExprId, b: ExprId, span: Span) -> Result<Operand> {
        let (at_a, at_b) = (self.span(a), self.span(b));
        let (left, right) = (self.value(a, None)?, self.value(b, None)?);
        let not_anon = |v: &Operand| {
            rules::TYPE_MISMATCH.because(&[("want", &"an anonymous struct"), ("have", &v.ty())])
        };
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
        let taken: FxHashSet<&SmolStr> = ta.names.iter().flatten().collect();
        if let Some(n) = tb.names.iter().flatten().find(|n| taken.contains(n)) {
            return Err(rules::DUPLICATE_NAME.because(&[("name", n)]).at(at_b));
        }
        names.extend(tb.names.iter().flatten().cloned());
        let parts = parts_of(left).into_iter().chain(parts_of(right)).collect::<Vec<_>>();
        let names = (names.len() == parts.len()).then_some(names);
        self.gather(names, parts).at(span)
    }
}

fn parts_of(v: Operand) -> Vec<Operand> {
    match v {
        Operand::Known(Value::Record(r)) => r.fields.iter().cloned().map(Operand::Known).collect(),
        Operand::Parts(_, parts) => parts,
        _ => Vec::new(),
    }
}
