//! What a program means at each place of its text, for editors.
//!
//! In: a text, or a root file with options. Out: the words and names of one file, which need no other file; the types and
//! values that compilation has met, whatever is wrong with the program. Never: decides what CSL means.

mod collect;
mod index;
mod lexemes;

pub use collect::index;
pub use index::{Declaration, DeclarationKind, ExportedName, Extent, FileIndex, Import};
pub use lexemes::{KEYWORDS, Lexeme, LexemeKind};
