//! `if`, `switch` and blocks: one arm is taken at comptime, or all are written as code and joined.

use super::arith;
use super::builder::Label;
use super::operand::{Addr, Operand, comptime_only, repr};
use super::scope::{Arm, Flow, Join, Scope, Target};
use super::value::Value;
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result};
use crate::image::Scalar;
use crate::image::code::Op;
use crate::source::Span;
use crate::syntax::ast::{Block, ExprId, Name, Prong, StmtId};
use crate::value::ty::Ty;

impl Sema<'_> {
    /// One more value arrives at a join; the code of the arm goes on after it.
    pub fn join_add(&mut self, join: &mut Join, value: Operand, span: Span) -> Result<()> {
        let depth = self.b().conditional_depth;
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
            return self.join_memory(join, arm);
        }
        // a jump to nowhere: replaced by the move once all arms are known
        arm.at = Some(self.b().emit(Op::Ret));
        self.b().fence();
        join.arms.push(arm);
        Ok(())
    }

    fn join_memory(&mut self, join: &mut Join, arm: Arm) -> Result<()> {
        if join.memory.is_none() {
            let ty = arm.value.ty();
            join.memory = Some((self.temporary(&ty, arm.span)?, ty));
        }
        let (addr, ty) = join.memory.clone().expect("just made");
        let value = self.coerce(arm.value.clone(), &ty, arm.span)?;
        self.store_at(addr, &value, arm.span)?;
        join.arms.push(Arm { value: Operand::Mem(addr, ty), ..arm });
        Ok(())
    }

    /// All arms are there: the common value.
    pub fn join_finish(&mut self, join: Join, want: Option<&Ty>, end: Label, span: Span) -> Result<Operand> {
        let depth = self.b().conditional_depth;
        if join.arms.is_empty() {
            return Ok(Operand::void());
        }
        if let [only] = join.arms.as_slice()
            && only.depth == depth
            && matches!(only.value, Operand::Known(_))
        {
            if let Some(at) = only.at
                && !self.b().drop_jumps(at, end)
            {
                self.b().patch(at, Op::Jump { to: end.0 });
            }
            return Ok(only.value.clone());
        }
        let ty = self.join_type(&join, want, span)?;
        if ty == Ty::Void {
            return Ok(Operand::void());
        }
        if let Some((addr, ty)) = join.memory {
            return Ok(Operand::Mem(addr, ty));
        }
        if repr(&ty).is_none() {
            return self.join_known_aggregates(&join, &ty, span);
        }
        let d = self.b().reg();
        for arm in join.arms {
            let Some(at) = arm.at else { continue };
            let widen = ty == Ty::F32 && arm.value.ty() == Ty::F16 && arm.value.known().is_none();
            let op = if widen {
                let a = self.reg_of(&arm.value, arm.span)?;
                Op::Convert { d, a, from: Scalar::F16, to: Scalar::F32 }
            } else {
                let value = self.coerce(arm.value, &ty, arm.span)?;
                Op::Mov { d, a: self.reg_of(&value, arm.span)? }
            };
            self.b().patch(at, op);
        }
        Ok(Operand::Reg(d, ty))
    }

    fn join_type(&mut self, join: &Join, want: Option<&Ty>, span: Span) -> Result<Ty> {
        let types: Vec<Ty> = join.arms.iter().map(|a| a.value.ty()).collect();
        if types.contains(&Ty::Void) {
            if let Some(other) = types.iter().find(|t| **t != Ty::Void) {
                return Err(rules::NO_COMMON_TYPE.because(&[("left", &Ty::Void), ("right", other)]).at(span));
            }
            return Ok(Ty::Void);
        }
        if let Some(want) = want
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
        if ty.is_comptime_only() {
            return Err(comptime_only(&ty)
                .at(span)
                .help("the branch is chosen at run time: give the values a type with `@as`"));
        }
        Ok(ty)
    }

    /// Arms that are all constants (structs, DSDs): the address of the chosen one.
    fn join_known_aggregates(&mut self, join: &Join, ty: &Ty, span: Span) -> Result<Operand> {
        let d = self.b().reg();
        for arm in &join.arms {
            let Some(at) = arm.at else { continue };
            let value = self.coerce(arm.value.clone(), ty, arm.span)?;
            let addr = self.aggregate_addr(&value, span)?;
            let a = self.addr_reg(addr)?;
            self.b().patch(at, Op::Mov { d, a });
        }
        Ok(Operand::Mem(Addr { base: super::operand::Base::Reg(d), off: 0 }, ty.clone()))
    }

    /// Runs `f` with one more run-time branch around it.
    pub fn conditionally<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.b().conditional_depth += 1;
        let result = f(self);
        self.b().conditional_depth -= 1;
        result
    }

    /// The condition of an `if` or a loop.
    pub fn condition(&mut self, cond: ExprId) -> Result<Operand> {
        let span = self.span(cond);
        match self.value_as(cond, &Ty::Bool)? {
            Operand::Known(Value::Undefined(_)) => Err(rules::UNDEFINED_VALUE.plain().at(span)),
            v => Ok(v),
        }
    }

    /// `if (c) a else b` as an expression.
    pub fn if_expr(
        &mut self,
        cond: ExprId,
        then: ExprId,
        els: Option<ExprId>,
        want: Option<&Ty>,
        span: Span,
    ) -> Result<Operand> {
        let mark = self.builder.as_ref().map(|b| b.mark());
        let c = self.condition(cond)?;
        if let Operand::Known(v) = &c {
            return match (v, els) {
                (Value::Bool(true), _) => self.value(then, want),
                (_, Some(els)) => self.value(els, want),
                (_, None) => Ok(Operand::void()),
            };
        }
        let (other, end) = (self.b().label(), self.b().label());
        let a = self.reg_of(&c, span)?;
        self.b().branch(a, false, other, mark.unwrap_or(0));
        let mut join = Join::default();
        self.arm(&mut join, then, want)?;
        self.b().jump(end);
        self.b().bind(other);
        match els {
            Some(els) => self.arm(&mut join, els, want)?,
            None => self.join_add(&mut join, Operand::void(), span)?,
        }
        self.b().bind(end);
        self.join_finish(join, want, end, span)
    }

    fn arm(&mut self, join: &mut Join, body: ExprId, want: Option<&Ty>) -> Result<()> {
        let span = self.span(body);
        let v = self.conditionally(|s| s.value(body, want))?;
        self.conditionally(|s| s.join_add(join, v, span))
    }

    /// `if` as a statement.
    pub fn if_stmt(&mut self, cond: ExprId, then: StmtId, els: Option<StmtId>, span: Span) -> Result<Flow> {
        let mark = self.builder.as_ref().map_or(0, |b| b.mark());
        let c = self.condition(cond)?;
        if let Operand::Known(v) = &c {
            return match (v, els) {
                (Value::Bool(true), _) => self.scoped_stmt(then),
                (_, Some(els)) => self.scoped_stmt(els),
                (_, None) => Ok(Flow::Next),
            };
        }
        let (other, end) = (self.b().label(), self.b().label());
        let a = self.reg_of(&c, span)?;
        self.b().branch(a, false, other, mark);
        self.b().release(mark);
        let first = self.conditionally(|s| s.scoped_stmt(then))?;
        let Some(els) = els else {
            self.b().bind(other);
            return Ok(Flow::Next);
        };
        if matches!(first, Flow::Next) {
            self.b().jump(end);
        }
        self.b().bind(other);
        let second = self.conditionally(|s| s.scoped_stmt(els))?;
        self.b().bind(end);
        Ok(if matches!((first, second), (Flow::Dead, Flow::Dead)) { Flow::Dead } else { Flow::Next })
    }

    /// `switch` as a statement.
    pub fn switch_stmt(&mut self, scrutinee: ExprId, prongs: &[Prong<StmtId>], span: Span) -> Result<Flow> {
        let v = self.value(scrutinee, None)?;
        let table = self.prongs(&v, prongs, span)?;
        if let Operand::Known(v) = &v {
            return match table.taken(v) {
                Some(i) => self.scoped_stmt(prongs[i].body),
                None => Err(rules::SWITCH_NOT_EXHAUSTIVE.because(&[("missing", v)]).at(span)),
            };
        }
        let end = self.b().label();
        let labels = self.dispatch(&v, &table, prongs.len(), span)?;
        let mut all_dead = true;
        for (prong, label) in prongs.iter().zip(labels) {
            self.b().bind(label);
            let flow = self.conditionally(|s| s.scoped_stmt(prong.body))?;
            if matches!(flow, Flow::Next) {
                all_dead = false;
                self.b().jump(end);
            }
        }
        self.b().bind(end);
        Ok(if all_dead { Flow::Dead } else { Flow::Next })
    }

    /// `switch` as an expression.
    pub fn switch_expr(
        &mut self,
        scrutinee: ExprId,
        prongs: &[Prong<ExprId>],
        want: Option<&Ty>,
        span: Span,
    ) -> Result<Operand> {
        let v = self.value(scrutinee, None)?;
        let table = self.prongs(&v, prongs, span)?;
        if let Operand::Known(v) = &v {
            return match table.taken(v) {
                Some(i) => self.value(prongs[i].body, want),
                None => Err(rules::SWITCH_NOT_EXHAUSTIVE.because(&[("missing", v)]).at(span)),
            };
        }
        let end = self.b().label();
        let labels = self.dispatch(&v, &table, prongs.len(), span)?;
        let mut join = Join::default();
        for (prong, label) in prongs.iter().zip(labels) {
            self.b().bind(label);
            self.arm(&mut join, prong.body, want)?;
            self.b().jump(end);
        }
        self.b().bind(end);
        self.join_finish(join, want, end, span)
    }

    fn prongs<B>(&mut self, v: &Operand, prongs: &[Prong<B>], span: Span) -> Result<Cases> {
        let ty = v.ty();
        if matches!(v, Operand::Known(Value::Undefined(_))) {
            return Err(rules::UNDEFINED_VALUE.plain().at(span));
        }
        if !matches!(ty, Ty::Int(_) | Ty::Enum(_) | Ty::ComptimeInt) {
            return Err(rules::SWITCH_TYPE.because(&[("type", &ty)]).at(span));
        }
        let mut cases = Cases::default();
        for (i, prong) in prongs.iter().enumerate() {
            if prong.patterns.is_empty() {
                cases.otherwise = Some(i);
            }
            for p in &prong.patterns {
                let at = self.span(*p);
                let value = self.known_as(*p, &ty)?;
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

    fn dispatch(&mut self, v: &Operand, cases: &Cases, prongs: usize, span: Span) -> Result<Vec<Label>> {
        let labels: Vec<Label> = (0..prongs).map(|_| self.b().label()).collect();
        let a = self.reg_of(v, span)?;
        for (value, i, at) in &cases.values {
            let b = self.reg_of(&Operand::Known(value.clone()), *at)?;
            let to = labels[*i].0;
            self.b().emit(Op::JumpEq { a, b, to });
        }
        match cases.otherwise {
            Some(i) => self.b().jump(labels[i]),
            None => {
                let text = self.string("a switch over an enum found a value that is not a member");
                self.b().emit(Op::Trap { text });
            }
        }
        Ok(labels)
    }

    /// A block where a value is wanted.
    pub fn block_expr(&mut self, block: &Block, want: Option<&Ty>) -> Result<Operand> {
        if block.stmts.is_empty() {
            return Ok(Operand::void());
        }
        let label = block.label.as_ref().map(|l| l.name.clone());
        if self.is_comptime() {
            return self.block_value(block, label).map(Operand::Known);
        }
        let (end, index) = self.open_target(label, false);
        let flow = self.block(block);
        self.b().bind(end);
        let target = self.frame_mut().targets.pop().expect("opened above");
        debug_assert_eq!(self.frame().targets.len(), index);
        let flow = flow?;
        let mut join = target.join;
        if matches!(flow, Flow::Next) {
            self.join_add(&mut join, Operand::void(), block.span)?;
        }
        if join.arms.is_empty() && matches!(flow, Flow::Dead) {
            return Ok(Operand::Known(Value::Undefined(Ty::NoReturn)));
        }
        self.join_finish(join, want, end, block.span)
    }

    fn block_value(&mut self, block: &Block, label: Option<Name>) -> Result<Value> {
        let index = self.frame().targets.len();
        self.frame_mut().targets.push(Target::new(label, false, None, None));
        let flow = self.block(block);
        self.frame_mut().targets.truncate(index);
        match flow? {
            Flow::Next | Flow::Dead => Ok(Value::Void),
            Flow::Break(at, v) if at == index => Ok(v),
            other => {
                self.frame_mut().pending = Some(other);
                Err(rules::LEAVES_EXPRESSION.plain().at(block.span))
            }
        }
    }

    /// Opens a run-time target of `break`; its end and its index.
    pub fn open_target(&mut self, label: Option<Name>, is_loop: bool) -> (Label, usize) {
        let end = self.b().label();
        let next = is_loop.then(|| self.b().label());
        self.frame_mut().targets.push(Target::new(label, is_loop, Some(end), next));
        (end, self.frame().targets.len() - 1)
    }

    /// A block with a scope of its own.
    pub fn block(&mut self, block: &Block) -> Result<Flow> {
        self.frame_mut().scopes.push(Scope::default());
        let mark = self.builder.as_ref().map(|b| b.mark());
        let flow = self.statements(&block.stmts);
        if let (Some(mark), Some(b)) = (mark, &mut self.builder) {
            b.release(mark);
        }
        self.frame_mut().scopes.pop();
        flow
    }
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
