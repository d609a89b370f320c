//! The state of a PE that few visits look at, apart so that it takes no cache lines of the others.

use super::clock::Clock;
use super::config::Configuration;
use super::log::LineBuffer;
use crate::value::random::Generators;

/// What few visits look at.
#[derive(Clone, Default)]
pub(super) struct RareState {
    pub configuration: Configuration,
    pub clock: Clock,
    pub random: Generators,
    pub line: LineBuffer,
}
