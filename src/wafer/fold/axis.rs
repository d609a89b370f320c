//! Columns or rows of a wafer that repeat: some of them stand for all.

use std::collections::BTreeSet;

/// Longer patterns are not looked for.
const LONGEST_PERIOD: usize = 8;
/// Places of a wafer in one direction. From `start` on a pattern of `period` places repeats; of its
/// repetitions `kept` stay, and `left_out` are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    real: usize,
    start: usize,
    period: usize,
    kept: usize,
    left_out: usize,
    /// Where the `period` places begin that stand for those that are left out.
    model: usize,
}

impl Axis {
    /// Finds what repeats; places of one kind are alike. At each end `margin` repetitions are kept, and
    /// three between.
    pub fn new(kinds: &[u32], margin: usize) -> Axis {
        let whole = Axis { real: kinds.len(), start: 0, period: 1, kept: 0, left_out: 0, model: 0 };
        let found = (1..=LONGEST_PERIOD).map(|period| Axis::repeating(kinds, period, margin));
        found.fold(whole, |best, next| if next.folded() < best.folded() { next } else { best })
    }

    /// The longest part that repeats with a period.
    fn repeating(kinds: &[u32], period: usize, margin: usize) -> Axis {
        let (mut start, mut length) = (0, 0);
        let mut from = 0;
        for at in 0..kinds.len() {
            if at >= from + period && kinds[at] != kinds[at - period] {
                from = at + 1 - period;
            }
            if at + 1 - from > length {
                (start, length) = (from, at + 1 - from);
            }
        }
        let all = length / period;
        let kept = (2 * margin + 3).min(all);
        Axis { real: kinds.len(), start, period, kept, left_out: all - kept, model: start }
    }

    /// Places that are left.
    pub fn folded(&self) -> usize {
        self.real - self.left_out * self.period
    }

    /// A place of the wafer that is like this one of those that are left.
    pub fn example(&self, folded: usize) -> usize {
        let before = self.start + self.kept * self.period;
        if folded < before { folded } else { folded + self.left_out * self.period }
    }

    /// The place that stands for a place of the wafer.
    pub fn fold(&self, real: usize) -> usize {
        let cut = self.model + self.period;
        let behind = cut + self.left_out * self.period;
        if real < cut {
            real
        } else if real < behind {
            self.model + (real - cut) % self.period
        } else {
            real - self.left_out * self.period
        }
    }

    /// Place `k` of what repeats, and the one at the same position of the next repetition.
    pub fn pair(&self, k: usize) -> (usize, usize) {
        (self.start + k, self.start + k + self.period)
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.kept.saturating_sub(1) * self.period
    }

    /// Chooses the places that stand for those that are left out; `alike[k]` says that both of pair `k`
    /// have done the same. Gives the distance up to which neighbours of all of them have, too: as far as
    /// pairs before the first of these places are alike, and from there on; `None` if there are no such
    /// places.
    pub fn settle(&mut self, alike: &[bool]) -> Option<usize> {
        if self.left_out == 0 {
            return Some(usize::MAX);
        }
        let (mut best, mut from) = (0..0, 0);
        for (k, same) in alike.iter().chain([&false]).enumerate() {
            if !same {
                if k - from > best.len() {
                    best = from..k;
                }
                from = k + 1;
            }
        }
        let reach = best.len() / 2;
        self.model = self.start + best.start + reach;
        (reach > 0).then_some(reach)
    }

    /// The places that stand for what lies `distance` away from those for which a place stands.
    pub fn neighbours(&self, folded: usize, distance: isize) -> BTreeSet<usize> {
        let stands_for = (0..self.real).filter(|real| self.fold(*real) == folded);
        let beside = stands_for.filter_map(|real| real.checked_add_signed(distance));
        beside.filter(|real| *real < self.real).map(|real| self.fold(real)).collect()
    }

    /// For how many places each one stands.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.folded()];
        (0..self.real).for_each(|real| counts[self.fold(real)] += 1);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<u32> {
        text.bytes().map(u32::from).collect()
    }

    #[test]
    fn a_pattern_between_two_borders_is_left_out() {
        let text = format!("w{}e", "abc".repeat(40));
        let axis = Axis::new(&kinds(&text), 2);
        assert_eq!((axis.start, axis.period, axis.kept, axis.left_out), (1, 3, 7, 33));
        assert_eq!(axis.folded(), 23);
        let folded: String = (0..23).map(|k| text.as_bytes()[axis.example(k)] as char).collect();
        assert_eq!(folded, "wabcabcabcabcabcabcabce");
    }

    #[test]
    fn every_place_is_stood_for_by_one_of_its_kind() {
        let text = format!("xy{}qab", "ab".repeat(50));
        let kinds = kinds(&text);
        let mut axis = Axis::new(&kinds, 6);
        let alike: Vec<bool> = (0..axis.pairs()).map(|k| k > 1 && k < 11).collect();
        assert_eq!(axis.settle(&alike), Some(4));
        for real in 0..kinds.len() {
            assert_eq!(kinds[axis.example(axis.fold(real))], kinds[real], "{real}");
        }
        assert_eq!(axis.counts().iter().sum::<u64>(), kinds.len() as u64);
        assert_eq!(axis.fold(kinds.len() - 1), axis.folded() - 1);
    }

    #[test]
    fn two_alike_pairs_side_by_side_are_needed() {
        let mut axis = Axis::new(&[7; 100], 4);
        let mut alike = vec![false; axis.pairs()];
        alike[4] = true;
        assert_eq!(axis.settle(&alike), None);
        alike[5] = true;
        assert_eq!(axis.settle(&alike), Some(1));
        assert_eq!(axis.neighbours(axis.fold(50), 1).len(), 2);
    }

    #[test]
    fn what_does_not_repeat_stays() {
        let axis = Axis::new(&[1, 2, 3, 4, 5], 1);
        assert_eq!((axis.folded(), axis.fold(3), axis.example(3)), (5, 3, 3));
        assert_eq!(axis.clone().settle(&[]), Some(usize::MAX));
    }
}
