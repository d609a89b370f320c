//! What a compilation may still take: comptime steps and nesting.

use crate::diagnostics::rules::comptime as rules;
use crate::diagnostics::{Diag, Result};
use crate::source::Span;

/// How deeply expressions, statements and comptime calls may nest together.
const MAX_DEPTH: u32 = 3000;

/// Limits that keep a compilation finite.
#[derive(Debug)]
pub struct Budget {
    /// Comptime steps after which evaluation is called endless.
    limit: u64,
    /// Comptime steps left.
    fuel: u64,
    /// Comptime steps so far, which are never given back.
    steps: u64,
    /// Nesting of expressions and statements under way.
    depth: u32,
    /// Set when a limit was hit: whatever is looked at after that would only hit it again.
    gave_up: bool,
}

impl Budget {
    /// A full budget of so many comptime steps.
    pub fn new(limit: u64) -> Budget {
        Budget { limit, fuel: limit, steps: 0, depth: 0, gave_up: false }
    }

    /// Restores all steps.
    pub fn refill(&mut self) {
        self.fuel = self.limit;
    }

    /// Takes one comptime step.
    ///
    /// # Errors
    /// None is left.
    pub fn step(&mut self, span: Span) -> Result<()> {
        if self.fuel == 0 {
            let diag = rules::COMPTIME_FUEL.because(&[("steps", &self.limit)]).at(span);
            return Err(self.give_up(diag.help("end the loop, or compute this while the program runs")));
        }
        self.fuel -= 1;
        self.steps += 1;
        Ok(())
    }

    /// Takes many comptime steps; `None` if there are not so many left.
    pub fn take(&mut self, steps: u64) -> Option<()> {
        self.fuel = self.fuel.checked_sub(steps)?;
        self.steps += steps;
        Some(())
    }

    /// Comptime steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// One level deeper, until `leave`.
    ///
    /// # Errors
    /// The program nests too deeply, or a limit was hit before.
    pub fn enter(&mut self, span: Span) -> Result<()> {
        if self.gave_up {
            return Err(rules::REPORTED.plain());
        }
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        self.depth += 1;
        Ok(())
    }

    /// A recursion that goes on and on is given up.
    pub fn too_deep(&mut self, span: Span) -> Diag {
        let diag = rules::TOO_DEEP.plain().at(span);
        self.give_up(diag.help("end the recursion: check for the base case before the call"))
    }

    /// One level up.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The last diagnostic, about a limit that was hit.
    pub fn give_up(&mut self, diag: Diag) -> Diag {
        if std::mem::replace(&mut self.gave_up, true) { rules::REPORTED.plain() } else { diag }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn a_limit_that_was_hit_is_told_once() {
        let span = Span::new(FileId(0), 0, 0);
        let mut budget = Budget::new(1);
        assert!(budget.step(span).is_ok());
        let told = |result: Result<()>| result.map_err(|diag| diag.rule().to_string());
        assert_eq!(told(budget.step(span)), Err(rules::COMPTIME_FUEL.name.to_string()));
        assert_eq!(told(budget.step(span)), Err(String::new()));
        assert_eq!(told(budget.enter(span)), Err(String::new()));
    }

    #[test]
    fn steps_that_were_taken_are_counted_on_after_a_refill() {
        let span = Span::new(FileId(0), 0, 0);
        let mut budget = Budget::new(3);
        assert!(budget.step(span).is_ok());
        assert_eq!(budget.take(3), None);
        assert_eq!(budget.take(2), Some(()));
        budget.refill();
        assert_eq!(budget.take(3), Some(()));
        assert_eq!(budget.steps(), 6);
    }
}
