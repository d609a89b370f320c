//! Moving values between places, registers and memory.

use super::arith;
use super::operand::{Addr, Base, Operand, PathStep, Place, Repr, repr};
use super::scope::{Binding, Ev};
use super::value::{GlobalId, Pointee, Value};
use super::words::{is_zero_array, mark_of_field, part, part_mut, part_type, words_of_element};
use super::world::Sema;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::{self, Op, Reg};
use crate::source::Span;
use crate::value::ty::{HIGH_BYTE, Ty};

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
        let diag = match addr.base {
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
        Err(diag)
    }

    fn variable(&self, frame: usize, scope: usize, slot: usize) -> &Value {
        match &self.frames[frame].scopes[scope].names[slot].1 {
            Binding::Variable { value, .. } => value,
            _ => unreachable!("a comptime place names a comptime variable"),
        }
    }

    /// What lies at an address.
    pub fn load_at(&mut self, addr: Addr, ty: &Ty) -> Result<Operand> {
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
        path: &[PathStep],
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
                .help("assign it outside of run-time `if`s and loops"));
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

    fn no_run_time_type(&self, ty: &Ty) -> Diag {
        let diag = rules::COMPTIME_ONLY.because(&[("type", ty)]);
        match ty {
            Ty::ComptimeInt => diag.help("give it a type: `@as(i16, ..)`, or declare the variable with one"),
            Ty::Float(_) => diag.help("give it a type: `@as(f32, ..)`, or declare the variable with one"),
            _ => diag,
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

    /// Makes room for a global that is a constant without a name (a table that is indexed at run time).
    fn constant_global(&mut self, v: &Value, span: Span) -> Result<GlobalId> {
        if let Some((_, id)) = self.world.tile.constants.iter().find(|(known, _)| known == v) {
            return Ok(*id);
        }
        let ty = v.ty();
        let name = format!("constant {}", self.world.tile.constants.len());
        let align = ty.align_words();
        let id = self.add_global(super::unit::Global {
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

/// An offset as a part of an address.
fn in_address(offset: u32) -> u16 {
    offset as u16 | if offset & HIGH_BYTE != 0 { code::HIGH_BYTE } else { 0 }
}
