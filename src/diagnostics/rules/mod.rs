//! The catalogue of rules, one file for each room that raises them.

pub mod check;
pub mod comptime;
pub mod dsd;
pub mod host;
pub mod layout;
pub mod run;
pub mod syntax;
pub mod tasks;

use super::Rule;

/// Every rule, room by room.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [syntax::ALL, comptime::ALL, dsd::ALL, tasks::ALL, layout::ALL, check::ALL, run::ALL, host::ALL]
        .into_iter()
        .flatten()
        .copied()
}

/// The rule with this name.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().find(|r| r.name == name)
}
