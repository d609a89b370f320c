//! The native side of the Python package `cslrun`: compiles, holds programs, drives runs.
//!
//! In: paths, numbers, buffers of 32-bit words. Out: the same, and exceptions whose text is a
//! rendered report. Never: knows how host arrays are ordered; Python does that.

mod fault;
mod interrupt;
mod layout;
mod levels;
mod program;
mod runner;
mod snapshot;

use cslrun::cli;
use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Large pages for what a large wafer takes; see docs/ARCHITECTURE.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

create_exception!(cslrun._native, CslError, PyRuntimeError, "Base class of all errors of a program.");
create_exception!(
    cslrun._native,
    CompileError,
    CslError,
    "The program is not valid CSL; the text is the report of the compiler."
);
create_exception!(
    cslrun._native,
    RunError,
    CslError,
    "The program failed on the wafer; the text is the report of the simulator."
);

create_exception!(
    cslrun._native,
    InternalError,
    CslError,
    "An internal error of cslrun, not an error of the program or the script."
);

/// The command `cslc`: the words after its name; the exit status.
#[pyfunction]
fn cslc(py: Python<'_>, words: Vec<String>) -> i32 {
    py.detach(|| cli::cslc(words)) as i32
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("CslError", py.get_type::<CslError>())?;
    module.add("CompileError", py.get_type::<CompileError>())?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("InternalError", py.get_type::<InternalError>())?;
    module.add_function(wrap_pyfunction!(cslc, module)?)?;
    module.add_function(wrap_pyfunction!(levels::check_environment, module)?)?;
    module.add_function(wrap_pyfunction!(program::compile, module)?)?;
    module.add_function(wrap_pyfunction!(layout::compile_layout, module)?)?;
    module.add_class::<program::Program>()?;
    module.add_class::<runner::Runner>()?;
    module.add_class::<runner::Ticket>()?;
    module.add_class::<snapshot::Snapshot>()
}
