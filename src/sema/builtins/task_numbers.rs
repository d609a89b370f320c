//! Numbers of tasks that are used as colors.

use crate::arch::NO_COLOR;
use crate::diagnostics::rules::tasks as rules;
use crate::diagnostics::{Diag, Result};
use crate::sema::chain;
use crate::sema::deferred_colors::{DeferredColor, DeferredColors};
use crate::sema::walk::Sema;
use crate::source::Span;

/// The number of a task is used as a color. Whether that is an error is known when the whole program is.
///
/// # Errors
/// The diagnostic itself if its level is `deny` while diagnostics are captured or suppressed.
pub(super) fn refuse_color(sema: &mut Sema<'_>, number: u16, at: Span, diag: Diag) -> Result<()> {
    match sema.reports.weigh(diag) {
        Ok(None) => {}
        Ok(Some(warning)) => sema.report(warning),
        Err(diag) if !sema.reports.shows() => return Err(diag),
        Err(diag) => {
            sema.note_effect();
            let diag = chain::with_chain(&sema.eval, &sema.modules, &sema.lower, diag);
            sema.deferred_colors.keep(DeferredColor { number, at, diag });
        }
    }
    Ok(())
}

/// Reports numbers of tasks that are used as colors: as old syntax in a program that binds tasks to colors, and as errors in
/// others.
pub fn report_deferred_colors(sema: &mut Sema<'_>) {
    let DeferredColors { kept, has_old_tasks } = std::mem::take(&mut sema.deferred_colors);
    for DeferredColor { number, at, diag } in kept {
        let new = new_form(number);
        let form = format!("`@get_color({number})` for a task");
        let old = || rules::OLD_TASK_ID.because(&[("form", &form)]).at(at).help(format!("write `{new}`"));
        let told = if has_old_tasks { sema.lint(old()) } else { Err(diag) };
        told.err().into_iter().for_each(|diag| sema.report(diag));
    }
}

/// The id of the task with a number.
pub(super) fn new_form(number: u16) -> String {
    let kind = if number < NO_COLOR { "local" } else { "control" };
    format!("@get_{kind}_task_id({number})")
}
