//! What waits on PEs, equal waits folded. On a large wafer there are millions of them and few groups, and
//! whoever has stopped the run wants to know soon.

use super::pe_array::PeArray;
use super::worker_pool::WorkerPool;
use crate::image::Program;
use crate::pe::{Pe, Wait, Waiter, WaitsFor};
use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// Equal waits on PEs with equal code, whatever the cycle in which they began.
#[derive(Clone)]
pub(super) struct WaitGroup<'a> {
    tile: u32,
    /// That of the first PE.
    pub wait: Wait<'a>,
    /// The first PE.
    pub pe: usize,
    /// How many have it.
    pub count: u64,
}

impl<'a> WaitGroup<'a> {
    /// The same group, with another of its PEs and its wait in front.
    pub fn led_by(&self, pe: usize, since: u64) -> WaitGroup<'a> {
        WaitGroup { pe, wait: Wait { since, ..self.wait.clone() }, ..self.clone() }
    }

    /// Whether a wait on a PE of this tile is one of them.
    pub fn holds(&self, tile: u32, wait: &Wait<'_>) -> bool {
        self.tile == tile && self.wait == Wait { since: self.wait.since, ..wait.clone() }
    }
}

/// Collects the waits of a wafer in which nothing moves.
#[derive(Copy, Clone)]
pub(super) struct Waits<'w> {
    program: &'w Program,
    pe_array: &'w PeArray,
    /// The threads that search.
    pool: &'w WorkerPool,
}

impl<'w> Waits<'w> {
    /// For the waits of these PEs.
    pub fn new(pe_array: &'w PeArray, pool: &'w WorkerPool) -> Waits<'w> {
        Waits { program: pe_array.program(), pe_array, pool }
    }

    /// Operations that have begun and cannot end; endless operations do not count.
    pub fn unfinished(&self) -> Vec<WaitGroup<'w>> {
        let Waits { program, pe_array, .. } = *self;
        let pes = program.place.len();
        if self.pool.threads_for(pes) < 2 {
            return Folding::of_unfinished(program, pe_array, 0..pes).groups();
        }
        let share = pes.div_ceil(self.pool.size());
        let shares = (0..pes).step_by(share).map(|first| first..pes.min(first + share)).collect();
        let folded = self.pool.share(shares, |pes| Folding::of_unfinished(program, pe_array, pes));
        folded.into_iter().reduce(Folding::then).map_or(Vec::new(), Folding::groups)
    }

    /// Whether a PE has a wait of a group.
    pub fn is_in(&self, pe: usize, group: &WaitGroup<'_>) -> bool {
        let waits = self.pe_array.get(pe).map_or(Vec::new(), Pe::waits);
        waits.iter().any(|wait| group.holds(self.program.place[pe], wait))
    }

    /// Tasks that are active but blocked.
    pub fn held_tasks(&self) -> Vec<WaitGroup<'w>> {
        let mut folding = Folding::default();
        for (index, _, pe) in self.pe_array.made() {
            let is_held = |w: &Wait<'_>| matches!(w.who, Waiter::Task(_)) && w.on == WaitsFor::Unblock;
            let (tile, held) = (self.program.place[index], pe.waits().into_iter().filter(is_held));
            held.for_each(|wait| folding.add(WaitGroup { tile, wait, pe: index, count: 1 }));
        }
        folding.groups()
    }
}

/// The groups of some waits, in the order of their first PEs.
#[derive(Default)]
struct Folding<'a>(IndexMap<(u32, Wait<'a>), WaitGroup<'a>, FxBuildHasher>);

impl<'a> Folding<'a> {
    /// Groups the unfinished operations of these PEs.
    fn of_unfinished(program: &Program, pe_array: &'a PeArray, pes: Range<usize>) -> Folding<'a> {
        let mut folding = Folding::default();
        for pe in pes {
            let waits = pe_array.get(pe).into_iter().flat_map(unfinished_on);
            waits.for_each(|wait| folding.add(WaitGroup { tile: program.place[pe], wait, pe, count: 1 }));
        }
        folding
    }

    fn add(&mut self, group: WaitGroup<'a>) {
        match self.0.entry((group.tile, Wait { since: 0, ..group.wait.clone() })) {
            Entry::Occupied(mut known) => known.get_mut().count += group.count,
            Entry::Vacant(place) => drop(place.insert(group)),
        }
    }

    /// Appends the groups of PEs with higher numbers.
    fn then(mut self, later: Folding<'a>) -> Folding<'a> {
        later.0.into_values().for_each(|group| self.add(group));
        self
    }

    fn groups(self) -> Vec<WaitGroup<'a>> {
        self.0.into_values().collect()
    }
}

/// Operations on a PE that have begun and cannot end; endless operations do not count.
pub(super) fn unfinished_on(pe: &Pe) -> impl Iterator<Item = Wait<'_>> {
    pe.operations().filter(|wait| wait.who == Waiter::MainThread || wait.progress.is_some())
}
