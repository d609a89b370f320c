//! Where generators take their choices from: a seed, or a list of choices made before.
//!
//! A list makes shrinking independent of what is generated: smaller choices give simpler programs,
//! because every generator makes 0 its simplest choice.

/// A source of choices, which remembers them.
pub struct Choices {
    source: Source,
    made: Vec<u32>,
}

enum Source {
    Seed(u64),
    List(std::vec::IntoIter<u32>),
}

impl Choices {
    /// Different choices for each seed.
    pub fn from_seed(seed: u64) -> Choices {
        Choices { source: Source::Seed(seed), made: Vec::new() }
    }

    /// These choices, as far as they are possible; 0 after the last.
    pub fn replay(list: &[u32]) -> Choices {
        let list: Vec<u32> = list.into();
        Choices { source: Source::List(list.into_iter()), made: Vec::new() }
    }

    /// The choices made so far.
    pub fn made(self) -> Vec<u32> {
        self.made
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        let choice = match &mut self.source {
            Source::Seed(state) => (split_mix(state) >> 32) as u32 % n,
            Source::List(list) => list.next().unwrap_or(0).min(n - 1),
        };
        self.made.push(choice);
        choice
    }

    /// Any 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.below(1 << 16) | self.below(1 << 16) << 16
    }

    /// A number from `low` to `high`; the simplest is the nearest to 0.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        let simplest = 0.clamp(low, high);
        let mut all: Vec<i32> = (low..=high).collect();
        all.sort_by_key(|n| (n - simplest).abs());
        self.pick(&all)
    }

    /// One of these; the first is the simplest.
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// True once in `n` times; false is simpler.
    pub fn once_in(&mut self, n: u32) -> bool {
        self.below(n) == n - 1
    }
}

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Makes a list of choices simpler as long as `fails` says that it still fails.
pub fn shrink(list: Vec<u32>, mut fails: impl FnMut(&[u32]) -> bool) -> Vec<u32> {
    let mut best = list;
    let mut tries = 2000;
    let mut improved = true;
    while improved {
        improved = false;
        let mut at = 0;
        while at < best.len() {
            for simpler in simpler_at(&best, at) {
                tries -= 1;
                if tries == 0 {
                    return best;
                }
                if fails(&simpler) {
                    best = simpler;
                    improved = true;
                    break;
                }
            }
            at += 1;
        }
    }
    best
}

/// The list with something simpler at this place, the simplest first.
fn simpler_at(list: &[u32], at: usize) -> Vec<Vec<u32>> {
    let with = |choice: u32| {
        let mut other = list.to_vec();
        other[at] = choice;
        other
    };
    let mut without = list.to_vec();
    without.remove(at);
    let choice = list[at];
    let mut smaller = vec![0, choice / 2, choice.saturating_sub(1)];
    smaller.dedup();
    smaller.retain(|other| *other < choice);
    let cut = list[..at].to_vec();
    std::iter::once(cut).chain(smaller.into_iter().map(with)).chain([without]).collect()
}

#[test]
fn shrinking_finds_the_smallest_choices_that_fail() {
    let fails = |list: &[u32]| {
        let mut choices = Choices::replay(list);
        let (a, b) = (choices.below(1000), choices.below(1000));
        a >= 17 && b > a
    };
    assert_eq!(shrink(vec![500, 900, 3, 4], fails), [17, 18]);
}

#[test]
fn a_seed_gives_the_same_choices_again() {
    let list = |seed| {
        let mut choices = Choices::from_seed(seed);
        (0..50).map(|_| choices.below(100)).collect::<Vec<_>>()
    };
    assert_eq!(list(7), list(7));
    assert_ne!(list(7), list(8));
    let mut choices = Choices::replay(&[3, 200]);
    assert_eq!((choices.below(10), choices.below(100), choices.between(-5, 5)), (3, 99, 0));
}
