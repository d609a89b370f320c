//! The arguments of `cslrun test`.

use super::format::FormatArgs;
use super::names::{max_cycles, seed};
use crate::{Arch, CompileOptions, Levels};
use clap::Args;
use std::path::{Path, PathBuf};

/// A test that never ends should not take minutes on a wafer of many PEs.
pub(super) const MOST_CYCLES: u64 = 10_000_000;

/// Which tests to run, and how.
#[derive(Args, Debug)]
pub struct TestArgs {
    /// Files with tests, and folders that are searched for files test_*.csl
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,
    /// The target machine
    #[arg(long, default_value = "wse2", value_parser = super::compile::arch())]
    arch: Arch,
    /// Also search this folder for imported files; may be repeated
    #[arg(long = "import-path", value_name = "DIR")]
    import_paths: Vec<PathBuf>,
    /// Import only files in this folder; for programs that you do not trust
    #[arg(long, value_name = "DIR")]
    import_root: Option<PathBuf>,
    /// Vary what the machine leaves undefined, such as the order of tasks that are ready at the same time; the result
    /// must not change
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Stop a test with an error after this many cycles [default: 10000000]
    #[arg(long, value_name = "N", value_parser = max_cycles)]
    max_cycles: Option<u64>,
    /// How diagnostics are shown.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Also write the results as JUnit XML, for CI servers
    #[arg(long, value_name = "FILE.xml")]
    pub junit: Option<PathBuf>,
    /// The levels of rules, which the environment chooses.
    #[arg(skip)]
    pub levels: Levels,
}

impl TestArgs {
    /// The folders that are searched for imported files, with their options.
    pub fn folders(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        super::compile::import_folders(&self.import_paths, self.import_root.as_deref())
    }

    /// The cycle limit of a test.
    pub fn max_cycles(&self) -> u64 {
        self.max_cycles.unwrap_or(MOST_CYCLES)
    }

    /// The options that the compiler takes.
    pub fn options(&self) -> CompileOptions {
        CompileOptions {
            import_paths: self.import_paths.clone(),
            import_root: self.import_root.clone(),
            levels: self.levels,
            ..CompileOptions::new(self.arch)
        }
    }
}
