//! DSD operations of one PE on its memory, compared with loops in Rust on the same numbers.

use crate::measure::{Pair, alone, beside, each};
use crate::programs::{compile, run};
use crate::table::{Row, Target, Unit};
use std::hint::black_box;

const WIDE: Target = Target { must: 0.5, goal: 0.8 };
const NARROW: Target = Target { must: 0.4, goal: 0.8 };
const STRIDED: Target = Target { must: 0.6, goal: 0.9 };
/// Nanoseconds.
const SHORT: Target = Target { must: 100.0, goal: 25.0 };

/// The operations, by their number in `vectors.csl`, with what they must reach at length.
pub const OPERATIONS: [(&str, Target); 6] = [
    ("@fmacs", WIDE),
    ("@fadds", WIDE),
    ("@mov32", WIDE),
    ("@faddh", NARROW),
    ("@add16", NARROW),
    ("@mov16", NARROW),
];

/// Elements of the long vectors.
const LONG: usize = 1024;

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (op, (name, target)) in OPERATIONS.into_iter().enumerate() {
        let what = format!("{name} of {LONG} elements, compared with a loop in Rust");
        rows.push(beside_native(what, op, 1, target));
    }
    for (op, (name, _)) in OPERATIONS.into_iter().enumerate() {
        let seconds = alone(operation(op, 64, 1));
        rows.push(
            Row::new(format!("{name} of 64 elements")).ours(seconds * 1e9, Unit::Nanoseconds).target(SHORT),
        );
    }
    for (op, (name, _)) in OPERATIONS.into_iter().enumerate() {
        let what = format!("{name} of {LONG} elements, every second one, compared with a loop in Rust");
        rows.push(beside_native(what, op, 2, STRIDED));
    }
    rows
}

fn beside_native(what: String, op: usize, stride: usize, target: Target) -> Row {
    let mut native = Native::new(LONG * stride);
    let Pair { ours, anchor, speed } =
        beside(operation(op, LONG, stride), each(move || native.pass(op, stride)));
    let row = Row::new(what).ours(ours * 1e9, Unit::Nanoseconds).anchor("Rust", anchor * 1e9);
    row.ratio(speed, Unit::Percent).target(target)
}

/// Measures one operation inside of a program that repeats it.
fn operation(op: usize, n: usize, stride: usize) -> impl FnMut() -> f64 {
    let rounds = 40_000_000 / n;
    let params =
        [("n", n as i128), ("stride", stride as i128), ("rounds", rounds as i128), ("op", op as i128)];
    let program = compile("vectors.csl", &params);
    let mut run = each(move || run(&program));
    move || run() / rounds as f64
}

/// The arrays of `vectors.csl`, and its operations as a Rust programmer writes them for the processor
/// at hand.
struct Native {
    singles: [Vec<f32>; 2],
    words: [Vec<u32>; 2],
    halves: [Vec<half::f16>; 2],
    shorts: [Vec<u16>; 2],
}

impl Native {
    fn new(n: usize) -> Native {
        Native {
            singles: [vec![0.0; n], vec![1.5; n]],
            words: [vec![0; n], vec![7; n]],
            halves: [vec![half::f16::ZERO; n], vec![half::f16::from_f32(0.25); n]],
            shorts: [vec![0; n], vec![7; n]],
        }
    }

    fn pass(&mut self, op: usize, stride: usize) {
        let scalar = black_box(0.5);
        match op {
            0 => update(&mut self.singles, stride, |a, b| b.mul_add(scalar, a)),
            1 => update(&mut self.singles, stride, |a, b| a + b),
            2 => update(&mut self.words, stride, |_, b| b),
            3 => add_halves(&mut self.halves, stride),
            4 => update(&mut self.shorts, stride, |a, b| a.wrapping_add(b)),
            _ => update(&mut self.shorts, stride, |_, b| b),
        }
    }
}

/// `a[i] = f(a[i], b[i])` for every `stride`-th i.
fn update<T: Copy>([a, b]: &mut [Vec<T>; 2], stride: usize, f: impl Fn(T, T) -> T) {
    let (a, b) = (black_box(&mut a[..]), black_box(&b[..]));
    widest(
        #[inline(always)]
        || match stride {
            1 => a.iter_mut().zip(b).for_each(|(a, b)| *a = f(*a, *b)),
            // A number that the compiler knows.
            2 => a.iter_mut().step_by(2).zip(b.iter().step_by(2)).for_each(|(a, b)| *a = f(*a, *b)),
            _ => unreachable!("only these strides are measured"),
        },
    );
}

/// Does `work` with the widest instructions that this processor has, as cslrun does.
#[inline(always)]
fn widest(work: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has both.
        #[allow(unsafe_code)]
        return unsafe { with_avx2(work) };
    }
    work();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2(work: impl FnOnce()) {
    work();
}

fn add_halves([a, b]: &mut [Vec<half::f16>; 2], stride: usize) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("f16c") && is_x86_feature_detected!("avx") {
        let (a, b) = (black_box(&mut a[..]), black_box(&b[..]));
        // SAFETY: the processor has both.
        #[allow(unsafe_code)]
        return unsafe { if stride == 1 { add_eight_at_a_time(a, b) } else { add_every_second(a, b) } };
    }
    let both = black_box(a).iter_mut().zip(black_box(b)).step_by(stride);
    both.for_each(|(a, b)| *a += *b);
}

/// The lengths are multiples of eight.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "f16c,avx")]
fn add_eight_at_a_time(a: &mut [half::f16], b: &[half::f16]) {
    use std::arch::x86_64::*;
    for (a, b) in a.as_chunks_mut::<8>().0.iter_mut().zip(b.as_chunks::<8>().0) {
        // SAFETY: both point to eight elements of 16 bits; no alignment is asked for.
        #[allow(unsafe_code)]
        unsafe {
            let sum = _mm256_add_ps(
                _mm256_cvtph_ps(_mm_loadu_si128(a.as_ptr().cast())),
                _mm256_cvtph_ps(_mm_loadu_si128(b.as_ptr().cast())),
            );
            _mm_storeu_si128(a.as_mut_ptr().cast(), _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(sum));
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "f16c,avx")]
fn add_every_second(a: &mut [half::f16], b: &[half::f16]) {
    use std::arch::x86_64::*;
    let wide = |h: half::f16| _mm_cvtph_ps(_mm_cvtsi32_si128(h.to_bits().into()));
    for (a, b) in a.iter_mut().step_by(2).zip(b.iter().step_by(2)) {
        let sum = _mm_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm_add_ss(wide(*a), wide(*b)));
        *a = half::f16::from_bits(_mm_cvtsi128_si32(sum) as u16);
    }
}
