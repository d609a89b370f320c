//! What each builtin does; the catalogue of names, arities and phases is `builtins`.

mod colors;
pub mod completions;
mod config;
mod declared;
mod dsds;
pub mod dsr_loads;
mod dsrs;
mod fifo_registers;
pub mod fifos;
pub mod filters;
mod handlers;
mod hazards;
mod host;
mod library;
mod old_tasks;
mod properties;
mod reflect;
pub mod tasks;
mod vectors;

use super::operand::Operand;
use super::scope::{Ev, Return};
use super::value::Value;
use super::world::Sema;
use crate::builtins::{self, Builtin, Phase};
use crate::diagnostics::rules::{comptime as rules, dsd};
use crate::diagnostics::{Complaint, Result, counted, suggest};
use crate::dsd::ops;
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident};
use crate::value::ty::Ty;
use smol_str::SmolStr;

/// A builtin call under evaluation.
#[derive(Copy, Clone)]
pub struct Call<'a> {
    /// The arguments.
    pub args: &'a [ExprId],
    /// The whole call.
    pub span: Span,
}

impl Sema<'_> {
    /// `@name(args)`
    pub fn builtin(&mut self, name: &Ident, args: &[ExprId], span: Span) -> Result<Ev> {
        let call = Call { args, span };
        self.uses_builtin(&name.name);
        if let Some(row) = ops::lookup(&name.name) {
            self.require_phase(Phase::Code, &name.name, span)?;
            return self.vector_op(row, call).map(Ev::Value);
        }
        let Some(entry) = builtins::lookup(&name.name).filter(|b| self.may_name(b)) else {
            return Err(self.unknown_builtin(name));
        };
        if args.len() < entry.min || args.len() > entry.max {
            return Err(rules::ARGUMENT_COUNT
                .because(&[
                    ("name", &format!("`@{}`", entry.name)),
                    ("want", &arity(entry)),
                    ("have", &args.len()),
                ])
                .at(span)
                .help(format!("write `{}`", entry.usage)));
        }
        self.require_phase(entry.phase, entry.name, span)?;
        self.dispatch_builtin(entry.name, call)
    }

    fn may_name(&self, b: &Builtin) -> bool {
        !b.name.starts_with("__") || self.frame().unit.library
    }

    fn unknown_builtin(&self, name: &Ident) -> crate::diagnostics::Complaint {
        let c = rules::UNKNOWN_BUILTIN.because(&[("name", &name.name)]).at(name.span);
        if let Some(help) = builtins::successor(&name.name) {
            return c.help(help);
        }
        match suggest::nearest(&name.name, builtins::names()) {
            Some(near) => c.help(format!("did you mean `@{near}`?")),
            None => c,
        }
    }

    fn require_phase(&self, phase: Phase, name: &str, span: Span) -> Result<()> {
        let comptime = self.is_comptime();
        let in_block = comptime && self.world.in_comptime_block;
        let ok = match phase {
            Phase::Layout => comptime && self.layout.running,
            Phase::Block => in_block,
            Phase::BlockOrCode => !comptime || in_block,
            Phase::Code => !comptime,
            Phase::Anywhere => true,
            Phase::Global => comptime && matches!(self.frame().ret, Return::Forbidden),
        };
        if ok {
            return Ok(());
        }
        Err(wrong_phase(name, phase).at(span))
    }

    fn dispatch_builtin(&mut self, name: &str, call: Call<'_>) -> Result<Ev> {
        if let Some(result) = self.reflect_builtin(name, call) {
            return result;
        }
        if let Some(result) = self.task_builtin(name, call) {
            return result.map(Ev::Value);
        }
        if let Some(result) = self.handler_builtin(name, call) {
            return result.map(Ev::Value);
        }
        if let Some(result) = self.filter_builtin(name, call) {
            return result.map(Ev::Value);
        }
        if let Some(result) = self.host_builtin(name, call) {
            return result.map(Ev::Value);
        }
        if let Some(result) = self.dsd_builtin(name, call) {
            return result.map(Ev::Value);
        }
        if let Some(result) = self.config_builtin(name, call) {
            return result.map(Ev::Value);
        }
        match name {
            "map" => self.map(call).map(Ev::Value),
            "import_module" | "allocate_fifo" => Err(wrong_phase(name, Phase::Global).at(call.span)),
            _ if name.starts_with("__") => self.library_builtin(name, call).map(Ev::Value),
            _ => Err(rules::UNKNOWN_BUILTIN.because(&[("name", &name)]).at(call.span)),
        }
    }

    /// A string that must be known.
    pub fn known_str(&mut self, id: ExprId) -> Result<String> {
        let at = self.span(id);
        let v = self.known(id)?;
        v.as_str()
            .ok_or_else(|| rules::TYPE_MISMATCH.because(&[("want", &Ty::String), ("have", &v.ty())]).at(at))
    }

    /// The fields of a configuration struct, known or not.
    pub fn fields(&mut self, id: ExprId) -> Result<Vec<(SmolStr, Operand)>> {
        let at = self.span(id);
        let v = self.value(id, None)?;
        fields_of(&v)
            .ok_or_else(|| rules::TYPE_MISMATCH.because(&[("want", &"a struct"), ("have", &v.ty())]).at(at))
    }
}

/// The fields of an anonymous struct.
pub fn fields_of(v: &Operand) -> Option<Vec<(SmolStr, Operand)>> {
    match v {
        Operand::Known(v) => {
            let fields = v.fields()?;
            Some(fields.into_iter().map(|(n, v)| (n, Operand::Known(v))).collect())
        }
        Operand::Parts(Ty::Anon(a), parts) => {
            let names = a.names.clone().unwrap_or_else(|| vec![SmolStr::default(); parts.len()]);
            Some(names.into_iter().zip(parts.iter().cloned()).collect())
        }
        _ => None,
    }
}

fn wrong_phase(name: &str, phase: Phase) -> Complaint {
    match name {
        "allocate_fifo" => dsd::FIFO_PLACE
            .plain()
            .help("write `const fifo = @allocate_fifo(buffer);` outside of all functions"),
        "set_fifo_read_length" | "set_fifo_write_length" => {
            dsd::FIFO_LENGTH_EARLY.because(&[("name", &name)]).help("call it in a task or a function")
        }
        "set_dsr_base_addr" => {
            dsd::DSR_BASE_EARLY.plain().help("load the DSR with a DSD of that address, or call it in a task")
        }
        _ => rules::WRONG_PHASE.because(&[("name", &name), ("where", &phase.words())]),
    }
}

fn arity(b: &Builtin) -> String {
    if b.min == b.max {
        return counted(b.min as u64, "argument");
    }
    format!("{} to {} arguments", b.min, b.max)
}

/// The one field of `.{ .name = true }`.
pub fn chosen(v: &Value) -> Option<SmolStr> {
    match v.fields()?.as_slice() {
        [(name, Value::Bool(true))] => Some(name.clone()),
        _ => None,
    }
}
