//! Words between the host and the fabric: on streaming colors of `<memcpy>`, and on ramps of PEs without
//! code, in whose place the host stands.

use super::lane::Flit;
use super::router::bit;
use super::{Fabric, Wavelet};
use crate::arch::{Color, Direction};

/// Words of a host stream that one PE may leave untaken before the stream waits (ruling: what the
/// machine has for it in its queues and routers).
const HOST_BUFFER: usize = 64;

impl Fabric {
    /// Takes the oldest wavelet that a PE has sent to the host on a streaming color.
    pub fn take_for_host(&mut self, pe: usize, color: Color, now: u64) -> Option<Wavelet> {
        let id = self.lane_of(pe, color);
        let flit = *self.lanes[id as usize].head(Direction::Ramp, now)?;
        self.note_to_host(pe, color, flit, now);
        let lane = &mut self.lanes[id as usize];
        lane.pop(Direction::Ramp);
        if lane.filled == 0 {
            self.routers[pe].waiting &= !bit(color);
        }
        if std::mem::take(&mut lane.refused) {
            self.freed.push(pe as u32);
        }
        let next = lane.onramp.front().map(|(arrives, _)| *arrives);
        self.wake(pe);
        if let Some(arrives) = next {
            self.wake_at(pe, arrives);
        }
        Some(flit.delivered())
    }

    /// Gives a PE a wavelet from the host on a streaming color; false if it has too many already.
    pub fn give_from_host(&mut self, pe: usize, color: Color, data: u32, now: u64) -> bool {
        let id = self.lane_of(pe, color);
        if self.lanes[id as usize].offramp.len() >= HOST_BUFFER {
            return false;
        }
        let ready = now + u64::from(self.arch.ramp_latency);
        let flit = Flit::new(Wavelet { data, control: false });
        self.note_from_host(pe, color, flit, now);
        self.descend(id, ready, flit);
        true
    }

    /// Sends a wavelet of a host stream from a PE in whose place the host stands; false if the ramp is full.
    pub fn send_for_host(&mut self, pe: usize, color: Color, data: u32, now: u64) -> bool {
        self.inject(pe, color, Wavelet { data, control: false }, now).is_ok()
    }

    /// Takes the oldest word that has come down the ramp of a PE in whose place the host stands. Control
    /// wavelets end there: what they say is for routers and tasks.
    pub fn receive_for_host(&mut self, pe: usize, color: Color, now: u64) -> Option<u32> {
        loop {
            let wavelet = self.take_from_offramp(pe, color, now)?;
            if !wavelet.control {
                return Some(wavelet.data);
            }
        }
    }

    fn take_from_offramp(&mut self, pe: usize, color: Color, now: u64) -> Option<Wavelet> {
        let id = self.routers[pe].lane(color)? as usize;
        let flit =
            self.lanes[id].offramp.front().filter(|(ready, _)| *ready <= now).map(|(_, flit)| *flit)?;
        if self.is_recording() {
            self.note_delivered(pe, color, flit);
        }
        let lane = &mut self.lanes[id];
        lane.offramp.pop_front();
        lane.received += 1;
        match lane.offramp.front().map(|(arrives, _)| *arrives) {
            Some(arrives) => self.fall_until(pe, color, arrives),
            None => self.routers[pe].descending &= !bit(color),
        }
        self.offramp_has_room(pe);
        Some(flit.delivered())
    }

    /// Whether wavelets of a color go to the host.
    pub(super) fn goes_to_host(&self, color: Color) -> bool {
        self.program.memcpy.as_ref().is_some_and(|m| m.d2h.contains(&Some(color)))
    }
}
