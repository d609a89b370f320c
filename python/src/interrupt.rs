//! Ctrl-C while the simulator runs: Python only notes the signal and looks at it when native code returns, so the run
//! has to stop by itself.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use signal_hook::consts::SIGINT;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Becomes true at the signal. The handler that was there before, which is Python's, still gets it.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let asked = Arc::new(AtomicBool::new(false));
    // Without a handler of ours a run goes on until Python looks at the signal.
    let _ = signal_hook::flag::register(SIGINT, Arc::clone(&asked));
    asked
});

/// What a run looks at; `None` if the script handles the signal itself, as a run that has stopped cannot go on.
pub fn stop(py: Python<'_>) -> PyResult<Option<&'static AtomicBool>> {
    let signal = py.import("signal")?;
    let handler = signal.call_method1("getsignal", (SIGINT,))?;
    let is_default = handler.is(&signal.getattr("default_int_handler")?);
    Ok(is_default.then(|| &**ASKED))
}

/// A run begins: what came before it is none of its business.
pub fn run_begins() {
    ASKED.store(false, Ordering::Relaxed);
}

/// The exception for a run that has stopped; its text is the report.
pub fn exception(py: Python<'_>, report: String) -> PyErr {
    match py.check_signals() {
        Err(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => error,
        Ok(()) | Err(_) => PyKeyboardInterrupt::new_err(report),
    }
}
