//! Tokens and comments, with the line ends between them.

use crate::syntax::Token;
use logos::Logos;

/// A token or a comment.
pub struct Item<'t> {
    /// `None` for a comment.
    pub token: Option<Token<'t>>,
    /// As it is written; a comment without the blanks at its end.
    pub text: &'t str,
    /// Line ends between this and the item before.
    pub breaks: usize,
}

/// The items of a text, in order.
pub fn items(text: &str) -> Vec<Item<'_>> {
    let mut items = Vec::with_capacity(text.len() / 4);
    let (mut lexer, mut end) = (Token::lexer(text), 0);
    while let Some(token) = lexer.next() {
        let span = lexer.span();
        let breaks = comments(&text[end..span.start], &mut items);
        // What is no token is kept as it is: such a text is not formatted in the end.
        items.push(Item { token: Some(token.unwrap_or(Token::Broken)), text: lexer.slice(), breaks });
        end = span.end;
    }
    comments(&text[end..], &mut items);
    items
}

/// Adds the comments of what lies between two tokens; gives the number of line ends behind the last one.
fn comments<'t>(between: &'t str, items: &mut Vec<Item<'t>>) -> usize {
    let mut breaks = 0;
    for (n, line) in between.split('\n').enumerate() {
        breaks += usize::from(n > 0);
        if let Some(start) = line.find("//") {
            items.push(Item { token: None, text: line[start..].trim_end(), breaks });
            breaks = 0;
        }
    }
    breaks
}
