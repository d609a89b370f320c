//! The CSL grammar for tree-sitter.
//!
//! ```
//! let csl: tree_sitter::Language = tree_sitter_csl::LANGUAGE.into();
//! let mut parser = tree_sitter::Parser::new();
//! parser.set_language(&csl).expect("the library reads this version");
//! let tree = parser.parse("task main() void {}", None).expect("no time limit");
//! assert!(!tree.root_node().has_error());
//! ```

#[cfg(feature = "pieces")]
mod pieces;

#[cfg(feature = "pieces")]
pub use pieces::pieces;

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_csl() -> *const ();
}

/// The grammar.
// SAFETY: the generated parser defines this function, and it returns its language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_csl) };

/// Which color each word has, for tree-sitter's highlighters.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");
