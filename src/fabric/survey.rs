//! For reports: which wavelets are left in the fabric when nothing moves any more, and why.

use super::control::SwitchCommand;
use super::grid::Grid;
use super::lane::Lane;
use super::links::Links;
use super::message_network::MessageNetwork;
use super::route::PositionSides;
use crate::arch::{Color, Direction, MESSAGE_COLOR};
use crate::image::routes::Directions;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Where wavelets lie.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum BufferPlace {
    /// Between the PE and its router.
    Onramp,
    /// At the router, come from this side.
    Link(Direction),
    /// Between the router and its PE.
    Offramp,
}

/// Why the oldest wavelet of a buffer cannot go on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Obstacle {
    /// The router has no route for the color.
    NoRoute,
    /// The route accepts nothing from this side.
    Closed(Direction),
    /// The position of the switch accepts nothing from this side, and another position does.
    Switch {
        /// The side.
        side: Direction,
        /// The position of the switch.
        position: u8,
        /// The first position that accepts the side.
        open: u8,
        /// Whether the switch has moved since the start.
        has_moved: bool,
    },
    /// The color is in teardown.
    Teardown,
    /// The next router on this side is full.
    Full(Direction),
    /// The PE takes no more.
    Pe,
    /// Only the host takes the color, and it takes no more words.
    Host,
}

/// Wavelets of one color in one place.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leftover {
    /// The PE whose router holds them.
    pub pe: usize,
    /// Their color.
    pub color: Color,
    /// Where they lie.
    pub place: BufferPlace,
    /// How many.
    pub count: usize,
    /// Why the first cannot go on.
    pub obstacle: Obstacle,
}

/// The router at which the route of a color to a waiting PE is broken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RouteBreak {
    /// The PE of the router.
    pub pe: usize,
    /// The color there.
    pub color: Color,
    /// What is missing.
    pub gap: RouteGap,
}

/// How a router breaks the route of a color.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RouteGap {
    /// It has no route for the color.
    NoRoute,
    /// It passes nothing to its PE.
    NotToPe,
    /// It passes nothing on to this side.
    Elsewhere(Direction),
    /// It expects the color from this side, where the router has no route for it.
    NothingFrom(Direction),
    /// It expects the color from this side, where no PE is.
    FromOutside(Direction),
}

/// What a router does with a color.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SwitchState {
    /// The position of the switch.
    pub position: u8,
    /// Where wavelets may come from in this position.
    pub rx: Directions,
    /// Where they go.
    pub tx: Directions,
}

/// What lies in a fabric that stands still.
#[derive(Copy, Clone)]
pub struct Survey<'f> {
    grid: &'f Grid,
    messages: &'f MessageNetwork,
    links: &'f Links,
}

impl<'f> Survey<'f> {
    /// A survey of a fabric with these parts.
    pub(super) fn new(grid: &'f Grid, messages: &'f MessageNetwork, links: &'f Links) -> Survey<'f> {
        Survey { grid, messages, links }
    }

    /// Everything that lies in the fabric, by PE and color.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut all = Vec::new();
        let used = if self.grid.lanes().is_empty() { 0 } else { self.grid.size() };
        for lane in (0..used).flat_map(|pe| self.grid.lanes_at(pe)) {
            self.leftovers_of(lane, &mut all);
        }
        all
    }

    /// How many wavelets lie in the fabric, by color.
    pub fn under_way(&self) -> BTreeMap<Color, usize> {
        let mut all = BTreeMap::new();
        for lane in self.grid.lanes() {
            let at_router: usize = Direction::ALL.into_iter().map(|input| lane.waiting(input)).sum();
            let count = at_router + self.descending(lane);
            if count > 0 {
                *all.entry(lane.color()).or_default() += count;
            }
        }
        for passage in self.links.passages() {
            *all.entry(self.grid.lane(passage.lane).color()).or_default() += 1;
        }
        all
    }

    /// What the router of a PE does with a color now; `None` if it has not been used there yet.
    pub fn switch(&self, pe: usize, color: Color) -> Option<SwitchState> {
        let lane = self.grid.known_lane(pe, color)?;
        let (position, gate) = (lane.position(), lane.gate());
        Some(SwitchState { position, rx: gate.rx, tx: gate.tx })
    }

    /// Whether a control wavelet can move the switch of a color at the router of a PE.
    pub fn is_switched(&self, pe: usize, color: Color) -> bool {
        self.grid.known_lane(pe, color).is_some_and(|lane| {
            let position = lane.position();
            self.grid.route(lane).after(position, SwitchCommand::Advance) != position
        })
    }

    /// Everything that lies at the router of a PE and on its ramps.
    pub fn leftovers_at(&self, pe: usize) -> Vec<Leftover> {
        let mut all = Vec::new();
        if !self.grid.lanes().is_empty() {
            self.grid.lanes_at(pe).for_each(|lane| self.leftovers_of(lane, &mut all));
        }
        all
    }

    fn leftovers_of(&self, lane: &Lane, all: &mut Vec<Leftover>) {
        let (pe, color) = (lane.pe(), lane.color());
        for input in Direction::ALL.into_iter().filter(|d| lane.waiting(*d) > 0) {
            let place = if input == Direction::Ramp { BufferPlace::Onramp } else { BufferPlace::Link(input) };
            let (count, obstacle) = (lane.waiting(input), self.obstacle(lane, input));
            all.push(Leftover { pe, color, place, count, obstacle });
        }
        let count = self.descending(lane);
        if count > 0 {
            all.push(Leftover { pe, color, place: BufferPlace::Offramp, count, obstacle: Obstacle::Pe });
        }
    }

    /// Wavelets between a router and its PE, and what waits behind them.
    fn descending(&self, lane: &Lane) -> usize {
        match lane.offramp().len() {
            0 => 0,
            ramp if lane.color() == MESSAGE_COLOR => ramp + self.messages.waiting_for(lane.pe()),
            ramp => ramp,
        }
    }

    fn obstacle(&self, lane: &Lane, input: Direction) -> Obstacle {
        let route = self.grid.route(lane);
        if !route.exists() {
            return if self.grid.goes_to_host(lane.color()) { Obstacle::Host } else { Obstacle::NoRoute };
        }
        if lane.is_torn_down() {
            return Obstacle::Teardown;
        }
        let left = lane.head_state(input).left();
        let open = if lane.injects() { route.widest() } else { lane.gate() };
        if left.is_empty() && !open.rx.contains(input) {
            let (side, position) = (input, lane.position());
            let accepts = |gate: &PositionSides| gate.rx.contains(side);
            return match route.gates().iter().position(accepts) {
                Some(open) => {
                    let (open, has_moved) = (open as u8, position != route.start);
                    Obstacle::Switch { side, position, open, has_moved }
                }
                None => Obstacle::Closed(side),
            };
        }
        let targets = if left.is_empty() { lane.gate().tx } else { left };
        let blocked = targets.iter().find_map(|d| match (d, self.grid.landing_of(lane, d)) {
            (Direction::Ramp, _) => (lane.offramp().len() >= self.grid.ramp_depth()).then_some(Obstacle::Pe),
            (_, landing) => {
                let full = |l: u32| self.grid.lane(l).waiting(d.opposite()) >= self.grid.link_depth();
                landing.lanes().any(full).then_some(Obstacle::Full(d))
            }
        });
        blocked.unwrap_or(Obstacle::Pe)
    }

    /// What finally blocks a color that a PE cannot send: follows full routers downstream to the first one that is
    /// blocked by something else.
    pub fn blockage(&self, pe: usize, color: Color) -> Option<Leftover> {
        self.blockage_behind(pe, color, Direction::Ramp)
    }

    /// The same for what comes to the router of a PE on one side.
    pub fn blockage_behind(&self, pe: usize, color: Color, input: Direction) -> Option<Leftover> {
        if let Some(to) = self.messages.held_up_by(pe).filter(|_| color == MESSAGE_COLOR) {
            let count = self.messages.waiting_for(to);
            return Some(Leftover {
                pe: to,
                color,
                place: BufferPlace::Offramp,
                count,
                obstacle: Obstacle::Pe,
            });
        }
        let mut seen = BTreeSet::new();
        let (mut at, mut input) = (pe, input);
        loop {
            let lane = self.grid.known_lane(at, color)?;
            let mut here = Vec::new();
            self.leftovers_of(lane, &mut here);
            let wanted =
                if input == Direction::Ramp { BufferPlace::Onramp } else { BufferPlace::Link(input) };
            let stuck = *here.iter().find(|l| l.place == wanted)?;
            let Obstacle::Full(side) = stuck.obstacle else { return Some(stuck) };
            at = self.grid.neighbour(at, side)?;
            input = side.opposite();
            if !seen.insert((at, input)) {
                return Some(stuck);
            }
        }
    }

    /// PEs whose wavelets of a color can reach a PE, whatever the switches do.
    pub fn senders(&self, pe: usize, color: Color) -> Vec<usize> {
        let mut senders = BTreeSet::new();
        if color == MESSAGE_COLOR {
            senders.extend(self.messages.senders(pe));
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![(pe, color)];
        while let Some((at, color)) = open.pop() {
            if !seen.insert((at, color)) {
                continue;
            }
            let gate = self.widest_gate(at, color);
            for side in gate.rx.iter() {
                if side == Direction::Ramp {
                    senders.insert(at);
                    continue;
                }
                let Some(next) = self.grid.neighbour(at, side) else { continue };
                for c in self.colors_that_become(at, color) {
                    if self.widest_gate(next, c).tx.contains(side.opposite()) {
                        open.push((next, c));
                    }
                }
            }
        }
        senders.into_iter().collect()
    }

    /// Whether any position of a PE's route leads to its own ramp.
    pub fn reaches_pe(&self, pe: usize, color: Color) -> bool {
        self.widest_gate(pe, color).tx.contains(Direction::Ramp)
    }

    /// Where the route of a color to the ramp of a PE is broken: follows the routes upstream to the first router that
    /// does not pass the color on. `None` if the route begins at the ramp of another PE.
    pub fn break_before(&self, pe: usize, color: Color) -> Option<RouteBreak> {
        let here = |pe, color, gap| Some(RouteBreak { pe, color, gap });
        match self.widest_gate(pe, color) {
            PositionSides { rx: Directions::NONE, tx: Directions::NONE } => {
                return here(pe, color, RouteGap::NoRoute);
            }
            gate if !gate.tx.contains(Direction::Ramp) => return here(pe, color, RouteGap::NotToPe),
            _ => {}
        }
        let (mut seen, mut open) = (BTreeSet::new(), vec![(pe, color)]);
        let mut found: Option<RouteBreak> = None;
        while let Some((at, color)) = open.pop() {
            if !seen.insert((at, color)) {
                continue;
            }
            let gate = self.widest_gate(at, color);
            if gate.rx.contains(Direction::Ramp) {
                return None;
            }
            for side in gate.rx.iter() {
                let Some(next) = self.grid.neighbour(at, side) else {
                    if self.grid.known_lane(at, color).is_some_and(Lane::is_fed_by_host) {
                        return None;
                    }
                    found = found.or(here(at, color, RouteGap::FromOutside(side)));
                    continue;
                };
                let towards = |c: &Color| self.widest_gate(next, *c).tx.contains(side.opposite());
                let before = self.colors_that_become(at, color);
                match before.iter().find(|c| towards(c)) {
                    Some(c) => open.push((next, *c)),
                    None if self.grid.declared_route(next, color).exists() => {
                        found = here(next, color, RouteGap::Elsewhere(side.opposite()));
                    }
                    None => found = found.or(here(at, color, RouteGap::NothingFrom(side))),
                }
            }
        }
        found
    }

    /// What a router lets through in any position, by its route at the start or by the one that it has now: the program
    /// may have changed it.
    fn widest_gate(&self, pe: usize, color: Color) -> PositionSides {
        let declared = self.grid.declared_route(pe, color).widest();
        let now = self.grid.known_lane(pe, color).map(|lane| self.grid.route(lane).widest());
        let now = now.unwrap_or_default();
        PositionSides { rx: declared.rx | now.rx, tx: declared.tx | now.tx }
    }

    /// Whether a filter stands between the router of a PE and its ramp.
    pub fn has_filter(&self, pe: usize, color: Color) -> bool {
        self.grid.known_lane(pe, color).is_some_and(Lane::has_filter)
    }

    fn colors_that_become(&self, pe: usize, color: Color) -> Vec<Color> {
        let route = self.grid.declared_route(pe, color);
        match route.swap_x || route.swap_y {
            true => vec![color, Color(color.0 ^ 1)],
            false => vec![color],
        }
    }

    /// Wavelets of a color that a PE has sent.
    pub fn sent(&self, pe: usize, color: Color) -> u64 {
        self.grid.known_lane(pe, color).map_or(0, Lane::sent)
    }

    /// Wavelets of a color that a PE has been given.
    pub fn received(&self, pe: usize, color: Color) -> u64 {
        self.grid.known_lane(pe, color).map_or(0, Lane::received)
    }
}
