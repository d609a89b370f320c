//! Checks that no PE has too many filters. A filter where no route leads to the PE is not a mistake: public
//! programs give every router of a row the same one.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::rules::check as rules;
use crate::image::Program;

/// Checks the filters of a program.
pub fn check(program: &Program) -> Option<Diagnostic> {
    let limit = program.arch.numbers().filters;
    let declared = program.routes.declared();
    // Most programs have no filter at all.
    declared.iter().find(|d| d.config.filter.is_some())?;
    let filters = |pe: usize| {
        let ids = program.routes.row(pe).iter().map(|(_, id)| &declared[*id as usize]);
        ids.filter(|d| d.config.filter.is_some()).collect::<Vec<_>>()
    };
    let (pe, all) =
        (0..program.place.len()).map(|pe| (pe, filters(pe))).find(|(_, all)| all.len() > limit.into())?;
    let (here, count) = (program.pe_coord(pe), all.len());
    let mut c = rules::TOO_MANY_FILTERS.because(&[("pe", &here), ("count", &count), ("limit", &limit)]);
    if let Some(span) = all.last().and_then(|d| d.span) {
        c = c.at(span).label("the last one is set here");
    }
    Some(c.help("filter fewer colors on one PE").into())
}
