//! Programs of others in the editor: no fault, no false error, and answers in time.
//!
//! They are not part of the repository: `CSLRUN_EXAMPLES` names folders with them, separated by colons.

use super::client::{Client, address};
use crate::files::files_below;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folders with examples; without any, the test says that it is skipped.
fn folders(test: &str) -> Vec<PathBuf> {
    let folders = std::env::var("CSLRUN_EXAMPLES").unwrap_or_default();
    if folders.is_empty() {
        println!("skipped: {test} needs folders with CSL programs in CSLRUN_EXAMPLES");
    }
    folders.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from).collect()
}

#[test]
fn every_example_opens_without_a_fault_and_without_a_false_error() {
    for folder in folders("opening every example") {
        for arch in ["wse2", "wse3"] {
            open_all(&folder, arch);
        }
    }
}

fn open_all(folder: &Path, arch: &str) {
    let folder = folder.canonicalize().expect("a folder of examples");
    let mut client = Client::new(&folder, json!({ "arch": arch }));
    let (mut errors, mut severities, mut requests) = (Vec::new(), BTreeMap::new(), 0);
    let mut slowest = Duration::ZERO;
    let files = files_below(&folder, "csl");
    for path in &files {
        let text = std::fs::read_to_string(path).expect("a readable example");
        let start = Instant::now();
        for published in client.open(path, &text) {
            for diagnostic in published["diagnostics"].as_array().into_iter().flatten() {
                *severities.entry(diagnostic["severity"].to_string()).or_insert(0) += 1;
                if diagnostic["severity"] == 1 {
                    errors.push(format!("{}: {}", published["uri"], diagnostic["message"]));
                }
            }
        }
        slowest = slowest.max(start.elapsed());
        requests += ask_everything(&mut client, path, &text);
        client.tell("textDocument/didClose", json!({ "textDocument": { "uri": address(path) } }));
    }
    errors.sort();
    errors.dedup();
    println!(
        "{} ({arch}): {} files, {requests} requests, diagnostics by severity {severities:?}, slowest opening {slowest:?}",
        folder.display(),
        files.len()
    );
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
    assert_eq!(client.end(), Some(0));
}

/// Asks everything that can be asked about a file; how much that was.
fn ask_everything(client: &mut Client, path: &Path, text: &str) -> usize {
    let document = json!({ "uri": address(path) });
    let end = json!({ "line": text.lines().count(), "character": 0 });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let whole =
        ["documentSymbol", "documentLink", "foldingRange", "semanticTokens/full", "inlayHint", "formatting"];
    let mut count = 0;
    for method in whole {
        let params = json!({ "textDocument": document, "range": range, "options": options });
        client.ask(&format!("textDocument/{method}"), params).expect(method);
        count += 1;
    }
    for (n, line) in text.lines().enumerate().step_by(7) {
        let position = json!({ "line": n, "character": line.len() / 2 });
        for method in ["hover", "definition", "completion", "signatureHelp"] {
            let params = json!({ "textDocument": document, "position": position });
            client.ask(&format!("textDocument/{method}"), params).expect(method);
            count += 1;
        }
    }
    count
}

#[test]
fn answers_come_in_time_in_the_largest_example() {
    for folder in folders("measuring answers") {
        measure(&folder);
    }
}

fn measure(folder: &Path) {
    let folder = folder.canonicalize().expect("a folder of examples");
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("a readable example");
    let largest = files_below(&folder, "csl").into_iter().max_by_key(|path| read(path).lines().count());
    let path = largest.expect("an example");
    let text = read(&path);
    let mut client = Client::new(&folder, Value::Null);
    client.open(&path, &text);
    let lines = text.lines().count();
    let document = json!({ "uri": address(&path) });
    let mut times: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for n in 0..200 {
        let line = n * 7919 % lines;
        let at = json!({ "line": line, "character": 0 });
        let (add, remove) = if n % 2 == 0 { ("// ", 0) } else { ("", 3) };
        let line = if n % 2 == 0 { line } else { (n - 1) * 7919 % lines };
        let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": remove } });
        let start = Instant::now();
        client.change(&path, json!([{ "range": range, "text": add }]));
        times.entry("change to diagnostics").or_default().push(start.elapsed());
        for method in ["hover", "completion"] {
            let start = Instant::now();
            let params = json!({ "textDocument": document, "position": at });
            client.ask(&format!("textDocument/{method}"), params).expect(method);
            times.entry(method).or_default().push(start.elapsed());
        }
    }
    println!("{} ({lines} lines)", path.strip_prefix(&folder).expect("a file of the folder").display());
    for (what, mut all) in times {
        all.sort();
        println!("  {what}: p50 {:?}, p99 {:?}", all[all.len() / 2], all[all.len() * 99 / 100]);
        assert!(all[all.len() / 2] < Duration::from_secs(2), "{what}");
    }
    assert_eq!(client.end(), Some(0));
}
