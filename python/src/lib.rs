//! The native side of the Python package `cslrun`: compiles, holds programs, drives runs.
//!
//! In: paths, numbers, buffers of 32-bit words. Out: the same, and exceptions whose text is a
//! rendered report. Never: knows how host arrays are ordered; Python does that.

mod diagnostics;
mod fault;
mod interrupt;
mod layout;
mod levels;
mod program;
mod recordings;
mod run;
mod runner;
mod snapshot;

use crate::fault::guarded;
use cslrun::cli;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Huge pages for what a large wafer takes; see docs/ARCHITECTURE.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

create_exception!(cslrun, CslError, PyRuntimeError, "Base class of all errors of a program.");
create_exception!(
    cslrun,
    CompileError,
    CslError,
    "The program is not valid CSL; the text is the report of the compiler."
);
create_exception!(
    cslrun,
    RunError,
    CslError,
    "The program failed on the wafer; the text is the report of the simulator."
);

create_exception!(
    cslrun,
    InternalError,
    CslError,
    "An internal error of cslrun, not an error of the program or the script."
);

/// The command `cslrun`: the words after its name; the exit status.
#[pyfunction]
fn cslrun_command(py: Python<'_>, words: Vec<String>) -> i32 {
    py.detach(|| cli::cslrun(words)) as i32
}

/// The command `cslc`: the words after its name; the exit status.
#[pyfunction]
fn cslc(py: Python<'_>, words: Vec<String>) -> i32 {
    py.detach(|| cli::cslc(words)) as i32
}

/// The DSDs that a command line of `cslrun dsd` names: all as text, and the first as SVG. `None` for words that make no
/// sense. Programs are read from `files` if there are any.
#[pyfunction]
#[pyo3(signature = (words, files=None))]
fn draw_dsds(
    py: Python<'_>,
    words: Vec<String>,
    files: Option<Vec<(String, String)>>,
) -> PyResult<Option<(String, String)>> {
    let work = move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        cli::drawn_dsds(&words, &*program::loader(files))
    };
    match guarded(|| py.detach(|| program::on_a_large_stack(work)))? {
        None => Ok(None),
        Some(Ok(drawn)) => Ok(Some((drawn.text, drawn.svg))),
        Some(Err(outcome)) => Err(match &outcome.complaint {
            Some(why) => PyValueError::new_err(why.clone()),
            None => CompileError::new_err(outcome.stderr_text(false)),
        }),
    }
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    cli::keep_huge_pages();
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // Errors that are about no place in a program have no diagnostics.
    py.get_type::<CslError>().setattr("diagnostics", PyTuple::empty(py))?;
    module.add("CslError", py.get_type::<CslError>())?;
    module.add("CompileError", py.get_type::<CompileError>())?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("InternalError", py.get_type::<InternalError>())?;
    module.add_function(wrap_pyfunction!(cslc, module)?)?;
    module.add_function(wrap_pyfunction!(cslrun_command, module)?)?;
    module.add_function(wrap_pyfunction!(draw_dsds, module)?)?;
    module.add_function(wrap_pyfunction!(levels::check_environment, module)?)?;
    module.add_function(wrap_pyfunction!(run::wait_for_writers, module)?)?;
    module.add_function(wrap_pyfunction!(program::compile, module)?)?;
    module.add_function(wrap_pyfunction!(layout::compile_layout, module)?)?;
    module.add_class::<program::Program>()?;
    module.add_class::<runner::Runner>()?;
    module.add_class::<runner::Ticket>()?;
    module.add_class::<snapshot::Snapshot>()
}
