//! A recording as a table with a line for each event.

use super::{
    Event, EventKind, HostEvent, Names, Queue, Recording, TaskCause, ThreadId, TracedOperation, TracedWavelet,
};
use crate::arch::PeCoord;
use crate::diagnostics::render::grouped;
use crate::image::Program;
use crate::source::Span;
use std::collections::BTreeSet;
use std::fmt;

/// Column of the source location of a call, unless the line is longer.
const WHAT_WIDTH: usize = 28;

/// What stands in the column of PEs for the host.
const HOST_PLACE: &str = "-";

/// The whole recording.
pub fn text(recording: &Recording, program: &Program) -> String {
    let events = &recording.events;
    if events.is_empty() && recording.host.is_empty() {
        return "the trace is empty: no event matches the filters\n".to_string();
    }
    let mut host: Vec<(u64, String)> = recording.host.iter().flat_map(HostEvent::lines).collect();
    host.sort_by_key(|(cycle, _)| *cycle);
    let widest = |length: &dyn Fn(&Event) -> usize| events.iter().map(length).max().unwrap_or(0);
    let last = host.last().map_or(0, |(cycle, _)| cycle.to_string().len());
    let cycle = widest(&|e| e.cycle.to_string().len()).max(last).max("cycle".len());
    let pe = widest(&|e| place(e.pe).len()).max(HOST_PLACE.len());
    let number = widest(&|e| number(&e.what).map_or(0, |n| n.to_string().len()));
    let mut lines = Lines { names: Names(program), number, seen: BTreeSet::new() };
    let mut out = format!("{:>cycle$}  {:pe$}  {:6}  what\n", "cycle", "PE", "who");
    let host_line = |(at, what): (u64, String)| format!("{at:>cycle$}  {HOST_PLACE:pe$}  host    {what}\n");
    let mut host = host.into_iter().peekable();
    for event in events {
        while let Some(line) = host.next_if(|(at, _)| *at <= event.cycle) {
            out += &host_line(line);
        }
        let (who, what) = (who(&event.what), lines.what(event));
        out += &format!("{:>cycle$}  {:pe$}  {who:6}  {what}\n", event.cycle, place(event.pe));
    }
    out.extend(host.map(host_line));
    if let Some(note) = recording.note() {
        out += &format!("{note}\n");
    }
    out
}

impl Recording {
    /// The note about events that are missing at the end.
    pub fn note(&self) -> Option<String> {
        let cut = self.cut?;
        Some(format!(
            "the trace ends here, in cycle {} of {}: it has {} events (--trace-limit)",
            grouped(cut),
            grouped(self.end),
            grouped(self.events.len() as u64),
        ))
    }
}

fn place(pe: PeCoord) -> String {
    format!("({},{})", pe.x, pe.y)
}

fn who(what: &EventKind) -> String {
    match what {
        EventKind::TaskStart { .. } | EventKind::TaskEnd { .. } | EventKind::Code { .. } => {
            "main".to_string()
        }
        EventKind::Start(TracedOperation { thread, .. })
        | EventKind::Stall { thread, .. }
        | EventKind::Resume { thread, .. }
        | EventKind::End { operation: TracedOperation { thread, .. }, .. } => thread.to_string(),
        EventKind::Delivered { queue, .. } => Queue::In(*queue).to_string(),
        EventKind::Depth { queue, .. } => queue.to_string(),
        EventKind::FromHost(_) | EventKind::ToHost(_) => "host".to_string(),
        EventKind::Sent(_)
        | EventKind::Hop { .. }
        | EventKind::Dropped(_)
        | EventKind::Switch { .. }
        | EventKind::Teardown { .. } => "router".to_string(),
    }
}

/// State that the lines of a table share.
struct Lines<'a> {
    names: Names<'a>,
    /// Digits of the longest number of a wavelet.
    number: usize,
    /// Calls whose text has been shown already.
    seen: BTreeSet<Span>,
}

impl Lines<'_> {
    fn what(&mut self, event: &Event) -> String {
        let name = |f| self.names.function(event.pe, f);
        match event.what {
            EventKind::TaskStart { function, cause } => format!("starts {}: {cause}", name(function)),
            EventKind::TaskEnd { function, since } => {
                format!("ends {} after {}", name(function), cycles(event.cycle - since))
            }
            EventKind::Code { function, .. } => format!("runs code of {}", name(function)),
            EventKind::Start(operation) => self.start(&operation),
            EventKind::Stall { on, .. } => format!("stalls: {}", self.names.reason(event.pe, on)),
            EventKind::Resume { since, .. } => format!("resumes after {}", cycles(event.cycle - since)),
            EventKind::End { operation, since, done } => {
                let of = operation.of.map_or(String::new(), |of| format!(" of {of}"));
                format!("ends @{}: {done}{of} in {}", operation.name, cycles(event.cycle - since))
            }
            EventKind::Sent(w) => self.wavelet(&w, &format!("sent     {}", payload(&w))),
            EventKind::FromHost(w) => self.wavelet(&w, &format!("from the host {}", payload(&w))),
            EventKind::ToHost(w) => self.wavelet(&w, &format!("to the host {}", payload(&w))),
            EventKind::Hop { wavelet, from, to } => self.wavelet(&wavelet, &format!("{from} -> {to}")),
            EventKind::Dropped(w) => self.wavelet(&w, "dropped"),
            EventKind::Delivered { wavelet, .. } => {
                self.wavelet(&wavelet, &format!("arrives  {}", payload(&wavelet)))
            }
            EventKind::Depth { color, depth: 0, .. } => format!("is empty (color {color})"),
            EventKind::Depth { color, depth, .. } => format!("holds {depth} (color {color})"),
            EventKind::Switch { color, position } => {
                format!("the switch of color {color} moves to position {position}")
            }
            EventKind::Teardown { color } => format!("color {color} goes into teardown"),
        }
    }

    fn start(&mut self, operation: &TracedOperation) -> String {
        let count = match operation.of {
            Some(1) => "1 element".to_string(),
            Some(of) => format!("{of} elements"),
            None => "no end".to_string(),
        };
        let (place, text) = self.names.call(operation.span);
        let place = place.rsplit_once('/').map_or(place.as_str(), |(_, file)| file);
        let what = format!("starts @{}: {count}", operation.name);
        match self.seen.insert(operation.span) {
            true => format!("{what:WHAT_WIDTH$}  {place}  {text}"),
            false => format!("{what:WHAT_WIDTH$}  {place}"),
        }
    }

    fn wavelet(&self, w: &TracedWavelet, what: &str) -> String {
        format!("#{:<width$} color {:<2} {what}", w.number, w.color.0, width = self.number)
    }
}

fn payload(w: &TracedWavelet) -> String {
    let kind = if w.control { "control " } else { "" };
    format!("{kind}{:#010x}", w.data)
}

fn number(what: &EventKind) -> Option<u64> {
    match what {
        EventKind::Sent(w) | EventKind::FromHost(w) | EventKind::ToHost(w) | EventKind::Dropped(w) => {
            Some(w.number)
        }
        EventKind::Hop { wavelet, .. } | EventKind::Delivered { wavelet, .. } => Some(wavelet.number),
        _ => None,
    }
}

fn cycles(n: u64) -> String {
    if n == 1 { "1 cycle".to_string() } else { format!("{n} cycles") }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThreadId::Main => f.write_str("main"),
            ThreadId::Micro(ut) => write!(f, "ut{}", ut.0),
        }
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Queue::In(Some(queue)) => write!(f, "in{queue}"),
            Queue::In(None) => f.write_str("in"),
            Queue::Out(Some(queue)) => write!(f, "out{queue}"),
            Queue::Out(None) => f.write_str("out"),
        }
    }
}

impl fmt::Display for TaskCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskCause::Activated(id) => write!(f, "task {id} is active"),
            TaskCause::Wavelet(color) => write!(f, "a wavelet of color {color} has arrived"),
            TaskCause::Launched => f.write_str("the host has launched it"),
        }
    }
}
