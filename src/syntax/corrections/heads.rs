//! Heads of loops, conditions and cases as other languages write them.

use super::{Correction, name};
use crate::syntax::foreign::meant_type;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped in such a head.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    match stuck.token(start)? {
        Token::For => c_loop(stuck, start).or_else(|| loop_over(stuck, start)),
        Token::While => while_step(stuck, start),
        _ => None,
    }
    .or_else(|| condition(stuck))
    .or_else(|| case(stuck))
    .or_else(|| result(stuck))
}

/// The tokens of a head in parentheses with `;` inside, without the parentheses.
pub fn head_with_semicolons(stuck: &Stuck, start: usize) -> Option<(usize, usize)> {
    if !matches!(stuck.token(start)?, Token::For | Token::While) || stuck.token(start + 1)? != Token::LParen {
        return None;
    }
    let close = stuck.close_of(start + 1)?;
    let has_semicolon = (start + 2..close).any(|at| stuck.tokens[at].1 == Token::Semi);
    let has_block = (start + 2..close).any(|at| stuck.tokens[at].1 == Token::LBrace);
    (has_semicolon && !has_block).then_some((start + 2, close - 1))
}

/// `for (int i = 0; i < n; i++) {`
fn c_loop(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let (first, last) = head_with_semicolons(stuck, start)?;
    let place = stuck.bytes(start, last + 1);
    let usual = Correction::foreign("for (..; ..; ..)", place, "write `for (@range(i16, n)) |i| {`");
    let Some(assign) = (first..last).find(|at| stuck.tokens[*at].1 == Assign) else { return Some(usual) };
    // `int i`, `i`, `var i: u16`
    let words: Vec<&str> = (first..assign).filter_map(|at| name(stuck.token(at))).collect();
    let ty = words.iter().find_map(|word| meant_type(word)).unwrap_or("i16");
    let counter = words.iter().find(|word| meant_type(word).is_none());
    let semi = |from: usize| (from..last).find(|at| stuck.tokens[*at].1 == Semi);
    let (Some(counter), Some(one)) = (counter, semi(assign)) else { return Some(usual) };
    let Some(two) = semi(one + 1) else { return Some(usual) };
    let begin = stuck.words(assign + 1, one - 1);
    let compares = name(stuck.token(one + 1)) == Some(*counter) && stuck.token(one + 2) == Some(Less);
    if !compares || two < one + 4 {
        return Some(usual);
    }
    let end = stuck.words(one + 3, two - 1);
    let range = match begin {
        "0" => format!("@range({ty}, {end})"),
        _ => format!("@range({ty}, {begin}, {end}, 1)"),
    };
    let step = stuck.text[stuck.tokens[two].2..stuck.tokens[last + 1].0].replace(' ', "");
    let steps = [format!("{counter}++"), format!("++{counter}"), format!("{counter}+=1")];
    let instead = format!("for ({range}) |{counter}|");
    let help = format!("write `{instead} {{`");
    Some(Correction { help, ..usual }.edit_if(steps.contains(&step), place, instead))
}

/// `for i in range(10):`, `for (x in a) {`, `for i in 0..10 {`
fn loop_over(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let end = stuck.line_end(start);
    let word = (start + 1..=end.min(start + 4)).find(|at| stuck.tokens[*at].1 == Ident("in"))?;
    let element = name(stuck.token(word - 1))?;
    let opens = (word..=end).find(|at| matches!(stuck.tokens[*at].1, LBrace | Colon)).unwrap_or(end + 1);
    let in_parens = stuck.token(start + 1) == Some(LParen);
    let last = if in_parens { opens.saturating_sub(2) } else { opens - 1 };
    let over = if last > word { stuck.words(word + 1, last) } else { ".." };
    let over = match over.strip_prefix("range(").and_then(|rest| rest.strip_suffix(')')) {
        Some(range) if range.matches(',').count() == 1 => format!("@range(i16, {range}, 1)"),
        Some(range) => format!("@range(i16, {range})"),
        None => match over.split_once("..") {
            Some(("0", stop)) => format!("@range(i16, {stop})"),
            Some((begin, stop)) if !stop.is_empty() => format!("@range(i16, {begin}, {stop}, 1)"),
            _ => over.to_string(),
        },
    };
    let instead = format!("for ({over}) |{element}|");
    let is_block = stuck.token(opens) == Some(LBrace);
    let place = stuck.bytes(start, opens - 1);
    let help = format!("write `{instead} {{`");
    let covers = stuck.bytes(start, end);
    let foreign = Correction::foreign(format!("for {element} in"), place, help).covers(covers);
    Some(foreign.edit_if(is_block, place, instead))
}

/// `while (n < 3; n += 1) {`
fn while_step(stuck: &Stuck, start: usize) -> Option<Correction> {
    let (first, last) = head_with_semicolons(stuck, start)?;
    let semi = (first..last).find(|at| stuck.tokens[*at].1 == Token::Semi)?;
    let place = stuck.bytes(start, last + 1);
    let help = "write the step behind the condition: `while (..) : (..) {`";
    Some(Correction::foreign("while (..; ..)", place, help).edit(stuck.bytes(semi, semi), ") : ("))
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
    let end = stuck.line_end(stuck.at);
    let opens = (stuck.at..=end).find(|at| matches!(stuck.tokens[*at].1, LBrace | Colon));
    let opens = opens.filter(|at| *at > stuck.at)?;
    let (lo, hi) = stuck.bytes(stuck.at, opens - 1);
    let condition = &stuck.text[lo..hi];
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

/// `case 0:` in a `switch`
fn case(stuck: &Stuck) -> Option<Correction> {
    let is_case = name(stuck.before(1)) == Some("case") || name(stuck.found()) == Some("case");
    let is_default = name(stuck.before(1)) == Some("default") && stuck.found() == Some(Token::Colon);
    if !is_case && !is_default {
        return None;
    }
    let at = if name(stuck.found()) == Some("case") { stuck.at } else { stuck.at - 1 };
    let open = stuck.open_before(stuck.at)?;
    let close = stuck.close_of(open).unwrap_or(stuck.at);
    let help = "write each case as `value => ..,`, and the last one as `else => ..`";
    let covers = stuck.bytes(at, close);
    Some(Correction::foreign(stuck.words(at, at), stuck.bytes(at, at), help).covers(covers))
}

/// `fn f() -> u16 {`, `fn f(): u16 {`
fn result(stuck: &Stuck) -> Option<Correction> {
    if !stuck.expects("align") || stuck.before(1) != Some(Token::RParen) {
        return None;
    }
    let help = match stuck.found()? {
        Token::Arrow => "write the return type without an arrow",
        Token::Colon => "write the return type without a colon",
        _ => return None,
    };
    let lo = stuck.tokens[stuck.at].0;
    let next = stuck.tokens.get(stuck.at + 1)?.0;
    Some(Correction::slip(help).edit((lo, next), ""))
}
