use crate::RunError;
use crate::diagnostics::exception;
use crate::fault::guarded;
use crate::interrupt;
use crate::recordings::Recordings;
use crate::runner::Ticket;
use cslrun::{Failure, MessageFormat, render};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A run, and what is recorded of it.
pub struct Run {
    pub runner: cslrun::Runner,
    pub recordings: Recordings,
    /// Ctrl-C has stopped the run while wavelets were on their way, so it cannot go on.
    is_interrupted: bool,
}

impl Run {
    /// A run that has not begun.
    pub fn new(runner: cslrun::Runner, recordings: Recordings) -> Run {
        Run { runner, recordings, is_interrupted: false }
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
                    self.recordings.fail(&mut self.runner, &failure);
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
