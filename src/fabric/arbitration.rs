//! What a router decides in a cycle: which wavelets leave on which sides.

use super::lane::Flit;
use super::lane::{Landing, Lane, Way};
use super::moves::Move;
use super::plain::Plain;
use super::route::Mask;
use super::router::{RAMP, colors, sides};
use super::{Collision, Fabric, control};
use crate::arch::Direction;

/// Who may use an output: the color after the one served last, then the input likewise.
#[derive(Copy, Clone)]
struct Claim {
    rank: u8,
    lane: u32,
    input: Direction,
    all: Mask,
}

impl Fabric {
    /// Grants each output of a router to one wavelet.
    pub(super) fn decide(&mut self, pe: usize, now: u64) {
        let waiting = self.routers[pe].ready();
        if waiting == 0 {
            return;
        }
        if waiting.is_power_of_two() && !self.is_recording() {
            let id = self.only_lane_of(waiting, pe);
            match self.decide_plainly(id, now) {
                Plain::Goes(one) => return self.grant(pe, one),
                Plain::Blocked => return self.routers[pe].stall(self.lanes[id as usize].color),
                Plain::Waits => return,
                Plain::Unclear => {}
            }
        }
        let first = self.moves.len();
        if self.is_recording() || !self.decide_apart(waiting, pe, now) {
            self.moves.truncate(first);
            return self.decide_among(waiting, pe, now);
        }
        for at in first..self.moves.len() {
            let Move { lane, input, targets, .. } = self.moves[at];
            let lane = &mut self.lanes[lane as usize];
            self.routers[pe].serve(targets, lane.color);
            if targets != 0 {
                lane.last_input = input as u8;
            }
        }
    }

    /// Lets every color use what it can; false if they are in each other's way or one has several inputs.
    fn decide_apart(&mut self, waiting: u32, pe: usize, now: u64) -> bool {
        let mut used = 0;
        for color in colors(waiting) {
            let id = self.routers[pe].lane(color).expect("its wavelets are in a lane");
            match self.decide_plainly(id, now) {
                Plain::Goes(one) if one.targets & used != 0 => return false,
                Plain::Goes(one) => {
                    used |= one.targets;
                    self.moves.push(one);
                    continue;
                }
                Plain::Blocked => {
                    self.routers[pe].stall(color);
                    continue;
                }
                Plain::Waits => continue,
                Plain::Unclear => {}
            }
            let lane = &self.lanes[id as usize];
            if lane.inject.is_some() || !lane.filled.is_power_of_two() {
                return false;
            }
            let input = Direction::ALL[lane.filled.trailing_zeros() as usize % 5];
            if lane.teardown {
                continue;
            }
            let Some(all) = self.targets(id, input, now) else { continue };
            let (mut targets, mut to): (Mask, _) = (0, Landing::Unknown);
            for target in sides(all) {
                if let Some(landing) = self.room(id, target) {
                    targets |= 1 << target as u8;
                    to = landing;
                }
            }
            if targets & used != 0 {
                return false;
            }
            used |= targets;
            if targets != 0 || all == 0 {
                let to = if targets.is_power_of_two() { to } else { Landing::Unknown };
                self.moves.push(Move { pe: pe as u32, lane: id, input, targets, all, to, is_plain: false });
            }
        }
        true
    }

    fn decide_among(&mut self, waiting: u32, pe: usize, now: u64) {
        let mut claims: [Option<Claim>; 5] = [None; 5];
        for color in colors(waiting) {
            let id = self.routers[pe].lane(color).expect("its wavelets are in a lane");
            let lane = &mut self.lanes[id as usize];
            if lane.teardown {
                continue;
            }
            if lane.inject.is_some() {
                lane.choose_side(now, self.routes.get(lane.route));
                self.note_switch(id);
            }
            if self.checked && !self.lanes[id as usize].filled.is_power_of_two() {
                self.note_collision(pe, id, now);
            }
            for input in sides(self.lanes[id as usize].filled) {
                self.claim(pe, id, input, now, &mut claims);
            }
        }
        let first = self.moves.len();
        for (output, claim) in claims.iter().enumerate() {
            let Some(c) = claim else { continue };
            let lane = &mut self.lanes[c.lane as usize];
            self.routers[pe].serve_one(Direction::ALL[output], lane.color);
            lane.last_input = c.input as u8;
            let same = self.moves[first..].iter_mut().find(|m| m.lane == c.lane && m.input == c.input);
            match same {
                Some(m) => m.targets |= 1 << output,
                None => {
                    let Claim { lane, input, all, .. } = *c;
                    let to = Landing::Unknown;
                    self.moves.push(Move {
                        pe: pe as u32,
                        lane,
                        input,
                        targets: 1 << output,
                        all,
                        to,
                        is_plain: false,
                    });
                }
            }
        }
    }

    /// The order in which a router takes wavelets of one color from several sides is undefined.
    fn note_collision(&mut self, pe: usize, lane: u32, now: u64) {
        let lane = &self.lanes[lane as usize];
        let open = lane.filled & lane.gate.rx;
        if open.count_ones() < 2 {
            return;
        }
        let there = |d: &Direction| open & 1 << *d as u8 != 0 && lane.head(*d, now).is_some();
        let sides: Mask = Direction::ALL.into_iter().filter(there).fold(0, |all, d| all | 1 << d as u8);
        if sides.count_ones() > 1 {
            self.collisions.push(Collision { pe, color: lane.color, sides });
        }
    }

    /// Enters the oldest wavelet of an input for every output that could take it now.
    fn claim(&mut self, pe: usize, id: u32, input: Direction, now: u64, claims: &mut [Option<Claim>; 5]) {
        let Some(all) = self.targets(id, input, now) else { return };
        if all == 0 {
            // Filtered, or a route that leads nowhere: it leaves without a copy.
            let to = Landing::Unknown;
            self.moves.push(Move { pe: pe as u32, lane: id, input, targets: 0, all, to, is_plain: false });
            return;
        }
        let (color, last_input) = (self.lanes[id as usize].color.0, self.lanes[id as usize].last_input);
        for target in sides(all) {
            if self.room(id, target).is_none() {
                continue;
            }
            let turn = (color + 31 - self.routers[pe].served_last(target)) % 32;
            let rank = turn * 5 + (input as u8 + 4 - last_input) % 5;
            let slot = &mut claims[target as usize];
            if slot.is_none_or(|c| rank < c.rank) {
                *slot = Some(Claim { rank, lane: id, input, all });
            }
        }
    }

    /// Where copies of the oldest wavelet of an input still have to go; `None` while it must wait.
    fn targets(&mut self, id: u32, input: Direction, now: u64) -> Option<Mask> {
        let lane = &mut self.lanes[id as usize];
        let flit = *lane.head(input, now)?;
        let left = lane.heads[input as usize].left();
        if left != 0 {
            return Some(left);
        }
        if lane.gate.rx & 1 << input as u8 == 0 {
            return None;
        }
        let mut targets = lane.gate.tx;
        if targets & RAMP == 0 {
            return Some(targets);
        }
        let skips = flit.is_control() && control::skips_ce(flit.word);
        if skips || !lane.pass_filter(input, flit) {
            targets &= !RAMP;
        }
        Some(targets)
    }

    /// Where a copy lands that leaves a lane on one side, if there is room.
    #[inline(always)]
    fn room(&mut self, id: u32, target: Direction) -> Option<Landing> {
        if target == Direction::Ramp {
            let has_room = self.lanes[id as usize].offramp.len() < self.onramp_depth();
            return has_room.then_some(Landing::Unknown);
        }
        let landing = self.landing(id, target);
        let side = target.opposite();
        let has_room = |l: u32| self.lanes[l as usize].link(side).len() < self.link_depth;
        match landing {
            Landing::Unknown => None,
            // The tiles around the rectangle take all that comes, and it is lost.
            Landing::Edge => Some(landing),
            Landing::Lane(next) => has_room(next).then_some(landing),
            Landing::Both(first, second) => (has_room(first) && has_room(second)).then_some(landing),
        }
    }

    /// Where a wavelet arrives that leaves a lane on one side.
    #[inline]
    pub(super) fn landing(&mut self, id: u32, target: Direction) -> Landing {
        match self.known_landing(id, target) {
            Landing::Unknown => self.look_up_landing(id, target),
            known => known,
        }
    }

    /// The same, if it was looked up.
    #[inline]
    pub(super) fn known_landing(&self, id: u32, target: Direction) -> Landing {
        self.lanes[id as usize].ways[target as usize].landing(&self.pairs)
    }

    #[cold]
    fn look_up_landing(&mut self, id: u32, target: Direction) -> Landing {
        let (pe, color) = (self.lanes[id as usize].pe as usize, self.lanes[id as usize].color);
        let landing = match self.neighbour(pe, target) {
            // The PE sends on a lane of its own, or the partner's.
            _ if target == Direction::Ramp => self.arrival(pe, color, Direction::Ramp),
            Some(next) => self.arrival(next, color, target.opposite()),
            None => Landing::Edge,
        };
        self.lanes[id as usize].ways[target as usize] = Way::to(landing, &mut self.pairs);
        landing
    }
}

impl Lane {
    /// Asks the filter once for each wavelet.
    fn pass_filter(&mut self, input: Direction, flit: Flit) -> bool {
        let Some(filter) = &mut self.filter else { return true };
        self.heads[input as usize].filtered(|| filter.passes(flit.delivered()))
    }
}
