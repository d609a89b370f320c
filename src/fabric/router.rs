//! One router in one cycle: which wavelets leave on which sides, and what their leaving changes.

use super::control::{self, Command};
use super::express::NO_CHANNEL;
use super::lane::{Flit, Landing, Way};
use super::plain::Plain;
use super::route::Mask;
use super::timing_wheel;
use super::{Collision, Fabric, Wavelet};
use crate::arch::{Color, Direction, MESSAGE_COLOR};
use crate::image::routes::PopMode;

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
    others: Vec<u32>,
    /// Colors that have a lane.
    known: u32,
    /// Colors of which wavelets wait for an output.
    pub waiting: u32,
    /// Colors of which all that waits is still on the way up the ramp: there is nothing to decide before
    /// the first one arrives.
    coming: u32,
    /// Colors of which wavelets are on the way down the ramp.
    pub descending: u32,
    /// Those of which none has arrived.
    falling: u32,
    /// Links out of it that belong to express channels.
    pub channels: Mask,
    /// The color that each output served last.
    served: [u8; 5],
    /// Listed in `Fabric::awake`.
    pub awake: bool,
}

impl Router {
    /// The number of its lane of a color, if it has one.
    #[inline]
    pub fn lane(&self, color: Color) -> Option<u32> {
        (self.known & bit(color) != 0).then(|| self.lane_at(self.lanes_before(color)))
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
            false => self.others.insert(at - FEW, id),
        }
    }

    fn lane_at(&self, at: usize) -> u32 {
        if at < FEW { self.first[at] } else { self.others[at - FEW] }
    }

    /// Colors of which wavelets want an output now.
    #[inline]
    pub fn ready(&self) -> u32 {
        self.waiting & !self.coming
    }

    /// Colors of which wavelets have come down the ramp.
    #[inline]
    pub fn arrived(&self) -> u32 {
        self.descending & !self.falling
    }

    /// A wavelet has come over a link.
    pub fn wait(&mut self, color: Color) {
        self.waiting |= bit(color);
        self.coming &= !bit(color);
    }

    /// Of these colors only wavelets are left that are still on their way up the ramp.
    pub fn come_later(&mut self, colors: u32) {
        self.coming |= colors;
    }

    /// The time has come for a wavelet that the PE has sent.
    pub fn look_up_again(&mut self) {
        self.coming = 0;
    }

    /// The time has come for a wavelet on the way down, or may have.
    pub fn look_down_again(&mut self) {
        self.falling = 0;
    }

    /// These outputs have served a color.
    pub fn serve(&mut self, outputs: Mask, color: Color) {
        sides(outputs).for_each(|output| self.serve_one(output, color));
    }

    /// An output has served a color.
    pub fn serve_one(&mut self, output: Direction, color: Color) {
        self.served[output as usize] = color.0;
    }

    fn lanes_before(&self, color: Color) -> usize {
        match self.known & (bit(color) - 1) {
            0 => 0,
            // To count takes long on processors that do not count bits themselves.
            one if one.is_power_of_two() => 1,
            before => before.count_ones() as usize,
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
fn sides(mut set: Mask) -> impl Iterator<Item = Direction> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| Direction::ALL[set.trailing_zeros() as usize])?;
        set &= set - 1;
        Some(first)
    })
}

/// Copies of one wavelet that leave in this cycle.
#[derive(Copy, Clone)]
pub struct Move {
    pub pe: u32,
    pub lane: u32,
    pub input: Direction,
    /// The copies that leave now.
    pub targets: Mask,
    /// The copies that had not left before.
    pub all: Mask,
    /// Where the only copy lands that leaves now, if it crosses a link and that is known.
    pub to: Landing,
    /// [`Fabric::decide_plainly`] has said so.
    pub is_plain: bool,
}

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
            self.routers[pe].served[output] = lane.color.0;
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
            let turn = (color + 31 - self.routers[pe].served[target as usize]) % 32;
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

    /// Moves the copies of one wavelet, and finishes it when all have left.
    #[inline(always)]
    pub(super) fn carry_out(&mut self, m: &Move, now: u64) {
        if m.is_plain {
            return self.carry_plainly(m, now);
        }
        let pe = m.pe as usize;
        let lane = &self.lanes[m.lane as usize];
        let flit = *lane.head(m.input, now).expect("a wavelet that was granted an output is still there");
        let onward = self.after_router(m.lane, flit);
        for target in sides(m.targets) {
            self.hops = self.hops.wrapping_add(1);
            if target == Direction::Ramp {
                if self.is_recording() {
                    self.note_hop(m.lane, (m.input, target), flit, Landing::Edge);
                }
                self.descend(m.lane, now + u64::from(self.arch.ramp_latency), flit);
                continue;
            }
            let landing = match m.to {
                Landing::Unknown => self.known_landing(m.lane, target),
                known => known,
            };
            if self.is_recording() {
                self.note_hop(m.lane, (m.input, target), flit, landing);
            }
            if landing == Landing::Edge {
                *self.lost.entry((m.lane, target)).or_default() += 1;
            }
            for id in landing.lanes() {
                self.land(id, target.opposite(), onward, now);
            }
        }
        let left = m.all & !m.targets;
        self.lanes[m.lane as usize].heads[m.input as usize].leave(left);
        if left == 0 {
            if self.is_recording() {
                self.note_left(m.lane, m.input, flit, m.all == 0);
            }
            self.finish(pe, (m.lane, m.input), flit, now);
        }
        // Without a target nobody else is awake because of this wavelet.
        if self.routers[pe].ready() != 0 || m.targets == 0 {
            self.wake(pe);
        }
    }

    /// A wavelet has crossed the link to a lane.
    #[inline]
    pub(super) fn land(&mut self, id: u32, side: Direction, flit: Flit, now: u64) {
        if self.lanes[id as usize].channel != NO_CHANNEL && self.ride(id, side, flit, now) {
            return;
        }
        let lane = &mut self.lanes[id as usize];
        lane.push(side, flit);
        let (pe, color) = (lane.pe as usize, lane.color);
        self.routers[pe].wait(color);
        self.wake(pe);
        if self.routers[pe].channels != 0 {
            self.clear_way(pe, id, now + 1);
        }
        self.suggest_channel(id, side, now);
    }

    /// Puts a wavelet onto the ramp to the PE.
    #[inline]
    pub(super) fn descend(&mut self, id: u32, ready: u64, flit: Flit) {
        let lane = &mut self.lanes[id as usize];
        let is_first = lane.offramp.is_empty();
        lane.offramp.push_back((ready, flit));
        let (pe, color) = (lane.pe as usize, lane.color);
        self.routers[pe].descending |= bit(color);
        if is_first {
            self.fall_until(pe, color, ready);
        }
    }

    /// The first wavelet of a color on the way down a ramp arrives in a cycle.
    pub(super) fn fall_until(&mut self, pe: usize, color: Color, arrives: u64) {
        if arrives > self.next {
            self.descending.add(arrives, pe as u32);
            self.routers[pe].falling |= bit(color);
        }
    }

    /// All copies have left: the place is free, and the wavelet's command takes effect.
    #[inline]
    fn finish(&mut self, pe: usize, (id, input): (u32, Direction), flit: Flit, now: u64) {
        let lane = &mut self.lanes[id as usize];
        let color = lane.color;
        let was_full = lane.waiting(input) >= self.link_depth;
        lane.pop(input);
        if lane.filled == 0 {
            self.routers[pe].waiting &= !bit(color);
        }
        if input == Direction::Ramp {
            let next = lane.onramp.front().map(|(arrives, _)| *arrives);
            let is_alone = lane.filled == RAMP && lane.inject.is_none();
            if std::mem::take(&mut lane.refused) {
                self.freed.push(pe as u32);
            }
            // One that arrives in the next cycle is looked at then, like all that waits.
            if let Some(arrives) = next.filter(|arrives| *arrives > now + 1) {
                self.wake_at(pe, arrives);
                self.routers[pe].coming |= if is_alone { bit(color) } else { 0 };
            }
        } else if was_full && let Some(sender) = self.neighbour(pe, input) {
            self.wake(sender);
        }
        if flit.is_control() {
            self.execute(id, control::command(flit.word));
        }
        if flit.advances {
            self.advance_switch(pe, color);
        }
    }

    fn execute(&mut self, id: u32, command: Command) {
        let lane = &mut self.lanes[id as usize];
        let route = self.routes.get(lane.route);
        lane.turn_to(route.after(lane.position, command), route);
        self.note_switch(id);
        if command == Command::Teardown {
            let lane = &mut self.lanes[id as usize];
            lane.teardown = true;
            let (pe, color) = (lane.pe, lane.color);
            self.torn_down.push((pe, color));
            self.note_teardown(pe, color);
        }
    }

    /// The wavelet as its next router sees it: without its first command if this one pops it.
    fn after_router(&self, id: u32, flit: Flit) -> Flit {
        let mut onward = flit;
        onward.advances = false;
        if !flit.is_control() {
            return onward;
        }
        let lane = &self.lanes[id as usize];
        let route = self.routes.get(lane.route);
        let command = control::command(flit.word);
        let advanced = route.after(lane.position, command) != lane.position;
        let pops = match route.pop {
            PopMode::NoPop => false,
            PopMode::AlwaysPop => true,
            PopMode::OnAdvance => advanced,
            PopMode::OnAdvanceNop => advanced || command == Command::Nop,
        };
        if pops {
            onward.word = control::popped(flit.word);
        }
        onward
    }

    /// Takes a wavelet from a PE, or gives it back when the onramp is full.
    pub(super) fn inject(&mut self, pe: usize, color: Color, w: Wavelet, now: u64) -> Result<(), Wavelet> {
        if color == MESSAGE_COLOR && self.writes_letter(pe) {
            return self.write_letter(pe, w, now);
        }
        let own = self.lane_of(pe, color);
        if self.lanes[own as usize].sends_plainly && self.routers[pe].channels == 0 && !self.is_recording() {
            return self.inject_plainly(pe, own, w, now);
        }
        self.inject_anyhow(pe, own, w, now)
    }

    /// The same for a lane of which less is known.
    #[inline(never)]
    fn inject_anyhow(&mut self, pe: usize, own: u32, w: Wavelet, now: u64) -> Result<(), Wavelet> {
        let color = self.lanes[own as usize].color;
        let landing = self.landing(own, Direction::Ramp);
        let depth = self.onramp_depth();
        for id in landing.lanes() {
            let lane = &mut self.lanes[id as usize];
            if lane.onramp.len() >= depth {
                lane.refused = true;
                return Err(w);
            }
        }
        for id in landing.lanes() {
            let exists = self.routes.get(self.lanes[id as usize].route).exists();
            if !exists && !self.goes_to_host(color) {
                self.unrouted.push((pe as u32, color));
            }
            let lane = &mut self.lanes[id as usize];
            let injects = lane.inject.is_some();
            lane.sends_plainly = landing == Landing::Lane(own) && exists && !injects;
            self.climb(pe, id, w, now);
            if injects {
                // What the PE has sent may move the switch before it arrives.
                self.wake(pe);
            }
            if self.routers[pe].channels != 0 {
                self.clear_way(pe, id, now);
            }
        }
        if self.is_recording() {
            self.note_sent(pe, color, Flit::new(w), landing, now);
        }
        Ok(())
    }

    /// Whether it is sure that a PE can send so many more wavelets of a color from `now` to a cycle to
    /// come, whenever in between, and that nobody can tell when they were handed over.
    pub(super) fn takes_early(&self, pe: usize, color: Color, more: usize, (now, cycle): (u64, u64)) -> bool {
        let arrives = cycle + u64::from(self.arch.ramp_latency);
        if arrives - now >= timing_wheel::ROWS || self.is_recording() || self.routers[pe].channels != 0 {
            return false;
        }
        let own = self.routers[pe].lane(color).filter(|_| color != MESSAGE_COLOR);
        if let Some(lane) = own.map(|own| &self.lanes[own as usize]).filter(|lane| lane.sends_plainly) {
            return lane.onramp.len() + more <= self.onramp_depth();
        }
        let Some(Landing::Lane(id)) = own.map(|own| self.known_landing(own, Direction::Ramp)) else {
            return false;
        };
        let lane = &self.lanes[id as usize];
        let is_plain = lane.inject.is_none() && self.routes.get(lane.route).exists();
        is_plain && lane.onramp.len() + more <= self.onramp_depth()
    }

    /// Moves a switch once everything that the PE has sent so far has passed it.
    pub(super) fn advance_after_last(&mut self, pe: usize, color: Color) {
        let id = self.lane_of(pe, color);
        match self.lanes[id as usize].onramp.back_mut() {
            Some((_, last)) => last.advances = true,
            None => self.advance_switch(pe, color),
        }
    }

    fn advance_switch(&mut self, pe: usize, color: Color) {
        let id = self.lane_of(pe, color);
        self.execute(id, Command::Advance);
        self.wake(pe);
    }
}

impl super::lane::Lane {
    /// Asks the filter once for each wavelet.
    fn pass_filter(&mut self, input: Direction, flit: Flit) -> bool {
        let Some(filter) = &mut self.filter else { return true };
        self.heads[input as usize].filtered(|| filter.passes(flit.delivered()))
    }
}
