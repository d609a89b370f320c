//! Seams: where the routers of one band of rows have neighbours in another band.
//!
//! A band is a fabric of its own. It also has the rows next to it, as a shadow: their routers never decide
//! anything, but the buffers of their links are as full as in the band to which they belong. What crosses a
//! seam in a cycle is a list of [`Crossing`]s, which the other band enters before anybody looks at its effect.

use super::Fabric;
use super::buffer::Flit;
use crate::arch::{Color, Direction};
use crate::image::ColorConfig;
use std::ops::Range;

/// What one band has to tell a neighbouring one. Places are named by PE, color and side: bands number their lanes
/// differently.
#[derive(Clone, Debug)]
pub enum Crossing {
    /// A wavelet has crossed the link to a router from one side.
    Arrived(u32, Color, Direction, Flit),
    /// A wavelet has left the buffer of a link from one side.
    Left(u32, Color, Direction),
    /// A PE has changed how its router swaps a color.
    Swapped(u32, Color, Box<ColorConfig>),
}

/// The rows of a band, and what has crossed its seams.
#[derive(Clone)]
pub struct Seams {
    /// The PEs whose routers belong to it.
    own: Range<usize>,
    width: usize,
    /// How many PEs the wafer has.
    all: usize,
    /// For the bands north and south of it.
    crossings: [Vec<Crossing>; 2],
}

impl Seams {
    /// The seams around some PEs of a wafer, whole rows.
    pub fn new(own: Range<usize>, width: usize, all: usize) -> Seams {
        Seams { own, width, all, crossings: Default::default() }
    }

    /// The PEs whose routers belong to the band.
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// Whether there are other bands.
    #[inline]
    pub fn exist(&self) -> bool {
        self.own.len() < self.all
    }

    /// The rows of other bands that are next to this one.
    pub fn halo_rows(&self) -> impl Iterator<Item = usize> {
        let Range { start, end } = self.own;
        (start.saturating_sub(self.width)..start).chain(end..(end + self.width).min(self.all))
    }

    /// Whether a router has a neighbour in another band.
    pub fn touch(&self, pe: usize) -> bool {
        self.lead(pe, Direction::North) || self.lead(pe, Direction::South)
    }

    /// Whether a link of a router leads over a seam.
    fn lead(&self, pe: usize, side: Direction) -> bool {
        self.own.contains(&pe)
            && match side {
                Direction::North => self.own.start > 0 && pe < self.own.start + self.width,
                Direction::South => self.own.end < self.all && pe + self.width >= self.own.end,
                Direction::East | Direction::West | Direction::Ramp => false,
            }
    }

    /// Tells the band on one side.
    fn tell(&mut self, side: Direction, crossing: Crossing) {
        self.crossings[usize::from(side == Direction::South)].push(crossing);
    }

    /// A wavelet has crossed the link to a router from one side.
    pub fn note_arrived(&mut self, pe: usize, color: Color, side: Direction, flit: Flit) {
        if !self.own.contains(&pe) {
            self.tell(side.opposite(), Crossing::Arrived(pe as u32, color, side, flit));
        }
    }

    /// A wavelet has left the buffer of a link from one side.
    pub fn note_left(&mut self, pe: usize, color: Color, side: Direction) {
        if self.lead(pe, side) {
            self.tell(side, Crossing::Left(pe as u32, color, side));
        }
    }

    /// A PE has changed how its router swaps a color.
    pub fn note_swapped(&mut self, pe: usize, color: Color, config: &ColorConfig) {
        for side in [Direction::North, Direction::South] {
            if self.lead(pe, side) {
                self.tell(side, Crossing::Swapped(pe as u32, color, Box::new(config.clone())));
            }
        }
    }
}

impl Fabric {
    /// An empty fabric with the same settings, for the routers of some PEs, whole rows.
    pub fn band(&self, own: Range<usize>) -> Fabric {
        let mut band = Fabric::of_rows(self.grid.shared_program(), own);
        band.grid.limit_links(self.grid.link_depth() as u8);
        band.arbiter.check_like(&self.arbiter);
        band.schedule.order(self.schedule.is_in_order());
        band.stop = self.stop;
        band
    }

    /// How many crossings wait for other bands.
    #[inline]
    pub fn crossings(&self) -> usize {
        self.grid.seams().crossings.iter().map(Vec::len).sum()
    }

    /// Takes what has crossed to the bands in the north and in the south.
    #[inline]
    pub fn take_crossings(&mut self) -> [Vec<Crossing>; 2] {
        self.grid.seams_mut().crossings.each_mut().map(std::mem::take)
    }

    /// Applies the crossings from another band.
    pub fn enter(&mut self, crossings: &[Crossing]) {
        crossings.iter().for_each(|crossing| self.enter_one(crossing));
    }

    fn enter_one(&mut self, crossing: &Crossing) {
        match crossing {
            Crossing::Arrived(pe, color, side, flit) => {
                let id = self.grid.lane_of(*pe as usize, *color);
                self.cross_seam(id, *side, *flit);
            }
            Crossing::Left(pe, color, side) => {
                let pe = *pe as usize;
                let id = self.grid.lane_of(pe, *color);
                let (_, count) = self.grid.lane_mut(id).take_from_link(*side);
                if count >= self.grid.link_depth() {
                    self.wake_neighbour(pe, *side);
                }
            }
            Crossing::Swapped(pe, color, config) => {
                let id = self.grid.lane_of(*pe as usize, *color);
                self.grid.reconfigure(id, (**config).clone());
                self.grid.forget_next_hops();
            }
        }
    }

    /// All bands as one fabric, for reports; wavelets that are crossing a seam are included.
    pub fn joined<'f>(bands: impl Iterator<Item = &'f Fabric> + Clone) -> Option<Fabric> {
        let first = bands.clone().next()?;
        let mut whole = first.band(0..first.grid.size());
        for band in bands.clone() {
            whole.hops += band.hops;
            whole.grid.adopt(&band.grid);
            let own = band.grid.seams().own();
            let Fabric { links, grid, .. } = &mut whole;
            links.adopt(&band.links, |lane| {
                let lane = band.grid.lane(lane);
                own.contains(&lane.pe()).then(|| grid.lane_of(lane.pe(), lane.color()))
            });
        }
        for band in bands {
            whole.grid.learn_ways_of(&band.grid);
            whole.notices.adopt_losses(&band.notices, |lane| {
                let lane = band.grid.lane(lane);
                whole.grid.lane_of(lane.pe(), lane.color())
            });
        }
        Some(whole)
    }
}
