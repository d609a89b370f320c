use crate::arch::{Color, PeCoord};
use crate::profile::Origin;

/// A wavelet as a PE sends and receives it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wavelet {
    /// The payload: data in bits 15..0, index in bits 31..16 for 16-bit operations.
    pub data: u32,
    /// Whether it is a control wavelet.
    pub control: bool,
}

/// All that a PE may know of the fabric: its own ramp. Wavelets that arrive are delivered to the
/// PE by the wafer (`Pe::deliver`), those that leave go through here.
pub trait Ramp {
    /// Gives a wavelet to the router; gives it back when the onramp buffer of the color is full.
    fn send(&mut self, color: Color, wavelet: Wavelet) -> Result<(), Wavelet>;

    /// Hands over a wavelet of a future cycle, if the router is certain to accept it then and nothing can observe the
    /// difference; false if it has to be sent in that cycle.
    fn send_at(&mut self, color: Color, wavelet: Wavelet, cycle: u64) -> bool;

    /// Whether the router has a route for a color. Sending on a color without one stops the run.
    fn is_routed(&self, color: Color) -> bool;

    /// Moves the switch of a color on this PE's own router to its next position.
    fn advance_switch(&mut self, color: Color);

    /// Sets the receiver of the next `length` words on the message color.
    fn address_message(&mut self, to: PeCoord, length: u16);

    /// The origin of a wavelet in an input queue while a run is profiled: the one that arrived before the last
    /// `behind` wavelets.
    fn origin(&self, color: Color, behind: usize) -> Option<Origin>;

    /// Reads a configuration word (word address); `None` if the machine model has none there.
    fn config(&mut self, addr: u16) -> Option<u16>;

    /// Writes a configuration word; false if the machine model has none there.
    fn set_config(&mut self, addr: u16, value: u16) -> bool;
}
