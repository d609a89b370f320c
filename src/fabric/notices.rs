//! Events at routers that concern PEs or the wafer.

use super::grid::Grid;
use crate::arch::{Color, Direction};
use std::collections::BTreeMap;

/// Wavelets of one color that have left the rectangle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Their color.
    pub color: Color,
    /// The first of the PEs, row by row, at which they have left.
    pub pe: usize,
    /// The side on which they have left it.
    pub side: Direction,
    /// How many have left there and elsewhere.
    pub count: u64,
    /// At how many other PEs they have left.
    pub elsewhere: u64,
}

/// Events of a cycle until the wafer takes them, and the wavelets lost so far.
#[derive(Clone, Default)]
pub struct Notices {
    /// PEs that were refused and may send again.
    freed: Vec<u32>,
    /// Sends on colors that the router of the sender does not know.
    unrouted: Vec<(u32, Color)>,
    /// Colors that control wavelets have suspended.
    torn_down: Vec<(u32, Color)>,
    /// Wavelets that have left the rectangle, by lane and side.
    lost: BTreeMap<(u32, Direction), u64>,
}

impl Notices {
    /// A PE that was refused may send again.
    #[inline]
    pub fn free(&mut self, pe: u32) {
        self.freed.push(pe);
    }

    /// A PE has sent on a color that its router does not know.
    #[cold]
    pub fn note_unrouted(&mut self, pe: u32, color: Color) {
        self.unrouted.push((pe, color));
    }

    /// A color is suspended at the router of a PE.
    #[cold]
    pub fn note_teardown(&mut self, pe: u32, color: Color) {
        self.torn_down.push((pe, color));
    }

    /// A wavelet has left the rectangle.
    #[cold]
    pub fn note_lost(&mut self, lane: u32, side: Direction) {
        *self.lost.entry((lane, side)).or_default() += 1;
    }

    /// Adds what a band has lost, whose lanes have other numbers.
    pub fn adopt_losses(&mut self, band: &Notices, mut number: impl FnMut(u32) -> u32) {
        for ((lane, side), count) in &band.lost {
            *self.lost.entry((number(*lane), *side)).or_default() += count;
        }
    }

    /// Whether anything has left the rectangle.
    pub fn have_losses(&self) -> bool {
        !self.lost.is_empty()
    }

    /// PEs that were refused and may send again, since the last call.
    #[inline]
    pub fn take_freed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.freed)
    }

    /// Sends on colors that the router of the sender does not know, since the last call.
    #[inline]
    pub fn take_unrouted(&mut self) -> Vec<(u32, Color)> {
        std::mem::take(&mut self.unrouted)
    }

    /// Colors that were suspended at routers, since the last call.
    #[inline]
    pub fn take_torn_down(&mut self) -> Vec<(u32, Color)> {
        std::mem::take(&mut self.torn_down)
    }

    /// What has left the rectangle so far, by color.
    pub fn losses(&self, grid: &Grid) -> Vec<Loss> {
        let mut places: Vec<_> = self.lost.iter().collect();
        let at = |id: u32| (grid.lane(id).color(), grid.lane(id).pe());
        places.sort_unstable_by_key(|((id, side), _)| (at(*id), *side as u8));
        let mut losses: Vec<Loss> = Vec::new();
        let mut before = None;
        for ((id, side), count) in places {
            let (color, pe) = at(*id);
            match losses.last_mut().filter(|loss| loss.color == color) {
                Some(loss) => {
                    loss.count += count;
                    loss.elsewhere += u64::from(before != Some(pe));
                }
                None => losses.push(Loss { color, pe, side: *side, count: *count, elsewhere: 0 }),
            }
            before = Some(pe);
        }
        losses
    }
}
