//! What the help of a diagnostic says, done.

use super::navigate::file;
use super::rename::workspace_edit;
use super::state::{Answer, State};
use super::text::moved;
use lsp_types::{CodeAction, CodeActionKind, CodeActionParams, TextEdit};

/// `textDocument/codeAction`
pub fn actions(state: &State, params: CodeActionParams) -> Answer<Vec<CodeAction>> {
    let (path, file) = file(state, &params.text_document.uri)?;
    let lines = params.range.start.line..=params.range.end.line;
    let mut actions: Vec<CodeAction> = Vec::new();
    for analysis in &state.analyses {
        let Some(id) = analysis.file(&path) else { continue };
        let then = &analysis.sources.file(id).text;
        for diagnostic in &analysis.diagnostics {
            let edit = diagnostic.edit(&analysis.sources).filter(|(span, _)| span.file == id);
            let Some((span, new_text)) = edit else { continue };
            let place = |offset| moved(then, &file.text.text, offset);
            let (Some(lo), Some(hi)) = (place(span.lo), place(span.hi)) else { continue };
            let range = file.text.range((lo, hi));
            let title = title(file.text.slice((lo, hi)), &new_text);
            let is_known = actions.iter().any(|action| action.title == title);
            if is_known || !lines.contains(&range.start.line) {
                continue;
            }
            actions.push(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                edit: Some(workspace_edit(vec![(path.clone(), TextEdit { range, new_text })])),
                is_preferred: Some(true),
                ..CodeAction::default()
            });
        }
    }
    Ok(actions)
}

/// What the action is called.
fn title(old: &str, new: &str) -> String {
    match (old.trim(), new.trim()) {
        ("", new) => format!("Insert `{new}`"),
        (old, "") => format!("Remove `{old}`"),
        (old, new) => format!("Replace `{old}` by `{new}`"),
    }
}
