//! How soon an operation reads a word again that it has written.
//!
//! In: the destination and a source of an operation. Out: the distance in elements. A machine that processes several
//! elements at once reads the old value if they are fewer.

use super::access::AddressCursor;
use super::footprint::Footprint;

/// Distances that are looked for: no machine processes more elements at once.
pub const MOST_AT_ONCE: usize = 8;
/// Elements that are compared one by one at most.
const MOST_COMPARED: u32 = 4096;

/// How many elements after it is written along `dest` a word is read along `source`, at least; `None` if that never
/// happens, or so late that it does not matter.
pub fn lag(dest: &AddressCursor, source: &AddressCursor, count: u32) -> Option<u32> {
    match dest.lag_of_lines(source, count) {
        Some(lag) => lag,
        None if dest.visits_the_same(source) || dest.lies_apart_from(source, count) => None,
        None => lag_of_equal_shapes(dest, source, count)
            .unwrap_or_else(|| lag_of_paths(dest, source, count.min(MOST_COMPARED))),
    }
}

/// The same for two whole vectors of one shape within bounds, such as tiles of one matrix, whose rows are so long that a
/// distance ends at most one of them; `None` for others. Every element of `source` lies as far behind the one of `dest`,
/// so that each distance along the path means one of few distances in memory.
fn lag_of_equal_shapes(dest: &AddressCursor, source: &AddressCursor, count: u32) -> Option<Option<u32>> {
    let is_whole = count <= MOST_COMPARED && dest.elements() == count;
    if !is_whole || !dest.has_shape_of(source) || usize::from(dest.extent[0]) < MOST_AT_ONCE {
        return None;
    }
    if ![dest, source].into_iter().all(AddressCursor::is_whole_in_bounds) {
        return None;
    }
    let (apart, row, words) = (source.at - dest.at, dest.step[0], i32::from(dest.words));
    let ends = || (1..usize::from(dest.dims)).filter(|dim| dest.extent[*dim] > 1).map(|dim| dest.step[dim]);
    let meets = |lag: &i32| {
        let is_shared = |distance: i32| (distance + apart).abs() < words;
        is_shared(lag * row) || ends().any(|end| is_shared((lag - 1) * row + end))
    };
    Some((1..MOST_AT_ONCE as i32).find(meets).map(|lag| lag as u32))
}

fn lag_of_paths(dest: &AddressCursor, source: &AddressCursor, count: u32) -> Option<u32> {
    let (written, read) = (Footprint::new(dest, count)?.span(), Footprint::new(source, count)?.span());
    if written.1 <= read.0 || read.1 <= written.0 {
        return None;
    }
    let (written, read) = (addresses(*dest, count), addresses(*source, count));
    let (words, read_words) = (usize::from(dest.words()), usize::from(source.words()));
    let is_shared = |a: usize, b: usize| a < b + read_words && b < a + words;
    let meet = |lag: &usize| written.iter().zip(read.iter().skip(*lag)).any(|(a, b)| is_shared(*a, *b));
    (1..MOST_AT_ONCE).find(meet).map(|lag| lag as u32)
}

impl AddressCursor {
    /// How many elements after it is written along `self` a word is read along `source`, at least, or that this
    /// never happens; `None` unless the two are lines that move in equal steps.
    pub fn lag_of_lines(&self, source: &AddressCursor, count: u32) -> Option<Option<u32>> {
        let (step, count) = (self.step[0], count as i32);
        let comparable = self.is_line() && source.is_line() && self.words == source.words && step != 0;
        if !comparable || source.step[0].abs() != step.abs() {
            return None;
        }
        let (apart, words) = ((self.at - source.at).rem_euclid(step.abs()), i32::from(self.words));
        if apart >= words && step.abs() - apart >= words {
            return Some(None);
        }
        if apart != 0 {
            return None;
        }
        let ahead = (self.at - source.at) / step;
        let lag = if source.step[0] == step {
            ahead
        } else {
            // Element i is written where element `-ahead - i` is read.
            let i = (-ahead - 1).div_euclid(2);
            if i < 0 || -ahead - i >= count { 0 } else { -ahead - 2 * i }
        };
        Some((lag > 0 && lag < count).then_some(lag as u32))
    }

    /// Whether another one goes through the same addresses, with elements of the same size.
    pub fn visits_the_same(&self, other: &AddressCursor) -> bool {
        let dims = usize::from(self.dims);
        (self.at, self.words, self.dims, self.ring) == (other.at, other.words, other.dims, other.ring)
            && self.extent[..dims] == other.extent[..dims]
            && self.step[..dims] == other.step[..dims]
    }

    /// Whether another one has the same extents and steps, with elements of the same size, and nothing is done of both,
    /// which are no circular buffers.
    fn has_shape_of(&self, other: &AddressCursor) -> bool {
        let dims = usize::from(self.dims);
        let is_untouched = |cursor: &AddressCursor| cursor.ring.is_none() && cursor.done == [0; 4];
        (self.words, self.dims) == (other.words, other.dims)
            && self.extent[..dims] == other.extent[..dims]
            && self.step[..dims] == other.step[..dims]
            && is_untouched(self)
            && is_untouched(other)
    }

    /// Whether both are no circular buffers, nothing is done of either, and their whole vectors, which have at least
    /// `count` elements, lie in words of memory that do not touch.
    fn lies_apart_from(&self, other: &AddressCursor, count: u32) -> bool {
        let is_whole = |cursor: &AddressCursor| {
            cursor.ring.is_none() && cursor.done == [0; 4] && cursor.elements() >= count
        };
        let (mine, theirs) = (self.whole_span(), other.whole_span());
        is_whole(self) && is_whole(other) && (mine.1 <= theirs.0 || theirs.1 <= mine.0)
    }

    /// Whether all elements lie where they may, if it is no circular buffer and none is done.
    pub fn is_whole_in_bounds(&self) -> bool {
        let (low, high) = self.whole_span();
        low >= self.limits.0 && high <= self.limits.1
    }

    /// The lowest word and one past the highest, if it is no circular buffer and none is done.
    pub fn whole_span(&self) -> (i32, i32) {
        // From the first to the last element of the dimensions so far, in one step and in all that go down and up.
        let (mut last, mut low, mut high) = (0, self.at, self.at + i32::from(self.words));
        for (extent, step) in self.extent.iter().zip(self.step).take(self.dims.into()) {
            let whole = (last + step).saturating_mul(i32::from(*extent) - 1);
            (low, high) = (low.saturating_add(whole.min(0)), high.saturating_add(whole.max(0)));
            last = last.saturating_add(whole);
        }
        (low, high)
    }
}

/// The addresses of the next elements, as far as they are in bounds.
fn addresses(mut cursor: AddressCursor, count: u32) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::new();
    while all.len() < count as usize
        && let Ok(row) = cursor.next_row(count as usize - all.len())
    {
        let address = |k: i64| (row.at as i64 + i64::from(row.step) * k) as usize;
        all.extend((0..row.count as i64).map(address));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsd::{Mem, MemKind};
    use proptest::prelude::*;

    fn path(base: u16, extent: &[u16], step: &[i16], words: u16) -> AddressCursor {
        let (mut extents, mut steps) = ([1; 4], [0; 4]);
        extents[..extent.len()].copy_from_slice(extent);
        steps[..step.len()].copy_from_slice(step);
        let mem = Mem {
            kind: if extent.len() == 1 { MemKind::Mem1d } else { MemKind::Mem4d },
            base,
            dims: extent.len() as u8,
            extent: extents,
            step: steps,
            index_offset: false,
            lo: 0,
            hi: 1000,
            has_soft_bounds: false,
            wrap: 0,
            origin: 0,
        };
        AddressCursor::new(&mem, base, words, (0, 1000))
    }

    fn line(base: u16, count: u16, step: i16) -> AddressCursor {
        path(base, &[count], &[step], 1)
    }

    #[test]
    fn lines_with_equal_steps_have_one_distance() {
        assert_eq!(lag(&line(101, 9, 1), &line(100, 9, 1), 9), Some(1));
        assert_eq!(lag(&line(100, 9, 1), &line(101, 9, 1), 9), None);
        assert_eq!(lag(&line(101, 9, 2), &line(100, 9, 2), 9), None);
    }

    #[test]
    fn lines_with_other_steps_meet_where_they_cross() {
        // Element 3 is written where every element is read.
        assert_eq!(lag(&line(100, 9, 1), &line(103, 9, 0), 9), Some(1));
        assert_eq!(lag(&line(100, 9, 1), &line(104, 9, 2), 9), None);
        // 104 is written as element 2 and read as element 4.
        assert_eq!(lag(&line(100, 9, 2), &line(100, 9, 1), 9), Some(1));
    }

    #[test]
    fn halves_of_wide_elements_count() {
        assert_eq!(lag(&path(101, &[4], &[1], 2), &path(100, &[4], &[1], 2), 4), Some(1));
        assert_eq!(lag(&path(100, &[4], &[1], 2), &path(101, &[4], &[1], 2), 4), None);
    }

    #[test]
    fn rows_of_a_matrix_meet_at_their_ends() {
        // A row is written one place ahead of where it is read: (0,1), (0,2), then (1,1), (1,2).
        let (to, from) = (path(101, &[2, 2], &[1, 2], 1), path(100, &[2, 2], &[1, 2], 1));
        assert_eq!(lag(&to, &from, 4), Some(1));
        assert_eq!(lag(&from, &from, 4), None);
        assert_eq!(lag(&path(200, &[2, 2], &[1, 2], 1), &from, 4), None);
    }

    #[test]
    fn the_lag_is_the_distance_from_a_write_to_the_next_read_of_the_same_word() {
        let line = |at, step| line(at, 10, step);
        let naive = |dest: i32, by: i32, source: i32, other: i32| {
            let pairs = (0..10).flat_map(|i| (i + 1..10).map(move |j| (i, j)));
            pairs.filter(|(i, j)| dest + by * i == source + other * j).map(|(i, j)| (j - i) as u32).min()
        };
        for (dest, by) in (20..50).flat_map(|at| [(at, 1), (at, 2), (at, -1)]) {
            for other in [by, -by] {
                let lag = line(dest, by).lag_of_lines(&line(35, other), 10);
                let naive = naive(dest.into(), by.into(), 35, other.into());
                assert_eq!(lag, Some(naive), "{dest} {by} {other}");
            }
        }
    }

    proptest! {
        #[test]
        fn vectors_of_one_shape_meet_as_their_addresses_do(
            extent in (8..12u16, 1..5u16, 1..4u16), step in (-9..10i16, -30..31i16, -30..31i16),
            (base, other, dims, words) in (0..1000u16, -40..41i16, 2..4usize, 1..3u16),
        ) {
            let (extent, step) = ([extent.0, extent.1, extent.2], [step.0, step.1, step.2]);
            let path = |base| path(base, &extent[..dims], &step[..dims], words);
            let (to, from) = (path(base), path(base.saturating_add_signed(other)));
            let count = to.elements();
            let is_inside = [to, from].iter().all(|cursor| cursor.reaches(count.into()) == u64::from(count));
            let fast = lag_of_equal_shapes(&to, &from, count);
            prop_assert_eq!(fast, is_inside.then(|| lag_of_paths(&to, &from, count)));
        }
    }
}
