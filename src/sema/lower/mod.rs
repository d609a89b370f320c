//! Lowering: the functions, the memory and the tables of the tile that is being compiled.
//!
//! In: registers, addresses and types. Out: operations, and a `TileImage`. Never: looks at an expression or
//! evaluates one; the walk does, and hands on what is left to do when the program runs.

mod assigned;
mod blanks;
mod builder;
mod code;
mod data;
mod functions;
mod memory;
mod operators;
mod renumber;
mod signature;
mod tile;

pub use assigned::UnsetRead;
pub use blanks::{Blanks, DataBlank};
pub use builder::{FnBuilder, JumpLabel, RESULT};
pub use code::Lower;
pub use data::Data;
pub use functions::MAX_FUNCTIONS;
pub use memory::Elements;
pub use signature::{ParamKind, Pending, Signature};
pub use tile::{FifoTask, LateTask, LoadTask, TaskName, Tile};
