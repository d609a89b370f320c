//! Types, their size in memory, and how they are written.

use super::float::FloatKind;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::fmt;
use std::sync::Arc;

/// A type of CSL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// Something that was already complained about; never causes another diagnostic.
    Error,
    /// `void`
    Void,
    /// The type of `return`, `unreachable` and other expressions that do not go on.
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
    pub fn word(self) -> &'static str {
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

/// What stands in front of a struct or union.
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

/// In an offset: the high byte of the word. It is one bit more than addresses have, because a table that is only
/// used at comptime may be larger than any memory.
pub const HIGH_BYTE: u32 = 1 << 31;

/// The offset of a byte.
pub fn byte_offset(byte: u32) -> u32 {
    byte >> 1 | if byte & 1 != 0 { HIGH_BYTE } else { 0 }
}

/// The number of the byte at an offset.
pub fn byte_number(offset: u32) -> u32 {
    (offset & !HIGH_BYTE) << 1 | u32::from(offset & HIGH_BYTE != 0)
}

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

    /// Whether it is a number.
    pub fn is_numeric(&self) -> bool {
        self.is_int() || self.is_float()
    }

    /// Size in bits of a type that `@bitcast` takes: numbers, bools, pointers, packed structs.
    pub fn bits(&self) -> Option<u32> {
        Some(match self {
            Ty::Int(i) => i.bits,
            Ty::Float(FloatKind::F32) => 32,
            Ty::Float(FloatKind::Comptime) => return None,
            Ty::Float(_) => 16,
            Ty::Bool => 1,
            Ty::Enum(e) => e.repr.bits,
            Ty::Ptr(_) | Ty::Id(_) => 16,
            Ty::Struct(s) if s.layout == FieldLayout::Packed => {
                s.fields.iter().map(|(_, t)| t.bits()).sum::<Option<u32>>()?
            }
            Ty::Union(s) if s.layout == FieldLayout::Packed => s.fields.first()?.1.bits()?,
            _ => return None,
        })
    }

    /// Whether a value fits one register at run time.
    pub fn is_scalar(&self) -> bool {
        match self {
            Ty::Bool | Ty::Enum(_) | Ty::Ptr(_) => true,
            Ty::Int(i) => i.bits <= 64,
            Ty::Float(k) => !matches!(k, FloatKind::Comptime),
            Ty::Id(_) => !self.is_comptime_only(),
            Ty::Struct(s) | Ty::Union(s) => {
                s.layout == FieldLayout::Packed && self.bits().is_some_and(|b| b <= 64)
            }
            _ => false,
        }
    }

    /// Whether two elements of an array share a word. A bool takes a whole one.
    pub fn is_byte(&self) -> bool {
        *self != Ty::Bool && self.is_scalar() && self.bits().is_some_and(|bits| bits <= 8)
    }

    /// Where an element of an array of this type begins: a number of words, and `HIGH_BYTE` for the high byte.
    pub fn element_offset(&self, index: u32) -> Option<u32> {
        if self.is_byte() {
            return Some(byte_offset(index));
        }
        self.words()?.checked_mul(index)
    }

    /// Words of memory that a value takes; `None` if it cannot lie in memory, or is too large to count.
    pub fn words(&self) -> Option<u32> {
        if self.is_scalar() {
            return self.bits().map(|b| if b <= 16 { 1 } else { b.div_ceil(32) * 2 });
        }
        match self {
            Ty::Void | Ty::Error => Some(0),
            Ty::Dsd(d) if *d != DsdTy::Fifo => Some(16),
            Ty::Array(a) => {
                if a.elem.is_byte() {
                    return u32::try_from(a.len().div_ceil(2)).ok();
                }
                let each = u64::from(a.elem.words()?);
                u32::try_from(a.len().checked_mul(each)?).ok()
            }
            Ty::Struct(_) | Ty::Anon(_) => {
                let mut at = 0u32;
                for t in self.field_types()? {
                    at = at.next_multiple_of(t.align_words()).checked_add(t.words()?)?;
                }
                Some(at.next_multiple_of(self.align_words()))
            }
            Ty::Union(s) => {
                let mut fields = s.fields.iter().map(|(_, t)| t.words());
                let words = fields.try_fold(0, |m: u32, w| Some(m.max(w?)))?;
                let mark = u32::from(self.is_marked_union());
                Some((words + mark).next_multiple_of(self.align_words()))
            }
            _ => None,
        }
    }

    /// Whether its last word says which field is active: nothing else can (entry UB-004).
    pub fn is_marked_union(&self) -> bool {
        matches!(self, Ty::Union(s) if s.layout == FieldLayout::Plain)
    }

    /// Alignment in words: 1 or 2.
    pub fn align_words(&self) -> u32 {
        if self.is_scalar() {
            return if self.bits().is_some_and(|b| b > 16) { 2 } else { 1 };
        }
        match self {
            Ty::Array(a) => a.elem.align_words(),
            Ty::Dsd(_) => 2,
            Ty::Struct(s) | Ty::Union(s) => s.fields.iter().map(|(_, t)| t.align_words()).max().unwrap_or(1),
            Ty::Anon(a) => a.types.iter().map(Ty::align_words).max().unwrap_or(1),
            _ => 1,
        }
    }

    fn field_types(&self) -> Option<Vec<&Ty>> {
        match self {
            Ty::Struct(s) | Ty::Union(s) => Some(s.fields.iter().map(|(_, t)| t).collect()),
            Ty::Anon(a) => Some(a.types.iter().collect()),
            _ => None,
        }
    }

    /// Position, type and word offset of a field of a struct, union or anonymous struct.
    pub fn field(&self, name: &str) -> Option<(usize, Ty, u32)> {
        let index = match self {
            Ty::Struct(s) | Ty::Union(s) => s.fields.iter().position(|(n, _)| n == name)?,
            Ty::Anon(a) => a.names.as_ref()?.iter().position(|n| n == name)?,
            _ => return None,
        };
        self.field_at(index).map(|(ty, off)| (index, ty, off))
    }

    /// Type and word offset of the field at a position.
    pub fn field_at(&self, index: usize) -> Option<(Ty, u32)> {
        let types = self.field_types()?;
        let ty = (*types.get(index)?).clone();
        if matches!(self, Ty::Union(_)) {
            return Some((ty, 0));
        }
        let mut at = 0u32;
        for t in &types[..index] {
            at = at.next_multiple_of(t.align_words()) + t.words().unwrap_or(0);
        }
        Some((ty.clone(), at.next_multiple_of(ty.align_words())))
    }

    /// Names of the fields, for messages.
    pub fn field_names(&self) -> Vec<&str> {
        match self {
            Ty::Struct(s) | Ty::Union(s) => s.fields.iter().map(|(n, _)| n.as_str()).collect(),
            Ty::Anon(a) => a.names.iter().flatten().map(SmolStr::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The bit offset of a field of a packed struct.
    pub fn packed_offset(&self, index: usize) -> u32 {
        match self {
            Ty::Struct(s) => s.fields[..index].iter().filter_map(|(_, t)| t.bits()).sum(),
            _ => 0,
        }
    }

    /// The names of predeclared types that a program is likely to mean.
    pub fn predeclared_names() -> Vec<&'static str> {
        let numbers = ["bool", "f16", "f32", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "void"];
        let comptime = ["comptime_int", "comptime_float", "comptime_string", "comptime_struct", "type"];
        let ids = IdKind::NAMES.iter().map(|(_, name)| *name);
        let dsds = DsdTy::NAMES[..5].iter().map(|(_, name)| *name);
        numbers.into_iter().chain(comptime).chain(ids).chain(dsds).collect()
    }

    /// A predeclared type by its name.
    pub fn predeclared(name: &str) -> Option<Ty> {
        Some(match name {
            "void" => Ty::Void,
            "bool" => Ty::Bool,
            "type" => Ty::Type,
            "comptime_int" => Ty::ComptimeInt,
            "comptime_float" => Ty::COMPTIME_FLOAT,
            "comptime_string" => Ty::String,
            "comptime_struct" => Ty::ComptimeStruct,
            "f16" => Ty::F16,
            "f32" => Ty::F32,
            "bf16" => Ty::Float(FloatKind::Bf16),
            "cb16" => Ty::Float(FloatKind::Cb16),
            "range" => Ty::Range,
            "imported_module" => Ty::Module,
            "anyopaque" => Ty::AnyOpaque,
            "noreturn" => Ty::NoReturn,
            _ => return int_name(name).or_else(|| id_name(name)),
        })
    }
}

fn int_name(name: &str) -> Option<Ty> {
    let signed = name.starts_with('i');
    let digits = name.strip_prefix(['i', 'u'])?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || digits.len() > 8 {
        return None;
    }
    let bits: u32 = digits.parse().ok()?;
    // the widest integer type (language section 1)
    (bits <= 16_777_215).then(|| Ty::int(signed, bits))
}

fn id_name(name: &str) -> Option<Ty> {
    let id = IdKind::NAMES.iter().find(|(_, n)| *n == name).map(|(k, _)| Ty::Id(*k));
    id.or_else(|| DsdTy::NAMES[..5].iter().find(|(_, n)| *n == name).map(|(d, _)| Ty::Dsd(*d)))
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Error => f.write_str("(unknown)"),
            Ty::Void => f.write_str("void"),
            Ty::NoReturn => f.write_str("noreturn"),
            Ty::Bool => f.write_str("bool"),
            Ty::Type => f.write_str("type"),
            Ty::ComptimeInt => f.write_str("comptime_int"),
            Ty::String => f.write_str("comptime_string"),
            Ty::ComptimeStruct => f.write_str("comptime_struct"),
            Ty::Int(i) => write!(f, "{}{}", if i.signed { 'i' } else { 'u' }, i.bits),
            Ty::Float(k) => f.write_str(k.word()),
            Ty::Id(k) => f.write_str(k.word()),
            Ty::Range => f.write_str("range"),
            Ty::Module => f.write_str("imported_module"),
            Ty::AnyOpaque => f.write_str("anyopaque"),
            Ty::Dsd(d) => f.write_str(DsdTy::NAMES[*d as usize].1),
            Ty::Ptr(p) => {
                let star = if p.many { "[*]" } else { "*" };
                write!(f, "{star}{}{}", if p.is_const { "const " } else { "" }, p.to)
            }
            Ty::Array(a) => {
                let dims: Vec<_> = a.dims.iter().map(u32::to_string).collect();
                write!(f, "[{}]{}", dims.join(", "), a.elem)
            }
            Ty::Fn(t) => {
                let params: Vec<_> = t
                    .params
                    .iter()
                    .map(|p| p.as_ref().map_or_else(|| "anytype".to_string(), Ty::to_string))
                    .collect();
                write!(f, "{}({}){}", if t.task { "task" } else { "fn" }, params.join(", "), t.ret)
            }
            Ty::Struct(s) if s.name.is_empty() => f.write_str("struct"),
            Ty::Union(s) if s.name.is_empty() => f.write_str("union"),
            Ty::Struct(s) | Ty::Union(s) => f.write_str(&s.name),
            Ty::Enum(e) if e.name.is_empty() => f.write_str("enum"),
            Ty::Enum(e) => f.write_str(&e.name),
            Ty::Anon(a) => write_anon(f, a),
        }
    }
}

fn write_anon(f: &mut fmt::Formatter<'_>, a: &AnonTy) -> fmt::Result {
    let parts: Vec<String> = match &a.names {
        Some(names) => names.iter().zip(&a.types).map(|(n, t)| format!(".{n}: {t}")).collect(),
        None => a.types.iter().map(Ty::to_string).collect(),
    };
    write!(f, ".{{{}}}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_width_have_names() {
        assert_eq!(Ty::predeclared("u16"), Some(Ty::U16));
        assert_eq!(Ty::predeclared("i7"), Some(Ty::int(true, 7)));
        assert_eq!(Ty::predeclared("u16777216"), None);
        assert_eq!(Ty::predeclared("input"), None);
    }

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

    #[test]
    fn wide_fields_are_aligned() {
        let s = Ty::Struct(Arc::new(StructTy {
            origin: (0, 0),
            name: "".into(),
            layout: FieldLayout::Extern,
            fields: vec![("a".into(), Ty::U16), ("b".into(), Ty::F32), ("c".into(), Ty::U16)],
        }));
        assert_eq!(s.field("b").map(|f| f.2), Some(2));
        assert_eq!(s.words(), Some(6));
    }
}
