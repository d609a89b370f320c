//! Operators and casts of other languages.

use super::{Correction, name};
use crate::syntax::foreign::meant_type;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped at such an operator.
pub fn correction(stuck: &Stuck) -> Option<Correction> {
    pair(stuck)
        .or_else(|| word(stuck))
        .or_else(|| cast(stuck))
        .or_else(|| pointer(stuck))
        .or_else(|| arrow_function(stuck))
        .or_else(|| assignment(stuck))
}

/// Operators that CSL reads as two.
fn pair(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let before = stuck.at.checked_sub(1)?;
    if !stuck.adjoins(before) {
        return None;
    }
    let (written, instead) = match (stuck.before(1)?, stuck.found()?) {
        (EqEq, Assign) => ("===", "=="),
        (NotEq, Assign) => ("!==", "!="),
        (Less, Greater) => ("<>", "!="),
        (Shr, Greater) => (">>>", ">>"),
        (Colon, Colon) => ("::", "."),
        (Less, Minus) => ("<-", "="),
        (Assign, Greater) => ("=>", ">="),
        _ => return None,
    };
    let place = stuck.bytes(before, stuck.at);
    Some(Correction::foreign(written, place, format!("write `{instead}`")).edit(place, instead))
}

/// Operators that are words: `x as T`, `not x`, `a xor b`.
fn word(stuck: &Stuck) -> Option<Correction> {
    if name(stuck.before(1)) == Some("not") {
        let place = stuck.bytes(stuck.at - 1, stuck.at - 1);
        let is_name = name(stuck.found()).is_some() && stuck.after(1) == Some(Token::RParen);
        let (lo, next) = (place.0, stuck.tokens.get(stuck.at).map_or(place.1, |token| token.0));
        return Some(Correction::foreign("not", place, "write `!` in front").edit_if(
            is_name,
            (lo, next),
            "!",
        ));
    }
    let found = name(stuck.found()).filter(|_| stuck.before(1).is_some_and(Token::ends_operand))?;
    let place = stuck.bytes(stuck.at, stuck.at);
    if found == "as" {
        let ty = meant_type(name(stuck.after(1))?)?;
        let start = stuck.operand_start(stuck.at - 1)?;
        let instead = format!("@as({ty}, {})", stuck.words(start, stuck.at - 1));
        let help = format!("write `{instead}`");
        return Some(Correction::foreign("as", place, help).edit(stuck.bytes(start, stuck.at + 1), instead));
    }
    let instead = match found {
        "xor" => "^",
        "mod" => "%",
        "div" => "/",
        "is" | "eq" => "==",
        "ne" => "!=",
        "shl" => "<<",
        "shr" => ">>",
        _ => return None,
    };
    Some(Correction::foreign(found, place, format!("write `{instead}`")).edit(place, instead))
}

/// `(i16)x`
fn cast(stuck: &Stuck) -> Option<Correction> {
    if stuck.before(1)? != Token::RParen {
        return None;
    }
    let open = stuck.open_before(stuck.at - 1)?;
    // `f(T) x` is no cast.
    let is_called = open.checked_sub(1).and_then(|at| stuck.token(at)).is_some_and(|t| {
        t.ends_operand()
            || matches!(t, Token::Builtin(_) | Token::If | Token::While | Token::For | Token::Switch)
    });
    let words: Vec<&str> = (open + 1..stuck.at - 1).filter_map(|at| name(stuck.token(at))).collect();
    if is_called || words.len() != stuck.at - open - 2 {
        return None;
    }
    let ty = match words.as_slice() {
        [one] => meant_type(one)?,
        ["unsigned", "int" | "short"] => "u16",
        ["unsigned", "long"] => "u32",
        ["unsigned", "char"] => "u8",
        _ => return None,
    };
    let end = stuck.operand_end(stuck.at)?;
    let instead = format!("@as({ty}, {})", stuck.words(stuck.at, end));
    let place = stuck.bytes(open, stuck.at - 1);
    let foreign = Correction::foreign(stuck.words(open, stuck.at - 1), place, format!("write `{instead}`"));
    Some(foreign.edit(stuck.bytes(open, end), instead))
}

/// `p->x`, `*p = 1;`
fn pointer(stuck: &Stuck) -> Option<Correction> {
    let place = stuck.bytes(stuck.at, stuck.at);
    match stuck.found()? {
        Token::Arrow if stuck.before(1)?.ends_operand() => {
            let member = name(stuck.after(1))?;
            let start = stuck.operand_start(stuck.at - 1)?;
            let help = format!("write `{}.*.{member}`", stuck.words(start, stuck.at - 1));
            Some(Correction::foreign("->", place, help).edit(place, ".*."))
        }
        Token::Star if stuck.at_statement() => {
            let end = stuck.operand_end(stuck.at + 1)?;
            let pointer = stuck.words(stuck.at + 1, end);
            let help = format!("write `{pointer}.* = ..` to store through a pointer");
            let foreign = Correction::foreign(format!("*{pointer}"), stuck.bytes(stuck.at, end), help);
            let is_store = stuck.token(end + 1) == Some(Token::Assign);
            Some(foreign.edit_if(is_store, stuck.bytes(stuck.at, end), format!("{pointer}.*")))
        }
        _ => None,
    }
}

/// `(n) => n * 2`
fn arrow_function(stuck: &Stuck) -> Option<Correction> {
    let place = stuck.bytes(stuck.at, stuck.at);
    let is_arrow = stuck.found()? == Token::FatArrow && stuck.before(1)? == Token::RParen;
    let open = stuck.open_before(stuck.at.checked_sub(1)?).filter(|_| is_arrow)?;
    if stuck.token(open.checked_sub(1)?)? != Token::Assign {
        return None;
    }
    let function = name(stuck.token(open.checked_sub(2)?)).unwrap_or("f");
    let help = format!("write a function: `fn {function}(n: i16) i16 {{ return ..; }}`");
    Some(Correction::foreign("=>", place, help))
}

/// `a = b += 1;`, `if (a = b) {`
fn assignment(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let place = stuck.bytes(stuck.at, stuck.at);
    match stuck.found()? {
        Assign if stuck.expects(")") && stuck.before(1)?.ends_operand() => {
            let open = stuck.open_before(stuck.at)?;
            let keyword = open.checked_sub(1).and_then(|at| stuck.token(at));
            let is_condition = matches!(keyword, Some(If | While));
            let help = match keyword {
                Some(Ident(_) | Builtin(_)) => "arguments have no names: write the value alone",
                _ => "write `==` to compare; `=` only assigns as a statement",
            };
            Some(Correction::slip(help).edit_if(is_condition, place, "=="))
        }
        AddAssign | SubAssign | MulAssign | DivAssign | Assign
            if stuck.expects(";") && stuck.expects("+") =>
        {
            Some(Correction::slip("assign to one variable at a time: an assignment has no value"))
        }
        _ => None,
    }
}
