//! Vectors of `f16`: arithmetic in f32, with the conversions of the processor where it has them. The
//! results are those of `value::f16`, bit for bit, except that of two NaN either may come out.

use super::kernels::{DirectKernel, Directs, Kernel};

/// Elements that are converted together.
const GROUP: usize = 8;
/// An element, and what lies between it and the next.
type Pair = [u16; 2];

/// Makes a function that gives a kernel its fast form: what it does with one element, and with eight as f32.
macro_rules! fast {
    ($($(#[$doc:meta])* $name:ident: $one:path, $eight:path;)*) => {$(
        $(#[$doc])*
        pub(super) const fn $name(slow: Kernel) -> Kernel {
            #[cfg(target_arch = "x86_64")]
            if let Some(directs) = slow.direct {
                let short = DirectKernel { apart: $name::apart, onto: $name::onto };
                let short_apart = DirectKernel { apart: $name::pairs_apart, onto: $name::pairs_onto };
                let in_order = $name::in_order;
                return Kernel { direct: Some(Directs { short, short_apart, ..directs }), in_order, ..slow };
            }
            slow
        }

        #[cfg(target_arch = "x86_64")]
        mod $name {
            use super::{GROUP, Pair};
            use crate::dsd::block::RowBlock;
            use crate::dsd::elements::CHUNK;
            use crate::dsd::{chunks, in_order};
            use crate::dsd::kernels;
            use $eight as eight;
            use $one as one_half;

            pub fn apart(dest: &mut [u16], a: &[u16], b: &[u16], third: u32) {
                if !super::has_conversions() {
                    return kernels::run(dest, a, b, third, one);
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { groups(dest, a, b) }
            }

            pub fn onto(dest: &mut [u16], b: &[u16], third: u32) {
                if !super::has_conversions() {
                    return kernels::run_onto(dest, b, third, one);
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { groups_onto(dest, b) }
            }

            pub fn pairs_apart(dest: &mut [Pair], a: &[Pair], b: &[Pair], third: u32) {
                if !super::has_conversions() {
                    return kernels::run(dest, a, b, third, one);
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { groups_of_pairs(dest, a, b) }
            }

            pub fn pairs_onto(dest: &mut [Pair], b: &[Pair], third: u32) {
                if !super::has_conversions() {
                    return kernels::run_onto(dest, b, third, one);
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { groups_of_pairs_onto(dest, b) }
            }

            pub fn in_order(memory: &mut [u16], block: &RowBlock) -> u32 {
                if !super::has_conversions() {
                    return in_order::run(memory, block, |a, b, _: ()| one_half(a, b));
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { groups_in_order(memory, block) }
                0
            }

            #[target_feature(enable = "avx2,f16c")]
            fn groups_in_order(memory: &mut [u16], block: &RowBlock) {
                chunks::run_in_chunks(memory, block, &one_half, |a: [u16; CHUNK], b: [u16; CHUNK]| {
                    super::narrow(eight(super::wide(a), super::wide(b)))
                });
            }

            #[inline(always)]
            fn one(a: u32, b: u32, _: u32) -> u32 {
                one_half(a as u16, b as u16).into()
            }

            #[target_feature(enable = "avx2,f16c")]
            fn groups(dest: &mut [u16], a: &[u16], b: &[u16]) {
                let (dest, rest) = dest.as_chunks_mut::<GROUP>();
                let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<GROUP>(), b.as_chunks::<GROUP>());
                for ((dest, a), b) in dest.iter_mut().zip(a).zip(b) {
                    *dest = super::narrow(eight(super::wide(*a), super::wide(*b)));
                }
                for ((dest, a), b) in rest.iter_mut().zip(rest_a).zip(rest_b) {
                    *dest = one_half(*a, *b);
                }
            }

            #[target_feature(enable = "avx2,f16c")]
            fn groups_onto(dest: &mut [u16], b: &[u16]) {
                let (dest, rest) = dest.as_chunks_mut::<GROUP>();
                let (b, rest_b) = b.as_chunks::<GROUP>();
                for (dest, b) in dest.iter_mut().zip(b) {
                    *dest = super::narrow(eight(super::wide(*dest), super::wide(*b)));
                }
                for (dest, b) in rest.iter_mut().zip(rest_b) {
                    *dest = one_half(*dest, *b);
                }
            }

            #[target_feature(enable = "avx2,f16c")]
            fn groups_of_pairs(dest: &mut [Pair], a: &[Pair], b: &[Pair]) {
                let (dest, rest) = dest.as_chunks_mut::<GROUP>();
                let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<GROUP>(), b.as_chunks::<GROUP>());
                for ((dest, a), b) in dest.iter_mut().zip(a).zip(b) {
                    let sums = eight(super::wide(super::firsts(*a)), super::wide(super::firsts(*b)));
                    *dest = super::with_firsts(*dest, super::narrow(sums));
                }
                for ((dest, a), b) in rest.iter_mut().zip(rest_a).zip(rest_b) {
                    dest[0] = one_half(a[0], b[0]);
                }
            }

            #[target_feature(enable = "avx2,f16c")]
            fn groups_of_pairs_onto(dest: &mut [Pair], b: &[Pair]) {
                let (dest, rest) = dest.as_chunks_mut::<GROUP>();
                let (b, rest_b) = b.as_chunks::<GROUP>();
                for (dest, b) in dest.iter_mut().zip(b) {
                    let sums = eight(super::wide(super::firsts(*dest)), super::wide(super::firsts(*b)));
                    *dest = super::with_firsts(*dest, super::narrow(sums));
                }
                for (dest, b) in rest.iter_mut().zip(rest_b) {
                    dest[0] = one_half(dest[0], b[0]);
                }
            }
        }
    )*};
}

fast! {
    /// `@faddh`.
    add: crate::value::f16::add, std::arch::x86_64::_mm256_add_ps;
    /// `@fsubh`.
    sub: crate::value::f16::sub, std::arch::x86_64::_mm256_sub_ps;
    /// `@fmulh`.
    mul: crate::value::f16::mul, std::arch::x86_64::_mm256_mul_ps;
    /// `@fmaxh`.
    max: crate::dsd::kernels::larger_half, super::larger_eight;
}

/// `kernels::larger` of eight.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn larger_eight(a: std::arch::x86_64::__m256, b: std::arch::x86_64::__m256) -> std::arch::x86_64::__m256 {
    use std::arch::x86_64::*;
    // The second one where the two are equal or one of them is NaN.
    let largest = _mm256_max_ps(a, b);
    let largest = _mm256_blendv_ps(largest, a, _mm256_cmp_ps::<_CMP_UNORD_Q>(b, b));
    _mm256_blendv_ps(largest, _mm256_and_ps(a, b), _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))
}

#[cfg(target_arch = "x86_64")]
pub(super) fn has_conversions() -> bool {
    is_x86_feature_detected!("f16c") && is_x86_feature_detected!("avx2")
}

/// The first halves of eight pairs.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn firsts(pairs: [Pair; GROUP]) -> [u16; GROUP] {
    use std::arch::x86_64::{__m128i, _mm_blend_epi16, _mm_packus_epi32, _mm_setzero_si128};
    let [low, high]: [__m128i; 2] = zerocopy::transmute!(pairs);
    let zero = _mm_setzero_si128();
    let (low, high) = (_mm_blend_epi16::<0xaa>(low, zero), _mm_blend_epi16::<0xaa>(high, zero));
    zerocopy::transmute!(_mm_packus_epi32(low, high))
}

/// Eight pairs with other first halves.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn with_firsts(pairs: [Pair; GROUP], firsts: [u16; GROUP]) -> [Pair; GROUP] {
    use std::arch::x86_64::{__m256i, _mm256_blend_epi16, _mm256_cvtepu16_epi32};
    let pairs: __m256i = zerocopy::transmute!(pairs);
    let spread = _mm256_cvtepu16_epi32(zerocopy::transmute!(firsts));
    zerocopy::transmute!(_mm256_blend_epi16::<0xaa>(spread, pairs))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn wide(halves: [u16; GROUP]) -> std::arch::x86_64::__m256 {
    std::arch::x86_64::_mm256_cvtph_ps(zerocopy::transmute!(halves))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(super) fn narrow(singles: std::arch::x86_64::__m256) -> [u16; GROUP] {
    use std::arch::x86_64::{_MM_FROUND_TO_NEAREST_INT, _mm256_cvtps_ph};
    zerocopy::transmute!(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles))
}

#[cfg(test)]
mod tests {
    use crate::dsd::ops::{OPS, lookup};

    fn is_nan(half: u16) -> bool {
        half & 0x7fff > 0x7c00
    }

    #[test]
    fn the_fast_form_gives_what_single_elements_give() {
        // Every class of numbers meets every other; 37 is no multiple of a group.
        let numbers: Vec<u16> = (0..=u16::MAX).step_by(37).chain([0x7c00, 0xfc00, 0x7e01, 0x8000]).collect();
        for name in ["faddh", "fsubh", "fmulh", "fmaxh"] {
            let kernel = &OPS[usize::from(lookup(name).unwrap())].kernel;
            let short = kernel.direct.unwrap().short;
            for other in numbers.iter().step_by(13) {
                let others = vec![*other; numbers.len()];
                let each = |a: &u16| (kernel.each)((*a).into(), (*other).into(), 0) as u16;
                let expected: Vec<u16> = numbers.iter().map(each).collect();
                let (mut apart, mut onto) = (vec![0; numbers.len()], numbers.clone());
                (short.apart)(&mut apart, &numbers, &others, 0);
                (short.onto)(&mut onto, &others, 0);
                let pairs = |halves: &[u16]| halves.iter().map(|h| [*h, 0x1234]).collect::<Vec<_>>();
                let mut spread = pairs(&numbers);
                (kernel.direct.unwrap().short_apart.onto)(&mut spread, &pairs(&others), 0);
                for (at, expected) in expected.iter().enumerate() {
                    let both = (numbers[at], *other);
                    let results = [apart[at], onto[at], spread[at][0]];
                    // Of two NaN either may come out.
                    let agree = match is_nan(both.0) && is_nan(both.1) {
                        true => results.into_iter().all(is_nan),
                        false => results == [*expected; 3],
                    };
                    assert!(agree, "{name} of {both:04x?}: {results:04x?} instead of {expected:04x}");
                    assert_eq!(spread[at][1], 0x1234, "what lies between stays");
                }
            }
        }
    }
}
