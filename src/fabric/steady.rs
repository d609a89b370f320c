//! Streams that flow steadily: a cycle differs from the one before in nothing but the words.
//!
//! While all that moves on the wafer are such streams, many cycles can be done at once: what the
//! senders send in these cycles goes in behind, what the receivers take comes out in front, and the
//! wavelets on their way lie in the same places as before. `wafer/bulk_advance.rs` looks for them.
//!
//! With express channels, this leaves 0.28 of the instructions of `benches/programs/stream.csl` (24 x 8, 400 words
//! in each row). It gains nothing on the public examples that were measured (game-of-life, 16 x 16;
//! gemm-collectives_2d, 6 x 6; gemv-collectives_2d, 16 x 16; cholesky, 10 x 10: 1.00 to 1.01 of the instructions).
//! `--hop-by-hop` and `--engine plain` switch both off; `nothing_depends_on_whether_streams_go_hop_by_hop` in
//! `tests/it/props/streams.rs` compares them with wavelets that go hop by hop.

use super::Wavelet;
use super::buffer::Flit;
use super::express::ExpressChannels;
use super::grid::Grid;
use super::lane::Lane;
use super::router::{RAMP, bit};
use super::schedule::Schedule;
use super::way::Landing;
use crate::arch::{Color, Direction};

/// A stream that takes a wavelet from its sender and gives one to its receiver in every cycle.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Who sends, on which color.
    pub sender: (usize, Color),
    /// Who receives, on which color.
    pub receiver: (usize, Color),
    /// Where its wavelets lie, in the order in which they pass.
    places: Vec<StreamStage>,
    /// Links that they cross in a cycle.
    hops: u64,
}

/// A place of a steady stream, full to what it holds in each cycle.
#[derive(Copy, Clone, Debug)]
enum StreamStage {
    Onramp(u32),
    /// One wavelet that has come from a side.
    Link(u32, Direction),
    ExpressChannel(u32),
    Offramp(u32),
}

/// What flows is looked for here, before a cycle.
pub struct Flows<'f> {
    grid: &'f Grid,
    schedule: &'f Schedule,
    channels: &'f ExpressChannels,
    now: u64,
    /// Routers that streams go through.
    visited: Vec<u32>,
}

impl<'f> Flows<'f> {
    /// Nothing is found yet.
    pub fn new(grid: &'f Grid, schedule: &'f Schedule, channels: &'f ExpressChannels, now: u64) -> Flows<'f> {
        Flows { grid, schedule, channels, now, visited: Vec::new() }
    }

    /// The streams that flow; `None` if anything else moves or is about to.
    pub fn streams(mut self) -> Option<Vec<Stream>> {
        let (mut streams, mut channels) = (Vec::new(), 0);
        for pe in self.schedule.all_awake() {
            let pe = *pe as usize;
            let Some(id) = self.only_lane(pe).filter(|id| self.grid.lane(*id).filled() == RAMP) else {
                continue;
            };
            let stream = self.stream(pe, id)?;
            channels +=
                stream.places.iter().filter(|place| matches!(place, StreamStage::ExpressChannel(_))).count();
            streams.push(stream);
        }
        self.visited.sort_unstable();
        let is_visited = |pe: &u32| {
            let router = self.grid.router(*pe as usize);
            router.waiting() | router.descending() == 0 || self.visited.binary_search(pe).is_ok()
        };
        let all = channels == self.channels.moving() && self.schedule.pending().all(is_visited);
        (all && !streams.is_empty()).then_some(streams)
    }

    /// The lane of the only color that waits at a router.
    fn only_lane(&self, pe: usize) -> Option<u32> {
        let waiting = self.grid.router(pe).waiting();
        waiting.is_power_of_two().then(|| self.grid.only_lane_of(waiting, pe))
    }

    fn stream(&mut self, pe: usize, start: u32) -> Option<Stream> {
        let lane = self.grid.lane(start);
        let is_own = self.grid.known_landing(start, Direction::Ramp) == Landing::Lane(start);
        if !is_own || !self.is_steady(lane.onramp().iter().copied()) {
            return None;
        }
        let sender = (pe, lane.color());
        let (mut places, mut hops) = (vec![StreamStage::Onramp(start)], 0);
        let (mut id, mut side) = (start, Direction::Ramp);
        loop {
            let lane = self.grid.lane(id);
            if let Some((number, _)) = lane.channel() {
                let length;
                (id, side, length) = self.channels.steady(number, id, side, self.now)?;
                places.push(StreamStage::ExpressChannel(number));
                hops += length;
                continue;
            }
            self.visited.push(lane.pe() as u32);
            hops += 1;
            if side != Direction::Ramp {
                places.push(StreamStage::Link(id, side));
            }
            let goes = self.goes_on(lane, side)?;
            if goes == Direction::Ramp {
                places.push(StreamStage::Offramp(id));
                return Some(Stream { sender, receiver: (lane.pe(), lane.color()), places, hops });
            }
            match self.grid.known_landing(id, goes) {
                Landing::Lane(next) => (id, side) = (next, goes.opposite()),
                Landing::Unknown | Landing::Edge | Landing::Both(..) => return None,
            }
        }
    }

    /// Where a wavelet that has come from a side goes from a lane, if it is the only one at the router
    /// and the same will be in each of the next cycles.
    fn goes_on(&self, lane: &Lane, side: Direction) -> Option<Direction> {
        let gate = lane.gate();
        let goes = Direction::ALL[gate.tx.trailing_zeros() as usize % 5];
        let down = if goes == Direction::Ramp { bit(lane.color()) } else { 0 };
        let router = self.grid.router(lane.pe());
        let is_alone = router.waiting() == bit(lane.color()) && router.descending() == down;
        let is_straight = lane.filled() == 1 << side as u8
            && gate.rx & lane.filled() != 0
            && lane.is_plain()
            && lane.head_state(side).left() == 0;
        let fits = side == Direction::Ramp
            || lane.waiting(side) == 1 && lane.head(side, self.now).is_some_and(|flit| flit.is_plain());
        let flows = down == 0 || self.is_steady(lane.offramp().iter().copied());
        (is_alone && is_straight && !lane.has_filter() && fits && flows).then_some(goes)
    }

    /// Whether a ramp holds one wavelet for each of the cycles that it takes.
    fn is_steady(&self, ramp: impl ExactSizeIterator<Item = (u64, Flit)>) -> bool {
        ramp.len() as u64 == self.grid.ramp_latency()
            && ramp.zip(self.now..).all(|((ready, flit), cycle)| ready == cycle && flit.is_plain())
    }
}

impl Stream {
    /// Lets cycles pass in which nothing but steady streams flows: `words` are what the sender sends in
    /// them, and become what the receiver takes. Gives the links that were crossed.
    pub(super) fn flow(&self, grid: &mut Grid, channels: &mut ExpressChannels, words: &mut [Wavelet]) -> u64 {
        let cycles = words.len() as u64;
        let mut line = Vec::new();
        for place in self.places.iter().rev() {
            place.lift(grid, channels, &mut line);
        }
        line.extend(words.iter().map(|word| Flit::new(*word)));
        for (word, flit) in words.iter_mut().zip(&line) {
            *word = flit.delivered();
        }
        let mut rest = line[words.len()..].iter().copied();
        for place in self.places.iter().rev() {
            place.put_back(grid, channels, &mut rest, cycles);
        }
        self.hops * cycles
    }
}

impl StreamStage {
    /// What lies there, oldest first.
    fn lift(self, grid: &Grid, channels: &ExpressChannels, line: &mut Vec<Flit>) {
        match self {
            StreamStage::Onramp(id) => line.extend(grid.lane(id).onramp().iter().map(|(_, flit)| *flit)),
            StreamStage::Offramp(id) => line.extend(grid.lane(id).offramp().iter().map(|(_, flit)| *flit)),
            StreamStage::Link(id, side) => line.extend(grid.lane(id).link(side).front()),
            StreamStage::ExpressChannel(number) => {
                line.extend(channels.riders(number).map(|(_, flit)| *flit))
            }
        }
    }

    /// Fills it again, so many cycles later.
    fn put_back(
        self,
        grid: &mut Grid,
        channels: &mut ExpressChannels,
        rest: &mut impl Iterator<Item = Flit>,
        cycles: u64,
    ) {
        let mut shift = |(cycle, flit): &mut (u64, Flit)| {
            *cycle += cycles;
            *flit = rest.next().expect("as many wavelets are on their way as before");
        };
        match self {
            StreamStage::Onramp(id) => grid.lane_mut(id).change_onramp(cycles, shift),
            StreamStage::Offramp(id) => grid.lane_mut(id).change_offramp(cycles, shift),
            StreamStage::Link(id, side) => {
                let mut one = (0, Flit::default());
                shift(&mut one);
                let lane = grid.lane_mut(id);
                lane.pop(side);
                lane.push(side, one.1);
            }
            StreamStage::ExpressChannel(number) => channels.shift(number, cycles).for_each(shift),
        }
    }
}
