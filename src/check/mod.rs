//! Checks of a compiled program before it runs: routes, queues, ids, filters, arrays.
//!
//! In: a `Program`. Out: diagnostics. Never: runs anything, or takes more than a few steps per PE
//! and color.

mod elements;
mod exports;
mod filters;
mod flow;
mod memory;
mod reserved;
mod routes;
mod tiles;

use crate::diagnostics::Diagnostic;
use crate::image::Program;

/// Diagnostics about failures that are certain, in a fixed order.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut found = tiles::check(program);
    found.extend(reserved::check(program));
    found.extend(filters::check(program));
    found.extend(routes::check(program));
    found.extend(elements::check(program));
    found
}

/// Diagnostics about failures that depend on timing: a run shows whether they happen.
pub fn possible(program: &Program) -> Vec<Diagnostic> {
    exports::possible(program).chain(memory::possible(program)).chain(routes::possible(program)).collect()
}
