//! Statements: executed at comptime, or written as code.

use super::declared::with_declared_name;
use super::eval::{Binding, ExprValue, Flow, JumpTarget, Return};
use super::expectation::Expectation;
use super::immutable;
use super::operand::{Addr, Base, Operand, Place, comptime_only, exists_at_run_time};
use super::value::Value;
use super::walk::Sema;
use super::{advice, builtins, control, loops, names, operators};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::run::DANGLING_POINTER;
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::Op;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Block, ExprId, ExprKind, Ident, StmtId, StmtKind, VarDecl, VarKind};
use crate::value::ty::Ty;

impl Sema<'_> {
    /// Statements one after the other. In code, a wrong statement is reported and the next one looked at.
    pub fn statements(&mut self, stmts: &[StmtId]) -> Result<Flow> {
        for id in stmts {
            let result = self.stmt(*id);
            match result {
                Ok(Flow::Next) => {}
                Ok(other) => return Ok(other),
                Err(diag) => {
                    if let Some(flow) = self.eval.take_leaving() {
                        return Ok(flow);
                    }
                    if self.is_comptime() {
                        return Err(diag);
                    }
                    self.report(diag);
                    // What follows in the library would complain of the same mistake of its caller.
                    if self.frame().unit.library {
                        return Err(rules::REPORTED.plain());
                    }
                }
            }
        }
        Ok(Flow::Next)
    }

    /// A block with a scope of its own.
    pub fn block(&mut self, block: &Block) -> Result<Flow> {
        self.scoped(|s| {
            let mark = s.lower.mark();
            let flow = s.statements(&block.stmts);
            s.lower.release(mark);
            flow
        })
    }

    /// A statement that is the body of something: its names are its own.
    pub fn scoped_stmt(&mut self, id: StmtId) -> Result<Flow> {
        self.scoped(|s| {
            let mark = s.lower.mark();
            let flow = s.stmt(id);
            s.lower.release(mark);
            flow
        })
    }

    /// One statement.
    pub fn stmt(&mut self, id: StmtId) -> Result<Flow> {
        let unit = self.unit();
        let stmt = unit.file.stmt(id);
        let span = stmt.span;
        if self.is_comptime() {
            self.eval.budget.step(span)?;
        } else {
            self.lower.set_span(span);
        }
        self.check_room(span)?;
        let mark = self.lower.mark();
        let flow = self.deeper(span, |s| s.stmt_kind(&stmt.kind, span)).at(span);
        let flow = flow.map_err(|c| with_declared_name(self.frame(), &self.files, c, span));
        // registers of local variables stay taken until their block ends
        if !matches!(stmt.kind, StmtKind::Var(_)) {
            self.lower.release(mark);
        }
        flow
    }

    fn stmt_kind(&mut self, kind: &StmtKind, span: Span) -> Result<Flow> {
        match kind {
            StmtKind::Var(decl) => self.local(decl).map(|()| Flow::Next),
            StmtKind::Assign { lhs, op, rhs } => self.assign(*lhs, *op, *rhs, span).map(|()| Flow::Next),
            StmtKind::Expr(e) => self.expr_stmt(*e),
            StmtKind::Comptime(block) => self.comptime_block(block, span),
            StmtKind::If { cond, then, els } => control::if_stmt(self, *cond, *then, *els, span),
            StmtKind::Switch { scrutinee, prongs } => control::switch_stmt(self, *scrutinee, prongs, span),
            StmtKind::For { label, inline, iter, item, index, body } => {
                loops::for_stmt(self, label.as_ref(), *inline, *iter, item, index.as_ref(), *body, span)
            }
            StmtKind::While { label, inline, cond, step, body } => {
                loops::while_stmt(self, label.as_ref(), *inline, *cond, *step, *body, span)
            }
            StmtKind::Return(value) => self.return_stmt(*value, span),
            StmtKind::Break(label, value) => self.break_stmt(label.as_ref(), *value, span),
            StmtKind::Continue(label) => self.continue_stmt(label.as_ref(), span),
            StmtKind::Empty => Ok(Flow::Next),
            StmtKind::Error => Err(rules::REPORTED.plain()),
        }
    }

    fn expr_stmt(&mut self, e: ExprId) -> Result<Flow> {
        let unit = self.unit();
        if let crate::syntax::ast::ExprKind::Block(block) = &unit.file.expr(e).kind {
            return self.block_stmt(block);
        }
        let value = self.expr(e, None)?;
        self.check_used(e, &value);
        match value {
            ExprValue::Value(Operand::Known(Value::Undefined(Ty::NoReturn))) => Ok(Flow::Dead),
            ExprValue::Value(Operand::Reg(result, Ty::Bool)) => {
                self.lower.drop_result(result);
                Ok(Flow::Next)
            }
            _ => Ok(Flow::Next),
        }
    }

    /// Warns of a statement that only computes a value.
    fn check_used(&mut self, e: ExprId, value: &ExprValue) {
        let unit = self.unit();
        let help = match &unit.file.expr(e).kind {
            _ if unit.library || matches!(value, ExprValue::Value(v) if v.ty() == Ty::Void) => return,
            ExprKind::Name(_) | ExprKind::Field { .. } | ExprKind::Deref(_) | ExprKind::Index { .. } => {
                match value {
                    ExprValue::Value(Operand::Known(Value::Fn(_))) => {
                        format!("call it: `{}()`", self.snippet(e))
                    }
                    ExprValue::Value(Operand::Known(Value::Type(Ty::Void))) => {
                        "write `{}` to do nothing".to_string()
                    }
                    _ => "remove it, or assign it".to_string(),
                }
            }
            ExprKind::Binary(BinaryOp::Eq, ..) => "write `=` to assign".to_string(),
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Int(_) | ExprKind::Float(_) => {
                "remove it, or assign it".to_string()
            }
            ExprKind::Builtin { name, .. } if builtins::only_computes(&name.name) => {
                "assign it: the builtin does not change what it is given".to_string()
            }
            _ => return,
        };
        self.report(rules::UNUSED_VALUE.plain().at(unit.file.expr(e).span).help(help));
    }

    fn block_stmt(&mut self, block: &Block) -> Result<Flow> {
        let Some(label) = &block.label else { return self.block(block) };
        self.eval.check_label(Some(label))?;
        if self.is_comptime() {
            let index = self.eval.open_target(JumpTarget::block(Some(label.name.clone())));
            let flow = self.block(block);
            self.eval.close_targets(index);
            return Ok(match flow? {
                Flow::Break(at, _) if at == index => Flow::Next,
                other => other,
            });
        }
        let (end, _) = control::open_target(self, Some(label.name.clone()), false);
        let flow = self.block(block);
        self.b().bind(end);
        let target = self.eval.close_target();
        let flow = flow?;
        control::check_void(&target.join, &flow)?;
        control::join_finish(self, target.join, Expectation::Nothing, end, block.span)?;
        Ok(if target.broken { Flow::Next } else { flow })
    }

    fn comptime_block(&mut self, block: &Block, span: Span) -> Result<Flow> {
        let was_comptime = self.is_comptime();
        let flow = self.at_comptime(|s| s.block(block))?;
        if was_comptime || matches!(flow, Flow::Next) {
            return Ok(flow);
        }
        Err(rules::LEAVES_EXPRESSION.plain().at(span))
    }

    /// A local variable or constant.
    fn local(&mut self, decl: &VarDecl) -> Result<()> {
        let named = names::check_type_name(self, decl);
        let binding = if self.is_comptime() || decl.comptime {
            self.at_comptime(|s| s.comptime_local(decl))
        } else {
            self.code_local(decl)
        };
        match binding {
            Ok(binding) => self.declare(&decl.name, binding).and(named),
            Err(diag) => {
                self.declare(&decl.name, Binding::Poison)?;
                Err(diag)
            }
        }
    }

    fn comptime_local(&mut self, decl: &VarDecl) -> Result<Binding> {
        let ty = decl.ty.map(|t| self.ty(t)).transpose()?;
        let value = match (decl.init, &ty) {
            (Some(init), Some(ty)) => self.value_as(init, ty)?,
            (Some(init), None) => self.value(init, None)?,
            (None, Some(ty)) if decl.kind == VarKind::Var => Operand::Known(Value::Undefined(ty.clone())),
            _ => return Err(rules::MISSING_INITIALIZER.because(&[("name", &decl.name.name)]).at(decl.span)),
        };
        let Operand::Known(value) = value else {
            return Err(rules::NOT_COMPTIME.because(&[("what", &"this initial value")]).at(decl.span));
        };
        if decl.kind != VarKind::Var {
            return Ok(Binding::Known(value));
        }
        let ty = ty.unwrap_or_else(|| value.ty());
        let depth = self.lower.depth();
        Ok(Binding::Variable { value, ty, depth, skipped: None })
    }

    fn code_local(&mut self, decl: &VarDecl) -> Result<Binding> {
        let ty = decl.ty.map(|t| self.ty(t)).transpose()?;
        if decl.kind == VarKind::Var {
            return self.code_variable(decl, ty);
        }
        let init = decl
            .init
            .ok_or_else(|| rules::MISSING_INITIALIZER.because(&[("name", &decl.name.name)]).at(decl.span))?;
        let own = self.b().reg();
        let span = self.span(init);
        let value = match &ty {
            Some(ty) => self.value_as(init, ty)?,
            None => self.value(init, None)?,
        };
        self.constant(decl, value, own, span)
    }

    fn constant(&mut self, decl: &VarDecl, value: Operand, own: u16, span: Span) -> Result<Binding> {
        let ty = value.ty();
        let addressed = self.frame().addressed.contains(&decl.name.name);
        match value {
            Operand::Known(v) if !addressed || ty.words().is_none() => Ok(Binding::Known(v)),
            Operand::Reg(a, _) if !addressed => {
                self.b().mov(own, a, own + 1);
                Ok(Binding::Register { reg: own, ty, mutable: false })
            }
            Operand::Parts(Ty::Anon(_) | Ty::Range, _) if !addressed => {
                let kept = self.keep(value, span)?;
                Ok(Binding::Alias(kept))
            }
            value => {
                let addr = self.lower.temporary(&ty, decl.span)?;
                self.store_at(addr, &value, span)?;
                Ok(Binding::Frame { off: addr.off as u16, ty, mutable: false })
            }
        }
    }

    /// Copies what could still change (variables in registers and memory) so that the value stays
    /// what it is.
    pub fn keep(&mut self, value: Operand, span: Span) -> Result<Operand> {
        Ok(match value {
            Operand::Reg(a, ty) => Operand::Reg(self.lower.copy_reg(a), ty),
            Operand::Parts(ty, parts) => {
                let parts = parts.into_iter().map(|p| self.keep(p, span)).collect::<Result<_>>()?;
                Operand::Parts(ty, parts)
            }
            Operand::Mem(_, ref ty) => {
                let ty = ty.clone();
                let addr = self.lower.temporary(&ty, span)?;
                self.store_at(addr, &value, span)?;
                Operand::Mem(addr, ty)
            }
            Operand::Known(_) => value,
        })
    }

    fn code_variable(&mut self, decl: &VarDecl, ty: Option<Ty>) -> Result<Binding> {
        let own = self.b().reg();
        let value = match (decl.init, &ty) {
            (Some(init), Some(ty)) => Some(self.value_as(init, ty)?),
            (Some(init), None) => Some(self.value(init, None)?),
            (None, Some(_)) => None,
            (None, None) => {
                return Err(rules::MISSING_INITIALIZER.because(&[("name", &decl.name.name)]).at(decl.span));
            }
        };
        let ty = ty.unwrap_or_else(|| value.as_ref().map_or(Ty::Error, Operand::ty));
        if let (Ty::Range, Some(value)) = (&ty, &value)
            && !self.frame().unit.may_assign(&decl.name.name)
        {
            return self.constant(decl, value.clone(), own, decl.span);
        }
        if ty.is_comptime_only() || ty.words().is_none() {
            return Err(comptime_only(&ty).at(decl.span).help(instead_of_var(&ty, &decl.name.name)));
        }
        exists_at_run_time(&ty, self.options.fp16.kind()).at(decl.span)?;
        let value = value.filter(|v| !matches!(v, Operand::Known(Value::Undefined(_))));
        if ty.is_scalar() && !self.frame().addressed.contains(&decl.name.name) {
            let unset = value.is_none().then(|| self.lower.tile.string(&decl.name.name));
            self.b().begin_variable(own, unset);
            if let Some(value) = value {
                let a = self.reg_of(&value, decl.span)?;
                self.b().mov(own, a, own + 1);
            }
            return Ok(Binding::Register { reg: own, ty, mutable: true });
        }
        let addr = self.lower.temporary(&ty, decl.span)?;
        match value {
            Some(value) => self.store_at(addr, &value, decl.span)?,
            None => self.lower.unset(addr, &ty)?,
        }
        Ok(Binding::Frame { off: addr.off as u16, ty, mutable: true })
    }

    fn assign(&mut self, lhs: ExprId, op: Option<BinaryOp>, rhs: ExprId, span: Span) -> Result<()> {
        let lhs_span = self.span(lhs);
        let place = match self.expr(lhs, None)? {
            ExprValue::Place(p) => p,
            ExprValue::Value(v) => return Err(immutable::value(self.frame(), lhs, &v.ty(), lhs_span)),
        };
        if !place.is_writable() {
            let diag = immutable::place(self.frame(), &self.lower.data, &place, lhs, lhs_span);
            return Err(self.behind_pointer(diag, place.ty(), (lhs, op, rhs)));
        }
        self.note_assigned(&place);
        let ty = place.ty().clone();
        let value = match op {
            None if ty == Ty::Error => self.value(rhs, None)?,
            None => {
                self.lower.note_stored(&place, self.span(rhs));
                let value = self.value_as(rhs, &ty);
                let value = value.map_err(|diag| self.behind_pointer(diag, &ty, (lhs, op, rhs)))?;
                self.apart(value, span)?
            }
            Some(op) => {
                let old = self.load(&place, lhs_span)?;
                let new = self.value(rhs, Some(&ty))?;
                let result = operators::binary(self, op, old, new, span)?;
                self.coerce(result, &ty, span)?
            }
        };
        self.store(&place, value, span)
    }

    /// A better help if what is assigned to a pointer belongs where it points to.
    fn behind_pointer(
        &mut self,
        diag: Diag,
        to: &Ty,
        (lhs, op, rhs): (ExprId, Option<BinaryOp>, ExprId),
    ) -> Diag {
        let Ty::Ptr(pointer) = to else { return diag };
        let Ok(have) = builtins::type_of(self, rhs) else { return diag };
        let op = op.map_or("", BinaryOp::symbol);
        immutable::behind_pointer(diag, &self.snippet(lhs), pointer, op, &have)
    }

    /// Notes that code assigns a place, or may do so through a pointer, so that its first value is not folded.
    pub fn note_assigned(&mut self, place: &Place) {
        if let Place::Memory { addr: Addr { base: Base::Global(id), .. }, .. } = place {
            self.lower.data.assign(*id);
        }
    }

    /// A value in parts that lie in memory, gathered there: writing it part by part could overwrite
    /// a part that is still to be read (`pair = .{ .a = pair.b, .b = pair.a }`).
    fn apart(&mut self, value: Operand, span: Span) -> Result<Operand> {
        match &value {
            Operand::Parts(ty, parts)
                if parts.iter().any(Operand::lies_in_memory) && ty.words().is_some() =>
            {
                let addr = self.aggregate_addr(&value, span)?;
                Ok(Operand::Mem(addr, ty.clone()))
            }
            _ => Ok(value),
        }
    }

    fn return_stmt(&mut self, value: Option<ExprId>, span: Span) -> Result<Flow> {
        let (ty, kind) = match &self.frame().ret {
            Return::Forbidden => return Err(rules::RETURN_OUTSIDE.plain().at(span)),
            Return::Value(ty) => (ty.clone(), 0),
            Return::Code(ty) => (ty.clone(), 1),
            Return::Inline { ty, .. } => (ty.clone(), 2),
        };
        let operand = match value {
            Some(e) => self.value_as(e, &ty).map_err(|diag| advice::on_result(self, diag, e, &ty))?,
            None if ty == Ty::Void => Operand::void(),
            None => return Err(rules::RETURN_VALUE.because(&[("type", &ty)]).at(span)),
        };
        match kind {
            0 => return_known(operand, span),
            1 => self.return_code(operand, &ty, span),
            _ => self.return_inline(operand, span),
        }
    }

    fn return_code(&mut self, operand: Operand, ty: &Ty, span: Span) -> Result<Flow> {
        if self.is_comptime() {
            return Err(rules::LEAVES_EXPRESSION.plain().at(span));
        }
        if ty.is_scalar() {
            let a = self.reg_of(&operand, span)?;
            if let Some(local) = self.b().local_behind(a) {
                let c = DANGLING_POINTER
                    .because(&[("what", &"a local of a call that has returned")])
                    .at(span)
                    .also(
                        local.span,
                        format!("`{}` no longer exists after the function has returned", local.name),
                    )
                    .help("return the value, or let the caller pass a pointer");
                self.lint(c)?;
            }
            let params = self.b().params();
            self.b().mov(super::lower::RESULT, a, params);
        } else if ty.words().is_some_and(|w| w > 0) {
            let to = super::operand::Addr { base: super::operand::Base::Reg(0), off: 0 };
            self.store_at(to, &operand, span)?;
        }
        self.b().emit(Op::Ret);
        Ok(Flow::Dead)
    }

    fn return_inline(&mut self, operand: Operand, span: Span) -> Result<Flow> {
        if self.is_comptime() {
            return Err(rules::LEAVES_EXPRESSION.plain().at(span));
        }
        let (mut join, end) = self.eval.take_returned();
        let added = control::join_add(self, &mut join, operand, span);
        self.eval.set_returned(join);
        added?;
        self.b().jump(end);
        Ok(Flow::Dead)
    }

    fn break_stmt(&mut self, label: Option<&Ident>, value: Option<ExprId>, span: Span) -> Result<Flow> {
        let index = self.eval.find_target(label, span)?;
        if let (Some(e), true) = (value, self.eval.targets()[index].is_loop) {
            let diag = rules::TYPE_MISMATCH.because(&[("want", &"`;`"), ("have", &"a value")]);
            let help = "a loop has no value: store it in a variable, and write `break;`";
            return Err(diag.at(self.span(e)).help(help));
        }
        let operand = match value {
            Some(e) => self.value(e, None)?,
            None => Operand::void(),
        };
        let Some(end) = self.eval.targets()[index].on_break else {
            return match operand {
                Operand::Known(v) => Ok(Flow::Break(index, v)),
                _ => Err(rules::NOT_COMPTIME.because(&[("what", &"this value")]).at(span)),
            };
        };
        if self.is_comptime() {
            return Err(rules::LEAVES_EXPRESSION.plain().at(span));
        }
        let mut join = std::mem::take(&mut self.eval.target(index).join);
        let added = control::join_add(self, &mut join, operand, span);
        let target = self.eval.target(index);
        (target.join, target.broken) = (join, true);
        added?;
        self.eval.note_jump(index, true, self.lower.depth(), span);
        self.b().jump(end);
        Ok(Flow::Dead)
    }

    fn continue_stmt(&mut self, label: Option<&Ident>, span: Span) -> Result<Flow> {
        let index = self.eval.find_target(label, span)?;
        if !self.eval.targets()[index].is_loop {
            return Err(rules::OUTSIDE_LOOP.plain().at(span));
        }
        let Some(next) = self.eval.targets()[index].on_continue else { return Ok(Flow::Continue(index)) };
        if self.is_comptime() {
            return Err(rules::LEAVES_EXPRESSION.plain().at(span));
        }
        self.eval.target(index).continued = true;
        self.eval.note_jump(index, false, self.lower.depth(), span);
        self.b().jump(next);
        Ok(Flow::Dead)
    }
}

/// What to write instead of a variable whose type exists only at comptime.
pub fn instead_of_var(ty: &Ty, name: &str) -> String {
    match ty {
        Ty::ComptimeInt => format!("give the variable a type: `var {name}: i16 = ..`"),
        Ty::Float(_) => format!("give the variable a type: `var {name}: f32 = ..`"),
        _ => format!("declare it `const {name} = ..`"),
    }
}

fn return_known(operand: Operand, span: Span) -> Result<Flow> {
    match operand {
        Operand::Known(v) => Ok(Flow::Return(v)),
        _ => Err(rules::NOT_COMPTIME.because(&[("what", &"the result")]).at(span)),
    }
}
