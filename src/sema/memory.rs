//! Moving values between places, registers and memory: what is known stays known, the rest is written.

use super::arith;
use super::coerce::coerce;
use super::eval::ExprValue;
use super::lower::Elements;
use super::operand::{Addr, Base, Operand, Place, comptime_only, repr};
use super::value::{Pointee, Value};
use super::walk::Sema;
use super::words::{field_in_bits, is_zero_array, mark_of_field, part_type};
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::rules::run::CONST_WRITTEN;
use crate::diagnostics::{At, Diag, Result};
use crate::image::code::{Op, Reg};
use crate::source::Span;
use crate::value::number::Integer;
use crate::value::symbolic::TermId;
use crate::value::ty::Ty;

impl Sema<'_> {
    /// The value of an expression.
    pub fn value_of(&mut self, ev: ExprValue, span: Span) -> Result<Operand> {
        match ev {
            ExprValue::Value(v) => Ok(v),
            ExprValue::Place(p) => self.load(&p, span),
        }
    }

    /// The implicit conversion.
    pub fn coerce(&mut self, value: Operand, to: &Ty, span: Span) -> Result<Operand> {
        coerce(self, value, to, span)
    }

    /// Reads a place.
    pub fn load(&mut self, place: &Place, span: Span) -> Result<Operand> {
        match place {
            Place::Comptime { slot, path, .. } => {
                self.eval.variable(*slot, path).cloned().map(Operand::Known).at(span)
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
                self.lower.load_at(*addr, ty)
            }
            Place::Element { array, index, len, ty, .. } => {
                self.lower.load_element(Elements { array: *array, index: *index, len: *len, ty })
            }
            Place::Bits { whole, off, ty } => {
                let all = self.load(whole, span)?;
                if let Some(value) = all.known().and_then(|all| field_in_bits(all, *off, ty)) {
                    return Ok(Operand::Known(value));
                }
                let repr = repr(ty).ok_or_else(|| comptime_only(ty))?;
                let a = self.reg_of(&all, span)?;
                Ok(Operand::Reg(self.lower.extract_bits(a, *off, repr), ty.clone()))
            }
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

    /// Writes a place.
    pub fn store(&mut self, place: &Place, value: Operand, span: Span) -> Result<()> {
        if !place.is_writable() {
            return Err(rules::CONST_ASSIGNMENT.plain().at(span));
        }
        let value = self.coerce(value, place.ty(), span)?;
        match place {
            Place::Comptime { slot, path, .. } => {
                let Operand::Known(new) = value else {
                    return Err(rules::NOT_COMPTIME.because(&[("what", &"this value")]).at(span));
                };
                self.eval.set_variable(*slot, path, new, self.lower.depth(), span).at(span)
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
                self.check_constant(*addr, span)?;
                self.store_at(*addr, &value, span)
            }
            Place::Element { array, index, len, ty, .. } => {
                self.check_constant(*array, span)?;
                let all = Elements { array: *array, index: *index, len: *len, ty };
                if let Some(array) = self.lower.fixed_array(all)? {
                    let s = self.reg_of(&value, span)?;
                    self.lower.store_element(array, *index, s);
                    return Ok(());
                }
                let addr = self.lower.element_addr(all)?;
                self.store_at(addr, &value, span)
            }
            Place::Bits { whole, off, ty } => self.store_bits(whole, *off, ty, &value, span),
        }
    }

    /// A constant is written through a pointer whose `const` a cast has taken away.
    fn check_constant(&mut self, addr: Addr, span: Span) -> Result<()> {
        let Base::Global(id) = addr.base else { return Ok(()) };
        let global = self.global(id);
        if global.is_var || global.defined_by.is_some() {
            return Ok(());
        }
        let name = global.name.clone();
        let diag = CONST_WRITTEN.because(&[("name", &name)]).at(span).also(global.span, "declared `const`");
        self.lint(
            diag.help(format!("declare `{name}` as `var`, and keep `const` in the types of pointers to it")),
        )
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
        let kept = self.lower.insert_bits(old, new, off, ty);
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
            return self.lower.store_reg(addr, s, repr);
        }
        match value {
            Operand::Known(Value::Undefined(_)) | Operand::Known(Value::Void) => Ok(()),
            Operand::Known(Value::Array(a)) if is_zero_array(a) => self.lower.zero(addr, &ty),
            Operand::Known(Value::Dsd(d)) => {
                let n = self.lower.tile.dsd_constant(*d);
                let a = self.lower.addr_reg(addr)?;
                self.b().emit(Op::PutDsd { a, n });
                Ok(())
            }
            Operand::Mem(from, _) if *from == addr => Ok(()),
            Operand::Known(_) | Operand::Mem(..) => {
                let from = self.aggregate_addr(value, span)?;
                self.lower.copy(addr, from, &ty)
            }
            Operand::Parts(_, parts) => self.store_parts(addr, &ty, parts, span),
            // An integer of more bits than a register has: the variable itself may not be looked at yet.
            Operand::Reg(..) => Err(comptime_only(&ty).at(span)),
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
        match place {
            Place::Memory { addr, known: None, .. } if !self.is_comptime() => {
                self.lower.check_variant(*addr, union, field)
            }
            _ => Ok(()),
        }
    }

    fn store_parts(&mut self, addr: Addr, ty: &Ty, parts: &[Operand], span: Span) -> Result<()> {
        for (i, p) in parts.iter().enumerate() {
            let (ty, off) = part_type(ty, i).ok_or_else(|| comptime_only(ty).at(span))?;
            let p = self.coerce(p.clone(), &ty, span)?;
            self.store_at(Addr { base: addr.base, off: addr.off + off }, &p, span)?;
        }
        Ok(())
    }

    /// A register that holds a scalar.
    pub fn reg_of(&mut self, value: &Operand, span: Span) -> Result<Reg> {
        match value {
            Operand::Reg(r, _) => Ok(*r),
            Operand::Known(v) => {
                let bits = self.scalar_bits_and_term(v).at(span)?;
                Ok(self.b().constant_or_term(bits))
            }
            Operand::Mem(addr, _) => self.lower.addr_reg(*addr),
            Operand::Parts(ty, _) => Err(comptime_only(ty).at(span)),
        }
    }

    /// The register image of a known scalar.
    pub fn scalar_bits(&mut self, v: &Value) -> Result<u64> {
        self.scalar_integer(v).map(|n| n.low_u64())
    }

    /// The register image of a known scalar, and the term that says what it is on other tiles.
    pub fn scalar_bits_and_term(&mut self, v: &Value) -> Result<(u64, Option<TermId>)> {
        self.scalar_integer(v).map(|n| n.low_u64_and_term())
    }

    fn scalar_integer(&mut self, v: &Value) -> Result<Integer> {
        match v {
            Value::Ptr(p) => self.pointer_address(p.to).map(Integer::from),
            Value::Fn(f) => Ok(self.request(*f)?.0.into()),
            Value::Undefined(_) => Ok(Integer::ZERO),
            _ => {
                let ty = v.ty();
                let repr = repr(&ty).ok_or_else(|| no_run_time_type(&ty))?;
                let bits = self.bits_with_addresses(v)?.ok_or_else(|| comptime_only(&ty))?;
                Ok(bits.wrap(repr.signed, repr.bits))
            }
        }
    }

    /// The bits of a scalar; those of a pointer in a packed struct are the address of what it points to.
    fn bits_with_addresses(&mut self, v: &Value) -> Result<Option<Integer>> {
        match v {
            Value::Ptr(p) => self.pointer_address(p.to).map(|address| Some(address.into())),
            Value::Union(u) => self.bits_with_addresses(&u.value),
            Value::Record(r) => {
                let mut all = Integer::ZERO;
                for (i, field) in r.fields.iter().enumerate() {
                    let off = Integer::Small(r.ty.packed_offset(i).into());
                    let bits = self.bits_with_addresses(field)?;
                    let Some(placed) = bits.and_then(|bits| bits.shl(&off)) else { return Ok(None) };
                    all = all.or(&placed);
                }
                Ok(Some(all))
            }
            _ => Ok(arith::bits_of(v)),
        }
    }

    /// The word address behind a pointer.
    pub fn pointer_address(&mut self, to: Pointee) -> Result<u16> {
        Ok(match to {
            Pointee::Global(id, off) => {
                self.note_effect();
                self.lower.address_of(id, off)?
            }
            Pointee::Fn(f) => self.request(f)?.0 as u16,
            Pointee::Address(a) => a,
        })
    }

    /// Puts an aggregate into memory if it is not there yet.
    pub fn aggregate_addr(&mut self, value: &Operand, span: Span) -> Result<Addr> {
        match value {
            Operand::Mem(addr, _) => Ok(*addr),
            Operand::Known(v) => {
                let id = self.lower.data.constant(v, span);
                Ok(Addr { base: Base::Global(id), off: 0 })
            }
            Operand::Parts(ty, parts) => {
                let addr = self.lower.temporary(ty, span)?;
                self.store_parts(addr, ty, parts, span)?;
                Ok(addr)
            }
            Operand::Reg(r, ty) => {
                let addr = self.lower.temporary(ty, span)?;
                let repr = repr(ty).ok_or_else(|| comptime_only(ty).at(span))?;
                self.lower.store_reg(addr, *r, repr)?;
                Ok(addr)
            }
        }
    }
}

fn no_run_time_type(ty: &Ty) -> Diag {
    let diag = comptime_only(ty);
    match ty {
        Ty::ComptimeInt => {
            diag.help("give it a type with `@as(i16, ..)`, or declare the variable with a type")
        }
        Ty::Float(_) => diag.help("give it a type: `@as(f32, ..)`, or declare the variable with one"),
        _ => diag,
    }
}
