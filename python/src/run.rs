use crate::RunError;
use crate::diagnostics::exception;
use crate::fault::guarded;
use crate::interrupt;
use crate::recordings::Recordings;
use crate::runner::Ticket;
use cslrun::{Failure, MessageFormat, render};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

/// A run, and what is recorded of it.
pub struct Run {
    pub runner: cslrun::Runner,
    pub recordings: Recordings,
    /// Ctrl-C has stopped the run while wavelets were on their way, so it cannot go on.
    is_interrupted: bool,
    writer: Writer,
}

/// Writes what was recorded of a run while its script goes on.
pub struct Writer {
    run: Weak<Mutex<Run>>,
    /// Whether it is at work.
    is_writing: Arc<AtomicBool>,
}

/// Says that the writer is done, however it ends.
struct Writing(Arc<AtomicBool>);

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Writer {
    /// The writer of a run, which is not at work.
    pub fn new(run: Weak<Mutex<Run>>, is_writing: Arc<AtomicBool>) -> Writer {
        Writer { run, is_writing }
    }

    /// Begins as soon as nobody uses the run.
    fn start(&self) {
        self.is_writing.store(true, Ordering::Release);
        let (run, writing) = (self.run.clone(), Writing(self.is_writing.clone()));
        let writer = std::thread::spawn(move || {
            let _writing = writing;
            let Some(run) = run.upgrade() else { return };
            let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
            let Run { runner, recordings, .. } = &mut *run;
            recordings.write(runner);
        });
        WRITERS.lock().unwrap_or_else(PoisonError::into_inner).push(writer);
    }
}

/// The threads that write, for the end of the process.
static WRITERS: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// Waits until nobody writes recordings any more: also those of runs that the script has dropped.
#[pyfunction]
pub fn wait_for_writers(py: Python<'_>) {
    let writers = std::mem::take(&mut *WRITERS.lock().unwrap_or_else(PoisonError::into_inner));
    // A writer that has panicked has nothing more to write.
    py.detach(|| writers.into_iter().for_each(|writer| drop(writer.join())));
}

impl Run {
    /// A run that has not begun.
    pub fn new(runner: cslrun::Runner, recordings: Recordings, writer: Writer) -> Run {
        Run { runner, recordings, is_interrupted: false, writer }
    }

    /// Queues a command.
    pub fn queue(
        &mut self,
        py: Python<'_>,
        command: impl FnOnce(&mut cslrun::Runner) -> Result<cslrun::Ticket, Failure>,
    ) -> PyResult<Ticket> {
        guarded(|| {
            self.recordings.goes_on();
            let ticket = command(&mut self.runner);
            self.checked(py, ticket).map(Ticket)
        })
    }

    /// Runs without the lock of the interpreter, until it is done or Ctrl-C stops it.
    pub fn go<T: Send>(
        &mut self,
        py: Python<'_>,
        run: impl FnOnce(&mut cslrun::Runner) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        guarded(|| {
            if self.is_interrupted {
                return Err(RunError::new_err(
                    "the run was interrupted and cannot go on; load the program again",
                ));
            }
            interrupt::run_begins();
            self.recordings.goes_on();
            let runner = &mut self.runner;
            match py.detach(|| run(runner)) {
                Err(failure @ Failure::Interrupted(_)) => {
                    self.is_interrupted = true;
                    // Whoever stops a run does not want to wait until a long trace is written.
                    if self.recordings.note_failure(&failure) {
                        self.writer.start();
                    }
                    let sources = self.runner.program().sources();
                    let report = render(sources, &failure.diagnostics(sources), MessageFormat::Plain, false);
                    Err(interrupt::exception(py, report))
                }
                ended => self.checked(py, ended),
            }
        })
    }

    /// A failure as an exception. What the program did up to a failure is written to files that were asked for.
    pub fn checked<T>(&mut self, py: Python<'_>, result: Result<T, Failure>) -> PyResult<T> {
        result.map_err(|failure| {
            let program = self.runner.program().clone();
            let sources = program.sources();
            let mut all = Vec::new();
            if !matches!(failure, Failure::Misuse(_)) {
                self.recordings.fail(&mut self.runner, &failure);
                // What was suspicious may be why the program went wrong.
                all = self.runner.warnings();
            }
            all.extend(failure.diagnostics(sources));
            exception(py, RunError::new_err, sources, &all)
        })
    }

    /// An error unless the program has a host stream with this number in this direction.
    pub fn check_stream(&self, stream: usize, to_wafer: bool) -> PyResult<()> {
        match self.runner.streams().get(stream) {
            Some(known) if known.to_wafer == to_wafer => Ok(()),
            Some(known) => {
                let way = if known.to_wafer { "to" } else { "from" };
                let name = &known.name;
                Err(PyValueError::new_err(format!("the stream '{name}' carries words {way} the wafer")))
            }
            None => Err(PyValueError::new_err(format!("the program has no stream {stream}"))),
        }
    }

    /// An error unless a PE lies in the program rectangle.
    pub fn check_place(&self, x: u16, y: u16) -> PyResult<()> {
        let (w, h) = self.runner.program().size();
        if x < w && y < h {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("PE({x},{y}) lies outside the program rectangle of {w} x {h} PEs")))
    }
}

/// A script that drops a run has no more use for it: what was recorded is written.
impl Drop for Run {
    fn drop(&mut self) {
        let written = guarded(|| {
            self.recordings.write(&mut self.runner);
            Ok(())
        });
        // A destructor has nobody to tell.
        drop(written);
    }
}
