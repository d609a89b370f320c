//! Where something is: definitions, references, symbols, links to imported files, folds.

use super::resolve::{Target, occurrences, target_at};
use super::state::{Answer, Refusal, State};
use super::text::{path_of, uri_of};
use super::workspace::File;
use crate::{Declaration, DeclarationKind, Extent, LexemeKind};
use lsp_types::{
    DocumentHighlight, DocumentHighlightParams, DocumentLink, DocumentLinkParams, DocumentSymbol,
    DocumentSymbolParams, FoldingRange, FoldingRangeKind, FoldingRangeParams, GotoDefinitionParams, Location,
    ReferenceParams, SymbolInformation, SymbolKind, TextDocumentPositionParams, Uri, WorkspaceSymbolParams,
};
use std::path::{Path, PathBuf};

/// Symbols of the workspace in one answer, at most.
const MOST_SYMBOLS: usize = 200;

/// The file of an address, if it is one that is known.
pub fn file<'s>(state: &'s State, uri: &Uri) -> Result<(PathBuf, &'s File), Refusal> {
    let path = path_of(uri).ok_or_else(|| Refusal::failed("this is not the address of a file"))?;
    let file = state.workspace.file(&path);
    file.map(|file| (path, file)).ok_or_else(|| Refusal::failed("the file is not open"))
}

/// The file and the offset of a place.
pub fn place<'s>(
    state: &'s State,
    at: &TextDocumentPositionParams,
) -> Result<(PathBuf, &'s File, u32), Refusal> {
    let (path, file) = file(state, &at.text_document.uri)?;
    Ok((path, file, file.text.offset(at.position)))
}

/// The place of an extent for the editor.
pub fn location(state: &State, path: &Path, extent: Extent) -> Option<Location> {
    let range = state.workspace.file(path).map(|file| file.text.range(extent)).unwrap_or_default();
    Some(Location { uri: uri_of(path)?, range })
}

/// `textDocument/definition`
pub fn definition(state: &State, params: GotoDefinitionParams) -> Answer<Vec<Location>> {
    let (path, _, offset) = place(state, &params.text_document_position_params)?;
    let Some((target, at)) = target_at(&state.workspace, &path, offset) else { return Ok(Vec::new()) };
    Ok(match &target {
        Target::Declared(path, extent) => location(state, path, *extent).into_iter().collect(),
        Target::File(path) => location(state, path, (0, 0)).into_iter().collect(),
        Target::Builtin(_) => Vec::new(),
        // From the layout to the tiles, and from a tile to the layout.
        Target::Export(_) => {
            let is_other = |(other, extent): &(PathBuf, Extent)| *other != path || *extent != at;
            let all = occurrences(&state.workspace, &target).into_iter().filter(is_other);
            all.filter_map(|(path, extent)| location(state, &path, extent)).collect()
        }
    })
}

/// `textDocument/references`
pub fn references(state: &State, params: ReferenceParams) -> Answer<Vec<Location>> {
    let (path, _, offset) = place(state, &params.text_document_position)?;
    let Some((target, _)) = target_at(&state.workspace, &path, offset) else { return Ok(Vec::new()) };
    let is_declaration = |path: &Path, at: Extent| target == Target::Declared(path.to_path_buf(), at);
    let wanted =
        |(path, at): &(PathBuf, Extent)| params.context.include_declaration || !is_declaration(path, *at);
    let all = occurrences(&state.workspace, &target).into_iter().filter(wanted);
    Ok(all.filter_map(|(path, extent)| location(state, &path, extent)).collect())
}

/// `textDocument/documentHighlight`
pub fn highlights(state: &State, params: DocumentHighlightParams) -> Answer<Vec<DocumentHighlight>> {
    let (path, file, offset) = place(state, &params.text_document_position_params)?;
    let Some((target, _)) = target_at(&state.workspace, &path, offset) else { return Ok(Vec::new()) };
    let here = occurrences(&state.workspace, &target).into_iter().filter(|(other, _)| *other == path);
    Ok(here.map(|(_, extent)| DocumentHighlight { range: file.text.range(extent), kind: None }).collect())
}

/// `textDocument/documentSymbol`
pub fn document_symbols(state: &State, params: DocumentSymbolParams) -> Answer<Vec<DocumentSymbol>> {
    let (_, file) = file(state, &params.text_document.uri)?;
    let all = file.index.declarations.iter().enumerate();
    let mut symbols: Vec<DocumentSymbol> =
        all.filter(|(_, d)| d.is_global).map(|(at, d)| symbol(file, at, d)).collect();
    if let Some(layout) = file.index.layout {
        let at = (layout.0, layout.0 + "layout".len() as u32);
        symbols.push(named_symbol(file, "layout", SymbolKind::NAMESPACE, at, layout));
    }
    symbols.sort_by_key(|symbol| (symbol.range.start.line, symbol.range.start.character));
    Ok(symbols)
}

fn symbol(file: &File, at: usize, d: &Declaration) -> DocumentSymbol {
    let mut symbol = named_symbol(file, &d.name, symbol_kind(file, at, d), d.at, d.whole);
    symbol.detail = match (d.kind, d.ty) {
        (DeclarationKind::Function | DeclarationKind::Task, _) => Some(file.signature(at)),
        (_, ty) => ty.map(|ty| file.text.slice(ty).to_string()),
    };
    let members: Vec<_> = file.index.members(at).map(|(at, d)| self::symbol(file, at, d)).collect();
    symbol.children = (!members.is_empty()).then_some(members);
    symbol
}

fn named_symbol(file: &File, name: &str, kind: SymbolKind, at: Extent, whole: Extent) -> DocumentSymbol {
    let range = file.text.range((whole.0.min(at.0), whole.1.max(at.1)));
    #[expect(deprecated, reason = "the field must be given")]
    DocumentSymbol {
        name: name.to_string(),
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range: file.text.range(at),
        children: None,
    }
}

/// How editors show a declaration.
pub fn symbol_kind(file: &File, at: usize, d: &Declaration) -> SymbolKind {
    let holds = || file.index.members(at).next().map(|(_, member)| member.kind);
    match d.kind {
        _ if d.import.is_some() => SymbolKind::MODULE,
        DeclarationKind::Const => match holds() {
            Some(DeclarationKind::Member) => SymbolKind::ENUM,
            Some(_) => SymbolKind::STRUCT,
            None => SymbolKind::CONSTANT,
        },
        DeclarationKind::Var | DeclarationKind::Argument | DeclarationKind::Item => SymbolKind::VARIABLE,
        DeclarationKind::Param => SymbolKind::PROPERTY,
        DeclarationKind::Function => SymbolKind::FUNCTION,
        DeclarationKind::Task => SymbolKind::EVENT,
        DeclarationKind::Label => SymbolKind::KEY,
        DeclarationKind::Field => SymbolKind::FIELD,
        DeclarationKind::Member => SymbolKind::ENUM_MEMBER,
    }
}

/// `workspace/symbol`
pub fn workspace_symbols(state: &State, params: WorkspaceSymbolParams) -> Answer<Vec<SymbolInformation>> {
    let query = params.query.to_lowercase();
    let mut found = Vec::new();
    for (path, file) in state.workspace.files().filter(|(path, _)| !state.workspace.is_library(path)) {
        for (at, d) in file.index.declarations.iter().enumerate() {
            if d.is_global && d.name.to_lowercase().contains(&query) && found.len() < MOST_SYMBOLS {
                let Some(location) = location(state, path, d.at) else { continue };
                #[expect(deprecated, reason = "the field must be given")]
                found.push(SymbolInformation {
                    name: d.name.clone(),
                    kind: symbol_kind(file, at, d),
                    tags: None,
                    deprecated: None,
                    location,
                    container_name: path.file_name().map(|name| name.to_string_lossy().into_owned()),
                });
            }
        }
    }
    Ok(found)
}

/// `textDocument/documentLink`
pub fn links(state: &State, params: DocumentLinkParams) -> Answer<Vec<DocumentLink>> {
    let (path, file) = file(state, &params.text_document.uri)?;
    let link = |import: &crate::Import| {
        let to = state.workspace.imported(&path, &import.path)?;
        let range = file.text.range((import.at.0 + 1, import.at.1.saturating_sub(1).max(import.at.0 + 1)));
        Some(DocumentLink { range, target: Some(uri_of(&to)?), tooltip: None, data: None })
    };
    Ok(file.index.imports.iter().filter_map(link).collect())
}

/// `textDocument/foldingRange`
pub fn folds(state: &State, params: FoldingRangeParams) -> Answer<Vec<FoldingRange>> {
    let (_, file) = file(state, &params.text_document.uri)?;
    let mut folds = Vec::new();
    let mut open = Vec::new();
    let mut comment: Option<(u32, u32)> = None;
    for lexeme in &file.index.lexemes {
        let line = file.text.line(lexeme.lo);
        let is_own = file.text.line_text(line).trim_start().starts_with("//");
        match lexeme.kind {
            LexemeKind::Open => open.push(line),
            LexemeKind::Close => {
                // The line of the closing bracket stays in sight.
                if let Some(start) = open.pop().filter(|start| start + 1 < line) {
                    folds.push(fold((start, line - 1), None));
                }
            }
            LexemeKind::Comment if is_own => {
                comment = match comment {
                    Some((start, end)) if end + 1 == line => Some((start, line)),
                    before => {
                        folds.extend(before.filter(|(start, end)| start < end).map(comment_fold));
                        Some((line, line))
                    }
                };
            }
            _ => {}
        }
    }
    folds.extend(comment.filter(|(start, end)| start < end).map(comment_fold));
    folds.sort_by_key(|fold| fold.start_line);
    folds.dedup();
    Ok(folds)
}

fn comment_fold(lines: (u32, u32)) -> FoldingRange {
    fold(lines, Some(FoldingRangeKind::Comment))
}

fn fold((start_line, end_line): (u32, u32), kind: Option<FoldingRangeKind>) -> FoldingRange {
    FoldingRange { start_line, end_line, kind, ..FoldingRange::default() }
}
