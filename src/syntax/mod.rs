//! Text to tree.
//!
//! In: a `FileId` and its text. Out: `Parsed { file, problems }`; **parsing never fails**.
//! Never: resolves a name, or knows a type.

pub mod ast;
mod builder;
mod corrections;
mod depth;
mod explain;
pub mod foreign;
mod foreign_operators;
mod literal;
mod recover;
mod scan;
mod stuck;
mod token;
mod trial;

pub(crate) use token::Token;

use crate::diagnostics::Diag;
use crate::source::FileId;
use builder::Builder;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unused)]
    csl
);

/// Maximum number of syntax errors to report; further ones would hide the first ones.
const MOST_PROBLEMS: usize = 20;

/// A file as far as it could be understood.
#[derive(Debug)]
pub struct Parsed {
    /// The tree; pieces that did not parse are `Error` nodes or missing.
    pub file: ast::File,
    /// The diagnostics, in the order of the text.
    pub problems: Vec<Diag>,
}

/// Parses a file. Every text results in a tree.
pub fn parse(file: FileId, text: &str) -> Parsed {
    let scan::Scanned { tokens, mut problems, parsable } = scan::scan(file, text);
    let mut builder = Builder::new(file);
    match parsable {
        true => recover::parse(&mut builder, text, tokens),
        false => builder.hide(tokens.into_iter().map(|(_, token, _)| token)),
    }
    problems.retain(|problem| !builder.is_covered(problem));
    let (file, more) = builder.finish();
    problems.extend(more);
    problems.sort_by_key(|problem| problem.0.primary.as_ref().map(|label| label.span));
    problems.truncate(MOST_PROBLEMS);
    Parsed { file, problems }
}

#[cfg(test)]
mod tests;
