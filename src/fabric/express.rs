//! Stretches of routers that a stream crosses on its own, without a visit to each of them.
//!
//! Where a color goes straight on from link to link and nobody else wants these links, a wavelet that
//! lands on the first router in one cycle leaves the last one a known number of cycles later. Such a
//! stretch is an express channel: only its ends are touched. As soon as the end does not take what comes, or
//! anybody could want one of the links, the express channel is dissolved: its wavelets go into the buffers in
//! which they would lie, and everything goes on hop by hop. Nothing of this can be seen from outside
//! but the time that a run takes.
//!
//! docs/performance.md says what it gains. `--hop-by-hop` and `--engine plain` switch it off; properties in
//! `fabric/express/tests.rs` and `tests/it/props/streams.rs` compare it with wavelets that go hop by hop.

#[cfg(test)]
mod tests;

use super::buffer::Flit;
use super::control::{self, Command};
use super::grid::Grid;
use super::lane::Lane;
use super::router::{bit, colors};
use super::schedule::Schedule;
use super::way::Landing;
use crate::arch::Direction;
use crate::image::routes::PopMode;
use std::collections::VecDeque;

/// A shorter express channel is not worth it.
const SHORTEST: usize = 3;
/// Cycles until a lane where no express channel could begin is tried again.
const PAUSE: u64 = 64;
/// The longest such pause.
const LONGEST_PAUSE: u64 = 4096;

/// An express channel.
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
    enabled: bool,
    all: Vec<ExpressChannel>,
    unused: Vec<u32>,
    /// Those that carry something.
    moving: Vec<u32>,
    /// Lanes where express channels may begin, with the side from which wavelets come.
    starts: Vec<(u32, Direction)>,
    /// Wavelets that leave express channels in this cycle.
    leaving: Vec<(u32, Direction, Flit)>,
    /// Hops of the wavelets that have left, less those that they had done before.
    hops_of_left: u64,
}

impl ExpressChannels {
    /// None yet.
    pub fn new() -> ExpressChannels {
        ExpressChannels { enabled: true, ..ExpressChannels::default() }
    }

    /// Whether anything is on an express channel.
    #[inline]
    pub fn are_moving(&self) -> bool {
        !self.moving.is_empty()
    }

    /// Whether there are none.
    pub fn are_unused(&self) -> bool {
        self.all.len() == self.unused.len()
    }

    /// Hops on express channels, before a cycle.
    pub fn hops(&self, next: u64) -> u64 {
        let riders = self.moving.iter().flat_map(|n| &self.all[*n as usize].riders);
        self.hops_of_left.wrapping_add(riders.map(|(landed, _)| next - 1 - landed).sum())
    }

    /// Whether a wavelet lies at a lane of an express channel, before a cycle.
    pub fn lies_at(&self, channel: u32, spot: u32, next: u64) -> bool {
        let Some(channel) = self.all.get(channel as usize) else { return false };
        channel.riders.iter().any(|(landed, _)| landed + u64::from(spot) + 1 == next)
    }
}

impl ExpressChannels {
    /// Whether wavelets may use them.
    #[inline]
    pub fn are_enabled(&self) -> bool {
        self.enabled
    }

    /// From now on every wavelet goes link by link; there must be no channels.
    pub fn disable(&mut self) {
        self.enabled = false;
    }

    /// A wavelet lands on a lane that is part of an express channel; true if the express channel takes it.
    pub fn ride(
        &mut self,
        grid: &mut Grid,
        schedule: &mut Schedule,
        (id, side): (u32, Direction),
        flit: Flit,
        now: u64,
    ) -> bool {
        let Some((number, spot)) = grid.lane(id).channel() else { return false };
        let channel = &mut self.all[number as usize];
        if channel.lanes[0] != id || channel.from != Some(side) || stays_off(flit) {
            self.dissolve(grid, schedule, (number, spot as usize), now + 1);
            return false;
        }
        if channel.riders.is_empty() {
            self.moving.push(number);
        }
        channel.riders.push_back((now, flit));
        true
    }

    /// Takes the wavelets that come to the ends of express channels in this cycle; before anybody decides.
    #[inline]
    pub fn begin_step(&mut self, grid: &mut Grid, schedule: &mut Schedule, now: u64) {
        if !self.moving.is_empty() {
            self.leave(grid, schedule, now);
        }
    }

    fn leave(&mut self, grid: &mut Grid, schedule: &mut Schedule, now: u64) {
        let mut at = 0;
        while let Some(number) = self.moving.get(at).copied() {
            let channel = &mut self.all[number as usize];
            let (landed, flit) = *channel.riders.front().expect("a moving channel carries something");
            if landed + channel.length() > now {
                at += 1;
                continue;
            }
            let (exit, side) = channel.exit.expect("a channel in use leads somewhere");
            if grid.lane(exit).waiting(side) >= grid.link_depth() {
                let last = channel.lanes.len() - 1;
                self.dissolve(grid, schedule, (number, last), now);
                continue;
            }
            channel.riders.pop_front();
            channel.last_left = Some(landed);
            channel.carried += 1;
            self.hops_of_left = self.hops_of_left.wrapping_add(channel.length());
            self.leaving.push((exit, side, flit));
            match channel.riders.is_empty() {
                true => drop(self.moving.swap_remove(at)),
                false => at += 1,
            }
        }
    }

    /// Takes those that leave: they land after everybody has decided.
    #[inline]
    pub fn take_leaving(&mut self) -> Vec<(u32, Direction, Flit)> {
        std::mem::take(&mut self.leaving)
    }

    /// Keeps the memory of that list.
    #[inline]
    pub fn keep_leaving(&mut self, mut leaving: Vec<(u32, Direction, Flit)>) {
        leaving.clear();
        self.leaving = leaving;
    }

    /// A wavelet has landed on a lane that is on no express channel and may be tried from a cycle on: perhaps one
    /// can begin here, if wavelets may use them.
    #[inline]
    pub fn suggest(&mut self, id: u32, side: Direction, try_at: u64, now: u64) {
        if try_at <= now {
            self.starts.push((id, side));
        }
    }

    /// Makes the express channels that were suggested; at the end of a cycle.
    #[inline]
    pub fn end_step(&mut self, grid: &mut Grid, now: u64) {
        if self.starts.is_empty() {
            return;
        }
        let mut starts = std::mem::take(&mut self.starts);
        for (id, side) in starts.drain(..) {
            if !grid.lane(id).is_on_channel() {
                self.make(grid, id, side, now);
            }
        }
        self.starts = starts;
    }

    fn make(&mut self, grid: &mut Grid, start: u32, from: Direction, now: u64) {
        let number = self.unused.pop().unwrap_or_else(|| {
            self.all.push(ExpressChannel::default());
            self.all.len() as u32 - 1
        });
        let mut lanes = std::mem::take(&mut self.all[number as usize].lanes);
        let (mut id, mut side) = (start, from);
        while let Some((next, next_side)) = way_on(grid, id, side, lanes.len(), now) {
            grid.lane_mut(id).join_channel(number, lanes.len() as u32);
            lanes.push(id);
            (id, side) = (next, next_side);
        }
        let is_short = lanes.len() < SHORTEST;
        let channel = &mut self.all[number as usize];
        (channel.lanes, channel.from, channel.exit) = (lanes, Some(from), Some((id, side)));
        (channel.made, channel.last_left, channel.carried) = (now, None, 0);
        if is_short {
            self.release(grid, number);
            grid.lane_mut(start).put_off_channel(now + PAUSE);
            return;
        }
        self.load(grid, number, now);
    }

    /// Puts what lies at its lanes onto a new express channel; at the end of a cycle.
    fn load(&mut self, grid: &mut Grid, number: u32, now: u64) {
        let channel = &mut self.all[number as usize];
        for (spot, id) in channel.lanes.iter().enumerate().rev() {
            let (router, lane) = grid.parts(grid.lane(*id).pe(), *id);
            router.give_to_channel(lane.gate().tx);
            if lane.is_empty() {
                continue;
            }
            let side = Direction::ALL[lane.filled().trailing_zeros() as usize];
            let flit = *lane.head(side, now).expect("a link that is filled has a head");
            lane.pop(side);
            router.stop_waiting(lane.color());
            // Its hops so far count again when it leaves.
            self.hops_of_left = self.hops_of_left.wrapping_sub(spot as u64);
            channel.riders.push_back((now - spot as u64, flit));
        }
        if !channel.riders.is_empty() {
            self.moving.push(number);
        }
    }

    /// A wavelet comes to a lane, so that it may want a link that belongs to an express channel.
    pub fn clear_way(&mut self, grid: &mut Grid, schedule: &mut Schedule, id: u32, next: u64) {
        let lane = grid.lane(id);
        let pe = lane.pe();
        let wanted = grid.route(lane).widest().tx & grid.router(pe).channels();
        if wanted != 0 {
            self.dissolve_at(grid, schedule, (pe, wanted), next);
        }
    }

    /// Dissolves the express channels that use any of these links of a router.
    pub fn dissolve_at(
        &mut self,
        grid: &mut Grid,
        schedule: &mut Schedule,
        (pe, links): (usize, u8),
        next: u64,
    ) {
        // Programs that change their routes while they run come here often, and most have no express channel.
        if grid.lanes_at(pe).all(|lane| lane.channel().is_none()) {
            return;
        }
        for at in 0..grid.router(pe).lanes().count() {
            let Some(lane) = grid.lanes_at(pe).nth(at) else { return };
            if let Some((number, spot)) = lane.channel().filter(|_| lane.gate().tx & links != 0) {
                self.dissolve(grid, schedule, (number, spot as usize), next);
            }
        }
    }

    /// Dissolves all express channels, before a cycle.
    pub fn dissolve_all(&mut self, grid: &mut Grid, schedule: &mut Schedule, next: u64) {
        for number in 0..self.all.len() as u32 {
            if !self.all[number as usize].lanes.is_empty() {
                self.dissolve(grid, schedule, (number, 0), next);
            }
        }
    }

    /// Puts the wavelets of an express channel where they would lie before a cycle, and lets go of its lanes. Somebody
    /// was in the way at one of them; behind that the next express channel may begin at once.
    fn dissolve(
        &mut self,
        grid: &mut Grid,
        schedule: &mut Schedule,
        (number, obstacle): (u32, usize),
        next: u64,
    ) {
        let channel = &mut self.all[number as usize];
        for (spot, id) in channel.lanes.iter().enumerate() {
            let (router, lane) = grid.parts(grid.lane(*id).pe(), *id);
            if channel.has_moved(spot, next) {
                router.serve(lane.gate().tx, lane.color());
            }
        }
        let pause = match channel.carried > 4 * channel.length() {
            true => PAUSE,
            false => (2 * grid.lane(channel.lanes[0]).pause()).clamp(PAUSE, LONGEST_PAUSE),
        };
        for (landed, flit) in channel.riders.drain(..) {
            let spot = (next - 1 - landed) as usize;
            let side = match spot {
                0 => channel.from.expect("a channel in use begins somewhere"),
                _ => side_behind(grid.lane(channel.lanes[spot - 1])),
            };
            self.hops_of_left = self.hops_of_left.wrapping_add(spot as u64);
            let pe = grid.push(channel.lanes[spot], side, flit);
            schedule.wake(pe, grid.router_mut(pe));
        }
        self.moving.retain(|moving| *moving != number);
        for (spot, id) in channel.lanes.iter().enumerate() {
            let (router, lane) = grid.parts(grid.lane(*id).pe(), *id);
            router.take_from_channel(lane.gate().tx);
            if spot <= obstacle {
                // The first one is tried before the others.
                lane.put_off_channel(next + pause + if spot > 0 { PAUSE } else { 0 });
                lane.set_pause(pause);
            }
        }
        self.release(grid, number);
    }

    fn release(&mut self, grid: &mut Grid, number: u32) {
        self.all[number as usize].lanes.drain(..).for_each(|id| grid.lane_mut(id).quit_channel());
        self.unused.push(number);
    }
}

/// The lane behind this one, if wavelets go there and nowhere else and nobody is in their way.
fn way_on(grid: &mut Grid, id: u32, side: Direction, spot: usize, now: u64) -> Option<(u32, Direction)> {
    let lane = grid.lane(id);
    let route = grid.route(lane);
    let (came, gate) = (1 << side as u8, lane.gate());
    let is_fixed = route.gates().len() == 1
        && route.pop == PopMode::NoPop
        && !lane.injects()
        && !lane.is_torn_down()
        && !lane.is_on_channel();
    let is_straight = gate.rx == came && gate.tx.is_power_of_two() && lane.filled() & !came == 0;
    let to = Direction::ALL[gate.tx.trailing_zeros() as usize % 5];
    if !is_fixed
        || !is_straight
        || to == Direction::Ramp
        || lane.waiting(side) > 1
        || lane.head_state(side).left() != 0
    {
        return None;
    }
    if lane.head(side, now).is_some_and(|flit| stays_off(*flit) || spot as u64 > now) {
        return None;
    }
    let router = grid.router(lane.pe());
    let is_in_the_way = |other| {
        let other = grid.lane(grid.waiting_lane(lane.pe(), other));
        grid.route(other).widest().tx & gate.tx != 0
    };
    if router.channels() & gate.tx != 0 || colors(router.waiting() & !bit(lane.color())).any(is_in_the_way) {
        return None;
    }
    match grid.landing(id, to) {
        Landing::Lane(next) => Some((next, to.opposite())),
        Landing::Unknown | Landing::Edge | Landing::Both(..) => None,
    }
}

/// The side from which a wavelet comes that has left a lane of an express channel.
fn side_behind(lane: &Lane) -> Direction {
    Direction::ALL[lane.gate().tx.trailing_zeros() as usize].opposite()
}

/// Whether a wavelet does something to the routers that it passes.
fn stays_off(flit: Flit) -> bool {
    flit.advances || flit.is_control() && control::command(flit.word) == Command::Teardown
}
