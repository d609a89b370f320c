//! Sorts numbers below a bound, with a bitmap.

/// As many numbers are sorted faster bit by bit.
const MANY: usize = 64;

/// Sorts lists of numbers below a bound.
#[derive(Clone, Debug)]
pub struct BitmapSorter {
    /// One bit for each number; all zero in between.
    bits: Vec<u64>,
}

impl BitmapSorter {
    /// For numbers below `bound`.
    pub fn new(bound: usize) -> BitmapSorter {
        BitmapSorter { bits: vec![0; bound.div_ceil(64)] }
    }

    /// Sorts numbers, and drops those that are there twice.
    #[inline]
    pub fn sort(&mut self, numbers: &mut Vec<u32>) {
        if numbers.len() > 1 {
            self.sort_several(numbers);
        }
    }

    fn sort_several(&mut self, numbers: &mut Vec<u32>) {
        if numbers.len() < MANY {
            numbers.sort_unstable();
            return numbers.dedup();
        }
        let (mut first, mut last) = (usize::MAX, 0);
        for number in numbers.drain(..) {
            let at = number as usize / 64;
            (first, last) = (first.min(at), last.max(at));
            self.bits[at] |= 1 << (number % 64);
        }
        for at in first..=last {
            let mut row = std::mem::take(&mut self.bits[at]);
            while row != 0 {
                numbers.push(64 * at as u32 + row.trailing_zeros());
                row &= row - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_numbers_are_sorted_and_each_is_there_once() {
        let mut order = BitmapSorter::new(1000);
        for count in [0, 5, 63, 64, 300] {
            let mut numbers: Vec<u32> = (0..count).map(|n| n * 577 % 1000).chain([999, 0]).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            expected.dedup();
            order.sort(&mut numbers);
            assert_eq!(numbers, expected);
        }
    }
}
