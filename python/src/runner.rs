use crate::RunError;
use crate::fault::guarded;
use crate::interrupt;
use crate::levels::{self, Choice};
use crate::program::Program;
use crate::snapshot::{Snapshot, Value, bytes, values_of};
use cslrun::{
    Color, Copy, CopyWidth, Diagnostic, Failure, MessageFormat, PeCoord, Region, RunOptions, StreamCopy,
    render,
};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Column, row, width and height in PEs.
type RegionOfPes = (u16, u16, u16, u16);

/// A command in the queue.
#[pyclass(frozen)]
pub struct Ticket(cslrun::Ticket);

/// One run of a program.
#[pyclass]
pub struct Runner {
    runner: cslrun::Runner,
    /// Ctrl-C has stopped the run while wavelets were on their way, so it cannot go on.
    is_interrupted: bool,
}

#[pymethods]
impl Runner {
    #[new]
    fn new(
        py: Python<'_>,
        program: &Program,
        checked: bool,
        max_cycles: Option<u64>,
        threads: Option<usize>,
        levels: Vec<Choice>,
    ) -> PyResult<Runner> {
        let defaults = RunOptions::default();
        let max_cycles = max_cycles.unwrap_or(defaults.max_cycles);
        let levels = levels::chosen(&levels)?;
        let stop = interrupt::stop(py)?;
        guarded(|| {
            cslrun::Runner::check_memory(&program.image, None).map_err(|failure| {
                let sources = program.image.sources();
                RunError::new_err(render(sources, &failure.diagnostics(sources), MessageFormat::Plain, false))
            })?;
            let threads = threads.unwrap_or_else(|| cslrun::Runner::automatic_threads(&program.image));
            let options = RunOptions { checked, max_cycles, threads, levels, stop, ..defaults };
            Ok(Runner { runner: cslrun::Runner::new(program.image.clone(), options), is_interrupted: false })
        })
    }

    fn queue_copy_in(
        &mut self,
        py: Python<'_>,
        name: String,
        region: RegionOfPes,
        words: PyBuffer<u32>,
        bits: u8,
    ) -> PyResult<Ticket> {
        let region = of_pes(region);
        let words = words.to_vec(py)?;
        // A region without PEs is refused for what it is, not for the number of words.
        let elements = words.len() / region.pes().max(1);
        let copy = Copy { name, region, elements, width: width(bits)? };
        self.queue(|runner| runner.queue_copy_in(&copy, &words))
    }

    fn queue_copy_out(
        &mut self,
        name: String,
        region: RegionOfPes,
        elements: usize,
        bits: u8,
    ) -> PyResult<Ticket> {
        let copy = Copy { name, region: of_pes(region), elements, width: width(bits)? };
        self.queue(|runner| runner.queue_copy_out(&copy))
    }

    fn queue_stream_in(
        &mut self,
        py: Python<'_>,
        color: u8,
        region: RegionOfPes,
        words: PyBuffer<u32>,
        pe_by_pe: bool,
    ) -> PyResult<Ticket> {
        let region = of_pes(region);
        let words = words.to_vec(py)?;
        let elements = words.len() / region.pes().max(1);
        let copy = StreamCopy { color: Color(color), region, elements, pe_by_pe };
        self.queue(|runner| runner.queue_stream_in(&copy, &words))
    }

    fn queue_stream_out(
        &mut self,
        color: u8,
        region: RegionOfPes,
        elements: usize,
        pe_by_pe: bool,
    ) -> PyResult<Ticket> {
        let copy = StreamCopy { color: Color(color), region: of_pes(region), elements, pe_by_pe };
        self.queue(|runner| runner.queue_stream_out(&copy))
    }

    fn queue_launch(&mut self, name: &str, words: Vec<u32>) -> PyResult<Ticket> {
        self.queue(|runner| runner.queue_launch(name, &words))
    }

    /// Sends words on a host stream of a layout.
    fn queue_send(&mut self, py: Python<'_>, stream: usize, words: PyBuffer<u32>) -> PyResult<Ticket> {
        self.check_stream(stream, true)?;
        let words = words.to_vec(py)?;
        Ok(Ticket(self.runner.queue_send(stream, &words)))
    }

    /// Asks for words of a host stream of a layout.
    fn queue_receive(&mut self, stream: usize, count: u64) -> PyResult<Ticket> {
        self.check_stream(stream, false)?;
        Ok(Ticket(self.runner.queue_receive(stream, count)))
    }

    /// Runs until a transfer is done; false if nothing can happen before.
    fn run_until(&mut self, py: Python<'_>, ticket: &Ticket) -> PyResult<bool> {
        self.run(py, |runner| runner.run_until(ticket.0))
    }

    /// Runs until nothing can happen any more unless the host acts.
    fn run_until_quiet(&mut self, py: Python<'_>) -> PyResult<()> {
        self.run(py, cslrun::Runner::run_until_quiet)
    }

    /// From now on the host takes whatever comes on a host stream.
    fn drain(&mut self, stream: usize) -> PyResult<()> {
        self.check_stream(stream, false)?;
        self.runner.drain(stream);
        Ok(())
    }

    /// What has come since [`Runner::drain`], little-endian.
    fn end_drain<'py>(&mut self, py: Python<'py>, stream: usize) -> PyResult<Bound<'py, PyBytes>> {
        self.check_stream(stream, false)?;
        let words = self.runner.end_drain(stream);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// What an unfinished transfer waits for.
    fn describe_wait(&self, ticket: &Ticket) -> Option<String> {
        self.runner.describe_wait(ticket.0)
    }

    fn is_done(&self, ticket: &Ticket) -> bool {
        self.runner.is_done(ticket.0)
    }

    /// Runs until a command is done.
    fn wait(&mut self, py: Python<'_>, ticket: &Ticket) -> PyResult<()> {
        self.run(py, |runner| runner.wait(ticket.0))
    }

    /// Moves the words of a finished copy from the wafer into a buffer; false if there are none,
    /// because the copy has failed or they were taken before.
    fn take_words(&mut self, py: Python<'_>, ticket: &Ticket, into: PyBuffer<u32>) -> PyResult<bool> {
        match self.runner.take_words(ticket.0) {
            Some(words) => into.copy_from_slice(py, &words).map(|()| true),
            None => Ok(false),
        }
    }

    /// Runs until nothing happens any more; the warnings about what is left.
    fn finish(&mut self, py: Python<'_>) -> PyResult<String> {
        let warnings = self.run(py, cslrun::Runner::run_until_idle)?;
        Ok(self.report(&warnings))
    }

    fn cycles(&self) -> u64 {
        self.runner.cycles()
    }

    /// Lines printed after the first `from`: cycle, column, row, text.
    fn printed(&mut self, from: usize) -> PyResult<Vec<(u64, u16, u16, String)>> {
        guarded(|| {
            let lines = self.runner.printed().iter().skip(from);
            Ok(lines.map(|l| (l.cycle, l.pe.x, l.pe.y, l.text.clone())).collect())
        })
    }

    fn trace(&mut self, x: u16, y: u16, key: &str) -> PyResult<Vec<Value>> {
        guarded(|| {
            let records = self.runner.records();
            Ok(values_of(&records, PeCoord { x, y }, key))
        })
    }

    fn symbol<'py>(&mut self, py: Python<'py>, x: u16, y: u16, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        guarded(|| {
            self.check_place(x, y)?;
            let found = self.runner.read_symbol(PeCoord { x, y }, name);
            let (_, words) = self.checked(found)?;
            Ok(PyBytes::new(py, &bytes(&words)))
        })
    }

    /// The memory and the traces of all PEs.
    fn snapshot(&mut self) -> PyResult<Snapshot> {
        guarded(|| Ok(Snapshot(self.runner.snapshot())))
    }
}

impl Runner {
    /// Queues a command.
    fn queue(
        &mut self,
        command: impl FnOnce(&mut cslrun::Runner) -> Result<cslrun::Ticket, Failure>,
    ) -> PyResult<Ticket> {
        guarded(|| {
            let ticket = command(&mut self.runner);
            self.checked(ticket).map(Ticket)
        })
    }

    /// Runs without the lock of the interpreter, until it is done or Ctrl-C stops it.
    fn run<T: Send>(
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
            match py.detach(|| run(&mut self.runner)) {
                Err(failure @ Failure::Interrupted(_)) => {
                    self.is_interrupted = true;
                    let report = self.report(&failure.diagnostics(self.runner.program().sources()));
                    Err(interrupt::exception(py, report))
                }
                ended => self.checked(ended),
            }
        })
    }

    fn checked<T>(&self, result: Result<T, Failure>) -> PyResult<T> {
        result.map_err(|failure| {
            // What was suspicious may be why the program went wrong.
            let is_misuse = matches!(failure, Failure::Misuse(_));
            let mut all = if is_misuse { Vec::new() } else { self.runner.warnings() };
            all.extend(failure.diagnostics(self.runner.program().sources()));
            RunError::new_err(self.report(&all))
        })
    }

    fn report(&self, diagnostics: &[Diagnostic]) -> String {
        render(self.runner.program().sources(), diagnostics, MessageFormat::Plain, false)
    }

    fn check_stream(&self, stream: usize, to_wafer: bool) -> PyResult<()> {
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

    fn check_place(&self, x: u16, y: u16) -> PyResult<()> {
        let (w, h) = self.runner.program().size();
        if x < w && y < h {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("PE({x},{y}) lies outside the program rectangle of {w} x {h} PEs")))
    }
}

fn of_pes((x, y, w, h): RegionOfPes) -> Region {
    Region { x, y, w, h }
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
