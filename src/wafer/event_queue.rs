//! Which PE runs in which cycle.

use crate::bitmap_sorter::BitmapSorter;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NEVER: u64 = u64::MAX;

/// The cycle in which each PE runs next, if it does.
#[derive(Clone)]
pub struct EventQueue {
    wakes: Vec<u64>,
    /// The PEs of the coming cycles: cycle `c` has row `c % NEAR`.
    near: Vec<Vec<u32>>,
    /// Rows that hold something, bit = row.
    filled: u64,
    /// The first cycle that has a row.
    first: u64,
    later: BinaryHeap<Reverse<(u64, u32)>>,
    order: BitmapSorter,
    /// This keeps the memory of a list.
    due: Vec<u32>,
}

/// The number of rows.
const NEAR: u64 = 64;

impl EventQueue {
    /// Nobody runs.
    pub fn new(pes: usize) -> EventQueue {
        EventQueue {
            wakes: vec![NEVER; pes],
            near: (0..NEAR).map(|_| Vec::new()).collect(),
            filled: 0,
            first: 0,
            later: BinaryHeap::new(),
            order: BitmapSorter::new(pes),
            due: Vec::new(),
        }
    }

    /// A PE runs in a cycle, if it does not run earlier.
    #[inline]
    pub fn wake(&mut self, pe: usize, cycle: u64, now: u64) {
        let cycle = cycle.max(now);
        if cycle >= self.wakes[pe] {
            return;
        }
        self.wakes[pe] = cycle;
        if cycle - self.first < NEAR {
            self.near[(cycle % NEAR) as usize].push(pe as u32);
            self.filled |= 1 << (cycle % NEAR);
        } else {
            self.later.push(Reverse((cycle, pe as u32)));
        }
    }

    /// Removes a PE that runs now; it is scheduled again after its visit.
    pub fn take(&mut self, pe: usize) {
        self.wakes[pe] = NEVER;
    }

    /// The first cycle at or after `now` in which somebody runs.
    pub fn next(&self, now: u64) -> Option<u64> {
        let later = self.later.peek().map(|Reverse((cycle, _))| *cycle);
        [self.next_row(), later].into_iter().flatten().min().map(|cycle| cycle.max(now))
    }

    /// The first cycle whose row holds something.
    fn next_row(&self) -> Option<u64> {
        let from_first = self.filled.rotate_right((self.first % NEAR) as u32);
        (self.filled != 0).then(|| self.first + u64::from(from_first.trailing_zeros()))
    }

    /// The cycle in which a PE runs, if there is one.
    pub fn next_of(&self, pe: usize) -> Option<u64> {
        Some(self.wakes[pe]).filter(|cycle| *cycle != NEVER)
    }

    /// Whether a PE runs in some cycle.
    pub fn runs(&self, pe: usize) -> bool {
        self.wakes[pe] != NEVER
    }

    /// Whether nobody does.
    pub fn is_empty(&self) -> bool {
        self.wakes.iter().all(|cycle| *cycle == NEVER)
    }

    /// Takes those who run now, each once, by their number. The list may come back with
    /// [`EventQueue::keep`].
    pub fn take_due(&mut self, now: u64) -> Vec<u32> {
        let mut due = std::mem::take(&mut self.due);
        while let Some(cycle) = self.next_row().filter(|cycle| *cycle <= now) {
            due.append(&mut self.near[(cycle % NEAR) as usize]);
            self.filled &= !(1 << (cycle % NEAR));
        }
        self.first = now;
        while let Some(Reverse((cycle, pe))) = self.later.peek().copied() {
            if cycle > now {
                break;
            }
            self.later.pop();
            due.push(pe);
        }
        // An entry is stale if its PE has run since.
        due.retain(|pe| self.wakes[*pe as usize] <= now);
        self.order.sort(&mut due);
        for pe in &due {
            self.wakes[*pe as usize] = NEVER;
        }
        due
    }

    /// Keeps the memory of a list for the next one.
    pub fn keep(&mut self, mut due: Vec<u32>) {
        due.clear();
        self.due = due;
    }

    /// These PEs run in this cycle.
    pub fn wake_all(&mut self, pes: &[u32], now: u64) {
        pes.iter().for_each(|pe| self.wake(*pe as usize, now, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pe_runs_at_its_earliest_time_and_once() {
        let mut a = EventQueue::new(4);
        a.wake(2, 9, 0);
        a.wake(2, 5, 0);
        a.wake(1, 5, 0);
        a.wake(3, 0, 0);
        assert_eq!(a.next(0), Some(0));
        assert_eq!(a.take_due(0), [3]);
        assert_eq!(a.next(1), Some(5));
        assert_eq!(a.take_due(5), [1, 2]);
        assert!(a.take_due(9).is_empty());
        assert_eq!(a.next(10), None);
        a.wake(3, 11, 10);
        a.wake(2, 1000, 10);
        assert_eq!(a.take_due(11), [3]);
        assert_eq!(a.next(12), Some(1000));
    }

    #[test]
    fn many_run_in_the_order_of_their_numbers() {
        let mut a = EventQueue::new(1000);
        (0..1000).rev().filter(|pe| pe % 3 == 0).for_each(|pe| a.wake(pe, 0, 0));
        a.wake(500, 7, 0);
        a.wake(500, 0, 0);
        let expected: Vec<u32> = (0..1000).filter(|pe| pe % 3 == 0 || *pe == 500).collect();
        assert_eq!(a.take_due(0), expected);
        assert_eq!(a.next(1), Some(7), "what is stale is noticed when its cycle comes");
        assert!(a.take_due(7).is_empty());
    }
}
