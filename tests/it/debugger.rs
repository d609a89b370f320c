//! `cslrun debug` with commands from a file.

use crate::cli::{Folder, answers};

/// Tiles that differ in a parameter, and are made from one template.
const LAYOUT: &str = "layout {\n  @set_rectangle(12, 1);\n  for (@range(u16, 12)) |i| {\n    \
                      @set_tile_code(i, 0, \"pt.csl\", .{ .x = i });\n  }\n}\n";
const TILE: &str = "param x: u16;\nconst next = x + 1;\nvar y: u16 = 0;\nvar m: [2, 3]u16 = @zeros([2, 3]u16);\n\
                    task main() void {\n  y = x;\n  m[1, 2] = next;\n  @assert(y == x);\n}\ncomptime {\n  \
                    @bind_local_task(main, @get_local_task_id(8));\n  @activate(@get_local_task_id(8));\n}\n";

fn folder(name: &str) -> Folder {
    let folder = Folder::with(name, "pl.csl", LAYOUT);
    folder.write("pt.csl", TILE);
    folder
}

fn debugged(name: &str, commands: &str) -> String {
    let folder = folder(name);
    folder.write("commands", commands);
    let output = folder.cslrun("debug --commands commands pl.csl");
    answers(&output, 0, &[]);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn shows(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
}

#[test]
fn a_parameter_has_the_value_of_the_pe() {
    let text = debugged(
        "debug-param",
        "pe 7 0\nbreak pt.csl:8 if x == 7\nc\nprint x\nprint y\nprint next\nprint next * 2\ninfo comptime\npe 3 0\nprint next\n",
    );
    shows(&text, &["PE(7,0), cycle", "x = 7\n", "y = 7\n", "next = 8\n", "next * 2 = 16\n", "next = 4\n"]);
}

#[test]
fn a_breakpoint_stops_in_each_expansion_of_an_inline_function() {
    let text = "var n: u16 = 1;\ninline fn double() void {\n  n *= 2;\n}\n\
                task main() void {\n  n += 1;\n  double();\n  n += 3;\n  double();\n}\ncomptime {\n  \
                @bind_local_task(main, @get_local_task_id(8));\n  @activate(@get_local_task_id(8));\n}\n";
    let folder = Folder::with("debug-inline", "a.csl", text);
    folder.write("commands", "break double\nc\nprint n\nc\nprint n\nc\n");
    let output = folder.cslrun("debug --commands commands a.csl");
    answers(&output, 0, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    shows(&text, &["`double` begins", "n = 2\n", "n = 7\n"]);
}

#[test]
fn a_condition_without_a_value_is_refused_or_stops_the_run_with_the_reason() {
    let text = debugged("debug-condition", "break main if zzz == 3\nbreak main if m[5][0] == 1\nc\n");
    shows(
        &text,
        &["the program has no variable `zzz`\n", "the condition of breakpoint 1 has no value: `m` has 2"],
    );
}

#[test]
fn elements_lines_and_colors_are_written_as_in_csl() {
    let commands = "break pt.csl:8\nc\nprint m[1, 2]\nprint 1 / 0\nbreak color 99\nlist pl.csl:2\n";
    let text = debugged("debug-words", commands);
    let words = ["m[1, 2] = 1\n", "nothing can be divided by 0\n", "`99` is not a color: they are 0 to 23\n"];
    shows(&text, &words);
    shows(&text, &["    2    @set_rectangle(12, 1);\n"]);
}

#[test]
fn options_without_effect_are_refused() {
    let folder = folder("debug-options");
    for option in [
        "--schedule s.txt",
        "--seeds 1..3",
        "--trace",
        "--report a.html",
        "--message-format json",
        "--cycles off",
        "--threads 1",
    ] {
        let output = folder.cslrun(&format!("debug pl.csl {option}"));
        answers(&output, 2, &["is an option of `cslrun run` and not of `cslrun debug`"]);
    }
}

#[test]
fn the_members_of_an_enum_are_shown_by_name() {
    let text = "const Mode = enum(u16) { idle, busy = 7 };\nvar mode: Mode = Mode.idle;\n\
                var all = [2]Mode{ Mode.busy, Mode.idle };\ntask main() void {\n  mode = Mode.busy;\n  \
                @assert(all[0] == Mode.busy);\n}\ncomptime {\n  @bind_local_task(main, @get_local_task_id(8));\n  \
                @activate(@get_local_task_id(8));\n}\n";
    let folder = Folder::with("debug-enum", "a.csl", text);
    folder.write("commands", "break a.csl:6 if mode == 7\nc\nprint mode\nprint all\nprint all[1]\n");
    let output = folder.cslrun("debug --commands commands a.csl");
    answers(&output, 0, &[]);
    let words = ["mode = .busy\n", "all = [.busy, .idle]", "all[1] = .idle\n"];
    shows(&String::from_utf8_lossy(&output.stdout), &words);
}

/// The left PE sends 1 to 5, one after the other has been added up on the right one.
const TWO_PES: &str = "const stream = @get_color(4);\nlayout {\n  @set_rectangle(2, 1);\n  \
    @set_tile_code(0, 0, \"sender.csl\", .{ .out = stream });\n  \
    @set_tile_code(1, 0, \"receiver.csl\", .{ .in = stream });\n  \
    @set_color_config(0, 0, stream, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });\n  \
    @set_color_config(1, 0, stream, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });\n}\n";
const SENDER: &str = "param out: color;\nvar words = [5]u32{ 1, 2, 3, 4, 5 };\nvar turns: u16 = 0;\n\
    const to = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = out, .output_queue = @get_output_queue(2) });\n\
    task main() void {\n  for (words) |word| {\n    @mov32(to, word);\n    var wait: u16 = 0;\n    \
    while (wait < 20) : (wait += 1) {\n      turns += 1;\n    }\n  }\n}\ncomptime {\n  \
    @bind_local_task(main, @get_local_task_id(8));\n  @activate(@get_local_task_id(8));\n}\n";
const RECEIVER: &str = "param in: color;\nconst queue = @get_input_queue(2);\nvar sum: u32 = 0;\n\
    task add(word: u32) void {\n  const n = sum + word;\n  sum = n;\n}\ncomptime {\n  \
    @initialize_queue(queue, .{ .color = in });\n  @bind_data_task(add, @get_data_task_id(in));\n}\n";

#[test]
fn a_condition_of_a_color_is_evaluated_at_each_wavelet() {
    let folder = Folder::with("debug-color", "pl.csl", TWO_PES);
    folder.write("sender.csl", SENDER);
    folder.write("receiver.csl", RECEIVER);
    let commands = "break color 4 if sum > 5\nc\nprint sum\nc\nc\nreverse-continue\nprint sum\ndelete\n\
                    break color 4 PE(1,0) if sum == 10 and pe.x == 1\nrun\nc\nprint sum\ndelete\n\
                    break color 4 if words[9] == 1\nrun\nc\n";
    folder.write("commands", commands);
    let output = folder.cslrun("debug --commands commands pl.csl");
    answers(&output, 0, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    let sums: Vec<&str> = text.lines().filter_map(|line| line.split_once("sum = ")).map(|(_, n)| n).collect();
    assert_eq!(sums, ["6", "10", "10"], "{text}");
    shows(&text, &["the condition of breakpoint 3 has no value: PE(1,0) has no variable `words` here"]);
}

#[test]
fn a_condition_of_a_color_that_has_no_value_is_refused() {
    let folder = Folder::with("debug-color-names", "pl.csl", TWO_PES);
    folder.write("sender.csl", SENDER);
    folder.write("receiver.csl", RECEIVER);
    folder.write("commands", "break color 4 if n == 1\nbreak color 4 PE(1,0) if words[0] == 1\nc\n");
    let output = folder.cslrun("debug --commands commands pl.csl");
    answers(&output, 0, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    shows(
        &text,
        &["no PE has a global `n`; a wavelet", "PE(1,0) has no global `words`; a wavelet", "finished"],
    );
}
