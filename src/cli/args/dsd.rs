//! The arguments of `cslrun dsd`.

use super::compile::CompileArgs;
use super::names::output;
use crate::cli::picture::Chosen;
use clap::Args;
use std::path::PathBuf;

/// Draws the DSDs that a program builds: the elements that they visit, in order; their start and steps;
/// whether they stay inside their array; the registers that they need.
#[derive(Args, Debug)]
pub struct DsdArgs {
    /// The program; `FILE.csl:LINE`, `FILE.csl:NAME` and `FILE.csl:OTHER.csl:LINE` choose a DSD.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Also write the picture of the first DSD to a file
    #[arg(long, value_name = "FILE.svg", value_parser = output, help_heading = "Picture")]
    pub svg: Option<PathBuf>,
    /// What stands behind the file.
    #[arg(skip)]
    pub chosen: Chosen,
}

impl DsdArgs {
    /// Takes `:LINE`, `:NAME` and `:OTHER.csl:LINE` off the file.
    pub(super) fn split(mut self) -> DsdArgs {
        let text = self.compile.file.to_string_lossy().into_owned();
        let Some((file, mut which)) = text.split_once(".csl:") else { return self };
        self.compile.file = format!("{file}.csl").into();
        if let Some((other, rest)) = which.split_once(".csl:") {
            self.chosen.file = Some(format!("{other}.csl"));
            which = rest;
        }
        // What `cslrun dsd` prints has a column, too.
        let line = which.split_once(':').filter(|(_, column)| column.parse::<u32>().is_ok());
        match line.map_or(which, |(line, _)| line).parse() {
            Ok(line) => self.chosen.line = Some(line),
            Err(_) => self.chosen.name = Some(which.to_string()),
        }
        self
    }
}
