//! Comptime evaluation: the calls under way with their blocks and names, the budget that they take from, and
//! the calls whose results are known.
//!
//! In: names, values and steps. Out: what a name stands for, and whether evaluation may go on. Never: looks at
//! an expression, which the walk does, or writes code.

mod budget;
mod facts;
mod frames;
mod jumps;
mod known_calls;
mod scope;

pub use budget::Budget;
pub use facts::{Fact, OpenFact};
pub use frames::Eval;
pub use known_calls::{Key, KnownCall, Read, weight, weight_of};
pub use scope::{Arm, Binding, EvalFrame, ExprValue, Flow, Join, JumpTarget, Return, VariableSlot};
