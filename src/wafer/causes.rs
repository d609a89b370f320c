//! The cause of a wait in the program: what should receive wavelets, what nothing starts, or which color is the wrong
//! one.

use super::pe_array::PeArray;
use crate::arch::{ArchName, Color, PeCoord, TaskId};
use crate::diagnostics::counted;
use crate::fabric::{BufferPlace, EdgeLink, Fabric};
use crate::image::code::{Completion, IdArg};
use crate::image::{OperandRole, Program, TaskBinding, TaskKind, TileImage};
use crate::pe::{Wait, Waiter, WaitsFor};
use crate::source::Span;
use serde::Serialize;

/// The place in the program that causes a wait, on one PE.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// The PE.
    pub pe: PeCoord,
    /// The operation, task, queue or route there.
    pub span: Span,
    /// What is wrong with it.
    pub fact: String,
    /// Another place that belongs to it, and a fact about that.
    pub also: Option<(Span, String)>,
    /// What to do about it.
    pub advice: String,
}

/// The queue of a PE in which a color arrives that nothing there can receive, because the operation on that queue
/// waits for another color.
pub(super) fn queue_of_other_color(
    pe_array: &PeArray,
    fabric: &Fabric,
    pe: usize,
    color: Color,
) -> Option<Cause> {
    let at = pe_array.program().pe_coord(pe);
    if pe_array.program().tile_at(at)?.may_take(pe_array.program().arch, color) {
        return None;
    }
    pe_array.get(pe)?.operations().find_map(|wait| match wait.on {
        WaitsFor::Wavelet { color, .. } if fabric.survey().received(pe, color) == 0 => {
            wrong_color(pe_array, fabric, pe, color, wait.span)
        }
        _ => None,
    })
}

/// What on a PE should take a color: an operation, a task, a queue, or at least the route there.
pub(super) fn receiver(pe_array: &PeArray, pe: usize, color: Color) -> Option<Cause> {
    let at = pe_array.program().pe_coord(pe);
    let tile = pe_array.program().tile_at(at)?;
    operation_that_receives(pe_array, pe, tile, color)
        .or_else(|| task_that_receives(pe_array, pe, tile, color))
        .or_else(|| forgotten_task(pe_array.program().arch, at, tile, color))
        .or_else(|| {
            let queue = tile.input_queues.iter().find(|b| b.color == color)?;
            let fact = format!("color {color} arrives in this queue of {at}, and nothing receives it");
            Some(Cause { pe: at, span: queue.span, fact, also: None, advice: take_it(color) })
        })
        .or_else(|| {
            let span = route_span(pe_array.program(), pe, color)?;
            let fact = format!("color {color} is routed to {at}, and nothing there receives it");
            Some(Cause { pe: at, span, fact, also: None, advice: take_it(color) })
        })
}

/// The one task that nothing binds and that could take a color that nothing else may take.
fn forgotten_task(arch: ArchName, at: PeCoord, tile: &TileImage, color: Color) -> Option<Cause> {
    let task = tile.forgotten_task(false).filter(|_| !tile.may_take(arch, color))?;
    let queue = tile.input_queues.iter().find(|b| b.color == color);
    let id = tile.channel_text(arch, color)?;
    Some(Cause {
        pe: at,
        span: task.span,
        fact: format!(
            "color {color} arrives on {at}, where nothing receives it, and nothing binds `{}`",
            task.name
        ),
        also: queue.map(|bound| (bound.span, format!("color {color} arrives in this queue"))),
        advice: format!(
            "write in a comptime block: `@bind_data_task({}, @get_data_task_id({id}))`",
            task.name
        ),
    })
}

/// The line that has set the route of a color on a PE.
pub(super) fn route_span(program: &Program, pe: usize, color: Color) -> Option<Span> {
    program.routes.get(pe, color).and_then(|declared| declared.span).or_else(|| {
        let tile = program.tile_at(program.pe_coord(pe))?;
        tile.local_routes.iter().find(|(c, ..)| *c == color).map(|(_, _, span)| *span)
    })
}

/// The queue of a PE that waits for one color while only another one arrives, which nothing there receives.
pub(super) fn wrong_color(
    pe_array: &PeArray,
    fabric: &Fabric,
    pe: usize,
    color: Color,
    wait: Option<Span>,
) -> Option<Cause> {
    let at = pe_array.program().pe_coord(pe);
    let tile = pe_array.program().tile_at(at)?;
    let arrived = fabric.survey().leftovers_at(pe).into_iter().filter(|l| l.place == BufferPlace::Offramp);
    let is_unwanted = |other: &Color| *other != color && !tile.may_take(pe_array.program().arch, *other);
    let other = arrived.map(|l| l.color).find(is_unwanted)?;
    let queue = tile.input_queues.iter().find(|b| b.color == color).map(|b| b.span);
    Some(Cause {
        pe: at,
        span: queue.or(wait)?,
        also: None,
        fact: format!("{at} waits for color {color} here, but color {other} arrives, which nothing receives"),
        advice: format!(
            "use the same color on both sides: receive color {other} there, or send on color {color}"
        ),
    })
}

/// Why no task of a PE has reached a place in the code.
pub(super) enum Idle<'t> {
    /// This is to blame.
    Cause(Cause),
    /// A data task would have to come to a place.
    Behind {
        /// The data task.
        data: &'t TaskBinding,
        /// The place.
        place: Span,
        /// The task that would be activated there.
        next: Option<String>,
    },
}

/// The task that comes to a place and that nothing has started on a PE.
pub(super) fn idle_task(pe_array: &PeArray, pe: usize, place: Span) -> Option<Cause> {
    match idle(pe_array, pe, place)? {
        Idle::Cause(cause) => Some(cause),
        Idle::Behind { data, place, next } => {
            let begun = pe_array.get(pe).is_some_and(|pe| pe.has_begun(data.id));
            let cause = not_activated(pe_array, pe, place, &next?);
            Some(match begun {
                true => cause,
                false => Cause {
                    advice: format!("send a wavelet to `{}`, which no wavelet has started", data.name),
                    ..cause
                },
            })
        }
    }
}

/// As [`idle_task`], and also names data tasks that would have to reach the place.
pub(super) fn idle(pe_array: &PeArray, pe: usize, place: Span) -> Option<Idle<'_>> {
    let at = pe_array.program().pe_coord(pe);
    let tile = pe_array.program().tile_at(at)?;
    let (mut place, mut next_name) = (place, None);
    let begun =
        |t: &&TaskBinding| t.kind == TaskKind::Local && pe_array.get(pe).is_some_and(|pe| pe.has_begun(t.id));
    // A task is idle because the one that activates it is, and so on.
    for _ in 0..tile.tasks.len() + 1 {
        if tile.is_launched_to(place) {
            return None;
        }
        let tasks = tile.tasks_to(place);
        if let Some(cause) = unnamed_task(pe_array, pe, &tasks, place) {
            return Some(Idle::Cause(cause));
        }
        if tasks.iter().any(|t| begun(t) || t.kind == TaskKind::Control) {
            return held_before(pe_array, pe, place).map(Idle::Cause);
        }
        if let Some(data) = tasks.iter().find(|t| t.kind == TaskKind::Data) {
            return Some(Idle::Behind { data, place, next: next_name });
        }
        let task = *tasks.first()?;
        if let Some(cause) = blocked_task(pe_array, pe, tile, task) {
            return Some(Idle::Cause(cause));
        }
        let Some(next) = tile.activations(task.id).into_iter().find(|next| *next != place) else {
            return never_activated(pe_array, pe, tile, task).map(Idle::Cause);
        };
        let before = tile.tasks_to(next);
        if tile.is_launched_to(next) || before.iter().any(|t| begun(t) || t.kind == TaskKind::Control) {
            let held = held_before(pe_array, pe, next);
            return Some(Idle::Cause(held.unwrap_or_else(|| not_activated(pe_array, pe, next, &task.name))));
        }
        (place, next_name) = (next, Some(task.name.clone()));
    }
    None
}

/// The control task that alone comes to a place, if no control wavelet has named it.
fn unnamed_task(pe_array: &PeArray, pe: usize, tasks: &[&TaskBinding], place: Span) -> Option<Cause> {
    let ([task], at) = (tasks, pe_array.program().pe_coord(pe)) else { return None };
    let begun = pe_array.get(pe).is_some_and(|pe| pe.has_begun(task.id));
    let TaskBinding { name, id, span, .. } = task;
    (task.kind == TaskKind::Control && !begun).then(|| Cause {
        pe: at,
        span: *span,
        fact: format!("`{name}` runs on {at} when a control wavelet names it (id {id}), and none has come"),
        also: Some((place, "this would run then".to_string())),
        advice: format!(
            "send a control wavelet with the payload `encode_control_task_payload(@get_control_task_id({id}))` to {at}"
        ),
    })
}

fn not_activated(pe_array: &PeArray, pe: usize, place: Span, task: &str) -> Cause {
    let at = pe_array.program().pe_coord(pe);
    let is_operation = |wait: &Wait<'_>| !matches!(wait.who, Waiter::Queue | Waiter::Task(_));
    let waits = pe_array.get(pe).is_some_and(|pe| pe.waits().iter().any(is_operation));
    Cause {
        pe: at,
        span: place,
        fact: format!("{at} would activate `{task}` at the end of this, but has not reached it"),
        also: None,
        advice: match waits {
            true => format!("let {at} finish the operation that it waits in, which comes before this"),
            false => {
                "check the condition in front of this: the code around it has run to its end".to_string()
            }
        },
    }
}

/// The local task of a PE that is active but blocked, and behind which its code would come to a place.
pub(super) fn held_task(pe_array: &PeArray, pe: usize, place: Span) -> Option<&TaskBinding> {
    let tile = pe_array.program().tile_at(pe_array.program().pe_coord(pe))?;
    let (state, goals) = (pe_array.get(pe)?, tile.functions_at(place));
    let is_held = |task: &&TaskBinding| {
        task.kind == TaskKind::Local && state.is_active(task.id) && state.is_blocked(task.id)
    };
    let comes = |task: &&TaskBinding| {
        let reached = tile.reached(&[task.function], true);
        goals.iter().any(|goal| reached[goal.0 as usize])
    };
    tile.tasks.iter().filter(is_held).find(comes)
}

/// Why a task stays blocked behind which the code of a PE would come to a place.
pub(super) fn held_before(pe_array: &PeArray, pe: usize, place: Span) -> Option<Cause> {
    let tile = pe_array.program().tile_at(pe_array.program().pe_coord(pe))?;
    blocked_task(pe_array, pe, tile, held_task(pe_array, pe, place)?)
}

/// A task that is active and that nothing has unblocked.
fn blocked_task(pe_array: &PeArray, pe: usize, tile: &TileImage, task: &TaskBinding) -> Option<Cause> {
    let blocked = pe_array.get(pe).is_some_and(|pe| pe.is_active(task.id) && pe.is_blocked(task.id));
    if !blocked {
        return None;
    }
    let unblocked = tile.unblockings(task.id).first().copied();
    let fact = match unblocked {
        Some(_) => format!("`{}` is active and blocked until this has happened", task.name),
        None => format!("`{}` is active but blocked, and nothing unblocks it", task.name),
    };
    let advice = format!("`@unblock(@get_local_task_id({}))` when `{}` may run", task.id, task.name);
    let (pe, span) = (pe_array.program().pe_coord(pe), unblocked.unwrap_or(task.span));
    Some(Cause { pe, span, fact, also: None, advice })
}

fn never_activated(pe_array: &PeArray, pe: usize, tile: &TileImage, task: &TaskBinding) -> Option<Cause> {
    let (activated, at) = (tile.activated()?, pe_array.program().pe_coord(pe));
    (activated & 1 << task.id.0 == 0).then(|| Cause {
        pe: at,
        span: tile.functions[task.function.0 as usize].span,
        fact: format!("nothing activates `{}` (id {}) on {at}", task.name, task.id),
        also: last_end(pe_array, pe, tile),
        advice: format!("activate it when it has to run: `@activate(@get_local_task_id({}))`", task.id),
    })
}

/// The operation with which a PE has received last, and what its end has started.
fn last_end(pe_array: &PeArray, pe: usize, tile: &TileImage) -> Option<(Span, String)> {
    let (at, pe) = (pe_array.program().pe_coord(pe), pe_array.get(pe)?);
    let mut done = tile.input_queues.iter().filter_map(|bound| pe.last_reader(bound.color));
    let (last, None) = (done.next()?, done.next()) else { return None };
    let op = tile.vector_ops.iter().find(|op| op.span == last && op.config.is_async)?;
    let named = |id: TaskId| {
        let task = tile.tasks.iter().find(|task| task.id == id && task.kind == TaskKind::Local);
        task.map_or(format!("id {id}"), |task| format!("`{}` (id {id})", task.name))
    };
    let end = match op.config.completion {
        Completion::Activate(IdArg::Known(id)) => format!("activates {}", named(id)),
        Completion::Unblock(IdArg::Known(id)) => format!("unblocks {}", named(id)),
        Completion::Nothing => "activates nothing".to_string(),
        Completion::Activate(IdArg::In(_)) | Completion::Unblock(IdArg::In(_)) => return None,
    };
    Some((last, format!("this was the last operation with which {at} received; its end {end}")))
}

/// The operation that has moved data to or from a FIFO, and has ended, while another one waits at the other end.
pub(super) fn ended_at_fifo(pe_array: &PeArray, pe: usize, name: &str, writes: bool) -> Option<Cause> {
    let at = pe_array.program().pe_coord(pe);
    let tile = pe_array.program().tile_at(at)?;
    let mut ops = tile.at_fifo(name, writes);
    let (op, None) = (ops.next()?, ops.next()) else { return None };
    let runs = pe_array.get(pe)?.operations().any(|wait| wait.span == Some(op.span));
    let (does, more) = if writes { ("writes to", "write") } else { ("reads from", "read") };
    (!runs).then(|| Cause {
        pe: at,
        span: op.span,
        fact: format!("on {at} only this {does} the FIFO `{name}`, and it is not in progress"),
        also: tile.operand_place(op.span, OperandRole::Length).map(|dsd| (dsd, "its length".to_string())),
        advice: format!("{more} as many elements as the other side does"),
    })
}

fn operation_that_receives(pe_array: &PeArray, pe: usize, tile: &TileImage, color: Color) -> Option<Cause> {
    let at = pe_array.program().pe_coord(pe);
    if let Some(span) = pe_array.get(pe).and_then(|pe| pe.last_reader(color)) {
        let fact = format!("{at} receives no more wavelets of color {color} after this");
        let advice = "send fewer wavelets or receive more: both sides must agree on the number".to_string();
        return Some(Cause { pe: at, span, fact, also: None, advice });
    }
    let taking = tile.takes().find(|t| t.color == Some(color))?;
    if let Some(idle) = idle_task(pe_array, pe, taking.span) {
        return Some(idle);
    }
    let fact = format!("{at} would receive color {color} here, but has not reached this line");
    let advice = "make sure that the task or function of this operation starts".to_string();
    Some(Cause { pe: at, span: taking.span, fact, also: None, advice })
}

fn task_that_receives(pe_array: &PeArray, pe: usize, tile: &TileImage, color: Color) -> Option<Cause> {
    let at = pe_array.program().pe_coord(pe);
    let arch = pe_array.program().arch;
    let (task, unblocked) = match tile.channel_text(arch, color) {
        Some(channel) => (tile.data_task(arch, color)?, channel),
        None => {
            let unbound = |id: u8| tile.input_queues.iter().all(|b| b.queue.0 != id);
            let data = |task: &&TaskBinding| task.kind == TaskKind::Data;
            let task = tile.tasks.iter().filter(data).find(|t| unbound(t.id.0))?;
            let fact =
                format!("`{}` on {at} waits at input queue {}, which has no color", task.name, task.id);
            let advice = format!(
                "write in a comptime block: `@initialize_queue(@get_input_queue({}), .{{ .color = \
                 @get_color({color}) }})`",
                task.id
            );
            return Some(Cause { pe: at, span: task.span, fact, also: None, advice });
        }
    };
    let is_blocked = pe_array.get(pe).is_some_and(|pe| pe.is_blocked(task.id));
    is_blocked.then(|| Cause {
        pe: at,
        span: task.span,
        fact: format!("`{}` on {at} should receive color {color}, but is blocked", task.name),
        also: None,
        advice: format!("unblock the task when it may run: `@unblock({unblocked})`"),
    })
}

/// A data task that takes a color and is blocked, if nothing else on the PE may take it.
pub(super) fn blocked_receiver(
    pe_array: &PeArray,
    pe: usize,
    tile: &TileImage,
    color: Color,
) -> Option<Cause> {
    if tile.takes().any(|t| t.color == Some(color)) {
        return None;
    }
    task_that_receives(pe_array, pe, tile, color)
}

/// The operation that should send the words of a stream from a PE to the host, or receive those that the host sends
/// there. A layout described in Python has streams that come from, or lead to, other PEs.
pub(super) fn stream_end(
    pe_array: &PeArray,
    fabric: &Fabric,
    (pe, color, side): EdgeLink,
    to_wafer: bool,
) -> Option<Cause> {
    if to_wafer {
        let there = fabric.survey().blockage_behind(pe, color, side).map_or(pe, |stuck| stuck.pe);
        return receiver(pe_array, there, color);
    }
    let senders = std::iter::once(pe).chain(fabric.survey().senders(pe, color));
    let (sender, span) = senders.into_iter().find_map(|pe| Some((pe, send_span(pe_array, pe, color)?)))?;
    let (at, sent) = (pe_array.program().pe_coord(sender), fabric.survey().sent(sender, color));
    if sent > 0
        && let Some(behind) = behind_wavelets(pe_array, fabric, (sender, span), (color, sent))
    {
        return Some(behind);
    }
    Some(Cause {
        pe: at,
        span,
        also: None,
        fact: match sent {
            0 => format!("{at} would send color {color} to the host here, and has not sent anything"),
            n => format!(
                "{at} has sent {} of color {color} to the host, the last ones here",
                counted(n, "wavelet")
            ),
        },
        advice: "send as many words as the host asks for, or let the host ask for fewer".to_string(),
    })
}

/// Why a data task has not sent more to the host: no more wavelets have come to it.
fn behind_wavelets(
    pe_array: &PeArray,
    fabric: &Fabric,
    (pe, place): (usize, Span),
    (color, sent): (Color, u64),
) -> Option<Cause> {
    let at = pe_array.program().pe_coord(pe);
    let tile = pe_array.program().tile_at(at)?;
    let tasks = tile.tasks_to(place);
    let ([task], false) = (tasks.as_slice(), tile.is_launched_to(place)) else { return None };
    let is_data = task.kind == TaskKind::Data;
    let starts = tile.color_of_task(pe_array.program().arch, task).filter(|_| is_data)?;
    let given = counted(fabric.survey().received(pe, starts), "wavelet");
    Some(Cause {
        pe: at,
        span: place,
        fact: format!(
            "{at} has sent {} of color {color} to the host here, in a task that runs once for each wavelet of color \
             {starts}",
            counted(sent, "wavelet")
        ),
        also: Some((task.span, format!("{at} has been given {given} of color {starts}"))),
        advice: format!("send more wavelets of color {starts} to {at}, or let the host ask for fewer words"),
    })
}

/// Whether an operation of a PE was the last that sent, or received, one of its colors.
pub(super) fn has_moved(pe_array: &PeArray, pe: usize, place: Span) -> bool {
    let (at, Some(state)) = (pe_array.program().pe_coord(pe), pe_array.get(pe)) else { return false };
    let Some(tile) = pe_array.program().tile_at(at) else { return false };
    let sent = |color: Color| state.last_sender(color).is_some_and(|last| last.span == place);
    let sends = tile.sends().filter(|s| s.span == place).filter_map(|s| s.color).any(sent);
    let received = |color: Color| state.last_reader(color) == Some(place);
    sends || tile.takes().filter(|t| t.span == place).filter_map(|t| t.color).any(received)
}

/// An operation that sends a color: the last one that did, else one that could.
pub(super) fn send_span(pe_array: &PeArray, pe: usize, color: Color) -> Option<Span> {
    let sent = pe_array.get(pe).and_then(|pe| pe.last_sender(color));
    sent.map(|sender| sender.span)
        .or_else(|| pe_array.program().tile_at(pe_array.program().pe_coord(pe))?.first_send(color))
}

fn take_it(color: Color) -> String {
    format!("receive color {color} there, with an operation on a fabin_dsd or with a data task")
}
