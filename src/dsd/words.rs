//! A DSD value as the 16 words that a variable of DSD type holds in PE memory.

use super::{DSD_WORDS, Dsd, FabIn, FabOut, FifoId, Mem, MemKind, Priority, Simd, ZeroSource};
use crate::arch::{Color, InQueue, OutQueue};

const NONE: u16 = 0xff;
/// Bits of word 1 of a vector in memory, behind the number of dimensions.
const INDEX_OFFSET: u16 = 1 << 8;
const AIMED: u16 = 1 << 9;
const KINDS: [MemKind; 3] = [MemKind::Mem1d, MemKind::Mem4d, MemKind::Circbuf];
const SIMDS: [Simd; 5] = [Simd::Off, Simd::Simd32, Simd::Simd64, Simd::Simd32Or64, Simd::Max];
const PRIORITIES: [Priority; 3] = [Priority::Low, Priority::Medium, Priority::High];

impl Mem {
    /// The vector in memory behind the words; `None` if they are none.
    #[inline]
    pub fn from_words(w: &[u16; DSD_WORDS as usize]) -> Option<Mem> {
        let dims = dims(w)?;
        Some(Mem {
            kind: *KINDS.get(usize::from(w[0]).wrapping_sub(1))?,
            dims,
            index_offset: w[1] & INDEX_OFFSET != 0,
            has_soft_bounds: w[1] & AIMED != 0,
            base: w[2],
            extent: [w[3], w[4], w[5], w[6]],
            step: [w[7] as i16, w[8] as i16, w[9] as i16, w[10] as i16],
            lo: w[11],
            hi: w[12],
            wrap: w[13],
            origin: w[14],
        })
    }

    /// Base, length, step and limits of the vector behind the words, if it has one dimension, is no circular buffer
    /// and takes no index: the most frequent kind, without the fields that it does not need.
    #[inline]
    pub fn line_from_words(w: &[u16; DSD_WORDS as usize]) -> Option<(u16, u16, i16, (u16, u16))> {
        let is_line = matches!(w[0], 1 | 2) && w[1] & !AIMED == 1;
        is_line.then_some((w[2], w[3], w[7] as i16, (w[11], w[12])))
    }
}

/// The number of dimensions that the words of a vector in memory name, if there is one.
#[inline]
fn dims(w: &[u16; DSD_WORDS as usize]) -> Option<u8> {
    Some(w[1] as u8).filter(|dims| (1..=4).contains(dims))
}

/// The words of a vector in memory, whose properties code changes one at a time.
pub struct MemWords<'a>(&'a mut [u16; DSD_WORDS as usize]);

impl MemWords<'_> {
    /// `None` if the words are no vector in memory, or not as [`Dsd::to_words`] writes it.
    #[inline]
    pub fn new(w: &mut [u16; DSD_WORDS as usize]) -> Option<MemWords<'_>> {
        let is_tidy = dims(w).is_some() && w[1] & !(0xff | INDEX_OFFSET | AIMED) == 0 && w[15] == 0;
        (is_tidy && matches!(w[0], 1..=3)).then_some(MemWords(w))
    }

    /// Moves it by some words.
    pub fn shift(&mut self, words: u16) {
        self.0[2] = self.0[2].wrapping_add(words);
    }

    /// Places of the fastest dimension.
    pub fn set_length(&mut self, length: u16) {
        self.0[3] = length;
    }

    /// The step of the fastest dimension.
    pub fn set_stride(&mut self, stride: u16) {
        self.0[7] = stride;
    }

    /// Moves it to an address, with the words that it may access.
    pub fn aim(&mut self, base: u16, (lo, hi): (u16, u16), has_soft_bounds: bool) {
        (self.0[2], self.0[11], self.0[12]) = (base, lo, hi);
        self.0[1] = self.0[1] & !AIMED | if has_soft_bounds { AIMED } else { 0 };
    }

    /// Where it was changed.
    pub fn set_origin(&mut self, origin: u16) {
        self.0[14] = origin;
    }
}

impl Dsd {
    /// The words that stand for this value; word 0 is never 0.
    pub fn to_words(self) -> [u16; DSD_WORDS as usize] {
        let mut w = [0; DSD_WORDS as usize];
        match &self {
            Dsd::Mem(m) => {
                w[0] = 1 + position(&KINDS, &m.kind);
                let flags = [(m.index_offset, INDEX_OFFSET), (m.has_soft_bounds, AIMED)];
                let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
                w[1] = flags.fold(m.dims.into(), |all, (_, bit)| all | bit);
                w[2] = m.base;
                for i in 0..4 {
                    w[3 + i] = m.extent[i];
                    w[7 + i] = m.step[i] as u16;
                }
                (w[11], w[12], w[13], w[14]) = (m.lo, m.hi, m.wrap, m.origin);
            }
            Dsd::FabIn(f) => {
                w[0] = 4;
                w[1] = u16::from(f.control_transform);
                (w[2], w[3]) = (f.color.map_or(NONE, |c| c.0.into()), f.queue.map_or(NONE, |q| q.0.into()));
                (w[4], w[5], w[6]) =
                    (f.extent, position(&SIMDS, &f.simd), position(&PRIORITIES, &f.priority));
            }
            Dsd::FabOut(f) => {
                w[0] = 5;
                let flags = [f.control_transform, f.control, f.index_offset, f.advance_switch];
                w[1] = flags.iter().rev().fold(0, |bits, flag| bits << 1 | u16::from(*flag));
                (w[2], w[3]) = (f.color.map_or(NONE, |c| c.0.into()), f.queue.map_or(NONE, |q| q.0.into()));
                (w[4], w[5], w[6]) =
                    (f.extent, position(&SIMDS, &f.simd), position(&PRIORITIES, &f.priority));
                w[7] = f.zero.map_or(0, |z| 1 + u16::from(z == ZeroSource::Second));
            }
            Dsd::Fifo(id) => (w[0], w[1]) = (6, id.0.into()),
        }
        w
    }

    /// The value behind the words; `None` if they are no DSD (memory that was never set).
    pub fn from_words(w: &[u16]) -> Option<Dsd> {
        // With a known length, no word costs a check of its own.
        let w: &[u16; DSD_WORDS as usize] = w.first_chunk()?;
        let color = |n: u16| (n != NONE).then_some(Color(n as u8));
        match w[0] {
            1..=3 => Mem::from_words(w).map(Dsd::Mem),
            4 => Some(Dsd::FabIn(FabIn {
                color: color(w[2]),
                queue: (w[3] != NONE).then_some(InQueue(w[3] as u8)),
                extent: w[4],
                control_transform: w[1] & 1 != 0,
                simd: *SIMDS.get(w[5] as usize)?,
                priority: *PRIORITIES.get(w[6] as usize)?,
            })),
            5 => Some(Dsd::FabOut(FabOut {
                color: color(w[2]),
                queue: (w[3] != NONE).then_some(OutQueue(w[3] as u8)),
                extent: w[4],
                control_transform: w[1] & 1 != 0,
                control: w[1] & 2 != 0,
                index_offset: w[1] & 4 != 0,
                advance_switch: w[1] & 8 != 0,
                simd: *SIMDS.get(w[5] as usize)?,
                priority: *PRIORITIES.get(w[6] as usize)?,
                zero: [None, Some(ZeroSource::First), Some(ZeroSource::Second)]
                    .get(w[7] as usize)
                    .copied()?,
            })),
            6 => Some(Dsd::Fifo(FifoId(w[1] as u8))),
            _ => None,
        }
    }
}

fn position<T: PartialEq>(all: &[T], one: &T) -> u16 {
    all.iter().position(|x| x == one).unwrap_or(0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_dsd_survives_memory() {
        let mem = Dsd::Mem(Mem {
            kind: MemKind::Mem4d,
            base: 0x1234,
            dims: 3,
            extent: [5, 6, 7, 1],
            step: [1, -3, -23, 0],
            index_offset: true,
            lo: 8,
            hi: 0x6000,
            has_soft_bounds: false,
            wrap: 0,
            origin: 7,
        });
        let fabin = Dsd::FabIn(FabIn {
            color: Some(Color(3)),
            queue: None,
            extent: 9,
            control_transform: true,
            simd: Simd::Simd64,
            priority: Priority::High,
        });
        let fabout = Dsd::FabOut(FabOut {
            color: None,
            queue: Some(OutQueue(5)),
            extent: 9,
            control: true,
            index_offset: false,
            advance_switch: true,
            control_transform: false,
            zero: Some(ZeroSource::Second),
            simd: Simd::Off,
            priority: Priority::Medium,
        });
        for dsd in [mem, fabin, fabout, Dsd::Fifo(FifoId(7))] {
            assert_eq!(Dsd::from_words(&dsd.to_words()), Some(dsd));
        }
        assert_eq!(Dsd::from_words(&[0; 16]), None);
    }

    #[test]
    fn a_line_is_read_from_words_and_other_vectors_are_not() {
        let line = Mem {
            kind: MemKind::Mem1d,
            base: 0x123,
            dims: 1,
            extent: [5, 1, 1, 1],
            step: [-3, 0, 0, 0],
            index_offset: false,
            lo: 8,
            hi: 0x600,
            has_soft_bounds: true,
            wrap: 0,
            origin: 7,
        };
        let read = |mem| Mem::line_from_words(&Dsd::Mem(mem).to_words());
        assert_eq!(read(line), Some((0x123, 5, -3, (8, 0x600))));
        assert_eq!(read(Mem { has_soft_bounds: false, ..line }), read(line));
        assert_eq!(read(Mem { dims: 2, extent: [5, 2, 1, 1], ..line }), None);
        assert_eq!(read(Mem { index_offset: true, ..line }), None);
    }
}
