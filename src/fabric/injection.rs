//! What a PE does to its router: it sends wavelets, moves switches, and writes its registers.

use super::Fabric;
use super::buffer::Flit;
use super::config::{self, Written};
use super::next_hop::NextHop;
use super::ramp::{Ramp, Wavelet};
use crate::arch::{Color, Direction, MESSAGE_COLOR, PeCoord};
use crate::profile::Origin;

/// The ramp of one PE.
pub struct PeRamp<'a> {
    fabric: &'a mut Fabric,
    pe: usize,
    now: u64,
}

impl Fabric {
    /// What the PE may use of the fabric in this cycle.
    #[inline]
    pub fn ramp(&mut self, pe: usize, now: u64) -> PeRamp<'_> {
        PeRamp { fabric: self, pe, now }
    }

    /// Takes a wavelet from a PE, or gives it back when the onramp is full.
    pub(super) fn inject(&mut self, pe: usize, color: Color, w: Wavelet, now: u64) -> Result<(), Wavelet> {
        if color == MESSAGE_COLOR && self.messages.are_written_by(pe) {
            return self.messages.write(&mut self.grid, &mut self.flit_ids, pe, w, now);
        }
        let own = self.grid.lane_of(pe, color);
        if !self.grid.lane(own).arrives_alone() || self.flit_ids.is_recording() {
            return self.inject_anyhow(pe, own, w, now);
        }
        // `arrives_alone` promises that the wavelet arrives in this lane alone.
        let depth = self.grid.ramp_depth();
        let lane = self.grid.lane_mut(own);
        if lane.onramp().len() >= depth {
            lane.refuse();
            return Err(w);
        }
        self.schedule.enter_onramp(&mut self.grid, (pe, own), Flit::new(w), now);
        Ok(())
    }

    /// The general case, for a lane that was not used before, injects, or swaps colors.
    #[inline(never)]
    fn inject_anyhow(&mut self, pe: usize, own: u32, w: Wavelet, now: u64) -> Result<(), Wavelet> {
        let Fabric { grid, schedule, notices, .. } = self;
        let color = grid.lane(own).color();
        let landing = grid.landing(own, Direction::Ramp);
        let depth = grid.ramp_depth();
        for id in landing.lanes() {
            let lane = grid.lane_mut(id);
            if lane.onramp().len() >= depth {
                lane.refuse();
                return Err(w);
            }
        }
        for id in landing.lanes() {
            let exists = grid.route(grid.lane(id)).exists();
            if !exists && !grid.goes_to_host(color) {
                notices.note_unrouted(pe as u32, color);
            }
            let lane = grid.lane_mut(id);
            let injects = lane.injects();
            lane.set_sends_plainly(landing == NextHop::Lane(own) && exists && !injects);
            schedule.enter_onramp(grid, (pe, id), Flit::new(w), now);
            if injects {
                // On an injecting color, a wavelet on the onramp may move the switch before it arrives.
                schedule.wake(pe, grid.router_mut(pe));
            }
        }
        self.flit_ids.note_sent(grid, pe, color, Flit::new(w), landing, now);
        Ok(())
    }

    /// Whether the router is certain to accept `more` wavelets of a color between `now` and `cycle`, however they are
    /// spread, and nothing can observe that they were handed over early.
    pub(super) fn can_send_ahead(
        &self,
        pe: usize,
        color: Color,
        more: usize,
        (now, cycle): (u64, u64),
    ) -> bool {
        let grid = &self.grid;
        let arrives = cycle + grid.ramp_latency();
        if !self.schedule.reaches(arrives, now) || self.flit_ids.is_recording() {
            return false;
        }
        let own = grid.router(pe).lane(color).filter(|_| color != MESSAGE_COLOR);
        if let Some(lane) = own.map(|own| grid.lane(own)).filter(|lane| lane.arrives_alone()) {
            return lane.onramp().len() + more <= grid.ramp_depth();
        }
        let Some(NextHop::Lane(id)) = own.map(|own| grid.known_landing(own, Direction::Ramp)) else {
            return false;
        };
        let lane = grid.lane(id);
        let is_plain = !lane.injects() && grid.route(lane).exists();
        is_plain && lane.onramp().len() + more <= grid.ramp_depth()
    }

    /// Moves a switch once everything that the PE has sent so far has passed it.
    fn advance_after_last(&mut self, pe: usize, color: Color) {
        let id = self.grid.lane_of(pe, color);
        if !self.grid.lane_mut(id).advance_behind_last() {
            self.advance_switch(pe, color);
        }
    }

    /// Writes a configuration word of a router; false if it has none at this address. Wavelets that wait there may
    /// then be able to move.
    pub(super) fn set_config(&mut self, pe: usize, address: u16, value: u16) -> bool {
        let Fabric { grid, schedule, notices, .. } = self;
        let (id, swaps) = match config::set_word(grid, pe, address, value) {
            Written::Nothing => return false,
            Written::Filter => return true,
            Written::Lane(id, swaps) => (id, swaps),
        };
        self.flit_ids.note_switch(grid, id);
        if swaps {
            let (lane, config) = (grid.lane(id), grid.config(grid.lane(id)).clone());
            let color = lane.color();
            grid.seams_mut().note_swapped(pe, color, &config);
            grid.forget_next_hops();
        }
        // What the router has refused may now arrive in another lane, which has room.
        if grid.lanes_at(pe).any(|lane| lane.has_refused()) {
            notices.free(pe as u32);
        }
        schedule.wake(pe, grid.router_mut(pe));
        true
    }
}

impl Ramp for PeRamp<'_> {
    fn send(&mut self, color: Color, wavelet: Wavelet) -> Result<(), Wavelet> {
        self.fabric.inject(self.pe, color, wavelet, self.now)
    }

    fn send_at(&mut self, color: Color, wavelet: Wavelet, cycle: u64) -> bool {
        self.fabric.can_send_ahead(self.pe, color, 1, (self.now, cycle))
            && self.fabric.inject(self.pe, color, wavelet, cycle).is_ok()
    }

    fn is_routed(&self, color: Color) -> bool {
        self.fabric.grid.is_routed(self.pe, color)
    }

    fn advance_switch(&mut self, color: Color) {
        self.fabric.flit_ids.note_time(self.now);
        self.fabric.advance_after_last(self.pe, color);
    }

    fn address_message(&mut self, to: PeCoord, length: u16) {
        self.fabric.messages.address(self.pe, to, length, self.fabric.grid.program());
    }

    fn origin(&self, color: Color, behind: usize) -> Option<Origin> {
        let lane = self.fabric.grid.router(self.pe).lane(color)?;
        self.fabric.flit_ids.origin(lane, behind)
    }

    fn config(&mut self, addr: u16) -> Option<u16> {
        config::word(&self.fabric.grid, self.pe, addr)
    }

    fn set_config(&mut self, addr: u16, value: u16) -> bool {
        self.fabric.set_config(self.pe, addr, value)
    }
}
