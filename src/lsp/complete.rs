//! What can be written at a place.

use super::context::{around, first_from};
use super::navigate::place;
use super::resolve::{Target, members_of, target};
use super::state::{Answer, State};
use super::workspace::File;
use crate::{Declaration, DeclarationKind, Extent, KEYWORDS, LexemeKind, catalogue};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionTextEdit, Documentation,
    InsertTextFormat, MarkupContent, MarkupKind, TextEdit,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The directions of routes.
const DIRECTIONS: &[&str] = &["NORTH", "SOUTH", "EAST", "WEST", "RAMP"];

/// `textDocument/completion`
pub fn complete(state: &State, params: CompletionParams) -> Answer<Vec<CompletionItem>> {
    let (path, file, offset) = place(state, &params.text_document_position)?;
    let here = Here::new(state, path, file, offset);
    Ok(here.items())
}

/// A place where something is written.
struct Here<'s> {
    state: &'s State,
    path: PathBuf,
    file: &'s File,
    offset: u32,
    /// The part of a word that stands already.
    typed: Extent,
    /// The word that begins there, or behind it.
    next: usize,
}

impl<'s> Here<'s> {
    fn new(state: &'s State, path: PathBuf, file: &'s File, offset: u32) -> Here<'s> {
        let text = &file.text.text.as_bytes()[..offset as usize];
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let word = text.iter().rev().take_while(|b| is_word(b)).count();
        let builtin = usize::from(text[..text.len() - word].ends_with(b"@"));
        let lo = offset - (word + builtin) as u32;
        Here { state, path, file, offset, typed: (lo, offset), next: first_from(file, lo) }
    }

    fn kind(&self, word: usize) -> LexemeKind {
        self.file.index.lexemes[word].kind
    }

    fn text(&self, word: usize) -> &'s str {
        let lexeme = self.file.index.lexemes[word];
        self.file.text.slice((lexeme.lo, lexeme.hi))
    }

    /// Whether the place lies in `..`.
    fn is_dots_at(&self, word: usize) -> bool {
        let inside = |lexeme: &crate::Lexeme| lexeme.lo < self.offset && self.offset <= lexeme.hi;
        self.file.index.lexemes.get(word).is_some_and(inside) && self.text(word) == ".."
    }

    fn items(&self) -> Vec<CompletionItem> {
        let inside = self.file.index.lexemes[..].partition_point(|lexeme| lexeme.lo < self.offset);
        if let Some(word) = inside.checked_sub(1) {
            let (kind, lexeme) = (self.kind(word), self.file.index.lexemes[word]);
            let is_open = lexeme.hi >= self.offset;
            match kind {
                LexemeKind::Comment if is_open => return Vec::new(),
                LexemeKind::Text if lexeme.hi > self.offset || is_open && !ends(self.text(word)) => {
                    return self.files(word);
                }
                LexemeKind::Number if lexeme.hi == self.offset => return Vec::new(),
                _ => {}
            }
        }
        if self.file.text.slice(self.typed).starts_with('@') {
            return self.builtins();
        }
        let before = self.file.index.before(self.next);
        // A dot in front of another one is no dot for the lexer.
        if let Some(dots) = before.or(Some(self.next)).filter(|word| self.is_dots_at(*word)) {
            return self.settings(dots);
        }
        let dot = before.filter(|word| self.kind(*word) == LexemeKind::Dot);
        match dot.map(|dot| (dot, self.file.index.before(dot))) {
            Some((_, Some(base))) if matches!(self.kind(base), LexemeKind::Name | LexemeKind::Close) => {
                self.members(base)
            }
            Some((dot, _)) => self.settings(dot),
            None => self.names(),
        }
    }

    fn item(
        &self,
        label: &str,
        kind: CompletionItemKind,
        detail: String,
        documentation: String,
    ) -> CompletionItem {
        let markdown = MarkupContent { kind: MarkupKind::Markdown, value: documentation };
        CompletionItem {
            label: label.to_string(),
            kind: Some(kind),
            detail: (!detail.is_empty()).then_some(detail),
            documentation: (!markdown.value.is_empty()).then_some(Documentation::MarkupContent(markdown)),
            ..CompletionItem::default()
        }
    }

    fn simple(&self, label: &str, kind: CompletionItemKind) -> CompletionItem {
        self.item(label, kind, String::new(), String::new())
    }

    /// A function with brackets behind it, where the editor can place the cursor between them.
    fn called(&self, mut item: CompletionItem, name: &str) -> CompletionItem {
        let is_called = self.file.text.text[self.offset as usize..].trim_start().starts_with('(');
        let has_snippet = self.state.has_snippets && !is_called;
        let new_text = if has_snippet { format!("{name}($0)") } else { name.to_string() };
        item.insert_text_format = has_snippet.then_some(InsertTextFormat::SNIPPET);
        let range = self.file.text.range(self.typed);
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text }));
        item
    }

    fn builtins(&self) -> Vec<CompletionItem> {
        let known = catalogue::builtins().map(|known| {
            let name = format!("@{}", known.name());
            let doc = format!("{}. Allowed {}.", known.doc, known.phase);
            self.called(self.item(&name, CompletionItemKind::FUNCTION, known.usage.to_string(), doc), &name)
        });
        let operations = catalogue::operations().map(|operation| {
            let name = format!("@{}", operation.name);
            let (detail, doc) = ("DSD operation".to_string(), operation.doc.to_string());
            self.called(self.item(&name, CompletionItemKind::FUNCTION, detail, doc), &name)
        });
        known.chain(operations).collect()
    }

    fn declared(&self, path: &Path, file: &File, at: usize) -> CompletionItem {
        let d: &Declaration = &file.index.declarations[at];
        let kind = match d.kind {
            _ if d.import.is_some() => CompletionItemKind::MODULE,
            DeclarationKind::Function | DeclarationKind::Task => CompletionItemKind::FUNCTION,
            DeclarationKind::Const if file.index.members(at).next().is_some() => CompletionItemKind::STRUCT,
            DeclarationKind::Const => CompletionItemKind::CONSTANT,
            DeclarationKind::Var | DeclarationKind::Argument | DeclarationKind::Item => {
                CompletionItemKind::VARIABLE
            }
            DeclarationKind::Param => CompletionItemKind::PROPERTY,
            DeclarationKind::Label => CompletionItemKind::REFERENCE,
            DeclarationKind::Field => CompletionItemKind::FIELD,
            DeclarationKind::Member => CompletionItemKind::ENUM_MEMBER,
        };
        let known = self.state.fact(path, d.at).filter(|_| kind != CompletionItemKind::FUNCTION);
        let detail = match known.as_ref().map(|fact| (fact.ty.clone(), super::hover::value(fact))) {
            Some((ty, Some(value))) if kind != CompletionItemKind::MODULE => format!("{ty} = {value}"),
            Some((ty, None)) if kind != CompletionItemKind::MODULE => ty,
            _ => file.signature(at),
        };
        let item = self.item(&d.name, kind, detail, file.comment(at));
        match d.kind {
            DeclarationKind::Function => self.called(item, &d.name),
            _ => item,
        }
    }

    fn members(&self, base: usize) -> Vec<CompletionItem> {
        if let Some((path, all)) = members_of(&self.state.workspace, &self.path, base)
            && let Some(file) = self.state.workspace.file(&path)
        {
            // Variants of a function and what only the library uses have names of their own.
            let is_shown = |at: &usize| !file.index.declarations[*at].name.contains("__");
            return all.into_iter().filter(is_shown).map(|at| self.declared(&path, file, at)).collect();
        }
        let lexeme = self.file.index.lexemes[base];
        let at = (lexeme.lo, lexeme.hi);
        let fact = self.state.fact(&self.path, at).or_else(|| self.state.fact_ending(&self.path, at));
        let declared = || match target(&self.state.workspace, &self.path, base) {
            Some(Target::Declared(path, at)) => self.state.fact(&path, at),
            _ => None,
        };
        let fact = fact.filter(|fact| !fact.members.is_empty()).or_else(declared);
        let members = fact.map(|fact| fact.members).unwrap_or_default();
        let item =
            |(name, ty): (String, String)| self.item(&name, CompletionItemKind::FIELD, ty, String::new());
        members.into_iter().map(item).collect()
    }

    /// The fields of a struct of settings, or the parameters of a file.
    fn settings(&self, dot: usize) -> Vec<CompletionItem> {
        let Some(around) = around(self.file, dot).filter(|around| around.braces > 0) else {
            return Vec::new();
        };
        let callee = self.text(around.callee);
        if ["@import_module", "@set_tile_code"].contains(&callee) {
            return self.params(around.open);
        }
        let first = self.file.index.behind(around.open).map(|word| self.text(word)).unwrap_or_default();
        let path: Vec<&str> = around.path.iter().map(String::as_str).collect();
        let names = catalogue::settings(callee.trim_start_matches('@'), first, &path);
        names.into_iter().map(|name| self.simple(name, CompletionItemKind::FIELD)).collect()
    }

    fn params(&self, open: usize) -> Vec<CompletionItem> {
        let mut words = (open..self.next).filter(|word| self.kind(*word) == LexemeKind::Text);
        let Some(name) = words.next_back().map(|word| self.text(word).trim_matches('"')) else {
            return Vec::new();
        };
        let Some(path) = self.state.workspace.imported(&self.path, name) else { return Vec::new() };
        let Some(file) = self.state.workspace.file(&path) else { return Vec::new() };
        let is_param = |at: &usize| file.index.declarations[*at].kind == DeclarationKind::Param;
        (0..file.index.declarations.len()).filter(is_param).map(|at| self.declared(&path, file, at)).collect()
    }

    /// The files that a string in an import may name.
    fn files(&self, word: usize) -> Vec<CompletionItem> {
        let Some(around) = around(self.file, word) else { return Vec::new() };
        if !["@import_module", "@set_tile_code"].contains(&self.text(around.callee)) {
            return Vec::new();
        }
        let lexeme = self.file.index.lexemes[word];
        let end = lexeme.hi - u32::from(ends(self.text(word)));
        let range = self.file.text.range((lexeme.lo + 1, end.max(lexeme.lo + 1)));
        let edit = |name: &str| {
            let mut item = self.simple(name, CompletionItemKind::FILE);
            item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text: name.to_string() }));
            item
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let beside = self.state.workspace.files().filter_map(|(path, _)| {
            let name = path.strip_prefix(folder).ok()?;
            let is_other = *path != self.path && !self.state.workspace.is_library(path);
            is_other.then(|| edit(&name.to_string_lossy()))
        });
        let modules = catalogue::modules().map(|(name, _)| edit(&format!("<{name}>")));
        beside.chain(modules).collect()
    }

    fn names(&self) -> Vec<CompletionItem> {
        let index = &self.file.index;
        let mut seen = BTreeSet::new();
        let mut items = Vec::new();
        for (at, d) in index.declarations.iter().enumerate() {
            let is_visible =
                index.visible(&d.name, self.offset) == Some(at) && d.kind != DeclarationKind::Label;
            if is_visible && d.at.0 != self.typed.0 && seen.insert(d.name.clone()) {
                items.push(self.declared(&self.path, self.file, at));
            }
        }
        // What stands in a part that cannot be parsed now is known from before.
        if let Some((_, old)) = &self.file.last_whole {
            for d in old.declarations.iter().filter(|d| d.is_global) {
                if seen.insert(d.name.clone()) {
                    items.push(self.simple(&d.name, CompletionItemKind::VARIABLE));
                }
            }
        }
        items.extend(catalogue::types().into_iter().map(|name| self.simple(name, CompletionItemKind::CLASS)));
        items.extend(KEYWORDS.iter().map(|name| self.simple(name, CompletionItemKind::KEYWORD)));
        items.extend(DIRECTIONS.iter().map(|name| self.simple(name, CompletionItemKind::CONSTANT)));
        items
    }
}

/// Whether a string has its closing quote.
fn ends(text: &str) -> bool {
    text.len() > 1 && text.ends_with('"')
}
