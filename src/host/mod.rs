//! The host side of a program: load, copy, launch, read.
//!
//! In: a `Program` and commands. Out: data, printed lines, a report; a `Failure` when it goes wrong.
//! Never: prints, or reads files.

mod commands;
mod copies;
mod debugging;
mod edge_streams;
mod ending;
mod final_state;
mod footprint;
mod independent_streams;
mod launches;
mod log;
mod machine;
mod names;
mod questions;
mod records;
mod report;
mod schedule;
mod snapshot;
mod streams;
#[cfg(test)]
mod tests;
mod variables;
mod view;

pub use crate::wafer::{
    Candidate, Decision, Deviation, ExecutionPoint, ExplorationEnd, Heartbeat, LineConsumer, Notice, Notices,
    Printed, StallReport, StepKind, StopCandidate, StopReport, VisitedStates,
};
pub use commands::Ticket;
pub use copies::{CopyRequest, CopyWidth, Region};
pub use debugging::{Condition, DebugRequest};
pub use edge_streams::EdgeStream;
pub use final_state::{FinalVariable, SeenChoice, SeenWrite};
pub use records::{Record, Recorded};
pub use report::RunReport;
pub use schedule::SeenDecision;
pub use snapshot::Snapshot;
pub use streams::StreamRequest;
pub use variables::Variable;
pub use view::{Call, OpAddress, PeView, TaskView, Tree, VariableValue};

use crate::diagnostics::{Diag, Diagnostic, Levels};
use crate::image::{ExportName, Program};
use crate::profile::{MOST_RECORDS, ProfiledRun};
use crate::source::SourceMap;
use crate::trace::{History, Recording, TraceFilter};
use crate::wafer::{Ended, PeOptions, Progress, ScheduleSeed, Wafer};
use commands::CommandStream;
use independent_streams::StreamPorts;
use indexmap::IndexMap;
use log::HostLog;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Default cycle limit of a run, which corresponds to minutes of host time.
pub const DEFAULT_MAX_CYCLES: u64 = 1_000_000_000;

/// The first line that a kernel printed in a public log came at about this cycle, after one small
/// copy and a launch.
const COMMAND_LATENCY: u64 = 1000;

/// Waking a thread takes as long as running about this many PEs for a cycle.
const PES_OF_A_THREAD: usize = 128;

/// The state of fewer PEs fits the caches of a processor.
const LARGE_FROM: usize = 4096;

/// Options of a run.
#[derive(Copy, Clone, Debug)]
pub struct RunOptions {
    /// The cycle limit of the run, up to which it goes on. With `None` it is [`DEFAULT_MAX_CYCLES`], and a program that
    /// goes on for ever after the last command of the host is left before that, with a warning.
    pub max_cycles: Option<u64>,
    /// Whether to look for undefined behaviour.
    pub checked: bool,
    /// The levels of rules.
    pub levels: Levels,
    /// By how many cycles each column starts a launch after the column to its west; `None` takes the latency of a
    /// hop.
    pub launch_skew: Option<u64>,
    /// The seed for everything that the machine leaves undefined: the order of equally ready tasks and microthreads,
    /// the arrival of launches, and the time between commands of the host.
    pub seed: Option<u64>,
    /// Depth of router buffers for each color and link (1 to 4), if it differs from that of the machine.
    pub link_depth: Option<u8>,
    /// Runs without any fast path: no superinstructions, no plans of DSD operations and one element of them after
    /// the other, nothing ahead of the clock, and one thread. The run is slower and otherwise the same; tests
    /// compare the two.
    pub plain: bool,
    /// Holds the time stamp counters of all PEs still, so that results do not depend on the time.
    pub holds_clock: bool,
    /// Cycles that a command of the memcpy library takes to arrive from the host.
    pub command_latency: u64,
    /// Number of threads that simulate a large wafer; the result does not depend on it.
    pub threads: usize,
    /// The minimum number of PEs in a cycle for which another thread is used; with 1, also where threads have taken
    /// longer than one.
    pub pes_of_a_thread: usize,
    /// Wafers with at least this many PEs run cycles in an order that suits state larger than the caches; the
    /// result is the same.
    pub large_from: usize,
    /// Setting this to true stops the run.
    pub stop: Option<&'static AtomicBool>,
    /// Where the run publishes its progress.
    pub pulse: Option<&'static Heartbeat>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            max_cycles: None,
            checked: true,
            levels: Levels::default(),
            launch_skew: None,
            seed: None,
            link_depth: None,
            plain: false,
            holds_clock: false,
            command_latency: COMMAND_LATENCY,
            threads: 1,
            pes_of_a_thread: PES_OF_A_THREAD,
            large_from: LARGE_FROM,
            stop: None,
            pulse: None,
        }
    }
}

/// Why a command or a run did not succeed.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The host has requested something that does not exist or does not fit.
    Misuse(Box<Diagnostic>),
    /// The program failed.
    Trapped(Vec<Diagnostic>),
    /// Nothing can move, and something is not finished.
    Stalled(Box<StallReport>),
    /// The cycle limit is reached.
    OutOfCycles(Box<StopReport>),
    /// The run was interrupted.
    Interrupted(Box<StopReport>),
}

impl Failure {
    /// The diagnostics to show.
    pub fn diagnostics(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        match self {
            Failure::Misuse(d) => vec![(**d).clone()],
            Failure::Trapped(all) => all.clone(),
            Failure::Stalled(report) => report.diagnostics(sources),
            Failure::OutOfCycles(report) | Failure::Interrupted(report) => vec![report.diagnostic(sources)],
        }
    }
}

impl From<Diag> for Failure {
    fn from(diag: Diag) -> Failure {
        Failure::Misuse(diag.0)
    }
}

/// A program on a wafer, and its host: launches exported functions, copies data, and reads results.
///
/// ```
/// use cslrun::{Arch, CompileOptions, MemoryLoader, RunOptions, Runner, compile};
///
/// let mut files = MemoryLoader::default();
/// files.add("layout.csl", r#"
/// const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
/// layout {
///   @set_rectangle(1, 1);
///   @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
///   @export_name("double", fn(u32) void);
///   @export_name("result", [*]u32, true);
/// }"#);
/// files.add("pe.csl", r#"
/// param memcpy_params: comptime_struct;
/// const memcpy = @import_module("<memcpy/memcpy>", memcpy_params);
/// var result = @zeros([1]u32);
/// var pointer: [*]u32 = &result;
/// fn double(n: u32) void {
///   result[0] = 2 * n;
///   memcpy.unblock_cmd_stream();
/// }
/// comptime {
///   @export_symbol(double);
///   @export_symbol(pointer, "result");
/// }"#);
///
/// let options = CompileOptions::new(Arch::Wse3);
/// let program = compile("layout.csl".as_ref(), &files, &options).into_program()?;
/// let mut runner = Runner::new(program.into(), RunOptions::default());
/// runner.launch("double", &[21]).expect("the program exports `double`");
/// runner.run_until_idle().expect("the program runs to its end");
/// let (_, values) = runner.read_variable("result").expect("the program exports `result`");
/// assert_eq!(values, [[42]]);
/// # Ok::<(), String>(())
/// ```
pub struct Runner {
    program: Arc<Program>,
    wafer: Wafer,
    options: RunOptions,
    stream: CommandStream,
    ports: StreamPorts,
    /// Whether the host serves the edges of the rectangle.
    serves_edges: bool,
    /// Warnings about copies, by rule and name.
    warnings: IndexMap<String, Diagnostic>,
    /// What the host does, while a run is recorded.
    log: Option<HostLog>,
}

impl Runner {
    /// The number of threads that suits a program on this machine, for [`RunOptions::threads`]: as many as it runs
    /// at once, if the wafer has at least 256 PEs for each.
    pub fn automatic_threads(program: &Program) -> usize {
        machine::automatic_threads(program)
    }

    /// Loads a program; nothing has run yet.
    pub fn new(program: Arc<Program>, options: RunOptions) -> Runner {
        let RunOptions { checked, levels, plain, holds_clock, .. } = options;
        let pe_options = PeOptions { checked, levels, plain, holds_clock };
        let mut wafer = Wafer::new(&program, pe_options);
        if let Some(seed) = options.seed {
            wafer.shuffle(ScheduleSeed::new(seed));
        }
        if let Some(depth) = options.link_depth {
            wafer.limit_links(depth);
        }
        if !options.plain {
            wafer.run_on(options.threads, options.pes_of_a_thread);
        }
        wafer.set_large_from(if options.plain { usize::MAX } else { options.large_from });
        if let Some(stop) = options.stop {
            wafer.stop_when(stop);
        }
        if let Some(pulse) = options.pulse {
            wafer.show(pulse);
        }
        for initial in program.sdk_layout.iter().flat_map(|layout| &layout.initial) {
            let pe = wafer.pe(initial.pe).expect("initial data belong to a PE with code");
            pe.write_words(initial.addr.into(), &initial.words).expect("initial data lie in a variable");
        }
        let (stream, ports) = (CommandStream::default(), StreamPorts::new(&program));
        let warnings = IndexMap::new();
        Runner { program, wafer, options, stream, ports, serves_edges: false, warnings, log: None }
    }

    /// Starts to record the events that the filter selects. Call it before anything runs.
    pub(crate) fn record(&mut self, filter: TraceFilter) {
        self.log = filter.wants_host().then(|| HostLog::new(filter.cycles.clone()));
        self.wafer.record(filter);
    }

    /// Takes notes for a profile. Call it before anything runs.
    pub(crate) fn start_profile(&mut self) {
        self.log = Some(HostLog::new(0..=u64::MAX));
        self.wafer.profile(MOST_RECORDS);
    }

    /// What was noted for a profile so far; `None` if nothing is.
    pub(crate) fn profiled_run(&self) -> Option<ProfiledRun> {
        let (pes, traffic) = self.wafer.profile_notes()?;
        let host = self.log.as_ref().map_or_else(Vec::new, |log| log.events(None));
        Some(ProfiledRun { program: self.program.clone(), end: self.wafer.cycles(), pes, traffic, host })
    }

    /// Names the line of the host script that issues the following commands, such as `run.py:12`. It appears in
    /// the trace and in the report of a run.
    pub fn issued_at(&mut self, place: &str) {
        if let Some(log) = &mut self.log {
            log.place = Some(place.to_string());
        }
    }

    /// The recording so far; `None` if nothing is recorded.
    pub(crate) fn recording(&mut self) -> Option<Recording> {
        let mut recording = self.wafer.recording()?;
        if let Some(log) = &self.log {
            recording.host = log.events(recording.cut);
        }
        Some(recording)
    }

    /// Records changes of the exported variables of all PEs, or of all variables if nothing is exported,
    /// until this many words have changed. Call it together with [`Runner::record`], before anything runs.
    pub(crate) fn follow_memory(&mut self, limit: usize) {
        self.wafer.follow_memory(limit);
    }

    /// The changes of variables so far; `None` if they are not recorded.
    pub(crate) fn memory_history(&self) -> Option<History> {
        self.wafer.memory_history()
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// What the layout exports, in its order.
    pub fn exports(&self) -> &[ExportName] {
        &self.program.exports
    }

    /// Cycles since the start; after an error, the cycle of the earliest one.
    pub fn cycles(&self) -> u64 {
        self.wafer.cycles()
    }

    /// The last cycle in which a wavelet came to a PE; 0 if none did.
    pub fn last_arrival(&self) -> u64 {
        self.wafer.last_arrival()
    }

    /// Lines printed so far.
    pub fn printed(&mut self) -> &[Printed] {
        self.wafer.printed()
    }

    /// From now on, passes printed lines on while the run goes on: those of cycles that are over, in the order of
    /// [`Runner::printed`], several times a second. A consumer that returns false gets no more.
    pub fn follow_lines(&mut self, consumer: LineConsumer) {
        self.wafer.follow_lines(consumer);
    }

    /// Passes on what is left of the lines printed so far, and takes those that nobody gets; each only once.
    pub fn take_unshown(&mut self) -> Vec<Printed> {
        self.wafer.take_unshown()
    }

    /// Warnings of the wafer so far.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.wafer.warnings()
    }

    /// Numbers about the run so far.
    pub fn report(&self) -> RunReport {
        RunReport::new(&self.wafer)
    }

    /// Runs until every queued command is done.
    ///
    /// # Errors
    /// The program fails, stalls, reaches its cycle limit or is interrupted before that.
    pub fn run_until_commands_done(&mut self) -> Result<(), Failure> {
        while !self.stream.is_empty() || !self.ports.are_done() {
            self.advance()?;
        }
        Ok(())
    }

    /// Advances the command stream if possible, otherwise the wafer by one cycle.
    fn advance(&mut self) -> Result<(), Failure> {
        if self.advance_if_possible()? { Ok(()) } else { Err(self.stalled()) }
    }

    /// The same; false if nothing happens any more.
    fn advance_if_possible(&mut self) -> Result<bool, Failure> {
        self.advance_within(self.limit())
    }

    /// The same, with another cycle limit.
    fn advance_within(&mut self, limit: u64) -> Result<bool, Failure> {
        self.advance_unseen(self.acts_from().min(limit), limit)
    }

    /// The cycle limit.
    fn limit(&self) -> u64 {
        self.options.max_cycles.unwrap_or(DEFAULT_MAX_CYCLES)
    }

    /// Runs until a cycle, or until nothing can happen before the host acts; returns whether the cycle is
    /// reached. Commands that are queued run meanwhile.
    ///
    /// # Errors
    /// The run fails, reaches its cycle limit or is interrupted before that.
    pub fn run_to(&mut self, cycle: u64) -> Result<bool, Failure> {
        self.while_waiting("a cycle", |host| {
            while host.wafer.now() < cycle {
                let is_free = host.stream.is_empty() && host.ports.is_empty();
                let patience = if is_free || host.awaits_kernels() { cycle } else { 0 };
                if !host.advance_unseen(patience, host.limit())? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Advances, not beyond the cycle `limit`; false if nothing happens any more. The host does nothing before the cycle
    /// `patience`.
    fn advance_unseen(&mut self, patience: u64, limit: u64) -> Result<bool, Failure> {
        if self.try_command(false)? {
            self.wafer.note_host_action();
            return Ok(true);
        }
        let has_moved = self.serve_ports();
        if has_moved || self.awaits_time() {
            self.wafer.note_host_action();
        }
        if self.wafer.follows_script() {
            self.note_host_state();
        }
        if self.wafer.now() >= limit {
            return Err(failure(self.wafer.out_of_cycles(limit)));
        }
        self.wafer.set_unobserved_until(patience);
        match self.wafer.cycle(limit) {
            Progress::Moving => Ok(true),
            Progress::Trapped => Err(failure(self.wafer.trapped())),
            Progress::Interrupted => Err(failure(self.wafer.interrupted())),
            // The tasks that repeat may be polling for the very command that waits.
            Progress::Repeats if !self.stream.is_empty() && !self.stream.skips_waiting => {
                self.stream.skips_waiting = true;
                self.wafer.note_host_action();
                Ok(true)
            }
            Progress::Repeats => Err(failure(self.wafer.repeats())),
            Progress::Quiet if self.wafer.has_held() => self.go_on_without_held(has_moved),
            Progress::Quiet => {
                Ok(has_moved || self.await_channels() || self.await_launch() || self.try_command(true)?)
            }
        }
    }

    /// The failure when the host waits and nothing moves any more.
    fn stalled(&self) -> Failure {
        let report = self.wafer.stall_report(self.host_waits());
        Failure::Stalled(Box::new(report.expect("a command that waits is unfinished")))
    }
}

fn failure(ended: Ended) -> Failure {
    match ended {
        Ended::Trapped(all) => Failure::Trapped(all),
        Ended::Stalled(report) => Failure::Stalled(report),
        Ended::OutOfCycles(report) => Failure::OutOfCycles(report),
        Ended::Interrupted(report) => Failure::Interrupted(report),
        Ended::Idle => unreachable!("an idle wafer has not failed"),
    }
}
