//! Data structure registers: `@get_dsr` and builtins like it, and the settings of loads and operations.

use super::choices::{instead_of, unknown_setting};
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::properties::{self, Property};
use super::{completions, queues};
use crate::arch::{ArchName, DsrFile, DsrId, UtId};
use crate::diagnostics::rules::{comptime, dsd as rules, tasks};
use crate::diagnostics::{At, Result};
use crate::dsd::Dsd;
use crate::image::DsrRef;
use crate::image::code::{AsyncConfig, Completion, DsdRef, OnControl, Reg};
use crate::sema::declared::with_declaration;
use crate::sema::lower::{LateTask, Lower};
use crate::sema::mismatch::mismatch;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{DsdTy, IdKind, Ty};

/// The settings in the last argument of an operation or a load.
#[derive(Default)]
pub struct Settings {
    /// `.async`, `.activate`, ..
    pub run: AsyncConfig,
    /// `.index`
    pub index: Option<Reg>,
    /// `.save_address`
    pub save_address: bool,
    /// `.single_step`
    pub single_step: bool,
    /// Tasks that nothing has bound yet.
    pub late: Vec<LateTask>,
}

/// The settings of an operation.
pub const SETTINGS: &[&str] = &["async", "activate", "unblock", "on_control", "priority", "ut_id", "index"];

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "get_dsr", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@get_dsr(kind, n)",
        doc: "a data structure register",
        run: Run::Operand(get_dsr), ..USUAL },
    Builtin { name: "get_xdsr", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_xdsr(n)",
        doc: "an extended data structure register",
        run: Run::Operand(|s, call| register(s, call, IdKind::Xdsr, s.arch.xdsrs)), ..USUAL },
    Builtin { name: "get_sr", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_sr(n)",
        doc: "a stride register",
        run: Run::Operand(|s, call| register(s, call, IdKind::StrideRegister, s.arch.stride_registers)), ..USUAL },
];

fn get_dsr(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let kind = match sema.ty(call.args[0])? {
        Ty::Id(k) if k.is_dsr() => k,
        other => {
            return Err(rules::DSR_TYPE
                .because(&[("type", &other)])
                .at(at)
                .help("write `dsr_dest`, `dsr_src0`, `dsr_src1`, `dsr_fifo_dest` or `dsr_fifo_src1`"));
        }
    };
    let number_at = sema.span(call.args[1]);
    let v = register_known(sema, call.args[1], &format!("the number of this {}", kind.name()))?;
    if let Value::Id(of, n) = v {
        return fifo_register(kind, of, n).map(Operand::Known).at(number_at);
    }
    let limit = sema.arch.dsrs[dsr_file(kind) as usize];
    register_number(&v, kind, limit).map(Operand::Known).at(number_at)
}

fn register(sema: &mut Sema<'_>, call: Call<'_>, kind: IdKind, limit: u8) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let v = register_known(sema, call.args[0], &format!("the number of this {}", kind.name()))?;
    register_number(&v, kind, limit).map(Operand::Known).at(at)
}

fn register_number(v: &Value, kind: IdKind, limit: u8) -> Result<Value> {
    if !matches!(v, Value::Int(..)) {
        let number = format!("the number of a {}", kind.name());
        return Err(comptime::TYPE_MISMATCH
            .because(&[("want", &number), ("have", &v.ty())])
            .help(format!("write an integer from 0 to {}", limit - 1)));
    }
    let n = v.to::<u16>().filter(|n| *n < u16::from(limit));
    n.map(|n| Value::Id(kind, n)).ok_or_else(|| {
        tasks::ID_OUT_OF_RANGE
            .because(&[("kind", &kind.name()), ("value", v), ("low", &0), ("high", &(limit - 1))])
            .for_good()
            .help(format!("write a number from 0 to {}", limit - 1))
    })
}

/// A DSR argument.
pub fn dsr_arg(sema: &mut Sema<'_>, id: ExprId) -> Result<DsrRef> {
    let at = sema.span(id);
    let v = register_known(sema, id, "this DSR")?;
    dsr_ref(&v).ok_or_else(|| {
        let c = comptime::TYPE_MISMATCH.because(&[("want", &"a DSR"), ("have", &v.ty())]).at(at);
        with_declaration(sema.frame(), c.help("write `@get_dsr(dsr_dest, 0)`, or one of the other files"), id)
    })
}

/// A register, or its number.
pub fn register_known(sema: &mut Sema<'_>, id: ExprId, what: &str) -> Result<Value> {
    sema.known(id).map_err(|c| {
        let own = rules::REGISTER_UNKNOWN.because(&[("what", &what)]);
        let help = "registers are chosen at compile time: use a `const`";
        instead_of(&comptime::NOT_COMPTIME, c, own.help(help))
    })
}

/// A DSD operand for code.
pub fn dsd_ref(lower: &mut Lower, v: &Operand, at: Span) -> Result<DsdRef> {
    match v {
        Operand::Known(Value::Dsd(d)) => Ok(DsdRef::Const(lower.tile.dsd_constant(*d))),
        Operand::Known(Value::Undefined(_)) => Err(rules::DSD_UNDEFINED.plain().at(at)),
        Operand::Mem(addr, _) => {
            let Ty::Dsd(kind) = v.ty() else { unreachable!("only DSDs come here") };
            let r = lower.addr_reg(*addr)?;
            Ok(DsdRef::At(r, kind))
        }
        other => Err(comptime::TYPE_MISMATCH.because(&[("want", &"a DSD"), ("have", &other.ty())]).at(at)),
    }
}

/// The last argument of an operation (`load` is `None`) or of a load of such a DSD.
pub fn settings(sema: &mut Sema<'_>, cfg: ExprId, load: Option<DsdTy>) -> Result<Settings> {
    let at = sema.span(cfg);
    let mut s = Settings::default();
    let memory = matches!(load, Some(DsdTy::Mem1d | DsdTy::Mem4d | DsdTy::Circbuf));
    for setting in properties::properties(sema, cfg)? {
        let at = setting.at;
        match setting.name.as_str() {
            "save_address" if memory => s.save_address = setting.flag()?,
            "single_step" if load.is_some() => s.single_step = setting.flag()?,
            "save_address" if load.is_some() => {
                let dsd = load.map_or(Ty::Error, Ty::Dsd);
                return Err(rules::SAVE_ADDRESS.because(&[("dsd", &dsd)]).at(at));
            }
            "index" if load.is_none() => {
                let v = sema.coerce(setting.value, &Ty::U16, at)?;
                s.index = Some(sema.reg_of(&v, at)?);
            }
            name if memory => return Err(rules::ASYNC_SETTING.because(&[("name", &name)]).at(at)),
            _ => async_setting(sema, &setting, &mut s)?,
        }
    }
    check_settings(&s, at)?;
    Ok(s)
}

fn async_setting(sema: &mut Sema<'_>, setting: &Property, s: &mut Settings) -> Result<()> {
    let Property { name, value: v, at } = setting;
    let at = *at;
    match name.as_str() {
        "async" => s.run.is_async = setting.flag()?,
        "activate" | "unblock" if s.completes() => {
            let help = "keep one of them: the task that it starts can do the other";
            return Err(rules::TWO_COMPLETIONS.plain().at(at).help(help));
        }
        "activate" | "unblock" => {
            let done = completion_or_late(sema, v, name == "activate", false, at, &mut s.late)?;
            s.run.completion = done.unwrap_or_default();
        }
        "on_control" => s.run.on_control = on_control(sema, v, at, &mut s.late)?,
        "priority" => s.run.priority = Some(queues::priority_of(setting.known()?).at(at)?),
        "ut_id" if sema.arch.name == ArchName::Wse2 => {
            return Err(tasks::ONLY_ON_WSE3.because(&[("what", &"`.ut_id`")]).at(at));
        }
        "ut_id" => match v.known() {
            Some(Value::Id(IdKind::Microthread, n)) => s.run.ut = Some(UtId(*n as u8)),
            None => {
                return Err(rules::UT_ID_UNKNOWN
                    .plain()
                    .at(at)
                    .help("write `@get_ut_id` with a number that is known at comptime"));
            }
            Some(other) => return Err(mismatch(&Ty::Id(IdKind::Microthread), &other.ty()).at(at)),
        },
        _ => {
            return Err(unknown_setting(name, "an operation", SETTINGS).at(at));
        }
    }
    Ok(())
}

/// What a setting names, or else the task is added to those that are bound later.
fn completion_or_late(
    sema: &mut Sema<'_>,
    v: &Operand,
    activate: bool,
    at_control: bool,
    at: Span,
    late: &mut Vec<LateTask>,
) -> Result<Option<Completion>> {
    let done = completions::completion(sema, v, activate, at)?;
    if let (None, Operand::Known(Value::Fn(task))) = (done, v) {
        late.push(LateTask { task: *task, activate, at_control, at });
    }
    Ok(done)
}

/// `.on_control = .{ .activate = task }`.
fn on_control(
    sema: &mut Sema<'_>,
    v: &Operand,
    at: Span,
    late: &mut Vec<LateTask>,
) -> Result<Option<OnControl>> {
    let fields = super::arguments::fields_of(v).unwrap_or_default();
    let wrong = |have: &str| {
        let help = "write `.terminate = true`, `.activate = ..` or `.unblock = ..`";
        rules::ON_CONTROL.because(&[("have", &have)]).at(at).help(help)
    };
    let [(name, v)] = fields.as_slice() else { return Err(wrong(&fields.len().to_string())) };
    let action = Property { name: name.clone(), value: v.clone(), at };
    match name.as_str() {
        "terminate" => Ok(action.flag()?.then_some(OnControl::Terminate)),
        "activate" | "unblock" => {
            let done = completion_or_late(sema, v, name == "activate", true, at, late)?;
            Ok(Some(OnControl::Then(done.unwrap_or_default())))
        }
        _ => Err(wrong(&format!("`.{name}`"))),
    }
}

impl Settings {
    fn completes(&self) -> bool {
        self.run.completion != Completion::Nothing || self.late.iter().any(|task| !task.at_control)
    }
}

fn check_settings(s: &Settings, at: Span) -> Result<()> {
    let run = &s.run;
    let needs = s.completes() || run.on_control.is_some() || run.priority.is_some() || run.ut.is_some();
    if needs && !run.is_async {
        return Err(rules::NOT_ASYNC.plain().at(at).help("add `.async = true`"));
    }
    Ok(())
}

/// `@get_dsr(dsr_fifo_dest, dsr)`: the same register, which is now known to hold a FIFO.
fn fifo_register(kind: IdKind, of: IdKind, number: u16) -> Result<Value> {
    let want = match kind {
        IdKind::DsrFifoDest => IdKind::DsrDest,
        IdKind::DsrFifoSrc1 => IdKind::DsrSrc1,
        plain => {
            let want = format!("the number of a {}", plain.name());
            return Err(comptime::TYPE_MISMATCH.because(&[("want", &want), ("have", &of.name())]));
        }
    };
    if of == want {
        return Ok(Value::Id(kind, number));
    }
    let facts: [(&str, &dyn std::fmt::Display); 2] = [("fifo", &kind.name()), ("have", &of.name())];
    Err(rules::DSR_FIFO_KIND.because(&facts).help(format!("give it a {}, or a number", want.name())))
}

/// A fabric DSD of an asynchronous operation names its queue; what is not known is seen later.
pub fn check_queue(v: &Operand, at: Span) -> Result<()> {
    let help = match v.known() {
        Some(Value::Dsd(Dsd::FabIn(f))) if f.queue.is_none() => {
            "give it `.input_queue = @get_input_queue(..)`"
        }
        Some(Value::Dsd(Dsd::FabOut(f))) if f.queue.is_none() => {
            "give it `.output_queue = @get_output_queue(..)`"
        }
        _ => return Ok(()),
    };
    Err(rules::DSD_QUEUE.plain().at(at).help(help))
}

/// The register behind a DSR value.
pub fn dsr_ref(v: &Value) -> Option<DsrRef> {
    match v {
        Value::Id(k, n) if k.is_dsr() => {
            let fifo = matches!(k, IdKind::DsrFifoDest | IdKind::DsrFifoSrc1);
            Some(DsrRef { id: DsrId { file: dsr_file(*k), number: *n as u8 }, fifo })
        }
        _ => None,
    }
}

fn dsr_file(k: IdKind) -> DsrFile {
    match k {
        IdKind::DsrDest | IdKind::DsrFifoDest => DsrFile::Dest,
        IdKind::DsrSrc0 => DsrFile::Src0,
        _ => DsrFile::Src1,
    }
}
