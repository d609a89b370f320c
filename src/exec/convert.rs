//! `@as` between machine types, and the widths of integers in registers.

use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::FLOAT_TO_INT_RANGE;
use crate::image::Scalar;
use crate::value::f16;
use crate::value::float::{self, FloatKind};

/// The value of a register of type `from` as a register of type `to`.
pub(crate) fn convert(x: u64, from: Scalar, to: Scalar) -> Result<u64, Diag> {
    match from {
        Scalar::F16 => from_float(f16::to_f32(x as u16), to),
        Scalar::Bf16 | Scalar::Cb16 => from_float(value(x, from), to),
        Scalar::F32 => from_float(f32::from_bits(x as u32), to),
        _ => Ok(from_integer(x, from.is_signed(), to)),
    }
}

/// The same, but floats outside of the range of the integer type saturate, and NaN gives 0.
pub(crate) fn saturate(x: u64, from: Scalar, to: Scalar) -> u64 {
    convert(x, from, to).unwrap_or_else(|_| {
        let x = value(x, from);
        let (is_signed, bits) = (to.is_signed(), u32::from(to.bits()));
        match (x > 0.0, is_signed) {
            (true, true) => (i64::MAX >> (64 - bits)) as u64,
            (true, false) => u64::MAX >> (64 - bits),
            (false, true) if x < 0.0 => (i64::MIN >> (64 - bits)) as u64,
            (false, _) => 0,
        }
    })
}

/// A float in a register, which an `f32` holds exactly whatever its type is.
fn value(x: u64, ty: Scalar) -> f32 {
    ty.float().unwrap_or(FloatKind::F32).from_bits(x) as f32
}

/// The low `64 - sh` bits, sign-extended.
#[inline(always)]
pub(crate) fn signed(x: u64, sh: u8) -> u64 {
    ((x << (sh & 63)) as i64 >> (sh & 63)) as u64
}

/// The low `64 - sh` bits.
#[inline(always)]
pub(crate) fn unsigned(x: u64, sh: u8) -> u64 {
    x << (sh & 63) >> (sh & 63)
}

fn from_float(x: f32, to: Scalar) -> Result<u64, Diag> {
    match to {
        Scalar::Bool => Ok(u64::from(x != 0.0)),
        Scalar::F16 => Ok(f16::from_f32(x).into()),
        Scalar::Bf16 => Ok(FloatKind::Bf16.to_bits(x.into())),
        Scalar::Cb16 => Ok(FloatKind::Cb16.to_bits(x.into())),
        Scalar::F32 => Ok(x.to_bits().into()),
        integer => float::truncate(x.into(), integer.is_signed(), integer.bits())
            .ok_or_else(|| FLOAT_TO_INT_RANGE.because(&[("value", &x), ("ty", &integer.name())])),
    }
}

fn from_integer(x: u64, is_signed_type: bool, to: Scalar) -> u64 {
    match to {
        Scalar::Bool => u64::from(x != 0),
        Scalar::F32 if is_signed_type => (x as i64 as f32).to_bits().into(),
        Scalar::F32 => (x as f32).to_bits().into(),
        Scalar::F16 if is_signed_type => f16::from_i64(x as i64).into(),
        Scalar::F16 => f16::from_u64(x).into(),
        Scalar::Bf16 => FloatKind::Bf16.to_bits(nearest_double(x, is_signed_type)),
        Scalar::Cb16 => FloatKind::Cb16.to_bits(nearest_double(x, is_signed_type)),
        integer if integer.is_signed() => signed(x, 64 - integer.bits()),
        integer => unsigned(x, 64 - integer.bits()),
    }
}

fn nearest_double(x: u64, is_signed_type: bool) -> f64 {
    if is_signed_type { x as i64 as f64 } else { x as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(x: f32) -> u64 {
        x.to_bits().into()
    }

    #[test]
    fn floats_truncate_toward_zero_and_complain_out_of_range() {
        assert_eq!(convert(f(-10.8), Scalar::F32, Scalar::I16).unwrap(), -10i64 as u64);
        assert_eq!(convert(f(11.2), Scalar::F32, Scalar::U8).unwrap(), 11);
        assert_eq!(convert(f(-0.5), Scalar::F32, Scalar::U8).unwrap(), 0);
        assert_eq!(convert(f(65535.5), Scalar::F32, Scalar::U16).unwrap(), 65535);
        for (x, to) in [
            (65536.0, Scalar::U16),
            (-1.0, Scalar::U32),
            (f32::NAN, Scalar::I32),
            (9.3e18, Scalar::I64),
            (128.0, Scalar::I8),
        ] {
            assert_eq!(convert(f(x), Scalar::F32, to).unwrap_err().rule(), "float-to-int-range", "{x}");
        }
    }

    #[test]
    fn integers_keep_their_low_bits() {
        assert_eq!(convert(0x1_8001, Scalar::U32, Scalar::I16).unwrap(), 0x8001u16 as i16 as u64);
        assert_eq!(convert(-1i64 as u64, Scalar::I8, Scalar::U32).unwrap(), 0xffff_ffff);
        assert_eq!(convert(-3i64 as u64, Scalar::I8, Scalar::F32).unwrap(), f(-3.0));
        assert_eq!(convert(256, Scalar::U16, Scalar::Bool).unwrap(), 1);
    }

    #[test]
    fn a_large_integer_becomes_infinite_as_f16() {
        assert_eq!(convert(70_000, Scalar::U32, Scalar::F16).unwrap(), 0x7c00);
    }
}
