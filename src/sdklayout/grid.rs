//! Numbers and coordinates of the PEs of a wafer.

use crate::arch::{Direction, PeCoord};

/// The number of a PE, row by row.
pub type PeNumber = u32;

/// The four sides of a PE.
pub const SIDES: [Direction; 4] = [Direction::North, Direction::South, Direction::East, Direction::West];

/// The size of a wafer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct WaferSize {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl WaferSize {
    /// The number of a PE that lies on the wafer.
    pub fn pe(self, at: PeCoord) -> PeNumber {
        u32::from(at.y) * u32::from(self.width) + u32::from(at.x)
    }

    /// The place of a PE.
    pub fn at(self, pe: PeNumber) -> PeCoord {
        let width = u32::from(self.width);
        PeCoord { x: (pe % width) as u16, y: (pe / width) as u16 }
    }

    /// Whether a position is on the wafer.
    pub fn holds(self, at: PeCoord) -> bool {
        at.x < self.width && at.y < self.height
    }

    /// The neighbour of a PE on one side; `None` at the edge of the wafer.
    pub fn neighbour(self, pe: PeNumber, side: Direction) -> Option<PeNumber> {
        let PeCoord { x, y } = self.at(pe);
        let (width, is_inside) = (u32::from(self.width), |n: u16, end: u16| n + 1 < end);
        match side {
            Direction::North => (y > 0).then(|| pe - width),
            Direction::South => is_inside(y, self.height).then_some(pe + width),
            Direction::East => is_inside(x, self.width).then_some(pe + 1),
            Direction::West => (x > 0).then(|| pe - 1),
            Direction::Ramp => None,
        }
    }

    /// The side on which the second of two neighbours lies.
    ///
    /// # Panics
    /// If they are not neighbours.
    pub fn side(self, from: PeNumber, to: PeNumber) -> Direction {
        let side = SIDES.into_iter().find(|side| self.neighbour(from, *side) == Some(to));
        side.expect("a path goes from neighbour to neighbour")
    }

    /// Hops between two PEs.
    pub fn distance(self, one: PeNumber, other: PeNumber) -> u32 {
        let (a, b) = (self.at(one), self.at(other));
        u32::from(a.x.abs_diff(b.x)) + u32::from(a.y.abs_diff(b.y))
    }
}
