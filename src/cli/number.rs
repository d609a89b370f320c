use crate::{ParamValue, Scalar};
use std::fmt;
use std::str::FromStr;

/// A number as people and files write it, before it has a machine type.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Number {
    /// An integer of either sign.
    Int(i128),
    /// A float.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
}

impl Number {
    /// The bits of this number as a value of type `scalar`, in the low end.
    pub fn encode(self, scalar: Scalar) -> Result<u64, String> {
        self.encode_narrow(scalar, None)
    }

    /// The same for an integer type with so many bits, which may be fewer than `scalar` has.
    pub fn encode_narrow(self, scalar: Scalar, bits: Option<u32>) -> Result<u64, String> {
        let encoded = match (scalar, self) {
            (Scalar::Bool, Number::Bool(b)) => Some(b.into()),
            (Scalar::Bool, Number::Int(i @ (0 | 1))) => Some(i as u64),
            (Scalar::Bool, Number::Int(_) | Number::Float(_)) | (_, Number::Bool(_)) => None,
            (_, Number::Int(i)) if scalar.is_float() => float(i as f64, scalar),
            (_, Number::Float(x)) => float(x, scalar),
            (_, Number::Int(i)) => {
                let (low, high) = range(scalar, bits);
                let mask = u64::MAX >> (64 - scalar.bits());
                (low..=high).contains(&i).then_some(i as u64 & mask)
            }
        };
        encoded.ok_or_else(|| format!("{self} does not fit {}", described(scalar, bits)))
    }
}

impl From<Number> for ParamValue {
    fn from(number: Number) -> ParamValue {
        match number {
            Number::Int(i) => ParamValue::Int(i),
            Number::Float(f) => ParamValue::Float(f),
            Number::Bool(b) => ParamValue::Bool(b),
        }
    }
}

/// The bits of the nearest float, unless only infinity is large enough for it.
fn float(x: f64, scalar: Scalar) -> Option<u64> {
    let bits = scalar.float_bits(x)?;
    let is_lost = x.is_finite() && scalar.float_value(bits)?.is_infinite();
    (!is_lost).then_some(bits)
}

/// The least and the greatest integer of a type.
fn range(scalar: Scalar, bits: Option<u32>) -> (i128, i128) {
    let all = u32::from(scalar.bits());
    let bits = bits.unwrap_or(all).clamp(1, all);
    if scalar.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// A type with what it holds.
fn described(scalar: Scalar, bits: Option<u32>) -> String {
    if scalar == Scalar::Bool {
        return "bool, which is true or false".to_string();
    }
    if let Some(infinity) = scalar.float_bits(f64::INFINITY) {
        // The floats are in the order of their bits.
        let most = show(infinity - 1, scalar);
        return format!("{}, which holds -{most} to {most}", scalar.name());
    }
    let (low, high) = range(scalar, bits);
    let kind = if low < 0 { "i" } else { "u" };
    let bits = bits.unwrap_or(scalar.bits().into());
    format!("{kind}{bits}, which holds the integers {low} to {high}")
}

/// The value behind the bits, in the shortest form that reads back as the same value.
pub fn show(bits: u64, scalar: Scalar) -> String {
    scalar.text(bits)
}

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Number, String> {
        match text {
            "true" => return Ok(Number::Bool(true)),
            "false" => return Ok(Number::Bool(false)),
            _ => {}
        }
        if let Some(int) = integer(text) {
            return Ok(Number::Int(int));
        }
        text.parse().map(Number::Float).map_err(|_| format!("`{text}` is not a number, true or false"))
    }
}

fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some(_) | None => (10, digits),
    };
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let magnitude = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    Some(if negative { -magnitude } else { magnitude })
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(i) => write!(f, "{i}"),
            Number::Float(x) => write!(f, "{x:?}"),
            Number::Bool(b) => write!(f, "{b}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(text: &str, scalar: Scalar) -> Result<u64, String> {
        text.parse::<Number>()?.encode(scalar)
    }

    #[test]
    fn integers_are_read_in_four_bases_with_either_sign() {
        let read =
            ["42", "-42", "+7", "0xf_f", "-0b101", "0o17", "1_000"].map(|t| t.parse::<Number>().unwrap());
        assert_eq!(read, [42, -42, 7, 255, -5, 15, 1000].map(Number::Int));
    }

    #[test]
    fn what_is_no_number_is_refused_by_name() {
        for text in ["", "-", "0x", "wide", "1 2", "--1", "_1", "1.2.3"] {
            let refusal = text.parse::<Number>().unwrap_err();
            assert!(refusal.contains(&format!("`{text}`")), "{refusal}");
        }
    }

    #[test]
    fn an_integer_out_of_range_is_refused_with_the_range() {
        assert_eq!(
            encoded("-1", Scalar::U16).unwrap_err(),
            "-1 does not fit u16, which holds the integers 0 to 65535"
        );
        assert_eq!(encoded("-1", Scalar::I16).unwrap(), 0xffff);
        assert_eq!(encoded("18446744073709551615", Scalar::U64).unwrap(), u64::MAX);
        assert!(encoded("1.5", Scalar::I32).is_err());
        assert!(encoded("2", Scalar::Bool).is_err());
    }

    #[test]
    fn floats_take_integers_and_round_once() {
        assert_eq!(encoded("1", Scalar::F32).unwrap(), 0x3f80_0000);
        assert_eq!(encoded("-2", Scalar::F16).unwrap(), 0xc000);
        assert_eq!(encoded("inf", Scalar::F32).unwrap(), 0x7f80_0000);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_type_and_its_range() {
        for (text, scalar, bits, range) in [
            ("2", Scalar::Bool, None, "bool, which is true or false"),
            ("1.0", Scalar::Bool, None, "bool, which is true or false"),
            ("300", Scalar::U8, Some(8), "u8, which holds the integers 0 to 255"),
            ("-129", Scalar::I8, Some(8), "i8, which holds the integers -128 to 127"),
            ("1.5", Scalar::I16, None, "i16, which holds the integers -32768 to 32767"),
            ("true", Scalar::U16, None, "u16, which holds the integers 0 to 65535"),
            ("4294967296", Scalar::U32, None, "u32, which holds the integers 0 to 4294967295"),
            ("2147483648", Scalar::I32, None, "i32, which holds the integers -2147483648 to 2147483647"),
            ("17", Scalar::U16, Some(4), "u4, which holds the integers 0 to 15"),
            ("-5", Scalar::I16, Some(3), "i3, which holds the integers -4 to 3"),
            ("65520", Scalar::F16, None, "f16, which holds -65504.0 to 65504.0"),
            ("-1e39", Scalar::F32, None, "f32, which holds -3.4028235e38 to 3.4028235e38"),
            ("true", Scalar::F32, None, "f32, which holds -3.4028235e38 to 3.4028235e38"),
        ] {
            let refusal = text.parse::<Number>().expect("a number").encode_narrow(scalar, bits);
            assert_eq!(
                refusal,
                Err(format!("{} does not fit {range}", text.parse::<Number>().expect("a number")))
            );
        }
        assert_eq!(Number::Int(-4).encode_narrow(Scalar::I16, Some(3)), Ok(0xfffc));
        assert_eq!(Number::Int(15).encode_narrow(Scalar::U16, Some(4)), Ok(15));
        assert_eq!(Number::Int(65519).encode(Scalar::F16), Ok(0x7bff));
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back_as_the_same_bits(bits: u64) {
            for scalar in [Scalar::I8, Scalar::U16, Scalar::I32, Scalar::I64, Scalar::U64, Scalar::F16, Scalar::F32] {
                let bits = bits & (u64::MAX >> (64 - scalar.bits()));
                let text = show(bits, scalar);
                prop_assume!(text != "NaN");
                prop_assert_eq!(encoded(&text, scalar).unwrap(), bits, "{} as {}", text, scalar.name());
            }
        }
    }
}
