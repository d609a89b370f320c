//! Tasks in programs before SDK 1.1, where the number of a color was the id of a task.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::arch::{ArchName, TaskId};
use crate::diagnostics::Result;
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::image::TaskKind;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::world::Sema;
use crate::source::Span;
use crate::value::ty::{IdKind, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "bind_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_task(task, color)",
        doc: "old form of @bind_data_task and @bind_local_task (WSE-2)",
        run: Run::Operand(|s, call| s.bind_by_color(call)), ..USUAL },
];

impl Sema<'_> {
    /// `@bind_task` of releases before 1.1, when a color was the number of a task: one with parameters
    /// takes the wavelets of the color, one without is activated.
    pub(super) fn bind_by_color(&mut self, call: Call<'_>) -> Result<Operand> {
        let at = self.span(call.args[1]);
        let f = self.task_arg(call.args[0])?;
        let (unit, decl) = self.fn_unit(f);
        let takes_wavelets = !unit.function(decl).params.is_empty();
        let (kind, new) = match takes_wavelets {
            true => (TaskKind::Data, "@bind_data_task(task, @get_data_task_id(color))"),
            false => (TaskKind::Local, "@bind_local_task(task, @get_local_task_id(id))"),
        };
        let id = match self.known(call.args[1])? {
            Value::Id(IdKind::Color, n) if self.arch.name == ArchName::Wse2 => TaskId(n as u8),
            other => {
                let c =
                    comptime::TYPE_MISMATCH.because(&[("want", &"a color, on wse2"), ("have", &other.ty())]);
                return Err(c.at(at).help(format!("write `{new}`")));
            }
        };
        let old = rules::OLD_TASK_ID.because(&[("form", &"`@bind_task`")]).at(call.span);
        self.lint(old.help(format!("write `{new}`")))?;
        self.check_task_id(kind, id, at)?;
        let (f, binding) = self.task_binding(call.args[0], kind, id, call.span)?;
        self.add_task(f, binding);
        Ok(Operand::void())
    }

    /// Releases before 1.1 activate a task by the color that has its number.
    pub(super) fn activated_color(&mut self, v: Operand, at: Span) -> Result<Operand> {
        if v.ty() != Ty::Id(IdKind::Color) || self.arch.name != ArchName::Wse2 {
            return Ok(v);
        }
        let old = rules::OLD_TASK_ID.because(&[("form", &"activating a color")]).at(at);
        self.lint(old.help("bind a task to an id of `@get_local_task_id`, and activate that"))?;
        Ok(match v {
            Operand::Known(Value::Id(_, n)) => Operand::Known(Value::Id(IdKind::LocalTask, n)),
            v => Operand::Reg(self.reg_of(&v, at)?, Ty::Id(IdKind::LocalTask)),
        })
    }
}
