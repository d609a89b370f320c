//! Which router has something to do in which cycle.

use super::buffer::Flit;
use super::grid::Grid;
use super::router::Router;
use super::timing_wheel::{ROWS, TimingWheel};
use crate::arch::Color;
use crate::order::Order;
use crate::state::StateHash;

/// The routers to visit, and what arrives at either end of the ramps in cycles to come.
#[derive(Clone)]
pub struct Schedule {
    /// Routers that may have something to do; each is listed once.
    awake: Vec<u32>,
    /// Those of the cycle before.
    visited: Vec<u32>,
    order: Order,
    /// Routers at which wavelets arrive later that their PEs have sent.
    climbing: TimingWheel,
    /// Routers whose PEs get wavelets later that are on the way down.
    descending: TimingWheel,
    /// Routers whose PE may take wavelets again in the next cycle.
    retries: Vec<u32>,
    /// These keep the memory of lists.
    giving: Vec<u32>,
    piece: Vec<u32>,
    /// The cycle of the next step.
    next: u64,
    /// Routers are visited in order, because their state lies in no cache.
    in_order: bool,
}

impl Schedule {
    /// No router has anything to do.
    pub fn new(routers: usize) -> Schedule {
        Schedule {
            awake: Vec::new(),
            visited: Vec::new(),
            order: Order::new(routers),
            climbing: TimingWheel::new(),
            descending: TimingWheel::new(),
            retries: Vec::new(),
            giving: Vec::new(),
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

    /// Routers are visited in order, or are not.
    pub fn order(&mut self, in_order: bool) {
        self.in_order = in_order;
    }

    /// A cycle begins, or is over.
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
        match (self.climbing.next(now), self.descending.next(now)) {
            (Some(up), Some(down)) => Some(up.min(down)),
            (up, down) => up.or(down),
        }
    }

    /// How many routers are known to be awake.
    #[inline]
    pub fn awake(&self) -> usize {
        self.awake.len()
    }

    /// Lists a router, if it is not.
    #[inline]
    pub fn list(&mut self, pe: usize, router: &mut Router) {
        if router.awaken() {
            self.awake.push(pe as u32);
        }
    }

    /// Something has changed around a router that may let wavelets go that were held up.
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

    /// The first wavelet of those that a PE has sent arrives at its router in some cycle; true if that is
    /// later.
    #[inline]
    pub fn wake_at(&mut self, pe: usize, arrives: u64, router: &mut Router) -> bool {
        let is_later = arrives > self.next;
        match is_later {
            true => self.climbing.add(arrives, pe as u32),
            false => self.list(pe, router),
        }
        is_later
    }

    /// Whether a wavelet that arrives in a cycle to come can be noted now.
    pub fn reaches(&self, arrives: u64, now: u64) -> bool {
        arrives - now < ROWS
    }

    /// The first wavelet of a color on the way down a ramp arrives in a cycle.
    #[inline]
    pub fn fall_until(&mut self, pe: usize, color: Color, arrives: u64, router: &mut Router) {
        if arrives > self.next {
            self.descending.add(arrives, pe as u32);
            router.fall_later(color);
        }
    }

    /// Puts a wavelet onto the ramp to the PE.
    #[inline]
    pub fn descend(&mut self, grid: &mut Grid, id: u32, now: u64, flit: Flit) {
        let ready = now + grid.ramp_latency();
        let lane = grid.lane_mut(id);
        let is_first = lane.put_on_offramp(ready, flit);
        let (pe, color) = (lane.pe(), lane.color());
        let router = grid.router_mut(pe);
        router.descend(color);
        if is_first {
            self.fall_until(pe, color, ready, router);
        }
    }

    /// Puts a wavelet onto the ramp from the PE, which has room.
    #[inline(always)]
    pub fn climb(&mut self, grid: &mut Grid, (pe, id): (usize, u32), flit: Flit, now: u64) {
        let arrives = now + grid.ramp_latency();
        let (router, lane) = grid.parts(pe, id);
        let is_alone = lane.is_empty() && !lane.injects();
        let is_first = lane.put_on_onramp(arrives, flit);
        router.expect(lane.color());
        if is_first && self.wake_at(pe, arrives, router) && is_alone {
            router.come_later(lane.color());
        }
    }

    /// Adds the routers to be visited to the hash of a state.
    pub fn add_state(&self, state: &mut StateHash) {
        let mut awake = self.awake.clone();
        awake.sort_unstable();
        state.add_debug(&(awake, &self.retries));
        self.climbing.add_state(state);
        self.descending.add_state(state);
    }

    /// A PE may take wavelets again from its router in the next cycle.
    #[inline]
    pub fn retry(&mut self, pe: usize) {
        self.retries.push(pe as u32);
    }

    /// Whether no router has anything to hand over in a cycle.
    #[inline]
    pub fn gives_nothing(&self, now: u64) -> bool {
        self.retries.is_empty() && self.descending.next(now) != Some(now)
    }

    /// Takes the routers that may have something to hand over in a cycle.
    pub fn take_giving(&mut self, now: u64) -> Vec<u32> {
        let mut giving = std::mem::take(&mut self.giving);
        giving.append(&mut self.retries);
        self.descending.take_due(now, |pe| giving.push(pe));
        if self.in_order {
            self.order.sort(&mut giving);
        }
        giving
    }

    /// Keeps the memory of that list; so many at its end have not handed over anything.
    pub fn keep_giving(&mut self, mut giving: Vec<u32>, left: usize) {
        self.retries.extend(&giving[giving.len() - left..]);
        giving.clear();
        self.giving = giving;
    }

    /// Takes the routers that are awake, those included at which something arrives now that their PEs have
    /// sent.
    pub fn take_awake(&mut self, grid: &mut Grid, now: u64) -> Vec<u32> {
        let awake = &mut self.awake;
        self.climbing.take_due(now, |pe| {
            let router = grid.router_mut(pe as usize);
            router.look_up_again();
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

    /// Keeps the memory of that list.
    pub fn keep_awake(&mut self, mut visited: Vec<u32>) {
        visited.clear();
        self.visited = visited;
    }

    /// These routers and those that are awake beyond a number of others, in order.
    pub fn take_piece(&mut self, visited: &[u32], others: usize) -> Vec<u32> {
        let mut piece = std::mem::take(&mut self.piece);
        piece.extend(self.awake.drain(others..));
        piece.extend(visited);
        piece.sort_unstable();
        piece
    }

    /// Keeps the memory of that list.
    pub fn keep_piece(&mut self, mut piece: Vec<u32>) {
        piece.clear();
        self.piece = piece;
    }

    /// Visits routers the other way round, which nobody may notice.
    #[cfg(test)]
    pub fn reverse(&mut self) {
        self.awake.reverse();
    }
}
