//! Explains a syntax error in the terms of CSL.

use super::builder::Builder;
use super::corrections::{Correction, correction, form};
use super::stuck::Stuck;
use super::token::Token;
use super::trial::{self, Change};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::syntax::{NOT_CSL, SYNTAX_ERROR};

/// Reports the error to the builder, unless it was reported before.
pub fn report(builder: &mut Builder, stuck: &Stuck) {
    if stuck.found() == Some(Token::Broken) || is_ours(stuck) || follows_open_string(builder, stuck) {
        return;
    }
    if let Some(diag) = old_declaration(builder, stuck) {
        builder.complain(diag);
        return;
    }
    if let Some(brace) = stuck.unclosed_block() {
        let help = format!("close the block of line {} with `}}`", stuck.line(brace));
        let (lo, _, hi) = stuck.tokens[brace];
        let diag = syntax_error(builder, stuck).also(builder.span(lo, hi), "still open here");
        builder.complain(diag.help(help));
        return;
    }
    let outside = stuck.start_outside_of_values(builder).map(|(start, _)| start);
    match correction(stuck, outside.unwrap_or_else(|| stuck.start(builder))) {
        Some(correction) => {
            let diag = corrected(builder, stuck, &correction);
            builder.complain(diag);
            builder.cover(correction.covers);
            builder.hide(correction.words(stuck));
        }
        None => {
            let diag = syntax_error(builder, stuck);
            let diag = advised(builder, stuck, diag);
            builder.complain(diag);
        }
    }
}

/// The error in terms of what would fit.
fn syntax_error(builder: &Builder, stuck: &Stuck) -> Diag {
    let (lo, hi) = place(stuck);
    let facts: [(&str, &dyn std::fmt::Display); 2] =
        [("expected", &expectation(stuck)), ("found", &finding(stuck))];
    SYNTAX_ERROR.because(&facts).at(builder.span(lo, hi))
}

/// The error in terms of what is meant.
fn corrected(builder: &Builder, stuck: &Stuck, correction: &Correction) -> Diag {
    let place = correction.place.unwrap_or_else(|| place(stuck));
    let span = builder.span(place.0, place.1);
    let diag = match &correction.foreign {
        Some(what) => NOT_CSL.because(&[("what", what)]).at(span),
        None => {
            let (expected, found) = match &correction.said {
                Some((expected, found)) => (expected.to_string(), found.clone()),
                None => (expectation(stuck), finding(stuck)),
            };
            SYNTAX_ERROR.because(&[("expected", &expected), ("found", &found)]).at(span)
        }
    };
    let diag = diag.help(correction.help.as_str());
    match &correction.edit {
        Some(((lo, hi), with)) => diag.replace(builder.span(*lo, *hi), with.as_str()),
        None => diag,
    }
}

/// The help for an error that no correction explains.
fn advised(builder: &Builder, stuck: &Stuck, diag: Diag) -> Diag {
    if let Some(help) = comment_for_division(stuck) {
        return diag.help(help);
    }
    if let Some(token) = stuck.missing_token().filter(|_| !stuck.at_declaration()) {
        let (at, text) = (stuck.end_before(), token.text());
        return diag.help(format!("write `{text}` here")).replace(builder.span(at, at), text);
    }
    if let Some(dot) = stuck.missing_comma() {
        let end = stuck.tokens[dot - 1].2;
        return diag.help("write `,` here").replace(builder.span(end, end), ",");
    }
    if let Some(help) = advice(stuck) {
        return diag.help(help);
    }
    let declared = builder.progress().declared;
    let from = stuck.tokens.partition_point(|(_, _, hi)| *hi <= declared);
    let changes = trial::changes(builder, stuck, from);
    if !changes.is_empty() {
        return changed(builder, stuck, &changes, diag);
    }
    if !stuck.at_declaration() && trial::lacks_operand(builder, stuck, from) {
        return diag;
    }
    match form(stuck, stuck.start(builder)) {
        _ if stuck.found().is_none() => unclosed(builder, stuck, diag),
        Some(form) => diag.help(form),
        None if stuck.after_operand() && stuck.expects(";") => {
            let help =
                format!("the value ends in front of {}: write an operator or `;` there", finding(stuck));
            diag.help(help)
        }
        None => diag,
    }
}

/// The help with changes that let the parser go on.
fn changed(builder: &Builder, stuck: &Stuck, changes: &[Change], diag: Diag) -> Diag {
    let new = |change: &Change| match change {
        Change::Insert(token) | Change::Swap(token) => trial::spelling(*token),
        Change::Remove => "",
    };
    let written = changes.iter().map(|change| format!("`{}`", new(change))).collect::<Vec<_>>().join(" or ");
    let (lo, hi) = stuck.tokens.get(stuck.at).map_or((0, 0), |(lo, _, hi)| (*lo, *hi));
    let found = stuck.text.get(lo..hi).unwrap_or_default();
    let (help, place) = match changes.first() {
        Some(Change::Swap(_)) => (format!("write {written} instead of `{found}`"), (lo, hi)),
        Some(Change::Remove) => (format!("remove this `{found}`"), (lo, hi)),
        _ => (format!("write {written} here"), (stuck.end_before(), stuck.end_before())),
    };
    let diag = diag.help(help);
    match changes {
        [only] => diag.replace(builder.span(place.0, place.1), new(only)),
        _ => diag,
    }
}

/// The help for a bracket that is open at the end of the file.
fn unclosed(builder: &Builder, stuck: &Stuck, diag: Diag) -> Diag {
    let Some(open) = stuck.open_before(stuck.at) else { return diag };
    let (lo, bracket, hi) = stuck.tokens[open];
    let close = bracket.closing().map_or("}", Token::text);
    let help = format!("close the `{}` of line {} with `{close}`", &stuck.text[lo..hi], stuck.line(open));
    diag.also(builder.span(lo, hi), "still open here").help(help)
}

/// Whether a string of this declaration does not end, which has been reported: it has swallowed what is missing now.
fn follows_open_string(builder: &Builder, stuck: &Stuck) -> bool {
    let is_open = |text: &str| text.len() < 2 || !text.ends_with('"');
    let declared = builder.progress().declared;
    let from = stuck.tokens.partition_point(|(_, _, hi)| *hi <= declared);
    let before = stuck.tokens.get(from..stuck.at).unwrap_or_default();
    before.iter().any(|(_, token, _)| matches!(token, Token::Str(text) if is_open(text)))
}

/// The help for `a // b`: two slashes begin a comment, which ends the expression.
fn comment_for_division(stuck: &Stuck) -> Option<&'static str> {
    let begin_of = |at: usize| stuck.tokens.get(at).map_or(stuck.text.len(), |(lo, ..)| *lo);
    let (end, next) = match stuck.missing_comma() {
        Some(dot) => (stuck.tokens[dot - 1].2, begin_of(dot)),
        None if stuck.after_operand() => (stuck.end_before(), begin_of(stuck.at)),
        None => return None,
    };
    let between = stuck.text.get(end..next)?.trim_start_matches([' ', '\t']);
    let is_operand = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '(' | '@');
    let divisor = between.strip_prefix("//")?.trim_start();
    let line = divisor.lines().next()?.split("//").next()?.trim_end();
    // The comment has swallowed what ends the expression, and is no sentence.
    let rest = line.trim_end_matches([',', ';', ')']);
    let is_value = rest.starts_with(is_operand) && (!rest.contains(' ') || rest.contains(['*', '+']));
    (rest.len() < line.len() && is_value).then_some("`//` begins a comment: write `/` to divide")
}

/// Whether the token that does not fit was inserted by a repair.
fn is_ours(stuck: &Stuck) -> bool {
    stuck.tokens.get(stuck.at).is_some_and(|(lo, _, hi)| lo == hi)
}

/// `color name;` declared a color in the first versions of CSL.
fn old_declaration(builder: &Builder, stuck: &Stuck) -> Option<Diag> {
    let (lo, token, _) = stuck.tokens.get(stuck.at)?;
    let (_, next, hi) = stuck.tokens.get(stuck.at + 1)?;
    match (token, next) {
        (Token::Ident("color"), Token::Ident(name)) if stuck.at_declaration() => Some(
            NOT_CSL
                .because(&[("what", &format!("`color {name};`"))])
                .at(builder.span(*lo, *hi))
                .help(format!("write `const {name}: color = @get_color(0);` or `param {name}: color;`")),
        ),
        _ => None,
    }
}

/// The token that does not fit, or the gap in which something is missing.
fn place(stuck: &Stuck) -> (usize, usize) {
    if let Some(dot) = stuck.missing_comma() {
        let end = stuck.tokens[dot - 1].2;
        return (end, end);
    }
    match stuck.tokens.get(stuck.at) {
        Some((lo, _, hi)) if !(stuck.on_new_line() && is_gap(stuck)) => (*lo, *hi),
        _ => (stuck.end_before(), stuck.end_before()),
    }
}

/// Whether only punctuation would fit, which belongs directly after the previous token.
fn is_gap(stuck: &Stuck) -> bool {
    !stuck.expects("number") && !stuck.expects("name") && !stuck.expects("broken")
}

fn finding(stuck: &Stuck) -> String {
    let Some((lo, token, hi)) = stuck.tokens.get(stuck.at) else { return "the end of the file".to_string() };
    if let Some(dot) = stuck.missing_comma() {
        return format!("`{}`", &stuck.text[stuck.tokens[dot].0..stuck.tokens[dot + 1].2]);
    }
    match token {
        Token::Str(_) => "a string".to_string(),
        Token::AsmText(_) => "`asm`".to_string(),
        _ => format!("`{}`", &stuck.text[*lo..*hi]),
    }
}

/// A short description of the tokens that would fit.
fn expectation(stuck: &Stuck) -> String {
    let expects = |terminal| stuck.expects(terminal);
    let operand = expects("number");
    if stuck.in_unclosed_block() {
        return "`}`".to_string();
    }
    let words = match stuck.before(1) {
        _ if stuck.at_declaration() => "a declaration",
        Some(Token::FatArrow) => "a value or a statement",
        Some(Token::LBrace | Token::DotBrace | Token::Comma) if expects(".") && !operand => {
            "`.field = value`"
        }
        _ if expects("return") => "a statement",
        _ if operand && !expects("-") && expects("comptime") => "a parameter",
        _ if operand && !expects("-") => "a type",
        Some(Token::Colon) if operand => "a type",
        _ if operand => "an expression",
        _ => return punctuation(stuck),
    };
    words.to_string()
}

/// Terminals worth mentioning, the most informative first, and whether they are expected after an operand.
const TELLING: [(&str, bool); 16] = [
    ("name", true),
    (":", false),
    ("=", true),
    (";", true),
    (",", true),
    (")", true),
    ("]", true),
    ("}", true),
    ("=>", true),
    ("|", false),
    ("->", true),
    ("{", false),
    ("(", false),
    (".", false),
    ("for", true),
    ("else", false),
];

/// `` `,` or `)` ``
fn punctuation(stuck: &Stuck) -> String {
    let behind_operand = stuck.after_operand();
    let told: Vec<String> = TELLING
        .iter()
        .filter(|(terminal, always)| stuck.expects(terminal) && (*always || !behind_operand))
        .map(|(terminal, _)| match *terminal {
            "name" => "a name".to_string(),
            "for" => "a loop".to_string(),
            _ => format!("`{terminal}`"),
        })
        .take(3)
        .collect();
    match told.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => stuck.expected.first().map_or("nothing more".to_string(), |first| format!("`{first}`")),
    }
}

/// The help for a mistake that only CSL knows.
fn advice(stuck: &Stuck) -> Option<String> {
    use Token::*;
    let found = stuck.found()?;
    let help = match (stuck.before(1).unwrap_or(Broken), found) {
        (_, word) if stuck.at_statement() && stuck.after(1) == Some(Assign) && word.starts_declaration() => {
            return keyword(stuck, word);
        }
        (_, word) if stuck.at_statement() && word.starts_declaration() => match word {
            Fn | Task => "close the block first; functions and tasks are only allowed at the top level",
            _ => "this word is only allowed at the top level",
        },
        (LBracket, RBracket) => "there are no slices; write `[n]T` for an array or `[*]T` for a pointer",
        (RParen, LBrace) if stuck.expects("align") => "write the return type, `void` if it returns nothing",
        (RParen, LBrace) if stuck.expects("|") => "name the element: `for (..) |element| { .. }`",
        (For, LBrace) => "write `while (true) {` for a loop without end",
        (For, _) => {
            "write what the loop goes over in parentheses, such as a range: `for (@range(i16, n)) |i| {`"
        }
        (If | While | Switch, _) => "what follows the keyword must be in parentheses",
        (Semi, Else) => "write no `;` in front of `else`",
        (_, Else) if stuck.at_statement() => "this `else` has no `if`",
        (_, RBrace) if stuck.at_declaration() => "remove this `}`: it closes nothing",
        (_, Dot) if stuck.expects("number") => "write the type in front of the dot, as in `Enum.member`",
        (_, word) if stuck.expects("name") && !stuck.expects("number") => {
            return keyword(stuck, word);
        }
        _ => return None,
    };
    Some(help.to_string())
}

/// The message about a keyword in place of a name.
fn keyword(stuck: &Stuck, word: Token) -> Option<String> {
    let (lo, _, hi) = stuck.tokens[stuck.at];
    let text = &stuck.text[lo..hi];
    let is_word = text.bytes().all(|b| b.is_ascii_alphabetic()) && !matches!(word, Token::Ident(_));
    is_word.then(|| format!("`{text}` is a word of CSL and cannot be a name"))
}
