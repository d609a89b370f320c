//! Whether PEs that are to be alike do the same, and which wavelet comes from which operation.
//!
//! In: what the routers of the small wafer write down, cycle by cycle.

use super::axis::Axis;
use crate::arch::Color;
use crate::image::Program;
use crate::pe::Script;
use crate::trace::{Event, Wavelet, What};

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

/// What a router has done with a wavelet, as a number.
type Deed = u32;

/// What has happened to the wavelets of a color at a PE.
#[derive(Clone, Default)]
struct Traffic {
    /// Of those that the PE has sent: the run of the last one, and how many of that run there were.
    run: usize,
    within: u32,
    /// The numbers of what has come.
    come: Vec<u64>,
}

/// As a number, where `what` says what the router has done, and tells sides apart.
fn deed(wavelet: &Wavelet, what: u32) -> Deed {
    what << 16 | u32::from(wavelet.control) << 8 | u32::from(wavelet.color.0)
}

/// The watch over the small wafer.
pub(super) struct Twins {
    columns: Vec<bool>,
    rows: Vec<bool>,
    /// What each router has done in this cycle.
    deeds: Vec<Vec<Deed>>,
    busy: Vec<usize>,
    /// By PE and color, up to the last color that has been used.
    traffic: Vec<Vec<Traffic>>,
    /// By number, less 1.
    origins: Vec<Origin>,
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
            traffic: vec![Vec::new(); count],
            origins: Vec::new(),
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
                    deed(&wavelet, 0)
                }
                What::Hop { wavelet, from, to } => {
                    self.hops[pe] += 1;
                    deed(&wavelet, 2 + 8 * from as u32 + to as u32)
                }
                What::Delivered { wavelet, .. } => {
                    self.traffic(pe, wavelet.color).come.push(wavelet.number);
                    deed(&wavelet, 1)
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
        let Traffic { run, within, .. } = self.traffic(pe, color);
        let runs = script.sent(color);
        while runs.get(*run).is_some_and(|(_, count)| *count == *within) {
            (*run, *within) = (*run + 1, 0);
        }
        let (serial, _) = *runs.get(*run)?;
        let element = *within;
        *within += 1;
        Some(Origin { pe, serial, element })
    }

    fn traffic(&mut self, pe: usize, color: Color) -> &mut Traffic {
        let (colors, color) = (&mut self.traffic[pe], usize::from(color.0));
        if color >= colors.len() {
            colors.resize(color + 1, Traffic::default());
        }
        &mut colors[color]
    }

    /// The numbers of what has come to a PE on a color.
    pub fn come(&self, pe: usize, color: Color) -> &[u64] {
        self.traffic[pe].get(usize::from(color.0)).map_or(&[], |traffic| &traffic.come)
    }

    /// Whether anything has.
    pub fn has_come_to(&self, pe: usize) -> bool {
        self.traffic[pe].iter().any(|traffic| !traffic.come.is_empty())
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
