//! Which engine compiles and runs a program.

use clap::ValueEnum;

/// Both give the same results. Whoever suspects the fast engine can compare.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// With all fast paths
    #[default]
    Fast,
    /// Everything in the plainest way, each thing in its cycle
    Plain,
}

impl Engine {
    /// Whether fast paths are left out.
    pub fn is_plain(self) -> bool {
        self == Engine::Plain
    }
}
