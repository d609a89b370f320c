//! `cslrun debug`: a debugger that also goes backwards.
//!
//! In: a program with what the host does, and commands of a person or requests of an editor. Out: where the run stands,
//! and what the PEs hold. Never: decides what CSL means or how a PE works, which the facade of the library does; reads
//! the environment.
//!
//! A run is deterministic, so every moment of it can be reached again. [`timeline`] keeps copies of the run and replays
//! from the last one before a moment; a [`session`] searches it in both directions for whatever stops the run. The
//! [`console`] understands commands, [`dap`] requests of the Debug Adapter Protocol. The host of a run is a list of
//! actions, or a script that is [`attached`] and decides while the run stands.

mod attached;
mod breakpoints;
mod comptime;
mod console;
mod dap;
mod events;
mod expression;
mod goal;
mod parts;
mod prompt;
mod screen;
mod script;
mod session;
mod stop;
mod timeline;
mod value;

pub use attached::{AttachedRun, Place};
pub use dap::serve;
pub use goal::Goal;
pub use prompt::prompt;
pub use screen::{Key, Role, Screen};
pub use script::HostAction;
pub use session::Debuggee;
pub use value::tree as variable_tree;

/// What the server takes from the commands, so that there is one of each.
#[derive(Clone, Copy)]
pub struct Services {
    /// The program that the words of a call of `cslrun run` name, ready to be debugged; or what is wrong, as text.
    pub prepare: fn(&[String]) -> Result<Debuggee, String>,
}
