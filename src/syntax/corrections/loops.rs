//! Loops as other languages write them.

use super::{Correction, name};
use crate::syntax::foreign::meant_type;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped in the head of such a loop.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    match stuck.token(start)? {
        Token::For => c_loop(stuck, start)
            .or_else(|| loop_over(stuck, start))
            .or_else(|| loop_with_colon(stuck, start))
            .or_else(|| captured_pointer(stuck))
            .or_else(|| two_lists(stuck, start))
            .or_else(|| element(stuck))
            .or_else(|| bare_list(stuck, start)),
        Token::While => while_step(stuck, start).or_else(|| bare_step(stuck, start)),
        _ => None,
    }
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
    let (first, last) = head_with_semicolons(stuck, start)?;
    let place = stuck.bytes(start, last + 1);
    let usual = Correction::foreign("for (..; ..; ..)", place, "write `for (@range(i16, n)) |i| {`");
    if first == last && stuck.token(first) == Some(Token::Semi)
        || stuck.words(first, last).trim_matches([';', ' ']).is_empty()
    {
        let help = "write `while (true) {` for a loop without end".to_string();
        return Some(Correction { help, ..usual }.edit(place, "while (true)"));
    }
    let Some(instead) = counted(stuck, first, last) else { return Some(usual) };
    let help = format!("write `{instead} {{`");
    Some(Correction { help, ..usual }.edit(place, instead))
}

/// The loop over a range that a head with two `;` stands for.
fn counted(stuck: &Stuck, first: usize, last: usize) -> Option<String> {
    use Token::*;
    let assign = (first..last).find(|at| stuck.tokens[*at].1 == Assign)?;
    // `int i`, `i`, `var i: u16`
    let words: Vec<&str> = (first..assign).filter_map(|at| name(stuck.token(at))).collect();
    let ty = words.iter().find_map(|word| meant_type(word)).unwrap_or("i16");
    let counter = words.iter().find(|word| meant_type(word).is_none())?;
    let semi = |from: usize| (from..last).find(|at| stuck.tokens[*at].1 == Semi);
    let one = semi(assign)?;
    let two = semi(one + 1)?;
    if name(stuck.token(one + 1)) != Some(*counter) || two < one + 4 || one < assign + 2 {
        return None;
    }
    let (begin, end) = (stuck.words(assign + 1, one - 1), stuck.words(one + 3, two - 1));
    let step = stuck.text[stuck.tokens[two].2..stuck.tokens[last + 1].0].replace(' ', "");
    let counts =
        |sign: &str| step == format!("{counter}{sign}{sign}") || step == format!("{sign}{sign}{counter}");
    let by = |sign: &str| step.strip_prefix(&format!("{counter}{sign}=")).filter(|by| !by.is_empty());
    let up = if counts("+") { Some("1") } else { by("+") };
    let down = if counts("-") { Some("1") } else { by("-") };
    let range = match (stuck.token(one + 2)?, up, down) {
        (Less, Some("1"), _) if begin == "0" => format!("@range({ty}, {end})"),
        (Less, Some(up), _) => format!("@range({ty}, {begin}, {end}, {up})"),
        (LessEq, Some("1"), _) if begin == "0" => format!("@range({ty}, {})", plus(end, 1)),
        (LessEq, Some(up), _) => format!("@range({ty}, {begin}, {}, {up})", plus(end, 1)),
        (Greater, _, Some(down)) => format!("@range({ty}, {begin}, {end}, -{down})"),
        (GreaterEq, _, Some(down)) => format!("@range({ty}, {begin}, {}, -{down})", plus(end, -1)),
        _ => return None,
    };
    Some(format!("for ({range}) |{counter}|"))
}

/// The text of a number, or of an expression, and one more or less.
fn plus(text: &str, step: i32) -> String {
    match text.parse::<i32>() {
        Ok(number) => number.saturating_add(step).to_string(),
        Err(_) if step < 0 => format!("{text} - 1"),
        Err(_) => format!("{text} + 1"),
    }
}

/// `for i in range(10):`, `for (x in a) {`, `for i in 0..10 {`
fn loop_over(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let end = stuck.line_end(start);
    let is_word = |at: &usize| matches!(stuck.tokens[*at].1, Ident("in" | "of"));
    let word = (start + 1..=end.min(start + 4)).find(is_word)?;
    let element = name(stuck.token(word - 1))?;
    let opens = (word..=end).find(|at| matches!(stuck.tokens[*at].1, LBrace | Colon)).unwrap_or(end + 1);
    let in_parens = stuck.token(start + 1) == Some(LParen);
    let last = if in_parens { opens.saturating_sub(2) } else { opens - 1 };
    let over = if last > word { stuck.words(word + 1, last) } else { ".." };
    let over = match over.strip_prefix("range(").and_then(|rest| rest.strip_suffix(')')) {
        Some(range) if range.matches(',').count() == 1 => format!("@range(i16, {range}, 1)"),
        Some(range) => format!("@range(i16, {range})"),
        None => match over.split_once("..") {
            Some((begin, stop)) if !stop.is_empty() => {
                let stop = match stop.strip_prefix(['=', '.']) {
                    Some(last) => plus(last.trim(), 1),
                    None => stop.trim().to_string(),
                };
                match begin.trim() {
                    "0" => format!("@range(i16, {stop})"),
                    begin => format!("@range(i16, {begin}, {stop}, 1)"),
                }
            }
            _ => over.to_string(),
        },
    };
    let instead = format!("for ({over}) |{element}|");
    let is_block = stuck.token(opens) == Some(LBrace);
    let place = stuck.bytes(start, opens - 1);
    let help = format!("write `{instead} {{`");
    let covers = stuck.bytes(start, end);
    let foreign =
        Correction::foreign(format!("for {element} {}", stuck.words(word, word)), place, help).covers(covers);
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

/// `for (int x : a) {`, `for (x : a) {`
fn loop_with_colon(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    if stuck.token(start + 1)? != LParen {
        return None;
    }
    let close = stuck.close_of(start + 1)?;
    let colon = (start + 2..close.min(start + 7)).find(|at| stuck.tokens[*at].1 == Colon)?;
    let element = name(stuck.token(colon - 1))?;
    let is_plain =
        (start + 2..colon).all(|at| matches!(stuck.tokens[at].1, Ident(_) | Const | Var | Amp | Star));
    if !is_plain || close <= colon + 1 || stuck.at > close {
        return None;
    }
    let place = stuck.bytes(start, close);
    let instead = format!("for ({}) |{element}|", stuck.words(colon + 1, close - 1));
    Some(Correction::foreign("for (.. : ..)", place, format!("write `{instead} {{`")).edit(place, instead))
}

/// `for (a) |*x| {`
fn captured_pointer(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    if stuck.before(1)? != Pipe || !matches!(stuck.found()?, Star | Amp) || !stuck.expects("name") {
        return None;
    }
    let element = name(stuck.after(1))?;
    let close = stuck.at.checked_sub(2)?;
    let open = stuck.open_before(close)?;
    let list = name(stuck.token(open + 1)).filter(|_| open + 2 == close).unwrap_or("a");
    let help = format!(
        "`{element}` is a copy of the element: to change the array, write `for (@range(u16, n)) |i| {{` and `{list}[i] = ..`"
    );
    let place = stuck.bytes(stuck.at, stuck.at + 1);
    Some(Correction::foreign(format!("|{}|", stuck.words(stuck.at, stuck.at + 1)), place, help))
}

/// `for (a, b) |x, y| {`, `for (a, 0..) |x, i| {`
fn two_lists(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let open = stuck.open_before(stuck.at)?;
    if stuck.found()? != Comma || open != start + 1 {
        return None;
    }
    let close = stuck.close_of(open)?;
    let list = stuck.words(open + 1, stuck.at - 1);
    let element =
        name(stuck.token(close + 2)).filter(|_| stuck.token(close + 1) == Some(Pipe)).unwrap_or("x");
    let second = stuck.words(stuck.at + 1, close - 1);
    let counts = second.starts_with("@range") || second.contains("..");
    let index = match stuck.token(close + 3) {
        Some(Comma) if counts => name(stuck.token(close + 4)).unwrap_or("i"),
        _ => "i",
    };
    let place = stuck.bytes(open + 1, close - 1);
    if list.starts_with("@range") && counts {
        let help =
            format!("write one loop in the other: `for ({list}) |{element}| {{ for ({second}) |{index}| {{`");
        return Some(Correction::foreign(format!("for ({list}, {second})"), place, help));
    }
    let instead = format!("for ({list}) |{element}, {index}| {{");
    let help = match counts {
        true => format!("write `{instead}`: the second name is the index"),
        false => format!("write `{instead}`, and `{second}[{index}]` for the element of the other list"),
    };
    Some(Correction::foreign(format!("for ({list}, {second})"), place, help))
}

/// `for (a) x {`, `for (a) |x: i16| {`, `for (a) |var x| {`
fn element(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let place = stuck.bytes(stuck.at, stuck.at);
    match (stuck.before(1)?, stuck.found()?) {
        (RParen, Ident(element)) if stuck.expects("|") && stuck.head_word(stuck.at - 1) == Some(For) => {
            let instead = format!("|{element}|");
            Some(Correction::slip(format!("write `{instead}`")).edit(place, instead))
        }
        (RParen, LParen) if stuck.expects("|") && stuck.head_word(stuck.at - 1) == Some(For) => {
            let close = stuck.close_of(stuck.at)?;
            let instead = format!("|{}|", stuck.words(stuck.at + 1, close - 1));
            let place = stuck.bytes(stuck.at, close);
            Some(Correction::slip(format!("write `{instead}`")).covers(place).edit(place, instead))
        }
        (Ident(element), Colon) if matches!(stuck.before(2)?, Pipe | Comma) && !stuck.expects("{") => Some(
            Correction::slip(format!("write `{element}` alone: an element has the type that the list says")),
        ),
        (Pipe | Comma, Var | Const) if stuck.expects("name") => {
            let until = stuck.bytes(stuck.at + 1, stuck.at + 1).0;
            Some(Correction::slip("remove it: an element is always constant").edit((place.0, until), ""))
        }
        _ => None,
    }
}

/// `for a |x| {`
fn bare_list(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    if stuck.at != start + 1 || stuck.found()? == LParen {
        return None;
    }
    let end = stuck.line_end(stuck.at);
    let bar = (stuck.at..=end).find(|at| stuck.tokens[*at].1 == Pipe).filter(|bar| *bar > stuck.at)?;
    let place = stuck.bytes(stuck.at, bar - 1);
    let list = stuck.words(stuck.at, bar - 1);
    let second = (bar + 1..=end).find(|at| stuck.tokens[*at].1 == Pipe).unwrap_or(bar);
    let names = stuck.words(bar, second);
    let slip = Correction::slip(format!("write the parentheses of the list: `for ({list}) {names} {{`"));
    Some(slip.covers(stuck.bytes(stuck.at, end)).edit(place, format!("({list})")))
}

/// `while (n < 3) : n += 1 {`, `while (n < 3) : (n += 1, m += 1) {`
fn bare_step(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let close = stuck.close_of(start + 1).filter(|_| stuck.token(start + 1) == Some(LParen))?;
    if stuck.token(close + 1)? != Colon || stuck.at < close + 2 {
        return None;
    }
    let end = stuck.line_end(stuck.at);
    let opens = (stuck.at..=end).find(|at| stuck.tokens[*at].1 == LBrace)?;
    if stuck.at == close + 2 && opens > stuck.at && stuck.found()? != LParen {
        let place = stuck.bytes(stuck.at, opens - 1);
        let step = stuck.words(stuck.at, opens - 1);
        let slip = Correction::slip(format!("write the parentheses of the step: `: ({step}) {{`"));
        return Some(slip.covers(stuck.bytes(stuck.at, end)).edit(place, format!("({step})")));
    }
    let is_second = stuck.found()? == Comma && stuck.open_before(stuck.at) == Some(close + 2);
    let help = "a step is one statement: write the other ones at the end of the block";
    is_second.then(|| Correction::slip(help))
}
