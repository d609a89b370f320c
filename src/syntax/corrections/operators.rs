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
        .or_else(|| value_behind_type(stuck))
        .or_else(|| pointer(stuck))
        .or_else(|| arrow_function(stuck))
        .or_else(|| assignment(stuck))
        .or_else(|| run(stuck))
}

/// Operators that CSL reads as two.
fn pair(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let before = stuck.at.checked_sub(1)?;
    if stuck.adjoins(before)
        && stuck.token(before)? == Colon
        && stuck.found()? == Assign
        && in_declaration(stuck)
    {
        let place = stuck.bytes(before, stuck.at);
        return Some(Correction::foreign(":=", place, "write `=`").edit(place, " ="));
    }
    if let (Some(Colon), Colon, Some(Ident(_))) = (stuck.before(3), stuck.before(1)?, stuck.before(2))
        && in_declaration(stuck)
    {
        let place = stuck.bytes(before, before);
        let edit = (stuck.bytes(before - 1, before - 1).1, place.1);
        let slip = Correction::slip("write `=` in front of the value").edit(edit, " =");
        return Some(slip.saying(place, "`=`", ":"));
    }
    let behind = match (stuck.before(1)?, stuck.found()?) {
        (EqEq, Assign) => Some(("===", "==")),
        (NotEq, Assign) => Some(("!==", "!=")),
        (Less, Greater) => Some(("<>", "!=")),
        (Shr, Greater) => Some((">>>", ">>")),
        (Shr, GreaterEq) => Some((">>>=", ">>=")),
        (Colon, Colon) => Some(("::", ".")),
        (Less, Minus) => Some(("<-", "=")),
        (Assign, Greater) => Some(("=>", ">=")),
        (Assign, Plus) => Some(("=+", "+=")),
        (Assign, Star) => Some(("=*", "*=")),
        (Assign, Slash) => Some(("=/", "/=")),
        _ => None,
    };
    let is_condition = stuck.expects(")") && !stuck.expects(",");
    let in_front = match (stuck.found()?, stuck.after(1)) {
        (Assign, Some(Less)) if is_condition => Some(("=<", "<=")),
        (Assign, Some(Bang)) if is_condition => Some(("=!", "!=")),
        (Less, Some(Minus)) if stuck.expects("=") => Some(("<-", "=")),
        _ => None,
    };
    let (first, (written, instead)) = match (behind, in_front) {
        (Some(pair), _) if stuck.adjoins(before) => (before, pair),
        (_, Some(pair)) if stuck.adjoins(stuck.at) => (stuck.at, pair),
        _ if stuck.found()? == FatArrow && is_condition && stuck.before(1)?.ends_operand() => {
            let place = stuck.bytes(stuck.at, stuck.at);
            return Some(Correction::slip("write `>=`").edit(place, ">="));
        }
        _ => return None,
    };
    let place = stuck.bytes(first, first + 1);
    Some(Correction::foreign(written, place, format!("write `{instead}`")).edit(place, instead))
}

/// `<=>`, `|>`, `<<<`: signs in a row that are no operator
fn run(stuck: &Stuck) -> Option<Correction> {
    let is_sign = |at: usize| {
        let text = stuck.tokens.get(at).map(|(lo, _, hi)| &stuck.text[*lo..*hi]).unwrap_or_default();
        !text.is_empty() && text.bytes().all(|b| b"<>=|&^%/+".contains(&b))
    };
    let before =
        stuck.at.checked_sub(1).filter(|at| stuck.adjoins(*at) && is_sign(*at) && is_sign(stuck.at))?;
    let first = (0..=before).rev().take_while(|at| is_sign(*at) && stuck.adjoins(*at)).last()?;
    let last = (stuck.at..).take_while(|at| is_sign(*at) && stuck.adjoins(at - 1)).last()?;
    let place = stuck.bytes(first, last);
    let written = stuck.words(first, last);
    let help = match written {
        "<<<" => {
            "call the function with its arguments alone, `f(..)`: the layout says which PEs run a program"
        }
        "|>" => "call the function: `f(n)`",
        _ => "write one of the operators `== != < <= > >= + - * / % & | ^ << >>`",
    };
    Some(Correction::foreign(written, place, help).covers(stuck.bytes(first, stuck.line_end(stuck.at))))
}

/// Whether the parser is behind `const name` or `const name: type`.
fn in_declaration(stuck: &Stuck) -> bool {
    let line = (0..stuck.at).rev().take(8).find(|at| {
        matches!(stuck.tokens[*at].1, Token::Const | Token::Var | Token::Param | Token::Semi | Token::RBrace)
    });
    line.is_some_and(|at| matches!(stuck.tokens[at].1, Token::Const | Token::Var | Token::Param))
        && stuck.open_before(stuck.at).is_none_or(|open| stuck.token(open) == Some(Token::LBrace))
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
    let place = stuck.bytes(open, stuck.at - 1);
    if ty == "void" {
        let edit = (place.0, stuck.bytes(stuck.at, stuck.at).0);
        let help = "remove it: a result need not be used";
        return Some(Correction::foreign(stuck.words(open, stuck.at - 1), place, help).edit(edit, ""));
    }
    let instead = format!("@as({ty}, {})", stuck.words(stuck.at, end));
    let foreign = Correction::foreign(stuck.words(open, stuck.at - 1), place, format!("write `{instead}`"));
    Some(foreign.edit(stuck.bytes(open, end), instead))
}

/// `@as(f32) x`
fn value_behind_type(stuck: &Stuck) -> Option<Correction> {
    if stuck.before(1)? != Token::RParen {
        return None;
    }
    let open = stuck.open_before(stuck.at - 1)?;
    let Some(Token::Builtin(called @ ("@as" | "@bitcast" | "@ptrcast"))) = stuck.before_token(open) else {
        return None;
    };
    let is_alone = (open..stuck.at).all(|at| stuck.token(at) != Some(Token::Comma));
    let end = stuck.operand_end(stuck.at).filter(|_| is_alone)?;
    let ty = stuck.words(open + 1, stuck.at - 2);
    let ty = meant_type(ty).unwrap_or(ty);
    let instead = format!("{called}({ty}, {})", stuck.words(stuck.at, end));
    let place = stuck.bytes(open - 1, end);
    Some(Correction::slip(format!("write `{instead}`")).covers(place).edit(place, instead))
}

/// `p->x`, `*p = 1;`
fn pointer(stuck: &Stuck) -> Option<Correction> {
    let place = stuck.bytes(stuck.at, stuck.at);
    match stuck.found()? {
        Token::Arrow if stuck.before(1)?.ends_operand() && stuck.expects("+") && !stuck.expects("=>") => {
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
    let behind_type = stuck.before(1)? == Token::Colon && stuck.before(3) == Some(Token::LParen);
    let arrow = match stuck.found()? {
        Token::FatArrow if stuck.before(1)? == Token::RParen => stuck.at,
        _ if behind_type => stuck.close_of(stuck.at - 3)? + 1,
        _ => return None,
    };
    let place = stuck.bytes(arrow, arrow);
    let is_arrow = stuck.token(arrow)? == Token::FatArrow;
    let open = stuck.open_before(arrow.checked_sub(1)?).filter(|_| is_arrow)?;
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
                Some(Builtin(_)) if begins_setting(stuck) => return settings(stuck, open),
                Some(Ident(_) | Builtin(_)) => "arguments have no names: write the value alone",
                Some(For) => "count with a range: `for (@range(i16, n)) |i| {`",
                _ => "write `==` to compare; `=` only assigns as a statement",
            };
            Some(Correction::slip(help).edit_if(is_condition, place, "=="))
        }
        AddAssign | SubAssign | MulAssign | DivAssign if in_declaration(stuck) => {
            Some(Correction::slip("write `=`: a declaration gives the first value").edit(place, "="))
        }
        AddAssign | SubAssign | MulAssign | DivAssign | Assign
            if stuck.expects(";") && stuck.before(1)?.ends_operand() =>
        {
            Some(Correction::slip("assign to one variable at a time: an assignment has no value"))
        }
        _ => None,
    }
}

/// Whether the parser stopped behind `, async`.
fn begins_setting(stuck: &Stuck) -> bool {
    let is_setting =
        matches!(name(stuck.before(1)), Some("async" | "activate" | "unblock" | "on_control" | "priority"));
    is_setting && matches!(stuck.before(2), Some(Token::Comma))
}

/// `@mov16(a, b, async = true)`
fn settings(stuck: &Stuck, open: usize) -> Option<Correction> {
    let close = stuck.close_of(open)?;
    let written = stuck.words(stuck.at - 1, close - 1);
    let place = stuck.bytes(stuck.at - 1, close - 1);
    let is_one = !(stuck.at..close).any(|at| stuck.tokens[at].1 == Token::Comma);
    let instead = if is_one { format!(".{{ .{written} }}") } else { ".{ .async = true, .. }".to_string() };
    let slip = Correction::slip(format!("write the settings between braces: `{instead}`"));
    Some(slip.covers(place).edit_if(is_one, place, instead))
}
