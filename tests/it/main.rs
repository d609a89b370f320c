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
mod compatibility;
mod console;
mod dap;
mod decisions;
mod elsewhere;
mod engines;
mod files;
mod fmt;
mod formats;
mod hangs;
mod host_hangs;
mod installed;
mod layering;
mod learn;
mod levels;
mod library;
mod links;
mod lsp;
mod modes;
mod mutants;
mod orders;
mod pages;
mod pictures;
mod profile;
mod props;
mod rules;
mod seeds;
mod site;
mod story;
mod strangers;
mod templates;
mod trace;

use files::{files_below, root};

/// Whether the documentation is to be brought up to date instead of checked.
fn writes_docs() -> bool {
    std::env::var_os("DOCS").is_some_and(|v| v == "write")
}
