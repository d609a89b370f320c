//! What `cslrun check` is told.

use super::compile::CompileArgs;
use clap::Args;
use std::path::PathBuf;

/// Which programs to check, and how.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The first program.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// More programs, which are checked in the same way
    #[arg(value_name = "MORE.csl")]
    pub more: Vec<PathBuf>,
    /// Do what the help of diagnostics says, where that is a change of a word, and check again
    #[arg(long)]
    pub fix: bool,
}
