//! The layout of values in memory: their parts, and the words at which these begin.

use super::arith;
use super::operand::PathStep;
use super::value::{ArrayValue, Elems, UnionValue, Value};
use crate::image::code::BYTES;
use crate::value::ty::Ty;
use std::rc::Rc;

/// Whether all words of an array are 0.
pub fn is_zero_array(a: &ArrayValue) -> bool {
    match &a.elems {
        Elems::Splat(Value::Int(_, n)) => n.is_zero(),
        Elems::Splat(Value::Float(_, x)) => x.to_bits() == 0,
        Elems::Splat(Value::Bool(b)) => !b,
        _ => false,
    }
}

/// `words` of an `Op::Element` for elements of a type.
pub fn words_of_element(ty: &Ty) -> u16 {
    if ty.is_byte() { BYTES } else { ty.words().unwrap_or(0) as u16 }
}

/// Type and word offset of a part of an aggregate.
pub fn part_type(ty: &Ty, index: usize) -> Option<(Ty, u32)> {
    match ty {
        Ty::Array(a) => Some((a.elem.clone(), a.elem.element_offset(index as u32)?)),
        _ => ty.field_at(index),
    }
}

/// Follows a path into a value.
pub fn part<'v>(value: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(value, |v, step| match (v, step) {
        (Value::Array(a), PathStep::Element(i)) => a.get(*i),
        (Value::Record(r), PathStep::Field(i)) => r.fields.get(*i),
        (Value::Union(u), PathStep::Field(i)) => (u.active == *i).then_some(&u.value),
        _ => None,
    })
}

/// The same, to change it.
pub fn part_mut<'v>(value: &'v mut Value, path: &[PathStep]) -> Option<&'v mut Value> {
    let Some((step, rest)) = path.split_first() else { return Some(value) };
    if let Value::Undefined(ty) = value {
        *value = undefined_aggregate(ty, *step)?;
    }
    let next = match (value, step) {
        (Value::Array(a), PathStep::Element(i)) => Rc::make_mut(a).list_mut().get_mut(*i as usize)?,
        (Value::Record(r), PathStep::Field(i)) => Rc::make_mut(r).fields.get_mut(*i)?,
        (Value::Union(u), PathStep::Field(i)) if u.active == *i => &mut Rc::make_mut(u).value,
        _ => return None,
    };
    part_mut(next, rest)
}

/// An aggregate without values, of which a part is about to get one.
fn undefined_aggregate(ty: &Ty, step: PathStep) -> Option<Value> {
    match ty {
        Ty::Union(u) => {
            let PathStep::Field(active) = step else { return None };
            let value = Value::Undefined(u.fields.get(active)?.1.clone());
            Some(Value::Union(Rc::new(UnionValue { ty: u.clone(), active, value })))
        }
        Ty::Array(a) => Some(Value::array(a.clone(), Elems::Splat(Value::Undefined(a.elem.clone())))),
        Ty::Struct(s) => {
            let fields = s.fields.iter().map(|(_, t)| Value::Undefined(t.clone())).collect();
            Some(Value::record(ty.clone(), fields))
        }
        _ => None,
    }
}

/// What the last word of a union says about its active field; 0 is none.
pub fn mark_of_field(field: usize) -> u16 {
    field as u16 + 1
}

/// The field of a packed struct or union that begins at a bit.
pub fn field_in_bits(whole: &Value, bit: u32, ty: &Ty) -> Option<Value> {
    match whole {
        Value::Record(record) => {
            let mut fields = record.fields.iter().enumerate();
            let is_it =
                |(i, value): &(usize, &Value)| record.ty.packed_offset(*i) == bit && value.ty() == *ty;
            fields.find(is_it).map(|(_, value)| value.clone())
        }
        Value::Union(union) => arith::bitcast(&union.value, ty).ok(),
        _ => None,
    }
}
