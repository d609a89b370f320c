//! The arguments of `cslrun debug`.

use clap::Args;
use std::path::PathBuf;

/// What to debug, and with whom to speak.
#[derive(Args, Clone, Debug)]
pub struct DebugArgs {
    /// Serve an editor on standard input and output: the Debug Adapter Protocol
    #[arg(long, conflicts_with_all = ["port", "commands"])]
    pub dap: bool,
    /// Serve an editor that connects to this port of this machine
    #[arg(long, value_name = "N", conflicts_with = "commands")]
    pub port: Option<u16>,
    /// Take commands line by line, even if the terminal could show a full screen
    #[arg(long, conflicts_with_all = ["dap", "port", "commands"])]
    pub prompt: bool,
    /// Read commands from a file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub commands: Option<PathBuf>,
    /// The program and the options of its run, as `cslrun run` takes them
    #[arg(value_name = "FILE.csl", trailing_var_arg = true, allow_hyphen_values = true)]
    pub run: Vec<String>,
}
