//! Handlers of the teardown task, the control task table, and tasks that rotate.

use super::choices::{bad_choice, unknown_setting};
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::{colors, intrinsics, tasks};
use crate::arch::{Arch, ArchName, InQueue, OutQueue, TEARDOWN_TASK, TaskId};
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::diagnostics::{Diag, Result};
use crate::image::code::Intrinsic;
use crate::image::{Handler, Rotation, TaskBinding, TaskKind, TeardownCause};
use crate::sema::lower::Tile;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{IdKind, Ty};

/// Pairs of rotating tasks of a PE.
const ROTATIONS: usize = 2;

/// The settings of `@set_control_task_table`.
pub const TABLE: &[&str] = &["instructions", "stride"];
/// The settings of `@bind_rotating_tasks`.
pub const ROTATION: &[&str] = &["init", "limit"];

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "set_teardown_handler", takes: 2..=2, phase: Phase::Block,
        usage: "@set_teardown_handler(function, color)",
        doc: "sets the function that runs at the teardown of a color",
        run: Run::Operand(set_teardown_handler), ..USUAL },
    Builtin { name: "set_empty_queue_handler", takes: 2..=2, phase: Phase::Block,
        usage: "@set_empty_queue_handler(function, queue)",
        doc: "sets the function that @queue_flush runs (WSE-3)",
        run: Run::Operand(set_empty_queue_handler), ..USUAL },
    Builtin { name: "queue_flush", takes: 1..=1, phase: Phase::Code,
        usage: "@queue_flush(queue)",
        doc: "runs the empty-queue handler once the queue is empty (WSE-3)",
        run: Run::Operand(queue_flush), ..USUAL },
    Builtin { name: "set_control_task_table", takes: 0..=1, phase: Phase::Block,
        usage: "@set_control_task_table(.{..})",
        doc: "gives control tasks a separate table (WSE-3)",
        run: Run::Operand(set_control_task_table), ..USUAL },
    Builtin { name: "bind_rotating_tasks", takes: 4..=4, phase: Phase::Block,
        usage: "@bind_rotating_tasks(main, alternative, data_task_id, .{..})",
        doc: "runs the alternative every so often (WSE-3)",
        run: Run::Operand(bind_rotating_tasks), ..USUAL },
];

fn only_on_wse3(arch: &Arch, name: &str, span: Span) -> Result<()> {
    match arch.name {
        ArchName::Wse3 => Ok(()),
        ArchName::Wse2 => Err(rules::ONLY_ON_WSE3.because(&[("what", &name)]).at(span)),
    }
}

fn set_teardown_handler(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let color = colors::color_arg(sema, call.args[1])?;
    add_handler(sema, call, TeardownCause::Teardown(color))
}

fn set_empty_queue_handler(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    only_on_wse3(sema.arch, "`@set_empty_queue_handler`", call.span)?;
    let event = queue_event(sema, call.args[1])?;
    add_handler(sema, call, event)
}

fn add_handler(sema: &mut Sema<'_>, call: Call<'_>, on: TeardownCause) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let Value::Fn(f) = sema.known(call.args[0])? else {
        return Err(rules::HANDLER_SHAPE.because(&[("name", &"this")]).at(at).help(HANDLER_HELP));
    };
    let (unit, decl) = sema.fn_unit(f);
    let declared = unit.function(decl);
    let (function, signature) = sema.entry(f, call.span)?;
    if declared.task || !signature.params.is_empty() || signature.ret != Ty::Void {
        let name = &declared.name.name;
        let wrong = rules::HANDLER_SHAPE.because(&[("name", &format!("`{name}`"))]).at(at);
        return Err(wrong.also(declared.span, "declared here").help(HANDLER_HELP));
    }
    let handlers = &mut sema.lower.tile.image.handlers;
    if let Some(first) = handlers.iter().find(|h| h.on == on) {
        let twice = rules::HANDLER_TWICE.because(&[("what", &on)]).at(call.span);
        return Err(twice.also(first.span, "first set here"));
    }
    handlers.push(Handler { on, function, span: call.span });
    Ok(Operand::void())
}

fn queue_event(sema: &mut Sema<'_>, queue: ExprId) -> Result<TeardownCause> {
    let at = sema.span(queue);
    match sema.known(queue)? {
        Value::Id(IdKind::InputQueue, n) => Ok(TeardownCause::EmptyInput(InQueue(n as u8))),
        Value::Id(IdKind::OutputQueue, n) => Ok(TeardownCause::EmptyOutput(OutQueue(n as u8))),
        other => Err(comptime::TYPE_MISMATCH
            .because(&[("want", &"input_queue or output_queue"), ("have", &other.ty())])
            .at(at)),
    }
}

fn queue_flush(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    only_on_wse3(sema.arch, "`@queue_flush`", call.span)?;
    let event = queue_event(sema, call.args[0])?;
    sema.lower.tile.flushes.push((event, call.span));
    let number = match event {
        TeardownCause::EmptyOutput(queue) => 8 + u16::from(queue.0),
        TeardownCause::EmptyInput(InQueue(n)) => n.into(),
        TeardownCause::Teardown(_) => unreachable!("only queues can be empty"),
    };
    let number = Operand::Known(Value::int(i128::from(number)));
    let number = sema.coerce(number, &Ty::U16, call.span)?;
    intrinsics::intrinsic(sema, Intrinsic::QueueFlush, &[number], Ty::Void, call.span)
}

fn set_control_task_table(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    only_on_wse3(sema.arch, "`@set_control_task_table`", call.span)?;
    if let Some((_, first)) = sema.lower.tile.control_table {
        return Err(rules::CONTROL_TABLE_TWICE.plain().at(call.span).also(first, "first set here"));
    }
    let mut stride = 1;
    if let Some(config) = call.args.first() {
        let at = sema.span(*config);
        for (name, v) in sema.known(*config)?.fields().unwrap_or_default() {
            let n = v.to::<u8>();
            match (name.as_str(), n) {
                // how much room the code of a task has: nothing that a program can see
                ("instructions", Some(2 | 4 | 8)) => {}
                ("stride", Some(n @ 1..=7)) => stride = n,
                ("instructions", _) => return Err(bad_choice(&v, "2, 4, 8").at(at)),
                ("stride", _) => return Err(bad_choice(&v, "1 to 7").at(at)),
                _ => {
                    return Err(unknown_setting(&name, "`@set_control_task_table`", TABLE).at(at));
                }
            }
        }
    }
    sema.lower.tile.control_table = Some((stride, call.span));
    Ok(Operand::void())
}

fn bind_rotating_tasks(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    only_on_wse3(sema.arch, "`@bind_rotating_tasks`", call.span)?;
    if sema.lower.tile.image.rotations.len() == ROTATIONS {
        return Err(rules::ROTATIONS_USED.because(&[("count", &ROTATIONS)]).at(call.span));
    }
    let (init, limit) = rotation_counter(sema, call.args[3])?;
    let [main, alternative, id, _] = call.args[..] else { unreachable!("the catalogue counts arguments") };
    tasks::bind(sema, Call { args: &[main, id], span: call.span }, TaskKind::Data)?;
    let main = sema.lower.tile.image.tasks.last().expect("a task was just bound").id;
    let (f, alternative) = tasks::task_binding(sema, alternative, TaskKind::Control, TaskId(0), call.span)?;
    sema.lower.tile.alternatives.push((f, alternative));
    let rotation = Rotation { main, alternative: TaskId(0), init, limit };
    sema.lower.tile.image.rotations.push(rotation);
    Ok(Operand::void())
}

fn rotation_counter(sema: &mut Sema<'_>, config: ExprId) -> Result<(u32, u32)> {
    let at = sema.span(config);
    let (mut init, mut limit) = (0, None);
    for (name, v) in sema.known(config)?.fields().unwrap_or_default() {
        let n = v.to::<u32>().ok_or_else(|| bad_choice(&v, "numbers that are not negative").at(at))?;
        match name.as_str() {
            "init" => init = n,
            "limit" => limit = Some(n),
            _ => {
                return Err(unknown_setting(&name, "`@bind_rotating_tasks`", ROTATION).at(at));
            }
        }
    }
    let missing = || comptime::MISSING_FIELD.because(&[("name", &"limit"), ("type", &"the settings")]);
    let limit = limit.ok_or_else(|| missing().at(at))?;
    if init > limit {
        return Err(rules::ROTATION_COUNTER.because(&[("init", &init), ("limit", &limit)]).at(at));
    }
    Ok((init, limit))
}

/// All tasks, queues and tables of the tile are known: gives alternatives their place in the
/// control task table, and checks what depends on all of them.
pub fn finish_tasks(sema: &mut Sema<'_>) {
    if sema.reports.errors() > 0 {
        // a block that stopped half-way has not said everything
        return;
    }
    let mut wrong = Vec::new();
    let stride = sema.lower.tile.control_table.map_or(0, |(stride, _)| stride);
    sema.lower.tile.image.control_tables = sema.lower.tile.queue_tables.map(|table| table * stride);
    for (n, (f, mut alternative)) in std::mem::take(&mut sema.lower.tile.alternatives).into_iter().enumerate()
    {
        let queue = sema.lower.tile.image.rotations[n].main;
        alternative.id = TaskId(sema.lower.tile.image.control_tables[usize::from(queue.0 & 7)]);
        sema.lower.tile.image.rotations[n].alternative = alternative.id;
        match tasks::check_task_id(&sema.lower.tile, alternative.kind, alternative.id, alternative.span) {
            Ok(()) => sema.lower.tile.add_task(f, alternative),
            Err(c) => wrong.push(c),
        }
    }
    wrong.extend(shared_ids(&sema.lower.tile));
    wrong.extend(teardown_clash(&sema.lower.tile));
    let flushes = unhandled_flushes(&sema.lower.tile);
    wrong.extend(flushes.into_iter().filter_map(|c| sema.lint(c).err()));
    wrong.into_iter().for_each(|c| sema.report(c));
}

/// Control tasks share their ids with the others, unless they have a table of their own.
fn shared_ids(tile: &Tile) -> Vec<Diag> {
    let tasks = &tile.image.tasks;
    if tile.control_table.is_some() {
        return Vec::new();
    }
    let is_control = |t: &&TaskBinding| t.kind == TaskKind::Control;
    let clash = |(n, t): (usize, &TaskBinding)| {
        let other = tasks[..n].iter().find(|o| o.id == t.id && is_control(o) != is_control(&t))?;
        Some(super::tasks::id_clash(t.id, &other.name, other.span, t.span))
    };
    tasks.iter().enumerate().filter_map(clash).collect()
}

fn teardown_clash(tile: &Tile) -> Option<Diag> {
    let image = &tile.image;
    let own = image.tasks.iter().find(|t| t.id.0 == TEARDOWN_TASK && t.kind == TaskKind::Local)?;
    let handler = image.handlers.first()?;
    Some(super::tasks::id_clash(own.id, "the task that runs handlers", handler.span, own.span))
}

fn unhandled_flushes(tile: &Tile) -> Vec<Diag> {
    let image = &tile.image;
    let has_own = image.tasks.iter().any(|t| t.id.0 == TEARDOWN_TASK && t.kind == TaskKind::Local);
    let is_handled = |event: TeardownCause| has_own || image.handlers.iter().any(|h| h.on == event);
    let unhandled = tile.flushes.iter().filter(|(event, _)| !is_handled(*event));
    let diag = |(event, span): &(TeardownCause, Span)| {
        let c = rules::FLUSH_UNHANDLED.because(&[("queue", event)]).at(*span);
        c.help("set a function with `@set_empty_queue_handler`")
    };
    unhandled.map(diag).collect()
}

const HANDLER_HELP: &str = "a handler is a function without parameters and result, not a task";
