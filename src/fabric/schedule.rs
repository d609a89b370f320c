//! Which routers are visited in which cycle.

use super::buffer::Flit;
use super::grid::Grid;
use super::router::Router;
use super::timing_wheel::{ROWS, TimingWheel};
use crate::arch::Color;
use crate::bitmap_sorter::BitmapSorter;
use crate::state_hash::StateHash;

/// The routers to visit, and the arrivals at both ends of the ramps in the coming cycles.
#[derive(Clone)]
pub struct Schedule {
    /// Routers that may have something to do; each is listed once.
    awake: Vec<u32>,
    /// An empty list: that of the last cycle, kept for its memory.
    visited: Vec<u32>,
    order: BitmapSorter,
    /// Routers at which a wavelet reaches the end of the onramp, by cycle.
    onramp_arrivals: TimingWheel,
    /// Routers at which a wavelet reaches the end of the offramp, by cycle.
    offramp_arrivals: TimingWheel,
    /// Routers whose PE may take wavelets again in the next cycle.
    retries: Vec<u32>,
    /// Empty lists, kept for their memory.
    delivering: Vec<u32>,
    piece: Vec<u32>,
    /// The cycle of the next step.
    next: u64,
    /// Whether routers are visited in ascending order, because their state does not fit into the caches.
    in_order: bool,
}

impl Schedule {
    /// No router has anything to do.
    pub fn new(routers: usize) -> Schedule {
        Schedule {
            awake: Vec::new(),
            visited: Vec::new(),
            order: BitmapSorter::new(routers),
            onramp_arrivals: TimingWheel::new(),
            offramp_arrivals: TimingWheel::new(),
            retries: Vec::new(),
            delivering: Vec::new(),
            piece: Vec::new(),
            next: 0,
            in_order: false,
        }
    }

    /// Whether routers are visited in order.
    #[inline]
    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// Sets whether routers are visited in ascending order.
    pub fn order(&mut self, in_order: bool) {
        self.in_order = in_order;
    }

    /// Sets the cycle of the next step.
    #[inline]
    pub fn set_next(&mut self, cycle: u64) {
        self.next = cycle;
    }

    /// Whether a router is to be visited in the next cycle.
    #[inline]
    pub fn is_busy(&self) -> bool {
        !(self.awake.is_empty() && self.retries.is_empty())
    }

    /// The first cycle, from this one on, in which a wavelet may arrive at an end of a ramp.
    #[inline]
    pub fn next_arrival(&self, now: u64) -> Option<u64> {
        match (self.onramp_arrivals.next(now), self.offramp_arrivals.next(now)) {
            (Some(up), Some(down)) => Some(up.min(down)),
            (up, down) => up.or(down),
        }
    }

    /// How many routers are known to be awake.
    #[inline]
    pub fn awake(&self) -> usize {
        self.awake.len()
    }

    /// Adds a router to the list of awake routers, unless it is there.
    #[inline]
    pub fn list(&mut self, pe: usize, router: &mut Router) {
        if router.awaken() {
            self.awake.push(pe as u32);
        }
    }

    /// Wakes a router because wavelets that were held up there may be able to move.
    #[inline]
    pub fn wake(&mut self, pe: usize, router: &mut Router) {
        router.resume();
        self.list(pe, router);
    }

    /// There is room on the ramp to a PE for what waits at its router.
    #[inline]
    pub fn offramp_has_room(&mut self, pe: usize, router: &mut Router) {
        router.resume();
        if router.ready() != 0 {
            self.list(pe, router);
        }
    }

    /// Schedules a visit for the cycle in which the first wavelet on an onramp arrives; true if that is after the
    /// next step.
    #[inline]
    pub fn wake_at(&mut self, pe: usize, arrives: u64, router: &mut Router) -> bool {
        let is_later = arrives > self.next;
        match is_later {
            true => self.onramp_arrivals.add(arrives, pe as u32),
            false => self.list(pe, router),
        }
        is_later
    }

    /// Whether the timing wheel reaches as far as an arrival.
    pub fn reaches(&self, arrives: u64, now: u64) -> bool {
        arrives - now < ROWS
    }

    /// Schedules the delivery of the first wavelet of a color on the offramp.
    #[inline]
    pub fn schedule_offramp_arrival(&mut self, pe: usize, color: Color, arrives: u64, router: &mut Router) {
        if arrives > self.next {
            self.offramp_arrivals.add(arrives, pe as u32);
            router.mark_offramp_in_flight(color);
        }
    }

    /// Puts a wavelet onto the ramp to the PE.
    #[inline]
    pub fn enter_offramp(&mut self, grid: &mut Grid, id: u32, now: u64, flit: Flit) {
        let ready = now + grid.ramp_latency();
        let lane = grid.lane_mut(id);
        if lane.put_on_offramp(ready, flit) {
            let (pe, color) = (lane.pe(), lane.color());
            let router = grid.router_mut(pe);
            router.enter_offramp(color);
            self.schedule_offramp_arrival(pe, color, ready, router);
        }
    }

    /// Puts a wavelet onto the ramp from the PE, which has room.
    #[inline(always)]
    pub fn enter_onramp(&mut self, grid: &mut Grid, (pe, id): (usize, u32), flit: Flit, now: u64) {
        let arrives = now + grid.ramp_latency();
        let (router, lane) = grid.parts(pe, id);
        let is_alone = lane.is_empty() && !lane.injects();
        let is_first = lane.put_on_onramp(arrives, flit);
        router.expect(lane.color());
        if is_first && self.wake_at(pe, arrives, router) && is_alone {
            router.mark_onramp_in_flight(lane.color());
        }
    }

    /// Adds the routers to be visited to the hash of a state.
    pub fn add_state(&self, state: &mut StateHash) {
        let mut awake = self.awake.clone();
        awake.sort_unstable();
        state.add_debug(&(awake, &self.retries));
        self.onramp_arrivals.add_state(state);
        self.offramp_arrivals.add_state(state);
    }

    /// A PE may take wavelets again from its router in the next cycle.
    #[inline]
    pub fn retry(&mut self, pe: usize) {
        self.retries.push(pe as u32);
    }

    /// Whether no router has a wavelet to deliver in a cycle.
    #[inline]
    pub fn delivers_nothing(&self, now: u64) -> bool {
        self.retries.is_empty() && self.offramp_arrivals.next(now) != Some(now)
    }

    /// Takes the routers that may have a wavelet to deliver in a cycle.
    pub fn take_delivering(&mut self, now: u64) -> Vec<u32> {
        let mut delivering = std::mem::take(&mut self.delivering);
        delivering.append(&mut self.retries);
        self.offramp_arrivals.take_due(now, |pe| delivering.push(pe));
        if self.in_order {
            self.order.sort(&mut delivering);
        }
        delivering
    }

    /// Takes the list back, to reuse its memory. The last `left` routers in it have delivered nothing, and are
    /// visited again.
    pub fn recycle_delivering(&mut self, mut delivering: Vec<u32>, left: usize) {
        self.retries.extend(&delivering[delivering.len() - left..]);
        delivering.clear();
        self.delivering = delivering;
    }

    /// Takes the awake routers, and those at which a wavelet reaches the end of the onramp in this cycle.
    pub fn take_awake(&mut self, grid: &mut Grid, now: u64) -> Vec<u32> {
        let awake = &mut self.awake;
        self.onramp_arrivals.take_due(now, |pe| {
            let router = grid.router_mut(pe as usize);
            router.onramp_arrived();
            if router.ready() != 0 && router.awaken() {
                awake.push(pe);
            }
        });
        // Both lists keep their memory.
        let mut visited = std::mem::replace(&mut self.awake, std::mem::take(&mut self.visited));
        if self.in_order {
            self.order.sort(&mut visited);
        }
        visited
    }

    /// Takes the list back, to reuse its memory.
    pub fn recycle_awake(&mut self, mut visited: Vec<u32>) {
        visited.clear();
        self.visited = visited;
    }

    /// Merges these routers with those that are awake beyond the first `others`, in ascending order.
    pub fn take_piece(&mut self, visited: &[u32], others: usize) -> Vec<u32> {
        let mut piece = std::mem::take(&mut self.piece);
        piece.extend(self.awake.drain(others..));
        piece.extend(visited);
        piece.sort_unstable();
        piece
    }

    /// Takes the list back, to reuse its memory.
    pub fn recycle_piece(&mut self, mut piece: Vec<u32>) {
        piece.clear();
        self.piece = piece;
    }

    /// Reverses the order of visits, which must have no visible effect.
    #[cfg(test)]
    pub fn reverse(&mut self) {
        self.awake.reverse();
    }
}
