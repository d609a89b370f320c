//! The configuration space.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use super::{arguments, intrinsics};
use crate::arch::config::{ConfigWord, PeBlock};
use crate::diagnostics::rules::{run, tasks as rules};
use crate::diagnostics::{Diag, Result};
use crate::image::code::{Intrinsic, Op};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::walk::Sema;
use crate::value::ty::Ty;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "get_config", takes: 1..=2, phase: Phase::BlockOrCode,
        usage: "@get_config(address, ranges)",
        doc: "reads a configuration register",
        run: Run::Operand(get_config), ..USUAL },
    Builtin { name: "get_config_unchecked", takes: 1..=1, phase: Phase::Code,
        usage: "@get_config_unchecked(address)",
        doc: "reads a configuration register",
        run: Run::Operand(get_config), ..USUAL },
    Builtin { name: "set_config", takes: 2..=3, phase: Phase::BlockOrCode,
        usage: "@set_config(address, value, ranges)",
        doc: "writes a configuration register",
        run: Run::Operand(set_config), ..USUAL },
    Builtin { name: "set_config_unchecked", takes: 2..=2, phase: Phase::Code,
        usage: "@set_config_unchecked(address, value)",
        doc: "writes a configuration register",
        run: Run::Operand(set_config), ..USUAL },
    Builtin { name: "__config_address", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@__config_address(comptime name) u16",
        doc: "library: the word address of a block of configuration registers (`arch::config`)",
        run: Run::Operand(config_address), ..USUAL },
];

fn get_config(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    if sema.is_comptime() {
        return initial_config(sema, call);
    }
    let address = config_operand(sema, call, 0)?;
    check_ranges(sema, call, 1, &address)?;
    intrinsics::intrinsic(sema, Intrinsic::ConfigRead, &[address], Ty::U16, call.span)
}

fn set_config(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    if sema.is_comptime() {
        return set_initial_config(sema, call);
    }
    let address = config_operand(sema, call, 0)?;
    let value = config_operand(sema, call, 1)?;
    check_ranges(sema, call, 2, &address)?;
    intrinsics::intrinsic(sema, Intrinsic::ConfigWrite, &[address, value], Ty::Void, call.span)
}

/// `@get_config` in a comptime block: what the PE begins with.
fn initial_config(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (address, block) = initial_register(sema, call, 1, HAS_NO_VALUE)?;
    let set = sema.lower.tile.image.initial_config.iter().rev().find(|(a, _)| *a == address);
    // A word without a model is 0 until something writes it, as at run time.
    let initial = block.map_or(Some(0), PeBlock::initial);
    let value = set.map(|(_, value)| *value).or(initial);
    let value = value.ok_or_else(|| not_before_the_start(address, HAS_NO_VALUE).at(call.span))?;
    warn_of_no_model(sema, call, address, block)?;
    Ok(Operand::Known(Value::u16(value)))
}

/// `@set_config` in a comptime block.
fn set_initial_config(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let (address, block) = initial_register(sema, call, 2, CANNOT_BE_SET)?;
    let value = sema.known_as(call.args[1], &Ty::U16)?.to::<u16>().unwrap_or_default();
    if block.is_some_and(|block| block.initial().is_none()) {
        return Err(not_before_the_start(address, CANNOT_BE_SET).at(call.span));
    }
    if block == Some(PeBlock::ExceptionMask) && Some(value) != PeBlock::ExceptionMask.initial() {
        sema.lint(run::UNMASKED_EXCEPTION.plain().at(call.span))?;
    }
    warn_of_no_model(sema, call, address, block)?;
    sema.lower.tile.image.initial_config.push((address, value));
    Ok(Operand::void())
}

/// A word that a comptime block names, and the register of the PE that it is: `None` if it has no model. `n` is the place
/// of the ranges.
fn initial_register(
    sema: &mut Sema<'_>,
    call: Call<'_>,
    n: usize,
    fault: &str,
) -> Result<(u16, Option<PeBlock>)> {
    let at = sema.span(call.args[0]);
    let known = sema.known_as(call.args[0], &Ty::U16)?;
    let address = known.to::<u16>().unwrap_or_default();
    check_ranges(sema, call, n, &Operand::Known(known))?;
    match ConfigWord::at(sema.arch.name, address) {
        Some(ConfigWord::Pe(block, _)) => Ok((address, Some(block))),
        Some(_) => Err(not_before_the_start(address, fault)
            .at(at)
            .help("routes, switches and filters are set with `@set_local_color_config`")),
        None => Ok((address, None)),
    }
}

/// A word without a model has no effect.
fn warn_of_no_model(sema: &mut Sema<'_>, call: Call<'_>, address: u16, block: Option<PeBlock>) -> Result<()> {
    let at = sema.span(call.args[0]);
    match block {
        Some(_) => Ok(()),
        None => sema.lint(run::UNKNOWN_CONFIG.because(&[("address", &format!("{address:#06x}"))]).at(at)),
    }
}

/// The address or value of an access by the running program.
fn config_operand(sema: &mut Sema<'_>, call: Call<'_>, n: usize) -> Result<Operand> {
    let at = sema.span(call.args[n]);
    let v = sema.value_near(call.args[n], &Ty::U16)?;
    sema.coerce(v, &Ty::U16, at)
}

/// A known address must lie in one of the inclusive ranges, if the call has any.
fn check_ranges(sema: &mut Sema<'_>, call: Call<'_>, n: usize, address: &Operand) -> Result<()> {
    let Some(ranges) = call.args.get(n) else { return Ok(()) };
    let at = sema.span(*ranges);
    let ranges = sema.known(*ranges)?;
    let all = config_ranges(&ranges)
        .ok_or_else(|| rules::CONFIG_RANGES.plain().at(at).help("write `.{ first, last }`, both included"))?;
    let Some(known) = address.known().and_then(|v| v.to::<u16>()) else {
        let ends = all.iter().copied().reduce(|(low, high), (l, h)| (low.min(l), high.max(h)));
        let a = sema.reg_of(address, at)?;
        let (low, high) = ends.unwrap_or((0, u16::MAX));
        sema.b().emit(Op::CheckConfig { a, low, high });
        return Ok(());
    };
    match Some(known).filter(|a| !all.iter().any(|(low, high)| (*low..=*high).contains(a))) {
        Some(outside) => {
            let c = rules::CONFIG_OUTSIDE.because(&[("address", &format!("{outside:#06x}"))]);
            let c = c.at(sema.span(call.args[0])).also(at, "the ranges of this access");
            sema.lint(c)
        }
        None => Ok(()),
    }
}

fn config_address(sema: &mut Sema<'_>, call: Call<'_>) -> Result<Operand> {
    let name = arguments::known_str(sema, call.args[0])?;
    let address = ConfigWord::address(&name).expect("the library names blocks that exist");
    Ok(Operand::Known(Value::u16(address)))
}

const CANNOT_BE_SET: &str = "cannot be set";
const HAS_NO_VALUE: &str = "has no value";

/// The register has no value, or cannot be set, before the program runs.
fn not_before_the_start(address: u16, fault: &str) -> Diag {
    rules::CONFIG_AT_COMPTIME.because(&[("address", &format!("{address:#06x}")), ("fault", &fault)])
}

/// One inclusive range, or a tuple of them.
fn config_ranges(v: &Value) -> Option<Vec<(u16, u16)>> {
    let pair = |v: &Value| match v.fields()?.as_slice() {
        [(_, low), (_, high)] => Some((low.to::<u16>()?, high.to::<u16>()?)),
        _ => None,
    };
    match pair(v) {
        Some(one) => Some(vec![one]),
        None => v.fields()?.iter().map(|(_, v)| pair(v)).collect(),
    }
}
