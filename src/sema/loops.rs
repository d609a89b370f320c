//! `for` and `while`: run at comptime, unrolled, or written as loops.

use super::advice;
use super::control;
use super::eval::{Binding, ExprValue, Flow, JumpTarget};
use super::lower::JumpLabel;
use super::operand::{Operand, Place};
use super::value::{RangeValue, Value};
use super::walk::Sema;
use crate::diagnostics::Result;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::comptime as rules;
use crate::image::code::{Op, Reg};
use crate::source::Span;
use crate::syntax::ast::{ExprId, Ident, Name, StmtId};
use crate::value::number::Integer;
use crate::value::ty::{ArrayTy, Ty};
use std::rc::Rc;
use std::sync::Arc;

/// What the head of a `for` gives.
struct Head<'a> {
    label: Option<Name>,
    item: &'a Ident,
    index: Option<&'a Ident>,
    body: StmtId,
    span: Span,
}

/// `for (iter) |item, index| body`
#[allow(clippy::too_many_arguments)]
pub fn for_stmt(
    sema: &mut Sema<'_>,
    label: Option<&Ident>,
    inline: bool,
    iter: ExprId,
    item: &Ident,
    index: Option<&Ident>,
    body: StmtId,
    span: Span,
) -> Result<Flow> {
    sema.eval.check_label(label)?;
    let head = Head { label: label.map(|l| l.name.clone()), item, index, body, span };
    let at = sema.span(iter);
    if !sema.is_comptime()
        && !inline
        && let Some(range) = range_call(sema, iter)?
    {
        return for_range(sema, &head, range);
    }
    let ev = sema.expr(iter, None)?;
    if sema.is_comptime() || inline {
        let elements = match sema.value_of(ev, at)? {
            Operand::Known(v) => v,
            _ => {
                let diag = rules::NOT_COMPTIME.because(&[("what", &"what this loop runs over")]).at(at);
                return Err(if inline { diag.help("write the loop without `inline`") } else { diag });
            }
        };
        return if sema.is_comptime() {
            for_now(sema, &head, &elements, at)
        } else {
            unroll(sema, &head, &elements, at)
        };
    }
    match &ev {
        ExprValue::Value(Operand::Known(Value::Range(r))) => {
            let ty = r.ty.clone();
            let part = |n: &Integer| Operand::Known(typed(&ty, n.clone()));
            let parts = (ty.clone(), part(&r.start), part(&r.stop), part(&r.step));
            for_range(sema, &head, parts)
        }
        ExprValue::Value(Operand::Parts(Ty::Range, parts)) => {
            let [start, stop, step] = parts.as_slice() else { unreachable!("a range has three parts") };
            for_range(sema, &head, (start.ty(), start.clone(), stop.clone(), step.clone()))
        }
        _ => for_array(sema, &head, ev, at),
    }
}

fn elements(v: &Value, at: Span) -> Result<LoopElements> {
    match v {
        Value::Range(r) => Ok(LoopElements::Range(r.clone())),
        Value::Array(a) => Ok(LoopElements::Array(a.clone())),
        other => Err(advice::not_iterable(&other.ty()).at(at)),
    }
}

fn for_now(sema: &mut Sema<'_>, head: &Head<'_>, v: &Value, at: Span) -> Result<Flow> {
    let elements = elements(v, at)?;
    let target = sema.eval.open_target(JumpTarget::comptime_loop(head.label.clone()));
    let mut i = 0;
    let mut out = Ok(Flow::Next);
    while let Some(element) = elements.get(i) {
        match iteration(sema, head, element, Value::int(i.into())) {
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
    sema.eval.close_targets(target);
    out
}

fn iteration(sema: &mut Sema<'_>, head: &Head<'_>, element: Value, index: Value) -> Result<Flow> {
    sema.eval.budget.step(head.span)?;
    sema.scoped(|s| {
        bind_iteration(s, head, Binding::Known(element), Binding::Known(index))?;
        s.stmt(head.body)
    })
}

fn bind_iteration(sema: &mut Sema<'_>, head: &Head<'_>, element: Binding, index: Binding) -> Result<()> {
    sema.declare(head.item, element)?;
    match head.index {
        Some(i) => sema.declare(i, index),
        None => Ok(()),
    }
}

fn unroll(sema: &mut Sema<'_>, head: &Head<'_>, v: &Value, at: Span) -> Result<Flow> {
    let elements = elements(v, at)?;
    unrolled(sema, |s, i, end| {
        let index = u32::try_from(i).ok();
        let Some(element) = index.and_then(|i| elements.get(i)) else { return Ok(Unrolled::End) };
        check_unrolled(s, i, head.span)?;
        unrolled_iteration(s, head.label.clone(), end, |s| iteration(s, head, element, Value::int(i.into())))
    })
}

/// What follows one unrolled iteration.
enum Unrolled {
    /// The next one.
    Next,
    /// Nothing: it never ends.
    Dead,
    /// What stands behind the loop.
    End,
}

/// Writes iterations until one says that it is the last.
fn unrolled(
    sema: &mut Sema<'_>,
    mut next: impl FnMut(&mut Sema<'_>, u64, JumpLabel) -> Result<Unrolled>,
) -> Result<Flow> {
    let end = sema.b().label();
    sema.eval.open_target(JumpTarget::unrolled(end, sema.lower.depth()));
    let mut i = 0;
    let result = loop {
        match next(sema, i, end) {
            Ok(Unrolled::Next) => i += 1,
            Ok(Unrolled::Dead) => break Ok(Flow::Dead),
            Ok(Unrolled::End) => break Ok(Flow::Next),
            Err(diag) => break Err(diag),
        }
    };
    let broken = sema.eval.close_target().broken;
    sema.b().bind(end);
    result.map(|flow| if broken { Flow::Next } else { flow })
}

fn check_unrolled(sema: &Sema<'_>, i: u64, span: Span) -> Result<()> {
    if i < sema.options.max_inlined_iterations {
        return Ok(());
    }
    Err(rules::TOO_MANY_INLINED
        .because(&[("limit", &grouped(sema.options.max_inlined_iterations))])
        .at(span)
        .help("raise it with `--max-inlined-iterations`"))
}

/// Unrolls one iteration; true if the following ones need not be unrolled: they can never run, or would only repeat
/// the same error, up to a million times.
fn unrolled_iteration(
    sema: &mut Sema<'_>,
    label: Option<Name>,
    end: JumpLabel,
    f: impl FnOnce(&mut Sema<'_>) -> Result<Flow>,
) -> Result<Unrolled> {
    let next = sema.b().label();
    let mark = sema.b().mark();
    let faults = sema.reports.faults();
    sema.eval.open_target(JumpTarget::iteration(label, end, next, sema.lower.depth()));
    let flow = f(sema);
    let target = sema.eval.close_target();
    let all = sema.eval.targets().len() - 1;
    sema.eval.target(all).broken |= target.broken;
    sema.b().bind(next);
    sema.b().release(mark);
    Ok(match flow? {
        _ if sema.reports.faults() > faults => Unrolled::End,
        Flow::Dead if !target.continued => Unrolled::Dead,
        _ => Unrolled::Next,
    })
}

/// The parts of `@range(T, ..)` when it stands in the head of a loop: they may be run-time values.
fn range_call(sema: &mut Sema<'_>, iter: ExprId) -> Result<Option<(Ty, Operand, Operand, Operand)>> {
    let unit = sema.unit();
    let crate::syntax::ast::ExprKind::Builtin { name, args } = &unit.file.expr(iter).kind else {
        return Ok(None);
    };
    if name.name != "range" || !matches!(args.len(), 2 | 4) {
        return Ok(None);
    }
    let ty = sema.ty(args[0])?;
    if !matches!(ty, Ty::Int(_)) {
        return Ok(None);
    }
    let known = |n: i128| Operand::Known(typed(&ty, Integer::Small(n)));
    let parts = match args.as_slice() {
        [_, stop] => (ty.clone(), known(0), sema.value_as(*stop, &ty)?, known(1)),
        [_, start, stop, step] => {
            let (start, stop) = (sema.value_as(*start, &ty)?, sema.value_as(*stop, &ty)?);
            (ty.clone(), start, stop, sema.value_as(*step, &ty)?)
        }
        _ => unreachable!("checked above"),
    };
    if parts.3.known().and_then(Value::as_integer).is_some_and(|s| s.is_zero()) {
        return Err(rules::RANGE_STEP.plain().at(sema.span(args[3])));
    }
    Ok(Some(parts))
}

fn for_range(sema: &mut Sema<'_>, head: &Head<'_>, parts: (Ty, Operand, Operand, Operand)) -> Result<Flow> {
    let (ty, start, stop, step) = parts;
    let counter = sema.b().reg();
    let limit = own_reg(sema, &stop, head.span)?;
    let pace = own_reg(sema, &step, head.span)?;
    let position = head.index.is_some().then(|| sema.b().reg());
    let a = sema.reg_of(&start, head.span)?;
    sema.b().emit(Op::Mov { d: counter, a });
    let (zero, one) = (sema.b().constant(0), sema.b().constant(1));
    if let Some(d) = position {
        sema.b().emit(Op::Mov { d, a: zero });
    }
    let (body, check) = (sema.b().label(), sema.b().label());
    sema.b().jump(check);
    sema.b().bind(body);
    let flow = loop_body(sema, head.label.clone(), |s| {
        let element = Binding::Register { reg: counter, ty: ty.clone(), mutable: false };
        let index = Binding::Register { reg: position.unwrap_or(counter), ty: Ty::U16, mutable: false };
        bind_iteration(s, head, element, index)?;
        s.stmt(head.body)
    })?;
    sema.b().span = head.span;
    // counting in 64 bits: the counter never wraps at the end of its type
    sema.b().emit(Op::AddS { d: counter, a: counter, b: pace, sh: 0 });
    if let Some(d) = position {
        sema.b().emit(Op::AddU { d, a: d, b: one, sh: 48 });
    }
    sema.b().bind(check);
    let down = step.known().and_then(Value::as_integer).map(|n| n.is_negative());
    sema.lower.count(counter, limit, pace, &ty, down, body);
    sema.b().bind(flow);
    Ok(Flow::Next)
}

fn own_reg(sema: &mut Sema<'_>, v: &Operand, span: Span) -> Result<Reg> {
    let a = sema.reg_of(v, span)?;
    if v.known().is_some() {
        return Ok(a);
    }
    Ok(sema.lower.copy_reg(a))
}

/// The body of a loop that is written as code; gives the label of its end, not yet bound. The
/// place after it is where `continue` goes.
fn loop_body(
    sema: &mut Sema<'_>,
    label: Option<Name>,
    f: impl FnOnce(&mut Sema<'_>) -> Result<Flow>,
) -> Result<JumpLabel> {
    let (end, _) = control::open_target(sema, label, true);
    let flow = sema.scoped(|s| {
        let mark = s.b().mark();
        let flow = control::conditionally(s, f);
        s.b().release(mark);
        flow
    });
    let target = sema.eval.close_target();
    let next = target.on_continue.expect("loops have one");
    sema.b().bind(next);
    flow?;
    Ok(end)
}

fn for_array(sema: &mut Sema<'_>, head: &Head<'_>, ev: ExprValue, at: Span) -> Result<Flow> {
    let ty = match &ev {
        ExprValue::Value(v) => v.ty(),
        ExprValue::Place(p) => p.ty().clone(),
    };
    let Ty::Array(a) = &ty else { return Err(advice::not_iterable(&ty).at(at)) };
    let array = match ev {
        ExprValue::Place(Place::Memory { addr, .. }) => addr,
        other => {
            let v = sema.value_of(other, at)?;
            sema.aggregate_addr(&v, at)?
        }
    };
    let counter = sema.b().reg();
    let (zero, one) = (sema.b().constant(0), sema.b().constant(1));
    let limit = sema.b().constant(a.len());
    sema.b().emit(Op::Mov { d: counter, a: zero });
    let (body, check) = (sema.b().label(), sema.b().label());
    sema.b().jump(check);
    sema.b().bind(body);
    let a = flat(a);
    let end = loop_body(sema, head.label.clone(), |s| {
        let place =
            Place::Element { array, index: counter, len: a.dims[0], ty: a.elem.clone(), writable: false };
        let element = s.load(&place, at)?;
        let element = if let Operand::Mem(..) = element { s.keep(element, at)? } else { element };
        let index = Binding::Register { reg: counter, ty: Ty::U16, mutable: false };
        bind_iteration(s, head, Binding::Alias(element), index)?;
        s.stmt(head.body)
    })?;
    sema.b().span = head.span;
    sema.b().emit(Op::AddU { d: counter, a: counter, b: one, sh: 0 });
    sema.b().bind(check);
    sema.b().emit(Op::JumpLtU { a: counter, b: limit, to: body.0 });
    sema.b().bind(end);
    Ok(Flow::Next)
}

/// `while (cond) : (step) body`
pub fn while_stmt(
    sema: &mut Sema<'_>,
    label: Option<&Ident>,
    inline: bool,
    cond: ExprId,
    step: Option<StmtId>,
    body: StmtId,
    span: Span,
) -> Result<Flow> {
    sema.eval.check_label(label)?;
    let label = label.map(|l| l.name.clone());
    if sema.is_comptime() {
        return while_now(sema, label, cond, step, body);
    }
    if inline {
        return while_unrolled(sema, label, cond, step, body, span);
    }
    while_code(sema, label, cond, step, body, span)
}

fn while_now(
    sema: &mut Sema<'_>,
    label: Option<Name>,
    cond: ExprId,
    step: Option<StmtId>,
    body: StmtId,
) -> Result<Flow> {
    let target = sema.eval.open_target(JumpTarget::comptime_loop(label));
    let mut out = Ok(Flow::Next);
    loop {
        match control::condition(sema, cond) {
            Ok(Operand::Known(Value::Bool(true))) => {}
            Ok(_) => break,
            Err(e) => {
                out = Err(e);
                break;
            }
        }
        match sema.scoped_stmt(body) {
            Ok(Flow::Next) => {}
            Ok(Flow::Continue(t)) if t == target => {}
            Ok(Flow::Break(t, _)) if t == target => break,
            other => {
                out = other;
                break;
            }
        }
        if let Some(step) = step
            && let Err(e) = sema.stmt(step)
        {
            out = Err(e);
            break;
        }
    }
    sema.eval.close_targets(target);
    out
}

fn while_unrolled(
    sema: &mut Sema<'_>,
    label: Option<Name>,
    cond: ExprId,
    step: Option<StmtId>,
    body: StmtId,
    span: Span,
) -> Result<Flow> {
    unrolled(sema, |s, i, end| {
        s.eval.budget.step(span)?;
        check_unrolled(s, i, span)?;
        match control::condition(s, cond)? {
            Operand::Known(Value::Bool(true)) => {}
            Operand::Known(_) => return Ok(Unrolled::End),
            _ => {
                return Err(rules::NOT_COMPTIME
                    .because(&[("what", &"the condition of an inline loop")])
                    .at(span));
            }
        }
        let follows = unrolled_iteration(s, label.clone(), end, |s| s.scoped_stmt(body))?;
        if let (Unrolled::Next, Some(step)) = (&follows, step) {
            s.stmt(step)?;
        }
        Ok(follows)
    })
}

fn while_code(
    sema: &mut Sema<'_>,
    label: Option<Name>,
    cond: ExprId,
    step: Option<StmtId>,
    body: StmtId,
    span: Span,
) -> Result<Flow> {
    let mark = sema.b().mark();
    let (top, skip) = (sema.b().label(), sema.b().label());
    let first = control::condition(sema, cond)?;
    let endless = match &first {
        Operand::Known(Value::Bool(true)) => true,
        Operand::Known(_) => return Ok(Flow::Next),
        _ => false,
    };
    if !endless {
        let a = sema.reg_of(&first, span)?;
        sema.b().branch(a, false, skip, mark);
        sema.b().release(mark);
    }
    sema.b().bind(top);
    let mut broken = false;
    let end = loop_body(sema, label, |s| {
        let flow = s.stmt(body)?;
        broken = s.eval.targets().last().is_some_and(|t| t.broken);
        Ok(flow)
    })?;
    if let Some(step) = step {
        control::conditionally(sema, |s| s.stmt(step))?;
    }
    if endless {
        sema.b().jump(top);
    } else {
        // the condition stands at the bottom, too: one jump for each iteration
        let again = control::conditionally(sema, |s| control::condition(s, cond))?;
        let a = sema.reg_of(&again, span)?;
        sema.b().branch(a, true, top, mark);
        sema.b().release(mark);
    }
    sema.b().bind(skip);
    sema.b().bind(end);
    Ok(if endless && !broken { Flow::Dead } else { Flow::Next })
}

enum LoopElements {
    Range(Rc<RangeValue>),
    Array(Rc<super::value::ArrayValue>),
}

impl LoopElements {
    fn get(&self, i: u32) -> Option<Value> {
        match self {
            LoopElements::Array(a) => a.get(i.into()).cloned(),
            LoopElements::Range(r) => {
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
