//! Where the parser stopped.

use super::builder::Builder;
use super::scan::PlacedToken;
use super::token::Token;

/// The position and state of the parser at a syntax error.
pub struct Stuck<'a, 't> {
    /// The text of the file.
    pub text: &'t str,
    /// All tokens of the file.
    pub tokens: &'a [PlacedToken<'t>],
    /// The token that does not fit; one past the last at the end of the file.
    pub at: usize,
    /// The terminals of the grammar that would fit, without quotes.
    pub expected: Vec<String>,
}

impl<'t> Stuck<'_, 't> {
    /// Whether a terminal would have fitted.
    pub fn expects(&self, terminal: &str) -> bool {
        self.expected.iter().any(|e| e == terminal)
    }

    /// The token that does not fit; `None` at the end of the file.
    pub fn found(&self) -> Option<Token<'t>> {
        self.token(self.at)
    }

    /// The token this many places before it.
    pub fn before(&self, distance: usize) -> Option<Token<'t>> {
        self.at.checked_sub(distance).and_then(|at| self.token(at))
    }

    /// The token this many places after it.
    pub fn after(&self, distance: usize) -> Option<Token<'t>> {
        self.token(self.at + distance)
    }

    /// A token of the file; `None` after the last one.
    pub fn token(&self, at: usize) -> Option<Token<'t>> {
        self.tokens.get(at).map(|(_, token, _)| *token)
    }

    /// Where the token before it ends.
    pub fn end_before(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |at| self.tokens[at].2)
    }

    /// Whether it is the first of its line, or the end of the file.
    pub fn on_new_line(&self) -> bool {
        begins_line(self.text, self.tokens, self.at)
    }

    /// Whether the tokens before it form a complete operand.
    pub fn after_operand(&self) -> bool {
        // A return type is followed by a body, so it does not end an expression.
        let body_is_due = self.expects("{") && !self.expects("+");
        let ended = self.before(1).is_some_and(Token::ends_operand);
        ended && !self.expects("number") && !body_is_due
    }

    /// Whether a statement could begin here.
    pub fn at_statement(&self) -> bool {
        self.expects("broken") && !self.at_declaration()
    }

    /// Whether a top-level declaration could begin here.
    pub fn at_declaration(&self) -> bool {
        self.expects("layout")
    }

    /// Whether the `}` of a block is missing: the file ends, or a declaration begins, inside of it.
    pub fn in_unclosed_block(&self) -> bool {
        self.at_statement()
            && self.found().is_none_or(|token| token.starts_declaration() && self.unbalanced())
    }

    /// The first token of the statement or declaration that the parser is in.
    pub fn start(&self, builder: &Builder) -> usize {
        if self.at_declaration() {
            return self.at;
        }
        let progress = builder.progress();
        let done = progress.blocks.last().map_or(progress.declared, |block| block.done);
        self.tokens.partition_point(|(_, _, hi)| *hi <= done).min(self.at)
    }

    /// The brace of the block whose `}` is missing: of those that are open, or of which a `}` further to the left
    /// seems to close the one around it.
    pub fn unclosed_block(&self) -> Option<usize> {
        if !self.in_unclosed_block() {
            return None;
        }
        let mut open: Vec<(usize, usize)> = Vec::new();
        for at in 0..self.at {
            match self.tokens[at].1 {
                Token::LBrace | Token::DotBrace => open.push((at, self.indentation(at))),
                Token::RBrace => {
                    let begins = begins_line(self.text, self.tokens, at);
                    match open.last() {
                        Some((brace, indentation)) if begins && self.indentation(at) < *indentation => {
                            return Some(*brace);
                        }
                        _ => drop(open.pop()),
                    }
                }
                _ => {}
            }
        }
        open.last().map(|(brace, _)| *brace)
    }

    /// How far the line of a token is indented.
    fn indentation(&self, at: usize) -> usize {
        let line = self.text[..self.tokens[at].0].rsplit('\n').next().unwrap_or_default();
        line.len() - line.trim_start().len()
    }

    /// Whether more braces open than close; if not, a declaration in a block was meant to be there.
    fn unbalanced(&self) -> bool {
        let count =
            |wanted: fn(&Token) -> bool| self.tokens.iter().filter(|(_, token, _)| wanted(token)).count();
        count(|token| matches!(token, Token::LBrace | Token::DotBrace))
            > count(|token| *token == Token::RBrace)
    }
}

/// Whether a token is the first of its line, or the end of the file.
pub fn begins_line(text: &str, tokens: &[PlacedToken], at: usize) -> bool {
    let Some((lo, _, _)) = tokens.get(at) else { return true };
    let end = at.checked_sub(1).map_or(0, |before| tokens[before].2);
    text[end..*lo].contains('\n')
}
