//! The arguments of `cslrun explore`.

use super::names::{output, positive};
use super::run::RunArgs;
use clap::Args;
use std::path::PathBuf;

/// Options of `cslrun run` that make sense for one run only.
pub const OF_ONE_RUN: [&str; 11] = [
    "seed",
    "seeds",
    "schedule",
    "report",
    "trace",
    "pes",
    "colors",
    "tasks",
    "cycles",
    "limit",
    "shown_cycles",
];

/// What to run under which schedules.
#[derive(Args, Debug)]
pub struct ExploreArgs {
    /// What to run, and how.
    #[command(flatten)]
    pub run: RunArgs,
    /// Run the program this often at most
    #[arg(long, value_name = "N", help_heading = "Exploration", default_value_t = 10_000, value_parser = positive)]
    pub budget: u64,
    /// Write the schedule whose result differs to a file, for `cslrun run FILE.csl --schedule`
    #[arg(long, value_name = "FILE", value_parser = output, help_heading = "Exploration")]
    pub schedule_file: Option<PathBuf>,
}
