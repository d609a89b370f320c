//! All tests but the CSL cases, which are tests of their own in `tests/cases.rs`: the catalogue of rules,
//! the layering of modules, the console blocks of the documentation, the book, the lessons, and the
//! command line.

mod actions;
mod book;
mod case_file;
mod cases;
mod claims;
mod cli;
mod collectives;
mod command_line;
mod compatibility;
mod console;
mod dap;
mod debugger;
mod decisions;
mod drawn;
mod elsewhere;
mod engines;
mod files;
mod fmt;
mod formats;
mod hangs;
mod host_hangs;
mod installed;
#[cfg(unix)]
mod interruptions;
mod known_arithmetic;
mod layering;
mod learn;
mod levels;
mod library;
mod links;
mod lsp;
mod modes;
mod mutants;
mod orders;
mod outputs;
mod pages;
mod pictures;
mod profile;
mod props;
mod rules;
mod seeds;
mod site;
mod story;
mod strangers;
mod stream_hangs;
mod templates;
mod trace;
mod wire;

use files::{files_below, root};

/// Replays all recordings of a folder, and compares them with what they were. There are at least so many exchanges in
/// them.
fn recordings_come_out_as_they_were(
    folder: &str,
    least_exchanges: usize,
    replay: impl Fn(&str, &str) -> (String, usize),
) {
    let (mut different, mut exchanges) = (Vec::new(), 0);
    for path in files_below(&root().join(folder), "txt") {
        let script = std::fs::read_to_string(&path).expect("a recording");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (now, count) = replay(&name, &script);
        exchanges += count;
        if now != script && writes_docs() {
            std::fs::write(&path, now).expect("a writable recording");
        } else if now != script {
            let diff =
                similar::TextDiff::from_lines(&script, &now).unified_diff().context_radius(2).to_string();
            different.push(format!("{}:\n{diff}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}\nDOCS=write accepts this", different.join("\n"));
    assert!(exchanges >= least_exchanges, "only {exchanges} exchanges");
}

/// Whether the documentation is to be brought up to date instead of checked.
fn writes_docs() -> bool {
    std::env::var_os("DOCS").is_some_and(|v| v == "write")
}
