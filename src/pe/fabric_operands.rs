//! The fabric operands of operations and maps: how elements become wavelets, and wavelets elements.

use super::queue::Outgoing;
use super::queues::Queues;
use crate::arch::{Color, InQueue};
use crate::dsd::Simd;
use crate::fabric::Wavelet;

/// With `control_transform` bits 31 and 30 say whether a wavelet was a control wavelet: both are set,
/// or neither is. That leaves 14 bits for the index.
const CONTROL_MARK: u32 = 0b11 << 30;

/// A fabin operand.
#[derive(Clone, Debug)]
pub(super) struct FabInOperand {
    pub input: usize,
    /// The queue that the DSD names.
    pub queue: Option<InQueue>,
    /// Elements have 16 bits: an element takes half of a wavelet.
    pub narrow: bool,
    pub simd: Simd,
    /// The last wavelet from which it took less than the wavelet holds, to be reported.
    pub mixed: Option<Mixed>,
    /// `.control_transform`: the mask that is XORed into control wavelets.
    pub control_transform: Option<u32>,
    /// The second element of a packed wavelet.
    pub half: Option<u32>,
    /// Wavelets of the current pair that have already arrived (`simd_64`).
    pub paired: bool,
    /// At most one wavelet per cycle.
    pub last_used: u64,
}

/// The problem with a wavelet that an operation receives as data.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Mixed {
    /// It is a control wavelet, and that information is lost.
    Control(Color),
    /// It looks like a control wavelet to `control_transform`.
    Marked(Wavelet),
}

/// A fabout operand.
#[derive(Clone, Debug)]
pub(super) struct FabOutOperand {
    pub output: usize,
    /// Elements have 16 bits: an element takes half of a wavelet.
    pub narrow: bool,
    pub color: Color,
    pub simd: Simd,
    pub control: bool,
    /// `.control_transform`: the mask that is XORed into control wavelets.
    pub control_transform: Option<u32>,
    pub advance_switch: bool,
    /// The value of bits 31..16 of every wavelet.
    pub index: Option<u16>,
    /// The first element of a packed wavelet.
    pub half: Option<u32>,
    pub last_used: u64,
}

impl FabInOperand {
    /// The element of a data wavelet that has just arrived, past its empty queue; for operands that take one wavelet
    /// for each element, unchanged.
    #[inline]
    pub fn take_directly(&mut self, word: u32, now: u64) -> u32 {
        self.last_used = now;
        self.paired = !self.paired;
        if self.narrow { word & 0xffff } else { word }
    }

    /// The next element; the caller has checked that it has arrived.
    pub fn take(&mut self, queues: &mut Queues, now: u64) -> u32 {
        if let Some(value) = self.half.take() {
            return value;
        }
        let wavelet = queues.inputs[self.input].take(now).expect("a wavelet is there");
        self.last_used = now;
        self.paired = !self.paired;
        let mut word = wavelet.data;
        let inbox = &queues.inputs[self.input];
        if wavelet.control && self.control_transform.is_none() {
            // The last word of a message is one, which `<message_passing>` has made and not the program.
            self.mixed = if inbox.is_mailbox { None } else { Some(Mixed::Control(inbox.color)) };
        } else if !wavelet.control && self.control_transform.is_some() && word & CONTROL_MARK != 0 {
            self.mixed = Some(Mixed::Marked(wavelet));
        }
        if let Some(mask) = self.control_transform {
            word &= !CONTROL_MARK;
            if wavelet.control {
                word = (word | CONTROL_MARK) ^ mask;
            }
        }
        if !self.narrow {
            return word;
        }
        if self.simd != Simd::Off {
            self.half = Some(word >> 16);
        }
        word & 0xffff
    }
}

impl FabOutOperand {
    /// The payload of an element that is a data wavelet of its own.
    pub fn word(&self, value: u32) -> u32 {
        match self.index {
            Some(index) => value & 0xffff | u32::from(index) << 16,
            None if self.narrow => value & 0xffff,
            None => value,
        }
    }

    /// Sends an element, or keeps it until its wavelet is full; the caller has checked that there is space.
    pub fn put(&mut self, value: u32, is_last: bool, queues: &mut Queues, now: u64) {
        let mut word = self.word(value);
        if self.narrow {
            match self.half.take() {
                Some(first) => word = first | value << 16,
                None if self.simd != Simd::Off && !is_last => {
                    self.half = Some(value & 0xffff);
                    return;
                }
                None => {}
            }
        }
        let mut marked = false;
        if let Some(mask) = self.control_transform {
            marked = word & CONTROL_MARK == CONTROL_MARK;
            word = word & !CONTROL_MARK ^ if marked { mask } else { 0 };
        }
        self.last_used = now;
        queues.sent_last = now;
        let wavelet = Wavelet { data: word, control: self.control || marked };
        let mut outgoing = Outgoing::new(self.color, wavelet, now);
        outgoing.advance_switch = self.advance_switch && is_last;
        queues.send(self.output, outgoing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_of_16_bits_fills_half_of_its_wavelet_and_an_index_the_other() {
        let narrow = FabOutOperand {
            output: 0,
            narrow: true,
            color: Color(1),
            simd: Simd::Off,
            control: false,
            control_transform: None,
            advance_switch: false,
            index: None,
            half: None,
            last_used: u64::MAX,
        };
        // A sum with carry has 17 bits.
        assert_eq!(narrow.word(0x1_2345), 0x2345);
        assert_eq!(FabOutOperand { index: Some(7), ..narrow.clone() }.word(0x1_2345), 0x7_2345);
        assert_eq!(FabOutOperand { narrow: false, ..narrow }.word(0x1_2345), 0x1_2345);
    }
}
