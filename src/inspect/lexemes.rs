//! The words of a text, whatever is wrong with it.

use crate::syntax::Token;
use logos::Logos;

/// The reserved words of CSL.
pub const KEYWORDS: &[&str] = &[
    "align",
    "and",
    "anytype",
    "asm",
    "break",
    "comptime",
    "const",
    "continue",
    "else",
    "enum",
    "export",
    "extern",
    "false",
    "fn",
    "for",
    "if",
    "inline",
    "layout",
    "linkname",
    "linksection",
    "or",
    "packed",
    "param",
    "return",
    "struct",
    "switch",
    "task",
    "true",
    "undefined",
    "union",
    "unreachable",
    "var",
    "volatile",
    "while",
];

/// What a word is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LexemeKind {
    /// A reserved word.
    Keyword,
    /// A name.
    Name,
    /// A builtin with its `@`.
    Builtin,
    /// A number.
    Number,
    /// A string or a character, with its quotes.
    Text,
    /// `(`, `[`, `{` or `.{`
    Open,
    /// `)`, `]` or `}`
    Close,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `.`
    Dot,
    /// `=`
    Assign,
    /// Any other operator or sign.
    Sign,
    /// A comment, with its `//`.
    Comment,
}

/// A word and its place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub kind: LexemeKind,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

/// The words and comments of a text, in order.
pub fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut all = Vec::with_capacity(text.len() / 4);
    let (mut lexer, mut end) = (Token::lexer(text), 0);
    while let Some(token) = lexer.next() {
        let span = lexer.span();
        comments(text, end, span.start, &mut all);
        if token == Ok(Token::Fn)
            && let Some(last) = all.last_mut()
            && &text[last.lo as usize..last.hi as usize] == "noinline"
        {
            last.kind = LexemeKind::Keyword;
        }
        let kind = token.map_or(LexemeKind::Sign, kind);
        all.push(Lexeme { kind, lo: span.start as u32, hi: span.end as u32 });
        end = span.end;
    }
    comments(text, end, text.len(), &mut all);
    all
}

/// Adds the comments between two words.
fn comments(text: &str, from: usize, to: usize, all: &mut Vec<Lexeme>) {
    let mut at = from;
    for line in text[from..to].split_inclusive('\n') {
        if let Some(start) = line.find("//") {
            let end = line.trim_end().len();
            all.push(Lexeme { kind: LexemeKind::Comment, lo: (at + start) as u32, hi: (at + end) as u32 });
        }
        at += line.len();
    }
}

fn kind(token: Token<'_>) -> LexemeKind {
    use Token::*;
    match token {
        Ident(_) => LexemeKind::Name,
        Builtin(_) => LexemeKind::Builtin,
        Number(_) => LexemeKind::Number,
        Str(_) | Char(_) => LexemeKind::Text,
        LParen | LBracket | LBrace | DotBrace => LexemeKind::Open,
        RParen | RBracket | RBrace => LexemeKind::Close,
        Comma => LexemeKind::Comma,
        Semi => LexemeKind::Semicolon,
        Dot => LexemeKind::Dot,
        Assign => LexemeKind::Assign,
        Align | And | AnyType | Asm | Break | Comptime | Const | Continue | Else | Enum | Export | Extern
        | False | Fn | For | If | Inline | Layout | LinkName | LinkSection | NoInline | Or | Packed
        | Param | Return | Struct | Switch | Task | True | Undefined | Union | Unreachable | Var
        | Volatile | While => LexemeKind::Keyword,
        DotStar | Colon | Arrow | FatArrow | AddAssign | SubAssign | MulAssign | DivAssign | RemAssign
        | ShlAssign | ShrAssign | AndAssign | OrAssign | XorAssign | Plus | Minus | Star | Slash
        | Percent | Shl | Shr | Amp | Caret | Pipe | EqEq | NotEq | Less | Greater | LessEq | GreaterEq
        | Bang | Tilde | Foreign(_) | AsmText(_) | Broken => LexemeKind::Sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reserved_word_is_listed() {
        let source = include_str!("../syntax/token.rs");
        let words = source.split("#[token(\"").skip(1).filter_map(|rest| rest.split('"').next());
        let reserved: Vec<&str> =
            words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect();
        assert_eq!(reserved, KEYWORDS);
        assert!(KEYWORDS.iter().all(|word| lexemes(word)[0].kind == LexemeKind::Keyword));
    }

    #[test]
    fn noinline_is_a_word_only_before_fn() {
        let kinds = |text| lexemes(text).iter().map(|l| l.kind).collect::<Vec<_>>();
        assert_eq!(kinds("noinline fn")[0], LexemeKind::Keyword);
        assert_eq!(kinds("noinline = 1")[0], LexemeKind::Name);
    }

    #[test]
    fn comments_and_broken_words_have_places() {
        let text = "a // b\n$ \"c";
        let found: Vec<(LexemeKind, &str)> =
            lexemes(text).iter().map(|l| (l.kind, &text[l.lo as usize..l.hi as usize])).collect();
        let expected = [
            (LexemeKind::Name, "a"),
            (LexemeKind::Comment, "// b"),
            (LexemeKind::Sign, "$"),
            (LexemeKind::Text, "\"c"),
        ];
        assert_eq!(found, expected);
    }
}
