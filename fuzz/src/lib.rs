//! Feeds cslrun with damaged programs, and compares the ways to run what it accepts.
//!
//! A [`Target`] takes an input and panics if cslrun does something wrong with it. Inputs are the cases of `tests/cases`
//! and the examples, changed by [`tree::Mutator`]. Three things drive the targets: the tests of this crate (some
//! mutants of every seed), the command `fuzz` (as many as time allows, in an order that a seed decides), and with the
//! feature `libfuzzer` the binary `coverage`, which prefers inputs that reach new code. `scripts/fuzz` runs them all.

pub mod campaign;
pub mod dice;
pub mod minimise;
pub mod seeds;
pub mod targets;
pub mod tree;

pub use targets::Target;
