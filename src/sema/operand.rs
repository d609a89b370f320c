//! Operands of run-time code, and the places that hold them.

use super::unit::Global;
use super::value::{GlobalId, Value};
use crate::diagnostics::rules::comptime::{COMPTIME_ONLY, UNSUPPORTED_WIDTH};
use crate::diagnostics::rules::dsd::FIFO_NOT_COMPTIME;
use crate::diagnostics::{Diag, Result};
use crate::image::Scalar;
use crate::image::code::{Access, Reg};
use crate::value::float::FloatKind;
use crate::value::ty::{DsdTy, FieldLayout, Ty};

/// A value, known or to be computed.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Known at comptime.
    Known(Value),
    /// A scalar in a register.
    Reg(Reg, Ty),
    /// An aggregate in memory.
    Mem(Addr, Ty),
    /// A struct, tuple or array of which some part is not known.
    Parts(Ty, Vec<Operand>),
}

/// A word address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Addr {
    /// What it is counted from.
    pub base: Base,
    /// Words.
    pub off: u32,
}

/// What an address is counted from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// Zero.
    Absolute,
    /// A global, which gets its place when code needs it.
    Global(GlobalId),
    /// The frame of the call.
    Frame,
    /// The address in a register.
    Reg(Reg),
}

/// One step into an aggregate.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// Row-major position in an array.
    Element(u64),
    /// Position of a field.
    Field(usize),
}

/// Something that can be assigned to, or whose address can be taken.
#[derive(Clone, Debug)]
pub enum Place {
    /// A comptime variable, or a part of one.
    Comptime {
        /// Its frame, its scope there, and its place in the scope.
        slot: (usize, usize, usize),
        /// The part.
        path: Vec<PathStep>,
        /// Type of the part.
        ty: Ty,
    },
    /// A scalar local.
    Register {
        /// Its register.
        reg: Reg,
        /// Its type.
        ty: Ty,
        /// Declared `var`.
        writable: bool,
    },
    /// A piece of memory.
    Memory {
        /// Where.
        addr: Addr,
        /// What.
        ty: Ty,
        /// Whether it may be assigned.
        writable: bool,
        /// Its value, if it can never change.
        known: Option<Value>,
    },
    /// An element of a fixed array whose index is in a register (already scaled by the element type).
    Element {
        /// Start of the array.
        array: Addr,
        /// The index.
        index: Reg,
        /// Number of elements.
        len: u32,
        /// Element type.
        ty: Ty,
        /// Whether it may be assigned.
        writable: bool,
    },
    /// A field of a packed struct.
    Bits {
        /// The place of the whole.
        whole: Box<Place>,
        /// First bit.
        off: u32,
        /// Type of the field.
        ty: Ty,
    },
}

impl Place {
    /// A variable in the frame.
    pub fn frame(off: u16, ty: Ty, writable: bool) -> Place {
        Place::Memory { addr: Addr { base: Base::Frame, off: off.into() }, ty, writable, known: None }
    }

    /// A global; `is_fixed` says that it has its first value for ever.
    pub fn global(id: GlobalId, g: &Global, is_fixed: bool) -> Place {
        let known = is_fixed.then(|| g.value.clone());
        let addr = Addr { base: Base::Global(id), off: 0 };
        Place::Memory { addr, ty: g.ty.clone(), writable: g.is_var, known }
    }

    /// The type of what it holds.
    pub fn ty(&self) -> &Ty {
        match self {
            Place::Comptime { ty, .. } | Place::Register { ty, .. } | Place::Memory { ty, .. } => ty,
            Place::Element { ty, .. } | Place::Bits { ty, .. } => ty,
        }
    }

    /// Whether it may be assigned.
    pub fn is_writable(&self) -> bool {
        match self {
            Place::Comptime { .. } => true,
            Place::Register { writable, .. } | Place::Memory { writable, .. } => *writable,
            Place::Element { writable, .. } => *writable,
            Place::Bits { whole, .. } => whole.is_writable(),
        }
    }
}

impl Operand {
    /// The type.
    pub fn ty(&self) -> Ty {
        match self {
            Operand::Known(v) => v.ty(),
            Operand::Reg(_, ty) | Operand::Mem(_, ty) | Operand::Parts(ty, _) => ty.clone(),
        }
    }

    /// The value, if it is known.
    pub fn known(&self) -> Option<&Value> {
        match self {
            Operand::Known(v) => Some(v),
            _ => None,
        }
    }

    /// Whether it, or a part of it, is in memory.
    pub fn lies_in_memory(&self) -> bool {
        match self {
            Operand::Mem(..) => true,
            Operand::Parts(_, parts) => parts.iter().any(Operand::lies_in_memory),
            Operand::Known(_) | Operand::Reg(..) => false,
        }
    }

    /// `{}`
    pub fn void() -> Operand {
        Operand::Known(Value::Void)
    }
}

/// How a scalar type lies in a register: its container, width and sign.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Repr {
    /// The machine type that holds it.
    pub scalar: Scalar,
    /// Its exact width.
    pub bits: u32,
    /// Whether it is sign-extended.
    pub signed: bool,
}

impl Repr {
    /// 64 minus the width.
    pub fn sh(self) -> u8 {
        64 - self.bits as u8
    }

    /// Whether the container is wider than the type.
    pub fn is_odd(self) -> bool {
        !matches!(self.bits, 8 | 16 | 32 | 64) && self.scalar != Scalar::Bool
    }

    /// How it lies in memory.
    pub fn access(self) -> Access {
        match (self.bits, self.signed) {
            (0..=8, true) => Access::S8,
            (0..=8, false) if self.scalar != Scalar::Bool => Access::U8,
            (0..=16, true) => Access::S16,
            (0..=16, false) => Access::U16,
            (17..=32, true) => Access::S32,
            (17..=32, false) => Access::U32,
            _ => Access::W64,
        }
    }
}

/// The representation of a scalar type.
pub fn repr(ty: &Ty) -> Option<Repr> {
    let int = |signed: bool, bits: u32| {
        let scalar = match (bits, signed) {
            (0..=8, true) => Scalar::I8,
            (0..=8, false) => Scalar::U8,
            (9..=16, true) => Scalar::I16,
            (9..=16, false) => Scalar::U16,
            (17..=32, true) => Scalar::I32,
            (17..=32, false) => Scalar::U32,
            (33..=64, true) => Scalar::I64,
            (33..=64, false) => Scalar::U64,
            _ => return None,
        };
        Some(Repr { scalar, bits: bits.max(1), signed })
    };
    match ty {
        Ty::Bool => Some(Repr { scalar: Scalar::Bool, bits: 1, signed: false }),
        Ty::Int(t) => int(t.signed, t.bits),
        Ty::Enum(e) => int(e.repr.signed, e.repr.bits),
        Ty::Float(FloatKind::F16) => Some(Repr { scalar: Scalar::F16, bits: 16, signed: false }),
        Ty::Float(FloatKind::Bf16) => Some(Repr { scalar: Scalar::Bf16, bits: 16, signed: false }),
        Ty::Float(FloatKind::Cb16) => Some(Repr { scalar: Scalar::Cb16, bits: 16, signed: false }),
        Ty::Float(FloatKind::F32) => Some(Repr { scalar: Scalar::F32, bits: 32, signed: false }),
        Ty::Id(_) | Ty::Ptr(_) if ty.is_scalar() => int(false, 16),
        Ty::Struct(s) | Ty::Union(s) if s.layout == FieldLayout::Packed => int(false, ty.bits()?),
        _ => None,
    }
}

/// The diagnostic about a value that has no form at run time.
pub fn comptime_only(ty: &Ty) -> Diag {
    match ty {
        Ty::Dsd(DsdTy::Fifo) => FIFO_NOT_COMPTIME.plain().help("use the FIFO itself"),
        _ => match too_wide(ty) {
            Some((ty, bits)) => UNSUPPORTED_WIDTH.because(&[("type", ty), ("bits", &bits)]),
            None => COMPTIME_ONLY.because(&[("type", ty)]),
        },
    }
}

/// The integer or packed type in it that no register holds, and its width.
fn too_wide(ty: &Ty) -> Option<(&Ty, u32)> {
    let wide = |bits: u32| (bits > 64).then_some((ty, bits));
    match ty {
        Ty::Int(_) | Ty::Enum(_) => wide(ty.bits()?),
        Ty::Struct(s) | Ty::Union(s) if s.layout == FieldLayout::Packed => wide(ty.bits()?),
        Ty::Struct(s) | Ty::Union(s) => s.fields.iter().find_map(|(_, ty)| too_wide(ty)),
        Ty::Array(a) => too_wide(&a.elem),
        _ => None,
    }
}

/// Only one type of 16-bit floats exists at run time; the others are for comptime.
pub fn exists_at_run_time(ty: &Ty, fp16: FloatKind) -> Result<()> {
    let other = match ty {
        Ty::Array(array) => return exists_at_run_time(&array.elem, fp16),
        Ty::Struct(s) | Ty::Union(s) => {
            return s.fields.iter().try_for_each(|(_, ty)| exists_at_run_time(ty, fp16));
        }
        Ty::Float(kind) if kind.is_short() && *kind != fp16 => kind.name(),
        _ => return Ok(()),
    };
    let help =
        format!("compile with `--fp16-format={other}`, or use `@fp16()`, which is {} here", fp16.name());
    Err(comptime_only(ty).help(help))
}

/// The place of an aggregate behind a register.
pub fn behind(reg: Reg) -> Addr {
    Addr { base: Base::Reg(reg), off: 0 }
}

/// The scalar that a type is made of.
pub fn element_of(ty: &Ty) -> Option<Scalar> {
    match ty {
        Ty::Array(a) => repr(&a.elem).map(|r| r.scalar),
        _ => repr(ty).map(|r| r.scalar),
    }
}
