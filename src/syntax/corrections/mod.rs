//! Frequent mistakes, and habits from other languages: what is meant by the text at which the parser stops.
//!
//! In: the tokens, and the place where the parser stopped. Out: a [`Correction`].
//! Never: changes the tokens, or decides how parsing continues.

mod accesses;
mod forms;
mod functions;
mod heads;
mod loops;
mod members;
mod operators;
mod outside;
mod starts;
mod types;
mod values;
mod words;

pub use forms::form;
pub use loops::head_with_semicolons;

use super::stuck::{Stuck, begins_line};
use super::token::Token;

/// What is wrong, and what to write.
pub struct Correction {
    /// What is not part of CSL; `None` if it is CSL with a mistake.
    pub foreign: Option<String>,
    /// What would fit and what is there, where that is another thing than the parser stopped at.
    pub said: Option<(&'static str, String)>,
    /// The bytes that the message points at; `None` if these are the place where the parser stopped.
    pub place: Option<(usize, usize)>,
    /// The text that the message is about: what else is wrong there is not reported.
    pub covers: (usize, usize),
    /// What to write.
    pub help: String,
    /// The same as a change of the text, if it is certain.
    pub edit: Option<((usize, usize), String)>,
}

impl Correction {
    /// A mistake in CSL.
    fn slip(help: impl Into<String>) -> Correction {
        Correction { foreign: None, said: None, place: None, covers: (0, 0), help: help.into(), edit: None }
    }

    /// A form of another language, between two bytes.
    fn foreign(what: impl Into<String>, place: (usize, usize), help: impl Into<String>) -> Correction {
        let what: String = what.into();
        let foreign = Some(format!("`{}`", what.split_whitespace().collect::<Vec<_>>().join(" ")));
        Correction { foreign, place: Some(place), covers: place, ..Correction::slip(help) }
    }

    /// The message is that something else was expected than was found, at the place.
    fn saying(self, place: (usize, usize), expected: &'static str, found: &str) -> Correction {
        let found = format!("`{}`", found.split_whitespace().collect::<Vec<_>>().join(" "));
        Correction { said: Some((expected, found)), place: Some(place), ..self }
    }

    /// The change that does what the help says.
    fn edit(self, place: (usize, usize), with: impl Into<String>) -> Correction {
        Correction { edit: Some((place, with.into())), ..self }
    }

    /// The change, if it is certain.
    fn edit_if(self, is_certain: bool, place: (usize, usize), with: impl Into<String>) -> Correction {
        if is_certain { self.edit(place, with) } else { self }
    }

    /// What else is wrong between these bytes is part of the same mistake.
    fn covers(self, covers: (usize, usize)) -> Correction {
        Correction { covers, ..self }
    }
}

impl Correction {
    /// The word of another language, if it is one: it is no name.
    pub fn words<'t>(&self, stuck: &Stuck<'_, 't>) -> Vec<Token<'t>> {
        let Some((lo, hi)) = self.place.filter(|_| self.foreign.is_some()) else { return Vec::new() };
        let inside = |(from, _, to): &&(usize, Token<'t>, usize)| lo <= *from && *to <= hi;
        let words: Vec<_> = stuck.tokens.iter().filter(inside).map(|(_, token, _)| *token).collect();
        if words.len() == 1 { words } else { Vec::new() }
    }
}

/// The correction of the mistake at which the parser stopped; `start` is the first token of the statement or
/// declaration around it.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    accesses::correction(stuck, start)
        .or_else(|| loops::correction(stuck, start))
        .or_else(|| heads::correction(stuck))
        .or_else(|| functions::correction(stuck, start))
        .or_else(|| members::correction(stuck, start))
        .or_else(|| types::correction(stuck, start))
        .or_else(|| operators::correction(stuck))
        .or_else(|| values::correction(stuck, start))
        .or_else(|| starts::correction(stuck, start))
        .or_else(|| words::correction(stuck, start))
        .or_else(|| words::block_of_word(stuck, start))
}

/// The name of a word.
fn name(token: Option<Token<'_>>) -> Option<&str> {
    match token {
        Some(Token::Ident(name)) => Some(name),
        _ => None,
    }
}

/// Looking around among the tokens.
impl<'t> Stuck<'_, 't> {
    /// The text from one token to another, inclusive.
    fn words(&self, from: usize, to: usize) -> &'t str {
        let (lo, hi) = self.bytes(from, to);
        self.text.get(lo..hi).unwrap_or_default()
    }

    /// The bytes from one token to another, inclusive.
    fn bytes(&self, from: usize, to: usize) -> (usize, usize) {
        let last = self.tokens.len() - 1;
        let lo = self.tokens[from.min(last)].0;
        (lo, self.tokens[to.min(last)].2.max(lo))
    }

    /// The bracket that closes the one at this place.
    fn close_of(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        (open..self.tokens.len()).find(|at| {
            match self.tokens[*at].1 {
                Token::LParen | Token::LBracket | Token::LBrace | Token::DotBrace => depth += 1,
                Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    }

    /// The bracket that is open in front of a token.
    pub fn open_before(&self, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        (0..at).rev().find(|at| match self.tokens[*at].1 {
            Token::RParen | Token::RBracket | Token::RBrace => {
                depth += 1;
                false
            }
            Token::LParen | Token::LBracket | Token::LBrace | Token::DotBrace if depth == 0 => true,
            Token::LParen | Token::LBracket | Token::LBrace | Token::DotBrace => {
                depth -= 1;
                false
            }
            _ => false,
        })
    }

    /// The last token of the operand that begins at a token: a name, number or bracket, and its suffixes.
    fn operand_end(&self, at: usize) -> Option<usize> {
        let mut end = match self.token(at)? {
            Token::Ident(_) | Token::Number(_) | Token::Str(_) => at,
            Token::LParen => self.close_of(at)?,
            Token::Builtin(_) => self.close_of(at + 1)?,
            _ => return None,
        };
        loop {
            end = match self.token(end + 1) {
                Some(Token::Dot) if name(self.token(end + 2)).is_some() => end + 2,
                Some(Token::LParen | Token::LBracket) => self.close_of(end + 1)?,
                Some(Token::DotStar) => end + 1,
                _ => return Some(end),
            };
        }
    }

    /// The first token of the operand that ends with a token.
    fn operand_start(&self, end: usize) -> Option<usize> {
        let mut at = end;
        loop {
            let before = |distance: usize| at.checked_sub(distance).and_then(|at| self.token(at));
            at = match self.token(at)? {
                Token::RParen | Token::RBracket => self.open_before(at)?,
                Token::DotStar => at.checked_sub(1)?,
                Token::Ident(_) if before(1) == Some(Token::Dot) => at.checked_sub(2)?,
                Token::Ident(_) | Token::Number(_) | Token::Builtin(_) => return Some(at),
                _ => return None,
            };
            let is_called = |token: Option<Token>| {
                token.is_some_and(|t| matches!(t, Token::Ident(_) | Token::Builtin(_) | Token::RBracket))
            };
            if matches!(self.token(at), Some(Token::LParen))
                && !is_called(at.checked_sub(1).and_then(|a| self.token(a)))
            {
                return Some(at);
            }
            if matches!(self.token(at), Some(Token::LParen | Token::LBracket)) {
                at = at.checked_sub(1)?;
            }
        }
    }

    /// Whether two tokens follow each other without a blank.
    fn adjoins(&self, at: usize) -> bool {
        at + 1 < self.tokens.len() && self.tokens[at].2 == self.tokens[at + 1].0
    }

    /// The word in front of the parentheses that close at this place.
    fn head_word(&self, close: usize) -> Option<Token<'t>> {
        self.open_before(close).and_then(|open| self.before_token(open))
    }

    /// The token in front of one.
    fn before_token(&self, at: usize) -> Option<Token<'t>> {
        at.checked_sub(1).and_then(|at| self.token(at))
    }

    /// The number of the line of a token, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.text[..self.tokens[at].0].matches('\n').count() + 1
    }

    /// The last token of the line of a token.
    pub fn line_end(&self, at: usize) -> usize {
        (at + 1..self.tokens.len())
            .find(|next| begins_line(self.text, self.tokens, *next))
            .unwrap_or(self.tokens.len())
            - 1
    }

    /// Whether a name is declared anywhere. The type of `const u16 n` is not.
    fn declares(&self, name: &str) -> bool {
        use Token::*;
        self.tokens.windows(2).enumerate().any(|(at, pair)| match (pair[0].1, pair[1].1) {
            (Var | Const | Param, Ident(n)) => n == name && !matches!(self.token(at + 2), Some(Ident(_))),
            (Fn | Task, Ident(n)) | (Ident(n), Colon) => n == name,
            _ => false,
        })
    }

    /// Whether a name is assigned to, or its address is taken, anywhere.
    fn changes(&self, name: &str) -> bool {
        use Token::*;
        self.tokens.windows(2).any(|pair| match (pair[0].1, pair[1].1) {
            (Amp, Ident(n)) => n == name,
            // `n++`
            (Ident(n), Broken) => n == name,
            (
                Ident(n),
                AddAssign | SubAssign | MulAssign | DivAssign | RemAssign | ShlAssign | ShrAssign | AndAssign
                | OrAssign | XorAssign | LBracket,
            ) => n == name,
            (Semi | LBrace | RBrace | RParen | Else, Ident(n)) if n == name => {
                let at = self.tokens.partition_point(|token| token.0 < pair[1].0);
                self.token(at + 1) == Some(Assign)
            }
            _ => false,
        })
    }
}
