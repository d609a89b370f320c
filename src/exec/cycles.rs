//! Cycles of operations that take more than one (estimates).

/// A call, in addition to its operations.
pub(crate) const CALL: i64 = 2;
/// A function of `<math>`.
pub(crate) const MATH: u64 = 40;
