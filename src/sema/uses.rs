//! What a program uses.

use super::unit::Unit;
use crate::source::{FileId, Span};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Which declarations something has used, of any tile or of the layout.
#[derive(Debug, Default)]
pub struct Uses {
    used: FxHashSet<(FileId, u32)>,
    /// The files that are code of a tile, and the first class whose code they are.
    pub files: IndexMap<FileId, (Rc<Unit>, usize)>,
    /// Declarations that a warning about something else has named.
    named: FxHashSet<Span>,
    /// The class that is being compiled; `None` in the layout.
    class: Option<usize>,
}

impl Uses {
    /// A declaration is used.
    pub fn note(&mut self, file: FileId, decl: u32) {
        self.used.insert((file, decl));
    }

    /// A class of PEs is compiled from here on.
    pub fn begin_class(&mut self, class: usize) {
        self.class = Some(class);
    }

    /// A file becomes part of the code.
    pub fn note_file(&mut self, unit: &Rc<Unit>) {
        if let (Some(class), false) = (self.class, unit.library) {
            self.files.entry(unit.file.id).or_insert_with(|| (unit.clone(), class));
        }
    }

    /// A warning about something else names a declaration.
    pub fn note_named(&mut self, declaration: Span) {
        self.named.insert(declaration);
    }

    /// Whether such a warning does.
    pub fn has_named(&self, declaration: Span) -> bool {
        self.named.contains(&declaration)
    }

    /// Whether a declaration of a file is used.
    pub fn has(&self, unit: &Unit, decl: usize) -> bool {
        self.used.contains(&(unit.file.id, decl as u32))
    }
}
