//! The form of what a mistake is part of, for mistakes that nothing else explains.

use crate::syntax::stuck::Stuck;
use crate::syntax::token::Token;

/// What is written around the place where the parser stopped, in the form of CSL; `start` is the first token of the
/// statement or declaration.
pub fn form(stuck: &Stuck, start: usize) -> Option<String> {
    if stuck.at_declaration() && stuck.before(1) == Some(Token::RBrace) && stuck.closes_too_often() {
        let help = "remove one `}` in front of it: the function or block is already closed there";
        return Some(help.to_string());
    }
    if let (Some(Token::Colon), Some(label)) = (stuck.before(1), super::name(stuck.before(2)))
        && stuck.expects("{")
    {
        if matches!(stuck.found(), Some(Token::While | Token::For)) {
            let help = "a loop has no value: assign a variable that is declared before it, and `break`";
            return Some(help.to_string());
        }
        let help = format!(
            "`{label}:` labels a block or loop, as in `{label}: while (..) {{`; values have no names or types"
        );
        return Some(help);
    }
    if stuck.at_declaration() {
        let help = "outside of functions a file has only declarations: `const`, `var`, `param`, `fn`, `task`, `comptime { .. }`";
        return Some(help.to_string());
    }
    let open = stuck.open_before(stuck.at).filter(|open| *open >= start);
    let form = match open {
        Some(open) => in_brackets(stuck, open)?,
        None => of_statement(stuck, start)?,
    };
    Some(form.to_string())
}

/// The form of what stands between brackets.
fn in_brackets(stuck: &Stuck, open: usize) -> Option<&'static str> {
    use Token::*;
    let before = open.checked_sub(1).and_then(|at| stuck.token(at))?;
    Some(match (before, stuck.token(open)?) {
        (For, LParen) => "a loop has the form `for (list) |element| { .. }`",
        (While, LParen) => "a loop has the form `while (condition) { .. }`",
        (If, LParen) => "a condition has the form `if (condition) { .. } else { .. }`",
        (Struct | Union, LBrace) => "a field has the form `name: type`",
        (Enum, LBrace) => "the names of an enum stand alone, or with their numbers: `name = 1`",
        (_, DotBrace) => "write values alone, `.{ a, b }`, or all with their names, `.{ .name = a }`",
        (RParen, LBrace) if stuck.opens_cases(open) => "a case has the form `value => ..,`",
        (RBracket | Ident(_), LBrace) if !stuck.expects("return") && stuck.expects(".") => {
            "a value of a struct has the form `Name{ .field = value }`"
        }
        (Ident(_), LParen) if is_declared_function(stuck, open) => "a parameter has the form `name: type`",
        _ => return None,
    })
}

/// Whether the parenthesis belongs to a declaration of a function.
fn is_declared_function(stuck: &Stuck, open: usize) -> bool {
    let word = open.checked_sub(2).and_then(|at| stuck.token(at));
    matches!(word, Some(Token::Fn | Token::Task))
}

/// The form of a statement or declaration.
fn of_statement(stuck: &Stuck, start: usize) -> Option<&'static str> {
    use Token::*;
    Some(match stuck.token(start)? {
        For => "a loop has the form `for (list) |element| { .. }`",
        While => "a loop has the form `while (condition) : (step) { .. }`, or without `: (step)`",
        If => "a condition has the form `if (condition) { .. } else { .. }`",
        Switch => "a choice has the form `switch (value) { 0 => .., else => .. }`",
        Const => "a constant has the form `const name: type = value;`, or without `: type`",
        Var => "a variable has the form `var name: type = value;`",
        Param => {
            "a parameter of the program has the form `param name: type;`, or `param name: type = value;`"
        }
        Fn => "a function has the form `fn name(parameter: type) result { .. }`",
        Task => "a task has the form `task name() void { .. }`",
        Layout => "a layout has the form `layout { .. }`",
        Comptime => "write `comptime { .. }`",
        Export => "write `export fn name() void { .. }` or `export var name: type;`",
        Extern => "write `extern fn name() void;` or `extern var name: type;`",
        Return => "write `return value;`, or `return;` in a function of type `void`",
        Break => "write `break;`, or `break :label value;`",
        Ident(_) | Builtin(_) if stuck.at_end_of_operand() => {
            "a statement is an assignment, `a = b;`, a call, `f(a);`, or begins with a word such as `if`"
        }
        _ => return None,
    })
}

impl Stuck<'_, '_> {
    /// Whether a `{` opens the cases of a `switch`.
    pub fn opens_cases(&self, open: usize) -> bool {
        let paren = open.checked_sub(1).and_then(|close| match self.token(close) {
            Some(Token::RParen) => self.open_before(close),
            _ => None,
        });
        let word = paren.and_then(|paren| paren.checked_sub(1)).and_then(|at| self.token(at));
        self.token(open) == Some(Token::LBrace) && word == Some(Token::Switch)
    }

    /// Whether the parser could assign to what stands before it.
    fn at_end_of_operand(&self) -> bool {
        self.expects("=") && self.expects("(")
    }
}
