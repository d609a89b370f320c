//! Types. `layout` says how their values lie in memory, `names` how they are written.

mod layout;
mod names;

pub use layout::{HIGH_BYTE, byte_number, byte_offset};

use super::float::FloatKind;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::sync::Arc;

/// A type of CSL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// The type of an expression with an error; it never causes another diagnostic.
    Error,
    /// `void`
    Void,
    /// The type of `return`, `unreachable` and other expressions that do not return.
    NoReturn,
    /// `bool`
    Bool,
    /// `type`
    Type,
    /// `comptime_int`
    ComptimeInt,
    /// `comptime_string`
    String,
    /// `comptime_struct`: any anonymous struct (SDK 1.x).
    ComptimeStruct,
    /// `iN`, `uN`
    Int(IntTy),
    /// `comptime_float`, `f16`, `bf16`, `cb16`, `f32`
    Float(FloatKind),
    /// Opaque numbers of the machine.
    Id(IdKind),
    /// `range`
    Range,
    /// `imported_module`
    Module,
    /// `anyopaque`
    AnyOpaque,
    /// DSDs and FIFOs.
    Dsd(DsdTy),
    /// `*T`, `[*]T`
    Ptr(Arc<PtrTy>),
    /// `[n, m]T`
    Array(Arc<ArrayTy>),
    /// `fn (A) R`, `task () void`
    Fn(Arc<FnTy>),
    /// `struct { .. }`
    Struct(Arc<StructTy>),
    /// `union { .. }`
    Union(Arc<StructTy>),
    /// An anonymous struct or tuple.
    Anon(Arc<AnonTy>),
    /// `enum(T) { .. }`
    Enum(Arc<EnumTy>),
}

/// `iN` or `uN`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct IntTy {
    /// Whether it has a sign.
    pub signed: bool,
    /// Width in bits.
    pub bits: u32,
}

/// The types whose values are numbers with a meaning of their own.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IdKind {
    Direction,
    Color,
    DataTask,
    LocalTask,
    ControlTask,
    InputQueue,
    OutputQueue,
    Microthread,
    DsrDest,
    DsrSrc0,
    DsrSrc1,
    DsrFifoDest,
    DsrFifoSrc1,
    Xdsr,
    StrideRegister,
}

impl IdKind {
    /// All kinds with their names in CSL.
    pub const NAMES: [(IdKind, &'static str); 15] = [
        (IdKind::Direction, "direction"),
        (IdKind::Color, "color"),
        (IdKind::DataTask, "data_task_id"),
        (IdKind::LocalTask, "local_task_id"),
        (IdKind::ControlTask, "control_task_id"),
        (IdKind::InputQueue, "input_queue"),
        (IdKind::OutputQueue, "output_queue"),
        (IdKind::Microthread, "ut_id"),
        (IdKind::DsrDest, "dsr_dest"),
        (IdKind::DsrSrc0, "dsr_src0"),
        (IdKind::DsrSrc1, "dsr_src1"),
        (IdKind::DsrFifoDest, "dsr_fifo_dest"),
        (IdKind::DsrFifoSrc1, "dsr_fifo_src1"),
        (IdKind::Xdsr, "xdsr"),
        (IdKind::StrideRegister, "sr"),
    ];

    /// The name in CSL.
    pub fn name(self) -> &'static str {
        IdKind::NAMES[self as usize].1
    }

    /// Whether it names a data structure register of one of the three files.
    pub fn is_dsr(self) -> bool {
        matches!(
            self,
            IdKind::DsrDest | IdKind::DsrSrc0 | IdKind::DsrSrc1 | IdKind::DsrFifoDest | IdKind::DsrFifoSrc1
        )
    }
}

/// The types of DSD values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum DsdTy {
    Mem1d,
    Mem4d,
    Circbuf,
    FabIn,
    FabOut,
    Fifo,
}

impl DsdTy {
    /// All with their names in CSL; the FIFO type cannot be written.
    pub const NAMES: [(DsdTy, &'static str); 6] = [
        (DsdTy::Mem1d, "mem1d_dsd"),
        (DsdTy::Mem4d, "mem4d_dsd"),
        (DsdTy::Circbuf, "circbuf_dsd"),
        (DsdTy::FabIn, "fabin_dsd"),
        (DsdTy::FabOut, "fabout_dsd"),
        (DsdTy::Fifo, "fifo"),
    ];
}

/// A pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PtrTy {
    /// What it points to.
    pub to: Ty,
    /// Whether writing through it is forbidden.
    pub is_const: bool,
    /// `[*]T` instead of `*T`.
    pub many: bool,
}

/// An array; row-major.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayTy {
    /// Sizes, slowest dimension first.
    pub dims: Vec<u32>,
    /// Element type; never an array.
    pub elem: Ty,
}

impl ArrayTy {
    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.dims.iter().fold(1, |n, d| n.saturating_mul(u64::from(*d)))
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A function or task type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FnTy {
    /// `task` instead of `fn`.
    pub task: bool,
    /// Parameters; `None` is `anytype`.
    pub params: Vec<Option<Ty>>,
    /// Result.
    pub ret: Ty,
}

/// The keyword in front of a struct or union.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FieldLayout {
    Plain,
    Extern,
    Packed,
}

/// A named struct or union. Two are the same if the same expression made them with the same fields.
#[derive(Clone, Debug)]
pub struct StructTy {
    /// File and byte offset of the defining expression.
    pub origin: (u32, u32),
    /// The name of the constant it was bound to, if any, for people.
    pub name: SmolStr,
    /// Its layout.
    pub layout: FieldLayout,
    /// Fields in order.
    pub fields: Vec<(SmolStr, Ty)>,
}

/// An anonymous struct (with names) or a tuple (without).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnonTy {
    /// `None` for a tuple.
    pub names: Option<Vec<SmolStr>>,
    /// Types of the fields.
    pub types: Vec<Ty>,
}

/// An enum. Two are the same if the same expression made them with the same members.
#[derive(Clone, Debug)]
pub struct EnumTy {
    /// File and byte offset of the defining expression.
    pub origin: (u32, u32),
    /// The name of the constant it was bound to, if any, for people.
    pub name: SmolStr,
    /// The underlying integer type.
    pub repr: IntTy,
    /// Members and their values.
    pub members: Vec<(SmolStr, i128)>,
}

impl StructTy {
    fn identity(&self) -> (&(u32, u32), &FieldLayout, &[(SmolStr, Ty)]) {
        (&self.origin, &self.layout, &self.fields)
    }
}

impl EnumTy {
    fn identity(&self) -> (&(u32, u32), &IntTy, &[(SmolStr, i128)]) {
        (&self.origin, &self.repr, &self.members)
    }
}

/// The name of a type is for people: it does not make it another type.
macro_rules! same_by_identity {
    ($($ty:ident)*) => {$(
        impl PartialEq for $ty {
            fn eq(&self, other: &$ty) -> bool {
                self.identity() == other.identity()
            }
        }

        impl Eq for $ty {}

        impl std::hash::Hash for $ty {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.identity().hash(state);
            }
        }
    )*};
}

same_by_identity! { StructTy EnumTy }

impl Ty {
    /// `u16`, the type of indices.
    pub const U16: Ty = Ty::Int(IntTy { signed: false, bits: 16 });
    /// `u32`
    pub const U32: Ty = Ty::Int(IntTy { signed: false, bits: 32 });
    /// `i16`
    pub const I16: Ty = Ty::Int(IntTy { signed: true, bits: 16 });
    /// `f32`
    pub const F32: Ty = Ty::Float(FloatKind::F32);
    /// `f16`
    pub const F16: Ty = Ty::Float(FloatKind::F16);
    /// `comptime_float`
    pub const COMPTIME_FLOAT: Ty = Ty::Float(FloatKind::Comptime);

    /// `iN` or `uN`.
    pub fn int(signed: bool, bits: u32) -> Ty {
        Ty::Int(IntTy { signed, bits })
    }

    /// A pointer to this type.
    pub fn pointer(self, is_const: bool, many: bool) -> Ty {
        Ty::Ptr(Arc::new(PtrTy { to: self, is_const, many }))
    }

    /// An array of this type.
    pub fn array(self, dims: Vec<u32>) -> Ty {
        Ty::Array(Arc::new(ArrayTy { dims, elem: self }))
    }

    /// Whether values exist only at comptime (language section 9).
    pub fn is_comptime_only(&self) -> bool {
        match self {
            Ty::Type | Ty::ComptimeInt | Ty::String | Ty::ComptimeStruct | Ty::Module | Ty::Fn(_) => true,
            Ty::Float(k) => matches!(k, FloatKind::Comptime),
            Ty::Id(k) => k.is_dsr() || matches!(k, IdKind::Xdsr | IdKind::StrideRegister),
            Ty::Dsd(d) => *d == DsdTy::Fifo,
            Ty::Array(a) => a.elem.is_comptime_only(),
            Ty::Struct(s) | Ty::Union(s) => s.fields.iter().any(|(_, t)| t.is_comptime_only()),
            Ty::Anon(a) => a.types.iter().any(Ty::is_comptime_only),
            Ty::Ptr(p) => !matches!(p.to, Ty::Fn(_)) && p.to.is_comptime_only(),
            Ty::Error | Ty::Void | Ty::NoReturn | Ty::Bool | Ty::Int(_) => false,
            Ty::Range | Ty::AnyOpaque | Ty::Enum(_) => false,
        }
    }

    /// Whether it is an integer, also at comptime.
    pub fn is_int(&self) -> bool {
        matches!(self, Ty::Int(_) | Ty::ComptimeInt)
    }

    /// Whether it is a float, also at comptime.
    pub fn is_float(&self) -> bool {
        matches!(self, Ty::Float(_))
    }

    /// Whether its fields share words.
    pub fn is_packed(&self) -> bool {
        matches!(self, Ty::Struct(s) | Ty::Union(s) if s.layout == FieldLayout::Packed)
    }

    /// Whether it is a number.
    pub fn is_numeric(&self) -> bool {
        self.is_int() || self.is_float()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_make_another_type() {
        let make = |offset, name: &str| StructTy {
            origin: (0, offset),
            name: name.into(),
            layout: FieldLayout::Plain,
            fields: vec![("a".into(), Ty::U16)],
        };
        assert_eq!(make(7, "pair"), make(7, ""));
        assert_ne!(make(7, "pair"), make(8, "pair"));
    }
}
