//! Ramps of PEs that run at the same time: they see the fabric as it was before, and write down what
//! they do to it. It is done when all of them have run, in the order of the PEs, and then has the
//! outcome that they were told.

use super::lane::Lane;
use super::route::{Route, received_on};
use super::{Fabric, Ramp, Wavelet};
use crate::arch::{Color, Direction, MESSAGE_COLOR, PeCoord};
use std::borrow::Cow;

/// What a PE has done to its ramp.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RampAction {
    /// [`Ramp::send`], and whether the PE was told that the wavelet is taken.
    Send(Color, Wavelet, bool),
    /// [`Ramp::send_at`], where the PE was told that it is so.
    SendAt(Color, Wavelet, u64),
    /// [`Ramp::advance_switch`]
    Advance(Color),
    /// [`Ramp::address_letter`]
    Address(PeCoord, u16),
    /// [`Ramp::set_config`]
    Set(u16, u16),
}

/// The ramp of one PE while others run, too.
pub struct SharedRamp<'a> {
    fabric: &'a Fabric,
    pe: usize,
    now: u64,
    /// Wavelets that it has sent.
    sent: usize,
    actions: &'a mut Vec<(u32, RampAction)>,
    /// It has addressed a letter.
    addressed: bool,
    /// The color of which it has changed the route, and what it is now. A PE reaches its router once
    /// in a cycle, and after that sends at most one wavelet.
    rerouted: Option<(Color, Route)>,
}

impl Fabric {
    /// A ramp for a PE that adds to `actions`.
    pub fn shared_ramp<'a>(
        &'a self,
        pe: usize,
        now: u64,
        actions: &'a mut Vec<(u32, RampAction)>,
    ) -> SharedRamp<'a> {
        SharedRamp { fabric: self, pe, now, sent: 0, actions, addressed: false, rerouted: None }
    }

    /// Does what a PE has written down.
    pub fn perform(&mut self, pe: usize, action: RampAction, now: u64) {
        let mut ramp = self.ramp(pe, now);
        match action {
            // A router takes note of a refusal, too, and tells when there is room.
            RampAction::Send(color, wavelet, taken) => {
                assert_eq!(
                    ramp.send(color, wavelet).is_ok(),
                    taken,
                    "a shared ramp answers as the router does"
                );
            }
            RampAction::SendAt(color, wavelet, cycle) => {
                assert!(ramp.send_at(color, wavelet, cycle), "a shared ramp promises what the router does");
            }
            RampAction::Advance(color) => ramp.advance_switch(color),
            RampAction::Address(to, length) => ramp.address_letter(to, length),
            RampAction::Set(address, value) => drop(ramp.set_config(address, value)),
        }
    }

    /// Whether something has come down the ramp of a PE. Once that has run, it is asked again for room.
    pub fn gives(&self, pe: usize) -> bool {
        self.routers[pe].arrived() != 0
    }

    /// A color at a router, as it is or would be made.
    pub(super) fn lane_or_new(&self, pe: usize, color: Color) -> Cow<'_, Lane> {
        if let Some(lane) = self.known_lane(pe, color) {
            return Cow::Borrowed(lane);
        }
        let route = self.routes.of(&self.program, pe, color);
        Cow::Owned(Lane::new(pe as u32, color, route, self.routes.get(route)))
    }

    /// What the program has set while running counts.
    /// Whether the router of a PE has a route for a color, or the host takes what is sent on it.
    pub(super) fn is_routed(&self, pe: usize, color: Color) -> bool {
        color == MESSAGE_COLOR || self.route_at(pe, color).exists() || self.goes_to_host(color)
    }

    pub(super) fn route_at(&self, pe: usize, color: Color) -> &Route {
        let known = self.known_lane(pe, color).map(|lane| lane.route);
        self.routes.get(known.unwrap_or_else(|| self.routes.of(&self.program, pe, color)))
    }
}

impl SharedRamp<'_> {
    fn is_refused(&self, color: Color) -> bool {
        if color == MESSAGE_COLOR && (self.addressed || self.fabric.writes_letter(self.pe)) {
            return self.fabric.letters.held_up_by(self.pe).is_some();
        }
        let (first, second) = received_on(color, Direction::Ramp, |color| match &self.rerouted {
            Some((changed, route)) if *changed == color => route,
            Some(_) | None => self.fabric.route_at(self.pe, color),
        });
        let depth = self.fabric.onramp_depth();
        let is_full = |color| self.fabric.known_lane(self.pe, color).is_some_and(|l| l.onramp.len() >= depth);
        is_full(first) || second.is_some_and(is_full)
    }

    fn note(&mut self, action: RampAction) {
        self.actions.push((self.pe as u32, action));
    }
}

impl Ramp for SharedRamp<'_> {
    fn send(&mut self, color: Color, wavelet: Wavelet) -> Result<(), Wavelet> {
        let taken = !self.is_refused(color);
        self.sent += usize::from(taken);
        self.note(RampAction::Send(color, wavelet, taken));
        if taken { Ok(()) } else { Err(wavelet) }
    }

    fn is_routed(&self, color: Color) -> bool {
        self.fabric.is_routed(self.pe, color)
    }

    fn send_at(&mut self, color: Color, wavelet: Wavelet, cycle: u64) -> bool {
        let is_sure = self.rerouted.is_none()
            && self.fabric.takes_early(self.pe, color, self.sent + 1, (self.now, cycle));
        if is_sure {
            self.sent += 1;
            self.note(RampAction::SendAt(color, wavelet, cycle));
        }
        is_sure
    }

    fn advance_switch(&mut self, color: Color) {
        self.note(RampAction::Advance(color));
    }

    fn address_letter(&mut self, to: PeCoord, length: u16) {
        self.addressed |= self.fabric.can_address(to, length);
        self.note(RampAction::Address(to, length));
    }

    fn config(&mut self, address: u16) -> Option<u16> {
        self.fabric.config(self.pe, address)
    }

    fn set_config(&mut self, address: u16, value: u16) -> bool {
        self.note(RampAction::Set(address, value));
        let (known, changed) = self.fabric.outcome_of_set(self.pe, address, value);
        self.rerouted = changed.map(|(color, config)| (color, Route::new(&config)));
        known
    }
}
