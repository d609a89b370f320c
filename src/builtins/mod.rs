//! The catalogue of `@names`: arity, phase and meaning of each in one entry.
//!
//! In: a name. Out: its entry. Never: evaluates anything; `sema` gives the entries their effect.
//! The DSD operations are rows of `dsd::ops` and are not repeated here.

mod table;

pub use table::ALL;

use crate::dsd::ops;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Where a builtin may stand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// In the layout block and what it calls.
    Layout,
    /// In a top-level comptime block and what it calls.
    Block,
    /// In a top-level comptime block, or in code.
    BlockOrCode,
    /// In code only.
    Code,
    /// Wherever comptime values are computed, code included.
    Anywhere,
    /// As the initial value of a global constant.
    Global,
}

impl Phase {
    /// The phase in words, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Phase::Layout => "in the layout block",
            Phase::Block => "in a top-level comptime block",
            Phase::BlockOrCode => "in a top-level comptime block or in code that runs on a PE",
            Phase::Code => "in code that runs on a PE",
            Phase::Anywhere => "anywhere",
            Phase::Global => "as the initial value of a global constant",
        }
    }
}

/// One entry.
#[derive(Copy, Clone, Debug)]
pub struct Builtin {
    /// The name without `@`.
    pub name: &'static str,
    /// Fewest arguments.
    pub min: usize,
    /// Most arguments.
    pub max: usize,
    /// Where it may stand.
    pub phase: Phase,
    /// How it is called.
    pub usage: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// The entry of a name (without `@`).
pub fn lookup(name: &str) -> Option<&'static Builtin> {
    static BY_NAME: LazyLock<FxHashMap<&str, &Builtin>> =
        LazyLock::new(|| ALL.iter().map(|b| (b.name, b)).collect());
    BY_NAME.get(name).copied()
}

/// All names that a program may use, without `@`: builtins and DSD operations.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|b| b.name).chain(ops::OPS.iter().map(|op| op.name)).filter(|n| !n.starts_with("__"))
}

/// What replaced a builtin that is gone.
pub fn successor(name: &str) -> Option<&'static str> {
    Some(match name {
        "concat_struct" => "use `@concat_structs`",
        "export" => "use the `export` keyword",
        "mov" | "move" => "use `@mov16` or `@mov32`, or `@fmovh` or `@fmovs` for floats",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_listed_twice() {
        let mut all: Vec<_> = names().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
