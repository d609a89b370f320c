//! Filters that filter nothing, and more filters than a PE has.

use crate::arch::Direction;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::rules::check as rules;
use crate::image::Program;
use crate::image::routes::ColorConfig;

/// Checks the filters of a program.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for declared in program.routes.declared() {
        let Some(span) = declared.span else { continue };
        if declared.config.filter.is_some() && !reaches_ramp(&declared.config) {
            let c = rules::FILTER_WITHOUT_RAMP.plain().at(span).label("`.tx` never names RAMP");
            found.push(c.help("a filter keeps wavelets from the PE: leave it out here").into());
        }
    }
    found.extend(too_many(program));
    found
}

fn reaches_ramp(config: &ColorConfig) -> bool {
    let positions = config.switches.iter().flat_map(|s| s.positions.iter().flatten());
    let mut later = positions.filter_map(|p| p.tx);
    config.tx.contains(Direction::Ramp) || later.any(|tx| tx.contains(Direction::Ramp))
}

fn too_many(program: &Program) -> Option<Diagnostic> {
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
