//! Tasks: what is bound to their ids, and what makes them ready.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::ids;
use crate::arch::{Arch, ArchName, TEARDOWN_TASK, TaskId};
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::Op;
use crate::image::{Scalar, TaskBinding, TaskKind};
use crate::sema::lower::{ParamKind, Tile};
use crate::sema::mismatch::mismatch;
use crate::sema::operand::{Operand, repr};
use crate::sema::value::{FnRef, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{IdKind, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "activate", takes: 1..=1, phase: Phase::BlockOrCode,
        usage: "@activate(local_task_id)",
        doc: "makes a task ready; it runs once it is also unblocked",
        run: Run::Operand(|s, call| activate(s, call.args[0])), ..USUAL },
    Builtin { name: "block", takes: 1..=1, phase: Phase::BlockOrCode,
        usage: "@block(id)",
        doc: "keeps a task, channel or microthread from running",
        run: Run::Operand(|s, call| set_blocked(s, call.args[0], true)), ..USUAL },
    Builtin { name: "unblock", takes: 1..=1, phase: Phase::BlockOrCode,
        usage: "@unblock(id)",
        doc: "lets a task, channel or microthread run",
        run: Run::Operand(|s, call| set_blocked(s, call.args[0], false)), ..USUAL },
    Builtin { name: "bind_local_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_local_task(task, local_task_id)",
        doc: "runs the task when the id is activated",
        run: Run::Operand(|s, call| bind(s, call, TaskKind::Local)), ..USUAL },
    Builtin { name: "bind_data_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_data_task(task, data_task_id)",
        doc: "runs the task for every data wavelet",
        run: Run::Operand(|s, call| bind(s, call, TaskKind::Data)), ..USUAL },
    Builtin { name: "bind_control_task", takes: 2..=2, phase: Phase::Block,
        usage: "@bind_control_task(task, control_task_id)",
        doc: "runs the task for control wavelets that carry the id",
        run: Run::Operand(|s, call| bind(s, call, TaskKind::Control)), ..USUAL },
    Builtin { name: "rpc", takes: 1..=1, phase: Phase::Block,
        usage: "@rpc(data_task_id)",
        doc: "starts the host call server (SDK 1.0; no longer needed)",
        run: Run::Operand(rpc), ..USUAL },
];

/// An argument that may be an id, but is not `undefined`.
fn defined_id(sema: &mut Sema<'_>, id: ExprId) -> Result<Operand> {
    match sema.value(id, None)? {
        Operand::Known(Value::Undefined(_)) => Err(comptime::UNDEFINED_VALUE.plain().at(sema.span(id))),
        v => Ok(v),
    }
}

fn activate(sema: &mut Sema<'_>, id: ExprId) -> Result<Operand> {
    let at = sema.span(id);
    let v = defined_id(sema, id)?;
    let v = ids::activated_color(sema, v, at)?;
    if v.ty() != Ty::Id(IdKind::LocalTask) {
        return Err(match v.ty() {
            Ty::Id(kind @ (IdKind::Color | IdKind::DataTask | IdKind::ControlTask)) => rules::NOT_ACTIVATABLE
                .because(&[("kind", &kind.name())])
                .at(at)
                .help("bind a task to an id of `@get_local_task_id`, and activate that"),
            have => mismatch(&Ty::Id(IdKind::LocalTask), &have).at(at),
        });
    }
    if let Operand::Known(Value::Id(_, n)) = &v
        && sema.is_comptime()
    {
        sema.lower.tile.image.active |= 1 << n;
        sema.lower.tile.note_use(TaskId(*n as u8), "activated", at);
        return Ok(Operand::void());
    }
    if let Operand::Known(Value::Id(_, n)) = &v {
        sema.lower.tile.activate_old_task(TaskId(*n as u8));
        sema.lower.tile.activated_by_code |= 1 << n;
    }
    let a = sema.reg_of(&v, at)?;
    sema.b().emit(Op::Activate { a });
    Ok(Operand::void())
}

fn set_blocked(sema: &mut Sema<'_>, id: ExprId, block: bool) -> Result<Operand> {
    let at = sema.span(id);
    let v = defined_id(sema, id)?;
    let Ty::Id(kind) = v.ty() else {
        return Err(bad_channel(sema.arch, &v.ty(), "blocked or unblocked").at(at));
    };
    let microthread = kind == IdKind::Microthread;
    if !is_channel(sema.arch, kind) && !microthread {
        return Err(bad_channel(sema.arch, &v.ty(), "blocked or unblocked").at(at));
    }
    let v = ids::task_of_old_color(v);
    ids::refuse_no_color(sema, &v).at(at)?;
    if let (Operand::Known(Value::Id(_, n)), IdKind::LocalTask) = (&v, kind) {
        let what = if block { "blocked" } else { "unblocked" };
        sema.lower.tile.note_use(TaskId(*n as u8), what, at);
    }
    if sema.is_comptime() {
        let Operand::Known(Value::Id(_, n)) = v else { unreachable!("comptime values are known") };
        let tile = &mut sema.lower.tile;
        match (microthread, block) {
            (true, true) => tile.image.blocked_microthreads |= 1 << n,
            (true, false) => tile.image.blocked_microthreads &= !(1 << n),
            (false, block) => tile.set_blocked(n, block),
        }
        return Ok(Operand::void());
    }
    let a = sema.reg_of(&v, at)?;
    sema.b().emit(match (microthread, block) {
        (true, true) => Op::BlockUt { a },
        (true, false) => Op::UnblockUt { a },
        (false, true) => Op::Block { a },
        (false, false) => Op::Unblock { a },
    });
    Ok(Operand::void())
}

/// Warns of ids that are activated at the start, blocked or unblocked, and to which no task is bound.
pub fn finish_ids(sema: &mut Sema<'_>) {
    let uses = std::mem::take(&mut sema.lower.tile.id_uses);
    let active = sema.lower.tile.image.active;
    for id in (0..64).filter(|id| active & 1 << id != 0) {
        sema.lower.tile.activate_old_task(TaskId(id));
    }
    let tasks = &sema.lower.tile.image.tasks;
    // Code that activates the id is the worse mistake, about which there is a warning of its own.
    let told = sema.lower.tile.warned | sema.lower.tile.activated_by_code;
    let untold = uses.into_iter().filter(|(id, ..)| told & 1 << id.0 == 0);
    let unbound = untold.filter(|(id, ..)| tasks.iter().all(|task| task.id != *id));
    let found: Vec<Diag> = unbound
        .filter(|(id, ..)| id.0 < TEARDOWN_TASK)
        .map(|(id, what, at)| {
            let c = rules::ID_WITHOUT_TASK.because(&[("id", &id), ("what", &what)]).at(at);
            with_likely_tasks(sema, c, id)
        })
        .collect();
    let bound = tasks.iter().fold(0u64, |all, task| all | 1 << task.id.0);
    if let Some(task) = sema.lower.tile.image.forgotten_task(true)
        && (!found.is_empty() || told & !bound != 0)
    {
        sema.uses.note_named(task.span);
    }
    for c in found {
        if let Err(diag) = sema.lint(c) {
            sema.report(diag);
        }
    }
}

/// Shows the task that nothing binds, or else the local tasks that are not active at the start: one of them may be meant
/// with an id that has no task.
pub(super) fn with_likely_tasks(sema: &Sema<'_>, c: Diag, id: TaskId) -> Diag {
    const SHOWN: usize = 2;
    let image = &sema.lower.tile.image;
    if let Some(task) = image.forgotten_task(true) {
        return c.also(task.span, task.fact()).help(task.local_binding(id));
    }
    let is_own = |span: Span| !sema.files.sources().file(span.file).is_library();
    let idle = image
        .tasks
        .iter()
        .filter(|t| t.kind == TaskKind::Local && image.active & 1 << t.id.0 == 0 && is_own(t.span));
    idle.take(SHOWN).fold(c, |c, t| c.also(t.span, format!("`{}` is bound to id {}", t.name, t.id)))
}

/// Whether `@block`, `@unblock` and `.unblock` take such an id on this machine.
pub(super) fn is_channel(arch: &Arch, kind: IdKind) -> bool {
    match kind {
        IdKind::DataTask | IdKind::LocalTask => true,
        IdKind::Color => arch.name == ArchName::Wse2,
        IdKind::InputQueue => arch.name == ArchName::Wse3,
        _ => false,
    }
}

/// The diagnostic about something that is not `unblocked`, in whatever way.
pub(super) fn bad_channel(arch: &Arch, have: &Ty, unblocked: &str) -> Diag {
    let want = match arch.name {
        ArchName::Wse2 => "a color, data_task_id or local_task_id",
        ArchName::Wse3 if *have == Ty::Id(IdKind::Microthread) => {
            "an input_queue, data_task_id or local_task_id, or call `@unblock` with the ut_id"
        }
        ArchName::Wse3 => "an input_queue, data_task_id, local_task_id or ut_id",
    };
    let c = rules::UNBLOCK_KIND.because(&[("arch", &arch.word), ("have", have), ("done", &unblocked)]);
    match have {
        Ty::Fn(_) => c.help("give it the id that the task is bound to, not the task"),
        _ => c.help(format!("give it {want}")),
    }
}

pub(super) fn task_arg(sema: &mut Sema<'_>, task: ExprId) -> Result<FnRef> {
    let at = sema.span(task);
    match sema.known(task)? {
        Value::Fn(f) => {
            let (unit, decl) = sema.fn_unit(f);
            if unit.function(decl).task {
                return Ok(f);
            }
            Err(rules::NOT_A_TASK
                .because(&[("name", &unit.function(decl).name.name)])
                .at(at)
                .help("declare it `task`"))
        }
        other => Err(comptime::TYPE_MISMATCH.because(&[("want", &"a task"), ("have", &other.ty())]).at(at)),
    }
}

/// `@bind_data_task`, `@bind_local_task`, `@bind_control_task`
pub fn bind(sema: &mut Sema<'_>, call: Call<'_>, kind: TaskKind) -> Result<Operand> {
    let at = sema.span(call.args[1]);
    let want = match kind {
        TaskKind::Local => IdKind::LocalTask,
        TaskKind::Data => IdKind::DataTask,
        TaskKind::Control => IdKind::ControlTask,
    };
    let Value::Id(_, n) = sema.known_as(call.args[1], &Ty::Id(want))? else {
        return Err(comptime::REPORTED.plain());
    };
    let id = TaskId(n as u8);
    check_task_id(&sema.lower.tile, kind, id, at)?;
    let (f, binding) = task_binding(sema, call.args[0], kind, id, call.span)?;
    sema.lower.tile.add_task(f, binding);
    Ok(Operand::void())
}

/// Local and data tasks share one table. Control tasks may have their own; whether they do is
/// known when the tile is finished.
pub fn check_task_id(tile: &Tile, kind: TaskKind, id: TaskId, at: Span) -> Result<()> {
    let is_control = |kind| kind == TaskKind::Control;
    let tasks = &tile.image.tasks;
    match tasks.iter().find(|t| t.id == id && is_control(t.kind) == is_control(kind)) {
        Some(other) => Err(id_clash(id, &other.name, other.span, at)),
        None => Ok(()),
    }
}

/// A row of the task table, and the task in it.
pub fn task_binding(
    sema: &mut Sema<'_>,
    task: ExprId,
    kind: TaskKind,
    id: TaskId,
    span: Span,
) -> Result<(FnRef, TaskBinding)> {
    let f = task_arg(sema, task)?;
    let (function, signature) = sema.entry(f, span)?;
    let (unit, decl) = sema.fn_unit(f);
    let declared = unit.function(decl);
    let params = task_params(&signature.params, declared.span)?;
    check_params(kind, &params, &declared.name.name, declared.span)?;
    let name = declared.name.name.to_string();
    Ok((f, TaskBinding { id, kind, function, params, name, span }))
}

fn task_params(params: &[ParamKind], span: Span) -> Result<Vec<Scalar>> {
    let scalar = |p: &ParamKind| match p {
        ParamKind::Typed(ty) => match repr(ty) {
            Some(r) if matches!(r.bits, 16 | 32) => Ok(r.scalar),
            _ => Err(rules::TASK_PARAMS.because(&[("type", ty)]).at(span)),
        },
        _ => Err(rules::TASK_PARAMS.because(&[("type", &"anytype")]).at(span)),
    };
    params.iter().map(scalar).collect()
}

fn rpc(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    sema.report(rules::RPC_NOT_NEEDED.plain().at(call.span));
    Ok(Operand::void())
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
