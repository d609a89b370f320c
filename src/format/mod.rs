//! One way to write CSL: the layout of `cslrun fmt`.
//!
//! In: the text of a file without syntax errors. Out: the same tokens and comments, in other lines and with other spaces.
//! Never: changes, adds or removes a token or a comment, or reads a tree.
//!
//! It works on the list of tokens with what stands between them, and not on the tree: comments and blank lines have a
//! place in the list, and that nothing is lost can be checked by comparing two lists. The author decides where lines
//! break inside of brackets and expressions; statements and blocks have lines of their own, indentation and spaces follow
//! from the tokens. The result of formatting it again is the same.

mod items;
mod roles;
mod spaces;

use crate::diagnostics::Diagnostic;
use crate::source::FileId;
use crate::syntax::{self, Token};
use items::{Item, items};
use roles::{BraceKind, Roles};

/// Columns of one level.
const LEVEL: usize = 2;

/// The text of a file in the one layout of CSL: what `cslrun fmt` writes. Tokens and comments stay as they are.
///
/// # Errors
/// The syntax errors of the text; spans in them are of `file`.
///
/// ```
/// let text = "param n:u16;task main( )void{x=n+1;}";
/// assert_eq!(cslrun::formatted(cslrun::FileId(0), text).unwrap(), "param n: u16;\ntask main() void { x = n + 1; }\n");
/// ```
pub fn formatted(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let problems = syntax::parse(file, text).problems;
    if !problems.is_empty() {
        return Err(problems.into_iter().map(Diagnostic::from).collect());
    }
    let result = format(text);
    assert!(same_tokens(text, &result), "the layout must keep all tokens and comments");
    Ok(result)
}

/// The text in its one layout. It must have no syntax errors: of other texts only the tokens are sure to survive.
fn format(text: &str) -> String {
    let items = items(text);
    let roles = Roles::of(&items);
    let mut lines = Lines {
        items: &items,
        roles: &roles,
        out: String::with_capacity(text.len()),
        indent: 0,
        start: 0,
        open: Vec::new(),
    };
    for at in 0..items.len() {
        lines.put(at);
    }
    if !lines.out.is_empty() {
        lines.out.push('\n');
    }
    lines.out
}

/// Whether two texts have the same tokens and comments in the same order.
fn same_tokens(a: &str, b: &str) -> bool {
    let (a, b) = (items(a), items(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.text == b.text)
}

/// A bracket that is open.
struct Open {
    /// Its place among the items.
    at: usize,
    /// Columns before the line that its content is a level deeper than.
    indent: usize,
    /// Columns before the line in which the current statement or element inside of it began.
    start: usize,
}

/// The text so far, and where it is.
struct Lines<'i> {
    items: &'i [Item<'i>],
    roles: &'i Roles,
    out: String,
    /// Columns before the first character of the current line.
    indent: usize,
    /// Columns before the line in which the current declaration began.
    start: usize,
    open: Vec<Open>,
}

impl Lines<'_> {
    fn put(&mut self, at: usize) {
        let item = &self.items[at];
        let breaks = if at == 0 { 0 } else { self.breaks(at) };
        let closes = self.roles.opener_of(at).is_some();
        if at > 0 && breaks > 0 {
            self.indent = self.indent_of(at);
            self.out.push_str(if breaks > 1 { "\n\n" } else { "\n" });
            self.out.extend(std::iter::repeat_n(' ', self.indent));
        } else if at > 0 {
            self.out.push_str(spaces::between(self.items, self.roles, at));
        }
        self.out.push_str(item.text);
        if closes {
            self.open.pop();
            return;
        }
        if !self.roles.goes_on(self.items, at, self.open.last().map(|open| open.at)) {
            *self.start() = self.indent;
        }
        if self.roles.closer_of(at).is_some() {
            // The body of a function lies a level deeper than the function, wherever its parameters have ended.
            let is_block = self.roles.brace(at) == Some(BraceKind::Block);
            let indent = if is_block { *self.start() } else { self.indent };
            self.open.push(Open { at, indent, start: indent });
        }
    }

    /// Where the current statement or element of the innermost bracket began.
    fn start(&mut self) -> &mut usize {
        self.open.last_mut().map_or(&mut self.start, |open| &mut open.start)
    }

    /// How many line ends stand before an item: none, one, or two for a blank line.
    fn breaks(&self, at: usize) -> usize {
        let (item, before) = (&self.items[at], &self.items[at - 1]);
        let written = item.breaks.min(2);
        let (Some(token), Some(last)) = (item.token, before.token) else {
            // A comment ends its line, and what stands first in a block or behind an open bracket has no blank line.
            let is_first = self.roles.closer_of(at - 1).is_some();
            let is_last = self.roles.opener_of(at).is_some();
            return if is_first || is_last { written.min(1) } else { written };
        };
        if let Some(opener) = self.roles.opener_of(at) {
            return usize::from(self.closes_on_own_line(opener, at));
        }
        if self.roles.closer_of(at - 1).is_some() {
            return usize::from(self.roles.is_expanded(at - 1) || written > 0);
        }
        match token {
            Token::Semi | Token::Comma => return 0,
            Token::LBrace if self.roles.brace(at) == Some(BraceKind::Block) && last != Token::Semi => {
                let starts = self.in_block() && self.roles.ends_statement(at - 1);
                return if starts { written.max(1) } else { 0 };
            }
            Token::Else if last == Token::RBrace => {
                // Short blocks may stand one below the other.
                let is_expanded =
                    self.roles.opener_of(at - 1).is_some_and(|opener| self.roles.is_expanded(opener));
                return if is_expanded { 0 } else { written.min(1) };
            }
            _ => {}
        }
        let ends = self.in_block() && self.roles.ends_statement(at - 1);
        if ends { written.max(1) } else { written }
    }

    /// Whether a bracket closes at the beginning of a line.
    fn closes_on_own_line(&self, opener: usize, closer: usize) -> bool {
        let is_broken = self.roles.is_expanded(opener) || self.is_broken_behind(opener);
        opener + 1 < closer && (is_broken || self.items[closer].breaks > 0)
    }

    /// Whether the author has ended the line behind an open bracket.
    fn is_broken_behind(&self, opener: usize) -> bool {
        self.items.get(opener + 1).is_some_and(|item| item.breaks > 0 || item.token.is_none())
    }

    /// Whether the innermost open bracket holds statements that have lines of their own; so does the file.
    fn in_block(&self) -> bool {
        self.open.last().is_none_or(|open| {
            self.roles.brace(open.at) == Some(BraceKind::Block) && self.roles.is_expanded(open.at)
        })
    }

    /// Columns before an item that begins a line.
    fn indent_of(&self, at: usize) -> usize {
        if self.roles.opener_of(at).is_some() {
            // The brackets that close together in front of the line: the last one tells where it began.
            let closing = (at..self.items.len()).take_while(|next| {
                let opener = self.roles.opener_of(*next);
                opener.is_some_and(|opener| *next == at || !self.closes_on_own_line(opener, *next))
            });
            let depth = self.open.len().saturating_sub(closing.count());
            return self.open.get(depth).map_or(0, |open| open.indent);
        }
        let inside = self.open.last().map_or(0, |open| {
            // What goes on behind `f(a,` is told from the body that may follow.
            let is_broken = self.roles.is_expanded(open.at) || self.is_broken_behind(open.at);
            open.indent + if is_broken { LEVEL } else { 2 * LEVEL }
        });
        let goes_on = self.roles.goes_on(self.items, at, self.open.last().map(|open| open.at));
        inside + if goes_on { LEVEL } else { 0 }
    }
}

#[cfg(test)]
mod tests;
