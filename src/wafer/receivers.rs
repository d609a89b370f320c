//! Who should take the wavelets that a PE does not take, and who starts what never starts.

use super::cells::Cells;
use crate::arch::{ArchName, Color};
use crate::image::{TaskKind, TileImage};
use crate::source::Span;
use serde::Serialize;

/// The place of a PE that is to blame for wavelets that nobody takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Receiver {
    /// The operation, task, queue or route.
    pub span: Span,
    /// What is the matter with it.
    pub fact: String,
    /// What to do about it.
    pub advice: String,
}

/// What on a PE should take a color: an operation, a task, a queue, or at least the route there.
pub(super) fn receiver(cells: &Cells, pe: usize, color: Color) -> Option<Receiver> {
    let at = cells.program().pe_coord(pe);
    let tile = cells.program().tile_at(at)?;
    operation_that_receives(cells, pe, tile, color)
        .or_else(|| task_that_receives(cells, pe, tile, color))
        .or_else(|| {
            let queue = tile.input_queues.iter().find(|b| b.color == color)?;
            let fact = format!("color {color} arrives in this queue of {at}, and nothing receives it");
            Some(Receiver { span: queue.span, fact, advice: take_it(color) })
        })
        .or_else(|| {
            let span = cells.program().routes.get(pe, color)?.span?;
            let fact = format!("color {color} is routed to {at}, and nothing there receives it");
            Some(Receiver { span, fact, advice: take_it(color) })
        })
}

fn operation_that_receives(cells: &Cells, pe: usize, tile: &TileImage, color: Color) -> Option<Receiver> {
    let at = cells.program().pe_coord(pe);
    let cell = cells.get(pe);
    if let Some(span) = cell.and_then(|cell| cell.last_reader(color)) {
        let fact = format!("{at} receives no more wavelets of color {color} after this");
        let advice = "send fewer wavelets or receive more: both sides must agree on the number".to_string();
        return Some(Receiver { span, fact, advice });
    }
    let taking = tile.takes().find(|t| t.color == Some(color))?;
    let fact = format!("{at} would receive color {color} here, but has not reached this line");
    let advice = "make sure that the task or function of this operation starts".to_string();
    Some(Receiver { span: taking.span, fact, advice })
}

fn task_that_receives(cells: &Cells, pe: usize, tile: &TileImage, color: Color) -> Option<Receiver> {
    let at = cells.program().pe_coord(pe);
    let queue = tile.input_queues.iter().find(|b| b.color == color).map(|b| b.queue);
    let data = || tile.tasks.iter().filter(|t| t.kind == TaskKind::Data);
    let (task, unblocked) = match (cells.program().arch, queue) {
        (ArchName::Wse2, _) => (data().find(|t| t.id.0 == color.0)?, format!("@get_color({color})")),
        (ArchName::Wse3, Some(q)) => (data().find(|t| t.id.0 == q.0)?, format!("@get_input_queue({q})")),
        (ArchName::Wse3, None) => {
            let unbound = |id: u8| tile.input_queues.iter().all(|b| b.queue.0 != id);
            let task = data().find(|t| unbound(t.id.0))?;
            let fact =
                format!("`{}` on {at} waits at input queue {}, which has no color", task.name, task.id);
            let advice = format!(
                "write in a comptime block: `@initialize_queue(@get_input_queue({}), .{{ .color = \
                 @get_color({color}) }})`",
                task.id
            );
            return Some(Receiver { span: task.span, fact, advice });
        }
    };
    let is_blocked = cells.get(pe).is_some_and(|cell| cell.is_blocked(task.id));
    is_blocked.then(|| Receiver {
        span: task.span,
        fact: format!("`{}` on {at} should receive color {color}, but is blocked", task.name),
        advice: format!("unblock the task when it may run: `@unblock({unblocked})`"),
    })
}

/// An operation that sends a color: the last one that did, else one that could.
pub(super) fn send_span(cells: &Cells, pe: usize, color: Color) -> Option<Span> {
    let sent = cells.get(pe).and_then(|cell| cell.last_sender(color));
    sent.map(|sender| sender.span)
        .or_else(|| cells.program().tile_at(cells.program().pe_coord(pe))?.first_send(color))
}

fn take_it(color: Color) -> String {
    format!("receive color {color} there, with an operation on a fabin_dsd or with a data task")
}
