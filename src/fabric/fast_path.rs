//! The fast path of arbitration: data that waits at one input of a router and leaves through one or several outputs.
//!
//! Fast path: without it, the official examples mandelbrot and cholesky execute 1.04 and 1.03 times the instructions.
//! The wavelets of a color of which it says `NotApplicable` are decided by `arbitration` as all others; the tests of
//! `fabric/tests/traffic.rs` and the properties in `tests/it/props/network.rs` hold both to one model.

use super::grid::Grid;
use super::lane::Lane;
use super::next_hop::PackedHop;
use crate::arch::Direction;
use crate::image::routes::Directions;

/// Copies of one wavelet that leave in this cycle.
#[derive(Copy, Clone)]
pub struct Move {
    pub pe: u32,
    pub lane: u32,
    /// The next lane behind the only link among the outputs, if the fast path has looked it up.
    pub next: PackedHop,
    pub input: Direction,
    /// The copies that leave now.
    pub targets: Directions,
    /// The copies that had not left before.
    pub all: Directions,
    /// Whether it is data whose next lanes are all cached and single.
    pub is_data: bool,
}

impl Move {
    /// A move that the general path carries out: the copies `targets` of `all` leave now.
    pub fn general(pe: usize, lane: u32, input: Direction, targets: Directions, all: Directions) -> Move {
        Move { pe: pe as u32, lane, next: PackedHop::UNKNOWN, input, targets, all, is_data: false }
    }

    /// Whether anything leaves, or the wavelet ends here.
    #[inline]
    pub fn leaves(&self) -> bool {
        !self.targets.is_empty() || self.all.is_empty()
    }

    /// Whether no copy is left behind.
    #[inline]
    pub fn ends(&self) -> bool {
        (self.all - self.targets).is_empty()
    }
}

/// What the fast path decides about one color at a router.
pub enum FastDecision {
    /// Copies of the oldest wavelet leave, unless another color wants the same outputs.
    Grant(Move),
    /// No copy has room.
    Blocked,
    /// It is still on the onramp.
    InFlight,
    /// No wavelet may leave yet, for another reason.
    Waits,
    /// The fast path does not apply.
    NotApplicable,
}

/// Decides about a color at a router if all that its oldest wavelet can do is to leave through the outputs of its
/// route.
#[inline(always)]
pub fn decide_fast(grid: &mut Grid, id: u32, now: u64) -> FastDecision {
    let lane = grid.lane(id);
    let (pe, open, gate) = (lane.pe() as u32, lane.open(), lane.gate());
    let Some(input) = open.sole().filter(|_| lane.is_plain()) else {
        let is_empty = open.is_empty() && !lane.injects();
        return if is_empty { FastDecision::Waits } else { FastDecision::NotApplicable };
    };
    let Some(flit) = lane.head(input, now) else {
        return if lane.filled() == Directions::RAMP { FastDecision::InFlight } else { FastDecision::Waits };
    };
    if !flit.is_plain() || gate.tx.contains(Direction::Ramp) && lane.has_filter() {
        return FastDecision::NotApplicable;
    }
    let all = match lane.head_state(input).left() {
        Directions::NONE => gate.tx,
        left => left,
    };
    let (mut free, links) = (Directions::NONE, all - Directions::RAMP);
    if all.contains(Direction::Ramp) && lane.offramp().len() < grid.ramp_depth() {
        free = Directions::RAMP;
    }
    let mut next = PackedHop::UNKNOWN;
    // What is left may go where an earlier position of the switch led.
    if let Some(target) = links.sole().filter(|_| links == gate.tx - Directions::RAMP) {
        let Some(to) = lane.sole_next_hop().or_else(|| grid.look_up_course(id, target)) else {
            return FastDecision::NotApplicable;
        };
        next = PackedHop::single(to);
        if grid.lane(to).link(target.opposite()).len() < grid.link_depth() {
            free |= links;
        }
    } else if !links.is_empty() {
        let Some(with_room) = links_with_room(grid, lane, links) else { return FastDecision::NotApplicable };
        free |= with_room;
    }
    match free {
        Directions::NONE => FastDecision::Blocked,
        targets => FastDecision::Grant(Move { pe, lane: id, next, input, targets, all, is_data: true }),
    }
}

/// Those of several links that have room; `None` if a next lane is not cached, or there are two.
#[inline]
fn links_with_room(grid: &Grid, lane: &Lane, links: Directions) -> Option<Directions> {
    let mut free = Directions::NONE;
    for target in links.iter() {
        let next = lane.way(target).lane()?;
        if grid.lane(next).link(target.opposite()).len() < grid.link_depth() {
            free.insert(target);
        }
    }
    Some(free)
}
