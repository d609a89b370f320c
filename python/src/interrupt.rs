//! Ctrl-C and SIGTERM while the simulator runs: Python only notes the first and looks at it when native code returns,
//! and the second ends a process at once. So the run has to stop by itself, to report how far it has come.

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Exit status of a script that SIGTERM ends: what a shell says of a process without a handler.
const TERMINATED: i32 = 143;

/// Becomes true at the signal. The handler that was there before, which is Python's, still gets it.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let asked = Arc::new(AtomicBool::new(false));
    // Without a handler of ours a run goes on until Python looks at the signal.
    let _ = signal_hook::flag::register(SIGINT, Arc::clone(&asked));
    asked
});

/// What a run looks at: both signals, or SIGTERM alone if the script handles Ctrl-C itself, as a run that has stopped
/// cannot go on.
pub fn stop(py: Python<'_>) -> PyResult<&'static AtomicBool> {
    let termination = &*TERMINATION;
    let signal = py.import("signal")?;
    let handler = signal.call_method1("getsignal", (SIGINT,))?;
    let is_default = handler.is(&signal.getattr("default_int_handler")?);
    Ok(if is_default { &ASKED } else { &termination.has_come })
}

/// SIGTERM, as long as the script does not handle it.
struct Termination {
    /// Whether it ends the process at once: no run is in progress that could report first.
    is_immediate: Arc<AtomicBool>,
    /// Whether it has come during a run.
    has_come: Arc<AtomicBool>,
}

static TERMINATION: LazyLock<Termination> = LazyLock::new(|| {
    let (is_immediate, has_come) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
    // Without handlers of ours the default holds. The first has to come first: it sees what was before the signal.
    let _ = signal_hook::flag::register_conditional_default(SIGTERM, Arc::clone(&is_immediate));
    let _ = signal_hook::flag::register(SIGTERM, Arc::clone(&has_come));
    let _ = signal_hook::flag::register(SIGTERM, Arc::clone(&ASKED));
    Termination { is_immediate, has_come }
});

/// While it exists, SIGTERM stops the run instead of ending the process.
pub struct RunInProgress(());

impl RunInProgress {
    /// A run begins: what came before it is none of its business.
    pub fn begin(py: Python<'_>) -> PyResult<RunInProgress> {
        for flag in [&ASKED, &TERMINATION.has_come] {
            flag.store(false, Ordering::Relaxed);
        }
        let signal = py.import("signal")?;
        let is_default = signal.call_method1("getsignal", (SIGTERM,))?.is(&signal.getattr("SIG_DFL")?);
        if is_default {
            TERMINATION.is_immediate.store(false, Ordering::Relaxed);
        }
        Ok(RunInProgress(()))
    }
}

impl Drop for RunInProgress {
    fn drop(&mut self) {
        TERMINATION.is_immediate.store(true, Ordering::Relaxed);
    }
}

/// The exception for a run that has stopped; its text is the report. A script that SIGTERM ends never shows that text, so
/// it is printed here.
pub fn exception(py: Python<'_>, report: String) -> PyErr {
    if TERMINATION.has_come.load(Ordering::Relaxed) {
        eprintln!("{report}");
        return PySystemExit::new_err(TERMINATED);
    }
    match py.check_signals() {
        Err(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => error,
        Ok(()) | Err(_) => PyKeyboardInterrupt::new_err(report),
    }
}
