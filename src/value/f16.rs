//! Arithmetic of the run-time type `f16`, on its bits.

use super::float::to_odd_f32;

/// The value, which every `f32` holds exactly.
#[inline]
pub fn to_f32(bits: u16) -> f32 {
    half::f16::from_bits(bits).to_f32()
}

/// The nearest `f16`, ties to even; infinite when too large.
#[inline]
pub fn from_f32(x: f32) -> u16 {
    half::f16::from_f32(x).to_bits()
}

/// The nearest `f16`, rounded once.
#[inline]
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
#[inline]
pub fn add(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) + to_f32(b))
}

/// Difference.
#[inline]
pub fn sub(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) - to_f32(b))
}

/// Product.
#[inline]
pub fn mul(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) * to_f32(b))
}

/// Quotient.
#[inline]
pub fn div(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) / to_f32(b))
}

/// `a * b + c`, rounded once.
#[inline]
pub fn fma(a: u16, b: u16, c: u16) -> u16 {
    // The product has 22 bits, c has 11, and the result matters below 2^17 only. If the sum does
    // not fit the 53 bits of f64, one of the two is so small that it cannot reach the next tie of
    // f16; so the f64 sum decides as the exact one would.
    from_f64(f64::from(to_f32(a)) * f64::from(to_f32(b)) + f64::from(to_f32(c)))
}

/// The opposite number, of NaN too.
#[inline]
pub fn neg(a: u16) -> u16 {
    a ^ 0x8000
}

/// Without the sign.
#[inline]
pub fn abs(a: u16) -> u16 {
    a & 0x7fff
}

/// Whether it is not a number.
#[inline]
pub fn is_nan(a: u16) -> bool {
    abs(a) > 0x7c00
}

/// `a == b`; the zeros are equal, NaN is not.
#[inline]
pub fn eq(a: u16, b: u16) -> bool {
    to_f32(a) == to_f32(b)
}

/// `a < b`; false with NaN.
#[inline]
pub fn lt(a: u16, b: u16) -> bool {
    to_f32(a) < to_f32(b)
}

/// `a <= b`; false with NaN.
#[inline]
pub fn le(a: u16, b: u16) -> bool {
    to_f32(a) <= to_f32(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::float::FloatKind;
    use proptest::prelude::*;

    /// Bits at which something happens: zeros, subnormals, ones, largest, infinities, NaN.
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
