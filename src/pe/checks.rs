//! Detects undefined and suspicious behaviour that the machine would not report. The checks have no effect on
//! the run itself; `--unchecked` turns them off.

use super::fabric_operands::{FabInOperand, Mixed};
use super::main_thread::MainThread;
use super::operation::Operation;
use super::queue::SendOperation;
use super::queues::{Queues, members};
use super::short_operand::ShortOperand;
use super::stall::Stall;
use super::tasks::{Tasks, bit};
use super::threads::Threads;
use crate::arch::{ArchName, DsrFile, DsrId, TaskId};
use crate::diagnostics::rules::dsd::CONST_DESTINATION;
use crate::diagnostics::rules::run as rules;
use crate::diagnostics::{Diag, Level, Levels};
use crate::dsd::local::{Dest, Source};
use crate::dsd::ops::DsdOp;
use crate::dsd::overlap;
use crate::exec::memory::Memory;
use crate::exec::sanitizer::Sanitizer;
use crate::image::code::{DsdRef, Reg};
use crate::image::{Symbol, TaskKind, TileImage};
use crate::source::Span;
use crate::value::math::MathFunction;

/// Options of a PE for one run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PeOptions {
    /// Whether to look for undefined behaviour that does no harm to the simulator itself.
    pub checked: bool,
    /// The levels of rules.
    pub levels: Levels,
    /// Takes no fast path, and does nothing ahead of the clock (`--engine plain`).
    pub plain: bool,
    /// Whether the time stamp counter stands still, so that results do not depend on the time.
    pub holds_clock: bool,
}

/// What activates a task.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Activator {
    /// `@activate`
    Code,
    /// `.activate` of an operation that has ended.
    EndedOperation,
}

impl Default for PeOptions {
    fn default() -> PeOptions {
        PeOptions { checked: true, levels: Levels::default(), plain: false, holds_clock: false }
    }
}

/// The detector of undefined behaviour, with the warnings of the current cycle.
#[derive(Clone)]
#[repr(C)]
pub(super) struct Checks {
    /// Warnings of this cycle.
    pub warnings: Vec<Diag>,
    told: Box<DiagnosticState>,
    /// Whether an element out of bounds stops the run. Cached, because every operation asks.
    pub denies_out_of_bounds: bool,
    /// Whether to warn of a vector that leaves the variable at its run-time address.
    pub warns_outside: bool,
    /// Whether to look for undefined behaviour that does no harm to the simulator itself.
    pub is_checked: bool,
    /// The main thread is ahead of the clock: the operation being prepared starts in a later cycle.
    pub is_early: bool,
    /// The main thread has failed ahead of the clock: the run ends when the clock has caught up.
    pub is_to_fail: bool,
}

/// State that only diagnostics need.
#[derive(Clone, Debug)]
struct DiagnosticState {
    levels: Levels,
    /// Operations that were already reported to leave a variable, which they may do very often.
    outside: Vec<Span>,
    /// Why the main thread fails when the clock has caught up.
    failure: Option<Diag>,
}

impl Checks {
    /// No warnings yet.
    pub fn new(is_checked: bool, levels: Levels) -> Checks {
        let denies_out_of_bounds = levels.of(rules::MEMORY_OUT_OF_BOUNDS.name) == Level::Deny;
        let warns_outside = is_checked && levels.of(rules::OUTSIDE_VARIABLE.name) != Level::Allow;
        Checks {
            warnings: Vec::new(),
            told: Box::new(DiagnosticState { levels, outside: Vec::new(), failure: None }),
            denies_out_of_bounds,
            warns_outside,
            is_checked,
            is_early: false,
            is_to_fail: false,
        }
    }

    /// Keeps an error until the clock has caught up with the main thread: another PE may fail before that.
    #[cold]
    pub fn fail_in_time(&mut self, failure: Diag) {
        self.is_to_fail = true;
        self.told.failure = Some(failure);
    }

    /// The error that has been kept.
    #[cold]
    pub fn take_failure(&mut self) -> Option<Diag> {
        self.is_to_fail = false;
        self.told.failure.take()
    }

    /// The range of words that a vector may access that was made from a range, in a memory of this size.
    #[inline]
    pub fn allowed(&self, (low, high): (u16, u16), size: usize) -> (u16, u16) {
        let size = size as u16;
        if self.is_checked { (low, high.min(size)) } else { (0, size) }
    }

    /// Reports a diagnostic after which the program continues, unless its level is `deny`.
    ///
    /// # Errors
    /// The diagnostic itself if it is denied, or if the PE is ahead of the clock: the operation is tried again
    /// when the clock has caught up, and by then there may be nothing to report.
    pub fn hazard(&mut self, diag: Diag) -> Result<(), Diag> {
        if self.is_early {
            return Err(diag);
        }
        self.warnings.extend(self.told.levels.weigh(diag)?);
        Ok(())
    }

    /// Reports, once for each operation, that it leaves a variable.
    ///
    /// # Errors
    /// As for [`Checks::hazard`].
    pub fn outside_variable(&mut self, span: Span, diag: impl Fn() -> Diag) -> Result<(), Diag> {
        if self.told.outside.contains(&span) {
            return Ok(());
        }
        self.hazard(diag().at(span))?;
        self.told.outside.push(span);
        Ok(())
    }

    /// The length of an operation. If an operand in memory is too short for it and that is not denied,
    /// the operation continues past the end of the operand.
    pub fn length(
        &mut self,
        total: impl Fn(bool) -> Result<Option<u32>, ShortOperand>,
        memory: &mut Memory,
        tile: &TileImage,
        span: Span,
    ) -> Result<Option<u32>, Diag> {
        match total(self.is_checked) {
            Ok(total) => Ok(total),
            Err(short) => {
                self.hazard(short.diag(tile, span))?;
                // Only the words of the operand itself have been allocated so far.
                memory.reach(memory.size());
                Ok(total(false).unwrap_or(Some(short.total)))
            }
        }
    }

    /// Two operations must not share a queue, and the wavelets of one must have left before the next starts. On
    /// WSE-3, operations of different microthreads may share a queue; an operation of the main thread has no
    /// microthread that would tell its wavelets apart (ruling OQ-37).
    pub fn check_queues(
        &mut self,
        operation: &Operation,
        is_async: bool,
        span: Span,
        queues: &mut Queues,
        threads: &Threads,
    ) -> Result<(), Diag> {
        if let (Some(output), Some(color)) = (operation.output(), operation.color()) {
            queues.outputs[output].sent_by = Some(SendOperation { color, span, is_async });
        }
        if !self.is_checked {
            return Ok(());
        }
        let shared = if threads.is_empty() { None } else { shared_queue(operation, queues, threads) };
        if let Some((queue, other)) = shared {
            if queues.arch_name() == ArchName::Wse2 {
                let c = rules::QUEUE_IN_USE.because(&[("queue", &queue)]).at(span);
                self.hazard(still_running(c, other).help(WAIT))?;
            } else if !is_async {
                let c = rules::QUEUE_SHARED.because(&[("queue", &queue)]).at(span);
                self.hazard(still_running(c, other).help(WAIT))?;
            }
        }
        self.check_outlet(operation, span, queues)?;
        for fabin in operation.fabins() {
            self.check_intake(fabin, span, queues)?;
        }
        Ok(())
    }

    /// Wavelets of another color that have not left yet would share the queue.
    fn check_outlet(&mut self, operation: &Operation, span: Span, queues: &Queues) -> Result<(), Diag> {
        let (Some(output), Some(color)) = (operation.output(), operation.color()) else { return Ok(()) };
        let outbox = &queues.outputs[output];
        let (Some(queue), Some(head)) = (outbox.queue, outbox.head_color()) else { return Ok(()) };
        if head == color {
            return Ok(());
        }
        let facts: [(&str, &dyn std::fmt::Display); 3] =
            [("queue", &format!("output queue {queue}")), ("count", &outbox.len()), ("color", &head)];
        let c = rules::QUEUE_NOT_EMPTY.because(&facts).at(span);
        self.hazard(c.help("use another queue, or wait until they have left"))
    }

    /// An input queue that served another color must have been emptied.
    fn check_intake(&mut self, fabin: &FabInOperand, span: Span, queues: &mut Queues) -> Result<(), Diag> {
        let Some(queue) = fabin.queue else { return Ok(()) };
        let color = queues.inputs[fabin.input].color;
        let before = queues.read_through(queue, color, span);
        let Some((other, place)) = before.filter(|(other, _)| *other != color) else { return Ok(()) };
        let left = queues.inputs.iter().find(|i| i.color == other).map_or(0, |i| i.len());
        if left == 0 {
            return Ok(());
        }
        let facts: [(&str, &dyn std::fmt::Display); 3] =
            [("queue", &format!("input queue {queue}")), ("count", &left), ("color", &other)];
        let c = rules::QUEUE_NOT_EMPTY.because(&facts).at(span);
        let c = c.also(place, format!("this one reads color {other}"));
        self.hazard(c.help("receive all wavelets of the first color before the queue serves another"))
    }

    /// Warns of a data task that is ready for the wavelets of an operation: each wavelet goes to one of them.
    pub fn check_contest(
        &mut self,
        tile: &TileImage,
        tasks: &Tasks,
        queues: &Queues,
        threads: &Threads,
    ) -> Result<(), Diag> {
        if !self.is_checked || threads.is_empty() || !tasks.want_data() {
            return Ok(());
        }
        let is_wanted = |input| tasks.wants(queues.arch_name(), queues, input).is_some();
        if !members(threads.claimed_inputs()).any(is_wanted) {
            return Ok(());
        }
        let found = contest(tile, tasks, queues, threads);
        found.map_or(Ok(()), |diag| self.hazard(diag))
    }

    /// A wavelet that loses information when an operation receives it.
    pub fn check_mixed(&mut self, mixed: Mixed, span: Span) -> Result<(), Diag> {
        if !self.is_checked {
            return Ok(());
        }
        match mixed {
            Mixed::Control(color) => {
                let c = rules::CONTROL_AS_DATA.because(&[("color", &color)]).at(span);
                let help =
                    "set `.control_transform` to forward them, or end the operation with `.on_control`";
                self.hazard(c.help(help))
            }
            Mixed::Marked(wavelet) => {
                let index = format!("{:#06x}", wavelet.data >> 16);
                let c = rules::INDEX_TOO_WIDE.because(&[("index", &index)]).at(span);
                self.hazard(c.help("keep indices below 0x4000: bits 31 and 30 mark control wavelets"))
            }
        }
    }

    /// A second activation is lost, because activations are not counted.
    pub fn check_activation(
        &mut self,
        id: TaskId,
        by: Activator,
        span: Span,
        tile: &TileImage,
        tasks: &Tasks,
    ) -> Result<(), Diag> {
        if self.is_checked && tasks.state.active & bit(id) != 0 {
            let name = tile.tasks.iter().find(|t| t.id == id && t.kind == TaskKind::Local);
            let name = name.map_or("", |t| t.name.as_str()).to_string();
            let c = rules::ALREADY_ACTIVE.because(&[("name", &name), ("id", &id)]).at(span);
            self.hazard(c.help(match by {
                Activator::EndedOperation => "give each operation a task of its own, or let one activate the task and the other unblock it",
                Activator::Code => "count in a variable, and let the task read it",
            }))?;
        }
        Ok(())
    }

    /// A launch is over at the first unblocking of the command stream.
    pub fn check_unblock(&mut self, tile: &TileImage, main: &MainThread) -> Result<(), Diag> {
        if self.is_checked && main.was_launched && !main.command_stream_blocked {
            let c = rules::UNBLOCKED_TWICE.plain().at(main.caller_place(tile));
            self.hazard(c.help("call `unblock_cmd_stream` once for each launch, when its work is done"))?;
        }
        Ok(())
    }
}

impl Checks {
    /// A word that an operation reads soon after writing it may be read too early, because the hardware
    /// processes several elements at once (entry UB-020).
    pub fn check_overlap(
        &mut self,
        op: &DsdOp,
        width: u32,
        (dest, sources): (&Dest, &[Source]),
        count: u32,
        span: Span,
    ) -> Result<(), Diag> {
        let Dest::AddressCursor(dest) = dest else { return Ok(()) };
        if !self.is_checked || width < 2 {
            return Ok(());
        }
        let lags = sources.iter().filter_map(|source| match source {
            Source::AddressCursor(cursor) => overlap::lag(dest, cursor, count),
            Source::Scalar(_) => None,
        });
        if let Some(lag) = lags.min().filter(|lag| *lag < width) {
            let c = rules::OVERLAP.because(&[("lag", &lag)]).at(span);
            let note = format!("the machine processes up to {width} elements of `@{}` at once", op.name);
            self.hazard(c.note(note).help("write to another array, or start at the other end"))?;
        }
        Ok(())
    }

    /// A vector whose address is known only at run time should not be in a constant (entry UB-002).
    pub fn check_dest(
        &mut self,
        tile: &TileImage,
        dsd: DsdRef,
        at: u16,
        span: Span,
        sanitizer: &mut Sanitizer,
    ) -> Result<(), Diag> {
        let Some(constant) = self.constant_dest(tile, dsd, at, sanitizer) else { return Ok(()) };
        let c = CONST_DESTINATION.because(&[("name", &constant.name)]).at(span);
        let help = format!("declare `{}` as `var`: reading a `const` gives its first value", constant.name);
        self.hazard(c.also(constant.span, "declared `const`").help(help))
    }

    /// The constant in which such a vector is.
    #[inline]
    pub fn constant_dest<'t>(
        &self,
        tile: &'t TileImage,
        dsd: DsdRef,
        at: u16,
        sanitizer: &mut Sanitizer,
    ) -> Option<&'t Symbol> {
        let is_new = match dsd {
            DsdRef::Const(_) => false,
            DsdRef::At(..) => true,
            // The load of a dsr_dest has already checked what it holds.
            DsdRef::Dsr(dsr) => dsr.id.file != DsrFile::Dest,
        };
        if is_new && self.is_checked { sanitizer.constant_at(tile, at.into()) } else { None }
    }

    /// When one operand of a `@map` ends, elements already read from the others are lost (entry UB-028).
    pub fn check_map(&mut self, lengths: impl Iterator<Item = u32> + Clone, span: Span) -> Result<(), Diag> {
        let (Some(short), Some(long)) = (lengths.clone().min(), lengths.max()) else { return Ok(()) };
        if short != long && self.is_checked {
            let c = rules::MAP_LENGTHS.because(&[("short", &short), ("long", &long)]).at(span);
            self.hazard(c.help("give all inputs the same length"))?;
        }
        Ok(())
    }

    /// A synchronous operation has returned false, and the program ignores the result (entry UB-029).
    pub fn check_result(
        &mut self,
        (result, span): (Option<Reg>, Span),
        stall: Stall,
        total: Option<u32>,
        tile: &TileImage,
    ) -> Result<(), Diag> {
        let (end, state) = match stall {
            Stall::FifoEmpty(end) => (end, "empty"),
            Stall::FifoFull(end) => (end, "full"),
            Stall::Input(_) | Stall::Output(_) => return Ok(()),
        };
        if result.is_some() || !self.is_checked {
            return Ok(());
        }
        let fifo = &tile.fifos[end.fifo];
        let c = rules::FIFO_RESULT.because(&[("fifo", &fifo.name), ("state", &state)]).at(span);
        let c = c.also(fifo.span, "the FIFO");
        self.hazard(match total.filter(|total| state == "full" && *total > u32::from(fifo.capacity)) {
            Some(total) => c.note(format!("it holds {} elements at once", fifo.capacity)).help(format!(
                "give its buffer room for {total} elements, or check the result: it is false when elements are left"
            )),
            None => c.help("check the result of the operation: it is false when elements are left"),
        })
    }

    /// `<math>` of the machine gives wrong results for large angles (entry UB-061).
    pub fn check_angle(
        &mut self,
        tile: &TileImage,
        main: &MainThread,
        function: MathFunction,
        x: f32,
    ) -> Result<(), Diag> {
        if function.is_large_angle(x) && self.is_checked {
            let c = rules::LARGE_ANGLE.because(&[("function", &function.name()), ("angle", &x)]);
            let c = c.at(main.caller_place(tile));
            self.hazard(c.help("reduce the angle modulo 2*pi first"))?;
        }
        Ok(())
    }

    /// A time stamp is read although the counter has never been started.
    pub fn note_stopped_counter(&mut self, tile: &TileImage, main: &MainThread) -> Result<(), Diag> {
        match self.is_checked {
            true => self.hazard(rules::TIMESTAMP_STOPPED.plain().at(main.caller_place(tile))),
            false => Ok(()),
        }
    }

    /// No operation in progress may use the register (entry UB-026). If one does and that is not denied, it
    /// keeps the values it started with.
    pub fn check_free(&mut self, dsr: DsrId, threads: &Threads) -> Result<(), Diag> {
        if !self.is_checked || threads.is_empty() {
            return Ok(());
        }
        let user = threads.iter().find(|(_, thread)| thread.registers.contains(dsr));
        let Some(user) = user.map(|(_, thread)| thread.span) else { return Ok(()) };
        let c = rules::DSR_BUSY.because(&[("dsr", &dsr)]).also(user, "this one is still running");
        self.hazard(c.help("change it in the task that the operation activates when it is complete"))
    }

    /// Only FIFOs and DSRs of FIFO type may be full or empty (entry UB-023).
    pub fn check_event(&self, stall: Stall, operation: &Operation, tile: &TileImage) -> Result<(), Diag> {
        let (end, state, dsr) = match stall {
            Stall::FifoEmpty(end) => (end, "empty", operation.untyped_fifos[1]),
            Stall::FifoFull(end) => (end, "full", operation.untyped_fifos[0]),
            Stall::Input(_) | Stall::Output(_) => return Ok(()),
        };
        let Some(dsr) = dsr.filter(|_| self.is_checked) else { return Ok(()) };
        let fifo = &tile.fifos[end.fifo];
        let typed = if dsr.file == DsrFile::Dest { "dsr_fifo_dest" } else { "dsr_fifo_src1" };
        Err(rules::FIFO_EVENT
            .because(&[("fifo", &fifo.name), ("state", &state), ("dsr", &dsr)])
            .also(fifo.span, "the FIFO")
            .help(format!("use `@get_dsr({typed}, ..)` for it, and check the result of the operation")))
    }
}

const WAIT: &str = "start it in a task that the other operation activates when it is complete: `.activate`";

/// A queue that an operation in progress already uses, and the source location of that operation.
fn shared_queue(operation: &Operation, queues: &Queues, threads: &Threads) -> Option<(String, Span)> {
    let (inputs, output) = (operation.inputs(), operation.output());
    threads.iter().find_map(|(_, thread)| {
        let shared = thread.operation.inputs() & inputs;
        if shared != 0 {
            let inbox = &queues.inputs[shared.trailing_zeros() as usize];
            let private = || format!("color {}", inbox.color);
            return Some((inbox.queue.map_or_else(private, |q| format!("input queue {q}")), thread.span));
        }
        let output = output.filter(|output| thread.operation.output() == Some(*output))?;
        let queue = queues.outputs[output].queue;
        Some((queue.map_or("the output queue".into(), |q| format!("output queue {q}")), thread.span))
    })
}

fn contest(tile: &TileImage, tasks: &Tasks, queues: &Queues, threads: &Threads) -> Option<Diag> {
    for (_, thread) in threads.iter() {
        for fabin in thread.operation.fabins() {
            let Some(id) = tasks.wants(queues.arch_name(), queues, fabin.input) else { continue };
            let color = queues.inputs[fabin.input].color;
            let mut c = rules::STOLEN_WAVELETS.because(&[("color", &color)]).at(thread.span);
            if let Some(task) = tile.tasks.iter().find(|t| t.id == id && t.kind == TaskKind::Data) {
                c = c.also(task.span, format!("`{}` is bound to it and not blocked", task.name));
            }
            let help = "block the task while the operation runs, and unblock it when it is complete";
            return Some(c.help(help));
        }
    }
    None
}

/// Shows the operation that is in progress, which may be an earlier start of the same one.
pub(super) fn still_running(c: Diag, other: Span) -> Diag {
    match c.0.primary.as_ref().is_some_and(|label| label.span == other) {
        true => c.label("this operation was started here before, and that start has not ended"),
        false => c.also(other, "this one is still running"),
    }
}
