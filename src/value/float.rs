//! Floats: rounding to the formats of CSL, and their bits.

use half::bf16;
use serde::{Deserialize, Serialize};

/// A float type of CSL.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatKind {
    /// `comptime_float`: IEEE double.
    Comptime,
    /// `f16`: IEEE half.
    F16,
    /// `bf16`: the upper half of an `f32`.
    Bf16,
    /// `cb16`: 6 bits of exponent with bias 42, 9 bits of mantissa; infinities and NaN as in IEEE (ruling).
    Cb16,
    /// `f32`: IEEE single.
    F32,
}

impl FloatKind {
    /// The name in CSL.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Comptime => "comptime_float",
            FloatKind::F16 => "f16",
            FloatKind::Bf16 => "bf16",
            FloatKind::Cb16 => "cb16",
            FloatKind::F32 => "f32",
        }
    }

    /// Whether it is one of the formats of 16 bits.
    pub fn is_short(self) -> bool {
        matches!(self, FloatKind::F16 | FloatKind::Bf16 | FloatKind::Cb16)
    }

    /// The nearest value of this type, ties to even; infinite when too large. A NaN becomes a quiet one.
    pub fn round(self, x: f64) -> f64 {
        let x = if x.is_nan() { f64::from_bits(x.to_bits() | QUIET) } else { x };
        self.from_bits(self.to_bits(x))
    }

    /// Bits of the mantissa, and of all but the sign of an infinity.
    fn shape(self) -> Option<(u32, u64)> {
        match self {
            FloatKind::F32 => Some((23, 0x7f80_0000)),
            FloatKind::F16 => Some((10, 0x7c00)),
            FloatKind::Bf16 => Some((7, 0x7f80)),
            FloatKind::Comptime | FloatKind::Cb16 => None,
        }
    }

    /// The bits of the nearest value of this type.
    pub fn to_bits(self, x: f64) -> u64 {
        if let (true, Some((mantissa, infinity))) = (x.is_nan(), self.shape()) {
            let sign = u64::from(x.is_sign_negative()) * (infinity + (1 << mantissa));
            let kept = (x.to_bits() & (2 * QUIET - 1)) >> (52 - mantissa);
            return sign | infinity | if kept == 0 { 1 << (mantissa - 1) } else { kept };
        }
        match self {
            FloatKind::Comptime => x.to_bits(),
            FloatKind::F32 => (x as f32).to_bits().into(),
            FloatKind::F16 => super::f16::from_f64(x).into(),
            FloatKind::Bf16 => bf16::from_f32(super::f16::to_odd_f32(x)).to_bits().into(),
            FloatKind::Cb16 => cb16_bits(x).into(),
        }
    }

    /// The value behind bits; those above the width are ignored.
    #[allow(clippy::wrong_self_convention)]
    pub fn from_bits(self, bits: u64) -> f64 {
        // A conversion would make a signalling NaN a quiet one.
        if let Some((mantissa, infinity)) = self.shape()
            && bits & infinity == infinity
            && bits & ((1 << mantissa) - 1) != 0
        {
            let sign = bits & (infinity + (1 << mantissa));
            let kept = (bits & ((1 << mantissa) - 1)) << (52 - mantissa);
            return f64::from_bits(u64::from(sign != 0) << 63 | f64::INFINITY.to_bits() | kept);
        }
        match self {
            FloatKind::Comptime => f64::from_bits(bits),
            FloatKind::F32 => f32::from_bits(bits as u32).into(),
            FloatKind::F16 => super::f16::to_f32(bits as u16).into(),
            FloatKind::Bf16 => bf16::from_bits(bits as u16).into(),
            FloatKind::Cb16 => cb16_value(bits as u16),
        }
    }
}

/// The float without its fraction, as an integer register of that type; `None` out of range.
pub fn truncate(x: f64, signed: bool, bits: u8) -> Option<u64> {
    let x = x.trunc();
    let limit = power_of_two(i32::from(bits) - i32::from(signed));
    let lowest = if signed { -limit } else { 0.0 };
    (lowest <= x && x < limit).then_some(if signed { x as i64 as u64 } else { x as u64 })
}

/// The bit of the mantissa of a double that quiet NaNs have set.
const QUIET: u64 = 1 << 51;

const CB16_BIAS: i32 = 42;
const CB16_MANTISSA: i32 = 9;
const CB16_INFINITY: u32 = 0x3f << CB16_MANTISSA;

fn cb16_bits(x: f64) -> u16 {
    let sign = u16::from(x.is_sign_negative()) << 15;
    if x.is_nan() {
        return sign | CB16_INFINITY as u16 | 0x100;
    }
    if x.is_infinite() {
        return sign | CB16_INFINITY as u16;
    }
    let lowest = 1 - CB16_BIAS;
    let exponent = ((x.abs().to_bits() >> 52) as i32 - 1023).max(lowest);
    if exponent >= 63 - CB16_BIAS {
        return sign | CB16_INFINITY as u16;
    }
    // The leading one of a normal number, and a carry out of the mantissa, add to the exponent.
    let units = (x.abs() * power_of_two(CB16_MANTISSA - exponent)).round_ties_even() as u32;
    sign | ((((exponent - lowest) as u32) << CB16_MANTISSA) + units) as u16
}

fn cb16_value(bits: u16) -> f64 {
    let exponent = i32::from(bits >> CB16_MANTISSA & 0x3f);
    let mantissa = f64::from(bits & 0x1ff);
    let size = match exponent {
        0 => mantissa * power_of_two(1 - CB16_BIAS - CB16_MANTISSA),
        63 if mantissa == 0.0 => f64::INFINITY,
        63 => f64::NAN,
        _ => (512.0 + mantissa) * power_of_two(exponent - CB16_BIAS - CB16_MANTISSA),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// 2^n, for the exponents of normal doubles.
#[inline(always)]
pub(super) fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIXTEEN: [FloatKind; 3] = [FloatKind::F16, FloatKind::Bf16, FloatKind::Cb16];

    /// The value of finite bits, straight from the definition of the format.
    fn defined_value(kind: FloatKind, bits: u16) -> f64 {
        let (mantissa_bits, bias) = match kind {
            FloatKind::F16 => (10, 15),
            FloatKind::Bf16 => (7, 127),
            _ => (9, 42),
        };
        let exponent = i32::from((bits & 0x7fff) >> mantissa_bits);
        let fraction = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
        let size = match exponent {
            0 => fraction * 2f64.powi(1 - bias),
            e => (1.0 + fraction) * 2f64.powi(e - bias),
        };
        if bits >> 15 == 0 { size } else { -size }
    }

    fn first_infinite(kind: FloatKind) -> u16 {
        match kind {
            FloatKind::F16 => 0x7c00,
            FloatKind::Bf16 => 0x7f80,
            _ => 0x7e00,
        }
    }

    #[test]
    fn all_values_of_the_16_bit_formats_are_as_defined() {
        for kind in SIXTEEN {
            for bits in 0..=u16::MAX {
                let value = kind.from_bits(bits.into());
                if bits & 0x7fff > first_infinite(kind) {
                    assert!(value.is_nan(), "{kind:?} {bits:04x}");
                } else if bits & 0x7fff == first_infinite(kind) {
                    assert!(value.is_infinite() && value.is_sign_negative() == (bits >> 15 == 1));
                } else {
                    assert_eq!(value, defined_value(kind, bits), "{kind:?} {bits:04x}");
                    assert_eq!(kind.to_bits(value), u64::from(bits), "{kind:?} {bits:04x}");
                }
            }
        }
        assert_eq!(FloatKind::Cb16.from_bits(44 << 9 | 0x100), 6.0);
    }

    #[test]
    fn rounding_is_to_nearest_with_ties_to_even_between_all_neighbours() {
        for kind in SIXTEEN {
            for low in 0..first_infinite(kind) {
                let (a, b) = (defined_value(kind, low), defined_value(kind, low + 1));
                let middle = a + (b - a) / 2.0;
                let even = low + (low & 1);
                let just_below = f64::from_bits(middle.to_bits() - 1);
                let just_above = f64::from_bits(middle.to_bits() + 1);
                assert_eq!(kind.to_bits(middle), u64::from(even), "{kind:?} tie at {middle:e}");
                assert_eq!(kind.to_bits(just_below), u64::from(low), "{kind:?} below {middle:e}");
                assert_eq!(kind.to_bits(just_above), u64::from(low + 1), "{kind:?} above {middle:e}");
                assert_eq!(kind.to_bits(-just_above), u64::from(low + 1) | 0x8000);
            }
        }
    }

    #[test]
    fn extremes_go_to_infinity_and_to_signed_zero() {
        for kind in SIXTEEN.into_iter().chain([FloatKind::F32]) {
            assert_eq!(kind.round(1e300), f64::INFINITY, "{kind:?}");
            assert_eq!(kind.round(f64::NEG_INFINITY), f64::NEG_INFINITY);
            assert!(kind.round(f64::NAN).is_nan());
            assert_eq!(kind.round(-1e-300).to_bits(), (-0.0f64).to_bits());
        }
        assert_eq!(FloatKind::Comptime.round(1e300), 1e300);
    }

    #[test]
    fn truncation_knows_the_range_of_each_type() {
        assert_eq!(truncate(11.2, true, 16), Some(11));
        assert_eq!(truncate(-10.8, true, 16), Some(-10i64 as u64));
        assert_eq!(truncate(-0.9, false, 16), Some(0));
        assert_eq!(truncate(65535.9, false, 16), Some(65535));
        assert_eq!(truncate(65536.0, false, 16), None);
        assert_eq!(truncate(-32768.9, true, 16), Some(-32768i64 as u64));
        assert_eq!(truncate(-32769.0, true, 16), None);
        assert_eq!(truncate(2f64.powi(63), true, 64), None);
        assert_eq!(truncate(2f64.powi(63), false, 64), Some(1 << 63));
        assert_eq!(truncate(f64::NAN, true, 32), None);
    }
}
