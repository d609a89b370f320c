//! What a token does at its place, as far as the layout depends on it.

use super::items::Item;
use crate::syntax::Token;

/// What stands between two braces.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BraceKind {
    /// Statements or declarations.
    Block,
    /// Fields, elements or the cases of a `switch`.
    List,
    /// One element, or the lengths of a `tensor_access`: written without spaces.
    Tight,
}

/// What stands before a pair of parentheses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ParenKind {
    /// `if`, `while`, `for` and the like: no operand ends behind it.
    Condition,
    /// `switch`.
    Switch,
    /// The parameters of a function: a type follows.
    Parameters,
    /// A builtin, a call, or a part of an expression.
    Operand,
}

/// What the layout needs to know of an item.
#[derive(Copy, Clone, Debug, Default)]
struct Role {
    /// The bracket that closes this one.
    closer: Option<usize>,
    /// The bracket that this one closes.
    opener: Option<usize>,
    brace: Option<BraceKind>,
    paren: Option<ParenKind>,
    /// An operator before its operand, the bracket of a type, or a dot with no operand before it.
    is_prefix: bool,
    /// A block whose statements have lines of their own.
    is_expanded: bool,
    /// The first `|` of a capture; the second.
    opens_capture: bool,
    closes_capture: bool,
    /// The capture of a loop, and not of a `tensor_access`.
    of_loop: bool,
    /// The end of a statement or declaration.
    ends_statement: bool,
}

/// The roles of all items.
pub struct Roles(Vec<Role>);

impl Roles {
    /// Finds the roles.
    pub fn of(items: &[Item<'_>]) -> Roles {
        let mut finder = Finder {
            items,
            roles: vec![Role::default(); items.len()],
            open: Vec::new(),
            last: None,
            ends_operand: false,
            capture: None,
            bodies: vec![false],
        };
        for (at, item) in items.iter().enumerate() {
            if let Some(token) = item.token {
                finder.see(at, token);
            }
        }
        Roles(finder.roles)
    }

    /// The bracket that closes the one at `at`, if one opens there and is closed.
    pub fn closer_of(&self, at: usize) -> Option<usize> {
        self.0[at].closer
    }

    /// The bracket that the one at `at` closes.
    pub fn opener_of(&self, at: usize) -> Option<usize> {
        self.0[at].opener
    }

    /// What the braces hold that open or close there.
    pub fn brace(&self, at: usize) -> Option<BraceKind> {
        self.0[at].brace
    }

    /// Whether the operand of an operator stands behind it, and none before it.
    pub fn is_prefix(&self, at: usize) -> bool {
        self.0[at].is_prefix
    }

    /// Whether the statements of the block that opens there have lines of their own.
    pub fn is_expanded(&self, at: usize) -> bool {
        self.0[at].is_expanded
    }

    /// Whether a statement or declaration ends there.
    pub fn ends_statement(&self, at: usize) -> bool {
        self.0[at].ends_statement
    }

    /// Whether a capture opens there; closes there.
    pub fn capture(&self, at: usize) -> (bool, bool) {
        (self.0[at].opens_capture, self.0[at].closes_capture)
    }

    /// Whether parentheses that close there hold a condition.
    pub fn is_condition(&self, at: usize) -> bool {
        matches!(self.0[at].paren, Some(ParenKind::Condition | ParenKind::Switch))
    }

    /// Whether a line that begins with an item goes on with what the line before has begun. `open`: the innermost
    /// open bracket.
    pub fn goes_on(&self, items: &[Item<'_>], at: usize, open: Option<usize>) -> bool {
        let Some(last) = (0..at).rev().find(|before| items[*before].token.is_some()) else { return false };
        let is_new = Some(last) == open
            || self.0[last].ends_statement
            || items[last].token == Some(Token::Comma)
            || items[at].token == Some(Token::Else) && items[last].token == Some(Token::RBrace)
            || items[at].token.is_none() && self.is_last(items, at);
        !is_new
    }

    /// Whether only comments stand between a comment and the bracket that closes around it: it is about none of the
    /// elements in particular.
    fn is_last(&self, items: &[Item<'_>], at: usize) -> bool {
        let next = (at..items.len()).find(|next| items[*next].token.is_some());
        next.is_some_and(|next| self.opener_of(next).is_some())
    }
}

/// The walk over the items.
struct Finder<'i> {
    items: &'i [Item<'i>],
    roles: Vec<Role>,
    /// The brackets that are open.
    open: Vec<usize>,
    /// The token before.
    last: Option<usize>,
    /// Whether an operand ends with it.
    ends_operand: bool,
    /// The `|` that has opened a capture.
    capture: Option<usize>,
    /// For each level of brackets whether the parameters of a function stand before, and its body is still to come.
    bodies: Vec<bool>,
}

impl Finder<'_> {
    fn see(&mut self, at: usize, token: Token<'_>) {
        let had_operand = self.ends_operand;
        self.ends_operand =
            token.ends_operand() || matches!(token, Token::Undefined | Token::Unreachable | Token::AnyType);
        match token {
            Token::LParen => self.open_paren(at),
            Token::LBracket => {
                self.roles[at].is_prefix = !had_operand;
                self.open(at);
            }
            Token::LBrace | Token::DotBrace => {
                self.roles[at].brace = Some(self.brace_kind(token));
                self.roles[at].is_prefix = token == Token::DotBrace;
                if self.roles[at].brace == Some(BraceKind::Block) {
                    *self.bodies.last_mut().expect("the file is a level") = false;
                }
                self.open(at);
            }
            Token::RParen | Token::RBracket | Token::RBrace => self.close(at, token),
            Token::Pipe => self.pipe(at, had_operand),
            Token::Minus | Token::Star | Token::Amp | Token::Bang | Token::Tilde | Token::Dot => {
                self.roles[at].is_prefix = !had_operand;
            }
            Token::Semi => {
                let level = self.open.last().copied();
                let in_block = level.is_none_or(|open| self.roles[open].brace == Some(BraceKind::Block));
                self.roles[at].ends_statement = in_block;
                *self.bodies.last_mut().expect("the file is a level") = false;
            }
            _ => {}
        }
        self.last = Some(at);
    }

    fn token(&self, at: Option<usize>) -> Option<Token<'_>> {
        self.items[at?].token
    }

    fn open(&mut self, at: usize) {
        self.open.push(at);
        self.bodies.push(false);
        self.ends_operand = false;
    }

    fn open_paren(&mut self, at: usize) {
        use Token::*;
        let kind = match self.token(self.last) {
            Some(Switch) => ParenKind::Switch,
            Some(If | While | For | Colon | Align | LinkSection | LinkName | Enum) => ParenKind::Condition,
            Some(Fn) => ParenKind::Parameters,
            Some(Ident(_)) => {
                let before = self.last.and_then(|last| last.checked_sub(1));
                if matches!(self.token(before), Some(Fn | Task)) {
                    ParenKind::Parameters
                } else {
                    ParenKind::Operand
                }
            }
            _ => ParenKind::Operand,
        };
        self.roles[at].paren = Some(kind);
        self.open(at);
    }

    fn close(&mut self, at: usize, token: Token<'_>) {
        let Some(opener) = self.open.pop() else { return };
        self.bodies.pop();
        let of = self.roles[opener];
        self.roles[opener].closer = Some(at);
        let role = &mut self.roles[at];
        (role.opener, role.brace, role.paren) = (Some(opener), of.brace, of.paren);
        match token {
            Token::RParen => {
                self.ends_operand = of.paren == Some(ParenKind::Operand);
                if of.paren == Some(ParenKind::Parameters) {
                    *self.bodies.last_mut().expect("the file is a level") = true;
                }
            }
            Token::RBracket => {
                // The brackets of a type or of an array stand before it.
                role.is_prefix = of.is_prefix;
                self.ends_operand = !of.is_prefix;
            }
            _ if of.brace == Some(BraceKind::Block) => {
                self.ends_operand = false;
                let level = self.open.last().copied();
                let in_block = level.is_none_or(|open| self.roles[open].brace == Some(BraceKind::Block));
                self.roles[at].ends_statement = in_block && !self.goes_on_behind(at);
                self.roles[opener].is_expanded = self.has_own_lines(opener, at);
            }
            _ => {
                self.ends_operand = of.brace == Some(BraceKind::List);
                if of.brace == Some(BraceKind::List) && self.is_single(opener, at) {
                    self.roles[opener].brace = Some(BraceKind::Tight);
                    self.roles[at].brace = Some(BraceKind::Tight);
                }
                self.roles[at].ends_statement = self.is_switch_statement(opener) && !self.goes_on_behind(at);
            }
        }
    }

    /// Whether a list has one element that is no field: `.{RAMP}`.
    fn is_single(&self, opener: usize, closer: usize) -> bool {
        let inside = &self.items[opener + 1..closer];
        let is_array = matches!(self.items[opener].token, Some(Token::DotBrace))
            || matches!(self.token(opener.checked_sub(1)), Some(Token::Ident(_) | Token::RBracket));
        let is_field = matches!(inside, [dot, _, assign, ..]
            if dot.token == Some(Token::Dot) && assign.token == Some(Token::Assign));
        let mut depth = 0;
        let has_more = inside.iter().enumerate().any(|(n, item)| {
            let role = &self.roles[opener + 1 + n];
            depth += i32::from(role.closer.is_some()) - i32::from(role.opener.is_some());
            depth == 0 && item.token == Some(Token::Comma)
        });
        is_array && !is_field && !has_more
    }

    /// Whether a brace opens a `switch` that is a statement and no operand.
    fn is_switch_statement(&self, opener: usize) -> bool {
        let before = |at: usize| (0..at).rev().find(|before| self.items[*before].token.is_some());
        let closed = before(opener).filter(|closer| self.roles[*closer].paren == Some(ParenKind::Switch));
        let Some(word) = closed.and_then(|closer| self.roles[closer].opener).and_then(before) else {
            return false;
        };
        let Some(last) = before(word) else { return true };
        self.roles[last].ends_statement
            || self.roles[last].brace == Some(BraceKind::Block) && self.roles[last].opener.is_none()
            || self.roles[last].paren == Some(ParenKind::Condition)
            || self.roles[last].closes_capture
            || self.items[last].token == Some(Token::Else)
    }

    /// Whether the statement goes on behind its block.
    fn goes_on_behind(&self, at: usize) -> bool {
        let next = self.items[at + 1..].iter().find_map(|item| item.token);
        matches!(next, Some(Token::Else | Token::Semi | Token::Comma | Token::RParen))
    }

    /// Whether the statements of a block have lines of their own: the author has broken the line, or there are several.
    fn has_own_lines(&self, opener: usize, closer: usize) -> bool {
        let inside = &self.items[opener + 1..=closer];
        let statements = inside.iter().filter(|item| item.token == Some(Token::Semi)).count();
        inside.len() > 1
            && (statements > 1 || inside.iter().any(|item| item.breaks > 0 || item.token.is_none()))
    }

    fn pipe(&mut self, at: usize, had_operand: bool) {
        match self.capture.take() {
            Some(opener) => {
                self.roles[at].closes_capture = true;
                self.roles[at].of_loop = self.roles[opener].of_loop;
            }
            None if !had_operand => {
                self.roles[at].opens_capture = true;
                self.roles[at].of_loop = self.token(self.last) == Some(Token::RParen);
                self.capture = Some(at);
            }
            None => {}
        }
    }

    fn brace_kind(&self, token: Token<'_>) -> BraceKind {
        use Token::*;
        let Some(last) = self.last.filter(|_| token == LBrace) else {
            return if token == DotBrace { BraceKind::List } else { BraceKind::Block };
        };
        if self.bodies.last() == Some(&true) {
            return BraceKind::Block;
        }
        match self.items[last].token {
            Some(Pipe) if self.roles[last].closes_capture && !self.roles[last].of_loop => BraceKind::Tight,
            Some(RParen) => match self.roles[last].paren {
                Some(ParenKind::Condition) if self.is_enum(last) => BraceKind::List,
                Some(ParenKind::Condition | ParenKind::Parameters) => BraceKind::Block,
                _ => BraceKind::List,
            },
            Some(Ident(_) | RBracket | Enum | Struct | Union | DotStar) => BraceKind::List,
            _ => BraceKind::Block,
        }
    }

    /// Whether parentheses that close there belong to `enum(..)`.
    fn is_enum(&self, closer: usize) -> bool {
        let before = self.roles[closer].opener.and_then(|opener| opener.checked_sub(1));
        self.token(before) == Some(Token::Enum)
    }
}
