//! What stands under the cursor: types, values, pictures of DSDs, routes of colors, documentation.

use super::navigate::place;
use super::resolve::{Target, declaration, target_at};
use super::state::{Answer, State};
use crate::{DeclarationKind, Extent, Fact, catalogue};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use std::path::Path;

/// Types whose pictures `cslrun dsd` draws.
const DSDS: &[&str] = &["mem1d_dsd", "mem4d_dsd", "circbuf_dsd", "fabin_dsd", "fabout_dsd"];

/// `textDocument/hover`
pub fn hover(state: &State, params: HoverParams) -> Answer<Option<Hover>> {
    let (path, file, offset) = place(state, &params.text_document_position_params)?;
    let Some((target, at)) = target_at(&state.workspace, &path, offset) else {
        return word(state, &path, offset);
    };
    let parts = match &target {
        Target::Builtin(name) => {
            let mut parts = builtin(name).into_iter().collect::<Vec<_>>();
            parts.extend(picture(state, &path, at));
            parts
        }
        Target::File(to) => vec![module(state, to)],
        Target::Export(name) => vec![format!("`{name}` is a name for the host")],
        Target::Declared(to, declared) => name(state, (&path, at), (to, *declared)),
    };
    let value = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    if value.is_empty() {
        return Ok(None);
    }
    Ok(Some(markdown(value, Some(file.text.range(at)))))
}

fn markdown(value: String, range: Option<lsp_types::Range>) -> Hover {
    Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range }
}

/// A word that is not declared anywhere: a predeclared type, or an expression.
fn word(state: &State, path: &Path, offset: u32) -> Answer<Option<Hover>> {
    let Some(file) = state.workspace.file(path) else { return Ok(None) };
    let Some(lexeme) = file.index.lexeme_at(offset).map(|at| file.index.lexemes[at]) else { return Ok(None) };
    let at = (lexeme.lo, lexeme.hi);
    let Some(fact) = state.fact(path, at).or_else(|| state.fact_ending(path, at)) else { return Ok(None) };
    Ok(Some(markdown(code(&typed(file.text.slice(at), &fact)), Some(file.text.range(at)))))
}

fn code(text: &str) -> String {
    format!("```csl\n{text}\n```")
}

/// `text: type = value`
fn typed(text: &str, fact: &Fact) -> String {
    match value(fact) {
        Some(value) => format!("{text}: {} = {value}", fact.ty),
        None => format!("{text}: {}", fact.ty),
    }
}

/// The value, or the different ones that tiles have.
pub fn value(fact: &Fact) -> Option<String> {
    // `color 3` is the number of a color, whose type says so.
    let short = |value: &String| match value.strip_prefix(&fact.ty).and_then(|rest| rest.strip_prefix(' ')) {
        Some(number) => number.to_string(),
        None => value.clone(),
    };
    let values: Vec<String> = fact.values.iter().map(short).collect();
    match values.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(several.join(" or ") + if fact.has_more { " or other values" } else { "" }),
    }
}

/// What the tables say of a builtin.
pub fn builtin(name: &str) -> Option<String> {
    let plain = name.trim_start_matches('@');
    let known = catalogue::builtins().find(|known| known.name() == plain);
    if let Some(known) = known {
        return Some(format!("{}\n\n{}. Allowed {}.", code(known.usage), known.doc, known.phase));
    }
    let operation = catalogue::operations().find(|operation| operation.name == plain)?;
    Some(format!("{}\n\n{}. A DSD operation, allowed in code that runs on a PE.", code(name), operation.doc))
}

/// A file: its name and the comment that it begins with.
fn module(state: &State, path: &Path) -> String {
    let Some(file) = state.workspace.file(path) else { return String::new() };
    let lines = file.text.text.lines().take_while(|line| line.starts_with("//"));
    let comment: Vec<&str> = lines.map(|line| line.trim_start_matches(['/', '!']).trim()).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("`{name}`\n\n{}", comment.join("\n"))
}

/// A name: how it is declared, its type and value here, its comment, and what its value means.
fn name(state: &State, (path, at): (&Path, Extent), (to, declared): (&Path, Extent)) -> Vec<String> {
    let Some((file, d)) = declaration(&state.workspace, to, declared) else { return Vec::new() };
    let declaration = &file.index.declarations[d];
    let mut parts = vec![code(&file.signature(d))];
    if to != path {
        parts.push(format!("in `{}`", to.file_name().unwrap_or_default().to_string_lossy()));
    }
    let fact =
        state.fact(path, at).or_else(|| state.fact_ending(path, at)).or_else(|| state.fact(to, declared));
    let is_code = matches!(declaration.kind, DeclarationKind::Function | DeclarationKind::Task);
    if let Some(fact) = fact.filter(|_| !is_code && declaration.import.is_none()) {
        parts.push(code(&typed(&declaration.name, &fact)));
        if let Some((elements, words)) = fact.size {
            parts.push(size_text(elements, words));
        }
        parts.extend(meaning(state, path, &fact));
        if DSDS.contains(&fact.ty.as_str())
            && let Some(init) = declaration.init
        {
            parts.extend(picture(state, to, init));
        }
    }
    parts.push(file.comment(d));
    parts
}

/// The routes of a color, or what is bound to an id.
fn meaning(state: &State, path: &Path, fact: &Fact) -> Option<String> {
    let (ty, number) = fact.id?;
    let services = state.services;
    let text = state.program(path, |program| match ty {
        "color" => (services.color)(program, number as u8),
        _ => (services.bound)(program, ty, number),
    })?;
    match (ty, text.is_empty()) {
        ("color", true) => Some("no PE routes it".to_string()),
        (_, true) => None,
        (_, false) => Some(text),
    }
}

/// The picture of the DSD that is built by the code at an extent.
fn picture(state: &State, path: &Path, (lo, hi): Extent) -> Option<String> {
    state.compiled(path, (lo, hi)).iter().find_map(|found| {
        let program = found.analysis.program.as_ref()?;
        let pictures = found.analysis.pictures.get_or_init(|| (state.services.pictures)(program));
        let (_, text) = pictures.iter().find(|(span, _)| span.file == found.file && span.lo == found.at.0)?;
        let folder = format!("{}/", path.parent()?.display());
        Some(format!("```text\n{}\n```", text.trim_end().replace(&folder, "")))
    })
}

/// The size of an array, for people.
pub fn size_text(elements: u64, words: u32) -> String {
    let noun = if elements == 1 { "element" } else { "elements" };
    format!("{elements} {noun}, {} bytes", 2 * u64::from(words))
}
