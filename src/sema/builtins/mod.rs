//! Builtins: what the catalogue says of each, and what a call of it does.
//!
//! In: a name and its arguments. Out: a value or a place, and what the tile or its code gains.
//! Never: knows a builtin by its name; an entry says all that differs, in a file for each topic.

mod arguments;
mod arrays;
mod checks;
mod choices;
mod colors;
mod completions;
mod config;
mod conversions;
mod dsd_edits;
mod dsds;
pub(super) mod dsr_loads;
mod dsrs;
mod entry;
mod fabric_dsds;
mod fifo_registers;
mod fifos;
mod filters;
mod handlers;
mod hazards;
mod host;
mod ids;
mod imports;
mod intrinsics;
mod library;
mod old_tasks;
mod operand_lints;
mod operands;
mod properties;
mod queues;
mod settings;
mod strings;
mod structs;
mod task_numbers;
mod tasks;
mod unknown;
mod vectors;

pub(super) use conversions::type_of;
pub use entry::{Builtin, Phase};
pub(super) use ids::known_id;
pub(super) use old_tasks::tasks_of_old_colors;
pub use settings::settings;
pub(super) use task_numbers::report_deferred_colors;

use super::eval::{ExprValue, Return};
use super::value::Value;
use super::walk::Sema;
use crate::diagnostics::Result;
use crate::diagnostics::rules::comptime::{self, REPORTED};
use crate::dsd::ops;
use crate::sema::eval::Eval;
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Ident, VarDecl};
use entry::{Call, Run, wrong_phase};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The entries of all topics.
const TOPICS: &[&[Builtin]] = &[
    arrays::BUILTINS,
    checks::BUILTINS,
    config::BUILTINS,
    conversions::BUILTINS,
    dsd_edits::BUILTINS,
    dsds::BUILTINS,
    dsr_loads::BUILTINS,
    dsrs::BUILTINS,
    fifos::BUILTINS,
    filters::BUILTINS,
    handlers::BUILTINS,
    host::BUILTINS,
    ids::BUILTINS,
    imports::BUILTINS,
    intrinsics::BUILTINS,
    library::BUILTINS,
    old_tasks::BUILTINS,
    queues::BUILTINS,
    strings::BUILTINS,
    structs::BUILTINS,
    tasks::BUILTINS,
    vectors::BUILTINS,
];

/// Every builtin, in alphabetical order; those of the embedded library last. The DSD operations are rows
/// of `dsd::ops` and are not repeated here.
pub fn all() -> &'static [Builtin] {
    static ALL: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
        let mut all: Vec<_> =
            TOPICS.iter().copied().flatten().cloned().chain(intrinsics::builtins()).collect();
        all.sort_by_key(|b| (b.is_internal(), b.name));
        all
    });
    &ALL
}

/// The entry of a name without `@`.
pub(super) fn lookup(name: &str) -> Option<&'static Builtin> {
    static BY_NAME: LazyLock<FxHashMap<&str, &Builtin>> =
        LazyLock::new(|| all().iter().map(|b| (b.name, b)).collect());
    BY_NAME.get(name).copied()
}

/// All names that a program may use, without `@`: builtins and DSD operations.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let builtins = all().iter().filter(|b| !b.is_internal()).map(|b| b.name);
    builtins.chain(ops::operations().iter().map(|op| op.name))
}

/// Whether a builtin does nothing but compute its value.
pub(super) fn only_computes(name: &str) -> bool {
    let gives_dsd = dsd_edits::BUILTINS.iter().any(|builtin| builtin.name == name);
    gives_dsd || lookup(name).is_some_and(|entry| entry.is_pure)
}

/// Resolves what builtins could not know before everything was bound, and checks what depends on all of it.
pub(super) fn finish(sema: &mut Sema<'_>) {
    handlers::finish_tasks(sema);
    fifos::finish_fifo_tasks(sema);
    completions::finish_load_tasks(sema);
    tasks::finish_ids(sema);
    dsr_loads::check_loaded_queues(sema);
    dsr_loads::check_ignored_settings(sema);
}

/// Whether the last argument is a string that does not end, and that has swallowed the others.
fn ends_open(sema: &Sema<'_>, args: &[ExprId]) -> bool {
    let Some(last) = args.last() else { return false };
    let text = sema.files.text(sema.span(*last));
    matches!(sema.unit().file.expr(*last).kind, ExprKind::Str(_)) && (text.len() < 2 || !text.ends_with('"'))
}

/// `@name(args)`
pub fn builtin(sema: &mut Sema<'_>, name: &Ident, args: &[ExprId], span: Span) -> Result<ExprValue> {
    let call = Call { args, span };
    if let Some(row) = ops::lookup(&name.name) {
        sema.note_effect();
        if !is_in(sema, Phase::Code) {
            return Err(wrong_phase(&name.name, Phase::Code).at(span));
        }
        return vectors::vector_op(sema, row, call).map(ExprValue::Value);
    }
    let Some(entry) = lookup(&name.name).filter(|entry| may_name(&sema.eval, entry)) else {
        sema.note_effect();
        let known: Vec<&str> = names().collect();
        return Err(unknown::unknown_builtin(sema, name, args, &known));
    };
    if !entry.is_pure {
        sema.note_effect();
    }
    entry.check_count(call).map_err(|diag| if ends_open(sema, args) { REPORTED.plain() } else { diag })?;
    if !is_in(sema, entry.phase) {
        let Some(function) = sema.unit().function_at(span).filter(|_| entry.is_internal()) else {
            return Err(entry.wrong_phase().at(span));
        };
        let facts: [(&str, &dyn std::fmt::Display); 2] =
            [("name", &function), ("where", &entry.phase.words())];
        return Err(comptime::WRONG_PHASE.because(&facts).at(span));
    }
    match entry.run {
        Run::Known(run) => run(sema, call).map(ExprValue::known),
        Run::Operand(run) => run(sema, call).map(ExprValue::Value),
        Run::Place(run) => run(sema, call),
        Run::Intrinsic(row) => intrinsics::ask(sema, row, call).map(ExprValue::Value),
        Run::Global(_) => Err(entry.wrong_phase().at(span)),
    }
}

/// The value of a global constant that is nothing but a call of a builtin for such values.
pub fn global_builtin(
    sema: &mut Sema<'_>,
    name: &str,
    args: &[ExprId],
    span: Span,
    decl: &VarDecl,
) -> Option<Result<Value>> {
    let entry = lookup(name)?;
    let Run::Global(run) = entry.run else { return None };
    let call = Call { args, span };
    Some(entry.check_count(call).and_then(|()| run(sema, call, decl)))
}

fn may_name(eval: &Eval, entry: &Builtin) -> bool {
    !entry.is_internal() || eval.frame().unit.library
}

/// Whether what is evaluated stands where such builtins may stand.
fn is_in(sema: &Sema<'_>, phase: Phase) -> bool {
    let comptime = sema.is_comptime();
    let in_block = sema.eval.is_in_block();
    match phase {
        Phase::Layout => comptime && sema.layout.is_running(),
        Phase::Block => in_block,
        Phase::BlockOrCode => !comptime || in_block,
        Phase::Code => !comptime,
        Phase::Anywhere => true,
        Phase::Global => comptime && matches!(sema.frame().ret, Return::Forbidden),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_listed_twice() {
        let mut all: Vec<_> =
            names().chain(all().iter().map(|b| b.name).filter(|n| n.starts_with("__"))).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn the_usage_of_a_builtin_begins_with_its_name() {
        for entry in all() {
            assert!(entry.usage.starts_with(&format!("@{}(", entry.name)), "{}", entry.name);
        }
    }
}
