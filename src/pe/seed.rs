//! The seed of a schedule: arbitrary but repeatable answers where the machine may do one thing or another (`--seed`).
//!
//! The answers depend on the seed, the place and the question, never on how the simulator works, so that they are the
//! same with every engine and every number of threads.

use crate::arch::PeCoord;

/// The seed of a schedule, for the whole run or for one PE.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ScheduleSeed(u64);

impl ScheduleSeed {
    /// The schedule with this number.
    pub fn new(seed: u64) -> ScheduleSeed {
        ScheduleSeed(seed)
    }

    /// The seed of one PE, derived from this one.
    pub fn of(self, at: PeCoord) -> ScheduleSeed {
        ScheduleSeed(self.0 ^ (u64::from(at.x) << 48 | u64::from(at.y) << 32))
    }

    /// A number that is unrelated to those for neighbouring questions.
    pub fn number(self, question: u64) -> u64 {
        // splitmix64
        let mut x = self.0.wrapping_add(question).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `bound`, which is not 0.
    pub fn below(self, question: u64, bound: u64) -> u64 {
        self.number(question) % bound
    }
}
