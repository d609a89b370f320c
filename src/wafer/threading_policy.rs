//! Whether several threads run a cycle together: while that takes less time than one would.
//!
//! Threads wait for each other twice in each cycle. Where other processes need the processors, or where one band has all the
//! work of a cycle, several threads take longer than one. So both ways are tried in turns, and the faster one goes on. That
//! decides nothing but how long a run takes.

use std::time::Duration;

/// Cycles that take longer than this on one thread are worth several: handing work to another thread costs about 5
/// microseconds while that is awake, and ten times as much while it sleeps.
const WORTH_SHARING: Duration = Duration::from_micros(40);

/// How long each way is tried.
const TRIAL: Duration = Duration::from_millis(2);

/// How long the faster way goes on before the other one is tried again, at first and at most: trials then take less than a
/// hundredth of the time.
const STRETCHES: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(320));

/// Several threads have to be so many times as fast as one, because a thread that waits for another one takes its
/// processor from other processes.
const LEAST_GAIN: f64 = 1.2;

/// Time, and what was done in it: PEs and routers that had something to do.
#[derive(Copy, Clone, Debug, Default)]
struct Done {
    time: Duration,
    load: usize,
}

impl Done {
    /// Seconds for each PE or router.
    fn rate(self) -> f64 {
        self.time.as_secs_f64() / self.load.max(1) as f64
    }
}

/// Decides on how many threads cycles run, from how long the last ones took.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct ThreadingPolicy {
    /// How long a cycle took, the times of all threads together.
    pace: Duration,
    /// Whether cycles that are long enough run on several threads.
    is_together: bool,
    /// This way is only being tried.
    is_trial: bool,
    /// How long this way goes on.
    left: Duration,
    /// What was done in the last cycles of this mode, about as many as a trial has.
    done: Done,
    /// The rate of the other way when last used.
    other: Option<f64>,
    /// How long the last stretch took.
    stretch: Duration,
}

impl ThreadingPolicy {
    /// Whether cycles take so long that several threads could gain.
    pub fn is_long(&self) -> bool {
        self.pace > WORTH_SHARING
    }

    /// Whether it is their turn.
    pub fn is_together(&self) -> bool {
        self.is_together
    }

    /// Notes how long a cycle took, the times of all threads together.
    pub fn note_pace(&mut self, work: Duration) {
        self.pace = (3 * self.pace + work) / 4;
    }

    /// A cycle that could be shared has taken some time for so many PEs and routers.
    pub fn note(&mut self, took: Duration, load: usize) {
        if self.left > TRIAL {
            self.done = Done::default();
        }
        self.done.time += took;
        self.done.load += load;
        self.left = self.left.saturating_sub(took);
        if self.left.is_zero() {
            self.choose();
        }
    }

    /// Chooses the mode for the next stretch, and its length.
    fn choose(&mut self) {
        let rate = std::mem::take(&mut self.done).rate();
        let is_faster = self.other.is_some_and(|other| match self.is_together {
            true => rate * LEAST_GAIN < other,
            false => rate < other * LEAST_GAIN,
        });
        if self.is_trial && is_faster {
            self.stretch = STRETCHES.0;
            (self.is_trial, self.left) = (false, self.stretch);
            return;
        }
        // Back from a trial, for a longer stretch than before; or off to a trial.
        if self.is_trial {
            self.stretch = (2 * self.stretch).clamp(STRETCHES.0, STRETCHES.1);
        }
        self.is_trial = !self.is_trial;
        self.left = if self.is_trial { TRIAL } else { self.stretch };
        self.is_together = !self.is_together;
        self.other = Some(rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of cycles that take one thread a millisecond, the share that several threads run, if they are so many times as fast.
    fn shared_of(sharing: &mut ThreadingPolicy, gain: f64, cycles: u32) -> f64 {
        let mut together = 0;
        for _ in 0..cycles {
            together += u32::from(sharing.is_together());
            let gain = if sharing.is_together() { gain } else { 1.0 };
            sharing.note_pace(Duration::from_millis(1));
            sharing.note(Duration::from_millis(1).div_f64(gain), 1000);
        }
        f64::from(together) / f64::from(cycles)
    }

    #[test]
    fn the_faster_way_goes_on_and_the_other_is_tried_ever_more_rarely() {
        let mut sharing = ThreadingPolicy::default();
        assert!(!sharing.is_long());
        shared_of(&mut sharing, 1.8, 2000);
        assert!(sharing.is_long());
        assert!(shared_of(&mut sharing, 1.8, 10_000) > 0.98);
        shared_of(&mut sharing, 0.5, 2000);
        assert!(shared_of(&mut sharing, 0.5, 10_000) < 0.02);
        shared_of(&mut sharing, 1.5, 2000);
        assert!(shared_of(&mut sharing, 1.5, 10_000) > 0.98, "what has changed is noticed");
        shared_of(&mut sharing, 1.1, 2000);
        assert!(shared_of(&mut sharing, 1.1, 10_000) < 0.02, "too little is gained");
    }
}
