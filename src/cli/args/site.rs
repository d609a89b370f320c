//! What `cslrun book` and `cslrun play` are told.

use clap::Args;
use std::path::PathBuf;

/// Which site is served, and where.
#[derive(Args, Debug)]
pub struct SiteArgs {
    /// The port on this machine, 127.0.0.1; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub port: u16,
    /// A folder that `scripts/site` has built [default: the site that this cslrun holds]
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
}
