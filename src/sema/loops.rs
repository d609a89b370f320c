//! `for` and `while`: run at comptime, unrolled, or written as loops.

use super::operand::{Operand, Place};
use super::scope::{Binding, Ev, Flow, Scope, Target};
use super::value::{RangeValue, Value};
use super::world::Sema;
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime as rules;
use crate::image::code::{Op, Reg};
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident, Name, StmtId};
use crate::value::number::Integer;
use crate::value::ty::{ArrayTy, Ty};
use std::sync::Arc;

/// What the head of a `for` gives.
struct Head<'a> {
    label: Option<Name>,
    item: &'a Ident,
    index: Option<&'a Ident>,
    body: StmtId,
    span: Span,
}

impl Sema<'_> {
    /// `for (iter) |item, index| body`
    #[allow(clippy::too_many_arguments)]
    pub fn for_stmt(
        &mut self,
        label: Option<&Ident>,
        inline: bool,
        iter: ExprId,
        item: &Ident,
        index: Option<&Ident>,
        body: StmtId,
        span: Span,
    ) -> Result<Flow> {
        let head = Head { label: label.map(|l| l.name.clone()), item, index, body, span };
        let at = self.span(iter);
        if !self.is_comptime()
            && !inline
            && let Some(range) = self.range_call(iter)?
        {
            return self.for_range(&head, range);
        }
        let ev = self.expr(iter, None)?;
        if self.is_comptime() || inline {
            let elements = match self.value_of(ev, at)? {
                Operand::Known(v) => v,
                _ => {
                    return Err(rules::NOT_COMPTIME.because(&[("what", &"what this loop runs over")]).at(at));
                }
            };
            return if self.is_comptime() {
                self.for_now(&head, &elements, at)
            } else {
                self.unroll(&head, &elements, at)
            };
        }
        match &ev {
            Ev::Value(Operand::Known(Value::Range(r))) => {
                let ty = r.ty.clone();
                let part = |n: &Integer| Operand::Known(typed(&ty, n.clone()));
                let parts = (ty.clone(), part(&r.start), part(&r.stop), part(&r.step));
                self.for_range(&head, parts)
            }
            _ => self.for_array(&head, ev, at),
        }
    }

    fn elements(&self, v: &Value, at: Span) -> Result<Elements> {
        match v {
            Value::Range(r) => Ok(Elements::Range(r.clone())),
            Value::Array(a) => Ok(Elements::Array(a.clone())),
            other => Err(rules::NOT_ITERABLE.because(&[("type", &other.ty())]).at(at)),
        }
    }

    fn for_now(&mut self, head: &Head<'_>, v: &Value, at: Span) -> Result<Flow> {
        let elements = self.elements(v, at)?;
        let target = self.frame().targets.len();
        self.frame_mut().targets.push(Target::comptime_loop(head.label.clone()));
        let mut i = 0;
        let mut out = Ok(Flow::Next);
        while let Some(element) = elements.get(i) {
            match self.iteration(head, element, Value::int(i.into())) {
                Ok(Flow::Next) => {}
                Ok(Flow::Continue(t)) if t == target => {}
                Ok(Flow::Break(t, _)) if t == target => break,
                other => {
                    out = other;
                    break;
                }
            }
            i += 1;
        }
        self.frame_mut().targets.truncate(target);
        out
    }

    fn iteration(&mut self, head: &Head<'_>, element: Value, index: Value) -> Result<Flow> {
        self.burn(head.span)?;
        self.frame_mut().scopes.push(Scope::default());
        let flow = self.bind_iteration(head, Binding::Known(element), Binding::Known(index));
        let flow = flow.and_then(|()| self.stmt(head.body));
        self.frame_mut().scopes.pop();
        flow
    }

    fn bind_iteration(&mut self, head: &Head<'_>, element: Binding, index: Binding) -> Result<()> {
        self.declare(&head.item.name, element, head.item.span)?;
        match head.index {
            Some(i) => self.declare(&i.name, index, i.span),
            None => Ok(()),
        }
    }

    fn unroll(&mut self, head: &Head<'_>, v: &Value, at: Span) -> Result<Flow> {
        let elements = self.elements(v, at)?;
        let end = self.b().label();
        let mut i = 0;
        while let Some(element) = elements.get(i) {
            self.check_unrolled(i.into(), head.span)?;
            let flow = self.unrolled_iteration(head.label.clone(), end, |s| {
                s.iteration(head, element, Value::int(i.into()))
            })?;
            if flow {
                break;
            }
            i += 1;
        }
        self.b().bind(end);
        Ok(Flow::Next)
    }

    fn check_unrolled(&self, i: u64, span: Span) -> Result<()> {
        if i < self.options.max_inlined_iterations {
            return Ok(());
        }
        Err(rules::TOO_MANY_INLINED
            .because(&[("limit", &self.options.max_inlined_iterations)])
            .at(span)
            .help("raise it with `--max-inlined-iterations`"))
    }

    /// One unrolled iteration; true if the ones behind it can never run.
    fn unrolled_iteration(
        &mut self,
        label: Option<Name>,
        end: super::builder::Label,
        f: impl FnOnce(&mut Self) -> Result<Flow>,
    ) -> Result<bool> {
        let next = self.b().label();
        let mark = self.b().mark();
        self.frame_mut().targets.push(Target::unrolled(label, end, next));
        let flow = f(self);
        let target = self.frame_mut().targets.pop().expect("pushed above");
        self.b().bind(next);
        self.b().release(mark);
        Ok(matches!(flow?, Flow::Dead) && !target.continued)
    }

    /// The parts of `@range(T, ..)` when it stands in the head of a loop: they may be run-time values.
    fn range_call(&mut self, iter: ExprId) -> Result<Option<(Ty, Operand, Operand, Operand)>> {
        let unit = self.unit();
        let crate::syntax::ast::ExprKind::Builtin { name, args } = &unit.file.expr(iter).kind else {
            return Ok(None);
        };
        if name.name != "range" || !matches!(args.len(), 2 | 4) {
            return Ok(None);
        }
        let ty = self.ty(args[0])?;
        if !matches!(ty, Ty::Int(_)) {
            return Ok(None);
        }
        let known = |n: i128| Operand::Known(typed(&ty, Integer::Small(n)));
        let parts = match args.as_slice() {
            [_, stop] => (ty.clone(), known(0), self.value_as(*stop, &ty)?, known(1)),
            [_, start, stop, step] => {
                let (start, stop) = (self.value_as(*start, &ty)?, self.value_as(*stop, &ty)?);
                (ty.clone(), start, stop, self.value_as(*step, &ty)?)
            }
            _ => unreachable!("checked above"),
        };
        if parts.3.known().and_then(Value::as_integer).is_some_and(|s| s.is_zero()) {
            return Err(rules::RANGE_STEP.plain().at(self.span(args[3])));
        }
        Ok(Some(parts))
    }

    fn for_range(&mut self, head: &Head<'_>, parts: (Ty, Operand, Operand, Operand)) -> Result<Flow> {
        let (ty, start, stop, step) = parts;
        let signed = matches!(&ty, Ty::Int(t) if t.signed);
        let counter = self.b().reg();
        let limit = self.own_reg(&stop, head.span)?;
        let pace = self.own_reg(&step, head.span)?;
        let position = head.index.is_some().then(|| self.b().reg());
        let a = self.reg_of(&start, head.span)?;
        self.b().emit(Op::Mov { d: counter, a });
        let (zero, one) = (self.b().constant(0), self.b().constant(1));
        if let Some(d) = position {
            self.b().emit(Op::Mov { d, a: zero });
        }
        let (body, check) = (self.b().label(), self.b().label());
        self.b().jump(check);
        self.b().bind(body);
        let flow = self.loop_body(head.label.clone(), |s| {
            let element = Binding::Register { reg: counter, ty: ty.clone(), mutable: false };
            let index = Binding::Register { reg: position.unwrap_or(counter), ty: Ty::U16, mutable: false };
            s.bind_iteration(head, element, index)?;
            s.stmt(head.body)
        })?;
        self.b().span = head.span;
        // counting in 64 bits: the counter never wraps at the end of its type
        self.b().emit(Op::AddS { d: counter, a: counter, b: pace, sh: 0 });
        if let Some(d) = position {
            self.b().emit(Op::AddU { d, a: d, b: one, sh: 48 });
        }
        self.b().bind(check);
        self.range_check(counter, limit, &step, pace, signed, body);
        self.b().bind(flow);
        Ok(Flow::Next)
    }

    fn own_reg(&mut self, v: &Operand, span: Span) -> Result<Reg> {
        let a = self.reg_of(v, span)?;
        if v.known().is_some() {
            return Ok(a);
        }
        let d = self.b().reg();
        self.b().emit(Op::Mov { d, a });
        Ok(d)
    }

    fn range_check(
        &mut self,
        counter: Reg,
        limit: Reg,
        step: &Operand,
        pace: Reg,
        signed: bool,
        body: super::builder::Label,
    ) {
        let to = body.0;
        let up = if signed {
            Op::JumpLtS { a: counter, b: limit, to }
        } else {
            Op::JumpLtU { a: counter, b: limit, to }
        };
        let down = Op::JumpLtS { a: limit, b: counter, to };
        match step.known().and_then(Value::as_integer) {
            Some(n) if n.is_negative() => {
                self.b().emit(down);
            }
            Some(_) => {
                self.b().emit(up);
            }
            None => {
                let (negative, end) = (self.b().label(), self.b().label());
                let zero = self.b().constant(0);
                self.b().emit(Op::JumpLtS { a: pace, b: zero, to: negative.0 });
                self.b().emit(up);
                self.b().jump(end);
                self.b().bind(negative);
                self.b().emit(down);
                self.b().bind(end);
            }
        }
    }

    /// The body of a loop that is written as code; gives the label of its end, not yet bound. The
    /// place after it is where `continue` goes.
    fn loop_body(
        &mut self,
        label: Option<Name>,
        f: impl FnOnce(&mut Self) -> Result<Flow>,
    ) -> Result<super::builder::Label> {
        let (end, _) = self.open_target(label, true);
        self.frame_mut().scopes.push(Scope::default());
        let mark = self.b().mark();
        let flow = self.conditionally(f);
        self.b().release(mark);
        self.frame_mut().scopes.pop();
        let target = self.frame_mut().targets.pop().expect("opened above");
        let next = target.on_continue.expect("loops have one");
        self.b().bind(next);
        flow?;
        Ok(end)
    }

    fn for_array(&mut self, head: &Head<'_>, ev: Ev, at: Span) -> Result<Flow> {
        let ty = match &ev {
            Ev::Value(v) => v.ty(),
            Ev::Place(p) => p.ty().clone(),
        };
        let Ty::Array(a) = &ty else { return Err(rules::NOT_ITERABLE.because(&[("type", &ty)]).at(at)) };
        let array = match ev {
            Ev::Place(Place::Memory { addr, .. }) => addr,
            other => {
                let v = self.value_of(other, at)?;
                self.aggregate_addr(&v, at)?
            }
        };
        let counter = self.b().reg();
        let (zero, one) = (self.b().constant(0), self.b().constant(1));
        let limit = self.b().constant(a.len());
        self.b().emit(Op::Mov { d: counter, a: zero });
        let (body, check) = (self.b().label(), self.b().label());
        self.b().jump(check);
        self.b().bind(body);
        let a = flat(a);
        let end = self.loop_body(head.label.clone(), |s| {
            let place =
                Place::Element { array, index: counter, len: a.dims[0], ty: a.elem.clone(), writable: false };
            let element = s.load(&place, at)?;
            let element = if let Operand::Mem(..) = element { s.keep(element, at)? } else { element };
            let index = Binding::Register { reg: counter, ty: Ty::U16, mutable: false };
            s.bind_iteration(head, Binding::Alias(element), index)?;
            s.stmt(head.body)
        })?;
        self.b().span = head.span;
        self.b().emit(Op::AddU { d: counter, a: counter, b: one, sh: 0 });
        self.b().bind(check);
        self.b().emit(Op::JumpLtU { a: counter, b: limit, to: body.0 });
        self.b().bind(end);
        Ok(Flow::Next)
    }

    /// `while (cond) : (step) body`
    pub fn while_stmt(
        &mut self,
        label: Option<&Ident>,
        inline: bool,
        cond: ExprId,
        step: Option<StmtId>,
        body: StmtId,
        span: Span,
    ) -> Result<Flow> {
        let label = label.map(|l| l.name.clone());
        if self.is_comptime() {
            return self.while_now(label, cond, step, body);
        }
        if inline {
            return self.while_unrolled(label, cond, step, body, span);
        }
        self.while_code(label, cond, step, body, span)
    }

    fn while_now(
        &mut self,
        label: Option<Name>,
        cond: ExprId,
        step: Option<StmtId>,
        body: StmtId,
    ) -> Result<Flow> {
        let target = self.frame().targets.len();
        self.frame_mut().targets.push(Target::comptime_loop(label));
        let mut out = Ok(Flow::Next);
        loop {
            match self.condition(cond) {
                Ok(Operand::Known(Value::Bool(true))) => {}
                Ok(_) => break,
                Err(e) => {
                    out = Err(e);
                    break;
                }
            }
            match self.scoped_stmt(body) {
                Ok(Flow::Next) => {}
                Ok(Flow::Continue(t)) if t == target => {}
                Ok(Flow::Break(t, _)) if t == target => break,
                other => {
                    out = other;
                    break;
                }
            }
            if let Some(step) = step
                && let Err(e) = self.stmt(step)
            {
                out = Err(e);
                break;
            }
        }
        self.frame_mut().targets.truncate(target);
        out
    }

    fn while_unrolled(
        &mut self,
        label: Option<Name>,
        cond: ExprId,
        step: Option<StmtId>,
        body: StmtId,
        span: Span,
    ) -> Result<Flow> {
        let end = self.b().label();
        let mut i = 0;
        loop {
            self.burn(span)?;
            self.check_unrolled(i, span)?;
            i += 1;
            match self.condition(cond)? {
                Operand::Known(Value::Bool(true)) => {}
                Operand::Known(_) => break,
                _ => {
                    return Err(rules::NOT_COMPTIME
                        .because(&[("what", &"the condition of an inline loop")])
                        .at(span));
                }
            }
            if self.unrolled_iteration(label.clone(), end, |s| s.scoped_stmt(body))? {
                break;
            }
            if let Some(step) = step {
                self.stmt(step)?;
            }
        }
        self.b().bind(end);
        Ok(Flow::Next)
    }

    fn while_code(
        &mut self,
        label: Option<Name>,
        cond: ExprId,
        step: Option<StmtId>,
        body: StmtId,
        span: Span,
    ) -> Result<Flow> {
        let mark = self.b().mark();
        let (top, skip) = (self.b().label(), self.b().label());
        let first = self.condition(cond)?;
        let endless = match &first {
            Operand::Known(Value::Bool(true)) => true,
            Operand::Known(_) => return Ok(Flow::Next),
            _ => false,
        };
        if !endless {
            let a = self.reg_of(&first, span)?;
            self.b().branch(a, false, skip, mark);
            self.b().release(mark);
        }
        self.b().bind(top);
        let mut broken = false;
        let end = self.loop_body(label, |s| {
            let flow = s.stmt(body)?;
            broken = s.frame().targets.last().is_some_and(|t| t.broken);
            Ok(flow)
        })?;
        if let Some(step) = step {
            self.conditionally(|s| s.stmt(step))?;
        }
        if endless {
            self.b().jump(top);
        } else {
            // the condition stands at the bottom, too: one jump for each iteration
            let again = self.condition(cond)?;
            let a = self.reg_of(&again, span)?;
            self.b().branch(a, true, top, mark);
            self.b().release(mark);
        }
        self.b().bind(skip);
        self.b().bind(end);
        Ok(if endless && !broken { Flow::Dead } else { Flow::Next })
    }
}

enum Elements {
    Range(Arc<RangeValue>),
    Array(Arc<super::value::ArrayValue>),
}

impl Elements {
    fn get(&self, i: u32) -> Option<Value> {
        match self {
            Elements::Array(a) => a.get(i.into()).cloned(),
            Elements::Range(r) => {
                let v = r.start.add(&r.step.mul(&Integer::Small(i.into()))?)?;
                let inside = if r.step.is_negative() { v > r.stop } else { v < r.stop };
                inside.then(|| typed(&r.ty, v))
            }
        }
    }
}

fn typed(ty: &Ty, v: Integer) -> Value {
    match ty {
        Ty::Int(t) => Value::Int(Some(*t), v),
        _ => Value::Int(None, v),
    }
}

fn flat(a: &Arc<ArrayTy>) -> Arc<ArrayTy> {
    Arc::new(ArrayTy { dims: vec![a.len() as u32], elem: a.elem.clone() })
}
