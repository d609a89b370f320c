//! Finds runs that repeat themselves and never end (livelock).
//!
//! If the wafer is in the same state twice, it will be in it again and again. From time to time the state is hashed,
//! without the clock, and compared with the hash at an earlier time, which is renewed at the powers of two (Brent): a
//! state that repeats is met sooner or later, whatever the length of its cycle. The looks are so rare that they cost
//! less than 1 % of the run. Between looks, the pattern of the last 64 steps (how many PEs ran in each) is compared with
//! that of the saved state, and there is one more look where it is the same: the looks themselves would meet the state
//! only when their distance happens to be a multiple of its cycle. When one has met a state again, the PEs go on in step with the clock, and the
//! shortest length is found among the divisors of the one that is known.
//!
//! A program whose state holds the time, such as a time stamp that it has read, is never found to repeat; nor is one
//! that prints, or that runs with a seed.

use super::bands::Bands;
use super::pe_array::PeArray;
use crate::arch::PeCoord;
use crate::source::Span;
use crate::state_hash::StateHash;
use std::collections::BTreeMap;

/// Visits of PEs before the first look, and at least between two. Short runs are not looked at.
const FEWEST: u64 = 1 << 12;
/// No look comes before this cycle: how many visits it takes to come here depends on the engine, and a limit of cycles that is
/// lower ends the run alike with each.
const FIRST_CYCLE: u64 = 1 << 17;
/// Visits between two looks for each word of 64 bits that a look hashes: in this time the simulator does hundreds of times
/// the work.
const VISITS_PER_WORD: u64 = 64;
/// Visits before the first look for each of these words.
const FIRST_VISITS_PER_WORD: u64 = 4;
/// A PE that runs ahead does in one visit what takes so many cycles, or more of them.
const CYCLES_PER_VISIT: u64 = 16;
/// How many extra looks the activity pattern may trigger for a saved state, at least.
const FEWEST_MATCHES: u64 = 4;
/// Looks so far for which the pattern may trigger one more.
const LOOKS_PER_MATCH: u64 = 4;
/// After this many cycles in step with the clock, no effect of running ahead is left.
const MOST_SETTLING: u64 = 1 << 20;
/// PEs whose tasks are listed in the report.
const MOST_PES: usize = 64;

/// Tasks that run in the part that repeats, by PE and declaration.
type Repeated = BTreeMap<(usize, Span), PeCoord>;

/// The phase of the search.
#[derive(Clone, Debug, Default)]
enum Phase {
    /// Looks from time to time.
    #[default]
    Searching,
    /// A state was met again after so many cycles; waits until all PEs are in step with the clock.
    Settling { cycles: u64, until: u64 },
    /// Compares with the state of the cycle `since` after each of these numbers of cycles.
    Measuring { since: u64, hash: u64, divisors: Vec<u64> },
    /// Does not look any more.
    Off,
}

/// How many PEs ran in each of the last 64 steps, and the cycles between these, as one number.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Pattern(u64);

impl Pattern {
    /// Adds a step. Older ones are shifted out.
    fn add(&mut self, cycles: u64, ran: usize) {
        let step = (cycles << 32 ^ ran as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = (self.0 << 1).wrapping_add(step ^ step >> 32);
    }
}

/// The search.
#[derive(Clone, Debug, Default)]
pub(super) struct Repetition {
    phase: Phase,
    visits: u64,
    /// The cycle of the last step.
    now: u64,
    next_look: u64,
    looks: u64,
    /// What happened in the last steps.
    pattern: Pattern,
    /// The hash of an earlier look, its cycle, and the pattern before it.
    saved: Option<(u64, u64, Pattern)>,
    /// How many more looks the pattern may trigger.
    matches_left: u64,
    tasks: Repeated,
}

/// The part of a run that repeats forever.
#[derive(Clone, Debug, PartialEq)]
pub struct Livelock {
    /// Its length.
    pub cycles: u64,
    /// The declarations of the tasks that run in it, with their PEs.
    pub tasks: Vec<(PeCoord, Span)>,
}

impl Repetition {
    /// Ends the search.
    pub fn turn_off(&mut self) {
        self.phase = Phase::Off;
    }

    /// Forgets what was seen, because something outside of the wafer acts.
    #[inline]
    pub fn forget(&mut self) {
        if self.saved.is_some() {
            (self.saved, self.matches_left) = (None, 0);
            self.tasks.clear();
            if !matches!(self.phase, Phase::Off) {
                self.phase = Phase::Searching;
            }
        }
    }

    /// Notes a step of the wafer, in which `ran` PEs ran; whether it is time to look at the state.
    #[inline]
    pub fn is_due(&mut self, now: u64, ran: usize) -> bool {
        let cycles = now.saturating_sub(self.now);
        self.visits += (ran as u64).max(1) + cycles / CYCLES_PER_VISIT;
        self.now = now;
        self.pattern.add(cycles, ran);
        self.visits > self.next_look && now >= FIRST_CYCLE || self.matches_left > 0 && self.is_as_saved()
    }

    fn is_as_saved(&self) -> bool {
        self.saved.is_some_and(|(.., pattern)| pattern == self.pattern)
    }

    /// Looks at the state before cycle `now`; gives the part of the run that repeats.
    #[cold]
    pub fn look(
        &mut self,
        now: u64,
        written: u64,
        pe_array: &mut PeArray,
        bands: &Bands,
    ) -> Option<Livelock> {
        match &self.phase {
            Phase::Off => (self.next_look, self.matches_left) = (u64::MAX, 0),
            Phase::Searching => self.search(now, written, pe_array, bands),
            Phase::Settling { cycles, until } => {
                if now >= *until {
                    let (hash, divisors) = (hash(now, written, pe_array, bands).finish(), divisors(*cycles));
                    self.phase = Phase::Measuring { since: now, hash, divisors };
                }
            }
            Phase::Measuring { since, hash: first, divisors } => {
                self.tasks.extend(running(pe_array, bands));
                let passed = now - since;
                // The last divisor is the length that is known.
                let is_known = divisors.last().is_none_or(|last| passed >= *last);
                let is_divisor = divisors.binary_search(&passed).is_ok();
                if is_known || is_divisor && hash(now, written, pe_array, bands).finish() == *first {
                    let tasks = std::mem::take(&mut self.tasks);
                    let tasks = tasks.into_iter().map(|((_, span), pe)| (pe, span));
                    let cycles = divisors.last().map_or(passed, |last| passed.min(*last));
                    return Some(Livelock { cycles, tasks: tasks.collect() });
                }
            }
        }
        None
    }

    fn search(&mut self, now: u64, written: u64, pe_array: &mut PeArray, bands: &Bands) {
        let is_regular = self.visits > self.next_look;
        if is_regular {
            let is_first = self.next_look == 0;
            let per_word = if is_first { FIRST_VISITS_PER_WORD } else { VISITS_PER_WORD };
            self.next_look = self.visits + (per_word * amount(pe_array)).max(FEWEST);
            if is_first {
                return;
            }
            self.looks += 1;
        } else {
            self.matches_left -= 1;
        }
        let state = hash(now, written, pe_array, bands).finish();
        match self.saved {
            Some((saved, cycle, _)) if saved == state => {
                let cycles = now - cycle;
                // What was done ahead of the clock is over by then.
                let ahead = pe_array.made().map(|(_, _, pe)| pe.busy_until()).max().unwrap_or(now);
                self.phase = Phase::Settling { cycles, until: ahead.max(now + cycles.min(MOST_SETTLING)) };
                (self.next_look, self.matches_left) = (self.visits, 0);
                pe_array.stop_running_ahead();
            }
            _ if is_regular && self.looks.is_power_of_two() => {
                self.saved = Some((state, now, self.pattern));
                self.matches_left = FEWEST_MATCHES + self.looks / LOOKS_PER_MATCH;
            }
            _ => {}
        }
    }
}

/// The state of everything before cycle `now`; `written` counts what the program has printed.
fn hash(now: u64, written: u64, pe_array: &PeArray, bands: &Bands) -> StateHash {
    wafer_state(now, written, (pe_array, true), bands)
}

/// The hash of the wafer, with or without whose turn it is, as in [`Pe::add_state`](crate::pe::Pe::add_state).
pub(super) fn wafer_state(
    now: u64,
    written: u64,
    (pe_array, has_turns): (&PeArray, bool),
    bands: &Bands,
) -> StateHash {
    let mut state = StateHash::new(now);
    state.add(written);
    for (index, _, pe) in pe_array.made() {
        state.add(index as u64);
        match bands.next_run_of(index) {
            Some(cycle) => state.add_cycle(cycle),
            None => state.add(u64::MAX),
        }
        pe.add_state(&mut state, has_turns);
    }
    bands.iter().for_each(|band| band.fabric.add_state(&mut state));
    state
}

/// How many words of 64 bits a look hashes, about. The number of threads does not change it.
fn amount(pe_array: &PeArray) -> u64 {
    /// The state of a PE and its router without its memory.
    const OTHERS: u64 = 512;
    pe_array.made().map(|(_, _, pe)| OTHERS + pe.memory().words().len() as u64 / 4).sum()
}

/// The tasks of the first PEs that run.
fn running(pe_array: &PeArray, bands: &Bands) -> impl Iterator<Item = ((usize, Span), PeCoord)> {
    let active = pe_array.made().take(MOST_PES).filter(|(index, ..)| bands.runs(*index));
    active.filter_map(|(index, at, pe)| Some(((index, pe.activity()?.span), at)))
}

/// The divisors of a number, ascending.
fn divisors(n: u64) -> Vec<u64> {
    let small: Vec<u64> = (1..).take_while(|d| d * d <= n).filter(|d| n.is_multiple_of(*d)).collect();
    let large = small.iter().rev().map(|d| n / d).filter(|d| d * d > n);
    small.iter().copied().chain(large).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_are_ascending_and_each_there_once() {
        assert_eq!(divisors(1), [1]);
        assert_eq!(divisors(36), [1, 2, 3, 4, 6, 9, 12, 18, 36]);
        assert_eq!(divisors(7), [1, 7]);
    }
}
