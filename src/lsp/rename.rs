//! A name is given another one, wherever it stands.

use super::navigate::place;
use super::resolve::{Target, declaration, occurrences, target_at};
use super::state::{Answer, Refusal, State};
use super::text::uri_of;
use crate::{Extent, KEYWORDS, catalogue};
use lsp_types::{
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// `textDocument/prepareRename`
pub fn prepare(state: &State, params: TextDocumentPositionParams) -> Answer<Option<PrepareRenameResponse>> {
    let (path, file, offset) = place(state, &params)?;
    let (_, at) = renamed(state, &path, offset)?;
    let placeholder = file.text.slice(at).trim_matches('"').to_string();
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: file.text.range(within(file.text.slice(at), at)),
        placeholder,
    }))
}

/// What is renamed, and the word under the cursor.
fn renamed(state: &State, path: &Path, offset: u32) -> Result<(Target, Extent), Refusal> {
    let found = target_at(&state.workspace, path, offset);
    let Some((target, at)) = found else { return Err(Refusal::failed("here is no name of the program")) };
    match &target {
        Target::Declared(path, _) if state.workspace.is_library(path) => {
            Err(Refusal::failed("names of the library stay as they are"))
        }
        Target::Declared(..) | Target::Export(_) => Ok((target, at)),
        Target::Builtin(_) => Err(Refusal::failed("builtins stay as they are")),
        Target::File(_) => Err(Refusal::failed("rename the file instead")),
    }
}

/// Without quotes.
fn within(text: &str, (lo, hi): Extent) -> Extent {
    if text.starts_with('"') && text.len() > 1 { (lo + 1, hi - 1) } else { (lo, hi) }
}

/// `textDocument/rename`
pub fn rename(state: &State, params: RenameParams) -> Answer<WorkspaceEdit> {
    let (path, _, offset) = place(state, &params.text_document_position)?;
    let (target, _) = renamed(state, &path, offset)?;
    let new = params.new_name.as_str();
    check_word(new)?;
    let all = occurrences(&state.workspace, &target);
    if let Target::Declared(..) = &target {
        check_free(state, &target, &all, new)?;
    }
    let mut edits: Vec<(PathBuf, TextEdit)> = Vec::new();
    for (path, at) in all {
        let Some(file) = state.workspace.file(&path) else { continue };
        let text = file.text.slice(at);
        let named = file.index.exports.iter().any(|export| export.at == at && !text.starts_with('"'));
        let new_text = match (&target, named) {
            // `@export_symbol(name)` shows the name to the host, for which it stays.
            (Target::Declared(..), true) => format!("{new}, \"{text}\""),
            (Target::Export(_), true) => format!("{text}, \"{new}\""),
            _ => new.to_string(),
        };
        edits.push((path, TextEdit { range: file.text.range(within(text, at)), new_text }));
    }
    Ok(workspace_edit(edits))
}

/// Changes of files, as editors take them.
pub fn workspace_edit(edits: Vec<(PathBuf, TextEdit)>) -> WorkspaceEdit {
    #[expect(clippy::mutable_key_type, reason = "the protocol's type; addresses do not change")]
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for (path, edit) in edits {
        if let Some(uri) = uri_of(&path) {
            changes.entry(uri).or_default().push(edit);
        }
    }
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

fn check_word(new: &str) -> Result<(), Refusal> {
    let mut letters = new.chars();
    let is_name = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(Refusal::failed(format!("`{new}` is no name: write letters, digits and `_`")));
    }
    if KEYWORDS.contains(&new) || catalogue::types().contains(&new) {
        return Err(Refusal::failed(format!("`{new}` is a word of the language")));
    }
    Ok(())
}

/// Whoever sees the new name must mean the renamed declaration, and nobody else may come to mean it.
fn check_free(state: &State, target: &Target, all: &[(PathBuf, Extent)], new: &str) -> Result<(), Refusal> {
    let taken = || Refusal::failed(format!("`{new}` is declared already"));
    for (path, at) in all {
        let Some(file) = state.workspace.file(path) else { continue };
        let behind_dot = file.index.lexeme_at(at.0).and_then(|word| file.index.before(word));
        let is_member =
            behind_dot.is_some_and(|word| file.index.lexemes[word].kind == crate::LexemeKind::Dot);
        if !is_member && file.index.visible(new, at.0).is_some() {
            return Err(taken());
        }
    }
    let Target::Declared(path, at) = target else { return Ok(()) };
    let Some((file, d)) = declaration(&state.workspace, path, *at) else { return Ok(()) };
    let own = &file.index.declarations[d];
    let clashes = file.index.named(new).any(|(_, other)| {
        own.holder == other.holder && own.scope.0 < other.scope.1 && other.scope.0 < own.scope.1
    });
    if clashes { Err(taken()) } else { Ok(()) }
}
