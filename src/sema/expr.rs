//! Expressions: folded where the value is known, written as code where it is not.

use super::advice;
use super::arith::{self};
use super::declared::with_operands;
use super::eval::{Binding, ExprValue};
use super::expectation::{Expectation, is_plain, may_choose};
use super::operand::{Base, Operand, Place};
use super::value::{Pointee, Pointer, Value};
use super::walk::Sema;
use super::words::words_of_element;
use super::{access, builtins, control, literals, operators, order, suffix, types};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Result};
use crate::image::code::Op;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::value::float::FloatKind;
use crate::value::number::Integer;
use crate::value::ty::{PtrTy, Ty};
use std::sync::Arc;

impl Sema<'_> {
    /// The value of an expression; `want` is the type that the context asks for.
    pub fn value(&mut self, id: ExprId, want: Option<&Ty>) -> Result<Operand> {
        self.value_for(id, want.into())
    }

    /// The value of an expression; literals that it chooses between at run time get the type `ty`.
    pub fn value_near(&mut self, id: ExprId, ty: &Ty) -> Result<Operand> {
        self.value_for(id, Expectation::OfLiterals(ty))
    }

    /// The value of an expression at a place that may ask for a type.
    pub fn value_for(&mut self, id: ExprId, want: Expectation<'_>) -> Result<Operand> {
        let span = self.span(id);
        if let Some(value) = self.simple_value(id) {
            self.eval.budget.step(span)?;
            return Ok(Operand::Known(value));
        }
        if self.is_comptime()
            && !self.eval.facts.is_kept()
            && let Some(value) = self.known_arithmetic(id)
        {
            return Ok(Operand::Known(value));
        }
        let ev = self.expr_for(id, want)?;
        self.value_of(ev, span).at(span)
    }

    /// A shortcut for literals and known locals, which most comptime expressions are.
    fn simple_value(&self, id: ExprId) -> Option<Value> {
        let frame = self.frame();
        if !frame.comptime || self.eval.facts.is_kept() {
            return None;
        }
        match &frame.unit.file.expr(id).kind {
            ExprKind::Int(n) => Some(Value::Int(None, Integer::of(n))),
            ExprKind::Bool(b) => Some(Value::Bool(*b)),
            ExprKind::Name(name) => match self.eval.local_at(id, name)? {
                Binding::Known(value) => Some(value.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of an expression, converted to a type.
    pub fn value_as(&mut self, id: ExprId, ty: &Ty) -> Result<Operand> {
        let span = self.span(id);
        let v = self.value(id, Some(ty))?;
        self.coerce(v, ty, span).map_err(|c| advice::on_value(self, c, id, ty))
    }

    /// The comptime value of an expression.
    pub fn known(&mut self, id: ExprId) -> Result<Value> {
        let span = self.span(id);
        match self.at_comptime(|s| s.value(id, None))? {
            Operand::Known(v) => Ok(v),
            _ => Err(rules::NOT_COMPTIME.because(&[("what", &"this value")]).at(span)),
        }
    }

    /// The comptime value of an expression, converted to a type.
    pub fn known_as(&mut self, id: ExprId, ty: &Ty) -> Result<Value> {
        let span = self.span(id);
        match self.known(id)? {
            Value::Undefined(_) => Err(rules::UNDEFINED_VALUE.plain().at(span)),
            v if v.is_scalar_of(ty) => Ok(v),
            v => arith::coerce(&v, ty).at(span),
        }
    }

    /// A type expression.
    pub fn ty(&mut self, id: ExprId) -> Result<Ty> {
        let span = self.span(id);
        match self.known(id)? {
            Value::Type(t) => Ok(t),
            other => Err(rules::NOT_A_TYPE.because(&[("have", &other.ty())]).at(span)),
        }
    }

    /// Evaluates or writes an expression.
    pub fn expr(&mut self, id: ExprId, want: Option<&Ty>) -> Result<ExprValue> {
        self.expr_for(id, want.into())
    }

    fn expr_for(&mut self, id: ExprId, want: Expectation<'_>) -> Result<ExprValue> {
        let unit = self.unit();
        let expr = unit.file.expr(id);
        let span = expr.span;
        let mut around = None;
        if self.is_comptime() {
            self.eval.budget.step(span)?;
        } else {
            around = self.lower.set_span(span);
        }
        let result = self.deeper(span, |s| s.expr_kind(&expr.kind, span, want)).at(span);
        if self.eval.facts.is_kept()
            && let Ok(ev) = &result
        {
            self.eval.facts.note(span, ev);
        }
        // What is written next belongs to the enclosing expression or statement again.
        if let Some(around) = around {
            self.lower.set_span(around);
        }
        result
    }

    fn expr_kind(&mut self, kind: &ExprKind, span: Span, want: Expectation<'_>) -> Result<ExprValue> {
        match kind {
            ExprKind::Int(n) => Ok(ExprValue::known(Value::Int(None, Integer::of(n)))),
            ExprKind::Float(x) => Ok(ExprValue::known(Value::Float(FloatKind::Comptime, *x))),
            ExprKind::Str(s) => Ok(ExprValue::known(Value::Str(s.as_slice().into()))),
            ExprKind::Bool(b) => Ok(ExprValue::known(Value::Bool(*b))),
            ExprKind::Undefined => Ok(undefined(want)),
            ExprKind::Unreachable => self.unreachable(span),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Builtin { name, args } => builtins::builtin(self, name, args, span),
            ExprKind::Call { callee, args } => {
                let result = self.call(*callee, args, span, false)?;
                order::check_all(self, args, span);
                Ok(ExprValue::Value(result))
            }
            ExprKind::Field { base, name } => suffix::field(self, *base, name),
            ExprKind::Deref(base) => suffix::deref(self, *base, span),
            ExprKind::Index { base, indices } => suffix::index(self, *base, indices, span),
            ExprKind::Unary(UnaryOp::AddressOf, operand) => self.address_of(*operand, span),
            ExprKind::Unary(op, operand) => operators::unary(self, *op, *operand, span, want),
            ExprKind::Binary(BinaryOp::And, a, b) => operators::short_circuit(self, *a, *b, false),
            ExprKind::Binary(BinaryOp::Or, a, b) => operators::short_circuit(self, *a, *b, true),
            ExprKind::Binary(op, a, b) => self.infix((*op, *a, *b), want, span),
            ExprKind::Comptime(e) => self.comptime_expr(*e, span),
            ExprKind::Struct { ty, fields } => {
                literals::struct_literal(self, *ty, fields, want, span).map(ExprValue::Value)
            }
            ExprKind::Tuple(items) => literals::tuple(self, items, span).map(ExprValue::Value),
            ExprKind::Array { ty, items } => {
                let result = literals::array_literal(self, *ty, items, span)?;
                order::check_all(self, items, span);
                Ok(ExprValue::Value(result))
            }
            ExprKind::Access { vars, lengths, target, indices } => {
                access::access(self, vars, lengths, *target, indices, span).map(ExprValue::known)
            }
            ExprKind::If { cond, then, els } => {
                control::if_expr(self, *cond, *then, *els, want, span).map(ExprValue::Value)
            }
            ExprKind::Switch { scrutinee, prongs } => {
                control::switch_expr(self, *scrutinee, prongs, want, span).map(ExprValue::Value)
            }
            ExprKind::Block(block) => control::block_expr(self, block, want).map(ExprValue::Value),
            // Without text it only keeps a compiler from moving accesses across it, and cslrun moves none.
            ExprKind::Asm { is_empty: true } => Ok(ExprValue::Value(Operand::void())),
            ExprKind::Asm { is_empty: false } => Err(rules::UNSUPPORTED_ASM.plain()),
            ExprKind::PtrTy { .. }
            | ExprKind::ManyPtrTy { .. }
            | ExprKind::ArrayTy { .. }
            | ExprKind::FnTy { .. }
            | ExprKind::StructTy { .. }
            | ExprKind::UnionTy { .. }
            | ExprKind::EnumTy { .. } => {
                types::type_former(self, kind, span).map(|t| ExprValue::known(Value::Type(t)))
            }
            ExprKind::AnyType => Err(advice::any_type()),
            ExprKind::Error => Err(rules::REPORTED.plain()),
        }
    }

    /// An infix operator between two expressions.
    fn infix(
        &mut self,
        (op, a, b): (BinaryOp, ExprId, ExprId),
        want: Expectation<'_>,
        span: Span,
    ) -> Result<ExprValue> {
        let (left, right) = self.operands(op, a, b, want)?;
        order::check_order(self, a, op, b, span);
        let result = operators::binary(self, op, left, right, span);
        result.map(ExprValue::Value).map_err(|c| with_operands(self.frame(), c, a, b))
    }

    /// The operands of an infix operator. Literals that one of them chooses at run time get the type of
    /// the other, or else the type that the result should have.
    fn operands(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        want: Expectation<'_>,
    ) -> Result<(Operand, Operand)> {
        use BinaryOp::*;
        if self.is_comptime() {
            return Ok((self.value(a, None)?, self.value(b, None)?));
        }
        let want = match op {
            Add | Sub | Mul | Div | Rem | Shl | Shr | BitAnd | BitXor | BitOr => want.of_operands(),
            Eq | Ne | Lt | Gt | Le | Ge | And | Or => Expectation::Nothing,
        };
        let is_shift = matches!(op, Shl | Shr);
        let unit = self.unit();
        let is_first = !is_shift && may_choose(&unit.file, a) && is_plain(&unit.file, b);
        let right = if is_first { builtins::type_of(self, b).ok() } else { None };
        let near = |ty: Option<&Ty>| ty.filter(|ty| !ty.is_comptime_only()).cloned();
        let left = match near(right.as_ref()) {
            Some(ty) => self.value_near(a, &ty)?,
            None => self.value_for(a, want)?,
        };
        let ty = if is_shift { Ty::U16 } else { left.ty() };
        let right = match near(Some(&ty)) {
            Some(ty) => self.value_near(b, &ty)?,
            None => self.value_for(b, want)?,
        };
        Ok((left, right))
    }

    fn unreachable(&mut self, span: Span) -> Result<ExprValue> {
        if self.is_comptime() {
            return Err(rules::UNREACHABLE_REACHED.plain().at(span));
        }
        self.lower.trap("reached `unreachable`");
        Ok(ExprValue::known(Value::Undefined(Ty::NoReturn)))
    }

    fn comptime_expr(&mut self, e: ExprId, span: Span) -> Result<ExprValue> {
        match self.at_comptime(|s| s.value(e, None))? {
            Operand::Known(v) => Ok(ExprValue::known(v)),
            _ => Err(rules::NOT_COMPTIME.because(&[("what", &"this value")]).at(span)),
        }
    }

    fn address_of(&mut self, operand: ExprId, span: Span) -> Result<ExprValue> {
        self.note_effect();
        let place = match self.expr(operand, None)? {
            ExprValue::Place(p) => p,
            ExprValue::Value(Operand::Known(Value::Fn(f))) => return self.fn_address(f, span),
            ExprValue::Value(_) => {
                return Err(rules::NOT_ADDRESSABLE.plain().at(span).help("only variables have an address"));
            }
        };
        self.note_assigned(&place);
        let ptr = |ty: Ty, writable: bool| Arc::new(PtrTy { to: ty, is_const: !writable, many: false });
        match place {
            Place::Memory { addr, ty, writable, .. } => {
                if matches!(addr.base, Base::Reg(_)) {
                    self.b().only_address(addr);
                }
                self.lower.pointer(addr, ty, writable).map(ExprValue::Value)
            }
            Place::Element { array, index, len, ty, writable } => {
                let a = self.lower.addr_reg(array)?;
                let d = self.b().reg();
                self.b().emit(Op::Element { d, a, b: index, words: words_of_element(&ty), len });
                Ok(ExprValue::Value(Operand::Reg(d, Ty::Ptr(ptr(ty, writable)))))
            }
            Place::Bits { .. } => {
                let help = "copy the field of the packed struct to a variable, and take the address of that";
                Err(rules::NOT_ADDRESSABLE.plain().at(span).help(help))
            }
            Place::Comptime { .. } | Place::Register { .. } => Err(rules::NOT_ADDRESSABLE.plain().at(span)),
        }
    }

    fn fn_address(&mut self, f: super::value::FnRef, span: Span) -> Result<ExprValue> {
        let (unit, decl) = self.fn_unit(f);
        if unit.function(decl).inline || unit.function(decl).task {
            return Err(rules::NOT_ADDRESSABLE
                .plain()
                .at(span)
                .help("`inline` functions and tasks have no address"));
        }
        let ty = Arc::new(PtrTy { to: Ty::Fn(self.fn_type(f)?), is_const: true, many: false });
        Ok(ExprValue::known(Value::Ptr(Pointer { ty, to: Pointee::Fn(f) })))
    }
}

/// `undefined`, of the type that is asked for.
fn undefined(want: Expectation<'_>) -> ExprValue {
    let ty = if let Expectation::Exactly(ty) = want { ty.clone() } else { Ty::Error };
    ExprValue::known(Value::Undefined(ty))
}
