//! Who has which data structure register: tables for people, which no PE reads.

use crate::source::Span;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// What one register holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterUse {
    /// The register, such as `dest 0`, `xdsr 1`, `sr 2`.
    pub register: String,
    /// What it holds, such as `a (mem1d, 4 elements)`.
    pub holds: Arc<str>,
    /// Who chose it: `the program` or `the compiler`.
    pub chosen_by: Cow<'static, str>,
    /// The load, or the first operation that needs it.
    pub span: Span,
}

/// The registers of one operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperandRegisters {
    /// The operation, such as `fadds`.
    pub operation: Cow<'static, str>,
    /// What it works on, such as `from a (mem1d, 4 elements)`.
    pub operand: String,
    /// Its registers, such as `src0 0, xdsr 1, sr 2`.
    pub registers: String,
    /// Why these.
    pub why: Cow<'static, str>,
    /// The operation.
    pub span: Span,
}
