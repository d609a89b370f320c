//! From the words of the parser generator to those of CSL.

use super::builder::Builder;
use super::csl::FileParser;
use super::scan::Placed;
use crate::diagnostics::rules::syntax::SYNTAX_ERROR;
use lalrpop_util::ParseError;

/// Parses the tokens of a file into the builder.
pub fn parse(builder: &mut Builder, tokens: Vec<Placed>) {
    let Err(error) = FileParser::new().parse(builder, tokens.iter().copied()) else { return };
    let (lo, hi, expected) = match error {
        ParseError::UnrecognizedToken { token, expected } => (token.0, token.2, expected),
        ParseError::UnrecognizedEof { location, expected } => (location, location, expected),
        _ => unreachable!("the lexer and the actions give no errors"),
    };
    let complaint = SYNTAX_ERROR.because(&[("expected", &expected.join(", ")), ("found", &"something else")]);
    let span = builder.span(lo, hi);
    builder.complain(complaint.at(span));
}
