//! Explains a syntax error in the terms of CSL.

use super::builder::Builder;
use super::scan::PlacedToken;
use super::token::Token;
use crate::diagnostics::Diag;
use crate::diagnostics::rules::syntax::{NOT_CSL, SYNTAX_ERROR};

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

    /// Whether more braces open than close; if not, a declaration in a block was meant to be there.
    fn unbalanced(&self) -> bool {
        let count =
            |wanted: fn(&Token) -> bool| self.tokens.iter().filter(|(_, token, _)| wanted(token)).count();
        count(|token| matches!(token, Token::LBrace | Token::DotBrace))
            > count(|token| *token == Token::RBrace)
    }
}

/// Reports the error to the builder, unless it was reported before.
pub fn report(builder: &mut Builder, stuck: &Stuck) {
    if stuck.found() == Some(Token::Broken) || is_ours(stuck) {
        return;
    }
    if let Some(diag) = old_declaration(builder, stuck) {
        builder.complain(diag);
        return;
    }
    let (lo, hi) = place(stuck);
    let facts: [(&str, &dyn std::fmt::Display); 2] =
        [("expected", &expectation(stuck)), ("found", &finding(stuck))];
    let mut diag = SYNTAX_ERROR.because(&facts).at(builder.span(lo, hi));
    if stuck.in_unclosed_block()
        && let Some(block) = builder.progress().blocks.last()
    {
        diag = diag.also(builder.span(block.brace, block.brace + 1), "still open here");
    }
    if let Some(help) = advice(stuck) {
        diag = diag.help(help);
    }
    builder.complain(diag);
}

/// Whether the token that does not fit was inserted by a repair.
fn is_ours(stuck: &Stuck) -> bool {
    stuck.tokens.get(stuck.at).is_some_and(|(lo, _, hi)| lo == hi)
}

/// `color name;` declared a color in the first versions of CSL.
fn old_declaration(builder: &Builder, stuck: &Stuck) -> Option<Diag> {
    let (lo, token, _) = stuck.tokens.get(stuck.at)?;
    let (_, next, hi) = stuck.tokens.get(stuck.at + 1)?;
    match (token, next) {
        (Token::Ident("color"), Token::Ident(name)) if stuck.at_declaration() => Some(
            NOT_CSL
                .because(&[("what", &format!("`color {name};`"))])
                .at(builder.span(*lo, *hi))
                .help(format!("write `const {name}: color = @get_color(0);` or `param {name}: color;`")),
        ),
        _ => None,
    }
}

/// The token that does not fit, or the gap in which something is missing.
fn place(stuck: &Stuck) -> (usize, usize) {
    if let Some(dot) = stuck.missing_comma() {
        let end = stuck.tokens[dot - 1].2;
        return (end, end);
    }
    match stuck.tokens.get(stuck.at) {
        Some((lo, _, hi)) if !(stuck.on_new_line() && is_gap(stuck)) => (*lo, *hi),
        _ => (stuck.end_before(), stuck.end_before()),
    }
}

/// Whether only punctuation would fit, which belongs directly after the previous token.
fn is_gap(stuck: &Stuck) -> bool {
    !stuck.expects("number") && !stuck.expects("name") && !stuck.expects("broken")
}

fn finding(stuck: &Stuck) -> String {
    let Some((lo, token, hi)) = stuck.tokens.get(stuck.at) else { return "the end of the file".to_string() };
    if let Some(dot) = stuck.missing_comma() {
        return format!("`{}`", &stuck.text[stuck.tokens[dot].0..stuck.tokens[dot + 1].2]);
    }
    match token {
        Token::Str(_) => "a string".to_string(),
        Token::AsmText => "`asm`".to_string(),
        _ => format!("`{}`", &stuck.text[*lo..*hi]),
    }
}

/// A short description of the tokens that would fit.
fn expectation(stuck: &Stuck) -> String {
    let expects = |terminal| stuck.expects(terminal);
    let operand = expects("number");
    if stuck.in_unclosed_block() {
        return "`}`".to_string();
    }
    let words = match stuck.before(1) {
        _ if stuck.at_declaration() => "a declaration",
        Some(Token::FatArrow) => "a value or a statement",
        _ if expects("return") => "a statement",
        _ if operand && !expects("-") && expects("comptime") => "a parameter",
        _ if operand && !expects("-") => "a type",
        Some(Token::Colon) if operand => "a type",
        _ if operand => "an expression",
        _ => return punctuation(stuck),
    };
    words.to_string()
}

/// Terminals worth mentioning, the most informative first, and whether they are expected after an operand.
const TELLING: [(&str, bool); 16] = [
    ("name", true),
    (":", false),
    ("=", true),
    (";", true),
    (",", true),
    (")", true),
    ("]", true),
    ("}", true),
    ("=>", true),
    ("|", false),
    ("->", true),
    ("{", false),
    ("(", false),
    (".", false),
    ("for", true),
    ("else", false),
];

/// `` `,` or `)` ``
fn punctuation(stuck: &Stuck) -> String {
    let behind_operand = stuck.after_operand();
    let told: Vec<String> = TELLING
        .iter()
        .filter(|(terminal, always)| stuck.expects(terminal) && (*always || !behind_operand))
        .map(|(terminal, _)| match *terminal {
            "name" => "a name".to_string(),
            "for" => "a loop".to_string(),
            _ => format!("`{terminal}`"),
        })
        .take(3)
        .collect();
    match told.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => stuck.expected.first().map_or("nothing more".to_string(), |first| format!("`{first}`")),
    }
}

const FLOAT: &str = "a float has digits on both sides of its point";

/// The help for a common mistake.
fn advice(stuck: &Stuck) -> Option<String> {
    use Token::*;
    let found = stuck.found()?;
    let help = match (stuck.before(1).unwrap_or(Broken), found) {
        (_, word) if stuck.at_statement() && word.starts_declaration() => match word {
            Fn | Task => "close the block first; functions and tasks are only allowed at the top level",
            _ => "this word is only allowed at the top level",
        },
        (LBracket, RBracket) => "there are no slices; write `[n]T` for an array or `[*]T` for a pointer",
        (RParen, LBrace) if stuck.expects("align") => "write the return type, `void` if it returns nothing",
        (_, Arrow) if stuck.expects("align") => "write the return type without an arrow",
        (RParen, LBrace) if stuck.expects("|") => "name the element: `for (..) |element| { .. }`",
        (If | While | Switch | For, _) => "what follows the keyword must be in parentheses",
        (Semi, Else) => "write no `;` in front of `else`",
        (_, Else) if stuck.at_statement() => "this `else` has no `if`",
        (_, Assign) if stuck.expects(")") => "`==` compares, `=` only assigns as a statement",
        (_, Star) if stuck.at_statement() => "write `p.* = x` to store through a pointer",
        (_, Dot) if matches!(stuck.after(1), Some(Number(_))) => FLOAT,
        (Dot, _) if matches!(stuck.before(2), Some(Number(_))) => FLOAT,
        (_, Dot) if stuck.expects("number") => "write the type in front of the dot, as in `Enum.member`",
        (_, Ident("pub")) => "every top-level declaration is visible from outside",
        (_, Ident("noinline")) => "remove it; only `inline` functions are inlined",
        (_, Ident(_)) if matches!(stuck.before(1), Some(Ident("let" | "int" | "float" | "uint"))) => {
            "declare with `var` or `const`, as in `var x: i16 = 0;`"
        }
        (_, word) if stuck.expects("name") && !stuck.expects("number") => {
            return keyword(stuck, word);
        }
        _ => return None,
    };
    Some(help.to_string())
}

/// The message about a keyword in place of a name.
fn keyword(stuck: &Stuck, word: Token) -> Option<String> {
    let (lo, _, hi) = stuck.tokens[stuck.at];
    let text = &stuck.text[lo..hi];
    let is_word = text.bytes().all(|b| b.is_ascii_alphabetic()) && !matches!(word, Token::Ident(_));
    is_word.then(|| format!("`{text}` is a word of CSL and cannot be a name"))
}

pub fn begins_line(text: &str, tokens: &[PlacedToken], at: usize) -> bool {
    let Some((lo, _, _)) = tokens.get(at) else { return true };
    let end = at.checked_sub(1).map_or(0, |before| tokens[before].2);
    text[end..*lo].contains('\n')
}
