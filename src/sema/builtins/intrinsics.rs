//! Requests to the PE: `@__intrinsic` of the library, and the builtins that the table of requests has.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::{arguments, conversions};
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::image::code::{Intrinsic, Op};
use crate::image::intrinsics::IntrinsicRow;
use crate::sema::operand::Operand;
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::value::ty::Ty;

/// The entry of each builtin that is nothing but a request.
pub fn builtins() -> impl Iterator<Item = Builtin> {
    Intrinsic::ALL.iter().filter_map(|row| {
        let (usage, doc) = row.builtin?;
        let name = usage.trim_start_matches('@').split('(').next().unwrap_or_default();
        let takes = row.params.len()..=row.params.len();
        Some(Builtin { name, takes, phase: Phase::Code, usage, doc, run: Run::Intrinsic(row), ..USUAL })
    })
}

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "__intrinsic", takes: 1..=8, phase: Phase::Code,
        usage: "@__intrinsic(comptime name, ..)",
        doc: "library: runs an intrinsic of `image::intrinsics`; arguments are converted to its types",
        run: Run::Operand(intrinsic_by_name), ..USUAL },
];

fn intrinsic_by_name(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let name = arguments::known_str(sema, call.args[0])?;
    let row = Intrinsic::ALL.iter().find(|row| row.name == name);
    let row = row.ok_or_else(|| rules::UNKNOWN_BUILTIN.because(&[("name", &name)]).at(call.span))?;
    let mut args = Vec::new();
    for (a, ty) in call.args[1..].iter().zip(row.params) {
        let at = sema.span(*a);
        let v = sema.value_near(*a, ty)?;
        args.push(conversions::convert(sema, v, ty, at)?);
    }
    intrinsic(sema, row.id, &args, row.result.clone(), call.span)
}

/// A builtin that is nothing but a request.
pub(super) fn ask(sema: &mut Sema<'_>, row: &IntrinsicRow, call: Call<'_>) -> Result<Operand> {
    let args = call.args.iter().zip(row.params).map(|(a, ty)| sema.value_as(*a, ty));
    let args = args.collect::<Result<Vec<_>>>()?;
    intrinsic(sema, row.id, &args, row.result.clone(), call.span)
}

/// Writes a request.
pub fn intrinsic(
    sema: &mut Sema<'_>,
    id: Intrinsic,
    args: &[Operand],
    ret: Ty,
    span: Span,
) -> Result<Operand> {
    let regs = args.iter().map(|v| sema.reg_of(v, span)).collect::<Result<Vec<_>>>()?;
    let base = sema.b().reg();
    for _ in 1..regs.len() {
        sema.b().reg();
    }
    for (i, a) in regs.into_iter().enumerate() {
        sema.b().emit(Op::Mov { d: base + i as u16, a });
    }
    sema.b().emit(Op::Intrinsic { id, base });
    Ok(if ret == Ty::Void { Operand::void() } else { Operand::Reg(base, ret) })
}
