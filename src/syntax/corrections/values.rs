//! Values as other languages write them: `{ .a = 1 }`, `[1, 2, 3]`, `1.`, `a[1:3]`.

use super::{Correction, name};
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped at such a value.
pub fn correction(stuck: &Stuck) -> Option<Correction> {
    brace_without_dot(stuck)
        .or_else(|| field(stuck))
        .or_else(|| float(stuck))
        .or_else(|| list(stuck))
        .or_else(|| slice(stuck))
        .or_else(|| library(stuck))
        .or_else(|| separator(stuck))
}

/// `f({ .a = 1 })`, `.rx = {RAMP}`, `= {1, 2, 3}`
fn brace_without_dot(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let open = stuck.open_before(stuck.at)?;
    let before = stuck.token(open.checked_sub(1)?)?;
    let is_value = matches!(before, Assign | LParen | Comma | Return | DotBrace);
    if stuck.token(open)? != LBrace || !is_value {
        return None;
    }
    let begins_with_field = stuck.token(open + 1) == Some(Dot);
    let is_list =
        matches!(stuck.found()?, Comma | RBrace) && !(open..stuck.at).any(|at| stuck.tokens[at].1 == Semi);
    let close = stuck.close_of(open).unwrap_or(stuck.at);
    let brace = stuck.bytes(open, open);
    let slip = Correction::slip("write a dot in front of the brace: `.{`");
    (begins_with_field || is_list).then(|| Correction {
        place: Some(brace),
        ..slip.covers(stuck.bytes(open, close)).edit((brace.0, brace.0), ".")
    })
}

/// `.{ a = 1 }`, `.{ .a: 1 }`, `.{ "a": 1 }`
fn field(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let open = stuck.open_before(stuck.at)?;
    if stuck.token(open)? != DotBrace {
        return None;
    }
    let at = stuck.bytes(stuck.at, stuck.at);
    let assigns = |token: Option<Token>| matches!(token, Some(Assign | Colon));
    match (stuck.before(2), stuck.before(1)?, stuck.found()?) {
        (Some(Dot), Ident(field), Colon) => {
            Some(Correction::slip(format!("write `.{field} = ..`")).edit(at, " ="))
        }
        (_, Str(text), Colon) => {
            let field = text.trim_matches('"');
            let is_name = field.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !field.is_empty();
            let edit = stuck.bytes(stuck.at - 1, stuck.at);
            let slip = Correction::slip(format!("write `.{field} = ..`"));
            Some(slip.edit_if(is_name, edit, format!(".{field} =")))
        }
        (Some(DotBrace | Comma), Ident(field), Assign | Colon) => {
            let edit = stuck.bytes(stuck.at - 1, stuck.at);
            Some(Correction::slip(format!("write `.{field} = ..`")).edit(edit, format!(".{field} =")))
        }
        (_, Comma | DotBrace, Ident(field)) if assigns(stuck.after(1)) => {
            let edit = stuck.bytes(stuck.at, stuck.at + 1);
            Some(Correction::slip(format!("write `.{field} = ..`")).edit(edit, format!(".{field} =")))
        }
        _ => None,
    }
}

/// `1.`, `.5`, `1,5`
fn float(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let digits = |token: Option<Token<'_>>| match token {
        Some(Number(text)) if text.bytes().all(|b| b.is_ascii_digit()) => Some(text.to_string()),
        _ => None,
    };
    let why = "a float has digits on both sides of its point";
    match (stuck.before(1)?, stuck.found()?) {
        (Dot, _) if stuck.at >= 2 && stuck.adjoins(stuck.at - 2) => {
            let whole = digits(stuck.before(2))?;
            let place = stuck.bytes(stuck.at - 2, stuck.at - 1);
            let slip = Correction::slip(format!("write `{whole}.0`: {why}"));
            Some(Correction { place: Some(place), ..slip }.edit(place, format!("{whole}.0")))
        }
        (before, Dot) if !before.ends_operand() && stuck.adjoins(stuck.at) => {
            let Number(part) = stuck.after(1)? else { return None };
            let place = stuck.bytes(stuck.at, stuck.at + 1);
            let slip = Correction::slip(format!("write `0.{part}`: {why}"));
            Some(Correction { place: Some(place), ..slip }.edit(place, format!("0.{part}")))
        }
        (Number(_), Comma) if stuck.expects(";") && !stuck.expects(",") => {
            let (whole, part) = (digits(stuck.before(1))?, digits(stuck.after(1))?);
            let place = stuck.bytes(stuck.at - 1, stuck.at + 1);
            let slip = Correction::slip(format!("write `{whole}.{part}`: a float has a point"));
            Some(Correction { place: Some(place), ..slip })
        }
        _ => None,
    }
}

/// `= [1, 2, 3];`
fn list(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    if stuck.before(1)? != RBracket || !matches!(stuck.found()?, Semi | Comma | RParen) {
        return None;
    }
    let open = stuck.open_before(stuck.at - 1)?;
    if open.checked_sub(1).and_then(|at| stuck.token(at)).is_none_or(Token::ends_operand) {
        return None;
    }
    let items = stuck.text[stuck.tokens[open].2..stuck.tokens[stuck.at - 1].0].trim();
    let count = if items.is_empty() { 0 } else { items.matches(',').count() + 1 };
    let place = stuck.bytes(open, stuck.at - 1);
    let help = format!(
        "write `[{count}]T{{ .. }}` with the type of the elements, such as `[{count}]i16{{ {items} }}`"
    );
    Some(Correction::foreign("[..]", place, help))
}

/// `a[1:3]`
fn slice(stuck: &Stuck) -> Option<Correction> {
    let at = stuck.bytes(stuck.at, stuck.at);
    let open = stuck.open_before(stuck.at).filter(|_| stuck.found() == Some(Token::Colon))?;
    let array = name(stuck.token(open.checked_sub(1)?))?;
    let is_index = stuck.token(open)? == Token::LBracket && stuck.expects("]");
    let help = format!(
        "describe a part of an array with a DSD: \
         `@get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{n}} -> {array}[i + 1] }})`"
    );
    is_index.then(|| Correction::foreign("a[..:..]", at, help))
}

/// `@import_module(<math>)`
fn library(stuck: &Stuck) -> Option<Correction> {
    if stuck.before(1)? != Token::LParen || stuck.found()? != Token::Less {
        return None;
    }
    let end = (stuck.at..=stuck.line_end(stuck.at)).find(|at| stuck.tokens[*at].1 == Token::Greater)?;
    let place = stuck.bytes(stuck.at, end);
    let instead = format!("\"{}\"", stuck.words(stuck.at, end));
    let slip = Correction::slip(format!("write `{instead}`"));
    Some(Correction { place: Some(place), ..slip }.covers(place).edit(place, instead))
}

/// `;` between fields or cases.
fn separator(stuck: &Stuck) -> Option<Correction> {
    stuck.semicolon_for_comma().then(|| {
        let place = stuck.bytes(stuck.at, stuck.at);
        Correction::slip("write `,` between the parts").edit(place, ",")
    })
}

impl Stuck<'_, '_> {
    /// Whether a `;` stands where the `,` of a list in braces belongs.
    pub fn semicolon_for_comma(&self) -> bool {
        let in_braces = || {
            let open = self.open_before(self.at).and_then(|open| self.token(open));
            matches!(open, Some(Token::LBrace | Token::DotBrace))
        };
        self.found() == Some(Token::Semi) && self.expects(",") && self.expects("}") && in_braces()
    }
}
