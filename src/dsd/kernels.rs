//! What a DSD operation does with one element, and with many.

use super::access::Row;
use super::block::RowBlock;
use super::carries;
use super::lanes::{LaneValue, Word, widest};
use crate::value::{f16, math};

/// The arithmetic of an operation. An element is a lane: its bits, zero-extended to 32.
#[derive(Copy, Clone)]
pub struct Kernel {
    /// One element from up to three sources; those that the operation does not have are ignored.
    pub each: fn(u32, u32, u32) -> u32,
    /// The same for elements of one width in memory; `None` if elements depend on each other.
    pub direct: Option<Directs>,
    /// The same for rows of memory, as if strictly one element after the other; the third source is a scalar.
    /// Takes the carry in its place, and gives the carry, if the operation has one.
    pub in_order: fn(&mut [u16], &RowBlock) -> u32,
    /// The last result of a reduction of a row, which begins with a value.
    pub fold: fn(&[u16], u32, Row) -> u32,
    /// Bit 16 of a result is the third source of the next element; it starts as 0 (ruling OQ-27).
    pub carries: bool,
}

/// A kernel for elements in memory, by their width and distance.
#[derive(Copy, Clone)]
pub struct Directs {
    /// 16 bits, one behind the other.
    pub short: DirectKernel<u16>,
    /// 32 bits.
    pub long: DirectKernel<u32>,
    /// 16 bits, with as much between two.
    pub short_apart: DirectKernel<[u16; 2]>,
    /// 32 bits.
    pub long_apart: DirectKernel<[u32; 2]>,
    /// 32 bits from one source of 16.
    pub widening: fn(&mut [u32], &[u16]),
    /// 16 bits from one source of 32.
    pub narrowing: fn(&mut [u16], &[u32]),
}

/// A kernel for elements in memory, the third source being a scalar.
#[derive(Copy, Clone)]
pub struct DirectKernel<W: 'static> {
    /// The destination is none of the sources.
    pub apart: fn(&mut [W], &[W], &[W], u32),
    /// The destination is the first source, too.
    pub onto: fn(&mut [W], &[W], u32),
}

/// Makes a [`Kernel`] of a function and the types of its parameters; `slow` leaves out what makes long vectors fast.
macro_rules! kernel {
    ($f:expr; $a:ty) => {
        $crate::dsd::kernels::kernel!(@ |a: $a, _: (), _: ()| $f(a))
    };
    ($f:expr; $a:ty, $b:ty) => {
        $crate::dsd::kernels::kernel!(@ |a: $a, b: $b, _: ()| $f(a, b))
    };
    ($f:expr; $a:ty, $b:ty, $c:ty) => {
        $crate::dsd::kernels::kernel!(@ |a: $a, b: $b, c: $c| $f(a, b, c))
    };
    (slow $f:expr; $a:ty) => {
        $crate::dsd::kernels::kernel!(@slow |a: $a, _: (), _: ()| $f(a))
    };
    (slow $f:expr; $a:ty, $b:ty) => {
        $crate::dsd::kernels::kernel!(@slow |a: $a, b: $b, _: ()| $f(a, b))
    };
    (slow $f:expr; $a:ty, $b:ty, $c:ty) => {
        $crate::dsd::kernels::kernel!(@slow |a: $a, b: $b, c: $c| $f(a, b, c))
    };
    (@slow $each:expr) => {
        $crate::dsd::kernels::Kernel {
            each: |a, b, c| $crate::dsd::kernels::on_lanes(a, b, c, $each),
            direct: None,
            in_order: |memory, block| $crate::dsd::in_order::run_elements(memory, block, $each),
            fold: |memory, first, row| $crate::dsd::in_order::fold(memory, first, row, $each),
            carries: false,
        }
    };
    (@ $each:expr) => {
        $crate::dsd::kernels::Kernel {
            each: |a, b, c| $crate::dsd::kernels::on_lanes(a, b, c, $each),
            direct: Some($crate::dsd::kernels::Directs {
                short: $crate::dsd::kernels::kernel!(direct $each),
                long: $crate::dsd::kernels::kernel!(direct $each),
                short_apart: $crate::dsd::kernels::kernel!(direct $each),
                long_apart: $crate::dsd::kernels::kernel!(direct $each),
                widening: |dest, a| {
                    $crate::dsd::kernels::run_converting(dest, a, |a| $crate::dsd::kernels::on_lanes(a, 0, 0, $each))
                },
                narrowing: |dest, a| {
                    $crate::dsd::kernels::run_converting(dest, a, |a| $crate::dsd::kernels::on_lanes(a, 0, 0, $each))
                },
            }),
            in_order: |memory, block| $crate::dsd::in_order::run(memory, block, $each),
            fold: |memory, first, row| $crate::dsd::in_order::fold(memory, first, row, $each),
            carries: false,
        }
    };
    (direct $each:expr) => {
        $crate::dsd::kernels::DirectKernel {
            apart: |dest, a, b, c| {
                $crate::dsd::kernels::run(dest, a, b, c, |a, b, c| $crate::dsd::kernels::on_lanes(a, b, c, $each))
            },
            onto: |dest, b, c| {
                $crate::dsd::kernels::run_onto(dest, b, c, |a, b, c| $crate::dsd::kernels::on_lanes(a, b, c, $each))
            },
        }
    };
}
pub(super) use kernel;

/// `each` of what is in lanes.
#[inline(always)]
pub(super) fn on_lanes<A: LaneValue, B: LaneValue, C: LaneValue, R: LaneValue>(
    a: u32,
    b: u32,
    c: u32,
    each: impl Fn(A, B, C) -> R,
) -> u32 {
    each(A::from_lane(a), B::from_lane(b), C::from_lane(c)).lane()
}

/// Calls `each` for every element.
#[inline(always)]
pub(super) fn run<W: Word>(dest: &mut [W], a: &[W], b: &[W], c: u32, each: impl Fn(u32, u32, u32) -> u32) {
    widest(
        #[inline(always)]
        || {
            for ((d, a), b) in dest.iter_mut().zip(a).zip(b) {
                d.set(each(a.lane(), b.lane(), c));
            }
        },
    );
}

/// As [`run`], with the destination as the first source.
#[inline(always)]
pub(super) fn run_onto<W: Word>(dest: &mut [W], b: &[W], c: u32, each: impl Fn(u32, u32, u32) -> u32) {
    widest(
        #[inline(always)]
        || {
            for (d, b) in dest.iter_mut().zip(b) {
                d.set(each(d.lane(), b.lane(), c));
            }
        },
    );
}

/// As [`run`], with one source of another width.
#[inline(always)]
pub(super) fn run_converting<W: Word, A: Word>(dest: &mut [W], a: &[A], each: impl Fn(u32) -> u32) {
    widest(
        #[inline(always)]
        || dest.iter_mut().zip(a).for_each(|(d, a)| d.set(each(a.lane()))),
    );
}

/// `@addc16`: both sources and the carry of the element before; the result keeps its own in bit 16.
pub(super) const ADD_WITH_CARRY: Kernel = Kernel {
    each: |a, b, carry| a + b + (carry & 1),
    direct: None,
    in_order: carries::add_with_carry,
    fold: |_, _, _| unreachable!("no form of `@addc16` is a reduction"),
    carries: true,
};

// Amounts of 16 and more are undefined on the machine; here everything is shifted out.

/// `a >> n` with copies of the sign.
#[inline(always)]
pub(super) fn shift_right_signed(a: i16, n: u16) -> i16 {
    a >> n.min(15)
}

/// `a << n`.
#[inline(always)]
pub(super) fn shift_left(a: u16, n: u16) -> u16 {
    a.checked_shl(n.into()).unwrap_or(0)
}

/// `a >> n` with zeros.
#[inline(always)]
pub(super) fn shift_right(a: u16, n: u16) -> u16 {
    a.checked_shr(n.into()).unwrap_or(0)
}

/// The larger number; a NaN loses, and +0 is larger than -0 (IEEE maxNum).
#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b || b.is_nan() {
        a
    } else if b > a || a.is_nan() {
        b
    } else {
        f32::from_bits(a.to_bits() & b.to_bits())
    }
}

/// The larger `f16`, as [`larger`].
#[inline(always)]
pub(super) fn larger_half(a: u16, b: u16) -> u16 {
    f16::from_f32(larger(f16::to_f32(a), f16::to_f32(b)))
}

/// `a + b * c`, rounded once.
#[inline(always)]
pub(super) fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    b.mul_add(c, a)
}

/// `a + b * c` in f16, rounded once.
#[inline(always)]
pub(super) fn multiply_add_half(a: u16, b: u16, c: u16) -> u16 {
    f16::fma(b, c, a)
}

/// `a + b * c` with `b` and `c` in f16: the product is exact in f32.
#[inline(always)]
pub(super) fn multiply_add_mixed(a: f32, b: u16, c: u16) -> f32 {
    a + f16::to_f32(b) * f16::to_f32(c)
}

/// The sum of an f32 and an f16.
#[inline(always)]
pub(super) fn add_mixed(a: f32, b: u16) -> f32 {
    a + f16::to_f32(b)
}

/// Toward zero, at most the largest integer of either sign; NaN gives 0.
#[inline(always)]
pub(super) fn to_integer(a: f32) -> i16 {
    // `a as i16`, of which the compiler makes no vectors. From 2^23 on the neighbours of an f32 are whole numbers, so
    // that the addition rounds.
    const LARGE: f32 = 8_388_608.0;
    let most = if a.is_sign_negative() { 32768.0 } else { 32767.0 };
    let size = if a.abs() < most { a.abs() } else { most };
    let sum = size + LARGE;
    let whole = (sum.to_bits() & 0xffff) as i32 - i32::from(sum - LARGE > size);
    let value = if a.is_sign_negative() { -whole } else { whole };
    (if a.is_nan() { 0 } else { value }) as i16
}

/// As [`to_integer`].
#[inline(always)]
pub(super) fn half_to_integer(a: u16) -> i16 {
    to_integer(f16::to_f32(a))
}

/// The nearest f16.
#[inline(always)]
pub(super) fn integer_to_half(a: i16) -> u16 {
    f16::from_f32(a.into())
}

/// The significand in [1, 2) with the sign; zeros, infinities and NaN stay (ruling OQ-26).
#[inline(always)]
pub(super) fn significand(a: f32) -> f32 {
    if a == 0.0 || !a.is_finite() {
        return a;
    }
    // In f64 every f32 is normal, so that its mantissa bits are the significand.
    f64::from_bits((f64::from(a).to_bits() & !(0x7ff << 52)) | 1023 << 52) as f32
}

/// As [`significand`]; exact, because an f16 has fewer bits.
#[inline(always)]
pub(super) fn significand_half(a: u16) -> u16 {
    f16::from_f32(significand(f16::to_f32(a)))
}

/// `a * 2^k`, rounded once.
#[inline(always)]
pub(super) fn scale(a: f32, k: i16) -> f32 {
    math::scale(a.into(), k.into()) as f32
}

/// `a * 2^k` in f16, rounded once.
#[inline(always)]
pub(super) fn scale_half(a: u16, k: i16) -> u16 {
    f16::from_f64(math::scale(f16::to_f32(a).into(), k.into()))
}
