//! Declarations and statements that begin with a word of another language, or with a misspelled one.

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
        Ident(word) => declaration_word(stuck, start, word)
            .or_else(|| function_word(stuck, start, word))
            .or_else(|| import(stuck, start, word))
            .or_else(|| control_word(stuck, start, word))
            .or_else(|| misspelled(stuck, start, word))
            .or_else(|| type_first(stuck, start, start))
            .or_else(|| walrus(stuck, start, word))
            .or_else(|| top_level(stuck, start)),
        Const | Var | Param => size_behind_name(stuck, start).or_else(|| type_first(stuck, start, start + 1)),
        Struct | Enum | Union => named_type(stuck, start),
        Fn | Task => parameter(stuck),
        Layout => layout(stuck, start),
        Builtin(_) => top_level(stuck, start),
        _ => None,
    }
}

/// `let n = 4;`, `auto n`, `static var n`
fn declaration_word(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
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
    const MARKS: [&str; 6] = ["pub", "public", "private", "noinline", "global", "threadlocal"];
    let place = stuck.bytes(start, start);
    let next = stuck.token(start + 1)?;
    let begins =
        |token: Token| matches!(token, Token::Var | Token::Const | Token::Fn | Token::Task | Token::Struct);
    if word == "static" && begins(next) {
        let help = "move it to the top level, where a variable keeps its value";
        return Some(Correction::foreign(word, place, help));
    }
    if MARKS.contains(&word) && (begins(next) || next == Token::Param) {
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
    let at = if name(stuck.token(start + 1)) == Some("mut") { start + 2 } else { start + 1 };
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

/// `func f() {`, `def f():`, `void f() {`
fn function_word(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    const FUNCTIONS: [&str; 9] =
        ["func", "function", "fun", "def", "proc", "procedure", "sub", "method", "kernel"];
    let place = stuck.bytes(start, start);
    if FUNCTIONS.contains(&word) && name(stuck.token(start + 1)).is_some() {
        let is_python = matches!(word, "def" | "sub" | "proc" | "procedure");
        let function = name(stuck.token(start + 1))?;
        let help = match is_python {
            true => format!("write `fn {function}(n: i16) i16 {{ .. }}`: parameters and results have types"),
            false => "write `fn`".to_string(),
        };
        return Some(Correction::foreign(word, place, help).edit_if(!is_python, place, "fn"));
    }
    let (ty, at) = foreign_type(stuck, start)?;
    let function = name(stuck.token(at))?;
    if stuck.token(at + 1) != Some(Token::LParen) || !stuck.at_declaration() {
        return None;
    }
    let help = format!("write `fn {function}(..) {ty} {{`");
    let end = stuck.close_of(at + 1).unwrap_or(at + 1);
    Some(
        Correction::foreign(stuck.words(start, at), stuck.bytes(start, at), help)
            .covers(stuck.bytes(start, end)),
    )
}

/// A type in front of a name, which may have two words; and the place of the name.
fn foreign_type<'t>(stuck: &Stuck<'_, 't>, start: usize) -> Option<(&'t str, usize)> {
    let first = name(stuck.token(start))?;
    match (first, name(stuck.token(start + 1))) {
        ("unsigned", Some("char")) => Some(("u8", start + 2)),
        ("unsigned", Some("long")) => Some(("u32", start + 2)),
        ("unsigned", Some("int" | "short")) => Some(("u16", start + 2)),
        ("signed" | "long" | "short", Some(second @ ("int" | "char" | "short" | "long" | "double"))) => {
            let ty = if first == "long" && second == "int" { "long" } else { second };
            Some((meant_type(ty)?, start + 2))
        }
        _ => Some((meant_type(first)?, start + 1)),
    }
}

/// `int x = 0;`, `const int n = 4;`, `double a[10];`, `int[] a;`
fn type_first(stuck: &Stuck, start: usize, at: usize) -> Option<Correction> {
    use Token::*;
    let (written, mut next) = match foreign_type(stuck, at) {
        Some((ty, next)) => (ty, next),
        // Two names in a row: the first can only be a type.
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
    let declared = name(stuck.token(start + 1))?;
    if !stuck.at_declaration() {
        return None;
    }
    let word = stuck.words(start, start);
    let kind = if word == "enum" { "enum(u8)" } else { word };
    let end = stuck.close_of(start + 2).unwrap_or(start + 1);
    let help = format!("write `const {declared} = {kind} {{ .. }};`");
    let place = stuck.bytes(start, start + 1);
    Some(
        Correction::foreign(format!("{word} {declared}"), place, help)
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
        let help = match next {
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

/// `n = 4;` outside of any block, where `n` is declared.
fn top_level_of_declared(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_outside = stuck.at_declaration() && stuck.at == start;
    let line = stuck.bytes(start, stuck.line_end(start));
    let is_assignment = is_outside && stuck.token(start + 1) == Some(Token::Assign);
    let slip = || {
        Correction::slip("assign in a function or task, or give the value in the declaration").covers(line)
    };
    if is_assignment { Some(slip()) } else { top_level(stuck, start) }
}

/// `n = 4;` or `f();` outside of any block.
fn top_level(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    if !stuck.at_declaration() || stuck.at != start {
        return None;
    }
    let line = stuck.bytes(start, stuck.line_end(start));
    match (stuck.token(start)?, stuck.token(start + 1)?) {
        (Ident(name), Assign) => {
            let at = stuck.bytes(start, start);
            let slip = Correction::slip(format!("declare it: write `const {name} = ..`"));
            Some(slip.covers(line).edit((at.0, at.0), "const "))
        }
        (Ident(_) | Builtin(_), LParen) => {
            let is_of_layout = matches!(stuck.token(start)?, Builtin(name) if is_of_layout(name));
            let block = if is_of_layout { "layout" } else { "comptime" };
            let call = stuck.words(start, start);
            let slip = Correction::slip(format!("put it into a block: `{block} {{ {call}(..); }}`"));
            Some(slip.covers(line))
        }
        (Ident(name), Colon) => {
            let slip = Correction::slip(format!("declare it: `var {name}: T;`"));
            Some(slip.covers(line))
        }
        _ => None,
    }
}

fn is_of_layout(builtin: &str) -> bool {
    matches!(builtin, "@set_rectangle" | "@set_tile_code" | "@set_color_config" | "@export_name")
}

/// `fn f(int n)`, `fn f(n i16)`
fn parameter(stuck: &Stuck) -> Option<Correction> {
    let (first, second) = (name(stuck.before(1))?, name(stuck.found())?);
    let begins = matches!(stuck.before(2), Some(Token::LParen | Token::Comma | Token::Comptime));
    if !begins || stuck.token(stuck.open_before(stuck.at)?) != Some(Token::LParen) {
        return None;
    }
    let place = stuck.bytes(stuck.at - 1, stuck.at);
    if let Some(ty) = meant_type(first) {
        let instead = format!("{second}: {ty}");
        let help = format!("write `{instead}`");
        return Some(
            Correction::foreign(stuck.words(stuck.at - 1, stuck.at), place, help).edit(place, instead),
        );
    }
    let ty = meant_type(second).unwrap_or(second);
    let slip = Correction::slip(format!("write `:` between the name and the type: `{first}: {ty}`"));
    Some(slip.edit(place, format!("{first}: {ty}")))
}

/// `layout() {`
fn layout(stuck: &Stuck, start: usize) -> Option<Correction> {
    let parens = stuck.found() == Some(Token::LParen) && stuck.after(1) == Some(Token::RParen);
    let place = stuck.bytes(start + 1, start + 2);
    parens.then(|| Correction::foreign("layout()", place, "write `layout {`").edit(place, ""))
}
