//! `if`, `switch` and blocks: one arm is taken at comptime, or all are written as code and joined.

use super::arith;
use super::eval::{Arm, Flow, Join, JumpTarget};
use super::expectation::Expectation;
use super::lower::JumpLabel;
use super::operand::{Addr, Operand, comptime_only, repr};
use super::value::Value;
use super::walk::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result};
use crate::image::Scalar;
use crate::image::code::Op;
use crate::source::Span;
use crate::syntax::ast::{Block, ExprId, Name, Prong, StmtId};
use crate::value::ty::Ty;

/// Adds the value of an arm to a join; the code of the arm continues after it.
pub fn join_add(sema: &mut Sema<'_>, join: &mut Join, value: Operand, span: Span) -> Result<()> {
    let depth = sema.b().conditional_depth;
    let ty = value.ty();
    let mut arm = Arm { value, at: None, span, depth };
    if matches!(ty, Ty::Void | Ty::NoReturn) {
        if ty == Ty::Void {
            join.arms.push(arm);
        }
        return Ok(());
    }
    let aggregate = repr(&ty).is_none() && !ty.is_comptime_only() && ty.words().is_some();
    if aggregate && !matches!(&arm.value, Operand::Known(_)) || join.memory.is_some() {
        return join_memory(sema, join, arm);
    }
    // a placeholder: the move into the common register replaces it once all arms are known
    arm.at = Some(sema.b().emit(Op::Ret));
    sema.b().fence();
    join.arms.push(arm);
    Ok(())
}

/// The value of a block whose end is reached is void, so nothing else leaves it with another.
pub fn check_void(join: &Join, end: &Flow) -> Result<()> {
    let is_reached = matches!(end, Flow::Next);
    match join.arms.iter().find(|arm| is_reached && arm.value.ty() != Ty::Void) {
        Some(arm) => {
            let facts: [(&str, &dyn std::fmt::Display); 2] = [("want", &Ty::Void), ("have", &arm.value.ty())];
            let diag = rules::TYPE_MISMATCH.because(&facts).at(arm.span);
            Err(diag.help("leave the block without a value: it also reaches its end, which gives none"))
        }
        None => Ok(()),
    }
}

fn join_memory(sema: &mut Sema<'_>, join: &mut Join, arm: Arm) -> Result<()> {
    if join.memory.is_none() {
        let ty = arm.value.ty();
        join.memory = Some((sema.lower.temporary(&ty, arm.span)?, ty));
    }
    let (addr, ty) = join.memory.clone().expect("just made");
    let value = sema.coerce(arm.value.clone(), &ty, arm.span)?;
    sema.store_at(addr, &value, arm.span)?;
    join.arms.push(Arm { value: Operand::Mem(addr, ty), ..arm });
    Ok(())
}

/// All arms are there: the common value.
pub fn join_finish(
    sema: &mut Sema<'_>,
    join: Join,
    want: Expectation<'_>,
    end: JumpLabel,
    span: Span,
) -> Result<Operand> {
    let depth = sema.b().conditional_depth;
    if join.arms.is_empty() {
        return Ok(Operand::void());
    }
    if let [only] = join.arms.as_slice()
        && only.depth == depth
        && matches!(only.value, Operand::Known(_) | Operand::Parts(Ty::Range, _))
    {
        if let Some(at) = only.at
            && !sema.b().drop_jumps(at, end)
        {
            sema.b().patch(at, Op::Jump { to: end.0 });
        }
        return Ok(only.value.clone());
    }
    let ty = join_type(&join, want, span)?;
    if ty == Ty::Void {
        return Ok(Operand::void());
    }
    if let Some((addr, ty)) = join.memory {
        return Ok(Operand::Mem(addr, ty));
    }
    if repr(&ty).is_none() {
        return join_known_aggregates(sema, &join, &ty, span);
    }
    let d = sema.b().reg();
    for arm in join.arms {
        let Some(at) = arm.at else { continue };
        let narrow = repr(&arm.value.ty()).filter(|r| r.scalar.is_float() && r.bits == 16);
        let op = match narrow {
            Some(narrow) if ty == Ty::F32 && arm.value.known().is_none() => {
                let a = sema.reg_of(&arm.value, arm.span)?;
                Op::Convert { d, a, from: narrow.scalar, to: Scalar::F32 }
            }
            _ => {
                let value = sema.coerce(arm.value, &ty, arm.span)?;
                Op::Mov { d, a: sema.reg_of(&value, arm.span)? }
            }
        };
        sema.b().patch(at, op);
    }
    Ok(Operand::Reg(d, ty))
}

fn join_type(join: &Join, want: Expectation<'_>, span: Span) -> Result<Ty> {
    let types: Vec<Ty> = join.arms.iter().map(|a| a.value.ty()).collect();
    if types.contains(&Ty::Void) {
        if let Some(other) = types.iter().find(|t| **t != Ty::Void) {
            let diag = rules::NO_COMMON_TYPE.because(&[("left", &Ty::Void), ("right", other)]).at(span);
            return Err(diag.help("give every branch a value: an `if` needs an `else` with one"));
        }
        return Ok(Ty::Void);
    }
    if let Expectation::Exactly(want) = want
        && *want != Ty::ComptimeStruct
    {
        return Ok(want.clone());
    }
    let ty = arith::peer(&types).ok_or_else(|| {
        let other = types.iter().position(|t| *t != types[0]).unwrap_or(0);
        let c = rules::NO_COMMON_TYPE.because(&[("left", &types[0]), ("right", &types[other])]).at(span);
        let label = |c: Diag, i: usize| c.also(join.arms[i].span, format!("this is {}", types[i]));
        label(label(c, 0), other)
    })?;
    if let Expectation::OfLiterals(want) = want
        && ty.is_comptime_only()
        && !want.is_comptime_only()
    {
        return Ok(want.clone());
    }
    if ty.is_comptime_only() {
        return Err(comptime_only(&ty)
            .at(span)
            .help("the branch is chosen at run time: give the values a type with `@as`"));
    }
    Ok(ty)
}

/// Arms that are all constants (structs, DSDs): the address of the chosen one.
fn join_known_aggregates(sema: &mut Sema<'_>, join: &Join, ty: &Ty, span: Span) -> Result<Operand> {
    let d = sema.b().reg();
    for arm in &join.arms {
        let Some(at) = arm.at else { continue };
        let value = sema.coerce(arm.value.clone(), ty, arm.span)?;
        let addr = sema.aggregate_addr(&value, span)?;
        let a = sema.lower.addr_reg(addr)?;
        sema.b().patch(at, Op::Mov { d, a });
    }
    Ok(Operand::Mem(Addr { base: super::operand::Base::Reg(d), off: 0 }, ty.clone()))
}

/// Runs `f` with one more run-time branch around it.
pub fn conditionally<T>(sema: &mut Sema<'_>, f: impl FnOnce(&mut Sema<'_>) -> Result<T>) -> Result<T> {
    sema.b().conditional_depth += 1;
    let result = f(sema);
    sema.b().conditional_depth -= 1;
    result
}

/// The condition of an `if` or a loop.
pub fn condition(sema: &mut Sema<'_>, cond: ExprId) -> Result<Operand> {
    let span = sema.span(cond);
    match sema.value_as(cond, &Ty::Bool)? {
        Operand::Known(Value::Undefined(_)) => Err(rules::UNDEFINED_VALUE.plain().at(span)),
        v => Ok(v),
    }
}

/// `if (c) a else b` as an expression.
pub fn if_expr(
    sema: &mut Sema<'_>,
    cond: ExprId,
    then: ExprId,
    els: Option<ExprId>,
    want: Expectation<'_>,
    span: Span,
) -> Result<Operand> {
    let mark = sema.lower.mark();
    let c = condition(sema, cond)?;
    if let Operand::Known(v) = &c {
        return match (v, els) {
            (Value::Bool(true), _) => sema.value_for(then, want),
            (_, Some(els)) => sema.value_for(els, want),
            (_, None) => Ok(Operand::void()),
        };
    }
    let (other, end) = (sema.b().label(), sema.b().label());
    let a = sema.reg_of(&c, span)?;
    sema.b().branch(a, false, other, mark.unwrap_or(0));
    let mut join = Join::default();
    arm(sema, &mut join, then, want)?;
    sema.b().jump(end);
    sema.b().bind(other);
    match els {
        Some(els) => arm(sema, &mut join, els, want)?,
        None => join_add(sema, &mut join, Operand::void(), span)?,
    }
    sema.b().bind(end);
    join_finish(sema, join, want, end, span)
}

fn arm(sema: &mut Sema<'_>, join: &mut Join, body: ExprId, want: Expectation<'_>) -> Result<()> {
    let span = sema.span(body);
    let v = conditionally(sema, |s| s.value_for(body, want))?;
    conditionally(sema, |s| join_add(s, join, v, span))
}

/// `if` as a statement.
pub fn if_stmt(
    sema: &mut Sema<'_>,
    cond: ExprId,
    then: StmtId,
    els: Option<StmtId>,
    span: Span,
) -> Result<Flow> {
    let mark = sema.lower.mark().unwrap_or(0);
    let c = condition(sema, cond)?;
    if let Operand::Known(v) = &c {
        return match (v, els) {
            (Value::Bool(true), _) => sema.scoped_stmt(then),
            (_, Some(els)) => sema.scoped_stmt(els),
            (_, None) => Ok(Flow::Next),
        };
    }
    let (other, end) = (sema.b().label(), sema.b().label());
    let a = sema.reg_of(&c, span)?;
    sema.b().branch(a, false, other, mark);
    sema.b().release(mark);
    let first = conditionally(sema, |s| s.scoped_stmt(then))?;
    let Some(els) = els else {
        sema.b().bind(other);
        return Ok(Flow::Next);
    };
    if matches!(first, Flow::Next) {
        sema.b().jump(end);
    }
    sema.b().bind(other);
    let second = conditionally(sema, |s| s.scoped_stmt(els))?;
    sema.b().bind(end);
    Ok(if matches!((first, second), (Flow::Dead, Flow::Dead)) { Flow::Dead } else { Flow::Next })
}

/// `switch` as a statement.
pub fn switch_stmt(
    sema: &mut Sema<'_>,
    scrutinee: ExprId,
    prongs: &[Prong<StmtId>],
    span: Span,
) -> Result<Flow> {
    let v = sema.value(scrutinee, None)?;
    let table = cases(sema, &v, prongs, span)?;
    if let Operand::Known(v) = &v {
        return match table.taken(v) {
            Some(i) => sema.scoped_stmt(prongs[i].body),
            None => Err(rules::SWITCH_NOT_EXHAUSTIVE.because(&[("missing", v)]).at(span)),
        };
    }
    let end = sema.b().label();
    let labels = dispatch(sema, &v, &table, prongs.len(), span)?;
    let mut all_dead = true;
    for (prong, label) in prongs.iter().zip(labels) {
        sema.b().bind(label);
        let flow = conditionally(sema, |s| s.scoped_stmt(prong.body))?;
        if matches!(flow, Flow::Next) {
            all_dead = false;
            sema.b().jump(end);
        }
    }
    sema.b().bind(end);
    Ok(if all_dead { Flow::Dead } else { Flow::Next })
}

/// `switch` as an expression.
pub fn switch_expr(
    sema: &mut Sema<'_>,
    scrutinee: ExprId,
    prongs: &[Prong<ExprId>],
    want: Expectation<'_>,
    span: Span,
) -> Result<Operand> {
    let v = sema.value(scrutinee, None)?;
    let table = cases(sema, &v, prongs, span)?;
    if let Operand::Known(v) = &v {
        return match table.taken(v) {
            Some(i) => sema.value_for(prongs[i].body, want),
            None => Err(rules::SWITCH_NOT_EXHAUSTIVE.because(&[("missing", v)]).at(span)),
        };
    }
    let end = sema.b().label();
    let labels = dispatch(sema, &v, &table, prongs.len(), span)?;
    let mut join = Join::default();
    for (prong, label) in prongs.iter().zip(labels) {
        sema.b().bind(label);
        arm(sema, &mut join, prong.body, want)?;
        sema.b().jump(end);
    }
    sema.b().bind(end);
    join_finish(sema, join, want, end, span)
}

fn cases<B>(sema: &mut Sema<'_>, v: &Operand, prongs: &[Prong<B>], span: Span) -> Result<Cases> {
    let ty = v.ty();
    if matches!(v, Operand::Known(Value::Undefined(_))) {
        return Err(rules::UNDEFINED_VALUE.plain().at(span));
    }
    if !matches!(ty, Ty::Int(_) | Ty::Enum(_) | Ty::ComptimeInt) {
        return Err(rules::SWITCH_TYPE.because(&[("type", &ty)]).at(span));
    }
    let mut cases = Cases::default();
    for (i, prong) in prongs.iter().enumerate() {
        if prong.patterns.is_empty()
            && let Some(first) = cases.otherwise.replace(i)
        {
            let diag = rules::DUPLICATE_CASE.because(&[("value", &"`else`")]).at(prong.span);
            return Err(diag.also(prongs[first].span, "first here"));
        }
        for p in &prong.patterns {
            let at = sema.span(*p);
            let value = sema.known_as(*p, &ty)?;
            if let Some((_, _, first)) = cases.values.iter().find(|(v, _, _)| *v == value) {
                return Err(rules::DUPLICATE_CASE
                    .because(&[("value", &value)])
                    .at(at)
                    .also(*first, "first here"));
            }
            cases.values.push((value, i, at));
        }
    }
    if cases.otherwise.is_none()
        && let Some(missing) = cases.missing(&ty)
    {
        return Err(rules::SWITCH_NOT_EXHAUSTIVE
            .because(&[("missing", &missing)])
            .at(span)
            .help("add the missing cases, or an `else` prong"));
    }
    Ok(cases)
}

fn dispatch(
    sema: &mut Sema<'_>,
    v: &Operand,
    cases: &Cases,
    prongs: usize,
    span: Span,
) -> Result<Vec<JumpLabel>> {
    let labels: Vec<JumpLabel> = (0..prongs).map(|_| sema.b().label()).collect();
    let a = sema.reg_of(v, span)?;
    for (value, i, at) in &cases.values {
        let b = sema.reg_of(&Operand::Known(value.clone()), *at)?;
        let to = labels[*i].0;
        sema.b().emit(Op::JumpEq { a, b, to });
    }
    match cases.otherwise {
        Some(i) => sema.b().jump(labels[i]),
        None => {
            sema.lower.trap("a switch over an enum found a value that is not a member");
        }
    }
    Ok(labels)
}

/// A block where a value is wanted.
pub fn block_expr(sema: &mut Sema<'_>, block: &Block, want: Expectation<'_>) -> Result<Operand> {
    if block.stmts.is_empty() {
        return Ok(Operand::void());
    }
    sema.eval.check_label(block.label.as_ref())?;
    let label = block.label.as_ref().map(|l| l.name.clone());
    if sema.is_comptime() {
        return block_value(sema, block, label).map(Operand::Known);
    }
    let (end, index) = open_target(sema, label, false);
    let flow = sema.block(block);
    sema.b().bind(end);
    let target = sema.eval.close_target();
    debug_assert_eq!(sema.eval.targets().len(), index);
    let flow = flow?;
    let mut join = target.join;
    if matches!(flow, Flow::Next) {
        join_add(sema, &mut join, Operand::void(), block.span)?;
    }
    if join.arms.is_empty() && matches!(flow, Flow::Dead) {
        return Ok(Operand::Known(Value::Undefined(Ty::NoReturn)));
    }
    join_finish(sema, join, want, end, block.span)
}

fn block_value(sema: &mut Sema<'_>, block: &Block, label: Option<Name>) -> Result<Value> {
    let index = sema.eval.open_target(JumpTarget::block(label));
    let flow = sema.block(block);
    sema.eval.close_targets(index);
    match flow? {
        Flow::Next | Flow::Dead => Ok(Value::Void),
        Flow::Break(at, v) if at == index => Ok(v),
        other => {
            sema.eval.leave_with(other);
            Err(rules::LEAVES_EXPRESSION.plain().at(block.span))
        }
    }
}

/// Opens a run-time target of `break`. Returns its end and its index.
pub fn open_target(sema: &mut Sema<'_>, label: Option<Name>, is_loop: bool) -> (JumpLabel, usize) {
    let end = sema.b().label();
    let next = is_loop.then(|| sema.b().label());
    let target = JumpTarget::new(label, is_loop, Some(end), next).below(sema.lower.depth());
    (end, sema.eval.open_target(target))
}

/// What `switch` compares with.
#[derive(Default)]
struct Cases {
    values: Vec<(Value, usize, Span)>,
    otherwise: Option<usize>,
}

impl Cases {
    fn taken(&self, v: &Value) -> Option<usize> {
        let same = |(c, _, _): &&(Value, usize, Span)| arith::equality(c, v) == Some(true);
        self.values.iter().find(same).map(|(_, i, _)| *i).or(self.otherwise)
    }

    fn missing(&self, ty: &Ty) -> Option<String> {
        match ty {
            Ty::Enum(e) => {
                let has =
                    |n: i128| self.values.iter().any(|(v, _, _)| matches!(v, Value::Enum(_, m) if *m == n));
                e.members.iter().find(|(_, n)| !has(*n)).map(|(name, _)| format!("{ty}.{name}"))
            }
            Ty::Int(t) if t.bits <= 16 && self.values.len() == 1usize << t.bits => None,
            Ty::ComptimeInt => None,
            _ => Some("the other values".to_string()),
        }
    }
}
