//! Types and numbers, shared by comptime and PEs, so that the two cannot disagree.
//!
//! In: numbers. Out: numbers, exactly as the machine would compute them. Never: knows syntax, memory or a PE.

pub mod f16;
pub mod float;
pub mod math;
pub mod number;
pub mod random;
pub mod symbolic;
pub mod ty;
