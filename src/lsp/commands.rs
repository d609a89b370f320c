//! Commands of the server: what an editor shows in a panel, or needs to run the program that a file belongs to.

use super::navigate::{file, place};
use super::resolve::{Target, declaration, target_at};
use super::state::{Answer, Refusal, State};
use crate::{CompileOptions, Extent, ParamValue};
use lsp_types::{ExecuteCommandParams, Position, TextDocumentIdentifier, TextDocumentPositionParams, Uri};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const DRAW: &str = "cslrun.drawDsd";
const PROGRAM: &str = "cslrun.program";

/// All commands.
pub const COMMANDS: [&str; 2] = [DRAW, PROGRAM];

/// `workspace/executeCommand`
pub fn execute(state: &State, params: ExecuteCommandParams) -> Answer<Value> {
    match params.command.as_str() {
        DRAW => {
            let (uri, position) = arguments(params, "the address of a file and a position")?;
            draw(state, uri, position)
        }
        PROGRAM => {
            let (uri,) = arguments(params, "the address of a file")?;
            program(state, &uri)
        }
        other => {
            Err(Refusal::failed(format!("cslrun has no command {other}; it has {}", COMMANDS.join(", "))))
        }
    }
}

fn arguments<A: DeserializeOwned>(params: ExecuteCommandParams, what: &str) -> Answer<A> {
    let ExecuteCommandParams { command, arguments, .. } = params;
    serde_json::from_value(Value::Array(arguments))
        .map_err(|e| Refusal::failed(format!("{command} takes {what}: {e}")))
}

/// The DSD that the name at a position means, or one that its line builds.
fn draw(state: &State, uri: Uri, position: Position) -> Answer<Value> {
    let at = TextDocumentPositionParams { text_document: TextDocumentIdentifier { uri }, position };
    let (path, file, offset) = place(state, &at)?;
    let text = &file.text.text;
    let lo = text[..offset as usize].rfind('\n').map_or(0, |end| end + 1);
    let hi = text[offset as usize..].find('\n').map_or(text.len(), |end| offset as usize + end);
    let drawn = named(state, &path, offset)
        .and_then(|(to, init)| drawing(state, &to, init))
        .or_else(|| drawing(state, &path, (lo as u32, hi as u32)));
    match drawn {
        Some((title, svg)) => Ok(json!({ "title": title, "svg": svg })),
        None => {
            Err(Refusal::failed("no DSD is built here, or the program has errors; put the cursor on a DSD"))
        }
    }
}

/// The first value of the name at an offset, and its file.
fn named(state: &State, path: &Path, offset: u32) -> Option<(PathBuf, Extent)> {
    let (target, _) = target_at(&state.workspace, path, offset)?;
    let Target::Declared(to, declared) = target else { return None };
    let (file, d) = declaration(&state.workspace, &to, declared)?;
    let init = file.index.declarations[d].init?;
    Some((to.clone(), init))
}

fn drawing(state: &State, path: &Path, at: Extent) -> Option<(String, String)> {
    let folder = format!("{}/", path.parent()?.display());
    state.compiled(path, at).iter().find_map(|found| {
        let program = found.analysis.program.as_ref()?;
        let (name, svg) = (state.services.drawing)(program, found.file, found.at)?;
        Some((name, svg.replace(&folder, "")))
    })
}

/// The root of the program that a file belongs to, and the arguments with which `cslrun` compiles it.
fn program(state: &State, uri: &Uri) -> Answer<Value> {
    let (path, _) = file(state, uri)?;
    let found = state.compiled(&path, (0, 0));
    let analysis = found.first().map(|found| &found.analysis);
    let analysis = analysis.ok_or_else(|| Refusal::failed("the file has not been compiled yet"))?;
    Ok(json!({ "file": analysis.root, "arguments": words(&analysis.setup.options) }))
}

/// Options as arguments of `cslrun`.
fn words(options: &CompileOptions) -> Vec<String> {
    let mut words = vec!["--arch".to_string(), options.arch.to_string()];
    for (name, value) in &options.params {
        let value = match value {
            ParamValue::Int(n) => n.to_string(),
            ParamValue::Float(x) => format!("{x:?}"),
            ParamValue::Bool(b) => b.to_string(),
            ParamValue::Color(color) => color.to_string(),
        };
        words.extend(["--param".to_string(), format!("{name}={value}")]);
    }
    for folder in &options.import_paths {
        words.extend(["--import-path".to_string(), folder.display().to_string()]);
    }
    words
}
