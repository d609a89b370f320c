//! The pseudo-random generators of a PE, behind `@random16`.

use serde::{Deserialize, Serialize};

/// Generators of one PE (ruling: the number is not published).
const GENERATORS: usize = 8;
const STATE_BITS: u32 = 23;
const MASK: u32 = (1 << STATE_BITS) - 1;
const START: u32 = 0xdead_beef & MASK;

/// A bank of linear feedback shift registers with polynomial x^23 + x^18 + 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generators {
    states: [u32; GENERATORS],
    active: u8,
}

impl Generators {
    /// All in their start state, the first one active.
    pub fn new() -> Generators {
        Generators { states: [START; GENERATORS], active: 0 }
    }

    /// Makes one active; numbers beyond the last begin again at the first.
    pub fn select(&mut self, id: u16) {
        self.active = (usize::from(id) % GENERATORS) as u8;
    }

    /// Restarts the active one. Neighbouring seeds give unrelated numbers.
    pub fn seed(&mut self, seed: u32) {
        // The register is linear: without this, seeds that differ by a shift would give numbers
        // that do, too.
        let mut mixed = (seed ^ (seed >> 16)).wrapping_mul(0x85eb_ca6b);
        mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
        let state = (mixed ^ (mixed >> 16)) & MASK;
        self.states[usize::from(self.active)] = if state == 0 { START } else { state };
    }

    /// Advances the active one by 128 steps and takes its lowest 16 bits.
    pub fn next16(&mut self) -> u16 {
        let state = &mut self.states[usize::from(self.active)];
        for _ in 0..128 / 16 {
            // A step shifts right and enters bit 0 ^ bit 5 at the top; 16 of them read old bits only.
            let entering = (*state ^ (*state >> 5)) & 0xffff;
            *state = (*state >> 16) | (entering << (STATE_BITS - 16));
        }
        *state as u16
    }
}

impl Default for Generators {
    fn default() -> Generators {
        Generators::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_steps_are_the_single_steps() {
        let mut state = START;
        let mut generators = Generators::new();
        for _ in 0..1000 {
            for _ in 0..128 {
                state = (state >> 1) | (((state ^ (state >> 5)) & 1) << 22);
            }
            assert_eq!(generators.next16(), state as u16);
        }
    }

    #[test]
    fn generators_are_independent_and_numbered_modulo_their_number() {
        let mut g = Generators::new();
        let first = g.next16();
        g.select(1);
        assert_eq!(g.next16(), first);
        g.seed(7);
        let seeded = g.next16();
        g.select(GENERATORS as u16 + 1);
        g.seed(7);
        assert_eq!(g.next16(), seeded);
        g.seed(8);
        assert_ne!(g.next16(), seeded);
    }

    #[test]
    fn no_seed_stops_the_register() {
        let mut g = Generators::new();
        for seed in (0..2000).chain([u32::MAX, 0xdead_beef]) {
            g.seed(seed);
            let numbers: Vec<u16> = (0..8).map(|_| g.next16()).collect();
            assert!(numbers.iter().any(|n| *n != numbers[0]), "seed {seed}");
        }
    }

    #[test]
    fn two_hundred_points_find_pi_within_a_tenth() {
        // `random_f32` of <random> joins two numbers to 24 bits in this way.
        let mut g = Generators::new();
        let mut uniform = || {
            let high = u32::from(g.next16()) << 8;
            let bits = high | u32::from(g.next16() >> 8);
            bits as f32 / (1 << 24) as f32 * 2.0 - 1.0
        };
        let hits = (0..200).filter(|_| uniform().hypot(uniform()) <= 1.0).count();
        assert!((4.0 * hits as f64 / 200.0 - std::f64::consts::PI).abs() < 0.1);
    }
}
