//! Why code that would have ended a wait has not run: searches backwards for the missing wavelet, route or condition.

use super::broken_routes;
use super::causes::{Cause, Idle, blocked_receiver, has_moved, held_before, idle, receiver};
use super::stall::{Explainer, HostWait, Left, Missing, PeWait, Sender};
use crate::arch::{Color, PeCoord, TaskId};
use crate::diagnostics::counted;
use crate::image::code::Intrinsic;
use crate::image::{Fifo, FnId, Op, TaskBinding, TaskKind, TileImage};
use crate::pe::{Wait, Waiter, WaitsFor};
use crate::source::Span;
use std::cell::Cell;

/// How many tasks the search follows backwards, on all PEs together.
const MOST_STEPS: usize = 64;

impl Explainer<'_> {
    /// Why a PE has not reached a place in its code: an earlier task has not run, or a condition was false.
    pub(super) fn unreached(&self, pe: usize, place: Span) -> Option<Cause> {
        self.unreached_from(pe, place, &Cell::new(MOST_STEPS))
    }

    fn unreached_from(&self, pe: usize, place: Span, steps: &Cell<usize>) -> Option<Cause> {
        steps.set(steps.get().checked_sub(1)?);
        if has_moved(self.pe_array(), pe, place) {
            return None;
        }
        let (task, place, next) = match idle(self.pe_array(), pe, place)? {
            Idle::Cause(cause) => return Some(cause),
            Idle::Behind { data, place, next } => (data, place, next),
        };
        let tile = self.program().tile_at(self.program().pe_coord(pe))?;
        let color = tile.color_of_task(self.program().arch, task)?;
        let at = self.program().pe_coord(pe);
        if self.pe_array().get(pe).is_some_and(|pe| pe.has_begun(task.id)) {
            let it = next.map_or("reached this".to_string(), |next| format!("activated `{next}` here"));
            let received = counted(self.fabric().survey().received(pe, color), "wavelet");
            let also = Some((task.span, format!("{at} has been given {received} of color {color}")));
            // What would have come to the task is held up on its way.
            if let Some(switch) = broken_routes::at_switch(self.program(), self.fabric(), color) {
                return Some(Cause { also, ..switch });
            }
            let values = self.deciding_values(pe, place);
            return Some(Cause {
                pe: at,
                span: place,
                fact: format!("`{}` has run on {at}, but has not {it}{values}", task.name),
                also,
                advice: format!(
                    "check the condition before this, or send more wavelets of color {color} to {at}"
                ),
            });
        }
        self.unsent(pe, color, task, steps)
    }

    /// Why the first wavelet of a data task has not come.
    fn unsent(&self, pe: usize, color: Color, task: &TaskBinding, steps: &Cell<usize>) -> Option<Cause> {
        let (program, at) = (self.program(), self.program().pe_coord(pe));
        if let Some(cause) = self.not_taken(pe, color, steps) {
            return Some(cause);
        }
        let waits = WaitsFor::Wavelet { color, queue: None, ends_at_control: false };
        let waiting =
            format!("`{}` on {at} waits for a wavelet of color {color}, and has not run", task.name);
        match self.missing(pe, &waits)? {
            Missing::Wavelets { reachable, senders, .. } if !reachable || senders.is_empty() => {
                let route = broken_routes::before(program, self.fabric(), pe, color);
                let cause = route.or_else(|| self.refused(|other| other == color)).unwrap_or_else(|| Cause {
                    pe: at,
                    span: task.span,
                    fact: waiting.clone(),
                    also: None,
                    advice: format!(
                        "check the routes of color {color}: they must lead from a sender to {at}"
                    ),
                });
                Some(Cause {
                    also: cause.also.or((cause.span != task.span).then_some((task.span, waiting))),
                    ..cause
                })
            }
            Missing::Wavelets { senders, .. } => {
                if let Some(refused) = self.refused(|other| other == color) {
                    return Some(Cause { also: Some((task.span, waiting)), ..refused });
                }
                let idle = senders.iter().all(|s| s.sent == 0 && !s.waits);
                let mut behind = senders.iter().filter(|_| idle);
                let behind = behind.find_map(|s| {
                    let sender = program.pe_index(s.pe);
                    self.unreached_from(sender, s.span?, steps)
                });
                let is_sent = senders.iter().any(|s| s.sent > 0);
                let sent = senders.iter().map(|s| s.sent).sum();
                let filtered = || broken_routes::filtered(program, self.fabric(), (pe, color), sent);
                let cause = behind.or_else(|| is_sent.then(filtered).flatten());
                cause.or_else(|| Some(not_arrived((at, task.span), color, waiting, &senders)))
            }
            Missing::FromHost { .. } => Some(Cause {
                pe: at,
                span: task.span,
                fact: format!("{waiting}: the host sends it"),
                also: None,
                advice: format!("let the host copy to color {color} before it waits for the result"),
            }),
            _ => None,
        }
    }

    /// Why the launch of a function is not done: what the PE should do before `unblock_cmd_stream`, or the call that it has
    /// not come to.
    pub(super) fn unfinished_launch(&self, at: PeCoord, launched: Span) -> Option<Cause> {
        let tile = self.program().tile_at(at)?;
        let function = tile.functions.iter().position(|function| function.span == launched);
        let function = function.map(|n| FnId(n as u32));
        if function.is_some_and(|function| tile.never_unblocks(function)) {
            return Some(Cause {
                pe: at,
                span: launched,
                fact: "this function ends without `unblock_cmd_stream`, and starts nothing that calls it"
                    .to_string(),
                also: None,
                advice: "call `unblock_cmd_stream` at its end".to_string(),
            });
        }
        let mut calls = self.calls_of(tile, Intrinsic::UnblockCommandStream);
        if let Some(may_run) = function.and_then(|function| tile.may_follow(function)) {
            // A call that only other launches come to does not end this one.
            calls.retain(|call| tile.functions_at(*call).iter().any(|f| may_run[f.0 as usize]));
            if calls.is_empty() {
                return Some(Cause {
                    pe: at,
                    span: launched,
                    fact: "neither this function nor what it starts calls `unblock_cmd_stream`".to_string(),
                    also: None,
                    advice: "call `unblock_cmd_stream` in the task that ends what this function starts"
                        .to_string(),
                });
            }
        }
        self.unreached_call(at, tile, &calls)
    }

    /// Why a PE has come to none of the calls of `unblock_cmd_stream`.
    fn unreached_call(&self, at: PeCoord, tile: &TileImage, calls: &[Span]) -> Option<Cause> {
        let (pe, place) = (self.program().pe_index(at), *calls.first()?);
        let idle = calls.iter().find_map(|call| self.unreached(pe, *call));
        let found = idle.or_else(|| calls.iter().find_map(|call| self.lost_activation(at, tile, *call)));
        if found.is_some() {
            return found;
        }
        let values = self.deciding_values(pe, place);
        let advice = match tile.is_launched_to(place) {
            true => "call it on every path: check the conditions before this call",
            false => "check the condition before this call, or what should start the code around it",
        };
        Some(Cause {
            pe: at,
            span: place,
            fact: format!("{at} has not reached this call of `unblock_cmd_stream`{values}"),
            also: None,
            advice: advice.to_string(),
        })
    }

    /// Tasks that are blocked at the end, one for each binding. With a host the program ends when its commands are done,
    /// whatever tasks wait for; there only a task that nothing unblocks is a mistake.
    pub(super) fn blocked_at_the_end(&self) -> Vec<PeWait> {
        let mut told: Vec<PeWait> = Vec::new();
        for wait in self.blocked_tasks() {
            if self.program().memcpy.is_some() && !self.stays_blocked(&wait) {
                continue;
            }
            match told.iter_mut().find(|other| other.span == wait.span && other.name == wait.name) {
                Some(first) => first.also_on += 1 + wait.also_on,
                None => told.push(wait),
            }
        }
        told
    }

    /// Whether a task waits for `@unblock`, and no code and no operation of its PE does it.
    fn stays_blocked(&self, wait: &PeWait) -> bool {
        let (Waiter::Task(id), Some(tile)) = (wait.waiter, self.program().tile_at(wait.pe)) else {
            return false;
        };
        tile.unblocked().is_some_and(|unblocked| unblocked & 1 << id.0 == 0)
    }

    /// An operation into a FIFO that goes on for ever and keeps all tasks of its PE from running.
    pub(super) fn endless(&self, pe: usize, wait: &Wait<'_>) -> Option<Cause> {
        let (at, span) = (self.program().pe_coord(pe), wait.span?);
        let tile = self.program().tile_at(at)?;
        let is_endless = wait.who == Waiter::MainThread && wait.progress.is_none();
        let into_fifo = |fifo: &Fifo| tile.at_fifo(&fifo.name, true).any(|op| op.span == span);
        (is_endless && tile.fifos.iter().any(into_fifo)).then(|| Cause {
            pe: at,
            span,
            fact: format!("this operation has no end, and until it ends, nothing else runs on {at}"),
            also: None,
            advice: "add `.async = true`, so that tasks can read the FIFO meanwhile".to_string(),
        })
    }

    /// The route, the switch or the filter that keeps from a PE what others have sent to it, or the blocked task that keeps
    /// one of them from sending more.
    pub(super) fn held_back(&self, pe: usize, color: Color, senders: &[Sender]) -> Option<Cause> {
        let is_sent = senders.iter().any(|s| s.sent > 0) && senders.iter().all(|s| !s.waits);
        let (program, fabric) = (self.program(), self.fabric());
        if let Some(cause) = broken_routes::refused_at(program, fabric, pe, color) {
            return Some(cause);
        }
        let held = is_sent.then(|| broken_routes::at_switch(program, fabric, color)).flatten();
        let sent = senders.iter().map(|s| s.sent).sum();
        let filtered =
            || is_sent.then(|| broken_routes::filtered(program, fabric, (pe, color), sent)).flatten();
        held.or_else(filtered).or_else(|| {
            let mut blocked = senders.iter().filter(|s| !s.waits && s.held.is_some());
            blocked.find_map(|s| held_before(self.pe_array(), program.pe_index(s.pe), s.span?))
        })
    }

    /// Why a command of the host cannot go on while no operation of a PE waits.
    pub(super) fn host_cause(&self, wait: &HostWait, left: &[Left]) -> Option<Cause> {
        if let Some(stuck) = self.stuck(left) {
            return Some(stuck);
        }
        let behind = match (&wait.cause, wait.span) {
            // The operation at the end of a stream.
            (Some(end), None) => self.unreached(self.program().pe_index(end.pe), end.span),
            (None, Some(launched)) => wait.pes.first().and_then(|pe| self.unfinished_launch(*pe, launched)),
            (Some(_), Some(_)) | (None, None) => None,
        };
        behind.or_else(|| wait.cause.clone())
    }

    /// What a control wavelet in a queue of a PE should have named: nothing there binds the task that it names.
    pub(super) fn unbound(&self, pe: usize, color: Color, named: TaskId) -> Option<Cause> {
        let at = self.program().pe_coord(pe);
        let tile = self.program().tile_at(at)?;
        let task = tile.tasks.iter().find(|task| task.kind == TaskKind::Control);
        let queue = tile.input_queues.iter().find(|bound| bound.color == color);
        let wavelet =
            format!("a control wavelet of color {color} on {at} names task {named}, which nothing binds");
        let bind = format!("bind a task to it: `@bind_control_task(task, @get_control_task_id({named}))`");
        Some(Cause {
            pe: at,
            span: task.map(|task| task.span).or(queue.map(|bound| bound.span))?,
            fact: match task {
                Some(task) => format!("{wavelet}; `{}` is bound to {}", task.name, task.id),
                None => wavelet,
            },
            also: None,
            advice: match task {
                Some(task) => format!("send a control wavelet that names {}, or {bind}", task.id),
                None => bind,
            },
        })
    }

    /// What lies around in front of a task that is blocked, of a PE that can take it nowhere, or of a route that refuses it.
    fn stuck(&self, left: &[Left]) -> Option<Cause> {
        let mut at_pes = left.iter().filter(|l| l.is_at_pe && l.held.is_none());
        if let Some(unbound) = left.iter().filter(|l| l.is_at_pe).find_map(|l| l.cause.clone()) {
            return Some(unbound);
        }
        let steps = Cell::new(MOST_STEPS);
        let not_taken = at_pes.find_map(|l| self.not_taken(self.program().pe_index(l.pe), l.color, &steps));
        let held = || left.iter().find_map(|l| self.held(l, &steps));
        not_taken.or_else(held).or_else(|| self.refused(|_| true))
    }

    /// The control task that a control wavelet would start if its channel were not blocked, or why nothing has unblocked
    /// the channel.
    fn held(&self, left: &Left, steps: &Cell<usize>) -> Option<Cause> {
        let (span, color) = (left.held?, left.color);
        let tile = self.program().tile_at(left.pe)?;
        let arch = self.program().arch;
        let channel = TaskId(arch.channel(color, tile.queue_of(color))?);
        let pe = self.program().pe_index(left.pe);
        let mut unblocked = tile.unblockings(channel).into_iter();
        if let Some(cause) = unblocked.find_map(|place| self.unreached_from(pe, place, steps)) {
            return Some(cause);
        }
        let id = tile.channel_text(arch, color)?;
        Some(Cause {
            pe: left.pe,
            span,
            fact: format!(
                "on {} a control wavelet of color {color} waits for this task, which cannot run: the channel is blocked",
                left.pe
            ),
            also: None,
            advice: format!("write in a comptime block: `@unblock({id})`"),
        })
    }

    /// Why nothing takes the wavelets in a queue, in a few words.
    pub(super) fn why_not_taken(&self, pe: usize, color: Color) -> String {
        let tile = self.program().tile_at(self.program().pe_coord(pe));
        match tile.and_then(|tile| blocked_receiver(self.pe_array(), pe, tile, color)) {
            Some(_) => "the task that receives them is blocked".to_string(),
            None => "nothing receives them".to_string(),
        }
    }

    /// Why wavelets of a color that have come to a PE are not taken there, if it is for good.
    fn not_taken(&self, pe: usize, color: Color, steps: &Cell<usize>) -> Option<Cause> {
        let tile = self.program().tile_at(self.program().pe_coord(pe))?;
        let arrived = self.fabric().survey().received(pe, color) > 0;
        let waits_here = arrived || self.fabric().survey().leftovers_at(pe).iter().any(|l| l.color == color);
        if !waits_here {
            return None;
        }
        if !tile.may_take(self.program().arch, color) {
            return receiver(self.pe_array(), pe, color);
        }
        let blocked = blocked_receiver(self.pe_array(), pe, tile, color)?;
        // What would unblock the task has not run.
        let task = tile.data_task(self.program().arch, color);
        let unblocked = task.map_or(Vec::new(), |task| tile.unblockings(task.id));
        unblocked.into_iter().find_map(|place| self.unreached_from(pe, place, steps)).or(Some(blocked))
    }

    /// A route that refuses wavelets of such a color, and will do so for ever: at a switch, they may only have to wait.
    pub(super) fn refused(&self, is_meant: impl Fn(Color) -> bool) -> Option<Cause> {
        let survey = self.fabric().survey();
        let left = survey.leftovers();
        let mut refused = left.iter().filter(|l| is_meant(l.color) && !survey.is_switched(l.pe, l.color));
        refused.find_map(|l| broken_routes::at(self.program(), l))
    }

    /// Where code outside of the library comes to an intrinsic.
    fn calls_of(&self, tile: &TileImage, what: Intrinsic) -> Vec<Span> {
        let sources = &self.program().sources;
        let is_own = |span: &Span| !sources.file(span.file).is_library();
        let has = |op: &Op| matches!(op, Op::Intrinsic { id, .. } if *id == what);
        let asks: Vec<bool> = tile.functions.iter().map(|f| f.code.iter().any(has)).collect();
        let places = tile.functions.iter().flat_map(|f| {
            f.code.iter().zip(f.spans.iter()).filter_map(|(op, span)| match op {
                Op::Call { f, .. } if asks[f.0 as usize] => Some(*span),
                op if has(op) => Some(*span),
                _ => None,
            })
        });
        let mut places: Vec<Span> = places.filter(is_own).collect();
        places.dedup();
        places
    }
}

/// No wavelet of a color has come to a data task, although its senders could reach it.
fn not_arrived((at, task): (PeCoord, Span), color: Color, waiting: String, senders: &[Sender]) -> Cause {
    let advice = match senders.iter().any(|s| s.sent > 0) {
        true => {
            format!("see where the wavelets of color {color} go: the routes, switches and filters up to {at}")
        }
        false => format!("something must send color {color} to {at}"),
    };
    let also = senders.iter().find_map(|s| Some((s.span?, format!("{} has sent {}", s.pe, s.sent))));
    Cause { pe: at, span: task, fact: waiting, also, advice }
}
