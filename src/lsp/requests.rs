//! What the server offers, and which function answers each request.

use super::state::{Refusal, State};
use super::{actions, commands, complete, hints, hover, layout, navigate, rename, signature, tokens};
use lsp_server::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What the server can do.
pub fn capabilities(in_bytes: bool) -> Value {
    json!({
        "positionEncoding": if in_bytes { "utf-8" } else { "utf-16" },
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "documentLinkProvider": {},
        "foldingRangeProvider": true,
        "completionProvider": { "triggerCharacters": ["@", ".", "\"", "<"] },
        "signatureHelpProvider": { "triggerCharacters": ["(", ","] },
        "renameProvider": { "prepareProvider": true },
        "semanticTokensProvider": {
            "legend": { "tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS },
            "full": true,
        },
        "inlayHintProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "documentFormattingProvider": true,
        "executeCommandProvider": { "commands": commands::COMMANDS },
        "workspace": { "workspaceFolders": { "supported": true } },
    })
}

/// Answers a request.
///
/// # Errors
/// The request is unknown, makes no sense, or cannot be done.
pub fn answer(state: &State, method: &str, params: Value) -> Result<Value, Refusal> {
    match method {
        "textDocument/hover" => by(params, |params| hover::hover(state, params)),
        "textDocument/definition" => by(params, |params| navigate::definition(state, params)),
        "textDocument/references" => by(params, |params| navigate::references(state, params)),
        "textDocument/documentHighlight" => by(params, |params| navigate::highlights(state, params)),
        "textDocument/documentSymbol" => by(params, |params| navigate::document_symbols(state, params)),
        "textDocument/documentLink" => by(params, |params| navigate::links(state, params)),
        "textDocument/foldingRange" => by(params, |params| navigate::folds(state, params)),
        "textDocument/completion" => by(params, |params| complete::complete(state, params)),
        "textDocument/signatureHelp" => by(params, |params| signature::signature(state, params)),
        "textDocument/prepareRename" => by(params, |params| rename::prepare(state, params)),
        "textDocument/rename" => by(params, |params| rename::rename(state, params)),
        "textDocument/semanticTokens/full" => by(params, |params| tokens::tokens(state, params)),
        "textDocument/codeAction" => by(params, |params| actions::actions(state, params)),
        "textDocument/inlayHint" => by(params, |params| hints::hints(state, params)),
        "textDocument/formatting" => by(params, |params| layout::format(state, params)),
        "workspace/executeCommand" => by(params, |params| commands::execute(state, params)),
        "workspace/symbol" => by(params, |params| navigate::workspace_symbols(state, params)),
        _ => Err(Refusal {
            code: ErrorCode::MethodNotFound as i32,
            words: format!("cslrun does not know {method}"),
        }),
    }
}

/// Hands the parameters to a function and its result to the editor.
fn by<P: DeserializeOwned, R: Serialize>(
    params: Value,
    answer: impl FnOnce(P) -> Result<R, Refusal>,
) -> Result<Value, Refusal> {
    let invalid =
        |e: serde_json::Error| Refusal { code: ErrorCode::InvalidParams as i32, words: e.to_string() };
    let params = serde_json::from_value(params).map_err(invalid)?;
    serde_json::to_value(answer(params)?).map_err(invalid)
}
