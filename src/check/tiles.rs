//! Checks of the code of a tile that do not depend on its PE.

use crate::arch::{ArchName, Color};
use crate::diagnostics::rules::check as rules;
use crate::diagnostics::{Diag, Diagnostic};
use crate::image::{Program, TaskKind, TileImage};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Checks every tile of a program.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for tile in &program.tiles {
        if program.arch == ArchName::Wse3 {
            found.extend(queues(tile).map(Diagnostic::from));
            found.extend(queue_colors(tile).map(Diagnostic::from));
        }
    }
    found
}

/// DSDs that name another color than their queue has (ruling OQ-38).
fn queue_colors(tile: &TileImage) -> impl Iterator<Item = Diag> {
    let taken = tile.takes().filter_map(|t| {
        let bound = tile.input_queues.iter().find(|b| Some(b.queue) == t.queue)?;
        Some((t.color?, t.span, format!("input queue {}", bound.queue), bound.color, bound.span))
    });
    let sent = tile.sends().filter_map(|s| {
        let bound = tile.output_queues.iter().find(|b| Some(b.queue) == s.queue)?;
        Some((s.color?, s.span, format!("output queue {}", bound.queue), bound.color, bound.span))
    });
    let differ = taken.chain(sent).filter(|(color, _, _, bound, _)| color != bound);
    differ.map(|(color, at, queue, bound, bound_at)| {
        rules::QUEUE_COLOR_DIFFERS
            .because(&[("color", &color), ("queue", &queue), ("bound", &bound)])
            .at(at)
            .also(bound_at, format!("{queue} is bound to its color here"))
            .help("give both the same color, or remove `.fabric_color` from the DSD")
    })
}

/// Queues that are used, but have no color from `@initialize_queue`.
fn queues(tile: &TileImage) -> impl Iterator<Item = Diag> {
    let input = |n: u8| tile.input_queues.iter().any(|b| b.queue.0 == n);
    let output = |n: u8| tile.output_queues.iter().any(|b| b.queue.0 == n);
    let tasks = tile.tasks.iter().filter(|t| t.kind == TaskKind::Data).map(|t| (t.id.0, t.span));
    let certain = tile.certain();
    let takes = tile.takes().filter(|t| t.is_sure && certain.contains(t.op));
    let sends = tile.sends().filter(|s| s.is_sure && certain.contains(s.op));
    let taken: Vec<_> = takes.filter_map(|t| Some((t.queue?.0, t.span))).collect();
    let sent: Vec<_> = sends.filter_map(|s| Some((s.queue?.0, s.span))).collect();
    let inputs = tasks.chain(taken).filter(|(n, _)| !input(*n)).map(|(n, span)| (("input", n), span));
    let outputs = sent.into_iter().filter(|(n, _)| !output(*n)).map(|(n, span)| (("output", n), span));
    let mut places: BTreeMap<(&str, u8), BTreeSet<Span>> = BTreeMap::new();
    for (queue, span) in inputs.chain(outputs) {
        places.entry(queue).or_default().insert(span);
    }
    places.into_iter().filter_map(|((kind, n), spans)| {
        let name = format!("{kind} queue {n}");
        let c = rules::QUEUE_NOT_INITIALIZED.because(&[("queue", &name)]).at(*spans.first()?);
        let c = match spans.len() as u64 - 1 {
            0 => c,
            1 => c.note("it is used in 1 more place"),
            more => c.note(format!("it is used in {more} more places")),
        };
        let initialize = format!(
            "write in a comptime block: `@initialize_queue(@get_{kind}_queue({n}), .{{ .color = .. }})`"
        );
        Some(match idle_queue(tile, kind == "input") {
            Some((other, color, at)) => c
                .also(at, format!("{kind} queue {other} has color {color}, and nothing uses it"))
                .help(format!("use `@get_{kind}_queue({other})` if that is meant, or {initialize}")),
            None => c.help(initialize),
        })
    })
}

/// The one queue that has a color and that no task and no operation uses: its number may be the wrong one.
fn idle_queue(tile: &TileImage, is_input: bool) -> Option<(u8, Color, Span)> {
    if tile.has_unknown_dsds() {
        return None;
    }
    let used: BTreeSet<u8> = match is_input {
        true => {
            let tasks = tile.tasks.iter().filter(|t| t.kind == TaskKind::Data).map(|t| t.id.0);
            tasks.chain(tile.takes().filter_map(|t| t.queue.map(|q| q.0))).collect()
        }
        false => tile.sends().filter_map(|s| s.queue.map(|q| q.0)).collect(),
    };
    let bound: Vec<(u8, Color, Span)> = match is_input {
        true => tile.input_queues.iter().map(|b| (b.queue.0, b.color, b.span)).collect(),
        false => tile.output_queues.iter().map(|b| (b.queue.0, b.color, b.span)).collect(),
    };
    let mut idle = bound.into_iter().filter(|(n, ..)| !used.contains(n));
    idle.next().filter(|_| idle.next().is_none())
}
