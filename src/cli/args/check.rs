//! The arguments of `cslrun check`.

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
    /// Apply the fixes that diagnostics suggest, and check again
    #[arg(long, help_heading = "Changes")]
    pub fix: bool,
}
