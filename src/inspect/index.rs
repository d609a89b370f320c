//! The names of one file: where they are declared, where they can be seen, and what they are.

use super::lexemes::{Lexeme, LexemeKind};
use rustc_hash::FxHashMap;

/// Bytes of a file: the first one, and one past the last.
pub type Extent = (u32, u32);

/// What a declaration declares.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// `var`
    Var,
    /// `const`
    Const,
    /// `param`
    Param,
    /// `fn`
    Function,
    /// `task`
    Task,
    /// A parameter of a function or task.
    Argument,
    /// The element or the index of a `for` loop, or of a tensor access.
    Item,
    /// The label of a loop or block.
    Label,
    /// A field of a struct or union.
    Field,
    /// A member of an enum.
    Member,
}

/// A declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The name.
    pub name: String,
    /// What it names.
    pub kind: DeclarationKind,
    /// The name in the text.
    pub at: Extent,
    /// The whole declaration.
    pub whole: Extent,
    /// Where the name can be seen.
    pub scope: Extent,
    /// Whether it stands at the top level of the file.
    pub is_global: bool,
    /// Of a field or member: the declaration that names the type.
    pub holder: Option<usize>,
    /// The written type.
    pub ty: Option<Extent>,
    /// The first value.
    pub init: Option<Extent>,
    /// Of a constant that names a module: its import.
    pub import: Option<usize>,
}

/// A file that this one names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The name as written, without quotes.
    pub path: String,
    /// The string in the text, with its quotes.
    pub at: Extent,
    /// The parameters that the file is given.
    pub params: Vec<(String, Extent)>,
    /// Whether it is the code of a tile, and not a module.
    pub is_tile: bool,
}

/// A name for the host: in `@export_symbol` or `@export_name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedName {
    /// The name.
    pub name: String,
    /// The string in the text, with its quotes, or the exported name itself.
    pub at: Extent,
    /// Whether it is in the layout.
    pub is_layout: bool,
}

/// What one file declares and names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileIndex {
    /// The words, in order.
    pub lexemes: Vec<Lexeme>,
    /// The declarations, in no special order.
    pub declarations: Vec<Declaration>,
    /// The files that it names.
    pub imports: Vec<Import>,
    /// The names for the host.
    pub exports: Vec<ExportedName>,
    /// The layout block.
    pub layout: Option<Extent>,
    /// Whether all of it could be parsed.
    pub is_whole: bool,
    /// The declarations of each name.
    pub(super) by_name: FxHashMap<String, Vec<u32>>,
}

impl FileIndex {
    /// The position of the word at an offset, or of the name that ends there.
    pub fn lexeme_at(&self, offset: u32) -> Option<usize> {
        let next = self.lexemes.partition_point(|lexeme| lexeme.hi <= offset);
        let touches = |n: usize| self.lexemes.get(n).is_some_and(|l| l.lo <= offset && offset <= l.hi);
        let is_word = |n: usize| {
            matches!(self.lexemes[n].kind, LexemeKind::Name | LexemeKind::Builtin | LexemeKind::Text)
        };
        match (touches(next), next.checked_sub(1).filter(|before| touches(*before))) {
            (true, Some(before)) if !is_word(next) && is_word(before) => Some(before),
            (true, _) => Some(next),
            (false, before) => before,
        }
    }

    /// The word before another one, comments left out.
    pub fn before(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|n| self.lexemes[*n].kind != LexemeKind::Comment)
    }

    /// The word behind another one, comments left out.
    pub fn behind(&self, at: usize) -> Option<usize> {
        (at + 1..self.lexemes.len()).find(|n| self.lexemes[*n].kind != LexemeKind::Comment)
    }

    /// The declaration that a name means at an offset: the innermost that can be seen.
    pub fn visible(&self, name: &str, offset: u32) -> Option<usize> {
        let seen = |d: &Declaration| {
            let is_here = d.at.0 <= offset && offset <= d.at.1;
            let is_member = matches!(d.kind, DeclarationKind::Field | DeclarationKind::Member);
            is_here || !is_member && d.scope.0 <= offset && offset < d.scope.1
        };
        let width = |d: &Declaration| {
            let is_here = d.at.0 <= offset && offset <= d.at.1;
            if is_here { 0 } else { d.scope.1 - d.scope.0 }
        };
        self.named(name).filter(|(_, d)| seen(d)).min_by_key(|(_, d)| width(d)).map(|(n, _)| n)
    }

    /// The declarations of a name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = (usize, &Declaration)> {
        let all = self.by_name.get(name).into_iter().flatten();
        all.map(|n| (*n as usize, &self.declarations[*n as usize]))
    }

    /// A declaration at the top level.
    pub fn global(&self, name: &str) -> Option<usize> {
        self.named(name).find(|(_, d)| d.is_global).map(|(n, _)| n)
    }

    /// The fields of the struct, or the members of the enum, that a declaration names.
    pub fn members(&self, holder: usize) -> impl Iterator<Item = (usize, &Declaration)> {
        self.declarations.iter().enumerate().filter(move |(_, d)| d.holder == Some(holder))
    }
}
