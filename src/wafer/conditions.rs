//! What the conditions in front of code that has not run depend on, and what that is now.
//!
//! In: a PE in a run that has stopped, and a place in its code. Out: values in words. Never: says who is to blame.

use super::causes::Cause;
use super::stall::Explainer;
use crate::arch::PeCoord;
use crate::image::{Symbol, TaskKind, TileImage};
use crate::pe::Pe;
use crate::source::Span;

/// More values than this say less than the condition.
const MOST_VALUES: usize = 3;

impl Explainer<'_> {
    /// What decides whether a PE comes to a place, to be added to a sentence that says that it has not. Empty if nothing
    /// is known.
    pub(super) fn deciding_values(&self, pe: usize, place: Span) -> String {
        match self.values_before(pe, place).as_slice() {
            [] => String::new(),
            all => format!(": a condition before it reads {}", all.join(", and ")),
        }
    }

    fn values_before(&self, pe: usize, place: Span) -> Vec<String> {
        let program = self.program();
        let (Some(tile), Some(state)) = (program.tile_at(program.pe_coord(pe)), self.pe_array().get(pe))
        else {
            return Vec::new();
        };
        let sources = &program.sources;
        let shown = tile.deciding_globals(place).into_iter().filter_map(|address| {
            let symbol = tile.symbol_at(address)?;
            let is_own = !sources.file(symbol.span.file).is_library();
            is_own.then(|| value_text(symbol, address, state)).flatten()
        });
        shown.take(MOST_VALUES).collect()
    }

    /// The activation of a task that would come to a place, if it was lost because the task was active already.
    pub(super) fn lost_activation(&self, at: PeCoord, tile: &TileImage, place: Span) -> Option<Cause> {
        let lost = self.findings().lost_activations(at);
        let tasks = tile.tasks_to(place).into_iter().filter(|task| task.kind == TaskKind::Local);
        let (task, span) = tasks.into_iter().find_map(|task| {
            let span = tile.activations(task.id).into_iter().find(|span| lost.contains(span))?;
            Some((task, span))
        })?;
        Some(Cause {
            pe: at,
            span,
            fact: format!(
                "on {at} `{}` (id {}) was already active when this activated it, and has run once for both",
                task.name, task.id
            ),
            also: Some((place, format!("{at} has not reached this call of `unblock_cmd_stream`"))),
            advice:
                "give each operation a task of its own, or let one activate the task and the other unblock it"
                    .to_string(),
        })
    }
}

/// A variable, or an element of an array, and its value.
fn value_text(symbol: &Symbol, address: u16, pe: &Pe) -> Option<String> {
    let scalar = symbol.element?;
    let words = pe.words(address.into(), scalar.words().into())?;
    let bits = words.iter().rev().fold(0u64, |bits, word| bits << 16 | u64::from(*word));
    let behind = address - symbol.addr;
    let name = match (symbol.dims.as_slice(), behind) {
        ([], 0) => symbol.name.clone(),
        ([_], _) if behind.is_multiple_of(scalar.words()) => {
            format!("{}[{}]", symbol.name, behind / scalar.words())
        }
        _ => return None,
    };
    Some(format!("`{name}`, which holds {}", scalar.text(bits)))
}
