//! `cargo run -p book -- [FOLDER]`: builds the book and the reference pages, by default into `target/book`.

use anyhow::Result;
use book::Cslrun;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize()?;
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| repository.join("target/book"));
    // mdBook takes a relative folder as one of the book.
    let folder = std::env::current_dir()?.join(folder);
    book::build(&repository, &Cslrun::of(&repository)?, &folder)?;
    println!("the book is in {}; `python3 -m http.server --directory {0}` shows it", folder.display());
    Ok(())
}
