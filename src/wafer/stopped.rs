//! Why a run does not end: what every PE does when it is stopped, and what waits.

use super::bands::Bands;
use super::explain::{MOST_NOTES, on_pes, sender_words, wait_note};
use super::groups::unfinished_on;
use super::pe_array::PeArray;
use super::repetition::Livelock;
use super::stall::{Explainer, MOST_GROUPS, Missing, PeWait};
use crate::arch::{Color, PeCoord};
use crate::diagnostics::render::{estimated_cycles, grouped};
use crate::diagnostics::rules::host::STILL_RUNNING;
use crate::diagnostics::rules::tasks::{CYCLE_LIMIT, INTERRUPTED, LIVELOCK};
use crate::diagnostics::{Diag, Diagnostic, Moment};
use crate::pe::{Activity, Waiter};
use crate::source::{SourceMap, Span};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A run that was stopped before its end, explained.
#[derive(Clone, Debug, PartialEq)]
pub struct StopReport {
    /// The cycle in which the run was stopped: the limit, or that of the interruption.
    pub(crate) cycle: u64,
    /// Whether it was interrupted.
    pub(crate) interrupted: bool,
    /// The part of the run that repeats forever, if that is why it was stopped.
    pub(crate) repeats: Option<Livelock>,
    /// What PEs do or did last, equal ones folded.
    pub(crate) running: Vec<Running>,
    /// What waits on PEs, the longest wait first, equal ones folded.
    pub(crate) waits: Vec<PeWait>,
    /// Groups of waits that are not listed.
    pub(crate) more: usize,
    /// Wavelets in the fabric, by color.
    pub(crate) under_way: BTreeMap<Color, usize>,
}

/// What a PE does, or did last.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// The first PE.
    pub pe: PeCoord,
    /// How many other PEs do the same.
    pub also_on: u64,
    /// The task or launched function.
    pub name: String,
    /// Where it is; its declaration when it has ended.
    pub span: Span,
    /// Whether it has ended.
    pub ended: bool,
    /// Whether it waits in one of its operations.
    pub waits: bool,
    /// When it has started.
    pub since: u64,
    /// How many tasks have started on the PE.
    pub started: u64,
    /// Its declaration.
    pub declared: Span,
    /// Local tasks that would start if it ended.
    pub ready: Vec<String>,
}

impl StopReport {
    /// What goes on when the run is stopped before a cycle.
    pub(super) fn new(explainer: &Explainer<'_>, bands: &Bands, cycle: u64, interrupted: bool) -> StopReport {
        let mut groups = explainer.waits().unfinished();
        groups.sort_by_key(|group| group.wait.since);
        let more = groups.len().saturating_sub(MOST_GROUPS);
        groups.truncate(MOST_GROUPS);
        let waits = groups.iter().map(|group| explainer.explain(group, cycle)).collect();
        let running = running(explainer.pe_array(), bands);
        StopReport {
            cycle,
            interrupted,
            repeats: None,
            running,
            waits,
            more,
            under_way: explainer.under_way(),
        }
    }

    /// The report as people read it.
    pub fn diagnostic(&self, sources: &SourceMap) -> Diagnostic {
        if let Some(cycle) = &self.repeats {
            return self.livelock(cycle, sources);
        }
        let c = match self.interrupted {
            true => INTERRUPTED.because(&[("cycles", &estimated_cycles(self.cycle))]),
            false => CYCLE_LIMIT
                .because(&[("limit", &grouped(self.cycle))])
                .help("if the program is meant to run this long, raise the limit with --max-cycles"),
        };
        self.told(c, sources)
    }

    /// The warning about a program that is still running when the host has nothing more to do with it.
    pub fn still_running(&self, cycles: u64, sources: &SourceMap) -> Diagnostic {
        let cycles = format!("{} cycles", grouped(cycles));
        self.told(STILL_RUNNING.because(&[("cycles", &cycles)]), sources)
    }

    /// Adds to a diagnostic what is still running.
    fn told(&self, mut c: Diag, sources: &SourceMap) -> Diagnostic {
        if let Some(Running { pe, also_on, span, ended, .. }) = self.running.first() {
            let label = if *ended { "this ran last" } else { "still running here" };
            c = c.at(*span).label(label).on(Moment { x: pe.x, y: pe.y, cycle: self.cycle });
            c.0.also_on = *also_on;
        }
        for running in self.running.iter().take(MOST_NOTES) {
            c = c.note(running_note(running, sources));
        }
        for wait in self.waits.iter().take(MOST_NOTES) {
            c = c.note(wait_note(wait, sources));
            if let Some(note) = wait.missing.as_ref().and_then(|m| so_far(m, wait.pe, sources)) {
                c = c.note(note);
            }
        }
        for (color, count) in self.under_way.iter().take(MOST_NOTES) {
            c = c.note(format!("wavelets of color {color} in flight: {count}"));
        }
        let all = [self.running.len(), self.waits.len(), self.under_way.len()];
        let untold = self.more + all.iter().map(|n| n.saturating_sub(MOST_NOTES)).sum::<usize>();
        if untold > 0 {
            c = c.note(format!("similar notes not shown: {untold}"));
        }
        c.report(self.facts(sources)).into()
    }
}

impl StopReport {
    /// The report of a run that repeats itself: the tasks that run in the part that repeats, and what has waited for
    /// longer than that.
    fn livelock(&self, cycle: &Livelock, sources: &SourceMap) -> Diagnostic {
        let mut c = LIVELOCK.because(&[("cycles", &counted_cycles(cycle.cycles))]);
        let mut groups: IndexMap<Span, (PeCoord, u64), FxBuildHasher> = IndexMap::default();
        // A loop within a task: it runs once, and never ends.
        let loops =
            || self.running.iter().filter(|r| !r.ended && !r.waits && r.since + cycle.cycles < self.cycle);
        let is_loop = |span: Span| loops().any(|r| r.declared == span);
        for (pe, span) in cycle.tasks.iter().filter(|(_, span)| !is_loop(*span)) {
            groups.entry(*span).and_modify(|group| group.1 += 1).or_insert((*pe, 0));
        }
        for (n, (span, (pe, also_on))) in groups.iter().take(MOST_NOTES).enumerate() {
            let text = format!("this runs again and again on {}", on_pes(*pe, *also_on));
            c = if n == 0 { c.at(*span).label(text) } else { c.also(*span, text) };
        }
        for (n, r) in loops().take(MOST_NOTES).enumerate() {
            let (who, since) = (on_pes(r.pe, r.also_on), grouped(r.since));
            let text = format!("`{}` has been running on {who} since cycle {since}, and loops here", r.name);
            c = if n == 0 && groups.is_empty() { c.at(r.span).label(text) } else { c.also(r.span, text) };
            for task in r.ready.iter().take(MOST_NOTES) {
                c = c.note(format!("`{task}` is active, and can start only when `{}` has ended", r.name));
            }
        }
        if let Some(r) = loops().next() {
            c = c.help(format!(
                "end `{}`, and do the rest in a task that is activated when there is something to do",
                r.name
            ));
        }
        let waits = self.waits.iter().filter(|wait| wait.since + cycle.cycles < self.cycle);
        for wait in waits.take(MOST_NOTES) {
            c = c.note(wait_note(wait, sources));
        }
        c.report(self.facts(sources)).into()
    }
}

fn counted_cycles(cycles: u64) -> String {
    if cycles == 1 { "cycle".to_string() } else { format!("{} cycles", grouped(cycles)) }
}

/// What PEs are doing. If only wavelets are in flight, what PEs did last, most recent first.
fn running(pe_array: &PeArray, bands: &Bands) -> Vec<Running> {
    let (all, program) = (bands.are_idle(), pe_array.program());
    let mut groups: IndexMap<_, Running, FxBuildHasher> = IndexMap::default();
    for (index, at, pe) in pe_array.made().filter(|(i, ..)| all || bands.runs(*i)) {
        let Some(activity) = pe.activity() else { continue };
        let Activity { name, span: declared, places, since, started, ready } = activity;
        let ended = places.is_empty();
        let here = program.sources.outside_library(&places).or(places.first().copied());
        let span = here.unwrap_or(declared);
        let key = (program.place[index], ended, span);
        let ready = || ready.iter().map(|name| name.to_string()).collect();
        let name = name.to_string();
        let waits = unfinished_on(pe).any(|wait| wait.who == Waiter::MainThread);
        let new = || Running {
            pe: at,
            also_on: 0,
            name,
            span,
            ended,
            waits,
            since,
            started,
            declared,
            ready: ready(),
        };
        groups.entry(key).and_modify(|group| group.also_on += 1).or_insert_with(new);
    }
    let mut running: Vec<Running> = groups.into_values().collect();
    running.sort_by_key(|r| (r.ended, r.ended.then_some(Reverse(r.since))));
    running
}

fn running_note(r: &Running, sources: &SourceMap) -> String {
    let (who, since, place) = (on_pes(r.pe, r.also_on), grouped(r.since), sources.describe(r.span));
    let tasks = match r.started {
        0 | 1 => String::new(),
        many => format!("; {} tasks have started so far", grouped(many)),
    };
    match r.ended {
        true => format!("{who}: `{}` ran last, starting in cycle {since} ({place}){tasks}", r.name),
        false => format!("{who}: `{}` has been running since cycle {since} ({place}){tasks}", r.name),
    }
}

/// What the other side of a wait has done until now; it may still act.
fn so_far(missing: &Missing, pe: PeCoord, sources: &SourceMap) -> Option<String> {
    match missing {
        Missing::Wavelets { color, received, senders, .. } if !senders.is_empty() => {
            let told = senders.iter().take(MOST_NOTES).map(|s| sender_words(s, sources));
            let told = told.collect::<Vec<_>>().join("; ");
            Some(format!("{pe} has received {received} of color {color}: {told}"))
        }
        Missing::Space { color, at, by, .. } => {
            Some(format!("color {color} from {pe} is blocked at {at}: {by}"))
        }
        Missing::Wavelets { .. }
        | Missing::FromHost { .. }
        | Missing::Message
        | Missing::Push
        | Missing::Pop
        | Missing::Unblock => None,
    }
}
