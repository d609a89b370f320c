//! Ids, tasks, queues: numbers of the machine and what is bound to them.

use super::declared::{bad_choice, unknown_setting};
use super::{Call, chosen};
use crate::arch::{
    ArchName, Color, InQueue, NO_COLOR, NULL_TASK, OutQueue, TEARDOWN_TASK, TIMER_TASK, TaskId,
};
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::diagnostics::{At, Complaint, Result};
use crate::dsd::Priority;
use crate::image::code::Op;
use crate::image::{QueueBinding, Scalar, TaskBinding, TaskKind};
use crate::sema::function::ParamKind;
use crate::sema::operand::{Operand, repr};
use crate::sema::value::{FnRef, Value};
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::number::Integer;
use crate::value::ty::{IdKind, Ty};

impl Sema<'_> {
    /// The builtins of this file; `None` for others.
    pub fn task_builtin(&mut self, name: &str, call: Call<'_>) -> Option<Result<Operand>> {
        let a = call.args;
        Some(match name {
            "get_color" => self.id_of(a[0], IdKind::Color),
            "get_local_task_id" => self.id_of(a[0], IdKind::LocalTask),
            "get_control_task_id" => self.id_of(a[0], IdKind::ControlTask),
            "get_input_queue" => self.id_of(a[0], IdKind::InputQueue),
            "get_output_queue" => self.id_of(a[0], IdKind::OutputQueue),
            "get_ut_id" => self.ut_id(a[0], call.span),
            "get_data_task_id" => self.data_task_id(a[0]),
            "get_int" | "get_color_id" => self.get_int(a[0]),
            "activate" => self.activate(a[0]),
            "block" | "unblock" => self.block_builtin(a[0], name == "block"),
            "bind_local_task" => self.bind(call, TaskKind::Local),
            "bind_data_task" => self.bind(call, TaskKind::Data),
            "bind_control_task" => self.bind(call, TaskKind::Control),
            "bind_task" => self.bind_by_color(call),
            "initialize_queue" => self.initialize_queue(call),
            "rpc" => self.rpc(call),
            _ => return None,
        })
    }

    fn id_range(&self, kind: IdKind) -> (u16, u16) {
        let a = self.arch;
        let last = |n: usize| n as u16 - 1;
        match kind {
            IdKind::Color => (0, u16::from(a.routable_colors) - 1),
            IdKind::LocalTask => (a.local_task_min.into(), a.local_task_max.into()),
            IdKind::InputQueue => (0, last(a.input_queue_depth.len())),
            IdKind::OutputQueue => (0, last(a.output_queue_depth.len())),
            IdKind::Microthread => (0, u16::from(a.microthreads) - 1),
            _ => (0, last(crate::arch::TASK_IDS)),
        }
    }

    fn id_of(&mut self, n: ExprId, kind: IdKind) -> Result<Operand> {
        let at = self.span(n);
        match self.value(n, None)? {
            Operand::Known(Value::Id(k, n)) if k == kind => Ok(Operand::Known(Value::Id(kind, n))),
            Operand::Known(v) => {
                let id = self.known_id(&v, kind).at(at)?;
                self.warn_of_system_task(&id, at);
                Ok(Operand::Known(id))
            }
            _ if matches!(kind, IdKind::InputQueue | IdKind::OutputQueue) => {
                Err(comptime::NOT_COMPTIME.because(&[("what", &"the number of a queue")]).at(at))
            }
            v => {
                let v = self.coerce(v, &Ty::U16, at)?;
                let a = self.reg_of(&v, at)?;
                let (low, high) = self.id_range(kind);
                let what = self.string(kind.word());
                self.b().span = at;
                self.b().emit(Op::CheckId { a, low: low as u8, high: high as u8, what });
                Ok(Operand::Reg(a, Ty::Id(kind)))
            }
        }
    }

    /// The id of a known number. A color may be none, as long as nothing uses it.
    pub fn known_id(&self, v: &Value, kind: IdKind) -> Result<Value> {
        let (low, high) = self.id_range(kind);
        let Value::Int(_, n) = v else {
            return Err(comptime::TYPE_MISMATCH.because(&[("want", &"an integer"), ("have", &v.ty())]));
        };
        let is_task = matches!(kind, IdKind::LocalTask | IdKind::ControlTask);
        if is_task && n.to::<u8>() == Some(NULL_TASK) {
            let c = rules::NULL_TASK_ID.because(&[("kind", &kind.word())]);
            return Err(c.help("take another number: wavelets that name no task carry this one"));
        }
        let is_allowed = |n: &u16| (low..=high).contains(n) || kind == IdKind::Color && *n == NO_COLOR;
        let fits = n.to::<u16>().filter(is_allowed);
        fits.map(|n| Value::Id(kind, n)).ok_or_else(|| {
            rules::ID_OUT_OF_RANGE
                .because(&[("kind", &kind.word()), ("value", n), ("low", &low), ("high", &high)])
                .note(format!("on {}", self.arch.word))
                .help(match kind {
                    IdKind::Color | IdKind::LocalTask
                        if n.to::<u16>().is_some_and(|n| (32..64).contains(&n)) =>
                    {
                        format!("this is an id for a control task: `@get_control_task_id({n})`")
                    }
                    _ => format!("write a number from {low} to {high}"),
                })
        })
    }

    /// What needs a color takes no number that stands for none.
    pub fn refuse_no_color(&self, v: &Operand) -> Result<()> {
        let Operand::Known(Value::Id(IdKind::Color, NO_COLOR)) = v else { return Ok(()) };
        let (low, high) = self.id_range(IdKind::Color);
        let c = rules::ID_OUT_OF_RANGE.because(&[
            ("kind", &"color"),
            ("value", &NO_COLOR),
            ("low", &low),
            ("high", &high),
        ]);
        Err(c.help(format!(
            "{NO_COLOR} stands for no color: give it a color, or leave this out where it has none"
        )))
    }

    /// Two local ids are those of the system; the library may name them.
    fn warn_of_system_task(&mut self, id: &Value, at: Span) {
        let Value::Id(IdKind::LocalTask, n) = id else { return };
        let task = match u8::try_from(*n) {
            Ok(TEARDOWN_TASK) => "teardown",
            Ok(TIMER_TASK) => "timer",
            _ => return,
        };
        if !self.frame().unit.library {
            let low = self.arch.local_task_min;
            let c = rules::SYSTEM_TASK_ID.because(&[("id", n), ("task", &task)]).at(at);
            self.report(c.help(format!("take one of {low} to {}", TEARDOWN_TASK - 1)));
        }
    }

    fn ut_id(&mut self, n: ExprId, span: Span) -> Result<Operand> {
        if self.arch.name == ArchName::Wse2 {
            return Err(rules::ONLY_ON_WSE3.because(&[("what", &"`@get_ut_id`")]).at(span));
        }
        self.id_of(n, IdKind::Microthread)
    }

    fn data_task_id(&mut self, channel: ExprId) -> Result<Operand> {
        let at = self.span(channel);
        let want = match self.arch.name {
            ArchName::Wse2 => IdKind::Color,
            ArchName::Wse3 => IdKind::InputQueue,
        };
        let channel = self.value(channel, None)?;
        self.refuse_no_color(&channel).at(at)?;
        match channel {
            Operand::Known(Value::Id(k, n)) if k == want => {
                Ok(Operand::Known(Value::Id(IdKind::DataTask, n)))
            }
            Operand::Reg(r, Ty::Id(k)) if k == want => Ok(Operand::Reg(r, Ty::Id(IdKind::DataTask))),
            other => Err(comptime::TYPE_MISMATCH
                .because(&[("want", &want.word()), ("have", &other.ty())])
                .at(at)
                .help(format!("on {} a data task belongs to a {}", self.arch.word, want.word()))),
        }
    }

    fn get_int(&mut self, v: ExprId) -> Result<Operand> {
        let at = self.span(v);
        let v = self.value(v, None)?;
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
            v => Ok(Operand::Reg(self.reg_of(&v, at)?, to)),
        }
    }

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

    fn block_builtin(&mut self, id: ExprId, block: bool) -> Result<Operand> {
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

    pub(super) fn bad_channel(&self, have: &Ty) -> Complaint {
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

    fn initialize_queue(&mut self, call: Call<'_>) -> Result<Operand> {
        let at = self.span(call.args[0]);
        let queue = self.known(call.args[0])?;
        let Value::Id(kind @ (IdKind::InputQueue | IdKind::OutputQueue), n) = queue else {
            return Err(comptime::TYPE_MISMATCH
                .because(&[("want", &"input_queue or output_queue"), ("have", &queue.ty())])
                .at(at));
        };
        let (color, priority) = self.queue_settings(call, n)?;
        let span = call.span;
        let Some(color) = color else {
            // on WSE-2 an output queue carries any color
            if kind == IdKind::OutputQueue && self.arch.name == ArchName::Wse2 {
                return Ok(Operand::void());
            }
            return Err(rules::QUEUE_COLOR.plain().at(span).help("write `.{ .color = .. }`"));
        };
        if kind == IdKind::InputQueue {
            let queue = InQueue(n as u8);
            push_queue(
                &mut self.world.tile.image.input_queues,
                QueueBinding { queue, color, priority, explicit: true, span },
                true,
            )?;
        } else {
            let queue = OutQueue(n as u8);
            push_queue(
                &mut self.world.tile.image.output_queues,
                QueueBinding { queue, color, priority, explicit: true, span },
                false,
            )?;
        }
        Ok(Operand::void())
    }

    /// The color and the priority that `@initialize_queue` gives queue `n`; its table of control tasks is
    /// set at once.
    fn queue_settings(&mut self, call: Call<'_>, n: u16) -> Result<(Option<Color>, Priority)> {
        let (mut color, mut priority) = (None, Priority::High);
        if let Some(cfg) = call.args.get(1) {
            let cfg_at = self.span(*cfg);
            let v = self.known(*cfg)?;
            if let Value::Id(IdKind::Color, c) = v {
                color = Color::numbered(c);
            }
            for (name, v) in v.fields().unwrap_or_default() {
                match (name.as_str(), &v) {
                    ("color", Value::Id(IdKind::Color, c)) => color = Color::numbered(*c),
                    ("priority", v) if self.arch.name == ArchName::Wse2 => {
                        priority = self.priority(v).at(cfg_at)?
                    }
                    ("ctrl_table_id", v) if self.arch.name == ArchName::Wse3 => {
                        let choices = || bad_choice(v, "0 to 7");
                        let table = v.to::<u8>().filter(|n| *n < 8).ok_or_else(choices).at(cfg_at)?;
                        self.world.tile.queue_tables[usize::from(n & 7)] = table;
                    }
                    ("dense_mode", _) if self.arch.name == ArchName::Wse3 => {}
                    _ => {
                        let known = if self.arch.name == ArchName::Wse2 {
                            &["color", "priority"][..]
                        } else {
                            &["color", "ctrl_table_id", "dense_mode"]
                        };
                        return Err(unknown_setting(&name, "`@initialize_queue`", known).at(cfg_at));
                    }
                }
            }
        }
        Ok((color, priority))
    }

    /// `.{ .high = true }` and its brothers.
    pub fn priority(&self, v: &Value) -> Result<Priority> {
        match chosen(v).as_deref() {
            Some("high") => Ok(Priority::High),
            Some("medium") => Ok(Priority::Medium),
            Some("low") => Ok(Priority::Low),
            _ => {
                Err(bad_choice(v, "`.high`, `.medium`, `.low`").help("write `.priority = .{ .high = true }`"))
            }
        }
    }

    fn rpc(&mut self, call: Call<'_>) -> Result<Operand> {
        self.report(rules::RPC_NOT_NEEDED.plain().at(call.span));
        Ok(Operand::void())
    }
}

/// The complaint about an id that is bound twice.
pub fn id_clash(id: TaskId, other: &str, first: Span, second: Span) -> Complaint {
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

fn push_queue<Q: PartialEq + Copy>(
    all: &mut Vec<QueueBinding<Q>>,
    new: QueueBinding<Q>,
    one_color: bool,
) -> Result<()> {
    if let Some(old) = all.iter().find(|b| b.queue == new.queue) {
        return Err(rules::QUEUE_TWICE.plain().at(new.span).also(old.span, "first initialized here"));
    }
    if let Some(old) = all.iter().find(|b| one_color && b.color == new.color) {
        return Err(rules::QUEUE_COLOR_TWICE
            .because(&[("color", &new.color)])
            .at(new.span)
            .also(old.span, "the other queue"));
    }
    all.push(new);
    Ok(())
}
