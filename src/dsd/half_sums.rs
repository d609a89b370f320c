//! `@fmach` on contiguous vectors, and the sum of a vector by `@faddh`. The results are those of
//! `value::f16`, bit for bit, except that of two NaN either may come out.
//!
//! Fast paths: `@fmach` takes a fifth of the time of its elements in f64, a sum of 512 numbers a quarter of
//! that of single additions (docs/performance.md). No official example computes with f16 enough to show it. The tests below compare both with those.

use super::access::Row;
use super::block::RowBlock;
use super::half_sum_blocks::{self, BLOCK};
use super::kernels::{self, DirectKernel, Directs, Kernel};
use super::lanes::widest;
use super::{chunks, in_order};
use crate::value::f16;

/// Elements that are done together.
const GROUP: usize = 8;
/// After a block in which the exponent of the sum may change so many elements are not tried in blocks.
const PAUSE: usize = 256;

/// Gives `@faddh` its fast reduction.
pub(super) const fn with_sums(slow: Kernel) -> Kernel {
    Kernel { fold: sum, ..slow }
}

/// The sum of `first` and a row, each addition rounded.
fn sum(memory: &[u16], first: u32, row: Row) -> u32 {
    let mut total = 0;
    widest(
        #[inline(always)]
        || total = sum_here(memory, first, row),
    );
    total
}

#[inline(always)]
fn sum_here(memory: &[u16], first: u32, row: Row) -> u32 {
    let mut total = first as u16;
    let mut near = SameExponentSum::new(total);
    let (mut done, mut next_block) = (0, 0);
    while done + GROUP <= row.count {
        if done >= next_block && done + BLOCK <= row.count {
            if let Some(next) = half_sum_blocks::add(near.total(total), &numbers_of(memory, &row, done)) {
                (total, near, done) = (next, SameExponentSum::new(next), done + BLOCK);
                continue;
            }
            next_block = done + PAUSE;
        }
        let numbers: [u16; GROUP] = numbers_of(memory, &row, done);
        match near.add(&numbers) {
            Some(next) => near = next,
            None => {
                total = numbers.iter().fold(near.total(total), |total, number| f16::add(total, *number));
                near = SameExponentSum::new(total);
            }
        }
        done += GROUP;
    }
    let rest = (done..row.count).map(|k| numbers_of::<1>(memory, &row, k)[0]);
    rest.fold(near.total(total), f16::add).into()
}

/// Elements of a row after the first `done`.
#[inline(always)]
fn numbers_of<const N: usize>(memory: &[u16], row: &Row, done: usize) -> [u16; N] {
    let place = |k: usize| (row.at as isize + row.step as isize * k as isize) as usize;
    match memory[place(done)..].first_chunk() {
        Some(numbers) if row.step == 1 => *numbers,
        Some(_) | None => std::array::from_fn(|k| memory[place(done + k)]),
    }
}

/// A sum as long as it and all sums on the way have one exponent. Then all have one distance to their
/// neighbours in f16, and a large number, to which they are added in f32, makes that the distance in f32:
/// each addition is rounded as in f16.
#[derive(Copy, Clone)]
struct SameExponentSum {
    /// The power of two below the sums.
    power: f32,
    large: f32,
    /// With the large number.
    sum: f32,
    /// Numbers were added.
    has_moved: bool,
}

impl SameExponentSum {
    #[inline(always)]
    fn new(total: u16) -> SameExponentSum {
        let start = f16::to_f32(total);
        // Subnormals have the distance of the smallest normal numbers.
        let power = f32::from_bits(start.to_bits() & 0x7f80_0000).max(SMALLEST);
        let large = power * (1.5 * 8192.0);
        SameExponentSum { power, large, sum: large + start, has_moved: false }
    }

    /// The sum; `total` if nothing was added.
    #[inline(always)]
    fn total(self, total: u16) -> u16 {
        if self.has_moved { f16::from_f32(self.sum - self.large) } else { total }
    }

    /// Adds one number after the other; `None` if a sum has another exponent.
    #[inline(always)]
    fn add(self, numbers: &[u16; GROUP]) -> Option<SameExponentSum> {
        let mut sums = numbers.map(f16::to_f32);
        let mut sum = self.sum;
        for slot in &mut sums {
            sum += *slot;
            *slot = sum;
        }
        // At the low end a number may be rounded up that has nearer neighbours below; zeros have signs.
        let low = if self.power > SMALLEST { self.power } else { 0.0 };
        let (most, has_edge) = (2.0 * self.power, u32::from(low > 0.0));
        // Numbers, not conditions, of which the compiler makes vectors.
        let stays: [u32; GROUP] = std::array::from_fn(|k| {
            let value = sums[k] - self.large;
            // What moves away from zero cannot have come from there.
            let moves_out = u32::from((value < 0.0) == (numbers[k] & 0x8000 != 0));
            let is_above =
                u32::from(value.abs() > low) | (u32::from(value.abs() == low) & has_edge & moves_out);
            is_above & u32::from(value.abs() < most)
        });
        let stay = stays.iter().fold(1, |all, one| all & one) != 0;
        stay.then_some(SameExponentSum { sum, has_moved: true, ..self })
    }
}

/// The smallest normal f16, 2^-14.
const SMALLEST: f32 = 1.0 / 16384.0;

/// Gives `@fmach` its fast form.
pub(super) const fn with_products(slow: Kernel) -> Kernel {
    #[cfg(target_arch = "x86_64")]
    if let Some(directs) = slow.direct {
        let short = DirectKernel { apart, onto };
        return Kernel { direct: Some(Directs { short, ..directs }), in_order, ..slow };
    }
    slow
}

#[cfg(target_arch = "x86_64")]
fn in_order(memory: &mut [u16], block: &RowBlock) -> u32 {
    if !super::halves::has_conversions() {
        return in_order::run(memory, block, kernels::multiply_add_half);
    }
    // SAFETY: the processor has what it takes.
    #[allow(unsafe_code)]
    unsafe {
        groups_in_order(memory, block)
    }
    0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn groups_in_order(memory: &mut [u16], block: &RowBlock) {
    use super::halves::{narrow, wide};
    let third = block.sources[2].scalar() as u16;
    let factor = std::arch::x86_64::_mm256_set1_ps(f16::to_f32(third));
    let each = |a: u16, b: u16| kernels::multiply_add_half(a, b, third);
    chunks::run_in_chunks(memory, block, &each, |a, b| narrow(eight(wide(a), wide(b), factor)));
}

#[cfg(target_arch = "x86_64")]
fn apart(dest: &mut [u16], a: &[u16], b: &[u16], third: u32) {
    if !super::halves::has_conversions() {
        return kernels::run(dest, a, b, third, one);
    }
    dest.copy_from_slice(a);
    // SAFETY: the processor has what it takes.
    #[allow(unsafe_code)]
    unsafe {
        groups(dest, b, third as u16)
    }
}

#[cfg(target_arch = "x86_64")]
fn onto(dest: &mut [u16], b: &[u16], third: u32) {
    if !super::halves::has_conversions() {
        return kernels::run_onto(dest, b, third, one);
    }
    // SAFETY: the processor has what it takes.
    #[allow(unsafe_code)]
    unsafe {
        groups(dest, b, third as u16)
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn one(a: u32, b: u32, c: u32) -> u32 {
    kernels::multiply_add_half(a as u16, b as u16, c as u16).into()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,f16c")]
fn groups(dest: &mut [u16], b: &[u16], c: u16) {
    use super::halves::{narrow, wide};
    let factor = std::arch::x86_64::_mm256_set1_ps(f16::to_f32(c));
    let ((dest, rest), (b, rest_b)) = (dest.as_chunks_mut::<GROUP>(), b.as_chunks::<GROUP>());
    for (dest, b) in dest.iter_mut().zip(b) {
        *dest = narrow(eight(wide(*dest), wide(*b), factor));
    }
    for (dest, b) in rest.iter_mut().zip(rest_b) {
        *dest = kernels::multiply_add_half(*dest, *b, c);
    }
}

/// `a + b * c`, rounded to odd: then rounding to f16 gives what rounding once would.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn eight(
    a: std::arch::x86_64::__m256,
    b: std::arch::x86_64::__m256,
    c: std::arch::x86_64::__m256,
) -> std::arch::x86_64::__m256 {
    use std::arch::x86_64::*;
    // Exact: 11 bits by 11 bits.
    let product = _mm256_mul_ps(b, c);
    let sum = _mm256_add_ps(product, a);
    // What the sum lacks, exactly (Knuth).
    let back = _mm256_sub_ps(sum, product);
    let lack = _mm256_add_ps(_mm256_sub_ps(product, _mm256_sub_ps(sum, back)), _mm256_sub_ps(a, back));
    let is_inexact = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_NEQ_OQ>(lack, _mm256_setzero_ps()));
    let (bits, one) = (_mm256_castps_si256(sum), _mm256_set1_epi32(1));
    let is_even = _mm256_sub_epi32(_mm256_and_si256(bits, one), one);
    // Toward the exact value: away from zero if the lack has the sign of the sum.
    let signs = _mm256_srai_epi32::<31>(_mm256_xor_si256(bits, _mm256_castps_si256(lack)));
    let step = _mm256_and_si256(_mm256_or_si256(signs, one), _mm256_and_si256(is_inexact, is_even));
    _mm256_castsi256_ps(_mm256_add_epi32(bits, step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsd::ops::{OPS, lookup};
    use proptest::prelude::*;

    fn kernel(name: &str) -> &'static Kernel {
        &OPS[usize::from(lookup(name).unwrap())].kernel
    }

    #[test]
    fn products_are_those_of_single_elements() {
        let edges = [0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0xfc00, 0x7e00];
        let some = (0..=u16::MAX).step_by(1237);
        let numbers: Vec<u16> = some.chain(edges).collect();
        let kernel = kernel("fmach");
        for (b, c) in numbers.iter().flat_map(|b| numbers.iter().map(move |c| (*b, *c))) {
            let factors = vec![b; numbers.len()];
            let (mut apart, mut onto) = (vec![0; numbers.len()], numbers.clone());
            let short = kernel.direct.unwrap().short;
            (short.apart)(&mut apart, &numbers, &factors, c.into());
            (short.onto)(&mut onto, &factors, c.into());
            for (k, a) in numbers.iter().enumerate() {
                let expected = (kernel.each)((*a).into(), b.into(), c.into()) as u16;
                let is_nan = |half: u16| half & 0x7fff > 0x7c00;
                for result in [apart[k], onto[k]] {
                    let agree = result == expected || is_nan(result) && is_nan(expected);
                    assert!(agree, "{a:04x} + {b:04x} * {c:04x}: {result:04x}, not {expected:04x}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_sum_is_that_of_single_additions(
            first in prop_oneof![any::<u16>(), Just(0x6000), Just(0xe000), Just(0x3c00)],
            numbers in prop::collection::vec(any::<u16>(), 1..400),
            mask in prop::sample::select(vec![0xffffu16, 0xbfff, 0x83ff, 0x3fff, 0xb7ff, 0x9fff, 0xb0ff]),
        ) {
            let memory: Vec<u16> = numbers.iter().map(|number| number & mask).collect();
            let first = first & mask;
            let expected = memory.iter().fold(first, |total, number| f16::add(total, *number));
            let row = Row { at: 0, step: 1, count: memory.len() };
            let result = (kernel("faddh").fold)(&memory, first.into(), row) as u16;
            prop_assert!(result == expected || f16::is_nan(result) && f16::is_nan(expected), "{result:x} {expected:x}");
        }
    }
}
