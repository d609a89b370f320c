//! Stretches of routers that a stream crosses on its own, without a visit to each of them.
//!
//! Where a color goes straight on from link to link and nobody else wants these links, a wavelet that
//! lands on the first router in one cycle leaves the last one a known number of cycles later. Such a
//! stretch is a express channel: only its ends are touched. As soon as the end does not take what comes, or
//! anybody could want one of the links, the express channel is dissolved: its wavelets go into the buffers in
//! which they would lie, and everything goes on hop by hop. Nothing of this can be seen from outside
//! but the time that a run takes.
//!
//! docs/performance.md says what it gains. `--hop-by-hop` and `--engine plain` switch it off; properties in
//! `fabric/express/tests.rs` and `tests/it/props/streams.rs` compare it with wavelets that go hop by hop.

#[cfg(test)]
mod tests;

use super::Fabric;
use super::control::{self, Command};
use super::lane::{Flit, Landing, NO_CHANNEL};
use super::router::{bit, colors};
use crate::arch::Direction;
use crate::image::routes::PopMode;
use std::collections::VecDeque;

/// A shorter express channel is not worth it.
const SHORTEST: usize = 3;
/// Cycles until a lane where no express channel could begin is tried again.
const PAUSE: u64 = 64;
/// The longest such pause.
const LONGEST_PAUSE: u64 = 4096;

/// A express channel.
#[derive(Clone, Debug, Default)]
struct ExpressChannel {
    /// The lanes whose routers are not visited, in the order in which wavelets pass them.
    lanes: Vec<u32>,
    /// The side from which wavelets come to the first of them.
    from: Option<Direction>,
    /// The lane behind the last one, and the side from which wavelets come to it.
    exit: Option<(u32, Direction)>,
    /// Wavelets on it with the cycles in which they have landed on the first lane; oldest first.
    riders: VecDeque<(u64, Flit)>,
    /// The cycle at whose end it was made.
    made: u64,
    /// When the last wavelet that has left it had landed.
    last_left: Option<u64>,
    /// How many have left it.
    carried: u64,
}

impl ExpressChannel {
    fn length(&self) -> u64 {
        self.lanes.len() as u64
    }

    /// Whether a wavelet has gone on from a lane since the express channel was made and before a cycle.
    fn has_moved(&self, spot: usize, next: u64) -> bool {
        let spot = spot as u64;
        // One that landed in cycle `c` goes on from lane 0 in the next cycle.
        let counts = |landed: u64| landed + spot + 1 > self.made;
        let before = self.riders.partition_point(|(landed, _)| landed + spot + 1 < next);
        let newest = before.checked_sub(1).map(|at| self.riders[at].0).or(self.last_left);
        newest.is_some_and(counts)
    }
}

/// All express channels of a fabric.
#[derive(Clone, Debug, Default)]
pub struct ExpressChannels {
    /// Wavelets may use express channels.
    pub enabled: bool,
    all: Vec<ExpressChannel>,
    unused: Vec<u32>,
    /// Those that carry something.
    moving: Vec<u32>,
    /// Lanes where express channels may begin, with the side from which wavelets come.
    starts: Vec<(u32, Direction)>,
    /// Wavelets that leave express channels in this cycle.
    leaving: Vec<(u32, Direction, Flit)>,
}

impl ExpressChannels {
    /// None yet.
    pub fn new() -> ExpressChannels {
        ExpressChannels { enabled: true, ..ExpressChannels::default() }
    }

    /// Whether anything is on a express channel.
    pub fn are_moving(&self) -> bool {
        !self.moving.is_empty()
    }

    /// Whether there are none.
    pub fn are_unused(&self) -> bool {
        self.all.len() == self.unused.len()
    }

    /// How many carry something.
    pub fn moving(&self) -> usize {
        self.moving.len()
    }

    /// The lane behind a express channel, the side from which wavelets come to it, and the length of the express channel, if
    /// wavelets get on from a side at a lane and the express channel is full of plain ones before a cycle.
    pub fn steady(&self, number: u32, id: u32, side: Direction, now: u64) -> Option<(u32, Direction, u64)> {
        let channel = &self.all[number as usize];
        let length = channel.length();
        let begins =
            channel.lanes[0] == id && channel.from == Some(side) && channel.riders.len() as u64 == length;
        let is_full =
            || channel.riders.iter().zip(now - length..).all(|((landed, _), cycle)| *landed == cycle);
        let (exit, from) = channel.exit?;
        let is_plain = || channel.riders.iter().all(|(_, flit)| flit.is_plain());
        (begins && is_full() && is_plain()).then_some((exit, from, length))
    }

    /// What is on a express channel, with the cycles in which it got on.
    pub fn riders(&self, number: u32) -> impl Iterator<Item = &(u64, Flit)> {
        self.all[number as usize].riders.iter()
    }

    /// Lets a steady express channel carry on for some cycles; gives what is on it, to be changed likewise.
    pub fn shift(&mut self, number: u32, cycles: u64) -> impl Iterator<Item = &mut (u64, Flit)> {
        let channel = &mut self.all[number as usize];
        channel.carried += cycles;
        // A steady express channel carries one of every cycle.
        channel.last_left = channel.riders.front().map(|(landed, _)| landed + cycles - 1);
        channel.riders.iter_mut()
    }

    /// Hops of the wavelets that are on express channels, before a cycle.
    pub fn hops(&self, next: u64) -> u64 {
        let riders = self.moving.iter().flat_map(|n| &self.all[*n as usize].riders);
        riders.map(|(landed, _)| next - 1 - landed).sum()
    }

    /// Whether a wavelet lies at a lane of a express channel, before a cycle.
    pub fn lies_at(&self, channel: u32, spot: u32, next: u64) -> bool {
        let Some(channel) = self.all.get(channel as usize) else { return false };
        channel.riders.iter().any(|(landed, _)| landed + u64::from(spot) + 1 == next)
    }
}

impl Fabric {
    /// From now on every wavelet goes link by link.
    pub fn go_hop_by_hop(&mut self) {
        self.dissolve_all(self.next);
        self.channels.enabled = false;
    }

    /// Whether wavelets may go by other means than link by link.
    pub fn uses_channels(&self) -> bool {
        self.channels.enabled
    }

    /// A wavelet lands on a lane that is part of a express channel; true if the express channel takes it.
    pub(super) fn ride(&mut self, id: u32, side: Direction, flit: Flit, now: u64) -> bool {
        let number = self.lanes[id as usize].channel;
        let channel = &mut self.channels.all[number as usize];
        if channel.lanes[0] != id || channel.from != Some(side) || stays_off(flit) {
            let spot = self.lanes[id as usize].spot as usize;
            self.dissolve(number, spot, now + 1);
            return false;
        }
        if channel.riders.is_empty() {
            self.channels.moving.push(number);
        }
        channel.riders.push_back((now, flit));
        true
    }

    /// Takes the wavelets that come to the ends of express channels in this cycle; before anybody decides.
    pub(super) fn leave_channels(&mut self, now: u64) {
        let mut at = 0;
        while let Some(number) = self.channels.moving.get(at).copied() {
            let channel = &mut self.channels.all[number as usize];
            let (landed, flit) = *channel.riders.front().expect("a moving channel carries something");
            if landed + channel.length() > now {
                at += 1;
                continue;
            }
            let (exit, side) = channel.exit.expect("a channel in use leads somewhere");
            if self.lanes[exit as usize].waiting(side) >= self.link_depth {
                let last = channel.lanes.len() - 1;
                self.dissolve(number, last, now);
                continue;
            }
            channel.riders.pop_front();
            channel.last_left = Some(landed);
            channel.carried += 1;
            self.hops = self.hops.wrapping_add(channel.length());
            self.channels.leaving.push((exit, side, flit));
            match channel.riders.is_empty() {
                true => drop(self.channels.moving.swap_remove(at)),
                false => at += 1,
            }
        }
    }

    /// They land; after everybody has decided.
    pub(super) fn land_from_channels(&mut self, now: u64) {
        let mut leaving = std::mem::take(&mut self.channels.leaving);
        for (exit, side, flit) in leaving.drain(..) {
            self.land(exit, side, flit, now);
        }
        self.channels.leaving = leaving;
    }

    /// A wavelet has landed on a lane that is on no express channel: perhaps one can begin here.
    #[inline]
    pub(super) fn suggest_channel(&mut self, id: u32, side: Direction, now: u64) {
        let lane = &self.lanes[id as usize];
        if self.channels.enabled && lane.try_at <= now {
            self.channels.starts.push((id, side));
        }
    }

    /// Makes the express channels that were suggested; at the end of a cycle.
    pub(super) fn make_channels(&mut self, now: u64) {
        let mut starts = std::mem::take(&mut self.channels.starts);
        for (id, side) in starts.drain(..) {
            if self.lanes[id as usize].channel == NO_CHANNEL {
                self.make_channel(id, side, now);
            }
        }
        self.channels.starts = starts;
    }

    fn make_channel(&mut self, start: u32, from: Direction, now: u64) {
        let number = self.channels.unused.pop().unwrap_or_else(|| {
            self.channels.all.push(ExpressChannel::default());
            self.channels.all.len() as u32 - 1
        });
        let mut lanes = std::mem::take(&mut self.channels.all[number as usize].lanes);
        let (mut id, mut side) = (start, from);
        while let Some((next, next_side)) = self.way_on(id, side, lanes.len(), now) {
            let lane = &mut self.lanes[id as usize];
            (lane.channel, lane.spot) = (number, lanes.len() as u32);
            lanes.push(id);
            (id, side) = (next, next_side);
        }
        let is_short = lanes.len() < SHORTEST;
        let channel = &mut self.channels.all[number as usize];
        (channel.lanes, channel.from, channel.exit) = (lanes, Some(from), Some((id, side)));
        (channel.made, channel.last_left, channel.carried) = (now, None, 0);
        if is_short {
            self.release(number);
            self.lanes[start as usize].try_at = now + PAUSE;
            return;
        }
        self.load(number, now);
    }

    /// The lane behind this one, if wavelets go there and nowhere else and nobody is in their way.
    fn way_on(&mut self, id: u32, side: Direction, spot: usize, now: u64) -> Option<(u32, Direction)> {
        let lane = &self.lanes[id as usize];
        let route = self.routes.get(lane.route);
        let (came, goes) = (1 << side as u8, lane.gate.tx);
        let is_fixed = route.gates().len() == 1
            && route.pop == PopMode::NoPop
            && lane.inject.is_none()
            && !lane.teardown
            && lane.channel == NO_CHANNEL;
        let is_straight = lane.gate.rx == came && goes.is_power_of_two() && lane.filled & !came == 0;
        let to = Direction::ALL[goes.trailing_zeros() as usize % 5];
        if !is_fixed
            || !is_straight
            || to == Direction::Ramp
            || lane.waiting(side) > 1
            || lane.heads[side as usize].left() != 0
        {
            return None;
        }
        if lane.head(side, now).is_some_and(|flit| stays_off(*flit) || spot as u64 > now) {
            return None;
        }
        let (pe, color) = (lane.pe as usize, lane.color);
        let router = &self.routers[pe];
        let is_in_the_way = |other| {
            let other = &self.lanes[router.lane(other).expect("its wavelets are in a lane") as usize];
            self.routes.get(other.route).widest().tx & goes != 0
        };
        if router.channels & goes != 0 || colors(router.waiting & !bit(color)).any(is_in_the_way) {
            return None;
        }
        match self.landing(id, to) {
            Landing::Lane(next) => Some((next, to.opposite())),
            Landing::Unknown | Landing::Edge | Landing::Both(..) => None,
        }
    }

    /// Puts what lies at its lanes onto a new express channel; at the end of a cycle.
    fn load(&mut self, number: u32, now: u64) {
        let channel = &mut self.channels.all[number as usize];
        for (spot, id) in channel.lanes.iter().enumerate().rev() {
            let lane = &mut self.lanes[*id as usize];
            let router = &mut self.routers[lane.pe as usize];
            router.channels |= lane.gate.tx;
            if lane.filled == 0 {
                continue;
            }
            let side = Direction::ALL[lane.filled.trailing_zeros() as usize];
            let flit = *lane.head(side, now).expect("a link that is filled has a head");
            lane.pop(side);
            router.waiting &= !bit(lane.color);
            // Its hops so far count again when it leaves.
            self.hops = self.hops.wrapping_sub(spot as u64);
            channel.riders.push_back((now - spot as u64, flit));
        }
        if !channel.riders.is_empty() {
            self.channels.moving.push(number);
        }
    }

    /// A wavelet comes to a lane, so that it may want a link that belongs to a express channel.
    pub(super) fn clear_way(&mut self, pe: usize, id: u32, next: u64) {
        let wanted = self.routes.get(self.lanes[id as usize].route).widest().tx & self.routers[pe].channels;
        if wanted != 0 {
            self.dissolve_at(pe, wanted, next);
        }
    }

    /// Dissolves the express channels that use any of these links of a router.
    pub(super) fn dissolve_at(&mut self, pe: usize, links: u8, next: u64) {
        for at in 0..self.routers[pe].lanes().count() {
            let Some(id) = self.routers[pe].lanes().nth(at) else { return };
            let lane = &self.lanes[id as usize];
            if lane.channel != NO_CHANNEL && lane.gate.tx & links != 0 {
                self.dissolve(lane.channel, lane.spot as usize, next);
            }
        }
    }

    /// Dissolves all express channels, before a cycle.
    pub(super) fn dissolve_all(&mut self, next: u64) {
        for number in 0..self.channels.all.len() as u32 {
            if !self.channels.all[number as usize].lanes.is_empty() {
                self.dissolve(number, 0, next);
            }
        }
    }

    /// Puts the wavelets of a express channel where they would lie before a cycle, and lets go of its lanes. Somebody
    /// was in the way at one of them; behind that the next express channel may begin at once.
    fn dissolve(&mut self, number: u32, obstacle: usize, next: u64) {
        let channel = &mut self.channels.all[number as usize];
        for (spot, id) in channel.lanes.iter().enumerate() {
            let lane = &self.lanes[*id as usize];
            if channel.has_moved(spot, next) {
                self.routers[lane.pe as usize].serve(lane.gate.tx, lane.color);
            }
        }
        let mut riders = std::mem::take(&mut channel.riders);
        let mut side_of_first = channel.from;
        let pause = match channel.carried > 4 * channel.length() {
            true => PAUSE,
            false => (2 * self.lanes[channel.lanes[0] as usize].pause).clamp(PAUSE, LONGEST_PAUSE),
        };
        for (landed, flit) in riders.drain(..) {
            let spot = (next - 1 - landed) as usize;
            let channel = &self.channels.all[number as usize];
            let id = channel.lanes[spot];
            let side = match spot {
                0 => side_of_first.take().expect("a channel in use begins somewhere"),
                _ => self.side_behind(channel.lanes[spot - 1]),
            };
            self.hops = self.hops.wrapping_add(spot as u64);
            let lane = &mut self.lanes[id as usize];
            lane.push(side, flit);
            let (pe, color) = (lane.pe as usize, lane.color);
            self.routers[pe].wait(color);
            self.wake(pe);
        }
        self.channels.all[number as usize].riders = riders;
        self.channels.moving.retain(|moving| *moving != number);
        let lanes = &self.channels.all[number as usize].lanes;
        for (spot, id) in lanes.iter().enumerate() {
            let lane = &mut self.lanes[*id as usize];
            self.routers[lane.pe as usize].channels &= !lane.gate.tx;
            if spot <= obstacle {
                // The first one is tried before the others.
                lane.try_at = next + pause + if spot > 0 { PAUSE } else { 0 };
                lane.pause = pause;
            }
        }
        self.release(number);
    }

    /// The side from which a wavelet comes that has left a lane of a express channel.
    fn side_behind(&self, id: u32) -> Direction {
        let goes = self.lanes[id as usize].gate.tx;
        Direction::ALL[goes.trailing_zeros() as usize].opposite()
    }

    fn release(&mut self, number: u32) {
        let mut lanes = std::mem::take(&mut self.channels.all[number as usize].lanes);
        lanes.drain(..).for_each(|id| self.lanes[id as usize].channel = NO_CHANNEL);
        self.channels.all[number as usize].lanes = lanes;
        self.channels.unused.push(number);
    }
}

/// Whether a wavelet does something to the routers that it passes.
fn stays_off(flit: Flit) -> bool {
    flit.advances || flit.is_control() && control::command(flit.word) == Command::Teardown
}
