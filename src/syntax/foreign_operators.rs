//! Operators of other languages: what CSL has in their place, told by the tokens in front of them and the text behind.
//!
//! In: an operator that CSL does not have, and where it stands. Out: a diagnostic, and the token that it is read as.
//! Never: looks at more than the statement around it.

use super::token::{PlacedToken, Token};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::syntax::NOT_CSL;
use crate::source::{FileId, Span};

/// An operator, and where it stands.
pub struct Operator<'a, 't> {
    /// The file.
    pub file: FileId,
    /// The text of the file.
    pub text: &'t str,
    /// The tokens in front of it.
    pub tokens: &'a [PlacedToken<'t>],
    /// Its first byte.
    pub lo: usize,
    /// The operator.
    pub word: &'t str,
    /// The text behind it.
    pub rest: &'t str,
}

/// What an operator is read as.
pub struct Reading {
    /// The token in its place, if it has one.
    pub token: Option<Token<'static>>,
    /// What is said about it, without a place.
    pub diag: Diag,
    /// The bytes behind it that belong to it.
    pub more: usize,
}

/// Whether a statement begins behind this token.
pub fn begins_statement(token: Token) -> bool {
    matches!(token, Token::Semi | Token::LBrace | Token::RBrace)
}

impl<'t> Operator<'_, 't> {
    /// What it is read as.
    pub fn reading(&self) -> Reading {
        let diag = |word: &str| NOT_CSL.because(&[("what", &format!("`{word}`"))]);
        let plain = |token, diag| Reading { token: Some(token), diag, more: 0 };
        if self.word == "--" && self.begins_comment() {
            let diag =
                diag("--").help("begin a comment with `//`").replace(self.span(self.lo, self.hi()), "//");
            return Reading { token: None, diag, more: self.rest.lines().next().map_or(0, str::len) };
        }
        let assigns = self.rest.starts_with('=') && !self.rest.starts_with("==");
        match self.word {
            "&&" | "||" | "**" | "?" | "+%" | "-%" | "*%" if assigns => self.assigning(),
            "++" | "--" => plain(Token::Broken, self.step(diag(self.word))),
            "&&" | "||" => self.logic(diag(self.word)),
            "+%" | "-%" | "*%" => {
                let (token, with) = match self.word {
                    "+%" => (Token::Plus, "+"),
                    "-%" => (Token::Minus, "-"),
                    _ => (Token::Star, "*"),
                };
                let diag = diag(self.word).help(format!("`{with}` already wraps around"));
                plain(token, diag.replace(self.span(self.lo, self.hi()), with))
            }
            "**" if matches!(self.last(), Some(Token::RBrace | Token::Str(_))) => {
                plain(Token::Star, diag("**").help("use `@constants` to repeat a value"))
            }
            "**" => {
                plain(Token::Star, diag("**").help("multiply, or use `pow` of the library module `<math>`"))
            }
            "?" => self.question(),
            _ => plain(Token::Broken, diag(self.word).help(self.dots())),
        }
    }

    fn hi(&self) -> usize {
        self.lo + self.word.len()
    }

    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.file, lo, hi)
    }

    fn last(&self) -> Option<Token<'t>> {
        self.tokens.last().map(|(_, token, _)| *token)
    }

    /// Whether it begins a comment, as in Lua and SQL: words follow, and no statement ends.
    fn begins_comment(&self) -> bool {
        let line = self.rest.lines().next().unwrap_or_default();
        let is_text = line.starts_with(' ') && !line.contains([';', '{', '(']);
        is_text && self.last().is_none_or(begins_statement)
    }

    /// The rest of the line, up to the end of the statement.
    fn statement(&self) -> &'t str {
        self.rest.split(['\n', ';']).next().unwrap_or_default()
    }

    /// The text in front of it, back to the start of the value that it is an operand of.
    fn left(&self) -> (usize, &'t str) {
        let mut open = 0usize;
        let begin = self.tokens.iter().rposition(|(_, token, _)| {
            use Token::*;
            match token {
                RParen | RBracket => open += 1,
                LParen | LBracket if open > 0 => open -= 1,
                LParen | LBracket | Comma | LBrace | DotBrace | RBrace | Semi | Return | FatArrow
                | Assign | AddAssign | SubAssign | MulAssign
                    if open == 0 =>
                {
                    return true;
                }
                _ => {}
            }
            false
        });
        let lo = self.tokens.get(begin.map_or(0, |at| at + 1)).map_or(self.lo, |(lo, _, _)| *lo);
        (lo, self.text[lo..self.lo].trim())
    }

    /// The variable, field or element in front of it.
    fn operand(&self) -> (usize, &'t str) {
        let mut open = 0usize;
        let mut first = self.tokens.len();
        for at in (0..self.tokens.len()).rev() {
            use Token::*;
            let before = at.checked_sub(1).map(|at| self.tokens[at].1);
            match self.tokens[at].1 {
                RParen | RBracket => open += 1,
                LParen | LBracket if open == 0 => break,
                LParen | LBracket => open -= 1,
                _ if open > 0 => {}
                Ident(_) if before != Some(Dot) => {
                    first = at;
                    break;
                }
                Ident(_) | Dot | DotStar => {}
                _ => break,
            }
        }
        let lo = self.tokens.get(first).map_or(self.lo, |(lo, _, _)| *lo);
        (lo, self.text[lo..self.lo].trim())
    }

    /// The text behind it up to a closing bracket or comma, and its length.
    fn right(text: &str) -> &str {
        let mut open = 0usize;
        let end = text.find(|c| match c {
            '(' | '[' | '{' => {
                open += 1;
                false
            }
            ')' | ']' | '}' | ',' if open == 0 => true,
            ')' | ']' | '}' => {
                open -= 1;
                false
            }
            _ => false,
        });
        &text[..end.unwrap_or(text.len())]
    }

    /// `a &&= b`, `a **= b`
    fn assigning(&self) -> Reading {
        let written = format!("{}=", self.word);
        let (_, left) = self.left();
        let right = Self::right(&self.statement()[1..]).trim();
        let help = match self.word {
            "&&" => format!("write `{left} = {left} and {right}`"),
            "||" => format!("write `{left} = {left} or {right}`"),
            "**" => format!(
                "write `{left} = math.pow({left}, {right})`, with `const math = @import_module(\"<math>\");`"
            ),
            "?" => "there are no optional values: keep a `bool` that says whether there is one".to_string(),
            with => format!("write `{}=`: it already wraps around", &with[..1]),
        };
        let diag = NOT_CSL.because(&[("what", &format!("`{written}`"))]).help(help);
        Reading { token: Some(Token::Broken), diag, more: 1 }
    }

    /// `a && b`
    fn logic(&self, diag: Diag) -> Reading {
        let (token, with) = if self.word == "&&" { (Token::And, "and") } else { (Token::Or, "or") };
        let gap = |is_blank: bool| if is_blank { "" } else { " " };
        let before = gap(self.text[..self.lo].ends_with(char::is_whitespace));
        let after = gap(self.rest.starts_with(char::is_whitespace));
        let diag = diag.help(format!("write `{with}`"));
        let diag = diag.replace(self.span(self.lo, self.hi()), format!("{before}{with}{after}"));
        Reading { token: Some(token), diag, more: 0 }
    }

    /// `n++` and `++n`
    fn step(&self, diag: Diag) -> Diag {
        let op = if self.word == "++" { "+=" } else { "-=" };
        let behind = self.rest.trim_start();
        let ends_operand = self.last().is_some_and(|t| t.ends_operand() && t != Token::RBrace);
        let is_first =
            self.last().is_none_or(|t| begins_statement(t) || t == Token::LParen || t == Token::RParen);
        let is_last = behind.is_empty() || behind.starts_with([';', ')', ',', ']', ':', '}']);
        if ends_operand && is_last {
            let (lo, target) = self.operand();
            let diag = diag.help(format!("write `{target} {op} 1`"));
            let before =
                self.tokens.iter().rposition(|(start, _, _)| *start < lo).map(|at| self.tokens[at].1);
            let fits = before.is_none_or(|t| begins_statement(t) || t == Token::LParen);
            let fits = fits && behind.starts_with([';', ')']);
            let span = self.span(self.lo, self.hi());
            return if fits { diag.replace(span, format!(" {op} 1")) } else { diag };
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if (!ends_operand || is_first) && behind.starts_with(is_name) {
            let target = Self::right(behind.split(['\n', ';', ' ']).next().unwrap_or_default());
            let end = self.text.len() - behind.len() + target.len();
            let diag = diag.help(format!("write `{target} {op} 1`"));
            let fits = is_first && self.text[end..].trim_start().starts_with([';', ')']);
            return match fits {
                true => diag.replace(self.span(self.lo, end), format!("{target} {op} 1")),
                false => diag,
            };
        }
        let is_text = matches!(self.last(), Some(Token::Str(_))) || behind.starts_with('"');
        match self.word {
            "++" if is_text => diag.help("write `@strcat(a, b)`"),
            "++" => diag.help("arrays cannot be joined: write the elements, or copy both in a function"),
            _ => diag.help("write `-= 1`"),
        }
    }

    /// `c ? a : b`, `?T`, `p?.x`, `a ?? b`
    fn question(&self) -> Reading {
        let infix = self.last().is_some_and(Token::ends_operand);
        let reading = |what: &str, help: &str, more| {
            let diag = NOT_CSL.because(&[("what", &format!("`{what}`"))]).help(help);
            Reading { token: Some(Token::Broken), diag, more }
        };
        if self.rest.starts_with('?') {
            let help = "there are no optional values: keep a `bool` that says whether there is one";
            return reading("??", help, 1);
        }
        if infix && self.rest.starts_with('.') {
            return reading("?.", "write `.*.`: no pointer is null", 1);
        }
        let arms = self.arms().filter(|(first, _)| infix && !first.trim().is_empty());
        let Some((first, second)) = arms else {
            let help = "there are no optional types: keep a `bool` that says whether there is a value";
            return reading("?", help, 0);
        };
        let (lo, condition) = self.left();
        let end = self.text.len() - self.rest.len()
            + (second.as_ptr() as usize - self.rest.as_ptr() as usize)
            + second.len();
        let bare = match condition.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) if !inner.contains(['(', ')']) => inner,
            _ => condition,
        };
        let instead = format!("if ({bare}) {} else {}", first.trim(), second.trim());
        let mut reading = reading("?", &format!("there is no `c ? a : b`; write `{instead}`"), 0);
        reading.diag = reading.diag.replace(self.span(lo, end), instead);
        reading
    }

    /// The two values behind `c ?`.
    fn arms(&self) -> Option<(&'t str, &'t str)> {
        let text = self.statement();
        let mut open = 0usize;
        let colon = text.find(|c| match c {
            '(' | '[' | '{' => {
                open += 1;
                false
            }
            ')' | ']' | '}' => {
                open = open.saturating_sub(1);
                false
            }
            ':' => open == 0,
            _ => false,
        })?;
        let second = Self::right(&text[colon + 1..]);
        (!second.trim().is_empty()).then(|| (&text[..colon], second))
    }

    /// What to write instead of `..` or `...`.
    fn dots(&self) -> String {
        let mut open = 0usize;
        let at = self.tokens.iter().rposition(|(_, token, _)| match token {
            Token::RParen | Token::RBracket | Token::RBrace => {
                open += 1;
                false
            }
            Token::LParen | Token::LBracket | Token::LBrace | Token::DotBrace if open > 0 => {
                open -= 1;
                false
            }
            Token::LParen | Token::LBracket | Token::LBrace | Token::DotBrace => true,
            _ => false,
        });
        let token = |back: usize| at.and_then(|at| at.checked_sub(back)).map(|at| self.tokens[at].1);
        match (token(1), token(0)) {
            (Some(Token::For), Some(Token::LParen)) => {
                "count with a range: `for (@range(u16, n)) |i| {`".to_string()
            }
            (Some(Token::Ident(array)), Some(Token::LBracket)) => self.part_of(array),
            (Some(Token::Ident(_)), Some(Token::LParen))
                if matches!(token(2), Some(Token::Fn | Token::Task)) =>
            {
                "a function has a fixed number of parameters: pass an array, or a tuple as `anytype`"
                    .to_string()
            }
            (Some(Token::Pipe), Some(Token::LBrace)) => {
                let end = Self::right(self.statement()).trim();
                format!("write the number of elements alone: `{{{end}}}`")
            }
            (Some(Token::RParen), Some(Token::LBrace)) if self.last() == Some(Token::LBrace) => {
                "write statements, or nothing: a block may be empty, `{}`".to_string()
            }
            (Some(Token::Ident(_)), Some(Token::LBrace)) if self.last() == Some(Token::Comma) => {
                "write every field: a value takes none from another one".to_string()
            }
            (Some(Token::RParen), Some(Token::LBrace)) => {
                "list the cases of a `switch` one by one: `0, 1, 2 => ..`, or use `@range` in a `for`"
                    .to_string()
            }
            _ => "list the cases of a `switch` one by one, or use `@range` in a `for`".to_string(),
        }
    }

    /// The DSD of a part of an array, as in `a[1..3]`.
    fn part_of(&self, array: &str) -> String {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let begin = match self.last() {
            Some(Token::Number(text)) => number(text),
            _ => None,
        };
        let end = number(Self::right(self.statement()).trim_start_matches('='));
        let (length, index) = match (begin, end) {
            (Some(0), Some(end)) => (end.to_string(), "i".to_string()),
            (Some(begin), Some(end)) => (end.saturating_sub(begin).to_string(), format!("i + {begin}")),
            _ => ("n".to_string(), "i".to_string()),
        };
        format!(
            "describe a part of an array with a DSD: \
             `@get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{{length}}} -> {array}[{index}] }})`"
        )
    }
}
