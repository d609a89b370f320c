//! Heads of conditions and cases as other languages write them.

use super::{Correction, name};
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped in such a head.
pub fn correction(stuck: &Stuck) -> Option<Correction> {
    condition(stuck)
        .or_else(|| then(stuck))
        .or_else(|| captured_value(stuck))
        .or_else(|| empty_body(stuck))
        .or_else(|| condition_of_else(stuck))
        .or_else(|| open_block_of_if(stuck))
        .or_else(|| open_head(stuck))
        .or_else(|| case(stuck))
}

/// `if n == 0 {`, `while n < 3:`
fn condition(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let keyword = match stuck.before(1)? {
        If => "if",
        While => "while",
        Switch => "switch",
        RParen if stuck.found() == Some(Colon) => return python_block(stuck),
        _ => return None,
    };
    if stuck.found()? == LParen {
        return None;
    }
    if let Some(Ident("let") | Var | Const) = stuck.found() {
        let help = format!("declare it first, and compare: `const v = ..; {keyword} (v == ..) {{`");
        let place = stuck.bytes(stuck.at - 1, stuck.at);
        return Some(Correction::foreign(stuck.words(stuck.at - 1, stuck.at), place, help));
    }
    let end = stuck.line_end(stuck.at);
    let opens = (stuck.at..=end).find(|at| matches!(stuck.tokens[*at].1, LBrace | Colon | Ident("then")));
    let opens = opens.filter(|at| *at > stuck.at)?;
    let (lo, hi) = stuck.bytes(stuck.at, opens - 1);
    let condition = &stuck.text[lo..hi];
    if stuck.token(opens) == Some(Ident("then")) {
        let help = format!("write the condition in parentheses, and no `then`: `{keyword} ({condition})`");
        return Some(
            Correction::slip(help)
                .covers(stuck.bytes(stuck.at, end))
                .edit(stuck.bytes(stuck.at, opens), format!("({condition})")),
        );
    }
    let instead = format!("{keyword} ({condition}) {{");
    let slip = Correction::slip(format!("write the parentheses of the condition: `{instead}`"));
    let is_block = stuck.token(opens) == Some(LBrace);
    Some(slip.covers(stuck.bytes(stuck.at, end)).edit_if(is_block, (lo, hi), format!("({condition})")))
}

/// `if (n == 0):`
fn python_block(stuck: &Stuck) -> Option<Correction> {
    let open = stuck.open_before(stuck.at - 1)?;
    let keyword = stuck.token(open.checked_sub(1)?)?;
    let is_head = matches!(keyword, Token::If | Token::While | Token::For | Token::Switch);
    let place = stuck.bytes(stuck.at, stuck.at);
    let help = "put the block between braces: `{ .. }`";
    (is_head && stuck.line_end(stuck.at) == stuck.at).then(|| Correction::foreign(":", place, help))
}

/// `if (n == 0) then {`
fn then(stuck: &Stuck) -> Option<Correction> {
    let is_word = |at: &usize| matches!(name(stuck.token(*at)), Some("then" | "do"));
    let at = (1..=2).filter_map(|back| stuck.at.checked_sub(back)).find(is_word)?;
    let is_head = match stuck.before_token(at)? {
        Token::RParen => matches!(stuck.head_word(at - 1), Some(Token::If | Token::While)),
        Token::Pipe => true,
        _ => false,
    };
    if !is_head {
        return None;
    }
    let place = stuck.bytes(at, at);
    let until = stuck.tokens.get(at + 1).map_or(place.1, |next| next.0);
    let covers = stuck.bytes(at, stuck.line_end(at));
    let help = "remove it: the block or statement follows directly";
    Some(Correction::foreign(stuck.words(at, at), place, help).covers(covers).edit((place.0, until), ""))
}

/// `if (f()) |x| {`, `while (f()) |x| {`
fn captured_value(stuck: &Stuck) -> Option<Correction> {
    if stuck.found()? != Token::Pipe || stuck.before(1)? != Token::RParen {
        return None;
    }
    let close = stuck.at - 1;
    let word = match stuck.head_word(close)? {
        Token::If => "if",
        Token::While => "while",
        _ => return None,
    };
    let value = stuck.words(stuck.open_before(close)? + 1, close - 1);
    let element = name(stuck.after(1)).unwrap_or("v");
    let help = format!(
        "there are no optional values: declare it, `const {element} = {value};`, and compare: `{word} ({element} != 0) {{`"
    );
    let place = stuck.bytes(stuck.at, stuck.at + 2);
    Some(Correction::foreign(format!("{word} (..) |{element}|"), place, help))
}

/// `if (n == 0);`
fn empty_body(stuck: &Stuck) -> Option<Correction> {
    let is_head = match stuck.before(1)? {
        Token::RParen => {
            matches!(stuck.head_word(stuck.at - 1), Some(Token::If | Token::While | Token::Colon))
        }
        Token::Pipe => stuck.expects("{") && !stuck.expects("+"),
        Token::Else => true,
        _ => false,
    };
    if stuck.found()? != Token::Semi || !is_head {
        return None;
    }
    let place = stuck.bytes(stuck.at, stuck.at);
    match stuck.after(1) {
        Some(Token::LBrace) => Some(Correction::slip("remove this `;`: the block follows").edit(place, "")),
        _ => Some(Correction::slip("write `{}` for an empty block")),
    }
}

/// `} else (n == 1) {`
fn condition_of_else(stuck: &Stuck) -> Option<Correction> {
    let brace = stuck.at.checked_sub(1).filter(|at| stuck.token(*at) == Some(Token::LBrace))?;
    let close = brace.checked_sub(1).filter(|at| stuck.token(*at) == Some(Token::RParen))?;
    if stuck.head_word(close)? != Token::Else {
        return None;
    }
    let open = stuck.open_before(close)?;
    let (place, at) = (stuck.bytes(open, open), stuck.bytes(open, open).0);
    let block = stuck.bytes(open - 1, stuck.close_of(brace).unwrap_or(brace));
    let help = format!("write `else if {} {{`", stuck.words(open, close));
    let slip = Correction::slip(help).covers(block).edit((at, at), "if ");
    Some(slip.saying(place, "`if` or a statement", "("))
}

/// `if (n == 0) { n = 1; else {`
fn open_block_of_if(stuck: &Stuck) -> Option<Correction> {
    let at = stuck.bytes(stuck.at, stuck.at).0;
    let slip =
        || Correction::slip("close the block of `if` with `}` in front of `else`").edit((at, at), "} ");
    stuck.misses_brace_of_if().then(slip)
}

/// `if (!(n == 1) {`: the parser reads the block as the value of a struct.
fn open_head(stuck: &Stuck) -> Option<Correction> {
    let brace = stuck.at.checked_sub(1).filter(|at| stuck.token(*at) == Some(Token::LBrace))?;
    let paren = stuck.open_before(brace).filter(|open| stuck.token(*open) == Some(Token::LParen))?;
    let word = match stuck.before_token(paren)? {
        Token::If => "if",
        Token::While => "while",
        Token::Switch => "switch",
        _ => return None,
    };
    let end = stuck.bytes(brace - 1, brace - 1).1;
    let block = stuck.bytes(paren, stuck.close_of(brace).unwrap_or(brace));
    let slip = Correction::slip(format!("close the parenthesis of `{word}` with `)`")).covers(block);
    Some(slip.edit((end, end), ")").saying((end, end), "`)`", "{"))
}

/// `case 0:`, `0: n = 1,`, `_ => ..` in a `switch`
fn case(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let arrow = match stuck.found()? {
        Colon => "a colon",
        Arrow => "`->`",
        _ => return c_case(stuck),
    };
    let open = stuck.open_before(stuck.at).filter(|open| stuck.opens_cases(*open))?;
    let is_value = stuck.expects("=>") && !matches!(stuck.before(2), Some(Ident("case")));
    if !is_value || stuck.before(1)? == Ident("default") {
        return c_case(stuck);
    }
    let place = stuck.bytes(stuck.at, stuck.at);
    let covers = stuck.bytes(open, stuck.close_of(open).unwrap_or(stuck.at));
    let slip = Correction::slip(format!("write `=>` behind the value of a case, not {arrow}"));
    Some(Correction { place: Some(place), ..slip }.covers(covers).edit(place, " =>"))
}

/// `case 0:` in a `switch`
fn c_case(stuck: &Stuck) -> Option<Correction> {
    let is_word = |word: Option<&str>| matches!(word, Some("case" | "when"));
    let is_case = is_word(name(stuck.before(1))) || is_word(name(stuck.found()));
    let is_default = name(stuck.before(1)) == Some("default") && stuck.found() == Some(Token::Colon);
    if !is_case && !is_default {
        return None;
    }
    let at = if is_word(name(stuck.found())) { stuck.at } else { stuck.at - 1 };
    let open = stuck.open_before(stuck.at)?;
    let close = stuck.close_of(open).unwrap_or(stuck.at);
    let help = "write each case as `value => ..,`, and the last one as `else => ..`";
    let covers = stuck.bytes(at, close);
    Some(Correction::foreign(stuck.words(at, at), stuck.bytes(at, at), help).covers(covers))
}
