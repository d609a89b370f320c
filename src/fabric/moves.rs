//! Carries out what the routers have decided: wavelets cross links, and commands of control wavelets take effect.

use super::Fabric;
use super::buffer::{Flit, GRANTED};
use super::control::{self, SwitchCommand};
use super::fast_path::Move;
use super::next_hop::NextHop;
use crate::arch::{Color, Direction};
use crate::image::routes::{Directions, PopMode};

impl Fabric {
    /// Moves the copies of one wavelet, and finishes it when all have left.
    #[inline(always)]
    pub(super) fn carry_out(&mut self, m: &Move, now: u64) {
        if m.is_data {
            return self.carry_data(m, now);
        }
        let pe = m.pe as usize;
        let flit = *self.grid.lane(m.lane).head(m.input, now).expect(GRANTED);
        let onward = self.after_router(m.lane, flit);
        for target in m.targets.iter() {
            self.hops += 1;
            if target == Direction::Ramp {
                if self.flit_ids.is_recording() {
                    self.flit_ids.note_hop(&self.grid, m.lane, (m.input, target), flit, NextHop::Edge);
                }
                self.schedule.enter_offramp(&mut self.grid, m.lane, now, flit);
                continue;
            }
            let landing = self.grid.known_landing(m.lane, target);
            if self.flit_ids.is_recording() {
                self.flit_ids.note_hop(&self.grid, m.lane, (m.input, target), flit, landing);
            }
            if landing == NextHop::Edge {
                self.leave_rectangle(m.lane, target, onward);
            }
            for id in landing.lanes() {
                self.cross(id, target.opposite(), onward);
                self.note_arrived(id, target.opposite(), onward);
            }
        }
        let left = m.all - m.targets;
        let (router, lane) = self.grid.parts(pe, m.lane);
        router.serve(m.targets, lane.color());
        if !m.targets.is_empty() {
            lane.serve(m.input);
        }
        lane.leave(m.input, left);
        if left.is_empty() {
            if self.flit_ids.is_recording() {
                self.flit_ids.note_left(&self.grid, m.lane, m.input, flit, m.all.is_empty());
            }
            self.finish(pe, (m.lane, m.input), flit, now);
        }
        // A wavelet without a target wakes no other router.
        let router = self.grid.router_mut(pe);
        if router.ready() != 0 || m.targets.is_empty() {
            self.schedule.list(pe, router);
        }
    }

    /// Moves copies of data to the cached next lanes.
    #[inline(always)]
    fn carry_data(&mut self, m: &Move, now: u64) {
        let pe = m.pe as usize;
        let flit = match m.input {
            _ if !m.ends() => *self.grid.lane(m.lane).head(m.input, now).expect(GRANTED),
            Direction::Ramp => self.take_from_ramp(pe, m.lane, now),
            side => self.take_from_link(pe, m.lane, side),
        };
        let links = m.targets - Directions::RAMP;
        self.hops += u64::from(m.targets.len());
        if m.targets.contains(Direction::Ramp) {
            self.schedule.enter_offramp(&mut self.grid, m.lane, now, flit);
        }
        match (m.next.lane(), links.sole()) {
            (Some(next), Some(target)) => self.cross(next, target.opposite(), flit),
            (Some(_), None) => {}
            (None, _) => self.carry_copies(m.lane, links, flit),
        }
        let (router, lane) = self.grid.parts(pe, m.lane);
        router.serve(m.targets, lane.color());
        lane.serve(m.input);
        if !m.ends() {
            lane.leave(m.input, m.all - m.targets);
        }
        if router.ready() != 0 {
            self.schedule.list(pe, router);
        }
    }

    /// Moves copies of data over several links.
    #[inline]
    fn carry_copies(&mut self, id: u32, links: Directions, flit: Flit) {
        for side in links.iter() {
            let next = self.grid.lane(id).way(side).lane().expect("the decision has looked it up");
            self.cross(next, side.opposite(), flit);
        }
    }

    #[inline(always)]
    fn take_from_ramp(&mut self, pe: usize, id: u32, now: u64) -> Flit {
        let (router, lane) = self.grid.parts(pe, id);
        let (flit, next) = lane.take_from_onramp();
        if lane.take_refused() {
            self.notices.free(pe as u32);
        }
        match next {
            Some(arrives) if arrives > now + 1 => {
                self.schedule.wake_at(pe, arrives, router);
                if lane.filled() == Directions::RAMP {
                    router.mark_onramp_in_flight(lane.color());
                }
            }
            None if lane.is_empty() => router.stop_waiting(lane.color()),
            Some(_) | None => {}
        }
        flit
    }

    #[inline(always)]
    fn take_from_link(&mut self, pe: usize, id: u32, side: Direction) -> Flit {
        let (router, lane) = self.grid.parts(pe, id);
        let (flit, count) = lane.take_from_link(side);
        if count == 1 && lane.is_empty() {
            router.stop_waiting(lane.color());
        }
        if count >= self.grid.link_depth() {
            self.wake_neighbour(pe, side);
        }
        flit
    }

    /// Wakes the neighbour on one side, which exists: the link from there has room again.
    #[inline(always)]
    pub(super) fn wake_neighbour(&mut self, pe: usize, side: Direction) {
        let sender = self.grid.beside(pe, side);
        self.schedule.wake(sender, self.grid.router_mut(sender));
    }

    /// Tells the neighbouring band of a wavelet that has crossed its seam. Lanes at a seam never take the fast path,
    /// so only the general path calls this.
    #[inline]
    fn note_arrived(&mut self, id: u32, side: Direction, flit: Flit) {
        if self.grid.seams().exist() {
            let (pe, color) = (self.grid.lane(id).pe(), self.grid.lane(id).color());
            self.grid.seams_mut().note_arrived(pe, color, side, flit);
        }
    }

    /// A wavelet has crossed the link to a lane.
    #[inline]
    pub(super) fn land(&mut self, id: u32, side: Direction, flit: Flit) {
        let pe = self.grid.push(id, side, flit);
        self.schedule.list(pe, self.grid.router_mut(pe));
    }

    /// All copies have left: frees the slot, and executes the wavelet's command.
    #[inline]
    fn finish(&mut self, pe: usize, (id, input): (u32, Direction), flit: Flit, now: u64) {
        let depth = self.grid.link_depth();
        let (router, lane) = self.grid.parts(pe, id);
        let color = lane.color();
        let was_full = lane.waiting(input) >= depth;
        let is_fed_by_host = lane.is_fed_by_host();
        lane.pop(input);
        if lane.is_empty() {
            router.stop_waiting(color);
        }
        if input == Direction::Ramp {
            let next = lane.onramp().front().map(|(arrives, _)| *arrives);
            let is_alone = lane.filled() == Directions::RAMP && !lane.injects();
            if lane.take_refused() {
                self.notices.free(pe as u32);
            }
            // A wavelet that arrives in the next cycle needs no wake-up: the router is visited then anyway.
            if let Some(arrives) = next.filter(|arrives| *arrives > now + 1) {
                self.schedule.wake_at(pe, arrives, router);
                if is_alone {
                    router.mark_onramp_in_flight(color);
                }
            }
        } else {
            // The host tries again by itself, and no router is behind its link.
            if was_full && !(is_fed_by_host && self.grid.neighbour(pe, input).is_none()) {
                self.wake_neighbour(pe, input);
            }
            // Lanes at a seam are not plain, so this is the only place where something leaves such a link.
            if self.grid.seams().exist() {
                self.grid.seams_mut().note_left(pe, color, input);
            }
        }
        if flit.is_control() {
            self.execute(id, control::command(flit.word));
        }
        if flit.advances {
            self.advance_switch(pe, color);
        }
    }

    fn execute(&mut self, id: u32, command: SwitchCommand) {
        self.grid.turn(id, |lane, route| route.after(lane.position(), command));
        self.flit_ids.note_switch(&self.grid, id);
        if command == SwitchCommand::Teardown {
            let lane = self.grid.lane_mut(id);
            lane.tear_down(true);
            let (pe, color) = (lane.pe(), lane.color());
            self.notices.note_teardown(pe as u32, color);
            self.flit_ids.note_teardown(self.grid.coord(pe), color);
        }
    }

    /// The wavelet as its next router sees it: without its first command if this one pops it.
    fn after_router(&self, id: u32, flit: Flit) -> Flit {
        let mut onward = flit;
        onward.advances = false;
        if !flit.is_control() {
            return onward;
        }
        let lane = self.grid.lane(id);
        let route = self.grid.route(lane);
        let command = control::command(flit.word);
        let advanced = route.after(lane.position(), command) != lane.position();
        let pops = match route.pop {
            PopMode::NoPop => false,
            PopMode::AlwaysPop => true,
            PopMode::OnAdvance => advanced,
            PopMode::OnAdvanceNop => advanced || command == SwitchCommand::Nop,
        };
        if pops {
            onward.word = control::popped(flit.word);
        }
        onward
    }

    /// Moves the switch of a color at the router of a PE.
    pub(super) fn advance_switch(&mut self, pe: usize, color: Color) {
        let id = self.grid.lane_of(pe, color);
        self.execute(id, SwitchCommand::Advance);
        self.schedule.wake(pe, self.grid.router_mut(pe));
    }
}
