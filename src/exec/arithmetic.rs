//! Integer and floating-point operations on registers that are too rare for the fast loop, and the
//! helpers that both use.

use super::calls::WINDOW;
use super::convert::{convert, signed, unsigned};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{DIVISION_BY_ZERO, DIVISION_OVERFLOW, SHIFT_TOO_FAR};
use crate::image::code::Op;
use crate::value::f16;

/// Executes one of the rarer operations on registers; returns false if `op` is not one of them.
#[inline(never)]
pub(crate) fn step(r: &mut [u64; WINDOW], op: &Op) -> Result<bool, Diag> {
    let at = |reg: u16| reg as usize;
    match *op {
        Op::BitNotS { d, a, sh } => r[at(d)] = signed(!r[at(a)], sh),
        Op::BitNotU { d, a, sh } => r[at(d)] = unsigned(!r[at(a)], sh),
        Op::NegS { d, a, sh } => r[at(d)] = signed(r[at(a)].wrapping_neg(), sh),
        Op::Convert { d, a, from, to } => r[at(d)] = convert(r[at(a)], from, to)?,
        Op::DivS { d, a, b, sh } => {
            let (x, y) = dividend(r[at(a)], r[at(b)], sh)?;
            r[at(d)] = (x / y) as u64;
        }
        Op::RemS { d, a, b, sh } => {
            let (x, y) = dividend(r[at(a)], r[at(b)], sh)?;
            r[at(d)] = (x % y) as u64;
        }
        Op::DivU { d, a, b, .. } => {
            r[at(d)] = r[at(a)].checked_div(r[at(b)]).ok_or_else(by_zero)?;
        }
        Op::RemU { d, a, b, .. } => {
            r[at(d)] = r[at(a)].checked_rem(r[at(b)]).ok_or_else(by_zero)?;
        }
        _ => return Ok(float(r, op)),
    }
    Ok(true)
}

fn float(r: &mut [u64; WINDOW], op: &Op) -> bool {
    macro_rules! half {
        ($d:ident = $f:ident $a:ident $b:ident) => {
            r[$d as usize] = f16::$f(r[$a as usize] as u16, r[$b as usize] as u16).into()
        };
    }
    match *op {
        Op::FNeg { d, a } => r[d as usize] = r[a as usize] ^ 1 << 31,
        Op::FEq { d, a, b } => r[d as usize] = u64::from(f32_of(r[a as usize]) == f32_of(r[b as usize])),
        Op::FNe { d, a, b } => r[d as usize] = u64::from(f32_of(r[a as usize]) != f32_of(r[b as usize])),
        Op::HAdd { d, a, b } => half!(d = add a b),
        Op::HSub { d, a, b } => half!(d = sub a b),
        Op::HMul { d, a, b } => half!(d = mul a b),
        Op::HDiv { d, a, b } => half!(d = div a b),
        Op::HNeg { d, a } => r[d as usize] = f16::neg(r[a as usize] as u16).into(),
        Op::HEq { d, a, b } => half!(d = eq a b),
        Op::HNe { d, a, b } => {
            r[d as usize] = u64::from(!f16::eq(r[a as usize] as u16, r[b as usize] as u16))
        }
        Op::HLt { d, a, b } => half!(d = lt a b),
        Op::HLe { d, a, b } => half!(d = le a b),
        _ => return false,
    }
    true
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// Both as signed numbers.
///
/// # Errors
/// The quotient does not exist, or has no place in the type.
pub(crate) fn dividend(x: u64, y: u64, sh: u8) -> Result<(i64, i64), Diag> {
    let (x, y) = (x as i64, y as i64);
    if y == 0 {
        return Err(by_zero());
    }
    if y == -1 && x == i64::MIN >> (sh & 63) {
        return Err(DIVISION_OVERFLOW.plain());
    }
    Ok((x, y))
}

#[cold]
fn by_zero() -> Diag {
    DIVISION_BY_ZERO.plain()
}

/// Reads a shift amount; an error unless it is below the width of the type.
#[inline(always)]
pub(crate) fn amount(by: u64, sh: u8) -> Result<u32, Diag> {
    let width = 64 - u64::from(sh & 63);
    if by >= width {
        return Err(too_far(by, width));
    }
    Ok(by as u32)
}

#[cold]
fn too_far(by: u64, width: u64) -> Diag {
    SHIFT_TOO_FAR.because(&[("amount", &(by as i64)), ("width", &width)])
}
