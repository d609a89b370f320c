//! The parts of a variable, each as a variable: fields, variants, elements, and what pointers point to.

use crate::{Field, Inside, PeView, Scalar, Symbol, VariableType, VariableValue};

/// The number that words hold.
pub fn bits(words: &[u16]) -> u64 {
    words.iter().rev().fold(0, |all, word| all << 16 | u64::from(*word))
}

/// What a pointer points to and whether more may follow; `None` for other variables.
pub fn pointee(symbol: &Symbol) -> Option<(&VariableType, bool)> {
    match &symbol.inside {
        Inside::Pointer { to, many } if symbol.dims.is_empty() => Some((to, *many)),
        _ => None,
    }
}

/// The fields of a struct. Of a union that says which variant is active only that one, otherwise all variants.
pub fn fields(held: &VariableValue) -> Vec<VariableValue> {
    if !held.symbol.dims.is_empty() {
        return Vec::new();
    }
    match &held.symbol.inside {
        Inside::Struct(fields) | Inside::Union { variants: fields, is_marked: false } => {
            fields.iter().filter_map(|field| in_words(held, field)).collect()
        }
        Inside::Union { variants, is_marked: true } => {
            let active = held.words.last().and_then(|mark| variants.get(usize::from(*mark).checked_sub(1)?));
            active.and_then(|field| in_words(held, field)).into_iter().collect()
        }
        Inside::Packed(fields) => fields.iter().map(|field| in_bits(held, field)).collect(),
        Inside::Nothing | Inside::Enum(_) | Inside::Pointer { .. } => Vec::new(),
    }
}

fn in_words(held: &VariableValue, field: &Field) -> Option<VariableValue> {
    let from = usize::from(field.at);
    let words = held.words.get(from..from + usize::from(field.ty.words))?.to_vec();
    let addr = held.symbol.addr.wrapping_add(field.at);
    Some(VariableValue { words, expanded: None, ..typed(held, (field.name.clone(), addr), &field.ty) })
}

/// A field of a packed struct. Whoever watches it watches the words of the whole struct.
fn in_bits(held: &VariableValue, field: &Field) -> VariableValue {
    let width = u32::from(field.bits).clamp(1, 64);
    let mask = u64::MAX >> (64 - width);
    let mut value = bits(&held.words).checked_shr(field.at.into()).unwrap_or(0) & mask;
    if field.ty.element.is_some_and(Scalar::is_signed) && value >> (width - 1) & 1 == 1 {
        value |= !mask;
    }
    let words = (0..field.ty.words).map(|k| (value >> (16 * k)) as u16).collect();
    let mut part = typed(held, (field.name.clone(), held.symbol.addr), &field.ty);
    part.symbol.words = held.symbol.words;
    VariableValue { words, ..part }
}

/// An element of an array, unless two of its elements share a word.
pub fn element(held: &VariableValue, index: usize) -> Option<VariableValue> {
    let symbol = &held.symbol;
    let (len, rest) = symbol.dims.split_first()?;
    if index >= *len as usize || symbol.element.is_some_and(|scalar| symbol.is_bytes(scalar)) {
        return None;
    }
    let size = held.words.len() / (*len as usize).max(1);
    let words = held.words[index * size..(index + 1) * size].to_vec();
    let mut part = held.symbol.clone();
    part.name += &format!("[{index}]");
    part.ty = element_type(&symbol.ty, rest);
    part.addr = part.addr.wrapping_add((index * size) as u16);
    (part.words, part.dims) = (size as u16, rest.to_vec());
    Some(VariableValue { symbol: part, words, in_memory: held.in_memory, expanded: None })
}

/// The type of an element, of which these dimensions are left.
fn element_type(array: &str, rest: &[u32]) -> String {
    let of = array.split_once(']').map_or(array, |(_, of)| of);
    let rest: Vec<String> = rest.iter().map(u32::to_string).collect();
    if rest.is_empty() { of.to_string() } else { format!("[{}]{of}", rest.join(", ")) }
}

/// What a pointer points to, or what is so many elements behind that.
///
/// # Errors
/// A sentence: it points to nothing, or out of the memory.
pub fn target(held: &VariableValue, index: i128, view: &PeView<'_>) -> Result<VariableValue, String> {
    let outside = || "this address is outside of the memory".to_string();
    let name = &held.symbol.name;
    let (to, many) = pointee(&held.symbol).ok_or(format!("`{name}` is no pointer"))?;
    let addr = held.words.first().copied().ok_or(format!("`{name}` has no value yet"))?;
    let name = if many { format!("{name}[{index}]") } else { format!("{name}.*") };
    if let Some(Scalar::U8 | Scalar::I8) = to.element.filter(|_| to.dims.is_empty()) {
        let byte = u16::try_from(index).ok().and_then(|index| view.byte(addr, index));
        let words = vec![byte.ok_or_else(outside)?.into()];
        return Ok(VariableValue { words, in_memory: false, ..typed(held, (name, addr), to) });
    }
    let addr = i128::from(addr) + index * i128::from(to.words);
    let addr = u16::try_from(addr).map_err(|_| outside())?;
    let words = view.words(addr.into(), to.words.into()).ok_or_else(outside)?;
    Ok(VariableValue { words, in_memory: true, ..typed(held, (name, addr), to) })
}

/// How many elements a pointer points to, as far as one can tell: those up to the end of the variable.
pub fn targets(held: &VariableValue, view: &PeView<'_>) -> usize {
    match (pointee(&held.symbol), held.words.first()) {
        (Some((to, true)), Some(addr)) => usize::from(view.words_from(*addr) / to.words.max(1)).max(1),
        (Some(_), Some(_)) => 1,
        (None, _) | (_, None) => 0,
    }
}

/// A part of a variable, without its words.
fn typed(of: &VariableValue, (name, addr): (String, u16), ty: &VariableType) -> VariableValue {
    let VariableType { text, words, dims, element, bits, inside } = ty.clone();
    let (mutable, span) = (of.symbol.mutable, of.symbol.span);
    let undefined = false;
    let symbol =
        Symbol { name, addr, words, ty: text, dims, element, bits, inside, mutable, undefined, span };
    VariableValue { symbol, words: Vec::new(), in_memory: of.in_memory, expanded: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, Span};

    fn number(text: &str, words: u16, element: Scalar) -> VariableType {
        let (text, dims, inside) = (text.to_string(), Vec::new(), Inside::Nothing);
        VariableType { text, words, dims, element: Some(element), bits: None, inside }
    }

    fn held(inside: Inside, words: Vec<u16>) -> VariableValue {
        let ty = VariableType { inside, ..number("T", words.len() as u16, Scalar::U16) };
        let VariableType { text, words: size, dims, element, bits, inside } = ty;
        let (name, span) = ("x".to_string(), Span::new(FileId(0), 0, 0));
        let symbol = Symbol {
            name,
            addr: 8,
            words: size,
            ty: text,
            dims,
            element,
            bits,
            inside,
            mutable: true,
            undefined: false,
            span,
        };
        VariableValue { symbol, words, in_memory: true, expanded: None }
    }

    fn field(name: &str, (at, bits): (u16, u16), ty: VariableType) -> Field {
        Field { name: name.to_string(), at, bits, ty }
    }

    #[test]
    fn fields_of_a_packed_struct_are_cut_out_of_its_bits() {
        let fields_of = vec![
            field("low", (0, 3), number("u3", 1, Scalar::U8)),
            field("signed", (3, 5), number("i5", 1, Scalar::I8)),
            field("wide", (8, 24), number("u24", 2, Scalar::U32)),
        ];
        let packed = held(Inside::Packed(fields_of), vec![0x12f5, 0xabcd]);
        let parts: Vec<u64> = fields(&packed).iter().map(|part| bits(&part.words)).collect();
        assert_eq!(parts, [5, 0xfffe, 0xab_cd12]);
        assert!(fields(&packed).iter().all(|part| (part.symbol.addr, part.symbol.words) == (8, 2)));
    }

    #[test]
    fn a_union_that_says_which_variant_is_active_has_only_that() {
        let variants = || {
            vec![
                field("a", (0, 0), number("u16", 1, Scalar::U16)),
                field("b", (0, 0), number("f32", 2, Scalar::F32)),
            ]
        };
        let names = |is_marked, words| {
            let union = held(Inside::Union { variants: variants(), is_marked }, words);
            fields(&union).into_iter().map(|part| part.symbol.name).collect::<Vec<String>>()
        };
        assert_eq!(names(true, vec![1, 2, 0]), Vec::<String>::new());
        assert_eq!(names(true, vec![1, 2, 2]), ["b"]);
        assert_eq!(names(true, vec![1, 2, 9]), Vec::<String>::new());
        assert_eq!(names(false, vec![1, 2]), ["a", "b"]);
    }

    #[test]
    fn elements_have_the_type_that_is_left() {
        assert_eq!(element_type("[2]Pair", &[]), "Pair");
        assert_eq!(element_type("[2, 3, 4]f32", &[3, 4]), "[3, 4]f32");
        assert_eq!(element_type("[2]*[4]u16", &[]), "*[4]u16");
    }
}
