//! Both parsers read all programs of the repository in the same way, as far as their names show.

use super::{file, files_below, here, language, parse};
use cslrun::DeclarationKind::{self, *};
use std::collections::BTreeSet;
use tree_sitter::{Query, QueryCursor, StreamingIterator};

/// The declarations of a tree. Names in the type of a function declare nothing.
const DECLARATIONS: &str = "
(variable_declaration name: (identifier) @Var)
(constant_declaration name: (identifier) @Const)
(param_declaration name: (identifier) @Param)
(function_declaration name: (identifier) @Function)
(task_declaration name: (identifier) @Task)
(function_declaration (parameters (parameter name: (identifier) @Argument)))
(task_declaration (parameters (parameter name: (identifier) @Argument)))
(for_statement item: (identifier) @Item)
(for_statement index: (identifier) @Item)
(tensor_access variable: (identifier) @Item)
(label (identifier) @Label)
(field_declaration name: (field_identifier) @Field)
(enum_member name: (field_identifier) @Member)
";

/// A kind, the name in the text, and whether it stands at the top level.
type Name = (String, u32, u32, bool);

/// `None` if the text has a syntax error.
fn names_of_cslrun(text: &str) -> Option<BTreeSet<Name>> {
    let index = cslrun::index(text);
    let listed = index.declarations.iter().map(|d| (format!("{:?}", d.kind), d.at.0, d.at.1, d.is_global));
    index.is_whole.then(|| listed.collect())
}

fn names_of_the_tree(text: &str) -> BTreeSet<Name> {
    let tree = parse(text);
    let query = Query::new(&language(), DECLARATIONS).expect("a query");
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut all = BTreeSet::new();
    while let Some(found) = matches.next() {
        for capture in found.captures {
            let kind = query.capture_names()[capture.index as usize];
            let holder = capture.node.parent().and_then(|declaration| declaration.parent());
            let is_global = has_globals(kind) && holder.is_some_and(|node| node.kind() == "source_file");
            let (lo, hi) = (capture.node.start_byte() as u32, capture.node.end_byte() as u32);
            all.insert((kind.to_string(), lo, hi, is_global));
        }
    }
    all
}

fn has_globals(kind: &str) -> bool {
    let globals: [DeclarationKind; 5] = [Var, Const, Param, Function, Task];
    globals.iter().any(|global| format!("{global:?}") == kind)
}

#[test]
fn programs_without_a_syntax_error_have_the_same_names_in_both_trees() {
    let (mut programs, mut names) = (0, 0);
    for path in files_below(&here().join("../.."), "csl") {
        // Some cases are about files that are not text.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some(ours) = names_of_cslrun(&text) else { continue };
        assert!(!parse(&text).root_node().has_error(), "{} has an error", path.display());
        let theirs = names_of_the_tree(&text);
        let only_here: Vec<_> = ours.symmetric_difference(&theirs).collect();
        assert!(only_here.is_empty(), "{}: in one tree only: {only_here:?}", path.display());
        programs += 1;
        names += ours.len();
    }
    assert!(programs > 1000 && names > 5000, "{programs} programs with {names} names");
}

/// Parts of the grammar that no program of the repository is sure to use.
#[test]
fn rare_syntax_is_read_by_both() {
    let texts = [
        "extern const a: u32; extern fn f(i16, *const f32) void linkname(\"g\");",
        "inline fn f(comptime a: u16, b: fn (x: i16) void) u16 align(2) { return a; }",
        "noinline fn noinline() u16 { const a = 1; return a; } export noinline fn g() void { noinline(); }",
        "fn f() void { comptime a: while (true) : (f()) { break :a; } }",
        "fn f() m.T(2)[3].* { if (a) if (b) x = 1 else y = 2; }",
        "const a = packed struct { x: enum (u8) { one, two = 2, }, }; ;;",
        "const a = switch (b) { 1, 2 => c: { break :c 3; }, else => for (d) |e, g| {} };",
        "const a = |i, j|{ 2, 3, } -> b.c[i, j]; const d = -~!&e.*;",
        "fn f() void { asm volatile (\"a)\" : : [x] \"r\" (b(1)) ); comptime -f(); }",
        "\u{feff}const a = [2, 2,]f32{ 1.0, 2e+3, } ; var b: [*]const task () void = undefined;",
    ];
    for text in texts {
        assert!(cslrun::syntax_errors(text).is_empty(), "{text}: {:?}", cslrun::syntax_errors(text));
        assert!(!parse(text).root_node().has_error(), "{text}: {}", parse(text).root_node().to_sexp());
        assert_eq!(names_of_cslrun(text), Some(names_of_the_tree(text)), "{text}");
    }
}

#[test]
fn a_syntax_error_leaves_the_declarations_around_it() {
    let text = file("editors/tree-sitter-csl/test/corpus/mistakes.txt");
    let program = text.split("\n\n").nth(1).expect("a program");
    assert_eq!(names_of_cslrun(program), None);
    let globals: Vec<String> = names_of_the_tree(program)
        .into_iter()
        .filter(|(_, _, _, is_global)| *is_global)
        .map(|(kind, lo, hi, _)| format!("{kind} {}", &program[lo as usize..hi as usize]))
        .collect();
    assert_eq!(globals, ["Const z", "Function f", "Var x"]);
}
