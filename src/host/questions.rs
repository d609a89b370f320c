//! What a debugger answers about waiting: what a PE waits for, and who would have to act.

use super::Runner;
use crate::arch::{Color, PeCoord};
use crate::diagnostics::counted;
use crate::wafer::{Activity, SenderState, Wait, Waiter, WaitsFor, need_words};

/// What a PE waits for, and who would have to act, in sentences.
pub(super) fn waits(host: &mut Runner, at: PeCoord) -> Vec<String> {
    let program = host.program.clone();
    let Some(pe) = host.wafer.pe(at) else { return Vec::new() };
    let waits: Vec<(String, WaitsFor)> = pe
        .waits()
        .iter()
        .map(|wait| {
            let place =
                wait.span.map_or(String::new(), |span| format!(" at {}", program.sources.describe(span)));
            (format!("{} waits for {}{place}", who(wait), need_words(&wait.on)), wait.on.clone())
        })
        .collect();
    let mut lines = Vec::new();
    for (sentence, on) in waits {
        lines.push(sentence);
        match on {
            WaitsFor::Wavelet { color, .. } => lines.extend(senders(host, at, color)),
            WaitsFor::Space { color, .. } | WaitsFor::Router { color, .. } => {
                lines.extend(
                    host.wafer
                        .held_up_at(at, color)
                        .map(|(pe, color)| format!("  {pe} does not take color {color}; {}", now(host, pe))),
                );
            }
            WaitsFor::FifoData(_)
            | WaitsFor::FifoSpace(_)
            | WaitsFor::Unblock
            | WaitsFor::Consumer { .. } => {}
        }
    }
    lines
}

fn who(wait: &Wait<'_>) -> String {
    match wait.who {
        Waiter::MainThread => format!("`@{}` of the main thread", wait.name),
        Waiter::Microthread(ut) => format!("`@{}` of microthread {ut}", wait.name),
        Waiter::Task(id) => format!("task `{}` ({id}) is active but blocked: it", wait.name),
        Waiter::Queue => "a queue that holds wavelets".to_string(),
    }
}

fn senders(host: &Runner, at: PeCoord, color: Color) -> Vec<String> {
    /// More senders than this are counted.
    const MOST: usize = 8;
    let senders = host.wafer.senders(at, color);
    if senders.is_empty() {
        return vec![format!("  no PE can send color {color} there")];
    }
    let more = senders.len().saturating_sub(MOST);
    let mut lines: Vec<String> =
        senders.iter().take(MOST).map(|sender| sentence(host, sender, color)).collect();
    if more > 0 {
        lines.push(format!("  and {}", counted(more as u64, "more sender")));
    }
    lines
}

fn sentence(host: &Runner, sender: &SenderState, color: Color) -> String {
    let sources = &host.program.sources;
    let place = sender.span.map_or(String::new(), |span| format!(" at {}", sources.describe(span)));
    let sent = counted(sender.sent, "wavelet");
    let state = match &sender.cause {
        Some(cause) => format!("{} ({})", cause.fact, sources.describe(cause.span)),
        None => now(host, sender.pe),
    };
    format!("  {} sends color {color}{place}; it has sent {sent}; {state}", sender.pe)
}

/// What a PE does now, as the end of a sentence.
fn now(host: &Runner, at: PeCoord) -> String {
    let Some((_, pe)) = host.wafer.made().find(|(other, _)| *other == at) else {
        return "nothing has happened to it".to_string();
    };
    let sources = &host.program.sources;
    if let Some(wait) = pe.operations().next() {
        let place = wait.span.map_or(String::new(), |span| format!(" at {}", sources.describe(span)));
        return format!("it waits for {}{place}", need_words(&wait.on));
    }
    match pe.activity() {
        Some(Activity { name, places, .. }) if !places.is_empty() => {
            format!("it is in `{name}` at {}", sources.describe(places[0]))
        }
        Some(Activity { name, .. }) => format!("it has been idle since `{name}` ended"),
        None => "it has not run any task".to_string(),
    }
}
