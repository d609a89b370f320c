//! Comptime: turns syntax trees into a [`Program`](crate::image::Program).
//!
//! In: the root file and parameter values. Out: `Program`, in which every comptime value, DSD, DSR
//! and address is already a number. Never: runs a task, or looks at a wavelet.

mod options;

pub use options::{CompileOptions, Fp16Format, ParamValue};
