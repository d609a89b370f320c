//! Wavelets on their way, and the buffers that they wait in.

use super::Wavelet;
use crate::arch::Direction;
use crate::image::routes::Directions;
use crate::inline_queue::InlineQueue;
use crate::state_hash::StateHash;

/// The deepest link buffer that a lane has room for.
pub const MAX_LINK_DEPTH: usize = 4;

/// The promise of the arbiter, as the text of an `expect`.
pub const GRANTED: &str = "a wavelet that was granted an output is still there";

/// A wavelet in the fabric.
#[derive(Copy, Clone, Debug, Default)]
pub struct Flit {
    /// The payload; routers pop commands off that of a control wavelet.
    pub word: u32,
    /// The low half as it was sent: the argument of a control task.
    argument: u16,
    control: bool,
    /// Whether the switch of the sender's router advances once this wavelet has passed (`.advance_switch`).
    pub advances: bool,
}

impl Flit {
    /// A wavelet as its PE sends it.
    pub fn new(w: Wavelet) -> Flit {
        Flit { word: w.data, argument: w.data as u16, control: w.control, advances: false }
    }

    /// Whether it is a data wavelet that advances no switch.
    pub fn is_plain(&self) -> bool {
        !self.control && !self.advances
    }

    /// Whether it is a control wavelet.
    pub fn is_control(&self) -> bool {
        self.control
    }

    /// What the PE sees of it.
    pub fn delivered(&self) -> Wavelet {
        let data = match self.control {
            true => self.word & 0xffff_0000 | u32::from(self.argument),
            false => self.word,
        };
        Wavelet { data, control: self.control }
    }
}

/// A bounded queue at the end of a link.
#[derive(Copy, Clone, Debug)]
pub struct Buffer {
    slots: [Flit; MAX_LINK_DEPTH],
    head: u8,
    len: u8,
    /// The side on which its link arrives; `None` until it is first used.
    side: Option<Direction>,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer::EMPTY
    }
}

impl Buffer {
    /// Nothing inside.
    pub const EMPTY: Buffer = Buffer {
        slots: [Flit { word: 0, argument: 0, control: false, advances: false }; MAX_LINK_DEPTH],
        head: 0,
        len: 0,
        side: None,
    };

    /// Whether it belongs to a side.
    #[inline]
    pub fn is_of(&self, side: Direction) -> bool {
        self.side == Some(side)
    }

    /// Assigns the buffer to a side if it has none yet. Returns whether it belongs to that side.
    #[inline]
    pub fn claim(&mut self, side: Direction) -> bool {
        *self.side.get_or_insert(side) == side
    }

    /// Adds its wavelets to the hash of a state.
    pub fn add_state(&self, state: &mut StateHash) {
        state.add_debug(&(self.side, self.len));
        for place in 0..self.len() {
            state.add_debug(&self.slots[(usize::from(self.head) + place) % MAX_LINK_DEPTH]);
        }
    }

    /// Wavelets inside.
    #[inline]
    pub fn len(&self) -> usize {
        self.len.into()
    }

    /// The oldest.
    #[inline]
    pub fn front(&self) -> Option<&Flit> {
        (self.len > 0).then(|| &self.slots[usize::from(self.head) % MAX_LINK_DEPTH])
    }

    /// Adds one; there must be room.
    #[inline]
    pub fn push(&mut self, flit: Flit) {
        assert!(self.len() < MAX_LINK_DEPTH, "a router sends only into buffers with room");
        self.slots[(usize::from(self.head) + self.len()) % MAX_LINK_DEPTH] = flit;
        self.len += 1;
    }

    /// Drops the oldest.
    #[inline]
    pub fn pop(&mut self) {
        self.head = (self.head + 1) % MAX_LINK_DEPTH as u8;
        self.len -= 1;
    }
}

/// The progress of the oldest wavelet of an input, in one byte; the low bits are the targets that still wait for a
/// copy.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadState(u8);

impl HeadState {
    /// Nothing has been decided about it.
    pub const UNTOUCHED: HeadState = HeadState(0);
    const TARGETS: u8 = 0x1f;
    const ASKED: u8 = 0x20;
    const PASSES: u8 = 0x40;

    /// Targets that still wait for a copy; empty before the first copy has left.
    pub fn left(self) -> Directions {
        Directions(self.0 & HeadState::TARGETS)
    }

    /// Sets the targets that still wait for a copy.
    pub fn leave(&mut self, targets: Directions) {
        self.0 = self.0 & !HeadState::TARGETS | targets.0;
    }

    /// Whether the filter lets it pass. The filter is asked once for each wavelet, because it counts them.
    pub fn filtered(&mut self, ask: impl FnOnce() -> bool) -> bool {
        if self.0 & HeadState::ASKED == 0 {
            self.0 |= HeadState::ASKED | if ask() { HeadState::PASSES } else { 0 };
        }
        self.0 & HeadState::PASSES != 0
    }
}

/// Wavelets on a ramp, each with the cycle in which it arrives; most ramps take two cycles.
pub type RampQueue = InlineQueue<(u64, Flit), 2>;

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(words: &[u32]) -> Buffer {
        let mut buffer = Buffer::EMPTY;
        words.iter().for_each(|data| buffer.push(Flit::new(Wavelet { data: *data, control: false })));
        buffer
    }

    #[test]
    fn the_hash_of_a_buffer_depends_on_its_wavelets_and_not_on_where_they_lie() {
        let hash = |buffer: &Buffer| {
            let mut state = StateHash::new(0);
            buffer.add_state(&mut state);
            state.finish()
        };
        let mut moved = buffer(&[9, 9, 9, 1]);
        (0..3).for_each(|_| moved.pop());
        for data in [2, 3] {
            moved.push(Flit::new(Wavelet { data, control: false }));
        }
        assert_eq!(hash(&moved), hash(&buffer(&[1, 2, 3])));
        for other in [&[1, 3, 2][..], &[1, 2], &[1, 2, 4]] {
            assert_ne!(hash(&moved), hash(&buffer(other)));
        }
    }
}
