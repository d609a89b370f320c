//! The scalar types of a program.

use crate::value::float::FloatKind;
use serde::{Deserialize, Serialize};

/// A machine type: what the host, memory and registers of the interpreter agree on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    Cb16,
    F32,
}

impl Scalar {
    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        self.float().is_some()
    }

    /// The float type, if it is one.
    pub(crate) fn float(self) -> Option<FloatKind> {
        match self {
            Scalar::F16 => Some(FloatKind::F16),
            Scalar::Bf16 => Some(FloatKind::Bf16),
            Scalar::Cb16 => Some(FloatKind::Cb16),
            Scalar::F32 => Some(FloatKind::F32),
            _ => None,
        }
    }

    /// The float that bits are, if it is a float type.
    pub fn float_value(self, bits: u64) -> Option<f64> {
        self.float().map(|kind| kind.from_bits(bits))
    }

    /// The bits of the nearest float, if it is a float type.
    pub fn float_bits(self, x: f64) -> Option<u64> {
        self.float().map(|kind| kind.to_bits(x))
    }

    /// The value behind bits, in the shortest form that reads back as the same value.
    pub fn text(self, bits: u64) -> String {
        match self {
            Scalar::Bool => (bits & 1 != 0).to_string(),
            Scalar::I8 => (bits as i8).to_string(),
            Scalar::U8 => (bits as u8).to_string(),
            Scalar::I16 => (bits as i16).to_string(),
            Scalar::U16 => (bits as u16).to_string(),
            Scalar::I32 => (bits as i32).to_string(),
            Scalar::U32 => (bits as u32).to_string(),
            Scalar::I64 => (bits as i64).to_string(),
            Scalar::U64 => bits.to_string(),
            // The fewest digits that lead back to an f32 are those of a narrower float, too.
            Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 | Scalar::F32 => {
                format!("{:?}", self.float_value(bits).unwrap_or_default() as f32)
            }
        }
    }

    /// Whether it is a 16-bit float without operations of its own: these are done in f32.
    pub fn is_other_half(self) -> bool {
        matches!(self, Scalar::Bf16 | Scalar::Cb16)
    }

    /// Whether it is an integer type with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Width in bits; a bool takes 8 where it is stored.
    pub fn bits(self) -> u8 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 => 16,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 => 64,
        }
    }

    /// 16-bit words in memory: small integers take a whole word (ruling).
    pub fn words(self) -> u16 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 => 1,
            Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 => 1,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 2,
            Scalar::I64 | Scalar::U64 => 4,
        }
    }

    /// The name in CSL.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::Bf16 => "bf16",
            Scalar::Cb16 => "cb16",
            Scalar::F32 => "f32",
        }
    }
}
