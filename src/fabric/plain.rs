//! What most wavelets do: data that enters a router on one side, and leaves it on one other, or on several at once.
//!
//! Fast path: without it, the official examples mandelbrot and cholesky execute 1.04 and 1.03 times the instructions.
//! The wavelets of a color of which it says `Unclear` are decided by `arbitration` as all others; the tests of
//! `fabric/tests/traffic.rs` and the properties in `tests/it/props/network.rs` hold both to one model.

use super::grid::Grid;
use super::lane::Lane;
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
    /// These are all copies of plain data, which go where all others of its lane go.
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
    /// Copies of the oldest one leave, as far as nobody else wants the same sides.
    Goes(Move),
    /// It waits for room where it goes.
    Blocked,
    /// It is still on its way up the ramp.
    Comes,
    /// It waits for something else.
    Waits,
    /// It takes more to say.
    Unclear,
}

/// Decides over a color of which wavelets wait at a router, if all that its oldest wavelet can do is to
/// leave on the sides of its route.
#[inline(always)]
pub fn decide_plainly(grid: &mut Grid, id: u32, now: u64) -> Plain {
    let lane = grid.lane(id);
    let (open, gate) = (lane.open(), lane.gate());
    if !lane.is_plain() || !open.is_power_of_two() {
        return if open == 0 && !lane.injects() { Plain::Waits } else { Plain::Unclear };
    }
    let input = Direction::ALL[open.trailing_zeros() as usize % 5];
    let Some(flit) = lane.head(input, now) else {
        return if lane.filled() == RAMP { Plain::Comes } else { Plain::Waits };
    };
    if !flit.is_plain() || gate.tx & RAMP != 0 && lane.has_filter() {
        return Plain::Unclear;
    }
    let left = lane.head_state(input).left();
    let (all, is_plain) = if left == 0 { (gate.tx, true) } else { (left, false) };
    let one =
        Move { pe: lane.pe() as u32, lane: id, input, targets: all, all, to: Landing::Unknown, is_plain };
    if !all.is_power_of_two() || !is_plain {
        return decide_copies(grid, lane, one);
    }
    if all == RAMP {
        return if lane.offramp().len() < grid.ramp_depth() { Plain::Goes(one) } else { Plain::Blocked };
    }
    let target = one.target();
    let Some(next) = lane.course().or_else(|| grid.look_up_course(id, target)) else {
        return Plain::Unclear;
    };
    if grid.lane(next).link(target.opposite()).len() < grid.link_depth() {
        Plain::Goes(Move { to: Landing::Lane(next), ..one })
    } else {
        Plain::Blocked
    }
}

/// Those of several copies leave that find room.
#[inline(always)]
fn decide_copies(grid: &Grid, lane: &Lane, one: Move) -> Plain {
    let (mut free, mut links) = (0, one.all & !RAMP);
    if one.all & RAMP != 0 && lane.offramp().len() < grid.ramp_depth() {
        free |= RAMP;
    }
    while links != 0 {
        let target = Direction::ALL[links.trailing_zeros() as usize % 5];
        let Some(next) = lane.way(target).lane() else { return Plain::Unclear };
        if grid.lane(next).link(target.opposite()).len() < grid.link_depth() {
            free |= 1 << target as u8;
        }
        links &= links - 1;
    }
    match free {
        0 => Plain::Blocked,
        _ => Plain::Goes(Move { targets: free, is_plain: one.is_plain && free == one.all, ..one }),
    }
}
