//! Between PEs: one router each, one hop per cycle, two-phase.
//!
//! In: routes and wavelets from ramps. Out: wavelets at ramps. Never: looks into a PE.

mod arbitration;
mod config;
mod control;
mod express;
mod filter;
mod flit_ids;
mod host;
mod injection;
mod lane;
mod letters;
mod moves;
mod plain;
mod ramp;
mod route;
mod router;
mod shared;
mod steady;
mod step;
mod survey;
mod timing_wheel;

#[cfg(test)]
mod tests;

pub use ramp::{Ramp, Wavelet};
pub use route::{Gate, Mask, Route, Routes, received_on};
pub use shared::RampAction;
pub use steady::Stream;
pub use survey::{BufferPlace, Leftover, Loss, Obstacle};

use crate::arch::{Arch, Color, Direction, PeCoord};
use crate::image::Program;
use crate::order::Order;
use crate::prefetch;
use express::ExpressChannels;
use flit_ids::FlitIds;
use lane::{Landing, Lane};
use letters::Letters;
use moves::Move;
use router::{Router, bit, colors};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use timing_wheel::TimingWheel;

/// Routers between two looks at whether to stop.
const ROUTERS_AT_ONCE: usize = 16;

/// The PE side of all offramps, as the fabric needs it.
pub trait Offramps {
    /// Puts a wavelet into the input queue that serves its color; false if that takes no more.
    fn deliver(&mut self, pe: usize, color: Color, wavelet: Wavelet) -> bool;

    /// Prefetches a PE to which something is handed over later; shortly before that (`soon`), what it refers
    /// to.
    fn prefetch(&self, _pe: usize, _soon: bool) {}
}

/// All routers and what is on its way between them.
///
/// A cycle has two halves for a router: `deliver` hands over what has come down the ramps, `step`
/// moves every wavelet that can move by one link. `step` decides everything from the state before
/// it moves anything, so the order in which routers are visited cannot be seen.
pub struct Fabric {
    program: Arc<Program>,
    arch: &'static Arch,
    link_depth: usize,
    routes: Routes,
    routers: Vec<Router>,
    lanes: Vec<Lane>,
    /// Pairs of lanes in which a wavelet arrives at the same time.
    pairs: Vec<(u32, u32)>,
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
    /// This keeps the memory of a list.
    giving: Vec<u32>,
    moves: Vec<Move>,
    /// How many of them are done.
    carried: usize,
    /// This keeps the memory of a list.
    piece: Vec<u32>,
    freed: Vec<u32>,
    unrouted: Vec<(u32, Color)>,
    torn_down: Vec<(u32, Color)>,
    /// Wavelets that have left the rectangle, by lane and side.
    lost: BTreeMap<(u32, Direction), u64>,
    /// Wavelets of one color that wait at one router, come from several sides.
    collisions: Vec<Collision>,
    /// Looks for collisions.
    checked: bool,
    letters: Letters,
    channels: ExpressChannels,
    /// The cycle of the next step.
    next: u64,
    /// Without those of wavelets that are on express channels.
    hops: u64,
    /// While the run is recorded.
    flit_ids: Option<Box<FlitIds>>,
    /// Becomes true when the run is to stop.
    stop: Option<&'static AtomicBool>,
    /// Its state lies in no cache.
    is_large: bool,
}

/// Wavelets of one color that have come to a router from several sides that it accepts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The router.
    pub pe: usize,
    /// The color.
    pub color: Color,
    /// The sides.
    pub sides: Mask,
}

impl Fabric {
    /// The fabric of a program, empty.
    pub fn new(program: &Arc<Program>) -> Fabric {
        let colors: usize = (0..program.place.len()).map(|pe| program.routes.row(pe).len()).sum();
        Fabric {
            program: program.clone(),
            arch: program.arch.numbers(),
            link_depth: program.arch.numbers().link_depth.into(),
            routes: Routes::new(program),
            routers: vec![Router::default(); usize::from(program.width) * usize::from(program.height)],
            // To move those of a whole wafer elsewhere takes a second, and to have room takes nothing.
            lanes: Vec::with_capacity(colors),
            pairs: Vec::new(),
            awake: Vec::new(),
            visited: Vec::new(),
            order: Order::new(usize::from(program.width) * usize::from(program.height)),
            climbing: TimingWheel::new(),
            descending: TimingWheel::new(),
            retries: Vec::new(),
            giving: Vec::new(),
            moves: Vec::new(),
            carried: 0,
            piece: Vec::new(),
            freed: Vec::new(),
            unrouted: Vec::new(),
            torn_down: Vec::new(),
            lost: BTreeMap::new(),
            collisions: Vec::new(),
            checked: false,
            letters: Letters::default(),
            channels: ExpressChannels::new(),
            next: 0,
            hops: 0,
            flit_ids: None,
            stop: None,
            is_large: false,
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
        self.is_large = self.routers.len() >= routers;
    }

    /// Another buffer depth per color and link, 1 to 4; before anything runs.
    pub fn limit_links(&mut self, depth: u8) {
        self.link_depth = usize::from(depth).clamp(1, lane::MAX_LINK_DEPTH);
        if self.link_depth < 2 {
            // Then a stream does not flow at one wavelet per cycle.
            self.channels.enabled = false;
        }
    }

    /// What the PE may use of the fabric in this cycle.
    pub fn ramp(&mut self, pe: usize, now: u64) -> PeRamp<'_> {
        PeRamp { fabric: self, pe, now }
    }

    /// The first cycle, from this one on, in which a router may have something to do.
    pub fn next_awake(&self, now: u64) -> Option<u64> {
        let is_busy = !(self.awake.is_empty() && self.retries.is_empty())
            || self.channels.are_moving()
            || self.letters_move();
        if is_busy {
            return Some(now);
        }
        match (self.climbing.next(now), self.descending.next(now)) {
            (Some(up), Some(down)) => Some(up.min(down)),
            (up, down) => up.or(down),
        }
    }

    /// The PE has run: its queues may have room again.
    pub fn retry(&mut self, pe: usize) {
        if self.gives(pe) {
            self.retries.push(pe as u32);
        }
    }

    /// The same for PEs that [`Fabric::gives`] has named.
    pub fn retry_all(&mut self, pes: &[u32]) {
        self.retries.extend(pes);
    }

    /// PEs that were refused by [`Ramp::send`] and may try again.
    pub fn take_freed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.freed)
    }

    /// Sends of a PE on a color that its own router does not know, since the last call.
    pub fn take_unrouted(&mut self) -> Vec<(u32, Color)> {
        std::mem::take(&mut self.unrouted)
    }

    /// Colors that control wavelets have suspended at the router of a PE, since the last call.
    pub fn take_torn_down(&mut self) -> Vec<(u32, Color)> {
        std::mem::take(&mut self.torn_down)
    }

    /// From now on looks for collisions.
    pub fn check(&mut self) {
        self.checked = true;
    }

    /// Collisions since the last call.
    pub fn take_collisions(&mut self) -> Vec<Collision> {
        std::mem::take(&mut self.collisions)
    }

    /// Senders and receivers of the messages handed over since the last call.
    pub fn take_handed_over(&mut self) -> Vec<(u32, u32)> {
        std::mem::take(&mut self.letters.handed_over)
    }

    /// Links that wavelets have crossed since the start.
    pub fn hops(&self) -> u64 {
        self.hops.wrapping_add(self.channels.hops(self.next))
    }

    /// First half of a cycle: wavelets at the end of their ramp go into the PEs.
    pub fn deliver(&mut self, now: u64, pes: &mut dyn Offramps) {
        if self.retries.is_empty() && self.descending.next(now) != Some(now) {
            self.note_time(now);
            self.next = now;
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
        self.note_time(now);
        self.next = now;
        let mut giving = std::mem::take(&mut self.giving);
        giving.append(&mut self.retries);
        self.descending.take_due(now, |pe| giving.push(pe));
        if self.is_large {
            self.order.sort(&mut giving);
        }
        giving
    }

    /// Hands over what has come down the ramps of some routers.
    pub fn deliver_some(&mut self, pes: &[u32], now: u64, ramps: &mut dyn Offramps) {
        for (at, pe) in pes.iter().enumerate() {
            if self.is_large {
                self.prefetch_routers(&pes[at..]);
                for (ahead, soon) in [(4, false), (2, true)] {
                    pes.get(at + ahead).into_iter().for_each(|next| ramps.prefetch(*next as usize, soon));
                }
            }
            let router = &mut self.routers[*pe as usize];
            router.look_down_again();
            if router.arrived() == 0 {
                continue;
            }
            if self.deliver_to(*pe as usize, now, ramps) {
                self.offramp_has_room(*pe as usize);
            }
        }
    }

    /// Prefetches the routers that come soon, and their lanes.
    #[inline]
    fn prefetch_routers(&self, coming: &[u32]) {
        if let Some(later) = coming.get(6) {
            prefetch::value(&self.routers[*later as usize], size_of::<Router>());
        }
        if let Some(soon) = coming.get(3) {
            let lanes = self.routers[*soon as usize].lanes().take(2);
            lanes.for_each(|id| prefetch::value(&self.lanes[id as usize], size_of::<Lane>()));
        }
    }

    /// The first half of the cycle is over: the list from [`Fabric::take_giving`], and how many at its
    /// end have not handed over anything because the run is to stop.
    pub fn end_deliveries(&mut self, mut giving: Vec<u32>, left: usize) {
        self.retries.extend(&giving[giving.len() - left..]);
        giving.clear();
        self.giving = giving;
    }

    /// Whether its state lies in no cache.
    pub fn is_large(&self) -> bool {
        self.is_large
    }

    /// True if anything was handed over.
    fn deliver_to(&mut self, pe: usize, now: u64, pes: &mut dyn Offramps) -> bool {
        let mut has_delivered = false;
        for color in colors(self.routers[pe].arrived()) {
            let id = self.routers[pe].lane(color).expect("its wavelets are in a lane") as usize;
            let before = self.lanes[id].received;
            while let Some((ready, flit)) = self.lanes[id].offramp.front().copied() {
                if ready > now || !pes.deliver(pe, color, flit.delivered()) {
                    break;
                }
                if self.is_recording() {
                    self.note_delivered(pe, color, flit);
                }
                let lane = &mut self.lanes[id];
                lane.offramp.pop_front();
                lane.received += 1;
            }
            let lane = &self.lanes[id];
            has_delivered |= lane.received > before;
            match lane.offramp.front() {
                Some((arrives, _)) if lane.received > before => self.fall_until(pe, color, *arrives),
                Some(_) => {}
                None => self.routers[pe].descending &= !bit(color),
            }
        }
        has_delivered
    }

    /// Something has changed around a router that may let wavelets go that were held up.
    fn wake(&mut self, pe: usize) {
        self.routers[pe].resume();
        self.list(pe);
    }

    /// There is room on the ramp to a PE for what waits at its router.
    fn offramp_has_room(&mut self, pe: usize) {
        let router = &mut self.routers[pe];
        router.resume();
        if router.ready() != 0 {
            self.list(pe);
        }
    }

    /// Lists a router, if it is not.
    fn list(&mut self, pe: usize) {
        let router = &mut self.routers[pe];
        if !router.awake {
            router.awake = true;
            self.awake.push(pe as u32);
        }
    }

    /// The first wavelet of those that a PE has sent arrives at its router in some cycle; true if that is
    /// later.
    fn wake_at(&mut self, pe: usize, arrives: u64) -> bool {
        let is_later = arrives > self.next;
        match is_later {
            true => self.climbing.add(arrives, pe as u32),
            false => self.list(pe),
        }
        is_later
    }

    fn onramp_depth(&self) -> usize {
        // A full ramp still passes one wavelet per cycle.
        self.link_depth + usize::from(self.arch.ramp_latency)
    }

    /// The state of a color at a router, made on first use.
    #[inline]
    fn lane_of(&mut self, pe: usize, color: Color) -> u32 {
        match self.routers[pe].lane(color) {
            Some(id) => id,
            None => self.make_lane(pe, color),
        }
    }

    #[cold]
    fn make_lane(&mut self, pe: usize, color: Color) -> u32 {
        let id = self.lanes.len() as u32;
        let route = self.routes.of(&self.program, pe, color);
        self.lanes.push(Lane::new(pe as u32, color, route, self.routes.get(route)));
        self.routers[pe].add_lane(color, id);
        id
    }

    /// The same for those who only look.
    fn known_lane(&self, pe: usize, color: Color) -> Option<&Lane> {
        self.routers[pe].lane(color).map(|id| &self.lanes[id as usize])
    }

    /// Where a wavelet of this color goes that arrives at a router on one side: to its own lane, to
    /// the partner's, or to both, as the color swap says.
    fn arrival(&mut self, pe: usize, color: Color, side: Direction) -> Landing {
        let (first, second) = received_on(color, side, |c| self.route_at(pe, c));
        let first = self.lane_of(pe, first);
        match second {
            Some(color) => Landing::Both(first, self.lane_of(pe, color)),
            None => Landing::Lane(first),
        }
    }

    /// The neighbour on one side.
    fn neighbour(&self, pe: usize, side: Direction) -> Option<usize> {
        self.program.neighbour(pe, side)
    }
}

/// The ramp of one PE.
pub struct PeRamp<'a> {
    fabric: &'a mut Fabric,
    pe: usize,
    now: u64,
}

impl Ramp for PeRamp<'_> {
    fn send(&mut self, color: Color, wavelet: Wavelet) -> Result<(), Wavelet> {
        self.fabric.inject(self.pe, color, wavelet, self.now)
    }

    fn send_at(&mut self, color: Color, wavelet: Wavelet, cycle: u64) -> bool {
        self.fabric.takes_early(self.pe, color, 1, (self.now, cycle))
            && self.fabric.inject(self.pe, color, wavelet, cycle).is_ok()
    }

    fn is_routed(&self, color: Color) -> bool {
        self.fabric.is_routed(self.pe, color)
    }

    fn advance_switch(&mut self, color: Color) {
        self.fabric.note_time(self.now);
        self.fabric.advance_after_last(self.pe, color);
    }

    fn address_letter(&mut self, to: PeCoord, length: u16) {
        self.fabric.address(self.pe, to, length);
    }

    fn config(&mut self, addr: u16) -> Option<u16> {
        self.fabric.config(self.pe, addr)
    }

    fn set_config(&mut self, addr: u16, value: u16) -> bool {
        self.fabric.set_config(self.pe, addr, value)
    }
}
