//! A timing wheel: the routers at which wavelets arrive in the coming cycles.

use crate::state_hash::StateHash;

/// Slots of the wheel. A ramp takes fewer cycles; an entry that is further away stays for another round.
pub const ROWS: u64 = 32;

/// Routers at which a wavelet arrives that comes first on its ramp, and when.
#[derive(Clone, Debug)]
pub struct TimingWheel {
    /// Cycle `c` has row `c % ROWS`.
    rows: [Vec<(u64, u32)>; ROWS as usize],
    /// Rows that hold something, bit = row.
    filled: u32,
}

impl TimingWheel {
    /// Nothing arrives.
    pub fn new() -> TimingWheel {
        TimingWheel { rows: Default::default(), filled: 0 }
    }

    /// Something arrives at a router in a cycle.
    pub fn add(&mut self, cycle: u64, pe: u32) {
        let row = cycle % ROWS;
        self.rows[row as usize].push((cycle, pe));
        self.filled |= 1 << row;
    }

    /// Takes the routers at which something arrives in this cycle.
    pub fn take_due(&mut self, now: u64, mut take: impl FnMut(u32)) {
        let row = now % ROWS;
        if self.filled & 1 << row == 0 {
            return;
        }
        let entries = &mut self.rows[row as usize];
        entries.retain(|(cycle, pe)| {
            if *cycle <= now {
                take(*pe);
            }
            *cycle > now
        });
        if entries.is_empty() {
            self.filled &= !(1 << row);
        }
    }

    /// Adds what arrives when to the hash of a state.
    pub fn add_state(&self, state: &mut StateHash) {
        let mut all: Vec<_> = self.rows.iter().flatten().copied().collect();
        all.sort_unstable();
        for (cycle, pe) in all {
            state.add_cycle(cycle);
            state.add(pe.into());
        }
    }

    /// The first cycle, from this one on, for which something may have to be taken.
    pub fn next(&self, now: u64) -> Option<u64> {
        let from_now = self.filled.rotate_right((now % ROWS) as u32);
        (self.filled != 0).then(|| now + u64::from(from_now.trailing_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(timing_wheel: &mut TimingWheel, now: u64) -> Vec<u32> {
        let mut due = Vec::new();
        timing_wheel.take_due(now, |pe| due.push(pe));
        due
    }

    #[test]
    fn everything_arrives_in_its_cycle_however_far_away() {
        let mut timing_wheel = TimingWheel::new();
        assert_eq!(timing_wheel.next(7), None);
        timing_wheel.add(10, 1);
        timing_wheel.add(10 + ROWS, 2);
        timing_wheel.add(12, 3);
        assert_eq!(timing_wheel.next(7), Some(10));
        assert_eq!(due(&mut timing_wheel, 9), [0; 0]);
        assert_eq!(due(&mut timing_wheel, 10), [1]);
        assert_eq!(due(&mut timing_wheel, 12), [3]);
        assert_eq!(timing_wheel.next(13), Some(10 + ROWS));
        assert_eq!(due(&mut timing_wheel, 10 + ROWS), [2]);
        assert_eq!(timing_wheel.next(11 + ROWS), None);
    }
}
