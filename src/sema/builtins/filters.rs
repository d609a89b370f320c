//! What keeps wavelets from a PE: filters of colors, and `@dfilt`.

use super::colors;
use super::dsrs::{self, check_queue};
use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::operands::{ArgumentKind, vector_arg};
use super::vectors;
use crate::arch::DsrFile;
use crate::diagnostics::Result;
use crate::diagnostics::rules::{comptime, dsd};
use crate::dsd::ops;
use crate::image::code::{DsdOperand, VectorOp};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::value::ty::DsdTy;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "get_filter_id", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@get_filter_id(color)",
        doc: "the number of the filter of a color",
        run: Run::Known(get_filter_id), ..USUAL },
    Builtin { name: "dfilt", takes: 2..=2, phase: Phase::Code,
        usage: "@dfilt(fabin, .{..})",
        doc: "drops data wavelets until enough control wavelets have arrived",
        run: Run::Operand(dfilt), ..USUAL },
];

/// A filter has the number of its color (docs/decisions.md).
fn get_filter_id(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Value> {
    if sema.layout.is_running() {
        let facts: [(&str, &dyn std::fmt::Display); 2] =
            [("name", &"@get_filter_id"), ("where", &"the code of a tile")];
        return Err(comptime::WRONG_PHASE.because(&facts).at(call.span));
    }
    let color = colors::color_arg(sema, call.args[0])?;
    sema.layout.use_filter(color, call.span);
    Ok(Value::u16(color.0.into()))
}

/// `@dfilt(fabin, .{ .async = true, .. })`
fn dfilt(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let arg = vector_arg(sema, call.args[0], None)?;
    let fits = match arg.what {
        ArgumentKind::Dsd(kind) => kind == DsdTy::FabIn,
        ArgumentKind::Dsr(d) => d.id.file == DsrFile::Src1 && !d.fifo,
        ArgumentKind::Pointer | ArgumentKind::Scalar => false,
    };
    if !fits {
        return Err(arg.wrong(dsd::DFILT_OPERAND.plain()).help("use a fabin_dsd or a dsr_src1"));
    }
    let settings = dsrs::settings(sema, call.args[1], None)?;
    let at = sema.span(call.args[1]);
    if !settings.run.is_async {
        return Err(dsd::DFILT_SYNC.plain().at(at).help("write `.async = true`"));
    }
    let extra = match (settings.index, settings.run.on_control) {
        (Some(_), _) => Some("index"),
        (None, Some(_)) => Some("on_control"),
        (None, None) => None,
    };
    if let Some(name) = extra {
        return Err(dsd::DFILT_SETTING.because(&[("name", &name)]).at(at).help("remove it"));
    }
    check_queue(&arg.value, arg.span)?;
    let source = vectors::vector_operand(sema, &arg)?;
    let row = ops::lookup("mov32").expect("the table has it");
    Ok(vectors::emit_vector(
        sema,
        VectorOp {
            op: row,
            dest: DsdOperand::Nowhere,
            sources: vec![source],
            config: settings.run,
            index: None,
            result: None,
            span: call.span,
        },
    ))
}
