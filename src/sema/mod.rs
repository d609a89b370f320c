//! Comptime: turns syntax trees into a [`Program`](crate::image::Program).
//!
//! In: the root file and parameter values. Out: `Program`, in which every comptime value, DSD, DSR
//! and address is already a number. Never: runs a task, or looks at a wavelet.
//!
//! One walk folds, types and writes code: `expr` and `stmt` evaluate what is known and emit the rest.
//! The layout block is walked first; then each distinct (file, parameters) once.

mod access;
mod activations;
mod advice;
mod arith;
mod begin;
pub mod builtins;
mod call;
mod chain;
mod coerce;
mod conditional_tasks;
mod control;
mod declarations;
mod declared;
mod deferred_colors;
mod effects;
mod eval;
mod expectation;
mod expr;
mod externs;
mod files;
mod finish;
mod function;
mod immutable;
mod injection;
mod known_arithmetic;
mod layout;
mod layout_memo;
mod library_use;
mod literals;
mod locals;
mod loops;
mod lower;
mod memo;
mod memory;
mod mismatch;
mod modules;
mod names;
mod never_assigned;
mod operand;
mod operator_heights;
mod operators;
mod options;
mod order;
mod program;
mod regions;
mod registers;
mod reports;
mod stmt;
mod stream_checks;
mod streams;
mod suffix;
mod swapped;
mod templates;
#[cfg(test)]
mod tests;
mod types;
mod unbound;
mod union_variants;
mod unit;
mod unknown;
mod unused;
mod uses;
mod value;
mod variable_type;
mod walk;
mod words;

pub use eval::Fact;
pub use options::{CompileOptions, Fp16Format, ParamValue};
pub use program::{compile, inspect};
pub use regions::{CompiledRegions, Placement, RegionCode, RegionSource, compile_regions};
