//! Between PEs: one router each, two-phase.
//!
//! In: routes and wavelets from ramps. Out: wavelets at ramps. Never: looks into a PE.

mod arbitration;
mod buffer;
mod config;
mod control;
mod filter;
mod flit_ids;
mod grid;
mod host;
mod injection;
mod lane;
mod letters;
mod links;
mod moves;
mod notices;
mod plain;
mod ramp;
mod route;
mod router;
mod schedule;
mod seams;
mod state;
mod step;
mod survey;
mod timing_wheel;
mod traffic;
mod way;

#[cfg(test)]
mod tests;

pub use arbitration::Collision;
pub use notices::Loss;
pub use ramp::{Ramp, Wavelet};
pub use route::{Gate, Mask, Route, Routes, received_on};
pub use seams::Crossing;
pub use survey::{BufferPlace, Leftover, Obstacle, RouteBreak, RouteGap, Survey, SwitchState};

use crate::arch::Color;
use crate::image::Program;
use crate::prefetch::{self, Soon};
use crate::profile::Traffic;
use crate::trace::Event;
use arbitration::Arbiter;
use flit_ids::FlitIds;
use grid::Grid;
use letters::Letters;
use links::Links;
use notices::Notices;
use router::colors;
use schedule::Schedule;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Routers between two looks at whether to stop.
const ROUTERS_AT_ONCE: usize = 16;

/// The PE side of all offramps, as the fabric needs it.
pub trait Offramps {
    /// Puts a wavelet into the input queue that serves its color; false if that takes no more.
    fn deliver(&mut self, pe: usize, color: Color, wavelet: Wavelet) -> bool;

    /// Stores a data wavelet, the only one for its PE in this cycle, if the PE waits for nothing else; false if it does
    /// not.
    fn store(&mut self, _pe: usize, _color: Color, _wavelet: Wavelet) -> bool {
        false
    }

    /// The last wavelet was the only one for its PE in this cycle.
    fn end_delivery(&mut self, _pe: usize) {}

    /// Prefetches a part of a PE to which wavelets of some colors are handed over soon, bit = color.
    fn prefetch(&self, _pe: usize, _soon: Soon, _arriving: u32) {}
}

/// All routers and what is on its way between them.
///
/// A cycle has two halves for a router: `deliver` hands over what has come down the ramps, `step`
/// lets every wavelet that can do so set out for the next router. `step` decides everything from the state before
/// it moves anything, so the order in which routers are visited cannot be seen.
#[derive(Clone)]
pub struct Fabric {
    grid: Grid,
    schedule: Schedule,
    arbiter: Arbiter,
    letters: Letters,
    links: Links,
    notices: Notices,
    flit_ids: FlitIds,
    /// Links that wavelets have crossed, those of letters apart.
    hops: u64,
    /// Becomes true when the run is to stop.
    stop: Option<&'static AtomicBool>,
}

impl Fabric {
    /// The fabric of a program, empty.
    pub fn new(program: &Arc<Program>) -> Fabric {
        Fabric::of_rows(program, 0..program.place.len())
    }

    fn of_rows(program: &Arc<Program>, own: Range<usize>) -> Fabric {
        let grid = Grid::new(program, own);
        Fabric {
            schedule: Schedule::new(grid.size()),
            links: Links::new(grid.arch()),
            grid,
            arbiter: Arbiter::default(),
            letters: Letters::default(),
            notices: Notices::default(),
            flit_ids: FlitIds::default(),
            hops: 0,
            stop: None,
        }
    }

    /// Leaves everything where it is once this becomes true; then the run is over.
    pub fn stop_when(&mut self, stop: &'static AtomicBool) {
        self.stop = Some(stop);
    }

    fn is_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// From so many routers on, their state lies in no cache.
    pub fn is_large_from(&mut self, routers: usize) {
        self.schedule.order(self.grid.size() >= routers);
    }

    /// Whether its state lies in no cache.
    pub fn is_large(&self) -> bool {
        self.schedule.is_in_order()
    }

    /// Another buffer depth per color and link, 1 to 4; before anything runs.
    pub fn limit_links(&mut self, depth: u8) {
        self.grid.limit_links(depth);
    }

    /// From now on looks for collisions.
    pub fn check(&mut self) {
        self.arbiter.check();
    }

    /// From now on writes down what happens; before anything runs.
    pub fn record(&mut self) {
        self.flit_ids.record();
    }

    /// From now on counts wavelets for a profile; before anything runs.
    pub fn profile(&mut self) {
        self.flit_ids.count();
    }

    /// Whether it counts wavelets for a profile.
    pub fn is_profiled(&self) -> bool {
        self.flit_ids.is_counting()
    }

    /// The wavelets counted so far, if they are counted.
    pub fn traffic(&self) -> Option<Traffic> {
        self.flit_ids.traffic(&self.grid)
    }

    /// Writes nothing down any more.
    pub fn stop_recording(&mut self) {
        self.flit_ids.stop();
    }

    /// Whether it writes down what happens.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.flit_ids.is_recording()
    }

    /// What it has written down since the last call; `None` if it does not.
    pub fn events(&mut self) -> Option<&mut Vec<Event>> {
        self.flit_ids.events()
    }

    /// The first cycle, from this one on, in which a router may have something to do.
    pub fn next_awake(&self, now: u64) -> Option<u64> {
        let is_busy =
            self.schedule.is_busy() || !self.links.are_empty() || self.letters.are_moving(&self.grid);
        if is_busy { Some(now) } else { self.schedule.next_arrival(now) }
    }

    /// The PE may have room again for the colors of a set, of which it had refused wavelets.
    pub fn retry(&mut self, pe: usize, colors: u32) {
        if self.grid.router_mut(pe).release(colors) {
            self.schedule.retry(pe);
        }
    }

    /// PEs that were refused by [`Ramp::send`] and may try again.
    pub fn take_freed(&mut self) -> Vec<u32> {
        self.notices.take_freed()
    }

    /// Sends of a PE on a color that its own router does not know, since the last call.
    pub fn take_unrouted(&mut self) -> Vec<(u32, Color)> {
        self.notices.take_unrouted()
    }

    /// Colors that control wavelets have suspended at the router of a PE, since the last call.
    pub fn take_torn_down(&mut self) -> Vec<(u32, Color)> {
        self.notices.take_torn_down()
    }

    /// Collisions since the last call.
    pub fn take_collisions(&mut self) -> Vec<Collision> {
        self.arbiter.take_collisions()
    }

    /// Senders and receivers of the messages handed over since the last call.
    pub fn take_handed_over(&mut self) -> Vec<(u32, u32)> {
        self.letters.take_handed_over()
    }

    /// What has left the rectangle so far, by color.
    pub fn losses(&self) -> Vec<Loss> {
        self.notices.losses(&self.grid)
    }

    /// Whether anything has left the rectangle.
    pub fn has_losses(&self) -> bool {
        self.notices.have_losses()
    }

    /// Links that wavelets have crossed since the start.
    pub fn hops(&self) -> u64 {
        self.hops + self.letters.hops()
    }

    /// What lies in the fabric, and why.
    pub fn survey(&self) -> Survey<'_> {
        Survey::new(&self.grid, &self.letters, &self.links)
    }

    /// First half of a cycle: wavelets at the end of their ramp go into the PEs.
    pub fn deliver(&mut self, now: u64, pes: &mut impl Offramps) {
        if self.schedule.gives_nothing(now) {
            self.flit_ids.note_time(now);
            self.schedule.set_next(now);
            return;
        }
        let giving = self.take_giving(now);
        for some in giving.chunks(ROUTERS_AT_ONCE) {
            if self.is_to_stop() {
                break;
            }
            self.deliver_some(some, now, pes);
        }
        self.end_deliveries(giving, 0);
    }

    /// The routers that may have something to hand over in a cycle that begins, for
    /// [`Fabric::deliver_some`] instead of [`Fabric::deliver`]; on a large grid in order.
    pub fn take_giving(&mut self, now: u64) -> Vec<u32> {
        self.flit_ids.note_time(now);
        self.schedule.set_next(now);
        self.schedule.take_giving(now)
    }

    /// Hands over what has come down the ramps of some routers.
    pub fn deliver_some(&mut self, pes: &[u32], now: u64, ramps: &mut impl Offramps) {
        for (at, pe) in pes.iter().enumerate() {
            if self.is_large() {
                prefetch::along(pes, at, |pe, soon| {
                    self.grid.prefetch_down(pe, soon);
                    let arriving =
                        if soon == Soon::Before { self.grid.router(pe as usize).descending() } else { 0 };
                    ramps.prefetch(pe as usize, soon, arriving);
                });
            }
            let pe = *pe as usize;
            let router = self.grid.router_mut(pe);
            router.look_down_again();
            if router.arrived() != 0 && self.deliver_to(pe, now, ramps) {
                self.schedule.offramp_has_room(pe, self.grid.router_mut(pe));
            }
        }
    }

    /// Prefetches the router of a PE that runs soon and may send.
    #[inline]
    pub fn prefetch_sender(&self, pe: u32, soon: Soon) {
        self.grid.prefetch_sender(pe, soon);
    }

    /// The first half of the cycle is over: the list from [`Fabric::take_giving`], and how many at its
    /// end have not handed over anything because the run is to stop.
    pub fn end_deliveries(&mut self, giving: Vec<u32>, left: usize) {
        self.schedule.keep_giving(giving, left);
    }

    /// Whether wavelets of only one of a set of colors are at the end of the ramp to a PE.
    #[inline(always)]
    fn arrives_once(&self, pe: usize, set: u32, now: u64) -> bool {
        if set.is_power_of_two() {
            return true;
        }
        let mut arrived = 0;
        for color in colors(set) {
            let front = self.grid.lane(self.grid.waiting_lane(pe, color)).offramp().front();
            arrived += usize::from(front.is_some_and(|(ready, _)| *ready <= now));
        }
        arrived == 1
    }

    /// True if a ramp was full and is not any more.
    #[inline(always)]
    fn deliver_to(&mut self, pe: usize, now: u64, pes: &mut impl Offramps) -> bool {
        let (mut delivered, mut has_stored, mut has_made_room) = (0, false, false);
        let depth = self.grid.ramp_depth();
        let arrived = self.grid.router(pe).arrived();
        let is_one = !self.flit_ids.is_recording() && self.arrives_once(pe, arrived, now);
        for color in colors(arrived) {
            let id = self.grid.waiting_lane(pe, color);
            let mut has_given = false;
            loop {
                let (router, lane) = self.grid.parts(pe, id);
                let Some((ready, flit)) = lane.offramp().front().copied() else {
                    router.end_descent(color);
                    break;
                };
                if ready > now {
                    // If it was the oldest before, its arrival is noted.
                    match has_given {
                        true => self.schedule.fall_until(pe, color, ready, router),
                        false => router.fall_later(color),
                    }
                    break;
                }
                // Of a color at most one wavelet arrives in a cycle, unless one was held up.
                let is_stored = is_one && ready == now && pes.store(pe, color, flit.delivered());
                if !is_stored && !pes.deliver(pe, color, flit.delivered()) {
                    router.hold(color);
                    break;
                }
                has_made_room |= lane.offramp().len() >= depth;
                lane.take_from_offramp();
                has_given = true;
                has_stored |= is_stored;
                delivered += 1;
                if self.flit_ids.is_recording() {
                    self.flit_ids.note_delivered(&self.grid, id, flit);
                }
            }
        }
        if delivered == 1 && !has_stored {
            pes.end_delivery(pe);
        }
        has_made_room
    }
}
