//! What cslrun knows, as tables: rules, builtins, DSD operations and the embedded library.
//!
//! In: nothing. Out: names and descriptions, for documentation and tools.
//! Never: compiles or runs anything.

use crate::dsd::ops;
use crate::value::ty::Ty;
use crate::{diagnostics, sema, stdlib};

pub use crate::diagnostics::{Lint, Rule, lints};

/// A builtin of the language, such as `@get_dsd`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ListedBuiltin {
    /// How it is called.
    pub usage: &'static str,
    /// Where a call may stand, in words.
    pub phase: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
}

impl ListedBuiltin {
    /// The name without `@`.
    pub fn name(&self) -> &'static str {
        let usage = self.usage.trim_start_matches('@');
        usage.split('(').next().unwrap_or(usage)
    }
}

/// A DSD operation, such as `@fadds`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DsdOperation {
    /// The name without `@`.
    pub name: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// Every rule that cslrun enforces.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    diagnostics::rules::all()
}

/// Rules about the text of a program: whether it can be parsed.
pub fn syntax_rules() -> &'static [&'static Rule] {
    diagnostics::rules::syntax::ALL
}

/// The page of a rule, in Markdown.
pub fn page(rule: &Rule) -> Option<&'static str> {
    diagnostics::rules::page(rule)
}

/// Rules that are checked on the whole program before it runs.
pub fn rules_before_a_run() -> &'static [&'static Rule] {
    diagnostics::rules::check::ALL
}

/// Every builtin that a program may call, in alphabetical order, without the DSD operations.
pub fn builtins() -> impl Iterator<Item = ListedBuiltin> {
    let known = sema::builtins::all().iter().filter(|builtin| !builtin.is_internal());
    known.map(|known| ListedBuiltin { usage: known.usage, phase: known.phase.words(), doc: known.doc })
}

/// The fields that stand in a struct given to a builtin. `first` is its first argument as written, and `path` the fields
/// around the struct, outermost first.
pub fn settings(builtin: &str, first: &str, path: &[&str]) -> Vec<&'static str> {
    sema::builtins::settings(builtin, first, path)
}

/// The predeclared types.
pub fn types() -> Vec<&'static str> {
    Ty::predeclared_names()
}

/// Every DSD operation.
pub fn operations() -> impl Iterator<Item = DsdOperation> {
    ops::operations().iter().map(|op| DsdOperation { name: op.name, doc: op.doc })
}

/// The modules of the embedded library with their CSL source, in alphabetical order; names stand without
/// `<` and `>`.
pub fn modules() -> impl Iterator<Item = (&'static str, &'static str)> {
    stdlib::names().filter_map(|name| Some((name, stdlib::find(name)?)))
}

/// Modules of the SDK that cslrun does not have.
pub fn missing_modules() -> impl Iterator<Item = &'static str> {
    stdlib::missing()
}
