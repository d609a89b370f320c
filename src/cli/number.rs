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
        if scalar.is_float() {
            let x = self.as_float()?;
            return Ok(scalar.float_bits(x).unwrap_or_default());
        }
        match (scalar, self) {
            (Scalar::Bool, Number::Bool(b)) => Ok(u64::from(b)),
            (Scalar::Bool, Number::Int(i @ (0 | 1))) => Ok(i as u64),
            (_, Number::Int(i)) => within(i, scalar),
            (_, Number::Float(_) | Number::Bool(_)) => Err(format!("{self} is not a {}", scalar.name())),
        }
    }

    fn as_float(self) -> Result<f64, String> {
        match self {
            Number::Int(i) => Ok(i as f64),
            Number::Float(f) => Ok(f),
            Number::Bool(b) => Err(format!("{b} is not a number")),
        }
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

fn within(i: i128, scalar: Scalar) -> Result<u64, String> {
    let (low, high): (i128, i128) = match scalar {
        Scalar::I8 => (i8::MIN.into(), i8::MAX.into()),
        Scalar::U8 => (0, u8::MAX.into()),
        Scalar::I16 => (i16::MIN.into(), i16::MAX.into()),
        Scalar::U16 => (0, u16::MAX.into()),
        Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
        Scalar::U32 => (0, u32::MAX.into()),
        Scalar::I64 => (i64::MIN.into(), i64::MAX.into()),
        Scalar::U64 => (0, u64::MAX.into()),
        Scalar::Bool | Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 | Scalar::F32 => (0, 1),
    };
    if !(low..=high).contains(&i) {
        return Err(format!("{i} does not fit {}, which holds {low} to {high}", scalar.name()));
    }
    let bits = 8 * bytes(scalar);
    Ok(i as u64 & (u64::MAX >> (64 - bits)))
}

/// Size of a scalar in a file, in bytes.
pub fn bytes(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
        Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 => 2,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::I64 | Scalar::U64 => 8,
    }
}

/// The value behind the bits, in the shortest form that reads back as the same value.
pub fn show(bits: u64, scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => (bits & 1 != 0).to_string(),
        Scalar::I8 => (bits as i8).to_string(),
        Scalar::U8 => (bits as u8).to_string(),
        Scalar::I16 => (bits as i16).to_string(),
        Scalar::U16 => (bits as u16).to_string(),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::U32 => (bits as u32).to_string(),
        Scalar::I64 => (bits as i64).to_string(),
        Scalar::U64 => bits.to_string(),
        Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 | Scalar::F32 => {
            format!("{:?}", scalar.float_value(bits).unwrap_or_default() as f32)
        }
    }
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
        assert_eq!(encoded("-1", Scalar::U16).unwrap_err(), "-1 does not fit u16, which holds 0 to 65535");
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

    proptest! {
        #[test]
        fn what_is_shown_reads_back_as_the_same_bits(bits: u64) {
            for scalar in [Scalar::I8, Scalar::U16, Scalar::I32, Scalar::I64, Scalar::U64, Scalar::F16, Scalar::F32] {
                let bits = bits & (u64::MAX >> (64 - 8 * bytes(scalar)));
                let text = show(bits, scalar);
                prop_assume!(text != "NaN");
                prop_assert_eq!(encoded(&text, scalar).unwrap(), bits, "{} as {}", text, scalar.name());
            }
        }
    }
}
