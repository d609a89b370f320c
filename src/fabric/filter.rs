//! Filters: what keeps wavelets of a color from the PE (docs/decisions.md).

use super::Wavelet;
use crate::image::routes::Filter;

/// A filter at work.
#[derive(Clone, Debug)]
pub struct FilterState {
    filter: Filter,
    counter: u32,
    /// How many wavelets of a period pass.
    passing: u32,
    limit: Option<u32>,
    next_limit: Option<u32>,
    off: bool,
}

impl FilterState {
    /// A filter as configured.
    pub fn new(filter: &Filter) -> FilterState {
        let (counter, passing, limit, next_limit, off) = match filter {
            Filter::Range { .. } => (0, 0, None, None, false),
            Filter::Counter { init, limit1, limit2, sparse, max, .. } => {
                (*init, max.saturating_add(1), *limit1, *limit2, *sparse && limit1.is_none())
            }
        };
        FilterState { filter: filter.clone(), counter, passing, limit, next_limit, off }
    }

    /// A word of its registers; only counters have any.
    pub fn word(&self, place: u16) -> Option<u16> {
        let value = match self.filter {
            Filter::Range { .. } => return None,
            Filter::Counter { .. } => match place / 2 {
                0 => self.counter,
                1 => self.limit.unwrap_or(u32::MAX),
                _ => self.passing,
            },
        };
        Some((value >> (16 * (place % 2))) as u16)
    }

    /// Writes a word of its registers; false if it has none.
    pub fn set_word(&mut self, place: u16, word: u16) -> bool {
        if matches!(self.filter, Filter::Range { .. }) {
            return false;
        }
        let shift = 16 * (place % 2);
        let set = |old: u32| old & !(0xffff << shift) | u32::from(word) << shift;
        match place / 2 {
            0 => self.counter = set(self.counter),
            1 => self.limit = Some(set(self.limit.unwrap_or(u32::MAX))),
            _ => self.passing = set(self.passing),
        }
        true
    }

    /// Whether the wavelet may pass; counts it.
    pub fn passes(&mut self, w: Wavelet) -> bool {
        if self.off {
            return true;
        }
        match self.filter {
            Filter::Range { min, max } => w.control || (min..=max).contains(&((w.data >> 16) as u16)),
            Filter::Counter { sparse, count_data, count_control, filter_control, .. } => {
                let passes = match filter_control {
                    true => w.control && self.counter + 1 == self.passing,
                    false => self.counter < self.passing,
                };
                if if w.control { count_control } else { count_data } {
                    self.count(sparse);
                }
                passes
            }
        }
    }

    fn count(&mut self, sparse: bool) {
        if Some(self.counter) != self.limit {
            self.counter = self.counter.wrapping_add(1);
            return;
        }
        self.counter = 0;
        if sparse {
            self.limit = self.next_limit.take();
            self.off = self.limit.is_none();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(index: u16) -> Wavelet {
        Wavelet { data: u32::from(index) << 16, control: false }
    }

    fn counter(sparse: bool, limit2: Option<u32>) -> Filter {
        Filter::Counter {
            sparse,
            count_data: true,
            count_control: false,
            init: 0,
            limit1: Some(3),
            limit2,
            max: 0,
            filter_control: false,
        }
    }

    fn passed(mut f: FilterState, n: u16) -> Vec<u16> {
        (0..n).filter(|i| f.passes(data(*i))).collect()
    }

    #[test]
    fn a_counter_passes_its_share_of_every_period() {
        assert_eq!(passed(FilterState::new(&counter(false, None)), 8), [0, 4]);
    }

    #[test]
    fn a_sparse_counter_switches_itself_off_at_its_last_limit() {
        assert_eq!(passed(FilterState::new(&counter(true, None)), 6), [0, 4, 5]);
        assert_eq!(passed(FilterState::new(&counter(true, Some(1))), 8), [0, 4, 6, 7]);
    }

    #[test]
    fn a_range_looks_at_the_index_of_data_only() {
        let mut f = FilterState::new(&Filter::Range { min: 2, max: 3 });
        assert!(!f.passes(data(1)));
        assert!(f.passes(data(3)));
        assert!(f.passes(Wavelet { data: 0, control: true }));
    }
}
