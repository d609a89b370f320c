//! Operations that the language accepts and leaves undefined, or that do not do what they say.

use crate::arch::DsrId;
use crate::diagnostics::rules::run::MISSING_INDEX;
use crate::diagnostics::rules::{comptime, dsd as rules};
use crate::diagnostics::{Diag, Result};
use crate::dsd::{Dsd, FabOut, Mem};
use crate::image::code::{AsyncConfig, Completion, DsdOperand, DsdRef, DsrLoad, VectorOp};
use crate::sema::operand::Operand;
use crate::sema::unit::Global;
use crate::sema::value::{Pointee, Pointer, Value};
use crate::sema::walk::Sema;
use crate::source::Span;
use crate::value::ty::{ArrayTy, DsdTy, Ty};

/// A pointer through which something is written.
pub fn check_writable(pointer: &Ty, at: Span) -> Result<()> {
    match pointer {
        Ty::Ptr(p) if p.is_const => {
            let help = "point to a `var`";
            Err(comptime::CONST_ASSIGNMENT.plain().at(at).help(help))
        }
        _ => Ok(()),
    }
}

/// A vector that is written should not lie in a constant. Only a warning: the specification's own
/// programs do it (entry UB-002, ruling OQ-39).
pub fn check_dest(sema: &mut Sema<'_>, dest: &Operand, at: Span) {
    let constant = match dest.known() {
        Some(Value::Dsd(Dsd::Mem(mem))) => sema.lower.data.constant_at(mem.lo),
        _ => constant_at(sema, dest),
    };
    let Some(Global { name, span, .. }) = constant.cloned() else { return };
    sema.lower.data.write_constant(span);
    let diag = rules::CONST_DESTINATION.because(&[("name", &name)]).at(at);
    let diag = diag.also(span, "declared `const`");
    sema.report(diag.help(format!("declare `{name}` as `var`")));
}

/// The constant that a pointer leads to.
pub fn constant_at<'s>(sema: &'s Sema<'_>, pointer: &Operand) -> Option<&'s Global> {
    let Some(Value::Ptr(Pointer { to: Pointee::Global(id, _), .. })) = pointer.known() else {
        return None;
    };
    Some(sema.global(*id)).filter(|g| !g.is_var)
}

/// Every vector with `wavelet_index_offset` takes its offset from the operation (entry UB-011).
pub fn check_index<'a>(
    index: bool,
    operands: impl Iterator<Item = (&'a Operand, Span)>,
    at: Span,
) -> Result<()> {
    if index {
        return Ok(());
    }
    for (operand, span) in operands {
        let (Dsd::Mem(Mem { index_offset: true, .. }) | Dsd::FabOut(FabOut { index_offset: true, .. })) =
            (match operand.known() {
                Some(Value::Dsd(dsd)) => dsd,
                _ => continue,
            })
        else {
            continue;
        };
        return Err(MISSING_INDEX.plain().at(at).also(span, "this operand"));
    }
    Ok(())
}

/// Settings of an operation that have no effect, because they are not among those with which its
/// DSRs were loaded (entry UB-012).
pub fn ignored_settings(op: &VectorOp, dsds: &[Dsd], loads: &[DsrLoad]) -> Option<Diag> {
    let operands = || std::iter::once(&op.dest).chain(&op.sources);
    // `@dfilt` has a rule of its own for this.
    let is_filter = op.dest == DsdOperand::Nowhere;
    if is_filter || !op.config.is_async || operands().any(|operand| is_plain_fabric(operand, dsds)) {
        return None;
    }
    let registers: Vec<DsrId> = operands().filter_map(register).collect();
    let loads: Vec<&DsrLoad> = loads.iter().filter(|load| registers.contains(&load.dsr.id)).collect();
    let rules: Vec<&AsyncConfig> = loads.iter().map(|load| &load.config).filter(|c| c.is_async).collect();
    let setting = match op.config {
        _ if rules.is_empty() => "async",
        AsyncConfig { completion: Completion::Activate(_), .. } if rules.iter().all(|c| ends_silently(c)) => {
            "activate"
        }
        AsyncConfig { completion: Completion::Unblock(_), .. } if rules.iter().all(|c| ends_silently(c)) => {
            "unblock"
        }
        AsyncConfig { on_control: Some(_), .. } if rules.iter().all(|c| c.on_control.is_none()) => {
            "on_control"
        }
        _ => return None,
    };
    // A vector in memory takes no settings.
    let is_memory = |dsd: DsdRef| matches!(dsd, DsdRef::Const(n) if matches!(dsds[n as usize], Dsd::Mem(_)));
    let load = loads.iter().find(|load| !is_memory(load.dsd)).or(loads.first())?;
    Some(
        rules::IGNORED_SETTING
            .because(&[("setting", &setting), ("dsr", &load.dsr.id)])
            .at(op.span)
            .also(load.span, "it was loaded here")
            .help("put the setting into the load: a DSR keeps the settings it was loaded with"),
    )
}

/// Whether every DSR of an operation has a load.
pub fn are_loaded(op: &VectorOp, loads: &[DsrLoad]) -> bool {
    let mut registers = std::iter::once(&op.dest).chain(&op.sources).filter_map(register);
    registers.all(|dsr| loads.iter().any(|load| load.dsr.id == dsr))
}

fn ends_silently(config: &AsyncConfig) -> bool {
    config.completion == Completion::Nothing
}

fn register(operand: &DsdOperand) -> Option<DsrId> {
    match operand {
        DsdOperand::Dsd(DsdRef::Dsr(dsr)) => Some(dsr.id),
        _ => None,
    }
}

fn is_plain_fabric(operand: &DsdOperand, dsds: &[Dsd]) -> bool {
    match operand {
        DsdOperand::Dsd(DsdRef::Const(n)) => matches!(dsds[*n as usize], Dsd::FabIn(_) | Dsd::FabOut(_)),
        DsdOperand::Dsd(DsdRef::At(_, kind)) => matches!(kind, DsdTy::FabIn | DsdTy::FabOut),
        DsdOperand::Dsd(DsdRef::Dsr(_))
        | DsdOperand::Scalar(_)
        | DsdOperand::Pointer(_)
        | DsdOperand::Nowhere => false,
    }
}

/// A DSD over all elements of an array, as CSL writes it.
pub fn covering_dsd(array: &ArrayTy, name: &str) -> String {
    const VARIABLES: [&str; 4] = ["i", "j", "k", "l"];
    let Some(variables) = VARIABLES.get(..array.dims.len()) else {
        return "@get_dsd(mem4d_dsd, ..)".to_string();
    };
    let kind = if variables.len() == 1 { "mem1d_dsd" } else { "mem4d_dsd" };
    let variables = variables.join(", ");
    let lengths: Vec<_> = array.dims.iter().map(u32::to_string).collect();
    let access = format!("|{variables}|{{{}}} -> {name}[{variables}]", lengths.join(", "));
    format!("@get_dsd({kind}, .{{ .tensor_access = {access} }})")
}
