//! Modules of the library that are used in another way than their documentation asks for.

use super::eval::Return;
use super::operand::Operand;
use super::value::{FnRef, InstanceId, Value};
use super::walk::Sema;
use crate::diagnostics::rules::comptime::{MATH_AT_COMPTIME, TYPE_MISMATCH};
use crate::diagnostics::rules::run::{COLLECTIVE_INIT, MEMCPY_COLUMN, MEMCPY_PARAMS};
use crate::diagnostics::{Diag, Result};
use crate::source::Span;
use crate::value::ty::Ty;

/// Looks at the imports of the tile that is being compiled, when all its functions are known.
pub fn check(sema: &mut Sema<'_>) {
    let mut next = 0;
    while let Some(id) = sema.modules.nth(next) {
        next += 1;
        if let Some(diag) = misused(sema, id) {
            sema.report(diag);
        }
    }
}

/// The functions of `<math>` that the documents offer only to code that runs, without the type in their names.
const AT_RUN_TIME: [&str; 8] = ["cos", "exp", "inv", "invsqrt", "log", "pow", "sin", "sqrt"];

/// Further functions of `<math>` that take floats of any type.
const OF_FLOATS: [&str; 5] = ["ceil", "floor", "fscale", "sig", "tanh"];

/// Looks at the arguments of a function of the library.
pub fn check_arguments(sema: &mut Sema<'_>, f: FnRef, arguments: &[(Operand, Span)]) -> Result<()> {
    let (unit, decl) = sema.fn_unit(f);
    if !unit.library {
        return Ok(());
    }
    match (unit.path.to_str(), arguments) {
        (Some("<math>"), [first, ..]) => check_float(&unit.function(decl).name.name, first),
        (Some("<memcpy/get_params>"), [(Operand::Known(column), at)]) => check_column(sema, f, column, *at),
        _ => Ok(()),
    }
}

/// Refuses an argument of another type for a function of `<math>` that takes any float.
fn check_float(name: &str, (first, at): &(Operand, Span)) -> Result<()> {
    let ty = first.ty();
    let takes_floats = AT_RUN_TIME.contains(&name) || OF_FLOATS.contains(&name);
    if !takes_floats || matches!(ty, Ty::Float(_) | Ty::Error) {
        return Ok(());
    }
    let diag = TYPE_MISMATCH.because(&[("want", &"f16 or f32"), ("have", &ty)]).at(*at);
    Err(if ty.is_numeric() { diag.help("convert it: `@as(f32, ..)`") } else { diag })
}

/// Warns of a column that the connection to the host does not have.
fn check_column(sema: &mut Sema<'_>, f: FnRef, column: &Value, at: Span) -> Result<()> {
    let width = sema.instance(f.instance).params.get("width").and_then(Value::to::<i64>);
    let (Some(column), Some(width)) = (column.to::<i64>(), width) else { return Ok(()) };
    // An import for fewer columns than the rectangle has is told once, when the layout is complete.
    let columns = sema.layout.rectangle().map_or(width, |(columns, ..)| width.max(columns.into()));
    if (0..columns).contains(&column) || sema.unit().library {
        return Ok(());
    }
    let facts: [(&str, &dyn std::fmt::Display); 2] = [("column", &column), ("width", &width)];
    let diag = MEMCPY_COLUMN.because(&facts).at(at);
    let imported = sema.instance(f.instance).imported_at;
    let diag = imported.into_iter().fold(diag, |diag, at| diag.also(at, "imported for this width here"));
    sema.lint(diag.help(format!("give the column of the PE, from 0 to {}", width - 1)))
}

/// Looks at a call of a function of the library, before its arguments are evaluated.
pub fn check_call(sema: &mut Sema<'_>, f: FnRef, span: Span) -> Result<()> {
    let (unit, _) = sema.fn_unit(f);
    let is_own = unit.library && !sema.unit().library && sema.is_comptime();
    if is_own && unit.path.as_os_str() == "<math>" { check_math(sema, f, span) } else { Ok(()) }
}

/// Warns of a call of such a function that is evaluated at comptime because its place asks for it. A call in code that
/// runs may be evaluated, too, where its arguments are known.
fn check_math(sema: &mut Sema<'_>, f: FnRef, span: Span) -> Result<()> {
    let (unit, decl) = sema.fn_unit(f);
    let name = &unit.function(decl).name.name;
    let stem = name.strip_suffix("_f16").or_else(|| name.strip_suffix("_f32")).unwrap_or(name);
    let outermost = sema.eval.frames().iter().rev().find(|frame| !matches!(frame.ret, Return::Value(_)));
    if !AT_RUN_TIME.contains(&stem) || outermost.is_some_and(|frame| !frame.comptime) {
        return Ok(());
    }
    sema.lint(MATH_AT_COMPTIME.because(&[("name", name)]).at(span))
}

fn misused(sema: &Sema<'_>, id: InstanceId) -> Option<Diag> {
    let instance = sema.instance(id);
    // The library may know better.
    if sema.instance(instance.importer?).unit.library {
        return None;
    }
    let rule = match instance.unit.path.to_str()? {
        "<collectives_2d/pe>" if is_without_init(sema, id) => &COLLECTIVE_INIT,
        "<memcpy/memcpy>" if instance.params.is_empty() => &MEMCPY_PARAMS,
        _ => return None,
    };
    Some(rule.plain().at(instance.imported_at?))
}

/// Whether something calls an operation of this copy of `<collectives_2d/pe>`, but nothing its `init`.
fn is_without_init(sema: &Sema<'_>, id: InstanceId) -> bool {
    let names = &sema.instance(id).unit.names;
    let is_called = |name: &str| {
        let decl = names.get(name).copied();
        decl.is_some_and(|decl| sema.lower.functions.has(FnRef { instance: id, decl }))
    };
    // All operations begin alike.
    is_called("begin") && !is_called("init")
}
