//! Values of variables, as numbers and as trees of text.

use crate::{Field, Held, PeLook, Scalar, Tree, VariableType};

/// More elements than this are shown in groups.
const GROUP: usize = 100;
/// Elements in the text of an array.
const IN_TEXT: usize = 8;

/// What an expression is worth.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// A bool.
    Bool(bool),
    /// A variable or a part of it.
    Held(Held),
    /// Something that was known before the run, as text.
    Text(String),
}

impl Value {
    /// The number that a variable holds; other values as they are.
    pub fn plain(&self) -> Result<Value, String> {
        let Value::Held(held) = self else { return Ok(self.clone()) };
        if held.words.is_empty() {
            return Err(format!("`{}` has no value yet", held.symbol.name));
        }
        if pointee(&held.symbol.ty).is_some() {
            return Ok(Value::Int(held.words[0].into()));
        }
        match held.symbol.element {
            Some(scalar)
                if held.symbol.dims.is_empty() && held.words.len() == usize::from(scalar.words()) =>
            {
                Ok(scalar_value(bits(&held.words), scalar))
            }
            _ => Err(format!("`{}` has the type `{}`, which is no number", held.symbol.name, held.symbol.ty)),
        }
    }

    /// It as an integer.
    pub fn integer(&self) -> Result<i128, String> {
        match self.plain()? {
            Value::Int(n) => Ok(n),
            Value::Bool(b) => Ok(b.into()),
            _ => Err("an integer is needed here".to_string()),
        }
    }

    /// It as a float.
    pub fn float(&self) -> Result<f64, String> {
        match self.plain()? {
            Value::Int(n) => Ok(n as f64),
            Value::Float(f) => Ok(f),
            Value::Bool(_) | Value::Held(_) | Value::Text(_) => Err("a number is needed here".to_string()),
        }
    }

    /// Whether it is true.
    pub fn truth(&self) -> Result<bool, String> {
        match self.plain()? {
            Value::Bool(b) => Ok(b),
            Value::Int(n) => Ok(n != 0),
            Value::Float(_) | Value::Held(_) | Value::Text(_) => {
                Err("true or false is needed here".to_string())
            }
        }
    }

    /// It as a tree of text.
    pub fn tree(&self, name: &str, look: &PeLook<'_>) -> Tree {
        match self {
            Value::Int(n) => Tree::leaf(name, n),
            Value::Float(f) => Tree::leaf(name, format!("{f:?}")),
            Value::Bool(b) => Tree::leaf(name, b),
            Value::Text(text) => Tree::leaf(name, text),
            Value::Held(held) => Tree { name: name.to_string(), ..tree(held, look) },
        }
    }
}

/// The number behind bits.
pub fn scalar_value(bits: u64, scalar: Scalar) -> Value {
    match scalar {
        Scalar::Bool => Value::Bool(bits & 1 != 0),
        Scalar::I8 => Value::Int((bits as i8).into()),
        Scalar::U8 => Value::Int((bits as u8).into()),
        Scalar::I16 => Value::Int((bits as i16).into()),
        Scalar::U16 => Value::Int((bits as u16).into()),
        Scalar::I32 => Value::Int((bits as i32).into()),
        Scalar::U32 => Value::Int((bits as u32).into()),
        Scalar::I64 => Value::Int((bits as i64).into()),
        Scalar::U64 => Value::Int(bits.into()),
        Scalar::F16 => Value::Float(half::f16::from_bits(bits as u16).into()),
        Scalar::F32 => Value::Float(f32::from_bits(bits as u32).into()),
    }
}

fn scalar_text(bits: u64, scalar: Scalar) -> String {
    match scalar {
        Scalar::F16 => format!("{:?}", half::f16::from_bits(bits as u16)),
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        _ => match scalar_value(bits, scalar) {
            Value::Int(n) => n.to_string(),
            Value::Bool(b) => b.to_string(),
            Value::Float(_) | Value::Held(_) | Value::Text(_) => String::new(),
        },
    }
}

fn bits(words: &[u16]) -> u64 {
    words.iter().rev().fold(0, |all, word| all << 16 | u64::from(*word))
}

/// What a pointer type points to: a scalar, if it is one, and its size in words; `None` for other types.
pub fn pointee(ty: &str) -> Option<(Option<Scalar>, u16)> {
    let rest = ty.strip_prefix("[*]").or_else(|| ty.strip_prefix('*'))?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest).trim();
    let scalar = [
        Scalar::Bool,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F16,
        Scalar::F32,
    ];
    let scalar = scalar.into_iter().find(|scalar| scalar.word() == rest);
    Some((scalar, scalar.map_or(1, Scalar::words)))
}

/// A variable as a tree of text.
pub fn tree(held: &Held, look: &PeLook<'_>) -> Tree {
    Tree { ty: held.symbol.ty.clone(), ..untyped(held, look) }
}

fn untyped(held: &Held, look: &PeLook<'_>) -> Tree {
    let symbol = &held.symbol;
    let name = match &held.expanded {
        Some(function) => format!("{} ({function})", symbol.name),
        None => symbol.name.clone(),
    };
    if held.words.is_empty() && symbol.words > 0 {
        return Tree::leaf(name, "no value yet");
    }
    if pointee(&symbol.ty).is_some() {
        let addr = held.words.first().copied().unwrap_or(0);
        return Tree::leaf(name, format!("{addr:#06x} ({})", look.name_of(addr)));
    }
    if !symbol.fields.is_empty() {
        return match symbol.dims.is_empty() {
            true => structure(name, &parts(held), look),
            false => structures(name, held, look),
        };
    }
    let Some(scalar) = symbol.element else {
        let words: Vec<String> = held.words.iter().take(IN_TEXT).map(|word| format!("{word:#06x}")).collect();
        let more = if held.words.len() > IN_TEXT { ", .." } else { "" };
        return Tree::leaf(name, format!("{} {{ {}{more} }}", symbol.ty, words.join(", ")));
    };
    let values = symbol.values(&held.words, scalar);
    if symbol.dims.is_empty() {
        let text = values.first().map_or(String::new(), |bits| scalar_text(*bits, scalar));
        return Tree::leaf(name, text);
    }
    let texts: Vec<String> = values.iter().map(|bits| scalar_text(*bits, scalar)).collect();
    array(name, &texts, &symbol.dims)
}

/// The fields of a struct that a variable holds, as variables.
pub fn parts(held: &Held) -> Vec<Held> {
    let part = |field: &Field| {
        let VariableType { text, words, dims, element, fields } = field.ty.clone();
        let from = usize::from(field.at);
        let all = held.words.get(from..from + usize::from(words))?.to_vec();
        let mut symbol = held.symbol.clone();
        symbol.addr = symbol.addr.wrapping_add(field.at);
        symbol.name.clone_from(&field.name);
        (symbol.ty, symbol.words, symbol.dims) = (text, words, dims);
        (symbol.element, symbol.fields) = (element, fields);
        Some(Held { symbol, words: all, in_memory: held.in_memory, expanded: None })
    };
    held.symbol.fields.iter().filter_map(part).collect()
}

fn structure(name: String, parts: &[Held], look: &PeLook<'_>) -> Tree {
    let parts: Vec<Tree> = parts.iter().map(|part| tree(part, look)).collect();
    let texts: Vec<String> =
        parts.iter().take(IN_TEXT).map(|part| format!(".{} = {}", part.name, part.value)).collect();
    let more = if parts.len() > IN_TEXT { ", .." } else { "" };
    Tree::with(name, format!("{{ {}{more} }}", texts.join(", ")), parts)
}

/// An array of structs, as one list.
fn structures(name: String, held: &Held, look: &PeLook<'_>) -> Tree {
    let count = held.symbol.dims.iter().map(|dim| *dim as usize).product::<usize>().max(1);
    let size = (held.words.len() / count).max(1);
    let elements = held.words.chunks(size).enumerate().take(GROUP).map(|(n, words)| {
        let mut element = Held { words: words.to_vec(), ..held.clone() };
        element.symbol.dims = Vec::new();
        structure(format!("[{n}]"), &parts(&element), look)
    });
    Tree::with(name, format!("{count} structs"), elements.collect())
}

fn array(name: String, texts: &[String], dims: &[u32]) -> Tree {
    let more = if texts.len() > IN_TEXT { ", .." } else { "" };
    let value = format!("[{}{more}]", texts[..texts.len().min(IN_TEXT)].join(", "));
    let parts = match dims {
        [len, rest @ ..] if !rest.is_empty() && *len > 0 => {
            let size = (texts.len() / *len as usize).max(1);
            texts.chunks(size).enumerate().map(|(n, part)| array(format!("[{n}]"), part, rest)).collect()
        }
        _ => elements(texts),
    };
    Tree::with(name, value, parts)
}

fn elements(texts: &[String]) -> Vec<Tree> {
    let leaf = |(n, text): (usize, &String)| Tree::leaf(format!("[{n}]"), text);
    if texts.len() <= GROUP {
        return texts.iter().enumerate().map(leaf).collect();
    }
    let groups = texts.chunks(GROUP).enumerate().map(|(n, group)| {
        let first = n * GROUP;
        let parts = group.iter().enumerate().map(|(k, text)| leaf((first + k, text))).collect();
        let name = format!("[{first}..{}]", first + group.len() - 1);
        Tree::with(name, format!("[{}, ..]", group[0]), parts)
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_arrays_are_shown_in_groups() {
        let texts: Vec<String> = (0..250).map(|n| n.to_string()).collect();
        let tree = array("a".to_string(), &texts, &[250]);
        assert_eq!(tree.value, "[0, 1, 2, 3, 4, 5, 6, 7, ..]");
        let groups: Vec<&str> = tree.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(groups, ["[0..99]", "[100..199]", "[200..249]"]);
        assert_eq!(tree.parts[2].parts[49], Tree::leaf("[249]", "249"));
        let square = array("b".to_string(), &texts[..6], &[2, 3]);
        assert_eq!(square.parts[1].value, "[3, 4, 5]");
    }

    #[test]
    fn pointers_are_known_by_their_types() {
        assert_eq!(pointee("[*]f32"), Some((Some(Scalar::F32), 2)));
        assert_eq!(pointee("*const u16"), Some((Some(Scalar::U16), 1)));
        assert_eq!(pointee("*Pair"), Some((None, 1)));
        assert_eq!(pointee("[4]f32"), None);
    }
}
