//! The queries fit the grammar, and say what editors ask for.

use super::{files_below, here, language, parse};
use tree_sitter::{Query, QueryCursor, StreamingIterator};
use tree_sitter_csl::pieces;

/// The texts that a query gives a name.
fn named<'t>(query: &str, text: &'t str, name: &str) -> Vec<&'t str> {
    let source = std::fs::read_to_string(here().join("queries").join(query)).expect("a query");
    let query = Query::new(&language(), &source).unwrap_or_else(|e| panic!("{query}: {e}"));
    let tree = parse(text);
    let mut cursor = QueryCursor::new();
    let mut found = cursor.captures(&query, tree.root_node(), text.as_bytes());
    let mut all = Vec::new();
    while let Some((one, at)) = found.next() {
        let capture = one.captures[*at];
        if query.capture_names()[capture.index as usize] == name {
            all.push(&text[capture.node.byte_range()]);
        }
    }
    all
}

const PROGRAM: &str = "\
param size: u16;
const SIZE: u16 = 4; // four
var data: [size]f32;
task main() void {
  outer: for (@range(u16, SIZE)) |i| {
    data[i] = m.scale(1.5, .{ .to = EAST });
    break :outer;
  }
}
";

#[test]
fn every_query_fits_the_grammar() {
    let queries = files_below(&here().join("queries"), "scm");
    assert!(queries.len() >= 6, "{queries:?}");
    for path in queries {
        let source = std::fs::read_to_string(&path).expect("text");
        Query::new(&language(), &source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

#[test]
fn words_have_the_colors_of_what_they_are() {
    let all = pieces(PROGRAM);
    let colored = |name| {
        let those = all.iter().filter(|(_, found)| *found == Some(name)).map(|(piece, _)| *piece);
        those.collect::<Vec<_>>()
    };
    assert_eq!(colored("type.builtin"), ["u16", "u16", "f32", "void", "u16"]);
    assert_eq!(colored("constant"), ["SIZE", "SIZE"]);
    assert_eq!(colored("constant.builtin"), ["EAST"]);
    assert_eq!(colored("function"), ["main"]);
    assert_eq!(colored("function.call"), ["scale"]);
    assert_eq!(colored("function.builtin"), ["@range"]);
    assert_eq!(colored("variable.parameter"), ["size"]);
    assert_eq!(colored("property"), ["to"]);
    assert_eq!(colored("label"), ["outer", "outer"]);
    assert_eq!(colored("keyword.repeat"), ["for"]);
    assert_eq!(colored("keyword"), ["param", "const", "var"]);
    assert_eq!(colored("number"), ["4"]);
    assert_eq!(colored("number.float"), ["1.5"]);
    assert_eq!(colored("comment"), ["// four"]);
    assert_eq!(colored("variable"), ["data", "size", "i", "data", "i", "m"]);
}

#[test]
fn pieces_are_the_text_whatever_is_wrong_with_it() {
    for text in
        ["", "x", "fn f( { \"\u{e4}\" ''' } const", "\u{1f600} var x = \"a\\tb // c", "// \u{e4}\r\n@"]
    {
        assert_eq!(pieces(text).iter().map(|(piece, _)| *piece).collect::<String>(), text);
    }
    let names: Vec<_> = pieces("const a = \"\\t\";").into_iter().filter_map(|(_, name)| name).collect();
    assert!(names.contains(&"string") && names.contains(&"string.escape"), "{names:?}");
}

#[test]
fn blocks_fold_and_indent_and_functions_are_tags() {
    let folds = named("folds.scm", PROGRAM, "fold");
    assert_eq!(folds.iter().filter(|text| text.starts_with("{\n")).count(), 2);
    assert_eq!(named("indents.scm", PROGRAM, "end").iter().filter(|text| **text == "}").count(), 3);
    assert_eq!(named("tags.scm", PROGRAM, "name"), ["size", "SIZE", "data", "main", "scale"]);
    assert_eq!(named("locals.scm", PROGRAM, "local.definition.function"), ["main"]);
}
