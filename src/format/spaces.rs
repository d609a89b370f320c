//! The space between two items of a line.

use super::items::Item;
use super::roles::{BraceKind, Roles};
use crate::syntax::Token;

const NONE: &str = "";
const ONE: &str = " ";

/// What stands between an item and the one before it in the same line.
pub fn between(items: &[Item<'_>], roles: &Roles, at: usize) -> &'static str {
    let (Some(left), Some(right)) = (items[at - 1].token, items[at].token) else { return "  " };
    if is_tight_behind(roles, at - 1, left) || is_tight_before(roles, at, (left, right)) { NONE } else { ONE }
}

/// Whether nothing stands behind a token, whatever follows.
fn is_tight_behind(roles: &Roles, at: usize, token: Token<'_>) -> bool {
    use Token::*;
    match token {
        LParen | LBracket => true,
        LBrace | DotBrace => roles.brace(at) == Some(BraceKind::Tight) || roles.closer_of(at) == Some(at + 1),
        Minus | Star | Amp | Bang | Tilde => roles.is_prefix(at),
        RBracket => roles.is_prefix(at),
        Dot => true,
        Pipe => roles.capture(at).0,
        _ => false,
    }
}

/// Whether nothing stands before a token, unless the one before it wants it.
fn is_tight_before(roles: &Roles, at: usize, (left, right): (Token<'_>, Token<'_>)) -> bool {
    use Token::*;
    match right {
        Comma | Semi | RParen | RBracket | DotStar => true,
        RBrace => roles.brace(at) == Some(BraceKind::Tight),
        Dot | LBracket => !roles.is_prefix(at),
        Colon => !(left == RParen && roles.is_condition(at - 1)),
        LParen => match left {
            RParen => !roles.is_condition(at - 1),
            Ident(_) | Builtin(_) | RBracket | DotStar => true,
            Fn | Align | LinkSection | LinkName | Enum => true,
            _ => false,
        },
        LBrace => match roles.brace(at) {
            Some(BraceKind::Tight) => true,
            Some(BraceKind::List) => matches!(left, Ident(_) | RBracket | DotStar),
            _ => false,
        },
        Pipe => roles.capture(at).1,
        _ => false,
    }
}
