//! Expressions: folded where the value is known, written as code where it is not.

use super::arith::{self, Overflow};
use super::operand::{Addr, Base, Operand, Place, repr};
use super::scope::{Ev, Return};
use super::value::{Elems, Pointee, Pointer, Value};
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Complaint, Result};
use crate::image::Scalar;
use crate::image::code::Op;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, Ident, UnaryOp};
use crate::value::number::Integer;
use crate::value::ty::{AnonTy, PtrTy, Ty};
use std::sync::Arc;

/// How deeply expressions, statements and comptime calls may nest together.
const MAX_DEPTH: u32 = 3000;

impl Sema<'_> {
    /// Runs `f` one level deeper, on a larger stack if need be.
    pub fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.gave_up {
            return Err(rules::REPORTED.plain());
        }
        if self.depth >= MAX_DEPTH {
            let complaint = rules::TOO_DEEP
                .plain()
                .at(span)
                .help("end the recursion: look for the last case before the call");
            return Err(self.give_up(complaint));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || f(self));
        self.depth -= 1;
        result
    }

    /// The last complaint, about a limit that was hit.
    pub fn give_up(&mut self, complaint: Complaint) -> Complaint {
        if std::mem::replace(&mut self.gave_up, true) { rules::REPORTED.plain() } else { complaint }
    }

    /// Takes one step of comptime fuel.
    pub fn burn(&mut self, span: Span) -> Result<()> {
        if self.fuel == 0 {
            let complaint = rules::COMPTIME_FUEL.because(&[("steps", &self.options.comptime_fuel)]).at(span);
            return Err(self.give_up(complaint.help("end the loop, or compute this while the program runs")));
        }
        self.fuel -= 1;
        self.recall.step();
        Ok(())
    }

    /// Runs `f` with evaluation instead of code.
    pub fn at_comptime<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.frame_mut().comptime, true);
        let result = f(self);
        self.frame_mut().comptime = before;
        result
    }

    /// The place of an expression in the text.
    pub fn span(&self, id: ExprId) -> Span {
        self.frame().unit.file.expr(id).span
    }

    /// The value of an expression; `want` is the type that the context asks for.
    pub fn value(&mut self, id: ExprId, want: Option<&Ty>) -> Result<Operand> {
        let span = self.span(id);
        let ev = self.expr(id, want)?;
        self.value_of(ev, span).at(span)
    }

    /// The value of an expression, converted to a type.
    pub fn value_as(&mut self, id: ExprId, ty: &Ty) -> Result<Operand> {
        let span = self.span(id);
        let v = self.value(id, Some(ty))?;
        self.coerce(v, ty, span)
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
        let v = self.known(id)?;
        arith::coerce(&v, ty).at(span)
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
    pub fn expr(&mut self, id: ExprId, want: Option<&Ty>) -> Result<Ev> {
        let unit = self.unit();
        let expr = unit.file.expr(id);
        let span = expr.span;
        let mut around = None;
        if self.is_comptime() {
            self.burn(span)?;
        } else if let Some(b) = &mut self.builder {
            around = Some(std::mem::replace(&mut b.span, span));
        }
        let result = self.deeper(span, |s| s.expr_kind(&expr.kind, span, want)).at(span);
        // What is written next belongs to the expression or statement around this one.
        if let (Some(around), Some(b)) = (around, &mut self.builder) {
            b.span = around;
        }
        result
    }

    fn expr_kind(&mut self, kind: &ExprKind, span: Span, want: Option<&Ty>) -> Result<Ev> {
        match kind {
            ExprKind::Int(n) => Ok(Ev::known(Value::Int(None, Integer::from_bigint(n.clone())))),
            ExprKind::Float(x) => Ok(Ev::known(Value::Float(crate::value::float::FloatKind::Comptime, *x))),
            ExprKind::Str(s) => Ok(Ev::known(Value::Str(s.as_slice().into()))),
            ExprKind::Bool(b) => Ok(Ev::known(Value::Bool(*b))),
            ExprKind::Undefined => Ok(Ev::known(Value::Undefined(want.cloned().unwrap_or(Ty::Error)))),
            ExprKind::Unreachable => self.unreachable(span),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Builtin { name, args } => self.builtin(name, args, span),
            ExprKind::Call { callee, args } => self.call(*callee, args, span, false).map(Ev::Value),
            ExprKind::Field { base, name } => self.field(*base, name),
            ExprKind::Deref(base) => self.deref(*base, span),
            ExprKind::Index { base, indices } => self.index(*base, indices, span),
            ExprKind::Unary(UnaryOp::AddressOf, operand) => self.address_of(*operand, span),
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, span, want),
            ExprKind::Binary(BinaryOp::And, a, b) => self.short_circuit(*a, *b, false),
            ExprKind::Binary(BinaryOp::Or, a, b) => self.short_circuit(*a, *b, true),
            ExprKind::Binary(op, a, b) => {
                self.check_order(*a, *op, *b, span);
                let (left, right) = (self.value(*a, None)?, self.value(*b, None)?);
                let result = self.binary(*op, left, right, span);
                result.map(Ev::Value).map_err(|c| self.with_operands(c, *a, *b))
            }
            ExprKind::Comptime(e) => self.comptime_expr(*e, span),
            ExprKind::Struct { ty, fields } => self.struct_literal(*ty, fields, span).map(Ev::Value),
            ExprKind::Tuple(items) => self.tuple(items).map(Ev::Value),
            ExprKind::Array { ty, items } => self.array_literal(*ty, items, span).map(Ev::Value),
            ExprKind::Access { vars, lengths, target, indices } => {
                self.access(vars, lengths, *target, indices, span).map(Ev::known)
            }
            ExprKind::If { cond, then, els } => self.if_expr(*cond, *then, *els, want, span).map(Ev::Value),
            ExprKind::Switch { scrutinee, prongs } => {
                self.switch_expr(*scrutinee, prongs, want, span).map(Ev::Value)
            }
            ExprKind::Block(block) => self.block_expr(block, want).map(Ev::Value),
            ExprKind::Asm => Err(rules::UNSUPPORTED_ASM.plain()),
            ExprKind::PtrTy { .. }
            | ExprKind::ManyPtrTy { .. }
            | ExprKind::ArrayTy { .. }
            | ExprKind::FnTy { .. }
            | ExprKind::StructTy { .. }
            | ExprKind::UnionTy { .. }
            | ExprKind::EnumTy { .. } => self.type_former(kind, span).map(|t| Ev::known(Value::Type(t))),
            ExprKind::AnyType => Err(rules::NOT_A_TYPE.because(&[("have", &"anytype")])),
            ExprKind::Error => Err(rules::REPORTED.plain()),
        }
    }

    fn unreachable(&mut self, span: Span) -> Result<Ev> {
        if self.is_comptime() {
            return Err(rules::UNREACHABLE_REACHED.plain().at(span));
        }
        let text = self.string("reached `unreachable`");
        self.b().emit(Op::Trap { text });
        Ok(Ev::known(Value::Undefined(Ty::NoReturn)))
    }

    fn comptime_expr(&mut self, e: ExprId, span: Span) -> Result<Ev> {
        match self.at_comptime(|s| s.value(e, None))? {
            Operand::Known(v) => Ok(Ev::known(v)),
            _ => Err(rules::NOT_COMPTIME.because(&[("what", &"this value")]).at(span)),
        }
    }

    /// Whether overflow wraps here: in functions, which must agree with themselves at run time.
    pub fn overflow(&self) -> Overflow {
        match self.frame().ret {
            Return::Forbidden => Overflow::Reject,
            Return::Value(_) | Return::Code(_) | Return::Inline { .. } => Overflow::Wrap,
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span, want: Option<&Ty>) -> Result<Ev> {
        let v = self.value(operand, want)?;
        if let Operand::Known(v) = &v {
            return arith::unary(op, v, self.overflow()).map(Ev::known);
        }
        let ty = v.ty();
        let symbol = if op == UnaryOp::Neg {
            "-"
        } else if op == UnaryOp::Not {
            "!"
        } else {
            "~"
        };
        let bad = || rules::BAD_OPERAND.because(&[("op", &symbol), ("type", &ty)]).at(span);
        let r = repr(&ty).ok_or_else(bad)?;
        let a = self.reg_of(&v, span)?;
        let d = self.b().reg();
        let op = match (op, r.scalar, &ty) {
            (UnaryOp::Neg, Scalar::F32, _) => Op::FNeg { d, a },
            (UnaryOp::Neg, Scalar::F16, _) => Op::HNeg { d, a },
            (UnaryOp::Neg, _, Ty::Int(_)) if r.signed => Op::NegS { d, a, sh: r.sh() },
            (UnaryOp::BitNot, _, Ty::Int(_)) if r.signed => Op::BitNotS { d, a, sh: r.sh() },
            (UnaryOp::BitNot, _, Ty::Int(_)) => Op::BitNotU { d, a, sh: r.sh() },
            (UnaryOp::Not, Scalar::Bool, _) => Op::Not { d, a },
            _ => return Err(bad()),
        };
        self.b().emit(op);
        Ok(Ev::Value(Operand::Reg(d, ty)))
    }

    /// `and` (`stops_at` false) and `or` (`stops_at` true).
    fn short_circuit(&mut self, a: ExprId, b: ExprId, stops_at: bool) -> Result<Ev> {
        let span = self.span(a);
        let left = self.value_as(a, &Ty::Bool)?;
        if let Operand::Known(Value::Bool(v)) = left {
            if v == stops_at {
                return Ok(Ev::known(Value::Bool(v)));
            }
            return self.value_as(b, &Ty::Bool).map(Ev::Value);
        }
        let d = self.b().reg();
        let mark = d + 1;
        let end = self.b().label();
        let left = self.reg_of(&left, span)?;
        self.b().mov(d, left, mark);
        self.b().branch(d, stops_at, end, Op::NO_MERGE);
        self.b().conditional_depth += 1;
        let right = self.value_as(b, &Ty::Bool);
        self.b().conditional_depth -= 1;
        let right = right?;
        let right = self.reg_of(&right, span)?;
        self.b().mov(d, right, mark);
        self.b().bind(end);
        Ok(Ev::Value(Operand::Reg(d, Ty::Bool)))
    }

    /// An infix operator on two values.
    pub fn binary(&mut self, op: BinaryOp, a: Operand, b: Operand, span: Span) -> Result<Operand> {
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.shift(op, a, b, span);
        }
        if let (Operand::Known(Value::Type(_)), Operand::Known(Value::Type(_)))
        | (Operand::Known(Value::Str(_)), Operand::Known(Value::Str(_))) = (&a, &b)
        {
            return self.fold(op, &a, &b, span);
        }
        let (ta, tb) = (a.ty(), b.ty());
        let ty = peer_of_operands(&a, &b).ok_or_else(|| {
            let complaint =
                rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", &ta), ("right", &tb)]).at(span);
            if ta.is_numeric() && tb.is_numeric() {
                return complaint.help(format!("convert one of them: `@as({ta}, ..)`"));
            }
            complaint
        })?;
        let (a, b) = (self.coerce(a, &ty, span)?, self.coerce(b, &ty, span)?);
        if let (Operand::Known(_), Operand::Known(_)) = (&a, &b) {
            return self.fold(op, &a, &b, span);
        }
        self.binary_code(op, &a, &b, &ty, span)
    }

    fn fold(&mut self, op: BinaryOp, a: &Operand, b: &Operand, span: Span) -> Result<Operand> {
        let (Operand::Known(a), Operand::Known(b)) = (a, b) else { unreachable!("both are known") };
        arith::binary(op, a, b, self.overflow()).map(Operand::Known).at(span)
    }

    fn shift(&mut self, op: BinaryOp, a: Operand, b: Operand, span: Span) -> Result<Operand> {
        if let (Operand::Known(_), Operand::Known(_)) = (&a, &b) {
            return self.fold(op, &a, &b, span);
        }
        let (ta, tb) = (a.ty(), b.ty());
        let bad =
            || rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", &ta), ("right", &tb)]).at(span);
        let amount_ok = match (&b, &tb) {
            (Operand::Known(Value::Int(_, n)), _) => !n.is_negative(),
            (_, Ty::Int(t)) => !t.signed,
            _ => false,
        };
        if !amount_ok {
            return Err(bad().help("the amount of a shift must be unsigned"));
        }
        let amount = match &b {
            Operand::Known(v) if tb == Ty::ComptimeInt => {
                Operand::Known(arith::coerce(v, &Ty::U16).at(span)?)
            }
            _ => b,
        };
        let Ty::Int(_) = ta else { return Err(bad()) };
        let r = repr(&ta).ok_or_else(bad)?;
        let (x, n) = (self.reg_of(&a, span)?, self.reg_of(&amount, span)?);
        let d = self.b().reg();
        let sh = r.sh();
        self.b().emit(match (op, r.signed) {
            (BinaryOp::Shl, true) => Op::ShlS { d, a: x, b: n, sh },
            (BinaryOp::Shl, false) => Op::ShlU { d, a: x, b: n, sh },
            (_, true) => Op::ShrS { d, a: x, b: n, sh },
            (_, false) => Op::ShrU { d, a: x, b: n, sh },
        });
        Ok(Operand::Reg(d, ta))
    }

    fn binary_code(
        &mut self,
        op: BinaryOp,
        a: &Operand,
        b: &Operand,
        ty: &Ty,
        span: Span,
    ) -> Result<Operand> {
        let bad =
            || rules::BAD_OPERANDS.because(&[("op", &op.symbol()), ("left", ty), ("right", ty)]).at(span);
        let r = repr(ty).ok_or_else(bad)?;
        let (x, y) = (self.reg_of(a, span)?, self.reg_of(b, span)?);
        let d = self.b().reg();
        let comparison = comparison_op(op, r.scalar, r.signed, d, x, y);
        if let Some(code) = comparison {
            let ordered = !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            if ordered && !ty.is_numeric() {
                return Err(bad());
            }
            self.b().emit(code);
            return Ok(Operand::Reg(d, Ty::Bool));
        }
        let code = match ty {
            Ty::Float(_) => float_code(op, r.scalar, d, x, y),
            Ty::Int(_) => int_code(op, r.signed, r.sh(), d, x, y),
            _ => None,
        };
        self.b().emit(code.ok_or_else(bad)?);
        Ok(Operand::Reg(d, ty.clone()))
    }

    fn struct_literal(
        &mut self,
        ty: Option<ExprId>,
        fields: &[(Ident, ExprId)],
        span: Span,
    ) -> Result<Operand> {
        let mut names = Vec::with_capacity(fields.len());
        let mut parts = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            if names.contains(&name.name) {
                return Err(rules::DUPLICATE_NAME.because(&[("name", &name.name)]).at(name.span));
            }
            names.push(name.name.clone());
            parts.push(self.value(*value, None)?);
        }
        let anon = self.gather(Some(names), parts).at(span)?;
        let Some(ty) = ty else { return Ok(anon) };
        let type_span = self.span(ty);
        match self.ty(ty)? {
            Ty::Union(u) => self.union_literal(&u, anon, span),
            to @ (Ty::Struct(_) | Ty::Anon(_)) => self.coerce(anon, &to, span),
            other => Err(rules::NOT_A_STRUCT.because(&[("type", &other)]).at(type_span)),
        }
    }

    fn union_literal(
        &mut self,
        u: &Arc<crate::value::ty::StructTy>,
        anon: Operand,
        span: Span,
    ) -> Result<Operand> {
        let ty = Ty::Union(u.clone());
        let wrong = || rules::UNION_ONE_FIELD.because(&[("type", &ty)]).at(span);
        let names = anon.ty().field_names().iter().map(|n| n.to_string()).collect::<Vec<_>>();
        let [name] = names.as_slice() else { return Err(wrong()) };
        let (active, field, _) = ty.field(name).ok_or_else(|| arith::unknown_field(name, &ty).at(span))?;
        match anon {
            Operand::Known(v) => {
                let value = arith::coerce(v.field(name).ok_or_else(wrong)?, &field).at(span)?;
                Ok(Operand::Known(Value::Union(Arc::new(super::value::UnionValue {
                    ty: u.clone(),
                    active,
                    value,
                }))))
            }
            Operand::Parts(_, parts) => {
                let part = self.coerce(parts[0].clone(), &field, span)?;
                let addr = self.temporary(&ty, span)?;
                self.store_union(addr, &ty, active, &part, span)?;
                Ok(Operand::Mem(addr, ty))
            }
            _ => Err(wrong()),
        }
    }

    fn tuple(&mut self, items: &[ExprId]) -> Result<Operand> {
        let parts = items.iter().map(|i| self.value(*i, None)).collect::<Result<Vec<_>>>()?;
        self.gather(None, parts)
    }

    /// Parts of an anonymous struct as one operand: known if all of them are.
    pub fn gather(&mut self, names: Option<Vec<smol_str::SmolStr>>, parts: Vec<Operand>) -> Result<Operand> {
        let types: Vec<Ty> = parts.iter().map(Operand::ty).collect();
        super::types::check_size(&types)?;
        let ty = Ty::Anon(Arc::new(AnonTy { names, types }));
        Ok(match known_parts(&parts) {
            Some(values) => Operand::Known(Value::record(ty, values)),
            None => Operand::Parts(ty, parts),
        })
    }

    fn array_literal(&mut self, ty: ExprId, items: &[ExprId], span: Span) -> Result<Operand> {
        let ty = self.ty(ty)?;
        let Ty::Array(a) = &ty else { return Err(rules::NOT_A_TYPE.because(&[("have", &ty)]).at(span)) };
        if a.len() != items.len() as u64 {
            return Err(rules::ARRAY_LITERAL_LENGTH
                .because(&[("want", &a.len()), ("have", &items.len())])
                .at(span));
        }
        let parts = items.iter().map(|i| self.value_as(*i, &a.elem)).collect::<Result<Vec<_>>>()?;
        Ok(match known_parts(&parts) {
            Some(values) => Operand::Known(Value::array(a.clone(), Elems::List(values))),
            None => Operand::Parts(ty, parts),
        })
    }

    fn address_of(&mut self, operand: ExprId, span: Span) -> Result<Ev> {
        self.has_effect();
        let place = match self.expr(operand, None)? {
            Ev::Place(p) => p,
            Ev::Value(Operand::Known(Value::Fn(f))) => return self.fn_address(f, span),
            Ev::Value(_) => {
                return Err(rules::NOT_ADDRESSABLE.plain().at(span).help("only variables have an address"));
            }
        };
        let ptr = |ty: Ty, writable: bool| Arc::new(PtrTy { to: ty, is_const: !writable, many: false });
        match place {
            Place::Memory { addr, ty, writable, .. } => {
                if matches!(addr.base, Base::Reg(_)) {
                    self.b().only_address(addr);
                }
                self.pointer_to_place(addr, ty, writable).map(Ev::Value)
            }
            Place::Element { array, index, len, ty, writable } => {
                let a = self.addr_reg(array)?;
                let words = ty.words().unwrap_or(0) as u16;
                let d = self.b().reg();
                self.b().emit(Op::Element { d, a, b: index, words, len });
                Ok(Ev::Value(Operand::Reg(d, Ty::Ptr(ptr(ty, writable)))))
            }
            Place::Comptime { .. } | Place::Register { .. } | Place::Bits { .. } => {
                Err(rules::NOT_ADDRESSABLE.plain().at(span))
            }
        }
    }

    /// The address of something in memory.
    pub fn pointer_to_place(&mut self, addr: Addr, ty: Ty, writable: bool) -> Result<Operand> {
        let ty = Arc::new(PtrTy { to: ty, is_const: !writable, many: false });
        if let Base::Global(id) = addr.base {
            return Ok(Operand::Known(Value::Ptr(Pointer { ty, to: Pointee::Global(id, addr.off) })));
        }
        let reg = self.addr_reg(addr)?;
        Ok(Operand::Reg(reg, Ty::Ptr(ty)))
    }

    fn fn_address(&mut self, f: super::value::FnRef, span: Span) -> Result<Ev> {
        let (unit, decl) = self.fn_unit(f);
        if unit.function(decl).inline || unit.function(decl).task {
            return Err(rules::NOT_ADDRESSABLE
                .plain()
                .at(span)
                .help("`inline` functions and tasks have no address"));
        }
        let ty = Arc::new(PtrTy { to: Ty::Fn(self.fn_type(f)?), is_const: true, many: false });
        Ok(Ev::known(Value::Ptr(Pointer { ty, to: Pointee::Fn(f) })))
    }
}

impl Op {
    /// A mark above every register: nothing is a temporary.
    pub const NO_MERGE: u16 = u16::MAX;
}

/// The common type of two operands: that of their types, or that of one if the other is a known value
/// which it holds.
fn peer_of_operands(a: &Operand, b: &Operand) -> Option<Ty> {
    let (ta, tb) = (a.ty(), b.ty());
    if let Some(ty) = arith::peer(&[ta.clone(), tb.clone()]) {
        return Some(ty);
    }
    let holds = |v: &Operand, ty: &Ty| v.known().is_some_and(|v| ty.is_int() && arith::coerce(v, ty).is_ok());
    if holds(b, &ta) {
        Some(ta)
    } else if holds(a, &tb) {
        Some(tb)
    } else {
        None
    }
}

/// All values, if all are known.
pub fn known_parts(parts: &[Operand]) -> Option<Vec<Value>> {
    parts.iter().map(|p| p.known().cloned()).collect()
}

fn comparison_op(op: BinaryOp, scalar: Scalar, signed: bool, d: u16, a: u16, b: u16) -> Option<Op> {
    use BinaryOp::*;
    let (a, b) = if matches!(op, Gt | Ge) { (b, a) } else { (a, b) };
    Some(match (scalar, op) {
        (Scalar::F32, Eq) => Op::FEq { d, a, b },
        (Scalar::F32, Ne) => Op::FNe { d, a, b },
        (Scalar::F32, Lt | Gt) => Op::FLt { d, a, b },
        (Scalar::F32, Le | Ge) => Op::FLe { d, a, b },
        (Scalar::F16, Eq) => Op::HEq { d, a, b },
        (Scalar::F16, Ne) => Op::HNe { d, a, b },
        (Scalar::F16, Lt | Gt) => Op::HLt { d, a, b },
        (Scalar::F16, Le | Ge) => Op::HLe { d, a, b },
        (_, Eq) => Op::Eq { d, a, b },
        (_, Ne) => Op::Ne { d, a, b },
        (_, Lt | Gt) if signed => Op::LtS { d, a, b },
        (_, Lt | Gt) => Op::LtU { d, a, b },
        (_, Le | Ge) if signed => Op::LeS { d, a, b },
        (_, Le | Ge) => Op::LeU { d, a, b },
        _ => return None,
    })
}

fn float_code(op: BinaryOp, scalar: Scalar, d: u16, a: u16, b: u16) -> Option<Op> {
    Some(match (op, scalar == Scalar::F32) {
        (BinaryOp::Add, true) => Op::FAdd { d, a, b },
        (BinaryOp::Sub, true) => Op::FSub { d, a, b },
        (BinaryOp::Mul, true) => Op::FMul { d, a, b },
        (BinaryOp::Div, true) => Op::FDiv { d, a, b },
        (BinaryOp::Add, false) => Op::HAdd { d, a, b },
        (BinaryOp::Sub, false) => Op::HSub { d, a, b },
        (BinaryOp::Mul, false) => Op::HMul { d, a, b },
        (BinaryOp::Div, false) => Op::HDiv { d, a, b },
        _ => return None,
    })
}

fn int_code(op: BinaryOp, signed: bool, sh: u8, d: u16, a: u16, b: u16) -> Option<Op> {
    Some(match (op, signed) {
        (BinaryOp::Add, true) => Op::AddS { d, a, b, sh },
        (BinaryOp::Add, false) => Op::AddU { d, a, b, sh },
        (BinaryOp::Sub, true) => Op::SubS { d, a, b, sh },
        (BinaryOp::Sub, false) => Op::SubU { d, a, b, sh },
        (BinaryOp::Mul, true) => Op::MulS { d, a, b, sh },
        (BinaryOp::Mul, false) => Op::MulU { d, a, b, sh },
        (BinaryOp::Div, true) => Op::DivS { d, a, b, sh },
        (BinaryOp::Div, false) => Op::DivU { d, a, b, sh },
        (BinaryOp::Rem, true) => Op::RemS { d, a, b, sh },
        (BinaryOp::Rem, false) => Op::RemU { d, a, b, sh },
        (BinaryOp::BitAnd, _) => Op::And { d, a, b },
        (BinaryOp::BitOr, _) => Op::Or { d, a, b },
        (BinaryOp::BitXor, _) => Op::Xor { d, a, b },
        _ => return None,
    })
}
