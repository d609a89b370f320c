//! The functions behind `<math>`, the same at comptime and on a PE.
//!
//! Everything is computed in double precision and rounded once, so that results are those of
//! correct rounding on every host, save for a case in some hundred million.

use super::{f16, float};
use serde::{Deserialize, Serialize};

/// A function of `<math>` that the library implements with an intrinsic.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
#[repr(u16)]
pub enum MathFunction {
    Sqrt,
    /// `1 / x`
    Inv,
    /// `1 / sqrt(x)`
    Invsqrt,
    Exp,
    /// Natural logarithm.
    Log,
    Sin,
    Cos,
    Tanh,
    /// `x` to the power of `y`.
    Pow,
    Ceil,
    Floor,
    /// `1 / (1 + exp(-x))`
    Sig,
    /// `x * 2^y`; `y` is an integer.
    Fscale,
}

impl MathFunction {
    /// All of them, in the order of their numbers.
    pub const ALL: [MathFunction; 13] = [
        MathFunction::Sqrt,
        MathFunction::Inv,
        MathFunction::Invsqrt,
        MathFunction::Exp,
        MathFunction::Log,
        MathFunction::Sin,
        MathFunction::Cos,
        MathFunction::Tanh,
        MathFunction::Pow,
        MathFunction::Ceil,
        MathFunction::Floor,
        MathFunction::Sig,
        MathFunction::Fscale,
    ];

    /// The name, as in `@__math("sqrt", x)`.
    pub fn name(self) -> &'static str {
        match self {
            MathFunction::Sqrt => "sqrt",
            MathFunction::Inv => "inv",
            MathFunction::Invsqrt => "invsqrt",
            MathFunction::Exp => "exp",
            MathFunction::Log => "log",
            MathFunction::Sin => "sin",
            MathFunction::Cos => "cos",
            MathFunction::Tanh => "tanh",
            MathFunction::Pow => "pow",
            MathFunction::Ceil => "ceil",
            MathFunction::Floor => "floor",
            MathFunction::Sig => "sig",
            MathFunction::Fscale => "fscale",
        }
    }

    /// Whether `x` is so large an angle that the function means little.
    pub fn is_large_angle(self, x: f32) -> bool {
        matches!(self, MathFunction::Sin | MathFunction::Cos) && x.abs() >= LARGEST_ANGLE
    }

    /// The function with this name.
    pub fn parse(word: &str) -> Option<MathFunction> {
        MathFunction::ALL.into_iter().find(|f| f.name() == word)
    }

    /// The function with this number.
    pub fn from_number(n: u16) -> Option<MathFunction> {
        MathFunction::ALL.get(usize::from(n)).copied()
    }
}

/// Angles from here on are beyond what `<math>` of the machine can reduce.
const LARGEST_ANGLE: f32 = 16384.0 * std::f32::consts::PI;

/// The value in double precision; functions of one argument ignore `y`.
pub fn eval64(function: MathFunction, x: f64, y: f64) -> f64 {
    match function {
        MathFunction::Sqrt => x.sqrt(),
        MathFunction::Inv => 1.0 / x,
        MathFunction::Invsqrt => 1.0 / x.sqrt(),
        MathFunction::Exp => x.exp(),
        MathFunction::Log => x.ln(),
        MathFunction::Sin => x.sin(),
        MathFunction::Cos => x.cos(),
        MathFunction::Tanh => x.tanh(),
        MathFunction::Pow => x.powf(y),
        MathFunction::Ceil => x.ceil(),
        MathFunction::Floor => x.floor(),
        MathFunction::Sig => 1.0 / (1.0 + (-x).exp()),
        MathFunction::Fscale => scale(x, y),
    }
}

/// The value as an `f32`.
pub fn eval32(function: MathFunction, x: f32, y: f32) -> f32 {
    eval64(function, x.into(), y.into()) as f32
}

/// The value as the bits of an `f16`.
pub fn eval16(function: MathFunction, x: u16, y: u16) -> u16 {
    f16::from_f64(eval64(function, f16::to_f32(x).into(), f16::to_f32(y).into()))
}

/// `x * 2^k` for an `x` of at most 32 bits.
#[inline(always)]
pub fn scale(x: f64, k: f64) -> f64 {
    // Beyond 2^400 every f32 is zero or infinite, and f64 still holds the product exactly.
    x * float::power_of_two(k.clamp(-400.0, 400.0) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back_to_the_function() {
        for (i, f) in MathFunction::ALL.into_iter().enumerate() {
            assert_eq!(f as usize, i);
            assert_eq!(MathFunction::from_number(i as u16), Some(f));
            assert_eq!(MathFunction::parse(f.name()), Some(f));
        }
        assert_eq!(MathFunction::from_number(MathFunction::ALL.len() as u16), None);
        assert_eq!(MathFunction::parse("sqroot"), None);
    }

    #[test]
    fn values_are_the_nearest_f32() {
        let cases: [(MathFunction, f32, f32, f64); 13] = [
            (MathFunction::Sqrt, 2.0, 0.0, std::f64::consts::SQRT_2),
            (MathFunction::Inv, 3.0, 0.0, 1.0 / 3.0),
            (MathFunction::Invsqrt, 4.0, 0.0, 0.5),
            (MathFunction::Exp, 1.0, 0.0, std::f64::consts::E),
            (MathFunction::Log, 10.0, 0.0, std::f64::consts::LN_10),
            (MathFunction::Sin, 1.0, 0.0, 0.841_470_984_8),
            (MathFunction::Cos, 1.0, 0.0, 0.540_302_305_9),
            (MathFunction::Tanh, 0.5, 0.0, 0.462_117_157_3),
            (MathFunction::Pow, 2.0, 0.5, std::f64::consts::SQRT_2),
            (MathFunction::Ceil, -1.5, 0.0, -1.0),
            (MathFunction::Floor, -1.5, 0.0, -2.0),
            (MathFunction::Sig, 0.0, 0.0, 0.5),
            (MathFunction::Fscale, 3.0, -2.0, 0.75),
        ];
        for (f, x, y, expected) in cases {
            assert_eq!(eval32(f, x, y), expected as f32, "{}({x}, {y})", f.name());
        }
    }

    #[test]
    fn edges_follow_ieee() {
        assert!(eval32(MathFunction::Sqrt, -1.0, 0.0).is_nan());
        assert_eq!(eval32(MathFunction::Inv, -0.0, 0.0), f32::NEG_INFINITY);
        assert_eq!(eval32(MathFunction::Log, 0.0, 0.0), f32::NEG_INFINITY);
        assert_eq!(eval32(MathFunction::Sig, -1000.0, 0.0), 0.0);
        assert_eq!(eval32(MathFunction::Tanh, f32::INFINITY, 0.0), 1.0);
    }

    #[test]
    fn scaling_is_exact_until_the_format_ends() {
        assert_eq!(eval32(MathFunction::Fscale, 1.0, -149.0), f32::from_bits(1));
        assert_eq!(eval32(MathFunction::Fscale, f32::from_bits(1), 276.0), 2f32.powi(127));
        assert_eq!(eval32(MathFunction::Fscale, 1.0, 32767.0), f32::INFINITY);
        assert_eq!(eval32(MathFunction::Fscale, -1.0, -32768.0).to_bits(), 0x8000_0000);
        assert_eq!(eval32(MathFunction::Fscale, 0.0, 32767.0), 0.0);
    }

    #[test]
    fn f16_is_rounded_once_from_the_double() {
        for x in 0..=u16::MAX {
            let exact = f64::from(f16::to_f32(x)).sqrt();
            let got = eval16(MathFunction::Sqrt, x, 0);
            if exact.is_nan() {
                assert!(f16::is_nan(got));
            } else {
                assert_eq!(u64::from(got), float::FloatKind::F16.to_bits(exact), "sqrt of {x:04x}");
            }
        }
    }
}
