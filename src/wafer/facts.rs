//! The reports of hangs for programs; `docs/hang-report.md` describes them.

use super::causes::Cause;
use super::collectives::IncompleteCollective;
use super::stall::{HostWait, Left, Missing, PeWait, Sender, StallReport};
use super::stopped::{Running, StopReport};
use crate::arch::PeCoord;
use crate::pe::{Waiter, WaitsFor};
use crate::source::{SourceMap, Span};
use serde_json::{Value, json};

impl StallReport {
    /// The report as JSON.
    pub fn facts(&self, sources: &SourceMap) -> Value {
        let write = Writer(sources);
        json!({
            "kind": "deadlock",
            "cycle": self.cycle,
            "unfinished": self.unfinished,
            "waits": all(&self.waits, |wait| write.wait(wait)),
            "more_waits": self.more,
            "circle": pes(&self.circle),
            "left": all(&self.left, |left| write.left(left)),
            "host": all(&self.host, |host| write.host(host)),
            "host_in_circle": self.host_in_circle,
            "collectives": all(&self.collectives, |operation| write.collective(operation)),
        })
    }
}

impl StopReport {
    /// The report as JSON.
    pub fn facts(&self, sources: &SourceMap) -> Value {
        let write = Writer(sources);
        let flying = |(color, count): (&_, &usize)| json!({ "color": color, "count": count });
        json!({
            "kind": match &self.repeats {
                Some(_) => "livelock",
                None if self.interrupted => "interrupted",
                None => "cycle-limit",
            },
            "repeats": self.repeats.as_ref().map(|cycle| cycle.cycles),
            "cycle": self.cycle,
            "running": all(&self.running, |running| write.running(running)),
            "waits": all(&self.waits, |wait| write.wait(wait)),
            "more_waits": self.more,
            "under_way": self.under_way.iter().map(flying).collect::<Vec<Value>>(),
        })
    }
}

/// Writes places as files and lines.
struct Writer<'a>(&'a SourceMap);

impl Writer<'_> {
    fn place(&self, span: Option<Span>) -> Value {
        let Some(span) = span else { return Value::Null };
        let place = self.0.line_col(span.file, span.lo);
        json!({ "file": self.0.file(span.file).name, "line": place.line, "column": place.column })
    }

    fn wait(&self, w: &PeWait) -> Value {
        let (who, id) = match w.waiter {
            Waiter::MainThread => ("main thread", None),
            Waiter::Microthread(id) => ("microthread", Some(id.0)),
            Waiter::Task(id) => ("task", Some(id.0)),
            Waiter::Queue => ("queue", None),
        };
        json!({
            "pe": pe(w.pe),
            "also_on": w.also_on,
            "who": who,
            "id": id,
            "name": w.name,
            "task": w.task,
            "waits_for": need(&w.need),
            // Nobody notes when a task was blocked.
            "since": (w.need != WaitsFor::Unblock).then_some(w.since),
            "done": w.progress.map(|(done, _)| done),
            "of": w.progress.map(|(_, all)| all),
            "at": self.place(w.span),
            "missing": w.missing.as_ref().map(|missing| self.missing(missing)),
            "cause": w.cause.as_ref().map(|cause| self.cause(cause)),
        })
    }

    fn missing(&self, missing: &Missing) -> Value {
        match missing {
            Missing::Wavelets { color, received, reachable, senders, ends_at_control } => json!({
                "kind": "wavelets",
                "color": color,
                "received": received,
                "reachable": reachable,
                "ends_at_control": ends_at_control,
                "senders": all(senders, |sender| self.sender(sender)),
            }),
            Missing::Space { color, at, by, .. } => {
                json!({ "kind": "room", "color": color, "pe": pe(*at), "why": by })
            }
            Missing::FromHost { color, received } => {
                json!({ "kind": "host", "color": color, "received": received })
            }
            Missing::Message => json!({ "kind": "message" }),
            Missing::Push => json!({ "kind": "push" }),
            Missing::Pop => json!({ "kind": "pop" }),
            Missing::Unblock => json!({ "kind": "unblock" }),
        }
    }

    fn cause(&self, cause: &Cause) -> Value {
        json!({ "pe": pe(cause.pe), "at": self.place(Some(cause.span)), "fact": cause.fact })
    }

    fn sender(&self, s: &Sender) -> Value {
        json!({ "pe": pe(s.pe), "sent": s.sent, "waits": s.waits, "at": self.place(s.span) })
    }

    fn left(&self, l: &Left) -> Value {
        json!({
            "pe": pe(l.pe),
            "also_on": l.also_on,
            "color": l.color,
            "count": l.count,
            "place": l.place,
            "why": l.why,
        })
    }

    fn host(&self, h: &HostWait) -> Value {
        json!({
            "command": h.command,
            "needs": h.needs,
            "pes": pes(&h.pes),
            "more": h.more,
            "at": self.place(h.span),
            "cause": h.cause.as_ref().map(|cause| self.cause(cause)),
        })
    }

    fn collective(&self, operation: &IncompleteCollective) -> Value {
        json!({
            "text": operation.text,
            "missing": pes(&operation.missing),
            "more": operation.more,
            "at": self.place(operation.span),
        })
    }

    fn running(&self, r: &Running) -> Value {
        json!({
            "pe": pe(r.pe),
            "also_on": r.also_on,
            "task": r.name,
            "ended": r.ended,
            "since": r.since,
            "started": r.started,
            "at": self.place(Some(r.span)),
        })
    }
}

fn need(need: &WaitsFor) -> Value {
    match need {
        WaitsFor::Wavelet { color, queue, .. } => {
            json!({ "kind": "wavelet", "color": color, "queue": queue })
        }
        WaitsFor::Space { color, queue } => json!({ "kind": "room", "color": color, "queue": queue }),
        WaitsFor::FifoData(name) => json!({ "kind": "fifo data", "fifo": name }),
        WaitsFor::FifoSpace(name) => json!({ "kind": "fifo room", "fifo": name }),
        WaitsFor::Unblock => json!({ "kind": "unblock" }),
        WaitsFor::Consumer { color, queue, .. } => {
            json!({ "kind": "consumer", "color": color, "queue": queue })
        }
        WaitsFor::Router { color, queue, .. } => json!({ "kind": "router", "color": color, "queue": queue }),
    }
}

fn all<T>(items: &[T], write: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(write).collect()
}

fn pes(pes: &[PeCoord]) -> Vec<Value> {
    pes.iter().copied().map(pe).collect()
}

fn pe(at: PeCoord) -> Value {
    json!([at.x, at.y])
}
