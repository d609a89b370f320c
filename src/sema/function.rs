//! Functions as run-time code: one instance for each distinct set of comptime arguments.

use super::assigned::UnsetRead;
use super::builder::{FnBuilder, finish_register};
use super::operand::{Operand, behind, repr};
use super::scope::{Binding, Flow, Frame, Return, Scope};
use super::signature::{Beside, ParamKind, Pending, Signature};
use super::value::{FnRef, Value};
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::run::UNSET_VARIABLE;
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::{AsyncConfig, DsrLoad, MapOp, VectorOp};
use crate::image::code::{
    Completion, DsdRef, FnId, Function, IdArg, OnControl, Op, Operand as CodeOperand, Reg,
};
use crate::source::Span;
use crate::syntax::ast::FnDecl;
use crate::value::ty::{FnTy, Ty};
use std::rc::Rc;
use std::sync::Arc;

/// Functions of a tile at most, counting each instance of a generic one.
const MAX_FUNCTIONS: usize = 10_000;

impl Sema<'_> {
    /// The type of a function as a value.
    pub fn fn_type(&mut self, f: FnRef) -> Result<Arc<FnTy>> {
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        let signature = self.signature(f, &[], function.span)?;
        let params = function.params.iter().zip(&signature.params).map(|(p, kind)| match kind {
            ParamKind::Typed(ty) => Some(ty.clone()),
            ParamKind::Known(v) => Some(v.ty()),
            ParamKind::Any => p.ty.map(|_| Ty::Type),
        });
        Ok(Arc::new(FnTy { task: function.task, params: params.collect(), ret: signature.ret.clone() }))
    }

    /// The code of a function that takes all its parameters at run time.
    pub fn request(&mut self, f: FnRef) -> Result<FnId> {
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        let signature = self.signature(f, &[], function.span)?;
        let ordinary = signature.params.iter().all(|p| matches!(p, ParamKind::Typed(_)));
        if !ordinary || function.inline || function.body.is_none() {
            return Err(rules::NOT_ADDRESSABLE
                .plain()
                .at(function.span)
                .help("only functions whose parameters are all run-time values can be called from outside"));
        }
        self.instantiate(f, &signature, function.span)
    }

    /// The code of one instance of a function, which is first called at `span`; written later.
    pub fn instantiate(&mut self, f: FnRef, signature: &Signature, span: Span) -> Result<FnId> {
        self.has_effect();
        let same = |(params, _): &&(Vec<ParamKind>, FnId)| *params == signature.params;
        if let Some((_, id)) = self.world.tile.instances.get(&f).and_then(|all| all.iter().find(same)) {
            return Ok(*id);
        }
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        for (param, kind) in function.params.iter().zip(&signature.params) {
            match kind {
                ParamKind::Known(_) => {}
                ParamKind::Typed(ty) if ty.words().is_some() => {}
                ParamKind::Typed(ty) => {
                    return Err(rules::COMPTIME_ONLY.because(&[("type", ty)]).at(param.span));
                }
                ParamKind::Any => {
                    return Err(rules::COMPTIME_ONLY
                        .because(&[("type", &"anonymous struct")])
                        .at(param.span)
                        .help("make the function `inline`"));
                }
            }
        }
        if self.world.tile.functions.len() >= MAX_FUNCTIONS {
            let diag = rules::TOO_MANY_FUNCTIONS.because(&[("limit", &MAX_FUNCTIONS)]);
            let diag = diag
                .at(function.span)
                .help("remove `comptime` from the parameter that changes with each call");
            return Err(self.give_up(diag));
        }
        let id = FnId(self.world.tile.functions.len() as u32);
        self.world.tile.functions.push(None);
        self.world.tile.instances.entry(f).or_default().push((signature.params.clone(), id));
        let calls = self.calls_to(function, signature, span);
        self.world.tile.pending.push_back(Pending { f, signature: signature.clone(), id, calls });
        Ok(id)
    }

    /// Writes all functions that were asked for, and those that they ask for.
    pub fn write_functions(&mut self) {
        while let Some(next) = self.world.tile.pending.pop_front() {
            let (f, id) = (next.f, next.id);
            match self.write_function(next) {
                Ok(function) => self.world.tile.functions[id.0 as usize] = Some(function),
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
        self.builder = Some(FnBuilder::new(params, function.span));
        self.world.tile.writing = Some(p.f);
        self.world.tile.calls = p.calls;
        self.world.tile.side_tables = Beside::default();
        self.frames.push(Frame {
            instance: p.f.instance,
            unit: unit.clone(),
            scopes: vec![Scope::default()],
            targets: Vec::new(),
            comptime: false,
            ret: Return::Code(p.signature.ret.clone()),
            pending: None,
            addressed: unit.addressed.clone(),
            expanded: None,
        });
        let faults = self.faults;
        let result = self.write_body(function, &p.signature, u16::from(by_address));
        self.frames.pop();
        let mut builder = self.builder.take().expect("set above");
        let flow = result?;
        if builder.is_full() {
            return Err(self.too_large(function.span));
        }
        let unset = builder.settle_variables();
        // A statement that was refused may be the one that gives the value.
        if faults == self.faults {
            self.report_unset_reads(unset);
        }
        if matches!(flow, Flow::Next) && faults == self.faults {
            self.check_return(function, &p.signature.ret)?;
        }
        let name = self.function_name(p.f);
        let consts = builder.consts_so_far();
        self.renumber_beside(params, consts);
        Ok(builder.finish(name, function.span))
    }

    fn report_unset_reads(&mut self, reads: Vec<UnsetRead>) {
        for UnsetRead { span, declared, name } in reads {
            let name = self.world.tile.image.strings[name as usize].clone();
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
        if self.is_comptime() || !self.builder.as_ref().is_some_and(FnBuilder::is_full) {
            return Ok(());
        }
        Err(self.too_large(span))
    }

    fn too_large(&mut self, span: Span) -> Diag {
        let name = self.world.tile.writing.map(|f| self.function_name(f)).unwrap_or_default();
        let diag = rules::FUNCTION_TOO_LARGE.because(&[("name", &name)]).at(span);
        self.give_up(diag.help("remove `inline`: a loop or call that runs on the PE takes little code"))
    }

    /// The end of a function that gives back a value must not be reached.
    pub fn check_return(&self, function: &FnDecl, ret: &Ty) -> Result<()> {
        if matches!(ret, Ty::Void | Ty::NoReturn) {
            return Ok(());
        }
        Err(rules::MISSING_RETURN.because(&[("name", &function.name.name)]).at(function.span))
    }

    fn function_name(&self, f: FnRef) -> String {
        let (unit, decl) = self.fn_unit(f);
        let name = &unit.function(decl).name.name;
        match self.instance(f.instance).name.as_str() {
            "" => name.to_string(),
            module => [module, ".", name].concat(),
        }
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
            self.declare(&name.name, binding, name.span)?;
        }
        match &function.body {
            Some(body) => self.block(body),
            None => Ok(Flow::Next),
        }
    }

    fn parameter(&mut self, name: &str, reg: Reg, ty: &Ty, span: Span) -> Result<Binding> {
        if repr(ty).is_none() {
            return Ok(Binding::Alias(Operand::Mem(behind(reg), ty.clone())));
        }
        if !self.frame().addressed.contains(name) {
            return Ok(Binding::Register { reg, ty: ty.clone(), mutable: false });
        }
        let addr = self.temporary(ty, span)?;
        self.store_at(addr, &Operand::Reg(reg, ty.clone()), span)?;
        Ok(Binding::Frame { off: addr.off as u16, ty: ty.clone(), mutable: false })
    }

    /// Registers named outside of the code get their final numbers.
    fn renumber_beside(&mut self, params: u16, consts: u16) {
        let f = |r: Reg| finish_register(r, params, consts);
        let beside = std::mem::take(&mut self.world.tile.side_tables);
        let image = &mut self.world.tile.image;
        for n in beside.vectors {
            renumber_vector(&mut image.vector_ops[n as usize], &f);
        }
        for n in beside.maps {
            renumber_map(&mut image.maps[n as usize], &f);
        }
        for n in beside.loads {
            renumber_load(&mut image.dsr_loads[n as usize], &f);
        }
    }

    /// A run-time check that a value holds, as an operation.
    pub fn emit_assert(&mut self, v: &Operand, text: &str, span: Span) -> Result<()> {
        let a = self.reg_of(v, span)?;
        let text = self.string(text);
        self.b().span = span;
        self.b().emit(Op::Assert { a, text });
        Ok(())
    }

    /// A text of the tile.
    pub fn string(&mut self, text: &str) -> u32 {
        let strings = &mut self.world.tile.image.strings;
        let at = strings.iter().position(|s| s == text).unwrap_or_else(|| {
            strings.push(text.to_string());
            strings.len() - 1
        });
        at as u32
    }

    /// The signature of a task or function that is called from outside, and its code.
    pub fn entry(&mut self, f: FnRef, span: Span) -> Result<(FnId, Rc<Signature>)> {
        let id = self.request(f).at(span)?;
        let signature = self.signature(f, &[], span)?;
        Ok((id, signature))
    }
}

fn renumber_vector(op: &mut VectorOp, f: &impl Fn(Reg) -> Reg) {
    renumber_operand(&mut op.dest, f);
    op.sources.iter_mut().for_each(|s| renumber_operand(s, f));
    renumber_async(&mut op.config, f);
    op.index = op.index.map(f);
    op.result = op.result.map(f);
}

fn renumber_map(op: &mut MapOp, f: &impl Fn(Reg) -> Reg) {
    op.inputs.iter_mut().for_each(|(o, _)| renumber_operand(o, f));
    if let Some((o, _)) = &mut op.output {
        renumber_operand(o, f);
    }
}

fn renumber_load(load: &mut DsrLoad, f: &impl Fn(Reg) -> Reg) {
    if let DsdRef::At(r, _) = &mut load.dsd {
        *r = f(*r);
    }
    renumber_async(&mut load.config, f);
}

fn renumber_operand(o: &mut CodeOperand, f: &impl Fn(Reg) -> Reg) {
    match o {
        CodeOperand::Dsd(DsdRef::At(r, _)) | CodeOperand::Scalar(r) | CodeOperand::Pointer(r) => *r = f(*r),
        CodeOperand::Dsd(DsdRef::Const(_) | DsdRef::Dsr(_)) | CodeOperand::Nowhere => {}
    }
}

fn renumber_async(config: &mut AsyncConfig, f: &impl Fn(Reg) -> Reg) {
    renumber_completion(&mut config.completion, f);
    if let Some(OnControl::Then(c)) = &mut config.on_control {
        renumber_completion(c, f);
    }
}

fn renumber_completion(c: &mut Completion, f: &impl Fn(Reg) -> Reg) {
    if let Completion::Activate(IdArg::In(r)) | Completion::Unblock(IdArg::In(r)) = c {
        *r = f(*r);
    }
}
