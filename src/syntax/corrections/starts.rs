//! Declarations and statements that begin with a word of another language, or with a misspelled one.

use super::functions::{foreign_type, function_word, is_mark_of_c, parameter};
use super::outside::{block_with_parens, comptime, statement_outside, top_level, top_level_of_declared};
use super::{Correction, name};
use crate::diagnostics::suggest;
use crate::syntax::foreign::{self, DECLARATION_WORDS, STATEMENT_WORDS, meant_type};
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the statement or declaration that begins at `start` is of such a kind.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    match stuck.token(start)? {
        Ident(word) if stuck.declares(word) => {
            walrus(stuck, start, word).or_else(|| top_level_of_declared(stuck, start))
        }
        Ident(word) => function_word(stuck, start, word)
            .or_else(|| marked_variable(stuck, start))
            .or_else(|| declaration_word(stuck, start, word))
            .or_else(|| import(stuck, start, word))
            .or_else(|| control_word(stuck, start, word))
            .or_else(|| misspelled(stuck, start, word))
            .or_else(|| mark(stuck, start))
            .or_else(|| sentence(stuck, start, word))
            .or_else(|| type_first(stuck, start, start))
            .or_else(|| walrus(stuck, start, word))
            .or_else(|| top_level(stuck, start)),
        Volatile => marked_variable(stuck, start),
        Const | Var | Param => size_behind_name(stuck, start)
            .or_else(|| destructuring(stuck, start))
            .or_else(|| two_words(stuck, start))
            .or_else(|| type_first(stuck, start, start + 1)),
        Struct | Enum | Union => named_type(stuck, start),
        Fn | Task => parameter(stuck),
        Layout => block_with_parens(stuck, start),
        Comptime => block_with_parens(stuck, start).or_else(|| comptime(stuck, start)),
        Builtin(_) => top_level(stuck, start),
        If | For | While | Switch | Return | Inline if stuck.at == start => statement_outside(stuck, start),
        Str(_) if stuck.at_declaration() => {
            let line = stuck.bytes(start, stuck.line_end(start));
            Some(Correction::slip("begin a comment with `//`").covers(line))
        }
        _ => None,
    }
}

/// Words that declare variables in other languages.
const VARIABLES: [&str; 12] = [
    "let",
    "mut",
    "auto",
    "val",
    "dim",
    "my",
    "local",
    "final",
    "constexpr",
    "static",
    "register",
    "volatile",
];

/// Words that mark declarations in other languages.
const MARKS: [&str; 6] = ["pub", "public", "private", "noinline", "global", "threadlocal"];

/// `let n = 4;`, `auto n`, `static var n`
fn declaration_word(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    let place = stuck.bytes(start, start);
    let next = stuck.token(start + 1)?;
    let begins =
        |token: Token| matches!(token, Token::Var | Token::Const | Token::Fn | Token::Task | Token::Struct);
    if word == "static" && begins(next) {
        let help = "move it to the top level, where a variable keeps its value";
        return Some(Correction::foreign(word, place, help));
    }
    let marked = matches!(next, Token::Param | Token::Extern | Token::Export | Token::Inline);
    if MARKS.contains(&word) && (begins(next) || marked) {
        let help = match word {
            "noinline" => "remove it; only `inline` functions are inlined",
            _ => "remove it; every top-level declaration is visible from outside",
        };
        return Some(
            Correction::foreign(word, place, help).edit((place.0, stuck.bytes(start + 1, start + 1).0), ""),
        );
    }
    if !VARIABLES.contains(&word) {
        return None;
    }
    let second = matches!(stuck.token(start + 1), Some(Token::Ident("mut") | Token::Var | Token::Const));
    let at = if second { start + 2 } else { start + 1 };
    let declared = name(stuck.token(at))?;
    let is_var = at > start + 1 || word == "mut" || stuck.changes(declared);
    let instead = if is_var { "var" } else { "const" };
    let help = match is_var {
        true => format!("write `var {declared}`"),
        false => format!("write `const {declared}`, or `var {declared}` if it changes"),
    };
    let words = stuck.words(start, at - 1);
    Some(
        Correction::foreign(words, stuck.bytes(start, at - 1), help)
            .edit(stuck.bytes(start, at - 1), instead),
    )
}

/// `int x = 0;`, `const int n = 4;`, `double a[10];`, `int[] a;`
fn type_first(stuck: &Stuck, start: usize, at: usize) -> Option<Correction> {
    use Token::*;
    let (written, mut next) = match foreign_type(stuck, at) {
        Some((ty, next)) => (ty, next),
        // Two names in a row: the first can only be a type, if both are in one line.
        None if name(stuck.token(at)).is_some_and(is_word) => return None,
        None if at < stuck.tokens.len() && stuck.line_end(at) == at => return None,
        None => (name(stuck.token(at))?, at + 1),
    };
    let mut size = String::new();
    if stuck.token(next) == Some(LBracket) {
        let close = stuck.close_of(next)?;
        size = if close == next + 1 { "[n]".to_string() } else { stuck.words(next, close).to_string() };
        next = close + 1;
    }
    let declared = name(stuck.token(next))?;
    if let (true, Some(ty)) = (size.is_empty() && meant_type(written).is_none(), meant_type(declared)) {
        let place = stuck.bytes(at, next);
        let slip = Correction::slip(format!("write `:` between the name and the type: `{written}: {ty}`"));
        return Some(slip.covers(place).edit(place, format!("{written}: {ty}")));
    }
    let mut end = next;
    if stuck.token(next + 1) == Some(LBracket) && size.is_empty() {
        end = stuck.close_of(next + 1)?;
        size = stuck.words(next + 1, end).replace(' ', "");
    }
    if !matches!(stuck.token(end + 1), Some(Assign | Semi)) || stuck.at > end + 1 {
        return None;
    }
    let word = match stuck.token(start)? {
        Const => "const",
        Param => "param",
        _ => "var",
    };
    let instead = format!("{word} {declared}: {size}{written}");
    let is_certain = size != "[n]" && size != "[]" && (word != "var" || meant_type(written).is_some());
    let place = stuck.bytes(at, next);
    let foreign = stuck.words(start, next);
    Some(
        Correction::foreign(foreign, place, format!("write `{instead}`"))
            .covers(stuck.bytes(start, end + 1))
            .edit_if(is_certain, stuck.bytes(start, end), instead),
    )
}

/// Whether a name is a word of another language, and no type.
fn is_word(name: &str) -> bool {
    matches!(name, "delete" | "del")
        || foreign::value_of_csl(name).is_some()
        || foreign::word_of_csl(name).is_some()
}

/// `var a[10]: f32;`
fn size_behind_name(stuck: &Stuck, start: usize) -> Option<Correction> {
    let declared = name(stuck.token(start + 1))?;
    if stuck.token(start + 2)? != Token::LBracket || stuck.at != start + 2 {
        return None;
    }
    let close = stuck.close_of(start + 2)?;
    let size = stuck.words(start + 2, close);
    let word = stuck.words(start, start);
    let ty = match stuck.token(close + 1) {
        Some(Token::Colon) => name(stuck.token(close + 2)),
        _ => None,
    };
    let instead = format!("{word} {declared}: {size}{}", ty.and_then(meant_type).or(ty).unwrap_or("T"));
    let help = format!("write `{instead}`");
    let place = stuck.bytes(start + 1, close);
    Some(Correction::foreign(stuck.words(start + 1, close), place, help).edit_if(
        ty.is_some(),
        stuck.bytes(start, close + 2),
        instead,
    ))
}

/// `struct Point {`, `enum Mode {`
fn named_type(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_class = matches!(stuck.token(start + 1), Some(Token::Ident("class") | Token::Struct));
    let at = if is_class { start + 2 } else { start + 1 };
    let declared = name(stuck.token(at)).filter(|_| stuck.at <= at)?;
    let word = stuck.words(start, start);
    let kind = if word == "enum" { "enum(u8)" } else { word };
    let end = stuck.close_of(at + 1).unwrap_or(at);
    let help = format!("write `const {declared} = {kind} {{ .. }};`");
    let place = stuck.bytes(start, at);
    Some(
        Correction::foreign(stuck.words(start, at), place, help)
            .covers(stuck.bytes(start, end + 1))
            .edit(place, format!("const {declared} = {kind}")),
    )
}

/// `import math`, `from math import sqrt`, `use math;`, `type T = u16;`
fn import(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    let place = stuck.bytes(start, start);
    let line = stuck.bytes(start, stuck.line_end(start));
    let next = stuck.token(start + 1)?;
    if matches!(word, "import" | "from" | "use" | "using" | "require" | "include") {
        let last = (start + 1..=stuck.line_end(start)).rev().find_map(|at| name(stuck.token(at)));
        let is_path = matches!(stuck.token(start + 2), Some(Token::Colon | Token::Dot));
        let help = match next {
            Token::Ident("namespace") => "remove it: a name of a module is written `module.name`".to_string(),
            Token::Ident(_) if is_path && word != "from" => {
                let module = last.unwrap_or("math");
                format!("write `const {module} = @import_module(\"<{module}>\");`")
            }
            Token::Str(file) => format!("write `const other = @import_module({file});`"),
            Token::Ident(module) => format!("write `const {module} = @import_module(\"<{module}>\");`"),
            _ => "write `const math = @import_module(\"<math>\");`".to_string(),
        };
        return Some(Correction::foreign(word, place, help).covers(line));
    }
    let declared = name(Some(next));
    match (word, declared) {
        ("type", Some(ty)) => {
            let help = format!("write `const {ty} = ..`");
            Some(Correction::foreign("type", place, help).edit(place, "const"))
        }
        ("typedef", _) => Some(Correction::foreign(word, place, "write `const Name = T;`").covers(line)),
        ("class" | "interface" | "trait" | "impl", Some(ty)) => {
            let help = format!("write `const {ty} = struct {{ .. }};`, and functions at the top level");
            Some(Correction::foreign(word, place, help))
        }
        _ => None,
    }
}

/// `elif`, `do`, `loop`, `match`
fn control_word(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    use Token::*;
    let place = stuck.bytes(start, start);
    let next = stuck.token(start + 1)?;
    let opens = matches!(next, LParen | LBrace | Ident(_) | Number(_) | Colon | Bang);
    let block = || {
        let open = (start..stuck.tokens.len()).find(|at| stuck.tokens[*at].1 == LBrace);
        let close = open.and_then(|open| stuck.close_of(open)).unwrap_or(start);
        stuck.bytes(start, close)
    };
    match word {
        "elif" | "elseif" | "elsif" if opens => {
            let fix = next == LParen && stuck.before_token(start) == Some(RBrace);
            let help = "write `else if (..) {`";
            Some(Correction::foreign(word, place, help).covers(block()).edit_if(fix, place, "else if"))
        }
        "do" | "repeat" if next == LBrace => {
            let close = stuck.close_of(start + 1).unwrap_or(start);
            let end = match stuck.token(close + 1) {
                Some(While) => stuck.close_of(close + 2).unwrap_or(close) + 1,
                _ => close,
            };
            let help = "write `while (true) { .. if (..) { break; } }`";
            Some(Correction::foreign(word, place, help).covers(stuck.bytes(start, end)))
        }
        "loop" | "forever" if next == LBrace => {
            let help = "write `while (true) {`";
            Some(Correction::foreign(word, place, help).covers(block()).edit(place, "while (true)"))
        }
        "foreach" if opens => {
            Some(Correction::foreign(word, place, "write `for (..) |element| {`").covers(block()))
        }
        "unless" | "until" if opens => {
            let help = if word == "unless" { "write `if (!(..)) {`" } else { "write `while (!(..)) {`" };
            Some(Correction::foreign(word, place, help).covers(block()))
        }
        "match" | "when" | "select" if opens => {
            let help = match next {
                Ident(on) => format!("write `switch ({on}) {{ value => .., else => .. }}`"),
                _ => "write `switch (..) { value => .., else => .. }`".to_string(),
            };
            Some(Correction::foreign(word, place, help).covers(block()))
        }
        "goto" => {
            Some(Correction::foreign(word, place, "there is no `goto`: use a loop, and `break` with a label"))
        }
        "try" | "throw" | "raise" | "del" | "delete" if opens => {
            let help = foreign::value_of_csl("try").filter(|_| !word.starts_with("del"));
            Some(
                Correction::foreign(word, place, help.unwrap_or("remove it: memory is not freed"))
                    .covers(block()),
            )
        }
        _ => None,
    }
}

/// `parm n: u16;`, `retrun n;`, `whlie (..) {`
fn misspelled(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    use Token::*;
    let next = stuck.token(start + 1)?;
    let (known, opens): (&[&str], bool) = match stuck.at_declaration() {
        true => (&DECLARATION_WORDS, matches!(next, Ident(_) | LBrace | Fn | Var | Const)),
        false => {
            (&STATEMENT_WORDS, matches!(next, Ident(_) | Number(_) | Builtin(_) | LParen | LBrace | DotBrace))
        }
    };
    let near = suggest::nearest(word, known.iter().copied()).filter(|_| opens)?;
    let place = stuck.bytes(start, start);
    let close = stuck.close_of(start + 1).filter(|_| matches!(next, LParen | LBrace));
    // A call is followed by no block.
    let is_head = |close: usize| matches!(stuck.token(close + 1), Some(LBrace | Pipe)) || near == "return";
    let is_meant = match (next, close) {
        (LParen, Some(close)) => is_head(close),
        (LBrace, _) => true,
        _ => stuck.at <= start + 1,
    };
    if !is_meant {
        return None;
    }
    let end = close.map_or(start, |close| close + 1);
    Some(Correction {
        place: Some(place),
        covers: stuck.bytes(start, end),
        ..Correction::slip(format!("did you mean `{near}`?")).edit(place, near)
    })
}

/// `n := 3;`
fn walrus(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    let is_walrus = stuck.token(start + 1) == Some(Token::Colon)
        && stuck.token(start + 2) == Some(Token::Assign)
        && stuck.adjoins(start + 1);
    if !is_walrus {
        return None;
    }
    let instead = if stuck.changes(word) { "var" } else { "const" };
    let help = format!("write `{instead} {word} = ..`");
    let place = stuck.bytes(start + 1, start + 2);
    let edit = stuck.bytes(start, start + 2);
    Some(Correction::foreign(":=", place, help).edit(edit, format!("{instead} {word} =")))
}

/// `const param n: u16;`, `param var n`
fn two_words(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let names = name(stuck.after(1)).is_some();
    if stuck.at != start + 1 || !names || !matches!(stuck.found()?, Const | Var | Param) {
        return None;
    }
    let word = match (stuck.token(start)?, stuck.found()?) {
        (Param, _) | (_, Param) => "param",
        (_, Var) | (Var, _) => "var",
        _ => "const",
    };
    let place = stuck.bytes(start, stuck.at);
    Some(
        Correction::foreign(stuck.words(start, stuck.at), place, format!("write `{word}` alone"))
            .edit(place, word),
    )
}

/// `const (a, b) = f();`, `const { a, b } = s;`
fn destructuring(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let opens = matches!(stuck.found()?, LParen | LBrace | DotBrace | LBracket);
    if stuck.at != start + 1 || !opens {
        return None;
    }
    let close = stuck.close_of(stuck.at)?;
    let declared: Vec<&str> = (stuck.at..close).filter_map(|at| name(stuck.token(at))).collect();
    let word = stuck.words(start, start);
    let [first, .., last] = declared.as_slice() else { return None };
    let help = match stuck.token(start)? {
        Param => format!("declare each by itself: `{word} {first}: T; {word} ..`"),
        _ => format!("declare each by itself: `{word} {first} = ..; {word} {last} = ..;`"),
    };
    let place = stuck.bytes(stuck.at, close);
    let what = stuck.words(start, close);
    Some(Correction::foreign(what, place, help).covers(stuck.bytes(start, stuck.line_end(start))))
}

/// `volatile int n = 3;`, `__shared__ float a[10];`, `static u16 n;`
fn marked_variable(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_mark = |at: usize| {
        stuck.token(at) == Some(Token::Volatile) || name(stuck.token(at)).is_some_and(is_mark_of_c)
    };
    let at = (start..).find(|at| !is_mark(*at))?;
    let (ty, next) = foreign_type(stuck, at).filter(|_| at > start)?;
    let declared = name(stuck.token(next))?;
    let (end, size) = match stuck.token(next + 1)? {
        Token::LBracket => {
            let close = stuck.close_of(next + 1)?;
            (close, stuck.words(next + 1, close))
        }
        _ => (next, ""),
    };
    if !matches!(stuck.token(end + 1)?, Token::Assign | Token::Semi) || stuck.at > end + 1 {
        return None;
    }
    let place = stuck.bytes(start, end);
    let instead = format!("var {declared}: {size}{ty}");
    let is_local = stuck.at_statement() && name(stuck.token(start)) == Some("static");
    let help = match is_local {
        true => format!("write `{instead}` at the top level, where a variable keeps its value"),
        false => format!("write `{instead}`"),
    };
    let covers = stuck.bytes(start, stuck.line_end(start));
    Some(
        Correction::foreign(stuck.words(start, next), place, help)
            .covers(covers)
            .edit_if(!is_local, place, instead),
    )
}

/// `defer n = 0;`, `assert n == 1;`, `print n`: a word in front of a statement or value.
fn sentence(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    let begins =
        !matches!(stuck.token(start + 1)?, Token::Assign | Token::Dot | Token::LBracket | Token::Semi);
    let is_call = stuck.token(start + 1) == Some(Token::LParen);
    let help = match word {
        _ if !begins || is_call => return None,
        _ if foreign::prints(word) => format!("to print, write {}", foreign::PRINTING),
        "assert" => "write `@assert(..);`".to_string(),
        _ => foreign::word_of_csl(word).or_else(|| foreign::value_of_csl(word))?.to_string(),
    };
    let next_lines = stuck.line_end(start) == start;
    let open = (start..=stuck.line_end(start)).find(|at| stuck.tokens[*at].1 == Token::LBrace);
    let end = open.and_then(|open| stuck.close_of(open)).unwrap_or_else(|| stuck.line_end(start));
    let covers = if next_lines { stuck.bytes(start, start) } else { stuck.bytes(start, end) };
    Some(Correction::foreign(word, stuck.bytes(start, start), help).covers(covers))
}

/// Whether a word at the start of a declaration or statement is explained by itself.
fn is_known(word: &str) -> bool {
    let near = |known: &[&'static str]| suggest::nearest(word, known.iter().copied()).is_some();
    MARKS.contains(&word) || VARIABLES.contains(&word) || near(&DECLARATION_WORDS)
}

/// `async fn f() void {`, `pub extern var n: u16;`
fn mark(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let next = stuck.token(start + 1)?;
    let is_declaration =
        matches!(next, Fn | Task | Var | Const | Param | Export | Extern | Inline | Comptime);
    let word = stuck.words(start, start);
    if !stuck.at_declaration() || !is_declaration || begins_on_new_line(stuck, start + 1) || is_known(word) {
        return None;
    }
    let place = stuck.bytes(start, start);
    let help = format!("remove it: `{}` begins the declaration", stuck.words(start + 1, start + 1));
    let until = stuck.tokens[start + 1].0;
    Some(Correction::foreign(word, place, help).edit((place.0, until), ""))
}

fn begins_on_new_line(stuck: &Stuck, at: usize) -> bool {
    at > 0 && stuck.line_end(at - 1) == at - 1
}
