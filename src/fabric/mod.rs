//! The fabric: one router for each PE, stepped in two phases.
//!
//! In: routes and wavelets from ramps. Out: wavelets at ramps. Never: looks into a PE.

mod arbitration;
mod buffer;
mod config;
mod control;
mod edge;
mod fast_path;
mod filter;
mod flit_ids;
mod grid;
mod host;
mod injection;
mod lane;
mod links;
mod message_network;
mod moves;
mod next_hop;
mod notices;
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

#[cfg(test)]
mod tests;

pub use arbitration::Collision;
pub use edge::EdgeLink;
pub use notices::Loss;
pub use ramp::{Ramp, Wavelet};
pub use route::{PositionSides, Route, Routes, received_on};
pub use seams::Crossing;
pub use survey::{BufferPlace, Leftover, Obstacle, RouteBreak, RouteGap, Survey, SwitchState};

use crate::arch::Color;
use crate::image::Program;
use crate::prefetch::{self, Soon};
use crate::profile::Traffic;
use crate::trace::Event;
use arbitration::Arbiter;
use edge::Exits;
use flit_ids::FlitIds;
use grid::Grid;
use links::Links;
use message_network::MessageNetwork;
use notices::Notices;
use router::{bit, colors};
use schedule::Schedule;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many routers are processed between two checks of the stop flag.
const ROUTERS_AT_ONCE: usize = 16;

/// What the fabric needs of the PEs: somewhere to deliver the wavelets that leave its offramps.
pub trait Offramps {
    /// Puts a wavelet into the input queue that serves its color; false if that takes no more.
    fn deliver(&mut self, pe: usize, color: Color, wavelet: Wavelet) -> bool;

    /// Fast path for the only wavelet that a PE receives in a cycle: gives it to the operation that waits for it.
    /// False if the PE cannot take it that way; then [`Offramps::deliver`] follows.
    fn store(&mut self, _pe: usize, _color: Color, _wavelet: Wavelet) -> bool {
        false
    }

    /// Follows [`Offramps::deliver`] if that wavelet was the only one for its PE in this cycle.
    fn end_delivery(&mut self, _pe: usize) {}

    /// Prefetches a part of the state of a PE that is about to receive wavelets; `_arriving` is the set of their
    /// colors, bit = color.
    fn prefetch(&self, _pe: usize, _soon: Soon, _arriving: u32) {}
}

/// All routers and the wavelets between them.
///
/// A cycle has two halves: `deliver` hands the wavelets at the ends of the offramps to the PEs, and `step` moves
/// every wavelet that can move to its next router. `step` decides everything from the state at the beginning of its
/// half before it moves anything, so the order in which routers are visited has no visible effect.
#[derive(Clone)]
pub struct Fabric {
    grid: Grid,
    schedule: Schedule,
    arbiter: Arbiter,
    messages: MessageNetwork,
    links: Links,
    notices: Notices,
    exits: Exits,
    flit_ids: FlitIds,
    /// Links that wavelets have crossed, without those of `<message_passing>` messages.
    hops: u64,
    /// Another thread sets this to true to stop the run.
    stop: Option<&'static AtomicBool>,
}

impl Fabric {
    /// The fabric of a program, without wavelets.
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
            messages: MessageNetwork::default(),
            notices: Notices::default(),
            exits: Exits::default(),
            flit_ids: FlitIds::default(),
            hops: 0,
            stop: None,
        }
    }

    /// Sets the flag that stops the run. Once it is true, `deliver` and `step` return early and no wavelet moves.
    pub fn stop_when(&mut self, stop: &'static AtomicBool) {
        self.stop = Some(stop);
    }

    fn is_to_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Sets from how many routers on the fabric counts as larger than the caches, so that routers are visited in
    /// ascending order.
    pub fn set_large_from(&mut self, routers: usize) {
        self.schedule.order(self.grid.size() >= routers);
    }

    /// Whether the fabric counts as larger than the caches.
    pub fn is_large(&self) -> bool {
        self.schedule.is_in_order()
    }

    /// Sets the depth of each link buffer to 1 to 4 wavelets per color. Call it before the run starts.
    pub fn limit_links(&mut self, depth: u8) {
        self.grid.limit_links(depth);
    }

    /// Starts to detect collisions.
    pub fn check(&mut self) {
        self.arbiter.check();
    }

    /// Starts to record events for a trace. Call it before the run starts.
    pub fn record(&mut self) {
        self.flit_ids.record();
    }

    /// Starts to count wavelets for a profile. Call it before the run starts.
    pub fn profile(&mut self) {
        self.flit_ids.count();
    }

    /// Whether it counts wavelets for a profile.
    pub fn is_profiled(&self) -> bool {
        self.flit_ids.is_counting()
    }

    /// The counts so far; `None` if the run is not profiled.
    pub fn traffic(&self) -> Option<Traffic> {
        self.flit_ids.traffic(&self.grid)
    }

    /// Stops recording events.
    pub fn stop_recording(&mut self) {
        self.flit_ids.stop();
    }

    /// Whether the run is recorded or profiled, so that wavelets carry numbers and the fast paths are off.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.flit_ids.is_recording()
    }

    /// The events recorded since the last call; `None` if nothing is recorded.
    pub fn events(&mut self) -> Option<&mut Vec<Event>> {
        self.flit_ids.events()
    }

    /// The first cycle, from this one on, in which a router may have something to do.
    pub fn next_awake(&self, now: u64) -> Option<u64> {
        let is_busy =
            self.schedule.is_busy() || !self.links.are_empty() || self.messages.are_moving(&self.grid);
        if is_busy { Some(now) } else { self.schedule.next_arrival(now) }
    }

    /// Notes that a PE may have space again for wavelets of these colors, bit = color, of which it has refused some.
    pub fn retry(&mut self, pe: usize, colors: u32) {
        if self.grid.router_mut(pe).release(colors) {
            self.schedule.retry(pe);
        }
    }

    /// PEs that were refused by [`Ramp::send`] and may try again.
    pub fn take_freed(&mut self) -> Vec<u32> {
        self.notices.take_freed()
    }

    /// Sends since the last call on a color that has no route at the sender's own router.
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

    /// Sender and receiver of each `<message_passing>` message that was delivered since the last call.
    pub fn take_handed_over(&mut self) -> Vec<(u32, u32)> {
        self.messages.take_handed_over()
    }

    /// Wavelets lost so far because their route leaves the program rectangle, by color.
    pub fn losses(&self) -> Vec<Loss> {
        self.notices.losses(&self.grid)
    }

    /// Whether anything has left the rectangle.
    pub fn has_losses(&self) -> bool {
        self.notices.have_losses()
    }

    /// Links that wavelets have crossed since the start.
    pub fn hops(&self) -> u64 {
        self.hops + self.messages.hops()
    }

    /// For reports: which wavelets are in the fabric, and what blocks them.
    pub fn survey(&self) -> Survey<'_> {
        Survey::new(&self.grid, &self.messages, &self.links)
    }

    /// First half of a cycle: delivers the wavelets at the ends of the offramps to the PEs.
    pub fn deliver(&mut self, now: u64, pes: &mut impl Offramps) {
        if self.schedule.delivers_nothing(now) {
            self.flit_ids.note_time(now);
            self.schedule.set_next(now);
            return;
        }
        let delivering = self.take_delivering(now);
        for some in delivering.chunks(ROUTERS_AT_ONCE) {
            if self.is_to_stop() {
                break;
            }
            self.deliver_some(some, now, pes);
        }
        self.end_deliveries(delivering, 0);
    }

    /// The routers that may have a wavelet to deliver in the cycle that begins, in ascending order on a large fabric;
    /// for [`Fabric::deliver_some`] in place of [`Fabric::deliver`].
    pub fn take_delivering(&mut self, now: u64) -> Vec<u32> {
        self.flit_ids.note_time(now);
        self.schedule.set_next(now);
        self.schedule.take_delivering(now)
    }

    /// Hands over what has come down the ramps of some routers.
    pub fn deliver_some(&mut self, pes: &[u32], now: u64, ramps: &mut impl Offramps) {
        for (at, pe) in pes.iter().enumerate() {
            if self.is_large() {
                prefetch::along(pes, at, |pe, soon| {
                    self.grid.prefetch_down(pe, soon);
                    let arriving = if soon == Soon::Before {
                        self.grid.router(pe as usize).offramp_occupied()
                    } else {
                        0
                    };
                    ramps.prefetch(pe as usize, soon, arriving);
                });
            }
            let pe = *pe as usize;
            let router = self.grid.router_mut(pe);
            router.offramp_arrived();
            let arrived = router.arrived();
            if arrived != 0 && self.deliver_to(pe, arrived, now, ramps) {
                self.schedule.offramp_has_room(pe, self.grid.router_mut(pe));
            }
        }
    }

    /// Prefetches the router of a PE that runs soon and may send.
    #[inline]
    pub fn prefetch_sender(&self, pe: u32, soon: Soon) {
        self.grid.prefetch_sender(pe, soon);
    }

    /// Ends the first half of a cycle. `delivering` is the list of [`Fabric::take_delivering`]; the last `left` routers in it
    /// have delivered nothing, because the run is to stop.
    pub fn end_deliveries(&mut self, delivering: Vec<u32>, left: usize) {
        self.schedule.recycle_delivering(delivering, left);
    }

    /// Of these colors, which have wavelets on the offramp of a PE, those of which one is at its end. The timing wheel
    /// holds the arrivals of the others.
    #[inline(always)]
    fn at_end_of_offramp(&mut self, pe: usize, arrived: u32, now: u64) -> u32 {
        let mut due = arrived;
        for color in colors(arrived) {
            let (router, lane) = self.grid.parts(pe, self.grid.waiting_lane(pe, color));
            if lane.offramp().front().is_none_or(|(ready, _)| *ready > now) {
                router.mark_offramp_in_flight(color);
                due &= !bit(color);
            }
        }
        due
    }

    /// Delivers what it can to one PE. True if an offramp was full and now has room.
    #[inline(always)]
    fn deliver_to(&mut self, pe: usize, arrived: u32, now: u64, pes: &mut impl Offramps) -> bool {
        let (mut delivered, mut has_stored, mut has_made_room) = (0, false, false);
        let (depth, is_recording) = (self.grid.ramp_depth(), self.flit_ids.is_recording());
        let due = self.at_end_of_offramp(pe, arrived, now);
        let is_one = !is_recording && due.is_power_of_two();
        for color in colors(due) {
            let id = self.grid.waiting_lane(pe, color);
            loop {
                let (router, lane) = self.grid.parts(pe, id);
                let Some((ready, flit)) = lane.offramp().front().copied() else {
                    router.mark_offramp_empty(color);
                    break;
                };
                if ready > now {
                    self.schedule.schedule_offramp_arrival(pe, color, ready, router);
                    break;
                }
                // At most one wavelet of a color arrives per cycle, unless an earlier one was refused.
                let is_stored = is_one && ready == now && pes.store(pe, color, flit.delivered());
                if !is_stored && !pes.deliver(pe, color, flit.delivered()) {
                    router.hold(color);
                    break;
                }
                has_made_room |= lane.offramp().len() >= depth;
                lane.take_from_offramp();
                has_stored |= is_stored;
                delivered += 1;
                if is_recording {
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
