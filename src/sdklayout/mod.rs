//! Layouts described in Python (`SdkLayout`): code regions, ports, connections, host streams.
//!
//! In: a [`Layout`], the description. Out: a [`Program`](crate::image::Program) whose routers are all
//! configured: every color has a number, every connection a path. Never: evaluates CSL, which `sema` does,
//! or runs anything.
//!
//! The steps, one file each: [`board`] places the regions and painted routes on a grid; [`nets`] lists the
//! connections between PEs; [`classes`] decides which colors get the same number; [`places`] finds PEs for host
//! streams and relays; [`paths`] finds a path for every net; [`colors`] gives each class of colors a number;
//! [`plan`] calls all of these and makes the routes; [`assemble`] compiles the code and assembles the program.

mod assemble;
mod classes;
mod colors;
mod describe;
mod floorplan;
mod grid;
mod nets;
mod paths;
mod places;
mod plan;
mod symbols;
#[cfg(test)]
mod tests;

pub use describe::Layout;

use crate::diagnostics::Sink;
use crate::image::Program;
use crate::sema::CompileOptions;
use crate::source::{Loader, SourceMap};
use std::fmt;

/// Why a layout cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The layout is wrong: a sentence that names the conflict and says what to do.
    Layout(String),
    /// The code of a region is wrong; the diagnostics are in the sink.
    Code,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Layout(text) => f.write_str(text),
            Error::Code => f.write_str("the code of a region is wrong"),
        }
    }
}

impl std::error::Error for Error {}

/// The result of compiling a layout.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The number of each color, in the order of [`Layout::colors`].
    pub colors: Vec<u8>,
    /// Warnings about likely mistakes, as sentences.
    pub warnings: Vec<String>,
}

/// Compiles a layout. `options` gives the machine, the import paths and the 16-bit float format.
pub fn compile(
    layout: &Layout,
    loader: &dyn Loader,
    sources: &mut SourceMap,
    options: &CompileOptions,
    sink: &mut Sink,
) -> Result<Compiled, Error> {
    let plan = plan::plan(layout, options.arch).map_err(Error::Layout)?;
    assemble::compile(layout, plan, loader, sources, options, sink)
}
