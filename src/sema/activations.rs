//! Ids that a finished tile activates, but that have no local task.
//!
//! In: the image of a tile. Out: diagnostics. Never: tells of an id twice, or of one that its operation has told of.

use super::walk::Sema;
use crate::arch::TaskId;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run;
use crate::image::code::{AsyncConfig, Completion, IdArg, Op};
use crate::image::{TaskKind, TileImage};
use crate::source::Span;

/// Reports the ids of a tile that are activated and not bound.
pub fn check(sema: &mut Sema<'_>, image: &TileImage) {
    for diag in unbound(image, sema.lower.tile.warned) {
        if let Err(diag) = sema.lint(diag) {
            sema.report(diag);
        }
    }
}

/// Loads before the start come first: they happen in every run. `told` has the bits of ids that are known to be unbound.
fn unbound(image: &TileImage, mut told: u64) -> Vec<Diag> {
    let is_bound = |id: TaskId| image.tasks.iter().any(|t| t.id == id && t.kind == TaskKind::Local);
    let mut unbound = move |(id, span): (TaskId, Span)| {
        if is_bound(id) || told & 1 << id.0 != 0 {
            return None;
        }
        // One forgotten binding is one mistake.
        told |= 1 << id.0;
        let diag = run::TASK_UNBOUND.because(&[("id", &id)]).at(span);
        Some(match image.forgotten_task(true) {
            Some(task) => diag.also(task.span, task.fact()).help(task.local_binding(id)),
            None => diag,
        })
    };
    let in_code = image.functions.iter().flat_map(|f| {
        let ops = f.code.iter().enumerate();
        ops.filter_map(move |(pc, op)| match op {
            Op::Activate { a } => Some((TaskId(f.constant(*a)? as u8), f.spans.get(pc).copied()?)),
            _ => None,
        })
    });
    let loads = image.initial_dsrs.iter().map(|n| &image.dsr_loads[*n as usize]);
    let loaded = loads.filter_map(|load| Some((activated(&load.config)?, load.span)));
    let found: Vec<Diag> = loaded.filter_map(&mut unbound).map(Diag::for_good).collect();
    found.into_iter().chain(in_code.filter_map(unbound)).collect()
}

fn activated(config: &AsyncConfig) -> Option<TaskId> {
    match config.completion {
        Completion::Activate(IdArg::Known(id)) => Some(id),
        Completion::Activate(IdArg::In(_)) | Completion::Unblock(_) | Completion::Nothing => None,
    }
}
