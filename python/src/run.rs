use crate::RunError;
use crate::diagnostics::{exception, for_reader};
use crate::fault::guarded;
use crate::interrupt::{self, RunInProgress};
use crate::recordings::Recordings;
use crate::runner::Ticket;
use cslrun::cli::{AttachedRun, Goal, ProgressLine, add_values_of_assertions};
use cslrun::{Color, Direction, Failure, MessageFormat, PeCoord, render};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

/// The wafer of a run.
pub enum Machine {
    /// It runs as fast as it can.
    Free(Box<cslrun::Runner>),
    /// Somebody debugs it.
    Debugged(Box<AttachedRun>),
}

impl Machine {
    /// Looks at the run.
    pub fn look<R>(&mut self, look: impl FnOnce(&mut cslrun::Runner) -> R) -> R {
        match self {
            Machine::Free(runner) => look(runner),
            Machine::Debugged(run) => run.look(look),
        }
    }

    /// The program.
    pub fn program(&mut self) -> Arc<cslrun::Program> {
        self.look(|runner| runner.program().clone())
    }

    /// Changes the run.
    pub fn act<T>(&mut self, act: impl Fn(&mut cslrun::Runner) -> T + Send + Sync + 'static) -> T {
        match self {
            Machine::Free(runner) => act(runner),
            Machine::Debugged(run) => run.act(act),
        }
    }
}

/// A run, and what is recorded of it.
pub struct Run {
    pub machine: Machine,
    pub recordings: Recordings,
    /// Ctrl-C has stopped the run while wavelets were on their way, so it cannot go on.
    is_interrupted: bool,
    /// It belongs to a script under `cs_python`.
    pub is_script: bool,
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
            let Run { machine, recordings, .. } = &mut *run;
            machine.look(|runner| recordings.write(runner));
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
    pub fn new(machine: Machine, recordings: Recordings, writer: Writer) -> Run {
        Run { machine, recordings, is_interrupted: false, is_script: false, writer }
    }

    /// Queues a command.
    pub fn queue(
        &mut self,
        py: Python<'_>,
        command: impl Fn(&mut cslrun::Runner) -> Result<cslrun::Ticket, Failure> + Send + Sync + 'static,
    ) -> PyResult<Ticket> {
        guarded(|| {
            self.recordings.goes_on();
            let ticket = self.machine.act(command);
            self.checked(py, ticket).map(Ticket)
        })
    }

    /// Runs without the lock of the interpreter, until it is done or Ctrl-C stops it. The goal tells a debugger when that
    /// will be.
    pub fn go<T: Send>(
        &mut self,
        py: Python<'_>,
        goal: Goal,
        run: impl Fn(&mut cslrun::Runner) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> PyResult<T> {
        guarded(|| {
            if self.is_interrupted {
                return Err(RunError::new_err(
                    "the run was interrupted and cannot go on; load the program again",
                ));
            }
            self.recordings.goes_on();
            let ended = match &mut self.machine {
                Machine::Free(runner) => {
                    let _in_progress = RunInProgress::begin(py)?;
                    let _line = ProgressLine::begin(None);
                    py.detach(|| run(runner))
                }
                // A request to pause may have come before the run.
                Machine::Debugged(attached) => {
                    let ended = py.detach(|| attached.run(goal, run));
                    // Ctrl-C has paused the run, and has done its work.
                    if !attached.is_free() {
                        drop(py.check_signals());
                    }
                    ended
                }
            };
            match ended {
                Err(failure @ Failure::Interrupted(_)) => {
                    self.is_interrupted = true;
                    // Whoever stops a run does not want to wait until a long trace is written.
                    if self.recordings.note_failure(&failure) {
                        self.writer.start();
                    }
                    let program = self.machine.program();
                    let sources = program.sources();
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
            let program = self.machine.program();
            let sources = program.sources();
            let mut all = Vec::new();
            if !matches!(failure, Failure::Misuse(_)) {
                self.machine.look(|runner| self.recordings.fail(runner, &failure));
                // What was suspicious may be why the program went wrong.
                all = self.machine.look(|runner| runner.warnings());
            }
            all.extend(failure.diagnostics(sources));
            self.machine.look(|runner| add_values_of_assertions(&mut all, sources, runner));
            let all = for_reader(&all, self.is_script);
            exception(py, RunError::new_err, sources, &all)
        })
    }

    /// An error unless the program has a host stream with this number in this direction.
    pub fn check_stream(&mut self, stream: usize, to_wafer: bool) -> PyResult<()> {
        match self.machine.look(|runner| runner.stream(stream).cloned()) {
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
    pub fn check_place(&mut self, x: u16, y: u16) -> PyResult<()> {
        let (w, h) = self.machine.program().size();
        if x < w && y < h {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("PE({x},{y}) lies outside the program rectangle of {w} x {h} PEs")))
    }

    /// The sides on which the rectangle ends at a PE: those from which a color is accepted, and those on which it leaves.
    pub fn edge_sides(&mut self, pe: PeCoord, color: Color) -> PyResult<(Vec<Direction>, Vec<Direction>)> {
        self.check_place(pe.x, pe.y)?;
        Ok(self.machine.look(|runner| runner.edge_sides(pe, color)))
    }
}

/// A script that drops a run has no more use for it: what was recorded is written.
impl Drop for Run {
    fn drop(&mut self) {
        let written = guarded(|| {
            match &mut self.machine {
                Machine::Free(runner) => self.recordings.write(runner),
                Machine::Debugged(attached) => attached.end(),
            }
            Ok(())
        });
        // A destructor has nobody to tell.
        drop(written);
    }
}
