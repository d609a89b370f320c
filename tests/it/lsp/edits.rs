//! Random edits: whatever is typed, the server answers, and its memory does not grow.

use super::client::{Client, address};
use crate::files::files_below;
use crate::root;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Edits in a run of the tests; `LSP_EDITS` asks for more.
const EDITS: usize = 2_000;

/// By so much the memory of the server may grow, in MiB.
const MOST_GROWTH: f64 = 50.0;

/// What is typed.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ".",
    ".{ ",
    "@",
    "\"",
    "'",
    "\n",
    "// ",
    "@get_dsd(",
    "@import_module(\"",
    "const x = ",
    "fn f(",
    "task t() void {",
    "x.",
    "0x",
    "1e",
    "layout {",
    "comptime {",
    "for (",
    "ü",
    "\u{1d11e}",
    "\0",
    "param p: u16;",
    "return",
    "|i|{4} -> a[i]",
    "struct { a: u16 }",
    "enum(u8) { a }",
    "..",
    "=",
    "&",
    "-",
];

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn whatever_is_typed_the_server_answers_and_stays_small() {
    let edits = std::env::var("LSP_EDITS").map_or(EDITS, |n| n.parse().expect("a number of edits"));
    let folders = std::env::var("CSLRUN_EXAMPLES").unwrap_or_default();
    let mut folders: Vec<PathBuf> = folders.split(':').filter(|f| !f.is_empty()).map(PathBuf::from).collect();
    if folders.is_empty() {
        folders.push(root().join("examples"));
    }
    let share = edits.div_ceil(2 * folders.len());
    for folder in folders {
        for arch in ["wse2", "wse3"] {
            edit(&folder.canonicalize().expect("a folder"), arch, share);
        }
    }
}

fn edit(folder: &Path, arch: &str, edits: usize) {
    let mut client = Client::new(folder, json!({ "arch": arch }));
    let mut numbers = Numbers(7);
    let files = files_below(folder, "csl");
    let (per_file, mut before) = (edits.div_ceil(files.len()).max(20), None);
    let (mut done, mut times) = (0, Vec::new());
    while done < edits {
        let path = &files[numbers.below(files.len())];
        let text = std::fs::read_to_string(path).expect("a readable program");
        client.open(path, &text);
        for _ in 0..per_file {
            times.extend(change(&mut client, path, &mut numbers, text.lines().count()));
            done += 1;
        }
        let whole = json!([{ "text": text }]);
        client.change(path, whole);
        client.tell("textDocument/didClose", json!({ "textDocument": { "uri": address(path) } }));
        // What is kept for all files is there after a while.
        if done > edits / 4 && before.is_none() {
            before = memory(&client);
        }
    }
    if let (Some(before), Some(after)) = (before, memory(&client)) {
        times.sort();
        let share = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
        println!(
            "{} ({arch}): {} files, {done} edits, {} requests (p50 {:?}, p99 {:?}), memory {before:.0} MiB to {after:.0} MiB",
            folder.display(),
            files.len(),
            times.len(),
            share(50),
            share(99)
        );
        assert!(after - before < MOST_GROWTH, "{before:.0} MiB to {after:.0} MiB");
    }
    assert_eq!(client.end(), Some(0));
}

/// Types or removes something, and now and then asks something; how long the answer took.
fn change(client: &mut Client, path: &Path, numbers: &mut Numbers, lines: usize) -> Option<Duration> {
    let place =
        |numbers: &mut Numbers| json!({ "line": numbers.below(lines + 2), "character": numbers.below(60) });
    let start = place(numbers);
    let mut end = start.clone();
    if numbers.below(3) == 0 {
        end["line"] = json!(start["line"].as_u64().unwrap_or_default() + numbers.below(3) as u64);
        end["character"] = json!(start["character"].as_u64().unwrap_or_default() + numbers.below(20) as u64);
    }
    let piece = PIECES[numbers.below(PIECES.len())];
    let text = if numbers.below(4) == 0 { "" } else { piece };
    client.change_only(path, json!([{ "range": { "start": start, "end": end }, "text": text }]));
    if numbers.below(4) > 0 {
        return None;
    }
    let methods = [
        "hover",
        "completion",
        "definition",
        "references",
        "signatureHelp",
        "semanticTokens/full",
        "inlayHint",
        "documentSymbol",
        "foldingRange",
        "formatting",
        "rename",
        "codeAction",
        "documentLink",
        "documentHighlight",
    ];
    let method = methods[numbers.below(methods.len())];
    let position = place(numbers);
    let params = json!({
        "textDocument": { "uri": address(path) }, "position": position, "newName": "other",
        "range": { "start": { "line": 0, "character": 0 }, "end": position },
        "options": { "tabSize": 2, "insertSpaces": true },
        "context": { "includeDeclaration": true, "diagnostics": [] },
    });
    let start = Instant::now();
    // It may refuse, but not because of a fault of its own.
    if let Err(error) = client.ask(&format!("textDocument/{method}"), params) {
        assert_ne!(error["code"], -32603, "{method}: {error}");
    }
    Some(start.elapsed())
}

/// The memory of the server in MiB, where the system tells.
fn memory(client: &Client) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.process())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kib / 1024.0)
}
