//! Writes `src` from `grammar.js`, as `tree-sitter generate --abi 14` does; `--check` compares instead.
//!
//! Needs node. Where there is none, `--check` starts from `src/grammar.json`, and says so.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

/// Neovim reads later versions from 0.10 on only, and nothing of them is used.
const ABI: usize = 14;

const FILES: [&str; 6] = [
    "grammar.json",
    "node-types.json",
    "parser.c",
    "tree_sitter/alloc.h",
    "tree_sitter/array.h",
    "tree_sitter/parser.h",
];

fn generate(grammar: &Path, from: &Path, into: &Path) -> Result<(), Box<dyn Error>> {
    let version = OptLevel::default();
    generate_parser_in_directory(grammar, Some(into), Some(from), ABI, None, None, true, version)?;
    Ok(())
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let committed = grammar.join("src");
    if !std::env::args().any(|arg| arg == "--check") {
        generate(&grammar, &grammar.join("grammar.js"), &committed)?;
        return Ok(ExitCode::SUCCESS);
    }
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|said| said.status.success());
    if !has_node {
        println!("skipped: there is no node; src/grammar.json is not compared with grammar.js");
    }
    let scratch = grammar.join("../../target/tree-sitter-csl");
    let from = if has_node { grammar.join("grammar.js") } else { committed.join("grammar.json") };
    generate(&grammar, &from, &scratch)?;
    for name in FILES.iter().skip(usize::from(!has_node)) {
        if std::fs::read(scratch.join(name))? != std::fs::read(committed.join(name))? {
            eprintln!("{name} is not what grammar.js gives: cargo run --package generate-csl-parser");
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("the parser in editors/tree-sitter-csl is the one that its grammar gives");
    Ok(ExitCode::SUCCESS)
}
