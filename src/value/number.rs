//! Integers of comptime: of any size, and wrapped to the width of a type where a type says so.

use super::symbolic::{Atom, Operator, TermId, TracedSymbol};
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Results with more bits than this are refused, so that a comptime loop cannot use up all memory.
pub const MAX_BITS: u64 = 1 << 20;

/// A `comptime_int`. Always `Small` when it fits, so that equality and hashes are those of numbers. Only a tile that
/// may be the template of others has symbolic ones.
#[derive(Clone, Debug)]
pub enum Integer {
    /// The ordinary case.
    Small(i128),
    /// What does not fit.
    Big(BigInt),
    /// A number that other tiles compute from other parameters. It tells its trace whatever depends on its value.
    Symbolic(TracedSymbol),
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

    /// The same of a number that is kept.
    pub fn of(n: &BigInt) -> Integer {
        match n.to_i128() {
            Some(small) => Integer::Small(small),
            None => Integer::Big(n.clone()),
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
            Integer::Symbolic(s) => Some(s.settle().into()),
        }
    }

    /// Whether other tiles may have another number here.
    pub fn is_symbolic(&self) -> bool {
        matches!(self, Integer::Symbolic(_))
    }

    /// What a question can name; `None` for numbers of more than 64 bits.
    fn atom(&self) -> Option<Atom> {
        match self {
            Integer::Small(n) => i64::try_from(*n).ok().map(Atom::Number),
            Integer::Big(_) => None,
            Integer::Symbolic(s) => Some(Atom::Term(s.term())),
        }
    }

    fn symbol(&self) -> Option<&TracedSymbol> {
        match self {
            Integer::Symbolic(s) => Some(s),
            Integer::Small(_) | Integer::Big(_) => None,
        }
    }

    /// The number itself.
    fn settled(&self) -> Cow<'_, Integer> {
        match self {
            Integer::Symbolic(s) => Cow::Owned(Integer::Small(s.settle().into())),
            Integer::Small(_) | Integer::Big(_) => Cow::Borrowed(self),
        }
    }

    /// The result of an operator as a symbol, if an operand is one.
    fn symbolic(&self, operator: Operator, other: &Integer) -> Option<Integer> {
        let symbol = self.symbol().or_else(|| other.symbol())?;
        symbol.compute(operator, self.atom()?, other.atom()?).map(Integer::Symbolic)
    }

    /// Whether it is less than another number.
    pub fn is_less(&self, other: &Integer) -> bool {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a < b,
            (Integer::Symbolic(s), b) => match b.atom() {
                Some(atom) => s.is_less(atom),
                None => self.settled().big() < b.big(),
            },
            (a, Integer::Symbolic(s)) => match a.atom() {
                Some(Atom::Number(n)) => s.is_greater(n),
                Some(Atom::Term(_)) | None => a.big() < other.settled().big(),
            },
            (a, b) => a.big() < b.big(),
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
            Integer::Symbolic(s) => s.settle() as f64,
        }
    }

    /// The number as a double that rounds to the same narrower float as the number itself: the last bit is set if there
    /// is more behind it.
    pub fn to_odd_f64(&self) -> f64 {
        let near = self.to_f64();
        let Some(exact) = Integer::from_f64(near) else { return near };
        let bits = near.to_bits();
        let is_short = if near < 0.0 { exact > *self } else { exact < *self };
        match bits & 1 {
            0 if is_short => f64::from_bits(bits + 1),
            0 if exact != *self => f64::from_bits(bits - 1),
            _ => near,
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
            Integer::Symbolic(s) => s.is_less(Atom::Number(0)),
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        *self == Integer::ZERO
    }

    /// Whether an integer type of this signedness and width holds the number.
    pub fn fits(&self, signed: bool, bits: u32) -> bool {
        if let Integer::Symbolic(s) = self {
            return s.fits(signed, bits);
        }
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
        if let Some(wrapped) = self.symbolic(Operator::Wrap { signed, bits }, &Integer::ZERO) {
            return wrapped;
        }
        let modulus = BigInt::from(1) << bits;
        let low: BigInt = self.big() & (&modulus - 1);
        let negative = signed && low.bit(u64::from(bits) - 1);
        Integer::from_bigint(if negative { low - modulus } else { low })
    }

    /// Sum; `None` beyond [`MAX_BITS`].
    pub fn add(&self, other: &Integer) -> Option<Integer> {
        self.arithmetic(other, Operator::Add, i128::checked_add, |a, b| a + b)
    }

    /// Difference; `None` beyond [`MAX_BITS`].
    pub fn sub(&self, other: &Integer) -> Option<Integer> {
        self.arithmetic(other, Operator::Sub, i128::checked_sub, |a, b| a - b)
    }

    /// Product; `None` beyond [`MAX_BITS`].
    pub fn mul(&self, other: &Integer) -> Option<Integer> {
        if let Some(product) = self.symbolic(Operator::Mul, other) {
            return Some(product);
        }
        if self.bits_without_sign() + other.bits_without_sign() > MAX_BITS + 1 {
            return None;
        }
        self.arithmetic(other, Operator::Mul, i128::checked_mul, |a, b| a * b)
    }

    /// Quotient toward zero; `None` when divided by zero.
    pub fn div(&self, other: &Integer) -> Option<Integer> {
        (!other.is_zero()).then(|| self.arithmetic(other, Operator::Div, i128::checked_div, |a, b| a / b))?
    }

    /// Remainder with the sign of the dividend; `None` when divided by zero.
    pub fn rem(&self, other: &Integer) -> Option<Integer> {
        (!other.is_zero()).then(|| self.arithmetic(other, Operator::Rem, i128::checked_rem, |a, b| a % b))?
    }

    /// The number times 2^amount; `None` for a negative amount or beyond [`MAX_BITS`].
    pub fn shl(&self, amount: &Integer) -> Option<Integer> {
        if self.is_zero() && !amount.is_negative() {
            return Some(Integer::ZERO);
        }
        let amount: u32 = amount.to()?;
        if let (Integer::Small(n), 0..64) = (self, amount)
            && let Ok(n) = i64::try_from(*n)
        {
            return Some(Integer::Small(i128::from(n) << amount));
        }
        if let Some(shifted) = self.symbolic(Operator::Shl, &amount.into()) {
            return Some(shifted);
        }
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
        match amount.to::<u32>() {
            Some(n) if let Integer::Small(small) = self => Some(Integer::Small(small >> n.min(127))),
            Some(n) if u64::from(n) <= MAX_BITS => {
                let shifted = self.symbolic(Operator::Shr, &n.into());
                Some(shifted.unwrap_or_else(|| Integer::from_bigint(self.big() >> n)))
            }
            Some(_) | None if self.is_negative() => Some(Integer::Small(-1)),
            Some(_) | None => Some(Integer::ZERO),
        }
    }

    /// Bitwise and, on the two's complement.
    pub fn and(&self, other: &Integer) -> Integer {
        self.bitwise(other, Operator::And, |a, b| a & b, |a, b| a & b)
    }

    /// Bitwise or, on the two's complement.
    pub fn or(&self, other: &Integer) -> Integer {
        self.bitwise(other, Operator::Or, |a, b| a | b, |a, b| a | b)
    }

    /// Bitwise exclusive or, on the two's complement.
    pub fn xor(&self, other: &Integer) -> Integer {
        self.bitwise(other, Operator::Xor, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// All bits inverted: `-self - 1`. Wrap it for an unsigned type.
    pub fn not(&self) -> Integer {
        Integer::Small(-1).xor(self)
    }

    /// The opposite number.
    pub fn neg(&self) -> Integer {
        match self {
            Integer::Small(n) if *n != i128::MIN => Integer::Small(-n),
            Integer::Symbolic(_) => Integer::ZERO.sub(self).expect("64 bits more would do"),
            Integer::Small(_) | Integer::Big(_) => Integer::from_bigint(-self.big()),
        }
    }

    /// The lowest 64 bits of the two's complement.
    pub fn low_u64(&self) -> u64 {
        match self {
            Integer::Small(n) => *n as u64,
            Integer::Big(n) => (n & BigInt::from(u64::MAX)).to_u64().expect("64 bits remain after the mask"),
            Integer::Symbolic(s) => s.settle() as u64,
        }
    }

    /// The lowest 64 bits of the two's complement, and the term that has them if other tiles may have others.
    pub fn low_u64_and_term(&self) -> (u64, Option<TermId>) {
        match self {
            Integer::Symbolic(s) => (s.value() as u64, Some(s.term())),
            Integer::Small(_) | Integer::Big(_) => (self.low_u64(), None),
        }
    }

    fn big(&self) -> BigInt {
        match self {
            Integer::Small(n) => BigInt::from(*n),
            Integer::Big(n) => n.clone(),
            Integer::Symbolic(s) => BigInt::from(s.settle()),
        }
    }

    /// Bits of the two's complement, without the sign bit.
    fn bits_without_sign(&self) -> u64 {
        match self {
            Integer::Small(n) => u64::from(128 - (if *n < 0 { !n } else { *n }).leading_zeros()),
            Integer::Big(n) if n.sign() == Sign::Minus => (-(n + 1i32)).bits(),
            Integer::Big(n) => n.bits(),
            Integer::Symbolic(_) => self.settled().bits_without_sign(),
        }
    }

    fn arithmetic(
        &self,
        other: &Integer,
        operator: Operator,
        small: fn(i128, i128) -> Option<i128>,
        big: fn(BigInt, BigInt) -> BigInt,
    ) -> Option<Integer> {
        if let (Integer::Small(a), Integer::Small(b)) = (self, other)
            && let Some(n) = small(*a, *b)
        {
            return Some(Integer::Small(n));
        }
        if let Some(result) = self.symbolic(operator, other) {
            return Some(result);
        }
        let result = Integer::from_bigint(big(self.big(), other.big()));
        (result.bits_without_sign() <= MAX_BITS).then_some(result)
    }

    fn bitwise(
        &self,
        other: &Integer,
        operator: Operator,
        small: fn(i128, i128) -> i128,
        big: fn(BigInt, BigInt) -> BigInt,
    ) -> Integer {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => Integer::Small(small(*a, *b)),
            (a, b) => {
                let symbolic = a.symbolic(operator, b);
                symbolic.unwrap_or_else(|| Integer::from_bigint(big(a.big(), b.big())))
            }
        }
    }
}

impl PartialEq for Integer {
    fn eq(&self, other: &Integer) -> bool {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a == b,
            (Integer::Big(a), Integer::Big(b)) => a == b,
            (Integer::Symbolic(s), other) | (other, Integer::Symbolic(s)) => {
                other.atom().is_some_and(|atom| s.equals(atom))
            }
            (Integer::Small(_), Integer::Big(_)) | (Integer::Big(_), Integer::Small(_)) => false,
        }
    }
}

impl Eq for Integer {}

impl Hash for Integer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &*self.settled() {
            Integer::Big(n) => n.hash(state),
            small => small.to_i128().hash(state),
        }
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a.cmp(b),
            (a, b) if a == b => Ordering::Equal,
            (a, b) if a.is_less(b) => Ordering::Less,
            _ => Ordering::Greater,
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
            Integer::Symbolic(s) => s.settle().fmt(f),
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
mod tests;
