//! Kernels of DSD operations on runs of lanes, beside plain Rust on the same numbers.

use cslrun::dsd::ops::{OPS, lookup};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const LENGTHS: [usize; 3] = [16, 64, 1024];

fn lanes(n: usize, of: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..n).map(of).collect()
}

fn run(bencher: Bencher, name: &str, n: usize, of: impl Fn(usize) -> u32, scalar: u32) {
    let kernel = &OPS[usize::from(lookup(name).expect("a DSD operation"))].kernel;
    let (a, b, mut dest) = (lanes(n, &of), lanes(n, |i| of(i + 1)), vec![0; n]);
    bencher
        .counter(ItemsCount::new(n))
        .bench_local(|| (kernel.many)(black_box(&mut dest), black_box(&a), black_box(&b), black_box(scalar)));
}

fn single(i: usize) -> u32 {
    (i as f32).to_bits()
}

fn half(i: usize) -> u32 {
    half::f16::from_f32(i as f32).to_bits().into()
}

#[divan::bench(args = LENGTHS)]
fn fmacs(bencher: Bencher, n: usize) {
    run(bencher, "fmacs", n, single, 0.5f32.to_bits());
}

#[divan::bench(args = LENGTHS)]
fn mov32(bencher: Bencher, n: usize) {
    run(bencher, "mov32", n, single, 0);
}

#[divan::bench(args = LENGTHS)]
fn faddh(bencher: Bencher, n: usize) {
    run(bencher, "faddh", n, half, 0);
}

#[divan::bench(args = LENGTHS)]
fn fmach(bencher: Bencher, n: usize) {
    run(bencher, "fmach", n, half, half(2));
}

#[divan::bench(args = LENGTHS)]
fn native_multiply_add(bencher: Bencher, n: usize) {
    let (a, b) = (vec![1.0f32; n], vec![2.0f32; n]);
    let mut dest = vec![0.0f32; n];
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let scalar = black_box(0.5);
        for ((d, a), b) in black_box(&mut dest).iter_mut().zip(black_box(&a)).zip(black_box(&b)) {
            *d = a + b * scalar;
        }
    });
}

#[divan::bench(args = LENGTHS)]
fn native_copy(bencher: Bencher, n: usize) {
    let (from, mut to) = (vec![1u32; n], vec![0u32; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| black_box(&mut to).copy_from_slice(black_box(&from)));
}
