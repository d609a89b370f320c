//! Streams that flow steadily: a cycle differs from the one before in nothing but the words.
//!
//! While all that moves on the wafer are such streams, many cycles can be done at once: what the
//! senders send in these cycles goes in behind, what the receivers take comes out in front, and the
//! wavelets on their way lie in the same places as before.

use super::lane::NO_CHANNEL;
use super::lane::{Flit, Landing, Lane};
use super::router::{RAMP, bit};
use super::{Direction, Fabric, Wavelet};
use crate::arch::Color;

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

impl Fabric {
    /// How many routers and express channels have something to do.
    pub fn activity(&self) -> (usize, usize) {
        (self.awake.len(), self.channels.moving())
    }

    /// The streams that flow, before a cycle; `None` if anything else moves or is about to.
    pub fn steady_streams(&mut self, now: u64) -> Option<Vec<Stream>> {
        if self.is_recording() || self.letters_move() {
            return None;
        }
        let (mut streams, mut visited, mut channels) = (Vec::new(), Vec::new(), 0);
        for at in 0..self.awake.len() {
            let pe = self.awake[at] as usize;
            let Some(id) = self.only_lane(pe).filter(|id| self.lanes[*id as usize].filled == RAMP) else {
                continue;
            };
            let stream = self.steady_stream(pe, id, now, &mut visited)?;
            channels +=
                stream.places.iter().filter(|place| matches!(place, StreamStage::ExpressChannel(_))).count();
            streams.push(stream);
        }
        visited.sort_unstable();
        let is_visited = |pe: &u32| {
            let router = &self.routers[*pe as usize];
            router.waiting | router.descending == 0 || visited.binary_search(pe).is_ok()
        };
        let all = channels == self.channels.moving() && self.pending().all(is_visited);
        (all && !streams.is_empty()).then_some(streams)
    }

    /// Routers that are visited in the next cycles.
    fn pending(&self) -> impl Iterator<Item = &u32> {
        let timing_wheel = self.climbing.routers().chain(self.descending.routers());
        self.awake.iter().chain(&self.retries).chain(timing_wheel)
    }

    /// The lane of the only color that waits at a router.
    fn only_lane(&self, pe: usize) -> Option<u32> {
        let waiting = self.routers[pe].waiting;
        waiting.is_power_of_two().then(|| self.only_lane_of(waiting, pe))
    }

    fn steady_stream(&self, pe: usize, start: u32, now: u64, visited: &mut Vec<u32>) -> Option<Stream> {
        let lane = &self.lanes[start as usize];
        let is_own = self.known_landing(start, Direction::Ramp) == Landing::Lane(start);
        if !is_own || !self.is_steady(lane.onramp.iter().copied(), now) {
            return None;
        }
        let sender = (pe, lane.color);
        let (mut places, mut hops) = (vec![StreamStage::Onramp(start)], 0);
        let (mut id, mut side) = (start, Direction::Ramp);
        loop {
            let lane = &self.lanes[id as usize];
            if lane.channel != NO_CHANNEL {
                let length;
                (id, side, length) = self.channels.steady(lane.channel, id, side, now)?;
                places.push(StreamStage::ExpressChannel(lane.channel));
                hops += length;
                continue;
            }
            visited.push(lane.pe);
            hops += 1;
            if side != Direction::Ramp {
                places.push(StreamStage::Link(id, side));
            }
            let goes = self.goes_on(lane, side, now)?;
            if goes == Direction::Ramp {
                places.push(StreamStage::Offramp(id));
                return Some(Stream { sender, receiver: (lane.pe as usize, lane.color), places, hops });
            }
            match self.known_landing(id, goes) {
                Landing::Lane(next) => (id, side) = (next, goes.opposite()),
                Landing::Unknown | Landing::Edge | Landing::Both(..) => return None,
            }
        }
    }

    /// Where a wavelet that has come from a side goes from a lane, if it is the only one at the router
    /// and the same will be in each of the next cycles.
    fn goes_on(&self, lane: &Lane, side: Direction, now: u64) -> Option<Direction> {
        let goes = Direction::ALL[lane.gate.tx.trailing_zeros() as usize % 5];
        let down = if goes == Direction::Ramp { bit(lane.color) } else { 0 };
        let router = &self.routers[lane.pe as usize];
        let is_alone = router.waiting == bit(lane.color) && router.descending == down;
        let is_straight = lane.filled == 1 << side as u8
            && lane.gate.rx & lane.filled != 0
            && lane.gate.tx.is_power_of_two()
            && lane.heads[side as usize].left() == 0;
        let is_plain = lane.inject.is_none() && lane.filter.is_none() && !lane.teardown;
        let fits = side == Direction::Ramp
            || lane.waiting(side) == 1 && lane.head(side, now).is_some_and(|flit| flit.is_plain());
        let flows = down == 0 || self.is_steady(lane.offramp.iter().copied(), now);
        (is_alone && is_straight && is_plain && fits && flows).then_some(goes)
    }

    /// Whether a ramp holds one wavelet for each of the cycles that it takes.
    fn is_steady(&self, ramp: impl ExactSizeIterator<Item = (u64, Flit)>, now: u64) -> bool {
        let latency = usize::from(self.arch.ramp_latency);
        ramp.len() == latency
            && ramp.zip(now..).all(|((ready, flit), cycle)| ready == cycle && flit.is_plain())
    }

    /// Lets cycles pass in which nothing but steady streams flows: `words` are what the sender sends in
    /// them, and become what the receiver takes.
    pub fn flow(&mut self, stream: &Stream, words: &mut [Wavelet]) {
        let cycles = words.len() as u64;
        let mut line = Vec::new();
        for place in stream.places.iter().rev() {
            self.lift(*place, &mut line);
        }
        line.extend(words.iter().map(|word| Flit::new(*word)));
        for (word, flit) in words.iter_mut().zip(&line) {
            *word = flit.delivered();
        }
        let mut rest = line[words.len()..].iter().copied();
        for place in stream.places.iter().rev() {
            self.put_back(*place, &mut rest, cycles);
        }
        self.hops = self.hops.wrapping_add(stream.hops * cycles);
        let first = stream.places.first().zip(stream.places.last());
        if let Some((StreamStage::Onramp(first), StreamStage::Offramp(last))) = first {
            self.lanes[*first as usize].sent += cycles;
            self.lanes[*last as usize].received += cycles;
        }
    }

    /// What lies in a place, oldest first.
    fn lift(&self, place: StreamStage, line: &mut Vec<Flit>) {
        match place {
            StreamStage::Onramp(id) => {
                line.extend(self.lanes[id as usize].onramp.iter().map(|(_, flit)| *flit))
            }
            StreamStage::Offramp(id) => {
                line.extend(self.lanes[id as usize].offramp.iter().map(|(_, flit)| *flit))
            }
            StreamStage::Link(id, side) => line.extend(self.lanes[id as usize].link(side).front()),
            StreamStage::ExpressChannel(number) => {
                line.extend(self.channels.riders(number).map(|(_, flit)| *flit))
            }
        }
    }

    /// Fills it again, so many cycles later.
    fn put_back(&mut self, place: StreamStage, rest: &mut impl Iterator<Item = Flit>, cycles: u64) {
        let mut shift = |(cycle, flit): &mut (u64, Flit)| {
            *cycle += cycles;
            *flit = rest.next().expect("as many wavelets are on their way as before");
        };
        match place {
            StreamStage::Onramp(id) => self.lanes[id as usize].onramp.change(shift),
            StreamStage::Offramp(id) => self.lanes[id as usize].offramp.change(shift),
            StreamStage::Link(id, side) => {
                let mut one = (0, Flit::default());
                shift(&mut one);
                let lane = &mut self.lanes[id as usize];
                lane.pop(side);
                lane.push(side, one.1);
            }
            StreamStage::ExpressChannel(number) => self.channels.shift(number, cycles).for_each(shift),
        }
    }

    /// The cycle that comes next, after [`Fabric::flow`] of all streams.
    pub fn resume(&mut self, now: u64) {
        self.climbing.put_off(now - self.next);
        self.descending.put_off(now - self.next);
        self.next = now;
    }
}
