//! Which schedules are tried, and in which order.
//!
//! A schedule is what is not as usual: each deviation names a decision of a PE. The search begins with the usual run and
//! adds one deviation at a time, so that the first schedule that is found has the fewest. What a run has decided shows
//! which deviations are worth a run of their own:
//!
//! - Tasks and launches that are ready at the same time on a PE may start in another order.
//! - A PE waits with what is ready only if something from outside comes to it later: another wavelet, a launch, the end
//!   of an operation. PEs that do not exchange wavelets are independent, so their orders are not combined. A run in
//!   which PEs wait and nothing comes has no order of its own, and ends there.
//! - Microthreads go first one or the other only if they share a queue or a FIFO.
//!
//! A run that comes to a state in which another run was ends there: what follows was or will be tried from that one.

use crate::{Deviation, PeCoord, SeenDecision};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Schedules that wait for their turn at most.
const MOST_QUEUED: usize = 200_000;

/// How a run ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// At its end.
    Ended,
    /// In a state in which another run was.
    Visited,
    /// PEs waited in vain.
    NoProgress,
}

/// What a run leaves for the search.
pub struct Tried {
    /// What was not as usual.
    pub deviations: Vec<Deviation>,
    /// What was decided.
    pub decisions: Vec<SeenDecision>,
    /// The states after the last deviation, each with the number of decisions by then.
    pub states: Vec<(u64, u64)>,
    /// How it ended.
    pub end: RunEnd,
    /// Whether some decisions are missing.
    pub is_cut: bool,
}

/// How many runs have ended how.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// At their ends.
    pub ended: u64,
    /// In states of others.
    pub met: u64,
    /// Because PEs waited in vain.
    pub in_vain: u64,
}

impl Counts {
    /// All runs.
    pub fn runs(&self) -> u64 {
        self.ended + self.met + self.in_vain
    }
}

/// The search.
#[derive(Default)]
pub struct Search {
    /// Schedules to be tried, by the number of deviations and then as they were found.
    queue: BTreeMap<(usize, u64), Vec<Deviation>>,
    found: u64,
    known: FxHashSet<Vec<Deviation>>,
    /// States that runs have met.
    pub met: Arc<FxHashSet<u64>>,
    /// Runs that ended in states of others: what comes later is what came to those.
    merged: Vec<Tried>,
    /// Where something came from, on each PE, in any run.
    ever: FxHashMap<PeCoord, u64>,
    /// What was done.
    pub counts: Counts,
    /// Something was left out.
    is_cut: bool,
    /// Schedules that were to be tried next were not.
    is_stopped: bool,
}

impl Search {
    /// The next schedules, those with the fewest deviations first; none if all were tried.
    pub fn next(&mut self, most: usize) -> Vec<Vec<Deviation>> {
        if self.queue.is_empty() {
            self.look_at_merged_again();
        }
        let next = std::iter::from_fn(|| self.queue.pop_first());
        next.take(most).map(|(_, deviations)| deviations).collect()
    }

    /// Whether all schedules were tried.
    pub fn is_complete(&mut self) -> bool {
        if self.queue.is_empty() {
            self.look_at_merged_again();
        }
        self.queue.is_empty() && !self.is_cut && !self.is_stopped
    }

    /// Not all schedules that [`Search::next`] has given were tried.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// All schedules with this many deviations were tried, as far as they are known; `None` if not even those with one.
    pub fn depth(&self) -> Option<usize> {
        let ((fewest, _), _) = self.queue.first_key_value().filter(|_| !self.is_stopped)?;
        fewest.checked_sub(1).filter(|depth| *depth > 0)
    }

    /// Learns from a run. Runs are taken in the order of [`Search::next`], so that nothing depends on threads.
    pub fn take(&mut self, mut tried: Tried) {
        self.is_cut |= tried.is_cut;
        let met = Arc::make_mut(&mut self.met);
        // A run before it in the same batch may have met a state that was not known when it began.
        let meets = tried.states.iter().position(|(state, _)| met.contains(state));
        if let Some(at) = meets {
            tried.decisions.truncate(tried.states[at].1 as usize);
            tried.end = RunEnd::Visited;
        }
        met.extend(tried.states.iter().take(meets.unwrap_or(usize::MAX)).map(|(state, _)| *state));
        match tried.end {
            RunEnd::Ended => self.counts.ended += 1,
            RunEnd::Visited => self.counts.met += 1,
            RunEnd::NoProgress => self.counts.in_vain += 1,
        }
        for seen in &tried.decisions {
            *self.ever.entry(seen.pe).or_default() |= seen.decision.came();
        }
        self.expand(&tried);
        if tried.end == RunEnd::Visited {
            tried.states.clear();
            self.merged.push(tried);
        }
    }

    /// More may have come to a PE than was known when a run ended in a state of another.
    fn look_at_merged_again(&mut self) {
        let merged = std::mem::take(&mut self.merged);
        merged.iter().for_each(|tried| self.expand(tried));
        self.merged = merged;
    }

    /// Adds the schedules with another decision than those of a run.
    fn expand(&mut self, tried: &Tried) {
        let later = self.later(tried);
        let is_deviation = |seen: &SeenDecision| {
            tried.deviations.iter().find(|d| (d.pe, d.number) == (seen.pe, seen.number)).copied()
        };
        let last = tried.decisions.iter().rposition(|seen| is_deviation(seen).is_some());
        let mut before: Vec<Deviation> = Vec::new();
        for (k, seen) in tried.decisions.iter().enumerate() {
            let own = is_deviation(seen);
            let mut add = |alternative| {
                let new = Deviation { pe: seen.pe, number: seen.number, alternative };
                let deviations = before.iter().copied().chain([new]).collect();
                self.enqueue(deviations);
            };
            // The others before the last deviation come from runs without it.
            if last.is_none_or(|last| k > last) {
                (1..seen.decision.candidates.len()).for_each(|n| add(Some(n as u8)));
            }
            if seen.decision.taken.is_some() && seen.decision.is_overtaken_by(later[k]) {
                add(None);
            }
            before.extend(own);
        }
    }

    /// For each decision of a run, where something comes from to its PE afterwards.
    fn later(&self, tried: &Tried) -> Vec<u64> {
        let mut comes: FxHashMap<PeCoord, u64> = match tried.end {
            RunEnd::Visited => self.ever.clone(),
            RunEnd::Ended | RunEnd::NoProgress => FxHashMap::default(),
        };
        let mut later: Vec<u64> = Vec::new();
        for seen in tried.decisions.iter().rev() {
            let comes = comes.entry(seen.pe).or_default();
            later.push(*comes);
            *comes |= seen.decision.came();
        }
        later.reverse();
        later
    }

    fn enqueue(&mut self, deviations: Vec<Deviation>) {
        if self.known.contains(&deviations) {
            return;
        }
        if self.queue.len() >= MOST_QUEUED {
            self.is_cut = true;
            return;
        }
        self.found += 1;
        self.known.insert(deviations.clone());
        self.queue.insert((deviations.len(), self.found), deviations);
    }
}
