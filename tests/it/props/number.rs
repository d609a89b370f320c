//! Numbers as they are meant: exact, and rounded only when they are stored.

use num_bigint::BigUint;
use std::cmp::Ordering;

/// The elements of DSD operations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Elem {
    /// 16-bit integers.
    Int16,
    /// 32-bit integers.
    Int32,
    /// `f16`
    F16,
    /// `f32`
    F32,
}

impl Elem {
    /// 16-bit words.
    pub fn words(self) -> usize {
        match self {
            Elem::Int16 | Elem::F16 => 1,
            Elem::Int32 | Elem::F32 => 2,
        }
    }

    /// Its types in CSL.
    pub fn types(self) -> &'static [&'static str] {
        match self {
            Elem::Int16 => &["u16", "i16"],
            Elem::Int32 => &["u32", "i32"],
            Elem::F16 => &["f16"],
            Elem::F32 => &["f32"],
        }
    }

    /// Whether the bits stand for no number.
    pub fn is_nan(self, bits: u32) -> bool {
        matches!(self, Elem::F16 | Elem::F32) && matches!(Number::of(self, bits), Number::Nan)
    }

    /// Bits of the significand, the exponent of the lowest bit of subnormals, the largest exponent
    /// field of finite numbers, and bits in all.
    fn format(self) -> (u64, i64, u32, u32) {
        match self {
            Elem::F16 => (11, -24, 30, 16),
            Elem::F32 => (24, -149, 254, 32),
            Elem::Int16 | Elem::Int32 => panic!("an integer has no exponent"),
        }
    }
}

/// A number of any size, or what IEEE 754 has instead.
#[derive(Clone, Debug)]
pub enum Number {
    Nan,
    Infinite {
        negative: bool,
    },
    /// `size * 2^exponent`; zero has a sign.
    Finite {
        negative: bool,
        size: BigUint,
        exponent: i64,
    },
}

use Number::{Finite, Infinite, Nan};

impl Number {
    /// What the bits of a float stand for.
    pub fn of(elem: Elem, bits: u32) -> Number {
        let (precision, lowest, largest, width) = elem.format();
        let negative = bits >> (width - 1) & 1 == 1;
        let field = bits >> (precision - 1) & (largest + 1);
        let fraction = bits & ((1 << (precision - 1)) - 1);
        match (field, fraction) {
            (field, 0) if field > largest => Infinite { negative },
            (field, _) if field > largest => Nan,
            (0, _) => Finite { negative, size: fraction.into(), exponent: lowest },
            (field, _) => {
                let size = BigUint::from(fraction | 1 << (precision - 1));
                Finite { negative, size, exponent: lowest + i64::from(field) - 1 }
            }
        }
    }

    /// A whole number.
    pub fn whole(n: i64) -> Number {
        Finite { negative: n < 0, size: n.unsigned_abs().into(), exponent: 0 }
    }

    fn is_negative(&self) -> bool {
        match self {
            Nan => false,
            Infinite { negative } | Finite { negative, .. } => *negative,
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, Finite { size, .. } if size.bits() == 0)
    }

    /// The opposite number.
    pub fn negated(self) -> Number {
        match self {
            Nan => Nan,
            Infinite { negative } => Infinite { negative: !negative },
            Finite { negative, size, exponent } => Finite { negative: !negative, size, exponent },
        }
    }

    /// The exact sum.
    pub fn plus(&self, other: &Number) -> Number {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite { negative: a }, Infinite { negative: b }) if a != b => Nan,
            (Infinite { negative }, _) | (_, Infinite { negative }) => Infinite { negative: *negative },
            (
                Finite { negative, size, exponent },
                Finite { negative: other_negative, size: other_size, exponent: other_exponent },
            ) => {
                let lowest = *exponent.min(other_exponent);
                let a = size << (exponent - lowest) as u64;
                let b = other_size << (other_exponent - lowest) as u64;
                let (negative, size) = match (negative == other_negative, a.cmp(&b)) {
                    (true, _) => (*negative, a + b),
                    // Opposite numbers cancel to +0.
                    (false, Ordering::Equal) => (false, BigUint::ZERO),
                    (false, Ordering::Greater) => (*negative, a - b),
                    (false, Ordering::Less) => (*other_negative, b - a),
                };
                Finite { negative, size, exponent: lowest }
            }
        }
    }

    /// The exact product.
    pub fn times(&self, other: &Number) -> Number {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite { .. }, b) if b.is_zero() => Nan,
            (a, Infinite { .. }) if a.is_zero() => Nan,
            (Infinite { .. }, _) | (_, Infinite { .. }) => Infinite { negative },
            (Finite { size: a, exponent: e, .. }, Finite { size: b, exponent: f, .. }) => {
                Finite { negative, size: a * b, exponent: e + f }
            }
        }
    }

    /// The larger one; a number is larger than NaN, and +0 larger than -0.
    pub fn larger(self, other: Number) -> Number {
        if matches!(self, Nan) {
            return other;
        }
        if matches!(other, Nan) {
            return self;
        }
        if self.is_zero() && other.is_zero() {
            return if self.is_negative() { other } else { self };
        }
        // Two infinities of one sign have no difference.
        let difference = self.plus(&other.clone().negated());
        if difference.is_negative() { other } else { self }
    }

    /// Times a power of two.
    pub fn scaled(self, by: i64) -> Number {
        match self {
            Finite { negative, size, exponent } => Finite { negative, size, exponent: exponent + by },
            other => other,
        }
    }

    /// Between 1 and 2, with the sign; what has no such value stays.
    pub fn significand(self) -> Number {
        match self {
            Finite { negative, size, .. } if size.bits() > 0 => {
                let exponent = 1 - size.bits() as i64;
                Finite { negative, size, exponent }
            }
            other => other,
        }
    }

    /// As an `i16`, toward zero and at most the largest of its sign; NaN gives 0.
    pub fn to_i16(&self) -> i16 {
        let largest = |negative: bool| if negative { i16::MIN } else { i16::MAX };
        match self {
            Nan => 0,
            Infinite { negative } => largest(*negative),
            Finite { negative, size, exponent } => {
                if *exponent > 64 && size.bits() > 0 {
                    return largest(*negative);
                }
                let whole = match exponent {
                    0.. => size << *exponent as u64,
                    _ => size >> (-exponent) as u64,
                };
                let whole = i64::try_from(whole).unwrap_or(i64::MAX);
                let signed = if *negative { -whole } else { whole };
                signed.clamp(i16::MIN.into(), i16::MAX.into()) as i16
            }
        }
    }

    /// The nearest float, ties to even.
    pub fn bits(&self, elem: Elem) -> u32 {
        let (precision, lowest, largest, width) = elem.format();
        let sign = |negative: bool| u32::from(negative) << (width - 1);
        let infinity = (largest + 1) << (precision - 1);
        let (negative, size, exponent) = match self {
            Nan => return infinity | 1 << (precision - 2),
            Infinite { negative } => return sign(*negative) | infinity,
            Finite { negative, size, exponent } => (*negative, size, *exponent),
        };
        let mut last = (exponent + size.bits() as i64 - precision as i64).max(lowest);
        let mut places = to_places(size, exponent, last);
        if places.bits() > precision {
            (places, last) = (places >> 1, last + 1);
        }
        let places = u32::try_from(places).expect("as many bits as the precision");
        let is_normal = places >> (precision - 1) == 1;
        let field = if is_normal { (last - lowest + 1) as u64 } else { 0 };
        if field > largest.into() {
            return sign(negative) | infinity;
        }
        sign(negative) | (field as u32) << (precision - 1) | places & ((1 << (precision - 1)) - 1)
    }
}

/// `size * 2^exponent` in units of `2^last`, to the nearest, ties to even.
fn to_places(size: &BigUint, exponent: i64, last: i64) -> BigUint {
    if exponent >= last {
        return size << (exponent - last) as u64;
    }
    let cut = (last - exponent) as u64;
    let whole = size >> cut;
    let rest = size - (&whole << cut);
    let half = BigUint::from(1u32) << (cut - 1);
    let is_odd = whole.bit(0);
    match rest.cmp(&half) {
        Ordering::Greater => whole + 1u32,
        Ordering::Equal if is_odd => whole + 1u32,
        Ordering::Equal | Ordering::Less => whole,
    }
}

#[test]
fn every_half_is_itself() {
    for bits in 0..=0xffff {
        let back = Number::of(Elem::F16, bits).bits(Elem::F16);
        assert!(back == bits || (Elem::F16.is_nan(bits) && Elem::F16.is_nan(back)), "{bits:04x}");
    }
}

#[test]
fn known_results_come_out() {
    let number = |x: f32| Number::of(Elem::F32, x.to_bits());
    let float = |n: Number| f32::from_bits(n.bits(Elem::F32));
    assert_eq!(float(number(0.1).plus(&number(0.2))), 0.1 + 0.2);
    assert_eq!(float(number(-0.1).times(&number(3e-44))), -0.1 * 3e-44);
    assert_eq!(float(number(f32::MAX).times(&number(2.0))), f32::INFINITY);
    assert_eq!(number(65519.9).bits(Elem::F16), 0x7bff);
    assert_eq!(number(65520.0).bits(Elem::F16), 0x7c00);
    assert_eq!(number(2f32.powi(-25)).bits(Elem::F16), 0);
    assert_eq!(number(-2f32.powi(-25) * 1.5).bits(Elem::F16), 0x8001);
    assert_eq!(float(number(-12.0).significand()), -1.5);
    assert_eq!([-1.9, 1e9, -1e9, f32::NAN].map(|x| number(x).to_i16()), [-1, 32767, -32768, 0]);
    assert_eq!(float(number(f32::INFINITY).larger(number(f32::INFINITY))), f32::INFINITY);
}
