//! The answers of cslrun to a page, without WebAssembly: a line of JSON for each line of standard input.
//!
//! Tests of the pages that cannot wait for a build for WebAssembly talk to this process; see `scripts/site --quick`.

use cslrun_web::Tool;
use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut tool = Tool::default();
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", tool.call(&line?))?;
        out.flush()?;
    }
    Ok(())
}
