//! Rules of the module `syntax`.

crate::rules! {
    /// A literal is malformed.
    /// A literal must stand for a value; the message says which of its characters does not fit.
    BAD_LITERAL = "bad-literal": "{what}"
        => "numbers look like `12`, `0x1f`, `0b101`, `0o17` or `1.5e3`";
    /// Comparisons are chained, as in `a < b < c`.
    /// `a < b < c` would compare a bool with a number; comparisons therefore have no associativity.
    CHAINED_COMPARISON = "chained-comparison": "comparisons do not chain";
    /// The source text is nested too deeply.
    /// The compiler visits the syntax tree recursively; no program written by hand nests this deeply.
    NESTING_TOO_DEEP = "nesting-too-deep": "this is nested more than {limit} levels deep"
        => "give part of it a name of its own";
    /// The syntax belongs to another language.
    /// Other languages use this syntax; guessing its meaning would hide the difference.
    NOT_CSL = "not-csl": "{what} is not part of CSL";
    /// The source text does not follow the grammar.
    /// The text does not match the grammar of CSL.
    SYNTAX_ERROR = "syntax-error": "expected {expected}, found {found}"
        => "write {expected} here";
    /// A character has no meaning in CSL.
    /// Outside of comments and strings only the characters of CSL's own tokens are allowed.
    UNKNOWN_CHARACTER = "unknown-character": "{character} has no meaning in CSL"
        => "remove it, or put it into a string or a comment";
}
