//! How types are written: names of predeclared types, and types as text.

use super::{AnonTy, DsdTy, IdKind, Ty};
use crate::value::float::FloatKind;
use smol_str::SmolStr;
use std::fmt;

impl Ty {
    /// Names of the fields, for messages.
    pub fn field_names(&self) -> Vec<&str> {
        match self {
            Ty::Struct(s) | Ty::Union(s) => s.fields.iter().map(|(n, _)| n.as_str()).collect(),
            Ty::Anon(a) => a.names.iter().flatten().map(SmolStr::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The names of predeclared types that a program is likely to mean.
    pub fn predeclared_names() -> Vec<&'static str> {
        let numbers = ["bool", "f16", "f32", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "void"];
        let comptime = ["comptime_int", "comptime_float", "comptime_string", "comptime_struct", "type"];
        let ids = IdKind::NAMES.iter().map(|(_, name)| *name);
        let dsds = DsdTy::NAMES[..5].iter().map(|(_, name)| *name);
        numbers.into_iter().chain(comptime).chain(ids).chain(dsds).collect()
    }

    /// A predeclared type by its name.
    pub fn predeclared(name: &str) -> Option<Ty> {
        Some(match name {
            "void" => Ty::Void,
            "bool" => Ty::Bool,
            "type" => Ty::Type,
            "comptime_int" => Ty::ComptimeInt,
            "comptime_float" => Ty::COMPTIME_FLOAT,
            "comptime_string" => Ty::String,
            "comptime_struct" => Ty::ComptimeStruct,
            "f16" => Ty::F16,
            "f32" => Ty::F32,
            "bf16" => Ty::Float(FloatKind::Bf16),
            "cb16" => Ty::Float(FloatKind::Cb16),
            "range" => Ty::Range,
            "imported_module" => Ty::Module,
            "anyopaque" => Ty::AnyOpaque,
            "noreturn" => Ty::NoReturn,
            _ => return int_name(name).or_else(|| id_name(name)),
        })
    }
}

fn int_name(name: &str) -> Option<Ty> {
    let signed = name.starts_with('i');
    let digits = name.strip_prefix(['i', 'u'])?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || digits.len() > 8 {
        return None;
    }
    let bits: u32 = digits.parse().ok()?;
    // the widest integer type (language section 1)
    (bits <= 16_777_215).then(|| Ty::int(signed, bits))
}

fn id_name(name: &str) -> Option<Ty> {
    let id = IdKind::NAMES.iter().find(|(_, n)| *n == name).map(|(k, _)| Ty::Id(*k));
    id.or_else(|| DsdTy::NAMES[..5].iter().find(|(_, n)| *n == name).map(|(d, _)| Ty::Dsd(*d)))
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Error => f.write_str("(unknown)"),
            Ty::Void => f.write_str("void"),
            Ty::NoReturn => f.write_str("noreturn"),
            Ty::Bool => f.write_str("bool"),
            Ty::Type => f.write_str("type"),
            Ty::ComptimeInt => f.write_str("comptime_int"),
            Ty::String => f.write_str("comptime_string"),
            Ty::ComptimeStruct => f.write_str("comptime_struct"),
            Ty::Int(i) => write!(f, "{}{}", if i.signed { 'i' } else { 'u' }, i.bits),
            Ty::Float(k) => f.write_str(k.name()),
            Ty::Id(k) => f.write_str(k.name()),
            Ty::Range => f.write_str("range"),
            Ty::Module => f.write_str("imported_module"),
            Ty::AnyOpaque => f.write_str("anyopaque"),
            Ty::Dsd(d) => f.write_str(DsdTy::NAMES[*d as usize].1),
            Ty::Ptr(p) => {
                let star = if p.many { "[*]" } else { "*" };
                write!(f, "{star}{}{}", if p.is_const { "const " } else { "" }, p.to)
            }
            Ty::Array(a) => {
                let dims: Vec<_> = a.dims.iter().map(u32::to_string).collect();
                write!(f, "[{}]{}", dims.join(", "), a.elem)
            }
            Ty::Fn(t) => {
                let params: Vec<_> = t
                    .params
                    .iter()
                    .map(|p| p.as_ref().map_or_else(|| "anytype".to_string(), Ty::to_string))
                    .collect();
                write!(f, "{}({}){}", if t.task { "task" } else { "fn" }, params.join(", "), t.ret)
            }
            Ty::Struct(s) if s.name.is_empty() => f.write_str("struct"),
            Ty::Union(s) if s.name.is_empty() => f.write_str("union"),
            Ty::Struct(s) | Ty::Union(s) => f.write_str(&s.name),
            Ty::Enum(e) if e.name.is_empty() => f.write_str("enum"),
            Ty::Enum(e) => f.write_str(&e.name),
            Ty::Anon(a) => write_anon(f, a),
        }
    }
}

fn write_anon(f: &mut fmt::Formatter<'_>, a: &AnonTy) -> fmt::Result {
    let parts: Vec<String> = match &a.names {
        Some(names) => names.iter().zip(&a.types).map(|(n, t)| format!(".{n}: {t}")).collect(),
        None => a.types.iter().map(Ty::to_string).collect(),
    };
    write!(f, ".{{{}}}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_width_have_names() {
        assert_eq!(Ty::predeclared("u16"), Some(Ty::U16));
        assert_eq!(Ty::predeclared("i7"), Some(Ty::int(true, 7)));
        assert_eq!(Ty::predeclared("u16777216"), None);
        assert_eq!(Ty::predeclared("input"), None);
    }
}
