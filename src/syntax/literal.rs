//! Numbers, characters and strings: from their text to their value.

use crate::diagnostics::rules::syntax::BAD_LITERAL;
use crate::diagnostics::{Diag, Result};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::fmt::Display;

/// Maximum length of a number. Reading a decimal number takes time quadratic in its digits, and real programs
/// need far fewer.
const MOST_DIGITS: usize = 10_000;

/// The value of a number literal.
#[derive(Clone, Debug, PartialEq)]
pub enum NumberLiteral {
    /// `12`, `0x1f`, `0b10`, `0o17`, with `_` anywhere between digits.
    Int(BigInt),
    /// `1.0`, `1e-10`, `2.5e3`, `0x1.8p-3`.
    Float(f64),
}

/// The value of a number.
pub fn number(text: &str) -> Result<NumberLiteral> {
    plain_number(text).map_err(|diag| match without_suffix(text) {
        Some(number) if number.len() == text.len() => {
            bad(&diag.0.title).help(format!("write `{number}`: the letter of the base is small"))
        }
        Some(number) => bad(&diag.0.title).help(format!("write `{number}`: numbers have no suffix")),
        None => diag,
    })
}

/// The number in front of the suffix that other languages write, such as `f`, `u` or `i16`; or one with a base in
/// small letters.
pub fn without_suffix(text: &str) -> Option<String> {
    let small = ["0X", "0B", "0O"].iter().any(|base| text.starts_with(base));
    let based = match small {
        true => text[..2].to_ascii_lowercase() + &text[2..],
        false => text.to_string(),
    };
    let letters: &[char] = match based.starts_with("0x") {
        true => &['u', 'U', 'l', 'L'],
        false => &['u', 'U', 'l', 'L', 'f', 'F', 'd', 'D'],
    };
    let typed = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"];
    let typed = typed.iter().find_map(|ty| based.strip_suffix(ty)).filter(|_| !based.starts_with("0x"));
    let bare = typed.unwrap_or_else(|| based.trim_end_matches(letters)).trim_end_matches('_');
    let is_float = based[bare.len()..].contains(['f', 'F', 'd', 'D']);
    let number =
        if is_float && !bare.contains(['.', 'e', 'E']) { format!("{bare}.0") } else { bare.to_string() };
    (number != text && plain_number(&number).is_ok()).then_some(number)
}

fn plain_number(text: &str) -> Result<NumberLiteral> {
    if text.len() > MOST_DIGITS {
        return Err(bad(&format!("a number of {} characters is too long", text.len()))
            .help(format!("numbers may have up to {MOST_DIGITS} characters")));
    }
    let prefixed = text.get(..2).and_then(|prefix| match prefix {
        "0x" => Some((16, "hexadecimal")),
        "0b" => Some((2, "binary")),
        "0o" => Some((8, "octal")),
        _ => None,
    });
    match prefixed {
        Some((16, _)) if text.contains(['.', 'p', 'P']) => hexadecimal_float(text),
        Some((radix, kind)) => integer(text, &text[2..], radix, kind),
        None if text.contains(['.', 'e', 'E']) => float(text),
        None => integer(text, text, 10, "decimal"),
    }
}

fn integer(text: &str, digits: &str, radix: u32, kind: &str) -> Result<NumberLiteral> {
    let plain: Vec<u8> = digits.bytes().filter(|b| *b != b'_').collect();
    if plain.is_empty() {
        return Err(bad(&format!("`{text}` has no digits")));
    }
    match plain.iter().find(|b| !char::from(**b).is_digit(radix)) {
        Some(b) => Err(bad(&format!("`{}` is not a {kind} digit", char::from(*b)))),
        None => Ok(NumberLiteral::Int(BigInt::parse_bytes(&plain, radix).expect("only digits are left"))),
    }
}

fn float(text: &str) -> Result<NumberLiteral> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    // Rust also reads `1e`, `inf` and `1.` in places; the lexer lets none of them through but `1e`.
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(NumberLiteral::Float(value)),
        Ok(_) => Err(bad(&format!("`{text}` is larger than every float"))),
        Err(_) => Err(bad(&format!("`{text}` is not a number"))
            .help("a float has digits on both sides of its point, and after its `e`")),
    }
}

/// `0x1.8p-3`: digits of base 16, times a power of 2.
fn hexadecimal_float(text: &str) -> Result<NumberLiteral> {
    let plain: String = text[2..].chars().filter(|c| *c != '_').collect();
    let wrong = || {
        bad(&format!("`{text}` is not a number"))
            .help("a hexadecimal float ends in its power of 2, as in `0x1.8p-3`")
    };
    let (digits, exponent) = plain.split_once(['p', 'P']).ok_or_else(wrong)?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = BigInt::parse_bytes([whole, fraction].concat().as_bytes(), 16).ok_or_else(wrong)?;
    let exponent: i64 = exponent.parse().map_err(|_| wrong())?;
    // Up to 53 bits are exact, and so is a power of 2: two steps, because one power may be too large for a float.
    let power = exponent.saturating_sub(4 * fraction.len() as i64).clamp(-2200, 2200) as i32;
    let value =
        digits.to_f64().unwrap_or(f64::INFINITY) * 2f64.powi(power / 2) * 2f64.powi(power - power / 2);
    if value.is_finite() {
        Ok(NumberLiteral::Float(value))
    } else {
        Err(bad(&format!("`{text}` is larger than every float")))
    }
}

/// The value of a character, quotes included in `text`.
pub fn character(text: &str) -> Result<u32> {
    let inner = unquote(text, '\'', "character")?;
    let mut rest = inner.chars();
    let value = match rest.next() {
        Some('\\') => u32::from(escape(&mut rest)?),
        Some(c) => c as u32,
        None => return Err(bad(&"a character literal must not be empty").help("write one character: `'a'`")),
    };
    match rest.next() {
        Some(_) => Err(bad(&"a character literal holds one character")
            .help(format!("write a string with double quotes: `\"{inner}\"`"))),
        None => Ok(value),
    }
}

/// The bytes of a string, quotes included in `text`.
pub fn string(text: &str) -> Result<Vec<u8>> {
    let inner = unquote(text, '"', "string")?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => bytes.push(escape(&mut rest)?),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Ok(bytes)
}

fn unquote<'t>(text: &'t str, quote: char, what: &str) -> Result<&'t str> {
    let inner = &text[1..];
    inner.strip_suffix(quote).ok_or_else(|| {
        bad(&format!("this {what} does not end on its line")).help(format!("close it with `{quote}`"))
    })
}

/// The escape sequence after a backslash.
fn escape(rest: &mut std::str::Chars) -> Result<u8> {
    match rest.next() {
        Some('n') => Ok(b'\n'),
        Some('t') => Ok(b'\t'),
        Some('r') => Ok(b'\r'),
        Some('0') => Ok(0),
        Some(c @ ('\\' | '\'' | '"')) => Ok(c as u8),
        Some('x') => {
            let mut digit = || rest.next().and_then(|c| c.to_digit(16));
            match (digit(), digit()) {
                (Some(high), Some(low)) => Ok((high * 16 + low) as u8),
                _ => Err(bad(&"`\\x` needs two hexadecimal digits").help("write both: `\\x0a`")),
            }
        }
        other => {
            let c = other.map(String::from).unwrap_or_default();
            Err(bad(&format!("`\\{c}` is not an escape"))
                .help("escapes are `\\n \\t \\r \\0 \\\\ \\' \\\" \\xNN`"))
        }
    }
}

fn bad(what: &dyn Display) -> Diag {
    BAD_LITERAL.because(&[("what", what)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> String {
        match number(text).unwrap() {
            NumberLiteral::Int(i) => i.to_string(),
            NumberLiteral::Float(f) => panic!("{text} is the float {f}"),
        }
    }

    fn refused(problem: Result<impl std::fmt::Debug>) -> String {
        problem.unwrap_err().0.title
    }

    #[test]
    fn integers_have_four_bases_separators_and_any_size() {
        assert_eq!(int("0"), "0");
        assert_eq!(int("1_000"), "1000");
        assert_eq!(int("0xFf"), "255");
        assert_eq!(int("0b1010_0101"), "165");
        assert_eq!(int("0o17"), "15");
        assert_eq!(int("340282366920938463463374607431768211456"), "340282366920938463463374607431768211456");
    }

    #[test]
    fn floats_have_a_point_or_an_exponent() {
        assert_eq!(number("1.5").unwrap(), NumberLiteral::Float(1.5));
        assert_eq!(number("1e-3").unwrap(), NumberLiteral::Float(0.001));
        assert_eq!(number("2.5e3").unwrap(), NumberLiteral::Float(2500.0));
        assert_eq!(number("2_0.2_5E+1").unwrap(), NumberLiteral::Float(202.5));
        assert_eq!(int("0x1e5"), "485");
    }

    #[test]
    fn bad_numbers_say_what_is_wrong() {
        assert_eq!(refused(number("0x")), "`0x` has no digits");
        assert_eq!(refused(number("0b12")), "`2` is not a binary digit");
        assert_eq!(refused(number("12ab")), "`a` is not a decimal digit");
        assert_eq!(refused(number("1e")), "`1e` is not a number");
        assert_eq!(refused(number("1e999")), "`1e999` is larger than every float");
        assert_eq!(refused(number(&"1".repeat(20_000))), "a number of 20000 characters is too long");
    }

    #[test]
    fn a_number_with_a_suffix_is_shown_without() {
        let without = |text| without_suffix(text).unwrap_or_default();
        let all = ["1.0f", "0xffu", "100L", "5u16", "2f", "0XFF", "1_f32", "3ull"].map(without);
        assert_eq!(all, ["1.0", "0xff", "100", "5", "2.0", "0xFF", "1.0", "3"]);
        assert_eq!(["0b2", "12ab", "1e", "0xf32", "12"].map(without), [""; 5]);
    }

    #[test]
    fn characters_are_numbers() {
        assert_eq!(character("'a'").unwrap(), 97);
        assert_eq!(character(r"'\n'").unwrap(), 10);
        assert_eq!(character(r"'\''").unwrap(), 39);
        assert_eq!(character(r"'\xfF'").unwrap(), 255);
        assert_eq!(refused(character("''")), "a character literal must not be empty");
        assert_eq!(refused(character("'ab'")), "a character literal holds one character");
        assert_eq!(refused(character("'a")), "this character does not end on its line");
    }

    #[test]
    fn strings_are_bytes() {
        assert_eq!(string(r#""a\tb\0\x80""#).unwrap(), b"a\tb\0\x80");
        assert_eq!(string("\"\u{e4}\"").unwrap(), [0xc3, 0xa4]);
        assert_eq!(refused(string("\"abc")), "this string does not end on its line");
        assert_eq!(refused(string(r#""\q""#)), "`\\q` is not an escape");
        assert_eq!(refused(string(r#""\x1""#)), "`\\x` needs two hexadecimal digits");
    }
}
