//! What the host does during a recorded run: its commands, and what it waits for.

use super::Recording;
use serde::Serialize;
use serde_json::{Value, json};

/// Process number of the host in a file for Perfetto, before those of PEs.
const PROCESS: u64 = 999;
/// Number of the track that shows what the host waits for.
const WAITS: u64 = 1;
/// Number of the first track of commands.
const COMMANDS: u64 = 2;

/// A command of the host, or a time in which it waits; reports show it with the names of its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostEvent {
    /// Whether the host waits; otherwise it is a command.
    pub is_wait: bool,
    /// The command, or what the host waits for, such as "the copy to `A`".
    pub what: String,
    /// The line of the host script, such as `run.py:12`; `None` if no script issued it.
    pub place: Option<String>,
    /// The cycle in which the host issued the command, or began to wait.
    pub issued: u64,
    /// The cycle in which the command began on the wafer; `None` if it has not.
    pub begun: Option<u64>,
    /// The cycle in which the command was done, or the host went on; `None` if that has not happened.
    pub done: Option<u64>,
}

impl HostEvent {
    /// The event as lines of a table, each with its cycle.
    pub(super) fn lines(&self) -> Vec<(u64, String)> {
        let place = self.place.as_ref().map_or(String::new(), |place| format!("  {place}"));
        let what = &self.what;
        let since = self.begun.unwrap_or(self.issued);
        let after = |end: u64| match end - since {
            1 => "1 cycle".to_string(),
            n => format!("{n} cycles"),
        };
        if self.is_wait {
            let end = self.done.map(|end| (end, format!("goes on after {}", after(end))));
            return std::iter::once((self.issued, format!("waits for {what}{place}"))).chain(end).collect();
        }
        let mut lines = vec![(self.issued, format!("issues {what}{place}"))];
        lines.extend(self.begun.filter(|at| *at > self.issued).map(|at| (at, format!("begins {what}"))));
        let end = self.done.filter(|end| *end > since);
        lines.extend(end.map(|end| (end, format!("ends {what} after {}", after(end)))));
        lines
    }
}

/// The host as a process of a file for Perfetto: a track for what it waits for, and tracks for its commands.
#[derive(Default)]
pub(super) struct HostProcess {
    /// The names of the process and its tracks.
    pub tracks: Vec<Value>,
    /// Commands and waits with their first cycles, in order.
    pub slices: Vec<(u64, Value)>,
}

impl HostProcess {
    /// What the host does in a recording; `after` is the first cycle that was not recorded.
    pub fn new(recording: &Recording, after: u64) -> HostProcess {
        let mut process = HostProcess::default();
        if recording.host.is_empty() {
            return process;
        }
        process.tracks.push(json!({
            "name": "process_name", "ph": "M", "pid": PROCESS, "tid": 0, "args": { "name": "host" },
        }));
        process.tracks.push(json!({
            "name": "process_sort_index", "ph": "M", "pid": PROCESS, "tid": 0, "args": { "sort_index": PROCESS },
        }));
        process.track(WAITS, "waits for");
        // The cycle up to which each track of commands is in use: viewers cannot show slices that overlap.
        let mut busy: Vec<u64> = Vec::new();
        for event in &recording.host {
            let start = event.begun.unwrap_or(event.issued);
            let end = event.done.unwrap_or(after).max(start + 1);
            let mut tid = WAITS;
            if !event.is_wait {
                let free = busy.iter().position(|until| *until <= start).unwrap_or(busy.len());
                tid = COMMANDS + free as u64;
                if free == busy.len() {
                    busy.push(0);
                    process.track(tid, "commands");
                }
                busy[free] = end;
            }
            let args = json!({ "issued": event.issued, "place": event.place });
            let slice = json!({
                "name": event.what, "ph": "X", "ts": start, "dur": end - start, "pid": PROCESS, "tid": tid,
                "args": args,
            });
            process.slices.push((start, slice));
        }
        process.slices.sort_by_key(|(start, _)| *start);
        process
    }

    fn track(&mut self, tid: u64, name: &str) {
        for (what, args) in
            [("thread_name", json!({ "name": name })), ("thread_sort_index", json!({ "sort_index": tid }))]
        {
            self.tracks.push(json!({ "name": what, "ph": "M", "pid": PROCESS, "tid": tid, "args": args }));
        }
    }
}
