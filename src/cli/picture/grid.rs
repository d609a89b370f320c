//! The array behind a DSD, with the visits of each element.

use crate::Symbol;

/// Rows and columns of elements; arrays of more than two dimensions are drawn plane below plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArrayGrid {
    /// Elements per row.
    pub columns: usize,
    /// The index of the first element of each row, as written in CSL: `3` or `1, 0`.
    pub labels: Vec<String>,
    /// Numbers of the visits of each element, from 1, row by row.
    pub visits: Vec<Vec<usize>>,
}

/// Columns of a one-dimensional array.
const ROW: usize = 10;
/// An array with more columns or rows than these is not drawn.
const MOST_COLUMNS: usize = 24;
const MOST_ROWS: usize = 40;

impl ArrayGrid {
    /// `None` if the array is too large to draw, or not an array.
    pub fn new(array: &Symbol, words: u16, addresses: &[u16]) -> Option<ArrayGrid> {
        let dims: Vec<usize> = array.dims.iter().map(|d| *d as usize).collect();
        let count: usize = dims.iter().product();
        let columns = match dims[..] {
            [] => return None,
            [n] => n.min(ROW),
            [.., n] => n,
        };
        if columns == 0 || columns > MOST_COLUMNS || count.div_ceil(columns) > MOST_ROWS {
            return None;
        }
        let mut visits = vec![Vec::new(); count];
        for (i, at) in addresses.iter().enumerate() {
            let Some(element) = at.checked_sub(array.addr).map(|w| usize::from(w / words)) else { continue };
            if let Some(visits) = visits.get_mut(element) {
                visits.push(i + 1);
            }
        }
        let labels = (0..count.div_ceil(columns)).map(|row| label(&dims, row * columns)).collect();
        Some(ArrayGrid { columns, labels, visits })
    }

    /// The cells as they are shown: `.`, `3`, `3,7`, or `3..` for more visits.
    pub fn cells(&self) -> Vec<String> {
        let shown = |visits: &Vec<usize>| match visits[..] {
            [] => ".".to_string(),
            [n] => n.to_string(),
            [n, m] => format!("{n},{m}"),
            [n, ..] => format!("{n}.."),
        };
        self.visits.iter().map(shown).collect()
    }
}

/// The index of the row that begins with this element.
fn label(dims: &[usize], element: usize) -> String {
    let Some((_, slower)) = dims.split_last().filter(|(_, slower)| !slower.is_empty()) else {
        return element.to_string();
    };
    let mut rest = element / dims[dims.len() - 1];
    let mut index: Vec<String> = Vec::new();
    for size in slower.iter().rev() {
        index.insert(0, (rest % size).to_string());
        rest /= size;
    }
    index.join(", ")
}
