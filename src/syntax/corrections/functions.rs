//! Functions as other languages declare them.

use super::{Correction, name};
use crate::syntax::foreign::meant_type;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped in the head of a function; `start` is the first token of the declaration.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    match stuck.token(start)? {
        Ident(_) if stuck.at_declaration() => {
            c_head(stuck, start).or_else(|| template(stuck, start)).or_else(|| type_in_front(stuck, start))
        }
        Export => exported(stuck, start),
        Extern => of_language(stuck, start).or_else(|| exported(stuck, start)),
        Const | Var => anonymous(stuck, start),
        Inline if stuck.at == start + 1 && matches!(stuck.found(), Some(Const | Var | Param)) => {
            let (place, until) = (stuck.bytes(start, start), stuck.bytes(stuck.at, stuck.at).0);
            let help = "remove it: only functions and loops are `inline`";
            Some(Correction::foreign(stuck.words(start, stuck.at), place, help).edit((place.0, until), ""))
        }
        Builtin(word) if stuck.at_declaration() => decorator(stuck, start, word),
        _ => None,
    }
    .or_else(|| {
        let at = (start..stuck.at).rev().find(|at| matches!(stuck.tokens[*at].1, Fn | Task))?;
        head(stuck, at)
    })
}

/// A mistake between `fn` or `task` and the body.
fn head(stuck: &Stuck, word: usize) -> Option<Correction> {
    two_words(stuck, word)
        .or_else(|| generic(stuck, word))
        .or_else(|| without_parentheses(stuck, word))
        .or_else(|| default_value(stuck, word))
        .or_else(|| marked_parameter(stuck, word))
        .or_else(|| result(stuck))
        .or_else(|| body(stuck, word))
}

/// `void f() {`, `__global__ void f(int* a) {`, `static int f() {`
fn c_head(stuck: &Stuck, start: usize) -> Option<Correction> {
    let marks = (start..).find(|at| !name(stuck.token(*at)).is_some_and(is_mark_of_c))?;
    let (ty, at) = foreign_type(stuck, marks)?;
    let stars = (at..).find(|at| stuck.token(*at) != Some(Token::Star))?;
    let function = name(stuck.token(stars))?;
    if stuck.token(stars + 1) != Some(Token::LParen) {
        return None;
    }
    let pointer = "*".repeat(stars - at);
    let help = format!("write `fn {function}(..) {pointer}{ty} {{`");
    let end = stuck.close_of(stars + 1).unwrap_or(stars + 1);
    let place = stuck.bytes(start, stars);
    Some(Correction::foreign(stuck.words(start, stars), place, help).covers(stuck.bytes(start, end)))
}

/// Whether a word marks functions or variables in C or CUDA.
pub fn is_mark_of_c(word: &str) -> bool {
    let is_of_cuda = word.len() > 4 && word.starts_with("__") && word.ends_with("__");
    is_of_cuda || matches!(word, "static" | "virtual" | "volatile" | "register" | "constexpr")
}

/// A type in front of a name, which may have two words; and the place of the name.
pub fn foreign_type<'t>(stuck: &Stuck<'_, 't>, start: usize) -> Option<(&'t str, usize)> {
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

/// `template<typename T> T f(T x) {`
fn template(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_template =
        name(stuck.token(start)) == Some("template") && stuck.token(start + 1) == Some(Token::Less);
    let close = (start..=stuck.line_end(start)).find(|at| stuck.tokens[*at].1 == Token::Greater);
    let close = close.filter(|_| is_template)?;
    let place = stuck.bytes(start, close);
    let ty = name(stuck.token(close - 1)).unwrap_or("T");
    let help = format!("write the type as a parameter: `fn f(comptime {ty}: type, x: {ty}) {ty} {{`");
    let line = stuck.bytes(start, stuck.line_end(start));
    Some(Correction::foreign("template<..>", place, help).covers(line))
}

/// `u16 fn f() {`
fn type_in_front(stuck: &Stuck, start: usize) -> Option<Correction> {
    let (ty, at) = foreign_type(stuck, start)?;
    let word = match stuck.token(at)? {
        Token::Fn => "fn",
        Token::Task => "task",
        _ => return None,
    };
    let function = name(stuck.token(at + 1)).unwrap_or("f");
    let place = stuck.bytes(start, at - 1);
    let covers = stuck.bytes(start, stuck.line_end(start));
    let help = format!("write the type of the result behind the parameters: `{word} {function}(..) {ty} {{`");
    Some(Correction::foreign(stuck.words(start, at), place, help).covers(covers))
}

/// `export void f() {`, `export n: u16 = 3;`
fn exported(stuck: &Stuck, start: usize) -> Option<Correction> {
    if stuck.at != start + 1 {
        return None;
    }
    let word = stuck.words(start, start);
    let at = stuck.bytes(stuck.at, stuck.at).0;
    if let (Some(declared), Some(Token::Colon)) = (name(stuck.found()), stuck.after(1)) {
        let slip = Correction::slip(format!("write `{word} var {declared}: ..`"));
        return Some(slip.edit((at, at), "var "));
    }
    let (ty, next) = foreign_type(stuck, stuck.at)?;
    let declared = name(stuck.token(next))?;
    let place = stuck.bytes(stuck.at, next);
    let covers = stuck.bytes(start, stuck.line_end(start));
    let help = match stuck.token(next + 1)? {
        Token::LParen => format!("write `{word} fn {declared}(..) {ty} {{`"),
        _ => format!("write `{word} var {declared}: {ty}`"),
    };
    Some(Correction::foreign(stuck.words(stuck.at, next), place, help).covers(covers))
}

/// `extern "C" void f() {`
fn of_language(stuck: &Stuck, start: usize) -> Option<Correction> {
    if stuck.at != start + 1 || !matches!(stuck.found()?, Token::Str(_)) {
        return None;
    }
    let place = stuck.bytes(start, stuck.at);
    let what = stuck.words(start, stuck.at);
    if stuck.after(1) == Some(Token::LBrace) {
        let end = stuck.close_of(stuck.at + 1).unwrap_or(stuck.at);
        let help = "write `export fn name(..) void {` for each function that others call, without a block around them";
        return Some(Correction::foreign(what, place, help).covers(stuck.bytes(start, end)));
    }
    let found = foreign_type(stuck, stuck.at + 1).and_then(|(ty, at)| Some((ty, name(stuck.token(at))?)));
    let help = match found {
        Some((ty, function)) => format!("write `export fn {function}(..) {ty} {{`"),
        None => "remove the string".to_string(),
    };
    let covers = stuck.bytes(start, stuck.line_end(start));
    Some(Correction::foreign(what, place, help).covers(covers))
}

/// `const f = fn (n: i16) i16 { .. };`
fn anonymous(stuck: &Stuck, start: usize) -> Option<Correction> {
    let assign = (start..stuck.at).find(|at| stuck.tokens[*at].1 == Token::Assign)?;
    let begins = stuck.token(assign + 1)? == Token::Fn && stuck.token(assign + 2)? == Token::LParen;
    if stuck.found()? != Token::LBrace || !begins {
        return None;
    }
    let function = name(stuck.token(start + 1))?;
    let head = stuck.words(assign + 2, stuck.at - 1);
    let place = stuck.bytes(assign + 1, stuck.at - 1);
    let end = stuck.close_of(stuck.at).unwrap_or(stuck.at);
    let help = format!("give it a name at the top level: `fn {function}{head} {{`");
    let foreign = Correction::foreign("fn (..) {", place, help);
    Some(foreign.covers(stuck.bytes(start, end + 1)))
}

/// `@inline` in the line before `fn`
fn decorator(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    let begins = matches!(stuck.token(start + 1)?, Token::Fn | Token::Task | Token::Ident(_) | Token::Export);
    let place = stuck.bytes(start, start);
    let help = match word {
        "@inline" => "write `inline fn`",
        _ => "remove it: a function is marked by `inline`, `export` or `extern` in front of `fn`",
    };
    begins.then(|| Correction::foreign(word, place, help))
}

/// `task fn f() void {`
fn two_words(stuck: &Stuck, word: usize) -> Option<Correction> {
    let second = stuck.found().filter(|token| {
        matches!(
            token,
            Token::Fn | Token::Task | Token::Layout | Token::Inline | Token::Export | Token::Extern
        )
    })?;
    // `fn task() void {` is a function with the name of a word.
    if stuck.at != word + 1 || name(stuck.after(1)).is_none() && second != Token::Layout {
        return None;
    }
    let place = stuck.bytes(word, stuck.at);
    let both = stuck.words(word, stuck.at);
    if second == Token::Layout {
        let end = (stuck.at..=stuck.line_end(stuck.at)).find(|at| stuck.tokens[*at].1 == Token::LBrace);
        let covers = stuck.bytes(word, end.unwrap_or(stuck.at));
        return Some(Correction::foreign(both, place, "write `layout {`").covers(covers));
    }
    if matches!(second, Token::Inline | Token::Export | Token::Extern) {
        let instead = format!("{} {}", stuck.words(stuck.at, stuck.at), stuck.words(word, word));
        return Some(Correction::foreign(both, place, format!("write `{instead}`")).edit(place, instead));
    }
    Some(Correction::foreign(both, place, "write `task` alone, or `fn` for a function").edit(place, "task"))
}

/// `fn f<T>(x: T) T {`
fn generic(stuck: &Stuck, word: usize) -> Option<Correction> {
    if stuck.at != word + 2 || stuck.found()? != Token::Less {
        return None;
    }
    let close = (stuck.at..=stuck.line_end(stuck.at)).find(|at| stuck.tokens[*at].1 == Token::Greater)?;
    let function = name(stuck.before(1))?;
    let ty = name(stuck.after(1)).unwrap_or("T");
    let help = format!("write the type as a parameter: `fn {function}(comptime {ty}: type, ..)`");
    let place = stuck.bytes(stuck.at, close);
    Some(Correction::foreign(stuck.words(stuck.at, close), place, help))
}

/// `task main {`, `fn f void {`
fn without_parentheses(stuck: &Stuck, word: usize) -> Option<Correction> {
    if stuck.at == word + 2 && (stuck.found()? == Token::Dot || stuck.after(1) == Some(Token::Colon)) {
        let at = if stuck.found()? == Token::Dot { stuck.at + 1 } else { stuck.at + 2 };
        let function = name(stuck.token(at))?;
        let place = stuck.bytes(word + 1, at);
        let help = format!("write `fn {function}(..)`: functions belong to the file, not to a type");
        return Some(Correction::foreign(stuck.words(word + 1, at), place, help).edit(place, function));
    }
    let fits = matches!(stuck.found()?, Token::LBrace | Token::Ident(_) | Token::Colon | Token::Arrow);
    if stuck.at != word + 2 || !fits || !stuck.expects("(") {
        return None;
    }
    let head = stuck.words(word, word + 1);
    let ty = name(stuck.found()).and_then(meant_type).unwrap_or("void");
    let at = stuck.end_before();
    let slip = Correction::slip(format!("write the parentheses and the result: `{head}() {ty} {{`"));
    Some(slip.edit_if(name(stuck.found()) == Some(ty), (at, at), "()"))
}

/// `fn f(a: u16, b: u16 = 1) u16 {`
fn default_value(stuck: &Stuck, word: usize) -> Option<Correction> {
    let open = stuck.open_before(stuck.at).filter(|open| *open == word + 2)?;
    if stuck.found()? != Token::Assign {
        return None;
    }
    let close = stuck.close_of(open)?;
    let value = (stuck.at..close).find(|at| stuck.tokens[*at].1 == Token::Comma).unwrap_or(close) - 1;
    let from = if stuck.before(1)? == Token::Colon { stuck.at - 1 } else { stuck.at };
    let function = name(stuck.token(word + 1))?;
    let place = stuck.bytes(from, value);
    let help = format!(
        "parameters have no default values: remove it, and pass the value in each call of `{function}`"
    );
    Some(Correction::foreign(stuck.words(from, value), place, help).covers(stuck.bytes(open, close)))
}

/// `fn f(const a: u16)`, `fn f(mut a: u16)`, `fn f(&a: u16)`, `fn f(a: u16, ...)`
fn marked_parameter(stuck: &Stuck, word: usize) -> Option<Correction> {
    use Token::*;
    stuck.open_before(stuck.at).filter(|open| *open == word + 2)?;
    let begins = |at: usize| matches!(stuck.before_token(at), Some(LParen | Comma));
    let at = if name(stuck.before(1)) == Some("mut") { stuck.at - 1 } else { stuck.at };
    let declared = name(stuck.token(at + 1)).filter(|_| begins(at))?;
    let rest = (stuck.tokens[at].0, stuck.tokens[at + 1].0);
    let what = stuck.words(at, at);
    match stuck.token(at)? {
        Const => {
            let help = "write the name alone: a parameter never changes";
            Some(Correction::foreign(stuck.words(at, at + 1), stuck.bytes(at, at + 1), help).edit(rest, ""))
        }
        Var | Ident("mut") => {
            let help =
                format!("a parameter does not change: copy it in the function, `var copy = {declared};`");
            Some(Correction::foreign(stuck.words(at, at + 1), stuck.bytes(at, at + 1), help))
        }
        Amp | Star => {
            let help = format!("write `{declared}: *T`, and pass `&x`");
            let what = format!("{what}{declared}");
            Some(Correction::foreign(what, stuck.bytes(at, at + 1), help).covers(stuck.bytes(at, at + 3)))
        }
        _ => None,
    }
}

/// `fn f() -> u16 {`, `fn f(): u16 {`, `fn f() !u16 {`, `fn f() (u16, u16) {`
fn result(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let at = stuck.bytes(stuck.at, stuck.at);
    let next = stuck.tokens.get(stuck.at + 1).map_or(at.1, |next| next.0);
    let help = match (stuck.before(1)?, stuck.found()?) {
        (_, Comma) => {
            let open = stuck.open_before(stuck.at)?;
            let is_result = stuck.token(open)? == LParen && stuck.before_token(open)? == RParen;
            let close = stuck.close_of(open).filter(|_| is_result)?;
            let place = stuck.bytes(open, close);
            let help =
                "a function has one result: return a struct, `const Pair = struct { a: u16, b: u16 };`";
            return Some(Correction::foreign(stuck.words(open, close), place, help).covers(place));
        }
        (RParen, Arrow) if stuck.expects("align") => "write the return type without an arrow",
        (RParen, Colon) if stuck.expects("align") => "write the return type without a colon",
        (RParen, Const | Var) if stuck.expects("align") => "write the return type alone",
        (Ident(result), Colon) if stuck.expects("align") => {
            let from = stuck.bytes(stuck.at - 1, stuck.at - 1).0;
            return Some(
                Correction::slip(format!("write the return type alone, without `{result}:`"))
                    .edit((from, next), ""),
            );
        }
        (RParen | Ident(_), Bang) if stuck.expects("align") => {
            let from = if stuck.before(1)? == RParen { stuck.at } else { stuck.at - 1 };
            let place = stuck.bytes(from, stuck.at);
            let help = "there are no errors as results: write the type alone, and return a value that says what went wrong";
            let ty = name(stuck.after(1)).unwrap_or("T");
            return Some(
                Correction::foreign(format!("{}{ty}", stuck.words(from, stuck.at)), place, help)
                    .edit((place.0, next), ""),
            );
        }
        _ => return None,
    };
    Some(Correction::slip(help).edit((at.0, next), ""))
}

/// `fn f(n: u16) => n + 1;`, `fn f(n: u16) u16 = n + 1;`
fn body(stuck: &Stuck, word: usize) -> Option<Correction> {
    use Token::*;
    let is_head = stuck.expects("align") || stuck.expects("linksection");
    let place = stuck.bytes(stuck.at, stuck.at);
    if !is_head || stuck.at < word + 4 || stuck.open_before(stuck.at).is_some() {
        return None;
    }
    match stuck.found()? {
        FatArrow | Assign if stuck.after(1) != Some(LBrace) => {
            let end = stuck.line_end(stuck.at);
            let last = if stuck.token(end) == Some(Semi) { end - 1 } else { end };
            let value = if last > stuck.at { stuck.words(stuck.at + 1, last) } else { ".." };
            let help = format!("write the body as a block: `{{ return {value}; }}`");
            Some(Correction::slip(help).covers(stuck.bytes(word, end)))
        }
        sign @ (FatArrow | Assign) => {
            let sign = if sign == Assign { "=" } else { "=>" };
            Some(Correction::slip(format!("remove this `{sign}`")).edit(place, ""))
        }
        _ if stuck.expects("{") && stuck.on_new_line() => {
            let at = stuck.end_before();
            Some(Correction::slip("open the block of the function with `{`").edit((at, at), " {"))
        }
        _ => None,
    }
}

/// Whether other languages begin a function with this word.
fn begins_function(word: &str) -> bool {
    const FUNCTIONS: [&str; 9] =
        ["func", "function", "fun", "def", "proc", "procedure", "sub", "method", "kernel"];
    FUNCTIONS.contains(&word)
}

/// `func f() {`, `def f():`
pub fn function_word(stuck: &Stuck, start: usize, word: &str) -> Option<Correction> {
    let function = name(stuck.token(start + 1)).filter(|_| begins_function(word))?;
    let place = stuck.bytes(start, start);
    let is_python = matches!(word, "def" | "sub" | "proc" | "procedure");
    let help = match is_python {
        true => format!("write `fn {function}(n: i16) i16 {{ .. }}`: parameters and results have types"),
        false => "write `fn`".to_string(),
    };
    Some(Correction::foreign(word, place, help).edit_if(!is_python, place, "fn"))
}

/// `fn f(a[3]: u16)`, `fn f(u16 *a)`
fn array_or_pointer(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let open = stuck.open_before(stuck.at)?;
    let declares = matches!(open.checked_sub(2).and_then(|at| stuck.token(at)), Some(Fn | Task));
    if !declares || stuck.token(open)? != LParen {
        return None;
    }
    match (stuck.before(1)?, stuck.found()?) {
        (RBracket, Colon) => {
            let size = stuck.open_before(stuck.at - 1)?;
            let declared = name(stuck.before_token(size))?;
            let ty = name(stuck.after(1)).map(|ty| meant_type(ty).unwrap_or(ty))?;
            let place = stuck.bytes(size - 1, stuck.at + 1);
            let instead = format!("{declared}: {}{ty}", stuck.words(size, stuck.at - 1));
            let what = stuck.words(size - 1, stuck.at - 1);
            let foreign =
                Correction::foreign(what, stuck.bytes(size - 1, stuck.at - 1), format!("write `{instead}`"));
            Some(foreign.edit(place, instead))
        }
        (Ident(ty), Star) => {
            let (ty, declared) = (meant_type(ty)?, name(stuck.after(1))?);
            let place = stuck.bytes(stuck.at - 1, stuck.at + 1);
            let instead = format!("{declared}: *{ty}");
            let what = stuck.words(stuck.at - 1, stuck.at + 1);
            Some(Correction::foreign(what, place, format!("write `{instead}`")).edit(place, instead))
        }
        _ => None,
    }
}

/// `fn f(int n)`, `fn f(n i16)`
pub fn parameter(stuck: &Stuck) -> Option<Correction> {
    if let Some(correction) = array_or_pointer(stuck) {
        return Some(correction);
    }
    let (first, second) = (name(stuck.before(1))?, name(stuck.found())?);
    let begins = matches!(stuck.before(2), Some(Token::LParen | Token::Comma | Token::Comptime));
    if !begins || stuck.token(stuck.open_before(stuck.at)?) != Some(Token::LParen) {
        return None;
    }
    if let (Some(ty), Some(Token::LBracket)) = (meant_type(first), stuck.after(1)) {
        let close = stuck.close_of(stuck.at + 1)?;
        let size = stuck.words(stuck.at + 1, close);
        let (place, all) = (stuck.bytes(stuck.at - 1, stuck.at), stuck.bytes(stuck.at - 1, close));
        let instead = format!("{second}: {size}{ty}");
        let foreign =
            Correction::foreign(stuck.words(stuck.at - 1, stuck.at), place, format!("write `{instead}`"));
        return Some(foreign.edit(all, instead));
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
