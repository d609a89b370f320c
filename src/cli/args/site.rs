//! The arguments of `cslrun book` and `cslrun play`.

use clap::Args;
use std::path::PathBuf;

/// Which site is served, and where.
#[derive(Args, Debug)]
pub struct SiteArgs {
    /// Port on 127.0.0.1; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub port: u16,
    /// Folder that `scripts/site` has built [default: the site that is built into cslrun]
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
}
