//! What was known before the run: constants and parameters of the program with their values.

use super::value::Value;
use crate::{DeclarationKind, Fact, FileId, PeView, SourceMap, Span, Tree, index};
use std::collections::BTreeMap;

/// What is known of a file.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Its path, as shown.
    path: String,
    /// Names with their values.
    values: Vec<(String, String)>,
}

/// The top-level constants and parameters of each file.
#[derive(Clone, Debug, Default)]
pub struct Comptime {
    files: BTreeMap<FileId, Known>,
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
            let values = index(&file.text).declarations.into_iter().filter_map(|declaration| {
                let is_value = matches!(declaration.kind, DeclarationKind::Const | DeclarationKind::Param);
                let fact = by_place.get(&(id, declaration.at.0, declaration.at.1))?;
                let is_known = is_value && declaration.is_global && !fact.values.is_empty();
                is_known.then(|| (declaration.name, text(fact)))
            });
            files.insert(id, Known { path: file.name.clone(), values: values.collect() });
        }
        Comptime { files, is_kept: true }
    }

    /// Whether a file has a constant or parameter with a name.
    pub fn has(&self, name: &str) -> bool {
        self.files.values().any(|known| known.values.iter().any(|(known, _)| known == name))
    }

    /// The value of a name in the file of a place, on this PE; without a place, in the file of its tile.
    pub fn value(&self, name: &str, place: Option<Span>, view: &PeView<'_>) -> Option<Value> {
        let known = match place {
            Some(place) => self.files.get(&place.file)?,
            None => self.files.values().find(|known| known.path == view.file())?,
        };
        let (_, text) = known.values.iter().find(|(known, _)| known == name)?;
        let text = known.param(name, view).unwrap_or(text);
        if let Ok(n) = text.parse() {
            return Some(Value::Int(n));
        }
        Some(match (text.parse(), text) {
            (Ok(f), _) => Value::Float(f),
            (Err(_), "true") => Value::Bool(true),
            (Err(_), "false") => Value::Bool(false),
            (Err(_), _) => Value::Text(text.to_string()),
        })
    }

    /// All of the file of a place, on this PE.
    pub fn of_file(&self, place: Span, view: &PeView<'_>) -> Vec<Tree> {
        if !self.is_kept {
            return vec![Tree::leaf("not known", "the program was laid out in Python")];
        }
        let Some(known) = self.files.get(&place.file) else { return Vec::new() };
        let leaf =
            |(name, text): &(String, String)| Tree::leaf(name, known.param(name, view).unwrap_or(text));
        known.values.iter().map(leaf).collect()
    }
}

impl Known {
    /// The value of a parameter that the layout has given to the tile of a PE.
    fn param<'v>(&self, name: &str, view: &'v PeView<'_>) -> Option<&'v str> {
        if view.file() == self.path { view.param(name) } else { None }
    }
}

/// The values that a name has on different PEs.
fn text(fact: &Fact) -> String {
    let more = if fact.has_more { " or others" } else { "" };
    format!("{}{more}", fact.values.join(" or "))
}
