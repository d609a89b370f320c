//! Ids: numbers of the machine, each of a type of its own.

use super::entry::{Builtin, Phase, Run, USUAL};
use super::task_numbers;
use crate::arch::{Arch, ArchName, Color, NO_COLOR, NULL_TASK, TASK_IDS, TEARDOWN_TASK, TIMER_TASK, TaskId};
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::Op;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::number::Integer;
use crate::value::ty::{IdKind, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "get_color", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_color(n)",
        doc: "a color",
        run: Run::Operand(|s, call| id_of(s, call.args[0], IdKind::Color)), ..USUAL },
    Builtin { name: "get_local_task_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_local_task_id(n)",
        doc: "the id of a local task",
        run: Run::Operand(|s, call| id_of(s, call.args[0], IdKind::LocalTask)), ..USUAL },
    Builtin { name: "get_control_task_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_control_task_id(n)",
        doc: "the id of a control task",
        run: Run::Operand(|s, call| id_of(s, call.args[0], IdKind::ControlTask)), ..USUAL },
    Builtin { name: "get_data_task_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_data_task_id(channel)",
        doc: "the id of a data task: of a color (WSE-2), of an input queue (WSE-3)",
        run: Run::Operand(|s, call| data_task_id(s, call.args[0])), ..USUAL },
    Builtin { name: "get_input_queue", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_input_queue(n)",
        doc: "an input queue",
        run: Run::Operand(|s, call| id_of(s, call.args[0], IdKind::InputQueue)), ..USUAL },
    Builtin { name: "get_output_queue", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_output_queue(n)",
        doc: "an output queue",
        run: Run::Operand(|s, call| id_of(s, call.args[0], IdKind::OutputQueue)), ..USUAL },
    Builtin { name: "get_ut_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_ut_id(n)",
        doc: "a microthread (WSE-3)",
        run: Run::Operand(|s, call| ut_id(s, call.args[0], call.span)), ..USUAL },
    Builtin { name: "get_int", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_int(value)",
        doc: "the number behind an id, an enum or a register",
        run: Run::Operand(|s, call| get_int(s, call.args[0])), ..USUAL },
    Builtin { name: "get_color_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_color_id(color)",
        doc: "the number of a color (old name of @get_int)",
        run: Run::Operand(|s, call| get_int(s, call.args[0])), ..USUAL },
];

fn id_of(sema: &mut Sema<'_>, n: ExprId, kind: IdKind) -> Result<Operand> {
    let at = sema.span(n);
    match sema.value(n, None)? {
        Operand::Known(Value::Id(k, n)) if k == kind => Ok(Operand::Known(Value::Id(kind, n))),
        Operand::Known(v) => {
            if let Some(id) = old_color(sema, &v, kind, at)? {
                return Ok(Operand::Known(id));
            }
            let id = known_id(sema.arch, &v, kind).at(at)?;
            warn_of_system_task(sema, &id, at);
            Ok(Operand::Known(id))
        }
        _ if matches!(kind, IdKind::InputQueue | IdKind::OutputQueue) => {
            Err(comptime::NOT_COMPTIME.because(&[("what", &"the number of a queue")]).at(at))
        }
        v => {
            let v = sema.coerce(v, &Ty::U16, at)?;
            let a = sema.reg_of(&v, at)?;
            let (low, high) = id_range(sema.arch, kind);
            let what = sema.lower.tile.string(kind.name());
            sema.b().span = at;
            sema.b().emit(Op::CheckId { a, low: low as u8, high: high as u8, what });
            Ok(Operand::Reg(a, Ty::Id(kind)))
        }
    }
}

/// The number of a task as a color: these are all numbers of local and control tasks that no color has.
fn old_color(sema: &mut Sema<'_>, v: &Value, kind: IdKind, at: Span) -> Result<Option<Value>> {
    let (Value::Int(_, n), IdKind::Color, ArchName::Wse2) = (v, kind, sema.arch.name) else {
        return Ok(None);
    };
    let is_task = |n: &u16| *n >= sema.arch.routable_colors.into() && *n < TASK_IDS as u16 && *n != NO_COLOR;
    let Some(n) = n.to::<u16>().filter(is_task) else { return Ok(None) };
    let diag = out_of_range(sema.arch, kind, &n).at(at);
    let (low, high) = id_range(sema.arch, kind);
    let task = task_numbers::new_form(n);
    let diag = diag.help(format!("write a color from {low} to {high}; for a task, write `{task}`"));
    task_numbers::refuse_color(sema, n, at, diag)?;
    Ok(Some(Value::Id(IdKind::Color, n)))
}

/// The task that such a color is.
pub fn task_of_old_color(v: Operand) -> Operand {
    match v {
        Operand::Known(Value::Id(IdKind::Color, n)) if Color::numbered(n).is_none() && n < NO_COLOR => {
            Operand::Known(Value::Id(IdKind::LocalTask, n))
        }
        other => other,
    }
}

/// The id of a known number. A color may be none, as long as nothing uses it.
pub fn known_id(arch: &Arch, v: &Value, kind: IdKind) -> Result<Value> {
    let (low, high) = id_range(arch, kind);
    let Value::Int(_, n) = v else {
        return Err(comptime::TYPE_MISMATCH.because(&[("want", &"an integer"), ("have", &v.ty())]));
    };
    let is_task = matches!(kind, IdKind::LocalTask | IdKind::ControlTask);
    if is_task && n.to::<u8>() == Some(NULL_TASK) {
        let c = rules::NULL_TASK_ID.because(&[("kind", &kind.name())]);
        return Err(c.help("use another number: wavelets that start no task carry this one"));
    }
    let is_allowed = |n: &u16| (low..=high).contains(n) || kind == IdKind::Color && *n == NO_COLOR;
    let fits = n.to::<u16>().filter(is_allowed);
    fits.map(|n| Value::Id(kind, n)).ok_or_else(|| {
        out_of_range(arch, kind, n).for_good().help(match kind {
            IdKind::Color | IdKind::LocalTask if n.to::<u16>().is_some_and(|n| (32..64).contains(&n)) => {
                format!("this is an id for a control task: `@get_control_task_id({n})`")
            }
            _ => format!("write a number from {low} to {high}"),
        })
    })
}

fn out_of_range(arch: &Arch, kind: IdKind, n: &dyn std::fmt::Display) -> Diag {
    let (low, high) = id_range(arch, kind);
    let facts: [(&str, &dyn std::fmt::Display); 4] =
        [("kind", &kind.name()), ("value", n), ("low", &low), ("high", &high)];
    rules::ID_OUT_OF_RANGE.because(&facts).note(format!("on {}", arch.word))
}

fn id_range(arch: &Arch, kind: IdKind) -> (u16, u16) {
    let a = arch;
    let last = |n: usize| n as u16 - 1;
    match kind {
        IdKind::Color => (0, u16::from(a.routable_colors) - 1),
        IdKind::LocalTask => (a.local_task_min.into(), a.local_task_max.into()),
        IdKind::InputQueue => (0, last(a.input_queue_depth.len())),
        IdKind::OutputQueue => (0, last(a.output_queue_depth.len())),
        IdKind::Microthread => (0, u16::from(a.microthreads) - 1),
        _ => (0, last(TASK_IDS)),
    }
}

/// What needs a color takes no number that stands for none, or for a task.
pub fn refuse_no_color(sema: &mut Sema<'_>, v: &Operand) -> Result<()> {
    let (low, high) = id_range(sema.arch, IdKind::Color);
    let n = match v {
        Operand::Known(Value::Id(IdKind::Color, n)) if *n > high => *n,
        _ => return Ok(()),
    };
    sema.deferred_colors.forget(n);
    Err(out_of_range(sema.arch, IdKind::Color, &n).for_good().help(match n {
        NO_COLOR => format!("{n} means no color: use a color, or remove this where there is none"),
        _ => format!("write a number from {low} to {high}"),
    }))
}

/// Two local ids are those of the system; the library may name them.
fn warn_of_system_task(sema: &mut Sema<'_>, id: &Value, at: Span) {
    let Value::Id(IdKind::LocalTask, n) = id else { return };
    let task = match u8::try_from(*n) {
        Ok(TEARDOWN_TASK) => "teardown",
        Ok(TIMER_TASK) => "timer",
        _ => return,
    };
    if !sema.frame().unit.library {
        let low = sema.arch.local_task_min;
        let c = rules::SYSTEM_TASK_ID.because(&[("id", n), ("task", &task)]).at(at);
        sema.report(c.help(format!("use an id from {low} to {}", TEARDOWN_TASK - 1)));
    }
}

fn ut_id(sema: &mut Sema<'_>, n: ExprId, span: Span) -> Result<Operand> {
    if sema.arch.name == ArchName::Wse2 {
        return Err(rules::ONLY_ON_WSE3.because(&[("what", &"`@get_ut_id`")]).at(span));
    }
    id_of(sema, n, IdKind::Microthread)
}

fn data_task_id(sema: &mut Sema<'_>, channel: ExprId) -> Result<Operand> {
    let at = sema.span(channel);
    let (want, example) = match sema.arch.name {
        ArchName::Wse2 => (IdKind::Color, "@get_data_task_id(@get_color(2))"),
        ArchName::Wse3 => (IdKind::InputQueue, "@get_data_task_id(@get_input_queue(2))"),
    };
    let channel = sema.value(channel, None)?;
    refuse_no_color(sema, &channel).at(at)?;
    match channel {
        Operand::Known(Value::Id(k, n)) if k == want => Ok(Operand::Known(Value::Id(IdKind::DataTask, n))),
        Operand::Reg(r, Ty::Id(k)) if k == want => Ok(Operand::Reg(r, Ty::Id(IdKind::DataTask))),
        other => Err(comptime::TYPE_MISMATCH
            .because(&[("want", &want.name()), ("have", &other.ty())])
            .at(at)
            .help(format!("on {} give the {} of the data task: `{example}`", sema.arch.word, want.name()))),
    }
}

fn get_int(sema: &mut Sema<'_>, v: ExprId) -> Result<Operand> {
    let at = sema.span(v);
    let v = sema.value(v, None)?;
    let to = match v.ty() {
        Ty::Id(_) => Ty::U16,
        Ty::Enum(e) => Ty::Int(e.repr),
        Ty::Int(_) | Ty::ComptimeInt => return Ok(v),
        other => {
            return Err(comptime::TYPE_MISMATCH
                .because(&[("want", &"an id or an enum"), ("have", &other)])
                .at(at));
        }
    };
    match v {
        Operand::Known(v) => {
            let n = v.as_integer().unwrap_or(Integer::ZERO);
            let Ty::Int(t) = to else { unreachable!("chosen above") };
            Ok(Operand::Known(Value::Int(Some(t), n)))
        }
        v => Ok(Operand::Reg(sema.reg_of(&v, at)?, to)),
    }
}

/// Releases before 1.1 activate a task by the color that has its number.
pub fn activated_color(sema: &mut Sema<'_>, v: Operand, at: Span) -> Result<Operand> {
    if v.ty() != Ty::Id(IdKind::Color) || sema.arch.name != ArchName::Wse2 {
        return Ok(v);
    }
    let old = rules::OLD_TASK_ID.because(&[("form", &"activating a color")]).at(at);
    sema.lint(old.help("bind a task to an id of `@get_local_task_id`, and activate that"))?;
    Ok(match v {
        Operand::Known(Value::Id(_, n)) => {
            sema.lower.tile.note_use(TaskId(n as u8), "activated", at);
            Operand::Known(Value::Id(IdKind::LocalTask, n))
        }
        v => Operand::Reg(sema.reg_of(&v, at)?, Ty::Id(IdKind::LocalTask)),
    })
}
