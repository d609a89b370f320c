//! What was known before the run: constants and parameters of the program with their values.

use super::value::Value;
use crate::{DeclarationKind, Fact, FileId, SourceMap, Span, Tree, index};
use std::collections::BTreeMap;

/// The top-level constants and parameters of each file.
#[derive(Clone, Debug, Default)]
pub struct Comptime {
    files: BTreeMap<FileId, Vec<(String, String)>>,
    is_kept: bool,
}

impl Comptime {
    /// Those of a program, if they are kept.
    pub fn new(sources: &SourceMap, facts: Option<&[Fact]>) -> Comptime {
        let Some(facts) = facts else { return Comptime::default() };
        let mut by_place: BTreeMap<(FileId, u32, u32), &Fact> = BTreeMap::new();
        facts.iter().for_each(|fact| {
            by_place.insert((fact.span.file, fact.span.lo, fact.span.hi), fact);
        });
        let mut files = BTreeMap::new();
        for (n, file) in sources.files().iter().enumerate() {
            let id = FileId(n as u32);
            let known = index(&file.text).declarations.into_iter().filter_map(|declaration| {
                let is_value = matches!(declaration.kind, DeclarationKind::Const | DeclarationKind::Param);
                let fact = by_place.get(&(id, declaration.at.0, declaration.at.1))?;
                let is_known = is_value && declaration.is_global && !fact.values.is_empty();
                is_known.then(|| (declaration.name, text(fact)))
            });
            files.insert(id, known.collect());
        }
        Comptime { files, is_kept: true }
    }

    /// The value of a name in the file of a place.
    pub fn value(&self, name: &str, place: Option<Span>) -> Option<Value> {
        let known = self.files.get(&place?.file)?;
        let (_, text) = known.iter().find(|(known, _)| known == name)?;
        if let Ok(n) = text.parse() {
            return Some(Value::Int(n));
        }
        Some(match (text.parse(), text.as_str()) {
            (Ok(f), _) => Value::Float(f),
            (Err(_), "true") => Value::Bool(true),
            (Err(_), "false") => Value::Bool(false),
            (Err(_), _) => Value::Text(text.clone()),
        })
    }

    /// All of the file of a place.
    pub fn of_file(&self, place: Span) -> Vec<Tree> {
        if !self.is_kept {
            return vec![Tree::leaf("not known", "the program was laid out in Python")];
        }
        let known = self.files.get(&place.file).into_iter().flatten();
        known.map(|(name, text)| Tree::leaf(name, text)).collect()
    }
}

/// The values that a name has on different PEs.
fn text(fact: &Fact) -> String {
    let more = if fact.has_more { " or others" } else { "" };
    format!("{}{more}", fact.values.join(" or "))
}
