//! Where the parser stopped.

use super::builder::Builder;
use super::token::{PlacedToken, Token};

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

    /// Whether a parenthesis or bracket that is open in front of a token closes behind it on the same line.
    pub fn is_enclosed(&self, at: usize) -> bool {
        let mut open = 0usize;
        for next in at + 1..self.tokens.len() {
            if begins_line(self.text, self.tokens, next) {
                return false;
            }
            match self.tokens[next].1 {
                Token::LParen | Token::LBracket | Token::LBrace | Token::DotBrace => open += 1,
                Token::RParen | Token::RBracket if open == 0 => return true,
                Token::RBrace if open == 0 => return false,
                Token::RParen | Token::RBracket | Token::RBrace => open -= 1,
                _ => {}
            }
        }
        false
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
        let start = self.tokens.partition_point(|(_, _, hi)| *hi <= done).min(self.at);
        // What stands for a piece that did not parse is not part of it.
        (start..self.at).find(|at| self.token(*at) != Some(Token::Broken)).unwrap_or(self.at)
    }

    /// Whether a `{` stands where only a value can, so that a list or a struct is meant: `= {`, `f({`,
    /// `= if (c) {`. A block there would have no value.
    pub fn opens_value(&self, open: usize) -> bool {
        use Token::*;
        let before = |at: usize| at.checked_sub(1).and_then(|at| self.token(at));
        let begins_value =
            |at: usize| matches!(before(at), Some(Assign | LParen | Comma | Return | DotBrace | LBracket));
        if self.token(open) != Some(LBrace) {
            return false;
        }
        match before(open) {
            Some(RParen) => {
                let word = self.open_before(open - 1).and_then(|paren| paren.checked_sub(1));
                word.is_some_and(|word| self.token(word) == Some(If) && begins_value(word))
            }
            Some(Else) => {
                let close = open.checked_sub(2).filter(|at| self.token(*at) == Some(RBrace));
                close.and_then(|close| self.open_before(close)).is_some_and(|first| self.opens_value(first))
            }
            Some(LBrace) => self.opens_array(open - 1),
            // Only the cases of a `switch` that is a value have values.
            Some(FatArrow) => {
                let cases = self.open_before(open);
                let close = cases.and_then(|cases| cases.checked_sub(1));
                let word =
                    close.and_then(|close| self.open_before(close)).and_then(|paren| paren.checked_sub(1));
                let ends = (open..self.tokens.len()).find(|at| matches!(self.tokens[*at].1, Semi | RBrace));
                let is_single = ends.is_some_and(|at| self.tokens[at].1 == RBrace);
                is_single && word.is_some_and(|word| self.token(word) == Some(Switch) && begins_value(word))
            }
            _ => begins_value(open),
        }
    }

    /// Whether a `{` opens the elements of an array: `[2]i16{`.
    pub fn opens_array(&self, open: usize) -> bool {
        let before = |distance: usize| open.checked_sub(distance).and_then(|at| self.token(at));
        let is_brace = self.token(open) == Some(Token::LBrace);
        is_brace && matches!((before(2), before(1)), (Some(Token::RBracket), Some(Token::Ident(_))))
    }

    /// The first token of the statement around the values in braces that the parser is in, and whether that is in a block.
    pub fn start_outside_of_values(&self, builder: &Builder) -> Option<(usize, bool)> {
        let blocks = &builder.progress().blocks;
        let mut depth = blocks.len();
        let mut at = self.at;
        while let Some(open) = self.open_before(at) {
            if self.opens_value(open) {
                depth = depth.checked_sub(1)?;
            } else if self.token(open) == Some(Token::LBrace) {
                break;
            }
            at = open;
        }
        if depth == blocks.len() {
            return None;
        }
        let done = depth.checked_sub(1).map_or(builder.progress().declared, |block| blocks[block].done);
        Some((self.tokens.partition_point(|(_, _, hi)| *hi <= done).min(self.at), depth > 0))
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

    /// Whether more braces close than open.
    pub fn closes_too_often(&self) -> bool {
        let count =
            |wanted: fn(&Token) -> bool| self.tokens.iter().filter(|(_, token, _)| wanted(token)).count();
        count(|token| matches!(token, Token::LBrace | Token::DotBrace))
            < count(|token| *token == Token::RBrace)
    }

    /// Whether the `{` of a function is missing, whose `}` is there.
    pub fn misses_brace_of_function(&self) -> bool {
        self.expects("{") && self.expects("linksection") && self.on_new_line() && self.closes_too_often()
    }

    /// Whether an `else` stands in the block of its `if`, which is not closed.
    pub fn misses_brace_of_if(&self) -> bool {
        let Some(open) = self.open_before(self.at).filter(|_| self.found() == Some(Token::Else)) else {
            return false;
        };
        let head = open.checked_sub(1).filter(|close| self.token(*close) == Some(Token::RParen));
        let word = head.and_then(|close| self.open_before(close)).and_then(|paren| paren.checked_sub(1));
        let is_if = word.is_some_and(|word| self.token(word) == Some(Token::If));
        is_if && self.at_statement() && self.unbalanced()
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
