//! What a kernel works on in memory: rows at equal distances, and scalars.

use super::access::Row;

/// A source of an operation on lines.
#[derive(Copy, Clone, Debug)]
pub enum RowSource {
    /// The operation has no such source.
    Nothing,
    /// The same bits for every element.
    Scalar(u32),
    /// Elements at equal distances, and the words of each.
    Line(Row, u16),
}

/// Rows of equal length, one below the other: the operands of an operation, or a part of them.
#[derive(Copy, Clone, Debug)]
pub struct RowBlock {
    /// The first row of the destination.
    pub dest: Row,
    /// The first row of each source; the third is a scalar.
    pub sources: [RowSource; 3],
    /// How many rows.
    pub rows: usize,
    /// Words from a row to the next, of the destination and the first two sources.
    pub pitch: [i32; 3],
}

impl RowBlock {
    /// One row.
    pub(super) fn row(dest: Row, sources: &[RowSource; 3]) -> RowBlock {
        RowBlock { dest, sources: *sources, rows: 1, pitch: [0; 3] }
    }

    /// One of its rows without the first elements, of which there are `done`.
    #[inline(always)]
    pub(super) fn rest_of_row(&self, row: usize, done: usize) -> RowBlock {
        let rest = |first: &Row, pitch: i32| {
            let words = pitch as isize * row as isize + first.step as isize * done as isize;
            Row { at: first.at.wrapping_add_signed(words), step: first.step, count: first.count - done }
        };
        let mut sources = self.sources;
        for (source, pitch) in sources.iter_mut().zip(&self.pitch[1..]) {
            if let RowSource::Line(first, _) = source {
                *first = rest(first, *pitch);
            }
        }
        RowBlock::row(rest(&self.dest, self.pitch[0]), &sources)
    }

    /// Whether [`RowBlock::allows_pieces`] holds for all rows as for the first, because every source keeps its distance
    /// from the destination or lies elsewhere.
    #[inline(always)]
    pub(super) fn allows_pieces_alike(&self, dest_words: u16, many: usize) -> bool {
        let span = |row: &Row, words: u16, pitch: i32| {
            let ((low, high), last) = (row.span(words), pitch * (self.rows as i32 - 1));
            (low + last.min(0), high + last.max(0))
        };
        let written = span(&self.dest, dest_words, self.pitch[0]);
        let is_alike = |source: &RowSource, pitch: i32| match source {
            RowSource::Line(row, words) => {
                let read = span(row, *words, pitch);
                pitch == self.pitch[0] || written.1 <= read.0 || read.1 <= written.0
            }
            RowSource::Nothing | RowSource::Scalar(_) => true,
        };
        let are_alike =
            self.sources[..2].iter().zip(&self.pitch[1..]).all(|(source, pitch)| is_alike(source, *pitch));
        (self.rows == 1 || are_alike) && self.allows_pieces(dest_words, many)
    }

    /// Whether the elements of each row lie side by side in all operands, up or down.
    #[inline(always)]
    pub(super) fn is_dense(&self, dest_words: u16) -> bool {
        self.holds_for_lines(dest_words, |row, words| row.step.unsigned_abs() == u32::from(words))
    }

    /// Whether the elements of each row lie one above the other in all operands.
    #[inline(always)]
    pub(super) fn lies_upward(&self, dest_words: u16) -> bool {
        self.holds_for_lines(dest_words, |row, words| row.step >= i32::from(words))
    }

    #[inline(always)]
    fn holds_for_lines(&self, dest_words: u16, test: impl Fn(&Row, u16) -> bool) -> bool {
        let holds = |source: &RowSource| match source {
            RowSource::Line(row, words) => test(row, *words),
            RowSource::Nothing | RowSource::Scalar(_) => true,
        };
        test(&self.dest, dest_words) && self.sources[..2].iter().all(holds)
    }

    /// Whether pieces of `many` elements of the first row can be done at once, one piece after the other: in all operands
    /// elements lie side by side, up or down, and none reads what another one of its piece writes.
    #[inline(always)]
    pub(super) fn allows_pieces(&self, dest_words: u16, many: usize) -> bool {
        let allows = |source: &RowSource| match source {
            RowSource::Line(row, words) => !self.dest.disturbs_pieces(dest_words, row, *words, many),
            RowSource::Nothing | RowSource::Scalar(_) => true,
        };
        self.dest.count >= many && self.is_dense(dest_words) && self.sources[..2].iter().all(allows)
    }
}

impl RowSource {
    /// The bits of a scalar; 0 stands for no source.
    pub fn scalar(&self) -> u32 {
        if let RowSource::Scalar(bits) = self { *bits } else { 0 }
    }
}
