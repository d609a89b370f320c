//! How wavelets leave a PE: at most one in each cycle, from the output queues in turn.

use super::queues::{Queues, members};
use crate::arch::MESSAGE_COLOR;
use crate::fabric::Ramp;

impl Queues {
    /// The router has space again for wavelets that it has refused.
    pub fn resume_sending(&mut self) {
        self.stalled = 0;
    }

    /// Passes at most one wavelet to the router; true if the router accepted one.
    #[inline]
    pub fn drain(&mut self, ramp: &mut dyn Ramp, now: u64) -> bool {
        self.refused = 0;
        self.outgoing != 0 && self.drain_filled(ramp, now)
    }

    fn drain_filled(&mut self, ramp: &mut dyn Ramp, now: u64) -> bool {
        if self.outgoing.is_power_of_two() {
            return self.drain_output(self.outgoing.trailing_zeros() as usize, ramp, now);
        }
        // Round robin: the outputs after the last one served, then the others.
        let behind = u64::MAX.checked_shl(self.next_output).unwrap_or(0);
        let (first, then) = (self.outgoing & behind, self.outgoing & !behind);
        members(first).chain(members(then)).any(|at| self.drain_output(at, ramp, now))
    }

    /// Passes the oldest wavelet of an output to the router; true if the router accepted it.
    #[inline]
    fn drain_output(&mut self, at: usize, ramp: &mut dyn Ramp, now: u64) -> bool {
        let output = &mut self.outputs[at];
        let Some(head) = output.items.front() else {
            self.outgoing &= !(1 << at);
            return false;
        };
        // It was produced ahead of the clock, and leaves in a later cycle.
        if head.from > now {
            return false;
        }
        let (color, advances) = (head.color, head.advance_switch);
        let bit = 1 << color.0;
        if self.stalled & bit != 0 || ramp.send(color, head.wavelet()).is_err() {
            self.refused |= bit;
            // Nobody announces space to the sender of a message, so it must keep asking.
            self.stalled |= if color == MESSAGE_COLOR { 0 } else { bit };
            return false;
        }
        if advances {
            ramp.advance_switch(color);
        }
        output.items.pop_front();
        self.next_output = at as u32 + 1;
        true
    }

    /// Passes wavelets to the router ahead of their cycle, if the router promises to accept them in that
    /// cycle: in the order in which they leave, up to the first for which several queues would have to take turns.
    pub fn send_ahead(&mut self, ramp: &mut dyn Ramp, now: u64) {
        loop {
            let (mut first, mut is_alone) = (None, true);
            for at in members(self.outgoing) {
                let Some(from) = self.outputs[at].items.front().map(|head| head.from) else { continue };
                match first {
                    Some((other, _)) if other < from => {}
                    Some((other, _)) if other == from => is_alone = false,
                    Some(_) | None => (first, is_alone) = (Some((from, at)), true),
                }
            }
            let Some((from, at)) = first else { return };
            let items = &mut self.outputs[at].items;
            // A wavelet that advances the switch must leave in its own cycle, because the switch moves with it.
            let head = items.front().copied().filter(|head| from > now && is_alone && !head.advance_switch);
            let Some(head) = head else { return };
            if !ramp.send_at(head.color, head.wavelet(), from) {
                return;
            }
            items.pop_front();
            self.next_output = at as u32 + 1;
        }
    }

    /// The next cycle in which a wavelet leaves that was produced ahead of the clock.
    #[inline(always)]
    pub fn next_departure(&self, now: u64) -> Option<u64> {
        if self.sent_last <= now { None } else { self.first_departure(now) }
    }

    fn first_departure(&self, now: u64) -> Option<u64> {
        members(self.outgoing).filter_map(|at| self.outputs[at].after(now)).min()
    }

    /// Whether a wavelet that was sent by a given cycle still waits to leave.
    pub fn has_outgoing_by(&self, cycle: u64) -> bool {
        members(self.outgoing).filter_map(|at| self.outputs[at].items.front()).any(|head| head.from <= cycle)
    }
}
