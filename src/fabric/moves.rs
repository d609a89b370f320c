//! What a router does once all have decided: wavelets cross links, and what they command happens.

use super::Fabric;
use super::control::{self, Command};
use super::lane::NO_CHANNEL;
use super::lane::{Flit, Landing};
use super::route::Mask;
use super::router::{RAMP, bit, sides};
use crate::arch::{Color, Direction};
use crate::image::routes::PopMode;

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

impl Move {
    /// The side on which it leaves.
    pub fn target(&self) -> Direction {
        Direction::ALL[self.targets.trailing_zeros() as usize % 5]
    }
}

impl Fabric {
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
            self.list(pe);
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
        self.list(pe);
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
            self.routers[pe].fall_later(color);
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
                self.routers[pe].come_later(if is_alone { bit(color) } else { 0 });
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

    /// Moves the switch of a color at the router of a PE.
    pub(super) fn advance_switch(&mut self, pe: usize, color: Color) {
        let id = self.lane_of(pe, color);
        self.execute(id, Command::Advance);
        self.wake(pe);
    }
}
