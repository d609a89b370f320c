//! Why nothing moves any more: who waits, for what, and who would have had to act.

use super::broken_routes;
use super::causes::{
    Cause, ended_at_fifo, held_task, queue_of_other_color, receiver, send_span, wrong_color,
};
use super::collectives::{Collectives, IncompleteCollective};
use super::dependencies::{Dependencies, Need, Order};
use super::findings::Findings;
use super::groups::{WaitGroup, Waits};
use super::message_checks::MessageChecks;
use super::pe_array::PeArray;

use crate::arch::{Color, InQueue, MESSAGE_COLOR, PeCoord};
use crate::diagnostics::{Diag, Diagnostic};
use crate::fabric::{Fabric, Obstacle};
use crate::image::{OperandRole, Program};
use crate::pe::{Wait, Waiter, WaitsFor};
use crate::source::Span;
use std::collections::BTreeMap;

/// Groups of equal waits beyond this many are counted, not explained.
pub(super) const MOST_GROUPS: usize = 64;
/// Of so many PEs that can send a color it is said whether a task of theirs is blocked.
const MOST_SENDERS: usize = 64;

/// A run in which nothing can move, explained.
#[derive(Clone, Debug, PartialEq)]
pub struct StallReport {
    /// The cycle in which the last thing happened.
    pub(crate) cycle: u64,
    /// How many operations on PEs are not finished.
    pub(crate) unfinished: u64,
    /// The waits of PEs, with equal ones folded; those that block others come first.
    pub(crate) waits: Vec<PeWait>,
    /// Groups of waits that are not listed.
    pub(crate) more: usize,
    /// PEs that wait for each other, in order, if they do.
    pub(crate) circle: Vec<PeCoord>,
    /// Wavelets left in queues, ramps and routers, with equal places folded.
    pub(crate) left: Vec<Left>,
    /// What the host waits for.
    pub(crate) host: Vec<HostWait>,
    /// Whether the host waits for a PE that waits for the host.
    pub(crate) host_in_circle: bool,
    /// Collective operations that some PEs of a row or column have not called.
    pub(crate) collectives: Vec<IncompleteCollective>,
    /// Whether everything that waits is an asynchronous operation.
    pub(crate) only_asynchronous: bool,
    /// Whether these have received nothing and no wavelets are left: receivers that a program arms again and again.
    pub(crate) only_armed: bool,
    /// Warnings about tasks that have not run because nothing activates them.
    pub(crate) never_activated: Vec<Diagnostic>,
}

/// One wait, and how many PEs have the same.
#[derive(Clone, Debug, PartialEq)]
pub struct PeWait {
    /// The first of these PEs.
    pub pe: PeCoord,
    /// How many others wait for the same.
    pub also_on: u64,
    /// Who waits.
    pub waiter: Waiter,
    /// The task, function or operation.
    pub name: String,
    /// The task or launched function whose operation the main thread does.
    pub task: Option<String>,
    /// For what.
    pub need: WaitsFor,
    /// The cycle in which the waiting began.
    pub since: u64,
    /// Elements done and in all.
    pub progress: Option<(u32, u32)>,
    /// The operation.
    pub span: Option<Span>,
    /// Where its number of elements comes from.
    pub length: Option<Span>,
    /// Who would have had to act.
    pub missing: Option<Missing>,
    /// The place of the program that is to blame, where it is known.
    pub cause: Option<Cause>,
}

impl PeWait {
    fn is_for_host(&self) -> bool {
        matches!(
            self.missing,
            Some(Missing::FromHost { .. } | Missing::Space { obstacle: Obstacle::Host, .. })
        )
    }
}

/// The other side of a wait.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// Nobody sends on this color any more.
    Wavelets {
        /// The color.
        color: Color,
        /// Wavelets of the color that the waiting PE has been given.
        received: u64,
        /// Whether a route leads to the waiting PE.
        reachable: bool,
        /// Every PE that can send it there, with what it has sent.
        senders: Vec<Sender>,
        /// Whether a control wavelet would end the operation that waits.
        ends_at_control: bool,
    },
    /// Nobody takes the wavelets.
    Space {
        /// The color.
        color: Color,
        /// Where the stream is held up.
        at: PeCoord,
        /// By what.
        obstacle: Obstacle,
        /// The same for people.
        by: String,
    },
    /// The host sends no more words.
    FromHost {
        /// The color.
        color: Color,
        /// Words that the waiting PE has been given.
        received: u64,
    },
    /// Nobody sends a message to the waiting PE.
    Message,
    /// Nobody writes to the FIFO.
    Push,
    /// Nobody reads from the FIFO.
    Pop,
    /// Nobody unblocks the task.
    Unblock,
}

/// A PE that can send a color to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Sender {
    /// The PE.
    pub pe: PeCoord,
    /// Wavelets that it has sent.
    pub sent: u64,
    /// An operation that sends them.
    pub span: Option<Span>,
    /// Where the number of elements of that operation comes from.
    pub length: Option<Span>,
    /// Whether something else holds it up.
    pub waits: bool,
    /// The blocked task behind which it would send again.
    pub held: Option<String>,
    /// The stream with which the host sends in its place.
    pub stream: Option<String>,
}

/// Wavelets that nobody has taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// The first PE.
    pub pe: PeCoord,
    /// How many other PEs have the same.
    pub also_on: u64,
    /// Their color.
    pub color: Color,
    /// How many on each PE.
    pub count: usize,
    /// Where they lie.
    pub place: String,
    /// Why they do not move.
    pub why: String,
    /// Whether the PE could take them.
    pub is_at_pe: bool,
    /// The binding of the control task that the first one names, if its channel is blocked.
    pub held: Option<Span>,
    /// The route that lets them no further.
    pub cause: Option<Cause>,
}

/// A host command that cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub struct HostWait {
    /// The command.
    pub command: String,
    /// What it needs.
    pub needs: String,
    /// The function that was launched and holds it up.
    pub span: Option<Span>,
    /// The place to blame: a task that would end the launch and that nothing starts, or the operation that should
    /// send or receive the words of a stream.
    pub cause: Option<Cause>,
    /// The PEs that hold it up, the first few.
    pub pes: Vec<PeCoord>,
    /// How many more there are.
    pub more: usize,
    /// What to do about it.
    pub advice: &'static str,
}

impl StallReport {
    /// What is not finished in a cycle in which nothing moves any more; `None` if everything is.
    pub(super) fn new(
        explainer: &Explainer<'_>,
        collectives: &Collectives,
        mut host: Vec<HostWait>,
        now: u64,
    ) -> Option<StallReport> {
        let (waits, program) = (&explainer.waits, explainer.program);
        let mut groups = waits.unfinished();
        if groups.is_empty() && host.is_empty() {
            return None;
        }
        let only_asynchronous = groups.iter().all(|g| matches!(g.wait.who, Waiter::Microthread(_)));
        let left = explainer.left();
        let collectives = collectives.unjoined(&program.sources);
        let is_quiet = only_asynchronous && left.is_empty() && collectives.is_empty();
        let only_armed = is_quiet && groups.iter().all(|g| is_armed(&g.wait));
        let operations = groups.iter().map(|g| g.count).sum();
        // Without a host, a task that stays blocked blocks nothing else.
        let held = if host.is_empty() { Vec::new() } else { waits.held_tasks() };
        let Order { groups: order, roots, circle } = explainer.dependencies.order(&groups);
        let ordered = order.into_iter().map(|(n, pe, since)| groups[n].led_by(pe, since));
        groups = ordered.chain(held).collect();
        let more = groups.len().saturating_sub(MOST_GROUPS);
        groups.truncate(MOST_GROUPS);
        let last = now.saturating_sub(1);
        let mut explained: Vec<PeWait> = groups.iter().map(|g| explainer.explain(g, last)).collect();
        // Of the waits that hold up all others, one with a known cause says most. A PE that its own route passes by
        // lies before the place where the stream is held up.
        let roots = &explained[..roots.min(explained.len())];
        let is_bypassed =
            |wait: &PeWait| matches!(wait.missing, Some(Missing::Wavelets { reachable: false, .. }));
        let first = roots.iter().position(|wait| wait.cause.is_some() && is_bypassed(wait));
        if let Some(first) = first.or_else(|| roots.iter().position(|wait| wait.cause.is_some())) {
            explained[..=first].rotate_right(1);
            groups[..=first].rotate_right(1);
        }
        // If only the host waits, the cause is a wavelet that nothing takes, or the code that should end the launch.
        if let (true, Some(first)) = (explained.is_empty(), host.first_mut()) {
            first.cause = explainer.host_cause(first, &left);
        }
        let awaited = host.first().map_or(&[][..], |command| &command.pes);
        let is_awaited =
            |group: &WaitGroup<'_>| awaited.iter().any(|at| waits.is_in(program.pe_index(*at), group));
        let host_in_circle =
            groups.iter().zip(&explained).any(|(group, wait)| wait.is_for_host() && is_awaited(group));
        Some(StallReport {
            cycle: last,
            unfinished: operations,
            waits: explained,
            more,
            circle,
            left,
            host,
            host_in_circle,
            collectives,
            only_asynchronous,
            only_armed,
            never_activated: Vec::new(),
        })
    }
}

/// Explains waits on a wafer in which nothing moves: what each is for, and which PE would have had to act.
pub(super) struct Explainer<'w> {
    program: &'w Program,
    pe_array: &'w PeArray,
    fabric: &'w Fabric,
    messages: &'w MessageChecks,
    findings: &'w Findings,
    waits: Waits<'w>,
    dependencies: Dependencies<'w>,
}

impl<'w> Explainer<'w> {
    /// An explainer of a wafer with these parts.
    pub fn new(
        pe_array: &'w PeArray,
        fabric: &'w Fabric,
        messages: &'w MessageChecks,
        findings: &'w Findings,
        waits: Waits<'w>,
    ) -> Explainer<'w> {
        let dependencies = Dependencies::new(pe_array, fabric);
        Explainer { program: pe_array.program(), pe_array, fabric, messages, findings, waits, dependencies }
    }

    /// The program.
    pub fn program(&self) -> &'w Program {
        self.program
    }

    /// The PEs.
    pub fn pe_array(&self) -> &'w PeArray {
        self.pe_array
    }

    /// The routers.
    pub fn fabric(&self) -> &Fabric {
        self.fabric
    }

    /// What the run has found so far.
    pub fn findings(&self) -> &Findings {
        self.findings
    }

    /// What waits on them.
    pub fn waits(&self) -> &Waits<'w> {
        &self.waits
    }

    /// How many wavelets are in the fabric, by color.
    pub fn under_way(&self) -> BTreeMap<Color, usize> {
        self.fabric.survey().under_way()
    }

    /// Tasks that are active but blocked, as notes for people.
    pub fn blocked_tasks(&self) -> Vec<PeWait> {
        self.waits.held_tasks().iter().map(|group| self.explain(group, u64::MAX)).collect()
    }

    /// One wait of each group, with the other side, in a run that ends in the cycle `last`.
    pub fn explain(&self, group: &WaitGroup<'_>, last: u64) -> PeWait {
        let wait = group.wait.clone();
        let missing = self.missing(group.pe, &wait.on);
        let call = match missing {
            Some(Missing::Message) => self.messages.waiting_call(group.pe, &self.program.sources),
            _ => None,
        };
        PeWait {
            cause: missing.as_ref().and_then(|missing| self.cause(group.pe, &wait, missing)),
            pe: self.program.pe_coord(group.pe),
            also_on: group.count - 1,
            waiter: wait.who,
            name: match wait.who {
                Waiter::MainThread | Waiter::Microthread(_) => format!("@{}", wait.name),
                Waiter::Task(_) | Waiter::Queue => wait.name.to_string(),
            },
            task: wait.task.map(str::to_string),
            need: wait.on,
            // What has moved in the last cycle waits from the one behind it on, which the run does not reach.
            since: wait.since.min(last),
            progress: wait.progress,
            span: call.or(wait.span),
            length: wait.span.and_then(|span| self.length(group.pe, span)),
            missing,
        }
    }

    /// Shows who has sent a color to a PE, and where both sides have their numbers of elements from; `receives` is
    /// what receives it.
    pub fn name_sides(&self, mut c: Diag, pe: usize, color: Color, receives: Span) -> Diag {
        let (Some(own), sent) = (self.length(pe, receives), self.fabric.survey().senders(pe, color)) else {
            return c;
        };
        let sent = sent.into_iter().filter(|s| self.fabric.survey().sent(*s, color) > 0);
        let Some((sender, span)) = sent.filter_map(|s| Some((s, send_span(self.pe_array, s, color)?))).next()
        else {
            return c;
        };
        let (who, count) = (self.program.pe_coord(sender), self.fabric.survey().sent(sender, color));
        if let Some(length) = self.length(sender, span).filter(|length| *length != own) {
            c = c.also(length, format!("this DSD says how many {who} sends"));
        }
        c.also(own, "this DSD says how many are received")
            .also(span, format!("{who} has sent {count} on color {color}"))
    }

    /// Where the number of elements of an operation comes from.
    fn length(&self, pe: usize, op: Span) -> Option<Span> {
        let tile = self.program.tile_at(self.program.pe_coord(pe))?;
        tile.operand_place(op, OperandRole::Length)
    }

    /// The place of the program that is to blame for a wait.
    fn cause(&self, pe: usize, wait: &Wait<'_>, missing: &Missing) -> Option<Cause> {
        match missing {
            Missing::Push | Missing::Pop => match &wait.on {
                WaitsFor::FifoData(name) => ended_at_fifo(self.pe_array, pe, name, true),
                WaitsFor::FifoSpace(name) => ended_at_fifo(self.pe_array, pe, name, false),
                _ => None,
            },
            Missing::Wavelets { color: MESSAGE_COLOR, .. } => None,
            Missing::Wavelets { color, reachable, senders, .. } if !reachable || senders.is_empty() => {
                wrong_color(self.pe_array, self.fabric, pe, *color, wait.span)
                    .or_else(|| broken_routes::before(self.program, self.fabric, pe, *color))
                    .or_else(|| self.refused(|other| other == *color))
            }
            Missing::Wavelets { color, received: 0, senders, .. } => {
                if let Some(cause) = wrong_color(self.pe_array, self.fabric, pe, *color, wait.span) {
                    return Some(cause);
                }
                let idle = senders.iter().all(|s| s.sent == 0 && !s.waits);
                let mut all = senders.iter().filter(|_| idle);
                all.find_map(|s| self.unreached(self.program.pe_index(s.pe), s.span?))
                    .or_else(|| self.held_back(pe, *color, senders))
            }
            Missing::Space { color, at, obstacle: Obstacle::Pe, .. } => {
                let there = self.program.pe_index(*at);
                let color = self.fabric.survey().blockage(pe, *color).map_or(*color, |stuck| stuck.color);
                let is_idle = !self.dependencies.is_held_up(there, Need::Receive(color));
                queue_of_other_color(self.pe_array, self.fabric, there, color)
                    .or_else(|| is_idle.then(|| receiver(self.pe_array, there, color)).flatten())
            }
            Missing::Space { color, .. } => {
                broken_routes::at(self.program, &self.fabric.survey().blockage(pe, *color)?)
            }
            Missing::Wavelets { color, senders, .. } => self.held_back(pe, *color, senders),
            Missing::FromHost { .. } => self.endless(pe, wait),
            Missing::Message | Missing::Unblock => None,
        }
    }

    pub(super) fn missing(&self, pe: usize, on: &WaitsFor) -> Option<Missing> {
        match on {
            // No route leads to a PE that waits for a message, or reads the queue of messages itself.
            WaitsFor::Wavelet { queue, .. } if self.is_mailbox(pe, *queue) => Some(Missing::Message),
            WaitsFor::Wavelet { color, .. } if self.comes_from_host(pe, *color) => {
                Some(Missing::FromHost { color: *color, received: self.fabric.survey().received(pe, *color) })
            }
            WaitsFor::Wavelet { color, ends_at_control, .. } => {
                let sender = |(nth, s): (usize, usize)| {
                    let span = send_span(self.pe_array, s, *color);
                    Sender {
                        pe: self.program.pe_coord(s),
                        sent: self.fabric.survey().sent(s, *color),
                        span,
                        length: span.and_then(|span| self.length(s, span)),
                        waits: self.dependencies.is_held_up(s, Need::Send(*color)),
                        held: span
                            .filter(|_| nth < MOST_SENDERS)
                            .and_then(|span| held_task(self.pe_array, s, span))
                            .map(|task| task.name.clone()),
                        stream: self.stream_from(s),
                    }
                };
                let senders: Vec<Sender> =
                    self.fabric.survey().senders(pe, *color).into_iter().enumerate().map(sender).collect();
                Some(Missing::Wavelets {
                    color: *color,
                    received: self.fabric.survey().received(pe, *color),
                    reachable: *color == MESSAGE_COLOR || self.fabric.survey().reaches_pe(pe, *color),
                    senders,
                    ends_at_control: *ends_at_control,
                })
            }
            WaitsFor::Space { color, .. } => {
                let stuck = self.fabric.survey().blockage(pe, *color)?;
                let (at, by) = (self.program.pe_coord(stuck.pe), broken_routes::obstacle_words(&stuck));
                Some(Missing::Space { color: *color, at, obstacle: stuck.obstacle, by })
            }
            WaitsFor::FifoData(_) => Some(Missing::Push),
            WaitsFor::FifoSpace(_) => Some(Missing::Pop),
            WaitsFor::Unblock => Some(Missing::Unblock),
            _ => None,
        }
    }

    /// Whether messages come to this queue of a PE.
    fn is_mailbox(&self, pe: usize, queue: Option<InQueue>) -> bool {
        let tile = self.program.tile_at(self.program.pe_coord(pe));
        queue.is_some() && tile.is_some_and(|tile| tile.mailbox == queue)
    }

    /// The name of the stream with which the host sends in the place of a PE.
    fn stream_from(&self, pe: usize) -> Option<String> {
        let (layout, at) = (self.program.sdk_layout.as_ref()?, self.program.pe_coord(pe));
        let stream = layout.streams.iter().find(|stream| stream.to_wafer && stream.pe == at)?;
        Some(stream.name.clone())
    }

    fn comes_from_host(&self, pe: usize, color: Color) -> bool {
        let survey = self.fabric.survey();
        let is_streamed =
            self.program.memcpy.as_ref().is_some_and(|memcpy| memcpy.h2d.contains(&Some(color)));
        // Without a sender, the only way that is not broken begins at the edge, where the host sends. To a layout described in
        // Python it sends in the place of a PE.
        let is_from_edge =
            || survey.senders(pe, color).is_empty() && survey.break_before(pe, color).is_none();
        is_streamed || self.program.sdk_layout.is_none() && is_from_edge()
    }
}

/// Whether it waits for its first wavelet, or for the first element of a FIFO.
fn is_armed(wait: &Wait<'_>) -> bool {
    matches!(wait.on, WaitsFor::Wavelet { .. } | WaitsFor::FifoData(_))
        && wait.progress.is_some_and(|(done, _)| done == 0)
}
