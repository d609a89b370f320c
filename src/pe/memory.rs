//! The memory of a PE: 16-bit words, 32-bit values with the low word first.

use crate::diagnostics::Complaint;
use crate::diagnostics::rules::run::{INDEX_OUT_OF_BOUNDS, MEMORY_OUT_OF_BOUNDS};
use crate::image::code::Access;

/// Words of one PE. Pages that nobody touches cost nothing: the allocation starts as zeros.
#[derive(Clone, Debug)]
pub struct Memory {
    words: Vec<u16>,
}

impl Memory {
    /// A memory of this many words that starts with `data`.
    pub(super) fn new(size: usize, data: &[u16]) -> Memory {
        let mut words = vec![0; size];
        words[..data.len()].copy_from_slice(data);
        Memory { words }
    }

    /// All words.
    pub fn words(&self) -> &[u16] {
        &self.words
    }

    /// All words, to write.
    pub fn words_mut(&mut self) -> &mut [u16] {
        &mut self.words
    }

    /// `count` words from `addr`, if they exist.
    pub fn slice(&self, addr: usize, count: usize) -> Result<&[u16], Complaint> {
        self.words.get(addr..addr + count).ok_or_else(|| out_of_memory(addr))
    }

    /// `count` words from `addr`, to write, if they exist.
    pub fn slice_mut(&mut self, addr: usize, count: usize) -> Result<&mut [u16], Complaint> {
        self.words.get_mut(addr..addr + count).ok_or_else(|| out_of_memory(addr))
    }
}

/// Reads a value as a register holds it.
#[inline(always)]
pub(super) fn load(memory: &[u16], addr: usize, kind: Access) -> Result<u64, Complaint> {
    let wide = |count: usize| memory.get(addr..addr + count).ok_or_else(|| out_of_memory(addr));
    Ok(match kind {
        Access::U16 => u64::from(*memory.get(addr).ok_or_else(|| out_of_memory(addr))?),
        Access::S16 => *memory.get(addr).ok_or_else(|| out_of_memory(addr))? as i16 as u64,
        Access::U32 => u64::from(pair(wide(2)?)),
        Access::S32 => pair(wide(2)?) as i32 as u64,
        Access::W64 => {
            let words = wide(4)?;
            u64::from(pair(&words[..2])) | u64::from(pair(&words[2..])) << 32
        }
    })
}

/// Writes a register.
#[inline(always)]
pub(super) fn store(memory: &mut [u16], addr: usize, kind: Access, value: u64) -> Result<(), Complaint> {
    match kind {
        Access::U16 | Access::S16 => {
            *memory.get_mut(addr).ok_or_else(|| out_of_memory(addr))? = value as u16;
        }
        Access::U32 | Access::S32 => {
            let words = memory.get_mut(addr..addr + 2).ok_or_else(|| out_of_memory(addr))?;
            (words[0], words[1]) = (value as u16, (value >> 16) as u16);
        }
        Access::W64 => {
            let words = memory.get_mut(addr..addr + 4).ok_or_else(|| out_of_memory(addr))?;
            for (i, word) in words.iter_mut().enumerate() {
                *word = (value >> (16 * i)) as u16;
            }
        }
    }
    Ok(())
}

#[inline(always)]
fn pair(words: &[u16]) -> u32 {
    u32::from(words[0]) | u32::from(words[1]) << 16
}

/// The complaint about an address past the end.
#[cold]
pub(super) fn out_of_memory(address: usize) -> Complaint {
    MEMORY_OUT_OF_BOUNDS.because(&[("address", &address), ("what", &"the memory")])
}

/// The complaint about an index past the end of an array.
#[cold]
pub(super) fn out_of_array(index: u64, len: u32) -> Complaint {
    // An index of a signed type is kept sign-extended.
    INDEX_OUT_OF_BOUNDS.because(&[("index", &(index as i64)), ("len", &len)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_access_keeps_its_value_and_extends_it() {
        let mut memory = Memory::new(16, &[1, 2]);
        let words = memory.words_mut();
        for (kind, value) in [
            (Access::U16, 0xfffe),
            (Access::S16, -2i64 as u64),
            (Access::U32, 0xffff_fffe),
            (Access::S32, -70_000i64 as u64),
            (Access::W64, 0x8123_4567_89ab_cdef),
        ] {
            store(words, 4, kind, value).unwrap();
            assert_eq!(load(words, 4, kind).unwrap(), value, "{kind:?}");
        }
        assert_eq!((words[0], words[1], words[4]), (1, 2, 0xcdef));
    }

    #[test]
    fn the_last_word_is_memory_and_the_next_is_not() {
        let mut memory = Memory::new(4, &[]);
        store(memory.words_mut(), 2, Access::U32, 7).unwrap();
        assert_eq!(load(memory.words(), 3, Access::U32).unwrap_err().rule(), "memory-out-of-bounds");
    }
}
