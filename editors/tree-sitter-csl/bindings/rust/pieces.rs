//! Text in colors: what pages that are built once need, such as those of a book.

use crate::{HIGHLIGHTS_QUERY, LANGUAGE};
use std::sync::OnceLock;
use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator};

fn query() -> &'static Query {
    static QUERY: OnceLock<Query> = OnceLock::new();
    let fits = "the query fits the grammar";
    QUERY.get_or_init(|| Query::new(&LANGUAGE.into(), HIGHLIGHTS_QUERY).expect(fits))
}

/// A text in pieces, each with its name in `queries/highlights.scm`, such as `keyword` or `function.call`; white space and
/// what the query does not name have none. All pieces together are the text, whatever is wrong with it.
pub fn pieces(text: &str) -> Vec<(&str, Option<&'static str>)> {
    let language: Language = LANGUAGE.into();
    let mut parser = Parser::new();
    parser.set_language(&language).expect("the library reads this version");
    let Some(tree) = parser.parse(text, None) else { return vec![(text, None)] };
    let mut names: Vec<Option<&'static str>> = vec![None; text.len()];
    let mut cursor = QueryCursor::new();
    let mut captures = cursor.captures(query(), tree.root_node(), text.as_bytes());
    // Nodes come from the outside to the inside, and the patterns of a node in their order: the last one counts.
    while let Some((found, at)) = captures.next() {
        let capture = found.captures[*at];
        names[capture.node.byte_range()].fill(Some(query().capture_names()[capture.index as usize]));
    }
    let mut all = Vec::new();
    let mut start = 0;
    for end in 1..=text.len() {
        let is_border = text.is_char_boundary(end) && names.get(end) != Some(&names[start]);
        if is_border || end == text.len() {
            all.push((&text[start..end], names[start]));
            start = end;
        }
    }
    all
}
