//! Values of variables, as numbers and as trees of text.

use super::parts::{bits, element, fields, pointee, target, targets};
use crate::{Inside, PeView, Scalar, Symbol, Tree, VariableValue};

/// More elements than this are shown in groups.
const GROUP: usize = 100;
/// Elements in the text of an array.
const IN_TEXT: usize = 8;
/// What pointers behind pointers point to is shown so many times.
const MOST_POINTERS: usize = 2;

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
    VariableValue(VariableValue),
    /// Something that was known before the run, as text.
    Text(String),
}

impl Value {
    /// The number that a variable holds; other values as they are.
    pub fn plain(&self) -> Result<Value, String> {
        let Value::VariableValue(held) = self else { return Ok(self.clone()) };
        if held.words.is_empty() {
            return Err(format!("`{}` has no value yet", held.symbol.name));
        }
        if pointee(&held.symbol).is_some() {
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

    /// A number or bool as CSL writes it.
    pub fn number(&self) -> Option<String> {
        match self {
            Value::Int(n) => Some(n.to_string()),
            Value::Float(x) => Some(x.to_string()),
            Value::Bool(b) => Some(b.to_string()),
            Value::VariableValue(_) | Value::Text(_) => None,
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
            Value::Bool(_) | Value::VariableValue(_) | Value::Text(_) => {
                Err("a number is needed here".to_string())
            }
        }
    }

    /// Whether it is true.
    pub fn truth(&self) -> Result<bool, String> {
        match self.plain()? {
            Value::Bool(b) => Ok(b),
            Value::Int(n) => Ok(n != 0),
            Value::Float(_) | Value::VariableValue(_) | Value::Text(_) => {
                Err("true or false is needed here".to_string())
            }
        }
    }

    /// It as a tree of text.
    pub fn tree(&self, name: &str, view: &PeView<'_>) -> Tree {
        match self {
            Value::Int(n) => Tree::leaf(name, n),
            Value::Float(f) => Tree::leaf(name, format!("{f:?}")),
            Value::Bool(b) => Tree::leaf(name, b),
            Value::Text(text) => Tree::leaf(name, text),
            Value::VariableValue(held) => Tree { name: name.to_string(), ..tree(held, view) },
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
        Scalar::F16 | Scalar::Bf16 | Scalar::Cb16 | Scalar::F32 => {
            Value::Float(scalar.float_value(bits).unwrap_or_default())
        }
    }
}

/// A number of a variable; of an enum the member, if it is one.
fn number_text(bits: u64, scalar: Scalar, symbol: &Symbol) -> String {
    let member = match (&symbol.inside, scalar_value(bits, scalar)) {
        (Inside::Enum(members), Value::Int(n)) => members.iter().find(|(_, value)| *value == n),
        _ => None,
    };
    member.map_or_else(|| scalar.text(bits), |(name, _)| format!(".{name}"))
}

/// A variable as a tree of text.
pub fn tree(held: &VariableValue, view: &PeView<'_>) -> Tree {
    tree_behind(held, view, 0)
}

/// A variable that is behind so many pointers, as a tree of text.
fn tree_behind(held: &VariableValue, view: &PeView<'_>, pointers: usize) -> Tree {
    Tree { ty: held.symbol.ty.clone(), ..untyped(held, view, pointers) }
}

fn untyped(held: &VariableValue, view: &PeView<'_>, pointers: usize) -> Tree {
    let symbol = &held.symbol;
    let name = match &held.expanded {
        Some(function) => format!("{} ({function})", symbol.name),
        None => symbol.name.clone(),
    };
    if held.words.is_empty() && symbol.words > 0 {
        return Tree::leaf(name, "no value yet");
    }
    let is_bytes = symbol.element.is_some_and(|scalar| symbol.is_bytes(scalar));
    match &symbol.inside {
        Inside::Nothing | Inside::Enum(_) => numbers(name, held),
        Inside::Struct(fields) if fields.is_empty() => numbers(name, held),
        _ if is_bytes => numbers(name, held),
        _ if !symbol.dims.is_empty() => aggregates(name, held, view, pointers),
        Inside::Pointer { .. } => pointer(name, held, view, pointers),
        Inside::Struct(_) | Inside::Packed(_) | Inside::Union { .. } => structure(name, held, view, pointers),
    }
}

/// Numbers, or words of which no more is known.
fn numbers(name: String, held: &VariableValue) -> Tree {
    let symbol = &held.symbol;
    let Some(scalar) = symbol.element else {
        let words: Vec<String> = held.words.iter().take(IN_TEXT).map(|word| format!("{word:#06x}")).collect();
        let more = if held.words.len() > IN_TEXT { ", .." } else { "" };
        return Tree::leaf(name, format!("{} {{ {}{more} }}", symbol.ty, words.join(", ")));
    };
    let values = symbol.values(&held.words, scalar);
    if symbol.dims.is_empty() {
        let text = values.first().map_or(String::new(), |bits| number_text(*bits, scalar, symbol));
        return Tree::leaf(name, text);
    }
    let texts: Vec<String> = values.iter().map(|bits| number_text(*bits, scalar, symbol)).collect();
    array(name, &texts, &symbol.dims)
}

/// A pointer, and what it points to.
fn pointer(name: String, held: &VariableValue, view: &PeView<'_>, pointers: usize) -> Tree {
    let addr = held.words.first().copied().unwrap_or(0);
    let most = [GROUP, IN_TEXT].get(pointers).copied().unwrap_or(0).min(targets(held, view));
    let is_one = pointee(&held.symbol).is_some_and(|(_, many)| !many);
    let part = |n: usize| {
        let target = target(held, n as i128, view).ok()?;
        let name = if is_one { "*".to_string() } else { format!("[{n}]") };
        Some(Tree { name, ..tree_behind(&target, view, pointers + 1) })
    };
    let parts = (0..most).filter(|_| pointers < MOST_POINTERS).map_while(part).collect();
    Tree::with(name, format!("{addr:#06x} ({})", view.name_of(addr)), parts)
}

/// A struct with its fields, or a union with its variants.
fn structure(name: String, held: &VariableValue, view: &PeView<'_>, pointers: usize) -> Tree {
    let parts: Vec<Tree> = fields(held).iter().map(|part| tree_behind(part, view, pointers)).collect();
    if parts.is_empty() {
        return Tree::leaf(name, "no variant has been written");
    }
    let texts: Vec<String> =
        parts.iter().take(IN_TEXT).map(|part| format!(".{} = {}", part.name, part.value)).collect();
    let more = if parts.len() > IN_TEXT { ", .." } else { "" };
    Tree::with(name, format!("{{ {}{more} }}", texts.join(", ")), parts)
}

/// An array of something that has parts.
fn aggregates(name: String, held: &VariableValue, view: &PeView<'_>, pointers: usize) -> Tree {
    let part = |n: usize| {
        let part = element(held, n)?;
        Some(Tree { name: format!("[{n}]"), ..tree_behind(&part, view, pointers) })
    };
    let parts: Vec<Tree> = (0..GROUP).map_while(part).collect();
    let count: usize = held.symbol.dims.iter().map(|dim| *dim as usize).product();
    let kind = match &held.symbol.inside {
        Inside::Pointer { .. } => "pointers",
        Inside::Union { .. } => "unions",
        Inside::Nothing | Inside::Enum(_) | Inside::Struct(_) | Inside::Packed(_) => "structs",
    };
    Tree::with(name, format!("{count} {kind}"), parts)
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
}
