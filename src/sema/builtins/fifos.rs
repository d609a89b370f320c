//! FIFOs: `@allocate_fifo`, its settings, and the lengths that a program sets.

use super::arguments::chosen;
use super::choices::bad_choice;
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::properties::{self, Property};
use super::{fifo_registers, queues};
use crate::arch::{ArchName, TaskId};
use crate::diagnostics::rules::{dsd as rules, tasks};
use crate::diagnostics::{At, Diag, Result, suggest};
use crate::dsd::{Dsd, FifoAccess, FifoAction, FifoId, Priority, Simd};
use crate::image::code::Op;
use crate::image::{Fifo, FifoRegisters, TaskKind};
use crate::sema::declared::with_declaration;
use crate::sema::eval::ExprValue;
use crate::sema::lower::{FifoTask, TaskName, Tile};
use crate::sema::operand::{Addr, Base, Operand, Place};
use crate::sema::value::{GlobalId, Pointee, Pointer, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, VarDecl, VarKind};
use crate::value::ty::{IdKind, Ty};

/// The settings of a FIFO.
pub const SETTINGS: [&str; 9] = [
    "activate_push",
    "activate_pop",
    "empty_action",
    "full_action",
    "priority",
    "simd_mode",
    "dest",
    "src",
    "xdsr",
];

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "allocate_fifo", takes: 1..=2, phase: Phase::Global,
        usage: "@allocate_fifo(buffer, .{..})",
        doc: "makes a FIFO in a global array",
        misplaced: Some(not_a_global),
        run: Run::Global(allocate_fifo), ..USUAL },
    Builtin { name: "set_fifo_read_length", takes: 2..=2, phase: Phase::Code,
        usage: "@set_fifo_read_length(fifo, n)",
        doc: "sets how many elements can be read",
        misplaced: Some(length_before_the_start),
        run: Run::Operand(|s, call| fifo_length(s, call, FifoAccess::Pop)), ..USUAL },
    Builtin { name: "set_fifo_write_length", takes: 2..=2, phase: Phase::Code,
        usage: "@set_fifo_write_length(fifo, n)",
        doc: "sets how many elements can be written",
        misplaced: Some(length_before_the_start),
        run: Run::Operand(|s, call| fifo_length(s, call, FifoAccess::Push)), ..USUAL },
];

/// `const fifo = @allocate_fifo(buffer, .{..})`
fn allocate_fifo(sema: &mut Sema<'_>, call: Call<'_>, decl: &VarDecl) -> Result<Value> {
    let args = call.args;
    if decl.kind != VarKind::Const {
        return Err(rules::FIFO_CONST
            .because(&[("name", &decl.name.name)])
            .at(decl.name.span)
            .help(format!("write `const {} = @allocate_fifo(..)`", decl.name.name)));
    }
    let at = sema.span(args[0]);
    let buffer = fifo_buffer(sema, args[0])?;
    align_fifo(sema, buffer, at)?;
    let fifo = new_fifo(sema, buffer, decl, call.span)?;
    if let Some(settings) = args.get(1) {
        fifo_settings(sema, fifo, *settings)?;
    }
    Ok(Value::Dsd(Dsd::Fifo(fifo)))
}

/// The global array behind the first argument.
fn fifo_buffer(sema: &mut Sema<'_>, arg: ExprId) -> Result<GlobalId> {
    let at = sema.span(arg);
    let (id, ty) = match sema.at_comptime(|s| s.expr(arg, None))? {
        ExprValue::Place(Place::Memory {
            addr: Addr { base: Base::Global(id), off: 0 },
            ty: ty @ Ty::Array(_),
            ..
        }) => (Some(id), ty),
        ExprValue::Place(Place::Memory { known: None, ty, .. }) => (None, ty),
        ev => match sema.at_comptime(|s| s.value_of(ev, at))?.known() {
            Some(Value::Ptr(Pointer { ty, to: Pointee::Global(id, 0) })) => (Some(*id), ty.to.clone()),
            other => (None, other.map_or(Ty::Error, Value::ty)),
        },
    };
    let (Some(id), Ty::Array(array)) = (id, &ty) else {
        let c = rules::FIFO_BUFFER.because(&[("type", &ty)]).at(at);
        return Err(
            with_declaration(sema.frame(), c, arg).help("give it a global `var` array, or a pointer to one")
        );
    };
    let g = sema.global(id);
    if !g.is_var {
        return Err(rules::FIFO_CONST_BUFFER
            .because(&[("name", &g.name)])
            .at(at)
            .also(g.span, "declared `const` here")
            .help("declare the buffer `var`: pushes write into it"));
    }
    let is_element = array.elem.is_numeric() && matches!(array.elem.bits(), Some(16 | 32));
    if !is_element {
        return Err(rules::FIFO_ELEMENT
            .because(&[("type", &array.elem)])
            .at(at)
            .also(g.span, "declared here")
            .help("use i16, u16, f16, i32, u32 or f32"));
    }
    if array.is_empty() {
        return Err(rules::FIFO_BUFFER.because(&[("type", &ty)]).at(at).help("give it room"));
    }
    Ok(id)
}

/// Forces the alignment of a buffer, unless the program gives one.
fn align_fifo(sema: &mut Sema<'_>, buffer: GlobalId, at: Span) -> Result<()> {
    let need = u32::from(sema.arch.fifo_min_alignment);
    let g = sema.global(buffer).clone();
    let too_small = |have: u32, span: Span| {
        rules::FIFO_ALIGNMENT
            .because(&[("have", &have), ("need", &need)])
            .at(at)
            .also(span, "declared here")
            .help(format!("write `align({need})`"))
    };
    match (g.explicit_align, g.defined_by) {
        (Some(have), _) if have < need => return Err(too_small(have, g.span)),
        (None, Some(_)) => sema.report(
            rules::FIFO_EXTERN
                .because(&[("name", &g.name)])
                .at(at)
                .also(g.span, "declared without `align` here")
                .help(format!("write `align({need})` here, and where the buffer is defined")),
        ),
        (_, None) => {
            sema.lower.data.align(buffer, need / 2);
            return Ok(());
        }
        (Some(_), Some(_)) => {}
    }
    // The file that defines the buffer has decided about its place.
    let definition = sema.global(g.defined_by.unwrap_or(buffer));
    match definition.align * 2 {
        have if have < need => Err(too_small(have, definition.span)),
        _ => Ok(()),
    }
}

/// The compiler chooses the registers when it knows all that the tile needs.
fn new_fifo(sema: &mut Sema<'_>, buffer: GlobalId, decl: &VarDecl, span: Span) -> Result<FifoId> {
    let base = sema.place_global(buffer)?;
    let Ty::Array(array) = &sema.global(buffer).ty else { unreachable!("the buffer is an array") };
    let fifo = Fifo {
        base,
        capacity: array.len() as u16,
        element_words: array.elem.words().unwrap_or(1) as u8,
        activate_push: None,
        activate_pop: None,
        empty_action: FifoAction::default(),
        full_action: FifoAction::default(),
        priority: Priority::default(),
        simd: Simd::default(),
        registers: FifoRegisters::default(),
        explicit: false,
        name: decl.name.name.to_string(),
        span,
    };
    sema.lower.tile.image.fifos.push(fifo);
    Ok(FifoId((sema.lower.tile.image.fifos.len() - 1) as u8))
}

fn fifo_settings(sema: &mut Sema<'_>, fifo: FifoId, settings: ExprId) -> Result<()> {
    let at = sema.span(settings);
    let given = sema.at_comptime(|s| properties::properties(s, settings))?;
    fifo_registers::fifo_registers(&mut sema.lower.tile, fifo, &given, at)?;
    for setting in given {
        fifo_setting(sema, fifo, &setting)?;
    }
    Ok(())
}

fn fifo_setting(sema: &mut Sema<'_>, fifo: FifoId, setting: &Property) -> Result<()> {
    let arch = sema.arch.name;
    let row = usize::from(fifo.0);
    let (v, at) = (setting.known()?, setting.at);
    match setting.name.as_str() {
        "activate_push" => fifo_task(&mut sema.lower.tile, fifo, "activate_push", v, at)?,
        "activate_pop" => fifo_task(&mut sema.lower.tile, fifo, "activate_pop", v, at)?,
        name @ ("full_action" | "priority") if arch == ArchName::Wse2 => {
            let what = format!("`.{name}` of a FIFO");
            return Err(tasks::ONLY_ON_WSE3.because(&[("what", &what)]).at(at));
        }
        "simd_mode" if arch == ArchName::Wse3 => {
            return Err(tasks::ONLY_ON_WSE2.because(&[("what", &"`.simd_mode` of a FIFO")]).at(at));
        }
        "empty_action" => {
            let action = fifo_action(v, arch).at(at)?;
            sema.lower.tile.image.fifos[row].empty_action = action;
        }
        "full_action" => {
            let action = fifo_action(v, arch).at(at)?;
            sema.lower.tile.image.fifos[row].full_action = action;
        }
        "priority" => {
            let priority = queues::priority_of(v).at(at)?;
            sema.lower.tile.image.fifos[row].priority = priority;
        }
        "simd_mode" => {
            let simd = setting.simd()?;
            sema.lower.tile.image.fifos[row].simd = simd;
        }
        // Together they are the registers, which are taken already.
        "dest" | "src" | "xdsr" => {}
        name => {
            let c = rules::FIFO_SETTING.because(&[("name", &name)]).at(at);
            return Err(suggest::instead(c, name, SETTINGS.iter().copied(), "its settings are"));
        }
    }
    Ok(())
}

fn fifo_task(tile: &mut Tile, fifo: FifoId, setting: &'static str, v: &Value, span: Span) -> Result<()> {
    let task = match v {
        Value::Fn(f) => TaskName::Task(*f),
        Value::Id(IdKind::LocalTask, n) => TaskName::Id(TaskId(*n as u8)),
        other => {
            return Err(rules::FIFO_TASK
                .because(&[("setting", &setting)])
                .at(span)
                .note(format!("found {}", other.ty()))
                .help("give it a local_task_id, or the name of a task"));
        }
    };
    tile.fifo_tasks.push(FifoTask { fifo, setting, task, span });
    Ok(())
}

/// Gives FIFOs the ids of the tasks that they activate, when all tasks are bound.
pub fn finish_fifo_tasks(sema: &mut Sema<'_>) {
    for wanted in std::mem::take(&mut sema.lower.tile.fifo_tasks) {
        match fifo_task_id(sema, &wanted) {
            Ok(id) => {
                let fifo = &mut sema.lower.tile.image.fifos[usize::from(wanted.fifo.0)];
                match wanted.setting {
                    "activate_push" => fifo.activate_push = Some(id),
                    _ => fifo.activate_pop = Some(id),
                }
            }
            Err(diag) => sema.report(diag),
        }
    }
}

fn fifo_task_id(sema: &Sema<'_>, wanted: &FifoTask) -> Result<TaskId> {
    let tile = &sema.lower.tile;
    let is_it = |id: TaskId| match wanted.task {
        TaskName::Task(f) => tile.is_bound(f, id),
        TaskName::Id(this) => this == id,
    };
    let bound = || tile.image.tasks.iter().filter(|t| is_it(t.id));
    if let Some(task) = bound().find(|t| t.kind == TaskKind::Local) {
        return Ok(task.id);
    }
    let mut diag = rules::FIFO_TASK.because(&[("setting", &wanted.setting)]).at(wanted.span);
    if let Some(task) = bound().next() {
        let kind = if task.kind == TaskKind::Data { "data" } else { "control" };
        diag = diag.also(task.span, format!("`{}` is bound as a {kind} task here", task.name));
    } else if let TaskName::Task(f) = wanted.task {
        let (unit, decl) = sema.fn_unit(f);
        diag = diag.also(unit.function(decl).span, "this task is bound to no id");
    }
    Err(diag.help("bind the task with `@bind_local_task`"))
}

/// `@set_fifo_read_length(fifo, n)` and `@set_fifo_write_length(fifo, n)`
fn fifo_length(sema: &mut Sema<'_>, call: Call<'_>, access: FifoAccess) -> Result<Operand> {
    let fifo = fifo_argument(sema, call.args[0])?;
    let at = sema.span(call.args[1]);
    let n = sema.value(call.args[1], Some(&Ty::U16))?;
    let found = n.known().map_or_else(|| n.ty().to_string(), Value::to_string);
    let n = sema.coerce(n, &Ty::U16, at).map_err(|_| {
        rules::FIFO_LENGTH
            .because(&[("value", &found)])
            .at(at)
            .help("a length is a u16: a number of elements from 0 to 65535")
    })?;
    let a = sema.reg_of(&n, call.span)?;
    sema.b().emit(Op::FifoLength { fifo, access, a });
    Ok(Operand::void())
}

fn fifo_argument(sema: &mut Sema<'_>, arg: ExprId) -> Result<FifoId> {
    let at = sema.span(arg);
    let v = sema.value(arg, None)?;
    match v.known() {
        Some(Value::Dsd(Dsd::Fifo(fifo))) => Ok(*fifo),
        _ => Err(rules::FIFO_ARGUMENT
            .because(&[("type", &v.ty())])
            .at(at)
            .help("use a constant that `@allocate_fifo` has initialized")),
    }
}

fn fifo_action(v: &Value, arch: ArchName) -> Result<FifoAction> {
    match (chosen(v).as_deref(), arch) {
        (Some("test_or_suspend"), _) => Ok(FifoAction::TestOrSuspend),
        (Some("terminate"), _) => Ok(FifoAction::Terminate),
        (Some("suspend"), ArchName::Wse3) => Ok(FifoAction::Suspend),
        (Some("fault"), ArchName::Wse3) => Ok(FifoAction::Fault),
        (_, ArchName::Wse2) => Err(bad_choice(v, "`.test_or_suspend`, `.terminate`")),
        (_, ArchName::Wse3) => Err(bad_choice(v, "`.test_or_suspend`, `.terminate`, `.suspend`, `.fault`")),
    }
}

fn not_a_global(_: &str) -> Diag {
    let help = "write `const fifo = @allocate_fifo(buffer);` outside of all functions";
    rules::FIFO_PLACE.plain().help(help)
}

fn length_before_the_start(name: &str) -> Diag {
    rules::FIFO_LENGTH_EARLY.because(&[("name", &name)]).help("call it in a task or a function")
}
