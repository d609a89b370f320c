//! Operations that read and write memory, and addresses in registers.

use super::code::Lower;
use crate::diagnostics::Result;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::comptime as rules;
use crate::image::code::{self, Access, Op, Reg};
use crate::sema::operand::{Addr, Base, Operand, PathStep, Place, Repr, comptime_only, repr};
use crate::sema::value::{GlobalId, Pointee, Pointer, Value};
use crate::sema::words::{mark_of_field, part, words_of_element};
use crate::source::Span;
use crate::value::ty::{FieldLayout, HIGH_BYTE, PtrTy, Ty};
use std::sync::Arc;

/// An address that code can name.
enum Resolved {
    Fixed(u16),
    Frame(u16),
    Reg(Reg, u16),
}

/// Elements of an array in memory, one of which a register selects.
#[derive(Copy, Clone, Debug)]
pub struct Elements<'a> {
    /// Start of the array.
    pub array: Addr,
    /// The register of the index.
    pub index: Reg,
    /// Number of elements.
    pub len: u32,
    /// Their type.
    pub ty: &'a Ty,
}

/// An array of scalars at an address that code can name.
#[derive(Copy, Clone, Debug)]
pub struct FixedArray {
    base: u16,
    len: u16,
    kind: Access,
}

impl Lower {
    /// What lies at an address.
    ///
    /// # Errors
    /// Values of this type exist only at comptime.
    pub fn load_at(&mut self, addr: Addr, ty: &Ty) -> Result<Operand> {
        let Some(repr) = repr(ty) else {
            return match ty.words() {
                Some(0) => Ok(Operand::void()),
                Some(_) => Ok(Operand::Mem(addr, ty.clone())),
                None => Err(comptime_only(ty)),
            };
        };
        let kind = repr.access();
        let resolved = self.resolve(addr)?;
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

    /// An element that a register selects.
    ///
    /// # Errors
    /// Values of this type exist only at comptime.
    pub fn load_element(&mut self, all: Elements<'_>) -> Result<Operand> {
        if let Some(FixedArray { base, len, kind }) = self.fixed_array(all)? {
            let d = self.b().reg();
            self.b().emit(Op::LoadElem { d, base, b: all.index, len, kind });
            return Ok(Operand::Reg(d, all.ty.clone()));
        }
        let addr = self.element_addr(all)?;
        self.load_at(addr, all.ty)
    }

    /// The array, if one operation reads or writes an element of it.
    ///
    /// # Errors
    /// The array has no form in memory.
    pub fn fixed_array(&mut self, all: Elements<'_>) -> Result<Option<FixedArray>> {
        if let (Some(repr), Ok(len)) = (repr(all.ty), u16::try_from(all.len))
            && let Resolved::Fixed(base) = self.resolve(all.array)?
        {
            return Ok(Some(FixedArray { base, len, kind: repr.access() }));
        }
        Ok(None)
    }

    /// Writes a scalar to an element that a register selects, of an array at a fixed address.
    pub fn store_element(&mut self, FixedArray { base, len, kind }: FixedArray, index: Reg, s: Reg) {
        self.b().emit(Op::StoreElem { s, base, b: index, len, kind });
    }

    /// The address of an element that a register selects.
    ///
    /// # Errors
    /// The array has no form in memory.
    pub fn element_addr(&mut self, all: Elements<'_>) -> Result<Addr> {
        let a = self.addr_reg(all.array)?;
        let words = words_of_element(all.ty);
        let d = self.b().reg();
        self.b().emit(Op::Element { d, a, b: all.index, words, len: all.len });
        Ok(Addr { base: Base::Reg(d), off: 0 })
    }

    /// A field of the packed struct in a register, from bit `off` on.
    pub fn extract_bits(&mut self, a: Reg, off: u32, repr: Repr) -> Reg {
        let shift = self.b().constant(off.into());
        let d = self.b().reg();
        self.b().emit(Op::ShrU { d, a, b: shift, sh: 0 });
        self.normalise(d, repr);
        d
    }

    /// The packed struct in `old` with another value of a field, from bit `off` on.
    pub fn insert_bits(&mut self, old: Reg, new: Reg, off: u32, ty: &Ty) -> Reg {
        let bits = ty.bits().unwrap_or(1);
        let mask = if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
        let (keep, mask) = (self.b().constant(!(mask << off)), self.b().constant(mask));
        let shift = self.b().constant(off.into());
        let (kept, field) = (self.b().reg(), self.b().reg());
        self.b().emit(Op::And { d: kept, a: old, b: keep });
        self.b().emit(Op::And { d: field, a: new, b: mask });
        self.b().emit(Op::ShlU { d: field, a: field, b: shift, sh: 0 });
        self.b().emit(Op::Or { d: kept, a: kept, b: field });
        kept
    }

    /// Cuts a register to the width of its type.
    pub fn normalise(&mut self, d: Reg, repr: Repr) {
        let sh = repr.sh();
        let op = if repr.signed { Op::NormS { d, a: d, sh } } else { Op::NormU { d, a: d, sh } };
        self.b().emit(op);
    }

    /// Writes a scalar to memory.
    ///
    /// # Errors
    /// The global at the address has no form in memory.
    pub fn store_reg(&mut self, addr: Addr, s: Reg, repr: Repr) -> Result<()> {
        let kind = repr.access();
        match self.resolve(addr)? {
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

    /// Copies an aggregate.
    ///
    /// # Errors
    /// A global at one of the addresses has no form in memory.
    pub fn copy(&mut self, to: Addr, from: Addr, ty: &Ty) -> Result<()> {
        let words = ty.words().unwrap_or(0) as u16;
        let (a, b) = (self.addr_reg(to)?, self.addr_reg(from)?);
        self.b().emit(Op::Copy { a, b, words });
        Ok(())
    }

    /// Writes zeros over a value of this type.
    ///
    /// # Errors
    /// The global at the address has no form in memory.
    pub fn zero(&mut self, addr: Addr, ty: &Ty) -> Result<()> {
        let a = self.addr_reg(addr)?;
        let words = ty.words().unwrap_or(0) as u16;
        self.b().emit(Op::Zero { a, words });
        Ok(())
    }

    /// A local in memory begins without a value. Packed structs are written field by field, which
    /// reads the whole, so they begin as zero.
    ///
    /// # Errors
    /// The global at the address has no form in memory.
    pub fn unset(&mut self, addr: Addr, ty: &Ty) -> Result<()> {
        let words = ty.words().unwrap_or(0) as u16;
        let is_packed = matches!(ty, Ty::Struct(s) | Ty::Union(s) if s.layout == FieldLayout::Packed);
        let a = self.addr_reg(addr)?;
        self.b().emit(if is_packed { Op::Zero { a, words } } else { Op::UnsetWords { a, words } });
        Ok(())
    }

    /// A field of the union at an address is used: it has to be the active one.
    ///
    /// # Errors
    /// The global at the address has no form in memory.
    pub fn check_variant(&mut self, addr: Addr, union: &Ty, field: usize) -> Result<()> {
        let Some(words) = union.words().filter(|_| union.is_marked_union()) else { return Ok(()) };
        let names = self.tile.string(&union.field_names().join(","));
        let a = self.addr_reg(addr)?;
        let off = words as u16 - 1;
        self.b().emit(Op::CheckVariant { a, off, mark: mark_of_field(field), names });
        Ok(())
    }

    fn resolve(&mut self, addr: Addr) -> Result<Resolved> {
        Ok(match addr.base {
            Base::Absolute => Resolved::Fixed(in_address(addr.off)),
            Base::Global(id) => Resolved::Fixed(self.address_of(id, addr.off)?),
            Base::Frame => Resolved::Frame(in_address(addr.off)),
            Base::Reg(r) => Resolved::Reg(r, in_address(addr.off)),
        })
    }

    /// A register that holds an address.
    ///
    /// # Errors
    /// The global at the address has no form in memory.
    pub fn addr_reg(&mut self, addr: Addr) -> Result<Reg> {
        Ok(match self.resolve(addr)? {
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

    /// Notes that a place takes the value of an expression.
    pub fn note_stored(&mut self, place: &Place, value: Span) {
        self.stored = match place {
            Place::Memory { addr, ty: Ty::Dsd(_), .. } => Some((value, *addr)),
            _ => None,
        };
    }

    /// Whether the value of an expression is stored at an address, so that it may change the DSD that lies there.
    pub fn is_stored_at(&self, value: Span, addr: Addr) -> bool {
        self.stored == Some((value, addr))
    }

    /// The address of something in memory, as a pointer.
    ///
    /// # Errors
    /// The global at the address has no form in memory.
    pub fn pointer(&mut self, addr: Addr, ty: Ty, writable: bool) -> Result<Operand> {
        let ty = Arc::new(PtrTy { to: ty, is_const: !writable, many: false });
        if let Base::Global(id) = addr.base {
            return Ok(Operand::Known(Value::Ptr(Pointer { ty, to: Pointee::Global(id, addr.off) })));
        }
        let reg = self.addr_reg(addr)?;
        Ok(Operand::Reg(reg, Ty::Ptr(ty)))
    }

    /// Fresh memory of the frame.
    ///
    /// # Errors
    /// The frame would not fit into the memory of a PE.
    pub fn temporary(&mut self, ty: &Ty, span: Span) -> Result<Addr> {
        let words = ty.words().ok_or_else(|| comptime_only(ty).at(span))?;
        let align = ty.align_words();
        let limit = self.memory_words;
        let off = self.b().frame(words, align).filter(|o| u32::from(*o) + words <= limit);
        let off =
            off.ok_or_else(|| rules::FRAME_TOO_LARGE.because(&[("words", &grouped(words.into()))]).at(span))?;
        Ok(Addr { base: Base::Frame, off: off.into() })
    }

    /// The place of a part at a known position.
    ///
    /// # Errors
    /// The whole has no address.
    pub fn narrow(&mut self, place: Place, step: PathStep, ty: Ty, off: u32) -> Result<Place> {
        Ok(match place {
            Place::Comptime { slot, mut path, .. } => {
                path.push(step);
                Place::Comptime { slot, path, ty }
            }
            Place::Memory { addr, writable, known, .. } => {
                let known = known.and_then(|v| part(&v, &[step]).cloned());
                let addr = Addr { base: addr.base, off: addr.off + off };
                Place::Memory { addr, ty, writable, known }
            }
            Place::Element { array, index, len, ty: whole, writable } => {
                let element = self.element_addr(Elements { array, index, len, ty: &whole })?;
                Place::Memory { addr: Addr { off, ..element }, ty, writable, known: None }
            }
            Place::Register { .. } | Place::Bits { .. } => return Err(rules::NOT_ADDRESSABLE.plain()),
        })
    }

    /// The word address of data behind a known pointer.
    ///
    /// # Errors
    /// The global has no form in memory.
    pub fn address_of(&mut self, id: GlobalId, off: u32) -> Result<u16> {
        Ok(self.data.place(id)?.wrapping_add(in_address(off)))
    }
}

/// An offset as a part of an address.
fn in_address(offset: u32) -> u16 {
    offset as u16 | if offset & HIGH_BYTE != 0 { code::HIGH_BYTE } else { 0 }
}
