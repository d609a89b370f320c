//! Calls at comptime whose results are kept, and what those under evaluation have read so far.

use super::signature::Signature;
use super::unit::Unit;
use super::value::{Elems, FnRef, InstanceId, Value};
use crate::source::FileId;
use crate::value::ty::Ty;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Scalars in the arguments, in the result or in a value that is read, at most: to compare more takes
/// as long as to compute it again.
const MAX_WEIGHT: usize = 256;

/// Scalars that are kept of all calls together.
pub const ROOM: usize = 1 << 18;

/// Results that are kept of calls that differ in nothing but what they read.
const MAX_ALIKE: usize = 64;

/// The calls known so far, and those under evaluation.
#[derive(Debug, Default)]
pub struct KnownCalls {
    pub(super) known: FxHashMap<Key, Vec<Rc<KnownCall>>>,
    pub(super) kept: usize,
    pub(super) watching: Vec<Watch>,
    /// Comptime steps so far.
    pub(super) steps: u64,
}

/// File and declaration of a function, and a hash of its arguments.
pub type Key = (FileId, u32, u64);

/// A call whose result is known.
#[derive(Debug)]
pub struct KnownCall {
    pub(super) args: Vec<Value>,
    /// The type of the result, to which it is converted.
    pub(super) ret: Ty,
    /// The module of the function when it was evaluated.
    pub(super) instance: InstanceId,
    pub(super) reads: Vec<Read>,
    /// What it took of the comptime fuel.
    pub(super) steps: u64,
    pub(super) result: Value,
}

/// Something beside the arguments on which a result depends. Instances are those of the world in which
/// the function was evaluated.
#[derive(Clone, Debug)]
pub enum Read {
    /// A constant.
    Value(InstanceId, u32, Value),
    /// A constant that names a module.
    Module(InstanceId, u32, InstanceId, Rc<Unit>),
    /// The signature of a function that it calls.
    Signature(FnRef, Rc<Signature>),
}

impl Read {
    pub(super) fn is_of(&self, instance: InstanceId, decl: u32) -> bool {
        match self {
            Read::Value(i, d, _) | Read::Module(i, d, ..) => (*i, *d) == (instance, decl),
            Read::Signature(..) => false,
        }
    }
}

/// A call under evaluation.
#[derive(Debug)]
pub struct Watch {
    pub(super) reads: Vec<Read>,
    pub(super) only_computes: bool,
    /// Comptime steps before it.
    pub(super) begin: u64,
    /// What declarations took that were evaluated on the way: they are evaluated once.
    pub(super) elsewhere: u64,
}

impl KnownCalls {
    /// One comptime step.
    pub fn step(&mut self) {
        self.steps += 1;
    }

    pub(super) fn keep(&mut self, key: Key, call: KnownCall, weight: usize) {
        let alike = self.known.entry(key).or_default();
        if alike.len() < MAX_ALIKE {
            self.kept += weight + call.reads.len();
            alike.push(Rc::new(call));
        }
    }
}

impl Watch {
    /// What a call does, the one around it does, too.
    pub(super) fn take_over(&mut self, inner: &Watch) {
        self.only_computes &= inner.only_computes;
        self.elsewhere += inner.elsewhere;
        for read in &inner.reads {
            let known = match read {
                Read::Value(instance, decl, _) | Read::Module(instance, decl, ..) => {
                    self.reads.iter().any(|r| r.is_of(*instance, *decl))
                }
                Read::Signature(..) => false,
            };
            if !known {
                self.reads.push(read.clone());
            }
        }
    }
}

/// The number of scalars in some values; `None` if they are too many, or if a value means something only
/// in the world in which it was made.
pub fn weight_of(values: &[Value]) -> Option<usize> {
    let mut sum = values.len();
    for v in values {
        sum += weight(v)?;
    }
    (sum <= MAX_WEIGHT).then_some(sum)
}

/// The same for one value.
pub fn weight(v: &Value) -> Option<usize> {
    match v {
        Value::Void | Value::Undefined(_) | Value::Bool(_) | Value::Int(..) | Value::Float(..) => Some(1),
        Value::Type(_) | Value::Id(..) | Value::Enum(..) | Value::Range(_) => Some(1),
        Value::Str(s) => (s.len() <= MAX_WEIGHT).then_some(s.len()),
        Value::Array(a) => match &a.elems {
            Elems::Splat(v) => weight(v),
            Elems::List(all) if all.len() <= MAX_WEIGHT => weight_of(all),
            Elems::List(_) => None,
        },
        Value::Record(r) => weight_of(&r.fields),
        Value::Union(u) => weight(&u.value),
        Value::Ptr(_) | Value::Fn(_) | Value::Module(_) | Value::Dsd(_) => None,
    }
}

/// The same for values one by one.
pub fn all_same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Whether nothing can tell two values apart: 0.0 and -0.0 are equal, but not the same.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(k, x), Value::Float(l, y)) => k == l && x.to_bits() == y.to_bits(),
        (Value::Array(a), Value::Array(b)) => {
            Arc::ptr_eq(a, b)
                || a.ty == b.ty
                    && match (&a.elems, &b.elems) {
                        (Elems::Splat(a), Elems::Splat(b)) => same(a, b),
                        (Elems::List(a), Elems::List(b)) => all_same(a, b),
                        _ => false,
                    }
        }
        (Value::Record(a), Value::Record(b)) => {
            Arc::ptr_eq(a, b) || a.ty == b.ty && all_same(&a.fields, &b.fields)
        }
        (Value::Union(a), Value::Union(b)) => {
            a.ty == b.ty && a.active == b.active && same(&a.value, &b.value)
        }
        _ => a == b,
    }
}
