//! One function of a tile.

use super::code::Op;
use super::shared::Shared;
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// One function, task or comptime-specialised instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// The name, for people.
    pub name: String,
    /// The declaration.
    pub span: Span,
    /// Registers `0..params` hold the arguments at entry.
    pub params: u16,
    /// Copied into registers `params..` at entry.
    pub consts: Vec<u64>,
    /// All registers of a call.
    pub registers: u16,
    /// Words of memory that a call needs for aggregates and addressed locals.
    pub frame_words: u16,
    /// The locals that have a name and lie in these words.
    pub locals: Vec<Local>,
    /// The code; ends with `Ret`.
    pub code: Shared<Op>,
    /// The source of each operation.
    pub spans: Shared<Span>,
}

/// A local variable or constant in the frame of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// First word, from the start of the frame.
    pub off: u16,
    /// Size in words.
    pub words: u16,
    /// The declaration.
    pub span: Span,
}
