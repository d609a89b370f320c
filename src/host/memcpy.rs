//! The command stream: one queue of copies and launches for the whole rectangle.
//!
//! A command begins when the one before it is complete and no PE is blocked: a launch blocks a PE
//! until it calls `unblock_cmd_stream`. It also takes its time to come from the host, unless
//! nothing happens on the wafer anyway. A copy reaches a PE between two of its tasks, and keeps the
//! channels busy for as long as its words take, one per cycle and channel; the next command waits
//! for that. A program without `<memcpy>` takes commands whenever it is idle, and copies also before
//! it starts.

use super::streams::Streaming;
use super::{Failure, Runner};
use crate::arch::PeCoord;
use crate::diagnostics::Result;
use crate::diagnostics::rules::host::{COPY_SIZE, REGION_OUTSIDE};
use crate::image::code::Intrinsic;
use crate::image::{ExportTarget, FnId};
use crate::source::Span;
use crate::wafer::{HostWait, Pe, Taker};
use std::collections::{BTreeMap, VecDeque};

/// PEs of a rectangle, row by row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Column of the north-west PE.
    pub x: u16,
    /// Row of the north-west PE.
    pub y: u16,
    /// Columns.
    pub w: u16,
    /// Rows.
    pub h: u16,
}

impl Region {
    /// Number of PEs.
    pub fn pes(&self) -> usize {
        usize::from(self.w) * usize::from(self.h)
    }

    /// The PE at a place, row by row.
    pub fn pe(&self, place: usize) -> Option<PeCoord> {
        let width = usize::from(self.w);
        let (x, y) = (place % width.max(1), place / width.max(1));
        (place < self.pes()).then(|| PeCoord { x: self.x + x as u16, y: self.y + y as u16 })
    }
}

/// How a host word lies in PE memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CopyWidth {
    /// Its low half is one 16-bit element.
    Bits16,
    /// It is one 32-bit element.
    Bits32,
}

impl CopyWidth {
    /// 16-bit words of memory per element.
    pub fn words(self) -> usize {
        match self {
            CopyWidth::Bits16 => 1,
            CopyWidth::Bits32 => 2,
        }
    }
}

/// What to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// An exported name, or a global.
    pub name: String,
    /// The PEs.
    pub region: Region,
    /// Elements per PE.
    pub elements: usize,
    /// Their size.
    pub width: CopyWidth,
}

/// Names a queued command.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

enum Work {
    In(Copy, Vec<u32>),
    Out(Copy),
    Launch {
        name: String,
        pes: Vec<(PeCoord, FnId)>,
        args: Vec<u64>,
    },
    Stream(Streaming),
    /// Waits until any PE could be copied from.
    Settle {
        done: bool,
    },
}

impl Work {
    /// The command, for people.
    fn describe(&self) -> String {
        match self {
            Work::In(copy, _) => format!("the copy to `{}`", copy.name),
            Work::Out(copy) => format!("the copy from `{}`", copy.name),
            Work::Launch { name, .. } => format!("the launch of `{name}`"),
            Work::Stream(streaming) => streaming.describe(),
            Work::Settle { .. } => "its next copy".to_string(),
        }
    }
}

struct Command {
    ticket: Ticket,
    work: Work,
    region: Option<Region>,
    /// How many PEs of the region it has reached, row by row.
    reached: usize,
    words: Vec<u32>,
    begun: bool,
}

impl Command {
    fn next_pe(&self) -> Option<PeCoord> {
        self.region?.pe(self.reached)
    }

    fn is_done(&self) -> bool {
        match &self.work {
            Work::Stream(streaming) => streaming.is_done(),
            Work::Settle { done } => *done,
            Work::In(..) | Work::Out(_) | Work::Launch { .. } => self.next_pe().is_none(),
        }
    }
}

/// The queue of commands and what finished ones have brought.
#[derive(Default)]
pub(super) struct Stream {
    commands: VecDeque<Command>,
    results: BTreeMap<Ticket, Vec<u32>>,
    next: u64,
    last_launch: Option<String>,
    /// The channels carry the words of copies up to this cycle.
    busy_until: u64,
    /// Since when no PE is blocked and no command is under way.
    free_since: Option<u64>,
}

impl Stream {
    /// Whether every command is done.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// A ticket of its own.
    pub fn next_ticket(&mut self) -> Ticket {
        self.next += 1;
        Ticket(self.next - 1)
    }

    /// Keeps the words of a finished transfer until somebody takes them.
    pub fn keep(&mut self, ticket: Ticket, words: Vec<u32>) {
        self.results.insert(ticket, words);
    }

    fn push(&mut self, work: Work, region: Option<Region>, words: usize) -> Ticket {
        self.push_with(work, region, vec![0; words])
    }

    /// Queues a streaming copy with the words that it moves.
    pub fn push_streaming(&mut self, streaming: Streaming, words: Vec<u32>) -> Ticket {
        self.push_with(Work::Stream(streaming), None, words)
    }

    fn push_with(&mut self, work: Work, region: Option<Region>, words: Vec<u32>) -> Ticket {
        let ticket = self.next_ticket();
        self.commands.push_back(Command { ticket, work, region, reached: 0, words, begun: false });
        ticket
    }
}

impl Runner {
    /// Copies words to every PE of a region, PE by PE in rows.
    pub fn copy_in(&mut self, copy: &Copy, words: &[u32]) -> Result<(), Failure> {
        let ticket = self.queue_copy_in(copy, words)?;
        self.wait(ticket)
    }

    /// Copies words from every PE of a region, PE by PE in rows.
    pub fn copy_out(&mut self, copy: &Copy) -> Result<Vec<u32>, Failure> {
        let ticket = self.queue_copy_out(copy)?;
        self.wait(ticket)?;
        Ok(self.take_words(ticket).unwrap_or_default())
    }

    /// Launches a function on all PEs; returns when it has been issued, not when it is done.
    /// Each argument is one word, of which a 16-bit parameter takes the low half.
    pub fn launch(&mut self, name: &str, args: &[u32]) -> Result<(), Failure> {
        let ticket = self.queue_launch(name, args)?;
        self.wait(ticket)
    }

    /// Queues a copy to the wafer.
    pub fn queue_copy_in(&mut self, copy: &Copy, words: &[u32]) -> Result<Ticket, Failure> {
        self.check_copy(copy, true)?;
        let needed = copy.region.pes() * copy.elements;
        if words.len() != needed {
            return Err(COPY_SIZE.because(&[("given", &words.len()), ("needed", &needed)]).into());
        }
        Ok(self.stream.push(Work::In(copy.clone(), words.to_vec()), Some(copy.region), 0))
    }

    /// Queues a copy from the wafer; [`Runner::take_words`] gives the words once it is done.
    pub fn queue_copy_out(&mut self, copy: &Copy) -> Result<Ticket, Failure> {
        self.check_copy(copy, false)?;
        let words = copy.region.pes() * copy.elements;
        Ok(self.stream.push(Work::Out(copy.clone()), Some(copy.region), words))
    }

    /// Queues a launch.
    pub fn queue_launch(&mut self, name: &str, args: &[u32]) -> Result<Ticket, Failure> {
        let (pes, args) = self.launch_targets(name, args)?;
        Ok(self.stream.push(Work::Launch { name: name.to_string(), pes, args }, None, 0))
    }

    /// Whether a command is done.
    pub fn is_done(&self, ticket: Ticket) -> bool {
        self.stream.commands.front().is_none_or(|c| c.ticket > ticket) && !self.ports.waits_for(ticket)
    }

    /// Runs until a command is done.
    pub fn wait(&mut self, ticket: Ticket) -> Result<(), Failure> {
        while !self.is_done(ticket) {
            self.advance()?;
        }
        Ok(())
    }

    /// The words of a finished copy from the wafer, once.
    pub fn take_words(&mut self, ticket: Ticket) -> Option<Vec<u32>> {
        self.stream.results.remove(&ticket)
    }

    /// Runs until the host could copy from any PE.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        let ticket = self.stream.push(Work::Settle { done: false }, None, 0);
        self.wait(ticket)
    }

    fn check_copy(&mut self, copy: &Copy, into: bool) -> Result<()> {
        self.check_region(copy.region)?;
        self.check_variable(&copy.name, into)?;
        self.check_presence(&copy.name, copy.region)
    }

    /// Complains unless a region lies in the program rectangle.
    pub(super) fn check_region(&self, Region { x, y, w, h }: Region) -> Result<()> {
        let (width, height) = (self.program.width, self.program.height);
        let inside = |at: u16, len: u16, all: u16| u32::from(at) + u32::from(len) <= u32::from(all);
        if w == 0 || h == 0 || !inside(x, w, width) || !inside(y, h, height) {
            let asked = format!("{w} x {h} PEs at ({x},{y})");
            let rectangle = format!("{width} x {height}");
            return Err(REGION_OUTSIDE.because(&[("region", &asked), ("rectangle", &rectangle)]));
        }
        Ok(())
    }

    /// Does as much as possible of the first command; true if anything was done.
    pub(super) fn try_command(&mut self, quiet: bool) -> Result<bool, Failure> {
        let Some(mut command) = self.stream.commands.pop_front() else { return Ok(false) };
        command.begun |= self.may_begin(&command.work, quiet);
        if !command.begun {
            self.stream.commands.push_front(command);
            return Ok(false);
        }
        self.stream.free_since = None;
        let moved = match &mut command.work {
            Work::Stream(streaming) => self.advance_streaming(streaming, &mut command.words),
            Work::Settle { done } => {
                let now = self.wafer.now();
                *done = self.wafer.made().all(|(_, pe)| pe.is_between_tasks(now));
                *done
            }
            Work::In(..) | Work::Out(_) | Work::Launch { .. } => self.reach_pes(&mut command)?,
        };
        if !command.is_done() {
            self.stream.commands.push_front(command);
            return Ok(moved);
        }
        if let Work::In(copy, _) | Work::Out(copy) = &command.work {
            self.occupy_channels(copy.region.pes() * copy.elements);
        }
        match command.work {
            Work::In(..) | Work::Stream(Streaming { into: true, .. }) | Work::Settle { .. } => {}
            Work::Out(_) | Work::Stream(_) => {
                self.stream.results.insert(command.ticket, command.words);
            }
            Work::Launch { name, pes, args } => {
                self.wafer.launch(pes, &args, self.options.launch_skew);
                self.stream.last_launch = Some(name);
            }
        }
        Ok(true)
    }

    fn occupy_channels(&mut self, words: usize) {
        if self.program.memcpy.is_some() {
            let channels = u64::from(self.program.fabric.channels.max(1));
            self.stream.busy_until = self.wafer.now() + (words as u64).div_ceil(channels);
        }
    }

    /// Lets the time pass that the channels still need; false if they need none.
    pub(super) fn await_channels(&mut self) -> bool {
        let busy = self.wafer.now() < self.stream.busy_until;
        if busy {
            self.wafer.idle_until(self.stream.busy_until);
        }
        busy
    }

    fn may_begin(&mut self, work: &Work, quiet: bool) -> bool {
        match self.program.memcpy {
            Some(_) if self.wafer.blocked() > 0 => false,
            Some(_) if self.wafer.now() < self.stream.busy_until => false,
            Some(_) => {
                let now = self.wafer.now();
                let since = *self.stream.free_since.get_or_insert(now);
                quiet || now - since >= self.options.command_latency
            }
            None => quiet || (matches!(work, Work::In(..)) && self.is_before_start()),
        }
    }

    /// Whether the next command cannot begin before launched functions have unblocked the commands.
    pub(super) fn awaits_kernels(&self) -> bool {
        let waits = self.stream.commands.front().is_some_and(|command| !command.begun);
        waits && self.program.memcpy.is_some() && self.wafer.blocked() > 0
    }

    /// Whether the program runs by itself, but has not yet.
    pub(super) fn is_before_start(&self) -> bool {
        self.program.memcpy.is_none() && self.wafer.now() == 0
    }

    /// Serves the PEs of a copy in order, up to one that is busy; true if it has served any.
    fn reach_pes(&mut self, command: &mut Command) -> Result<bool, Failure> {
        let (now, before_start, before) = (self.wafer.now(), self.is_before_start(), command.reached);
        while let Some(at) = command.next_pe() {
            if !before_start && self.wafer.pe(at).is_some_and(|pe| !pe.is_between_tasks(now)) {
                break;
            }
            let Command { work, reached, words, .. } = command;
            match work {
                Work::In(copy, from) => {
                    let n = copy.elements;
                    self.write(at, &copy.name, copy.width, &from[*reached * n..][..n])?;
                }
                Work::Out(copy) => {
                    let n = copy.elements;
                    self.read(at, &copy.name, copy.width, &mut words[*reached * n..][..n])?;
                }
                Work::Launch { .. } | Work::Stream(_) | Work::Settle { .. } => {}
            }
            *reached += 1;
        }
        Ok(command.reached > before)
    }

    /// What the first command waits for and which ones come behind it, or the end of the run after
    /// the last one.
    pub(super) fn host_waits(&self) -> Vec<HostWait> {
        const NAMED: usize = 8;
        let work = self.stream.commands.front().map(|c| &c.work);
        let command = match work {
            Some(work) => work.describe(),
            None if self.wafer.blocked() > 0 => "the end of the run".to_string(),
            None => return self.ports.waits(),
        };
        let (needs, pes, advice) = self.hold_up(work);
        let span = pes.first().and_then(|pe| self.launch_that_holds(*pe));
        let idle = pes.first().filter(|_| span.is_some()).and_then(|pe| self.idle_task(*pe));
        let more = pes.len().saturating_sub(NAMED);
        let pes = pes.into_iter().take(NAMED).collect();
        let first = HostWait { command, needs, span, idle, pes, more, advice };
        let behind = self.stream.commands.iter().skip(1).take(NAMED).map(|command| HostWait {
            command: command.work.describe(),
            needs: "it has not begun, because one command comes after the other".to_string(),
            span: None,
            idle: None,
            pes: Vec::new(),
            more: 0,
            advice: "",
        });
        std::iter::once(first).chain(behind).collect()
    }

    /// The task of a PE that would call `unblock_cmd_stream` and that nothing activates.
    fn idle_task(&self, pe: PeCoord) -> Option<Taker> {
        let tile = self.program.tile_at(pe)?;
        let task = tile.idle_caller(Intrinsic::UnblockCommandStream)?;
        Some(Taker {
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

    /// What has to happen before a command can go on, on which PEs, and what to do about it.
    fn hold_up(&self, work: Option<&Work>) -> (String, Vec<PeCoord>, &'static str) {
        let which = |holds: &dyn Fn(&Pe) -> bool| {
            self.wafer.made().filter(|(_, pe)| holds(pe)).map(|(at, _)| at).collect::<Vec<_>>()
        };
        let blocked = which(&|pe| pe.command_stream_blocked());
        if !blocked.is_empty() {
            let launch = self.stream.last_launch.as_deref().unwrap_or("a function");
            let needs = format!("`unblock_cmd_stream` has to be called after the launch of `{launch}`");
            return (
                needs,
                blocked,
                "call `unblock_cmd_stream` on every PE when a launched function is done",
            );
        }
        if let Some(Work::Stream(streaming)) = work {
            return (
                streaming.needs(),
                streaming.holding(),
                "the host and the program must agree on the number of words",
            );
        }
        let now = self.wafer.now();
        let busy = which(&|pe| !pe.is_between_tasks(now));
        ("the running task has to end".to_string(), busy, "see what the task waits for")
    }
}
