//! The second half of a cycle: every router decides, and then wavelets move.
//!
//! On a large grid both are done in pieces, router after router. A wavelet moves as soon as nobody will look
//! at the state before that any more: when all neighbours of its router have decided, the last of which is
//! the southern one. So what was looked at is still in a cache.

use super::{Fabric, ROUTERS_AT_ONCE};
use std::ops::Range;

impl Fabric {
    /// Every wavelet that can moves by one link.
    pub fn step(&mut self, now: u64) {
        self.note_time(now);
        if self.next_awake(now) != Some(now) {
            self.next = now + 1;
            return;
        }
        self.next = now;
        let visited = self.begin_step(now);
        let in_order = self.is_large() && !self.is_recording();
        for (n, some) in visited.chunks(ROUTERS_AT_ONCE).enumerate() {
            if in_order && self.is_to_stop() {
                break;
            }
            some.iter().for_each(|pe| self.visit(*pe, now));
            if in_order {
                let next = visited.get((n + 1) * ROUTERS_AT_ONCE);
                self.carry_out_behind(next.copied().unwrap_or(0), now);
            }
        }
        self.end_step(visited, now);
    }

    /// Whether a step may be done piece by piece, each as soon as its PEs have run.
    pub fn steps_in_pieces(&self) -> bool {
        self.is_large() && !self.is_recording() && self.channels.are_unused()
    }

    /// Begins a step: the routers that are awake, on a large grid in order.
    pub fn begin_step(&mut self, now: u64) -> Vec<u32> {
        self.leave_channels(now);
        self.wake_climbed(now);
        // Both lists keep their memory.
        let mut visited = std::mem::replace(&mut self.awake, std::mem::take(&mut self.visited));
        if self.is_large() {
            self.order.sort(&mut visited);
        }
        visited
    }

    /// How many routers are known to be awake in the next cycle.
    pub fn awake_next(&self) -> usize {
        self.awake.len()
    }

    /// A piece of a step: those of the routers in a range that were awake, and those that have been woken
    /// since so many were by their PEs. All before them have decided.
    pub fn step_some(&mut self, visited: &[u32], awake_next: usize, range: Range<u32>, now: u64) {
        if self.awake.len() == awake_next {
            for (at, pe) in visited.iter().enumerate() {
                self.prefetch_routers(&visited[at..]);
                self.visit(*pe, now);
            }
        } else {
            let mut piece = std::mem::take(&mut self.piece);
            piece.extend(self.awake.drain(awake_next..));
            debug_assert!(piece.iter().all(|pe| range.contains(pe)), "a PE wakes its own router");
            piece.extend(visited);
            piece.sort_unstable();
            for (at, pe) in piece.iter().enumerate() {
                self.prefetch_routers(&piece[at..]);
                self.visit(*pe, now);
            }
            piece.clear();
            self.piece = piece;
        }
        self.carry_out_behind(range.end, now);
    }

    /// Ends a step: what is left to move does.
    pub fn end_step(&mut self, mut visited: Vec<u32>, now: u64) {
        visited.clear();
        self.visited = visited;
        let mut moves = std::mem::take(&mut self.moves);
        for some in moves[self.carried..].chunks(ROUTERS_AT_ONCE) {
            if self.is_to_stop() {
                break;
            }
            some.iter().for_each(|m| self.carry_out(m, now));
        }
        moves.clear();
        (self.moves, self.carried) = (moves, 0);
        self.land_from_channels(now);
        self.make_channels(now);
        self.hand_over_letters(now);
        self.next = now + 1;
    }

    /// Wakes the routers at which something arrives that their PEs have sent.
    fn wake_climbed(&mut self, now: u64) {
        let (routers, awake) = (&mut self.routers, &mut self.awake);
        self.climbing.take_due(now, |pe| {
            let router = &mut routers[pe as usize];
            router.look_up_again();
            if !router.awake && router.ready() != 0 {
                router.awake = true;
                awake.push(pe);
            }
        });
    }

    /// Moves wavelets, all routers below a number having decided.
    fn carry_out_behind(&mut self, end: u32, now: u64) {
        let to_south = u32::from(self.program.width);
        while let Some(m) = self.moves.get(self.carried).copied().filter(|m| m.pe + to_south < end) {
            self.carry_out(&m, now);
            self.carried += 1;
        }
    }

    #[inline(always)]
    fn visit(&mut self, pe: u32, now: u64) {
        self.routers[pe as usize].awake = false;
        self.decide(pe as usize, now);
    }
}
