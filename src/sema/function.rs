//! Functions as run-time code: one instance for each distinct set of comptime arguments.

use super::chain::calls_to;
use super::eval::{Binding, EvalFrame, Flow, Return};
use super::lower::{MAX_FUNCTIONS, ParamKind, Pending, Signature, UnsetRead};
use super::operand::{Operand, behind, comptime_only, exists_at_run_time, repr};
use super::types;
use super::value::{FnRef, Value};
use super::walk::Sema;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::run::UNSET_VARIABLE;
use crate::diagnostics::{At, Diag, Result};
use crate::image::Function;
use crate::image::code::{FnId, Op, Reg};
use crate::source::Span;
use crate::syntax::ast::FnDecl;
use crate::value::ty::{FnTy, Ty};
use std::rc::Rc;
use std::sync::Arc;

impl Sema<'_> {
    /// The type of a function as a value.
    pub fn fn_type(&mut self, f: FnRef) -> Result<Arc<FnTy>> {
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        let signature = self.known_signature(f, function)?;
        let params = function.params.iter().zip(&signature.params).map(|(p, kind)| match kind {
            ParamKind::Typed(ty) => Some(ty.clone()),
            ParamKind::Known(v) => Some(v.ty()),
            ParamKind::Any => p.ty.map(|_| Ty::Type),
        });
        Ok(Arc::new(FnTy { task: function.task, params: params.collect(), ret: signature.ret.clone() }))
    }

    /// The signature of a function that is not called.
    fn known_signature(&mut self, f: FnRef, function: &FnDecl) -> Result<Rc<Signature>> {
        let signature = self.signature(f, &[], function.span);
        // What depends on an argument that is not there is no mistake of its own, and so not told.
        let depends = function.params.iter().any(|param| param.ty.is_none() || param.comptime);
        signature.map_err(|diag| match diag.rule().is_empty() && depends {
            true => {
                let what = format!("the type of `{}`", function.name.name);
                let diag = rules::NOT_COMPTIME.because(&[("what", &what)]);
                diag.also(function.span, "it depends on the arguments of a call")
                    .help("use a function whose parameters have types that do not depend on each other")
            }
            false => diag,
        })
    }

    /// The code of a function that takes all its parameters at run time.
    pub fn request(&mut self, f: FnRef) -> Result<FnId> {
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        let signature = self.known_signature(f, function)?;
        let ordinary = signature.params.iter().all(|p| matches!(p, ParamKind::Typed(_)));
        if !ordinary || function.inline || function.body.is_none() {
            let diag = rules::NOT_ADDRESSABLE.plain().at(function.span);
            return Err(diag.help(if function.task {
                "wavelets and activations start a task: leave out `inline`, `comptime` and `anytype`"
            } else {
                "only functions whose parameters are all run-time values can be called from outside"
            }));
        }
        self.instantiate(f, &signature, function.span)
    }

    /// The code of one instance of a function, which is first called at `span`; written later.
    pub fn instantiate(&mut self, f: FnRef, signature: &Signature, span: Span) -> Result<FnId> {
        self.note_effect();
        if let Some(id) = self.lower.functions.find(f, &signature.params) {
            return Ok(id);
        }
        if signature.params.iter().any(is_too_deep) {
            return Err(self.eval.budget.too_deep(span));
        }
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        for (param, kind) in function.params.iter().zip(&signature.params) {
            match kind {
                ParamKind::Known(_) => {}
                ParamKind::Typed(ty) if ty.words().is_some() => {}
                ParamKind::Typed(ty) => {
                    return Err(comptime_only(ty).at(param.span));
                }
                ParamKind::Any => {
                    return Err(rules::COMPTIME_ONLY
                        .because(&[("type", &"anonymous struct")])
                        .at(param.span)
                        .help("make the function `inline`"));
                }
            }
        }
        if self.lower.functions.is_full() {
            let diag = rules::TOO_MANY_FUNCTIONS.because(&[("limit", &grouped(MAX_FUNCTIONS as u64))]);
            let diag = diag
                .at(function.span)
                .help("remove `comptime` from the parameter that changes with each call");
            return Err(self.eval.budget.give_up(diag));
        }
        let calls = calls_to(&self.eval, &self.lower, function, signature, span);
        Ok(self.lower.functions.ask(f, signature, calls))
    }

    /// Writes all functions that were asked for, and those that they ask for.
    pub fn write_functions(&mut self) {
        while let Some(next) = self.lower.functions.next_pending() {
            let (f, id) = (next.f, next.id);
            match self.write_function(next) {
                Ok(function) => self.lower.functions.set(id, function),
                Err(diag) => {
                    let (unit, decl) = self.fn_unit(f);
                    self.report(diag.at(unit.function(decl).span));
                }
            }
        }
    }

    fn write_function(&mut self, p: Pending) -> Result<Function> {
        let (unit, decl) = self.fn_unit(p.f);
        let function = unit.function(decl);
        let by_address = !p.signature.ret.is_scalar() && p.signature.ret.words().is_some_and(|w| w > 0);
        let passed =
            p.signature.params.iter().filter(|k| matches!(k, ParamKind::Typed(t) if *t != Ty::Void)).count();
        let params = passed as u16 + u16::from(by_address);
        self.lower.begin_function(p.f, params, p.calls, function.span);
        let ret = Return::Code(p.signature.ret.clone());
        self.eval.push(EvalFrame::new(p.f.instance, unit.clone(), false, ret));
        let faults = self.reports.faults();
        let result = self.write_body(function, &p.signature, u16::from(by_address));
        self.eval.pop();
        let mut code = self.lower.end_function();
        let flow = result?;
        if code.is_full() {
            return Err(self.too_large(function.span));
        }
        let unset = code.settle_variables();
        // A statement that was refused may be the one that gives the value.
        if faults == self.reports.faults() {
            self.report_unset_reads(unset);
        }
        if matches!(flow, Flow::Next) && faults == self.reports.faults() {
            check_return(function, &p.signature.ret)?;
        }
        let name = self.modules.function_name(p.f);
        Ok(self.lower.finish_function(code, p.id, name, function.span))
    }

    fn report_unset_reads(&mut self, reads: Vec<UnsetRead>) {
        for UnsetRead { span, declared, name } in reads {
            let name = self.lower.tile.image.strings[name as usize].clone();
            self.report(
                UNSET_VARIABLE
                    .because(&[("name", &name)])
                    .at(span)
                    .also(declared, "declared without a value")
                    .help(format!("assign `{name}` before this line on every path that leads here")),
            );
        }
    }

    /// Refuses a function that has grown out of hand.
    pub fn check_room(&mut self, span: Span) -> Result<()> {
        if self.is_comptime() || !self.lower.is_full() {
            return Ok(());
        }
        Err(self.too_large(span))
    }

    fn too_large(&mut self, span: Span) -> Diag {
        let name = self.lower.writing().map(|f| self.modules.function_name(f)).unwrap_or_default();
        let diag = rules::FUNCTION_TOO_LARGE.because(&[("name", &name)]).at(span);
        self.eval
            .budget
            .give_up(diag.help("remove `inline`: a loop or call that runs on the PE takes little code"))
    }

    fn write_body(&mut self, function: &FnDecl, signature: &Signature, first: Reg) -> Result<Flow> {
        let mut next = first;
        for (param, kind) in function.params.iter().zip(&signature.params) {
            let Some(name) = &param.name else { continue };
            let binding = match kind {
                ParamKind::Known(v) => Binding::Known(v.clone()),
                ParamKind::Any => Binding::Poison,
                ParamKind::Typed(Ty::Void) => Binding::Known(Value::Void),
                ParamKind::Typed(ty) => {
                    let reg = next;
                    next += 1;
                    self.parameter(&name.name, reg, ty, param.span)?
                }
            };
            self.declare(name, binding)?;
        }
        match &function.body {
            Some(body) => self.block(body),
            None => Ok(Flow::Next),
        }
    }

    fn parameter(&mut self, name: &str, reg: Reg, ty: &Ty, span: Span) -> Result<Binding> {
        exists_at_run_time(ty, self.options.fp16.kind()).at(span)?;
        if repr(ty).is_none() {
            return Ok(Binding::Alias(Operand::Mem(behind(reg), ty.clone())));
        }
        if !self.frame().addressed.contains(name) {
            return Ok(Binding::Register { reg, ty: ty.clone(), mutable: false });
        }
        let addr = self.lower.temporary(ty, span)?;
        self.store_at(addr, &Operand::Reg(reg, ty.clone()), span)?;
        Ok(Binding::Frame { off: addr.off as u16, ty: ty.clone(), mutable: false })
    }

    /// A run-time check that a value holds, as an operation.
    pub fn emit_assert(&mut self, v: &Operand, text: &str, span: Span) -> Result<()> {
        let a = self.reg_of(v, span)?;
        let text = self.lower.tile.string(text);
        self.b().span = span;
        self.b().emit(Op::Assert { a, text });
        Ok(())
    }

    /// The signature of a task or function that is called from outside, and its code.
    pub fn entry(&mut self, f: FnRef, span: Span) -> Result<(FnId, Rc<Signature>)> {
        let id = self.request(f).at(span)?;
        let signature = self.signature(f, &[], span)?;
        Ok((id, signature))
    }
}

fn is_too_deep(param: &ParamKind) -> bool {
    match param {
        ParamKind::Known(Value::Type(ty)) | ParamKind::Typed(ty) => types::is_too_deep(ty),
        ParamKind::Known(v) => types::is_too_deep(&v.ty()),
        ParamKind::Any => false,
    }
}

/// The end of a function that gives back a value must not be reached.
pub fn check_return(function: &FnDecl, ret: &Ty) -> Result<()> {
    if matches!(ret, Ty::Void | Ty::NoReturn) {
        return Ok(());
    }
    Err(rules::MISSING_RETURN.because(&[("name", &function.name.name)]).at(function.span))
}
