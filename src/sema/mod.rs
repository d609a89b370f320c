//! Comptime: turns syntax trees into a [`Program`].
//!
//! In: the root file and parameter values. Out: `Program`, in which every comptime value, DSD, DSR
//! and address is already a number. Never: runs a task, or looks at a wavelet.
//!
//! One walk folds, types and writes code: `expr` and `stmt` evaluate what is known and emit the rest.
//! The layout block is walked first; then each distinct (file, parameters) once.

mod access;
mod arith;
mod assigned;
mod builder;
pub mod builtins;
mod call;
mod chain;
mod control;
mod expr;
mod externs;
mod function;
mod injection;
mod layout;
mod loops;
mod memory;
mod modules;
mod operand;
mod options;
mod order;
mod recall;
mod regions;
mod registers;
mod scope;
mod stmt;
mod suffix;
mod tile;
mod types;
mod value;
mod world;

pub use options::{CompileOptions, Fp16Format, ParamValue};
pub use regions::{CompiledRegions, Placement, RegionCode, RegionSource, compile_regions};

use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Complaint, Sink};
use crate::image::Program;
use crate::source::{LoadError, Loader, SourceMap};
use std::path::Path;

/// Compiles the program whose root file is at `path`. Everything that is wrong goes to `sink`; the
/// result is `None` if anything of it is an error.
pub fn compile(
    loader: &dyn Loader,
    sources: &mut SourceMap,
    path: &Path,
    options: &CompileOptions,
    sink: &mut Sink,
) -> Option<Program> {
    let mut sema = world::Sema::new(loader, sources, options, sink);
    sema.root_dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let shown = path.display().to_string();
    match sema.unit_at(path, &shown) {
        Ok(root) if sema.sink.errors() == 0 => sema.program(root),
        Ok(_) => None,
        Err(why) => {
            let complaint = read_failure(why, &shown);
            sema.report(complaint);
            None
        }
    }
}

/// Why a file that was asked for by its path cannot be compiled.
fn read_failure(why: Option<LoadError>, shown: &str) -> Complaint {
    match why {
        Some(LoadError::NotUtf8(at)) => rules::NOT_UTF8.because(&[("file", &shown), ("offset", &at)]),
        Some(LoadError::Other(why)) => rules::UNREADABLE_FILE.because(&[("file", &shown), ("why", &why)]),
        Some(LoadError::NotFound) | None => rules::FILE_NOT_FOUND.because(&[("file", &shown)]),
    }
}
