//! A recording as a file for Perfetto and other viewers of the Chrome trace format.
//!
//! The host is a process, and PEs are processes; their threads are the main thread, the microthreads in use, and one for each
//! color at the router. A microsecond of the file is a cycle.

use super::flows::flows;
use super::{Event, EventKind, Names, Recording, ThreadId, TracedOperation, host::HostProcess};
use crate::arch::{Color, PeCoord};
use crate::image::Program;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Process number of the first PE. It avoids the numbers of tracks, because viewers treat a thread with the
/// number of its process as the main thread.
const PROCESSES: u64 = 1000;
/// Number of the first microthread's track; the main thread's is 1.
const MICROTHREADS: u64 = 10;
/// Number of the track of color 0.
const FIRST_COLOR_TRACK: u64 = 100;
/// Duration of an instantaneous event in the picture, in cycles, so that it is visible.
const MOMENT: u64 = 1;

/// Writes the file.
pub fn chrome(recording: &Recording, program: &Program, out: &mut dyn Write) -> io::Result<()> {
    let writer = ChromeWriter { recording, program, names: Names(program) };
    let note = "1 microsecond in this file is 1 cycle";
    let other = json!({ "note": note, "cut": recording.note(), "cycles": recording.end });
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{other},\"traceEvents\":[")?;
    let mut separator = "\n";
    let mut put = |value: Value| -> io::Result<()> {
        write!(out, "{separator}{value}")?;
        separator = ",\n";
        Ok(())
    };
    let host = HostProcess::new(recording, recording.after());
    host.tracks.into_iter().try_for_each(&mut put)?;
    writer.tracks().into_iter().try_for_each(&mut put)?;
    writer.slices(host.slices, &mut put)?;
    write!(out, "\n]}}\n")
}

struct ChromeWriter<'a> {
    recording: &'a Recording,
    program: &'a Program,
    names: Names<'a>,
}

/// The end of each slice, and slices that started before the recording.
#[derive(Default)]
struct Spans {
    /// For each event that starts a slice, by index: the last cycle of the slice, and the event that ends it.
    ends: BTreeMap<usize, usize>,
    /// Events that end a slice whose start was not recorded.
    orphans: Vec<usize>,
}

impl ChromeWriter<'_> {
    fn process(&self, pe: PeCoord) -> u64 {
        self.program.pe_index(pe) as u64 + PROCESSES
    }

    /// The names of all processes and threads that have events.
    fn tracks(&self) -> Vec<Value> {
        let used: BTreeSet<(PeCoord, u64)> =
            self.recording.events.iter().filter_map(|e| Some((e.pe, track(&e.what)?))).collect();
        let pes: BTreeSet<PeCoord> = self.recording.events.iter().map(|e| e.pe).collect();
        let mut all = Vec::new();
        let mut name = |what: &str, pid: u64, tid: Option<u64>, args: Value| {
            let tid = tid.unwrap_or(0);
            all.push(json!({ "name": what, "ph": "M", "pid": pid, "tid": tid, "args": args }));
        };
        for pe in pes {
            let pid = self.process(pe);
            name("process_name", pid, None, json!({ "name": pe.to_string() }));
            name("process_sort_index", pid, None, json!({ "sort_index": pid }));
        }
        for (pe, tid) in used {
            let pid = self.process(pe);
            let title = match tid {
                FIRST_COLOR_TRACK.. => format!("router, color {}", tid - FIRST_COLOR_TRACK),
                MICROTHREADS.. => format!("microthread {}", tid - MICROTHREADS),
                _ => "main thread".to_string(),
            };
            name("thread_name", pid, Some(tid), json!({ "name": title }));
            name("thread_sort_index", pid, Some(tid), json!({ "sort_index": tid }));
        }
        all
    }

    /// Everything that has a time, in its order.
    fn slices(
        &self,
        host: Vec<(u64, Value)>,
        put: &mut dyn FnMut(Value) -> io::Result<()>,
    ) -> io::Result<()> {
        let events = &self.recording.events;
        let spans = Spans::new(events);
        let mut arrows: BTreeMap<usize, Vec<(usize, &str)>> = BTreeMap::new();
        let flows = flows(events, self.program);
        for (id, flow) in flows.iter().enumerate() {
            let last = flow.0.len() - 1;
            for (k, index) in flow.0.iter().enumerate() {
                let phase = if k == 0 {
                    "s"
                } else if k == last {
                    "f"
                } else {
                    "t"
                };
                arrows.entry(*index).or_default().push((id + 1, phase));
            }
        }
        let mut orphans: Vec<_> = spans.orphans.iter().filter_map(|i| self.orphan(&events[*i])).collect();
        orphans.sort_by_key(|(since, _)| *since);
        orphans.into_iter().try_for_each(|(_, value)| put(value))?;
        let mut host = host.into_iter().peekable();
        for (index, event) in events.iter().enumerate() {
            while let Some((_, value)) = host.next_if(|(start, _)| *start <= event.cycle) {
                put(value)?;
            }
            let end = spans.ends.get(&index).map(|end| &events[*end]);
            if let Some(value) = self.event(event, end) {
                put(value)?;
            }
            for (id, phase) in arrows.get(&index).into_iter().flatten() {
                put(self.arrow(event, *id, phase))?;
            }
        }
        host.try_for_each(|(_, value)| put(value))
    }

    /// The slice or mark that starts with an event, if any.
    fn event(&self, event: &Event, end: Option<&Event>) -> Option<Value> {
        let until = end.map_or(self.recording.after(), |e| e.cycle);
        let length = until.saturating_sub(event.cycle).max(MOMENT);
        let slice = |name: String, length: u64, args: Value| {
            Some(self.slice(event, (&name, event.cycle, length), args))
        };
        match event.what {
            EventKind::TaskStart { function, cause } => {
                let name = self.names.function(event.pe, function).to_string();
                slice(name, length, json!({ "cause": cause.to_string() }))
            }
            EventKind::Start(operation) => {
                let done = end.and_then(|e| done(&e.what));
                slice(format!("@{}", operation.name), length, self.facts(&operation, done))
            }
            EventKind::Stall { on, .. } => {
                slice(self.names.reason(event.pe, on), length, json!({ "stalled": true }))
            }
            EventKind::Sent(w) | EventKind::FromHost(w) | EventKind::ToHost(w) | EventKind::Dropped(w) => {
                slice(format!("#{} {}", w.number, verb(&event.what)), MOMENT, wavelet(&w))
            }
            EventKind::Hop { wavelet: w, from, to } => {
                slice(format!("#{} {from} -> {to}", w.number), MOMENT, wavelet(&w))
            }
            EventKind::Delivered { wavelet: w, queue } => {
                let queue = queue.map_or(String::new(), |q| format!(" in queue {q}"));
                slice(format!("#{} arrives{queue}", w.number), MOMENT, wavelet(&w))
            }
            EventKind::Depth { queue, color, depth } => Some(json!({
                "name": format!("{queue} (color {color})"),
                "ph": "C",
                "ts": event.cycle,
                "pid": self.process(event.pe),
                "args": { "wavelets": depth },
            })),
            EventKind::Switch { position, .. } => Some(self.moment(event, format!("switch -> {position}"))),
            EventKind::Teardown { .. } => Some(self.moment(event, "teardown".to_string())),
            EventKind::TaskEnd { .. }
            | EventKind::Code { .. }
            | EventKind::Resume { .. }
            | EventKind::End { .. } => None,
        }
    }

    /// The slice that ends with an event and started before the recording.
    fn orphan(&self, event: &Event) -> Option<(u64, Value)> {
        let slice = |since: u64, name: String, args: Value| {
            let length = (event.cycle - since).max(MOMENT);
            Some((since, self.slice(event, (&name, since, length), args)))
        };
        match event.what {
            EventKind::TaskEnd { function, since } => {
                slice(since, self.names.function(event.pe, function).to_string(), json!({}))
            }
            EventKind::End { operation, since, done } => {
                slice(since, format!("@{}", operation.name), self.facts(&operation, Some(done)))
            }
            EventKind::Resume { since, .. } => {
                slice(since, "stalled".to_string(), json!({ "stalled": true }))
            }
            _ => None,
        }
    }

    fn slice(&self, event: &Event, (name, start, length): (&str, u64, u64), args: Value) -> Value {
        json!({
            "name": name,
            "ph": "X",
            "ts": start,
            "dur": length,
            "pid": self.process(event.pe),
            "tid": track(&event.what),
            "args": args,
        })
    }

    fn moment(&self, event: &Event, name: String) -> Value {
        let (pid, tid) = (self.process(event.pe), track(&event.what));
        json!({ "name": name, "ph": "i", "s": "t", "ts": event.cycle, "pid": pid, "tid": tid })
    }

    fn arrow(&self, event: &Event, id: usize, phase: &str) -> Value {
        let (pid, tid) = (self.process(event.pe), track(&event.what));
        json!({
            "name": "wavelet", "cat": "wavelet", "ph": phase, "bp": "e", "id": id,
            "ts": event.cycle, "pid": pid, "tid": tid,
        })
    }

    fn facts(&self, operation: &TracedOperation, done: Option<u32>) -> Value {
        let (place, text) = self.names.call(operation.span);
        json!({ "elements": operation.of, "done": done, "place": place, "call": text })
    }
}

impl Recording {
    /// The first cycle that was not recorded.
    fn after(&self) -> u64 {
        let last = self.events.last().map_or(0, |e| e.cycle);
        self.cut.unwrap_or(self.until.max(last)) + 1
    }
}

impl Spans {
    fn new(events: &[Event]) -> Spans {
        let mut spans = Spans::default();
        // The open slices of each track: the index of the start event, and the kind of slice.
        let mut open: BTreeMap<(PeCoord, Option<ThreadId>, SliceKind), Vec<usize>> = BTreeMap::new();
        for (index, event) in events.iter().enumerate() {
            let Some((thread, kind, begins)) = nesting(&event.what) else { continue };
            let row = open.entry((event.pe, thread, kind)).or_default();
            match (begins, row.last().copied()) {
                (true, _) => row.push(index),
                (false, Some(start)) => {
                    row.pop();
                    spans.ends.insert(start, index);
                }
                (false, None) => spans.orphans.push(index),
            }
        }
        spans
    }
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SliceKind {
    Task,
    Operation,
    Stall,
}

/// The kind of slice that an event starts (true) or ends (false).
fn nesting(what: &EventKind) -> Option<(Option<ThreadId>, SliceKind, bool)> {
    Some(match what {
        EventKind::TaskStart { .. } => (None, SliceKind::Task, true),
        EventKind::TaskEnd { .. } => (None, SliceKind::Task, false),
        EventKind::Start(operation) => (Some(operation.thread), SliceKind::Operation, true),
        EventKind::End { operation, .. } => (Some(operation.thread), SliceKind::Operation, false),
        EventKind::Stall { thread, .. } => (Some(*thread), SliceKind::Stall, true),
        EventKind::Resume { thread, .. } => (Some(*thread), SliceKind::Stall, false),
        _ => return None,
    })
}

fn track(what: &EventKind) -> Option<u64> {
    let of_thread = |thread: &ThreadId| match thread {
        ThreadId::Main => 1,
        ThreadId::Micro(ut) => MICROTHREADS + u64::from(ut.0),
    };
    let of_color = |color: &Color| FIRST_COLOR_TRACK + u64::from(color.0);
    Some(match what {
        EventKind::TaskStart { .. } | EventKind::TaskEnd { .. } | EventKind::Code { .. } => 1,
        EventKind::Start(operation) | EventKind::End { operation, .. } => of_thread(&operation.thread),
        EventKind::Stall { thread, .. } | EventKind::Resume { thread, .. } => of_thread(thread),
        EventKind::Sent(w) | EventKind::FromHost(w) | EventKind::ToHost(w) | EventKind::Dropped(w) => {
            of_color(&w.color)
        }
        EventKind::Hop { wavelet, .. } | EventKind::Delivered { wavelet, .. } => of_color(&wavelet.color),
        EventKind::Switch { color, .. } | EventKind::Teardown { color } => of_color(color),
        EventKind::Depth { .. } => return None,
    })
}

fn verb(what: &EventKind) -> &'static str {
    match what {
        EventKind::FromHost(_) => "from the host",
        EventKind::ToHost(_) => "to the host",
        EventKind::Dropped(_) => "dropped",
        _ => "sent",
    }
}

fn done(what: &EventKind) -> Option<u32> {
    if let EventKind::End { done, .. } = what { Some(*done) } else { None }
}

fn wavelet(w: &super::TracedWavelet) -> Value {
    json!({ "number": w.number, "data": format!("{:#010x}", w.data), "control": w.control })
}
