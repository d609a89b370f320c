//! The configuration space.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::arch::config::{ConfigWord, PeBlock};
use crate::diagnostics::rules::{run, tasks as rules};
use crate::diagnostics::{Diag, Result};
use crate::image::code::{Intrinsic, Op};
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::world::Sema;
use crate::value::ty::Ty;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "get_config", takes: 1..=2, phase: Phase::BlockOrCode,
        usage: "@get_config(address, ranges)",
        doc: "reads a configuration register",
        run: Run::Operand(|s, call| s.get_config(call)), ..USUAL },
    Builtin { name: "get_config_unchecked", takes: 1..=1, phase: Phase::Code,
        usage: "@get_config_unchecked(address)",
        doc: "reads a configuration register",
        run: Run::Operand(|s, call| s.get_config(call)), ..USUAL },
    Builtin { name: "set_config", takes: 2..=3, phase: Phase::BlockOrCode,
        usage: "@set_config(address, value, ranges)",
        doc: "writes a configuration register",
        run: Run::Operand(|s, call| s.set_config(call)), ..USUAL },
    Builtin { name: "set_config_unchecked", takes: 2..=2, phase: Phase::Code,
        usage: "@set_config_unchecked(address, value)",
        doc: "writes a configuration register",
        run: Run::Operand(|s, call| s.set_config(call)), ..USUAL },
    Builtin { name: "__config_address", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@__config_address(comptime name) u16",
        doc: "library: the word address of a block of configuration registers (`arch::config`)",
        run: Run::Operand(|s, call| s.config_address(call)), ..USUAL },
];

impl Sema<'_> {
    fn get_config(&mut self, call: Call<'_>) -> Result<Operand> {
        if self.is_comptime() {
            return self.initial_config(call);
        }
        let address = self.config_operand(call, 0)?;
        self.check_ranges(call, 1, &address)?;
        self.intrinsic(Intrinsic::ConfigRead, &[address], Ty::U16, call.span)
    }

    fn set_config(&mut self, call: Call<'_>) -> Result<Operand> {
        if self.is_comptime() {
            return self.set_initial_config(call);
        }
        let address = self.config_operand(call, 0)?;
        let value = self.config_operand(call, 1)?;
        self.check_ranges(call, 2, &address)?;
        self.intrinsic(Intrinsic::ConfigWrite, &[address, value], Ty::Void, call.span)
    }

    /// `@get_config` in a comptime block: what the PE begins with.
    fn initial_config(&mut self, call: Call<'_>) -> Result<Operand> {
        let (address, block) = self.initial_register(call, 1)?;
        let set = self.world.tile.image.initial_config.iter().rev().find(|(a, _)| *a == address);
        let value = set.map(|(_, value)| *value).or(block.initial());
        let value = value.ok_or_else(|| not_before_the_start(address).at(call.span))?;
        Ok(Operand::Known(Value::u16(value)))
    }

    /// `@set_config` in a comptime block.
    fn set_initial_config(&mut self, call: Call<'_>) -> Result<Operand> {
        let (address, block) = self.initial_register(call, 2)?;
        let value = self.known_as(call.args[1], &Ty::U16)?.to::<u16>().unwrap_or_default();
        if block.initial().is_none() {
            return Err(not_before_the_start(address).at(call.span));
        }
        if block == PeBlock::ExceptionMask && Some(value) != block.initial() {
            return Err(run::UNMASKED_EXCEPTION.plain().at(call.span));
        }
        self.world.tile.image.initial_config.push((address, value));
        Ok(Operand::void())
    }

    /// A register of the PE that a comptime block names; `n` is the place of the ranges.
    fn initial_register(&mut self, call: Call<'_>, n: usize) -> Result<(u16, PeBlock)> {
        let at = self.span(call.args[0]);
        let known = self.known_as(call.args[0], &Ty::U16)?;
        let address = known.to::<u16>().unwrap_or_default();
        self.check_ranges(call, n, &Operand::Known(known))?;
        match ConfigWord::at(self.arch.name, address) {
            Some(ConfigWord::Pe(block, _)) => Ok((address, block)),
            Some(_) => Err(not_before_the_start(address)
                .at(at)
                .help("routes, switches and filters are set with `@set_local_color_config`")),
            None => Err(run::UNKNOWN_CONFIG.because(&[("address", &format!("{address:#06x}"))]).at(at)),
        }
    }

    /// The address or value of an access by the running program.
    fn config_operand(&mut self, call: Call<'_>, n: usize) -> Result<Operand> {
        let at = self.span(call.args[n]);
        let v = self.value(call.args[n], None)?;
        self.coerce(v, &Ty::U16, at)
    }

    /// A known address must lie in one of the inclusive ranges, if the call has any.
    fn check_ranges(&mut self, call: Call<'_>, n: usize, address: &Operand) -> Result<()> {
        let Some(ranges) = call.args.get(n) else { return Ok(()) };
        let at = self.span(*ranges);
        let ranges = self.known(*ranges)?;
        let all = config_ranges(&ranges).ok_or_else(|| {
            rules::CONFIG_RANGES.plain().at(at).help("write `.{ first, last }`, both included")
        })?;
        let Some(known) = address.known().and_then(|v| v.to::<u16>()) else {
            let ends = all.iter().copied().reduce(|(low, high), (l, h)| (low.min(l), high.max(h)));
            let a = self.reg_of(address, at)?;
            let (low, high) = ends.unwrap_or((0, u16::MAX));
            self.b().emit(Op::CheckConfig { a, low, high });
            return Ok(());
        };
        match Some(known).filter(|a| !all.iter().any(|(low, high)| (*low..=*high).contains(a))) {
            Some(outside) => {
                let c = rules::CONFIG_OUTSIDE.because(&[("address", &format!("{outside:#06x}"))]);
                let c = c.at(self.span(call.args[0])).also(at, "the ranges of this access");
                self.lint(c)
            }
            None => Ok(()),
        }
    }

    fn config_address(&mut self, call: Call<'_>) -> Result<Operand> {
        let name = self.known_str(call.args[0])?;
        let address = ConfigWord::address(&name).expect("the library names blocks that exist");
        Ok(Operand::Known(Value::u16(address)))
    }
}

/// The register has no value, or cannot be set, before the program runs.
fn not_before_the_start(address: u16) -> Diag {
    rules::CONFIG_AT_COMPTIME.because(&[("address", &format!("{address:#06x}"))])
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
