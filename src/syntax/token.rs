//! The tokens of CSL, as split by logos.

use logos::Logos;

/// One token of a file. Literals keep their text; `literal.rs` evaluates it.
#[derive(Logos, Copy, Clone, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[allow(missing_docs)]
pub enum Token<'t> {
    #[token("align")]
    Align,
    #[token("and")]
    And,
    #[token("anytype")]
    AnyType,
    #[token("asm")]
    Asm,
    #[token("break")]
    Break,
    #[token("comptime")]
    Comptime,
    #[token("const")]
    Const,
    #[token("continue")]
    Continue,
    #[token("else")]
    Else,
    #[token("enum")]
    Enum,
    #[token("export")]
    Export,
    #[token("extern")]
    Extern,
    #[token("false")]
    False,
    #[token("fn")]
    Fn,
    #[token("for")]
    For,
    #[token("if")]
    If,
    #[token("inline")]
    Inline,
    #[token("layout")]
    Layout,
    #[token("linkname")]
    LinkName,
    #[token("linksection")]
    LinkSection,
    #[token("or")]
    Or,
    #[token("packed")]
    Packed,
    #[token("param")]
    Param,
    #[token("return")]
    Return,
    #[token("struct")]
    Struct,
    #[token("switch")]
    Switch,
    #[token("task")]
    Task,
    #[token("true")]
    True,
    #[token("undefined")]
    Undefined,
    #[token("union")]
    Union,
    #[token("unreachable")]
    Unreachable,
    #[token("var")]
    Var,
    #[token("volatile")]
    Volatile,
    #[token("while")]
    While,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[regex(r"\.[ \t\r\n]*\{")]
    DotBrace,
    #[token(".*")]
    DotStar,
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token(";")]
    Semi,
    #[token(":")]
    Colon,
    #[token("->")]
    Arrow,
    #[token("=>")]
    FatArrow,
    #[token("=")]
    Assign,
    #[token("+=")]
    AddAssign,
    #[token("-=")]
    SubAssign,
    #[token("*=")]
    MulAssign,
    #[token("/=")]
    DivAssign,
    #[token("%=")]
    RemAssign,
    #[token("<<=")]
    ShlAssign,
    #[token(">>=")]
    ShrAssign,
    #[token("&=")]
    AndAssign,
    #[token("|=")]
    OrAssign,
    #[token("^=")]
    XorAssign,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("&")]
    Amp,
    #[token("^")]
    Caret,
    #[token("|")]
    Pipe,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("<=")]
    LessEq,
    #[token(">=")]
    GreaterEq,
    #[token("!")]
    Bang,
    #[token("~")]
    Tilde,

    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Ident(&'t str),
    #[regex("@[A-Za-z_][A-Za-z0-9_]*")]
    Builtin(&'t str),
    /// A number, valid or not: everything that starts with a digit.
    #[regex("[0-9][0-9A-Za-z_]*")]
    #[regex(r"[0-9][0-9A-Za-z_]*\.[0-9][0-9A-Za-z_]*")]
    #[regex(r"[0-9][0-9_]*(\.[0-9][0-9_]*)?[eE][+-][0-9A-Za-z_]*")]
    #[regex(r"0x[0-9A-Fa-f_]+(\.[0-9A-Fa-f_]+)?[pP][+-]?[0-9A-Za-z_]*")]
    Number(&'t str),
    /// A string with its quotes; the closing one may be missing.
    #[regex(r#""([^"\\\n]|\\[^\n])*"?"#)]
    Str(&'t str),
    /// A character with its quotes; the closing one may be missing.
    #[regex(r"'([^'\\\n]|\\[^\n])*'?")]
    Char(&'t str),

    /// Operators of Zig and C that CSL does not have.
    #[regex(r"\+\+|--|[-+*]%|&&|\|\||\*\*|\?|\.\.\.?|/\*")]
    Foreign(&'t str),
    /// `asm volatile? ( .. )`, joined by the scanner; whether it has no text and no operands.
    AsmText(bool),
    /// `noinline` before `fn`, found by the scanner: everywhere else it is a name.
    NoInline,
    /// Placeholder for a piece of text that was already reported.
    Broken,
}

/// A token between its first byte and the one past its last.
pub type PlacedToken<'t> = (usize, Token<'t>, usize);

impl Token<'_> {
    /// Whether an operand can end here, so that what follows is an infix operator.
    pub fn ends_operand(self) -> bool {
        use Token::*;
        matches!(
            self,
            Ident(_) | Number(_) | Str(_) | Char(_) | RParen | RBracket | RBrace | DotStar | True | False
        )
    }

    /// The bracket that closes this one.
    pub fn closing(self) -> Option<Token<'static>> {
        match self {
            Token::LParen => Some(Token::RParen),
            Token::LBracket => Some(Token::RBracket),
            Token::LBrace | Token::DotBrace => Some(Token::RBrace),
            _ => None,
        }
    }

    /// How a token of punctuation that a repair inserts is written.
    pub fn text(self) -> &'static str {
        match self {
            Token::Semi => ";",
            Token::Comma => ",",
            Token::RParen => ")",
            Token::RBracket => "]",
            Token::RBrace => "}",
            other => unreachable!("a repair never inserts {other:?}"),
        }
    }

    /// Whether this word starts a statement and cannot occur inside an expression.
    pub fn starts_statement(self) -> bool {
        use Token::*;
        matches!(self, Const | Var | Return | Break | Continue | For | While)
    }

    /// Whether this word starts a top-level declaration and never a statement.
    pub fn starts_declaration(self) -> bool {
        use Token::*;
        matches!(self, Param | Export | Extern | Layout | Task | Fn | NoInline)
    }
}
