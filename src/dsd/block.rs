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
}

impl RowSource {
    /// The bits of a scalar; 0 stands for no source.
    pub fn scalar(&self) -> u32 {
        if let RowSource::Scalar(bits) = self { *bits } else { 0 }
    }
}
