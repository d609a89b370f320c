//! The arguments of `cslrun check`.

use super::compile::CompileArgs;
use clap::Args;
use clap::builder::Resettable;
use std::path::PathBuf;

/// Which programs to check, and how.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The first program.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// More programs, which are checked in the same way
    // It stands beside the first program, not under the heading of the options before it.
    #[arg(value_name = "MORE.csl", help_heading = Resettable::Reset)]
    pub more: Vec<PathBuf>,
    /// Apply the fixes that diagnostics suggest, and check again
    #[arg(long, help_heading = "Changes")]
    pub fix: bool,
}
