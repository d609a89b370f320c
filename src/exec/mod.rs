//! What a PE executes: scalar code, calls, and DSD operations whose operands are known.
//!
//! In: the image of a tile, registers and words of memory. Out: the same, changed, and the reason to stop.
//! Never: knows queues, tasks or the fabric; it hands operations that concern them back to the PE.

pub(crate) mod arithmetic;
mod arms;
pub(crate) mod calls;
pub(crate) mod convert;
pub(crate) mod counts;
pub(crate) mod cycles;
pub(crate) mod guard;
pub(crate) mod interface;
mod jump_table;
mod loops;
pub(crate) mod memory;
mod memory_superinstructions;
mod parts;
mod prepared;
pub(crate) mod sanitizer;
pub(crate) mod scalar;
mod sequence;
mod superinstructions;
pub(crate) mod variables;
pub(crate) mod vector;
mod widths;

#[cfg(test)]
mod tests;

pub use prepared::{CodeCache, PreparedTile};
