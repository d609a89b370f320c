//! What starts the tasks of a tile, as far as it can be told without running it.

use super::code::{AsyncConfig, Completion, IdArg, Intrinsic, OnControl};
use super::{ExportTarget, FnId, Function, Op, TaskBinding, TaskKind, TileImage, UnboundTask};
use crate::arch::TaskId;
use crate::source::Span;
use std::sync::Arc;

impl TileImage {
    /// Local tasks that come to an intrinsic and that nothing activates.
    pub fn idle_callers(&self, of: Intrinsic) -> Vec<&TaskBinding> {
        let Some(activated) = self.activated() else { return Vec::new() };
        let idle = self.tasks.iter().filter(|t| t.kind == TaskKind::Local && activated & 1 << t.id.0 == 0);
        idle.filter(|t| self.comes_to(t.function, of)).collect()
    }

    /// The one task that nothing binds and that could be a local task, or else one that a wavelet starts.
    pub fn forgotten_task(&self, is_local: bool) -> Option<&UnboundTask> {
        let mut fitting = self.unbound.iter().filter(|task| task.has_params != is_local);
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// Whether any code of the tile asks for something.
    pub fn asks_for(&self, what: Intrinsic) -> bool {
        let mut code = self.functions.iter().flat_map(|function| &function.code);
        code.any(|op| matches!(op, Op::Intrinsic { id, .. } if *id == what))
    }

    /// Tasks that are activated somewhere, bit = id; `None` if some ids are only known at run time. A task that activates
    /// itself does not count: something else has to start it.
    pub fn activated(&self) -> Option<u64> {
        let mut activated = self.active;
        for (function, n) in self.functions.iter().zip(0..) {
            let bound =
                self.tasks.iter().filter(|task| task.function == FnId(n) && task.kind == TaskKind::Local);
            let own = bound.fold(0u64, |own, task| own | 1 << task.id.0);
            for op in &function.code {
                if let Op::Activate { a } = op {
                    activated |= 1u64.checked_shl(u32::try_from(function.constant(*a)?).ok()?)? & !own;
                }
            }
        }
        for completion in self.configs().flat_map(|(config, _)| completions(config)) {
            match completion {
                Completion::Activate(IdArg::Known(id)) => activated |= 1 << id.0,
                Completion::Activate(IdArg::In(_)) => return None,
                Completion::Unblock(_) | Completion::Nothing => {}
            }
        }
        let fifos = self.fifos.iter().flat_map(|f| [f.activate_push, f.activate_pop]).flatten();
        Some(fifos.fold(activated, |all, id| all | 1 << id.0))
    }

    /// Tasks that are unblocked somewhere, bit = id; `None` if some ids are only known at run time.
    pub fn unblocked(&self) -> Option<u64> {
        let mut unblocked = 0u64;
        for function in &self.functions {
            for op in &function.code {
                if let Op::Unblock { a } = op {
                    unblocked |= 1u64.checked_shl(u32::try_from(function.constant(*a)?).ok()?)?;
                }
            }
        }
        for completion in self.configs().flat_map(|(config, _)| completions(config)) {
            match completion {
                Completion::Unblock(IdArg::Known(id)) => unblocked |= 1 << id.0,
                Completion::Unblock(IdArg::In(_)) => return None,
                Completion::Activate(_) | Completion::Nothing => {}
            }
        }
        Some(unblocked)
    }

    /// Where a task is activated: by code, or at the end of an operation.
    pub fn activations(&self, id: TaskId) -> Vec<Span> {
        let by_code = self.functions.iter().flat_map(|f| {
            let ops = f.code.iter().zip(f.spans.iter());
            ops.filter_map(move |(op, span)| match op {
                Op::Activate { a } if f.constant(*a) == Some(id.0.into()) => Some(*span),
                _ => None,
            })
        });
        by_code.chain(self.completed(Completion::Activate(IdArg::Known(id)))).collect()
    }

    /// Where a task is unblocked: by code, or at the end of an operation.
    pub fn unblockings(&self, id: TaskId) -> Vec<Span> {
        let by_code = self.functions.iter().flat_map(|f| {
            let ops = f.code.iter().zip(f.spans.iter());
            ops.filter_map(move |(op, span)| match op {
                Op::Unblock { a } if f.constant(*a) == Some(id.0.into()) => Some(*span),
                _ => None,
            })
        });
        by_code.chain(self.completed(Completion::Unblock(IdArg::Known(id)))).collect()
    }

    /// Functions with code at a place.
    pub fn functions_at(&self, place: Span) -> Vec<FnId> {
        let all = self.functions.iter().zip(0..);
        all.filter(|(f, _)| f.spans.contains(&place)).map(|(_, n)| FnId(n)).collect()
    }

    /// The tasks that come to a place of the code.
    pub fn tasks_to(&self, place: Span) -> Vec<&TaskBinding> {
        let goals = self.functions_at(place);
        let comes = |t: &&TaskBinding| goals.iter().any(|f| self.reached(&[t.function], false)[f.0 as usize]);
        self.tasks.iter().filter(comes).collect()
    }

    /// Whether the host can launch a function that comes to a place of the code, or the machine runs a handler
    /// that does.
    pub fn is_launched_to(&self, place: Span) -> bool {
        let goals = self.functions_at(place);
        let exports = self.exports.iter().filter_map(|e| match e.target {
            ExportTarget::Fn(f) => Some(f),
            ExportTarget::Pointer(_) | ExportTarget::Data(_) => None,
        });
        let starts: Vec<FnId> = exports.chain(self.handlers.iter().map(|h| h.function)).collect();
        let reached = self.reached(&starts, false);
        goals.iter().any(|f| reached[f.0 as usize])
    }

    /// Whether a launched function, and all that it calls and starts, is sure not to unblock the command stream: nothing of
    /// it works on vectors or sends messages, which could start other code, and no wavelet starts code that does.
    pub fn never_unblocks(&self, launched: FnId) -> bool {
        let by_wavelet =
            self.tasks.iter().filter(|task| task.kind != TaskKind::Local).map(|task| task.function);
        let starts: Vec<FnId> = by_wavelet.chain([launched]).collect();
        let reached = self.reached(&starts, true);
        let functions = self.functions.iter().zip(reached).filter(|(_, is_reached)| *is_reached);
        let mut code = functions.flat_map(|(function, _)| function.code.iter().map(move |op| (function, op)));
        code.all(|(function, op)| match op {
            Op::Vector { .. } | Op::MapBegin { .. } | Op::CallPtr { .. } => false,
            Op::Activate { a } | Op::Unblock { a } => function.constant(*a).is_some(),
            Op::Intrinsic { id, .. } => {
                use Intrinsic::{Collective, SendMessage, UnblockCommandStream};
                !matches!(id, UnblockCommandStream | SendMessage | Collective)
            }
            _ => true,
        })
    }

    /// The functions that may run because the host launches one, or a wavelet comes; `None` if some are called by pointers.
    /// Whatever mentions the number of a task may start it.
    pub fn may_follow(&self, launched: FnId) -> Option<Vec<bool>> {
        let code = || self.functions.iter().flat_map(|f| f.code.iter().map(move |op| (f, op)));
        if code().any(|(_, op)| matches!(op, Op::CallPtr { .. })) {
            return None;
        }
        let is_computed = |(f, op): (&Arc<Function>, &Op)| match op {
            Op::Activate { a } | Op::Unblock { a } => f.constant(*a).is_none(),
            _ => false,
        };
        let is_open = |end: Completion| {
            matches!(end, Completion::Activate(IdArg::In(_)) | Completion::Unblock(IdArg::In(_)))
        };
        let ends_open = self.configs().any(|(config, _)| completions(config).any(is_open));
        // Ids that code computes may lie in memory.
        let stored = if ends_open || code().any(is_computed) { &self.data[..] } else { &[] };
        let mut starts: Vec<FnId> = self.started_otherwise().into_iter().chain([launched]).collect();
        loop {
            let reached = self.reached(&starts, true);
            let running = || self.functions.iter().zip(&reached).filter(|(_, is_reached)| **is_reached);
            let is_mentioned = |id: TaskId| {
                let in_code = running().any(|(f, _)| f.consts.contains(&id.0.into()));
                in_code || stored.contains(&id.0.into())
            };
            let more = self.tasks.iter().filter(|t| !reached[t.function.0 as usize] && is_mentioned(t.id));
            let before = starts.len();
            starts.extend(more.map(|t| t.function));
            if starts.len() == before {
                return Some(reached);
            }
        }
    }

    /// The functions that run without a launch: at the start, for wavelets, and because a FIFO or a register says so.
    fn started_otherwise(&self) -> Vec<FnId> {
        let by_wavelet = self.tasks.iter().filter(|t| t.kind != TaskKind::Local).map(|t| t.function);
        let handlers = self.handlers.iter().map(|handler| handler.function);
        let at_start = self.tasks.iter().filter(|t| self.active & 1 << t.id.0 != 0).map(|t| t.function);
        let fifos = self.fifos.iter().flat_map(|f| [f.activate_push, f.activate_pop]).flatten();
        let by_load = self.dsr_loads.iter().flat_map(|load| completions(&load.config)).filter_map(ended);
        let task = |id: TaskId| self.tasks.iter().filter(move |t| t.id == id).map(|t| t.function);
        let by_end = fifos.chain(by_load).flat_map(task);
        by_wavelet.chain(handlers).chain(at_start).chain(by_end).collect()
    }

    /// The functions that some functions call, themselves included; with `tasks`, also those of the tasks that
    /// they activate or unblock.
    pub fn reached(&self, starts: &[FnId], tasks: bool) -> Vec<bool> {
        let mut seen = vec![false; self.functions.len()];
        let mut open = starts.to_vec();
        let task = |id: TaskId| self.tasks.iter().find(|t| t.id == id).map(|t| t.function);
        while let Some(f) = open.pop() {
            if std::mem::replace(&mut seen[f.0 as usize], true) {
                continue;
            }
            let function = &self.functions[f.0 as usize];
            for op in &function.code {
                match op {
                    Op::Call { f, .. } => open.push(*f),
                    Op::Activate { a } | Op::Unblock { a } if tasks => {
                        open.extend(function.constant(*a).and_then(|id| task(TaskId(id as u8))));
                    }
                    Op::Vector { n } if tasks => {
                        let ends = completions(&self.vector_ops[*n as usize].config);
                        open.extend(ends.filter_map(ended).filter_map(task));
                    }
                    _ => {}
                }
            }
        }
        seen
    }

    /// The tasks that the end of an operation at a place activates or unblocks; `None` if that is not known.
    pub fn tasks_after(&self, place: Span) -> Option<Vec<FnId>> {
        let ops = self.vector_ops.iter().filter(|op| op.span == place);
        let ends: Vec<Completion> = ops.flat_map(|op| completions(&op.config)).collect();
        let is_open = |end: &Completion| {
            matches!(end, Completion::Activate(IdArg::In(_)) | Completion::Unblock(IdArg::In(_)))
        };
        let by_load = self.dsr_loads.iter().any(|l| completions(&l.config).any(|c| c != Completion::Nothing));
        if ends.is_empty() || ends.iter().any(is_open) || by_load {
            return None;
        }
        let task = |id: TaskId| self.tasks.iter().find(|t| t.id == id).map(|t| t.function);
        Some(ends.into_iter().filter_map(ended).filter_map(task).collect())
    }

    /// Whether a function, or one that it calls, has an intrinsic.
    fn comes_to(&self, f: FnId, of: Intrinsic) -> bool {
        let has = |f: usize| {
            self.functions[f].code.iter().any(|op| matches!(op, Op::Intrinsic { id, .. } if *id == of))
        };
        self.reached(&[f], false).into_iter().enumerate().any(|(f, is_reached)| is_reached && has(f))
    }

    /// Operations and loads that end with something.
    fn completed(&self, with: Completion) -> impl Iterator<Item = Span> {
        let fits = move |(config, _): &(&AsyncConfig, Span)| completions(config).any(|c| c == with);
        self.configs().filter(fits).map(|(_, span)| span)
    }

    /// The settings of operations and of loads.
    fn configs(&self) -> impl Iterator<Item = (&AsyncConfig, Span)> {
        let ops = self.vector_ops.iter().map(|v| (&v.config, v.span));
        ops.chain(self.dsr_loads.iter().map(|l| (&l.config, l.span)))
    }
}

impl UnboundTask {
    /// What is wrong with it.
    pub fn fact(&self) -> String {
        format!("nothing binds `{}` to an id", self.name)
    }

    /// How to bind it to the id of a local task.
    pub fn local_binding(&self, id: TaskId) -> String {
        format!("write in a comptime block: `@bind_local_task({}, @get_local_task_id({id}))`", self.name)
    }
}

fn completions(config: &AsyncConfig) -> impl Iterator<Item = Completion> + use<> {
    let on_control = match config.on_control {
        Some(OnControl::Then(completion)) => Some(completion),
        Some(OnControl::Terminate) | None => None,
    };
    [config.completion].into_iter().chain(on_control)
}

/// The task that an end activates or unblocks.
fn ended(completion: Completion) -> Option<TaskId> {
    match completion {
        Completion::Activate(IdArg::Known(id)) | Completion::Unblock(IdArg::Known(id)) => Some(id),
        Completion::Activate(IdArg::In(_)) | Completion::Unblock(IdArg::In(_)) | Completion::Nothing => None,
    }
}
