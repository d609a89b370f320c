//! Integers of comptime: of any size, and wrapped to the width of a type where a type says so.

use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};
use std::cmp::Ordering;
use std::fmt;

/// Results with more bits than this are refused, so that a comptime loop cannot use up all memory.
pub const MAX_BITS: u64 = 1 << 20;

/// A `comptime_int`. Always `Small` when it fits, so that equality and hashes are those of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// The ordinary case.
    Small(i128),
    /// Everything else.
    Big(BigInt),
}

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer::Small(0);
    /// One.
    pub const ONE: Integer = Integer::Small(1);

    /// Normalises a big number: `Small` if it fits.
    pub fn from_bigint(n: BigInt) -> Integer {
        match n.to_i128() {
            Some(small) => Integer::Small(small),
            None => Integer::Big(n),
        }
    }

    /// A float without its fraction (toward zero); `None` for NaN and infinities.
    pub fn from_f64(x: f64) -> Option<Integer> {
        BigInt::from_f64(x.trunc()).map(Integer::from_bigint)
    }

    /// The number as the widest machine integer, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match self {
            Integer::Small(n) => Some(*n),
            Integer::Big(_) => None,
        }
    }

    /// The number as any smaller machine integer, if it fits.
    pub fn to<T: TryFrom<i128>>(&self) -> Option<T> {
        self.to_i128().and_then(|n| T::try_from(n).ok())
    }

    /// The nearest float, ties to even; infinite when too large.
    pub fn to_f64(&self) -> f64 {
        match self {
            Integer::Small(n) => *n as f64,
            Integer::Big(n) => n.to_f64().unwrap_or(f64::NAN),
        }
    }

    /// Whether the float `x` equals this number exactly.
    pub fn is_exactly(&self, x: f64) -> bool {
        x.fract() == 0.0 && Integer::from_f64(x).as_ref() == Some(self)
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        match self {
            Integer::Small(n) => *n < 0,
            Integer::Big(n) => n.sign() == Sign::Minus,
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        *self == Integer::ZERO
    }

    /// Whether an integer type of this signedness and width holds the number.
    pub fn fits(&self, signed: bool, bits: u32) -> bool {
        if bits == 0 {
            return self.is_zero();
        }
        match signed {
            true => self.bits_without_sign() < u64::from(bits),
            false => !self.is_negative() && self.bits_without_sign() <= u64::from(bits),
        }
    }

    /// The number modulo 2^bits, as that type reads its bits.
    pub fn wrap(&self, signed: bool, bits: u32) -> Integer {
        if self.fits(signed, bits) {
            return self.clone();
        }
        if bits == 0 {
            return Integer::ZERO;
        }
        let modulus = BigInt::from(1) << bits;
        let low: BigInt = self.big() & (&modulus - 1);
        let negative = signed && low.bit(u64::from(bits) - 1);
        Integer::from_bigint(if negative { low - modulus } else { low })
    }

    /// Sum; `None` beyond [`MAX_BITS`].
    pub fn add(&self, other: &Integer) -> Option<Integer> {
        self.arithmetic(other, i128::checked_add, |a, b| a + b)
    }

    /// Difference; `None` beyond [`MAX_BITS`].
    pub fn sub(&self, other: &Integer) -> Option<Integer> {
        self.arithmetic(other, i128::checked_sub, |a, b| a - b)
    }

    /// Product; `None` beyond [`MAX_BITS`].
    pub fn mul(&self, other: &Integer) -> Option<Integer> {
        if self.bits_without_sign() + other.bits_without_sign() > MAX_BITS + 1 {
            return None;
        }
        self.arithmetic(other, i128::checked_mul, |a, b| a * b)
    }

    /// Quotient toward zero; `None` when divided by zero.
    pub fn div(&self, other: &Integer) -> Option<Integer> {
        (!other.is_zero()).then(|| self.arithmetic(other, i128::checked_div, |a, b| a / b))?
    }

    /// Remainder with the sign of the dividend; `None` when divided by zero.
    pub fn rem(&self, other: &Integer) -> Option<Integer> {
        (!other.is_zero()).then(|| self.arithmetic(other, i128::checked_rem, |a, b| a % b))?
    }

    /// The number times 2^amount; `None` for a negative amount or beyond [`MAX_BITS`].
    pub fn shl(&self, amount: &Integer) -> Option<Integer> {
        if self.is_zero() && !amount.is_negative() {
            return Some(Integer::ZERO);
        }
        let amount: u32 = amount.to()?;
        if self.bits_without_sign() + u64::from(amount) > MAX_BITS {
            return None;
        }
        Some(Integer::from_bigint(self.big() << amount))
    }

    /// The number divided by 2^amount, rounded down; `None` for a negative amount.
    pub fn shr(&self, amount: &Integer) -> Option<Integer> {
        if amount.is_negative() {
            return None;
        }
        let all = if self.is_negative() { Integer::Small(-1) } else { Integer::ZERO };
        match amount.to::<u32>() {
            Some(n) if u64::from(n) <= MAX_BITS => Some(Integer::from_bigint(self.big() >> n)),
            Some(_) | None => Some(all),
        }
    }

    /// Bitwise and, on the two's complement.
    pub fn and(&self, other: &Integer) -> Integer {
        self.bitwise(other, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise or, on the two's complement.
    pub fn or(&self, other: &Integer) -> Integer {
        self.bitwise(other, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive or, on the two's complement.
    pub fn xor(&self, other: &Integer) -> Integer {
        self.bitwise(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// All bits inverted: `-self - 1`. Wrap it for an unsigned type.
    pub fn not(&self) -> Integer {
        Integer::Small(-1).xor(self)
    }

    /// The opposite number.
    pub fn neg(&self) -> Integer {
        match self {
            Integer::Small(n) if *n != i128::MIN => Integer::Small(-n),
            Integer::Small(_) | Integer::Big(_) => Integer::from_bigint(-self.big()),
        }
    }

    /// The lowest 64 bits of the two's complement.
    pub fn low_u64(&self) -> u64 {
        match self {
            Integer::Small(n) => *n as u64,
            Integer::Big(n) => (n & BigInt::from(u64::MAX)).to_u64().expect("64 bits remain after the mask"),
        }
    }

    fn big(&self) -> BigInt {
        match self {
            Integer::Small(n) => BigInt::from(*n),
            Integer::Big(n) => n.clone(),
        }
    }

    /// Bits of the two's complement, without the sign bit.
    fn bits_without_sign(&self) -> u64 {
        match self {
            Integer::Small(n) => u64::from(128 - (if *n < 0 { !n } else { *n }).leading_zeros()),
            Integer::Big(n) if n.sign() == Sign::Minus => (-(n + 1i32)).bits(),
            Integer::Big(n) => n.bits(),
        }
    }

    fn arithmetic(
        &self,
        other: &Integer,
        small: fn(i128, i128) -> Option<i128>,
        big: fn(BigInt, BigInt) -> BigInt,
    ) -> Option<Integer> {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(n) = small(*a, *b)
        {
            return Some(Integer::Small(n));
        }
        let result = Integer::from_bigint(big(self.big(), other.big()));
        (result.bits_without_sign() <= MAX_BITS).then_some(result)
    }

    fn bitwise(
        &self,
        other: &Integer,
        small: fn(i128, i128) -> i128,
        big: fn(BigInt, BigInt) -> BigInt,
    ) -> Integer {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => Integer::Small(small(*a, *b)),
            (a, b) => Integer::from_bigint(big(a.big(), b.big())),
        }
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a.cmp(b),
            (a, b) => a.big().cmp(&b.big()),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Integer::Small(n) => n.fmt(f),
            Integer::Big(n) => n.fmt(f),
        }
    }
}

macro_rules! from_machine {
    ($($t:ty)*) => {$(
        impl From<$t> for Integer {
            fn from(n: $t) -> Integer {
                Integer::Small(n as i128)
            }
        }
    )*};
}
from_machine!(i8 u8 i16 u16 i32 u32 i64 u64 i128 usize);

impl From<BigInt> for Integer {
    fn from(n: BigInt) -> Integer {
        Integer::from_bigint(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(n: i128) -> Integer {
        Integer::Small(n)
    }

    fn power(bits: u32) -> Integer {
        Integer::ONE.shl(&int(bits.into())).unwrap()
    }

    #[test]
    fn a_number_has_one_form() {
        let big = power(200);
        assert!(matches!(big, Integer::Big(_)));
        assert_eq!(big.shr(&int(198)), Some(int(4)));
        assert_eq!(big.sub(&big), Some(int(0)));
        assert_eq!(int(i128::MIN).neg().neg(), int(i128::MIN));
    }

    #[test]
    fn overflow_of_the_small_form_becomes_big() {
        let sum = int(i128::MAX).add(&int(1)).unwrap();
        assert_eq!(sum, power(127));
        assert_eq!(sum.to_string(), "170141183460469231731687303715884105728");
        assert_eq!(int(i128::MIN).div(&int(-1)), Some(power(127)));
        assert_eq!(int(i128::MIN).rem(&int(-1)), Some(int(0)));
        assert_eq!(power(100).mul(&power(100)), Some(power(200)));
    }

    #[test]
    fn division_truncates_and_the_remainder_follows_the_dividend() {
        for (a, b, quotient, rest) in [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1)] {
            assert_eq!(int(a).div(&int(b)), Some(int(quotient)));
            assert_eq!(int(a).rem(&int(b)), Some(int(rest)));
        }
        assert_eq!(int(1).div(&int(0)), None);
        assert_eq!(int(1).rem(&int(0)), None);
    }

    #[test]
    fn ranges_of_types_are_exact() {
        assert!(int(127).fits(true, 8) && !int(128).fits(true, 8));
        assert!(int(-128).fits(true, 8) && !int(-129).fits(true, 8));
        assert!(int(255).fits(false, 8) && !int(256).fits(false, 8) && !int(-1).fits(false, 8));
        assert!(int(0).fits(false, 0) && int(0).fits(true, 0) && !int(1).fits(true, 0));
        assert!(int(0).fits(true, 1) && int(-1).fits(true, 1) && !int(1).fits(true, 1));
        assert!(power(200).fits(false, 201) && !power(200).fits(true, 201));
        assert!(power(200).neg().fits(true, 201) && !power(200).neg().fits(true, 200));
    }

    #[test]
    fn wrapping_agrees_with_the_machine() {
        let samples =
            [0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 1 << 40, -(1 << 40), i128::MAX];
        for n in samples {
            assert_eq!(int(n).wrap(true, 8), int((n as i8).into()));
            assert_eq!(int(n).wrap(false, 8), int((n as u8).into()));
            assert_eq!(int(n).wrap(true, 16), int((n as i16).into()));
            assert_eq!(int(n).wrap(false, 32), int((n as u32).into()));
            assert_eq!(int(n).wrap(true, 64), int((n as i64).into()));
            assert_eq!(int(n).low_u64(), n as u64);
        }
        assert_eq!(power(200).add(&int(5)).unwrap().wrap(false, 8), int(5));
        assert_eq!(power(200).neg().low_u64(), 0);
    }

    #[test]
    fn shifts_round_down_and_refuse_to_explode() {
        assert_eq!(int(-5).shr(&int(1)), Some(int(-3)));
        assert_eq!(int(-5).shr(&power(100)), Some(int(-1)));
        assert_eq!(int(5).shr(&int(-1)), None);
        assert_eq!(int(1).shl(&int(-1)), None);
        assert_eq!(int(1).shl(&int(1 << 20)), None);
        assert_eq!(int(0).shl(&power(100)), Some(int(0)));
        let half = power(600_000);
        assert_eq!(half.mul(&half), None);
    }

    #[test]
    fn bits_are_those_of_the_twos_complement() {
        assert_eq!(int(-1).and(&power(200)), power(200));
        assert_eq!(int(12).xor(&int(10)), int(6));
        assert_eq!(int(12).or(&int(-16)), int(-4));
        assert_eq!(int(0).not(), int(-1));
        assert_eq!(power(200).not().not(), power(200));
    }

    #[test]
    fn floats_convert_toward_zero_and_back_to_nearest() {
        assert_eq!(Integer::from_f64(-10.8), Some(int(-10)));
        assert_eq!(Integer::from_f64(f64::NAN), None);
        assert_eq!(Integer::from_f64(2f64.powi(200)), Some(power(200)));
        assert_eq!(power(200).to_f64(), 2f64.powi(200));
        assert_eq!(power(5000).to_f64(), f64::INFINITY);
        assert_eq!(int((1 << 53) + 1).to_f64(), (1u64 << 53) as f64);
        assert!(int(3).is_exactly(3.0) && !int(3).is_exactly(3.5));
        assert!(!int((1 << 53) + 1).is_exactly((1u64 << 53) as f64));
    }

    #[test]
    fn order_is_that_of_numbers() {
        let mut all = vec![power(200), int(3), power(200).neg(), int(-4)];
        all.sort();
        assert_eq!(all, vec![power(200).neg(), int(-4), int(3), power(200)]);
    }
}
