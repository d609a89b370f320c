//! Every form of the grammar at least once.

use super::print;
use crate::source::FileId;
use crate::syntax::parse;

/// The tree of a text without mistakes.
fn tree(text: &str) -> String {
    let parsed = parse(FileId(0), text);
    let problems: Vec<&str> = parsed.problems.iter().map(|p| p.0.title.as_str()).collect();
    assert!(problems.is_empty(), "{text}: {problems:?}");
    print::file(&parsed.file)
}

/// The text is already in the form in which trees are printed.
fn same(text: &str) {
    assert_eq!(tree(text), text);
}

/// The tree of an expression.
fn expr(text: &str) -> String {
    let tree = tree(&format!("const x = {text};"));
    tree["const x = ".len()..tree.len() - 1].to_string()
}

/// An expression that is already in the form in which trees are printed.
fn same_expr(text: &str) {
    assert_eq!(expr(text), text);
}

/// The tree of a statement.
fn stmt(text: &str) -> String {
    let tree = tree(&format!("fn f() void {{ {text} }}"));
    tree["fn f() void { ".len()..tree.len() - 2].to_string()
}

/// A statement that is already in the form in which trees are printed.
fn same_stmt(text: &str) {
    assert_eq!(stmt(text), text);
}

#[test]
fn variables_have_types_attributes_and_initializers_as_they_like() {
    same("var a;\nvar b: u16;\nconst c = 1;\nconst d: i32 = 2;\nparam p;\nparam q: color = 3;");
    same("export var e: [4]f32 = @zeros([4]f32);\nextern const g: u16;");
    same("var s: u16 align(16) linksection(\"hot\") linkname(\"sym\") = 0;");
    same("var in: u16;\nvar out = in;");
}

#[test]
fn functions_and_tasks_have_parameters_attributes_and_bodies() {
    same("fn f() void { }\ntask t(a: i16, b: u16) void { }");
    same("inline fn f(comptime T: type, x: anytype, comptime n: u16) T { return x; }");
    assert_eq!(tree("noinline fn f() void {}"), "fn f() void { }");
    assert_eq!(tree("export noinline fn noinline() void {}"), "export fn noinline() void { }");
    same("extern fn f(u16, *const f32) void;\nexport fn g(a: [2]u16) [2]u16 { return a; }");
    assert_eq!(tree("fn f(a: u16,) void {}"), "fn f(a: u16) void { }");
}

#[test]
fn attributes_of_functions_stand_on_either_side_of_the_return_type() {
    let expected = "fn f() linksection(\"s\") linkname(\"n\") void { }";
    assert_eq!(tree("fn f() linkname(\"n\") void linksection(\"s\") {}"), expected);
    assert_eq!(tree("fn f() linksection(\"s\") linkname(\"n\") void {}"), expected);
    assert_eq!(tree("fn f() void linkname(\"n\") linksection(\"s\") {}"), expected);
}

#[test]
fn top_level_blocks_may_end_with_a_semicolon() {
    assert_eq!(tree("layout { f(); }\ncomptime { g(); };"), "layout { f(); }\ncomptime { g(); }");
}

#[test]
fn a_brace_behind_a_return_type_opens_the_body() {
    same("fn f() Pair { }\nfn g() [2]Pair { }\nfn h() *mod.Pair { }\nfn i() struct {a: u16} { }");
}

#[test]
fn operators_bind_in_the_order_of_the_table() {
    let left = "(a or (b and (c == (d | (e ^ (f & (g << (h + (i * (Neg j))))))))))";
    assert_eq!(expr("a or b and c == d | e ^ f & g << h + i * -j"), left);
    let right = "(((((((((a * b) + c) << d) & e) ^ f) | g) != h) and i) or j)";
    assert_eq!(expr("a * b + c << d & e ^ f | g != h and i or j"), right);
    assert_eq!(expr("a - b - c"), "((a - b) - c)");
    assert_eq!(expr("a / b % c * d"), "(((a / b) % c) * d)");
    assert_eq!(expr("n & 1 == 0"), "((n & 1) == 0)");
    assert_eq!(expr("(a < b) == (c >= d)"), "((a < b) == (c >= d))");
    assert_eq!(expr("!a.b and ~c[0] > -d.*"), "((Not a.b) and ((BitNot c[0]) > (Neg d.*)))");
    assert_eq!(expr("comptime f(x) - 1"), "((comptime f(x)) - 1)");
    assert_eq!(expr("a <= b or a > b"), "((a <= b) or (a > b))");
    assert_eq!(expr("1 >> 2"), "(1 >> 2)");
}

#[test]
fn suffixes_apply_from_left_to_right() {
    same_expr("a.b.*[1, 2](3, x)");
    same_expr("@ptrcast([*]i32, g)[0]");
    assert_eq!(expr("&@ptrcast([*]i32, g)[0]"), "(AddressOf @ptrcast([*]i32, g)[0])");
    assert_eq!(expr("(p.*)[i,]"), "p.*[i]");
    assert_eq!(expr("f(a, b,)"), "f(a, b)");
    same_expr("@get_rectangle()");
}

#[test]
fn literals_have_their_values() {
    assert_eq!(expr("0xff"), "255");
    assert_eq!(expr("1_000.5e-1"), "100.05");
    assert_eq!(expr("'a'"), "97");
    assert_eq!(expr(r#""a\n""#), r#""a\n""#);
    same_expr("true");
    same_expr("false");
    same_expr("undefined");
    same_expr("unreachable");
}

#[test]
fn aggregates_are_structs_tuples_and_arrays() {
    same_expr(".{}");
    same_expr(".{.a = 1, .b = .{2, 3}}");
    assert_eq!(expr(".{ .a = 1, }"), ".{.a = 1}");
    assert_eq!(expr(".{ 1, 2, }"), ".{1, 2}");
    same_expr("Pair{.lo = 1}");
    same_expr("m.Pair{}");
    same_expr("[2, 2]i16{1, 2, 3, 4}");
    assert_eq!(expr("[2]u8{1, 2,}[0]"), "[2]u8{1, 2}[0]");
    same_expr("[0]u16{}");
    same_expr("[2]Pair{Pair{.a = 1}, Pair{}}");
}

#[test]
fn accesses_map_induction_variables_to_elements() {
    assert_eq!(expr(".{ .tensor_access = |i|{10} -> a[i] }"), ".{.tensor_access = |i| {10} -> a[i]}");
    assert_eq!(expr("|i,j|{m,n} -> m.buf[pos, 2*i+1, j]"), "|i, j| {m, n} -> m.buf[pos, ((2 * i) + 1), j]");
    assert_eq!(expr("a | b"), "(a | b)");
}

#[test]
fn if_expressions_reach_as_far_right_as_they_can() {
    assert_eq!(expr("if (c) 1 else 2 + 3"), "(if (c) 1 else (2 + 3))");
    assert_eq!(expr("1 + if (c) 2 else 3 * 4"), "(1 + (if (c) 2 else (3 * 4)))");
    assert_eq!(expr("if (a) 1 else if (b) 2"), "(if (a) 1 else (if (b) 2))");
    assert_eq!(expr("if (a) if (b) 1 else 2"), "(if (a) (if (b) 1 else 2))");
    assert_eq!(expr("if (a) if (b) 1 else 2 else 3"), "(if (a) (if (b) 1 else 2) else 3)");
    assert_eq!(expr("-if (a) 1 else 2"), "(Neg (if (a) 1 else 2))");
    assert_eq!(expr("if (a) {} else b: { break :b 1; }"), "(if (a) { } else b: { break :b 1; })");
    assert_eq!(expr("f(if (a) b else c, d)"), "f((if (a) b else c), d)");
}

#[test]
fn blocks_are_values() {
    assert_eq!(expr("{}"), "{ }");
    assert_eq!(expr("blk: { break :blk 1; }"), "blk: { break :blk 1; }");
    assert_eq!(expr("f(op, {}, 0)"), "f(op, { }, 0)");
    assert_eq!(expr("comptime { f(); }"), "(comptime { f(); })");
}

#[test]
fn switches_are_values() {
    assert_eq!(
        expr("switch (m) { A.a, A.b => 1, else => if (c) 2 else 3 }"),
        "switch (m) { A.a, A.b => 1, else => (if (c) 2 else 3), }"
    );
    assert_eq!(
        expr("switch (m) { 1 => x = 2, 2 => return, }"),
        "switch (m) { 1 => { x = 2; }, 2 => { return; }, }"
    );
    assert_eq!(expr("switch (m) {} + 1"), "(switch (m) { } + 1)");
}

#[test]
fn types_are_expressions() {
    for text in
        ["*u16", "*const [4]f32", "[*]f16", "[*]const u16", "[n, m]i16", "[(n * 2)]T", "*m.T", "**u16"]
    {
        same_expr(text);
        same(&format!("param p: {text};"));
    }
    same_expr("fn () void");
    same_expr("task (u16, a: i16) void");
    same_expr("*const fn (comptime T: type, anytype, T) [2]T");
    same_expr("struct {a: u16, b: *T}");
    same_expr("packed struct {a: u1}");
    same_expr("extern struct {}");
    same_expr("extern union {a: u16, b: f16}");
    same_expr("union {a: u16}");
    same_expr("packed union {a: u16}");
    same_expr("enum {a, b}");
    same_expr("enum(u16) {a, b = 4, c}");
    assert_eq!(expr("struct { a: u16, }"), "struct {a: u16}");
    assert_eq!(expr("enum(u8) { a, }"), "enum(u8) {a}");
    same("param t: task () void;\nparam f: fn ([*]u32) f32;\nparam p: anytype;");
    assert_eq!(tree("var x: if (c) A else B = 1;"), "var x: (if (c) A else B) = 1;");
}

#[test]
fn statements_declare_assign_call_and_jump() {
    same_stmt("var x: u16; const y = 1; comptime var z = 2;");
    same_stmt("x = 1; x += 1; x -= 1; x *= 1; x /= 1; x %= 1;");
    same_stmt("x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1;");
    same_stmt("f(x).* += e; @ptrcast(*f16, p).* = e; a[i, j] = 0; s.f.g = 1;");
    assert_eq!(stmt("(p.*) = e; (y.*)[i] = e;"), "p.* = e; y.*[i] = e;");
    assert_eq!(stmt("f(0) == 0;"), "(f(0) == 0);");
    assert_eq!(stmt("-f(); comptime f();"), "(Neg f()); (comptime f());");
    same_stmt("return; return x; break; break :l; break :l x; continue; continue :l;");
    assert_eq!(stmt("return if (a) 1 else 2;"), "return (if (a) 1 else 2);");
    assert_eq!(stmt("; comptime { f(); } { ; };"), "; comptime { f(); } { ; }; ;");
    assert_eq!(stmt("asm volatile (\"nop\" : : : \"r0\");"), "asm;");
}

#[test]
fn arms_of_an_if_statement_need_no_braces() {
    assert_eq!(stmt("if (c) { f(); }"), "if (c) { f(); };");
    assert_eq!(stmt("if (c) x = y;"), "if (c) x = y;");
    assert_eq!(stmt("if (c) f(a) else f(b);"), "if (c) f(a); else f(b);");
    assert_eq!(stmt("if (c) f(a); else f(b);"), "if (c) f(a); else f(b);");
    assert_eq!(stmt("if (c) x = 1 else return;"), "if (c) x = 1; else return;");
    assert_eq!(stmt("if (a) if (b) f(); else g();"), "if (a) if (b) f(); else g();");
    assert_eq!(stmt("if (a) { if (b) f(); } else g();"), "if (a) { if (b) f(); }; else g();");
    assert_eq!(stmt("if (a) {} else if (b) {} else {}"), "if (a) { }; else if (b) { }; else { };");
    assert_eq!(stmt("if (a) x = if (b) 1 else 2 else y = 3;"), "if (a) x = (if (b) 1 else 2); else y = 3;");
    assert_eq!(stmt("if (a) {} -x;"), "if (a) { }; (Neg x);");
}

#[test]
fn loops_have_labels_captures_and_steps() {
    assert_eq!(stmt("for (@range(u16, 4)) |i| { f(i); }"), "for (@range(u16, 4)) |i| { f(i); };");
    assert_eq!(stmt("l: inline for (a) |_, i| f(i);"), "l: inline for (a) |_, i| f(i);");
    assert_eq!(stmt("while (i < 4) : (i += 1) {}"), "while ((i < 4)) : i += 1; { };");
    assert_eq!(stmt("l: while (true) : (f()) break :l;"), "l: while (true) : f(); break :l;");
    assert_eq!(stmt("inline while (c) if (d) f() else g();"), "inline while (c) if (d) f(); else g();");
    assert_eq!(stmt("if (c) for (a) |e| f(e); else g();"), "if (c) for (a) |e| f(e); else g();");
    assert_eq!(stmt("comptime while (c) f();"), "comptime { while (c) f(); }");
    assert_eq!(stmt("l: { break :l; }"), "l: { break :l; };");
}

#[test]
fn switch_statements_have_all_kinds_of_prongs() {
    assert_eq!(
        stmt(
            "switch (x) { 0 => f(), 1, 2 => { g(); }, 3 => x = 4, 4 => return, 5 => for (a) |e| { f(e); }, else => {} }"
        ),
        "switch (x) { 0 => f();, 1, 2 => { g(); };, 3 => x = 4;, 4 => return;, \
         5 => for (a) |e| { f(e); };, else => { };, }"
    );
    assert_eq!(
        stmt("switch (x) { else => if (a) f() else g() }"),
        "switch (x) { else => if (a) f(); else g();, }"
    );
}

#[test]
fn comments_and_white_space_mean_nothing() {
    assert_eq!(tree("\u{feff}//! doc\r\n/// doc \u{e4}\n\tvar x; // end"), "var x;");
    assert_eq!(tree(""), "");
}

#[test]
fn spans_cover_what_was_written() {
    let text = "const x = (a + b) * f(c).d;";
    let parsed = parse(FileId(3), text);
    let spans: Vec<&str> =
        parsed.file.exprs.iter().map(|e| &text[e.span.lo as usize..e.span.hi as usize]).collect();
    assert_eq!(spans, ["a", "b", "(a + b)", "f", "c", "f(c)", "f(c).d", "(a + b) * f(c).d"]);
    assert!(parsed.file.exprs.iter().all(|e| e.span.file == FileId(3)));
}
