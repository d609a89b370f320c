//! The stall report as a diagnostic, and the warnings about what is left at the end.

use super::advice::{circle_advice, space_advice, wavelets_advice};
use super::causes::{Cause, receiver};
use super::collectives::IncompleteCollective;
use super::stall::{Explainer, HostWait, Left, Missing, PeWait, Sender, StallReport};
use crate::arch::PeCoord;
use crate::diagnostics::render::estimated_cycles;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::tasks::{
    CONTROL_CHANNEL_BLOCKED, DEADLOCK, LEFTOVER_WAVELETS, NEVER_ACTIVATED, TASK_STAYS_BLOCKED,
};
use crate::diagnostics::{Diag, Diagnostic, Moment, Severity, counted};
use crate::fabric::Obstacle;
use crate::image::TaskBinding;
use crate::pe::{Pe, Waiter, WaitsFor};
use crate::source::{SourceMap, Span};
use std::borrow::Cow;

/// More notes of one kind than this are counted, not told.
pub(super) const MOST_NOTES: usize = 8;
/// A hang report comes with warnings about at most this many tasks that nothing activates.
const MOST_IDLE: usize = 2;

impl StallReport {
    /// The report as people read it.
    pub fn diagnostic(&self, sources: &SourceMap) -> Diagnostic {
        let what = match (self.unfinished, self.host.is_empty()) {
            (0, _) => "a command of the host".to_string(),
            (n, true) => counted(n, "operation"),
            (n, false) => counted(n, "operation") + " and a command of the host",
        };
        let mut c = DEADLOCK.because(&[("cycles", &estimated_cycles(self.cycle)), ("what", &what)]);
        let joined = self.collectives.first().and_then(|operation| Some((operation, operation.span?)));
        if let Some((operation, span)) = joined {
            c = c.at(span).label("not all PEs have joined this operation");
            // The PEs that have called it are the ones that wait.
            if let Some(PeCoord { x, y }) = operation.missing.first().copied() {
                c = c.on(Moment { x, y, cycle: self.cycle });
            }
        } else if let Some(first) = self.waits.first() {
            c = blame(c, first, self.cycle);
        } else if let Some(host) = self.host.first() {
            c = blame_launch(c, host, self.cycle);
        }
        for operation in self.collectives.iter().take(MOST_NOTES) {
            c = c.note(collective_note(operation));
        }
        for (i, wait) in self.waits.iter().take(MOST_NOTES).enumerate() {
            if i > 0 || wait.span.is_none() || joined.is_some() {
                c = c.note(wait_note(wait, sources));
            }
            // The library sets the routes of a collective operation when a PE joins.
            if joined.is_none()
                && let Some(note) = wait.missing.as_ref().and_then(|m| missing_note(m, wait.pe, sources))
            {
                c = c.note(note);
            }
            let shown = |span| c.0.primary.iter().chain(&c.0.others).any(|l| l.span == span);
            if let (Some(span), Some((done, all))) = (wait.span, wait.progress)
                && !shown(span)
            {
                c = c.also(span, format!("{}: {done} of {all} done", wait.pe));
            }
        }
        let untold = self.waits.len().saturating_sub(MOST_NOTES) + self.more;
        if untold > 0 {
            c = c.note(format!("kinds of waits not shown: {untold}"));
        }
        if !self.circle.is_empty() {
            c = c.note(circle_note(&self.circle));
        }
        if self.host_in_circle {
            c = c.note("the host waits for a PE that waits for the host");
        }
        for host in &self.host {
            c = c.note(host_note(host));
        }
        for left in self.left.iter().take(MOST_NOTES) {
            c = c.note(left_note(left));
        }
        c.help(self.advice().as_ref()).report(self.facts(sources)).into()
    }

    /// The report, after warnings about tasks that should perhaps have run.
    pub fn diagnostics(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        self.with_idle_tasks(self.diagnostic(sources))
    }

    /// The report as warnings: the host has all that it asked for.
    pub fn warnings(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        self.with_idle_tasks(self.warning(sources))
    }

    /// A report, after warnings about tasks that nothing activates, except for the one that it blames.
    fn with_idle_tasks(&self, report: Diagnostic) -> Vec<Diagnostic> {
        let blamed = report.primary.as_ref().map(|label| label.span);
        let is_other = |idle: &&Diagnostic| idle.primary.as_ref().map(|label| label.span) != blamed;
        let idle = self.never_activated.iter().filter(is_other).take(MOST_IDLE).cloned();
        idle.collect::<Vec<_>>().into_iter().chain([report]).collect()
    }

    fn warning(&self, sources: &SourceMap) -> Diagnostic {
        let mut warning = self.diagnostic(sources);
        let what = counted(self.unfinished, "operation");
        warning.title =
            format!("the host is done after {}, but {what} can never finish", estimated_cycles(self.cycle));
        warning.severity = Severity::Warning;
        warning
    }

    fn advice(&self) -> Cow<'_, str> {
        if !self.collectives.is_empty() {
            let all = "all PEs of a row or column must call the same collective operations in the same order";
            return all.into();
        }
        if let Some(PeWait { cause: Some(cause), .. }) = self.waits.first() {
            return cause.advice.as_str().into();
        }
        if !self.circle.is_empty() {
            return circle_advice(self.circle.len(), self.waits.first()).into();
        }
        if let Some(Missing::Wavelets { senders, reachable: true, .. }) =
            self.waits.first().and_then(|w| w.missing.as_ref())
            && let [Sender { stream: Some(name), waits: false, .. }] = senders.as_slice()
        {
            return format!(
                "make the host send more words on the stream '{name}', or make the program expect fewer"
            )
            .into();
        }
        let advice = match self.waits.first().and_then(|w| w.missing.as_ref()) {
            Some(Missing::Space { obstacle: Obstacle::Host, .. }) if self.host_in_circle => {
                "the commands of the host run one after the other: let the program store the words in a FIFO or an \
                 array until the host takes them, or copy fewer words at a time"
            }
            Some(Missing::Wavelets { reachable, received, senders, ends_at_control, .. }) => {
                wavelets_advice(*reachable, *received, senders, *ends_at_control)
            }
            Some(Missing::Space { obstacle, .. }) => space_advice(*obstacle),
            Some(Missing::FromHost { .. }) => {
                "make the host copy more words to this color first, or make the program expect fewer"
            }
            Some(Missing::Message) => "another PE must send a message to this one",
            Some(Missing::Push) => "another operation must write to the FIFO",
            Some(Missing::Pop) => "another operation must read from the FIFO",
            Some(Missing::Unblock) => "`@unblock` the task, or let an operation do it with `.unblock`",
            None => match self.host.first() {
                Some(HostWait { cause: Some(cause), .. }) => return cause.advice.as_str().into(),
                Some(host) => host.advice,
                None => "check what the waits have in common",
            },
        };
        advice.into()
    }
}

/// Warnings about what a run leaves behind that is finished before a cycle.
pub(super) fn leftovers(explainer: &Explainer<'_>, now: u64) -> Vec<Diagnostic> {
    let program = explainer.program();
    let (held, left): (Vec<Left>, Vec<Left>) = explainer.left().into_iter().partition(|l| l.held.is_some());
    let mut warnings: Vec<Diagnostic> = held.iter().take(MOST_NOTES).map(|l| held_back(l, now)).collect();
    warnings.extend(leftover(explainer, left));
    let blocked = explainer.blocked_at_the_end();
    // What has no task was told before the run.
    for wait in blocked.into_iter().filter(|wait| !wait.name.is_empty()).take(MOST_NOTES) {
        let c = TASK_STAYS_BLOCKED.because(&[("task", &waiter_words(&wait)), ("pe", &wait.pe)]);
        let c = match wait.span {
            Some(span) => c.at(span),
            None => c,
        };
        let unblocked = match wait.waiter {
            Waiter::Task(id) => program.tile_at(wait.pe).map_or(Vec::new(), |tile| tile.unblockings(id)),
            _ => Vec::new(),
        };
        let c = match unblocked.first() {
            Some(span) => c.also(*span, "this would unblock it, but has not run since it was blocked"),
            None => c.note("nothing unblocks it"),
        };
        let PeCoord { x, y } = wait.pe;
        let mut d = Diagnostic::from(c.on(Moment { x, y, cycle: now }));
        d.also_on = wait.also_on;
        warnings.push(d);
    }
    warnings.extend(never_activated(explainer));
    warnings
}

/// The warning about wavelets that are left. What a route does not let through comes first: the rest may lie behind it.
fn leftover(explainer: &Explainer<'_>, mut left: Vec<Left>) -> Option<Diagnostic> {
    left.sort_by_key(|l| l.cause.is_none());
    let first = left.first()?;
    let Left { color, pe, .. } = first;
    let mut c = LEFTOVER_WAVELETS.because(&[("color", color), ("pe", pe)]);
    let index = explainer.program().pe_index(*pe);
    if let Some(Cause { span, fact, also, advice, .. }) = &first.cause {
        c = c.at(*span).label(fact).help(advice);
        c = also.iter().fold(c, |c, (span, fact)| c.also(*span, fact));
    } else if first.is_at_pe
        && let Some(receiver) = receiver(explainer.pe_array(), index, *color)
    {
        let at = receiver.span;
        c = c.at(at).label(receiver.fact).help(receiver.advice);
        c = explainer.name_sides(c, index, *color, at);
    }
    for l in left.iter().take(MOST_NOTES) {
        c = c.note(left_note(l));
    }
    if left.len() > MOST_NOTES {
        c = c.note(format!("places not shown: {}", left.len() - MOST_NOTES));
    }
    Some(c.into())
}

/// Warnings about tasks that nothing activates and that have not run on any PE.
pub(super) fn never_activated(explainer: &Explainer<'_>) -> Vec<Diagnostic> {
    let (program, pe_array) = (explainer.program(), explainer.pe_array());
    let mut idle = program.idle_tasks();
    idle.retain(|(declared, _)| {
        let has_begun = |index: usize, pe: &Pe| {
            let tile = program.tile_at(program.pe_coord(index));
            let tasks = tile.into_iter().flat_map(|tile| tile.tasks.iter().map(move |task| (tile, task)));
            let mut same =
                tasks.filter(|(tile, task)| tile.functions[task.function.0 as usize].span == *declared);
            same.any(|(_, task)| pe.has_begun(task.id))
        };
        !pe_array.made().any(|(index, _, pe)| has_begun(index, pe))
    });
    let diag = |(span, task): (Span, &TaskBinding)| {
        NEVER_ACTIVATED.because(&[("task", &task.name), ("id", &task.id)]).at(span).into()
    };
    idle.into_iter().take(MOST_NOTES).map(diag).collect()
}

fn held_back(left: &Left, now: u64) -> Diagnostic {
    let Left { color, pe, also_on, held, .. } = left;
    let c = CONTROL_CHANNEL_BLOCKED.because(&[("color", color), ("pe", pe)]).note(left_note(left));
    let c = match held {
        Some(span) => c.at(*span).label("this task would run"),
        None => c,
    };
    let help = "`@unblock` the color (on wse3: the input queue) in a comptime block";
    let mut d = Diagnostic::from(c.help(help).on(Moment { x: pe.x, y: pe.y, cycle: now }));
    d.also_on = *also_on;
    d
}

fn blame(c: Diag, first: &PeWait, cycle: u64) -> Diag {
    let done = first.progress.map_or(String::new(), |(done, all)| format!("stopped after {done} of {all}, "));
    let waits = format!("{done}{}", need_and_since(first));
    let PeCoord { x, y } = first.cause.as_ref().map_or(first.pe, |cause| cause.pe);
    let mut c = c.on(Moment { x, y, cycle });
    if let Some(Cause { span, fact, also, .. }) = &first.cause {
        c = c.at(*span).label(fact);
        if let Some((span, fact)) = also {
            c = c.also(*span, fact);
        }
        if let Some(span) = first.span.filter(|wait| wait != span) {
            c = c.also(span, format!("{}: {waits}", on_pes(first.pe, first.also_on)));
        }
        // What the route or the color has kept apart says nothing about numbers.
        return c;
    }
    c.0.also_on = first.also_on;
    if let Some(span) = first.span {
        c = c.at(span).label(waits);
    }
    if let Some(Missing::Wavelets { color, senders, .. }) = &first.missing
        && let Some(sender) = senders.first()
    {
        c = name_lengths(c, first, sender);
        if let Some(span) = sender.span {
            c = c.also(span, format!("{} has sent {} on color {color}", sender.pe, grouped(sender.sent)));
        }
    }
    c
}

/// Shows where two operations have their lengths from, if one has ended in the middle of the other.
fn name_lengths(mut c: Diag, wait: &PeWait, sender: &Sender) -> Diag {
    let Some((done, all)) = wait.progress.filter(|(done, all)| 0 < *done && done < all) else { return c };
    if let Some(span) = wait.length {
        let (pe, all, has) =
            (wait.pe, counted(all.into(), "element"), if done == 1 { "has" } else { "have" });
        let done = grouped(done.into());
        c = c.also(span, format!("this DSD makes {pe} wait for {all}, of which {done} {has} come"));
    }
    if let Some(span) = sender.length.filter(|span| wait.length != Some(*span)) {
        c = c.also(span, format!("this DSD says how many {} sends", sender.pe));
    }
    c
}

fn blame_launch(c: Diag, host: &HostWait, cycle: u64) -> Diag {
    let first = host.cause.as_ref().map(|cause| cause.pe).or(host.pes.first().copied());
    let Some(PeCoord { x, y }) = first else { return c };
    let c = c.on(Moment { x, y, cycle });
    let also = host.cause.as_ref().and_then(|cause| cause.also.as_ref());
    match (&host.cause, host.span) {
        (Some(cause), Some(span)) => {
            let c = c.at(cause.span).label(&cause.fact);
            let c = also.iter().fold(c, |c, (span, fact)| c.also(*span, fact));
            c.also(span, "the launch of this function is not done")
        }
        (Some(cause), None) => {
            also.iter().fold(c.at(cause.span).label(&cause.fact), |c, (span, fact)| c.also(*span, fact))
        }
        (None, Some(span)) => c.at(span).label("this launch is not done"),
        (None, None) => c,
    }
}

pub(super) fn wait_note(w: &PeWait, sources: &SourceMap) -> String {
    let place = w.span.map_or(String::new(), |s| format!(" ({})", sources.describe(s)));
    let done = w.progress.map_or(String::new(), |(done, all)| format!(", {done} of {all} done"));
    let who = on_pes(w.pe, w.also_on);
    let is = if matches!(w.missing, Some(Missing::Unblock)) { "is" } else { "has been" };
    format!("{who}: {} {is} {}{done}{place}", waiter_words(w), need_and_since(w))
}

/// Who waits: `@mov32` in `main`.
fn waiter_words(w: &PeWait) -> String {
    let name = &w.name;
    match w.waiter {
        Waiter::MainThread => {
            format!("`{name}`{}", w.task.as_ref().map_or(String::new(), |task| format!(" in `{task}`")))
        }
        Waiter::Microthread(id) => format!("`{name}` in microthread {id}"),
        Waiter::Task(id) => format!("task `{name}` (id {id})"),
        Waiter::Queue => "a queue".to_string(),
    }
}

/// For what: a wavelet of color 5.
pub fn need_words(on: &WaitsFor) -> String {
    let through = |q: Option<String>| q.map_or(String::new(), |q| format!(" ({q})"));
    match on {
        WaitsFor::Wavelet { color, queue, .. } => {
            format!("a wavelet of color {color}{}", through(queue.map(|q| format!("input queue {q}"))))
        }
        WaitsFor::Space { color, queue } => {
            let queue = through(queue.map(|q| format!("output queue {q}")));
            format!("room to send on color {color}{queue}")
        }
        WaitsFor::FifoData(name) => format!("an element in the FIFO `{name}`"),
        WaitsFor::FifoSpace(name) => format!("room in the FIFO `{name}`"),
        WaitsFor::Unblock => "`@unblock`".to_string(),
        WaitsFor::Consumer { color, .. } => format!("an operation or task that receives color {color}"),
        WaitsFor::Router { color, .. } => format!("the router to take color {color}"),
    }
}

/// Nobody notes when a task was blocked.
fn need_and_since(w: &PeWait) -> String {
    match w.missing {
        Some(Missing::Unblock) => format!("waiting for {}", need_words(&w.need)),
        _ => format!("waiting for {} since cycle {}", need_words(&w.need), grouped(w.since)),
    }
}

fn missing_note(missing: &Missing, pe: PeCoord, sources: &SourceMap) -> Option<String> {
    match missing {
        Missing::Wavelets { color, reachable: false, .. } => {
            Some(format!("no route of color {color} leads to the ramp of {pe}"))
        }
        Missing::Wavelets { color, senders, .. } if senders.is_empty() => {
            Some(format!("no PE can send color {color} to {pe}: no route leads there from a ramp"))
        }
        Missing::Wavelets { color, received, senders, .. } => {
            let received = grouped(*received);
            let told = senders.iter().take(MOST_NOTES).map(|s| sender_words(s, sources));
            let mut told = told.collect::<Vec<_>>().join("; ");
            if senders.len() > MOST_NOTES {
                let more = grouped((senders.len() - MOST_NOTES) as u64);
                told.push_str(&format!("; and {more} more PEs can"));
            }
            Some(match senders.iter().any(|s| s.waits) {
                true => format!("{pe} has received {received} of color {color} and will get no more: {told}"),
                false => format!(
                    "nothing sends color {color} to {pe} any more (it has received {received}): {told}"
                ),
            })
        }
        Missing::Space { color, at, by, .. } => {
            Some(format!("color {color} from {pe} is blocked at {at}: {by}"))
        }
        Missing::FromHost { color, received } => {
            let received = grouped(*received);
            Some(format!("color {color} comes from the host, which has sent {pe} {received} words of it"))
        }
        Missing::Message | Missing::Push | Missing::Pop | Missing::Unblock => None,
    }
}

pub(super) fn sender_words(s: &Sender, sources: &SourceMap) -> String {
    if let Some(name) = &s.stream {
        return format!("the host has sent {} on the stream '{name}'", counted(s.sent, "word"));
    }
    // That nothing was sent may mean that the code did not come there.
    let at = if s.sent == 0 && !s.waits { "it would at" } else { "at" };
    let place = s.span.map_or(String::new(), |span| format!(" ({at} {})", sources.describe(span)));
    let state = match &s.held {
        _ if s.waits => " and is itself waiting".to_string(),
        Some(task) => format!(", and its task `{task}` is blocked"),
        None => " and is done".to_string(),
    };
    format!("{} has sent {}{place}{state}", s.pe, grouped(s.sent))
}

fn circle_note(circle: &[PeCoord]) -> String {
    match circle {
        [one] => format!("{one} waits for itself"),
        many => {
            let names: Vec<_> = many.iter().take(MOST_NOTES).map(PeCoord::to_string).collect();
            format!("these PEs wait for each other: {}", names.join(", "))
        }
    }
}

fn host_note(h: &HostWait) -> String {
    if h.pes.is_empty() {
        return format!("the host is blocked on {}: {}", h.command, h.needs);
    }
    let names: Vec<_> = h.pes.iter().map(PeCoord::to_string).collect();
    let more = if h.more > 0 { format!(" and {} more", h.more) } else { String::new() };
    format!("the host is blocked on {}: {} on {}{more}", h.command, h.needs, names.join(", "))
}

fn collective_note(operation: &IncompleteCollective) -> String {
    let IncompleteCollective { text, missing, more, .. } = operation;
    let names: Vec<_> = missing.iter().map(PeCoord::to_string).collect();
    let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{text}; not called by {}{more}", names.join(", "))
}

fn left_note(l: &Left) -> String {
    let count = counted(l.count as u64, "wavelet");
    format!("{}: {count} of color {} {}: {}", on_pes(l.pe, l.also_on), l.color, l.place, l.why)
}

pub(super) fn on_pes(pe: PeCoord, also_on: u64) -> String {
    match also_on {
        0 => pe.to_string(),
        1 => format!("{pe} and 1 other PE"),
        n => format!("{pe} and {n} other PEs"),
    }
}
