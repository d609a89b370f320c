//! Turns text into tokens, and does all checks that must happen before parsing.

use super::MOST_PROBLEMS;
use super::foreign_operators::{Operator, Reading, begins_statement};
use super::literal;
use super::token::{PlacedToken, Token};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::syntax::{NESTING_TOO_DEEP, NOT_CSL, UNKNOWN_CHARACTER};
use crate::source::{FileId, Span};
use logos::Logos;

/// Maximum nesting of brackets and prefix operators.
pub const DEEPEST_BRACKETS: usize = 256;

/// The tokens of a file. Bad ones are replaced, so that every problem is reported once.
pub struct Scanned<'t> {
    /// In order.
    pub tokens: Vec<PlacedToken<'t>>,
    /// In order.
    pub problems: Vec<Diag>,
    /// Whether the tokens should be parsed; false if they nest too deeply.
    pub parsable: bool,
}

/// Splits a file into tokens.
pub fn scan(file: FileId, text: &str) -> Scanned<'_> {
    let mut scanner = Scanner {
        file,
        text,
        out: Scanned { tokens: Vec::with_capacity(text.len() / 4), problems: Vec::new(), parsable: true },
    };
    scanner.run();
    scanner.out.tokens = join_asm(scanner.out.tokens);
    if let Some((lo, hi)) = too_deep(&scanner.out.tokens) {
        let diag = NESTING_TOO_DEEP.because(&[("limit", &DEEPEST_BRACKETS)]);
        scanner.out.problems.push(diag.at(Span::new(file, lo, hi)));
        scanner.out.parsable = false;
    }
    scanner.out
}

struct Scanner<'t> {
    file: FileId,
    text: &'t str,
    out: Scanned<'t>,
}

impl<'t> Scanner<'t> {
    fn run(&mut self) {
        let mut lexer = Token::lexer(self.text);
        while let Some(token) = lexer.next() {
            let (lo, hi) = (lexer.span().start, lexer.span().end);
            match token {
                Ok(Token::Foreign("/*")) => lexer.bump(self.block_comment(lo, lexer.remainder())),
                Ok(Token::Foreign(word)) => lexer.bump(self.foreign(word, lo, hi, lexer.remainder())),
                Ok(token) => {
                    self.check_literal(token, lo, hi);
                    if token == Token::Fn {
                        self.mark_noinline();
                    }
                    // What an open quote swallows is no value.
                    let is_open =
                        matches!(token, Token::Char(text) if text.len() < 2 || !text.ends_with('\''));
                    self.out.tokens.push((lo, if is_open { Token::Broken } else { token }, hi));
                }
                Err(()) if self.text[lo..].starts_with('#') => lexer.bump(self.hash(lo, lexer.remainder())),
                Err(()) if self.text[lo..].starts_with('\u{201c}') => {
                    lexer.bump(self.curly_string(lo, hi, lexer.remainder()));
                }
                Err(()) => self.unknown(lo, hi),
            }
        }
    }

    /// A `noinline` before `fn` is a word of the language.
    fn mark_noinline(&mut self) {
        if let Some(last) = self.out.tokens.last_mut()
            && last.1 == Token::Ident("noinline")
        {
            last.1 = Token::NoInline;
        }
    }

    /// The length of the rest of the comment.
    fn block_comment(&mut self, lo: usize, rest: &str) -> usize {
        let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
        let diag = NOT_CSL.because(&[("what", &"`/*`")]).help("start every line of a comment with `//`");
        self.complain(diag, lo, lo + 2);
        length
    }

    /// The length of the rest of a line with a command of the C preprocessor, or a comment of Python.
    fn hash(&mut self, lo: usize, rest: &str) -> usize {
        let line = rest.lines().next().unwrap_or_default();
        let mut words = line.split("//").next().unwrap_or_default().split_whitespace();
        let span = |length| Span::new(self.file, lo, lo + length);
        let diag = |what: &str| NOT_CSL.because(&[("what", &format!("`#{what}`"))]);
        let (command, subject) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let value = words.collect::<Vec<_>>().join(" ");
        let diag = match command {
            "include" => {
                let file = subject.trim_matches(['<', '>', '"']);
                let name = file.rsplit('/').next().unwrap_or(file).split('.').next().unwrap_or(file);
                let file = if subject.starts_with('<') { format!("<{name}>") } else { file.to_string() };
                diag(command).help(format!("write `const {name} = @import_module(\"{file}\");`"))
            }
            "define" if !value.is_empty() && !subject.contains('(') => {
                let instead = format!("const {subject} = {value};");
                diag(command).help(format!("write `{instead}`")).replace(span(line.len() + 1), instead)
            }
            "define" => diag(command).help("write a `const`, or a function"),
            "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif" | "pragma" | "undef" => diag(command)
                .help("there is no preprocessor: write `if` with a condition that is known at comptime"),
            _ => diag("").help("begin a comment with `//`").replace(span(1), "//"),
        };
        self.complain(diag, lo, lo + 1);
        line.len()
    }

    /// The length of the rest of a string in the quotes of a word processor.
    fn curly_string(&mut self, lo: usize, hi: usize, rest: &str) -> usize {
        let line = rest.lines().next().unwrap_or_default();
        let Some((inner, _)) = line.split_once('\u{201d}') else {
            self.unknown(lo, hi);
            return 0;
        };
        let length = inner.len() + '\u{201d}'.len_utf8();
        let instead = format!("\"{inner}\"");
        let diag = UNKNOWN_CHARACTER.because(&[("character", &"`\u{201c}`")]);
        let diag =
            diag.help(format!("write `{instead}`")).replace(Span::new(self.file, lo, hi + length), instead);
        self.complain(diag, lo, hi + length);
        self.out.tokens.push((lo, Token::Broken, hi + length));
        length
    }

    /// The length of what belongs to the operator and follows it.
    fn foreign(&mut self, word: &'t str, lo: usize, hi: usize, rest: &'t str) -> usize {
        let infix = self.out.tokens.last().is_some_and(|(_, token, _)| token.ends_operand());
        let twice = match word {
            "**" => Some(Token::Star),
            "&&" => Some(Token::Amp),
            "--" => Some(Token::Minus),
            _ => None,
        };
        // `--s.x;` as a statement is a step of C, and `a - --b` two signs.
        let is_step =
            word == "--" && self.out.tokens.last().is_none_or(|(_, token, _)| begins_statement(*token));
        if let (Some(token), false, false) = (twice, infix, is_step) {
            self.out.tokens.extend([(lo, token, lo + 1), (lo + 1, token, hi)]);
            return 0;
        }
        let at = Operator { file: self.file, text: self.text, tokens: &self.out.tokens, lo, word, rest };
        let Reading { token, diag, more } = at.reading();
        let end = if token.is_some() { hi + more } else { hi };
        self.complain(diag, lo, end);
        self.out.tokens.extend(token.map(|token| (lo, token, end)));
        more
    }

    fn check_literal(&mut self, token: Token, lo: usize, hi: usize) {
        let problem = match token {
            // Most numbers are of this simple form and need no further checks.
            Token::Number(text) if text.len() < 9 && text.bytes().all(|b| b.is_ascii_digit()) => None,
            Token::Number(text) => literal::number(text).err(),
            Token::Str(text) => literal::string(text).err(),
            Token::Char(text) => literal::character(text).err(),
            _ => None,
        };
        let Some(diag) = problem else { return };
        let instead = match token {
            Token::Number(text) => literal::without_suffix(text),
            Token::Char(text) if text.len() > 3 && text.ends_with('\'') => {
                Some(format!("\"{}\"", &text[1..text.len() - 1]))
            }
            _ => None,
        };
        let diag = match instead {
            Some(instead) => diag.replace(Span::new(self.file, lo, hi), instead),
            None => diag,
        };
        self.complain(diag, lo, hi);
    }

    fn unknown(&mut self, lo: usize, hi: usize) {
        if let Some(last) = self.out.tokens.last_mut()
            && last.1 == Token::Broken
            && last.2 == lo
        {
            last.2 = hi;
            return;
        }
        let character = self.text[lo..].chars().next().unwrap_or_default();
        let shown = match character {
            '\0'..=' ' | '\u{7f}' => format!("the character U+{:04X}", u32::from(character)),
            _ => format!("`{character}`"),
        };
        let diag = UNKNOWN_CHARACTER.because(&[("character", &shown)]);
        let diag = match plain_form(character) {
            Some(plain) => diag.help(format!("write `{plain}`")),
            None => diag,
        };
        self.complain(diag, lo, hi);
        self.out.tokens.push((lo, Token::Broken, hi));
    }

    fn complain(&mut self, diag: Diag, lo: usize, hi: usize) {
        if self.out.problems.len() < MOST_PROBLEMS {
            self.out.problems.push(diag.at(Span::new(self.file, lo, hi)));
        }
    }
}

/// The ASCII character that a word processor may have replaced by this one.
fn plain_form(character: char) -> Option<&'static str> {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{b4}' => Some("'"),
        '\u{201c}' | '\u{201d}' | '\u{201e}' => Some("\""),
        '\u{2212}' | '\u{2013}' | '\u{2014}' => Some("-"),
        '\u{d7}' => Some("*"),
        '\u{f7}' => Some("/"),
        '\u{2264}' => Some("<="),
        '\u{2265}' => Some(">="),
        '\u{2260}' => Some("!="),
        '\u{a0}' => Some(" "),
        _ => None,
    }
}

/// Replaces `asm volatile? ( .. )` by one token: cslrun does not parse machine code.
fn join_asm(tokens: Vec<PlacedToken>) -> Vec<PlacedToken> {
    if !tokens.iter().any(|(_, token, _)| *token == Token::Asm) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        match asm_end(&tokens, at) {
            Some(end) => {
                let is_empty = is_empty_asm(&tokens[at..=end]);
                out.push((tokens[at].0, Token::AsmText(is_empty), tokens[end].2));
                at = end + 1;
            }
            None => {
                out.push(tokens[at]);
                at += 1;
            }
        }
    }
    out
}

/// The closing parenthesis of the `asm` at this place.
fn asm_end(tokens: &[PlacedToken], start: usize) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map(|(_, token, _)| *token);
    if word(start) != Some(Token::Asm) {
        return None;
    }
    let open = if word(start + 1) == Some(Token::Volatile) { start + 2 } else { start + 1 };
    if word(open) != Some(Token::LParen) {
        return None;
    }
    let mut depth = 0;
    (open..tokens.len()).find(|at| {
        match tokens[*at].1 {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => (),
        }
        depth == 0
    })
}

/// Whether an `asm` has an empty template and no operands: `asm volatile ("" ::: "memory")`.
fn is_empty_asm(asm: &[PlacedToken]) -> bool {
    let open = asm.iter().position(|t| t.1 == Token::LParen).map_or(asm.len(), |at| at + 1);
    let Some(((_, Token::Str("\"\""), _), rest)) = asm[open..].split_first() else { return false };
    // outputs and inputs stand before the third `:`, names of what is changed behind it
    let mut colons = 0;
    rest.iter().all(|(_, token, _)| match token {
        Token::Colon => {
            colons += 1;
            colons <= 3
        }
        Token::Str(_) | Token::Comma => colons == 3,
        Token::RParen => true,
        _ => false,
    })
}

/// The first bracket or prefix operator that nests too deep.
fn too_deep(tokens: &[PlacedToken]) -> Option<(usize, usize)> {
    let mut brackets = 0usize;
    let mut prefixes = 0usize;
    for (lo, token, hi) in tokens {
        use Token::*;
        match token {
            LParen | LBracket | LBrace | DotBrace => brackets += 1,
            RParen | RBracket | RBrace => brackets = brackets.saturating_sub(1),
            _ => (),
        }
        match token {
            Bang | Tilde | Minus | Amp | Star | Comptime => prefixes += 1,
            _ => prefixes = 0,
        }
        if brackets.max(prefixes) > DEEPEST_BRACKETS {
            return Some((*lo, *hi));
        }
    }
    None
}
