//! What each word is, for colors that know more than a grammar.

use super::navigate::file;
use super::resolve::{Target, declaration, target};
use super::state::{Answer, State};
use crate::{DeclarationKind, LexemeKind, catalogue};
use lsp_types::{SemanticToken, SemanticTokens, SemanticTokensParams};

/// The names of the types, whose places in this list are sent.
pub const TYPES: &[&str] = &[
    "namespace",
    "type",
    "struct",
    "enum",
    "enumMember",
    "parameter",
    "variable",
    "property",
    "function",
    "event",
    "macro",
    "label",
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
];

/// The names of the modifiers, whose places in this list are the numbers of bits.
pub const MODIFIERS: &[&str] = &["declaration", "readonly", "defaultLibrary", "static"];

const DECLARATION: u32 = 1;
const READ_ONLY: u32 = 2;
const LIBRARY: u32 = 4;
const STATIC: u32 = 8;

fn number(ty: &str) -> u32 {
    TYPES.iter().position(|known| *known == ty).unwrap_or_default() as u32
}

/// `textDocument/semanticTokens/full`
pub fn tokens(state: &State, params: SemanticTokensParams) -> Answer<SemanticTokens> {
    let (path, file) = file(state, &params.text_document.uri)?;
    let (mut data, mut line, mut column) = (Vec::new(), 0, 0);
    for (word, lexeme) in file.index.lexemes.iter().enumerate() {
        let at = (lexeme.lo, lexeme.hi);
        let (ty, modifiers) = match lexeme.kind {
            LexemeKind::Keyword => ("keyword", 0),
            LexemeKind::Builtin => ("macro", LIBRARY),
            LexemeKind::Number => ("number", 0),
            LexemeKind::Text => ("string", 0),
            LexemeKind::Comment => ("comment", 0),
            LexemeKind::Name => match target(&state.workspace, &path, word) {
                Some(Target::Declared(to, declared)) => {
                    let is_library = state.workspace.is_library(&to) && to != path;
                    let Some((file, d)) = declaration(&state.workspace, &to, declared) else { continue };
                    let own = if to == path && declared == at { DECLARATION } else { 0 };
                    let (ty, modifiers) = kind(file, d);
                    (ty, modifiers | own | if is_library { LIBRARY } else { 0 })
                }
                _ if catalogue::types().contains(&file.text.slice(at)) => ("type", LIBRARY),
                _ => continue,
            },
            _ => continue,
        };
        let range = file.text.range(at);
        let token = SemanticToken {
            delta_line: range.start.line - line,
            delta_start: if range.start.line == line {
                range.start.character - column
            } else {
                range.start.character
            },
            length: range.end.character.saturating_sub(range.start.character),
            token_type: number(ty),
            token_modifiers_bitset: modifiers,
        };
        (line, column) = (range.start.line, range.start.character);
        data.push(token);
    }
    Ok(SemanticTokens { result_id: None, data })
}

fn kind(file: &super::workspace::File, d: usize) -> (&'static str, u32) {
    let declaration = &file.index.declarations[d];
    let holds = || file.index.members(d).next().map(|(_, member)| member.kind);
    match declaration.kind {
        _ if declaration.import.is_some() => ("namespace", 0),
        DeclarationKind::Const => match holds() {
            Some(DeclarationKind::Member) => ("enum", 0),
            Some(_) => ("struct", 0),
            None => ("variable", READ_ONLY),
        },
        DeclarationKind::Var if declaration.is_global => ("variable", STATIC),
        DeclarationKind::Var => ("variable", 0),
        DeclarationKind::Item => ("variable", READ_ONLY),
        DeclarationKind::Param => ("parameter", READ_ONLY | STATIC),
        DeclarationKind::Argument => ("parameter", READ_ONLY),
        DeclarationKind::Function => ("function", 0),
        DeclarationKind::Task => ("event", 0),
        DeclarationKind::Label => ("label", 0),
        DeclarationKind::Field => ("property", 0),
        DeclarationKind::Member => ("enumMember", READ_ONLY),
    }
}
