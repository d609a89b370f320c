//! The value of `.tensor_access`: `|i|{8} -> a[i]`.

use super::{Correction, name};
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped in such a value; `start` is the first token of the declaration or statement.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_access = |at: &usize| name(stuck.token(*at)) == Some("tensor_access");
    let property = (start..stuck.at).rev().find(is_access)?;
    if stuck.token(property + 1)? != Token::Assign || stuck.at < property + 2 {
        return None;
    }
    let end = end_of_value(stuck, property + 2);
    // Behind a complete access another thing is wrong.
    if stuck.at > end || stuck.at == end && !stuck.expects("->") && !stuck.expects("{") {
        return None;
    }
    let meant = meant(stuck, property + 2, end);
    let place = stuck.bytes(property + 2, end - 1);
    let slip = Correction::slip(format!("write `{}`", meant.text));
    Some(slip.covers(place).edit_if(meant.is_certain, place, meant.text))
}

/// One past the last token of a value: the comma or brace behind it.
fn end_of_value(stuck: &Stuck, from: usize) -> usize {
    use Token::*;
    let mut open = 0usize;
    for at in from..stuck.tokens.len() {
        match stuck.tokens[at].1 {
            LParen | LBracket | LBrace | DotBrace => open += 1,
            RParen | RBracket | RBrace if open == 0 => return at,
            RParen | RBracket | RBrace => open -= 1,
            Semi if open == 0 => return at,
            Comma if open == 0 && stuck.token(at + 1) == Some(Dot) => return at,
            _ => {}
        }
    }
    stuck.tokens.len()
}

/// What is meant, and whether all of its parts are written.
struct Meant {
    text: String,
    is_certain: bool,
}

/// Puts the parts of an access into the form of CSL.
fn meant(stuck: &Stuck, from: usize, end: usize) -> Meant {
    use Token::*;
    let mut open = 0usize;
    // The brackets outside of others, and the arrow, or what stands in its place.
    let (mut groups, mut arrow) = (Vec::new(), None);
    for at in from..end {
        match stuck.tokens[at].1 {
            LParen | LBracket | LBrace | DotBrace => {
                if open == 0 && arrow.is_none() {
                    groups.push(at);
                }
                open += 1;
            }
            RParen | RBracket | RBrace => open = open.saturating_sub(1),
            Arrow | FatArrow | Assign | Colon if open == 0 && arrow.is_none() && at > from + 1 => {
                // `|i: i16|` has a colon of its own.
                let in_bars = (from..at).filter(|before| stuck.tokens[*before].1 == Pipe).count() == 1;
                arrow = (!in_bars).then_some(at);
            }
            _ => {}
        }
    }
    let target_from = match arrow {
        Some(arrow) => arrow + 1,
        // The array is the last thing, with its index.
        None => groups
            .pop()
            .filter(|at| stuck.token(*at) == Some(LBracket) && *at > from)
            .map_or(end, |at| at - 1),
    };
    let last = groups.pop();
    // `{2}{4}`
    let first = groups.iter().copied().find(|at| stuck.token(*at) == Some(LBrace)).or(last);
    let lengths = last.and_then(|last| Some((first? + 1, stuck.close_of(last)?)));
    let names_end = lengths.map_or(target_from, |(at, _)| at - 1);
    let in_brackets = if target_from < end { stuck.words(target_from, end - 1) } else { "a[i]" };
    // A range in the index is a number of elements.
    let is_part = |text: &str| text.contains(':') || text.contains("..");
    let (array, _) = in_brackets.split_once('[').unwrap_or((in_brackets, ""));
    let in_brackets = if is_part(in_brackets) { format!("{array}[i]") } else { in_brackets.to_string() };
    let target = in_brackets.trim_start_matches('&');
    let names: Vec<&str> = (from..names_end)
        .filter(|at| !matches!(stuck.before_token(*at), Some(Colon)))
        .filter_map(|at| name(stuck.token(at)))
        .collect();
    let length =
        lengths.filter(|(at, close)| close > at).map(|(at, close)| length_of(stuck.words(at, close - 1)));
    let is_certain = arrow.is_some() && !names.is_empty() && length.is_some();
    let names = if names.is_empty() { "i".to_string() } else { names.join(", ") };
    let length = length.unwrap_or_else(|| "n".to_string());
    Meant { text: format!("|{names}|{{{length}}} -> {target}"), is_certain }
}

/// The length that a range has: `8` of `0..8`.
fn length_of(text: &str) -> String {
    match text.split_once("..") {
        Some(("0", stop)) => stop.trim_start_matches('.').to_string(),
        Some((begin, stop)) => format!("{stop} - {begin}"),
        None => text.replace("}{", ", "),
    }
}
