//! Tasks in programs before SDK 1.1, where the number of a color was the id of a task.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::{ids, tasks};
use crate::arch::{ArchName, NO_COLOR, TaskId};
use crate::diagnostics::Result;
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::image::TaskKind;
use crate::sema::lower::{ParamKind, Signature};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::value::ty::{IdKind, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "bind_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_task(task, color)",
        doc: "old form of @bind_data_task and @bind_local_task (WSE-2)",
        run: Run::Operand(bind_by_color), ..USUAL },
];

/// `@bind_task` of releases before 1.1, when a color was the number of a task: one with parameters
/// takes the wavelets of the color, and may be activated as well; one without is activated.
pub(super) fn bind_by_color(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let at = sema.span(call.args[1]);
    let f = tasks::task_arg(sema, call.args[0])?;
    let (unit, decl) = sema.fn_unit(f);
    let takes_wavelets = !unit.function(decl).params.is_empty();
    let color = sema.known(call.args[1])?;
    let (kind, new) = match color {
        Value::Id(IdKind::Color, NO_COLOR..) => {
            (TaskKind::Control, "@bind_control_task(task, @get_control_task_id(id))")
        }
        _ if takes_wavelets => (TaskKind::Data, "@bind_data_task(task, @get_data_task_id(color))"),
        _ => (TaskKind::Local, "@bind_local_task(task, @get_local_task_id(id))"),
    };
    let id = match color {
        Value::Id(IdKind::Color, n) if sema.arch.name == ArchName::Wse2 => TaskId(n as u8),
        other => {
            let c = comptime::TYPE_MISMATCH.because(&[("want", &"a color, on wse2"), ("have", &other.ty())]);
            return Err(c.at(at).help(format!("write `{new}`")));
        }
    };
    let old = rules::OLD_TASK_ID.because(&[("form", &"`@bind_task`")]).at(call.span);
    sema.lint(old.help(format!("write `{new}`")))?;
    sema.deferred_colors.has_old_tasks = true;
    sema.lower.tile.image.has_old_tasks = true;
    tasks::check_task_id(&sema.lower.tile, kind, id, at)?;
    let (f, binding) = tasks::task_binding(sema, call.args[0], kind, id, call.span)?;
    sema.lower.tile.add_task(f, binding);
    if kind == TaskKind::Data {
        sema.lower.tile.note_old_task(id);
    }
    Ok(Operand::void())
}

/// In programs before SDK 1.1 functions of the library take colors as ids of tasks.
///
/// # Errors
/// The level of `old-task-id` is `deny`.
pub fn tasks_of_old_colors(
    sema: &mut Sema<'_>,
    signature: &Signature,
    mut operands: Vec<(Operand, Span)>,
) -> Result<Vec<(Operand, Span)>> {
    for ((operand, at), param) in operands.iter_mut().zip(&signature.params) {
        let is_id = matches!(param, ParamKind::Typed(Ty::Id(IdKind::LocalTask)));
        if is_id && operand.ty() == Ty::Id(IdKind::Color) {
            *operand = ids::activated_color(sema, operand.clone(), *at)?;
        }
    }
    Ok(operands)
}
