//! Integer and floating-point operations on registers.

use crate::diagnostics::Complaint;
use crate::diagnostics::rules::run::{DIVISION_BY_ZERO, DIVISION_OVERFLOW, SHIFT_TOO_FAR};
use crate::image::code::Op;
use crate::value::f16;

/// One operation on registers; false if it is none.
#[inline(always)]
pub(super) fn step(r: &mut [u64], op: Op) -> Result<bool, Complaint> {
    macro_rules! set {
        ($d:ident, $value:expr) => {{
            let value = $value;
            r[$d as usize] = value as u64;
        }};
    }
    macro_rules! get {
        ($a:ident) => {
            r[$a as usize]
        };
    }
    match op {
        Op::Mov { d, a } => set!(d, get!(a)),
        Op::AddS { d, a, b, sh } => set!(d, signed(get!(a).wrapping_add(get!(b)), sh)),
        Op::AddU { d, a, b, sh } => set!(d, unsigned(get!(a).wrapping_add(get!(b)), sh)),
        Op::SubS { d, a, b, sh } => set!(d, signed(get!(a).wrapping_sub(get!(b)), sh)),
        Op::SubU { d, a, b, sh } => set!(d, unsigned(get!(a).wrapping_sub(get!(b)), sh)),
        Op::MulS { d, a, b, sh } => set!(d, signed(get!(a).wrapping_mul(get!(b)), sh)),
        Op::MulU { d, a, b, sh } => set!(d, unsigned(get!(a).wrapping_mul(get!(b)), sh)),
        Op::And { d, a, b } => set!(d, get!(a) & get!(b)),
        Op::Or { d, a, b } => set!(d, get!(a) | get!(b)),
        Op::Xor { d, a, b } => set!(d, get!(a) ^ get!(b)),
        Op::BitNotS { d, a, sh } => set!(d, signed(!get!(a), sh)),
        Op::BitNotU { d, a, sh } => set!(d, unsigned(!get!(a), sh)),
        Op::NegS { d, a, sh } => set!(d, signed(get!(a).wrapping_neg(), sh)),
        Op::Not { d, a } => set!(d, get!(a) ^ 1),
        Op::NormS { d, a, sh } => set!(d, signed(get!(a), sh)),
        Op::NormU { d, a, sh } => set!(d, unsigned(get!(a), sh)),
        Op::Eq { d, a, b } => set!(d, get!(a) == get!(b)),
        Op::Ne { d, a, b } => set!(d, get!(a) != get!(b)),
        Op::LtS { d, a, b } => set!(d, (get!(a) as i64) < get!(b) as i64),
        Op::LtU { d, a, b } => set!(d, get!(a) < get!(b)),
        Op::LeS { d, a, b } => set!(d, get!(a) as i64 <= get!(b) as i64),
        Op::LeU { d, a, b } => set!(d, get!(a) <= get!(b)),
        _ => return partial(r, op),
    }
    Ok(true)
}

/// Operations that are not defined for all operands.
#[inline(always)]
fn partial(r: &mut [u64], op: Op) -> Result<bool, Complaint> {
    let at = |reg: u16| reg as usize;
    match op {
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
        Op::ShlS { d, a, b, sh } => r[at(d)] = signed(r[at(a)] << amount(r[at(b)], sh)?, sh),
        Op::ShlU { d, a, b, sh } => r[at(d)] = unsigned(r[at(a)] << amount(r[at(b)], sh)?, sh),
        Op::ShrS { d, a, b, sh } => r[at(d)] = (r[at(a)] as i64 >> amount(r[at(b)], sh)?) as u64,
        Op::ShrU { d, a, b, sh } => r[at(d)] = r[at(a)] >> amount(r[at(b)], sh)?,
        _ => return Ok(float(r, op)),
    }
    Ok(true)
}

#[inline(always)]
fn float(r: &mut [u64], op: Op) -> bool {
    macro_rules! single {
        ($d:ident = $a:ident $op:tt $b:ident) => {
            r[$d as usize] = (f32_of(r[$a as usize]) $op f32_of(r[$b as usize])).to_bits().into()
        };
    }
    macro_rules! compare {
        ($d:ident = $a:ident $op:tt $b:ident) => {
            r[$d as usize] = (f32_of(r[$a as usize]) $op f32_of(r[$b as usize])).into()
        };
    }
    macro_rules! half {
        ($d:ident = $f:ident $a:ident $b:ident) => {
            r[$d as usize] = f16::$f(r[$a as usize] as u16, r[$b as usize] as u16).into()
        };
    }
    match op {
        Op::FAdd { d, a, b } => single!(d = a + b),
        Op::FSub { d, a, b } => single!(d = a - b),
        Op::FMul { d, a, b } => single!(d = a * b),
        Op::FDiv { d, a, b } => single!(d = a / b),
        Op::FNeg { d, a } => r[d as usize] = r[a as usize] ^ 1 << 31,
        Op::FEq { d, a, b } => compare!(d = a == b),
        Op::FNe { d, a, b } => compare!(d = a != b),
        Op::FLt { d, a, b } => compare!(d = a < b),
        Op::FLe { d, a, b } => compare!(d = a <= b),
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

#[inline(always)]
fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The low `64 - sh` bits, sign-extended.
#[inline(always)]
pub(super) fn signed(x: u64, sh: u8) -> u64 {
    ((x << (sh & 63)) as i64 >> (sh & 63)) as u64
}

/// The low `64 - sh` bits.
#[inline(always)]
pub(super) fn unsigned(x: u64, sh: u8) -> u64 {
    x << (sh & 63) >> (sh & 63)
}

#[inline(always)]
fn dividend(x: u64, y: u64, sh: u8) -> Result<(i64, i64), Complaint> {
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
fn by_zero() -> Complaint {
    DIVISION_BY_ZERO.plain()
}

#[inline(always)]
fn amount(by: u64, sh: u8) -> Result<u32, Complaint> {
    let width = 64 - u64::from(sh & 63);
    if by >= width {
        return Err(SHIFT_TOO_FAR.because(&[("amount", &(by as i64)), ("width", &width)]));
    }
    Ok(by as u32)
}
