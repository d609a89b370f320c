//! Values as other languages write them: `{ .a = 1 }`, `[1, 2, 3]`, `1.`, `a[1:3]`.

use super::{Correction, name};
use crate::syntax::foreign;
use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// The correction, if the parser stopped at such a value.
pub fn correction(stuck: &Stuck, start: usize) -> Option<Correction> {
    brace_without_dot(stuck, start)
        .or_else(|| arguments(stuck))
        .or_else(|| field(stuck))
        .or_else(|| float(stuck))
        .or_else(|| list(stuck))
        .or_else(|| slice(stuck))
        .or_else(|| tuple(stuck, start))
        .or_else(|| closure(stuck))
        .or_else(|| enum_member(stuck))
        .or_else(|| builtin(stuck))
        .or_else(|| dot_in_front(stuck))
        .or_else(|| library(stuck))
        .or_else(|| separator(stuck))
}

/// `f({ .a = 1 })`, `.rx = {RAMP}`, `= {1, 2, 3}`
fn brace_without_dot(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    let open = stuck.open_before(stuck.at).filter(|open| stuck.opens_value(*open))?;
    let begins_with_field = stuck.token(open + 1) == Some(Dot)
        || matches!(stuck.token(open + 1)?, Ident(_) | Str(_)) && stuck.token(open + 2) == Some(Colon);
    let is_list =
        matches!(stuck.found()?, Comma | RBrace) && !(open..stuck.at).any(|at| stuck.tokens[at].1 == Semi);
    if !begins_with_field && !is_list {
        return None;
    }
    let close = stuck.close_of(open).unwrap_or(stuck.at);
    let (brace, all) = (stuck.bytes(open, open), stuck.bytes(open, close));
    let at_brace = |slip: Correction| Some(slip.covers(all).saying(brace, "a value", "{"));
    let value = stuck.words(open + 1, close - 1);
    let before = stuck.before_token(open)?;
    if stuck.open_before(open).is_some_and(|outer| stuck.opens_array(outer)) {
        return at_brace(rows());
    }
    if begins_with_field && stuck.token(open + 1) != Some(Dot) {
        let field = stuck.words(open + 1, open + 1).trim_matches('"');
        return at_brace(Correction::slip(format!("write `.{{ .{field} = .. }}`")));
    }
    if before == FatArrow {
        return at_brace(Correction::slip(format!("write the value without braces: `=> {value}`")));
    }
    if matches!(before, RParen | Else) {
        let help = "write the values of an `if` without braces: `if (..) a else b`";
        return at_brace(Correction::slip(help));
    }
    // Of a struct or tuple all is said by the dot.
    let is_array = !begins_with_field
        && matches!(before, Assign)
        && stuck.open_before(open).is_none_or(|outer| outer < start);
    let ty = is_array.then(|| type_of_declaration(stuck, start, open)).flatten();
    match ty {
        Some(ty) if ty.starts_with('[') => {
            let slip = Correction::slip(format!("write the type of the array in front: `{ty}{{ {value} }}`"));
            at_brace(slip.edit((brace.0, brace.0), ty))
        }
        None if is_array && !value.contains(',') => at_brace(Correction::slip(format!(
            "write the value without braces, `{value}`, or a dot in front of them: `.{{`"
        ))),
        None if is_array && matches!(stuck.token(start)?, Const | Var | Ident(_)) => {
            let count = value.matches(',').count() + 1;
            at_brace(Correction::slip(format!(
                "write `[{count}]T{{ .. }}` with the type of the elements, such as `[{count}]i16{{ {value} }}`"
            )))
        }
        _ => at_brace(
            Correction::slip("write a dot in front of the brace: `.{`").edit((brace.0, brace.0), "."),
        ),
    }
}

/// `[2, 2]i16{ {1, 2}, {3, 4} }`
fn rows() -> Correction {
    Correction::slip("write all elements in one list, row by row: `[2, 2]T{ 1, 2, 3, 4 }`")
}

/// The text of the type in `const name: type = {`, whose brace is at `open`.
fn type_of_declaration<'t>(stuck: &Stuck<'_, 't>, start: usize, open: usize) -> Option<&'t str> {
    let declares = matches!(stuck.token(start)?, Token::Const | Token::Var | Token::Param);
    let has_type = declares && stuck.token(start + 2)? == Token::Colon && open > start + 4;
    has_type.then(|| stuck.words(start + 3, open - 2))
}

/// `f(.async = true)`, `f(n: 1)`, `.rx = .WEST`, `.rx = .[WEST]`
fn arguments(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let open = stuck.open_before(stuck.at)?;
    let place = stuck.bytes(stuck.at, stuck.at);
    let callee = stuck.before_token(open).filter(|_| stuck.token(open) == Some(LParen));
    let no_names = || Correction::slip("arguments have no names: write the value alone");
    match (callee, stuck.before(1)?, stuck.found()?) {
        (Some(Builtin(_)), Comma | LParen, Dot) if stuck.after(2) == Some(Assign) => {
            let close = stuck.close_of(open)?;
            let written = stuck.words(stuck.at, close - 1);
            let place = stuck.bytes(stuck.at, close - 1);
            let instead = format!(".{{ {written} }}");
            let slip = Correction::slip(format!("write the settings between braces: `{instead}`"));
            Some(slip.covers(place).edit(place, instead))
        }
        (Some(Ident(_)), Comma | LParen, Dot) if stuck.after(2) == Some(Assign) => Some(no_names()),
        (Some(Ident(_) | Builtin(_)), Colon, _)
            if name(stuck.before(2)).is_some() && matches!(stuck.before(3)?, LParen | Comma) =>
        {
            let written = stuck.words(stuck.at - 2, stuck.at - 1);
            Some(no_names().saying(stuck.bytes(stuck.at - 2, stuck.at - 1), "a value", written))
        }
        (_, Assign | LParen | Comma, Dot) if stuck.after(1) == Some(LBracket) => {
            let close = stuck.close_of(stuck.at + 1)?;
            let instead = format!(".{{ {} }}", stuck.words(stuck.at + 2, close - 1));
            let place = stuck.bytes(stuck.at, close);
            let slip = Correction::slip(format!("write `{instead}`")).covers(place).edit(place, instead);
            Some(Correction { place: Some(place), ..slip })
        }
        (_, Assign, Dot)
            if stuck.token(open)? == DotBrace && name(stuck.after(1)).is_some_and(is_direction) =>
        {
            let side = name(stuck.after(1)).filter(|side| is_direction(side))?;
            let place = (place.0, stuck.bytes(stuck.at + 1, stuck.at + 1).1);
            let instead = format!(".{{ {side} }}");
            Some(Correction::slip(format!("write `{instead}`")).edit(place, instead))
        }
        _ => None,
    }
}

/// `var s: State = .idle;`, `s = .busy;`, where the file declares `s`
fn enum_member(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let member = name(stuck.after(1)).filter(|_| stuck.found() == Some(Dot))?;
    if !matches!(stuck.before(1)?, Assign | EqEq | NotEq) || stuck.after(2) == Some(Assign) {
        return None;
    }
    let ty = match (stuck.before(4), stuck.before(3), name(stuck.before(2))?) {
        (_, Some(Colon), ty) => ty,
        (_, Some(Dot), _) => return None,
        (_, _, variable) => {
            stuck.tokens.windows(4).find_map(|four| match (four[0].1, four[1].1, four[2].1) {
                (Var | Const | Param, Ident(declared), Colon) if declared == variable => {
                    name(Some(four[3].1))
                }
                _ => None,
            })?
        }
    };
    let at = stuck.bytes(stuck.at, stuck.at).0;
    Some(Correction::slip(format!("write `{ty}.{member}`")).edit((at, at), ty))
}

fn is_direction(word: &str) -> bool {
    matches!(word, "NORTH" | "SOUTH" | "EAST" | "WEST" | "RAMP")
}

/// `(a, b)`, `return a, b;`, `var a, b: u16;`, `a, b = b, a;`
fn tuple(stuck: &Stuck, start: usize) -> Option<Correction> {
    use Token::*;
    if stuck.found()? != Comma || stuck.after(1) == Some(Assign) {
        return None;
    }
    let open = stuck.open_before(stuck.at).filter(|open| *open >= start);
    if let Some(open) = open {
        let is_value = matches!(stuck.before_token(open)?, Assign | LParen | Comma | Return | Colon);
        let close = stuck.close_of(open).filter(|_| is_value && stuck.token(open) == Some(LParen))?;
        let values = stuck.words(open + 1, close - 1);
        let place = stuck.bytes(open, close);
        let instead = format!(".{{ {values} }}");
        let help = format!("write `{instead}` for a tuple");
        return Some(Correction::foreign(stuck.words(open, close), place, help).edit(place, instead));
    }
    let same_line = !begins_behind(stuck);
    let help = match stuck.token(start)? {
        Return => "a function has one result: return a struct, `.{ .a = .., .b = .. }`".to_string(),
        word @ (Const | Var | Param) if same_line => {
            let first = stuck.words(start, stuck.at - 1);
            let second = match name(stuck.after(1)) {
                Some(second) if word == Const => format!("const {second} = ..;"),
                Some(second) => format!("{} {second}: ..;", stuck.words(start, start)),
                None => "..".to_string(),
            };
            let first = if stuck.at == start + 2 {
                format!("{first}{}", if word == Const { " = .." } else { ": .." })
            } else {
                first.to_string()
            };
            format!("declare each by itself: `{first}; {second}`")
        }
        Ident(_) if stuck.expects("=") && same_line => {
            "assign to each by itself: `a = ..; b = ..;`".to_string()
        }
        _ => return None,
    };
    let slip = Correction::slip(help);
    Some(slip.covers(stuck.bytes(stuck.at, stuck.line_end(stuck.at))))
}

/// `|n| n * 2`, `0 => |n| {`
fn closure(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    // The bar that opens: in front of it no value ends.
    let opens = |at: &usize| {
        stuck.token(*at) == Some(Pipe) && !stuck.before_token(*at).is_some_and(Token::ends_operand)
    };
    let first = (0..stuck.at).rev().take(16).find(opens)?;
    let close = (first + 1..stuck.tokens.len()).take(12).find(|at| stuck.token(*at) == Some(Pipe))?;
    let is_names = (first + 1..close).all(|at| matches!(stuck.tokens[at].1, Ident(_) | Comma | Colon | Star));
    let name_of = stuck.before_token(first)?;
    if !is_names || stuck.at > close + 4 || !matches!(name_of, Assign | LParen | Comma | FatArrow | Return) {
        return None;
    }
    let place = stuck.bytes(first, close);
    let what = stuck.words(first, close);
    if name_of == FatArrow {
        let help = "write the block alone: a case of a `switch` gives no name to its value";
        return Some(Correction::foreign(what, place, help));
    }
    let function = match name_of {
        Assign => name(first.checked_sub(2).and_then(|at| stuck.token(at))).unwrap_or("f"),
        _ => "f",
    };
    let parameter = name(stuck.token(first + 1)).unwrap_or("n");
    let help = format!(
        "write a function at the top level, and its name here: `fn {function}({parameter}: i16) i16 {{ return ..; }}`"
    );
    Some(Correction::foreign(what, place, help).covers(stuck.bytes(first, stuck.line_end(first))))
}

/// `@zeros<f32>(10)`, `@get_color 3`, `@math.sqrt(x)`
fn builtin(stuck: &Stuck) -> Option<Correction> {
    use Token::*;
    let Builtin(called) = stuck.before(1)? else { return None };
    let place = stuck.bytes(stuck.at - 1, stuck.at - 1);
    let line = stuck.bytes(stuck.at - 1, stuck.line_end(stuck.at));
    let help = match stuck.found()? {
        LParen => return None,
        Dot => {
            let module = &called[1..];
            let until = stuck.bytes(stuck.at - 1, stuck.at - 1).1;
            let help = format!("write `{module}.` without `@`: only builtins have it");
            return Some(Correction::slip(help).edit((place.0, until), module));
        }
        Less if matches!(called, "@as" | "@bitcast" | "@ptrcast") => {
            let ty = name(stuck.after(1)).map_or("T", |ty| foreign::meant_type(ty).unwrap_or(ty));
            format!("write the type as the first argument: `{called}({ty}, x)`")
        }
        Less | LBracket if matches!(called, "@zeros" | "@constants") => {
            format!("write the type of the array in parentheses: `{called}([n]f32)`")
        }
        _ => format!("write its arguments in parentheses: `{called}(..)`"),
    };
    let found = stuck.words(stuck.at, stuck.at);
    let place = if stuck.on_new_line() { place } else { stuck.bytes(stuck.at, stuck.at) };
    Some(Correction::slip(help).covers(line).saying(place, "`(`", found))
}

/// `a.[0]`
fn dot_in_front(stuck: &Stuck) -> Option<Correction> {
    let place = stuck.bytes(stuck.at.checked_sub(1)?, stuck.at - 1);
    if let (Token::Dot, Token::Number(index), Some(tuple)) =
        (stuck.before(1)?, stuck.found()?, name(stuck.before(2)))
    {
        let instead = format!("{tuple}[{index}]");
        return Some(
            Correction::slip(format!("write `{instead}`")).edit(stuck.bytes(stuck.at - 2, stuck.at), instead),
        );
    }
    let is_index = stuck.before(1)? == Token::Dot && stuck.found()? == Token::LBracket;
    let array = name(stuck.before(2)).filter(|_| is_index)?;
    Some(Correction::slip(format!("write `{array}[..]` without the dot")).edit(place, ""))
}

/// Whether the token behind the one that does not fit is the first of its line.
fn begins_behind(stuck: &Stuck) -> bool {
    stuck.line_end(stuck.at) == stuck.at
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
        (_, Str(text), Colon | Assign) => {
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
    if stuck.before(1)? != RBracket || !matches!(stuck.found()?, Semi | Comma | RParen | RBrace) {
        return None;
    }
    let open = stuck.open_before(stuck.at - 1)?;
    if open.checked_sub(1).and_then(|at| stuck.token(at)).is_none_or(Token::ends_operand) {
        return None;
    }
    let is_property = stuck.before_token(open) == Some(Assign)
        && stuck.open_before(open).is_some_and(|outer| stuck.token(outer) == Some(DotBrace));
    if let Some(outer) = stuck.open_before(open).filter(|outer| stuck.opens_array(*outer)) {
        let all = stuck.bytes(outer, stuck.close_of(outer).unwrap_or(stuck.at));
        return Some(Correction { place: Some(stuck.bytes(open, stuck.at - 1)), ..rows() }.covers(all));
    }
    let items = stuck.text[stuck.tokens[open].2..stuck.tokens[stuck.at - 1].0].trim();
    let count = if items.is_empty() { 0 } else { items.matches(',').count() + 1 };
    let place = stuck.bytes(open, stuck.at - 1);
    if is_property {
        let instead = format!(".{{ {items} }}");
        let what = stuck.words(open, stuck.at - 1);
        return Some(Correction::foreign(what, place, format!("write `{instead}`")).edit(place, instead));
    }
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
        // In front of a declaration or the end, the brace is missing.
        let goes_on = || {
            use Token::*;
            !matches!(
                self.after(1),
                None | Some(Const | Var | Param | Fn | Task | Comptime | Export | Extern | Layout | Return)
            )
        };
        self.found() == Some(Token::Semi)
            && self.expects(",")
            && self.expects("}")
            && in_braces()
            && goes_on()
    }

    /// All `;` of the list in braces that the parser is in: they are one mistake.
    pub fn semicolons_of_list(&self) -> Vec<usize> {
        let mut depth = 0usize;
        let mut found = Vec::new();
        for at in self.at..self.tokens.len() {
            match self.tokens[at].1 {
                Token::LParen | Token::LBracket | Token::LBrace | Token::DotBrace => depth += 1,
                Token::RParen | Token::RBracket | Token::RBrace if depth == 0 => break,
                Token::RParen | Token::RBracket | Token::RBrace => depth -= 1,
                Token::Semi if depth == 0 => found.push(at),
                _ => {}
            }
        }
        found
    }
}
