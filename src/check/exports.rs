//! Checks for names that the layout advertises but PEs do not export.

use crate::diagnostics::rules::check::EXPORT_MISSING;
use crate::diagnostics::{Diagnostic, counted};
use crate::image::{ExportKind, ExportName, ExportTarget, Program, TileImage};

/// Functions that some PE does not export, and variables that no PE exports. The host may never use
/// them: public programs advertise names that no tile has.
pub fn possible(program: &Program) -> impl Iterator<Item = Diagnostic> {
    program.exports.iter().filter_map(|export| missing(program, export))
}

fn missing(program: &Program, export: &ExportName) -> Option<Diagnostic> {
    let is_function = matches!(export.kind, ExportKind::Fn { .. });
    let has: Vec<bool> = program.tiles.iter().map(|tile| exports(tile, &export.name, is_function)).collect();
    let lacks = |tile: &u32| !has.get(*tile as usize).copied().unwrap_or(false);
    let count = program.place.iter().filter(|tile| lacks(tile)).count();
    if !is_function && count < program.place.len() {
        return None;
    }
    let first = program.pe_coord(program.place.iter().position(lacks)?);
    let c = EXPORT_MISSING.because(&[("name", &export.name), ("pe", &first)]);
    let c = c.at(export.span).label("advertised here");
    Some(match count {
        1 => c.into(),
        n => c.note(format!("the same on {}", counted(n as u64 - 1, "other PE"))).into(),
    })
}

fn exports(tile: &TileImage, name: &str, is_function: bool) -> bool {
    let is_it = |target: ExportTarget| matches!(target, ExportTarget::Fn(_)) == is_function;
    tile.exports.iter().any(|e| e.name == name && is_it(e.target))
}
