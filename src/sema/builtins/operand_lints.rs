//! Operands of DSD operations that are probably not what was meant.

use super::operands::{Arg, ArgumentKind};
use crate::diagnostics::Result;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::dsd as rules;
use crate::dsd::ops::{self, DsdOp, Elem, Form};
use crate::dsd::{Dsd, ENDLESS};
use crate::sema::operand::{Addr, Base, Operand};
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::value::ty::{DsdTy, Ty};
use std::fmt::Display;

/// Functions of `<control>` that compute what a control wavelet carries.
const CONTROL_PAYLOADS: [&str; 3] =
    ["encode_control_task_payload(", "encode_single_payload(", "encode_payload("];

/// Looks at the operands of an operation.
pub fn check(
    sema: &mut Sema<'_>,
    (op, form): (&DsdOp, &Form),
    dest: &Arg,
    args: &[Arg],
    span: Span,
) -> Result<()> {
    same_register(sema, args)?;
    ignored_extent(sema, dest, args, span)?;
    control_payload(sema, dest, args, span)?;
    shift_amount(sema, op, args)?;
    let sources = form.sources.iter().zip(args).map(|(kind, arg)| (kind.elem(), arg));
    let operands: Vec<_> = std::iter::once((op.dest, dest)).chain(sources).collect();
    element_width(sema, op, &operands)
}

/// Two names of one register: what it was loaded with last is what both stand for.
fn same_register(sema: &mut Sema<'_>, args: &[Arg]) -> Result<()> {
    let register = |arg: &Arg| match arg.what {
        ArgumentKind::Dsr(dsr) => Some(dsr.id),
        _ => None,
    };
    for (n, second) in args.iter().enumerate() {
        let Some(id) = register(second) else { continue };
        let text = |arg: &Arg| sema.files.text(arg.span).to_string();
        let differ = |first: &&Arg| register(first) == Some(id) && text(first) != text(second);
        let Some(first) = args[..n].iter().find(differ) else { continue };
        let facts: [(&str, &dyn Display); 3] =
            [("one", &text(first)), ("other", &text(second)), ("dsr", &id)];
        let diag = second.wrong(rules::DSR_SHARED.because(&facts));
        let diag = first.declared.into_iter().fold(diag, |diag, at| diag.also(at, "and here"));
        sema.lint(diag)?;
    }
    Ok(())
}

/// The first source with a length decides how many elements there are, whatever a fabric DSD says.
fn ignored_extent(sema: &mut Sema<'_>, dest: &Arg, args: &[Arg], span: Span) -> Result<()> {
    let length = |arg: &Arg| match arg.value.known()? {
        Value::Dsd(Dsd::Mem(mem)) => Some(mem.length()),
        Value::Dsd(Dsd::FabIn(fabin)) => Some(fabin.extent.into()),
        Value::Dsd(Dsd::FabOut(fabout)) => Some(fabout.extent.into()),
        _ => None,
    };
    let mut vectors = args.iter().chain([dest]).filter(|arg| arg.what != ArgumentKind::Scalar);
    let Some(deciding) = vectors.next() else { return Ok(()) };
    let Some(count) = length(deciding).filter(|count| *count != 0 && *count != u32::from(ENDLESS)) else {
        return Ok(());
    };
    for arg in vectors.filter(|arg| matches!(arg.what, ArgumentKind::Dsd(DsdTy::FabIn | DsdTy::FabOut))) {
        let Some(extent) = length(arg) else { continue };
        // Official examples write 1 where it does not matter.
        if extent == count || extent <= 1 || extent == u32::from(ENDLESS) {
            continue;
        }
        let [count, extent] = [count, extent].map(|n| grouped(n.into()));
        let facts: [(&str, &dyn Display); 2] = [("count", &count), ("extent", &extent)];
        let diag = rules::EXTENT_IGNORED.because(&facts).at(arg.declared.unwrap_or(span));
        // The two lengths come first: one of them is wrong.
        let deciding = deciding.declared.map(|at| (at, format!("this one decides: it has {count}")));
        let diag = deciding.into_iter().fold(diag, |diag, (at, text)| diag.also(at, text));
        let op = arg.declared.map(|_| span);
        sema.lint(op.into_iter().fold(diag, |diag, op| diag.also(op, "in this operation")))?;
    }
    Ok(())
}

/// What is computed for a control wavelet, sent by a DSD without `.control`.
fn control_payload(sema: &mut Sema<'_>, dest: &Arg, args: &[Arg], span: Span) -> Result<()> {
    let Some(Value::Dsd(Dsd::FabOut(fabout))) = dest.value.known() else { return Ok(()) };
    if fabout.control || fabout.control_transform {
        return Ok(());
    }
    let is_payload = |arg: &&Arg| {
        let text = match arg.declared {
            Some(at) => declaration_text(&sema.files.sources().file(at.file).text, at),
            None => sema.files.text(arg.span),
        };
        arg.what == ArgumentKind::Scalar && CONTROL_PAYLOADS.iter().any(|name| text.contains(name))
    };
    let Some(payload) = args.iter().find(is_payload) else { return Ok(()) };
    // One DSD without `.control` is one mistake, wherever it is used.
    if let Some(at) = dest.declared {
        if sema.uses.has_named(at) {
            return Ok(());
        }
        sema.uses.note_named(at);
    }
    let diag = rules::CONTROL_PAYLOAD.plain().at(span);
    let diag =
        payload.declared.into_iter().fold(diag, |diag, at| diag.also(at, "this is for a control wavelet"));
    let diag = dest.declared.into_iter().fold(diag, |diag, at| diag.also(at, "this DSD sends data"));
    sema.lint(diag)
}

/// A known number of bits by which elements are shifted.
fn shift_amount(sema: &mut Sema<'_>, op: &DsdOp, args: &[Arg]) -> Result<()> {
    let (true, Some(by)) = (matches!(op.name, "sar16" | "sll16" | "slr16"), args.last()) else {
        return Ok(());
    };
    let amount = by.value.known().and_then(Value::to::<i128>).filter(|_| by.what == ArgumentKind::Scalar);
    let Some(amount) = amount.filter(|amount| !(0..16).contains(amount)) else { return Ok(()) };
    let diag = rules::DSD_SHIFT_TOO_FAR.because(&[("op", &op.name), ("amount", &amount)]).at(by.span);
    sema.lint(diag)
}

/// A declaration, of which perhaps only the name is known.
fn declaration_text(text: &str, at: Span) -> &str {
    text.get(at.lo as usize..).and_then(|rest| rest.split(';').next()).unwrap_or_default()
}

/// An operation on elements of one width, and an array of elements of the other.
fn element_width(sema: &mut Sema<'_>, op: &DsdOp, operands: &[(Elem, &Arg)]) -> Result<()> {
    let wrong = operands.iter().find_map(|(elem, arg)| {
        let Some(Value::Dsd(Dsd::Mem(mem))) = arg.value.known() else { return None };
        let global = sema.lower.data.vector_at(mem.lo)?;
        let Ty::Array(array) = &global.ty else { return None };
        let ty = &array.elem;
        let is_narrow = elem.words() == 1 && matches!(ty, Ty::Int(_) | Ty::Float(_)) && ty.words() == Some(2);
        // Copies also carry two small elements as one: an official example does (fft-1d-2d).
        let is_wide =
            elem.is_float() && elem.words() == 2 && matches!(ty, Ty::Float(_)) && ty.words() == Some(1);
        let is_other = is_narrow || is_wide && !op.copies();
        (is_other && !is_reinterpreted(sema, arg)).then_some((elem, arg, global, ty))
    });
    let Some((elem, arg, global, ty)) = wrong else { return Ok(()) };
    let bits = u32::from(elem.words()) * 16;
    let facts: [(&str, &dyn Display); 4] =
        [("op", &op.name), ("bits", &bits), ("name", &global.name), ("type", ty)];
    let diag = rules::ELEMENT_WIDTH.because(&facts).at(arg.span);
    let diag = diag.also(global.span, format!("its elements are {ty}"));
    let diag = match of_other_width(op.name) {
        Some(other) => diag.help(format!("write `@{other}`, or convert the array first")),
        None => diag,
    };
    sema.lint(diag)
}

/// The operation that does the same with elements of the other width.
fn of_other_width(name: &str) -> Option<String> {
    let pairs = [("h", "s"), ("s", "h"), ("16", "32"), ("32", "16")];
    let of_pair = |(own, other): (&str, &str)| name.strip_suffix(own).map(|stem| format!("{stem}{other}"));
    pairs.into_iter().filter_map(of_pair).find(|other| ops::lookup(other).is_some())
}

/// An offset that is counted in elements of another width than those of the array.
pub fn offset_width(sema: &mut Sema<'_>, dsd: &Operand, argument: ExprId, ty: &Ty, at: Span) -> Result<()> {
    let (declared, value) = match dsd {
        Operand::Known(v) => (None, v.clone()),
        Operand::Mem(Addr { base: Base::Global(id), off: 0 }, _) => {
            let global = sema.global(*id);
            (Some(global.span), global.value.clone())
        }
        Operand::Mem(..) | Operand::Reg(..) | Operand::Parts(..) => return Ok(()),
    };
    let Value::Dsd(Dsd::Mem(mem)) = value else { return Ok(()) };
    let unit = sema.unit();
    let initial = match &unit.file.expr(argument).kind {
        ExprKind::Name(name) => sema.frame().initial_value(name).map(|init| sema.span(init)),
        _ => Some(sema.span(argument)),
    };
    let is_cast = |at: Span| sema.files.text(at).contains("ptrcast");
    let Some(global) = sema.lower.data.vector_at(mem.lo) else { return Ok(()) };
    let Ty::Array(array) = &global.ty else { return Ok(()) };
    let is_same = array.elem.words() == ty.words() || !array.elem.is_numeric();
    if is_same || initial.or(declared).is_none_or(is_cast) {
        return Ok(());
    }
    let bits = ty.words().unwrap_or(1) * 16;
    let facts: [(&str, &dyn Display); 4] =
        [("op", &"increment_dsd_offset"), ("bits", &bits), ("name", &global.name), ("type", &array.elem)];
    let diag = rules::ELEMENT_WIDTH.because(&facts).at(at);
    let diag = diag.also(global.span, format!("its elements are {}", array.elem));
    let help = format!("write {}: the offset counts elements of this type", array.elem);
    sema.lint(diag.help(help))
}

/// Whether the declaration of a DSD says that it takes the memory for something else than the variable there.
fn is_reinterpreted(sema: &Sema<'_>, arg: &Arg) -> bool {
    let text = match arg.original {
        Some(at) => declaration_text(&sema.files.sources().file(at.file).text, at),
        None => sema.files.text(arg.span),
    };
    ["ptrcast", "base_address"].iter().any(|word| text.contains(word))
}
