//! The fast path of arbitration: data that waits at one input of a router and leaves through one or several outputs.
//!
//! Fast path: without it, the official examples mandelbrot and cholesky execute 1.04 and 1.03 times the instructions.
//! The wavelets of a color of which it says `NotApplicable` are decided by `arbitration` as all others; the tests of
//! `fabric/tests/traffic.rs` and the properties in `tests/it/props/network.rs` hold both to one model.

use super::grid::Grid;
use super::lane::Lane;
use super::next_hop::NextHop;
use super::route::Mask;
use super::router::RAMP;
use crate::arch::Direction;

/// Copies of one wavelet that leave in this cycle.
#[derive(Copy, Clone)]
pub struct Move {
    pub pe: u32,
    pub lane: u32,
    pub input: Direction,
    /// The copies that leave now.
    pub targets: Mask,
    /// The copies that had not left before.
    pub all: Mask,
    /// Where the copy arrives, if one copy leaves, it crosses a link, and the next lane is cached.
    pub to: NextHop,
    /// Whether it is data, all copies of which leave to cached next lanes.
    pub is_plain: bool,
}

impl Move {
    /// Whether anything leaves, or the wavelet ends here.
    pub fn leaves(&self) -> bool {
        self.targets != 0 || self.all == 0
    }

    /// The side on which it leaves.
    pub fn target(&self) -> Direction {
        Direction::ALL[self.targets.trailing_zeros() as usize % 5]
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
    let (open, gate) = (lane.open(), lane.gate());
    if !lane.is_plain() || !open.is_power_of_two() {
        return if open == 0 && !lane.injects() { FastDecision::Waits } else { FastDecision::NotApplicable };
    }
    let input = Direction::ALL[open.trailing_zeros() as usize % 5];
    let Some(flit) = lane.head(input, now) else {
        return if lane.filled() == RAMP { FastDecision::InFlight } else { FastDecision::Waits };
    };
    if !flit.is_plain() || gate.tx & RAMP != 0 && lane.has_filter() {
        return FastDecision::NotApplicable;
    }
    let left = lane.head_state(input).left();
    let (all, is_plain) = if left == 0 { (gate.tx, true) } else { (left, false) };
    let one =
        Move { pe: lane.pe() as u32, lane: id, input, targets: all, all, to: NextHop::Unknown, is_plain };
    if !all.is_power_of_two() || !is_plain {
        return decide_copies(grid, lane, one);
    }
    if all == RAMP {
        return if lane.offramp().len() < grid.ramp_depth() {
            FastDecision::Grant(one)
        } else {
            FastDecision::Blocked
        };
    }
    let target = one.target();
    let Some(next) = lane.sole_next_hop().or_else(|| grid.look_up_course(id, target)) else {
        return FastDecision::NotApplicable;
    };
    if grid.lane(next).link(target.opposite()).len() < grid.link_depth() {
        FastDecision::Grant(Move { to: NextHop::Lane(next), ..one })
    } else {
        FastDecision::Blocked
    }
}

/// Decides about several copies: those leave for which there is room.
#[inline(always)]
fn decide_copies(grid: &Grid, lane: &Lane, one: Move) -> FastDecision {
    let (mut free, mut links) = (0, one.all & !RAMP);
    if one.all & RAMP != 0 && lane.offramp().len() < grid.ramp_depth() {
        free |= RAMP;
    }
    while links != 0 {
        let target = Direction::ALL[links.trailing_zeros() as usize % 5];
        let Some(next) = lane.way(target).lane() else { return FastDecision::NotApplicable };
        if grid.lane(next).link(target.opposite()).len() < grid.link_depth() {
            free |= 1 << target as u8;
        }
        links &= links - 1;
    }
    match free {
        0 => FastDecision::Blocked,
        _ => FastDecision::Grant(Move { targets: free, is_plain: one.is_plain && free == one.all, ..one }),
    }
}
