//! Stretches of routers that a stream crosses on its own, without a visit to each of them.
//!
//! Where a color goes straight on from link to link and nobody else wants these links, a wavelet that
//! lands on the first router in one cycle leaves the last one a known number of cycles later. Such a
//! stretch is a belt: only its ends are touched. As soon as the end does not take what comes, or
//! anybody could want one of the links, the belt is dissolved: its wavelets go into the buffers in
//! which they would lie, and everything goes on hop by hop. Nothing of this can be seen from outside
//! but the time that a run takes.

#[cfg(test)]
mod tests;

use super::Fabric;
use super::control::{self, Command};
use super::lane::{Flit, Landing};
use super::router::{bit, colors};
use crate::arch::Direction;
use crate::image::routes::PopMode;
use std::collections::VecDeque;

/// The belt of a lane that is on none.
pub const NO_BELT: u32 = u32::MAX;
/// A shorter belt is not worth it.
const SHORTEST: usize = 3;
/// Cycles until a lane where no belt could begin is tried again.
const PAUSE: u64 = 64;
/// The longest such pause.
const LONGEST_PAUSE: u64 = 4096;

/// A belt.
#[derive(Clone, Debug, Default)]
struct Belt {
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

impl Belt {
    fn length(&self) -> u64 {
        self.lanes.len() as u64
    }

    /// Whether a wavelet has gone on from a lane since the belt was made and before a cycle.
    fn has_moved(&self, spot: usize, next: u64) -> bool {
        let spot = spot as u64;
        // One that landed in cycle `c` goes on from lane 0 in the next cycle.
        let counts = |landed: u64| landed + spot + 1 > self.made;
        let before = self.riders.partition_point(|(landed, _)| landed + spot + 1 < next);
        let newest = before.checked_sub(1).map(|at| self.riders[at].0).or(self.last_left);
        newest.is_some_and(counts)
    }
}

/// All belts of a fabric.
#[derive(Clone, Debug, Default)]
pub struct Belts {
    /// Wavelets may use belts.
    pub enabled: bool,
    all: Vec<Belt>,
    unused: Vec<u32>,
    /// Those that carry something.
    moving: Vec<u32>,
    /// Lanes where belts may begin, with the side from which wavelets come.
    starts: Vec<(u32, Direction)>,
    /// Wavelets that leave belts in this cycle.
    leaving: Vec<(u32, Direction, Flit)>,
}

impl Belts {
    /// None yet.
    pub fn new() -> Belts {
        Belts { enabled: true, ..Belts::default() }
    }

    /// Whether anything is on a belt.
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

    /// The lane behind a belt, the side from which wavelets come to it, and the length of the belt, if
    /// wavelets get on from a side at a lane and the belt is full of plain ones before a cycle.
    pub fn steady(&self, number: u32, id: u32, side: Direction, now: u64) -> Option<(u32, Direction, u64)> {
        let belt = &self.all[number as usize];
        let length = belt.length();
        let begins = belt.lanes[0] == id && belt.from == Some(side) && belt.riders.len() as u64 == length;
        let is_full = || belt.riders.iter().zip(now - length..).all(|((landed, _), cycle)| *landed == cycle);
        let (exit, from) = belt.exit?;
        let is_plain = || belt.riders.iter().all(|(_, flit)| flit.is_plain());
        (begins && is_full() && is_plain()).then_some((exit, from, length))
    }

    /// What is on a belt, with the cycles in which it got on.
    pub fn riders(&self, number: u32) -> impl Iterator<Item = &(u64, Flit)> {
        self.all[number as usize].riders.iter()
    }

    /// Lets a steady belt carry on for some cycles; gives what is on it, to be changed likewise.
    pub fn shift(&mut self, number: u32, cycles: u64) -> impl Iterator<Item = &mut (u64, Flit)> {
        let belt = &mut self.all[number as usize];
        belt.carried += cycles;
        // A steady belt carries one of every cycle.
        belt.last_left = belt.riders.front().map(|(landed, _)| landed + cycles - 1);
        belt.riders.iter_mut()
    }

    /// Hops of the wavelets that are on belts, before a cycle.
    pub fn hops(&self, next: u64) -> u64 {
        let riders = self.moving.iter().flat_map(|n| &self.all[*n as usize].riders);
        riders.map(|(landed, _)| next - 1 - landed).sum()
    }

    /// Whether a wavelet lies at a lane of a belt, before a cycle.
    pub fn lies_at(&self, belt: u32, spot: u32, next: u64) -> bool {
        let Some(belt) = self.all.get(belt as usize) else { return false };
        belt.riders.iter().any(|(landed, _)| landed + u64::from(spot) + 1 == next)
    }
}

impl Fabric {
    /// From now on every wavelet goes link by link.
    pub fn go_hop_by_hop(&mut self) {
        self.dissolve_all(self.next);
        self.belts.enabled = false;
    }

    /// Whether wavelets may go by other means than link by link.
    pub fn uses_belts(&self) -> bool {
        self.belts.enabled
    }

    /// A wavelet lands on a lane that is part of a belt; true if the belt takes it.
    pub(super) fn ride(&mut self, id: u32, side: Direction, flit: Flit, now: u64) -> bool {
        let number = self.lanes[id as usize].belt;
        let belt = &mut self.belts.all[number as usize];
        if belt.lanes[0] != id || belt.from != Some(side) || stays_off(flit) {
            let spot = self.lanes[id as usize].spot as usize;
            self.dissolve(number, spot, now + 1);
            return false;
        }
        if belt.riders.is_empty() {
            self.belts.moving.push(number);
        }
        belt.riders.push_back((now, flit));
        true
    }

    /// Takes the wavelets that come to the ends of belts in this cycle; before anybody decides.
    pub(super) fn leave_belts(&mut self, now: u64) {
        let mut at = 0;
        while let Some(number) = self.belts.moving.get(at).copied() {
            let belt = &mut self.belts.all[number as usize];
            let (landed, flit) = *belt.riders.front().expect("a moving belt carries something");
            if landed + belt.length() > now {
                at += 1;
                continue;
            }
            let (exit, side) = belt.exit.expect("a belt in use leads somewhere");
            if self.lanes[exit as usize].waiting(side) >= self.link_depth {
                let last = belt.lanes.len() - 1;
                self.dissolve(number, last, now);
                continue;
            }
            belt.riders.pop_front();
            belt.last_left = Some(landed);
            belt.carried += 1;
            self.hops = self.hops.wrapping_add(belt.length());
            self.belts.leaving.push((exit, side, flit));
            match belt.riders.is_empty() {
                true => drop(self.belts.moving.swap_remove(at)),
                false => at += 1,
            }
        }
    }

    /// They land; after everybody has decided.
    pub(super) fn land_from_belts(&mut self, now: u64) {
        let mut leaving = std::mem::take(&mut self.belts.leaving);
        for (exit, side, flit) in leaving.drain(..) {
            self.land(exit, side, flit, now);
        }
        self.belts.leaving = leaving;
    }

    /// A wavelet has landed on a lane that is on no belt: perhaps one can begin here.
    #[inline]
    pub(super) fn suggest_belt(&mut self, id: u32, side: Direction, now: u64) {
        let lane = &self.lanes[id as usize];
        if self.belts.enabled && lane.try_at <= now {
            self.belts.starts.push((id, side));
        }
    }

    /// Makes the belts that were suggested; at the end of a cycle.
    pub(super) fn make_belts(&mut self, now: u64) {
        let mut starts = std::mem::take(&mut self.belts.starts);
        for (id, side) in starts.drain(..) {
            if self.lanes[id as usize].belt == NO_BELT {
                self.make_belt(id, side, now);
            }
        }
        self.belts.starts = starts;
    }

    fn make_belt(&mut self, start: u32, from: Direction, now: u64) {
        let number = self.belts.unused.pop().unwrap_or_else(|| {
            self.belts.all.push(Belt::default());
            self.belts.all.len() as u32 - 1
        });
        let mut lanes = std::mem::take(&mut self.belts.all[number as usize].lanes);
        let (mut id, mut side) = (start, from);
        while let Some((next, next_side)) = self.way_on(id, side, lanes.len(), now) {
            let lane = &mut self.lanes[id as usize];
            (lane.belt, lane.spot) = (number, lanes.len() as u32);
            lanes.push(id);
            (id, side) = (next, next_side);
        }
        let is_short = lanes.len() < SHORTEST;
        let belt = &mut self.belts.all[number as usize];
        (belt.lanes, belt.from, belt.exit) = (lanes, Some(from), Some((id, side)));
        (belt.made, belt.last_left, belt.carried) = (now, None, 0);
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
            && lane.belt == NO_BELT;
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
        if router.belts & goes != 0 || colors(router.waiting & !bit(color)).any(is_in_the_way) {
            return None;
        }
        match self.landing(id, to) {
            Landing::Lane(next) => Some((next, to.opposite())),
            Landing::Unknown | Landing::Edge | Landing::Both(..) => None,
        }
    }

    /// Puts what lies at its lanes onto a new belt; at the end of a cycle.
    fn load(&mut self, number: u32, now: u64) {
        let belt = &mut self.belts.all[number as usize];
        for (spot, id) in belt.lanes.iter().enumerate().rev() {
            let lane = &mut self.lanes[*id as usize];
            let router = &mut self.routers[lane.pe as usize];
            router.belts |= lane.gate.tx;
            if lane.filled == 0 {
                continue;
            }
            let side = Direction::ALL[lane.filled.trailing_zeros() as usize];
            let flit = *lane.head(side, now).expect("a link that is filled has a head");
            lane.pop(side);
            router.waiting &= !bit(lane.color);
            // Its hops so far count again when it leaves.
            self.hops = self.hops.wrapping_sub(spot as u64);
            belt.riders.push_back((now - spot as u64, flit));
        }
        if !belt.riders.is_empty() {
            self.belts.moving.push(number);
        }
    }

    /// A wavelet comes to a lane, so that it may want a link that belongs to a belt.
    pub(super) fn clear_way(&mut self, pe: usize, id: u32, next: u64) {
        let wanted = self.routes.get(self.lanes[id as usize].route).widest().tx & self.routers[pe].belts;
        if wanted != 0 {
            self.dissolve_at(pe, wanted, next);
        }
    }

    /// Dissolves the belts that use any of these links of a router.
    pub(super) fn dissolve_at(&mut self, pe: usize, links: u8, next: u64) {
        for at in 0..self.routers[pe].lanes().count() {
            let Some(id) = self.routers[pe].lanes().nth(at) else { return };
            let lane = &self.lanes[id as usize];
            if lane.belt != NO_BELT && lane.gate.tx & links != 0 {
                self.dissolve(lane.belt, lane.spot as usize, next);
            }
        }
    }

    /// Dissolves all belts, before a cycle.
    pub(super) fn dissolve_all(&mut self, next: u64) {
        for number in 0..self.belts.all.len() as u32 {
            if !self.belts.all[number as usize].lanes.is_empty() {
                self.dissolve(number, 0, next);
            }
        }
    }

    /// Puts the wavelets of a belt where they would lie before a cycle, and lets go of its lanes. Somebody
    /// was in the way at one of them; behind that the next belt may begin at once.
    fn dissolve(&mut self, number: u32, obstacle: usize, next: u64) {
        let belt = &mut self.belts.all[number as usize];
        for (spot, id) in belt.lanes.iter().enumerate() {
            let lane = &self.lanes[*id as usize];
            if belt.has_moved(spot, next) {
                self.routers[lane.pe as usize].serve(lane.gate.tx, lane.color);
            }
        }
        let mut riders = std::mem::take(&mut belt.riders);
        let mut side_of_first = belt.from;
        let pause = match belt.carried > 4 * belt.length() {
            true => PAUSE,
            false => (2 * self.lanes[belt.lanes[0] as usize].pause).clamp(PAUSE, LONGEST_PAUSE),
        };
        for (landed, flit) in riders.drain(..) {
            let spot = (next - 1 - landed) as usize;
            let belt = &self.belts.all[number as usize];
            let id = belt.lanes[spot];
            let side = match spot {
                0 => side_of_first.take().expect("a belt in use begins somewhere"),
                _ => self.side_behind(belt.lanes[spot - 1]),
            };
            self.hops = self.hops.wrapping_add(spot as u64);
            let lane = &mut self.lanes[id as usize];
            lane.push(side, flit);
            let (pe, color) = (lane.pe as usize, lane.color);
            self.routers[pe].wait(color);
            self.wake(pe);
        }
        self.belts.all[number as usize].riders = riders;
        self.belts.moving.retain(|moving| *moving != number);
        let lanes = &self.belts.all[number as usize].lanes;
        for (spot, id) in lanes.iter().enumerate() {
            let lane = &mut self.lanes[*id as usize];
            self.routers[lane.pe as usize].belts &= !lane.gate.tx;
            if spot <= obstacle {
                // The first one is tried before the others.
                lane.try_at = next + pause + if spot > 0 { PAUSE } else { 0 };
                lane.pause = pause;
            }
        }
        self.release(number);
    }

    /// The side from which a wavelet comes that has left a lane of a belt.
    fn side_behind(&self, id: u32) -> Direction {
        let goes = self.lanes[id as usize].gate.tx;
        Direction::ALL[goes.trailing_zeros() as usize].opposite()
    }

    fn release(&mut self, number: u32) {
        let mut lanes = std::mem::take(&mut self.belts.all[number as usize].lanes);
        lanes.drain(..).for_each(|id| self.lanes[id as usize].belt = NO_BELT);
        self.belts.all[number as usize].lanes = lanes;
        self.belts.unused.push(number);
    }
}

/// Whether a wavelet does something to the routers that it passes.
fn stays_off(flit: Flit) -> bool {
    flit.advances || flit.is_control() && control::command(flit.word) == Command::Teardown
}
