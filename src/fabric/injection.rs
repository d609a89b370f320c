//! What a PE does to its router: it sends wavelets, and moves switches.

use super::lane::{Flit, Landing};
use super::{Fabric, Wavelet, timing_wheel};
use crate::arch::{Color, Direction, MESSAGE_COLOR};

impl Fabric {
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
}
