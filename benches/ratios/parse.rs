//! Reading: text to tree.

use crate::measure::{alone, each};
use crate::table::{Row, Target, Unit};
use cslrun::{catalogue, syntax_errors};
use std::fs;
use std::path::Path;

/// Megabytes in a second.
const SPEED: Target = Target { must: 8.0, goal: 20.0 };

pub fn rows() -> Vec<Row> {
    let mut texts: Vec<String> = catalogue::modules().map(|(_, text)| text.to_string()).collect();
    for folder in ["tests/cases", "examples", "docs/book", "benches/programs"] {
        collect(&crate::root().join(folder), &mut texts);
    }
    if let Some(folder) = std::env::var_os("CSL_EXAMPLES") {
        collect(Path::new(&folder), &mut texts);
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    let parse = || texts.iter().map(|text| syntax_errors(text).len()).sum::<usize>();
    let seconds = alone(each(parse));
    let row = Row::new(format!("lex and parse {} files, {:.1} MB", texts.len(), bytes as f64 / 1e6));
    vec![row.ours(bytes as f64 / seconds / 1e6, Unit::MegabytesPerSecond).target(SPEED)]
}

/// Every CSL file below a folder.
fn collect(folder: &Path, texts: &mut Vec<String>) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("a folder can be read").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|e| e == "csl") {
            texts.extend(fs::read_to_string(&path));
        }
    }
}
