//! Data structure registers: `@get_dsr`, `@load_to_dsr` and their kin.

use super::Call;
use crate::arch::{ArchName, DsrFile, DsrId, UtId};
use crate::diagnostics::rules::{comptime, dsd as rules, tasks};
use crate::diagnostics::{At, Result};
use crate::dsd::{Dsd, MemKind};
use crate::image::DsrRef;
use crate::image::code::{AsyncConfig, Completion, DsdRef, DsrLoad, OnControl, Op, Reg};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::world::Sema;
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
}

impl Sema<'_> {
    /// The builtins of this file; `None` for others.
    pub fn dsr_builtin(&mut self, name: &str, call: Call<'_>) -> Option<Result<Operand>> {
        Some(match name {
            "get_dsr" => self.get_dsr(call),
            "get_xdsr" => self.register(call, IdKind::Xdsr, self.arch.xdsrs),
            "get_sr" => self.register(call, IdKind::StrideRegister, self.arch.stride_registers),
            "load_to_dsr" => self.load_to_dsr(call, 1),
            "load_to_dsr_xdsr" => self.load_to_dsr(call, 2),
            "load_to_dsr_xdsr_sr" => self.load_to_dsr(call, 3),
            "set_dsr_base_addr" => self.set_dsr_base(call),
            _ => return None,
        })
    }

    fn get_dsr(&mut self, call: Call<'_>) -> Result<Operand> {
        let at = self.span(call.args[0]);
        let kind = match self.ty(call.args[0])? {
            Ty::Id(k) if k.is_dsr() => k,
            other => {
                return Err(comptime::TYPE_MISMATCH
                    .because(&[("want", &"a DSR type"), ("have", &other)])
                    .at(at));
            }
        };
        let number_at = self.span(call.args[1]);
        let v = self.known(call.args[1])?;
        if let Value::Id(of, n) = v {
            let fits = matches!(
                (kind, of),
                (IdKind::DsrFifoDest, IdKind::DsrDest) | (IdKind::DsrFifoSrc1, IdKind::DsrSrc1)
            );
            if !fits {
                let c =
                    comptime::TYPE_MISMATCH.because(&[("want", &"the DSR of a FIFO"), ("have", &of.word())]);
                return Err(c.at(number_at));
            }
            return Ok(Operand::Known(Value::Id(kind, n)));
        }
        let limit = self.arch.dsrs[dsr_file(kind) as usize];
        self.register_number(&v, kind, limit).map(Operand::Known).at(number_at)
    }

    fn register(&mut self, call: Call<'_>, kind: IdKind, limit: u8) -> Result<Operand> {
        let at = self.span(call.args[0]);
        let v = self.known(call.args[0])?;
        self.register_number(&v, kind, limit).map(Operand::Known).at(at)
    }

    fn register_number(&self, v: &Value, kind: IdKind, limit: u8) -> Result<Value> {
        let n = v.to::<u16>().filter(|n| *n < u16::from(limit));
        n.map(|n| Value::Id(kind, n)).ok_or_else(|| {
            tasks::ID_OUT_OF_RANGE.because(&[
                ("kind", &kind.word()),
                ("value", v),
                ("low", &0),
                ("high", &(limit - 1)),
            ])
        })
    }

    /// A DSR argument.
    pub fn dsr_arg(&mut self, id: ExprId) -> Result<DsrRef> {
        let at = self.span(id);
        let v = self.known(id)?;
        dsr_ref(&v)
            .ok_or_else(|| comptime::TYPE_MISMATCH.because(&[("want", &"a DSR"), ("have", &v.ty())]).at(at))
    }

    /// `registers`: 1 for a DSR, 2 with an XDSR, 3 with stride registers as well.
    fn load_to_dsr(&mut self, call: Call<'_>, registers: usize) -> Result<Operand> {
        let dsr = self.dsr_arg(call.args[0])?;
        let at = self.span(call.args[0]);
        if dsr.fifo {
            return Err(rules::FIFO_DSR_LOAD.plain().at(at));
        }
        if registers >= 2 {
            self.known_as(call.args[1], &Ty::Id(IdKind::Xdsr))?;
        }
        let strides = if registers == 3 { Some(self.stride_registers(call.args[2])?) } else { None };
        let dsd_arg = call.args[registers];
        let dsd_at = self.span(dsd_arg);
        let v = self.value(dsd_arg, None)?;
        let Ty::Dsd(kind) = v.ty() else {
            return Err(comptime::TYPE_MISMATCH.because(&[("want", &"a DSD"), ("have", &v.ty())]).at(dsd_at));
        };
        self.check_load(dsr, kind, registers, dsd_at)?;
        self.check_strides(&v, strides, call.span)?;
        let settings = match call.args.get(registers + 1) {
            Some(cfg) => self.settings(*cfg, Some(kind))?,
            None => Settings::default(),
        };
        if settings.run.is_async {
            check_queue(&v, dsd_at)?;
        }
        let dsd = self.dsd_ref(&v, dsd_at)?;
        let n = self.world.tile.image.dsr_loads.len() as u32;
        self.world.tile.image.dsr_loads.push(DsrLoad {
            dsr,
            dsd,
            save_address: settings.save_address,
            single_step: settings.single_step,
            config: settings.run,
            span: call.span,
        });
        if self.is_comptime() {
            self.world.tile.image.initial_dsrs.push(n);
            return Ok(Operand::void());
        }
        self.world.tile.beside.loads.push(n);
        self.b().emit(Op::LoadDsr { n });
        Ok(Operand::void())
    }

    fn stride_registers(&mut self, list: ExprId) -> Result<usize> {
        let at = self.span(list);
        let v = self.known(list)?;
        let fields = v.fields().unwrap_or_default();
        if fields.iter().any(|(_, v)| !matches!(v, Value::Id(IdKind::StrideRegister, _))) {
            return Err(comptime::TYPE_MISMATCH
                .because(&[("want", &"stride registers"), ("have", &v.ty())])
                .at(at));
        }
        Ok(fields.len())
    }

    fn check_load(&self, dsr: DsrRef, kind: DsdTy, registers: usize, at: Span) -> Result<()> {
        let wrong = |help: &str| Err(rules::DSR_LOAD.because(&[("dsd", &Ty::Dsd(kind))]).at(at).help(help));
        match (kind, dsr.id.file, registers) {
            (DsdTy::FabIn, DsrFile::Dest, _) => wrong("a fabin_dsd is a source: use dsr_src0 or dsr_src1"),
            (DsdTy::FabOut, DsrFile::Src0 | DsrFile::Src1, _) => {
                wrong("a fabout_dsd is a destination: use dsr_dest")
            }
            (DsdTy::Circbuf, _, 1 | 3) => wrong("use `@load_to_dsr_xdsr`"),
            (DsdTy::Mem4d, _, 2) => wrong("use `@load_to_dsr_xdsr_sr`"),
            (DsdTy::Mem1d | DsdTy::FabIn | DsdTy::FabOut, _, 2 | 3) => wrong("use `@load_to_dsr`"),
            (DsdTy::Fifo, _, _) => wrong("a FIFO owns its registers"),
            _ => Ok(()),
        }
    }

    /// A mem4d_dsd needs an exact number of stride registers (dsd-dsr section 7).
    fn check_strides(&self, v: &Operand, given: Option<usize>, at: Span) -> Result<()> {
        let Some(given) = given else { return Ok(()) };
        let need = match v.known() {
            Some(Value::Dsd(Dsd::Mem(m))) if m.kind == MemKind::Mem4d => stride_registers_needed(m),
            _ => 3,
        };
        if given == need {
            return Ok(());
        }
        Err(rules::STRIDE_REGISTERS.because(&[("need", &need), ("have", &given)]).at(at))
    }

    fn set_dsr_base(&mut self, call: Call<'_>) -> Result<Operand> {
        let dsr = self.dsr_arg(call.args[0])?;
        let ptr = self.pointer_arg(call.args[1])?;
        let a = self.reg_of(&ptr, call.span)?;
        self.b().emit(Op::SetDsrBase { dsr, a });
        Ok(Operand::void())
    }

    /// A DSD operand for code.
    pub fn dsd_ref(&mut self, v: &Operand, at: Span) -> Result<DsdRef> {
        match v {
            Operand::Known(Value::Dsd(d)) => Ok(DsdRef::Const(self.dsd_constant(*d))),
            Operand::Known(Value::Undefined(_)) => Err(rules::DSD_UNDEFINED.plain().at(at)),
            Operand::Mem(addr, _) => {
                let r = self.addr_reg(*addr)?;
                Ok(DsdRef::At(r))
            }
            other => {
                Err(comptime::TYPE_MISMATCH.because(&[("want", &"a DSD"), ("have", &other.ty())]).at(at))
            }
        }
    }

    /// The last argument of an operation (`load` is `None`) or of a load of such a DSD.
    pub fn settings(&mut self, cfg: ExprId, load: Option<DsdTy>) -> Result<Settings> {
        let at = self.span(cfg);
        let mut s = Settings::default();
        let memory = matches!(load, Some(DsdTy::Mem1d | DsdTy::Mem4d | DsdTy::Circbuf));
        for (name, v) in self.fields(cfg)? {
            match name.as_str() {
                "save_address" if memory => s.save_address = setting_flag(&v, at)?,
                "single_step" if memory || load.is_none_or(|k| k != DsdTy::Fifo) && load.is_some() => {
                    s.single_step = setting_flag(&v, at)?;
                }
                "index" if load.is_none() => {
                    let v = self.convert_index(v, at)?;
                    s.index = Some(self.reg_of(&v, at)?);
                }
                _ if memory => return Err(rules::ASYNC_SETTING.because(&[("name", &name)]).at(at)),
                _ => self.async_setting(&name, v, &mut s.run, at)?,
            }
        }
        self.check_settings(&s.run, at)?;
        Ok(s)
    }

    fn convert_index(&mut self, v: Operand, at: Span) -> Result<Operand> {
        self.coerce(v, &Ty::U16, at)
    }

    fn async_setting(&mut self, name: &str, v: Operand, run: &mut AsyncConfig, at: Span) -> Result<()> {
        match name {
            "async" => run.is_async = setting_flag(&v, at)?,
            "activate" | "unblock" if run.completion != Completion::Nothing => {
                return Err(rules::TWO_COMPLETIONS.plain().at(at));
            }
            "activate" => run.completion = self.completion(&v, true, at)?,
            "unblock" => run.completion = self.completion(&v, false, at)?,
            "on_control" => run.on_control = self.on_control(&v, at)?,
            "priority" => run.priority = Some(self.priority(setting(&v, at)?).at(at)?),
            "ut_id" if self.arch.name == ArchName::Wse2 => {
                return Err(tasks::ONLY_ON_WSE3.because(&[("what", &"`.ut_id`")]).at(at));
            }
            "ut_id" => match v.known() {
                Some(Value::Id(IdKind::Microthread, n)) => run.ut = Some(UtId(*n as u8)),
                None => {
                    return Err(rules::UT_ID_UNKNOWN
                        .plain()
                        .at(at)
                        .help("write `@get_ut_id` with a number that is known at comptime"));
                }
                Some(other) => {
                    return Err(comptime::TYPE_MISMATCH
                        .because(&[("want", &"ut_id"), ("have", &other.ty())])
                        .at(at));
                }
            },
            _ => {
                return Err(comptime::UNKNOWN_FIELD
                    .because(&[("name", &name), ("type", &"the settings")])
                    .at(at));
            }
        }
        Ok(())
    }

    /// `.on_control = .{ .activate = task }`; whatever it names is known at comptime.
    fn on_control(&mut self, v: &Operand, at: Span) -> Result<Option<OnControl>> {
        let fields = super::fields_of(v).unwrap_or_default();
        let wrong = |have: &str| {
            let help = "write `.terminate = true`, `.activate = ..` or `.unblock = ..`";
            rules::ON_CONTROL.because(&[("have", &have)]).at(at).help(help)
        };
        let [(name, v)] = fields.as_slice() else { return Err(wrong(&fields.len().to_string())) };
        setting(v, at)?;
        match name.as_str() {
            "terminate" => Ok(setting_flag(v, at)?.then_some(OnControl::Terminate)),
            "activate" => self.completion(v, true, at).map(|done| Some(OnControl::Then(done))),
            "unblock" => self.completion(v, false, at).map(|done| Some(OnControl::Then(done))),
            _ => Err(wrong(&format!("`.{name}`"))),
        }
    }

    fn check_settings(&self, run: &AsyncConfig, at: Span) -> Result<()> {
        let needs = run.completion != Completion::Nothing
            || run.on_control.is_some()
            || run.priority.is_some()
            || run.ut.is_some();
        if needs && !run.is_async {
            return Err(rules::NOT_ASYNC.plain().at(at).help("add `.async = true`"));
        }
        Ok(())
    }
}

/// Stride registers that a known mem4d_dsd needs: one per dimension but the first, one less if the
/// fastest stride is 1 (dsd-dsr section 7).
pub fn stride_registers_needed(m: &crate::dsd::Mem) -> usize {
    let n = usize::from(m.dims);
    let unit = n >= 2 && m.step[0] == 1;
    (n - 1).saturating_sub(usize::from(unit))
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

fn setting(v: &Operand, at: Span) -> Result<&Value> {
    v.known().ok_or_else(|| comptime::NOT_COMPTIME.because(&[("what", &"this setting")]).at(at))
}

fn setting_flag(v: &Operand, at: Span) -> Result<bool> {
    match setting(v, at)? {
        Value::Bool(b) => Ok(*b),
        other => Err(comptime::TYPE_MISMATCH.because(&[("want", &Ty::Bool), ("have", &other.ty())]).at(at)),
    }
}
