//! Words between the host and the fabric: on streaming colors of `<memcpy>`, and on ramps of PEs without
//! code, in whose place the host stands.

use super::buffer::Flit;
use super::{Fabric, Wavelet};
use crate::arch::{Color, Direction};

impl Fabric {
    /// Takes the oldest wavelet that a PE has sent to the host on a streaming color.
    pub fn take_for_host(&mut self, pe: usize, color: Color, now: u64) -> Option<Wavelet> {
        let id = self.grid.lane_of(pe, color);
        let flit = *self.grid.lane(id).head(Direction::Ramp, now)?;
        self.flit_ids.note_to_host(&self.grid, id, flit, now);
        let (router, lane) = self.grid.parts(pe, id);
        lane.pop(Direction::Ramp);
        if lane.is_empty() {
            router.stop_waiting(color);
        }
        if lane.take_refused() {
            self.notices.free(pe as u32);
        }
        self.schedule.wake(pe, router);
        if let Some((arrives, _)) = lane.onramp().front() {
            self.schedule.wake_at(pe, *arrives, router);
        }
        Some(flit.delivered())
    }

    /// Gives a PE a wavelet from the host on a streaming color; false if the onramp holds as many as it would of any
    /// other color.
    ///
    /// Queues and ramps then hold 18 words on WSE-2, and 26 on WSE-3, of a program that sends each word back to the
    /// host. The vendor's pipeline-01 says that such a program stalls from 15 words on, but not where it holds those
    /// 14.
    pub fn give_from_host(&mut self, pe: usize, color: Color, data: u32, now: u64) -> bool {
        let id = self.grid.lane_of(pe, color);
        if self.grid.lane(id).offramp().len() >= self.grid.ramp_depth() {
            return false;
        }
        let flit = Flit::new(Wavelet { data, control: false });
        self.flit_ids.note_from_host(&self.grid, id, flit, now);
        self.schedule.enter_offramp(&mut self.grid, id, now, flit);
        true
    }

    /// Sends a wavelet of a host stream from the PE that the host replaces; false if the ramp is full.
    pub fn send_for_host(&mut self, pe: usize, color: Color, data: u32, now: u64) -> bool {
        self.inject(pe, color, Wavelet { data, control: false }, now).is_ok()
    }

    /// Takes the oldest word from the offramp of the PE that the host replaces. Control wavelets are dropped there:
    /// their commands are for routers and tasks.
    pub fn receive_for_host(&mut self, pe: usize, color: Color, now: u64) -> Option<u32> {
        loop {
            let wavelet = self.take_from_offramp(pe, color, now)?;
            if !wavelet.control {
                return Some(wavelet.data);
            }
        }
    }

    fn take_from_offramp(&mut self, pe: usize, color: Color, now: u64) -> Option<Wavelet> {
        let id = self.grid.router(pe).lane(color)?;
        let lane = self.grid.lane(id);
        let flit = lane.offramp().front().filter(|(ready, _)| *ready <= now).map(|(_, flit)| *flit)?;
        self.flit_ids.note_delivered(&self.grid, id, flit);
        let (router, lane) = self.grid.parts(pe, id);
        lane.take_from_offramp();
        match lane.offramp().front() {
            Some((arrives, _)) => self.schedule.schedule_offramp_arrival(pe, color, *arrives, router),
            None => router.mark_offramp_empty(color),
        }
        self.schedule.offramp_has_room(pe, router);
        Some(flit.delivered())
    }
}
