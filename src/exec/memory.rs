//! The memory of a PE: 16-bit words, 32-bit values with the low word first.

use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::{INDEX_OUT_OF_BOUNDS, MEMORY_OUT_OF_BOUNDS};
use crate::dsd::DSD_WORDS;
use crate::image::code::{ADDRESS_ONLY, Access, BYTES, HIGH_BYTE, byte_behind, word_of};

/// The words of one PE. Only the part up to the highest word in use is allocated; the rest reads as zero.
#[derive(Clone, Debug)]
pub struct Memory {
    words: Vec<u16>,
    size: usize,
}

impl Memory {
    /// A memory of this many words that starts with `data`.
    pub(crate) fn new(size: usize, data: &[u16]) -> Memory {
        Memory { words: data.to_vec(), size }
    }

    /// Number of words, allocated or not.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The allocated words.
    pub fn words(&self) -> &[u16] {
        &self.words
    }

    /// The allocated words, mutable.
    pub fn words_mut(&mut self) -> &mut [u16] {
        &mut self.words
    }

    /// Allocates all words before `end`, as far as they exist.
    pub fn reach(&mut self, end: usize) {
        if end > self.words.len() {
            let length = end.next_multiple_of(STEP).min(self.size);
            self.words.reserve_exact(length.saturating_sub(self.words.len()));
            self.words.resize(length.max(self.words.len()), 0);
        }
    }

    /// Allocates more words; false if all are allocated already.
    pub(crate) fn grow(&mut self) -> bool {
        let before = self.words.len();
        // Most code asks for its stack, which is small beside a large array.
        self.reach(before + before.clamp(STEP, MOST));
        self.words.len() > before
    }

    /// `count` words from `addr` on, if they exist.
    pub fn slice(&mut self, addr: usize, count: usize) -> Result<&[u16], Diag> {
        self.slice_mut(addr, count).map(|words| &*words)
    }

    /// `count` words from `addr` on, mutable, if they exist.
    pub fn slice_mut(&mut self, addr: usize, count: usize) -> Result<&mut [u16], Diag> {
        self.reach(addr + count);
        self.words.get_mut(addr..addr + count).ok_or_else(|| out_of_memory(addr))
    }
}

/// The allocated part grows by multiples of this many words.
const STEP: usize = 64;

/// The most words by which it grows, unless more are needed at once.
const MOST: usize = 1024;

/// Loads a value in the form in which a register holds it.
#[inline(always)]
pub(crate) fn load(memory: &[u16], addr: usize, kind: Access) -> Result<u64, Diag> {
    // No `match` on the kind: a second indirect jump in each load would cost more than reading a word too many.
    match memory.get(addr..addr + 2) {
        Some(words) if (kind as u8) < Access::W64 as u8 => {
            let shift = if is_short(kind) { 48 } else { 32 };
            let bits = u64::from(pair(words)) << shift;
            let is_signed = matches!(kind, Access::S16 | Access::S32);
            Ok(if is_signed { (bits as i64 >> shift) as u64 } else { bits >> shift })
        }
        Some(_) | None => load_slowly(memory, addr, kind),
    }
}

/// The rare loads: four words, bytes, and the last word of memory.
#[cold]
fn load_slowly(memory: &[u16], addr: usize, kind: Access) -> Result<u64, Diag> {
    if kind.is_byte() {
        let byte = byte_at(memory, addr)?;
        return Ok(if kind == Access::S8 { byte as i8 as u64 } else { byte.into() });
    }
    let words = memory.get(addr..addr + usize::from(kind.words())).ok_or_else(|| out_of_memory(addr))?;
    let bits = words.iter().rev().fold(0, |bits, word| bits << 16 | u64::from(*word));
    Ok(if kind == Access::S16 { bits as i16 as u64 } else { bits })
}

/// Stores the value of a register.
#[inline(always)]
pub(crate) fn store(memory: &mut [u16], addr: usize, kind: Access, value: u64) -> Result<(), Diag> {
    if is_short(kind) {
        *memory.get_mut(addr).ok_or_else(|| out_of_memory(addr))? = value as u16;
        return Ok(());
    }
    if kind.is_byte() {
        return store_slowly(memory, addr, value as u8);
    }
    let words = memory.get_mut(addr..addr + 2).ok_or_else(|| out_of_memory(addr))?;
    (words[0], words[1]) = (value as u16, (value >> 16) as u16);
    if kind == Access::W64 {
        let words = memory.get_mut(addr + 2..addr + 4).ok_or_else(|| out_of_memory(addr))?;
        (words[0], words[1]) = ((value >> 32) as u16, (value >> 48) as u16);
    }
    Ok(())
}

/// The rare stores: bytes.
#[cold]
fn store_slowly(memory: &mut [u16], addr: usize, value: u8) -> Result<(), Diag> {
    store_byte(memory, addr, value)
}

/// The byte at an address.
#[inline(always)]
pub(crate) fn byte_at(memory: &[u16], addr: usize) -> Result<u8, Diag> {
    let word = memory.get(word_of(addr)).ok_or_else(|| out_of_memory(word_of(addr)))?;
    Ok((word >> shift_of(addr)) as u8)
}

/// Stores a byte; the other byte of the word does not change.
#[inline(always)]
pub(crate) fn store_byte(memory: &mut [u16], addr: usize, value: u8) -> Result<(), Diag> {
    let word = memory.get_mut(word_of(addr)).ok_or_else(|| out_of_memory(word_of(addr)))?;
    *word = *word & !(0xff << shift_of(addr)) | u16::from(value) << shift_of(addr);
    Ok(())
}

/// Bit offset of the addressed byte in its word; the even byte is the low one.
fn shift_of(addr: usize) -> u32 {
    if addr & usize::from(HIGH_BYTE) != 0 { 8 } else { 0 }
}

/// The binary logarithm of `kind.words()`, without a table; bytes have none.
#[inline(always)]
fn log_words(kind: Access) -> u32 {
    kind as u32 >> 1
}

#[inline(always)]
fn is_short(kind: Access) -> bool {
    matches!(kind, Access::U16 | Access::S16)
}

#[inline(always)]
fn pair(words: &[u16]) -> u32 {
    u32::from(words[0]) | u32::from(words[1]) << 16
}

/// Address of an element of the array at `base`.
///
/// # Errors
/// The index is `len` or more.
#[inline(always)]
pub(crate) fn element_of(base: u16, index: u64, kind: Access, len: u16) -> Result<usize, Diag> {
    if index >= u64::from(len) {
        return Err(out_of_array(index, len.into()));
    }
    if kind.is_byte() {
        return Ok(byte_behind(base.into(), index) as usize);
    }
    Ok(usize::from(base) + ((index as usize) << log_words(kind)))
}

/// Copies `count` words between addresses, whether they overlap or not.
///
/// # Errors
/// One of the words does not exist, or is not allocated yet.
pub(crate) fn copy(memory: &mut [u16], to: usize, from: usize, count: usize) -> Result<(), Diag> {
    // A DSD: a copy of a known size takes no call.
    if count == usize::from(DSD_WORDS)
        && let Some(dsd) = memory.get(from..).and_then(|words| words.first_chunk::<{ DSD_WORDS as usize }>())
    {
        let dsd = *dsd;
        if let Some(words) = memory.get_mut(to..).and_then(|words| words.first_chunk_mut()) {
            *words = dsd;
            return Ok(());
        }
    }
    for at in [to, from] {
        memory.get(at..at + count).ok_or_else(|| out_of_memory(at))?;
    }
    memory.copy_within(from..from + count, to);
    Ok(())
}

/// Address of an element behind a pointer to many; elements have `words` words, or are bytes.
///
/// # Errors
/// The index is `len` or more, and `len` is known.
#[inline(always)]
pub(crate) fn element(base: u64, index: u64, words: u16, len: u32) -> Result<usize, Diag> {
    if index >= u64::from(len) && len != ADDRESS_ONLY {
        return Err(out_of_array(index, len));
    }
    if words == BYTES {
        return Ok(byte_behind(base, index) as usize);
    }
    // An index of a pointer to many may be negative; addresses have 16 bits.
    Ok((base.wrapping_add(index.wrapping_mul(words.into())) & 0xffff) as usize)
}

/// The diagnostic about an address past the end.
#[cold]
pub(crate) fn out_of_memory(address: usize) -> Diag {
    let diag = MEMORY_OUT_OF_BOUNDS.because(&[("address", &address), ("what", &"the memory")]).for_good();
    diag.help("let the pointer point to a variable; what lies behind the memory is for `@get_config` and `@set_config`")
}

/// The diagnostic about an index past the end of an array.
#[cold]
fn out_of_array(index: u64, len: u32) -> Diag {
    // An index of a signed type is kept sign-extended.
    let diag = INDEX_OUT_OF_BOUNDS.because(&[("index", &(index as i64)), ("len", &len)]);
    match index {
        0xffff => diag.note("a u16 that falls below 0 becomes 65535"),
        0xffff_ffff => diag.note("a u32 that falls below 0 becomes 4294967295"),
        _ => diag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_access_keeps_its_value_and_extends_it() {
        let mut memory = Memory::new(16, &[1, 2]);
        memory.reach(16);
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
            assert_eq!(1 << log_words(kind), kind.words(), "{kind:?}");
        }
        assert_eq!((words[0], words[1], words[4]), (1, 2, 0xcdef));
    }

    #[test]
    fn the_last_word_is_memory_and_the_next_is_not() {
        let mut memory = Memory::new(4, &[]);
        memory.reach(9);
        store(memory.words_mut(), 2, Access::U32, 7).unwrap();
        assert_eq!(load(memory.words(), 3, Access::U32).unwrap_err().rule(), "memory-out-of-bounds");
    }
}
