//! What is not written, between what is: comptime values, sizes, memory, registers.

use super::hover::size_text;
use super::navigate::file;
use super::state::{Answer, State};
use super::text::moved;
use super::workspace::File;
use crate::{Declaration, DeclarationKind, Extent};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, InlayHintTooltip};
use std::path::Path;

/// Characters of a value that are shown between words.
const MOST: usize = 40;

/// `textDocument/inlayHint`
pub fn hints(state: &State, params: InlayHintParams) -> Answer<Vec<InlayHint>> {
    let (path, file) = file(state, &params.text_document.uri)?;
    let (lo, hi) = (file.text.offset(params.range.start), file.text.offset(params.range.end));
    let is_wanted = |d: &&Declaration| d.whole.0 <= hi && lo <= d.whole.1;
    let mut hints: Vec<(u32, String, String)> = Vec::new();
    for d in file.index.declarations.iter().filter(is_wanted) {
        hints.extend(of_declaration(state, &path, file, d));
    }
    hints.extend(registers(state, &path, file).into_iter().filter(|(at, ..)| (lo..=hi).contains(at)));
    if lo == 0 {
        hints.extend(memory(state, &path, file));
    }
    hints.sort();
    let shown = |(at, label, tooltip): (u32, String, String)| InlayHint {
        position: file.text.position(at),
        label: InlayHintLabel::String(label),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: (!tooltip.is_empty()).then_some(InlayHintTooltip::String(tooltip)),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    Ok(hints.into_iter().map(shown).collect())
}

/// The value behind a constant or a parameter, and the size behind an array.
fn of_declaration(state: &State, path: &Path, file: &File, d: &Declaration) -> Option<(u32, String, String)> {
    let behind = d.init.or(d.ty)?.1;
    let fact = state.fact(path, d.at)?;
    if let Some((elements, words)) = fact.size {
        return Some((behind, size_text(elements, words), String::new()));
    }
    let is_constant = matches!(d.kind, DeclarationKind::Const | DeclarationKind::Param);
    let value = super::hover::value(&fact).filter(|_| is_constant && d.import.is_none())?;
    let written = d.init.map_or("", |init| file.text.slice(init));
    let is_type = fact.ty == "type";
    if written == value || is_type || is_literal(file, d.init) {
        return None;
    }
    let short: String = value.chars().take(MOST).collect();
    let more = if short.len() < value.len() { ".." } else { "" };
    let tooltip = if more.is_empty() { String::new() } else { value };
    Some((behind, format!("= {short}{more}"), tooltip))
}

/// Whether a value is written as one word, whose value everybody sees.
fn is_literal(file: &File, init: Option<Extent>) -> bool {
    let text = init.map_or("", |init| file.text.slice(init));
    text.starts_with(|c: char| c.is_ascii_digit() || c == '"' || c == '\'') && !text.contains(' ')
}

/// The data structure registers of operations.
fn registers(state: &State, path: &Path, file: &File) -> Vec<(u32, String, String)> {
    let all = state.compiled(path, (0, 0)).into_iter().find_map(|found| {
        let program = found.analysis.program.as_ref()?;
        let all = found.analysis.registers.get_or_init(|| (state.services.registers)(program));
        let then = found.analysis.sources.file(found.file).text.clone();
        let here = all.iter().filter(|(span, ..)| span.file == found.file);
        let place = |(span, label, why): &(crate::Span, String, String)| {
            Some((moved(&then, &file.text.text, span.hi)?, label.clone(), why.clone()))
        };
        Some(here.filter_map(place).collect::<Vec<_>>())
    });
    all.unwrap_or_default()
}

/// The memory of the tiles with this code, at the end of the first line.
fn memory(state: &State, path: &Path, file: &File) -> Option<(u32, String, String)> {
    let name = path.to_string_lossy();
    let text = state.program(path, |program| (state.services.memory)(program, &name))?;
    let end = file.text.line_text(0).len() as u32;
    (!text.is_empty()).then(|| (end, text, "memory of the tiles with this code".to_string()))
}
