//! A value that is known at comptime.

use crate::dsd::{Dsd, MemKind};
use crate::value::float::FloatKind;
use crate::value::number::Integer;
use crate::value::ty::{AnonTy, ArrayTy, DsdTy, EnumTy, FnTy, IdKind, IntTy, PtrTy, StructTy, Ty};
use smol_str::SmolStr;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// A comptime value; cheap to clone.
#[derive(Clone, Debug)]
pub enum Value {
    /// `{}`
    Void,
    /// Declared without a value.
    Undefined(Ty),
    /// `true`, `false`
    Bool(bool),
    /// An integer; `None` is `comptime_int`.
    Int(Option<IntTy>, Integer),
    /// A float, already rounded to its kind.
    Float(FloatKind, f64),
    /// `comptime_string`
    Str(Arc<[u8]>),
    /// A type.
    Type(Ty),
    /// A color, direction, task id, queue, register.
    Id(IdKind, u16),
    /// A member of an enum.
    Enum(Arc<EnumTy>, i128),
    /// An array.
    Array(Rc<ArrayValue>),
    /// A struct, anonymous struct or tuple.
    Record(Rc<Record>),
    /// A union with its active variant.
    Union(Rc<UnionValue>),
    /// A pointer.
    Ptr(Pointer),
    /// A function or task.
    Fn(FnRef),
    /// An imported module.
    Module(InstanceId),
    /// A range.
    Range(Rc<RangeValue>),
    /// A DSD or FIFO.
    Dsd(Dsd),
}

/// Equal are those that nothing can tell apart: 0.0 and -0.0 are not, and a NaN is itself.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        use Value::*;
        match (self, other) {
            (Void, Void) => true,
            (Undefined(a), Undefined(b)) | (Type(a), Type(b)) => a == b,
            (Bool(a), Bool(b)) => a == b,
            (Int(s, a), Int(t, b)) => s == t && a == b,
            (Float(j, a), Float(k, b)) => j == k && a.to_bits() == b.to_bits(),
            (Str(a), Str(b)) => a == b,
            (Id(j, a), Id(k, b)) => j == k && a == b,
            (Enum(s, a), Enum(t, b)) => s == t && a == b,
            (Array(a), Array(b)) => Rc::ptr_eq(a, b) || a == b,
            (Record(a), Record(b)) => Rc::ptr_eq(a, b) || a == b,
            (Union(a), Union(b)) => a == b,
            (Ptr(a), Ptr(b)) => a == b,
            (Fn(a), Fn(b)) => a == b,
            (Module(a), Module(b)) => a == b,
            (Range(a), Range(b)) => a == b,
            (Dsd(a), Dsd(b)) => a == b,
            _ => false,
        }
    }
}

/// A module instance of the current tile, or of the layout.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// A global of the current tile, or of the layout.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// A function as declared; not yet specialised.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FnRef {
    /// The module.
    pub instance: InstanceId,
    /// The declaration in the module's file.
    pub decl: u32,
}

/// Elements of an array, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayValue {
    /// Its type.
    pub ty: Arc<ArrayTy>,
    /// Its contents.
    pub elems: Elems,
}

/// Array contents.
#[derive(Clone, Debug, PartialEq)]
pub enum Elems {
    /// All elements are equal.
    Splat(Value),
    /// One by one.
    List(Vec<Value>),
}

/// Fields of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// `Struct` or `Anon`.
    pub ty: Ty,
    /// In the order of the type.
    pub fields: Vec<Value>,
}

/// A union value.
#[derive(Clone, Debug, PartialEq)]
pub struct UnionValue {
    /// Its type.
    pub ty: Arc<StructTy>,
    /// The active variant.
    pub active: usize,
    /// Its value.
    pub value: Value,
}

/// A pointer value.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Its type.
    pub ty: Arc<PtrTy>,
    /// Where it points.
    pub to: Pointee,
}

/// The target of a pointer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pointee {
    /// A global, plus an offset in words.
    Global(GlobalId, u32),
    /// A function.
    Fn(FnRef),
    /// A number that became a pointer.
    Address(u16),
}

/// A `range` value.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeValue {
    /// Type of its elements.
    pub ty: Ty,
    /// First element.
    pub start: Integer,
    /// Exclusive bound.
    pub stop: Integer,
    /// Never zero.
    pub step: Integer,
}

impl ArrayValue {
    /// The element at a row-major position.
    pub fn get(&self, index: u64) -> Option<&Value> {
        match &self.elems {
            Elems::Splat(v) => (index < self.ty.len()).then_some(v),
            Elems::List(all) => all.get(usize::try_from(index).ok()?),
        }
    }

    /// A list that can be changed in place.
    pub fn list_mut(&mut self) -> &mut Vec<Value> {
        if let Elems::Splat(v) = &self.elems {
            self.elems = Elems::List(vec![v.clone(); self.ty.len() as usize]);
        }
        match &mut self.elems {
            Elems::List(all) => all,
            Elems::Splat(_) => unreachable!("just turned into a list"),
        }
    }
}

impl Value {
    /// A `comptime_int`.
    pub fn int(v: i128) -> Value {
        Value::Int(None, Integer::Small(v))
    }

    /// A `u16`.
    pub fn u16(v: u16) -> Value {
        Value::Int(Some(IntTy { signed: false, bits: 16 }), Integer::Small(v.into()))
    }

    /// A `u32`.
    pub fn u32(v: u32) -> Value {
        Value::Int(Some(IntTy { signed: false, bits: 32 }), Integer::Small(v.into()))
    }

    /// A string.
    pub fn str(s: &str) -> Value {
        Value::Str(s.as_bytes().into())
    }

    /// An anonymous struct.
    pub fn anon(fields: Vec<(SmolStr, Value)>) -> Value {
        let types = fields.iter().map(|(_, v)| v.ty()).collect();
        let (names, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
        Value::record(Ty::Anon(Arc::new(AnonTy { names: Some(names), types })), values)
    }

    /// A tuple.
    pub fn tuple(values: Vec<Value>) -> Value {
        let types = values.iter().map(Value::ty).collect();
        Value::record(Ty::Anon(Arc::new(AnonTy { names: None, types })), values)
    }

    /// A struct of a type that is known to fit.
    pub fn record(ty: Ty, fields: Vec<Value>) -> Value {
        Value::Record(Rc::new(Record { ty, fields }))
    }

    /// An array.
    pub fn array(ty: Arc<ArrayTy>, elems: Elems) -> Value {
        Value::Array(Rc::new(ArrayValue { ty, elems }))
    }

    /// The type, except that of functions, which only their module knows.
    pub fn ty(&self) -> Ty {
        match self {
            Value::Void => Ty::Void,
            Value::Undefined(ty) => ty.clone(),
            Value::Bool(_) => Ty::Bool,
            Value::Int(None, _) => Ty::ComptimeInt,
            Value::Int(Some(t), _) => Ty::Int(*t),
            Value::Float(k, _) => Ty::Float(*k),
            Value::Str(_) => Ty::String,
            Value::Type(_) => Ty::Type,
            Value::Id(k, _) => Ty::Id(*k),
            Value::Enum(t, _) => Ty::Enum(t.clone()),
            Value::Array(a) => Ty::Array(a.ty.clone()),
            Value::Record(r) => r.ty.clone(),
            Value::Union(u) => Ty::Union(u.ty.clone()),
            Value::Ptr(p) => Ty::Ptr(p.ty.clone()),
            Value::Fn(_) => Ty::Fn(Arc::new(FnTy { task: false, params: Vec::new(), ret: Ty::Void })),
            Value::Module(_) => Ty::Module,
            Value::Range(_) => Ty::Range,
            Value::Dsd(d) => Ty::Dsd(dsd_type(d)),
        }
    }

    /// A field of a struct by its name.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Record(r) => r.ty.field(name).and_then(|(i, _, _)| r.fields.get(i)),
            _ => None,
        }
    }

    /// Names and values of an anonymous or named struct; a tuple has empty names.
    pub fn fields(&self) -> Option<Vec<(SmolStr, Value)>> {
        let Value::Record(r) = self else { return None };
        let names: Vec<SmolStr> = match &r.ty {
            Ty::Anon(a) => a.names.clone().unwrap_or_else(|| vec![SmolStr::default(); r.fields.len()]),
            Ty::Struct(s) => s.fields.iter().map(|(n, _)| n.clone()).collect(),
            _ => return None,
        };
        Some(names.into_iter().zip(r.fields.iter().cloned()).collect())
    }

    /// The integer of an int, id, enum or bool.
    pub fn as_integer(&self) -> Option<Integer> {
        match self {
            Value::Int(_, v) => Some(v.clone()),
            Value::Id(_, n) => Some(Integer::Small((*n).into())),
            Value::Enum(_, n) => Some(Integer::Small(*n)),
            Value::Bool(b) => Some(Integer::Small((*b).into())),
            _ => None,
        }
    }

    /// An int that fits.
    pub fn to<T: TryFrom<i128>>(&self) -> Option<T> {
        match self {
            Value::Int(_, v) => v.to(),
            _ => None,
        }
    }

    /// A hash: equal values have the same. Values that are rarely told apart share one.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        std::mem::discriminant(self).hash(&mut hasher);
        match self {
            Value::Bool(b) => b.hash(&mut hasher),
            Value::Int(_, n) => n.hash(&mut hasher),
            Value::Float(_, x) => x.to_bits().hash(&mut hasher),
            Value::Str(s) => s.hash(&mut hasher),
            Value::Id(_, n) => n.hash(&mut hasher),
            Value::Enum(_, n) => n.hash(&mut hasher),
            Value::Record(r) => r.fields.iter().for_each(|f| f.fingerprint().hash(&mut hasher)),
            Value::Array(a) => match &a.elems {
                Elems::Splat(v) => v.fingerprint().hash(&mut hasher),
                Elems::List(all) => all.iter().for_each(|v| v.fingerprint().hash(&mut hasher)),
            },
            _ => {}
        }
        hasher.finish()
    }

    /// Whether it is or holds a function, a module or a pointer to one or to a global: those of the layout are not in a tile.
    pub fn belongs_to_layout(&self) -> bool {
        match self {
            Value::Fn(_) | Value::Module(_) => true,
            Value::Ptr(pointer) => !matches!(pointer.to, Pointee::Address(_)),
            Value::Record(record) => record.fields.iter().any(Value::belongs_to_layout),
            Value::Array(array) => match &array.elems {
                Elems::Splat(element) => element.belongs_to_layout(),
                Elems::List(elements) => elements.iter().any(Value::belongs_to_layout),
            },
            _ => false,
        }
    }

    /// Whether it is a scalar of exactly this type, which is seen sooner than its type is made.
    pub fn is_scalar_of(&self, ty: &Ty) -> bool {
        match (self, ty) {
            (Value::Bool(_), Ty::Bool) | (Value::Int(None, _), Ty::ComptimeInt) => true,
            (Value::Int(Some(own), _), Ty::Int(ty)) => own == ty,
            (Value::Id(own, _), Ty::Id(kind)) => own == kind,
            _ => false,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<String> {
        match self {
            Value::Str(s) => Some(String::from_utf8_lossy(s).into_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Void => f.write_str("{}"),
            Value::Undefined(_) => f.write_str("undefined"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(_, v) => write!(f, "{v}"),
            Value::Float(_, v) => write!(f, "{v:?}"),
            Value::Str(s) => write!(f, "{:?}", String::from_utf8_lossy(s)),
            Value::Type(t) => write!(f, "{t}"),
            Value::Id(IdKind::Direction, n) => {
                f.write_str(crate::arch::Direction::from_number(*n as u8).map_or("?", |d| d.name()))
            }
            Value::Id(k, n) => write!(f, "{} {n}", k.name()),
            Value::Enum(t, n) => match t.members.iter().find(|(_, v)| v == n) {
                Some((name, _)) => write!(f, "{t}.{name}", t = Ty::Enum(t.clone())),
                None => write!(f, "{n}"),
            },
            Value::Array(a) => match &a.elems {
                Elems::Splat(v) => write!(f, "{}{{{v}, ..}}", Ty::Array(a.ty.clone())),
                Elems::List(all) => {
                    let shown: Vec<_> = all.iter().take(8).map(Value::to_string).collect();
                    let more = if all.len() > 8 { ", .." } else { "" };
                    write!(f, "{}{{{}{more}}}", Ty::Array(a.ty.clone()), shown.join(", "))
                }
            },
            Value::Record(_) => {
                let fields = self.fields().unwrap_or_default();
                let shown: Vec<_> = fields
                    .iter()
                    .map(|(n, v)| if n.is_empty() { v.to_string() } else { format!(".{n} = {v}") })
                    .collect();
                match shown.as_slice() {
                    [] => f.write_str(".{}"),
                    _ => write!(f, ".{{ {} }}", shown.join(", ")),
                }
            }
            Value::Union(u) => write!(f, ".{{ .{} = {} }}", u.ty.fields[u.active].0, u.value),
            Value::Ptr(_) => f.write_str("(pointer)"),
            Value::Fn(_) => f.write_str("(function)"),
            Value::Module(_) => f.write_str("(module)"),
            Value::Range(r) => write!(f, "@range({}, {}, {}, {})", r.ty, r.start, r.stop, r.step),
            Value::Dsd(d) => write!(f, "({})", Ty::Dsd(dsd_type(d))),
        }
    }
}

/// The type of a DSD value.
fn dsd_type(d: &Dsd) -> DsdTy {
    match d {
        Dsd::Mem(m) => match m.kind {
            MemKind::Mem1d => DsdTy::Mem1d,
            MemKind::Mem4d => DsdTy::Mem4d,
            MemKind::Circbuf => DsdTy::Circbuf,
        },
        Dsd::FabIn(_) => DsdTy::FabIn,
        Dsd::FabOut(_) => DsdTy::FabOut,
        Dsd::Fifo(_) => DsdTy::Fifo,
    }
}
