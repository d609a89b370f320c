//! Notes what a PE chooses among several things that it could do next, for the comparison of two runs.

use crate::arch::TaskId;
use crate::image::FnId;

/// Choices that are noted at most.
const MOST: usize = 1 << 20;

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A task starts, while local tasks and data tasks of other ids could start as well.
    Task {
        /// The task.
        function: FnId,
        /// The others, in the order of their ids.
        others: Vec<TaskId>,
    },
    /// A microthread, or the main thread with number 8, does an element, while others of the same priority could.
    Thread {
        /// Its number.
        number: u8,
        /// The others, bit = number.
        others: u16,
    },
}

/// A choice of the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// When, as an estimate.
    pub cycle: u64,
    /// What was chosen.
    pub chosen: Chosen,
}

/// The choices of a PE so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices(Vec<Choice>);

impl Choices {
    /// Notes a choice.
    pub fn note(&mut self, cycle: u64, chosen: Chosen) {
        if self.0.len() < MOST {
            self.0.push(Choice { cycle, chosen });
        }
    }

    /// The choices in their order.
    pub fn all(&self) -> &[Choice] {
        &self.0
    }
}
