//! The words that a vector in memory touches, compared with other words without touching any.

use super::access::{AddressCursor, Row};

/// Words of memory: elements at equal distances, or those of a cursor. It is small, because PEs remember some.
#[derive(Clone, Debug)]
pub enum Footprint {
    /// Elements at equal distances.
    Line(CompactRow),
    /// The next elements of a vector of more than one dimension or of a circular buffer.
    Rows(Box<Rows>),
}

/// The next elements of a cursor, row after row.
#[derive(Clone, Debug)]
pub struct Rows {
    cursor: AddressCursor,
    count: u32,
    /// The lowest word and one past the highest: most words that others touch lie outside.
    span: (usize, usize),
}

impl Rows {
    fn new(cursor: AddressCursor, count: u32) -> Rows {
        let mut rows = Rows { cursor, count, span: (0, 0) };
        let spans = rows.iter().map(|(row, words)| row.span(words));
        let (low, high) = spans.fold((i32::MAX, 0), |all, span| (all.0.min(span.0), all.1.max(span.1)));
        rows.span = (low.clamp(0, high.max(0)) as usize, high.max(0) as usize);
        rows
    }

    /// The rows, with the words per element.
    fn iter(&self) -> impl Iterator<Item = (Row, u16)> + use<> {
        let (mut cursor, mut left) = (self.cursor, self.count);
        std::iter::from_fn(move || {
            // An element out of bounds ends the operation.
            let row = (left > 0).then(|| cursor.next_row(left as usize).ok())??;
            left -= row.count as u32;
            Some((row, cursor.words()))
        })
    }
}

/// A [`Row`] with the words per element, in 12 bytes.
#[derive(Copy, Clone, Debug)]
pub struct CompactRow {
    at: u16,
    count: u16,
    step: i32,
    words: u16,
}

impl CompactRow {
    fn row(self) -> (Row, u16) {
        (Row { at: self.at.into(), step: self.step, count: self.count.into() }, self.words)
    }
}

impl Footprint {
    /// The next `count` elements of a vector; `None` if there are none.
    pub fn new(cursor: &AddressCursor, count: u32) -> Option<Footprint> {
        if count == 0 {
            return None;
        }
        Some(match cursor.whole_line(count) {
            Some(row) => Footprint::line(&row, cursor.words()),
            None => Footprint::Rows(Box::new(Rows::new(*cursor, count))),
        })
    }

    /// `words` words from `at` on.
    pub fn words(at: usize, words: usize) -> Footprint {
        Footprint::line(&Row { at, step: 1, count: words.max(1) }, 1)
    }

    /// Elements of `words` words at equal distances. All of it is inside of a memory, so that 16 bits are enough.
    pub fn line(row: &Row, words: u16) -> Footprint {
        Footprint::Line(CompactRow { at: row.at as u16, count: row.count as u16, step: row.step, words })
    }

    /// Without the first elements; `None` if nothing is left.
    pub fn after(&self, elements: u32) -> Option<Footprint> {
        match self {
            Footprint::Line(compact) => {
                let ((row, words), done) = (compact.row(), elements as usize);
                let at = (row.at as i64 + i64::from(row.step) * done as i64) as usize;
                let rest = row.count.checked_sub(done).filter(|left| *left > 0);
                rest.map(|count| Footprint::line(&Row { at, step: row.step, count }, words))
            }
            Footprint::Rows(rows) => {
                let Rows { mut cursor, count, .. } = **rows;
                let mut left = elements.min(count);
                while left > 0 {
                    left -= cursor.next_row(left as usize).ok()?.count as u32;
                }
                Footprint::new(&cursor, count.saturating_sub(elements))
            }
        }
    }

    /// The lowest word and one past the highest.
    #[inline]
    pub fn span(&self) -> (usize, usize) {
        match self {
            Footprint::Line(compact) => {
                let (row, words) = compact.row();
                let (low, high) = row.span(words);
                (low.clamp(0, high.max(0)) as usize, high.max(0) as usize)
            }
            Footprint::Rows(rows) => rows.span,
        }
    }

    /// Whether one of `words` words from `at` on is among them.
    pub fn contains(&self, at: usize, words: usize) -> bool {
        let (low, high) = self.span();
        low < at + words && at < high && self.rows().any(|(row, width)| line_contains(&row, width, at, words))
    }

    /// Whether a word is among both.
    pub fn meets(&self, other: &Footprint) -> bool {
        let (mine, theirs) = (self.span(), other.span());
        mine.0 < theirs.1
            && theirs.0 < mine.1
            && self.rows().any(|(row, words)| match is_dense(&row, words) {
                true => {
                    let (low, high) = row.span(words);
                    other.contains(low as usize, (high - low) as usize)
                }
                false => elements(&row).any(|at| other.contains(at, words.into())),
            })
    }

    /// The rows of elements, with the words per element.
    fn rows(&self) -> impl Iterator<Item = (Row, u16)> {
        let (line, rows) = match self {
            Footprint::Line(compact) => (Some(compact.row()), None),
            Footprint::Rows(rows) => (None, Some(rows.iter())),
        };
        line.into_iter().chain(rows.into_iter().flatten())
    }
}

fn is_dense(row: &Row, words: u16) -> bool {
    row.step.unsigned_abs() <= u32::from(words)
}

fn elements(row: &Row) -> impl Iterator<Item = usize> {
    let (at, step) = (row.at as i64, i64::from(row.step));
    (0..row.count as i64).map(move |k| (at + k * step) as usize)
}

fn line_contains(row: &Row, width: u16, at: usize, words: usize) -> bool {
    let ((low, high), first, end) = (row.span(width), at as i64, (at + words) as i64);
    if end <= i64::from(low) || i64::from(high) <= first {
        return false;
    }
    if is_dense(row, width) {
        return true;
    }
    // The last element that begins before the end of the words, if it is counted from the lowest one.
    let step = i64::from(row.step.unsigned_abs());
    let last = ((end - 1 - i64::from(low)) / step).min(row.count as i64 - 1);
    i64::from(low) + last * step + i64::from(width) > first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsd::{Mem, MemKind};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const VECTOR: Mem = Mem {
        kind: MemKind::Mem4d,
        base: 40,
        dims: 1,
        extent: [1; 4],
        step: [1, 0, 0, 0],
        index_offset: false,
        lo: 0,
        hi: 0x600,
        has_soft_bounds: false,
        wrap: 0,
        origin: 0,
    };

    fn line(at: usize, step: i32, count: usize, words: u16) -> Footprint {
        Footprint::line(&Row { at, step, count }, words)
    }

    fn set(footprint: &Footprint) -> Vec<usize> {
        let Footprint::Line(compact) = footprint else { unreachable!("the tests use lines") };
        let (row, words) = compact.row();
        elements(&row).flat_map(|at| at..at + usize::from(words)).collect()
    }

    proptest! {
        #[test]
        fn lines_meet_where_they_share_a_word(
            a in (60..90usize, -5..6i32, 1..9usize, 1..3u16),
            b in (60..90usize, -5..6i32, 1..9usize, 1..3u16),
            done in 0..10u32,
        ) {
            let (a, b) = (line(a.0, a.1, a.2, a.3), line(b.0, b.1, b.2, b.3));
            let (left, right) = (set(&a), set(&b));
            prop_assert_eq!(a.meets(&b), left.iter().any(|word| right.contains(word)));
            prop_assert_eq!(a.contains(70, 2), left.contains(&70) || left.contains(&71));
            let rest = a.after(done).map(|rest| set(&rest));
            let Footprint::Line(compact) = a else { unreachable!() };
            let behind = left.get(done as usize * usize::from(compact.words)..).filter(|rest| !rest.is_empty());
            prop_assert_eq!(rest.as_deref(), behind);
        }
    }

    #[test]
    fn what_is_left_of_rows_are_their_last_elements() {
        let plane = Mem { dims: 2, extent: [3, 4, 1, 1], step: [1, 5, 0, 0], ..VECTOR };
        let ring = Mem { kind: MemKind::Circbuf, extent: [12, 1, 1, 1], wrap: 14, ..VECTOR };
        for mem in [plane, ring] {
            let cursor = AddressCursor::new(&mem, 44, 2, (0, 0x600));
            let all = Footprint::new(&cursor, 12).unwrap();
            for done in 0..=12 {
                let mut rest = cursor;
                (0..done).for_each(|_| assert!(rest.next_element().is_ok()));
                let left: BTreeSet<usize> =
                    (done..12).map(|_| rest.next_element().unwrap()).flat_map(|at| [at, at + 1]).collect();
                let found = all.after(done);
                let is_among = |word| found.as_ref().is_some_and(|rest| rest.contains(word, 1));
                assert!((30..120).all(|word| is_among(word) == left.contains(&word)), "{mem:?}, {done} done");
            }
        }
    }
}
