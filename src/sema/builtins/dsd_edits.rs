//! What makes a new DSD of an old one.

use super::choices::instead_of;
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::operand_lints;
use crate::arch::{ArchName, Color, InQueue, OutQueue};
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::diagnostics::{At, Diag, Result, Rule};
use crate::dsd::Dsd;
use crate::image::Descriptor;
use crate::image::code::{DsdEdit, Op};
use crate::sema::declared::with_declaration;
use crate::sema::eval::{Eval, ExprValue};
use crate::sema::operand::{Addr, Base, Operand, Place};
use crate::sema::value::{Pointee, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::{DsdTy, IntTy, Ty};

/// Changes to a template that depend on run-time values.
pub type Edits = Vec<(DsdEdit, Operand)>;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "set_dsd_base_addr", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@set_dsd_base_addr(dsd, pointer)",
        doc: "the DSD at another base address",
        run: Run::Operand(set_base), ..USUAL },
    Builtin { name: "set_dsd_base_address", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@set_dsd_base_address(dsd, pointer)",
        doc: "the DSD at another base address",
        run: Run::Operand(set_base), ..USUAL },
    Builtin { name: "increment_dsd_offset", takes: 3..=3, phase: Phase::Anywhere,
        usage: "@increment_dsd_offset(dsd, n, T)",
        doc: "the DSD moved by n elements of type T",
        run: Run::Operand(increment), ..USUAL },
    Builtin { name: "set_dsd_length", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@set_dsd_length(dsd, n)",
        doc: "the DSD with another length",
        run: Run::Operand(set_length), ..USUAL },
    Builtin { name: "set_dsd_stride", takes: 2..=2, phase: Phase::Anywhere,
        usage: "@set_dsd_stride(dsd, n)",
        doc: "the DSD with another stride",
        run: Run::Operand(set_stride), ..USUAL },
];

/// A DSD with changes: folded if all are known.
pub(super) fn edited(sema: &mut Sema<'_>, dsd: Operand, edits: Edits, span: Span) -> Result<Operand> {
    let (mut dsd, mut edits) = (dsd, edits);
    let origin = sema.lower.tile.origin(span);
    if let Operand::Known(Value::Dsd(d)) = &dsd {
        let mut d = *d;
        while let Some((edit, Operand::Known(v))) = edits.first() {
            fold_edit(sema, &mut d, *edit, &v.clone()).at(span)?;
            edits.remove(0);
            if let Dsd::Mem(m) = &mut d {
                m.origin = origin;
            }
        }
        dsd = Operand::Known(Value::Dsd(d));
    }
    keep_descriptor(sema, &dsd, &edits, span);
    if edits.is_empty() {
        return Ok(dsd);
    }
    if sema.is_comptime() {
        return Err(comptime::NOT_COMPTIME.because(&[("what", &"a property of this DSD")]).at(span));
    }
    let ty = dsd.ty();
    let (addr, in_place) = match dsd {
        Operand::Mem(addr, _) if sema.lower.is_stored_at(span, addr) => (addr, true),
        _ => {
            let addr = sema.lower.temporary(&ty, span)?;
            sema.store_at(addr, &dsd, span)?;
            (addr, false)
        }
    };
    for (edit, v) in edits {
        let b = sema.reg_of(&v, span)?;
        let a = sema.lower.addr_reg(addr)?;
        sema.b().emit(Op::EditDsd { a, b, edit, origin, in_place });
    }
    Ok(Operand::Mem(addr, ty))
}

/// Keeps a DSD for `cslrun dsd`.
fn keep_descriptor(sema: &mut Sema<'_>, dsd: &Operand, edits: &Edits, span: Span) {
    let Operand::Known(Value::Dsd(dsd)) = dsd else { return };
    if !sema.options.keep_descriptors {
        return;
    }
    let open = edits.iter().map(|(edit, _)| edit.name().to_string()).collect();
    let kept = Descriptor { span, dsd: *dsd, open };
    let all = &mut sema.lower.tile.image.descriptors;
    if !all.contains(&kept) {
        all.push(kept);
    }
}

fn fold_edit(sema: &mut Sema<'_>, d: &mut Dsd, edit: DsdEdit, v: &Value) -> Result<()> {
    let number = v.as_integer().and_then(|n| n.to_i128()).unwrap_or(0);
    match (edit, d) {
        (DsdEdit::Base, Dsd::Mem(m)) => {
            let Value::Ptr(p) = v else { return Err(comptime::REPORTED.plain()) };
            m.base = sema.pointer_address(p.to)?;
            (m.lo, m.hi) = bounds(sema, p.to)?;
            m.has_soft_bounds = false;
        }
        (DsdEdit::Offset { words }, Dsd::Mem(m)) => {
            m.base = (i128::from(m.base) + number * i128::from(words)) as u16;
        }
        (DsdEdit::Length, Dsd::Mem(m)) => m.extent[0] = number as u16,
        (DsdEdit::Length, Dsd::FabIn(f)) => f.extent = number as u16,
        (DsdEdit::Length, Dsd::FabOut(f)) => f.extent = number as u16,
        (DsdEdit::Stride, Dsd::Mem(m)) => m.step[0] = number as i16,
        (DsdEdit::Color, Dsd::FabIn(f)) => f.color = Color::numbered(number as u16),
        (DsdEdit::Color, Dsd::FabOut(f)) => f.color = Color::numbered(number as u16),
        (DsdEdit::Queue, Dsd::FabIn(f)) => f.queue = Some(InQueue(number as u8)),
        (DsdEdit::Queue, Dsd::FabOut(f)) => f.queue = Some(OutQueue(number as u8)),
        (DsdEdit::Base | DsdEdit::Offset { .. } | DsdEdit::Length | DsdEdit::Stride, _)
        | (DsdEdit::Color | DsdEdit::Queue, _) => {
            unreachable!("the kind of the DSD has been checked for {edit:?}")
        }
    }
    Ok(())
}

/// The words of the tensor behind a pointer.
fn bounds(sema: &mut Sema<'_>, to: Pointee) -> Result<(u16, u16)> {
    Ok(match to {
        Pointee::Global(id, _) => {
            let lo = sema.place_global(id)?;
            let words = sema.global(id).ty.words().unwrap_or(0);
            (lo, (u32::from(lo) + words).min(sema.arch.memory_words) as u16)
        }
        _ => (0, sema.arch.memory_words as u16),
    })
}

/// A DSD argument.
fn dsd_arg(sema: &mut Sema<'_>, id: ExprId) -> Result<(Operand, DsdTy)> {
    let at = sema.span(id);
    let v = sema.value(id, None)?;
    match v.ty() {
        Ty::Dsd(kind) => Ok((v, kind)),
        other => {
            let c = comptime::TYPE_MISMATCH.because(&[("want", &"a DSD"), ("have", &other)]).at(at);
            Err(with_declaration(sema.frame(), c, id))
        }
    }
}

/// A pointer argument; a global array stands for its address.
pub fn pointer_arg(sema: &mut Sema<'_>, id: ExprId) -> Result<Operand> {
    let at = sema.span(id);
    match sema.expr(id, None)? {
        ExprValue::Place(Place::Memory {
            addr: Addr { base: Base::Global(g), off: 0 },
            ty: Ty::Array(_),
            ..
        }) => Ok(Operand::Known(sema.lower.data.pointer_to(g))),
        ev => {
            let v = sema.value_of(ev, at)?;
            match v.ty() {
                Ty::Ptr(_) => Ok(v),
                other => Err(with_declaration(sema.frame(), not_a_base(&other).at(at), id)),
            }
        }
    }
}

fn set_base(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (dsd, kind) = dsd_arg(sema, call.args[0])?;
    only_memory(sema, "set_dsd_base_addr", kind, call.args[0])?;
    let ptr = tensor_arg(sema, call.args[1])?;
    edited(sema, dsd, vec![(DsdEdit::Base, ptr)], call.span)
}

/// Checks a base address; the words of one element behind it.
pub(super) fn base_address(base: &Operand, at: Span) -> Result<u8> {
    let ty = base.ty();
    let bad = || not_a_base(&ty).at(at);
    let Ty::Ptr(p) = &ty else { return Err(bad()) };
    let elem = match &p.to {
        Ty::Array(a) => &a.elem,
        other => other,
    };
    if elem.is_byte() && matches!(elem, Ty::Int(_)) {
        let diag = rules::DSD_ELEMENT.because(&[("type", elem)]).at(at);
        return Err(diag.help("give the array elements of 16 or 32 bits"));
    }
    elem.words().filter(|w| matches!(w, 1 | 2)).map(|w| w as u8).ok_or_else(bad)
}

/// An array, or a pointer to one, of elements that a DSD can have.
fn tensor_arg(sema: &mut Sema<'_>, id: ExprId) -> Result<Operand> {
    let at = sema.span(id);
    let ptr = pointer_arg(sema, id)?;
    match ptr.ty() {
        Ty::Ptr(p) if p.many || matches!(p.to, Ty::Array(_)) => base_address(&ptr, at).map(|_| ptr),
        // A pointer to a single value does not say that others follow it.
        Ty::Ptr(p) if p.to.is_numeric() => {
            let help =
                format!("write `@ptrcast([*]{}, {})` if an array begins there", p.to, sema.snippet(id));
            Err(rules::DSD_BASE.because(&[("type", &ptr.ty())]).at(at).help(help))
        }
        other => Err(not_a_base(&other).at(at)),
    }
    .map_err(|c| with_declaration(sema.frame(), c, id))
}

fn only_memory(sema: &Sema<'_>, name: &str, kind: DsdTy, arg: ExprId) -> Result<()> {
    match kind {
        DsdTy::Mem1d | DsdTy::Mem4d => Ok(()),
        DsdTy::Circbuf => {
            let help = "make a new circular buffer with `@get_dsd(circbuf_dsd, ..)`";
            Err(not_for(&sema.eval, name, kind, arg).help(help))
        }
        DsdTy::FabIn | DsdTy::FabOut | DsdTy::Fifo => {
            Err(not_for(&sema.eval, name, kind, arg).help("give it a mem1d_dsd or a mem4d_dsd"))
        }
    }
}

fn not_for(eval: &Eval, name: &str, kind: DsdTy, arg: ExprId) -> Diag {
    let c = rules::DSD_EDIT.because(&[("name", &name), ("dsd", &Ty::Dsd(kind))]).at(eval
        .frame()
        .unit
        .file
        .expr(arg)
        .span);
    with_declaration(eval.frame(), c, arg)
}

/// A number that a DSD is changed by, of a type with few bits.
fn edit_number(sema: &mut Sema<'_>, arg: ExprId, ty: &Ty, rule: &'static Rule) -> Result<Operand> {
    let at = sema.span(arg);
    let v = sema.value(arg, Some(ty))?;
    let given = v.clone();
    sema.coerce(v, ty, at).map_err(|c| match given {
        Operand::Known(v) => {
            let own = rule
                .because(&[("value", &v)])
                .for_good()
                .help(format!("write a number from {}", range_of(ty)));
            instead_of(&comptime::INTEGER_OVERFLOW, c, own)
        }
        _ => c,
    })
}

fn increment(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (dsd, kind) = dsd_arg(sema, call.args[0])?;
    only_memory(sema, "increment_dsd_offset", kind, call.args[0])?;
    let n = edit_number(sema, call.args[1], &Ty::I16, &rules::BAD_OFFSET)?;
    let at = sema.span(call.args[2]);
    let ty = sema.ty(call.args[2])?;
    let words = ty.bits().filter(|bits| matches!(bits, 16 | 32) && ty.is_numeric()).map(|b| b / 16);
    let words = words.ok_or_else(|| {
        let help = "write `u16`, `i16`, `f16`, `u32`, `i32` or `f32`";
        rules::DSD_ELEMENT.because(&[("type", &ty)]).at(at).help(help)
    })?;
    operand_lints::offset_width(sema, &dsd, call.args[0], &ty, at)?;
    edited(sema, dsd, vec![(DsdEdit::Offset { words: words as u8 }, n)], call.span)
}

fn set_length(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (dsd, kind) = dsd_arg(sema, call.args[0])?;
    if matches!(kind, DsdTy::Mem4d | DsdTy::Fifo) {
        return Err(not_for(&sema.eval, "set_dsd_length", kind, call.args[0]).help(match kind {
            DsdTy::Fifo => "use `@set_fifo_read_length` or `@set_fifo_write_length`",
            _ => "it has several lengths: make a new one with `@get_dsd`",
        }));
    }
    let n = edit_number(sema, call.args[1], &Ty::U16, &rules::BAD_EXTENT)?;
    edited(sema, dsd, vec![(DsdEdit::Length, n)], call.span)
}

fn set_stride(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (dsd, kind) = dsd_arg(sema, call.args[0])?;
    if kind != DsdTy::Mem1d {
        let c = not_for(&sema.eval, "set_dsd_stride", kind, call.args[0]);
        return Err(c.help("only a mem1d_dsd has a single stride: make a new DSD with `@get_dsd`"));
    }
    let v = sema.value(call.args[1], Some(&Ty::I16))?;
    let n = stride(sema, v, true, sema.span(call.args[1]))?;
    edited(sema, dsd, vec![(DsdEdit::Stride, n)], call.span)
}

/// A stride: 16 bits, though the documents give that of a mem1d_dsd (`is_short`) 8. A public program for WSE-3
/// reads with longer ones; whether WSE-2 has them is not known (ruling OQ-20).
pub fn stride(sema: &mut Sema<'_>, v: Operand, is_short: bool, at: Span) -> Result<Operand> {
    let fits = match &v {
        Operand::Known(v) => v.to::<i8>().is_some(),
        v => sema.coerce(v.clone(), &Ty::int(true, 8), at).is_ok(),
    };
    let shown = v.known().map_or_else(|| format!("type {}", v.ty()), |v| v.to_string());
    let v = sema.coerce(v, &Ty::I16, at)?;
    if is_short && !fits && sema.arch.name == ArchName::Wse2 {
        let diag = rules::BAD_STRIDE.because(&[("value", &shown)]).at(at);
        sema.lint(diag.note("WSE-3 takes 16 bits; whether WSE-2 does is not known"))?;
    }
    Ok(v)
}

/// The numbers of an integer type, in words.
fn range_of(ty: &Ty) -> String {
    let Ty::Int(IntTy { signed, bits }) = ty else { return "a number".to_string() };
    let all = 1i128 << bits;
    if *signed { format!("{} to {}", -all / 2, all / 2 - 1) } else { format!("0 to {}", all - 1) }
}

fn not_a_base(ty: &Ty) -> Diag {
    rules::DSD_BASE.because(&[("type", ty)]).help("write an array, or a pointer to one: `&array`")
}

#[cfg(test)]
mod tests {
    use crate::image::Op;
    use crate::sema::tests::tile;

    /// The copies of a task with one statement, and whether its change of a DSD is in place.
    fn of_statement(statement: &str) -> (usize, bool) {
        let program = format!(
            "var a: [8]f32;\nconst first = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{2}} -> a[i] }});\n\
             var d = first;\nvar e = first;\nvar list = [2]mem1d_dsd {{ first, first }};\nvar n: i16 = 1;\n\
             task main() void {{ {statement} }}\n\
             comptime {{ const id = @get_local_task_id(8); @bind_local_task(main, id); @activate(id); }}\n"
        );
        let tile = tile(&program);
        let main = tile.functions.iter().find(|f| f.name == "main").expect("the task");
        let copies = main.code.iter().filter(|op| matches!(op, Op::Copy { .. })).count();
        (copies, main.code.iter().any(|op| matches!(op, Op::EditDsd { in_place: true, .. })))
    }

    #[test]
    fn a_variable_that_takes_its_own_changed_value_is_not_copied() {
        assert_eq!(of_statement("d = @increment_dsd_offset(d, n, f32);"), (0, true));
        assert_eq!(of_statement("list[1] = @set_dsd_length(list[1], @as(u16, n));"), (0, true));
        assert_eq!(of_statement("e = d; d = @increment_dsd_offset(e, n, f32);"), (3, false));
        assert_eq!(of_statement("list[1] = @increment_dsd_offset(list[0], n, f32);"), (2, false));
        // The inner value lies in no variable.
        let nested = "d = @increment_dsd_offset(@set_dsd_length(d, @as(u16, n)), n, f32);";
        assert_eq!(of_statement(nested), (3, false));
        let element = "list[@as(u16, n)] = @increment_dsd_offset(list[@as(u16, n)], n, f32);";
        assert_eq!(of_statement(element), (2, false));
    }
}
