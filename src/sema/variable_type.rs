//! Types of variables as the program holds them for those who look at its memory.
//!
//! In: a type of the language. Out: how many words it takes and what they mean. Never: looks at a value.

use super::operand::{element_of, repr};
use crate::image::{Field, Inside, VariableType};
use crate::value::ty::{FieldLayout, StructTy, Ty};

/// What pointers behind pointers point to is kept so many times.
const MOST_POINTERS: usize = 4;

/// A type as the program holds it.
pub fn variable_type(ty: &Ty) -> VariableType {
    behind_pointers(ty, 0)
}

/// The type of something that is behind so many pointers.
fn behind_pointers(ty: &Ty, pointers: usize) -> VariableType {
    let of_element = if let Ty::Array(array) = ty { &array.elem } else { ty };
    VariableType {
        text: ty.to_string(),
        words: ty.words().unwrap_or(0) as u16,
        dims: if let Ty::Array(a) = ty { a.dims.clone() } else { Vec::new() },
        element: element_of(ty),
        bits: if let Ty::Int(integer) = of_element { Some(integer.bits) } else { None },
        inside: inside(of_element, pointers),
    }
}

fn inside(ty: &Ty, pointers: usize) -> Inside {
    match ty {
        Ty::Ptr(pointer) if pointers < MOST_POINTERS && pointer.to.words().is_some() => {
            let to = Box::new(behind_pointers(&pointer.to, pointers + 1));
            Inside::Pointer { to, many: pointer.many }
        }
        Ty::Struct(s) | Ty::Union(s) if s.layout == FieldLayout::Packed => {
            if repr(ty).is_some() {
                Inside::Packed(packed(ty, s, pointers))
            } else {
                Inside::Nothing
            }
        }
        Ty::Enum(e) => Inside::Enum(e.members.iter().map(|(name, n)| (name.to_string(), *n)).collect()),
        Ty::Struct(_) | Ty::Anon(_) => Inside::Struct(fields(ty, pointers)),
        Ty::Union(_) => Inside::Union { variants: fields(ty, pointers), is_marked: ty.is_marked_union() },
        _ => Inside::Nothing,
    }
}

/// Fields that lie in whole words.
fn fields(ty: &Ty, pointers: usize) -> Vec<Field> {
    let field = |name: &str| {
        let (_, ty, at) = ty.field(name)?;
        Some(Field { name: name.to_string(), at: at as u16, bits: 0, ty: behind_pointers(&ty, pointers) })
    };
    ty.field_names().into_iter().filter_map(field).collect()
}

/// Fields that lie in the bits of a number.
fn packed(ty: &Ty, packed: &StructTy, pointers: usize) -> Vec<Field> {
    let field = |(n, (name, of)): (usize, &(smol_str::SmolStr, Ty))| {
        let (at, bits) = (ty.packed_offset(n) as u16, of.bits()? as u16);
        Some(Field { name: name.to_string(), at, bits, ty: behind_pointers(of, pointers) })
    };
    packed.fields.iter().enumerate().filter_map(field).collect()
}
