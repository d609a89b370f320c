//! What follows the end of an operation: `.activate` and `.unblock`, also of tasks that are bound later.

use super::tasks::with_likely_tasks;
use super::{ids, tasks};
use crate::arch::TaskId;
use crate::diagnostics::rules::run::TASK_UNBOUND;
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::diagnostics::{Diag, Result};
use crate::image::TaskKind;
use crate::image::code::{Completion, IdArg, OnControl};
use crate::sema::lower::LoadTask;
use crate::sema::modules::Modules;
use crate::sema::operand::Operand;
use crate::sema::value::{FnRef, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::value::ty::{IdKind, Ty};

/// What `.activate` and `.unblock` name: an id, or a task that is bound to one. `None` is a task that a
/// comptime block further down may bind: code is written when everything is bound.
pub fn completion(sema: &mut Sema<'_>, v: &Operand, activate: bool, at: Span) -> Result<Option<Completion>> {
    let named = if activate { ids::activated_color(sema, v.clone(), at)? } else { v.clone() };
    let v = &named;
    let is_task = matches!(v, Operand::Known(Value::Fn(_))) || v.ty() == Ty::Id(IdKind::LocalTask);
    let id = match v {
        Operand::Known(Value::Fn(f)) => match sema.lower.tile.task_id(*f) {
            Some(id) => IdArg::Known(id),
            None if sema.is_comptime() => return Ok(None),
            None => return Err(not_bound(&sema.modules, *f).at(at)),
        },
        _ => match v.ty() {
            Ty::Id(IdKind::LocalTask) => id_arg(sema, v, at)?,
            Ty::Id(k) if !activate && tasks::is_channel(sema.arch, k) => id_arg(sema, v, at)?,
            other if activate => {
                let want = "local_task_id or a task";
                let c = comptime::TYPE_MISMATCH.because(&[("want", &want), ("have", &other)]).at(at);
                return Err(c.help(match other.is_int() {
                    true => "write `@get_local_task_id(..)`",
                    false => "bind a task to an id of `@get_local_task_id`, and activate that",
                }));
            }
            other => return Err(tasks::bad_channel(sema.arch, &other, "unblocked with `.unblock`").at(at)),
        },
    };
    if is_task {
        check_completion(sema, id, activate, at)?;
    }
    Ok(Some(completion_of(id, activate)))
}

fn not_bound(modules: &Modules, f: FnRef) -> Diag {
    if modules.has_failed_block() {
        return comptime::REPORTED.plain();
    }
    let (unit, decl) = modules.function(f);
    let task = unit.function(decl);
    if !task.task {
        let name = &task.name.name;
        let diag =
            comptime::TYPE_MISMATCH.because(&[("want", &"local_task_id or a task"), ("have", &"a function")]);
        return diag
            .also(task.span, "this function")
            .help(format!("declare it as a task, `task {name}() void`, and bind it to an id"));
    }
    rules::TASK_NOT_BOUND.plain().also(task.span, "this task").help(format!(
        "write in a comptime block: `@bind_local_task({}, @get_local_task_id(..))`",
        task.name.name
    ))
}

/// Gives loads before the start the ids of the tasks that they name, when all tasks are bound.
pub fn finish_load_tasks(sema: &mut Sema<'_>) {
    for LoadTask { load, late } in std::mem::take(&mut sema.lower.tile.load_tasks) {
        let id =
            sema.lower.tile.task_id(late.task).ok_or_else(|| not_bound(&sema.modules, late.task).at(late.at));
        let done = id.and_then(|id| {
            let id = IdArg::Known(id);
            check_completion(sema, id, late.activate, late.at)?;
            Ok(completion_of(id, late.activate))
        });
        let config = &mut sema.lower.tile.image.dsr_loads[load].config;
        match done {
            Ok(done) if late.at_control => config.on_control = Some(OnControl::Then(done)),
            Ok(done) => config.completion = done,
            Err(diag) => sema.report(diag),
        }
    }
}

/// What `.activate` names is a local task, what `.unblock` names is a local or data task.
pub(super) fn check_completion(sema: &mut Sema<'_>, id: IdArg, activate: bool, at: Span) -> Result<()> {
    let IdArg::Known(id) = id else { return Ok(()) };
    if activate && sema.lower.tile.activate_old_task(id) {
        return Ok(());
    }
    // a control task of the same number, in a table of its own, does not count
    let same_id = sema.lower.tile.image.tasks.iter().filter(|t| t.id == id);
    let Some(bound) = same_id.min_by_key(|t| t.kind == TaskKind::Control) else {
        // A comptime block may bind it further down; code is written when all is bound.
        if sema.is_comptime() {
            return Ok(());
        }
        // A block that stopped half-way has not bound everything; and one forgotten binding is one mistake.
        let bit = 1u64 << id.0;
        if sema.modules.has_failed_block() || sema.lower.tile.warned & bit != 0 {
            return Ok(());
        }
        sema.lower.tile.warned |= bit;
        let forgotten = sema.lower.tile.image.forgotten_task(true).map(|task| task.span);
        if let Some(task) = forgotten {
            if sema.uses.has_named(task) {
                return Ok(());
            }
            sema.uses.note_named(task);
        }
        // The code may never run; if it does, that ends the run.
        let diag = with_likely_tasks(sema, TASK_UNBOUND.because(&[("id", &id)]).at(at), id);
        return sema.lint(diag).or_else(|diag| {
            sema.report(diag);
            Ok(())
        });
    };
    let rule = match bound.kind {
        TaskKind::Local => return Ok(()),
        TaskKind::Data | TaskKind::Control if activate => &rules::NOT_A_LOCAL_TASK,
        TaskKind::Data => return Ok(()),
        TaskKind::Control => &rules::CONTROL_TASK_UNBLOCK,
    };
    let help = match activate {
        true => "bind a task with `@bind_local_task`, and activate that",
        false => "unblock a data task or a local task",
    };
    Err(rule.because(&[("name", &bound.name)]).at(at).also(bound.span, "bound here").help(help))
}

pub(super) fn id_arg(sema: &mut Sema<'_>, v: &Operand, at: Span) -> Result<IdArg> {
    Ok(match v {
        Operand::Known(Value::Id(_, n)) => IdArg::Known(TaskId(*n as u8)),
        v => {
            let kept = sema.keep(v.clone(), at)?;
            IdArg::In(sema.reg_of(&kept, at)?)
        }
    })
}

fn completion_of(id: IdArg, activate: bool) -> Completion {
    if activate { Completion::Activate(id) } else { Completion::Unblock(id) }
}
