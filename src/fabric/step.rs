//! The second half of a cycle: every router decides, and then wavelets move.
//!
//! On a large fabric both are interleaved, router by router, while the state is in a cache. A wavelet moves as soon
//! as no other router needs the state before the move: when all neighbours of its router have decided, the southern
//! one last.

use super::{Fabric, ROUTERS_AT_ONCE};
use crate::prefetch;
use std::ops::Range;

impl Fabric {
    /// Moves every wavelet that can move to its next router. Returns how many routers were awake.
    pub fn step(&mut self, now: u64) -> usize {
        self.flit_ids.note_time(now);
        if self.next_awake(now) != Some(now) {
            self.schedule.set_next(now + 1);
            return 0;
        }
        self.schedule.set_next(now);
        let visited = self.begin_step(now);
        let in_order = self.is_large() && !self.is_recording();
        for (n, some) in visited.chunks(ROUTERS_AT_ONCE).enumerate() {
            if in_order && self.is_to_stop() {
                break;
            }
            for (at, pe) in some.iter().enumerate() {
                if in_order {
                    let grid = &self.grid;
                    prefetch::along(&visited, n * ROUTERS_AT_ONCE + at, |pe, soon| grid.prefetch(pe, soon));
                }
                self.visit(*pe, now);
            }
            if in_order {
                let next = visited.get((n + 1) * ROUTERS_AT_ONCE);
                self.carry_out_behind(next.copied().unwrap_or(0), now);
            }
        }
        let awake = visited.len();
        self.end_step(visited, now);
        awake
    }

    /// Begins a step: the routers that are awake, on a large grid in order.
    pub fn begin_step(&mut self, now: u64) -> Vec<u32> {
        self.schedule.take_awake(&mut self.grid, now)
    }

    /// How many routers are known to be awake in the next cycle.
    pub fn awake_next(&self) -> usize {
        self.schedule.awake()
    }

    /// Steps the routers in `range`: those in `visited`, and those that PEs have woken since `awake_next` routers
    /// were awake. All routers before the range have decided.
    pub fn step_some(&mut self, visited: &[u32], awake_next: usize, range: Range<u32>, now: u64) {
        if self.schedule.awake() == awake_next {
            self.visit_all(visited, now);
        } else {
            let piece = self.schedule.take_piece(visited, awake_next);
            debug_assert!(piece.iter().all(|pe| range.contains(pe)), "a PE wakes its own router");
            self.visit_all(&piece, now);
            self.schedule.recycle_piece(piece);
        }
        self.carry_out_behind(range.end, now);
    }

    /// Ends a step: carries out the moves that are left.
    pub fn end_step(&mut self, visited: Vec<u32>, now: u64) {
        self.schedule.recycle_awake(visited);
        let (moves, carried) = self.arbiter.take_all();
        for some in moves[carried..].chunks(ROUTERS_AT_ONCE) {
            if self.is_to_stop() {
                break;
            }
            some.iter().for_each(|m| self.carry_out(m, now));
        }
        self.arbiter.keep(moves);
        self.pass_links();
        let Fabric { grid, schedule, messages, notices, flit_ids, .. } = self;
        messages.step(grid, schedule, notices, flit_ids, now);
        schedule.set_next(now + 1);
    }

    /// Carries out the moves of the routers all of whose neighbours are below `end`, and so have decided.
    fn carry_out_behind(&mut self, end: u32, now: u64) {
        // The last of the neighbours is the southern one.
        let bound = end.saturating_sub(u32::from(self.grid.program().width));
        while let Some(m) = self.arbiter.take_below(bound) {
            self.carry_out(&m, now);
        }
    }

    fn visit_all(&mut self, pes: &[u32], now: u64) {
        for (at, pe) in pes.iter().enumerate() {
            prefetch::along(pes, at, |pe, soon| self.grid.prefetch(pe, soon));
            self.visit(*pe, now);
        }
    }

    #[inline(always)]
    fn visit(&mut self, pe: u32, now: u64) {
        self.grid.router_mut(pe as usize).fall_asleep();
        self.arbiter.decide(&mut self.grid, &mut self.flit_ids, pe as usize, now);
    }
}
