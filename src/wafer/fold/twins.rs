//! Whether PEs that are to be alike do the same, and which wavelet comes from which operation.
//!
//! In: what the routers of the small wafer write down, cycle by cycle.

use super::axis::Axis;
use crate::arch::{Color, Direction};
use crate::image::Program;
use crate::pe::Script;
use crate::trace::{Event, What};
use std::collections::BTreeMap;

/// A wavelet by its origin.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The PE of the small wafer that has sent it.
    pub pe: usize,
    /// The operation.
    pub serial: u32,
    /// The element.
    pub element: u32,
}

/// What a router has done with a wavelet: color, kind and sides.
type Deed = (Color, u8, Option<(Direction, Direction)>, bool);

/// Where the sends of a PE on a color stand.
#[derive(Clone, Copy, Default)]
struct Cursor {
    run: usize,
    within: u32,
}

/// The watch over the small wafer.
pub(super) struct Twins {
    columns: Vec<bool>,
    rows: Vec<bool>,
    /// What each router has done in this cycle.
    deeds: Vec<Vec<Deed>>,
    busy: Vec<usize>,
    sent: BTreeMap<(usize, Color), Cursor>,
    /// By number, less 1.
    origins: Vec<Origin>,
    /// For each PE and color, the numbers of what has come.
    pub come: BTreeMap<(usize, Color), Vec<u64>>,
    /// Links crossed, by PE.
    pub hops: Vec<u64>,
}

impl Twins {
    /// Everything may be alike yet.
    pub fn new(columns: &Axis, rows: &Axis) -> Twins {
        let count = columns.folded() * rows.folded();
        Twins {
            columns: vec![true; columns.pairs()],
            rows: vec![true; rows.pairs()],
            deeds: vec![Vec::new(); count],
            busy: Vec::new(),
            sent: BTreeMap::new(),
            origins: Vec::new(),
            come: BTreeMap::new(),
            hops: vec![0; count],
        }
    }

    /// Looks at the events of a cycle; `None` if something has happened that no script describes.
    pub fn look<'s>(
        &mut self,
        events: &[Event],
        program: &Program,
        (columns, rows): (&Axis, &Axis),
        script: impl Fn(usize) -> Option<&'s Script>,
    ) -> Option<()> {
        for event in events {
            let pe = program.pe_index(event.pe);
            let deed = match event.what {
                What::Sent(wavelet) => {
                    let origin = self.origin(pe, wavelet.color, script(pe)?)?;
                    self.origins.push(origin);
                    (wavelet.color, 0, None, wavelet.control)
                }
                What::Hop { wavelet, from, to } => {
                    self.hops[pe] += 1;
                    (wavelet.color, 1, Some((from, to)), wavelet.control)
                }
                What::Delivered { wavelet, .. } => {
                    self.come.entry((pe, wavelet.color)).or_default().push(wavelet.number);
                    (wavelet.color, 2, None, wavelet.control)
                }
                // Of this, or from a host, no script tells.
                _ => return None,
            };
            if self.deeds[pe].is_empty() {
                self.busy.push(pe);
            }
            self.deeds[pe].push(deed);
        }
        self.compare((columns, rows));
        Some(())
    }

    /// Who has sent the next wavelet of a PE on a color.
    fn origin(&mut self, pe: usize, color: Color, script: &Script) -> Option<Origin> {
        let cursor = self.sent.entry((pe, color)).or_default();
        let runs = script.sent(color);
        while runs.get(cursor.run).is_some_and(|(_, count)| *count == cursor.within) {
            *cursor = Cursor { run: cursor.run + 1, within: 0 };
        }
        let (serial, _) = *runs.get(cursor.run)?;
        let element = cursor.within;
        cursor.within += 1;
        Some(Origin { pe, serial, element })
    }

    /// How many have been sent.
    pub fn wavelets(&self) -> u64 {
        self.origins.len() as u64
    }

    /// Where a wavelet has come from.
    pub fn origin_of(&self, number: u64) -> Origin {
        self.origins[number as usize - 1]
    }

    fn compare(&mut self, (columns, rows): (&Axis, &Axis)) {
        let width = columns.folded();
        for (k, alike) in self.columns.iter_mut().enumerate().filter(|(_, alike)| **alike) {
            let (a, b) = columns.pair(k);
            *alike = (0..rows.folded()).all(|y| self.deeds[y * width + a] == self.deeds[y * width + b]);
        }
        for (k, alike) in self.rows.iter_mut().enumerate().filter(|(_, alike)| **alike) {
            let (a, b) = rows.pair(k);
            *alike = self.deeds[a * width..][..width] == self.deeds[b * width..][..width];
        }
        for pe in self.busy.drain(..) {
            self.deeds[pe].clear();
        }
    }

    /// Chooses what stands for what is left out; gives the distances up to which that is so, `None`
    /// if it never is.
    pub fn settle(&self, columns: &mut Axis, rows: &mut Axis) -> Option<(usize, usize)> {
        Some((columns.settle(&self.columns)?, rows.settle(&self.rows)?))
    }
}
