//! Other variants of known unions than the active one: their bits, or an error in a plain union.

use super::arith;
use super::eval::VariableSlot;
use super::operand::{PathStep, Place};
use super::value::{UnionValue, Value};
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result};
use crate::syntax::ast::Ident;
use crate::value::ty::{FieldLayout, Ty};

/// A variant, of some type, of a union value that is not the active one.
///
/// # Errors
/// The union is a plain one, or its bits are no value of that type.
pub fn read(union: &UnionValue, ty: &Ty, name: &Ident) -> Result<Value> {
    if union.ty.layout == FieldLayout::Plain {
        return Err(inactive(union, name));
    }
    arith::bitcast(&union.value, ty).at(name.span)
}

/// A variant of a union in a comptime variable is used. Others than the active one mean what its bits mean, but not in a
/// plain union.
///
/// # Errors
/// The union is a plain one, or its bits are no value of the type of the variant.
pub fn use_in_variable(
    sema: &mut Sema<'_>,
    slot: VariableSlot,
    path: &[PathStep],
    (variant, ty): (usize, &Ty),
    name: &Ident,
) -> Result<()> {
    let Ok(Value::Union(union)) = sema.eval.variable(slot, path) else { return Ok(()) };
    if union.active == variant {
        return Ok(());
    }
    if union.ty.layout == FieldLayout::Plain {
        return Err(inactive(union, name));
    }
    let value = arith::bitcast(&union.value, ty).at(name.span)?;
    let as_other = UnionValue { ty: union.ty.clone(), active: variant, value };
    sema.eval.reinterpret(slot, path, as_other);
    Ok(())
}

/// What the bits of a constant union mean as another of its variants.
pub fn reinterpreted(place: &Place, variant: usize, ty: &Ty) -> Option<Value> {
    let Place::Memory { known: Some(Value::Union(union)), .. } = place else { return None };
    let is_other = union.active != variant && union.ty.layout != FieldLayout::Plain;
    is_other.then(|| arith::bitcast(&union.value, ty).ok()).flatten()
}

fn inactive(union: &UnionValue, name: &Ident) -> Diag {
    let active = &union.ty.fields[union.active].0;
    rules::INACTIVE_VARIANT.because(&[("name", &name.name), ("active", active)]).at(name.span)
}
