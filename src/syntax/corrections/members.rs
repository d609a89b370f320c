//! Members of structs and enums, and values of structs, as other languages write them.

use super::{Correction, name};
use crate::syntax::foreign::meant_type;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped between the braces of a type or of a value; `start` is the first token of the
/// declaration or statement.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    tagged_union(stuck).or_else(|| {
        let open = stuck.open_before(stuck.at).filter(|open| *open >= start)?;
        match (stuck.before_token(open)?, stuck.token(open)?) {
            (Struct | Union, LBrace) => field_of_type(stuck, start, open),
            (Ident("error"), LBrace) => error_set(stuck, open),
            (Ident(ty), LBrace) if stuck.expects(".") => value(stuck, open, ty),
            _ => None,
        }
    })
}

/// `x: i16 = 1`, `fn get() i16 {`, `const n = 3;`, `int x;`, `pub x: i16`, `.x: i16`
fn field_of_type(stuck: &Stuck, start: usize, open: usize) -> Option<Correction> {
    use Token::*;
    let all = stuck.bytes(start, stuck.close_of(open).unwrap_or(stuck.at) + 1);
    let ty = match stuck.token(start)? {
        Const | Var => name(stuck.token(start + 1)).unwrap_or("T"),
        _ => "T",
    };
    let at = stuck.bytes(stuck.at, stuck.at);
    let next = stuck.bytes(stuck.at + 1, stuck.at + 1).0;
    match (stuck.before(1)?, stuck.found()?) {
        (_, Assign) => {
            let field = (open..stuck.at).rev().find(|at| stuck.token(*at) == Some(Colon))?;
            let field = name(stuck.token(field.checked_sub(1)?))?;
            let help =
                format!("fields have no default values: write it in each value, `{ty}{{ .{field} = .. }}`");
            let place = stuck.bytes(stuck.at, stuck.at + 1);
            let what = stuck.words(stuck.at, stuck.at + 1);
            Some(Correction::foreign(what, place, help).covers(all))
        }
        (_, Fn | Task | Inline) => {
            let from = if stuck.before(1) == Some(Ident("pub")) { stuck.at - 1 } else { stuck.at };
            let function = name(stuck.after(1)).unwrap_or("f");
            let help = format!(
                "write the function at the top level, and pass it the struct: `fn {function}(self: *{ty}) .. {{` and `{function}(&x)`"
            );
            let place = Some(stuck.bytes(from, stuck.at + 1));
            Some(Correction { place, ..Correction::slip(help) }.covers(all))
        }
        (_, Const | Var) if stuck.after(2) == Some(Colon) && stuck.found()? == Var => {
            let slip = Correction::slip("remove `var`: a field is `name: type`");
            Some(slip.covers(all).edit((at.0, next), ""))
        }
        (_, word @ (Const | Var)) => {
            let declared = name(stuck.after(1)).unwrap_or("n");
            let word = if word == Const { "const" } else { "var" };
            let help = format!("a struct has only fields: write `{word} {declared} = ..;` outside of it");
            Some(Correction::slip(help).covers(all))
        }
        (LBrace | Comma, Dot) => {
            let field = name(stuck.after(1))?;
            let slip = Correction::slip(format!("write `{field}: ..`: a dot stands only in front of values"));
            Some(slip.covers(all).edit((at.0, next), ""))
        }
        (Ident(first), Ident(second)) if matches!(stuck.before(2), Some(LBrace | Comma)) => {
            two_names(stuck, first, second).map(|c| c.covers(all))
        }
        _ => None,
    }
}

/// `int x`, `x i16`, `pub x: i16`
fn two_names(stuck: &Stuck, first: &str, second: &str) -> Option<Correction> {
    let place = stuck.bytes(stuck.at - 1, stuck.at);
    if let Some(ty) = meant_type(first) {
        let instead = format!("{second}: {ty}");
        let end = match stuck.after(1) {
            Some(Token::Semi) => (place.0, stuck.bytes(stuck.at + 1, stuck.at + 1).1),
            _ => place,
        };
        let help = match end == place {
            true => format!("write `{instead}`"),
            false => format!("write `{instead},`"),
        };
        let comma = if end == place { "" } else { "," };
        return Some(
            Correction::foreign(stuck.words(stuck.at - 1, stuck.at), place, help)
                .edit(end, format!("{instead}{comma}")),
        );
    }
    if let Some(ty) = meant_type(second) {
        let instead = format!("{first}: {ty}");
        return Some(Correction::slip(format!("write `{instead}`")).edit(place, instead));
    }
    let begins = stuck.after(1) == Some(Token::Colon);
    let word = stuck.bytes(stuck.at - 1, stuck.at - 1);
    let help = "remove it: every field is visible from outside";
    (begins && matches!(first, "pub" | "public" | "private"))
        .then(|| Correction::foreign(first, word, help).edit((word.0, stuck.bytes(stuck.at, stuck.at).0), ""))
}

/// `S{ x: 1 }`, `S{ x = 1 }`, `S{ 1, 2 }`
fn value(stuck: &Stuck, open: usize, ty: &str) -> Option<Correction> {
    use Token::*;
    let fields = fields_of(stuck, ty);
    let is_value =
        |at: usize| matches!(stuck.before_token(at), Some(Assign | LParen | Comma | Return | FatArrow));
    let close = stuck.close_of(open).unwrap_or(stuck.at);
    let all = stuck.bytes(open - 1, close);
    match stuck.found()? {
        Ident(field) if matches!(stuck.after(1), Some(Colon | Assign)) && is_value(open - 1) => {
            let edit = stuck.bytes(stuck.at, stuck.at + 1);
            let slip = Correction::slip(format!("write `.{field} = ..`"));
            Some(slip.covers(all).edit(edit, format!(".{field} =")))
        }
        Ident(_) | Number(_) | Minus | Str(_) | True | False if is_value(open - 1) => {
            let written = match fields.as_slice() {
                [] => ".field = ..".to_string(),
                fields => fields.iter().map(|field| format!(".{field} = ..")).collect::<Vec<_>>().join(", "),
            };
            let help = format!("name the fields: `{ty}{{ {written} }}`");
            Some(Correction::slip(help).covers(all))
        }
        _ => None,
    }
}

/// The fields of a struct of this name, as far as the file declares it.
fn fields_of<'t>(stuck: &Stuck<'_, 't>, ty: &str) -> Vec<&'t str> {
    use Token::*;
    let declares = |at: &usize| {
        stuck.token(*at) == Some(Const)
            && name(stuck.token(at + 1)) == Some(ty)
            && stuck.token(at + 2) == Some(Assign)
            && stuck.token(at + 3) == Some(Struct)
    };
    let Some(open) = (0..stuck.tokens.len()).find(declares).map(|at| at + 4) else { return Vec::new() };
    let Some(close) = stuck.close_of(open) else { return Vec::new() };
    let begins = |at: &usize| {
        matches!(stuck.token(at - 1), Some(LBrace | Comma)) && stuck.token(at + 1) == Some(Colon)
    };
    (open + 1..close).filter(begins).filter_map(|at| name(stuck.token(at))).collect()
}

/// `const E = error{ A, B };`
fn error_set(stuck: &Stuck, open: usize) -> Option<Correction> {
    let close = stuck.close_of(open)?;
    let names = stuck.words(open + 1, close - 1);
    let place = stuck.bytes(open - 1, open - 1);
    let help = format!("there are no sets of errors: write `enum(u16) {{ {names} }}`");
    Some(
        Correction::foreign("error{..}", place, help)
            .covers(stuck.bytes(open - 1, close))
            .edit(place, "enum(u16) "),
    )
}

/// `union(enum) {`
fn tagged_union(stuck: &Stuck) -> Option<Correction> {
    if stuck.before(1)? != Token::Union || stuck.found()? != Token::LParen {
        return None;
    }
    let close = stuck.close_of(stuck.at)?;
    let place = stuck.bytes(stuck.at - 1, close);
    let help = "write `union {`, and keep in an enum of its own which field is set";
    Some(
        Correction::foreign(stuck.words(stuck.at - 1, close), place, help)
            .edit(stuck.bytes(stuck.at, close), ""),
    )
}
