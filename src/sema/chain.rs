//! Code that exists in several copies: which import or call made the copy that is wrong.

use super::eval::Eval;
use super::lower::{Lower, ParamKind, Signature};
use super::modules::{Modules, VARIANT};
use super::value::{InstanceId, Value};
use crate::diagnostics::{Diag, Label};
use crate::source::Span;
use crate::syntax::ast::FnDecl;

/// How many imports and calls a message names.
const SHOWN: usize = 6;

/// How many callers a message about a call that was evaluated or expanded names.
const SHOWN_CALLERS: usize = 4;

/// How many values an import or a call shows.
const SHOWN_VALUES: usize = 4;

/// A value with a longer text than this is only hinted at.
const LONGEST_VALUE: usize = 40;

/// The name that programs call a function by.
pub fn shown_name(function: &FnDecl) -> &str {
    let name = function.name.name.as_str();
    name.split_once(VARIANT).map_or(name, |(name, _)| name)
}

/// Adds the call from which the function with the mistake was evaluated or expanded.
pub fn called_from(c: Diag, function: &FnDecl, span: Span) -> Diag {
    if c.0.others.len() >= SHOWN_CALLERS || c.rule().is_empty() {
        return c;
    }
    let c = c.at(span);
    if c.0.primary.as_ref().is_some_and(|p| p.span == span) {
        return c;
    }
    c.also(span, format!("in this call of `{}`", shown_name(function)))
}

/// Adds to a diagnostic what made the copy of the code that is being looked at.
pub fn with_chain(eval: &Eval, modules: &Modules, lower: &Lower, c: Diag) -> Diag {
    let c = with_calls(modules, lower, with_expanded(eval, c));
    let writing = lower.writing().map(|f| f.instance);
    match eval.frames().last().map(|frame| frame.instance).or(writing) {
        Some(instance) => with_imports(modules, c, instance),
        None => c,
    }
}

/// Adds the imports that lead to a copy of a module, the innermost first, if the diagnostic is
/// about the file of the module.
pub fn with_imports(modules: &Modules, c: Diag, instance: InstanceId) -> Diag {
    let file = modules.get(instance).unit.file.id;
    if modules.get(instance).importer.is_none() || !is_in(&c, |span| span.file == file) {
        return c;
    }
    let mut labels = Vec::new();
    let mut next = Some(instance);
    while let Some(id) = next {
        let module = modules.get(id);
        let Some(at) = module.imported_at else { break };
        let given = with_values(module.params.iter().map(|(name, v)| (name.as_str(), v)));
        let done = if module.importer.is_some() { "imported" } else { "placed" };
        if done == "imported" || !given.is_empty() {
            let path = module.unit.path.display();
            labels.push(Label { span: at, text: format!("`{path}` is {done} here{given}") });
        }
        next = module.importer;
    }
    with_labels(c, &labels)
}

/// Adds the calls that lead to the generic function being written, if the diagnostic is about it.
fn with_calls(modules: &Modules, lower: &Lower, c: Diag) -> Diag {
    let Some(f) = lower.writing() else { return c };
    let (unit, decl) = modules.function(f);
    let function = unit.function(decl);
    let whole = function.body.as_ref().map_or(function.span, |body| function.span.to(body.span));
    let within = |span: Span| span.file == whole.file && whole.lo <= span.lo && span.hi <= whole.hi;
    if is_in(&c, within) { with_labels(c, lower.calls()) } else { c }
}

/// Adds the calls in place of which the code stands, if the diagnostic is about it.
fn with_expanded(eval: &Eval, c: Diag) -> Diag {
    match eval.frames().last() {
        Some(frame) if is_in(&c, |span| span.file == frame.unit.file.id) => {
            with_labels(c, &expanded_calls(eval).collect::<Vec<_>>())
        }
        _ => c,
    }
}

/// The calls that are expanded in place, the innermost first.
fn expanded_calls(eval: &Eval) -> impl Iterator<Item = Label> {
    let calls = eval.frames().iter().rev().map_while(|frame| frame.expanded.clone());
    calls.map(|(span, name)| Label { span, text: format!("in this call of `{name}`") })
}

/// The calls that lead to a new instance of a generic function, the innermost first.
pub fn calls_to(
    eval: &Eval,
    lower: &Lower,
    function: &FnDecl,
    signature: &Signature,
    at: Span,
) -> Vec<Label> {
    if !signature.generic {
        return Vec::new();
    }
    let known = function.params.iter().zip(&signature.params).filter_map(|(param, kind)| {
        let ParamKind::Known(v) = kind else { return None };
        Some((param.name.as_ref()?.name.as_str(), v))
    });
    let text = format!("in this call of `{}`{}", shown_name(function), with_values(known));
    let outer = if eval.is_comptime() { &[] } else { lower.calls() };
    let own = [Label { span: at, text }];
    own.into_iter().chain(expanded_calls(eval)).chain(outer.iter().cloned()).take(SHOWN).collect()
}

fn is_in(c: &Diag, place: impl FnOnce(Span) -> bool) -> bool {
    c.0.primary.as_ref().is_some_and(|label| place(label.span))
}

fn with_labels(mut c: Diag, labels: &[Label]) -> Diag {
    for label in labels.iter().take(SHOWN) {
        let is_known = c.0.others.iter().any(|other| other.span == label.span);
        if !is_known {
            c = c.also(label.span, label.text.clone());
        }
    }
    c
}

/// ` with n = 3, c = color 4`
fn with_values<'a>(values: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let short = |v: &Value| match v.to_string() {
        text if text.len() <= LONGEST_VALUE => text,
        text if text.starts_with('[') => "[..]".to_string(),
        _ => ".{ .. }".to_string(),
    };
    let values = values.take(SHOWN_VALUES);
    let shown: Vec<String> = values.map(|(name, v)| format!("{name} = {}", short(v))).collect();
    if shown.is_empty() { String::new() } else { format!(" with {}", shown.join(", ")) }
}
