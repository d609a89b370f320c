//! The state of one router that all its colors share.

use super::route::Mask;
use crate::arch::{Color, Direction};

pub const RAMP: Mask = 1 << Direction::Ramp as u8;

/// Most routers have no more lanes.
const FEW: usize = 3;

/// What all colors of one router share, in one line of the cache. Sets of colors have the bit of each
/// color set.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub struct Router {
    /// Numbers of its lanes, by color: the first ones, which lie in place, and the others.
    first: [u32; FEW],
    others: Box<[u32]>,
    /// Colors that have a lane.
    known: u32,
    /// Colors of which wavelets wait for an output.
    waiting: u32,
    /// Colors of which all that waits is still on the way up the ramp: there is nothing to decide before
    /// the first one arrives.
    coming: u32,
    /// Colors whose oldest wavelet finds no room where it goes. Who makes room there wakes the router.
    stalled: u32,
    /// Colors of which wavelets are on the way down the ramp.
    descending: u32,
    /// Those of which none has arrived.
    falling: u32,
    /// Those of which the PE has refused the oldest one: it says when it has room.
    held: u32,
    /// The color that each output served last.
    served: [u8; 5],
    /// Listed among those that are awake.
    awake: bool,
}

impl Router {
    /// The number of its lane of a color, if it has one.
    #[inline]
    pub fn lane(&self, color: Color) -> Option<u32> {
        (self.known & bit(color) != 0).then(|| self.lane_at(self.lanes_before(color)))
    }

    /// Whether no color has come to it.
    pub fn is_unused(&self) -> bool {
        self.known == 0
    }

    /// The numbers of all its lanes, by color.
    pub fn lanes(&self) -> impl Iterator<Item = u32> {
        (0..self.known.count_ones() as usize).map(|at| self.lane_at(at))
    }

    /// A new lane.
    pub fn add_lane(&mut self, color: Color, id: u32) {
        let (mut at, count) = (self.lanes_before(color), self.known.count_ones() as usize);
        self.known |= bit(color);
        let mut id = id;
        while at < count.min(FEW) {
            id = std::mem::replace(&mut self.first[at], id);
            at += 1;
        }
        match at < FEW {
            true => self.first[at] = id,
            false => {
                let mut others = std::mem::take(&mut self.others).into_vec();
                others.insert(at - FEW, id);
                self.others = others.into();
            }
        }
    }

    fn lane_at(&self, at: usize) -> u32 {
        if at < FEW { self.first[at] } else { self.others[at - FEW] }
    }

    /// The number of the lane of a color that it knows.
    #[inline]
    pub fn lane_of(&self, color: Color) -> u32 {
        self.lane_at(self.lanes_before(color))
    }

    /// Colors of which wavelets are on the way down the ramp.
    #[inline]
    pub fn descending(&self) -> u32 {
        self.descending
    }

    /// Wakes it; false if it was awake.
    #[inline]
    pub fn awaken(&mut self) -> bool {
        !std::mem::replace(&mut self.awake, true)
    }

    /// It is visited: until something happens it need not be again.
    #[inline]
    pub fn fall_asleep(&mut self) {
        self.awake = false;
    }

    /// The PE has sent a wavelet of a color.
    #[inline]
    pub fn expect(&mut self, color: Color) {
        self.waiting |= bit(color);
    }

    /// Nothing of a color waits any more.
    #[inline]
    pub fn stop_waiting(&mut self, color: Color) {
        self.waiting &= !bit(color);
    }

    /// A wavelet of a color goes down the ramp.
    #[inline]
    pub fn descend(&mut self, color: Color) {
        self.descending |= bit(color);
    }

    /// No wavelet of a color is on the way down the ramp any more.
    #[inline]
    pub fn end_descent(&mut self, color: Color) {
        self.descending &= !bit(color);
    }

    /// Colors of which wavelets want an output now.
    #[inline]
    pub fn ready(&self) -> u32 {
        self.waiting & !self.coming & !self.stalled
    }

    /// Colors of which wavelets have come down the ramp that the PE has not refused.
    #[inline]
    pub fn arrived(&self) -> u32 {
        self.descending & !self.falling & !self.held
    }

    /// The PE has refused a wavelet of a color.
    #[inline]
    pub fn hold(&mut self, color: Color) {
        self.held |= bit(color);
    }

    /// The PE has room for colors of a set; whether wavelets of any of these have come down the ramp.
    #[inline]
    pub fn release(&mut self, colors: u32) -> bool {
        self.held &= !colors;
        self.arrived() & colors != 0
    }

    /// A wavelet has come over a link.
    pub fn wait(&mut self, color: Color) {
        self.waiting |= bit(color);
        self.coming &= !bit(color);
        self.stalled &= !bit(color);
    }

    /// The oldest wavelet of a color finds no room where it goes.
    pub fn stall(&mut self, color: Color) {
        self.stalled |= bit(color);
    }

    /// There may be room for all colors.
    pub fn resume(&mut self) {
        self.stalled = 0;
    }

    /// Of a color only wavelets are left that are still on their way up the ramp.
    #[inline]
    pub fn come_later(&mut self, color: Color) {
        self.coming |= bit(color);
    }

    /// The time has come for a wavelet that the PE has sent.
    pub fn look_up_again(&mut self) {
        self.coming = 0;
    }

    /// The time has come for a wavelet on the way down, or may have.
    pub fn look_down_again(&mut self) {
        self.falling = 0;
    }

    /// The first wavelet of a color on the way down the ramp arrives later.
    pub fn fall_later(&mut self, color: Color) {
        self.falling |= bit(color);
    }

    /// These outputs have served a color.
    pub fn serve(&mut self, outputs: Mask, color: Color) {
        sides(outputs).for_each(|output| self.served[output as usize] = color.0);
    }

    /// The color that an output has served last.
    pub fn served_last(&self, output: Direction) -> u8 {
        self.served[output as usize]
    }

    /// The first color of a set, which is not empty, behind the one that an output has served last.
    pub fn next_after_served(&self, set: u32, output: Direction) -> Color {
        let behind = (self.served_last(output) + 1) % 32;
        Color((behind + set.rotate_right(behind.into()).trailing_zeros() as u8) % 32)
    }

    fn lanes_before(&self, color: Color) -> usize {
        let before = self.known & (bit(color) - 1);
        // To count takes long on processors that do not count bits themselves.
        match before & before.wrapping_sub(1) {
            0 => usize::from(before != 0),
            others if others.is_power_of_two() => 2,
            others => 1 + others.count_ones() as usize,
        }
    }
}

/// A color in a set.
pub fn bit(color: Color) -> u32 {
    1 << color.0
}

/// The colors of a set, in their order.
pub fn colors(mut set: u32) -> impl Iterator<Item = Color> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| Color(set.trailing_zeros() as u8))?;
        set &= set - 1;
        Some(first)
    })
}

/// The sides of a set, in their order.
pub fn sides(mut set: Mask) -> impl Iterator<Item = Direction> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| Direction::ALL[set.trailing_zeros() as usize])?;
        set &= set - 1;
        Some(first)
    })
}
