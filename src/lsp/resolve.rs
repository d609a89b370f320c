//! What a word of a text means: a declaration of this or another file, a file, a builtin, a name for the host.

use super::text::moved;
use super::workspace::{File, Workspace};
use crate::{Declaration, DeclarationKind, Extent, LexemeKind};
use std::path::{Path, PathBuf};

/// Members of members that are followed.
const MOST_STEPS: usize = 16;

/// What a word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A declaration: its file, and the name in it.
    Declared(PathBuf, Extent),
    /// A file.
    File(PathBuf),
    /// A builtin with its `@`.
    Builtin(String),
    /// A name for the host.
    Export(String),
}

/// What the word at an offset means, and where the word is.
pub fn target_at(workspace: &Workspace, path: &Path, offset: u32) -> Option<(Target, Extent)> {
    let file = workspace.file(path)?;
    let word = file.index.lexeme_at(offset)?;
    let lexeme = file.index.lexemes[word];
    Some((target(workspace, path, word)?, (lexeme.lo, lexeme.hi)))
}

/// What a word means.
pub fn target(workspace: &Workspace, path: &Path, word: usize) -> Option<Target> {
    let file = workspace.file(path)?;
    let lexeme = file.index.lexemes[word];
    let at = (lexeme.lo, lexeme.hi);
    match lexeme.kind {
        LexemeKind::Builtin => Some(Target::Builtin(file.text.slice(at).to_string())),
        LexemeKind::Text => {
            if let Some(import) = file.index.imports.iter().find(|import| import.at == at) {
                return workspace.imported(path, &import.path).map(Target::File);
            }
            let export = file.index.exports.iter().find(|export| export.at == at);
            export.map(|export| Target::Export(export.name.clone()))
        }
        LexemeKind::Name => {
            let (path, extent) = named(workspace, path, word, MOST_STEPS)?;
            Some(Target::Declared(path, extent))
        }
        _ => None,
    }
}

/// The declaration that a name means.
fn named(workspace: &Workspace, path: &Path, word: usize, steps: usize) -> Option<(PathBuf, Extent)> {
    let file = workspace.file(path)?;
    let index = &file.index;
    let lexeme = index.lexemes[word];
    let name = file.text.slice((lexeme.lo, lexeme.hi));
    let here = |at: usize| Some((path.to_path_buf(), index.declarations[at].at));
    if let Some(own) = index.named(name).find(|(_, d)| d.at == (lexeme.lo, lexeme.hi)) {
        return here(own.0);
    }
    match base_of(file, word) {
        Base::None => match index.visible(name, lexeme.lo) {
            Some(at) => here(at),
            None => Some((path.to_path_buf(), lost(file, name)?)),
        },
        Base::Word(base) => {
            let (path, at) = holder(workspace, path, base, steps.checked_sub(1)?)?;
            member(workspace, &path, at, name)
        }
        Base::Braces => {
            let of_param =
                |import: &&crate::Import| import.params.iter().any(|(_, at)| *at == (lexeme.lo, lexeme.hi));
            if let Some(import) = index.imports.iter().find(of_param) {
                let to = workspace.imported(path, &import.path)?;
                let other = workspace.file(&to)?;
                let at = other.index.global(name)?;
                return Some((to.clone(), other.index.declarations[at].at));
            }
            only_field(file, name).and_then(here)
        }
        Base::Other => only_field(file, name).and_then(here),
    }
}

/// What stands in front of a name and its dot.
enum Base {
    /// There is no dot.
    None,
    /// A name.
    Word(usize),
    /// Nothing: it is the name of a field in `.{ .name = value }`.
    Braces,
    /// Another expression.
    Other,
}

fn base_of(file: &File, word: usize) -> Base {
    let kind = |at: usize| file.index.lexemes[at].kind;
    let Some(dot) = file.index.before(word).filter(|at| kind(*at) == LexemeKind::Dot) else {
        return Base::None;
    };
    match file.index.before(dot) {
        Some(base) if kind(base) == LexemeKind::Name => Base::Word(base),
        Some(base) if kind(base) == LexemeKind::Close => Base::Other,
        _ => Base::Braces,
    }
}

/// The declaration whose members a name in front of a dot has: a module, a type, or the type of a variable.
fn holder(workspace: &Workspace, path: &Path, base: usize, steps: usize) -> Option<(PathBuf, usize)> {
    let (path, at) = named(workspace, path, base, steps)?;
    let file = workspace.file(&path)?;
    let declared = file.index.declarations.iter().position(|d| d.at == at)?;
    held_by(workspace, &path, declared, steps)
}

/// What has the members of a declaration: itself, or its type.
fn held_by(workspace: &Workspace, path: &Path, declared: usize, steps: usize) -> Option<(PathBuf, usize)> {
    let file = workspace.file(path)?;
    let d = &file.index.declarations[declared];
    if d.import.is_some() || file.index.members(declared).next().is_some() {
        return Some((path.to_path_buf(), declared));
    }
    // The last name in the type is that of the struct: `*const m.S`, `[4]S`; `S{ .. }` as a value has it in front.
    let in_type = |lexeme: &crate::Lexeme| {
        lexeme.kind == LexemeKind::Name && d.ty.is_some_and(|ty| ty.0 <= lexeme.lo && lexeme.hi <= ty.1)
    };
    let of_type = file.index.lexemes.iter().rposition(in_type);
    let of_value = d.init.and_then(|init| file.index.lexemes.iter().position(|lexeme| lexeme.lo == init.0));
    let word = of_type.or(of_value.filter(|at| file.index.lexemes[*at].kind == LexemeKind::Name))?;
    holder(workspace, path, word, steps.checked_sub(1)?)
}

/// A member of a module, of an enum or of a struct.
fn member(workspace: &Workspace, path: &Path, holder: usize, name: &str) -> Option<(PathBuf, Extent)> {
    let file = workspace.file(path)?;
    match file.index.declarations[holder].import {
        Some(import) => {
            let to = workspace.imported(path, &file.index.imports[import].path)?;
            let other = workspace.file(&to)?;
            let at = other.index.global(name)?;
            Some((to.clone(), other.index.declarations[at].at))
        }
        None => {
            let (at, _) = file.index.members(holder).find(|(_, d)| d.name == name)?;
            Some((path.to_path_buf(), file.index.declarations[at].at))
        }
    }
}

/// A field or member of this name, if there is only one in the file.
fn only_field(file: &File, name: &str) -> Option<usize> {
    let is_field = |d: &Declaration| {
        d.name == name && matches!(d.kind, DeclarationKind::Field | DeclarationKind::Member)
    };
    let mut all = (0..file.index.declarations.len()).filter(|at| is_field(&file.index.declarations[*at]));
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// Where a name is declared that lies in a part of the file which cannot be parsed now, but could before.
fn lost(file: &File, name: &str) -> Option<Extent> {
    let (old, index) = file.last_whole.as_ref()?;
    let at = index.declarations[index.global(name)?].at;
    let lo = moved(&old.text, &file.text.text, at.0)?;
    let extent = (lo, lo + at.1 - at.0);
    (file.text.slice(extent) == name).then_some(extent)
}

/// The declaration at an extent.
pub fn declaration<'w>(workspace: &'w Workspace, path: &Path, at: Extent) -> Option<(&'w File, usize)> {
    let file = workspace.file(path)?;
    Some((file, file.index.declarations.iter().position(|d| d.at == at)?))
}

/// The members that stand behind a dot at the end of this word: those of a module, or of a type. The file and the
/// declarations.
pub fn members_of(workspace: &Workspace, path: &Path, base: usize) -> Option<(PathBuf, Vec<usize>)> {
    let (path, at) = holder(workspace, path, base, MOST_STEPS)?;
    let file = workspace.file(&path)?;
    match file.index.declarations[at].import {
        Some(import) => {
            let to = workspace.imported(&path, &file.index.imports[import].path)?;
            let other = &workspace.file(&to)?.index;
            let all = (0..other.declarations.len()).filter(|at| other.declarations[*at].is_global).collect();
            Some((to, all))
        }
        None => Some((path.clone(), file.index.members(at).map(|(at, _)| at).collect())),
    }
}

/// All places where something is named, its declarations among them, in the order of files and places.
pub fn occurrences(workspace: &Workspace, wanted: &Target) -> Vec<(PathBuf, Extent)> {
    let mut all = Vec::new();
    for (path, file) in workspace.files() {
        match wanted {
            Target::Declared(declared, at) => {
                let Some(text) = workspace.file(declared).map(|file| file.text.slice(*at)) else { continue };
                if !file.text.text.contains(text) {
                    continue;
                }
                for (word, lexeme) in file.index.lexemes.iter().enumerate() {
                    let extent = (lexeme.lo, lexeme.hi);
                    let is_name = lexeme.kind == LexemeKind::Name && file.text.slice(extent) == text;
                    if is_name && target(workspace, path, word).as_ref() == Some(wanted) {
                        all.push((path.clone(), extent));
                    }
                }
            }
            Target::Export(name) => {
                let same = file.index.exports.iter().filter(|export| export.name == *name);
                all.extend(same.map(|export| (path.clone(), export.at)));
            }
            Target::File(named) => {
                let same = file
                    .index
                    .imports
                    .iter()
                    .filter(|import| workspace.imported(path, &import.path).as_ref() == Some(named));
                all.extend(same.map(|import| (path.clone(), import.at)));
            }
            Target::Builtin(name) => {
                let same = file.index.lexemes.iter().filter(|lexeme| {
                    lexeme.kind == LexemeKind::Builtin && file.text.slice((lexeme.lo, lexeme.hi)) == name
                });
                all.extend(same.map(|lexeme| (path.clone(), (lexeme.lo, lexeme.hi))));
            }
        }
    }
    all
}
