//! Moving values between places, registers and memory, and converting them on the way.

use super::arith;
use super::operand::{Addr, Base, Operand, Place, Repr, Step, repr};
use super::scope::{Binding, Ev};
use super::value::{Elems, GlobalId, Pointee, Value};
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Complaint, Result};
use crate::image::Scalar;
use crate::image::code::{self, BYTES, Op, Reg};
use crate::source::Span;
use crate::value::ty::{FieldLayout, HIGH_BYTE, Ty};
use std::sync::Arc;

/// An address that code can name.
enum Resolved {
    Fixed(u16),
    Frame(u16),
    Reg(Reg, u16),
}

impl Sema<'_> {
    /// The value of an expression.
    pub fn value_of(&mut self, ev: Ev, span: Span) -> Result<Operand> {
        match ev {
            Ev::Value(v) => Ok(v),
            Ev::Place(p) => self.load(&p, span),
        }
    }

    /// Reads a place.
    pub fn load(&mut self, place: &Place, span: Span) -> Result<Operand> {
        match place {
            Place::Comptime { frame, scope, slot, path, .. } => {
                let value = self.variable(*frame, *scope, *slot);
                part(value, path).cloned().map(Operand::Known).ok_or_else(|| rules::REPORTED.plain())
            }
            Place::Register { reg, ty, writable } => {
                if *writable {
                    self.b().read_variable(*reg, span);
                }
                Ok(Operand::Reg(*reg, ty.clone()))
            }
            Place::Memory { known: Some(v), .. } => Ok(Operand::Known(v.clone())),
            Place::Memory { addr, ty, .. } => {
                self.require_run_time(addr, span)?;
                self.load_at(*addr, ty)
            }
            Place::Element { array, index, len, ty, .. } => self.load_element(*array, *index, *len, ty),
            Place::Bits { whole, off, ty } => self.load_bits(whole, *off, ty, span),
        }
    }

    fn require_run_time(&self, addr: &Addr, span: Span) -> Result<()> {
        if !self.is_comptime() {
            return Ok(());
        }
        let complaint = match addr.base {
            Base::Global(id) => {
                let g = self.global(id);
                rules::NOT_COMPTIME
                    .because(&[("what", &format!("the variable `{}`", g.name))])
                    .at(span)
                    .also(g.span, "a `var` changes at run time")
                    .help("declare it `const`, or read it in code that runs on the PE")
            }
            _ => rules::NOT_COMPTIME.because(&[("what", &"this value")]).at(span),
        };
        Err(complaint)
    }

    fn variable(&self, frame: usize, scope: usize, slot: usize) -> &Value {
        match &self.frames[frame].scopes[scope].names[slot].1 {
            Binding::Variable { value, .. } => value,
            _ => unreachable!("a comptime place names a comptime variable"),
        }
    }

    fn load_at(&mut self, addr: Addr, ty: &Ty) -> Result<Operand> {
        let Some(repr) = repr(ty) else {
            return match ty.words() {
                Some(0) => Ok(Operand::void()),
                Some(_) => Ok(Operand::Mem(addr, ty.clone())),
                None => Err(rules::COMPTIME_ONLY.because(&[("type", ty)])),
            };
        };
        let kind = repr.access();
        let resolved = self.resolve_addr(addr)?;
        let d = self.b().reg();
        match resolved {
            Resolved::Fixed(addr) => self.b().emit(Op::LoadAt { d, addr, kind }),
            Resolved::Reg(a, off) => self.b().emit(Op::Load { d, a, off, kind }),
            Resolved::Frame(off) => {
                self.b().emit(Op::Frame { d, off });
                self.b().emit(Op::Load { d, a: d, off: 0, kind })
            }
        };
        Ok(Operand::Reg(d, ty.clone()))
    }

    fn load_element(&mut self, array: Addr, b: Reg, len: u32, ty: &Ty) -> Result<Operand> {
        if let (Some(repr), Ok(len16)) = (repr(ty), u16::try_from(len))
            && let Resolved::Fixed(base) = self.resolve_addr(array)?
        {
            let d = self.b().reg();
            self.b().emit(Op::LoadElem { d, base, b, len: len16, kind: repr.access() });
            return Ok(Operand::Reg(d, ty.clone()));
        }
        let addr = self.element_addr(array, b, len, ty)?;
        self.load_at(addr, ty)
    }

    fn element_addr(&mut self, array: Addr, b: Reg, len: u32, ty: &Ty) -> Result<Addr> {
        let a = self.addr_reg(array)?;
        let words = words_of_element(ty);
        let d = self.b().reg();
        self.b().emit(Op::Element { d, a, b, words, len });
        Ok(Addr { base: Base::Reg(d), off: 0 })
    }

    fn load_bits(&mut self, whole: &Place, off: u32, ty: &Ty, span: Span) -> Result<Operand> {
        let all = self.load(whole, span)?;
        let Some(repr) = repr(ty) else {
            return Err(rules::COMPTIME_ONLY.because(&[("type", ty)]));
        };
        let a = self.reg_of(&all, span)?;
        let shift = self.b().constant(off.into());
        let d = self.b().reg();
        self.b().emit(Op::ShrU { d, a, b: shift, sh: 0 });
        self.normalise(d, repr);
        Ok(Operand::Reg(d, ty.clone()))
    }

    /// Cuts a register to the width of its type.
    pub fn normalise(&mut self, d: Reg, repr: Repr) {
        let sh = repr.sh();
        let op = if repr.signed { Op::NormS { d, a: d, sh } } else { Op::NormU { d, a: d, sh } };
        self.b().emit(op);
    }

    /// Writes a place.
    pub fn store(&mut self, place: &Place, value: Operand, span: Span) -> Result<()> {
        if !place.is_writable() {
            return Err(rules::CONST_ASSIGNMENT.plain().at(span));
        }
        let value = self.coerce(value, place.ty(), span)?;
        match place {
            Place::Comptime { frame, scope, slot, path, .. } => {
                self.store_variable(*frame, *scope, *slot, path, value, span)
            }
            Place::Register { reg, .. } => {
                let a = self.reg_of(&value, span)?;
                let mark = reg + 1;
                self.b().mov(*reg, a, mark);
                Ok(())
            }
            Place::Memory { addr, .. } => {
                if self.is_comptime() {
                    return Err(rules::GLOBAL_STORE.plain().at(span));
                }
                self.store_at(*addr, &value, span)
            }
            Place::Element { array, index, len, ty, .. } => {
                self.store_element(*array, *index, *len, ty, &value, span)
            }
            Place::Bits { whole, off, ty } => self.store_bits(whole, *off, ty, &value, span),
        }
    }

    fn store_variable(
        &mut self,
        frame: usize,
        scope: usize,
        slot: usize,
        path: &[Step],
        value: Operand,
        span: Span,
    ) -> Result<()> {
        let Operand::Known(new) = value else {
            return Err(rules::NOT_COMPTIME.because(&[("what", &"this value")]).at(span));
        };
        let depth_now = self.builder.as_ref().map_or(0, |b| b.conditional_depth);
        let comptime = self.is_comptime();
        let Binding::Variable { value, depth, ty } = &mut self.frames[frame].scopes[scope].names[slot].1
        else {
            unreachable!("a comptime place names a comptime variable")
        };
        if !comptime && *depth != depth_now {
            return Err(rules::COMPTIME_VAR_BRANCH
                .plain()
                .at(span)
                .help("assign it outside of `if` and loops that are decided at run time"));
        }
        if matches!(ty, Ty::Error) {
            *ty = new.ty();
        }
        match part_mut(value, path) {
            Some(target) => *target = new,
            None => return Err(rules::REPORTED.plain()),
        }
        Ok(())
    }

    fn store_element(
        &mut self,
        array: Addr,
        b: Reg,
        len: u32,
        ty: &Ty,
        value: &Operand,
        span: Span,
    ) -> Result<()> {
        if let (Some(repr), Ok(len16)) = (repr(ty), u16::try_from(len))
            && let Resolved::Fixed(base) = self.resolve_addr(array)?
        {
            let s = self.reg_of(value, span)?;
            self.b().emit(Op::StoreElem { s, base, b, len: len16, kind: repr.access() });
            return Ok(());
        }
        let addr = self.element_addr(array, b, len, ty)?;
        self.store_at(addr, value, span)
    }

    fn store_bits(&mut self, whole: &Place, off: u32, ty: &Ty, value: &Operand, span: Span) -> Result<()> {
        let old = match whole {
            // The other fields may have no value yet.
            Place::Register { reg, .. } => *reg,
            _ => {
                let old = self.load(whole, span)?;
                self.reg_of(&old, span)?
            }
        };
        let new = self.reg_of(value, span)?;
        let bits = ty.bits().unwrap_or(1);
        let mask = if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
        let (keep, mask) = (self.b().constant(!(mask << off)), self.b().constant(mask));
        let shift = self.b().constant(off.into());
        let (kept, field) = (self.b().reg(), self.b().reg());
        self.b().emit(Op::And { d: kept, a: old, b: keep });
        self.b().emit(Op::And { d: field, a: new, b: mask });
        self.b().emit(Op::ShlU { d: field, a: field, b: shift, sh: 0 });
        self.b().emit(Op::Or { d: kept, a: kept, b: field });
        self.store(whole, Operand::Reg(kept, whole.ty().clone()), span)
    }

    /// Writes a value that already has the right type to memory.
    pub fn store_at(&mut self, addr: Addr, value: &Operand, span: Span) -> Result<()> {
        let ty = value.ty();
        if let Some(repr) = repr(&ty) {
            if matches!(value, Operand::Known(Value::Undefined(_))) {
                return Ok(());
            }
            let s = self.reg_of(value, span)?;
            return self.store_reg(addr, s, repr);
        }
        match value {
            Operand::Known(Value::Undefined(_)) | Operand::Known(Value::Void) => Ok(()),
            Operand::Known(Value::Array(a)) if is_zero_array(a) => {
                let a = self.addr_reg(addr)?;
                let words = ty.words().unwrap_or(0) as u16;
                self.b().emit(Op::Zero { a, words });
                Ok(())
            }
            Operand::Known(Value::Dsd(d)) => {
                let n = self.dsd_constant(*d);
                let a = self.addr_reg(addr)?;
                self.b().emit(Op::PutDsd { a, n });
                Ok(())
            }
            Operand::Known(_) | Operand::Mem(..) => {
                let from = self.aggregate_addr(value, span)?;
                self.copy(addr, from, &ty)
            }
            Operand::Parts(_, parts) => self.store_parts(addr, &ty, parts, span),
            Operand::Reg(..) => unreachable!("registers hold scalars"),
        }
    }

    /// Writes a union with a field that is not known.
    pub fn store_union(
        &mut self,
        addr: Addr,
        ty: &Ty,
        field: usize,
        part: &Operand,
        span: Span,
    ) -> Result<()> {
        self.store_at(addr, part, span)?;
        let Some(words) = ty.words().filter(|_| ty.is_marked_union()) else { return Ok(()) };
        let mark = Operand::Known(Value::u16(mark_of_field(field)));
        self.store_at(Addr { base: addr.base, off: addr.off + words - 1 }, &mark, span)
    }

    /// A field of a union is used: it has to be the active one.
    pub fn check_variant(&mut self, place: &Place, union: &Ty, field: usize) -> Result<()> {
        let (Place::Memory { addr, known: None, .. }, Some(words)) = (place, union.words()) else {
            return Ok(());
        };
        if !union.is_marked_union() || self.is_comptime() {
            return Ok(());
        }
        let names = self.string(&union.field_names().join(","));
        let a = self.addr_reg(*addr)?;
        let off = words as u16 - 1;
        self.b().emit(Op::CheckVariant { a, off, mark: mark_of_field(field), names });
        Ok(())
    }

    fn copy(&mut self, to: Addr, from: Addr, ty: &Ty) -> Result<()> {
        let words = ty.words().unwrap_or(0) as u16;
        let (a, b) = (self.addr_reg(to)?, self.addr_reg(from)?);
        self.b().emit(Op::Copy { a, b, words });
        Ok(())
    }

    fn store_parts(&mut self, addr: Addr, ty: &Ty, parts: &[Operand], span: Span) -> Result<()> {
        for (i, p) in parts.iter().enumerate() {
            let (ty, off) =
                part_type(ty, i).ok_or_else(|| rules::COMPTIME_ONLY.because(&[("type", ty)]).at(span))?;
            let p = self.coerce(p.clone(), &ty, span)?;
            self.store_at(Addr { base: addr.base, off: addr.off + off }, &p, span)?;
        }
        Ok(())
    }

    fn store_reg(&mut self, addr: Addr, s: Reg, repr: Repr) -> Result<()> {
        let kind = repr.access();
        match self.resolve_addr(addr)? {
            Resolved::Fixed(addr) => self.b().emit(Op::StoreAt { s, addr, kind }),
            Resolved::Reg(a, off) => self.b().emit(Op::Store { s, a, off, kind }),
            Resolved::Frame(off) => {
                let d = self.b().reg();
                self.b().emit(Op::Frame { d, off });
                self.b().emit(Op::Store { s, a: d, off: 0, kind })
            }
        };
        Ok(())
    }

    fn resolve_addr(&mut self, addr: Addr) -> Result<Resolved> {
        Ok(match addr.base {
            Base::Absolute => Resolved::Fixed(in_address(addr.off)),
            Base::Global(id) => Resolved::Fixed(self.place_global(id)?.wrapping_add(in_address(addr.off))),
            Base::Frame => Resolved::Frame(in_address(addr.off)),
            Base::Reg(r) => Resolved::Reg(r, in_address(addr.off)),
        })
    }

    /// A register that holds an address.
    pub fn addr_reg(&mut self, addr: Addr) -> Result<Reg> {
        Ok(match self.resolve_addr(addr)? {
            Resolved::Fixed(a) => self.b().constant(a.into()),
            Resolved::Reg(r, 0) => r,
            Resolved::Reg(a, off) => {
                let b = self.b().constant(off.into());
                let d = self.b().reg();
                self.b().emit(Op::AddU { d, a, b, sh: 48 });
                d
            }
            Resolved::Frame(off) => {
                let d = self.b().reg();
                self.b().emit(Op::Frame { d, off });
                d
            }
        })
    }

    /// A register that holds a scalar.
    pub fn reg_of(&mut self, value: &Operand, span: Span) -> Result<Reg> {
        match value {
            Operand::Reg(r, _) => Ok(*r),
            Operand::Known(v) => {
                let bits = self.scalar_bits(v).at(span)?;
                Ok(self.b().constant(bits))
            }
            Operand::Mem(addr, _) => self.addr_reg(*addr),
            Operand::Parts(ty, _) => Err(rules::COMPTIME_ONLY.because(&[("type", ty)]).at(span)),
        }
    }

    /// The register image of a known scalar.
    pub fn scalar_bits(&mut self, v: &Value) -> Result<u64> {
        match v {
            Value::Ptr(p) => self.pointer_address(p.to).map(u64::from),
            Value::Fn(f) => Ok(u64::from(self.request(*f)?.0)),
            Value::Undefined(_) => Ok(0),
            _ => {
                let ty = v.ty();
                let repr = repr(&ty).ok_or_else(|| self.no_run_time_type(&ty))?;
                let bits = arith::bits_of(v).ok_or_else(|| rules::COMPTIME_ONLY.because(&[("type", &ty)]))?;
                Ok(bits.wrap(repr.signed, repr.bits).to_i128().unwrap_or(0) as u64)
            }
        }
    }

    fn no_run_time_type(&self, ty: &Ty) -> Complaint {
        let complaint = rules::COMPTIME_ONLY.because(&[("type", ty)]);
        match ty {
            Ty::ComptimeInt => {
                complaint.help("give it a type: `@as(i16, ..)`, or declare the variable with one")
            }
            Ty::Float(_) => {
                complaint.help("give it a type: `@as(f32, ..)`, or declare the variable with one")
            }
            _ => complaint,
        }
    }

    /// The word address behind a pointer.
    pub fn pointer_address(&mut self, to: Pointee) -> Result<u16> {
        Ok(match to {
            Pointee::Global(id, off) => self.place_global(id)?.wrapping_add(in_address(off)),
            Pointee::Fn(f) => self.request(f)?.0 as u16,
            Pointee::Address(a) => a,
        })
    }

    /// Puts an aggregate into memory if it is not there yet.
    pub fn aggregate_addr(&mut self, value: &Operand, span: Span) -> Result<Addr> {
        match value {
            Operand::Mem(addr, _) => Ok(*addr),
            Operand::Known(v) => {
                let id = self.constant_global(v, span)?;
                Ok(Addr { base: Base::Global(id), off: 0 })
            }
            Operand::Parts(ty, parts) => {
                let addr = self.temporary(ty, span)?;
                self.store_parts(addr, ty, parts, span)?;
                Ok(addr)
            }
            Operand::Reg(r, ty) => {
                let addr = self.temporary(ty, span)?;
                let repr = repr(ty).ok_or_else(|| rules::COMPTIME_ONLY.because(&[("type", ty)]).at(span))?;
                self.store_reg(addr, *r, repr)?;
                Ok(addr)
            }
        }
    }

    /// Fresh memory of the frame.
    pub fn temporary(&mut self, ty: &Ty, span: Span) -> Result<Addr> {
        let words = ty.words().ok_or_else(|| rules::COMPTIME_ONLY.because(&[("type", ty)]).at(span))?;
        let align = ty.align_words();
        let limit = self.arch.memory_words;
        let off = self.b().frame(words, align).filter(|o| u32::from(*o) + words <= limit);
        let off = off.ok_or_else(|| rules::FRAME_TOO_LARGE.because(&[("words", &words)]).at(span))?;
        Ok(Addr { base: Base::Frame, off: off.into() })
    }

    /// The implicit conversion.
    pub fn coerce(&mut self, value: Operand, to: &Ty, span: Span) -> Result<Operand> {
        let from = value.ty();
        match value {
            Operand::Known(Value::Fn(f)) => self.coerce_fn(f, to, span),
            Operand::Known(v) => arith::coerce(&v, to).map(Operand::Known).at(span),
            Operand::Parts(Ty::Anon(_) | Ty::Array(_) | Ty::Struct(_), _) if *to == Ty::ComptimeStruct => {
                Ok(value)
            }
            Operand::Parts(ty, parts) => self.coerce_parts(ty, parts, to, span),
            _ if from == *to => Ok(value),
            Operand::Mem(addr, Ty::Anon(_)) if matches!(to, Ty::Struct(_)) => {
                let fields = from.field_names().into_iter().map(str::to_string).collect::<Vec<_>>();
                let mut parts = Vec::new();
                for name in &fields {
                    let (_, ty, off) = from.field(name).expect("its own field");
                    parts.push(self.load_at(Addr { base: addr.base, off: addr.off + off }, &ty)?);
                }
                self.coerce_parts(from, parts, to, span)
            }
            Operand::Reg(r, _) if reg_coerces(&from, to) => Ok(Operand::Reg(r, to.clone())),
            Operand::Reg(a, _) if from.is_float() && *to == Ty::F32 => {
                let d = self.b().reg();
                self.b().emit(Op::Convert { d, a, from: Scalar::F16, to: Scalar::F32 });
                Ok(Operand::Reg(d, to.clone()))
            }
            _ => Err(self.mismatch(&from, to).at(span)),
        }
    }

    fn mismatch(&self, from: &Ty, to: &Ty) -> Complaint {
        let complaint = rules::TYPE_MISMATCH.because(&[("want", to), ("have", from)]);
        if from.is_numeric() && to.is_numeric()
            || matches!((from, to), (Ty::Enum(_), Ty::Int(_)) | (Ty::Int(_), Ty::Enum(_)))
        {
            return complaint.help(format!("convert it: `@as({to}, ..)`"));
        }
        complaint
    }

    fn coerce_fn(&mut self, f: super::value::FnRef, to: &Ty, span: Span) -> Result<Operand> {
        let have = Ty::Fn(self.fn_type(f)?);
        match to {
            Ty::Fn(_) if *to == have => Ok(Operand::Known(Value::Fn(f))),
            Ty::Ptr(p) if p.to == have => {
                let ptr = super::value::Pointer { ty: p.clone(), to: Pointee::Fn(f) };
                Ok(Operand::Known(Value::Ptr(ptr)))
            }
            _ => Err(rules::TYPE_MISMATCH.because(&[("want", to), ("have", &have)]).at(span)),
        }
    }

    fn coerce_parts(&mut self, ty: Ty, parts: Vec<Operand>, to: &Ty, span: Span) -> Result<Operand> {
        if ty == *to {
            return Ok(Operand::Parts(ty, parts));
        }
        let no = || rules::TYPE_MISMATCH.because(&[("want", to), ("have", &ty)]).at(span);
        let (Ty::Anon(a), Ty::Struct(s)) = (&ty, to) else {
            return match (&ty, to) {
                (Ty::Anon(a), Ty::Anon(b)) if a.names == b.names && a.types.len() == b.types.len() => {
                    let types = b.types.clone();
                    let parts = parts.into_iter().zip(&types).map(|(p, t)| self.coerce(p, t, span));
                    Ok(Operand::Parts(to.clone(), parts.collect::<Result<_>>()?))
                }
                _ => Err(no()),
            };
        };
        let names = a.names.clone().ok_or_else(no)?;
        if let Some(extra) = names.iter().find(|n| !s.fields.iter().any(|(m, _)| m == *n)) {
            return Err(arith::unknown_field(extra, to).at(span));
        }
        let mut out = Vec::new();
        for (name, ty) in &s.fields {
            let at = names.iter().position(|n| n == name);
            let at = at.ok_or_else(|| rules::MISSING_FIELD.because(&[("name", name)]).at(span))?;
            out.push(self.coerce(parts[at].clone(), ty, span)?);
        }
        Ok(Operand::Parts(to.clone(), out))
    }

    /// Makes room for a global that is a constant without a name (a table that is indexed at run time).
    fn constant_global(&mut self, v: &Value, span: Span) -> Result<GlobalId> {
        if let Some((_, id)) = self.world.tile.constants.iter().find(|(known, _)| known == v) {
            return Ok(*id);
        }
        let ty = v.ty();
        let name = format!("constant {}", self.world.tile.constants.len());
        let align = ty.align_words();
        let id = self.add_global(super::world::Global {
            name,
            ty,
            value: v.clone(),
            is_var: false,
            addr: None,
            align,
            explicit_align: None,
            defined_by: None,
            span,
        });
        self.world.tile.constants.push((v.clone(), id));
        Ok(id)
    }
}

fn reg_coerces(from: &Ty, to: &Ty) -> bool {
    match (from, to) {
        (Ty::Int(f), Ty::Int(t)) => arith::widens(*f, *t),
        (Ty::Ptr(_), Ty::Ptr(_)) => arith::pointer_coerces(from, to),
        (Ty::Enum(a), Ty::Enum(b)) => a == b,
        _ => from == to,
    }
}

fn is_zero_array(a: &super::value::ArrayValue) -> bool {
    match &a.elems {
        Elems::Splat(Value::Int(_, n)) => n.is_zero(),
        Elems::Splat(Value::Float(_, x)) => x.to_bits() == 0,
        Elems::Splat(Value::Bool(b)) => !b,
        _ => false,
    }
}

/// An offset as a part of an address.
fn in_address(offset: u32) -> u16 {
    offset as u16 | if offset & HIGH_BYTE != 0 { code::HIGH_BYTE } else { 0 }
}

/// `words` of an `Op::Element` for elements of a type.
pub fn words_of_element(ty: &Ty) -> u16 {
    if ty.is_byte() { BYTES } else { ty.words().unwrap_or(0) as u16 }
}

/// Type and word offset of a part of an aggregate.
pub fn part_type(ty: &Ty, index: usize) -> Option<(Ty, u32)> {
    match ty {
        Ty::Array(a) => Some((a.elem.clone(), a.elem.element_offset(index as u32)?)),
        _ => ty.field_at(index),
    }
}

/// Follows a path into a value.
pub fn part<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |v, step| match (v, step) {
        (Value::Array(a), Step::Element(i)) => a.get(*i),
        (Value::Record(r), Step::Field(i)) => r.fields.get(*i),
        (Value::Union(u), Step::Field(i)) => (u.active == *i).then_some(&u.value),
        _ => None,
    })
}

fn part_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    let Some((step, rest)) = path.split_first() else { return Some(value) };
    if let Value::Undefined(ty) = value {
        *value = undefined_aggregate(ty)?;
    }
    let next = match (value, step) {
        (Value::Array(a), Step::Element(i)) => Arc::make_mut(a).list_mut().get_mut(*i as usize)?,
        (Value::Record(r), Step::Field(i)) => Arc::make_mut(r).fields.get_mut(*i)?,
        (Value::Union(u), Step::Field(i)) if u.active == *i => &mut Arc::make_mut(u).value,
        _ => return None,
    };
    part_mut(next, rest)
}

fn undefined_aggregate(ty: &Ty) -> Option<Value> {
    match ty {
        Ty::Array(a) => Some(Value::array(a.clone(), Elems::Splat(Value::Undefined(a.elem.clone())))),
        Ty::Struct(s) => {
            let fields = s.fields.iter().map(|(_, t)| Value::Undefined(t.clone())).collect();
            Some(Value::record(ty.clone(), fields))
        }
        _ => None,
    }
}

/// What the last word of a union says about its active field; 0 is none.
fn mark_of_field(field: usize) -> u16 {
    field as u16 + 1
}

/// Appends the words of a value as they lie in memory.
pub fn write_words(sema: &mut Sema<'_>, v: &Value, out: &mut [u16]) -> Result<()> {
    match v {
        Value::Undefined(_) | Value::Void => Ok(()),
        Value::Array(a) => write_array(sema, a, out),
        Value::Dsd(d) => {
            out[..16].copy_from_slice(&d.to_words());
            Ok(())
        }
        Value::Record(r) if !is_packed(&r.ty) => {
            for (i, field) in r.fields.iter().enumerate() {
                let (_, off) = r.ty.field_at(i).expect("a record has the fields of its type");
                write_words(sema, field, &mut out[off as usize..])?;
            }
            Ok(())
        }
        Value::Union(u) if u.ty.layout != FieldLayout::Packed => {
            let ty = v.ty();
            if let Some(words) = ty.words().filter(|_| ty.is_marked_union()) {
                out[words as usize - 1] = mark_of_field(u.active);
            }
            write_words(sema, &u.value, out)
        }
        _ => {
            let bits = sema.scalar_bits(v)?;
            let words = v.ty().words().unwrap_or(1) as usize;
            for (i, w) in out.iter_mut().take(words).enumerate() {
                *w = (bits >> (16 * i)) as u16;
            }
            Ok(())
        }
    }
}

fn write_array(sema: &mut Sema<'_>, a: &super::value::ArrayValue, out: &mut [u16]) -> Result<()> {
    if is_zero_array(a) {
        return Ok(());
    }
    let each = a.ty.elem.words().unwrap_or(0) as usize;
    for i in 0..a.ty.len() {
        if let Some(v) = a.get(i).filter(|_| a.ty.elem.is_byte()) {
            let bits = if matches!(v, Value::Undefined(_)) { 0 } else { sema.scalar_bits(v)? };
            out[i as usize / 2] |= (bits as u16 & 0xff) << (i % 2 * 8);
        } else if let Some(v) = a.get(i) {
            write_words(sema, v, &mut out[i as usize * each..])?;
        }
    }
    Ok(())
}

fn is_packed(ty: &Ty) -> bool {
    matches!(ty, Ty::Struct(s) | Ty::Union(s) if s.layout == FieldLayout::Packed)
}
