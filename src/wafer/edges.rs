//! Words of the host at the edge of the wafer's rectangle, and the operations that a stream of the host waits for.

use super::Wafer;
use super::causes::{self, Cause};
use crate::arch::{Color, Direction, PeCoord};
use crate::fabric::{EdgeLink, Wavelet};

impl Wafer {
    /// From now on the host receives what leaves the rectangle here.
    pub fn open_exit(&mut self, at: PeCoord, color: Color, side: Direction) {
        let link = self.link(at, color, side);
        self.bands.fabric(link.0).open_exit(link);
    }

    /// Takes a word that has left the rectangle here.
    pub fn take_at_exit(&mut self, at: PeCoord, color: Color, side: Direction) -> Option<u32> {
        let link = self.link(at, color, side);
        self.bands.fabric(link.0).take_at_exit(link)
    }

    /// Sends a word into the rectangle, as data or as a control wavelet; false while the fabric takes no more.
    pub fn enter_at_edge(
        &mut self,
        (at, color, side): (PeCoord, Color, Direction),
        data: u32,
        control: bool,
    ) -> bool {
        let link = self.link(at, color, side);
        self.bands.fabric(link.0).enter_at_edge(link, Wavelet { data, control }, self.now)
    }

    /// The sides of a PE on which the rectangle ends: those from which a color is accepted, and those on which it
    /// leaves.
    pub fn edge_sides(&mut self, at: PeCoord, color: Color) -> (Vec<Direction>, Vec<Direction>) {
        let pe = self.program.pe_index(at);
        self.bands.fabric(pe).edge_sides(pe, color)
    }

    /// The operation that should send the words of a stream from a PE to the host, or receive those that the host
    /// sends there. The host stands in the place of the PE, whose ramp is then the side, or next to it.
    pub fn stream_end(
        &self,
        (pe, color, side): (PeCoord, Color, Direction),
        to_wafer: bool,
    ) -> Option<Cause> {
        let link = self.link(pe, color, side);
        self.bands.look(|fabric| causes::stream_end(&self.pe_array, fabric, link, to_wafer))
    }

    fn link(&self, at: PeCoord, color: Color, side: Direction) -> EdgeLink {
        (self.program.pe_index(at), color, side)
    }
}
