//! The configuration space.

use super::Call;
use crate::arch::config::ConfigWord;
use crate::diagnostics::Result;
use crate::diagnostics::rules::{comptime, tasks as rules};
use crate::image::code::Intrinsic;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::world::Sema;
use crate::value::ty::Ty;

impl Sema<'_> {
    /// The builtins of this file; `None` for others.
    pub fn config_builtin(&mut self, name: &str, call: Call<'_>) -> Option<Result<Operand>> {
        Some(match name {
            "get_config" | "get_config_unchecked" => self.get_config(name, call),
            "set_config" | "set_config_unchecked" => self.set_config(name, call),
            "__config_address" => self.config_address(call),
            _ => return None,
        })
    }

    fn get_config(&mut self, name: &str, call: Call<'_>) -> Result<Operand> {
        let address = self.config_operand(name, call, 0)?;
        self.check_ranges(call, 1, &address)?;
        self.intrinsic(Intrinsic::ConfigRead, &[address], Ty::U16, call.span)
    }

    fn set_config(&mut self, name: &str, call: Call<'_>) -> Result<Operand> {
        let address = self.config_operand(name, call, 0)?;
        let value = self.config_operand(name, call, 1)?;
        self.check_ranges(call, 2, &address)?;
        self.intrinsic(Intrinsic::ConfigWrite, &[address, value], Ty::Void, call.span)
    }

    /// The address or value of an access by the running program.
    fn config_operand(&mut self, name: &str, call: Call<'_>, n: usize) -> Result<Operand> {
        if self.is_comptime() {
            let complaint = comptime::UNSUPPORTED_BUILTIN.because(&[("name", &name)]).at(call.span);
            return Err(complaint.note("cslrun knows it in code that runs on a PE only"));
        }
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
        let known = address.known().and_then(|v| v.to::<u16>());
        match known.filter(|a| !all.iter().any(|(low, high)| (*low..=*high).contains(a))) {
            Some(outside) => Err(rules::CONFIG_OUTSIDE
                .because(&[("address", &format!("{outside:#06x}"))])
                .at(self.span(call.args[0]))
                .also(at, "the ranges of this access")),
            None => Ok(()),
        }
    }

    fn config_address(&mut self, call: Call<'_>) -> Result<Operand> {
        let name = self.known_str(call.args[0])?;
        let address = ConfigWord::address(&name).expect("the library names blocks that exist");
        Ok(Operand::Known(Value::u16(address)))
    }
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
