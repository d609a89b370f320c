//! `@random16`.

/// Generators of a PE; `@set_active_prng` counts modulo this (ruling).
const GENERATORS: usize = 4;
/// Of every generator at the start.
const START: u32 = 0xdead_beef;
/// The register has 23 bits: x^23 + x^18 + 1.
const MASK: u32 = (1 << 23) - 1;
/// Steps per number.
const STEPS: u32 = 128;

/// The generators of a PE.
#[derive(Clone, Debug)]
pub(super) struct Random {
    states: [u32; GENERATORS],
    active: usize,
}

impl Random {
    pub fn new() -> Random {
        Random { states: [START & MASK; GENERATORS], active: 0 }
    }

    /// The next number of the active generator.
    pub fn next_word(&mut self) -> u16 {
        let state = &mut self.states[self.active];
        for _ in 0..STEPS {
            let bit = (*state >> 22 ^ *state >> 17) & 1;
            *state = (*state << 1 | bit) & MASK;
        }
        *state as u16
    }

    /// Chooses a generator.
    pub fn activate(&mut self, id: u16) {
        self.active = usize::from(id) % GENERATORS;
    }

    /// Starts the active generator anew. A shift register must not be all zeros.
    pub fn seed(&mut self, seed: u32) {
        let folded = (seed ^ seed >> 23) & MASK;
        self.states[self.active] = if folded == 0 { START & MASK } else { folded };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_independent_and_a_seed_repeats_them() {
        let mut random = Random::new();
        let first: Vec<u16> = (0..8).map(|_| random.next_word()).collect();
        random.activate(5);
        assert_eq!((0..8).map(|_| random.next_word()).collect::<Vec<_>>(), first);
        random.seed(START & MASK);
        assert_eq!(random.next_word(), first[0]);
        assert!(first.iter().any(|x| *x != first[0]));
    }
}
