//! What compilations have found about a place of a text that may have changed since.

use super::analysis::Analysis;
use super::state::State;
use super::text::moved;
use crate::{Extent, Fact, FileId, Program};
use std::path::Path;
use std::rc::Rc;

/// A compilation, the file in it, and where the place was in the text that was compiled.
pub struct Found {
    /// The compilation.
    pub analysis: Rc<Analysis>,
    /// The file.
    pub file: FileId,
    /// The place in that text.
    pub at: Extent,
}

impl State {
    /// The compilations of a file, the newest first, with the place of an extent in their texts.
    pub fn compiled(&self, path: &Path, (lo, hi): Extent) -> Vec<Found> {
        let Some(now) = self.workspace.file(path).map(|file| file.text.text.clone()) else {
            return Vec::new();
        };
        let found = |analysis: &Rc<Analysis>| {
            let file = analysis.file(path)?;
            let then = &analysis.sources.file(file).text;
            let at = (moved(&now, then, lo)?, moved(&now, then, hi)?);
            Some(Found { analysis: analysis.clone(), file, at })
        };
        self.analyses.iter().chain(self.whole.values()).filter_map(found).collect()
    }

    /// What is known of the expression or name at an extent.
    pub fn fact(&self, path: &Path, at: Extent) -> Option<Fact> {
        self.compiled(path, at).iter().find_map(|found| found.analysis.fact_at(found.file, found.at).cloned())
    }

    /// What is known of the shortest expression that ends where an extent does, and begins with it or before it.
    pub fn fact_ending(&self, path: &Path, at: Extent) -> Option<Fact> {
        self.compiled(path, at).iter().find_map(|found| {
            let facts = found.analysis.facts_of(found.file).iter();
            let ending = facts.filter(|fact| fact.span.hi == found.at.1 && fact.span.lo <= found.at.0);
            ending.max_by_key(|fact| fact.span.lo).cloned()
        })
    }

    /// The program that a file belongs to, as it was when it had no errors.
    pub fn program<T>(&self, path: &Path, ask: impl Fn(&Program) -> T) -> Option<T> {
        self.compiled(path, (0, 0)).iter().find_map(|found| found.analysis.program.as_ref().map(&ask))
    }
}
