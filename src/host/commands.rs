//! The command stream: one queue of copies and launches for the whole rectangle.
//!
//! A command starts when the previous one is complete and no PE is blocked: a launch blocks a PE until it calls
//! `unblock_cmd_stream`. A command also needs time to arrive from the host, unless the wafer is idle. A copy
//! occupies the channels until all its words have passed, one per cycle and channel; the next command waits for
//! that. A program without `<memcpy>` accepts commands whenever it is idle, and copies also before it starts.
//!
//! Each command is an `impl` of [`HostCommand`], in one file with the functions that queue it.

use super::names::CopyDirection;
use super::{Failure, Runner};
use crate::arch::{Color, Direction, PeCoord};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::rules::host::NEVER_UNBLOCKED;
use crate::image::code::Intrinsic;
use crate::image::{ExportTarget, TaskBinding};
use crate::source::Span;
use crate::state_hash::StateHash;
use crate::wafer::{Cause, HostWait, Pe, ScheduleSeed};
use std::collections::{BTreeMap, VecDeque};

/// Identifies a queued command or transfer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// Commands can be copied, with a copy of the wafer that they are for.
pub(super) trait CopyOfCommand {
    /// A copy.
    fn copied(&self) -> Box<dyn HostCommand>;
}

impl<C: HostCommand + Clone + 'static> CopyOfCommand for C {
    fn copied(&self) -> Box<dyn HostCommand> {
        Box::new(self.clone())
    }
}

/// The interface between the queue and a command.
pub(super) trait HostCommand: CopyOfCommand + Send + Sync {
    /// The command as text, for messages.
    fn describe(&self) -> String;

    /// Whether a program without `<memcpy>` can execute the command before it starts.
    fn can_precede_the_start(&self) -> bool {
        false
    }

    /// Whether it launches a function.
    fn is_launch(&self) -> bool {
        false
    }

    /// Makes as much progress as is possible now; returns whether there was any.
    fn advance(&mut self, host: &mut Runner) -> Result<bool, Failure>;

    /// Whether the command is complete.
    fn is_done(&self) -> bool;

    /// Finishes the command; returns the words that it has read, if it reads any.
    fn finish(self: Box<Self>, host: &mut Runner) -> Option<Vec<u32>>;

    /// Whether it may overtake launches that never end, because it concerns none of their PEs.
    fn overtakes_launches(&self, _is_held: &mut dyn FnMut(PeCoord) -> bool) -> bool {
        false
    }

    /// What must happen before the command can continue, unless that is the end of running tasks.
    fn hold_up(&self) -> Option<HoldUp> {
        None
    }
}

/// What must happen before a command can continue, on which PEs, and the advice for the user.
pub(super) struct HoldUp {
    pub needs: String,
    pub pes: Vec<PeCoord>,
    /// Of a stream, its color and direction.
    pub stream: Option<(Color, CopyDirection)>,
    pub advice: &'static str,
}

struct Queued {
    ticket: Ticket,
    begun: bool,
    command: Box<dyn HostCommand>,
}

impl Clone for Queued {
    fn clone(&self) -> Queued {
        Queued { command: self.command.copied(), ..*self }
    }
}

/// When the next launch may start on a wafer that has nothing else to do.
#[derive(Copy, Clone, Debug, Default)]
pub(super) enum NextLaunch {
    /// No launch has been issued yet.
    #[default]
    AtOnce,
    /// Some time after the end of the last launch and of the copies after it.
    After { copies: u64 },
    /// In this cycle.
    From(u64),
}

/// The queue of commands, and the results of finished ones.
#[derive(Clone, Default)]
pub(super) struct CommandStream {
    commands: VecDeque<Queued>,
    results: BTreeMap<Ticket, Vec<u32>>,
    next: u64,
    /// The function of the last launch.
    pub last_launch: Option<String>,
    /// The first cycle in which the next launch may start, once that is known; the first launch may at once.
    pub next_launch: NextLaunch,
    /// The channels are busy with words of copies up to this cycle.
    pub busy_until: u64,
    /// Whether a copy has overtaken launches that never end.
    pub has_overtaken: bool,
    /// Whether copies no longer wait for tasks, because nothing changes before the host acts.
    pub skips_waiting: bool,
    /// The cycle since which no PE is blocked and no command is in progress.
    free_since: Option<u64>,
}

impl CommandStream {
    /// Whether every command is done.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// A new ticket.
    pub fn next_ticket(&mut self) -> Ticket {
        self.next += 1;
        Ticket(self.next - 1)
    }

    /// Stores the words of a finished transfer until the host fetches them.
    pub fn keep(&mut self, ticket: Ticket, words: Vec<u32>) {
        self.results.insert(ticket, words);
    }
}

impl Runner {
    /// Whether a command is done.
    pub fn is_done(&self, ticket: Ticket) -> bool {
        self.stream.commands.front().is_none_or(|c| c.ticket > ticket) && !self.ports.waits_for(ticket)
    }

    /// Runs until a command is done.
    ///
    /// # Errors
    /// The run fails, stalls, reaches its cycle limit or is interrupted before that.
    pub fn wait(&mut self, ticket: Ticket) -> Result<(), Failure> {
        let what = match &self.log {
            Some(log) if !self.is_done(ticket) => log.describe(ticket),
            Some(_) | None => String::new(),
        };
        self.while_waiting(&what, |host| {
            while !host.is_done(ticket) {
                host.advance()?;
            }
            Ok(())
        })
    }

    /// The words of a finished copy from the wafer. They can be fetched only once.
    pub fn take_words(&mut self, ticket: Ticket) -> Option<Vec<u32>> {
        self.stream.results.remove(&ticket)
    }

    /// Appends a command to the queue.
    pub(super) fn queue(&mut self, command: impl HostCommand + 'static) -> Ticket {
        let what = self.log.is_some().then(|| command.describe());
        let ticket = self.queue_unlogged(command);
        if let (Some(log), Some(what)) = (&mut self.log, what) {
            log.issued(ticket, what, self.wafer.now());
        }
        ticket
    }

    /// The same for a command that a recording does not show.
    pub(super) fn queue_unlogged(&mut self, command: impl HostCommand + 'static) -> Ticket {
        let ticket = self.stream.next_ticket();
        self.stream.commands.push_back(Queued { ticket, begun: false, command: Box::new(command) });
        ticket
    }

    /// Advances the first command as far as possible; returns whether there was any progress.
    pub(super) fn try_command(&mut self, quiet: bool) -> Result<bool, Failure> {
        let Some(mut first) = self.stream.commands.pop_front() else { return Ok(false) };
        if !first.begun {
            first.begun = self.may_begin(&*first.command, quiet);
            if !first.begun {
                self.stream.commands.push_front(first);
                return Ok(false);
            }
            if let Some(log) = &mut self.log {
                log.begun(first.ticket, self.wafer.now());
            }
        }
        self.stream.free_since = None;
        let moved = first.command.advance(self)?;
        if !first.command.is_done() {
            self.stream.commands.push_front(first);
            return Ok(moved);
        }
        self.stream.skips_waiting = false;
        if let (NextLaunch::After { copies }, false) =
            (&mut self.stream.next_launch, first.command.is_launch())
        {
            *copies += 1;
        }
        if let Some(words) = first.command.finish(self) {
            self.stream.keep(first.ticket, words);
        }
        if let Some(log) = &mut self.log {
            // The words of a copy pass for as long as the channels are busy.
            log.done(first.ticket, self.stream.busy_until.max(self.wafer.now()));
        }
        Ok(true)
    }

    fn may_begin(&mut self, command: &dyn HostCommand, quiet: bool) -> bool {
        match self.program.memcpy {
            Some(_) if self.wafer.blocked() > 0 => quiet && self.overtakes_launches(command),
            Some(_) if self.wafer.now() < self.stream.busy_until => false,
            Some(_) => {
                let now = self.wafer.now();
                let since = *self.stream.free_since.get_or_insert(now);
                quiet || now - since >= self.options.command_latency + self.gap(since)
            }
            None => quiet || command.can_precede_the_start() && self.is_before_start(),
        }
    }

    /// Whether a command concerns only PEs that have unblocked the command stream. The others never will, because
    /// nothing happens any more. That is only a warning: recorded runs of public programs copy past such PEs.
    fn overtakes_launches(&mut self, command: &dyn HostCommand) -> bool {
        let mut is_held = |at: PeCoord| self.wafer.pe(at).is_some_and(|pe| pe.command_stream_blocked());
        if !command.overtakes_launches(&mut is_held) {
            return false;
        }
        self.stream.has_overtaken = true;
        if let Some(warning) = self.never_unblocked() {
            self.warnings.entry(NEVER_UNBLOCKED.name.to_string()).or_insert(warning);
        }
        true
    }

    /// A hash of what the future of the stream depends on. A stream with a command in progress equals no other.
    pub(super) fn stream_state(&self) -> u64 {
        let now = self.wafer.now();
        let mut state = StateHash::new(now);
        let CommandStream { commands, next, busy_until, free_since, .. } = &self.stream;
        let begun = commands.front().filter(|first| first.begun).map(|_| now);
        state.add_debug(&(commands.len(), next, begun, free_since.map(|since| now - since)));
        state.add_cycle(*busy_until);
        match self.stream.next_launch {
            NextLaunch::AtOnce => state.add(0),
            NextLaunch::After { copies } => state.add(copies + 1),
            NextLaunch::From(cycle) => state.add_cycle(cycle),
        }
        state.finish()
    }

    /// With a schedule, how many cycles later than usual a command arrives.
    fn gap(&self, since: u64) -> u64 {
        let schedule = self.options.seed.map(ScheduleSeed::new);
        schedule.map_or(0, |schedule| schedule.below(since, self.options.command_latency.max(1)))
    }

    /// Advances the wafer by the cycles that the channels are still busy; false if they are not.
    pub(super) fn await_channels(&mut self) -> bool {
        let busy = self.wafer.now() < self.stream.busy_until;
        if busy {
            self.wafer.idle_until(self.stream.busy_until);
        }
        busy
    }

    /// Waits out the time between two launches, if the next command is one; false if that time has passed.
    pub(super) fn await_launch(&mut self) -> bool {
        let is_next =
            self.stream.commands.front().is_some_and(|next| !next.begun && next.command.is_launch());
        if !is_next || self.program.memcpy.is_none() || self.wafer.blocked() > 0 {
            return false;
        }
        let now = self.wafer.now();
        let from = match self.stream.next_launch {
            NextLaunch::AtOnce => return false,
            NextLaunch::After { copies } => {
                let each = self.program.arch.numbers().costs.tasks.command;
                self.wafer.cycles() + (copies + 1) * u64::from(each)
            }
            NextLaunch::From(cycle) => cycle,
        };
        self.stream.next_launch = NextLaunch::From(from);
        self.wafer.idle_until(from);
        now < from
    }

    /// Whether the next command must wait until launched functions have unblocked the command stream.
    pub(super) fn awaits_kernels(&self) -> bool {
        let waits = self.stream.commands.front().is_some_and(|command| !command.begun);
        waits && self.program.memcpy.is_some() && self.wafer.blocked() > 0
    }

    /// The first cycle in which a command can affect any PE.
    pub(super) fn acts_from(&self) -> u64 {
        let now = self.wafer.now();
        match self.stream.commands.front() {
            _ if self.program.memcpy.is_none() => 0,
            // A command that has not been given yet takes its time to arrive as well.
            None => now + self.options.command_latency,
            Some(command) if command.begun => 0,
            Some(_) if self.wafer.blocked() > 0 => u64::MAX,
            Some(_) => self.stream.free_since.map_or(0, |since| since + self.options.command_latency),
        }
    }

    /// Whether the next command is on its way from the host: it arrives whatever the wafer does.
    pub(super) fn awaits_time(&self) -> bool {
        let waits = self.stream.commands.front().is_some_and(|command| !command.begun);
        waits && self.program.memcpy.is_some() && self.wafer.blocked() == 0
    }

    /// Whether the program runs without launches and has not started yet.
    pub(super) fn is_before_start(&self) -> bool {
        self.program.memcpy.is_none() && self.wafer.now() == 0
    }

    /// What the first command waits for, and the commands after it; after the last command, what the end of
    /// the run waits for.
    pub(super) fn host_waits(&self) -> Vec<HostWait> {
        const NAMED: usize = 8;
        let first = self.stream.commands.front().map(|queued| &*queued.command);
        let command = match first {
            Some(first) => first.describe(),
            None if self.wafer.blocked() > 0 => "the end of the run".to_string(),
            None => return self.ports.waits(&self.wafer),
        };
        let HoldUp { needs, pes, stream, advice } = self.hold_up(first);
        let span = pes.first().and_then(|pe| self.launch_that_holds(*pe));
        let idle = pes.first().filter(|_| span.is_some()).and_then(|pe| self.idle_task(*pe));
        let stream = || {
            let (color, way) = stream?;
            let at = (*pes.first()?, color, Direction::Ramp);
            self.wafer.stream_end(at, way == CopyDirection::In)
        };
        let cause = idle.or_else(stream);
        let more = pes.len().saturating_sub(NAMED);
        let pes = pes.into_iter().take(NAMED).collect();
        let first = HostWait { command, needs, span, cause, pes, more, advice };
        let behind = self.stream.commands.iter().skip(1).take(NAMED).map(|queued| HostWait {
            command: queued.command.describe(),
            needs: "it has not started, because the commands run in order".to_string(),
            span: None,
            cause: None,
            pes: Vec::new(),
            more: 0,
            advice: "",
        });
        std::iter::once(first).chain(behind).collect()
    }

    /// The warning about a launch that has not unblocked the command stream and is the last command.
    pub(super) fn never_unblocked(&self) -> Option<Diagnostic> {
        let waits = self.host_waits();
        let HostWait { span, pes, more, .. } = waits.first()?;
        let diag = NEVER_UNBLOCKED.because(&[("name", &self.stream.last_launch.as_deref()?)]);
        let diag = match span {
            Some(span) => diag.at(*span).label("this launch is not done"),
            None => diag,
        };
        let pes: Vec<String> = pes.iter().map(PeCoord::to_string).collect();
        let others = if *more > 0 { format!(" and {more} more") } else { String::new() };
        self.options.levels.judge(diag.note(format!("on {}{others}", pes.join(", "))).into())
    }

    /// The task of a PE that would call `unblock_cmd_stream` and that nothing activates.
    fn idle_task(&self, pe: PeCoord) -> Option<Cause> {
        let tile = self.program.tile_at(pe)?;
        let idle = tile.idle_callers(Intrinsic::UnblockCommandStream);
        // A task that no PE activates says more than one that others do.
        let never: Vec<Span> = self.program.idle_tasks().into_iter().map(|(span, _)| span).collect();
        let is_never = |task: &&&TaskBinding| never.contains(&tile.functions[task.function.0 as usize].span);
        let task = idle.iter().find(is_never).or(idle.first())?;
        Some(Cause {
            pe,
            also: None,
            span: tile.functions[task.function.0 as usize].span,
            fact: "this task calls `unblock_cmd_stream`, and nothing activates it".to_string(),
            advice: format!(
                "activate `{}` when the work is done: `@activate(@get_local_task_id({}))`",
                task.name, task.id
            ),
        })
    }

    /// The launched function of a PE that has not called `unblock_cmd_stream`.
    fn launch_that_holds(&self, pe: PeCoord) -> Option<Span> {
        let tile = self.program.tile_at(pe).filter(|_| self.wafer.blocked() > 0)?;
        let name = self.stream.last_launch.as_deref()?;
        match tile.exports.iter().find(|e| e.name == name)?.target {
            ExportTarget::Fn(id) => Some(tile.functions[id.0 as usize].span),
            ExportTarget::Pointer(_) | ExportTarget::Data(_) => None,
        }
    }

    /// What blocks the first command, or the end of the run.
    fn hold_up(&self, command: Option<&dyn HostCommand>) -> HoldUp {
        let which = |holds: &dyn Fn(&Pe) -> bool| {
            self.wafer.made().filter(|(_, pe)| holds(pe)).map(|(at, _)| at).collect::<Vec<_>>()
        };
        let blocked = which(&|pe| pe.command_stream_blocked());
        if !blocked.is_empty() {
            let launch = self.stream.last_launch.as_deref().unwrap_or("a function");
            return HoldUp {
                needs: format!("`unblock_cmd_stream` must be called after the launch of `{launch}`"),
                pes: blocked,
                stream: None,
                advice: "call `unblock_cmd_stream` on every PE when a launched function is done",
            };
        }
        let now = self.wafer.now();
        command.and_then(HostCommand::hold_up).unwrap_or_else(|| HoldUp {
            needs: "the running task must end".to_string(),
            pes: which(&|pe| !pe.is_between_tasks(now)),
            stream: None,
            advice: "see what the task waits for",
        })
    }
}
