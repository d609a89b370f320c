//! Arithmetic of the run-time type `f16`, on its bits.

const INFINITY: u32 = 0x7c00;

// The conversions have no branches and no calls, so that the compiler vectorises loops over them. The crate
// `half` checks the features of the processor for every single value.

/// The value, which every `f32` holds exactly.
#[inline(always)]
pub fn to_f32(bits: u16) -> f32 {
    let magnitude = u32::from(abs(bits));
    // Shifted into an f32, the bits represent a value that is too small by the difference of the biases.
    let value = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 127 - 15) << 23);
    let special = if magnitude >= INFINITY { 0x7f80_0000 } else { 0 };
    f32::from_bits(value.to_bits() | special | u32::from(bits & 0x8000) << 16)
}

/// The nearest `f16`, ties to even; infinite when too large.
#[inline(always)]
pub fn from_f32(x: f32) -> u16 {
    let magnitude = x.to_bits() & 0x7fff_ffff;
    // Adding 0.5 leaves the lowest place of the sum at 2^-24, which is that of f16 subnormals: the
    // addition itself rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let ties_to_even = 0xfff + (magnitude >> 13 & 1);
    let normal = magnitude.wrapping_sub((127 - 15) << 23).wrapping_add(ties_to_even) >> 13;
    let nan = INFINITY | 0x200 | (magnitude >> 13 & 0x3ff);
    let bits = if magnitude > 0x7f80_0000 {
        nan
    } else if magnitude >= LARGE {
        INFINITY
    } else if magnitude < SMALL {
        subnormal
    } else {
        normal
    };
    (bits | x.to_bits() >> 16 & 0x8000) as u16
}

/// 65520 and above is nearer to infinity than to the largest `f16`.
const LARGE: u32 = 65520f32.to_bits();
/// Below 2^-14 there are subnormals only.
const SMALL: u32 = (127 - 14) << 23;

/// The nearest `f16`, rounded once.
#[inline(always)]
pub fn from_f64(x: f64) -> u16 {
    from_f32(to_odd_f32(x))
}

/// The nearest `f16` of a signed integer.
pub fn from_i64(n: i64) -> u16 {
    // The detour rounds only above 2^53, far beyond the largest f16.
    from_f64(n as f64)
}

/// The nearest `f16` of an unsigned integer.
pub fn from_u64(n: u64) -> u16 {
    from_f64(n as f64)
}

// One operation in f32 and one rounding to f16 give the correctly rounded result: f32 has 24 bits,
// and 2 * 11 + 2 are enough for + - * / (Figueroa, "When is double rounding innocuous?", 1995).
// Subnormal results do not spoil this: sums there are exact, products of 11 by 11 bits are exact
// in f32, and a quotient that is no tie itself is further than 2^-23 of its size away from one.

/// Sum.
#[inline(always)]
pub fn add(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) + to_f32(b))
}

/// Difference.
#[inline(always)]
pub fn sub(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) - to_f32(b))
}

/// Product.
#[inline(always)]
pub fn mul(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) * to_f32(b))
}

/// Quotient.
#[inline(always)]
pub fn div(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) / to_f32(b))
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn fma(a: u16, b: u16, c: u16) -> u16 {
    // The product has 22 bits, c has 11, and the result matters below 2^17 only. If the sum does
    // not fit the 53 bits of f64, one of the two is so small that it cannot reach the next tie of
    // f16; so the f64 sum decides as the exact one would.
    from_f64(f64::from(to_f32(a)) * f64::from(to_f32(b)) + f64::from(to_f32(c)))
}

/// The `f32` below `x` in magnitude, with its last bit set if anything was cut off.
///
/// Rounding that (to odd) to a format with at least two bits less gives the same as rounding `x`
/// itself, which rounding twice to nearest does not.
#[inline(always)]
pub(super) fn to_odd_f32(x: f64) -> f32 {
    let near = x as f32;
    let is_inexact = f64::from(near) != x && !x.is_nan();
    let is_too_far = f64::from(near).abs() > x.abs();
    let odd = near.to_bits().wrapping_sub(u32::from(is_too_far)) | 1;
    f32::from_bits(if is_inexact { odd } else { near.to_bits() })
}

/// The opposite number, of NaN too.
#[inline(always)]
pub fn neg(a: u16) -> u16 {
    a ^ 0x8000
}

/// Without the sign.
#[inline(always)]
pub fn abs(a: u16) -> u16 {
    a & 0x7fff
}

/// Whether it is not a number.
#[inline(always)]
#[cfg(test)]
pub fn is_nan(a: u16) -> bool {
    abs(a) > 0x7c00
}

/// `a == b`; the zeros are equal, NaN is not.
#[inline(always)]
pub fn eq(a: u16, b: u16) -> bool {
    to_f32(a) == to_f32(b)
}

/// `a < b`; false with NaN.
#[inline(always)]
pub fn lt(a: u16, b: u16) -> bool {
    to_f32(a) < to_f32(b)
}

/// `a <= b`; false with NaN.
#[inline(always)]
pub fn le(a: u16, b: u16) -> bool {
    to_f32(a) <= to_f32(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::float::FloatKind;
    use proptest::prelude::*;

    /// Interesting bit patterns: zeros, subnormals, ones, largest, infinities, NaN.
    const EDGES: [u16; 22] = [
        0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03ff, 0x83ff, 0x0400, 0x0401, 0x1400, 0x3bff, 0x3c00,
        0x3c01, 0xbc00, 0x3555, 0x4248, 0x77ff, 0x7bfe, 0x7bff, 0xfbff, 0x7c00, 0x7e00,
    ];

    fn same(a: u16, b: u16) -> bool {
        a == b || (is_nan(a) && is_nan(b))
    }

    fn value(bits: u16) -> f64 {
        to_f32(bits).into()
    }

    /// Sums and products are exact in f64; a quotient is never near a tie without being one.
    fn check_pair(a: u16, b: u16) {
        let round = |x| FloatKind::F16.to_bits(x) as u16;
        let (x, y) = (value(a), value(b));
        assert!(same(add(a, b), round(x + y)), "{a:04x} + {b:04x}");
        assert!(same(sub(a, b), round(x - y)), "{a:04x} - {b:04x}");
        assert!(same(mul(a, b), round(x * y)), "{a:04x} * {b:04x}");
        assert!(same(div(a, b), round(x / y)), "{a:04x} / {b:04x}");
        assert_eq!((eq(a, b), lt(a, b), le(a, b)), (x == y, x < y, x <= y));
    }

    #[test]
    fn conversions_agree_with_an_independent_implementation() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (to_f32(bits), half::f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()), "{bits:04x}");
        }
        let around = |bits: u16| {
            let bits = half::f16::from_bits(bits).to_f32().to_bits();
            [0x0fff, 0x1000, 0x1001]
                .into_iter()
                .flat_map(move |d| [bits.wrapping_add(d), bits.wrapping_sub(d)])
        };
        for bits in (0..=u16::MAX).flat_map(around).chain((0..=u32::MAX).step_by(4099)) {
            let x = f32::from_bits(bits);
            assert!(same(from_f32(x), half::f16::from_f32(x).to_bits()), "{bits:08x}");
        }
    }

    #[test]
    fn arithmetic_of_every_value_with_the_edges_is_rounded_once() {
        for a in 0..=u16::MAX {
            for b in EDGES {
                check_pair(a, b);
                check_pair(b, a);
            }
        }
    }

    #[test]
    fn fused_multiply_add_rounds_once() {
        // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20: a product rounded first would lose the last term,
        // and with it the tie-break against -(1 + 2^-9).
        assert_eq!(value(fma(0x3c01, 0x3c01, 0xbc02)), 2f64.powi(-20));
        // Just above a tie of 2048 and 2050: 2049 + 2^-24.
        assert_eq!(value(fma(0x0001, 0x3c00, 0x6800)), 2048.0);
        let tie = value(0x6800) + value(0x3c00);
        assert_eq!(tie, 2049.0);
        assert_eq!(value(fma(0x6800, 0x3c00, 0x3c01)), 2050.0);
        assert!(is_nan(fma(0x7c00, 0x0000, 0x3c00)));
        assert_eq!(fma(0x7bff, 0x7bff, 0xfbff), 0x7c00);
    }

    #[test]
    fn integers_round_to_the_nearest() {
        assert_eq!(value(from_i64(-2049)), -2048.0);
        assert_eq!(value(from_i64(2051)), 2052.0);
        assert_eq!(from_u64(65519), 0x7bff);
        assert_eq!(from_u64(65520), 0x7c00);
        assert_eq!(from_u64(u64::MAX), 0x7c00);
    }

    proptest! {
        #[test]
        fn any_pair_is_rounded_once(a: u16, b: u16) {
            check_pair(a, b);
        }

        #[test]
        fn any_fused_triple_is_rounded_once(a: u16, b: u16, c: u16) {
            // Scaled by 2^48 everything is an integer, which i128 holds exactly.
            let whole = |x: u16, up: i32| (value(x) * 2f64.powi(up)) as i128;
            prop_assume!([a, b, c].iter().all(|x| abs(*x) < 0x7c00));
            let exact = whole(a, 24) * whole(b, 24) + whole(c, 48);
            let result = fma(a, b, c);
            prop_assume!(abs(result) < 0x7c00);
            let miss = (whole(result, 48) - exact).abs();
            for neighbour in [result.wrapping_add(1), result.wrapping_sub(1)] {
                if abs(neighbour) < 0x7c00 && (neighbour ^ result) & 0x8000 == 0 {
                    let other = (whole(neighbour, 48) - exact).abs();
                    prop_assert!(miss < other || (miss == other && result & 1 == 0));
                }
            }
        }
    }
}
