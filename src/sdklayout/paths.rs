//! Finds a path for every net, from router to router.
//!
//! A path avoids PEs where its color already has another meaning. It goes around code regions, and through
//! one only if there is no other way. Paths of one class of colors must not meet. The search is rip-up and
//! reroute: a path can take a PE from another path, at a cost that rises each time, and the other net is then
//! routed again.

use super::classes::Classes;
use super::describe::Layout;
use super::floorplan::Floorplan;
use super::grid::{PeNumber, SIDES, WaferSize};
use super::nets::{Net, NetEnd};
use crate::arch::{Color, Direction};
use crate::image::routes::Directions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// Cost of a hop.
const HOP: u32 = 10;
/// Additional cost of a hop onto a PE of a code region.
const THROUGH: u32 = 100 * HOP;
/// Cost of leaving or entering a port on another side than its own.
const ASIDE: u32 = HOP / 2;
/// Average number of attempts per net before the search gives up.
const ATTEMPTS: usize = 200;
/// PEs that the search may look at while it routes nets again, before it gives up: some seconds on a whole wafer.
const LOOKS: usize = 8_000_000;
/// Cost of taking a PE from another path, which must then be routed again.
const TAKEN_COST: u32 = 4 * HOP;
/// Increase of that cost each time that this happens on one PE.
const CONFLICT_COST: u32 = 2 * HOP;
/// Width of the free border around everything placed that paths may use at first, in addition to one PE for
/// each PE of the longest port.
const MARGIN: u16 = 8;

/// The state of the wafer during the search for paths.
pub struct RoutingState<'g> {
    layout: &'g Layout,
    floorplan: &'g Floorplan,
    classes: &'g Classes,
    /// Pairs of a PE and a class that is in use there, or that a route leads there.
    known: FxHashSet<(PeNumber, u32)>,
    /// How many classes are in use on a PE.
    congestion: FxHashMap<PeNumber, u32>,
    /// PEs without code that are in use.
    pub taken: FxHashSet<PeNumber>,
    /// The last column and row that paths may use.
    window: (u16, u16),
}

/// Which net uses which PE, by class.
#[derive(Default)]
struct Traffic {
    users: FxHashMap<(PeNumber, u32), usize>,
    /// How often a net has taken each PE from another.
    conflicts: FxHashMap<(PeNumber, u32), u32>,
}

/// The target of a search.
pub enum Goal<'g> {
    /// At an end of a net.
    End(&'g NetEnd),
    /// On the first PE that passes, of which no hop is farther than its column.
    Western(&'g dyn Fn(PeNumber) -> bool),
    /// On the first PE that passes.
    Any(&'g dyn Fn(PeNumber) -> bool),
}

impl<'g> RoutingState<'g> {
    /// The initial state, with the settings of the program.
    pub fn new(layout: &'g Layout, floorplan: &'g Floorplan, classes: &'g Classes) -> RoutingState<'g> {
        let (known, congestion, taken) = Default::default();
        let mut state = RoutingState { layout, floorplan, classes, known, congestion, taken, window: (0, 0) };
        for (pe, color) in floorplan.color_params.iter().chain(floorplan.drafts.keys()) {
            state.note(*pe, classes.of[*color as usize]);
        }
        for ((pe, color), draft) in &floorplan.drafts {
            let sent = draft.outputs();
            let next = SIDES.into_iter().filter(|d| sent.contains(*d));
            for next in next.filter_map(|side| floorplan.grid.neighbour(*pe, side)) {
                state.note(next, classes.of[*color as usize]);
            }
        }
        let areas = layout.regions.iter().map(|r| (r.area.x + r.area.w, r.area.y + r.area.h));
        let io = layout.streams.iter().filter_map(|s| s.io_loc).map(|at| (at.x + 1, at.y + 1));
        let (right, bottom) = areas.chain(io).fold((0, 0), |(x, y), (a, b)| (x.max(a), y.max(b)));
        let widths =
            layout.regions.iter().flat_map(|r| r.ports.iter().map(|p| p.edge.of(r.area.w, r.area.h)));
        let margin = widths.map(|area| area.w.max(area.h)).max().unwrap_or(0).saturating_add(MARGIN);
        state.window = (right.saturating_add(margin), bottom.saturating_add(margin));
        state
    }

    /// The grid.
    pub fn grid(&self) -> WaferSize {
        self.floorplan.grid
    }

    /// Paths may use the whole wafer. False if they could already.
    pub fn widen(&mut self) -> bool {
        let all = (u16::MAX, u16::MAX);
        std::mem::replace(&mut self.window, all) != all
    }

    /// Marks a class as in use on a PE.
    pub fn note(&mut self, pe: PeNumber, class: usize) {
        if self.known.insert((pe, class as u32)) {
            *self.congestion.entry(pe).or_default() += 1;
        }
    }

    /// Whether a PE has no code, and no host stream or relay occupies it.
    pub fn is_free(&self, pe: PeNumber) -> bool {
        self.floorplan.owner(pe).is_none() && !self.taken.contains(&pe)
    }

    /// Whether a class is in use on a PE.
    pub fn knows(&self, pe: PeNumber, class: usize) -> bool {
        self.known.contains(&(pe, class as u32))
    }

    /// Pairs of classes that meet on a PE, without the pairs that do not matter.
    pub fn meetings(&self, matters_not: impl Fn(usize, usize) -> bool) -> FxHashSet<(usize, usize)> {
        let mut sorted: Vec<(PeNumber, u32)> = self.known.iter().copied().collect();
        sorted.sort_unstable();
        let mut pairs = FxHashSet::default();
        for here in sorted.chunk_by(|a, b| a.0 == b.0) {
            for (n, (_, a)) in here.iter().enumerate() {
                let others = here[n + 1..].iter().map(|(_, b)| (*a as usize, *b as usize));
                pairs.extend(others.filter(|(a, b)| !matters_not(*a, *b)));
            }
        }
        pairs
    }

    /// The PE on which a class meets most others, and all classes there.
    pub fn most_congested(&self, class: usize) -> (PeNumber, Vec<u32>) {
        let pes = self.known.iter().filter(|(_, c)| *c as usize == class).map(|(pe, _)| *pe);
        let pe = pes.max_by_key(|pe| (self.congestion.get(pe).copied(), std::cmp::Reverse(*pe))).unwrap_or(0);
        let mut all: Vec<u32> = self.known.iter().filter(|(at, _)| *at == pe).map(|(_, c)| *c).collect();
        all.sort_unstable();
        (pe, all)
    }

    /// The cost of a hop onto a PE; `None` if it is not allowed.
    fn hop_cost(&self, pe: PeNumber, class: usize, traffic: &Traffic) -> Option<u32> {
        let congestion = self.congestion.get(&pe).copied().unwrap_or(0);
        if self.knows(pe, class) || congestion >= Color::COUNT.into() {
            return None;
        }
        let base = HOP + congestion + if self.floorplan.owner(pe).is_some() { THROUGH } else { 0 };
        let key = (pe, class as u32);
        let conflicts = traffic.conflicts.get(&key).copied().unwrap_or(0);
        let used = if traffic.users.contains_key(&key) { TAKEN_COST + conflicts * CONFLICT_COST } else { 0 };
        Some(base + used)
    }

    /// The cheapest path from an end; backwards if that is where wavelets go.
    pub fn path(&self, start: &NetEnd, class: usize, goal: &Goal<'_>) -> Option<Vec<PeNumber>> {
        self.search(start, class, goal, &Traffic::default(), &mut 0)
    }

    fn search(
        &self,
        start: &NetEnd,
        class: usize,
        goal: &Goal<'_>,
        traffic: &Traffic,
        looks: &mut usize,
    ) -> Option<Vec<PeNumber>> {
        let grid = self.grid();
        let (closed, expected) = (start.closed(self.floorplan), start.expected(self.layout));
        let arrival: Option<(PeNumber, Directions)> = match goal {
            Goal::End(end) => Some((end.pe, end.closed(self.floorplan))),
            Goal::Western(_) | Goal::Any(_) => None,
        };
        let ahead = |pe: PeNumber| match goal {
            Goal::End(end) => grid.distance(pe, end.pe) * HOP,
            Goal::Western(_) => u32::from(grid.at(pe).x) * HOP,
            Goal::Any(_) => 0,
        };
        let mut best: FxHashMap<PeNumber, (u32, PeNumber)> = FxHashMap::default();
        let mut open = BinaryHeap::from([Reverse((ahead(start.pe), 0, start.pe))]);
        best.insert(start.pe, (0, start.pe));
        while let Some(Reverse((_, cost, pe))) = open.pop() {
            if best[&pe].0 < cost {
                continue;
            }
            *looks += 1;
            if pe != start.pe && self.is_goal(pe, goal) {
                return Some(trace_back(&best, pe, start.pe));
            }
            if arrival.is_some_and(|(end, _)| end == pe) {
                continue;
            }
            for side in SIDES.into_iter().filter(|side| pe != start.pe || !closed.contains(*side)) {
                let Some(next) = grid.neighbour(pe, side).filter(|next| self.is_in_window(*next)) else {
                    continue;
                };
                let hop_cost = match arrival {
                    Some((end, closed)) if end == next => {
                        (!closed.contains(side.opposite())).then(|| self.aside(goal, side.opposite()))
                    }
                    _ => self.hop_cost(next, class, traffic),
                };
                let Some(hop_cost) = hop_cost else { continue };
                let leaves_aside = pe == start.pe && expected.is_some_and(|expected| expected != side);
                let total = cost + hop_cost + if leaves_aside { ASIDE } else { 0 };
                if best.get(&next).is_none_or(|(known, _)| total < *known) {
                    best.insert(next, (total, pe));
                    open.push(Reverse((total + ahead(next), total, next)));
                }
            }
        }
        None
    }

    fn aside(&self, goal: &Goal<'_>, side: Direction) -> u32 {
        let Goal::End(end) = goal else { return HOP };
        let is_aside = end.expected(self.layout).is_some_and(|expected| expected != side);
        HOP + if is_aside { ASIDE } else { 0 }
    }

    fn is_goal(&self, pe: PeNumber, goal: &Goal<'_>) -> bool {
        match goal {
            Goal::End(end) => end.pe == pe,
            Goal::Western(passes) | Goal::Any(passes) => passes(pe),
        }
    }

    fn is_in_window(&self, pe: PeNumber) -> bool {
        let at = self.grid().at(pe);
        at.x <= self.window.0 && at.y <= self.window.1
    }

    /// Returns a path for each net, from its first PE to its last, or the number of a net without a path.
    pub fn route(&self, nets: &[Net]) -> Result<Vec<Vec<PeNumber>>, usize> {
        let ends = |n: usize| {
            let net = &nets[n];
            (net.from.expect("places are known"), net.to.expect("places are known"))
        };
        let mut order: Vec<usize> = (0..nets.len()).collect();
        order.sort_by_key(|n| (self.grid().distance(ends(*n).0.pe, ends(*n).1.pe), *n));
        let mut open = VecDeque::from(order);
        let mut paths: Vec<Vec<PeNumber>> = vec![Vec::new(); nets.len()];
        let mut traffic = Traffic::default();
        let mut looks = 0;
        for attempt in 0..nets.len() * ATTEMPTS {
            let Some(n) = open.pop_front() else { return Ok(paths) };
            if attempt == nets.len() {
                looks = 0;
            } else if attempt > nets.len() && looks > LOOKS {
                return Err(n);
            }
            let (from, to) = ends(n);
            let class = self.classes.of[from.color as usize];
            let path = self.search(&from, class, &Goal::End(&to), &traffic, &mut looks).ok_or(n)?;
            for other in traffic.take(n, &path, class) {
                traffic.give_back(&paths[other], class);
                traffic.put(n, &path, class);
                open.push_back(other);
            }
            paths[n] = path;
        }
        match open.pop_front() {
            Some(n) => Err(n),
            None => Ok(paths),
        }
    }
}

impl Traffic {
    /// Assigns the PEs of a path to a net; returns the nets that have lost theirs.
    fn take(&mut self, net: usize, path: &[PeNumber], class: usize) -> BTreeSet<usize> {
        let mut losers = BTreeSet::new();
        for pe in between(path) {
            let key = (*pe, class as u32);
            if let Some(other) = self.users.insert(key, net) {
                *self.conflicts.entry(key).or_default() += 1;
                losers.insert(other);
            }
        }
        losers
    }

    fn put(&mut self, net: usize, path: &[PeNumber], class: usize) {
        self.users.extend(between(path).iter().map(|pe| ((*pe, class as u32), net)));
    }

    fn give_back(&mut self, path: &[PeNumber], class: usize) {
        for pe in between(path) {
            self.users.remove(&(*pe, class as u32));
        }
    }
}

/// The PEs of a path without its ends.
pub fn between(path: &[PeNumber]) -> &[PeNumber] {
    path.get(1..path.len().saturating_sub(1)).unwrap_or_default()
}

fn trace_back(best: &FxHashMap<PeNumber, (u32, PeNumber)>, end: PeNumber, start: PeNumber) -> Vec<PeNumber> {
    let mut path = vec![end];
    while let Some(last) = path.last().copied().filter(|last| *last != start) {
        path.push(best[&last].1);
    }
    path.reverse();
    path
}
