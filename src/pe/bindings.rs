//! What a task begins with: the row of the task table that it has, and the arguments out of a wavelet.

use crate::arch::TaskId;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{CONTROL_TASK_UNBOUND, TASK_UNBOUND};
use crate::image::{Scalar, TaskBinding, TaskKind, TileImage};

/// How many tasks of other ids a message names.
const MOST_SHOWN: usize = 4;

/// The binding of a task that may run.
pub(super) fn binding(tile: &TileImage, kind: TaskKind, id: TaskId) -> Result<&TaskBinding, Diag> {
    tile.tasks.iter().find(|t| t.kind == kind && t.id == id).ok_or_else(|| match kind {
        TaskKind::Control => control_task_unbound(tile, id),
        TaskKind::Local | TaskKind::Data => TASK_UNBOUND.because(&[("id", &id)]).for_good(),
    })
}

/// The diagnostic about an id without a control task names the one task that nothing binds, or those of other ids.
fn control_task_unbound(tile: &TileImage, id: TaskId) -> Diag {
    let diag = CONTROL_TASK_UNBOUND.because(&[("id", &id)]);
    match tile.unbound.as_slice() {
        [task] => diag.also(task.span, task.fact()).help(format!(
            "write in a comptime block: `@bind_control_task({}, @get_control_task_id({id}))`",
            task.name
        )),
        _ => {
            let others = tile.tasks.iter().filter(|task| task.kind == TaskKind::Control);
            others.take(MOST_SHOWN).fold(diag, |diag, task| {
                diag.also(task.span, format!("`{}` is bound to control task id {}", task.name, task.id))
            })
        }
    }
}

/// What follows the activation of an id. The diagnostic about an id without a task names the task whose binding was
/// forgotten.
pub(super) fn activated(tile: &TileImage, result: Result<(), Diag>, id: TaskId) -> Result<(), Diag> {
    match result {
        // An official example of SDK 0.6 ends with the activation of a color that has no task.
        Err(diag) if tile.has_old_tasks && diag.rule() == TASK_UNBOUND.name => Ok(()),
        _ => result.map_err(|diag| match tile.forgotten_task(true) {
            Some(task) => diag.also(task.span, task.fact()).help(task.local_binding(id)),
            None => diag,
        }),
    }
}

/// The arguments of a data or control task: the whole word, or its low and high half.
pub(super) fn arguments(params: &[Scalar], word: u32) -> [u64; 2] {
    let half = |ty: Scalar, bits: u32| match ty {
        Scalar::I16 => bits as i16 as u64,
        Scalar::I32 => bits as i32 as u64,
        Scalar::U32 | Scalar::F32 => u64::from(bits),
        _ => u64::from(bits as u16),
    };
    [params.first().map_or(0, |ty| half(*ty, word)), params.get(1).map_or(0, |ty| half(*ty, word >> 16))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_split_into_arguments() {
        assert_eq!(arguments(&[Scalar::F32], 0xffff_0001), [0xffff_0001, 0]);
        assert_eq!(arguments(&[Scalar::I16, Scalar::U16], 0xffff_8001), [0x8001u16 as i16 as u64, 0xffff]);
    }
}
