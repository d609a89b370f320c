//! Shows printed lines while the run goes on.
//!
//! In: the lines of all PEs, and the clock. Out: lines whose cycle has come to pass, in order, to whoever follows.
//! Never: changes what a run does or in which order its lines come; only when somebody sees them depends on the time of day.

use super::Wafer;
use crate::pe::Printed;
use std::time::{Duration, Instant};

/// Takes the next lines; false if it cannot, and wants no more of them.
pub type LineConsumer = Box<dyn FnMut(&[Printed]) -> bool + Send + Sync>;

/// How long a line waits at most, if cycles are short: lines are sorted each time some are shown.
const PERIOD: Duration = Duration::from_millis(100);

/// Cycles between two looks at the time of day, which takes as long as a short cycle.
const CYCLES_BETWEEN_LOOKS: u32 = 64;

/// Who follows the lines of a run, and how far.
#[derive(Default)]
pub(super) struct LineFollower {
    consumer: Option<LineConsumer>,
    /// How many lines have been shown.
    shown: usize,
    /// When lines were last due.
    last_due: Option<Instant>,
    /// Cycles until the next look at the time of day.
    patience: u32,
}

/// Nobody follows a copy of a run.
impl Clone for LineFollower {
    fn clone(&self) -> LineFollower {
        LineFollower::default()
    }
}

impl LineFollower {
    /// Shows the lines from now on.
    pub fn follow(&mut self, consumer: LineConsumer) {
        self.consumer = Some(consumer);
    }

    /// Whether it is time to show lines, if there are `count` of them.
    #[inline]
    pub fn is_due(&mut self, count: usize) -> bool {
        self.consumer.is_some() && count > self.shown && self.has_waited()
    }

    fn has_waited(&mut self) -> bool {
        self.patience = self.patience.checked_sub(1).unwrap_or(CYCLES_BETWEEN_LOOKS);
        if self.patience > 0 {
            return false;
        }
        let now = Instant::now();
        let has_waited = self.last_due.is_none_or(|last| now.duration_since(last) >= PERIOD);
        if has_waited {
            self.last_due = Some(now);
        }
        has_waited
    }

    /// Shows those of all lines up to now, in their order, that have not been shown.
    pub fn show(&mut self, lines: &[Printed]) {
        let Some(consumer) = &mut self.consumer else { return };
        match lines.get(self.shown..) {
            Some(fresh) if !fresh.is_empty() => match consumer(fresh) {
                true => self.shown = lines.len(),
                false => self.consumer = None,
            },
            Some(_) | None => {}
        }
    }

    /// Those of all lines up to now that have not been shown; they count as such from now on.
    pub fn take_left<'l>(&mut self, lines: &'l [Printed]) -> &'l [Printed] {
        let left = lines.get(self.shown..).unwrap_or_default();
        self.shown += left.len();
        left
    }
}

impl Wafer {
    /// Lines printed so far, by cycle and PE.
    pub fn printed(&mut self) -> &[Printed] {
        self.findings.printed()
    }

    /// From now on, shows printed lines while the run goes on.
    pub fn follow_lines(&mut self, consumer: LineConsumer) {
        self.findings.follow_lines(consumer);
    }

    /// Shows what is left of the lines printed so far to whoever follows them, and takes those that nobody is shown.
    pub fn take_unshown(&mut self) -> Vec<Printed> {
        self.findings.take_unshown()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::PeCoord;
    use std::sync::{Arc, Mutex};

    fn lines(count: u64) -> Vec<Printed> {
        (0..count)
            .map(|cycle| Printed { pe: PeCoord { x: 0, y: 0 }, cycle, text: cycle.to_string() })
            .collect()
    }

    #[test]
    fn each_line_is_shown_once() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut follower = LineFollower::default();
        assert!(!follower.is_due(3), "nobody follows");
        let to = Arc::clone(&seen);
        follower.follow(Box::new(move |fresh| {
            to.lock().unwrap().extend(fresh.iter().map(|line| line.cycle));
            true
        }));
        for count in [2, 2, 5] {
            follower.show(&lines(count));
        }
        assert_eq!(*seen.lock().unwrap(), [0, 1, 2, 3, 4]);
        assert!(follower.take_left(&lines(5)).is_empty());
        assert_eq!(follower.clone().take_left(&lines(5)).len(), 5, "nobody follows a copy");
    }

    #[test]
    fn lines_that_cannot_be_taken_are_left() {
        let mut follower = LineFollower::default();
        follower.follow(Box::new(|fresh| fresh.len() < 3));
        for count in [2, 5, 6] {
            follower.show(&lines(count));
        }
        let all = lines(6);
        assert_eq!(follower.take_left(&all), &all[2..]);
        assert!(follower.take_left(&all).is_empty(), "each line is taken once");
    }
}
