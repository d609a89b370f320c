//! Error recovery: runs the generated parser, and repairs the tokens at each syntax error.
//!
//! A broken statement or declaration is replaced by one `Broken` token, a missing `;`, `,` or
//! bracket is inserted, and the declaration is parsed again. LALRPOP's own `!` drops tokens until
//! one fits, without regard for brackets, and then reports code that is correct.

use super::MOST_PROBLEMS;
use super::builder::Builder;
use super::corrections::head_with_semicolons;
use super::csl::FileParser;
use super::explain;
use super::stuck::{Stuck, begins_line};
use super::token::{PlacedToken, Token};
use lalrpop_util::ParseError;

/// A repair of the tokens that lets the parser continue.
enum Repair<'t> {
    /// Insert tokens, all of one kind, before a position.
    Insert { at: usize, token: Token<'t>, times: usize },
    /// Read tokens as another one.
    Swap { at: Vec<usize>, token: Token<'t> },
    /// Replace these by one `Broken`.
    Replace { from: usize, to: usize },
}

/// Parses the tokens of a file into the builder; reports and repairs until nothing is left to do.
pub fn parse<'t>(builder: &mut Builder, text: &'t str, mut tokens: Vec<PlacedToken<'t>>) {
    let mut ended = false;
    for _ in 0..MOST_PROBLEMS {
        let from = tokens.partition_point(|(_, _, hi)| *hi <= builder.progress().declared);
        let Err(error) = FileParser::new().parse(builder, tokens[from..].iter().copied()) else { return };
        let (place, expected) = match error {
            ParseError::UnrecognizedToken { token, expected } => (Some((token.0, token.2)), expected),
            ParseError::UnrecognizedEof { expected, .. } => (None, expected),
            ParseError::InvalidToken { .. } | ParseError::ExtraToken { .. } | ParseError::User { .. } => {
                unreachable!("the scanner gives only tokens, and the grammar ends at the end of the file")
            }
        };
        let at = place.map_or(tokens.len(), |place| find(&tokens, place));
        let expected = expected.iter().map(|quoted| quoted.trim_matches('"').to_string()).collect();
        let stuck = Stuck { text, tokens: &tokens, at, expected };
        if !ended {
            explain::report(builder, &stuck);
        }
        // Whatever else is missing at the end follows from the first thing that is.
        ended = at == tokens.len();
        let repair = repair(builder, &stuck);
        builder.rewind();
        if let Repair::Replace { from, to } = &repair {
            builder.hide(tokens[*from.min(to)..(*to).min(tokens.len())].iter().map(|(_, token, _)| *token));
        }
        apply(&mut tokens, repair);
    }
    // What follows is not parsed.
    builder.hide(tokens.iter().map(|(_, token, _)| *token));
}

/// The token at this position; several can share it, because inserted tokens have no width.
fn find(tokens: &[PlacedToken], (lo, hi): (usize, usize)) -> usize {
    tokens.partition_point(|token| (token.0, token.2) < (lo, hi))
}

fn apply<'t>(tokens: &mut Vec<PlacedToken<'t>>, repair: Repair<'t>) {
    match repair {
        Repair::Insert { at, token, times } => {
            let place = at.checked_sub(1).map_or(0, |before| tokens[before].2);
            tokens.splice(at..at, std::iter::repeat_n((place, token, place), times));
        }
        Repair::Swap { at, token } => at.into_iter().for_each(|at| tokens[at].1 = token),
        Repair::Replace { from, to } => {
            // At the end of the file nothing is left to replace but the last token.
            let to = to.clamp(1, tokens.len());
            let from = from.min(to - 1);
            let broken = (tokens[from].0, Token::Broken, tokens[to - 1].2);
            tokens.splice(from..to, [broken]);
        }
    }
}

fn repair<'t>(builder: &Builder, stuck: &Stuck<'_, 't>) -> Repair<'t> {
    let progress = builder.progress();
    let insert = |token: Token<'t>| Repair::Insert { at: stuck.at, token, times: 1 };
    if stuck.in_unclosed_block() {
        let times = progress.blocks.len().max(1);
        return Repair::Insert { at: stuck.at, token: Token::RBrace, times };
    }
    if let Some((from, in_block)) = stuck.start_outside_of_values(builder) {
        return Repair::Replace { from, to: stuck.end_of_broken(from, in_block).max(from + 1) };
    }
    if stuck.misses_brace_of_function() {
        return insert(Token::LBrace);
    }
    if stuck.misses_brace_of_if() {
        return insert(Token::RBrace);
    }
    if let Some(dot) = stuck.missing_comma() {
        return Repair::Insert { at: dot, token: Token::Comma, times: 1 };
    }
    if let Some(token) = stuck.missing_token() {
        return insert(token);
    }
    if stuck.semicolon_for_comma() {
        return Repair::Swap { at: stuck.semicolons_of_list(), token: Token::Comma };
    }
    let from = if stuck.expects("broken") { stuck.at } else { stuck.start(builder) };
    let in_block = stuck.at_statement() || (!stuck.at_declaration() && !progress.blocks.is_empty());
    Repair::Replace { from, to: stuck.end_of_broken(from, in_block).max(from + 1) }
}

impl<'t> Stuck<'_, 't> {
    /// In `.{ .a = 1 .b = 2 }` the parser reads `1 .b` as a field of `1`; returns the position of the
    /// dot in front of which the comma is missing.
    pub fn missing_comma(&self) -> Option<usize> {
        let field = self.found() == Some(Token::Assign)
            && matches!(self.before(1), Some(Token::Ident(_)))
            && self.before(2) == Some(Token::Dot);
        (field && self.expects(",")).then(|| self.at - 2)
    }

    /// The one token whose absence explains the error, if there is one.
    pub fn missing_token(&self) -> Option<Token<'t>> {
        use Token::*;
        if !self.after_operand() && !matches!(self.before(1), Some(Return | Break | Continue)) {
            return None;
        }
        let found = self.found();
        let ends = matches!(found, None | Some(RBrace)) || self.on_new_line();
        if self.expects(";") && ends {
            return Some(Semi);
        }
        if let Some(close) = self.missing_bracket() {
            return Some(close);
        }
        match found {
            Some(Semi) if self.is_enclosed(self.at) => None,
            Some(Semi | LBrace) if self.expects(")") && !self.expects(":") => Some(RParen),
            Some(Semi) if self.expects("]") => Some(RBracket),
            Some(Ident(_) | Number(_) | Str(_) | Builtin(_) | DotBrace | Else)
                if self.expects(",") && self.on_new_line() =>
            {
                Some(Comma)
            }
            _ => None,
        }
    }

    /// The bracket that is missing in front of one of another kind: `f(.{ 1 )`.
    fn missing_bracket(&self) -> Option<Token<'t>> {
        let close = self.token(self.open_before(self.at)?)?.closing()?;
        let found = self.found().filter(|f| matches!(f, Token::RParen | Token::RBracket | Token::RBrace))?;
        (found != close && self.expects(close.text())).then_some(close)
    }

    /// One past the last token of the broken statement (or declaration) that begins at `from`.
    fn end_of_broken(&self, from: usize, in_block: bool) -> usize {
        use Token::*;
        // Brackets that were opened since `from`.
        let mut open: Vec<Token> = Vec::new();
        // A `;` in the head of a loop does not end the statement.
        let head = head_with_semicolons(self, from).map_or(from..from, |(first, last)| first..last + 1);
        for (at, (_, token, _)) in self.tokens.iter().enumerate().skip(from) {
            let in_braces = open.iter().any(|bracket| matches!(bracket, LBrace | DotBrace));
            let past = at >= self.at;
            match token {
                LParen | LBracket | LBrace | DotBrace => open.push(*token),
                RParen | RBracket if matches!(open.last(), Some(LParen | LBracket)) => drop(open.pop()),
                RBrace if in_braces => {
                    while matches!(open.pop(), Some(LParen | LBracket)) {}
                    if past && open.is_empty() && self.begins_anew(at + 1) {
                        return at + 1;
                    }
                }
                RBrace if past && in_block => return at,
                Semi if head.contains(&at)
                    || matches!(open.last(), Some(LParen | LBracket)) && self.is_enclosed(at) => {}
                // The rest of a block that was closed too early counts as one mistake, not many.
                RBrace | Semi if past && !in_braces && !self.at_declaration() => return at + 1,
                _ if past && at > from && !in_braces && self.begins_next(at, in_block) => return at,
                _ => (),
            }
        }
        self.tokens.len()
    }

    /// Whether the token is the first of its line and starts a new statement or declaration.
    fn begins_next(&self, at: usize, in_block: bool) -> bool {
        let (lo, token, _) = self.tokens[at];
        let begins = match in_block {
            true => token.starts_statement(),
            // At the top level, whatever is not indented.
            false => token == Token::Const || self.text[..lo].ends_with('\n') && token != Token::RBrace,
        };
        (begins || token.starts_declaration()) && begins_line(self.text, self.tokens, at)
    }

    /// Whether a new statement or declaration can start after a `}`.
    fn begins_anew(&self, at: usize) -> bool {
        use Token::*;
        let new = |token: Token| {
            matches!(token, Ident(_) | Builtin(_) | RBrace | Comptime | Inline | If | Switch | Extern)
                || token.starts_statement()
                || token.starts_declaration()
        };
        self.token(at).is_none_or(new)
    }
}
