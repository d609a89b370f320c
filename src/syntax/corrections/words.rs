//! Words of other languages in the middle of a statement: `await f()`, `a orelse b`, `1 if b else 2`.

use super::{Correction, name};
use crate::syntax::foreign;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped at such a word; `start` is the first token of the statement or declaration.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    infix(stuck)
        .or_else(|| word_in_front(stuck))
        .or_else(|| condition_behind(stuck, start))
        .or_else(|| prefixed_string(stuck))
        .or_else(|| lone_word(stuck, start))
        .or_else(|| comprehension(stuck))
        .or_else(|| bare_call(stuck))
        .or_else(|| divided_by_comment(stuck))
        .or_else(|| dashed_name(stuck))
}

/// `fn two-trees(..)`: a declared name with dashes.
fn dashed_name(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let begins =
        matches!(stuck.before(2)?, Fn | Task | Var | Const | Param) && name(stuck.before(1)).is_some();
    let is_adjacent = |at: usize| stuck.tokens.get(at + 1).is_some_and(|next| next.0 == stuck.tokens[at].2);
    let mut end = stuck.at - 1;
    while begins
        && is_adjacent(end)
        && stuck.token(end + 1) == Some(Minus)
        && is_adjacent(end + 1)
        && name(stuck.token(end + 2)).is_some()
    {
        end += 2;
    }
    let place = stuck.bytes(stuck.at - 1, end);
    let written = stuck.text.get(place.0..place.1).filter(|_| end >= stuck.at)?;
    let help = format!("a name has letters, digits and `_`: write `{}`", written.replace('-', "_"));
    let slip = Correction::slip(help).saying(place, "a name", written);
    Some(slip.covers(stuck.bytes(stuck.at, stuck.line_end(stuck.at))))
}

/// `a orelse b`
fn infix(stuck: &Stuck) -> Option<Correction> {
    let found = name(stuck.found()).filter(|_| stuck.before(1).is_some_and(Token::ends_operand))?;
    let help = foreign::infix_of_csl(found).filter(|_| !stuck.on_new_line())?;
    let place = stuck.bytes(stuck.at, stuck.at);
    let rest = stuck.bytes(stuck.at, stuck.line_end(stuck.at));
    Some(Correction::foreign(found, place, help).covers(rest))
}

/// `println!(..)`, `await f();`: words of other languages in front of a value.
pub fn word_in_front(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let word = name(stuck.before(1)).filter(|word| !stuck.declares(word))?;
    let place = stuck.bytes(stuck.at - 1, stuck.at - 1);
    let is_value =
        stuck.at.checked_sub(2).and_then(|at| stuck.token(at)).is_none_or(|token| !token.ends_operand());
    match stuck.found()? {
        Bang if stuck.after(1) == Some(LParen) => {
            let what = format!("{word}!");
            let help = match word {
                _ if foreign::prints(word) => format!("to print, write {}", foreign::PRINTING),
                "assert" | "assert_eq" | "debug_assert" => "write `@assert(..)`".to_string(),
                _ => "there are no macros: write a function, `fn`".to_string(),
            };
            Some(Correction::foreign(what, stuck.bytes(stuck.at - 1, stuck.at), help))
        }
        Ident(_) | Number(_) | Builtin(_) | Str(_) | LBrace if !stuck.on_new_line() && is_value => {
            let help = foreign::word_of_csl(word).or_else(|| foreign::value_of_csl(word))?;
            Some(Correction::foreign(word, place, help))
        }
        _ => None,
    }
}

/// `n = 1 if b else 2;`
fn condition_behind(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    if stuck.found()? != If || !stuck.before(1)?.ends_operand() || stuck.on_new_line() {
        return None;
    }
    let end = stuck.line_end(stuck.at);
    let before = (start..stuck.at).rev().find(|at| matches!(stuck.tokens[*at].1, Assign | Return))?;
    let value = stuck.words(before + 1, stuck.at - 1);
    let last = if stuck.token(end) == Some(Semi) { end - 1 } else { end };
    let place = stuck.bytes(before + 1, last);
    let is_open = stuck.open_before(stuck.at).is_some_and(|open| open > before);
    let otherwise = (stuck.at + 2..last).find(|at| stuck.tokens[*at].1 == Else).filter(|_| !is_open);
    let Some(otherwise) = otherwise else {
        return Some(Correction::slip("write the condition in front: `if (..) n = ..;`"));
    };
    let condition = stuck.words(stuck.at + 1, otherwise - 1);
    let condition = match condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner,
        None => condition,
    };
    let instead = format!("if ({condition}) {value} else {}", stuck.words(otherwise + 1, last));
    let help = format!("write `{instead}`");
    Some(Correction::foreign("a if b else c", place, help).edit(place, instead))
}

/// `f"n is {n}"`
fn prefixed_string(stuck: &Stuck) -> Option<Correction> {
    let letters = name(stuck.before(1)).filter(|word| word.len() < 3)?;
    if !matches!(stuck.found()?, Token::Str(_)) || !stuck.adjoins(stuck.at - 1) {
        return None;
    }
    let place = stuck.bytes(stuck.at - 1, stuck.at);
    let help = match letters {
        "f" => format!("to print, write {}", foreign::PRINTING),
        _ => format!("remove the `{letters}`"),
    };
    Some(Correction::foreign(format!("{letters}\"..\""), place, help))
}

/// `begin` or `end` on a line of its own
fn lone_word(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_word = |at: &usize| {
        matches!(name(stuck.token(*at)), Some("begin" | "end" | "endif" | "endfor" | "fi" | "done" | "pass"))
    };
    let ends = |at: usize| stuck.line_end(at) == at || stuck.token(at + 1) == Some(Token::RBrace);
    let before = stuck.at.checked_sub(1).filter(|at| *at == start);
    let at = [Some(stuck.at), before].into_iter().flatten().find(is_word).filter(|at| ends(*at))?;
    if at != start || stuck.declares(name(stuck.token(at))?) {
        return None;
    }
    let word = stuck.words(at, at);
    let help = match word {
        "pass" => "remove it: a block may be empty, `{}`",
        _ => "remove it: a block begins with `{` and ends with `}`",
    };
    let place = stuck.bytes(at, at);
    Some(Correction::foreign(word, place, help).edit(place, ""))
}

/// `n = f 1;`, where `f` is a function
fn bare_call(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let called = name(stuck.before(1))?;
    let is_function = stuck.tokens.windows(2).any(|pair| pair[0].1 == Fn && pair[1].1 == Ident(called));
    let begins = matches!(stuck.found()?, Ident(_) | Number(_) | Str(_) | True | False | Builtin(_));
    let end = stuck.operand_end(stuck.at).filter(|_| is_function && begins && !stuck.on_new_line())?;
    let argument = stuck.words(stuck.at, end);
    let instead = format!("{called}({argument})");
    let place = stuck.bytes(stuck.at - 1, end);
    Some(
        Correction::slip(format!("write the parentheses of the call: `{instead}`"))
            .covers(place)
            .edit(place, instead),
    )
}

/// `[x * 2 for x in a]`
fn comprehension(stuck: &Stuck) -> Option<Correction> {
    let open = stuck.open_before(stuck.at).filter(|_| stuck.found() == Some(Token::For))?;
    let close = stuck.close_of(open).filter(|_| stuck.token(open) == Some(Token::LBracket))?;
    let place = stuck.bytes(open, close);
    let help = "declare the array, and fill it in a loop: `for (@range(u16, n)) |i| { a[i] = ..; }`";
    Some(Correction::foreign("[.. for ..]", place, help))
}

/// `n = n // 2;`, where the rest of the line is a comment
fn divided_by_comment(stuck: &Stuck) -> Option<Correction> {
    if !stuck.on_new_line() || !stuck.before(1)?.ends_operand() || !stuck.expects(";") {
        return None;
    }
    let rest = stuck.text[stuck.end_before()..].lines().next()?;
    let divisor = rest.trim_start().strip_prefix("//")?.split("//").next()?.trim().strip_suffix(';')?;
    let is_operand = !divisor.is_empty() && divisor.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let lo = stuck.end_before() + (rest.len() - rest.trim_start().len());
    let help = "write `/`, which drops the rest of integers: `//` begins a comment";
    let foreign = Correction::foreign(format!("// {divisor}"), (lo, lo + 2), help);
    is_operand.then(|| foreign.edit((lo, lo + 2), "/"))
}

/// `with (s) {`, `begin {`: the parser reads the block as the value of a struct.
pub fn block_of_word(stuck: &Stuck, start: usize) -> Option<Correction> {
    let brace = stuck.at.checked_sub(1).filter(|at| stuck.token(*at) == Some(Token::LBrace))?;
    let word = name(stuck.token(start)).filter(|word| !stuck.declares(word))?;
    let heads = match stuck.token(start + 1)? {
        Token::LParen => stuck.close_of(start + 1)? + 1,
        _ => start + 1,
    };
    if heads != brace || !stuck.expects(".") {
        return None;
    }
    let covers = stuck.bytes(start, stuck.close_of(brace).unwrap_or(brace));
    let help = foreign::word_of_csl(word).map(str::to_string).unwrap_or_else(|| {
        "blocks follow `if`, `else`, `for`, `while`, `switch` and `comptime`, or stand alone".to_string()
    });
    Some(Correction::foreign(word, stuck.bytes(start, start), help).covers(covers))
}
