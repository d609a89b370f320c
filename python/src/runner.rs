use crate::RunError;
use crate::diagnostics::{exception, for_reader, objects};
use crate::fault::guarded;
use crate::interrupt;
use crate::levels::{self, Choice};
use crate::program::Program;
use crate::recordings::{Recordings, numbered, tell};
use crate::run::{Machine, Run, Writer};
use crate::snapshot::{Snapshot, Value, bytes, values_of};
use cslrun::cli::{AttachedRun, Debugger, Goal, ProgressLine, RunSettings};
use cslrun::{
    Color, CopyRequest, CopyWidth, Direction, EdgeStream, MessageFormat, PeCoord, Printed, Region,
    RunOptions, StreamRequest, render,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::Duration;

/// Column, row, width and height in PEs.
type RegionOfPes = (u16, u16, u16, u16);

/// A command in the queue.
#[pyclass(frozen)]
pub struct Ticket(pub cslrun::Ticket);

/// One run of a program. One thread uses it at a time; others get an exception.
#[pyclass(frozen)]
pub struct Runner {
    run: Arc<Mutex<Run>>,
    /// A thread of ours uses the run to write what was recorded: others wait for it.
    is_written_now: Arc<AtomicBool>,
}

/// A variable on all PEs: its scalar, whether it is one value, the columns and rows of its PEs, the number of
/// elements on each, and the bits of all elements as little-endian 64-bit numbers.
type VariableOnPes<'py> = (&'static str, bool, Vec<(u16, u16)>, Vec<usize>, Bound<'py, PyBytes>);

/// The scalar of the elements, the sizes of the array, the bits of all elements as 64-bit numbers.
type Elements = (&'static str, Vec<u32>, Vec<u64>);

#[pymethods]
impl Runner {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        program: &Program,
        checked: bool,
        max_cycles: Option<u64>,
        threads: Option<usize>,
        seed: Option<u64>,
        trace: Option<&str>,
        report: Option<&str>,
        keeps_report: bool,
        profile: Option<&str>,
        keeps_profile: bool,
        levels: Vec<Choice>,
    ) -> PyResult<Runner> {
        let defaults = RunOptions::default();
        let mut settings = RunSettings::of_environment().map_err(PyValueError::new_err)?;
        let is_told = settings.records();
        let levels = levels::chosen(&levels)?;
        settings.trace = settings.trace.filter(|_| trace.is_none()).map(|path| numbered(&path));
        settings.report = settings.report.filter(|_| report.is_none()).map(|path| numbered(&path));
        settings.profile = settings.profile.filter(|_| profile.is_none()).map(|path| numbered(&path));
        trace.map_or(Ok(()), |path| settings.trace_to(path)).map_err(PyValueError::new_err)?;
        report.map_or(Ok(()), |path| settings.report_to(path)).map_err(PyValueError::new_err)?;
        profile.map_or(Ok(()), |path| settings.profile_to(path)).map_err(PyValueError::new_err)?;
        (settings.keeps_report, settings.keeps_profile) = (keeps_report, keeps_profile);
        settings.check().map_err(PyValueError::new_err)?;
        let stop = interrupt::stop(py)?;
        guarded(|| {
            cslrun::Runner::check_memory(&program.image, None).map_err(|failure| {
                let sources = program.image.sources();
                exception(py, RunError::new_err, sources, &failure.diagnostics(sources))
            })?;
            let rows = usize::from(program.image.size().1);
            // The variable is meant for programs of every size.
            let of_environment = settings.threads.map(|threads| threads.min(rows));
            let threads = threads.or(of_environment);
            let threads = threads.unwrap_or_else(|| cslrun::Runner::automatic_threads(&program.image));
            let max_cycles = max_cycles.or(settings.max_cycles);
            let seed = seed.or(settings.seed);
            let (stop, pulse) = (Some(stop), ProgressLine::pulse());
            let options = RunOptions { checked, max_cycles, threads, levels, stop, pulse, seed, ..defaults };
            let begun = (program.image.clone(), options);
            let mut machine = match settings.debugger {
                None => Machine::Free(Box::new(cslrun::Runner::new(begun.0, begun.1))),
                Some(debugger) => Machine::Debugged(Box::new(debugged(py, debugger, begun)?)),
            };
            let recordings = machine.look(|runner| Recordings::begin(settings, is_told, runner));
            let is_written_now = Arc::new(AtomicBool::new(false));
            let new = |own: &Weak<_>| {
                Mutex::new(Run::new(machine, recordings, Writer::new(own.clone(), is_written_now.clone())))
            };
            Ok(Runner { run: Arc::new_cyclic(new), is_written_now })
        })
    }

    /// The run belongs to a script under `cs_python`, whose options its messages name.
    fn belongs_to_script(&self) -> PyResult<()> {
        self.run()?.is_script = true;
        Ok(())
    }

    /// Whether the run is recorded, so that it is worth while to say which line issues a command.
    #[getter]
    fn is_recorded(&self) -> PyResult<bool> {
        Ok(self.run()?.recordings.is_on())
    }

    /// Names the line of the host script that issues the next commands.
    fn issued_at(&self, place: &str) -> PyResult<()> {
        self.run()?.machine.look(|runner| runner.issued_at(place));
        Ok(())
    }

    /// Writes the trace, the report and the profile of the run up to now, unless they are written already.
    fn write_recordings(&self) -> PyResult<()> {
        let run = &mut *self.run()?;
        guarded(|| {
            run.machine.look(|runner| run.recordings.write(runner));
            Ok(())
        })
    }

    /// The report as an HTML page; `None` if it is not recorded.
    fn report_page(&self) -> PyResult<Option<String>> {
        let run = &mut *self.run()?;
        guarded(|| Ok(run.machine.look(|runner| run.recordings.page(runner))))
    }

    /// The profile up to now in the form that a file with such an ending has; `None` if the run has none.
    fn profile_as<'py>(&self, py: Python<'py>, ending: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let run = &mut *self.run()?;
        guarded(|| {
            let profile = run.machine.look(|runner| run.recordings.profile_as(ending, runner));
            Ok(profile.map(|bytes| PyBytes::new(py, &bytes)))
        })
    }

    /// Runs until a cycle; false if nothing can happen any more before it.
    fn run_to(&self, py: Python<'_>, cycle: u64) -> PyResult<bool> {
        self.run()?.go(py, Goal::Cycle(cycle), move |runner| runner.run_to(cycle))
    }

    /// Reads a variable from all PEs that have it.
    fn read_variable<'py>(&self, py: Python<'py>, name: &str) -> PyResult<VariableOnPes<'py>> {
        let run = &mut *self.run()?;
        let settled = run.machine.act(cslrun::Runner::queue_settling);
        run.go(py, Goal::Done(settled), move |runner| runner.wait(settled))?;
        let found = run.machine.look(|runner| runner.read_settled(name));
        let (variable, values) = run.checked(py, found)?;
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let pes = variable.pes.iter().map(|(at, _)| (at.x, at.y)).collect();
        let counts = values.iter().map(Vec::len).collect();
        Ok((variable.scalar.name(), variable.single, pes, counts, PyBytes::new(py, &bytes)))
    }

    /// Reads a variable of one PE, without waiting for anything.
    fn peek(&self, py: Python<'_>, x: u16, y: u16, name: &str) -> PyResult<Elements> {
        let run = &mut *self.run()?;
        guarded(|| {
            run.check_place(x, y)?;
            let found = run.machine.look(|runner| runner.peek(PeCoord { x, y }, name));
            let (scalar, dims, values) = run.checked(py, found)?;
            Ok((scalar.name(), dims, values))
        })
    }

    /// Writes elements, as bits, to a variable of one PE from its start, without waiting for anything.
    fn poke(&self, py: Python<'_>, x: u16, y: u16, name: &str, values: Vec<u64>) -> PyResult<()> {
        let run = &mut *self.run()?;
        guarded(|| {
            run.check_place(x, y)?;
            let at = PeCoord { x, y };
            let found = run.machine.look(|runner| runner.peek(at, name));
            let (scalar, ..) = run.checked(py, found)?;
            let name = name.to_string();
            let write = move |runner: &mut cslrun::Runner| runner.write_elements(at, &name, scalar, &values);
            let written = run.machine.act(write);
            run.checked(py, written)
        })
    }

    fn queue_copy_in(
        &self,
        py: Python<'_>,
        name: String,
        region: RegionOfPes,
        words: &[u8],
        bits: u8,
    ) -> PyResult<Ticket> {
        let region = of_pes(region);
        let words = words_of(words);
        // A region without PEs is refused for what it is, not for the number of words.
        let elements = words.len() / region.pes().max(1);
        let copy = CopyRequest { name, region, elements, width: width(bits)? };
        self.run()?.queue(py, move |runner| runner.queue_copy_in(&copy, &words))
    }

    fn queue_copy_out(
        &self,
        py: Python<'_>,
        name: String,
        region: RegionOfPes,
        elements: usize,
        bits: u8,
    ) -> PyResult<Ticket> {
        let copy = CopyRequest { name, region: of_pes(region), elements, width: width(bits)? };
        self.run()?.queue(py, move |runner| runner.queue_copy_out(&copy))
    }

    fn queue_stream_in(
        &self,
        py: Python<'_>,
        color: u8,
        region: RegionOfPes,
        words: &[u8],
        pe_by_pe: bool,
    ) -> PyResult<Ticket> {
        let region = of_pes(region);
        let words = words_of(words);
        let elements = words.len() / region.pes().max(1);
        let copy = StreamRequest { color: Color(color), region, elements, pe_by_pe };
        self.run()?.queue(py, move |runner| runner.queue_stream_in(&copy, &words))
    }

    fn queue_stream_out(
        &self,
        py: Python<'_>,
        color: u8,
        region: RegionOfPes,
        elements: usize,
        pe_by_pe: bool,
    ) -> PyResult<Ticket> {
        let copy = StreamRequest { color: Color(color), region: of_pes(region), elements, pe_by_pe };
        self.run()?.queue(py, move |runner| runner.queue_stream_out(&copy))
    }

    fn queue_launch(&self, py: Python<'_>, name: String, words: Vec<u32>) -> PyResult<Ticket> {
        self.run()?.queue(py, move |runner| runner.queue_launch(&name, &words))
    }

    /// Sends words on a host stream of a layout.
    fn queue_send(&self, stream: usize, words: &[u8]) -> PyResult<Ticket> {
        let run = &mut *self.run()?;
        run.check_stream(stream, true)?;
        let words = words_of(words);
        Ok(Ticket(run.machine.act(move |runner| runner.queue_send(stream, &words))))
    }

    /// Sends a control wavelet on a stream at the edge.
    fn queue_send_control(&self, stream: usize, payload: u32) -> PyResult<Ticket> {
        let run = &mut *self.run()?;
        run.check_stream(stream, true)?;
        Ok(Ticket(run.machine.act(move |runner| runner.queue_send_control(stream, payload))))
    }

    /// The host serves the edges of the rectangle: once its streams are done, code that waits is no failure.
    fn serve_edges(&self) -> PyResult<()> {
        self.run()?.machine.act(cslrun::Runner::serve_edges);
        Ok(())
    }

    /// Adds a stream over a link at the edge of the rectangle, before anything runs: its name, whether the host sends,
    /// column and row of the PE inside, the side, the color. Returns its number.
    fn add_edge_stream(
        &self,
        name: String,
        to_wafer: bool,
        place: (u16, u16),
        side: &str,
        color: u8,
    ) -> PyResult<usize> {
        let run = &mut *self.run()?;
        let (pe, color) = (PeCoord { x: place.0, y: place.1 }, Color(color));
        let (into, out) = run.edge_sides(pe, color)?;
        let sides = if to_wafer { into } else { out };
        let side = sides.into_iter().find(|known| known.name() == side).ok_or_else(|| {
            PyValueError::new_err(format!("color {color} has no route over the {side} edge of {pe}"))
        })?;
        let stream = EdgeStream { name, to_wafer, pe, side, color };
        Ok(run.machine.act(move |runner| runner.add_edge_stream(stream.clone())))
    }

    /// The sides on which the rectangle ends at a PE: those from which a color is accepted, and those on which it leaves.
    fn edge_sides(&self, x: u16, y: u16, color: u8) -> PyResult<(Vec<&'static str>, Vec<&'static str>)> {
        let (into, out) = self.run()?.edge_sides(PeCoord { x, y }, Color(color))?;
        let names = |sides: Vec<Direction>| sides.into_iter().map(Direction::name).collect();
        Ok((names(into), names(out)))
    }

    /// Asks for words of a host stream of a layout.
    fn queue_receive(&self, stream: usize, count: u64) -> PyResult<Ticket> {
        let run = &mut *self.run()?;
        run.check_stream(stream, false)?;
        Ok(Ticket(run.machine.act(move |runner| runner.queue_receive(stream, count))))
    }

    /// Runs until a transfer is done; false if nothing can happen before.
    fn run_until(&self, py: Python<'_>, ticket: &Ticket) -> PyResult<bool> {
        let ticket = ticket.0;
        self.run()?.go(py, Goal::Done(ticket), move |runner| runner.run_until(ticket))
    }

    /// Runs until nothing can happen any more unless the host acts.
    fn run_until_quiet(&self, py: Python<'_>) -> PyResult<()> {
        self.run()?.go(py, Goal::Quiet, cslrun::Runner::run_until_quiet)
    }

    /// From now on the host takes whatever comes on a host stream.
    fn drain(&self, stream: usize) -> PyResult<()> {
        let run = &mut *self.run()?;
        run.check_stream(stream, false)?;
        run.machine.act(move |runner| runner.drain(stream));
        Ok(())
    }

    /// What has come since [`Runner::drain`], little-endian.
    fn end_drain<'py>(&self, py: Python<'py>, stream: usize) -> PyResult<Bound<'py, PyBytes>> {
        let run = &mut *self.run()?;
        run.check_stream(stream, false)?;
        let words = run.machine.act(move |runner| runner.end_drain(stream));
        bytes_of(py, &words)
    }

    /// What an unfinished transfer waits for.
    fn describe_wait(&self, ticket: &Ticket) -> PyResult<Option<String>> {
        Ok(self.run()?.machine.look(|runner| runner.describe_wait(ticket.0)))
    }

    fn is_done(&self, ticket: &Ticket) -> PyResult<bool> {
        Ok(self.run()?.machine.look(|runner| runner.is_done(ticket.0)))
    }

    /// Runs until a command is done.
    fn wait(&self, py: Python<'_>, ticket: &Ticket) -> PyResult<()> {
        let ticket = ticket.0;
        self.run()?.go(py, Goal::Done(ticket), move |runner| runner.wait(ticket))
    }

    /// The words of a finished copy from the wafer, little-endian; `None` if there are none, because the copy has
    /// failed or they were taken before.
    fn take_words<'py>(&self, py: Python<'py>, ticket: &Ticket) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let words = self.run()?.machine.look(|runner| runner.take_words(ticket.0));
        words.map(|words| bytes_of(py, &words)).transpose()
    }

    /// What the checker has found so far, as text.
    fn warnings_so_far(&self) -> PyResult<String> {
        let run = &mut *self.run()?;
        guarded(|| {
            let warnings = run.machine.look(|runner| runner.warnings());
            let warnings = for_reader(&warnings, run.is_script);
            Ok(render(run.machine.program().sources(), &warnings, MessageFormat::Plain, false))
        })
    }

    /// Runs until nothing happens any more; the warnings about what is left, as text and as objects.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<(String, Bound<'py, PyAny>)> {
        let run = &mut *self.run()?;
        let warnings = run.go(py, Goal::End, cslrun::Runner::run_until_idle)?;
        run.machine.look(|runner| run.recordings.end(runner, &warnings));
        let program = run.machine.program();
        let sources = program.sources();
        let warnings = for_reader(&warnings, run.is_script);
        let text = render(sources, &warnings, MessageFormat::Plain, false);
        Ok((text, objects(py, sources, &warnings)?))
    }

    fn cycles(&self) -> PyResult<u64> {
        Ok(self.run()?.machine.look(|runner| runner.cycles()))
    }

    fn last_arrival(&self) -> PyResult<u64> {
        Ok(self.run()?.machine.look(|runner| runner.last_arrival()))
    }

    /// Lines printed so far: cycle, column, row, text.
    fn printed(&self) -> PyResult<Vec<(u64, u16, u16, String)>> {
        let run = &mut *self.run()?;
        guarded(|| {
            Ok(run.machine.look(|runner| {
                let lines = runner.printed().iter();
                lines.map(|l| (l.cycle, l.pe.x, l.pe.y, l.text.clone())).collect()
            }))
        })
    }

    /// From now on, a line `@<cycle> <text>` for each line that a PE prints is appended to a file while the program runs.
    fn log_lines(&self, path: PathBuf) -> PyResult<()> {
        let append = move |lines: &[Printed]| {
            let text: String = lines.iter().map(|line| format!("@{} {}\n", line.cycle, line.text)).collect();
            let file = File::options().append(true).create(true).open(&path);
            file.and_then(|mut file| file.write_all(text.as_bytes())).is_ok()
        };
        self.run()?.machine.look(|runner| runner.follow_lines(Box::new(append)));
        Ok(())
    }

    /// Appends what is left of the lines printed so far; returns how many of them could not be written.
    fn end_lines(&self) -> PyResult<usize> {
        Ok(self.run()?.machine.look(|runner| runner.take_unshown().len()))
    }

    fn trace(&self, x: u16, y: u16, key: &str) -> PyResult<Vec<Value>> {
        let run = &mut *self.run()?;
        guarded(|| {
            run.check_place(x, y)?;
            let records = run.machine.look(|runner| runner.records());
            Ok(values_of(&records, PeCoord { x, y }, key))
        })
    }

    fn symbol<'py>(&self, py: Python<'py>, x: u16, y: u16, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let run = &mut *self.run()?;
        guarded(|| {
            run.check_place(x, y)?;
            let found = run.machine.look(|runner| runner.read_symbol(PeCoord { x, y }, name));
            let (_, words) = run.checked(py, found)?;
            Ok(PyBytes::new(py, &bytes(&words)))
        })
    }

    /// The memory and the traces of all PEs.
    fn snapshot(&self) -> PyResult<Snapshot> {
        let run = &mut *self.run()?;
        guarded(|| Ok(Snapshot(run.machine.look(|runner| runner.snapshot()))))
    }
}

impl Runner {
    /// The run, for this thread alone.
    fn run(&self) -> PyResult<MutexGuard<'_, Run>> {
        loop {
            let is_written_now = self.is_written_now.load(Ordering::Acquire);
            match self.run.try_lock() {
                Ok(run) => return Ok(run),
                // What a panic has left half done fails again by itself.
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if is_written_now => {
                    // The thread that writes tells the user about it, for which it needs the interpreter.
                    Python::attach(|py| py.detach(|| std::thread::sleep(Duration::from_millis(5))));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(PyRuntimeError::new_err(
                        "another thread is using this run; give each thread a run of its own, or let the threads take turns",
                    ));
                }
            }
        }
    }
}

/// Begins a run that somebody debugs.
fn debugged(
    py: Python<'_>,
    debugger: Debugger,
    begun: (Arc<cslrun::Program>, RunOptions),
) -> PyResult<AttachedRun> {
    // Ctrl-C pauses the run; the script handles the signal itself if it wants to.
    let pause = interrupt::stop(py)?;
    let attached = py.detach(|| debugger.attach(begun, pause, tell));
    attached.map_err(PyValueError::new_err)
}

fn of_pes((x, y, w, h): RegionOfPes) -> Region {
    Region { x, y, w, h }
}

/// Words from little-endian bytes. The buffer protocol would need no copy, but older Pythons do not have it in their
/// stable interface.
fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn bytes_of<'py>(py: Python<'py>, words: &[u32]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, 4 * words.len(), |bytes| {
        bytes.chunks_exact_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        Ok(())
    })
}

fn width(bits: u8) -> PyResult<CopyWidth> {
    match bits {
        16 => Ok(CopyWidth::Bits16),
        32 => Ok(CopyWidth::Bits32),
        other => {
            Err(PyValueError::new_err(format!("the host copies elements of 16 or 32 bits, not {other}")))
        }
    }
}
