//! The command as a user meets it: exit statuses, and answers to bad input that come in time.

use crate::root;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing that a user writes may keep the command busy for longer, even on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of its own for one test, removed afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty folder; the name of the test keeps it apart from others.
    pub fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cslrun-cli-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a writable folder for temporary files");
        Folder(path)
    }

    /// A folder with one file.
    pub fn with(test: &str, file: &str, text: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new(test);
        folder.write(file, text);
        folder
    }

    /// Writes a file.
    pub fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(file), text).expect("a writable file");
    }

    /// Runs the command in the folder.
    pub fn cslrun(&self, line: &str) -> Output {
        finish(spawn(&self.0, line))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Starts the command in a folder.
pub fn spawn(folder: &Path, line: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cslrun"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the built command starts")
}

/// Waits for its end, with patience.
pub fn finish(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().expect("a child of ours").is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("no answer within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("a child of ours")
}

/// Checks the exit status and that the error text holds `words`; a panic is never an answer.
#[track_caller]
pub fn answers(output: &Output, status: i32, words: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{text}");
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
    assert!(text.len() < 20_000, "{} bytes of complaints", text.len());
}

#[test]
fn a_check_repairs_what_its_help_repairs() {
    let text = "const math = @import_module(\"<mth>\");\nvar total: f32 = 0.0;\ntask main() void {\n  totl = \
                math.sqrtt(total);\n}\ncomptime {\n  bind_local_task(main, @get_local_task_id(8));\n}\n";
    let folder = Folder::with("check-fix", "a.csl", text);
    answers(&folder.cslrun("check a.csl"), 1, &["`<math>`", "`@bind_local_task`"]);
    let output = folder.cslrun("check --fix a.csl");
    answers(&output, 0, &[]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with("a.csl: 4 changes\na.csl: fine"), "{printed}");
    let repaired = std::fs::read_to_string(folder.0.join("a.csl")).expect("a text");
    let right = text.replace("<mth>", "<math>").replace("totl", "total").replace("sqrtt", "sqrt");
    assert_eq!(repaired, right.replace("  bind", "  @bind"));
    answers(&folder.cslrun("check --fix a.csl"), 0, &[]);
}

#[test]
fn a_check_repairs_habits_from_other_languages() {
    let text = "#define SIZE 4\nfloat scale = 0.5;\nlet total: u16 = 0;\ntask main() -> void {\n  for (int i = 0; i < \
                SIZE; i++) {\n    if (i > 1 && i < 3) { total++; }\n  }\n  scale = (f32)total\n}\ncomptime {\n  const id \
                = @get_local_task_id(8);\n  @bind_local_task(main, id);\n  @activate(id);\n}\n";
    let right = "const SIZE = 4;\nvar scale: f32 = 0.5;\nvar total: u16 = 0;\ntask main() void {\n  for (@range(i16, \
                 SIZE)) |i| {\n    if (i > 1 and i < 3) { total += 1; }\n  }\n  scale = @as(f32, total);\n}\ncomptime {\n  \
                 const id = @get_local_task_id(8);\n  @bind_local_task(main, id);\n  @activate(id);\n}\n";
    let folder = Folder::with("check-fix-habits", "a.csl", text);
    answers(&folder.cslrun("check --fix a.csl"), 0, &[]);
    assert_eq!(std::fs::read_to_string(folder.0.join("a.csl")).expect("a text"), right);
}

#[test]
fn a_misspelled_command_is_answered_with_the_nearest() {
    let folder = Folder::with("misspelled", "a.csl", "var n: u16 = 0;");
    answers(&folder.cslrun("chekc a.csl"), 2, &["there is no command `chekc`; did you mean `check`?"]);
    answers(&folder.cslrun("explian"), 2, &["no file explian; did you mean the command `explain`?"]);
    answers(&folder.cslrun("check a.csl --arch wse4"), 2, &["possible values: wse2, wse3"]);
    answers(&folder.cslrun("check a.csl --arch"), 2, &["possible values: wse2, wse3"]);
}

#[test]
fn a_global_that_nothing_reaches_cannot_be_read() {
    let text = "var n: u16 = 3;\nvar m: u16 = 4;\ntask main() void { m += 1; }\ncomptime {\n  const id = \
                @get_local_task_id(8);\n  @bind_local_task(main, id);\n  @activate(id);\n}\n";
    let folder = Folder::with("unreached", "a.csl", text);
    answers(&folder.cslrun("a.csl --get m"), 0, &[]);
    let words = ["a.csl:1:5", "nothing that runs uses it, so it has no memory", "`@export_symbol(n)`"];
    answers(&folder.cslrun("a.csl --get n"), 2, &words);
}

#[test]
fn a_missing_file_is_wrong_use() {
    let folder = Folder::new("missing");
    answers(&folder.cslrun("nowhere.csl"), 2, &["there is no file nowhere.csl"]);
    answers(&folder.cslrun("check nowhere.csl"), 2, &["there is no file nowhere.csl"]);
}

#[test]
fn a_folder_is_not_a_program() {
    let folder = Folder::new("folder");
    answers(&folder.cslrun("check ."), 2, &[". is a folder and no program"]);
}

#[test]
fn wrong_arguments_are_wrong_use() {
    let folder = Folder::with("arguments", "a.csl", "");
    for line in ["", "a.csl --arch wse7", "a.csl --param N", "a.csl --message-format xml", "a.csl --nothing"]
    {
        answers(&folder.cslrun(line), 2, &["--help"]);
    }
}

#[test]
fn help_and_version_are_fine() {
    let folder = Folder::new("help");
    for line in ["--help", "-h", "--version", "check --help", "explain"] {
        let output = folder.cslrun(line);
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{line}");
    }
}

#[test]
fn the_list_of_rules_says_what_is_wrong() {
    let output = Folder::new("explain-list").cslrun("explain");
    let list = String::from_utf8_lossy(&output.stdout);
    for rule in cslrun::catalogue::rules() {
        let found = list.lines().any(|line| {
            let (name, text) = line.trim().split_once("  ").unwrap_or_default();
            name == rule.name && text.trim() == rule.meaning.trim()
        });
        assert!(found, "{}: {}", rule.name, rule.meaning);
    }
}

#[test]
fn an_unknown_rule_is_answered_with_the_nearest_name() {
    let folder = Folder::new("explain");
    answers(&folder.cslrun("explain syntax-eror"), 2, &["did you mean `syntax-error`?"]);
    let page = folder.cslrun("explain error[syntax-error]");
    assert!(String::from_utf8_lossy(&page.stdout).starts_with("# syntax-error\n"));
}

#[test]
fn a_rejected_program_ends_with_one() {
    let folder = Folder::with("rejected", "a.csl", "const x: u16 = ;\n");
    answers(&folder.cslrun("a.csl"), 1, &["error[syntax-error]", "a.csl:1:16", "1 error"]);
    let short = folder.cslrun("check a.csl --message-format short");
    answers(&short, 1, &["a.csl:1:16: error[syntax-error]: "]);
    let json = folder.cslrun("check a.csl --message-format json");
    let line = String::from_utf8(json.stderr).expect("UTF-8");
    let value: serde_json::Value = serde_json::from_str(line.trim()).expect("one JSON object");
    assert_eq!((&value["rule"], &value["labels"][0]["line"]), (&"syntax-error".into(), &1.into()));
}

#[test]
fn a_failed_assertion_ends_with_three() {
    let text = "task t() void { @assert(1 == 2); }\n\
                comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";
    let folder = Folder::with("assert", "a.csl", text);
    answers(&folder.cslrun("a.csl"), 3, &["PE(0,0), cycle", "a.csl:1"]);
}

#[test]
fn a_task_without_end_ends_with_four() {
    let text = "var n: u32 = 0;\ntask t() void { while (true) { n += 1; } }\n\
                comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";
    let folder = Folder::with("endless", "a.csl", text);
    answers(&folder.cslrun("a.csl --max-cycles 10000"), 4, &["10,000"]);
}

#[test]
fn assembly_is_not_supported_and_ends_with_five() {
    let text = "task t() void { asm(\"nop\"); }\n\
                comptime { @bind_local_task(t, @get_local_task_id(9)); }\n";
    let folder = Folder::with("asm", "a.csl", text);
    answers(&folder.cslrun("check a.csl"), 5, &["unsupported["]);
}

#[test]
fn text_that_is_not_utf8_is_located() {
    let folder = Folder::with("utf8", "a.csl", b"const a = 1;\nconst b = \xff\xfe;\n");
    answers(&folder.cslrun("check a.csl"), 1, &["not-utf8", "not valid UTF-8 at byte 23", "a.csl:2:11"]);
    folder.write("b.csl", "const a = @import_module(\"a.csl\");\ncomptime { @comptime_assert(a.a == 1); }\n");
    answers(&folder.cslrun("check b.csl"), 1, &["not valid UTF-8 at byte 23", "b.csl:1:26", "a.csl:2:11"]);
}

#[test]
fn a_folder_cannot_be_imported() {
    let folder = Folder::with(
        "unreadable",
        "a.csl",
        "const b = @import_module(\"b.csl\");\nconst c = b.d;\ncomptime { @comptime_assert(c == 1); }\n",
    );
    std::fs::create_dir(folder.0.join("b.csl")).expect("a writable folder");
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl:1", "unreadable-file"]);
}

#[test]
fn a_million_parentheses_are_too_deep() {
    let text = format!("const a = {}1{};\n", "(".repeat(1_000_000), ")".repeat(1_000_000));
    let folder = Folder::with("parentheses", "a.csl", text);
    answers(&folder.cslrun("check a.csl"), 1, &["error[nesting-too-deep]"]);
}

#[test]
fn a_million_terms_are_fine_or_too_many() {
    let text = format!("const a = 1{};\ncomptime {{ @comptime_assert(a > 0); }}\n", " + 1".repeat(1_000_000));
    let folder = Folder::with("terms", "a.csl", text);
    assert!(matches!(folder.cslrun("check a.csl").status.code(), Some(0 | 1)));
}

#[test]
fn an_endless_comptime_loop_is_stopped() {
    let folder = Folder::with("fuel", "a.csl", "comptime { while (true) {} }\n");
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl:1"]);
}

#[test]
fn endless_comptime_recursion_is_stopped() {
    let text =
        "fn f(n: u32) u32 { return f(n + 1); }\nconst x = f(0);\ncomptime { @comptime_assert(x > 0); }\n";
    let folder = Folder::with("recursion", "a.csl", text);
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl:1"]);
}

#[test]
fn a_huge_array_is_refused_before_it_is_made() {
    let text = "var a = @zeros([4294967295]u32);\ncomptime { @export_symbol(a, \"a\"); }\n";
    let folder = Folder::with("zeros", "a.csl", text);
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl:1"]);
}

#[test]
fn a_huge_rectangle_is_refused_before_it_is_made() {
    let folder = Folder::with("rectangle", "a.csl", "layout { @set_rectangle(65535, 65535); }\n");
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl:1"]);
}

#[test]
fn an_import_cycle_is_shown_as_a_chain() {
    let folder = Folder::with("cycle", "a.csl", "const b = @import_module(\"b.csl\");\nconst x = b.y;\n");
    folder.write("b.csl", "const a = @import_module(\"a.csl\");\nconst y = a.x;\n");
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl", "b.csl"]);
}

#[test]
fn a_missing_import_is_located() {
    let folder = Folder::with(
        "import",
        "a.csl",
        "const b = @import_module(\"nowhere.csl\");\ncomptime { @comptime_assert(b.x == 1); }\n",
    );
    answers(&folder.cslrun("check a.csl"), 1, &["a.csl:1", "nowhere.csl"]);
}

#[test]
fn a_program_beyond_the_memory_names_its_largest_symbols() {
    let text = "export var small = @zeros([10]u16);\nexport var large = @zeros([30000]u16);\n";
    let folder = Folder::with("memory", "a.csl", text);
    answers(&folder.cslrun("check a.csl"), 1, &["large"]);
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = Folder::new("pipe");
    let mut child = spawn(&folder.0, "explain");
    drop(child.stdout.take());
    let output = finish(child);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn more_threads_than_rows_and_none_at_all_are_refused() {
    let text =
        "layout { @set_rectangle(3, 1); for (@range(u16, 3)) |x| { @set_tile_code(x, 0, \"b.csl\"); } }\n";
    let folder = Folder::with("threads", "a.csl", text);
    folder.write("b.csl", "");
    answers(&folder.cslrun("a.csl --threads 1"), 0, &[]);
    answers(&folder.cslrun("a.csl --threads 2"), 2, &["--threads 2: the wafer has 1 row, and each thread"]);
    answers(&folder.cslrun("a.csl --threads 0"), 2, &["must be at least 1"]);
}

#[test]
fn threads_change_no_byte() {
    let folder = Folder::new("threads-bytes");
    for file in ["exchange.csl", "exchange_pe.csl"] {
        std::fs::copy(root().join("benches/programs").join(file), folder.0.join(file))
            .expect("a readable file");
    }
    let run = |threads: usize| {
        let words = "exchange.csl --param width=32 --param height=40 --param steps=1 --get sums=sums.npy";
        let output = folder.cslrun(&format!("{words} --threads {threads}"));
        answers(&output, 0, &[]);
        let sums = std::fs::read(folder.0.join("sums.npy")).expect("the sums are written");
        (output.stdout, output.stderr, sums)
    };
    let one = run(1);
    for threads in [2, 3] {
        assert!(one == run(threads), "on {threads} threads");
    }
}

#[test]
fn threads_change_no_byte_of_the_report_of_a_stopped_run() {
    let run = |threads: usize| {
        let words = "benches/programs/exchange.csl --param width=32 --param height=40 --param steps=1 \
                     --max-cycles 76 --message-format json";
        let output = finish(spawn(root(), &format!("{words} --threads {threads}")));
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("`@fmacs` in microthread 0 has been waiting")
        );
        (output.stdout, output.stderr)
    };
    let one = run(1);
    for threads in [2, 3] {
        assert!(one == run(threads), "on {threads} threads");
    }
}

#[test]
fn a_stopped_run_lists_64_kinds_of_waits_and_counts_the_others() {
    let layout = "layout { @set_rectangle(70, 1);\nfor (@range(u16, 70)) |x| {\n\
                  @set_tile_code(x, 0, \"a.csl\", .{ .x = x }); } }\n";
    let text = "param x: u16;\nvar got: [71]u16;\nvar n: u32 = 0;\n\
                const in = @get_dsd(fabin_dsd, .{ .fabric_color = @get_color(1), .extent = x + 1,\n\
                .input_queue = @get_input_queue(2) });\n\
                const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{x + 1} -> got[i] });\n\
                task t() void { @mov16(to, in, .{ .async = true }); while (x == 0) { n += 1; } }\n\
                comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";
    let folder = Folder::with("kinds", "a.csl", text);
    folder.write("layout.csl", layout);
    let output = folder.cslrun("layout.csl --max-cycles 1000 --message-format json");
    let text = String::from_utf8_lossy(&output.stderr);
    let kinds = text.matches("\"who\":\"microthread\"").count();
    assert!(kinds == 64 && text.contains("\"more_waits\":6,"), "{kinds} kinds in {text}");
}

#[test]
fn a_report_is_written_also_when_the_run_goes_wrong() {
    let program = "task main() void { @assert(false); }\ncomptime {\n  @bind_local_task(main, @get_local_task_id(8));\n  @activate(@get_local_task_id(8));\n}\n";
    let folder = Folder::with("report", "pe.csl", program);
    let done = folder.cslrun("pe.csl --report out.html");
    assert_eq!(done.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&done.stdout).contains("the report of the run is in out.html"));
    let page = std::fs::read_to_string(folder.0.join("out.html")).expect("the page is there");
    assert!(page.contains(r#""failed":true"#) && page.contains("error[assertion-failed]"));

    let refused = folder.cslrun("pe.csl --report missing/out.html");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("missing/out.html cannot be written"));
}

#[test]
fn the_host_sees_the_elements_of_an_array_of_bytes() {
    let program = "var a = [3]u8{ 1, 2, 3 };
const id = @get_local_task_id(8);
task main() void { a[1] += 100; }
comptime { @bind_local_task(main, id); @activate(id); @export_symbol(a, \"a\"); }
";
    let folder = Folder::with("bytes", "p.csl", program);
    let output = folder.cslrun("p.csl --get a --set a=7,8,9 --get a");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("a = [1, 102, 3]\na = [7, 8, 9]\n"), "{text}");
}
