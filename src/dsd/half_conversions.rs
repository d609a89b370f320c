//! Operations that convert between `f16` and other types, with the conversions of the processor where it has them. The
//! results are those of `value::f16` and `kernels`, bit for bit, except that of two NaN either may come out.
//!
//! Fast path: the compiler makes about twenty instructions of such a conversion, and does not vectorise all of them. The
//! test below compares both.

use super::kernels::Kernel;

#[cfg(target_arch = "x86_64")]
use super::{
    block::RowBlock,
    chunks,
    elements::CHUNK,
    halves::{has_conversions, narrow, wide},
    in_order,
    kernels::{self, DirectKernel, Directs},
};
#[cfg(target_arch = "x86_64")]
use crate::value::f16;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
#[cfg(target_arch = "x86_64")]
use zerocopy::transmute;

/// Makes functions that give a kernel with one source its fast form: what it does with one element, with eight, and for
/// which of its loops on memory.
macro_rules! conversions {
    ($($(#[$doc:meta])* $name:ident: $a:ty => $r:ty, $one:expr, $eight:expr, |$directs:ident| $fast:expr;)*) => {$(
        $(#[$doc])*
        pub(super) const fn $name(slow: Kernel) -> Kernel {
            #[cfg(target_arch = "x86_64")]
            if let Some($directs) = slow.direct {
                use $name::convert;
                return Kernel { direct: Some($fast), in_order: $name::in_order, ..slow };
            }
            slow
        }

        #[cfg(target_arch = "x86_64")]
        mod $name {
            use super::*;

            pub fn in_order(memory: &mut [u16], block: &RowBlock) -> u32 {
                if !has_conversions() {
                    return in_order::run(memory, block, |a: $a, _: (), _: ()| -> $r { $one(a) });
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { chunks_in_order(memory, block) }
                0
            }

            #[target_feature(enable = "avx2,f16c")]
            fn chunks_in_order(memory: &mut [u16], block: &RowBlock) {
                let each = |a: $a, (): ()| -> $r { $one(a) };
                chunks::run_in_chunks(memory, block, &each, |a: [$a; CHUNK], _| -> [$r; CHUNK] { $eight(a) });
            }

            pub fn convert(dest: &mut [$r], a: &[$a]) {
                if !has_conversions() {
                    dest.iter_mut().zip(a).for_each(|(dest, a)| *dest = $one(*a));
                    return;
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { chunks(dest, a) }
            }

            #[target_feature(enable = "avx2,f16c")]
            fn chunks(dest: &mut [$r], a: &[$a]) {
                let ((dest, rest), (a, rest_a)) = (dest.as_chunks_mut::<CHUNK>(), a.as_chunks::<CHUNK>());
                dest.iter_mut().zip(a).for_each(|(dest, a)| *dest = $eight(*a));
                rest.iter_mut().zip(rest_a).for_each(|(dest, a)| *dest = $one(*a));
            }
        }
    )*};
}

conversions! {
    /// `@fh2s`.
    single_of_half: u16 => u32, one_single, eight_singles, |directs| Directs { widening: convert, ..directs };
    /// `@fs2h`.
    half_of_single: u32 => u16, |a| f16::from_f32(f32::from_bits(a)), |a: [u32; CHUNK]| narrow(transmute!(a)),
        |directs| Directs { narrowing: convert, ..directs };
    /// `@fs2xp16`.
    integer_of_single: u32 => u16, |a| kernels::to_integer(f32::from_bits(a)) as u16,
        |a: [u32; CHUNK]| integers(transmute!(a)), |directs| Directs { narrowing: convert, ..directs };
    /// `@fh2xp16`.
    integer_of_half: u16 => u16, |a| kernels::half_to_integer(a) as u16, |a: [u16; CHUNK]| integers(wide(a)),
        |directs| Directs { short: DirectKernel { apart: |to, a, _, _| convert(to, a), onto: |all, _, _| in_place(all, convert) }, ..directs };
    /// `@xp162fh`.
    half_of_integer: u16 => u16, |a| kernels::integer_to_half(a as i16), halves_of_integers,
        |directs| Directs { short: DirectKernel { apart: |to, a, _, _| convert(to, a), onto: |all, _, _| in_place(all, convert) }, ..directs };
}

/// Gives a kernel whose second source is f16, others being f32, its fast form: what it does with one element, and with
/// eight, where the third source is a scalar.
macro_rules! mixed {
    ($($(#[$doc:meta])* $name:ident: $one:expr, $eight:expr;)*) => {$(
        $(#[$doc])*
        pub(super) const fn $name(slow: Kernel) -> Kernel {
            #[cfg(target_arch = "x86_64")]
            return Kernel { in_order: $name::in_order, ..slow };
            #[cfg(not(target_arch = "x86_64"))]
            slow
        }

        #[cfg(target_arch = "x86_64")]
        mod $name {
            use super::*;

            pub fn in_order(memory: &mut [u16], block: &RowBlock) -> u32 {
                if !has_conversions() {
                    return in_order::run(memory, block, $one);
                }
                // SAFETY: the processor has what it takes.
                #[allow(unsafe_code)]
                unsafe { chunks_in_order(memory, block) }
                0
            }

            #[target_feature(enable = "avx2,f16c")]
            fn chunks_in_order(memory: &mut [u16], block: &RowBlock) {
                let third = block.sources[2].scalar() as u16;
                let factor = _mm256_set1_ps(f16::to_f32(third));
                chunks::run_in_chunks(memory, block, &|a, b| $one(a, b, third), |a: [f32; CHUNK], b: [u16; CHUNK]| -> [f32; CHUNK] {
                    transmute!($eight(transmute!(a), wide(b), factor))
                });
            }
        }
    )*};
}

mixed! {
    /// `@faddhs`.
    mixed_sum: |a, b, _: u16| kernels::add_mixed(a, b), |a, b, _| _mm256_add_ps(a, b);
    /// `@fmachs`.
    mixed_product: kernels::multiply_add_mixed, |a, b, c| _mm256_add_ps(a, _mm256_mul_ps(b, c));
}

/// Converts the elements of a vector where they are.
#[cfg(target_arch = "x86_64")]
fn in_place(all: &mut [u16], convert: fn(&mut [u16], &[u16])) {
    let mut before = [0; 64];
    for piece in all.chunks_mut(before.len()) {
        let before = &mut before[..piece.len()];
        before.copy_from_slice(piece);
        convert(piece, before);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn one_single(a: u16) -> u32 {
    f16::to_f32(a).to_bits()
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn eight_singles(a: [u16; CHUNK]) -> [u32; CHUNK] {
    let singles = wide(a);
    // The processor makes quiet NaN of signalling ones.
    if _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(singles, singles)) != 0 {
        return a.map(one_single);
    }
    transmute!(singles)
}

/// `kernels::to_integer` of eight.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn integers(singles: __m256) -> [u16; CHUNK] {
    let numbers = _mm256_and_ps(singles, _mm256_cmp_ps::<_CMP_ORD_Q>(singles, singles));
    // What is too small becomes the smallest i32, and so would what is too large.
    let numbers = _mm256_min_ps(numbers, _mm256_set1_ps(32768.0));
    let [low, high]: [__m128i; 2] = transmute!(_mm256_cvttps_epi32(numbers));
    transmute!(_mm_packs_epi32(low, high))
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,f16c")]
fn halves_of_integers(a: [u16; CHUNK]) -> [u16; CHUNK] {
    narrow(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(transmute!(a))))
}

#[cfg(test)]
mod tests {
    use crate::dsd::access::Row;
    use crate::dsd::block::{RowBlock, RowSource};
    use crate::dsd::direct::{self, DirectPlan};
    use crate::dsd::ops::{OPS, lookup};

    /// Where the results and the sources lie.
    const DEST: usize = 8;
    const SOURCE: usize = 80;
    /// No multiple of a chunk.
    const COUNT: usize = 21;

    #[test]
    fn vectors_are_converted_as_single_elements_are() {
        for name in ["fh2s", "fs2h", "fs2xp16", "fh2xp16", "xp162fh", "xp162fs"] {
            let op = &OPS[usize::from(lookup(name).unwrap())];
            let (words, its) = (op.dest.words(), op.forms[0].sources[0].elem().words());
            let line = |at, words: u16| (Row { at, step: words.into(), count: COUNT }, words);
            let (dest, source) = (line(DEST, words), line(SOURCE, its));
            let step = if its == 1 { 1 } else { 9973 };
            let numbers: Vec<u32> = (0..=if its == 1 { 0xffff } else { u32::MAX }).step_by(step).collect();
            let edges =
                [f32::NAN, f32::INFINITY, 32767.5, 32768.0, 65504.0, 65520.0, 0.0, 1e-8, 6e-8, 1e-5, 3e9];
            let edges: Vec<u32> =
                edges.into_iter().flat_map(|x: f32| [x.to_bits(), (-x).to_bits()]).collect();
            let low = if its == 1 { 0xffff } else { u32::MAX };
            for numbers in numbers.chunks(COUNT).chain(edges.chunks(COUNT)) {
                let mut memory = vec![0u16; 200];
                let bits = |k: usize| numbers[k % numbers.len()] & low;
                for k in 0..COUNT {
                    crate::dsd::local::write(&mut memory, SOURCE + k * usize::from(its), its, bits(k));
                }
                let mut rows = memory.clone();
                let sources = [RowSource::Line(source.0, its), RowSource::Nothing, RowSource::Nothing];
                (op.kernel.in_order)(&mut rows, &RowBlock::row(dest.0, &sources));
                let plan = match words == its {
                    true => DirectPlan::new(
                        &dest,
                        [direct::Input::line(&source.0, its, &dest).unwrap(), direct::Input::Nothing],
                    ),
                    false => DirectPlan::converting(&dest, &source),
                };
                direct::run(&mut memory, &op.kernel, &plan.unwrap(), [0; 3]).unwrap();
                assert_eq!(memory, rows, "@{name}");
                for k in 0..COUNT {
                    let result = crate::dsd::local::read(&memory, DEST + k * usize::from(words), words);
                    assert_eq!(result, (op.kernel.each)(bits(k), 0, 0), "@{name} of {:x}", bits(k));
                }
            }
        }
    }
}
