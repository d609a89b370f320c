//! The parameters of the call around the cursor.

use super::context::{around, first_from};
use super::navigate::place;
use super::resolve::{Target, declaration, target};
use super::state::{Answer, State};
use crate::{DeclarationKind, catalogue};
use lsp_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams,
    SignatureInformation,
};

/// `textDocument/signatureHelp`
pub fn signature(state: &State, params: SignatureHelpParams) -> Answer<Option<SignatureHelp>> {
    let (path, file, offset) = place(state, &params.text_document_position_params)?;
    let Some(around) = around(file, first_from(file, offset)) else { return Ok(None) };
    let callee = file.index.lexemes[around.callee];
    let text = file.text.slice((callee.lo, callee.hi));
    let described = match text.strip_prefix('@') {
        Some(name) => builtin(name),
        None => match target(&state.workspace, &path, around.callee) {
            Some(Target::Declared(path, at)) => {
                declaration(&state.workspace, &path, at).and_then(|(file, d)| {
                    let is_code = matches!(
                        file.index.declarations[d].kind,
                        DeclarationKind::Function | DeclarationKind::Task
                    );
                    is_code.then(|| (file.signature(d), file.comment(d)))
                })
            }
            _ => None,
        },
    };
    let Some((label, doc)) = described else { return Ok(None) };
    let parameters = parameters(&label);
    // The last parameter may stand for several.
    let active = around.argument.min(parameters.len().saturating_sub(1)) as u32;
    let information = SignatureInformation {
        label,
        documentation: (!doc.is_empty()).then_some(Documentation::String(doc)),
        parameters: Some(parameters),
        active_parameter: Some(active),
    };
    Ok(Some(SignatureHelp {
        signatures: vec![information],
        active_signature: Some(0),
        active_parameter: Some(active),
    }))
}

fn builtin(name: &str) -> Option<(String, String)> {
    let known = catalogue::builtins().find(|known| known.name() == name);
    known.map(|known| (known.usage.to_string(), known.doc.to_string()))
}

/// The parts of a signature between its brackets.
fn parameters(label: &str) -> Vec<ParameterInformation> {
    let Some(open) = label.find('(') else { return Vec::new() };
    let (mut depth, mut start, mut all) = (0, open + 1, Vec::new());
    for (at, c) in label.char_indices().skip_while(|(at, _)| *at < open) {
        let ends = match c {
            '(' | '[' | '{' => {
                depth += 1;
                false
            }
            ')' | ']' | '}' => {
                depth -= 1;
                depth == 0
            }
            ',' => depth == 1,
            _ => false,
        };
        if ends {
            let part = label[start..at].trim();
            if !part.is_empty() {
                all.push(part.to_string());
            }
            start = at + 1;
            if depth == 0 {
                break;
            }
        }
    }
    let information =
        |text| ParameterInformation { label: ParameterLabel::Simple(text), documentation: None };
    all.into_iter().map(information).collect()
}
