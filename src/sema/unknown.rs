//! The diagnostic about a name that is not declared.

use super::advice::elsewhere;
use super::builtins;
use super::eval::EvalFrame;
use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, suggest};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::syntax::foreign;
use crate::value::ty::Ty;

/// The diagnostic about a name that is not declared.
pub fn unknown_name(frame: &EvalFrame, name: &Name, span: Span) -> Diag {
    let diag = rules::UNKNOWN_NAME.because(&[("name", name)]).at(span);
    if let Some(builtin) = builtin_named(name) {
        return diag.did_you_mean(name, &format!("@{builtin}"), format!("@{builtin}"));
    }
    let globals = frame.unit.names.keys().map(|n| n.as_str());
    let mut known: Vec<&str> = frame.local_names().chain(globals).collect();
    known.extend_from_slice(&Ty::predeclared_names());
    known.extend(crate::arch::Direction::ALL.into_iter().map(|direction| direction.name()));
    known.extend(foreign::VALUE_WORDS);
    known.sort_unstable();
    if let Some(same) = suggest::other_style(name, known.iter().copied()) {
        return diag.did_you_mean(name, same, same);
    }
    if let Some(ty) = foreign::type_of_csl(name) {
        let diag = diag.did_you_mean(name, ty, ty);
        let is_wide = matches!(name.as_str(), "f64" | "double" | "float64" | "Double");
        return if is_wide { diag.note("no PE has floats of 64 bits") } else { diag };
    }
    if matches!(name.as_str(), "UP" | "DOWN" | "LEFT" | "RIGHT" | "NONE" | "LOCAL" | "CORE") {
        return diag.help("the directions are NORTH, SOUTH, EAST, WEST and RAMP, the PE itself");
    }
    if let Some(help) = elsewhere(frame, name) {
        return diag.help(help);
    }
    match suggest::nearest(name, known) {
        Some(near) => diag.did_you_mean(name, near, near),
        None => diag,
    }
}

/// What is meant by a name that is not declared, if the text around it tells: `_`, and the file name of an import.
pub fn meant_between(name: &str, (before, after): (&str, &str)) -> Option<String> {
    let (before, next) = (before.trim_end(), after.trim_start());
    if name == "_" && before.ends_with('[') {
        return Some("write the number of elements, as in `[3]T`".to_string());
    }
    if name == "_" && next.starts_with("=>") {
        return Some("write the last case of a `switch` as `else => ..`".to_string());
    }
    if name == "_" && next.starts_with('=') {
        return Some("remove `_ =`: a call may stand alone, also if it has a value".to_string());
    }
    let is_file = after.starts_with(".csl") && before.ends_with(['(', ',']);
    is_file.then(|| format!("write the name of the file as a string: `\"{name}.csl\"`"))
}

/// The builtin that a name without `@` stands for, perhaps in another style.
fn builtin_named(name: &str) -> Option<&'static str> {
    let exact = builtins::names().find(|builtin| *builtin == name);
    let is_long = name.len() > 5;
    exact.or_else(|| suggest::other_style(name, builtins::names()).filter(|_| is_long))
}
