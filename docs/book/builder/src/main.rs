//! `cargo run -p book -- [FOLDER]`: builds the book and the reference pages, by default into `target/book`.
//!
//! `cargo run -p book -- --preprocess` is what `mdbook` calls (docs/book/book.toml).

use anyhow::Result;
use book::Cslrun;
use std::ffi::OsString;
use std::io::{stdin, stdout};
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize()?;
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == "--preprocess") {
        // `supports NAME` asks whether the book can be rendered as that; HTML is all that there is.
        return match words.get(1) {
            Some(_) if words.get(2).is_some_and(|name| name != "html") => std::process::exit(1),
            Some(_) => Ok(()),
            None => book::preprocess(&repository, &Cslrun::of(&repository)?, stdin(), stdout()),
        };
    }
    let folder = words.first().map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| repository.join("target/book"));
    // mdBook takes a relative folder as one of the book.
    let folder = std::env::current_dir()?.join(folder);
    book::build(&repository, &Cslrun::of(&repository)?, &folder)?;
    println!("the book is in {}; `python3 -m http.server --directory {0}` shows it", folder.display());
    Ok(())
}
