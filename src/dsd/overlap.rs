//! How soon an operation reads a word again that it has written.
//!
//! In: the destination and a source of an operation. Out: the distance in elements. A machine that processes several
//! elements at once reads the old value if they are fewer.

use super::access::AddressCursor;
use super::footprint::Footprint;

/// Distances that are looked for: no machine processes more elements at once.
const MOST_AT_ONCE: usize = 8;
/// Elements that are compared one by one at most.
const MOST_COMPARED: u32 = 4096;

/// How many elements after it is written along `dest` a word is read along `source`, at least; `None` if that never
/// happens, or so late that it does not matter.
pub fn lag(dest: &AddressCursor, source: &AddressCursor, count: u32) -> Option<u32> {
    match dest.lag_of_lines(source, count) {
        Some(lag) => lag,
        None if dest.visits_the_same(source) => None,
        None => lag_of_paths(dest, source, count.min(MOST_COMPARED)),
    }
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
            is_aimed: false,
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
}
