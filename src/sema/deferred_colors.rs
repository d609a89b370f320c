//! Numbers of tasks that are used as colors, which are reported when the whole program is known.

use crate::diagnostics::Diag;
use crate::source::Span;

/// A number of a task that is used as a color.
#[derive(Debug)]
pub struct DeferredColor {
    /// The number.
    pub number: u16,
    /// Where.
    pub at: Span,
    /// What is wrong with that in a program for SDK 1.1 or later.
    pub diag: Diag,
}

/// What is known of such colors while a program is compiled: the layout comes before the code that binds the tasks.
#[derive(Debug, Default)]
pub struct DeferredColors {
    /// Each place once.
    pub kept: Vec<DeferredColor>,
    /// Whether the program binds tasks to colors, as programs before SDK 1.1 do.
    pub has_old_tasks: bool,
}

impl DeferredColors {
    /// Keeps such a color until it is known whether the program is an old one.
    pub fn keep(&mut self, color: DeferredColor) {
        if self.kept.iter().all(|known| known.at != color.at) {
            self.kept.push(color);
        }
    }

    /// Forgets a number: it is used as a color, which is told where that happens.
    pub fn forget(&mut self, number: u16) {
        self.kept.retain(|color| color.number != number);
    }
}
