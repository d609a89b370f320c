//! A hash of the state of a simulation, in which cycles count from now: equal states go on in equal ways.
//!
//! In: what components tell of their state. Out: a number. Never: knows what the state means.

use std::fmt::{Debug, Write};

/// A hash that is being made.
#[derive(Clone, Debug)]
pub struct StateHash {
    hash: u64,
    now: u64,
}

impl StateHash {
    /// The hash of a state in which cycle `now` comes next.
    pub fn new(now: u64) -> StateHash {
        StateHash { hash: 0x9e37_79b9_7f4a_7c15, now }
    }

    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: u64) {
        // For a given number this is a bijection of the hash: states that differ in one number differ in their hashes.
        let mixed = (self.hash ^ number).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.hash = (mixed ^ mixed >> 32).rotate_left(23);
    }

    /// Adds a cycle that is still to come; all that are over are equal.
    pub fn add_cycle(&mut self, cycle: u64) {
        self.add(cycle.saturating_sub(self.now));
    }

    /// Adds words of memory.
    pub fn add_words(&mut self, words: &[u16]) {
        let chunks = words.chunks_exact(4);
        let rest = chunks.remainder();
        for four in chunks {
            self.add(four.iter().fold(0, |all, word| all << 16 | u64::from(*word)));
        }
        self.add(rest.iter().fold(1, |all, word| all << 16 | u64::from(*word)));
        self.add(words.len() as u64);
    }

    /// Adds a value by its debug text, for what has no cycles in it and is small.
    pub fn add_debug(&mut self, value: &dyn Debug) {
        // The writer of a hash never fails.
        let _ = write!(self, "{value:?}");
        self.add(u64::MAX);
    }

    /// The hash.
    pub fn finish(&self) -> u64 {
        self.hash
    }
}

impl Write for StateHash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for bytes in text.as_bytes().chunks(8) {
            self.add(bytes.iter().fold(1, |all, byte| all << 8 | u64::from(*byte)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_count_from_now_and_words_by_their_places() {
        let of = |now: u64, cycle: u64, words: &[u16]| {
            let mut state = StateHash::new(now);
            state.add_cycle(cycle);
            state.add_words(words);
            state.finish()
        };
        assert_eq!(of(10, 13, &[1, 2, 3, 4, 5]), of(20, 23, &[1, 2, 3, 4, 5]));
        assert_eq!(of(10, 3, &[]), of(20, 7, &[]));
        assert_ne!(of(10, 13, &[]), of(10, 14, &[]));
        assert_ne!(of(0, 0, &[0, 1]), of(0, 0, &[1, 0]));
        assert_ne!(of(0, 0, &[0, 0]), of(0, 0, &[0]));
    }
}
