//! How values lie in memory: sizes and alignment in words of 16 bits, offsets of fields and elements.

use super::{DsdTy, FieldLayout, Ty};
use crate::value::float::FloatKind;

/// In an offset: the high byte of the word. It is one bit more than addresses have, because a table that is only
/// used at comptime may be larger than any memory.
pub const HIGH_BYTE: u32 = 1 << 31;

/// The offset of a byte.
pub fn byte_offset(byte: u32) -> u32 {
    byte >> 1 | if byte & 1 != 0 { HIGH_BYTE } else { 0 }
}

/// The number of the byte at an offset.
pub fn byte_number(offset: u32) -> u32 {
    (offset & !HIGH_BYTE) << 1 | u32::from(offset & HIGH_BYTE != 0)
}

impl Ty {
    /// Size in bits of a type that `@bitcast` takes: numbers, bools, pointers, packed structs.
    pub fn bits(&self) -> Option<u32> {
        Some(match self {
            Ty::Int(i) => i.bits,
            Ty::Float(FloatKind::F32) => 32,
            Ty::Float(FloatKind::Comptime) => return None,
            Ty::Float(_) => 16,
            Ty::Bool => 1,
            Ty::Enum(e) => e.repr.bits,
            Ty::Ptr(_) | Ty::Id(_) => 16,
            Ty::Struct(s) if s.layout == FieldLayout::Packed => {
                s.fields.iter().map(|(_, t)| t.bits()).sum::<Option<u32>>()?
            }
            Ty::Union(s) if s.layout == FieldLayout::Packed => s.fields.first()?.1.bits()?,
            _ => return None,
        })
    }

    /// Whether a value fits one register at run time.
    pub fn is_scalar(&self) -> bool {
        match self {
            Ty::Bool | Ty::Enum(_) | Ty::Ptr(_) => true,
            Ty::Int(i) => i.bits <= 64,
            Ty::Float(k) => !matches!(k, FloatKind::Comptime),
            Ty::Id(_) => !self.is_comptime_only(),
            Ty::Struct(s) | Ty::Union(s) => {
                s.layout == FieldLayout::Packed && self.bits().is_some_and(|b| b <= 64)
            }
            _ => false,
        }
    }

    /// Whether two elements of an array share a word. A bool takes a whole one.
    pub fn is_byte(&self) -> bool {
        *self != Ty::Bool && self.is_scalar() && self.bits().is_some_and(|bits| bits <= 8)
    }

    /// Where an element of an array of this type begins: a number of words, and `HIGH_BYTE` for the high byte.
    pub fn element_offset(&self, index: u32) -> Option<u32> {
        if self.is_byte() {
            return Some(byte_offset(index));
        }
        self.words()?.checked_mul(index)
    }

    /// Words of memory that a value takes; `None` if it cannot lie in memory, or is too large to count.
    pub fn words(&self) -> Option<u32> {
        if self.is_scalar() {
            return self.bits().map(|b| if b <= 16 { 1 } else { b.div_ceil(32) * 2 });
        }
        match self {
            Ty::Void | Ty::Error => Some(0),
            Ty::Dsd(d) if *d != DsdTy::Fifo => Some(16),
            Ty::Array(a) => {
                if a.elem.is_byte() {
                    return u32::try_from(a.len().div_ceil(2)).ok();
                }
                let each = u64::from(a.elem.words()?);
                u32::try_from(a.len().checked_mul(each)?).ok()
            }
            Ty::Struct(_) | Ty::Anon(_) => {
                let mut at = 0u32;
                for t in self.field_types()? {
                    at = at.next_multiple_of(t.align_words()).checked_add(t.words()?)?;
                }
                Some(at.next_multiple_of(self.align_words()))
            }
            Ty::Union(s) => {
                let mut fields = s.fields.iter().map(|(_, t)| t.words());
                let words = fields.try_fold(0, |m: u32, w| Some(m.max(w?)))?;
                let mark = u32::from(self.is_marked_union());
                Some((words + mark).next_multiple_of(self.align_words()))
            }
            _ => None,
        }
    }

    /// Whether its last word says which field is active: nothing else can (entry UB-004).
    pub fn is_marked_union(&self) -> bool {
        matches!(self, Ty::Union(s) if s.layout == FieldLayout::Plain)
    }

    /// Alignment in words: 1 or 2.
    pub fn align_words(&self) -> u32 {
        if self.is_scalar() {
            return if self.bits().is_some_and(|b| b > 16) { 2 } else { 1 };
        }
        match self {
            Ty::Array(a) => a.elem.align_words(),
            Ty::Dsd(_) => 2,
            Ty::Struct(s) | Ty::Union(s) => s.fields.iter().map(|(_, t)| t.align_words()).max().unwrap_or(1),
            Ty::Anon(a) => a.types.iter().map(Ty::align_words).max().unwrap_or(1),
            _ => 1,
        }
    }

    fn field_types(&self) -> Option<Vec<&Ty>> {
        match self {
            Ty::Struct(s) | Ty::Union(s) => Some(s.fields.iter().map(|(_, t)| t).collect()),
            Ty::Anon(a) => Some(a.types.iter().collect()),
            _ => None,
        }
    }

    /// Position, type and word offset of a field of a struct, union or anonymous struct.
    pub fn field(&self, name: &str) -> Option<(usize, Ty, u32)> {
        let index = match self {
            Ty::Struct(s) | Ty::Union(s) => s.fields.iter().position(|(n, _)| n == name)?,
            Ty::Anon(a) => a.names.as_ref()?.iter().position(|n| n == name)?,
            _ => return None,
        };
        self.field_at(index).map(|(ty, off)| (index, ty, off))
    }

    /// Type and word offset of the field at a position.
    pub fn field_at(&self, index: usize) -> Option<(Ty, u32)> {
        let types = self.field_types()?;
        let ty = (*types.get(index)?).clone();
        if matches!(self, Ty::Union(_)) {
            return Some((ty, 0));
        }
        let mut at = 0u32;
        for t in &types[..index] {
            at = at.next_multiple_of(t.align_words()) + t.words().unwrap_or(0);
        }
        Some((ty.clone(), at.next_multiple_of(ty.align_words())))
    }

    /// The bit offset of a field of a packed struct.
    pub fn packed_offset(&self, index: usize) -> u32 {
        match self {
            Ty::Struct(s) => s.fields[..index].iter().filter_map(|(_, t)| t.bits()).sum(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ty::StructTy;
    use std::sync::Arc;

    #[test]
    fn wide_fields_are_aligned() {
        let s = Ty::Struct(Arc::new(StructTy {
            origin: (0, 0),
            name: "".into(),
            layout: FieldLayout::Extern,
            fields: vec![("a".into(), Ty::U16), ("b".into(), Ty::F32), ("c".into(), Ty::U16)],
        }));
        assert_eq!(s.field("b").map(|f| f.2), Some(2));
        assert_eq!(s.words(), Some(6));
    }
}
