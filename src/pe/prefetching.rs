//! What a visit of a PE on a large wafer will touch, as far as can be told before it.

use super::element::Pe;
use crate::prefetch::{self, Soon};
use std::mem::offset_of;

impl Pe {
    /// Prefetches the data of a visit, a part each time. `arriving`: colors of which wavelets are handed over first,
    /// bit = color.
    ///
    /// A line that nobody needs costs as much as one that is needed, so what only some visits touch is left out unless
    /// something tells that this one may.
    #[inline]
    pub fn prefetch(&self, soon: Soon, arriving: u32) {
        match soon {
            Soon::Later => {
                prefetch::value(self, offset_of!(Pe, sanitizer) + prefetch::LINE);
                prefetch::value(&self.races, size_of_val(&self.races));
            }
            Soon::Before => {
                self.queues.prefetch(arriving, self.may_run_code());
                self.threads.prefetch();
                if self.may_run_code() {
                    self.threads.prefetch_spare();
                    self.main.calls.prefetch();
                    self.races.prefetch();
                }
            }
            Soon::Next if self.may_run_code() => {
                let words = self.memory.words();
                let variables = self.tile.often_used(words.len());
                variables.for_each(|at| prefetch::slice(&words[at..], 64));
                self.races.prefetch_operations();
            }
            Soon::Next => {}
        }
    }

    /// Whether the next visit may be one of code; most visits of a PE with operations in progress are theirs.
    fn may_run_code(&self) -> bool {
        self.threads.is_empty() || self.tasks.are_active()
    }
}
