//! All routers with their lanes: their configuration, their buffers, and the lanes that follow each of them.

use super::buffer::Flit;
use super::lane::Lane;
use super::links::Links;
use super::next_hop::{NextHop, PackedHop};
use super::route::{Route, RouteId, Routes, received_on};
use super::router::{Router, colors};
use super::seams::Seams;
use crate::arch::{Arch, Color, Direction, MESSAGE_COLOR, PeCoord};
use crate::image::{ColorConfig, Program};
use crate::prefetch::{self, Soon};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a lane in which its first link lies.
const LINK_BYTES: usize = 128;

/// The routers of a rectangle of PEs. A lane is named by its index in `lanes`. It belongs to one router, and is
/// created when its color is first used there.
#[derive(Clone)]
pub struct Grid {
    program: Arc<Program>,
    arch: &'static Arch,
    /// PEs in a row.
    width: usize,
    link_depth: usize,
    routes: Routes,
    routers: Vec<Router>,
    /// The number of the first router.
    first: usize,
    lanes: Vec<Lane>,
    /// Pairs of lanes that a color swap gives copies of the same wavelet.
    pairs: Vec<(u32, u32)>,
    seams: Seams,
}

impl Grid {
    /// The routers of a program, without lanes; those of some PEs belong to this band.
    pub fn new(program: &Arc<Program>, own: Range<usize>) -> Grid {
        let colors: usize = own.clone().map(|pe| program.routes.row(pe).len()).sum();
        let seams = Seams::new(own, program.width.into(), program.place.len());
        let own = seams.own();
        let (first, end) =
            seams.halo_rows().fold((own.start, own.end), |(a, b), pe| (a.min(pe), b.max(pe + 1)));
        let mut routers = vec![Router::default(); end - first];
        // Marked as awake, so that nothing lists them as such: their own band visits them.
        for pe in seams.halo_rows() {
            routers[pe - first].awaken();
        }
        Grid {
            program: program.clone(),
            arch: program.arch.numbers(),
            width: program.width.into(),
            link_depth: program.arch.numbers().link_depth.into(),
            routes: Routes::new(program),
            routers,
            first,
            // Reserved at once: moving the lanes of a whole wafer takes a second, and unused address space costs
            // nothing.
            lanes: Vec::with_capacity(colors),
            pairs: Vec::new(),
            seams,
        }
    }

    /// Another buffer depth per color and link, 1 to 4.
    pub fn limit_links(&mut self, depth: u8) {
        self.link_depth = usize::from(depth).clamp(1, Links::most_depth(self.arch));
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program, to be shared.
    pub fn shared_program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The seams to other bands.
    #[inline]
    pub fn seams(&self) -> &Seams {
        &self.seams
    }

    /// The seams to other bands, to change.
    #[inline]
    pub fn seams_mut(&mut self) -> &mut Seams {
        &mut self.seams
    }

    /// The machine.
    pub fn arch(&self) -> &'static Arch {
        self.arch
    }

    /// How many routers the wafer has.
    pub fn size(&self) -> usize {
        usize::from(self.program.width) * usize::from(self.program.height)
    }

    /// Wavelets that the buffer of a link takes.
    #[inline]
    pub fn link_depth(&self) -> usize {
        self.link_depth
    }

    /// Cycles that a ramp takes.
    #[inline]
    pub fn ramp_latency(&self) -> u64 {
        self.arch.ramp_latency.into()
    }

    /// Wavelets that a ramp takes.
    #[inline]
    pub fn ramp_depth(&self) -> usize {
        // A full ramp still passes one wavelet per cycle.
        self.link_depth + usize::from(self.arch.ramp_latency)
    }

    /// A router.
    #[inline]
    pub fn router(&self, pe: usize) -> &Router {
        &self.routers[pe - self.first]
    }

    /// A router, to change.
    #[inline]
    pub fn router_mut(&mut self, pe: usize) -> &mut Router {
        &mut self.routers[pe - self.first]
    }

    /// A lane.
    #[inline]
    pub fn lane(&self, id: u32) -> &Lane {
        &self.lanes[id as usize]
    }

    /// A lane, to change.
    #[inline]
    pub fn lane_mut(&mut self, id: u32) -> &mut Lane {
        &mut self.lanes[id as usize]
    }

    /// A router and one of its lanes, to change.
    #[inline]
    pub fn parts(&mut self, pe: usize, id: u32) -> (&mut Router, &mut Lane) {
        (&mut self.routers[pe - self.first], &mut self.lanes[id as usize])
    }

    /// All lanes.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The lanes of a router, by color.
    pub fn lanes_at(&self, pe: usize) -> impl Iterator<Item = &Lane> {
        self.routers[pe - self.first].lanes().map(|id| self.lane(id))
    }

    /// The state of a color at a router, made on first use.
    #[inline]
    pub fn lane_of(&mut self, pe: usize, color: Color) -> u32 {
        match self.routers[pe - self.first].lane(color) {
            Some(id) => id,
            None => self.make_lane(pe, color),
        }
    }

    #[cold]
    fn make_lane(&mut self, pe: usize, color: Color) -> u32 {
        let id = self.lanes.len() as u32;
        let route = self.routes.of(&self.program, pe, color);
        let mut lane = Lane::new(pe as u32, color, route, self.routes.get(route));
        lane.set_at_seam(self.seams.touch(pe));
        self.lanes.push(lane);
        self.routers[pe - self.first].add_lane(color, id);
        id
    }

    /// The lane of a color at a router, if there is one.
    pub fn known_lane(&self, pe: usize, color: Color) -> Option<&Lane> {
        self.routers[pe - self.first].lane(color).map(|id| self.lane(id))
    }

    /// The lane of a color at a router, or the one that would be created for it.
    pub fn lane_or_new(&self, pe: usize, color: Color) -> Cow<'_, Lane> {
        if let Some(lane) = self.known_lane(pe, color) {
            return Cow::Borrowed(lane);
        }
        let route = self.routes.of(&self.program, pe, color);
        Cow::Owned(Lane::new(pe as u32, color, route, self.routes.get(route)))
    }

    /// The lane of the only color of a set.
    #[inline(always)]
    pub fn only_lane_of(&self, set: u32, pe: usize) -> u32 {
        self.waiting_lane(pe, Color(set.trailing_zeros() as u8))
    }

    /// The lane of a color of which wavelets wait at a router.
    #[inline(always)]
    pub fn waiting_lane(&self, pe: usize, color: Color) -> u32 {
        self.routers[pe - self.first].lane(color).expect("its wavelets are in a lane")
    }

    /// The route of a lane.
    #[inline]
    pub fn route(&self, lane: &Lane) -> &Route {
        self.routes.get(lane.route())
    }

    /// The route of a color at a router, with the changes that the program has made while running.
    pub fn route_at(&self, pe: usize, color: Color) -> &Route {
        let known = self.known_lane(pe, color).map(Lane::route);
        self.routes.get(known.unwrap_or_else(|| self.routes.of(&self.program, pe, color)))
    }

    /// The route that the program has declared.
    pub fn declared_route(&self, pe: usize, color: Color) -> &Route {
        self.routes.get(self.routes.of(&self.program, pe, color))
    }

    /// Whether the router of a PE has a route for a color, or the host takes what is sent on it.
    pub fn is_routed(&self, pe: usize, color: Color) -> bool {
        color == MESSAGE_COLOR || self.route_at(pe, color).exists() || self.goes_to_host(color)
    }

    /// Whether wavelets of a color go to the host.
    pub fn goes_to_host(&self, color: Color) -> bool {
        self.program.memcpy.as_ref().is_some_and(|m| m.d2h.contains(&Some(color)))
    }

    /// The configuration of a lane.
    pub fn config(&self, lane: &Lane) -> &ColorConfig {
        self.routes.config(lane.route())
    }

    /// Changes the configuration of a lane while the program runs.
    pub fn reconfigure(&mut self, id: u32, config: ColorConfig) {
        let route: RouteId = self.routes.made(config);
        let lane = &mut self.lanes[id as usize];
        lane.take_route(route, self.routes.get(route));
    }

    /// Sets the switch of a lane.
    pub fn turn(&mut self, id: u32, to: impl FnOnce(&Lane, &Route) -> u8) {
        let lane = &mut self.lanes[id as usize];
        let route = self.routes.get(lane.route());
        let position = to(lane, route);
        lane.turn_to(position, route);
    }

    /// Moves the switch of a lane that injects, according to its buffers.
    pub fn choose_side(&mut self, id: u32, now: u64) {
        let lane = &mut self.lanes[id as usize];
        lane.choose_side(now, self.routes.get(lane.route()));
    }

    /// Forgets all cached landings, because color swaps have changed.
    pub fn forget_next_hops(&mut self) {
        self.lanes.iter_mut().for_each(Lane::forget_next_hops);
        self.pairs.clear();
    }

    /// Where a wavelet arrives that leaves a lane on one side.
    #[inline]
    pub fn landing(&mut self, id: u32, target: Direction) -> NextHop {
        match self.known_landing(id, target) {
            NextHop::Unknown => self.look_up_landing(id, target),
            known => known,
        }
    }

    /// The landing that [`Grid::landing`] has cached.
    #[inline]
    pub fn known_landing(&self, id: u32, target: Direction) -> NextHop {
        self.landing_of(self.lane(id), target)
    }

    /// As [`Grid::known_landing`], for a lane at hand.
    #[inline]
    pub fn landing_of(&self, lane: &Lane, target: Direction) -> NextHop {
        lane.way(target).landing(&self.pairs)
    }

    #[cold]
    fn look_up_landing(&mut self, id: u32, target: Direction) -> NextHop {
        let (pe, color) = (self.lane(id).pe(), self.lane(id).color());
        let landing = match self.neighbour(pe, target) {
            // What the PE itself sends arrives in its own lane or, after a color swap, in the partner's.
            _ if target == Direction::Ramp => self.arrival(pe, color, Direction::Ramp),
            Some(next) => self.arrival(next, color, target.opposite()),
            None => NextHop::Edge,
        };
        let way = PackedHop::to(landing, &mut self.pairs);
        self.lane_mut(id).cache_next_hop(target, way);
        landing
    }

    /// Finds and caches the next lane behind the only output of a lane's gate; `None` if the landing is not a single
    /// lane.
    #[cold]
    pub fn look_up_course(&mut self, id: u32, target: Direction) -> Option<u32> {
        let _ = self.landing(id, target);
        self.lane_mut(id).learn_course(target)
    }

    /// Where a wavelet of this color goes that arrives at a router on one side: to its own lane, to
    /// the partner's, or to both, as the color swap says.
    pub fn arrival(&mut self, pe: usize, color: Color, side: Direction) -> NextHop {
        let (first, second) = received_on(color, side, |c| self.route_at(pe, c));
        let first = self.lane_of(pe, first);
        match second {
            Some(color) => NextHop::Both(first, self.lane_of(pe, color)),
            None => NextHop::Lane(first),
        }
    }

    /// The neighbour on one side.
    #[inline]
    pub fn neighbour(&self, pe: usize, side: Direction) -> Option<usize> {
        self.program.neighbour(pe, side)
    }

    /// The neighbour on one side, which exists.
    #[inline]
    pub fn beside(&self, pe: usize, side: Direction) -> usize {
        match side {
            Direction::North => pe - self.width,
            Direction::South => pe + self.width,
            Direction::East => pe + 1,
            Direction::West => pe - 1,
            Direction::Ramp => pe,
        }
    }

    /// Where a PE is.
    pub fn coord(&self, pe: usize) -> PeCoord {
        self.program.pe_coord(pe)
    }

    /// Links between two routers.
    pub fn distance(&self, one: usize, other: usize) -> u64 {
        let (a, b) = (self.coord(one), self.coord(other));
        u64::from(a.x.abs_diff(b.x)) + u64::from(a.y.abs_diff(b.y))
    }

    /// A wavelet has crossed the link to a lane: it wants an output there.
    #[inline(always)]
    pub fn push(&mut self, id: u32, side: Direction, flit: Flit) -> usize {
        let lane = &mut self.lanes[id as usize];
        lane.push(side, flit);
        let pe = lane.pe();
        self.routers[pe - self.first].wait(lane.color());
        pe
    }

    /// Prefetches a router that decides soon, its lanes that are ready, and the next lanes behind these.
    #[inline(always)]
    pub fn prefetch(&self, router: u32, soon: Soon) {
        let router = self.router(router as usize);
        match soon {
            Soon::Later => prefetch::value(router, size_of::<Router>()),
            Soon::Before => self.prefetch_lanes(router, router.ready()),
            Soon::Next => {
                for color in colors(router.ready()) {
                    let lane = &self.lanes[router.lane_of(color) as usize];
                    lane.next_lanes()
                        .for_each(|next| prefetch::value(&self.lanes[next as usize], LINK_BYTES));
                }
            }
        }
    }

    /// Prefetches a router whose PE runs soon.
    #[inline(always)]
    pub fn prefetch_sender(&self, router: u32, soon: Soon) {
        if soon == Soon::Later {
            prefetch::value(self.router(router as usize), size_of::<Router>());
        }
    }

    /// Prefetches a router that hands over wavelets soon, and their lanes.
    #[inline(always)]
    pub fn prefetch_down(&self, router: u32, soon: Soon) {
        let router = self.router(router as usize);
        match soon {
            Soon::Later => prefetch::value(router, size_of::<Router>()),
            Soon::Before => self.prefetch_lanes(router, router.offramp_occupied()),
            Soon::Next => {}
        }
    }

    #[inline(always)]
    fn prefetch_lanes(&self, router: &Router, set: u32) {
        for color in colors(set) {
            prefetch::value(&self.lanes[router.lane_of(color) as usize], size_of::<Lane>());
        }
    }

    /// Takes over the lanes of a band.
    pub fn adopt(&mut self, band: &Grid) {
        for lane in band.seams.own().flat_map(|pe| band.lanes_at(pe)) {
            let id = self.lane_of(lane.pe(), lane.color());
            let none = self.lanes[id as usize].route();
            self.lanes[id as usize] = lane.clone();
            self.lanes[id as usize].set_at_seam(false);
            self.lanes[id as usize].forget_next_hops();
            match band.route(lane).exists() {
                true => self.reconfigure(id, band.config(lane).clone()),
                false => self.lanes[id as usize].take_route(none, self.routes.get(none)),
            }
        }
    }

    /// Takes over the landings that a band has cached.
    pub fn learn_ways_of(&mut self, band: &Grid) {
        for lane in band.seams.own().flat_map(|pe| band.lanes_at(pe)) {
            let id = self.lane_of(lane.pe(), lane.color());
            for side in Direction::ALL.into_iter().filter(|side| lane.way(*side) != PackedHop::UNKNOWN) {
                self.landing(id, side);
            }
        }
    }

    /// Bytes of host memory that the routers hold beyond the program.
    #[cfg(test)]
    pub fn host_bytes(&self) -> usize {
        self.routers.capacity() * size_of::<Router>()
            + self.lanes.capacity() * size_of::<Lane>()
            + self.lanes.iter().map(Lane::host_bytes).sum::<usize>()
    }
}
