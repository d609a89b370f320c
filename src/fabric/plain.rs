//! What most wavelets do: data that enters a router on one side, and leaves it on one other.
//!
//! Fast path: without it, the official examples mandelbrot and cholesky execute 1.04 and 1.03 times the instructions.
//! The wavelets of a color of which it says `Unclear` are decided by `arbitration` as all others; the tests of
//! `fabric/tests/traffic.rs` and the properties in `tests/it/props/network.rs` hold both to one model.

use super::buffer::HeadState;
use super::grid::Grid;
use super::route::Mask;
use super::router::RAMP;
use super::way::Landing;
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
    /// Where the only copy lands that leaves now, if it crosses a link and that is known.
    pub to: Landing,
    /// It is the only copy of plain data, and goes where all others of its lane go.
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

/// What becomes of the wavelets of a color at a router in one cycle.
pub enum Plain {
    /// The oldest one leaves, if nobody else wants the same side.
    Goes(Move),
    /// It waits for room where it goes.
    Blocked,
    /// It waits for something else.
    Waits,
    /// It takes more to say.
    Unclear,
}

/// Decides over a color of which wavelets wait at a router, if all that its oldest wavelet can do is to
/// leave on one side.
#[inline(always)]
pub fn decide_plainly(grid: &mut Grid, id: u32, now: u64) -> Plain {
    let lane = grid.lane(id);
    if !lane.is_plain() {
        return Plain::Unclear;
    }
    let (came, gate) = (lane.filled(), lane.gate());
    let input = Direction::ALL[came.trailing_zeros() as usize % 5];
    let Some(flit) = lane.head(input, now) else { return Plain::Waits };
    if !flit.is_plain() || lane.head_state(input) != HeadState::UNTOUCHED {
        return Plain::Unclear;
    }
    if gate.rx & came == 0 {
        return Plain::Waits;
    }
    let one = Move {
        pe: lane.pe() as u32,
        lane: id,
        input,
        targets: gate.tx,
        all: gate.tx,
        to: Landing::Unknown,
        is_plain: true,
    };
    if gate.tx != RAMP {
        return decide_over_link(grid, one);
    }
    if lane.has_filter() {
        return Plain::Unclear;
    }
    if lane.offramp().len() < grid.ramp_depth() { Plain::Goes(one) } else { Plain::Blocked }
}

#[inline(always)]
fn decide_over_link(grid: &mut Grid, one: Move) -> Plain {
    let target = one.target();
    let Some(next) = grid.course(one.lane, target) else { return Plain::Unclear };
    if grid.lane(next).link(target.opposite()).len() < grid.link_depth() {
        Plain::Goes(Move { to: Landing::Lane(next), ..one })
    } else {
        Plain::Blocked
    }
}
