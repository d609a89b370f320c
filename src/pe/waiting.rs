//! Collects what a PE waits for, for the hang report and for recordings.

use super::bindings::binding;
use super::main_thread::MainThread;
use super::queues::Queues;
use super::stall::Stall;
use super::tasks::{Tasks, bit};
use super::threads::{MAIN, Thread, Threads};
use super::wait::{Wait, Waiter, WaitsFor};
use crate::arch::{NULL_TASK, TaskId, UtId};
use crate::image::{TaskKind, TileImage};

/// The components of a PE that can wait.
#[derive(Copy, Clone)]
pub(super) struct Waiting<'a> {
    pub tile: &'a TileImage,
    pub main: &'a MainThread,
    pub tasks: &'a Tasks,
    pub threads: &'a Threads,
    pub queues: &'a Queues,
}

impl<'a> Waiting<'a> {
    /// Local tasks that are active and not blocked.
    pub fn ready(self) -> impl Iterator<Item = &'a str> {
        let state = self.tasks.state;
        let local = self.tile.tasks.iter().filter(|task| task.kind == TaskKind::Local);
        let ready = local.filter(move |task| state.active & !state.blocked & bit(task.id) != 0);
        ready.map(|task| task.name.as_str())
    }

    /// Everything that is not finished, in the order: main thread and microthreads, tasks, queues.
    pub fn all(self) -> Vec<Wait<'a>> {
        let mut waits: Vec<_> = self.operations().collect();
        waits.extend(self.tasks.stuck().map(|id| self.stuck_task(id)));
        let queued = self.queues.inputs.iter().filter(|inbox| inbox.len() > 0);
        waits.extend(queued.filter_map(|inbox| {
            let held = self.tasks.held_back(self.queues.arch_name(), inbox);
            let task = held.and_then(|id| binding(self.tile, TaskKind::Control, id).ok());
            // A control wavelet that has ended an operation, and names no task, has done what it was sent for.
            if inbox.head_has_ended_operation && inbox.len() == 1 && task.is_none() {
                return None;
            }
            let blocked = task.map(|t| format!("`{}` (id {})", t.name, t.id));
            let is_bound = self.tasks.have_control_task(self.queues.arch_name(), inbox);
            let unbound = held.filter(|id| id.0 != NULL_TASK && !is_bound);
            Some(Wait {
                who: Waiter::Queue,
                on: WaitsFor::Consumer {
                    color: inbox.color,
                    queue: inbox.queue,
                    count: inbox.len(),
                    blocked,
                    unbound,
                },
                name: "",
                task: None,
                since: inbox.since,
                progress: None,
                span: task.map(|t| t.span),
            })
        }));
        waits.extend(self.queues.outgoing().map(|(color, queue, count)| Wait {
            who: Waiter::Queue,
            on: WaitsFor::Router { color, queue, count },
            name: "",
            task: None,
            since: 0,
            progress: None,
            span: None,
        }));
        waits
    }

    /// The operations among them, those of microthreads first.
    pub fn operations(self) -> impl Iterator<Item = Wait<'a>> {
        self.thread_waits().chain(self.main_wait())
    }

    /// The task or launched function on the main thread.
    fn running_task(self) -> Option<&'a str> {
        let function = self.tasks.function.filter(|_| !self.main.is_free())?;
        Some(&self.tile.functions[function.0 as usize].name)
    }

    fn stuck_task(self, id: TaskId) -> Wait<'a> {
        let bound = binding(self.tile, TaskKind::Local, id).ok();
        Wait {
            who: Waiter::Task(id),
            on: WaitsFor::Unblock,
            name: bound.map_or("", |b| &b.name),
            task: None,
            since: 0,
            progress: None,
            span: bound.map(|b| b.span),
        }
    }

    /// What the operations in progress wait for.
    fn thread_waits(self) -> impl Iterator<Item = Wait<'a>> {
        self.threads.iter().filter_map(move |(place, thread)| {
            let blocked = place != MAIN && self.threads.blocked & 1 << place != 0;
            let waits = thread.waits(self.queues);
            let on = match waits {
                _ if blocked => WaitsFor::Unblock,
                Some((stall, _)) => self.describe(stall, thread),
                None => return None,
            };
            Some(Wait {
                who: if place == MAIN { Waiter::MainThread } else { Waiter::Microthread(UtId(place as u8)) },
                on,
                name: thread.operation.name(),
                task: if place == MAIN { self.running_task() } else { None },
                since: waits.map_or(thread.started, |(_, since)| since),
                progress: thread.operation.total.map(|total| (thread.operation.done, total)),
                span: Some(thread.span),
            })
        })
    }

    fn describe(self, stall: Stall, thread: &Thread) -> WaitsFor {
        match stall {
            Stall::Input(input) => {
                let inbox = &self.queues.inputs[input];
                let ends_at_control = thread.operation.stops_at_control;
                WaitsFor::Wavelet { color: inbox.color, queue: inbox.queue, ends_at_control }
            }
            Stall::Output(output) => {
                let color = thread.operation.color().expect("a fabout operand has a color");
                WaitsFor::Space { color, queue: self.queues.outputs[output].queue }
            }
            Stall::FifoEmpty(end) => WaitsFor::FifoData(self.tile.fifos[end.fifo].name.clone()),
            Stall::FifoFull(end) => WaitsFor::FifoSpace(self.tile.fifos[end.fifo].name.clone()),
        }
    }

    /// What the main thread itself waits for, if that is not an operation in progress.
    fn main_wait(self) -> Option<Wait<'a>> {
        let (stall, since) = *self.main.stalled.as_deref()?;
        let on = match stall {
            Stall::Input(input) => {
                let inbox = &self.queues.inputs[input];
                WaitsFor::Wavelet { color: inbox.color, queue: inbox.queue, ends_at_control: false }
            }
            Stall::Output(output) => {
                let outbox = &self.queues.outputs[output];
                let (color, queue) = (outbox.head_color()?, outbox.queue);
                WaitsFor::Space { color, queue }
            }
            Stall::FifoEmpty(_) | Stall::FifoFull(_) => unreachable!("`@map` uses no FIFO"),
        };
        let span = Some(self.main.place(self.tile));
        Some(Wait {
            who: Waiter::MainThread,
            on,
            name: "map",
            task: self.running_task(),
            since,
            progress: None,
            span,
        })
    }
}
