//! The targets under libFuzzer, which prefers inputs that reach code that no other has reached.
//!
//! The environment variable `FUZZ_TARGET` names the target (`modes` by default). Texts are changed by the mutator of
//! this crate, so that they stay programs.

#![no_main]

use clap::ValueEnum;
use fuzz::tree::Mutator;
use fuzz::{Target, seeds};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::sync::OnceLock;

fn target() -> Target {
    static TARGET: OnceLock<Target> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_else(|_| "modes".to_string());
        Target::from_str(&name, true).unwrap_or_else(|why| panic!("FUZZ_TARGET: {why}"))
    })
}

fuzz_target!(|input: &[u8]| {
    target().run(input);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    let text = std::str::from_utf8(&data[..size]).ok().filter(|_| target().takes_text() && seed % 16 != 0);
    let Some(text) = text else { return fuzzer_mutate(data, size, max_size) };
    let mutant = Mutator::new(seed.into(), TEXTS.get_or_init(seeds::all)).mutant(text);
    let length = mutant.len().min(max_size);
    data[..length].copy_from_slice(&mutant.as_bytes()[..length]);
    length
});
