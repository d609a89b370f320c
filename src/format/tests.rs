use super::{format, formatted, same_tokens};
use crate::source::FileId;
use std::path::Path;

/// The layout of a text; formatted once more it stays the same.
fn layout(text: &str) -> String {
    let once = format(text);
    assert!(same_tokens(text, &once), "{text}\n became\n{once}");
    assert_eq!(format(&once), once, "the layout of\n{text}");
    once
}

fn files(folder: &Path, all: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "csl") {
            all.push(std::fs::read_to_string(&path).expect("a text"));
        }
    }
}

#[test]
fn no_file_loses_a_token_and_none_changes_twice() {
    let mut all = Vec::new();
    for folder in ["tests/cases", "examples", "docs", "src", "benches"] {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut all);
    }
    all.retain(|text| formatted(FileId(0), text).is_ok());
    assert!(all.len() > 1000, "{} files", all.len());
    all.iter().for_each(|text| drop(layout(text)));
}

#[test]
fn statements_have_lines_of_their_own_and_short_blocks_one() {
    let text = "task t()void\n{g(  );h(1 ,2);}fn f(a:*u16)u16{return a.*;}\n\n\n\nlayout{}\n";
    insta::assert_snapshot!(layout(text), @r"
    task t() void {
      g();
      h(1, 2);
    }
    fn f(a: *u16) u16 { return a.*; }

    layout {}
    ");
}

#[test]
fn operators_have_spaces_unless_they_stand_before_their_operand() {
    let text = "const a=-b* -c-(~d&e);const p:[*]const u16=&x;const q=*u16;const v=p.*[i]*y[j].*;";
    insta::assert_snapshot!(layout(text), @r"
    const a = -b * -c - (~d & e);
    const p: [*]const u16 = &x;
    const q = *u16;
    const v = p.*[i] * y[j].*;
    ");
}

#[test]
fn braces_are_told_from_each_other() {
    let text = "const d=@get_dsd(mem1d_dsd,.{.tensor_access=|i,j|{n , 4}->y[i+2*j]});
const r=.{.rx=.{ RAMP },.tx=.{EAST,WEST}};var y=[2]u16{1,2};const E=enum(u16){A,B};
fn f()void{for(y)|v,i|{g(v);}while(a<b):(a+=1){}
switch(a){1=>{g();},2,3=>h(),else=>{}}g();}";
    insta::assert_snapshot!(layout(text), @r"
    const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i, j|{n, 4} -> y[i + 2 * j] });
    const r = .{ .rx = .{RAMP}, .tx = .{ EAST, WEST } };
    var y = [2]u16{ 1, 2 };
    const E = enum(u16) { A, B };
    fn f() void {
      for (y) |v, i| { g(v); }
      while (a < b) : (a += 1) {}
      switch (a) { 1 => { g(); }, 2, 3 => h(), else => {} }
      g();
    }
    ");
}

#[test]
fn lines_stay_where_the_author_has_ended_them() {
    let text = "fn f(a: u16,
b: u16) u16 {
if (a == b and
b > 1) { return 1;
}
else if (a > b) { return 2; }
  else { return 3; }
g(.{
.a = 1, // one
// two

.b = 2
}, 3);
const x =
a +
b;
}
";
    insta::assert_snapshot!(layout(text), @r"
    fn f(a: u16,
        b: u16) u16 {
      if (a == b and
            b > 1) {
        return 1;
      } else if (a > b) { return 2; }
      else { return 3; }
      g(.{
        .a = 1,  // one
        // two

        .b = 2
      }, 3);
      const x =
        a +
        b;
    }
    ");
}

#[test]
fn a_comment_in_front_of_a_bracket_that_closes_stands_like_an_element() {
    let text = "fn f(
a: u16
// parameters
) void {
const s = .{
.b = .{
.c = 2
// inner
// and more
}
// field
};
const t = [2]u16{
1, 2,
3
// array
};
switch (a) {
0 => g(),
else => {
g();
// block
}
// prong
}
if (a > 1) {
if (a > 2) {
g();
}
// outer
}
g(
1
// argument
);
// function
}
const E = enum(u16) {
A, B
// enum
};
layout {
@set_tile_code(0, 0, \"a.csl\", .{
.x = 1 + // goes on
2
// params
});
// layout
}
// file";
    insta::assert_snapshot!(layout(text), @r#"
    fn f(
      a: u16
      // parameters
    ) void {
      const s = .{
        .b = .{
          .c = 2
          // inner
          // and more
        }
        // field
      };
      const t = [2]u16{
        1, 2,
        3
        // array
      };
      switch (a) {
        0 => g(),
        else => {
          g();
          // block
        }
        // prong
      }
      if (a > 1) {
        if (a > 2) {
          g();
        }
        // outer
      }
      g(
        1
        // argument
      );
      // function
    }
    const E = enum(u16) {
      A, B
      // enum
    };
    layout {
      @set_tile_code(0, 0, "a.csl", .{
        .x = 1 +  // goes on
          2
        // params
      });
      // layout
    }
    // file
    "#);
}

#[test]
fn a_text_of_blanks_is_empty() {
    assert_eq!(layout("  \n\n\t"), "");
    assert_eq!(layout("\n\n// only a comment"), "// only a comment\n");
}
