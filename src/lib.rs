//! cslrun: compiler front-end and interpreter for CSL.
//!
//! The path of a program, in order: `source`, `syntax`, `sema`, `image`, `fabric`, `pe`, `wafer`,
//! `host`, `cli`. `docs/ARCHITECTURE.md` walks it.

pub mod arch;
pub mod check;
pub mod cli;
pub mod diagnostics;
pub mod dsd;
pub mod exec;
pub mod fabric;
pub mod host;
pub mod image;
pub mod order;
pub mod pe;
pub mod ring;
pub mod sdklayout;
pub mod sema;
pub mod source;
pub mod stdlib;
pub mod syntax;
pub mod trace;
pub mod value;
pub mod wafer;
