//! Colors into which a PE injects: each is wired to one output queue, and that queue to it.

use super::layout::Placed;
use crate::arch::{Color, OutQueue};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::layout as rules;
use crate::image::traffic::Sending;
use crate::image::{ColorConfig, TileImage};
use crate::source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Colors that share an output queue for injection (seed: CE Injection).
const COLORS_PER_QUEUE: u8 = 4;

/// The output queue that an injecting color is wired to.
fn wired_to(color: Color) -> OutQueue {
    OutQueue(color.0 / COLORS_PER_QUEUE)
}

/// The diagnostic about a second injecting color of a queue, if `others` hold a first one.
pub fn injects_twice<'a>(
    mut others: impl Iterator<Item = (Color, &'a ColorConfig)>,
    color: Color,
    config: &ColorConfig,
) -> Option<Diag> {
    config.inject?;
    let queue = wired_to(color);
    let (other, _) = others.find(|(c, o)| *c != color && o.inject.is_some() && wired_to(*c) == queue)?;
    Some(rules::INJECT_TWICE.because(&[("one", &other), ("other", &color), ("queue", &queue)]))
}

/// Looks at the queues of every PE that injects, when all routes are known.
pub fn check_injection(placed: &Placed, tiles: &[Arc<TileImage>]) -> Vec<Diag> {
    let (routes, (.., rect)) = (&placed.routes, placed.rectangle);
    let configs = routes.declared();
    let mut wrong = Vec::new();
    if configs.iter().all(|d| d.config.inject.is_none()) {
        return wrong;
    }
    let mut seen = BTreeSet::new();
    for (pe, tile) in placed.place.iter().enumerate() {
        let row = || routes.row(pe).iter().map(|(color, id)| (*color, &configs[*id as usize].config));
        for (color, config) in row().filter(|(_, c)| c.inject.is_some()) {
            if !seen.insert((*tile, color)) {
                continue;
            }
            let at = routes.get(pe, color).and_then(|d| d.span);
            let others = row().filter(|(c, _)| *c < color);
            wrong.extend(injects_twice(others, color, config).map(|c| c.at(at.unwrap_or(rect))));
            if let Some(tile) = tiles.get(*tile as usize) {
                wrong.extend(misused_queue(tile, color, at));
            }
        }
    }
    wrong
}

/// Operations that send an injecting color through another queue, or another color through its own.
fn misused_queue(tile: &TileImage, color: Color, config: Option<Span>) -> Vec<Diag> {
    let queue = wired_to(color);
    let diag = |sending: Sending| {
        let (sent, through, span) = (sending.color?, sending.queue?, sending.span);
        if (sent == color) == (through == queue) {
            return None;
        }
        let c = rules::INJECT_QUEUE.because(&[("color", &sent), ("queue", &through)]).at(span);
        let c = match config {
            Some(config) => c.also(config, format!("color {color} injects here")),
            None => c,
        };
        let c = c.note(format!(
            "color {color} injects from output queue {queue}, and nothing else uses that queue"
        ));
        Some(match sent == color {
            true => c.help(format!("send it through output queue {queue}")),
            false => c.help("use another queue"),
        })
    };
    tile.sends().filter_map(diag).collect()
}
