//! The arguments of `cslrun fmt`.

use clap::Args;
use std::path::PathBuf;

/// Which files to format, and what to do with the result.
#[derive(Args, Debug)]
pub struct FmtArgs {
    /// Files, and folders that are searched for files *.csl; `-` formats standard input to standard output
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,
    /// Write nothing; list the files whose layout differs, and exit with 1 if there are any
    #[arg(long)]
    pub check: bool,
    /// Write nothing; print what would change
    #[arg(long)]
    pub diff: bool,
}
