//! Text that PEs have printed and that nobody sees, because its line has not ended.

use super::pe_array::PeArray;
use crate::diagnostics::rules::run::UNPRINTED_TEXT;
use crate::diagnostics::{Diagnostic, Levels, Moment};
use crate::source::Span;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Text of incomplete lines that was printed up to a cycle, one warning for each place in the program.
pub(super) fn unprinted_text(pe_array: &PeArray, last: u64, levels: &Levels) -> Vec<Diagnostic> {
    let sources = &pe_array.program().sources;
    let mut warnings: IndexMap<Option<Span>, Diagnostic, FxBuildHasher> = IndexMap::default();
    for (_, at, pe) in pe_array.made() {
        let Some((text, cycle, calls)) = pe.unprinted_text().filter(|(_, cycle, _)| *cycle <= last) else {
            continue;
        };
        let place = sources.outside_library(calls).or(calls.first().copied());
        let new = || {
            let mut diag = UNPRINTED_TEXT.because(&[("text", &text.escape_debug())]);
            if let Some(place) = place {
                diag = diag.at(place);
            }
            Diagnostic::from(diag.on(Moment { x: at.x, y: at.y, cycle }))
        };
        warnings.entry(place).and_modify(|first| first.also_on += 1).or_insert_with(new);
    }
    warnings.into_values().filter_map(|warning| levels.judge(warning)).collect()
}
