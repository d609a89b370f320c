//! `@load_to_dsr` and its two variants, and `@set_dsr_base_addr`.

use super::dsrs::{self, Settings, check_queue};
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::hazards::{self, ignored_settings};
use crate::arch::{ArchName, Color, DsrFile, InQueue};
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::diagnostics::{At, Diag, Result, counted};
use crate::dsd::{Dsd, Mem, MemKind};
use crate::image::code::{DsdRef, DsrLoad, Op};
use crate::image::{DsrRef, QueueBinding, TileImage};
use crate::sema::declared::with_declaration;
use crate::sema::eval::ExprValue;
use crate::sema::lower::LoadTask;
use crate::sema::operand::{Addr, Base, Operand, Place};
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{DsdTy, IdKind, Ty};

/// Most stride registers of one vector, and how many a DSD takes that is not known at comptime.
const MOST_STRIDES: usize = 3;

/// Which registers a load fills, next to its DSR.
#[derive(Copy, Clone, PartialEq)]
enum LoadForm {
    /// `@load_to_dsr`
    Dsr,
    /// `@load_to_dsr_xdsr`
    Xdsr,
    /// `@load_to_dsr_xdsr_sr`
    Strides,
}

impl LoadForm {
    /// Arguments in front of the DSD.
    fn registers(self) -> usize {
        match self {
            LoadForm::Dsr => 1,
            LoadForm::Xdsr => 2,
            LoadForm::Strides => 3,
        }
    }

    fn name(self) -> &'static str {
        match self {
            LoadForm::Dsr => "@load_to_dsr",
            LoadForm::Xdsr => "@load_to_dsr_xdsr",
            LoadForm::Strides => "@load_to_dsr_xdsr_sr",
        }
    }

    /// The one that loads such DSDs.
    fn of(dsd: DsdTy) -> Option<LoadForm> {
        match dsd {
            DsdTy::Mem1d | DsdTy::FabIn | DsdTy::FabOut => Some(LoadForm::Dsr),
            DsdTy::Circbuf => Some(LoadForm::Xdsr),
            DsdTy::Mem4d => Some(LoadForm::Strides),
            DsdTy::Fifo => None,
        }
    }
}

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "load_to_dsr", takes: 2..=3, phase: Phase::BlockOrCode,
        usage: "@load_to_dsr(dsr, dsd, .{..})",
        doc: "loads a DSD into a register",
        run: Run::Operand(|s, call| load_to_dsr(s, call, LoadForm::Dsr)), ..USUAL },
    Builtin { name: "load_to_dsr_xdsr", takes: 3..=4, phase: Phase::BlockOrCode,
        usage: "@load_to_dsr_xdsr(dsr, xdsr, circbuf, .{..})",
        doc: "loads a circular buffer into registers",
        run: Run::Operand(|s, call| load_to_dsr(s, call, LoadForm::Xdsr)), ..USUAL },
    Builtin { name: "load_to_dsr_xdsr_sr", takes: 4..=5, phase: Phase::BlockOrCode,
        usage: "@load_to_dsr_xdsr_sr(dsr, xdsr, .{sr, ..}, mem4d, .{..})",
        doc: "loads a mem4d DSD into registers",
        run: Run::Operand(|s, call| load_to_dsr(s, call, LoadForm::Strides)), ..USUAL },
    Builtin { name: "set_dsr_base_addr", takes: 2..=2, phase: Phase::Code,
        usage: "@set_dsr_base_addr(dsr, pointer)",
        doc: "moves a register to another base address",
        misplaced: Some(base_before_the_start),
        run: Run::Operand(set_dsr_base), ..USUAL },
];

fn load_to_dsr(sema: &mut Sema<'_>, call: Call<'_>, form: LoadForm) -> Result<Operand> {
    let dsr = loadable(sema, call.args[0])?;
    let xdsr = if form == LoadForm::Dsr { None } else { Some(xdsr_arg(sema, call.args[1])?) };
    let strides = if form == LoadForm::Strides { stride_registers(sema, call.args[2])? } else { Vec::new() };
    let dsd_arg = call.args[form.registers()];
    let dsd_at = sema.span(dsd_arg);
    let (v, may_change) = dsd_to_load(sema, dsd_arg)?;
    let Ty::Dsd(kind) = v.ty() else {
        return Err(comptime::TYPE_MISMATCH.because(&[("want", &"a DSD"), ("have", &v.ty())]).at(dsd_at));
    };
    if (kind, form) == (DsdTy::Mem4d, LoadForm::Dsr) {
        sema.lint(rules::OLD_DSR_LOAD.plain().at(dsd_at))?;
    } else {
        check_load(dsr, kind, form).map_err(|c| with_declaration(sema.frame(), c.at(dsd_at), dsd_arg))?;
    }
    if form == LoadForm::Strides {
        let known = v.known().filter(|_| !may_change);
        check_strides(known, strides.len())
            .map_err(|c| with_declaration(sema.frame(), c.at(sema.span(call.args[2])), dsd_arg))?;
    }
    let settings = match call.args.get(form.registers() + 1) {
        Some(cfg) => dsrs::settings(sema, *cfg, Some(kind))?,
        None => Settings::default(),
    };
    if settings.run.is_async {
        check_queue(&v, dsd_at)?;
    }
    if dsr.id.file == DsrFile::Dest {
        hazards::check_dest(sema, &v, dsd_at);
    }
    let dsd = dsrs::dsd_ref(&mut sema.lower, &v, dsd_at)?;
    let load = sema.lower.tile.image.dsr_loads.len();
    let late = settings.late.into_iter().map(|late| LoadTask { load, late });
    sema.lower.tile.load_tasks.extend(late);
    let load = DsrLoad {
        dsr,
        xdsr,
        strides,
        dsd,
        save_address: settings.save_address,
        single_step: settings.single_step,
        config: settings.run,
        is_unbound: false,
        span: call.span,
    };
    sema.lower.load_dsr(load, sema.is_comptime());
    Ok(Operand::void())
}

/// A DSR argument that may be loaded.
fn loadable(sema: &mut Sema<'_>, id: ExprId) -> Result<DsrRef> {
    let at = sema.span(id);
    let dsr = dsrs::dsr_arg(sema, id)?;
    if dsr.fifo {
        let c = rules::FIFO_DSR_LOAD.plain().at(at).help("`@allocate_fifo` loads the registers of a FIFO");
        return Err(with_declaration(sema.frame(), c, id));
    }
    Ok(dsr)
}

fn xdsr_arg(sema: &mut Sema<'_>, id: ExprId) -> Result<u8> {
    let at = sema.span(id);
    match dsrs::register_known(sema, id, "this XDSR")? {
        Value::Id(IdKind::Xdsr, n) => Ok(n as u8),
        other => {
            let c = comptime::TYPE_MISMATCH.because(&[("want", &"xdsr"), ("have", &other.ty())]).at(at);
            Err(with_declaration(sema.frame(), c.help("write `@get_xdsr(0)`"), id))
        }
    }
}

/// The DSD argument, and whether the program may change it: before the start a variable still has
/// its first value.
fn dsd_to_load(sema: &mut Sema<'_>, id: ExprId) -> Result<(Operand, bool)> {
    let at = sema.span(id);
    let ev = sema.expr(id, None)?;
    if let ExprValue::Place(Place::Memory {
        addr: Addr { base: Base::Global(g), off: 0 }, known: None, ..
    }) = ev
        && sema.is_comptime()
    {
        return Ok((Operand::Known(sema.global(g).value.clone()), true));
    }
    Ok((sema.value_of(ev, at).at(at)?, false))
}

fn stride_registers(sema: &mut Sema<'_>, list: ExprId) -> Result<Vec<u8>> {
    let at = sema.span(list);
    let v = dsrs::register_known(sema, list, "this tuple of stride registers")?;
    let wrong = |have: &Ty| {
        let c = comptime::TYPE_MISMATCH.because(&[("want", &"a tuple of stride registers"), ("have", have)]);
        c.at(at).help("write `.{}`, or `.{ @get_sr(0), @get_sr(1) }`")
    };
    let mut numbers = Vec::new();
    for (_, register) in v.fields().ok_or_else(|| wrong(&v.ty()))? {
        let Value::Id(IdKind::StrideRegister, n) = register else { return Err(wrong(&register.ty())) };
        let n = n as u8;
        if numbers.contains(&n) {
            return Err(rules::STRIDE_REGISTER_TWICE.because(&[("sr", &n)]).at(at));
        }
        numbers.push(n);
    }
    Ok(numbers)
}

fn set_dsr_base(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let dsr = dsrs::dsr_arg(sema, call.args[0])?;
    let at = sema.span(call.args[1]);
    let ev = sema.expr(call.args[1], None)?;
    let ptr = match ev {
        ExprValue::Place(Place::Memory { addr, ty: ty @ Ty::Array(_), writable, .. }) => {
            sema.lower.pointer(addr, ty, writable)?
        }
        ev => sema.value_of(ev, at)?,
    };
    check_base(&ptr.ty()).map_err(|c| with_declaration(sema.frame(), c.at(at), call.args[1]))?;
    let a = sema.reg_of(&ptr, at)?;
    sema.b().emit(Op::SetDsrBase { dsr, a });
    Ok(Operand::void())
}

/// What operations say that has no effect on what DSRs were loaded with.
pub fn check_ignored_settings(sema: &mut Sema<'_>) {
    let has_errors = sema.reports.errors() > 0;
    let image = &sema.lower.tile.image;
    let ops = image.vector_ops.iter();
    let diags: Vec<_> = ops
        // A load with an error in it is not there.
        .filter(|op| !has_errors || hazards::are_loaded(op, &image.dsr_loads))
        .filter_map(|op| ignored_settings(op, &image.dsds, &image.dsr_loads))
        .collect();
    diags.into_iter().for_each(|c| sema.report(c));
}

/// Queues that DSDs in DSRs use are bound to their color by `@initialize_queue` (seed: DSRs). A load in code may never
/// run: it is marked, and ends the run if it does. In a program from before SDK 1.1 a DSD that names its color binds its
/// queue, as an operand does: the first releases had no `@initialize_queue`, and a public program has times of such a run.
pub fn check_loaded_queues(sema: &mut Sema<'_>) {
    let (image, arch) = (&mut sema.lower.tile.image, sema.arch.name);
    let mut diags = Vec::new();
    for n in 0..image.dsr_loads.len() {
        let Some(UnboundLoad { diag, names_color_alone }) = unbound_load(image, n, arch) else { continue };
        if image.has_old_tasks && names_color_alone {
            diags.push(diag);
            continue;
        }
        image.dsr_loads[n].is_unbound = true;
        let is_initial = image.initial_dsrs.contains(&(n as u32));
        diags.push(if is_initial { diag.for_good() } else { diag });
    }
    for diag in diags {
        if let Err(diag) = sema.lint(diag) {
            sema.report(diag);
        }
    }
}

/// A load of a DSD whose queue is not bound to its color.
struct UnboundLoad {
    diag: Diag,
    /// Whether the DSD has a color, and nothing binds its queue to another one.
    names_color_alone: bool,
}

/// What is wrong with the queue of the DSD that a load names.
fn unbound_load(image: &TileImage, n: usize, arch: ArchName) -> Option<UnboundLoad> {
    let load = &image.dsr_loads[n];
    let DsdRef::Const(dsd) = load.dsd else { return None };
    let unbound = match &image.dsds[dsd as usize] {
        Dsd::FabIn(f) => {
            let queue = f.queue.map(|q| ("input_queue", q.0));
            let same = |b: &&QueueBinding<InQueue>| f.queue.is_none_or(|q| b.queue == q);
            let bound = image.input_queues.iter().filter(|b| b.explicit).filter(same);
            unbound(DsdTy::FabIn, queue, f.color, bound.map(|b| (b.color, b.span)))
        }
        Dsd::FabOut(f) if arch == ArchName::Wse3 => {
            let queue = f.queue.map(|q| ("output_queue", q.0));
            let bound = image.output_queues.iter().filter(|b| f.queue == Some(b.queue));
            // on WSE-3 the color of the queue counts, not that of the DSD
            unbound(DsdTy::FabOut, queue, None, bound.map(|b| (b.color, b.span)))
        }
        Dsd::FabOut(_) | Dsd::Mem(_) | Dsd::Fifo(_) => None,
    };
    unbound.map(|found| UnboundLoad { diag: found.diag.at(load.span), ..found })
}

/// Complains unless one of the bindings of the queue is that to the color of the DSD.
fn unbound(
    dsd: DsdTy,
    queue: Option<(&str, u8)>,
    color: Option<Color>,
    mut bound: impl Iterator<Item = (Color, Span)> + Clone,
) -> Option<UnboundLoad> {
    if bound.clone().any(|(other, _)| color.is_none_or(|c| c == other)) {
        return None;
    }
    let mut diag = rules::DSR_QUEUE.because(&[("dsd", &Ty::Dsd(dsd))]);
    let other = bound.next().filter(|_| queue.is_some());
    if let Some((other, span)) = other {
        diag = diag.also(span, format!("the queue is bound to color {other} here"));
    }
    let names_color_alone = color.is_some() && other.is_none();
    let color = color.map_or("..".to_string(), |c| format!("@get_color({c})"));
    let help = match queue {
        Some((kind, n)) => {
            let queue = format!("@get_{kind}({n})");
            format!("write `@initialize_queue({queue}, .{{ .color = {color} }})` in a comptime block")
        }
        None => "give the DSD a queue, and bind that to the color with `@initialize_queue`".to_string(),
    };
    Some(UnboundLoad { diag: diag.help(help), names_color_alone })
}

fn check_load(dsr: DsrRef, kind: DsdTy, form: LoadForm) -> Result<()> {
    let wrong = |help: &str| {
        let facts: [(&str, &dyn std::fmt::Display); 3] =
            [("name", &form.name()), ("dsd", &Ty::Dsd(kind)), ("dsr", &dsr.id.file.name())];
        Err(rules::DSR_LOAD.because(&facts).help(help))
    };
    match (kind, dsr.id.file) {
        (DsdTy::FabIn, DsrFile::Dest) => wrong("a fabin_dsd is a source: use dsr_src0 or dsr_src1"),
        (DsdTy::FabOut, DsrFile::Src0 | DsrFile::Src1) => {
            wrong("a fabout_dsd is a destination: use dsr_dest")
        }
        _ if LoadForm::of(kind) == Some(form) => Ok(()),
        _ => match LoadForm::of(kind) {
            Some(other) => wrong(&format!("use `{}`", other.name())),
            None => wrong("a FIFO owns its registers; refer to them with dsr_fifo_dest and dsr_fifo_src1"),
        },
    }
}

/// A mem4d_dsd needs an exact number of stride registers; one that is not known always three.
fn check_strides(dsd: Option<&Value>, have: usize) -> Result<()> {
    let (need, why) = match dsd {
        Some(Value::Dsd(Dsd::Mem(m))) if m.kind == MemKind::Mem4d => {
            let unit = if m.step[0] == 1 { "is" } else { "is not" };
            let dims = counted(m.dims.into(), "dimension");
            (stride_registers_needed(m), format!("it has {dims}, and its fastest stride {unit} 1"))
        }
        _ => (MOST_STRIDES, "its strides are not known at comptime".to_string()),
    };
    if have == need {
        return Ok(());
    }
    let need = counted(need as u64, "stride register");
    Err(rules::STRIDE_REGISTERS.because(&[("need", &need), ("have", &have)]).note(why))
}

/// Stride registers that a known mem4d_dsd needs: one per dimension but the first, one less if the
/// fastest stride is 1 (seed: DSRs).
pub fn stride_registers_needed(m: &Mem) -> usize {
    let n = usize::from(m.dims);
    let unit = n >= 2 && m.step[0] == 1;
    (n - 1).saturating_sub(usize::from(unit))
}

/// A DSR works on 16- or 32-bit numbers.
fn check_base(ty: &Ty) -> Result<()> {
    let bad = |help: &str| Err(rules::DSR_BASE.because(&[("type", ty)]).help(help));
    let Ty::Ptr(p) = ty else { return bad("give it an array, or a pointer to an element") };
    let elem = match &p.to {
        Ty::Array(a) => &a.elem,
        other => other,
    };
    if elem.is_numeric() && matches!(elem.words(), Some(1 | 2)) {
        return Ok(());
    }
    bad("the elements of the tensor must be numbers of 16 or 32 bits")
}

fn base_before_the_start(_: &str) -> Diag {
    let help = "load the DSR with a DSD of that address, or call the builtin in a task";
    rules::DSR_BASE_EARLY.plain().help(help)
}
