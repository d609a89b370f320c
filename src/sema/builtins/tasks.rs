//! Tasks: what is bound to their ids, and what makes them ready.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::arch::{ArchName, TaskId};
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::Op;
use crate::image::{Scalar, TaskBinding, TaskKind};
use crate::sema::operand::{Operand, repr};
use crate::sema::signature::ParamKind;
use crate::sema::value::{FnRef, Value};
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{IdKind, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "activate", takes: 1..=1, phase: Phase::BlockOrCode,
        usage: "@activate(local_task_id)",
        doc: "makes a task ready; it runs once it is also unblocked",
        run: Run::Operand(|s, call| s.activate(call.args[0])), ..USUAL },
    Builtin { name: "block", takes: 1..=1, phase: Phase::BlockOrCode,
        usage: "@block(id)",
        doc: "keeps a task, channel or microthread from running",
        run: Run::Operand(|s, call| s.set_blocked(call.args[0], true)), ..USUAL },
    Builtin { name: "unblock", takes: 1..=1, phase: Phase::BlockOrCode,
        usage: "@unblock(id)",
        doc: "lets a task, channel or microthread run",
        run: Run::Operand(|s, call| s.set_blocked(call.args[0], false)), ..USUAL },
    Builtin { name: "bind_local_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_local_task(task, local_task_id)",
        doc: "runs the task when the id is activated",
        run: Run::Operand(|s, call| s.bind(call, TaskKind::Local)), ..USUAL },
    Builtin { name: "bind_data_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_data_task(task, data_task_id)",
        doc: "runs the task for every data wavelet",
        run: Run::Operand(|s, call| s.bind(call, TaskKind::Data)), ..USUAL },
    Builtin { name: "bind_control_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_control_task(task, control_task_id)",
        doc: "runs the task for control wavelets that carry the id",
        run: Run::Operand(|s, call| s.bind(call, TaskKind::Control)), ..USUAL },
    Builtin { name: "rpc", takes: 1..=1, phase: Phase::Block,
        usage: "@rpc(data_task_id)",
        doc: "starts the host call server (SDK 1.0; no longer needed)",
        run: Run::Operand(|s, call| s.rpc(call)), ..USUAL },
];

impl Sema<'_> {
    fn activate(&mut self, id: ExprId) -> Result<Operand> {
        let at = self.span(id);
        let v = self.value(id, None)?;
        let v = self.activated_color(v, at)?;
        if v.ty() != Ty::Id(IdKind::LocalTask) {
            return Err(match v.ty() {
                Ty::Id(kind @ (IdKind::Color | IdKind::DataTask | IdKind::ControlTask)) => {
                    rules::NOT_ACTIVATABLE
                        .because(&[("kind", &kind.word())])
                        .at(at)
                        .help("bind a task to an id of `@get_local_task_id`, and activate that")
                }
                have => {
                    comptime::TYPE_MISMATCH.because(&[("want", &"local_task_id"), ("have", &have)]).at(at)
                }
            });
        }
        if let Operand::Known(Value::Id(_, n)) = &v
            && self.is_comptime()
        {
            self.world.tile.image.active |= 1 << n;
            return Ok(Operand::void());
        }
        let a = self.reg_of(&v, at)?;
        self.b().emit(Op::Activate { a });
        Ok(Operand::void())
    }

    fn set_blocked(&mut self, id: ExprId, block: bool) -> Result<Operand> {
        let at = self.span(id);
        let v = self.value(id, None)?;
        let Ty::Id(kind) = v.ty() else { return Err(self.bad_channel(&v.ty()).at(at)) };
        let microthread = kind == IdKind::Microthread;
        if !self.is_channel(kind) && !microthread {
            return Err(self.bad_channel(&v.ty()).at(at));
        }
        self.refuse_no_color(&v).at(at)?;
        if self.is_comptime() {
            let Operand::Known(Value::Id(_, n)) = v else { unreachable!("comptime values are known") };
            let image = &mut self.world.tile.image;
            match (microthread, block) {
                (true, true) => image.blocked_microthreads |= 1 << n,
                (true, false) => image.blocked_microthreads &= !(1 << n),
                (false, true) => image.blocked |= 1 << n,
                (false, false) => {
                    image.blocked &= !(1 << n);
                    self.world.tile.unblocked |= 1 << n;
                }
            }
            return Ok(Operand::void());
        }
        let a = self.reg_of(&v, at)?;
        self.b().emit(match (microthread, block) {
            (true, true) => Op::BlockUt { a },
            (true, false) => Op::UnblockUt { a },
            (false, true) => Op::Block { a },
            (false, false) => Op::Unblock { a },
        });
        Ok(Operand::void())
    }

    /// Whether `@block`, `@unblock` and `.unblock` take such an id on this machine.
    pub(super) fn is_channel(&self, kind: IdKind) -> bool {
        match kind {
            IdKind::DataTask | IdKind::LocalTask => true,
            IdKind::Color => self.arch.name == ArchName::Wse2,
            IdKind::InputQueue => self.arch.name == ArchName::Wse3,
            _ => false,
        }
    }

    pub(super) fn bad_channel(&self, have: &Ty) -> Diag {
        let want = match self.arch.name {
            ArchName::Wse2 => "a color, data_task_id or local_task_id",
            ArchName::Wse3 => "an input_queue, data_task_id, local_task_id or ut_id",
        };
        let c = rules::UNBLOCK_KIND.because(&[("arch", &self.arch.word), ("have", have)]);
        c.help(format!("give it {want}"))
    }

    pub(super) fn task_arg(&mut self, task: ExprId) -> Result<FnRef> {
        let at = self.span(task);
        match self.known(task)? {
            Value::Fn(f) => {
                let (unit, decl) = self.fn_unit(f);
                if unit.function(decl).task {
                    return Ok(f);
                }
                Err(rules::NOT_A_TASK
                    .because(&[("name", &unit.function(decl).name.name)])
                    .at(at)
                    .help("declare it `task`"))
            }
            other => {
                Err(comptime::TYPE_MISMATCH.because(&[("want", &"a task"), ("have", &other.ty())]).at(at))
            }
        }
    }

    /// `@bind_data_task`, `@bind_local_task`, `@bind_control_task`
    pub fn bind(&mut self, call: Call<'_>, kind: TaskKind) -> Result<Operand> {
        let at = self.span(call.args[1]);
        let want = match kind {
            TaskKind::Local => IdKind::LocalTask,
            TaskKind::Data => IdKind::DataTask,
            TaskKind::Control => IdKind::ControlTask,
        };
        let Value::Id(_, n) = self.known_as(call.args[1], &Ty::Id(want))? else {
            return Err(comptime::REPORTED.plain());
        };
        let id = TaskId(n as u8);
        self.check_task_id(kind, id, at)?;
        let (f, binding) = self.task_binding(call.args[0], kind, id, call.span)?;
        self.add_task(f, binding);
        Ok(Operand::void())
    }

    /// Local and data tasks share one table. Control tasks may have their own; whether they do is
    /// known when the tile is finished.
    pub fn check_task_id(&self, kind: TaskKind, id: TaskId, at: Span) -> Result<()> {
        let is_control = |kind| kind == TaskKind::Control;
        let tasks = &self.world.tile.image.tasks;
        match tasks.iter().find(|t| t.id == id && is_control(t.kind) == is_control(kind)) {
            Some(other) => Err(id_clash(id, &other.name, other.span, at)),
            None => Ok(()),
        }
    }

    /// A row of the task table, and the task in it.
    pub fn task_binding(
        &mut self,
        task: ExprId,
        kind: TaskKind,
        id: TaskId,
        span: Span,
    ) -> Result<(FnRef, TaskBinding)> {
        let f = self.task_arg(task)?;
        let (function, signature) = self.entry(f, span)?;
        let (unit, decl) = self.fn_unit(f);
        let declared = unit.function(decl);
        let params = self.task_params(&signature.params, declared.span)?;
        check_params(kind, &params, &declared.name.name, declared.span)?;
        let name = declared.name.name.to_string();
        Ok((f, TaskBinding { id, kind, function, params, name, span }))
    }

    fn task_params(&mut self, params: &[ParamKind], span: Span) -> Result<Vec<Scalar>> {
        let scalar = |p: &ParamKind| match p {
            ParamKind::Typed(ty) => match repr(ty) {
                Some(r) if matches!(r.bits, 16 | 32) => Ok(r.scalar),
                _ => Err(rules::TASK_PARAMS.because(&[("type", ty)]).at(span)),
            },
            _ => Err(rules::TASK_PARAMS.because(&[("type", &"anytype")]).at(span)),
        };
        params.iter().map(scalar).collect()
    }

    fn rpc(&mut self, call: Call<'_>) -> Result<Operand> {
        self.report(rules::RPC_NOT_NEEDED.plain().at(call.span));
        Ok(Operand::void())
    }
}

/// The diagnostic about an id that is bound twice.
pub fn id_clash(id: TaskId, other: &str, first: Span, second: Span) -> Diag {
    let clash = rules::TASK_ID_CLASH.because(&[("id", &id), ("other", &other)]).at(second);
    clash.also(first, format!("`{other}` is bound to it here")).help("bind one of them to another id")
}

fn check_params(kind: TaskKind, params: &[Scalar], name: &str, span: Span) -> Result<()> {
    let words: u16 = params.iter().map(|p| p.words()).sum();
    let ok = match kind {
        TaskKind::Local => params.is_empty(),
        TaskKind::Data => matches!((params.len(), words), (1, 1 | 2) | (2, 2)),
        TaskKind::Control => matches!((params.len(), words), (0, 0) | (1, 1 | 2) | (2, 2)),
    };
    if ok {
        return Ok(());
    }
    let want = match kind {
        TaskKind::Local => "a local task has no parameters",
        TaskKind::Data => "a data task has one parameter of 16 or 32 bits, or two of 16 bits",
        TaskKind::Control => "a control task has no parameter, one of 16 or 32 bits, or two of 16 bits",
    };
    let kind = match kind {
        TaskKind::Local => "local",
        TaskKind::Data => "data",
        TaskKind::Control => "control",
    };
    Err(rules::TASK_SHAPE.because(&[("name", &name), ("kind", &kind)]).at(span).help(want))
}
