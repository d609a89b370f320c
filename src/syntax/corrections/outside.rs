//! Statements outside of any block, and blocks of the file: `comptime const n = 3;`, `if (n == 3) {`, `layout() {`.

use super::Correction;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// `n = 4;` outside of any block, where `n` is declared.
pub fn top_level_of_declared(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_outside = stuck.at_declaration() && stuck.at == start;
    let line = stuck.bytes(start, stuck.line_end(start));
    let is_element = matches!(stuck.token(start + 1), Some(Token::LBracket | Token::Dot | Token::DotStar));
    let ends = stuck.token(stuck.line_end(start)) == Some(Token::Semi);
    if let Some(correction) = behind_early_end(stuck, start).filter(|_| is_outside) {
        return Some(correction);
    }
    let is_assignment = is_outside && (stuck.token(start + 1) == Some(Token::Assign) || is_element && ends);
    let slip = || {
        Correction::slip("assign in a function or task, or give the value in the declaration").covers(line)
    };
    if is_assignment { Some(slip()) } else { top_level(stuck, start) }
}

/// A statement behind a `}` that ends its function too early: both are indented. The `{` of a loop or a condition is
/// missing.
fn behind_early_end(stuck: &Stuck, start: usize) -> Option<Correction> {
    let is_indented = |at: usize| {
        let lo = stuck.tokens[at].0;
        let line = &stuck.text[stuck.text[..lo].rfind('\n').map_or(0, |end| end + 1)..lo];
        !line.is_empty() && line.trim().is_empty()
    };
    let before = start.checked_sub(1)?;
    let is_early = stuck.token(before) == Some(Token::RBrace) && is_indented(before) && is_indented(start);
    is_early.then(|| {
        Correction::slip("write the missing `{`: the `}` in front of this ends the whole function or block")
            .covers(stuck.bytes(start, stuck.line_end(start)))
    })
}

/// `n = 4;` or `f();` outside of any block.
pub fn top_level(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    if !stuck.at_declaration() || stuck.at != start {
        return None;
    }
    if let Some(correction) = behind_early_end(stuck, start) {
        return Some(correction);
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

/// `layout() {`, `comptime() {`
pub fn block_with_parens(stuck: &Stuck, start: usize) -> Option<Correction> {
    let parens = stuck.found() == Some(Token::LParen) && stuck.after(1) == Some(Token::RParen);
    let word = stuck.words(start, start);
    let place = stuck.bytes(start + 1, start + 2);
    let is_head = parens && stuck.at == start + 1;
    is_head.then(|| {
        Correction::foreign(format!("{word}()"), place, format!("write `{word} {{`")).edit(place, "")
    })
}

/// `comptime const n = 3;`, `comptime if (..) {`, `comptime @export_symbol(n);` outside of any block
pub fn comptime(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    if stuck.at != start + 1 || !stuck.expects("{") || stuck.expects("name") {
        return None;
    }
    let place = stuck.bytes(start, start);
    let (rest, line) = (stuck.bytes(stuck.at, stuck.at).0, stuck.bytes(start, stuck.line_end(start)));
    match stuck.found()? {
        Const | Param => {
            let help = "remove it: a `const` of the file is known at comptime";
            Some(
                Correction::foreign("comptime const", stuck.bytes(start, stuck.at), help)
                    .edit((place.0, rest), ""),
            )
        }
        Fn | Task => {
            let help = "remove it: a function runs at comptime where its value is asked for there";
            Some(
                Correction::foreign("comptime fn", stuck.bytes(start, stuck.at), help)
                    .edit((place.0, rest), ""),
            )
        }
        Var => {
            let help = "write `const`, or `var` alone: only blocks and functions have comptime variables";
            Some(Correction::foreign("comptime var", stuck.bytes(start, stuck.at), help).covers(line))
        }
        If | For | While | Switch | Builtin(_) | Ident(_) => {
            let slip = Correction::slip("write a block: `comptime { .. }`");
            Some(slip.covers(line))
        }
        _ => None,
    }
}

/// `if (n == 3) {` outside of any block
pub fn statement_outside(stuck: &Stuck, start: usize) -> Option<Correction> {
    if !stuck.at_declaration() {
        return None;
    }
    if let Some(correction) = behind_early_end(stuck, start) {
        return Some(correction);
    }
    let word = stuck.words(start, start);
    let open = (start..stuck.tokens.len()).find(|at| stuck.tokens[*at].1 == Token::LBrace);
    let close = open.and_then(|open| stuck.close_of(open)).unwrap_or_else(|| stuck.line_end(start));
    let help = match stuck.token(start)? {
        Token::Return => "write it into a function: `fn f() i16 { return ..; }`".to_string(),
        _ => format!("write it into a function or task, or into a block: `comptime {{ {word} .. }}`"),
    };
    Some(Correction::slip(help).covers(stuck.bytes(start, close)))
}
