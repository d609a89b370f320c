//! Calls: evaluated at comptime, expanded in place, or written as code.

use super::advice;
use super::builtins;
use super::chain::called_from;
use super::eval::{Binding, EvalFrame, Flow, Join, Read, Return};
use super::expectation::{Expectation, may_choose};
use super::function::check_return;
use super::lower::{ParamKind, Signature};
use super::operand::{Operand, behind, repr};
use super::value::{FnRef, Pointee, Pointer, Value};
use super::walk::Sema;
use super::{arith, control, externs, library_use, memo, swapped};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result, counted};
use crate::image::code::{Op, Reg};
use crate::source::Span;
use crate::syntax::ast::{ExprId, FnDecl, FnParam};
use crate::value::ty::{FnTy, Ty};
use std::rc::Rc;

/// Arguments of a call at most.
const MAX_ARGUMENTS: usize = 1000;

impl Sema<'_> {
    /// `callee(args)`
    pub fn call(
        &mut self,
        callee: ExprId,
        args: &[ExprId],
        span: Span,
        force_comptime: bool,
    ) -> Result<Operand> {
        let callee_span = self.span(callee);
        if let Some(diag) = advice::cast_by_call(self, callee, args, span) {
            return Err(diag);
        }
        let ev = self.expr(callee, None).map_err(|diag| advice::method(self, diag, callee, args))?;
        match self.value_of(ev, callee_span)? {
            Operand::Known(Value::Fn(f) | Value::Ptr(Pointer { to: Pointee::Fn(f), .. })) => {
                if self.is_comptime() || force_comptime {
                    externs::refuse_at_comptime(self, callee)?;
                }
                library_use::check_call(self, f, span)?;
                self.call_fn(f, args, span, force_comptime)
            }
            Operand::Reg(r, ty) => match &ty {
                Ty::Ptr(p) if matches!(p.to, Ty::Fn(_)) => {
                    let Ty::Fn(t) = p.to.clone() else { unreachable!("just matched") };
                    self.call_pointer(r, &t, args, span)
                }
                _ => Err(rules::NOT_CALLABLE.because(&[("type", &ty)]).at(callee_span)),
            },
            Operand::Known(Value::Type(ty)) => {
                let diag =
                    rules::NOT_CALLABLE.because(&[("type", &format!("the type `{ty}`"))]).at(callee_span);
                Err(advice::value_of_type(diag, &ty))
            }
            other => Err(rules::NOT_CALLABLE.because(&[("type", &other.ty())]).at(callee_span)),
        }
    }

    fn call_fn(&mut self, f: FnRef, args: &[ExprId], span: Span, force_comptime: bool) -> Result<Operand> {
        let f = self.modules.overload(f, args.len());
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        if function.task {
            let call = rules::TASK_CALL.because(&[("name", &function.name.name)]).at(span);
            self.lint(call.help("activate it: `@activate(id)`"))?;
        }
        if args.len() != function.params.len() {
            return Err(advice::wrong_count(function, args.len()).at(span));
        }
        let mut operands = Vec::with_capacity(args.len());
        for (arg, param) in args.iter().zip(&function.params) {
            let v = if param.comptime {
                self.known(*arg).map(Operand::Known)?
            } else {
                match self.expected_type(f, function, *arg, &operands, span) {
                    Some(ty) => self.value_near(*arg, &ty)?,
                    None => self.value(*arg, None)?,
                }
            };
            operands.push((v, self.span(*arg)));
        }
        self.apply(f, function, operands, span, force_comptime)
    }

    /// The type of the next parameter, if an argument could choose between literals for it.
    fn expected_type(
        &mut self,
        f: FnRef,
        function: &FnDecl,
        arg: ExprId,
        before: &[(Operand, Span)],
        span: Span,
    ) -> Option<Ty> {
        let is_open = !self.is_comptime() && may_choose(&self.unit().file, arg);
        function.params[before.len()].ty.filter(|_| is_open)?;
        let params = &function.params[..=before.len()];
        let mut signature = Signature::default();
        self.within_signature(f, function, span, |s| s.parameters_of(params, before, &mut signature)).ok()?;
        match signature.params.pop() {
            Some(ParamKind::Typed(ty)) => Some(ty),
            _ => None,
        }
    }

    /// Calls a function with operands.
    pub fn apply(
        &mut self,
        f: FnRef,
        function: &FnDecl,
        operands: Vec<(Operand, Span)>,
        span: Span,
        force_comptime: bool,
    ) -> Result<Operand> {
        let Some(_) = &function.body else {
            return Err(rules::UNSUPPORTED_EXTERN.because(&[("name", &function.name.name)]).at(span));
        };
        library_use::check_arguments(self, f, &operands)?;
        let signature = self.signature(f, &operands, span)?;
        let operands = match self.instance(f.instance).unit.library {
            true => builtins::tasks_of_old_colors(self, &signature, operands)?,
            false => operands,
        };
        if self.is_comptime() || force_comptime || signature.is_comptime() {
            return self.call_now(f, function, &signature, operands, span).map(Operand::Known);
        }
        // a struct or range of which some part is not known exists only as its parts, so the call is expanded
        let in_parts =
            signature.ret == Ty::Range || signature.params.iter().any(|p| matches!(p, ParamKind::Any));
        if function.inline || in_parts {
            return self.expand(f, function, &signature, operands, span);
        }
        let id = self.instantiate(f, &signature, span)?;
        let mut code_args = Vec::new();
        for ((operand, at), param) in operands.iter().zip(&signature.params) {
            if let ParamKind::Typed(ty) = param {
                let value = self.coerce(operand.clone(), ty, *at);
                let value = value
                    .map_err(|diag| swapped::with_swapped(&self.files, diag, &operands, &signature.params))?;
                code_args.push((value, *at));
            }
        }
        self.call_code(|base| Op::Call { f: id, base }, &code_args, &signature.ret, span)
    }

    fn call_pointer(&mut self, a: Reg, t: &FnTy, args: &[ExprId], span: Span) -> Result<Operand> {
        if args.len() != t.params.len() {
            let want = counted(t.params.len() as u64, "argument");
            return Err(rules::ARGUMENT_COUNT
                .because(&[("name", &"this function"), ("want", &want), ("have", &args.len())])
                .at(span));
        }
        let mut code_args = Vec::new();
        for (arg, ty) in args.iter().zip(&t.params) {
            let at = self.span(*arg);
            let v = match ty {
                Some(ty) => self.value_as(*arg, ty)?,
                None => self.value(*arg, None)?,
            };
            code_args.push((v, at));
        }
        self.call_code(|base| Op::CallPtr { a, base }, &code_args, &t.ret, span)
    }

    fn call_code(
        &mut self,
        op: impl FnOnce(Reg) -> Op,
        args: &[(Operand, Span)],
        ret: &Ty,
        span: Span,
    ) -> Result<Operand> {
        let by_address = !ret.is_scalar() && ret.words().is_some_and(|w| w > 0);
        let result = if by_address { Some(self.lower.temporary(ret, span)?) } else { None };
        let mut regs = Vec::new();
        if let Some(addr) = result {
            regs.push(self.lower.addr_reg(addr)?);
        }
        for (v, at) in args {
            if v.ty() == Ty::Void {
                continue;
            }
            let reg = match v {
                Operand::Known(k) if !k.ty().is_scalar() && !matches!(k, Value::Fn(_)) => {
                    let addr = self.aggregate_addr(v, *at)?;
                    self.lower.addr_reg(addr)?
                }
                // the callee gets a copy: it may change the variable that the argument came from
                Operand::Mem(..) => {
                    let kept = self.keep(v.clone(), *at)?;
                    self.reg_of(&kept, *at)?
                }
                Operand::Parts(..) => {
                    let addr = self.aggregate_addr(v, *at)?;
                    self.lower.addr_reg(addr)?
                }
                _ => self.reg_of(v, *at)?,
            };
            regs.push(reg);
        }
        let base = self.lower.call(op, &regs, span);
        Ok(match (result, ret) {
            (Some(addr), _) => Operand::Mem(addr, ret.clone()),
            (None, Ty::Void) => Operand::void(),
            (None, Ty::NoReturn) => Operand::Known(Value::Undefined(Ty::NoReturn)),
            (None, _) => Operand::Reg(base, ret.clone()),
        })
    }

    fn function_frame(&self, f: FnRef, comptime: bool, ret: Return) -> EvalFrame {
        EvalFrame::new(f.instance, self.instance(f.instance).unit.clone(), comptime, ret)
    }

    /// Evaluates a call at comptime.
    fn call_now(
        &mut self,
        f: FnRef,
        function: &FnDecl,
        signature: &Signature,
        operands: Vec<(Operand, Span)>,
        span: Span,
    ) -> Result<Value> {
        let mut values = Vec::new();
        for ((operand, at), param) in operands.into_iter().zip(&signature.params) {
            let v = match (operand, param) {
                (_, ParamKind::Known(v)) => v.clone(),
                (Operand::Known(v), ParamKind::Typed(ty)) if matches!(v, Value::Fn(_)) => {
                    match self.coerce(Operand::Known(v), ty, at)? {
                        Operand::Known(v) => v,
                        _ => unreachable!("known values stay known"),
                    }
                }
                (Operand::Known(v), ParamKind::Typed(ty)) => arith::coerce(&v, ty).at(at)?,
                _ => {
                    return Err(rules::NOT_COMPTIME
                        .because(&[("what", &"this argument")])
                        .at(at)
                        .note(format!("`{}` can only be evaluated at comptime", function.name.name)));
                }
            };
            values.push(v);
        }
        memo::memo(self, f, values, &signature.ret, |s, values| {
            s.evaluate(f, function, &signature.ret, values, span)
        })
    }

    fn evaluate(
        &mut self,
        f: FnRef,
        function: &FnDecl,
        ret: &Ty,
        values: Vec<Value>,
        span: Span,
    ) -> Result<Value> {
        let frame = self.function_frame(f, true, Return::Value(ret.clone()));
        self.eval.push(frame);
        let result = self.deeper(span, |s| s.run_body(function, values));
        self.eval.pop();
        match result.map_err(|c| called_from(self.misplaced(c, f, span), function, span))? {
            Flow::Return(v) => Ok(v),
            _ if *ret == Ty::Void => Ok(Value::Void),
            _ => {
                let c = rules::MISSING_RETURN.because(&[("name", &function.name.name)]).at(function.span);
                Err(called_from(c, function, span))
            }
        }
    }

    /// A function of the library that does something in the wrong phase is called in the wrong phase.
    fn misplaced(&self, mut c: Diag, f: FnRef, span: Span) -> Diag {
        let is_entered = self.instance(f.instance).unit.library && !self.frame().unit.library;
        if c.rule() == rules::WRONG_PHASE.name
            && is_entered
            && let Some(place) = &mut c.0.primary
        {
            place.span = span;
        }
        c
    }

    fn run_body(&mut self, function: &FnDecl, values: Vec<Value>) -> Result<Flow> {
        for (param, v) in function.params.iter().zip(values) {
            if let Some(name) = &param.name {
                self.eval.declare(&name.name, Binding::Known(v), name.span)?;
            }
        }
        match &function.body {
            Some(body) => self.block(body),
            None => Ok(Flow::Next),
        }
    }

    /// Expands an `inline` function in place.
    fn expand(
        &mut self,
        f: FnRef,
        function: &FnDecl,
        signature: &Signature,
        operands: Vec<(Operand, Span)>,
        span: Span,
    ) -> Result<Operand> {
        let mut bindings = Vec::new();
        for ((operand, at), param) in operands.into_iter().zip(&signature.params) {
            bindings.push(match (param, operand) {
                (ParamKind::Known(v), _) => Binding::Known(v.clone()),
                (ParamKind::Typed(ty), operand) => {
                    let v = self.coerce(operand, ty, at)?;
                    match self.keep(v, at)? {
                        Operand::Known(v) => Binding::Known(v),
                        other => Binding::Alias(other),
                    }
                }
                (ParamKind::Any, operand) => match self.keep(operand, at)? {
                    Operand::Known(v) => Binding::Known(v),
                    other => Binding::Alias(other),
                },
            });
        }
        let (faults, end) = (self.reports.faults(), self.b().label());
        let ret = Return::Inline { ty: signature.ret.clone(), end, join: Join::default() };
        let mut frame = self.function_frame(f, false, ret);
        frame.expanded = Some((span, function.name.name.clone()));
        let around = self.b().library_call;
        self.b().library_call = self.files.library_call(function.span, span, around);
        self.eval.push(frame);
        let result = self.scoped(|s| s.deeper(span, |s| s.expand_body(function, bindings)));
        let frame = self.eval.pop();
        self.b().library_call = around;
        let flow = result.map_err(|c| called_from(c, function, span))?;
        if matches!(flow, Flow::Next) && faults == self.reports.faults() {
            check_return(function, &signature.ret)?;
        }
        let Return::Inline { join, ty, .. } = frame.ret else { unreachable!("made above") };
        self.b().bind(end);
        if faults != self.reports.faults() {
            return Err(rules::REPORTED.plain());
        }
        if ty == Ty::Void {
            return Ok(Operand::void());
        }
        control::join_finish(self, join, Expectation::Exactly(&ty), end, span)
    }

    fn expand_body(&mut self, function: &FnDecl, bindings: Vec<Binding>) -> Result<Flow> {
        for (param, binding) in function.params.iter().zip(bindings) {
            if let Some(name) = &param.name {
                self.declare(name, binding)?;
            }
        }
        match &function.body {
            Some(body) => self.block(body),
            None => Ok(Flow::Next),
        }
    }

    /// What the parameters of a call are: values known at comptime, or of a type.
    pub fn signature(&mut self, f: FnRef, operands: &[(Operand, Span)], span: Span) -> Result<Rc<Signature>> {
        if let Some(known) = self.lower.functions.signature(f).cloned() {
            self.note_signature_read(f, &known);
            return Ok(known);
        }
        let (unit, decl) = self.fn_unit(f);
        let function = unit.function(decl);
        if function.params.len() > MAX_ARGUMENTS {
            let diag = rules::FUNCTION_TOO_LARGE.because(&[("name", &function.name.name)]);
            return Err(diag.at(function.span).help(format!("it has {} parameters", function.params.len())));
        }
        let result = self.within_signature(f, function, span, |s| s.signature_of(function, operands));
        let signature = Rc::new(result.map_err(|c| called_from(c, function, span))?);
        if !signature.generic {
            self.note_signature_read(f, &signature);
            self.lower.functions.keep_signature(f, signature.clone());
        }
        Ok(signature)
    }

    /// Evaluates what is written in the head of a function.
    fn within_signature<T>(
        &mut self,
        f: FnRef,
        function: &FnDecl,
        span: Span,
        evaluate: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let frame = self.function_frame(f, true, Return::Forbidden);
        self.eval.push(frame);
        // The type of an argument may stand in an expression, whose code nobody runs.
        let aside = self.lower.set_aside(function.span);
        let result = self.deeper(span, evaluate);
        self.lower.take_back(aside);
        self.eval.pop();
        result
    }

    /// The call under evaluation calls a function whose signature is the same for all calls.
    fn note_signature_read(&mut self, f: FnRef, signature: &Rc<Signature>) {
        if self.eval.known.is_watching() {
            self.eval.known.note_read(Read::Signature(f, signature.clone()));
        }
    }

    fn signature_of(&mut self, function: &FnDecl, operands: &[(Operand, Span)]) -> Result<Signature> {
        let mut signature = Signature::default();
        self.parameters_of(&function.params, operands, &mut signature)?;
        signature.ret = self.ty(function.ret)?;
        Ok(signature)
    }

    fn parameters_of(
        &mut self,
        params: &[FnParam],
        operands: &[(Operand, Span)],
        signature: &mut Signature,
    ) -> Result<()> {
        for (i, param) in params.iter().enumerate() {
            let operand = operands.get(i);
            let kind = self.param_kind(param, operand, signature)?;
            if let Some(name) = &param.name {
                let binding = match (&kind, operand) {
                    (ParamKind::Known(v), _) => Binding::Known(v.clone()),
                    // Code that reads it is thrown away: it only has a type.
                    (ParamKind::Typed(ty), _) if repr(ty).is_none() && ty.words().is_some() => {
                        Binding::Alias(Operand::Mem(behind(0), ty.clone()))
                    }
                    (ParamKind::Typed(ty), _) => Binding::Register { reg: 0, ty: ty.clone(), mutable: false },
                    (ParamKind::Any, Some((o, _))) => Binding::Alias(o.clone()),
                    (ParamKind::Any, None) => Binding::Poison,
                };
                self.eval.declare(&name.name, binding, name.span)?;
            }
            signature.params.push(kind);
        }
        Ok(())
    }

    fn param_kind(
        &mut self,
        param: &FnParam,
        operand: Option<&(Operand, Span)>,
        signature: &mut Signature,
    ) -> Result<ParamKind> {
        let ty = param.ty.map(|t| {
            self.ty(t).map_err(|diag| advice::parameter_without_type(diag, param, &self.snippet(t)))
        });
        let Some(ty) = ty.transpose()? else {
            signature.generic = true;
            return Ok(match operand {
                Some((Operand::Known(v), _))
                    if param.comptime || v.ty().is_comptime_only() || !v.ty().is_scalar() =>
                {
                    ParamKind::Known(v.clone())
                }
                Some((Operand::Known(Value::Fn(f)), _)) => ParamKind::Known(Value::Fn(*f)),
                Some((Operand::Parts(..), _)) => ParamKind::Any,
                Some((o, _)) => ParamKind::Typed(o.ty()),
                None => ParamKind::Any,
            });
        };
        if ty == Ty::Range && !param.comptime {
            signature.generic = true;
            return Ok(match operand {
                Some((Operand::Known(v @ Value::Range(_)), _)) => ParamKind::Known(v.clone()),
                Some((Operand::Parts(Ty::Range, _), _)) => ParamKind::Any,
                _ => ParamKind::Typed(ty),
            });
        }
        if !param.comptime && !ty.is_comptime_only() {
            return Ok(ParamKind::Typed(ty));
        }
        signature.generic = true;
        // A register is known at comptime, but what a function does with it happens at run time.
        if !param.comptime && !matches!(ty, Ty::Fn(_) | Ty::Id(_)) {
            signature.comptime_only = true;
        }
        match operand {
            Some((Operand::Known(v), at)) => match self.coerce(Operand::Known(v.clone()), &ty, *at)? {
                Operand::Known(v) => Ok(ParamKind::Known(v)),
                _ => unreachable!("known values stay known"),
            },
            Some((Operand::Parts(Ty::Anon(_), _), _)) => Ok(ParamKind::Any),
            Some((_, at)) => Err(rules::NOT_COMPTIME.because(&[("what", &"this argument")]).at(*at)),
            None => Ok(ParamKind::Any),
        }
    }
}
