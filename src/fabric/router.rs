//! The state of one router that all its colors share.

use crate::arch::{Color, Direction};
use crate::image::routes::Directions;

/// Lanes that are stored in place; most routers have no more.
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
    /// Colors with wavelets that wait for an output.
    waiting: u32,
    /// Colors whose waiting wavelets are all still on the onramp, so that there is nothing to decide before the first
    /// one arrives.
    onramp_in_flight: u32,
    /// Colors whose oldest wavelet has no room in the next lane. Whoever makes room there wakes the router.
    stalled: u32,
    /// Colors with wavelets on the offramp.
    offramp_occupied: u32,
    /// Colors with wavelets on the offramp, none of which has reached its end.
    offramp_in_flight: u32,
    /// Colors whose oldest wavelet on the offramp the PE has refused. The PE announces when it has space.
    offramp_refused: u32,
    /// The color that each output served last.
    served: [u8; 5],
    /// Whether it is in the list of awake routers.
    awake: bool,
}

impl Router {
    /// The number of its lane of a color, if it has one.
    #[inline]
    pub fn lane(&self, color: Color) -> Option<u32> {
        (self.known & bit(color) != 0).then(|| self.lane_at(self.lanes_before(color)))
    }

    /// Whether it has no lane.
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

    /// Colors with wavelets on the offramp.
    #[inline]
    pub fn offramp_occupied(&self) -> u32 {
        self.offramp_occupied
    }

    /// Wakes it; false if it was awake.
    #[inline]
    pub fn awaken(&mut self) -> bool {
        !std::mem::replace(&mut self.awake, true)
    }

    /// Marks it as asleep: it is being visited, and needs no further visit until something happens.
    #[inline]
    pub fn fall_asleep(&mut self) {
        self.awake = false;
    }

    /// Notes that the PE has sent a wavelet of a color.
    #[inline]
    pub fn expect(&mut self, color: Color) {
        self.waiting |= bit(color);
    }

    /// Notes that no wavelet of a color waits any more.
    #[inline]
    pub fn stop_waiting(&mut self, color: Color) {
        self.waiting &= !bit(color);
    }

    /// Notes that a wavelet of a color has entered the offramp.
    #[inline]
    pub fn enter_offramp(&mut self, color: Color) {
        self.offramp_occupied |= bit(color);
    }

    /// Notes that the offramp of a color is empty.
    #[inline]
    pub fn mark_offramp_empty(&mut self, color: Color) {
        self.offramp_occupied &= !bit(color);
    }

    /// Colors of which wavelets want an output now.
    #[inline]
    pub fn ready(&self) -> u32 {
        self.waiting & !self.onramp_in_flight & !self.stalled
    }

    /// Colors with wavelets at the end of the offramp that the PE has not refused.
    #[inline]
    pub fn arrived(&self) -> u32 {
        self.offramp_occupied & !self.offramp_in_flight & !self.offramp_refused
    }

    /// Notes that the PE has refused a wavelet of a color.
    #[inline]
    pub fn hold(&mut self, color: Color) {
        self.offramp_refused |= bit(color);
    }

    /// Notes that the PE has space for these colors. Returns whether a wavelet of one of them is at the end of the
    /// offramp.
    #[inline]
    pub fn release(&mut self, colors: u32) -> bool {
        self.offramp_refused &= !colors;
        self.arrived() & colors != 0
    }

    /// Notes that a wavelet of a color has arrived over a link.
    pub fn wait(&mut self, color: Color) {
        self.waiting |= bit(color);
        self.onramp_in_flight &= !bit(color);
        self.stalled &= !bit(color);
    }

    /// Notes that the oldest wavelet of a color has no room in the next lane.
    pub fn stall(&mut self, color: Color) {
        self.stalled |= bit(color);
    }

    /// Notes that there may be room for all colors.
    pub fn resume(&mut self) {
        self.stalled = 0;
    }

    /// Notes that all waiting wavelets of a color are still on the onramp.
    #[inline]
    pub fn mark_onramp_in_flight(&mut self, color: Color) {
        self.onramp_in_flight |= bit(color);
    }

    /// Notes that a wavelet of some color has reached the end of the onramp.
    pub fn onramp_arrived(&mut self) {
        self.onramp_in_flight = 0;
    }

    /// Notes that a wavelet of some color may have reached the end of the offramp.
    pub fn offramp_arrived(&mut self) {
        self.offramp_in_flight = 0;
    }

    /// Notes that no wavelet of a color has reached the end of the offramp.
    pub fn mark_offramp_in_flight(&mut self, color: Color) {
        self.offramp_in_flight |= bit(color);
    }

    /// Notes which color some outputs have served.
    pub fn serve(&mut self, outputs: Directions, color: Color) {
        outputs.iter().for_each(|output| self.served[output as usize] = color.0);
    }

    /// How many colors have their turn at an output before this one: round robin behind the color served last.
    #[inline]
    pub fn turns_until(&self, color: Color, output: Direction) -> u8 {
        (color.0 + 31 - self.served[output as usize]) % 32
    }

    fn lanes_before(&self, color: Color) -> usize {
        let before = self.known & (bit(color) - 1);
        // `count_ones` is slow on processors without an instruction for it.
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
