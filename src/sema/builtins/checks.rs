//! What a program asks and says while it is compiled, and what it asserts.

use super::entry::{Builtin, Call, Phase, Run, USUAL};
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::sema::operand::Operand;
use crate::sema::value::Value;
use crate::sema::world::Sema;
use crate::source::Span;
use crate::syntax::ast::ExprId;
use crate::value::ty::Ty;

/// The builtins of this file.
#[rustfmt::skip]
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "is_comptime", takes: 0..=0, phase: Phase::Anywhere, is_pure: true,
        usage: "@is_comptime()",
        doc: "whether this is evaluated at comptime",
        run: Run::Known(|s, _| Ok(Value::Bool(s.is_comptime()))), ..USUAL },
    Builtin { name: "is_arch", takes: 1..=1, phase: Phase::Anywhere, is_pure: true,
        usage: "@is_arch(name)",
        doc: "whether the program is compiled for this machine",
        run: Run::Known(|s, call| s.is_arch(call.args[0])), ..USUAL },
    Builtin { name: "comptime_assert", takes: 1..=2, phase: Phase::Anywhere, is_pure: true,
        usage: "@comptime_assert(condition, message)",
        doc: "rejects the program unless the condition is true",
        run: Run::Known(|s, call| s.comptime_assert(call)), ..USUAL },
    Builtin { name: "comptime_print", takes: 0..=64, phase: Phase::Anywhere,
        usage: "@comptime_print(value, ..)",
        doc: "prints values while compiling",
        run: Run::Known(|s, call| s.comptime_print(call)), ..USUAL },
    Builtin { name: "assert", takes: 1..=1, phase: Phase::Anywhere,
        usage: "@assert(condition)",
        doc: "stops the simulation unless the condition is true",
        run: Run::Operand(|s, call| s.assert(call.args[0], call.span)), ..USUAL },
];

impl Sema<'_> {
    fn is_arch(&mut self, name: ExprId) -> Result<Value> {
        let at = self.span(name);
        let word = self.known_str(name)?;
        // The machine before WSE-2: public programs ask whether they are compiled for it.
        if word == "wse1" {
            return Ok(Value::Bool(false));
        }
        let arch = crate::arch::ArchName::parse(&word).ok_or_else(|| {
            rules::UNKNOWN_ARCH.because(&[("name", &word)]).at(at).help("write \"wse2\" or \"wse3\"")
        })?;
        Ok(Value::Bool(arch == self.arch.name))
    }

    fn comptime_assert(&mut self, call: Call<'_>) -> Result<Value> {
        let holds = self.known_as(call.args[0], &Ty::Bool)?;
        if holds == Value::Bool(true) {
            return Ok(Value::Void);
        }
        let text = match call.args.get(1) {
            Some(m) => self.known_str(*m)?,
            None => self.snippet(call.args[0]),
        };
        Err(rules::COMPTIME_ASSERT.because(&[("text", &text)]).at(call.span))
    }

    /// The text of an expression as written, on one line.
    pub fn snippet(&self, e: ExprId) -> String {
        let span = self.span(e);
        let text = &self.sources.file(span.file).text;
        let part = text.get(span.lo as usize..span.hi as usize).unwrap_or("");
        part.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn comptime_print(&mut self, call: Call<'_>) -> Result<Value> {
        let mut parts = Vec::new();
        for a in call.args {
            let v = self.known(*a)?;
            parts.push(v.as_str().unwrap_or_else(|| v.to_string()));
        }
        self.report(rules::COMPTIME_PRINT.because(&[("text", &parts.join(" "))]).at(call.span));
        Ok(Value::Void)
    }

    fn assert(&mut self, condition: ExprId, span: Span) -> Result<Operand> {
        let v = self.value_as(condition, &Ty::Bool)?;
        if self.is_comptime() {
            return match v {
                Operand::Known(Value::Bool(true)) => Ok(Operand::void()),
                _ => Err(rules::COMPTIME_ASSERT.because(&[("text", &self.snippet(condition))]).at(span)),
            };
        }
        let text = self.snippet(condition);
        self.emit_assert(&v, &text, span)?;
        Ok(Operand::void())
    }
}
