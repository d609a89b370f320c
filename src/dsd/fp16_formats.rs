//! The kernels of 16-bit floats in the formats that `--fp16-format` chooses instead of IEEE: bf16 and cb16.

use super::elements::{CHUNK, Element};
use super::kernels::{self, Kernel};
use super::lanes::LaneValue;
use crate::value::float::FloatKind;
use crate::value::math;
use std::marker::PhantomData;

/// The kernels of an operation in bf16 and in cb16.
pub type Others = [Kernel; 2];

/// One of the two formats.
pub(super) trait Format: Copy {
    const KIND: FloatKind;
}

#[derive(Copy, Clone)]
pub(super) struct Bf16;

#[derive(Copy, Clone)]
pub(super) struct Cb16;

impl Format for Bf16 {
    const KIND: FloatKind = FloatKind::Bf16;
}

impl Format for Cb16 {
    const KIND: FloatKind = FloatKind::Cb16;
}

/// An element of a format, as the f64 of the same value.
#[derive(Copy, Clone)]
pub(super) struct Fp16<F>(f64, PhantomData<F>);

impl<F: Format> Fp16<F> {
    fn nearest(x: f64) -> Fp16<F> {
        Fp16(F::KIND.round(x), PhantomData)
    }

    fn single(self) -> f32 {
        self.0 as f32
    }
}

impl<F: Format> LaneValue for Fp16<F> {
    fn from_lane(bits: u32) -> Fp16<F> {
        Fp16(F::KIND.from_bits(bits.into()), PhantomData)
    }

    fn lane(self) -> u32 {
        F::KIND.to_bits(self.0) as u32
    }
}

impl<F: Format> Element for Fp16<F> {
    const WORDS: u16 = 1;

    fn load(memory: &[u16], at: usize) -> Fp16<F> {
        Fp16::from_lane(memory[at].into())
    }

    fn store(self, memory: &mut [u16], at: usize) {
        memory[at] = self.lane() as u16;
    }

    fn load_chunk(memory: &[u16], at: usize) -> [Fp16<F>; CHUNK] {
        std::array::from_fn(|k| Fp16::load(memory, at + k))
    }

    fn store_chunk(chunk: [Fp16<F>; CHUNK], memory: &mut [u16], at: usize) {
        chunk.into_iter().zip(&mut memory[at..at + CHUNK]).for_each(|(x, word)| *word = x.lane() as u16);
    }
}

/// The kernels of a function of elements, for both formats: each way of running it is the loop over single elements.
macro_rules! in_both {
    ($f:ident; $($source:ty),+) => {
        [
            {
                #[allow(dead_code, reason = "the sources of some operations are all of other types")]
                type Fp16 = formats::Fp16<formats::Bf16>;
                kernel!(slow formats::$f::<formats::Bf16>; $($source),+)
            },
            {
                #[allow(dead_code, reason = "the sources of some operations are all of other types")]
                type Fp16 = formats::Fp16<formats::Cb16>;
                kernel!(slow formats::$f::<formats::Cb16>; $($source),+)
            },
        ]
    };
}
pub(super) use in_both;

// The sum, difference and product of two elements, of at most 10 bits each, are correct although the f64 and then the
// element are rounded: 53 bits are more than 2 * 10 + 2 (Figueroa, 1995).

pub(super) fn add<F: Format>(a: Fp16<F>, b: Fp16<F>) -> Fp16<F> {
    Fp16::nearest(a.0 + b.0)
}

pub(super) fn sub<F: Format>(a: Fp16<F>, b: Fp16<F>) -> Fp16<F> {
    Fp16::nearest(a.0 - b.0)
}

pub(super) fn mul<F: Format>(a: Fp16<F>, b: Fp16<F>) -> Fp16<F> {
    Fp16::nearest(a.0 * b.0)
}

pub(super) fn max<F: Format>(a: Fp16<F>, b: Fp16<F>) -> Fp16<F> {
    Fp16::nearest(kernels::larger(a.single(), b.single()).into())
}

/// `a + b * c`, rounded once.
pub(super) fn multiply_add<F: Format>(a: Fp16<F>, b: Fp16<F>, c: Fp16<F>) -> Fp16<F> {
    Fp16::nearest(to_odd_sum(a.0, b.0 * c.0))
}

/// `a + b * c`; the product is exact in f64, but not always in f32.
pub(super) fn multiply_add_mixed<F: Format>(a: f32, b: Fp16<F>, c: Fp16<F>) -> f32 {
    b.single().mul_add(c.single(), a)
}

pub(super) fn add_mixed<F: Format>(a: f32, b: Fp16<F>) -> f32 {
    a + b.single()
}

pub(super) fn to_single<F: Format>(a: Fp16<F>) -> f32 {
    a.single()
}

pub(super) fn of_single<F: Format>(a: f32) -> Fp16<F> {
    Fp16::nearest(a.into())
}

pub(super) fn to_integer<F: Format>(a: Fp16<F>) -> i16 {
    kernels::to_integer(a.single())
}

pub(super) fn of_integer<F: Format>(a: i16) -> Fp16<F> {
    Fp16::nearest(a.into())
}

pub(super) fn significand<F: Format>(a: Fp16<F>) -> Fp16<F> {
    Fp16::nearest(kernels::significand(a.single()).into())
}

pub(super) fn scale<F: Format>(a: Fp16<F>, k: i16) -> Fp16<F> {
    Fp16::nearest(math::scale(a.0, k.into()))
}

/// The sum, of which the last bit is set if anything was cut off, so that rounding it once more rounds correctly.
fn to_odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // What the rounding left out, exactly (Knuth, The Art of Computer Programming, 4.2.2, theorem B).
    let b_part = sum - a;
    let rest = (a - (sum - b_part)) + (b - b_part);
    if rest == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let is_too_near = (rest > 0.0) == (sum > 0.0);
    f64::from_bits(if is_too_near { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsd::ops::{OPS, in_format, lookup};
    use proptest::prelude::*;

    /// Units of the exact sums: 2^-60.
    const SCALE: f64 = (1u64 << 60) as f64;

    fn kernel(name: &str, format: FloatKind) -> &'static Kernel {
        &OPS[usize::from(in_format(lookup(name).unwrap(), format))].kernel
    }

    /// An element with an exponent from -12 to 9.
    fn element(format: FloatKind, bits: u16) -> u32 {
        let exponent = i32::from(bits >> 10 & 31) % 22 - 12;
        let significand = 1.0 + f64::from(bits & 0x3ff) / 1024.0;
        let size = significand * 2f64.powi(exponent);
        format.to_bits(if bits >> 15 == 0 { size } else { -size }) as u32
    }

    fn units(x: f64) -> i128 {
        (x * SCALE) as i128
    }

    /// The element nearest to a number of units, ties to even: of the two around it and their neighbours.
    fn nearest(format: FloatKind, exact: i128) -> u32 {
        let near = format.to_bits(exact as f64 / SCALE) as u32;
        let candidates = [near.saturating_sub(1), near, near + 1];
        let distance = |bits: &u32| (units(format.from_bits((*bits).into())) - exact).abs();
        candidates.into_iter().min_by_key(|bits| (distance(bits), bits & 1)).unwrap()
    }

    proptest! {
        #[test]
        fn results_are_the_nearest_elements(a: u16, b: u16, c: u16) {
            for format in [FloatKind::Bf16, FloatKind::Cb16] {
                let [a, b, c] = [a, b, c].map(|bits| element(format, bits));
                let [x, y, z] = [a, b, c].map(|bits| units(format.from_bits(bits.into())));
                let unit = SCALE as i128;
                for (name, exact) in [("faddh", x + y), ("fsubh", x - y)] {
                    if exact != 0 {
                        prop_assert_eq!((kernel(name, format).each)(a, b, c), nearest(format, exact), "@{}", name);
                    }
                }
                // Elements are whole multiples of 2^-21, so that their products are whole numbers of units.
                let product = |x: i128, y: i128| (x >> 30) * (y >> 30);
                prop_assert_eq!(product(unit, unit), unit);
                prop_assert_eq!((kernel("fmulh", format).each)(a, b, c), nearest(format, product(x, y)));
                let exact = x + product(y, z);
                if exact != 0 {
                    prop_assert_eq!((kernel("fmach", format).each)(a, b, c), nearest(format, exact));
                }
            }
        }
    }

    #[test]
    fn a_sum_just_beyond_a_tie_is_rounded_up() {
        let one_and_a_half_step = 1.0 + 2f64.powi(-8);
        let [a, b] = [2f64.powi(-60), 1.0].map(|x| FloatKind::Bf16.to_bits(x) as u32);
        let half_step = FloatKind::Bf16.to_bits(2f64.powi(-8)) as u32;
        let odd = to_odd_sum(2f64.powi(-60), one_and_a_half_step);
        assert_eq!(FloatKind::Bf16.round(odd), 1.0 + 2f64.powi(-7));
        assert_eq!(FloatKind::Bf16.round(one_and_a_half_step), 1.0);
        assert_eq!(
            (kernel("fmach", FloatKind::Bf16).each)(b, half_step, b),
            b,
            "a tie goes to the even number"
        );
        assert_eq!((kernel("faddh", FloatKind::Bf16).each)(a, b, 0), b);
    }

    #[test]
    fn conversions_saturate_and_keep_what_fits() {
        let cb16 = |x: f64| FloatKind::Cb16.to_bits(x) as u32;
        assert_eq!((kernel("fs2h", FloatKind::Cb16).each)(6f32.to_bits(), 0, 0), cb16(6.0));
        assert_eq!((kernel("fh2s", FloatKind::Cb16).each)(cb16(6.0), 0, 0), 6f32.to_bits());
        assert_eq!((kernel("fh2xp16", FloatKind::Cb16).each)(cb16(-1e6), 0, 0), 0x8000);
        assert_eq!((kernel("xp162fh", FloatKind::Cb16).each)(1025, 0, 0), cb16(1024.0));
        assert_eq!((kernel("fscaleh", FloatKind::Cb16).each)(cb16(1.5), 3, 0), cb16(12.0));
        assert_eq!((kernel("fnormh", FloatKind::Cb16).each)(cb16(-12.0), 0, 0), cb16(-1.5));
        assert_eq!((kernel("fnegh", FloatKind::Cb16).each)(cb16(1.5), 0, 0), cb16(-1.5));
    }
}
