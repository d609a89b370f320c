//! Repairs of one token, each proven by the parser: it gets past the line with the repair, and not without it.
//!
//! In: the tokens, and the place where the parser stopped. Out: the repairs that work.
//! Never: changes the tokens, or says what is meant.

use super::builder::Builder;
use super::csl::FileParser;
use super::stuck::Stuck;
use super::token::Token;
use lalrpop_util::ParseError;

/// How many tokens behind the error a repair must explain at least.
const FEWEST: usize = 4;

/// How many tokens behind the error are parsed again.
const MOST: usize = 60;

/// How long a declaration may be in front of the error: it is parsed again for each change.
const MOST_BEFORE: usize = 100_000;

/// A change of one token.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Change<'t> {
    /// Write a token in front of the one that does not fit.
    Insert(Token<'t>),
    /// Write another token in its place.
    Swap(Token<'t>),
    /// Remove it.
    Remove,
}

/// Punctuation that a repair may write: the most informative first.
const PUNCTUATION: [(&str, Token<'static>); 11] = [
    (":", Token::Colon),
    ("=", Token::Assign),
    (";", Token::Semi),
    (",", Token::Comma),
    (")", Token::RParen),
    ("]", Token::RBracket),
    ("}", Token::RBrace),
    ("=>", Token::FatArrow),
    ("->", Token::Arrow),
    ("|", Token::Pipe),
    (".", Token::Dot),
];

/// How a token that a repair writes is spelled.
pub fn spelling(token: Token) -> &'static str {
    PUNCTUATION.iter().find(|(_, known)| *known == token).map_or("..", |(text, _)| text)
}

/// All changes of one kind with which the parser goes on; of the first kind that has any. `from` is the first token of
/// the declaration.
pub fn changes<'t>(builder: &Builder, stuck: &Stuck<'_, 't>, from: usize) -> Vec<Change<'t>> {
    let fitting = || PUNCTUATION.iter().filter(|(text, _)| stuck.expects(text)).map(|(_, token)| *token);
    let works = |change: &Change<'t>| reaches_on(builder, stuck, from, *change);
    let insertable = fitting().filter(|token| is_plausible(stuck, *token));
    let inserted: Vec<_> = insertable.map(Change::Insert).filter(works).collect();
    let Some(found) = stuck.found().filter(|found| inserted.is_empty() && is_punctuation(*found)) else {
        return inserted;
    };
    // In front of a `;` rather a value is missing.
    let is_end = found == Token::Semi && stuck.expects("number");
    if can_go(found) && !is_end && works(&Change::Remove) {
        return vec![Change::Remove];
    }
    // A `;` is mistaken for no arrow or bracket.
    let can_end = matches!(found, Token::Colon | Token::Comma | Token::Dot);
    let swappable = fitting().filter(|token| can_end || *token != Token::Semi);
    let swapped: Vec<_> = swappable.map(Change::Swap).filter(works).collect();
    // A value is given more often than a type.
    let is_value = swapped.contains(&Change::Swap(Token::Assign));
    swapped.into_iter().filter(|change| !is_value || *change != Change::Swap(Token::Colon)).collect()
}

/// Whether a token that fits can have been forgotten: a `;` in the middle of a line only behind what is no name, because
/// two names in a row are more often a form of another language.
fn is_plausible(stuck: &Stuck, token: Token) -> bool {
    use Token::*;
    match token {
        Semi => stuck.on_new_line() || !matches!(stuck.before(1), Some(Ident(_))),
        Pipe => !stuck.expects("+"),
        Dot => matches!(stuck.before(1), Some(LBrace | DotBrace | Comma)),
        Colon => matches!(stuck.found(), Some(Ident(_) | Star | LBracket | Fn)),
        _ => true,
    }
}

/// Whether only a name or a value is missing.
pub fn lacks_operand(builder: &Builder, stuck: &Stuck, from: usize) -> bool {
    let operand = match (stuck.expects("number"), stuck.expects("name")) {
        (true, _) => Token::Number("0"),
        (false, true) => Token::Ident("_"),
        (false, false) => return false,
    };
    reaches_on(builder, stuck, from, Change::Insert(operand))
}

/// Whether the parser gets past the line with this change.
fn reaches_on<'t>(builder: &Builder, stuck: &Stuck<'_, 't>, from: usize, change: Change<'t>) -> bool {
    if stuck.at - from > MOST_BEFORE {
        return false;
    }
    let tokens = stuck.tokens;
    let last = stuck.line_end(stuck.at).max(stuck.at + FEWEST);
    let end = tokens.len().min(last + MOST);
    let (lo, hi) = tokens.get(stuck.at).map_or((usize::MAX, usize::MAX), |(lo, _, hi)| (*lo, *hi));
    let new = match change {
        Change::Insert(token) | Change::Swap(token) => Some((lo, token, lo)),
        Change::Remove => None,
    };
    let rest = match change {
        Change::Insert(_) => stuck.at,
        Change::Swap(_) | Change::Remove => stuck.at + 1,
    };
    let changed = tokens[from..stuck.at].iter().chain(&new).chain(tokens.get(rest..end).unwrap_or_default());
    let mut scratch = Builder::new(builder.file());
    match FileParser::new().parse(&mut scratch, changed.copied()) {
        Err(ParseError::UnrecognizedToken { token: (at, _, _), .. }) => {
            at > hi && tokens.get(last).is_some_and(|(end, _, _)| at > *end)
        }
        Ok(()) => true,
        // The end of what is parsed again may not be that of the file.
        Err(ParseError::UnrecognizedEof { .. }) => end < tokens.len(),
        Err(ParseError::InvalidToken { .. } | ParseError::ExtraToken { .. } | ParseError::User { .. }) => {
            false
        }
    }
}

/// Whether another token of punctuation can be meant.
fn is_punctuation(token: Token) -> bool {
    use Token::*;
    can_go(token) || matches!(token, EqEq | Dot | Less | Pipe | LParen | LBracket | LBrace)
}

/// Whether a token can be one too many.
fn can_go(token: Token) -> bool {
    use Token::*;
    matches!(token, RParen | RBracket | Comma | Semi | Colon | Arrow | FatArrow | Assign)
}
