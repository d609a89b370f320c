//! The arguments of `cslrun profile`.

use super::profile_target::{ProfileFormat, ProfileTarget};
use super::run::RunArgs;
use clap::Args;
use std::path::PathBuf;

/// What to run, and how to show its profile.
#[derive(Args, Debug)]
pub struct ProfileArgs {
    /// The run.
    #[command(flatten)]
    pub run: RunArgs,
    /// The file of the profile; with it, the summary goes to standard output all the same
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What is written [default: what the name of the file says, or the summary]
    #[arg(long = "format", value_name = "FORMAT")]
    pub format: Option<ProfileFormat>,
}

impl ProfileArgs {
    /// The run with the target of its profile.
    ///
    /// # Errors
    /// The options do not go together.
    pub fn into_run(self) -> Result<RunArgs, String> {
        let ProfileArgs { mut run, output, format } = self;
        if run.seeds.is_some() {
            return Err("a profile cannot be combined with --seeds: use two runs".to_string());
        }
        let format = match (format, &output) {
            (Some(ProfileFormat::Pprof), None) => return Err("--format pprof needs --output".to_string()),
            (Some(format), _) => format,
            (None, Some(path)) => ProfileFormat::of(path).map_err(|why| format!("--output: {why}"))?,
            (None, None) => ProfileFormat::Text,
        };
        run.profile = Some(ProfileTarget { format, path: output });
        Ok(run)
    }
}
