//! DSD operations and `@map`: operands checked against the table, then written as one step.

use super::conversions;
use super::dsrs::{self, Settings, check_queue};
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::hazards::{self, check_index};
use super::operand_lints;
use super::operands::{Arg, ArgumentKind, vector_arg};
use crate::arch::{Arch, ArchName, DsrFile};
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::diagnostics::{Diag, Result, counted};
use crate::dsd::Dsd;
use crate::dsd::ops::{DsdOp, Elem, OPS, SourceKind, in_format};
use crate::image::code::{Access, DsdOperand, DsdRef, MapOp, Op, VectorOp};
use crate::image::{DsrRef, OperandPlace, OperandRole};
use crate::sema::control;
use crate::sema::operand::{Operand, comptime_only, repr};
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::value::ty::{DsdTy, IntTy, Ty};

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "map", takes: 2..=64, phase: Phase::Code,
        usage: "@map(function, inputs.., output)",
        doc: "calls a function for every element",
        run: Run::Operand(map), ..USUAL },
];

/// `@fadds(dest, a, b, .{..})`
pub fn vector_op(sema: &mut Sema<'_>, row: u8, call: Call<'_>) -> Result<Operand> {
    let op = &OPS[usize::from(row)];
    let sources = op.arity();
    let count = call.args.len();
    if count != sources + 1 && count != sources + 2 {
        return Err(wrong_operands(op, call.span).note(format!(
            "`@{}` takes {} operands and optional settings, not {count}",
            op.name,
            sources + 1
        )));
    }
    let dest = vector_arg(sema, call.args[0], None)?;
    let near = |i| op.scalar(i).map(|elem| conversions::type_of_element(sema.options, elem));
    let args = call.args[1..=sources].iter().zip((0..sources).map(near).collect::<Vec<_>>());
    let args = args.map(|(arg, ty)| vector_arg(sema, *arg, ty)).collect::<Result<Vec<_>>>()?;
    let vectors: Vec<bool> = args.iter().map(|a| a.what.is_vector()).collect();
    let to_pointer = dest.what == ArgumentKind::Pointer;
    let form = op.form(to_pointer, &vectors).filter(|_| to_pointer || dest.what.is_vector());
    let form = form.ok_or_else(|| wrong_form(sema, op, &dest, call))?;
    check_operands(sema.arch, &dest, &args, call.span)?;
    operand_lints::check(sema, (op, form), &dest, &args, call.span)?;
    let settings = match call.args.get(sources + 1) {
        Some(cfg) => dsrs::settings(sema, *cfg, None)?,
        None => Settings::default(),
    };
    check_async(&settings, &dest, &args, call)?;
    let all = std::iter::once(&dest).chain(&args).map(|arg| (&arg.value, arg.span));
    // Unless it is denied, the PE says it when it comes there.
    check_index(settings.index.is_some(), all, call.span).or_else(|c| sema.reports.weigh(c).map(|_| ()))?;
    hazards::check_dest(sema, &dest.value, dest.span);
    note_places(sema, &dest, &args, call.span);
    let is_sent = dest.what.is_fabric();
    let dest = destination(sema, op, &dest)?;
    let mut operands = Vec::new();
    for (arg, source) in args.iter().zip(form.sources) {
        let operand = source_operand(sema, arg, *source);
        operands.push(operand.map_err(|diag| other_copy(diag, op, &arg.value.ty(), is_sent))?);
    }
    Ok(emit_vector(
        sema,
        VectorOp {
            op: in_format(row, sema.options.fp16.kind()),
            dest,
            sources: operands,
            config: settings.run,
            index: settings.index,
            result: None,
            span: call.span,
        },
    ))
}

/// Records where the DSDs of an operation on the fabric are declared. The first source that has a length
/// determines how many elements there are.
fn note_places(sema: &mut Sema<'_>, dest: &Arg, args: &[Arg], op: Span) {
    let all = || args.iter().chain([dest]);
    if !all().any(|arg| arg.what.is_fabric()) {
        return;
    }
    let lengths = all().filter(|arg| arg.what.is_vector() && !arg.what.is_fifo()).take(1);
    let lengths = lengths.map(|arg| (arg, OperandRole::Length));
    let fabric = all().filter_map(|arg| match arg.what {
        ArgumentKind::Dsd(DsdTy::FabIn) => Some((arg, OperandRole::In)),
        ArgumentKind::Dsd(DsdTy::FabOut) => Some((arg, OperandRole::Out)),
        _ => None,
    });
    let memory = [dest].into_iter().chain(args).zip(0..).filter_map(|(arg, n)| match arg.what {
        ArgumentKind::Dsd(DsdTy::Mem1d | DsdTy::Mem4d) => Some((arg, OperandRole::Memory(n))),
        _ => None,
    });
    for (arg, role) in lengths.chain(fabric).chain(memory) {
        if let Arg { what: ArgumentKind::Dsd(_), declared: Some(dsd), .. } = arg {
            sema.lower.tile.note_place(OperandPlace { op, dsd: *dsd, role });
        }
    }
}

/// Writes an operation; its value is the bool that it returns.
pub fn emit_vector(sema: &mut Sema<'_>, op: VectorOp) -> Operand {
    Operand::Reg(sema.lower.vector(op), Ty::Bool)
}

fn check_operands(arch: &Arch, dest: &Arg, args: &[Arg], span: Span) -> Result<()> {
    match dest.what {
        ArgumentKind::Dsd(DsdTy::FabIn) => {
            return Err(dest.wrong(rules::FABIN_DEST.plain().help("a fabout_dsd sends wavelets")));
        }
        ArgumentKind::Dsd(DsdTy::Circbuf) => return Err(dest.wrong(rules::CIRCBUF_OPERAND.plain())),
        ArgumentKind::Dsr(d) => check_position(d, "destination", dest)?,
        _ => {}
    }
    check_fifos(args)?;
    for a in args {
        match a.what {
            ArgumentKind::Dsd(DsdTy::FabOut) => {
                let help =
                    "the destination comes first, as in `@fmovs(out, x)`; a fabin_dsd receives wavelets";
                return Err(a.wrong(rules::FABOUT_SOURCE.plain().help(help)));
            }
            ArgumentKind::Dsd(DsdTy::Circbuf) => return Err(a.wrong(rules::CIRCBUF_OPERAND.plain())),
            ArgumentKind::Dsr(d) => check_position(d, "source", a)?,
            _ => {}
        }
    }
    let fabins: Vec<&Arg> = args.iter().filter(|a| a.what == ArgumentKind::Dsd(DsdTy::FabIn)).collect();
    if let ([first, second, ..], ArchName::Wse3) = (fabins.as_slice(), arch.name) {
        let c = rules::TWO_FABIN.plain().at(second.span);
        return Err(c.label("this is the second").also(first.span, "this is one, too"));
    }
    check_dsr_numbers(arch, dest, args, span)?;
    check_zero(dest, args)
}

/// Of several sources one may be a FIFO, but not the first (seed: FIFOs).
fn check_fifos(sources: &[Arg]) -> Result<()> {
    let mut fifos = sources.iter().filter(|a| a.what.is_fifo());
    let (first, second) = (fifos.next(), fifos.next());
    if let (Some(first), Some(second)) = (first, second) {
        return Err(rules::TWO_FIFOS
            .plain()
            .at(second.span)
            .also(first.span, "this is one, too")
            .help("move the elements of one FIFO to memory first"));
    }
    if sources.len() > 1 && sources[0].what.is_fifo() {
        return Err(sources[0].wrong(rules::FIFO_FIRST.plain().help("make it the second source")));
    }
    Ok(())
}

/// On WSE-2 a dsr_dest and a dsr_src0 of one operation carry the same number (ruling OQ-36).
fn check_dsr_numbers(arch: &Arch, dest: &Arg, args: &[Arg], span: Span) -> Result<()> {
    if arch.name == ArchName::Wse3 {
        return Ok(());
    }
    let ArgumentKind::Dsr(d) = dest.what else { return Ok(()) };
    let other = args.iter().find_map(|a| match a.what {
        ArgumentKind::Dsr(s) if s.id.file == DsrFile::Src0 => Some(s),
        _ => None,
    });
    match other {
        Some(s) if d.id.file == DsrFile::Dest && s.id.number != d.id.number => Err(rules::DSR_NUMBERS
            .because(&[("dest", &d.id.number), ("src0", &s.id.number)])
            .at(span)
            .help("give both the same number")),
        _ => Ok(()),
    }
}

fn check_async(s: &Settings, dest: &Arg, args: &[Arg], call: Call<'_>) -> Result<()> {
    let all = || std::iter::once(dest).chain(args);
    if s.index.is_some() && args.len() < 2 {
        let help = "move the DSD with `@increment_dsd_offset`";
        return Err(rules::INDEX_SETTING.plain().at(call.span).help(help));
    }
    if !s.run.is_async {
        return Ok(());
    }
    if !all().any(|a| a.what.is_fabric() || matches!(a.what, ArgumentKind::Dsr(_))) {
        return Err(rules::ASYNC_MEMORY.plain().at(call.span).help("remove `.async`"));
    }
    for a in all() {
        check_queue(&a.value, a.span).map_err(|c| a.wrong(c))?;
    }
    Ok(())
}

/// A DSD or a register for code.
pub fn vector_operand(sema: &mut Sema<'_>, arg: &Arg) -> Result<DsdOperand> {
    Ok(match arg.what {
        ArgumentKind::Dsr(d) => DsdOperand::Dsd(DsdRef::Dsr(d)),
        _ => DsdOperand::Dsd(dsrs::dsd_ref(&mut sema.lower, &arg.value, arg.span)?),
    })
}

fn destination(sema: &mut Sema<'_>, op: &DsdOp, arg: &Arg) -> Result<DsdOperand> {
    if arg.what.is_vector() {
        return vector_operand(sema, arg);
    }
    let Ty::Ptr(p) = arg.value.ty() else { return Err(wrong_operands(op, arg.span)) };
    let to = match &p.to {
        Ty::Array(a) if a.len() == 1 => &a.elem,
        other => other,
    };
    if !scalar_fits(op.dest, to) {
        let want = format!("pointer to {}", op.dest.name());
        let c = rules::OPERAND_TYPE.because(&[("want", &want), ("have", &arg.value.ty())]);
        let note = format!("`@{}` writes elements of type {}", op.name, op.dest.name());
        let help = format!("point to a variable of type {}", op.dest.name());
        return Err(arg.wrong(c.note(note).help(help)));
    }
    if hazards::constant_at(sema, &arg.value).is_none() {
        hazards::check_writable(&arg.value.ty(), arg.span)?;
    }
    Ok(DsdOperand::Pointer(sema.reg_of(&arg.value, arg.span)?))
}

fn source_operand(sema: &mut Sema<'_>, arg: &Arg, source: SourceKind) -> Result<DsdOperand> {
    if arg.what.is_vector() {
        return vector_operand(sema, arg);
    }
    let elem = source.elem();
    let v = scalar_operand(sema, arg.value.clone(), elem, arg.span).map_err(|c| arg.wrong(c))?;
    Ok(DsdOperand::Scalar(sema.reg_of(&v, arg.span)?))
}

/// A better help for a number that another copying operation takes.
fn other_copy(mut diag: Diag, op: &DsdOp, have: &Ty, is_sent: bool) -> Diag {
    let Some(bits) = have.bits().filter(|_| op.copies() && diag.rule() == rules::OPERAND_TYPE.name) else {
        return diag;
    };
    let is_wide = op.dest.words() == 2;
    let help = match (op.dest.is_float(), have, bits) {
        (false, Ty::Float(_), 32) if is_wide => {
            "write `@fmovs` to copy a float, or `@bitcast(u32, ..)` to copy its bits"
        }
        (false, Ty::Float(_), 16) if !is_wide => {
            "write `@fmovh` to copy a float, or `@bitcast(u16, ..)` to copy its bits"
        }
        (false, Ty::Int(_), 32) if !is_wide && is_sent => "write `@mov32`, which sends all 32 bits",
        (true, Ty::Int(_), 32) if is_wide => {
            "write `@mov32` to copy an integer, or `@as(f32, ..)` to convert it"
        }
        (true, Ty::Int(_), 16) if !is_wide => {
            "write `@mov16` to copy an integer, or `@as(f16, ..)` to convert it"
        }
        _ => return diag,
    };
    (diag.0.has_own_help, diag.0.fix) = (false, None);
    diag.help(help)
}

/// A scalar operand: a literal takes the type of the element.
fn scalar_operand(sema: &mut Sema<'_>, v: Operand, elem: Elem, at: Span) -> Result<Operand> {
    let ty = v.ty();
    let wrong = || {
        let to = conversions::type_of_element(sema.options, elem);
        let want = if elem.is_float() { to.to_string() } else { elem.name().to_string() };
        let c = rules::OPERAND_TYPE.because(&[("want", &want), ("have", &ty)]).at(at);
        c.help(format!("convert it: `@as({to}, ..)`"))
    };
    let literal = |signed: bool, bits: u32| Ty::Int(IntTy { signed, bits });
    match (&ty, elem) {
        (Ty::ComptimeInt, Elem::Int16 | Elem::Int32) => {
            let bits = u32::from(elem.words()) * 16;
            let signed = v.known().and_then(Value::as_integer).is_some_and(|n| n.is_negative());
            sema.coerce(v, &literal(signed, bits), at).map_err(|_| wrong())
        }
        (Ty::ComptimeInt, Elem::F16) => sema.coerce(v, &conversions::fp16(sema.options), at),
        (Ty::ComptimeInt, Elem::F32) => sema.coerce(v, &Ty::F32, at),
        (t, Elem::F16) if *t == Ty::COMPTIME_FLOAT => sema.coerce(v, &conversions::fp16(sema.options), at),
        (t, Elem::F32) if t.is_float() => sema.coerce(v, &Ty::F32, at),
        (t, elem) if scalar_fits(elem, t) => Ok(v),
        (Ty::Int(t), Elem::Int16 | Elem::Int32) if t.bits < u32::from(elem.words()) * 16 => {
            let bits = u32::from(elem.words()) * 16;
            sema.coerce(v, &literal(t.signed, bits), at)
        }
        _ => Err(wrong()),
    }
}

/// `@map(f, inputs.., output)`
pub fn map(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let at = sema.span(call.args[0]);
    let Operand::Known(Value::Fn(f)) = sema.value(call.args[0], None)? else {
        return Err(comptime::NOT_CALLABLE.because(&[("type", &"this")]).at(at));
    };
    let (unit, decl) = sema.fn_unit(f);
    if let Some(param) = unit.function(decl).params.iter().find(|param| param.comptime) {
        let diag = rules::MAP_ANYTYPE.plain().at(at).also(param.span, "this parameter is `comptime`");
        return Err(diag.help("use a function whose parameters are not `comptime`"));
    }
    let is_open = unit.function(decl).params.iter().any(|param| param.ty.is_none());
    let no_types = || rules::MAP_ANYTYPE.plain().at(at).help("use a function whose parameters have types");
    let t = sema.fn_type(f).map_err(|diag| if is_open { no_types() } else { diag })?;
    let inputs = t.params.len();
    let has_output = t.ret != Ty::Void;
    if call.args.len() != 1 + inputs + usize::from(has_output) {
        return Err(comptime::ARGUMENT_COUNT
            .because(&[
                ("name", &"`@map` with this function"),
                ("want", &counted(1 + inputs as u64 + u64::from(has_output), "argument")),
                ("have", &call.args.len()),
            ])
            .at(call.span)
            .help("give one input for each parameter, and an output unless the function returns void"));
    }
    let mut map = MapOp { inputs: Vec::new(), output: None, span: call.span };
    for (arg, ty) in call.args[1..=inputs].iter().zip(&t.params) {
        let arg = vector_arg(sema, *arg, ty.clone())?;
        let ty = ty.as_ref().ok_or_else(no_types)?;
        map.inputs.push(map_input(sema, &arg, ty)?);
    }
    if has_output {
        let arg = vector_arg(sema, call.args[1 + inputs], None)?;
        map.output = Some(map_output(sema, &arg, &t.ret)?);
    }
    let vectors = map.inputs.iter().chain(&map.output).any(|(o, _)| matches!(o, DsdOperand::Dsd(_)));
    if !vectors {
        return Err(rules::MAP_NO_VECTOR.plain().at(call.span));
    }
    map_loop(sema, f, &t, map, call)
}

fn map_input(sema: &mut Sema<'_>, arg: &Arg, ty: &Ty) -> Result<(DsdOperand, Access)> {
    let access = repr(ty).ok_or_else(|| comptime_only(ty).at(arg.span))?.access();
    check_map_operand(arg, ty, DsdTy::FabOut)?;
    if let ArgumentKind::Dsr(d) = arg.what {
        check_position(d, MAP_SOURCE, arg)?;
    }
    if arg.what.is_vector() {
        return Ok((vector_operand(sema, arg)?, access));
    }
    let have = arg.value.ty();
    if matches!(&have, Ty::Ptr(pointer) if pointer.to == *ty) {
        let help = format!(
            "`@map` passes a pointer as it is: declare the parameter with the type `{have}`, and read it with `.*`"
        );
        let facts: [(&str, &dyn std::fmt::Display); 2] = [("want", ty), ("have", &have)];
        return Err(comptime::TYPE_MISMATCH.because(&facts).at(arg.span).help(help));
    }
    let v = sema.coerce(arg.value.clone(), ty, arg.span)?;
    let kept = sema.keep(v, arg.span)?;
    Ok((DsdOperand::Scalar(sema.reg_of(&kept, arg.span)?), access))
}

fn map_output(sema: &mut Sema<'_>, arg: &Arg, ty: &Ty) -> Result<(DsdOperand, Access)> {
    let access = repr(ty).ok_or_else(|| comptime_only(ty).at(arg.span))?.access();
    check_map_operand(arg, ty, DsdTy::FabIn)?;
    if let ArgumentKind::Dsr(d) = arg.what {
        check_position(d, "destination", arg)?;
    }
    if arg.what.is_vector() {
        hazards::check_dest(sema, &arg.value, arg.span);
        return Ok((vector_operand(sema, arg)?, access));
    }
    let pointer = ty.clone().pointer(false, false);
    let v = sema.coerce(arg.value.clone(), &pointer, arg.span)?;
    let kept = sema.keep(v, arg.span)?;
    Ok((DsdOperand::Pointer(sema.reg_of(&kept, arg.span)?), access))
}

fn map_loop(
    sema: &mut Sema<'_>,
    f: crate::sema::value::FnRef,
    t: &crate::value::ty::FnTy,
    map: MapOp,
    call: Call<'_>,
) -> Result<Operand> {
    let n = sema.lower.map(map);
    let (top, done) = (sema.b().label(), sema.b().label());
    sema.b().span = call.span;
    sema.b().emit(Op::MapBegin { n });
    sema.b().bind(top);
    let base = sema.b().reg();
    for _ in 1..t.params.len() {
        sema.b().reg();
    }
    sema.b().emit(Op::MapNext { n, base, done: done.0 });
    let operands = t
        .params
        .iter()
        .enumerate()
        .map(|(i, ty)| (Operand::Reg(base + i as u16, ty.clone().unwrap_or(Ty::Error)), call.span));
    let operands = operands.collect();
    let (unit, decl) = sema.fn_unit(f);
    let result =
        control::conditionally(sema, |s| s.apply(f, unit.function(decl), operands, call.span, false))?;
    if t.ret != Ty::Void {
        let s = sema.reg_of(&result, call.span)?;
        sema.b().emit(Op::MapPut { n, s });
    }
    sema.b().jump(top);
    sema.b().bind(done);
    sema.b().emit(Op::MapEnd { n });
    Ok(Operand::void())
}

/// `.zero` of a destination names a source in memory; what a DSR holds is seen when it runs.
fn check_zero(dest: &Arg, args: &[Arg]) -> Result<()> {
    let Some(Value::Dsd(Dsd::FabOut(fabout))) = dest.value.known() else { return Ok(()) };
    let Some(zero) = fabout.zero else { return Ok(()) };
    let Some(source) = zero.position(args.len()) else {
        let help = "the only source is the second one: write `.zero = .{ .second_source = true }`";
        return Err(rules::ZERO_SOURCE.plain().at(dest.span).help(help));
    };
    match args[source].what {
        ArgumentKind::Dsd(DsdTy::Mem1d | DsdTy::Mem4d) | ArgumentKind::Dsr(_) => Ok(()),
        _ => Err(rules::ZERO_SOURCE.plain().at(dest.span).also(args[source].span, "this is the source")),
    }
}

/// The position of an input of `@map`, which takes only a dsr_src1.
const MAP_SOURCE: &str = "source of `@map`";

/// dsr_dest holds destinations, dsr_src1 sources, dsr_src0 either.
fn check_position(dsr: DsrRef, position: &str, arg: &Arg) -> Result<()> {
    let help = match (dsr.id.file, position) {
        (DsrFile::Dest | DsrFile::Src0, MAP_SOURCE) => "use a dsr_src1",
        (DsrFile::Dest, "source") => "use a dsr_src0 or a dsr_src1",
        (DsrFile::Src1, "destination") => "use a dsr_dest or a dsr_src0",
        _ => return Ok(()),
    };
    let facts: [(&str, &dyn std::fmt::Display); 2] = [("dsr", &dsr.id.file.name()), ("position", &position)];
    Err(arg.wrong(rules::DSR_POSITION.because(&facts).help(help)))
}

/// `wrong` is the fabric DSD that points the wrong way.
fn check_map_operand(arg: &Arg, ty: &Ty, wrong: DsdTy) -> Result<()> {
    if arg.what.is_vector() && !is_element(ty) {
        let want = "i16, i32, u16, u32, @fp16() or f32";
        let diag = rules::OPERAND_TYPE.because(&[("want", &want), ("have", ty)]);
        return Err(arg.wrong(diag.help("give the function a type for this that elements of a DSD can have")));
    }
    if arg.what.is_fifo() {
        return Err(arg.wrong(rules::MAP_FIFO.plain().help("move the elements to or from memory first")));
    }
    if arg.what == ArgumentKind::Dsd(wrong) {
        let (position, help) = match wrong {
            DsdTy::FabOut => ("input", "a fabout_dsd sends: read from memory or from a fabin_dsd"),
            _ => ("output", "a fabin_dsd receives: write to memory or to a fabout_dsd"),
        };
        let facts: [(&str, &dyn std::fmt::Display); 2] = [("dsd", &Ty::Dsd(wrong)), ("position", &position)];
        return Err(arg.wrong(rules::MAP_OPERAND.because(&facts).help(help)));
    }
    Ok(())
}

fn is_element(ty: &Ty) -> bool {
    let is_float = matches!(ty, Ty::Float(_));
    (is_float || matches!(ty, Ty::Int(_))) && matches!(ty.bits(), Some(16 | 32))
}

fn scalar_fits(elem: Elem, ty: &Ty) -> bool {
    match ty {
        Ty::Int(t) => elem.accepts(false, t.bits),
        Ty::Float(_) => ty.bits().is_some_and(|bits| elem.accepts(true, bits)),
        _ => false,
    }
}

fn wrong_operands(op: &DsdOp, span: Span) -> Diag {
    let mut c = rules::VECTOR_OPERANDS.because(&[("name", &op.name)]).at(span);
    for s in op.signatures() {
        c = c.note(format!("possible: `{s}`"));
    }
    c
}

/// The diagnostic about operands of no form. That a scalar destination is a pointer is easily forgotten.
fn wrong_form(sema: &Sema<'_>, op: &DsdOp, dest: &Arg, call: Call<'_>) -> Diag {
    let diag = wrong_operands(op, call.span);
    let to_pointer = op.signatures().into_iter().find(|form| form.contains("(*"));
    match to_pointer.filter(|_| dest.what == ArgumentKind::Scalar) {
        Some(form) => {
            let dest = sema.snippet(call.args[0]);
            diag.help(format!("give the destination by its address, `&{dest}`, in the form `{form}`"))
        }
        None => diag,
    }
}
