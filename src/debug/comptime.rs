//! What was known before the run: constants and parameters of the program with their values.

use super::value::Value;
use crate::{DeclarationKind, Fact, FileId, PeView, SourceMap, Span, Tree, index};
use std::collections::BTreeMap;

/// What is known of a file.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Its path, as shown.
    path: String,
    values: Vec<Constant>,
}

/// A constant or parameter.
#[derive(Clone, Debug)]
struct Constant {
    name: String,
    /// The values that it has on different PEs.
    text: String,
    /// These values, unless there are more.
    all: Option<Vec<String>>,
    /// How it is initialized, as written.
    init: Option<String>,
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
                let init = declaration.init.map(|(lo, hi)| file.text[lo as usize..hi as usize].to_string());
                is_known.then(|| constant(declaration.name, fact, init))
            });
            files.insert(id, Known { path: file.name.clone(), values: values.collect() });
        }
        Comptime { files, is_kept: true }
    }

    /// Whether a file has a constant or parameter with a name.
    pub fn has(&self, name: &str) -> bool {
        self.files.values().any(|known| known.values.iter().any(|known| known.name == name))
    }

    /// The value of a name in the file of a place, on this PE; without a place, in the file of its tile.
    pub fn value(&self, name: &str, place: Option<Span>, view: &PeView<'_>) -> Option<Value> {
        let known = self.known(place, view)?;
        let text = known.param(name, view).or(known.constant(name).map(|constant| constant.text.as_str()))?;
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

    /// How a constant is initialized that has different values on different PEs.
    pub fn initializer(&self, name: &str, place: Option<Span>, view: &PeView<'_>) -> Option<&str> {
        let known = self.known(place, view)?;
        let constant = known.constant(name).filter(|_| known.param(name, view).is_none())?;
        let has_one_value = constant.all.as_ref().is_some_and(|all| all.len() == 1);
        constant.init.as_deref().filter(|_| !has_one_value)
    }

    /// Whether a constant may have a value, as far as its values are known.
    pub fn may_be(&self, name: &str, value: &str, place: Option<Span>, view: &PeView<'_>) -> bool {
        let constant = self.known(place, view).and_then(|known| known.constant(name));
        constant
            .and_then(|constant| constant.all.as_ref())
            .is_none_or(|all| all.iter().any(|one| one == value))
    }

    fn known(&self, place: Option<Span>, view: &PeView<'_>) -> Option<&Known> {
        match place {
            Some(place) => self.files.get(&place.file),
            None => self.files.values().find(|known| known.path == view.file()),
        }
    }

    /// All of the file of a place, on this PE. `derived` computes the values that follow from those of others.
    pub fn of_file(
        &self,
        place: Span,
        view: &PeView<'_>,
        derived: &dyn Fn(&str) -> Option<Value>,
    ) -> Vec<Tree> {
        if !self.is_kept {
            return vec![Tree::leaf("not known", "the program was laid out in Python")];
        }
        let Some(known) = self.files.get(&place.file) else { return Vec::new() };
        let leaf = |constant: &Constant| {
            let name = constant.name.as_str();
            let text = derived(name).and_then(|value| value.number());
            let text = text.or(known.param(name, view).map(str::to_string));
            Tree::leaf(name, text.unwrap_or_else(|| constant.text.clone()))
        };
        known.values.iter().map(leaf).collect()
    }
}

impl Known {
    fn constant(&self, name: &str) -> Option<&Constant> {
        self.values.iter().find(|constant| constant.name == name)
    }

    /// The value of a parameter that the layout has given to the tile of a PE.
    fn param<'v>(&self, name: &str, view: &'v PeView<'_>) -> Option<&'v str> {
        if view.file() == self.path { view.param(name) } else { None }
    }
}

fn constant(name: String, fact: &Fact, init: Option<String>) -> Constant {
    let more = if fact.has_more { " or others" } else { "" };
    let text = format!("{}{more}", fact.values.join(" or "));
    Constant { name, text, all: (!fact.has_more).then(|| fact.values.clone()), init }
}
