//! Words between the host and the wafer.

use super::Wafer;
use crate::arch::{Color, PeCoord};

impl Wafer {
    /// Gives a PE a word of a host stream; false while it has too many.
    pub fn stream_in(&mut self, at: PeCoord, color: Color, word: u32) -> bool {
        self.fabric.give_from_host(self.program.pe_index(at), color, word, self.now)
    }

    /// Takes a word that a PE has sent to the host.
    pub fn stream_out(&mut self, at: PeCoord, color: Color) -> Option<u32> {
        let wavelet = self.fabric.take_for_host(self.program.pe_index(at), color, self.now)?;
        self.wake_freed();
        Some(wavelet.data)
    }

    /// Sends a word from a PE in whose place the host stands; false while the fabric takes no more.
    pub fn send_for_host(&mut self, at: PeCoord, color: Color, word: u32) -> bool {
        self.fabric.send_for_host(self.program.pe_index(at), color, word, self.now)
    }

    /// Takes a word that has come to a PE in whose place the host stands.
    pub fn receive_for_host(&mut self, at: PeCoord, color: Color) -> Option<u32> {
        self.fabric.receive_for_host(self.program.pe_index(at), color, self.now)
    }
}
