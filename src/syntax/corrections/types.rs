//! Types as other languages write them: `i16* p`, `&mut i16`, `[u16; 3]`, `Vec<u16>`.

use super::{Correction, name};
use crate::syntax::foreign::meant_type;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped at such a type; `start` is the first token of the declaration or statement.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    pointer_declaration(stuck, start)
        .or_else(|| star_behind(stuck))
        .or_else(|| mutable(stuck))
        .or_else(|| caret(stuck))
        .or_else(|| size_behind(stuck))
        .or_else(|| sentinel(stuck))
        .or_else(|| generic_call(stuck))
        .or_else(|| generic(stuck))
}

/// `i16* p = &n;`, `float *p;`
fn pointer_declaration(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let ty = meant_type(name(stuck.token(start))?)?;
    let first = (start + 1..).find(|at| stuck.token(*at) != Some(Star)).filter(|at| *at > start + 1)?;
    // `float * restrict p`
    let at = if name(stuck.token(first + 1)).is_some() { first + 1 } else { first };
    let declared = name(stuck.token(at))?;
    if !matches!(stuck.token(at + 1), Some(Assign | Semi)) || stuck.at > at + 1 {
        return None;
    }
    let stars = "*".repeat(first - start - 1);
    let instead = format!("var {declared}: {stars}{ty}");
    let place = stuck.bytes(start, at);
    let help = format!("write `{instead}`");
    let covers = stuck.bytes(start, stuck.line_end(start));
    Some(Correction::foreign(stuck.words(start, at), place, help).covers(covers).edit(place, instead))
}

/// `p: i16*`, `(i16*)p`
fn star_behind(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let ends = matches!(stuck.found()?, Assign | Semi | Comma | RParen | RBrace | LBrace);
    if stuck.before(1)? != Star || !ends {
        return None;
    }
    let ty = meant_type(name(stuck.before(2))?)?;
    let place = stuck.bytes(stuck.at - 2, stuck.at - 1);
    let is_cast = stuck.found()? == RParen && stuck.before(3) == Some(LParen);
    let what = stuck.words(stuck.at - 2, stuck.at - 1);
    let end = stuck.operand_end(stuck.at + 1).or_else(|| {
        let is_address = stuck.after(1) == Some(Amp);
        stuck.operand_end(stuck.at + 2).filter(|_| is_address)
    });
    match end.filter(|_| is_cast) {
        Some(end) => {
            let instead = format!("@ptrcast(*{ty}, {})", stuck.words(stuck.at + 1, end));
            let place = stuck.bytes(stuck.at - 3, stuck.at);
            let edit = stuck.bytes(stuck.at - 3, end);
            Some(
                Correction::foreign(format!("({what})"), place, format!("write `{instead}`"))
                    .edit(edit, instead),
            )
        }
        None => {
            let help = format!("write `*{ty}`: the star comes first");
            Some(Correction::foreign(what, place, help).edit(place, format!("*{ty}")))
        }
    }
}

/// `&mut n`, `p: &mut i16`
fn mutable(stuck: &Stuck) -> Option<Correction> {
    if name(stuck.before(1)) != Some("mut") || stuck.before(2) != Some(Token::Amp) {
        return None;
    }
    let target = name(stuck.found())?;
    let place = stuck.bytes(stuck.at - 2, stuck.at - 1);
    let sign = if meant_type(target).is_some() { "*" } else { "&" };
    let until = stuck.bytes(stuck.at, stuck.at).0;
    let help = format!("write `{sign}{target}`");
    Some(Correction::foreign("&mut", place, help).edit((place.0, until), sign))
}

/// `p: ^i16`
fn caret(stuck: &Stuck) -> Option<Correction> {
    if stuck.found()? != Token::Caret || stuck.before(1)? != Token::Colon {
        return None;
    }
    let place = stuck.bytes(stuck.at, stuck.at);
    let ty = name(stuck.after(1))?;
    Some(Correction::foreign(format!("^{ty}"), place, format!("write `*{ty}`")).edit(place, "*"))
}

/// `a: [u16; 3]`, `= [0; 3]`
fn size_behind(stuck: &Stuck) -> Option<Correction> {
    let open = stuck.open_before(stuck.at).filter(|_| stuck.found() == Some(Token::Semi))?;
    if stuck.token(open)? != Token::LBracket || open + 1 >= stuck.at || !stuck.is_enclosed(stuck.at) {
        return None;
    }
    let close = stuck.close_of(open)?;
    let (first, size) = (stuck.words(open + 1, stuck.at - 1), stuck.words(stuck.at + 1, close - 1));
    let place = stuck.bytes(open, close);
    let what = stuck.words(open, close);
    if let Some(ty) = meant_type(first) {
        let instead = format!("[{size}]{ty}");
        return Some(Correction::foreign(what, place, format!("write `{instead}`")).edit(place, instead));
    }
    let help = match first.trim_end_matches(['0', '.']).is_empty() {
        true => {
            format!("write `@zeros([{size}]T)` with the type of the elements, such as `@zeros([{size}]f32)`")
        }
        false => format!(
            "write `@constants([{size}]T, {first})` with the type of the elements, such as `@constants([{size}]i16, {first})`"
        ),
    };
    Some(Correction::foreign(what, place, help))
}

/// `[*:0]u8`
fn sentinel(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    if stuck.found()? != Colon || stuck.before(1)? != Star || stuck.before(2)? != LBracket {
        return None;
    }
    let close = stuck.close_of(stuck.at - 2)?;
    let place = stuck.bytes(stuck.at - 2, close);
    let what = stuck.words(stuck.at - 2, close);
    Some(
        Correction::foreign(what, place, "write `[*]`: nothing marks the end of an array").edit(place, "[*]"),
    )
}

/// `add<u16>(1, 2)`
fn generic_call(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let open = stuck.open_before(stuck.at).filter(|_| stuck.found() == Some(Comma))?;
    let [Ident(function), Less, Ident(ty), Greater, LParen] =
        [4, 3, 2, 1, 0].map(|back| open.checked_sub(back).and_then(|at| stuck.token(at)).unwrap_or(Broken))
    else {
        return None;
    };
    let ty = meant_type(ty)?;
    let close = stuck.close_of(open)?;
    let instead = format!("{function}({ty}, {})", stuck.words(open + 1, close - 1));
    let what = stuck.words(open - 4, open - 1);
    let help = format!("pass the type as an argument: `{instead}`");
    Some(
        Correction::foreign(what, stuck.bytes(open - 4, open - 1), help).covers(stuck.bytes(open - 4, close)),
    )
}

/// `a: Vec<u16> = ..`
fn generic(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let less = match (stuck.before(1)?, stuck.found()?) {
        (Greater, Assign | Semi) => (0..stuck.at - 1).rev().find(|at| stuck.token(*at) == Some(Less))?,
        (_, Comma) => (0..stuck.at).rev().take(4).find(|at| stuck.token(*at) == Some(Less))?,
        _ => return None,
    };
    let outer = name(stuck.before_token(less)).filter(|outer| !stuck.declares(outer))?;
    let end = (less..=stuck.line_end(less)).find(|at| stuck.token(*at) == Some(Greater))?;
    let element = meant_type(name(stuck.token(less + 1))?)?;
    let place = stuck.bytes(less - 1, end);
    let what = stuck.words(less - 1, end);
    let help = match outer {
        "Vec" | "vector" | "List" | "list" | "Array" | "array" | "Span" | "span" => {
            format!("write `[n]{element}` for an array: its size is known at comptime")
        }
        _ => "write a function that returns a type, `fn Name(comptime T: type) type { .. }`, and `Name(T)`"
            .to_string(),
    };
    Some(Correction::foreign(what, place, help))
}
