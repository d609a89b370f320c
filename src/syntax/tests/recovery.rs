//! What is said about mistakes, and how parsing goes on.

use super::print;
use crate::source::{FileId, SourceMap};
use crate::syntax::parse;

/// `line:column title` of every problem of a text.
fn problems(text: &str) -> Vec<String> {
    let mut map = SourceMap::default();
    let id = map.add("a.csl", text);
    let show = |span| map.describe(span)["a.csl:".len()..].to_string();
    let parsed = parse(id, text);
    let place = |p: &crate::diagnostics::Diag| p.0.primary.as_ref().map(|label| show(label.span));
    parsed.problems.iter().map(|p| format!("{} {}", place(p).expect("a place"), p.0.title)).collect()
}

/// The help of the only problem of a text.
fn help(text: &str) -> String {
    let mut parsed = parse(FileId(0), text);
    let titles: Vec<&str> = parsed.problems.iter().map(|p| p.0.title.as_str()).collect();
    assert_eq!(titles.len(), 1, "{text}: {titles:?}");
    parsed.problems.remove(0).0.help.unwrap_or_default()
}

fn tree(text: &str) -> String {
    print::file(&parse(FileId(0), text).file)
}

#[test]
fn two_mistakes_in_one_function_are_both_reported() {
    let text = "fn f() void {\n  x = ;\n  y = 1;\n  g(1 2);\n  z = 2;\n}\nvar w;";
    assert_eq!(
        problems(text),
        ["2:7 expected an expression, found `;`", "4:7 expected `,` or `)`, found `2`"]
    );
    assert_eq!(tree(text), "fn f() void { ERROR; y = 1; ERROR; z = 2; }\nvar w;");
}

#[test]
fn a_change_is_only_offered_if_the_parser_gets_past_the_line_with_it() {
    assert_eq!(help("fn f() void {\n  n = (n + 1));\n}"), "remove this `)`");
    assert_eq!(help("fn twice(x: u16 u16 {\n  return 2 * x;\n}"), "write `)` here");
    assert_eq!(help("const n == 4;"), "write `=` instead of `==`");
    assert_eq!(help("const c = f(1; 2);"), "write `,` instead of `;`");
    assert_eq!(
        help("fn f() void {\n  n = a b c;\n}"),
        "the value ends in front of `b`: write an operator or `;` there"
    );
}

#[test]
fn values_in_braces_are_one_mistake() {
    for text in ["const a: [2]u16 = { 1, 2 };", "fn f() void {\n  g({ 1, 2 }, { 3, 4 });\n}"] {
        assert_eq!(problems(text).len(), 1, "{text}");
    }
    assert_eq!(tree("fn f() void {\n  a = { 1, 2 };\n  b = 3;\n}"), "fn f() void { ERROR; b = 3; }");
}

#[test]
fn a_missing_brace_of_a_function_does_not_hide_its_statements() {
    assert_eq!(tree("fn f() void\n  n = 1;\n}\nvar n;"), "fn f() void { n = 1; }\nvar n;");
}

#[test]
fn a_word_of_another_language_may_be_the_last_of_a_file() {
    for text in ["comptime {not\n", "const a = not"] {
        assert_eq!(problems(text), ["1:11 `not` is not part of CSL"], "{text}");
    }
}

#[test]
fn mistakes_in_two_declarations_are_both_reported() {
    let text = "var 1;\nconst a = 2;\nfn f( void {}\nparam p\n: u16 = ;\nvar b;";
    assert_eq!(
        problems(text),
        [
            "1:5 expected a name, found `1`",
            "3:12 expected `,` or `)`, found `{`",
            "5:9 expected an expression, found `;`"
        ]
    );
    assert_eq!(tree(text), "const a = 2;\nvar b;");
}

#[test]
fn a_missing_semicolon_is_shown_behind_the_line_that_lacks_it() {
    let text = "const a = 1\nfn f() void {\n  x = 2 // here\n  y = 3\n}";
    assert_eq!(
        problems(text),
        ["1:12 expected `;`, found `fn`", "3:8 expected `;`, found `y`", "4:8 expected `;`, found `}`"]
    );
    assert_eq!(tree(text), "const a = 1;\nfn f() void { x = 2; y = 3; }");
}

#[test]
fn a_missing_bracket_or_comma_is_put_in() {
    let text = "const a = f(1;\nconst b = c[1;\nconst d = .{ .x = 1\n .y = 2 };\nconst e = .{ 1\n 2 };";
    assert_eq!(
        problems(text),
        [
            "1:14 expected `,` or `)`, found `;`",
            "2:14 expected `,` or `]`, found `;`",
            "3:20 expected `,` or `}`, found `.y`",
            "5:15 expected `,` or `}`, found `2`",
        ]
    );
    assert_eq!(
        tree(text),
        "const a = f(1);\nconst b = c[1];\nconst d = .{.x = 1, .y = 2};\nconst e = .{1, 2};"
    );
}

#[test]
fn a_missing_brace_costs_one_diagnostic() {
    let text = "fn f() void {\n  if (a) {\n    b();\n}\nfn g() void {}\nlayout {\n  h();";
    assert_eq!(
        problems(text),
        ["5:1 expected `}`, found `fn`", "7:7 expected `}`, found the end of the file"]
    );
    assert_eq!(tree(text), "fn f() void { if (a) { b(); }; }\nfn g() void { }\nlayout { h(); }");
}

#[test]
fn the_end_of_the_file_is_one_problem() {
    assert_eq!(problems("fn f() void { if (a) "), ["1:21 expected a statement, found the end of the file"]);
    assert_eq!(problems("fn f() void { g("), ["1:17 expected an expression, found the end of the file"]);
    assert_eq!(problems("const a"), ["1:8 expected `=` or `;`, found the end of the file"]);
}

#[test]
fn a_brace_too_many_costs_one_diagnostic() {
    let text = "fn f() void { a(); } }\nvar b;";
    assert_eq!(problems(text), ["1:22 expected a declaration, found `}`"]);
    assert_eq!(tree(text), "fn f() void { a(); }\nvar b;");
    let text = "fn f() void {\n  a(); }\n  b();\n  c();\n}\nvar d;";
    assert_eq!(problems(text), ["3:3 expected a declaration, found `b`"]);
    assert_eq!(tree(text), "fn f() void { a(); }\nvar d;");
    assert_eq!(problems("color a;\ncolor b;\n").len(), 2);
}

#[test]
fn a_broken_head_does_not_break_its_block() {
    let text = "fn f() void {\n  while a < b {\n    c();\n  }\n  d() e;\n}";
    assert_eq!(problems(text), ["2:9 expected `(`, found `a`", "5:7 expected `=` or `;`, found `e`"]);
    assert_eq!(tree(text), "fn f() void { ERROR; ERROR; }");
}

#[test]
fn expectations_name_what_belongs_there() {
    assert_eq!(problems("var x: = 1;"), ["1:8 expected a type, found `=`"]);
    assert_eq!(problems("fn f(1) void {}"), Vec::<String>::new());
    assert_eq!(problems("fn f(/) void {}"), ["1:6 expected a parameter, found `/`"]);
    assert_eq!(problems("fn f() {}"), ["1:8 expected a type, found `{`"]);
    assert_eq!(problems("x();"), ["1:1 expected a declaration, found `x`"]);
    assert_eq!(problems("fn f() void { else {} }"), ["1:15 expected a statement, found `else`"]);
    assert_eq!(problems("const s = struct { a u16 };"), ["1:22 expected `:`, found `u16`"]);
    assert_eq!(problems("fn f() void { switch (x) { 1 f() } }"), ["1:30 expected `,` or `=>`, found `f`"]);
    assert_eq!(problems("fn f() void { for (x) { } }"), ["1:23 expected `|`, found `{`"]);
    assert_eq!(problems("const a = @zeros;"), ["1:17 expected `(`, found `;`"]);
    assert_eq!(problems("fn f() void;"), ["1:1 expected a body, found `;`"]);
    assert_eq!(
        problems("const a = |i|{4} -> b;"),
        ["1:21 expected an element such as `A[i]` after `->`, found something else"]
    );
}

#[test]
fn frequent_mistakes_come_with_help() {
    assert!(help("fn f() {}").contains("write the return type"));
    assert!(help("fn f() -> u16 {}").contains("without an arrow"));
    assert!(help("param p: []u16;").contains("no slices"));
    assert!(help("fn f() void { if (a = b) {} }").contains("`==` to compare"));
    assert!(help("fn f() void { *p = 1; }").contains("`p.* = ..`"));
    assert!(help("fn f() void { fn g() void {} }").contains("top level"));
    assert!(help("fn f() void { param x: u16; }").contains("top level"));
    assert!(help("var param = 1;").contains("is a word of CSL"));
    assert!(help("const x = .name;").contains("`Enum.member`"));
    assert!(help("const x = .5;").contains("both sides"));
    assert!(help("const x = 1.;").contains("both sides"));
    assert!(help("fn f() void { if x {} }").contains("parentheses"));
    assert!(help("fn f() void { for (a) { b(); } }").contains("name the element"));
    assert!(help("pub fn f() void {}").contains("visible"));
    assert!(help("color c;").contains("param c: color;"));
    assert!(help("const a = 1 < 2 < 3;").contains("`and`"));
}

#[test]
fn operators_of_other_languages_are_named() {
    for (text, title) in [
        ("const a = b ++ c;", "`++` is not part of CSL"),
        ("fn f() void { i++; }", "`++` is not part of CSL"),
        ("const a = b +% c;", "`+%` is not part of CSL"),
        ("const a = b ** 2;", "`**` is not part of CSL"),
        ("const a = b && c;", "`&&` is not part of CSL"),
        ("const a = b || c;", "`||` is not part of CSL"),
        ("param a: ?u16;", "`?` is not part of CSL"),
        ("const a = b ? c : d;", "`?` is not part of CSL"),
        ("const a = switch (x) { 1...3 => 1 };", "`...` is not part of CSL"),
        ("/* a\n b */ var c;", "`/*` is not part of CSL"),
        ("color c;", "`color c;` is not part of CSL"),
    ] {
        let parsed = parse(FileId(0), text);
        let titles: Vec<&str> = parsed.problems.iter().map(|p| p.0.title.as_str()).collect();
        assert_eq!(titles, [title], "{text}");
        assert!(parsed.problems[0].0.help.is_some(), "{text}");
    }
}

#[test]
fn a_bad_literal_or_character_is_reported_once() {
    assert_eq!(
        problems(
            "const a = 0b2;\nconst b = \"x;\nconst c = 1 $ 2;\nconst d = 'ab';\nconst e = \u{e4}\u{f6};"
        ),
        [
            "1:11 `2` is not a binary digit",
            "2:11 this string does not end on its line",
            "3:13 `$` has no meaning in CSL",
            "4:11 a character literal holds one character",
            "5:11 `\u{e4}` has no meaning in CSL",
        ]
    );
}

#[test]
fn problems_are_limited() {
    assert_eq!(problems(&"var = 1;\n".repeat(100)).len(), 20);
    assert_eq!(problems(&"$ ".repeat(100)).len(), 20);
}
