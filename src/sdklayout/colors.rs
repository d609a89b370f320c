//! Chooses a number for each class of colors, different ones for classes that meet on a PE.

use crate::arch::Arch;
use rustc_hash::FxHashSet;

/// Numbers in the order of assignment. First come those that are rarely ids of local tasks, because on WSE-2
/// a color number is also the id of a data task; then the others from the top.
fn preference(arch: &Arch) -> Vec<u8> {
    let low = arch.routable_colors.min(8);
    (0..low).chain((low..arch.routable_colors).rev()).collect()
}

/// Maximum number of attempts of the search; real layouts need far fewer.
const ATTEMPTS: u32 = 100_000;

/// The constraints on the numbers.
pub struct Problem<'p> {
    /// The machine.
    pub arch: &'p Arch,
    /// Numbers that the program requests.
    pub values: &'p [Option<u8>],
    /// Classes that have switch positions, for which some machines have fewer numbers.
    pub switched: &'p [bool],
    /// Pairs of classes that meet.
    pub meetings: &'p FxHashSet<(usize, usize)>,
}

impl Problem<'_> {
    /// Returns the numbers, or the class for which none is left.
    pub fn solve(&self) -> Result<Vec<u8>, usize> {
        let mut meets = vec![Vec::new(); self.values.len()];
        for (a, b) in self.meetings {
            meets[*a].push(*b);
            meets[*b].push(*a);
        }
        let mut search =
            Search { problem: self, meets, numbers: self.values.to_vec(), attempts: 0, stuck: 0 };
        match search.number_the_rest() {
            true => Ok(search.numbers.into_iter().map(|n| n.expect("all have a number")).collect()),
            false => Err(search.stuck),
        }
    }

    /// Whether a class may have a number.
    pub fn allows(&self, class: usize, number: u8) -> bool {
        !self.switched[class] || self.arch.switch_colors & 1 << number != 0
    }
}

struct Search<'s> {
    problem: &'s Problem<'s>,
    meets: Vec<Vec<usize>>,
    numbers: Vec<Option<u8>>,
    attempts: u32,
    /// The class at which the search last backtracked.
    stuck: usize,
}

impl Search<'_> {
    fn left(&self, class: usize) -> Vec<u8> {
        let used: u32 =
            self.meets[class].iter().filter_map(|m| self.numbers[*m]).fold(0, |all, n| all | 1 << n);
        let all = preference(self.problem.arch);
        all.into_iter().filter(|n| used & 1 << n == 0 && self.problem.allows(class, *n)).collect()
    }

    /// The next class to assign: the one with the fewest numbers left, or the first of several.
    fn number_the_rest(&mut self) -> bool {
        let open = (0..self.numbers.len()).filter(|class| self.numbers[*class].is_none());
        let choices = open.map(|class| (class, self.left(class)));
        let Some((class, left)) = choices.min_by_key(|(class, left)| (left.len(), *class)) else {
            return true;
        };
        for number in left {
            self.attempts += 1;
            self.numbers[class] = Some(number);
            if self.number_the_rest() {
                return true;
            }
            if self.attempts > ATTEMPTS {
                return false;
            }
        }
        self.numbers[class] = None;
        self.stuck = class;
        false
    }
}
