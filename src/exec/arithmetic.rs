//! Integer and floating-point operations on registers that are too rare for the fast loop, and the
//! helpers that both use.

use super::calls::WINDOW;
use super::convert::{convert, signed, unsigned};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{DIVISION_BY_ZERO, DIVISION_OVERFLOW, SHIFT_TOO_FAR};
use crate::image::code::{Op, Reg};
use crate::value::f16;
use crate::value::math::{self, MathFunction};

/// Executes one of the rarer operations on registers; returns false if `op` is not one of them.
#[inline(never)]
pub(crate) fn step(r: &mut [u64; WINDOW], op: &Op) -> Result<bool, Diag> {
    let at = |reg: u16| reg as usize;
    match *op {
        Op::BitNotS { d, a, sh } => r[at(d)] = signed(!r[at(a)], sh),
        Op::BitNotU { d, a, sh } => r[at(d)] = unsigned(!r[at(a)], sh),
        Op::Convert { d, a, from, to } => r[at(d)] = convert(r[at(a)], from, to)?,
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
        Op::HSub { d, a, b } => half!(d = sub a b),
        Op::HDiv { d, a, b } => half!(d = div a b),
        Op::HNeg { d, a } => r[d as usize] = f16::neg(r[a as usize] as u16).into(),
        Op::HEq { d, a, b } => half!(d = eq a b),
        Op::HNe { d, a, b } => {
            r[d as usize] = u64::from(!f16::eq(r[a as usize] as u16, r[b as usize] as u16))
        }
        _ => return false,
    }
    true
}

// These are functions, so that the scalar loop stays small.

/// The sum of two f16 in registers.
#[inline(never)]
pub(crate) fn half_sum(a: u64, b: u64) -> u64 {
    f16::add(a as u16, b as u16).into()
}

/// The product of two f16 in registers.
#[inline(never)]
pub(crate) fn half_product(a: u64, b: u64) -> u64 {
    f16::mul(a as u16, b as u16).into()
}

/// The product of two f16 in registers, and its sum with a third.
#[inline(never)]
pub(crate) fn half_product_and_sum(a: u64, b: u64, c: u64) -> (u64, u64) {
    let product = f16::mul(a as u16, b as u16);
    (product.into(), f16::add(product, c as u16).into())
}

/// The f16 nearest to the f32 in a register.
#[inline(never)]
pub(crate) fn half(a: u64) -> u64 {
    f16::from_f32(f32::from_bits(a as u32)).into()
}

/// The result of the function of `<math>` whose number and arguments are in registers `base..`; `None` where the
/// PE has something to say about it.
#[inline(never)]
pub(crate) fn math(r: &[u64; WINDOW], base: Reg) -> Option<u64> {
    let at = |k: Reg| r[usize::from(base.wrapping_add(k))];
    let function = MathFunction::from_number(at(0) as u16)?;
    let (x, y) = (f32::from_bits(at(1) as u32), f32::from_bits(at(2) as u32));
    (!function.is_large_angle(x)).then(|| math::eval32(function, x, y).to_bits().into())
}

/// # Errors
/// `y` is zero.
#[inline(always)]
pub(crate) fn quotient(x: u64, y: u64) -> Result<u64, Diag> {
    x.checked_div(y).ok_or_else(by_zero)
}

/// # Errors
/// `y` is zero.
#[inline(always)]
pub(crate) fn remainder(x: u64, y: u64) -> Result<u64, Diag> {
    x.checked_rem(y).ok_or_else(by_zero)
}

/// Both as signed numbers.
///
/// # Errors
/// The quotient does not exist, or has no place in the type.
#[inline(always)]
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
