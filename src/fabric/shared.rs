//! Ramps of PEs that run at the same time: they see the fabric as it was before, and write down what
//! they do to it. It is done when all of them have run, in the order of the PEs, and then has the
//! outcome that they were told.

use super::letters::can_address;
use super::route::{Route, received_on};
use super::{Fabric, Ramp, Wavelet, config};
use crate::arch::{Color, Direction, MESSAGE_COLOR, PeCoord};

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

impl<'a> SharedRamp<'a> {
    /// A ramp for a PE that adds to `actions`.
    pub(super) fn new(
        fabric: &'a Fabric,
        pe: usize,
        now: u64,
        actions: &'a mut Vec<(u32, RampAction)>,
    ) -> SharedRamp<'a> {
        SharedRamp { fabric, pe, now, sent: 0, actions, addressed: false, rerouted: None }
    }

    fn is_refused(&self, color: Color) -> bool {
        let Fabric { grid, letters, .. } = self.fabric;
        if color == MESSAGE_COLOR && (self.addressed || letters.are_written_by(self.pe)) {
            return letters.held_up_by(self.pe).is_some();
        }
        let (first, second) = received_on(color, Direction::Ramp, |color| match &self.rerouted {
            Some((changed, route)) if *changed == color => route,
            Some(_) | None => grid.route_at(self.pe, color),
        });
        let depth = grid.ramp_depth();
        let is_full = |color| grid.known_lane(self.pe, color).is_some_and(|l| l.onramp().len() >= depth);
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
        self.fabric.grid.is_routed(self.pe, color)
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
        self.addressed |= can_address(to, length, self.fabric.grid.program());
        self.note(RampAction::Address(to, length));
    }

    fn config(&mut self, address: u16) -> Option<u16> {
        config::word(&self.fabric.grid, self.pe, address)
    }

    fn set_config(&mut self, address: u16, value: u16) -> bool {
        self.note(RampAction::Set(address, value));
        let (known, changed) = config::outcome_of_set(&self.fabric.grid, self.pe, address, value);
        self.rerouted = changed.map(|(color, config)| (color, Route::new(&config)));
        known
    }
}
