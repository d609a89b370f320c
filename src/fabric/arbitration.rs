//! Arbitration: which wavelets leave a router in a cycle, and through which outputs.

use super::control;
use super::fast_path::{FastDecision, Move, decide_fast};
use super::flit_ids::FlitIds;
use super::grid::Grid;
use super::next_hop::NextHop;
use super::router::colors;
use crate::arch::{Color, Direction};
use crate::image::routes::Directions;

/// A request for an output. The lowest rank wins: round robin over the colors, then over the inputs, each after the
/// one served last.
#[derive(Copy, Clone)]
struct OutputRequest {
    rank: u8,
    lane: u32,
    input: Direction,
    all: Directions,
}

/// Wavelets of one color that have come to a router from several sides that it accepts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The router.
    pub pe: usize,
    /// The color.
    pub color: Color,
    /// The sides.
    pub sides: Directions,
}

/// What all routers have decided in a cycle, as a list of moves.
#[derive(Clone, Default)]
pub struct Arbiter {
    moves: Vec<Move>,
    /// How many of the moves have been carried out.
    carried: usize,
    /// Whether collisions are detected.
    checked: bool,
    /// Collisions that nobody has taken yet.
    collisions: Vec<Collision>,
}

impl Arbiter {
    /// From now on looks for collisions.
    pub fn check(&mut self) {
        self.checked = true;
    }

    /// Detects collisions if another arbiter does.
    pub fn check_like(&mut self, other: &Arbiter) {
        self.checked = other.checked;
    }

    /// Collisions since the last call.
    #[inline]
    pub fn take_collisions(&mut self) -> Vec<Collision> {
        std::mem::take(&mut self.collisions)
    }

    /// Takes the next move if it belongs to a router with a number below a bound.
    #[inline]
    pub fn take_below(&mut self, bound: u32) -> Option<Move> {
        let next = self.moves.get(self.carried).copied().filter(|m| m.pe < bound)?;
        self.carried += 1;
        Some(next)
    }

    /// Takes all moves, and says how many of them were taken before.
    pub fn take_all(&mut self) -> (Vec<Move>, usize) {
        (std::mem::take(&mut self.moves), std::mem::take(&mut self.carried))
    }

    /// Takes the list back, to reuse its memory.
    pub fn keep(&mut self, mut moves: Vec<Move>) {
        moves.clear();
        self.moves = moves;
    }

    /// Grants each output of a router to one wavelet.
    #[inline(always)]
    pub fn decide(&mut self, grid: &mut Grid, flit_ids: &mut FlitIds, pe: usize, now: u64) {
        let waiting = grid.router(pe).ready();
        if waiting == 0 {
            return;
        }
        if waiting.is_power_of_two() && !flit_ids.is_recording() {
            let id = grid.only_lane_of(waiting, pe);
            match decide_fast(grid, id, now) {
                FastDecision::Grant(one) => return self.moves.push(one),
                FastDecision::Blocked => {
                    let (router, lane) = grid.parts(pe, id);
                    return router.stall(lane.color());
                }
                FastDecision::InFlight => {
                    let (router, lane) = grid.parts(pe, id);
                    return router.mark_onramp_in_flight(lane.color());
                }
                FastDecision::Waits => return,
                FastDecision::NotApplicable if comes_from_one_side(grid, id) => {
                    return self.decide_copies(grid, pe, id, now);
                }
                FastDecision::NotApplicable => {}
            }
        }
        self.decide_several(grid, flit_ids, pe, waiting, now);
    }

    /// Decides about a wavelet whose color waits alone at its router: every copy leaves for which there is room.
    fn decide_copies(&mut self, grid: &mut Grid, pe: usize, id: u32, now: u64) {
        self.moves.extend(copies(grid, pe, id, now).filter(Move::leaves));
    }

    fn decide_several(&mut self, grid: &mut Grid, flit_ids: &mut FlitIds, pe: usize, waiting: u32, now: u64) {
        let first = self.moves.len();
        if flit_ids.is_recording() || !self.arbitrate_single_inputs(grid, pe, waiting, now) {
            self.moves.truncate(first);
            self.arbitrate(grid, flit_ids, pe, waiting, now);
        }
    }

    /// Arbitrates between colors that wait at one input each; false if a color waits at several inputs.
    fn arbitrate_single_inputs(&mut self, grid: &mut Grid, pe: usize, waiting: u32, now: u64) -> bool {
        let first = self.moves.len();
        let (mut used, mut contested) = (Directions::NONE, Directions::NONE);
        for color in colors(waiting) {
            let id = grid.waiting_lane(pe, color);
            let one = match decide_fast(grid, id, now) {
                FastDecision::Grant(one) => one,
                FastDecision::Blocked => {
                    grid.router_mut(pe).stall(color);
                    continue;
                }
                FastDecision::InFlight => {
                    grid.router_mut(pe).mark_onramp_in_flight(color);
                    continue;
                }
                FastDecision::Waits => continue,
                FastDecision::NotApplicable if !comes_from_one_side(grid, id) => return false,
                FastDecision::NotApplicable => match copies(grid, pe, id, now) {
                    Some(one) if one.leaves() => one,
                    Some(_) | None => continue,
                },
            };
            contested |= one.targets & used;
            used |= one.targets;
            self.moves.push(one);
        }
        if !contested.is_empty() {
            self.settle(grid, pe, contested, first);
        }
        true
    }

    /// Resolves contention: of the colors that want one output, only the one whose turn it is keeps it.
    fn settle(&mut self, grid: &Grid, pe: usize, contested: Directions, first: usize) {
        let (router, moves) = (grid.router(pe), &mut self.moves[first..]);
        for side in contested.iter() {
            let turn = |m: &Move| router.turns_until(grid.lane(m.lane).color(), side);
            let next = moves.iter().filter(|m| m.targets.contains(side)).map(turn).min();
            for m in moves.iter_mut().filter(|m| m.targets.contains(side)) {
                if Some(turn(m)) != next {
                    m.targets.remove(side);
                }
            }
        }
        let mut at = first;
        while let Some(m) = self.moves.get(at) {
            match m.leaves() {
                true => at += 1,
                false => drop(self.moves.remove(at)),
            }
        }
    }

    fn arbitrate(&mut self, grid: &mut Grid, flit_ids: &mut FlitIds, pe: usize, waiting: u32, now: u64) {
        let mut claims: [Option<OutputRequest>; 5] = [None; 5];
        for color in colors(waiting) {
            let id = grid.waiting_lane(pe, color);
            if grid.lane(id).is_torn_down() {
                continue;
            }
            if grid.lane(id).injects() {
                grid.choose_side(id, now);
                flit_ids.note_switch(grid, id);
            }
            if self.checked && grid.lane(id).filled().sole().is_none() {
                self.note_collision(grid, id, now);
            }
            let is_one_sided = comes_from_one_side(grid, id);
            for input in grid.lane(id).filled().iter() {
                let is_held_up = !self.claim(grid, id, input, now, &mut claims);
                if is_held_up && is_one_sided {
                    grid.router_mut(pe).stall(color);
                }
            }
        }
        let first = self.moves.len();
        for (output, claim) in Direction::ALL.into_iter().zip(&claims) {
            let Some(OutputRequest { lane: id, input, all, .. }) = *claim else { continue };
            let same = self.moves[first..].iter().position(|m| m.lane == id && m.input == input);
            let mut one = Move::general(pe, id, input, Directions::only(output), all);
            // Of several inputs of a color, the one that has the last output is served last.
            if let Some(at) = same {
                one.targets |= self.moves.remove(first + at).targets;
            }
            self.moves.push(one);
        }
    }

    /// Notes a collision: the order in which a router takes wavelets of one color from several sides is undefined.
    fn note_collision(&mut self, grid: &Grid, lane: u32, now: u64) {
        let lane = grid.lane(lane);
        let open = lane.filled() & lane.gate().rx;
        if open.len() < 2 {
            return;
        }
        let sides: Directions = open.iter().filter(|d| lane.head(*d, now).is_some()).collect();
        if sides.len() > 1 {
            self.collisions.push(Collision { pe: lane.pe(), color: lane.color(), sides });
        }
    }

    /// Requests every output that has room for the oldest wavelet of an input; false if that wavelet is there and no
    /// output has room for it.
    fn claim(
        &mut self,
        grid: &mut Grid,
        id: u32,
        input: Direction,
        now: u64,
        claims: &mut [Option<OutputRequest>; 5],
    ) -> bool {
        let Some(all) = targets(grid, id, input, now) else { return true };
        if all.is_empty() {
            // A filter drops it, or its route has no output: it leaves without a copy.
            self.moves.push(Move::general(grid.lane(id).pe(), id, input, Directions::NONE, all));
            return true;
        }
        let mut may_leave = false;
        let lane = grid.lane(id);
        let (pe, color, last_input) = (lane.pe(), lane.color(), lane.last_input());
        for target in all.iter() {
            if !has_room(grid, id, target) {
                continue;
            }
            may_leave = true;
            let turn = grid.router(pe).turns_until(color, target);
            let rank = turn * 5 + (input as u8 + 4 - last_input) % 5;
            let slot = &mut claims[target as usize];
            if slot.is_none_or(|c| rank < c.rank) {
                *slot = Some(OutputRequest { rank, lane: id, input, all });
            }
        }
        may_leave
    }
}

/// Whether only one input of a lane holds wavelets that may leave, and the lane does not inject.
fn comes_from_one_side(grid: &Grid, id: u32) -> bool {
    let lane = grid.lane(id);
    !lane.injects() && lane.open().sole().is_some()
}

/// The move of the oldest wavelet of a lane with one open input: all copies for which there is room; `None` if it
/// cannot leave yet. If no copy has room, the color stalls until there is some.
fn copies(grid: &mut Grid, pe: usize, id: u32, now: u64) -> Option<Move> {
    let lane = grid.lane(id);
    if lane.is_torn_down() {
        return None;
    }
    let input = lane.open().sole()?;
    let all = targets(grid, id, input, now)?;
    let mut targets = Directions::NONE;
    for target in all.iter() {
        if has_room(grid, id, target) {
            targets.insert(target);
        }
    }
    if targets.is_empty() && !all.is_empty() {
        let (router, lane) = grid.parts(pe, id);
        router.stall(lane.color());
    }
    Some(Move::general(pe, id, input, targets, all))
}

/// The outputs that the oldest wavelet of an input still has to reach; `None` if it cannot leave yet.
fn targets(grid: &mut Grid, id: u32, input: Direction, now: u64) -> Option<Directions> {
    let lane = grid.lane_mut(id);
    let flit = *lane.head(input, now)?;
    let left = lane.head_state(input).left();
    if !left.is_empty() {
        return Some(left);
    }
    if !lane.gate().rx.contains(input) {
        return None;
    }
    let mut targets = lane.gate().tx;
    if !targets.contains(Direction::Ramp) {
        return Some(targets);
    }
    let skips = flit.is_control() && control::skips_ce(flit.word);
    if skips || !lane.pass_filter(input, flit) {
        targets.remove(Direction::Ramp);
    }
    Some(targets)
}

/// Whether there is room where a copy arrives that leaves a lane on one side.
#[inline(always)]
fn has_room(grid: &mut Grid, id: u32, target: Direction) -> bool {
    if target == Direction::Ramp {
        return grid.lane(id).offramp().len() < grid.ramp_depth();
    }
    let landing = grid.landing(id, target);
    let side = target.opposite();
    // There is always room outside of the rectangle; the wavelet is lost.
    landing != NextHop::Unknown
        && landing.lanes().all(|next| grid.lane(next).link(side).len() < grid.link_depth())
}
