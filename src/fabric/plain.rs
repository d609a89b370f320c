//! What most wavelets do: data that enters a router on one side, and leaves it on one other.

use super::lane::{Flit, HeadState, Landing};
use super::moves::Move;
use super::router::{RAMP, bit};
use super::{Fabric, Wavelet};
use crate::arch::{Color, Direction};

/// What becomes of the wavelets of a color at a router in one cycle.
pub(super) enum Plain {
    /// The oldest one leaves, if nobody else wants the same side.
    Goes(Move),
    /// It waits for room where it goes.
    Blocked,
    /// It waits for something else.
    Waits,
    /// It takes more to say.
    Unclear,
}

impl Fabric {
    /// Decides over a color of which wavelets wait at a router, if all that its oldest wavelet can do is to
    /// leave on one side.
    #[inline(always)]
    pub(super) fn decide_plainly(&mut self, id: u32, now: u64) -> Plain {
        let lane = &self.lanes[id as usize];
        let (came, goes) = (lane.filled, lane.gate.tx);
        if lane.inject.is_some() || !came.is_power_of_two() || !goes.is_power_of_two() || lane.teardown {
            return Plain::Unclear;
        }
        let input = Direction::ALL[came.trailing_zeros() as usize % 5];
        let Some(flit) = lane.head(input, now) else { return Plain::Waits };
        if !flit.is_plain() || lane.heads[input as usize] != HeadState::UNTOUCHED {
            return Plain::Unclear;
        }
        if lane.gate.rx & came == 0 {
            return Plain::Waits;
        }
        let one = Move {
            pe: lane.pe,
            lane: id,
            input,
            targets: goes,
            all: goes,
            to: Landing::Unknown,
            is_plain: true,
        };
        if goes != RAMP {
            return self.decide_over_link(one);
        }
        if lane.filter.is_some() {
            return Plain::Unclear;
        }
        if lane.offramp.len() < self.onramp_depth() { Plain::Goes(one) } else { Plain::Blocked }
    }

    #[inline(always)]
    fn decide_over_link(&mut self, one: Move) -> Plain {
        let target = one.target();
        let known = self.lanes[one.lane as usize].course.lane();
        let Some(next) = known.or_else(|| self.look_up_course(one.lane, target)) else {
            return Plain::Unclear;
        };
        if self.lanes[next as usize].link(target.opposite()).len() < self.link_depth {
            Plain::Goes(Move { to: Landing::Lane(next), ..one })
        } else {
            Plain::Blocked
        }
    }

    #[cold]
    fn look_up_course(&mut self, id: u32, target: Direction) -> Option<u32> {
        let _ = self.landing(id, target);
        let lane = &mut self.lanes[id as usize];
        lane.course = lane.ways[target as usize];
        lane.course.lane()
    }

    /// The lane of the only color of a set.
    #[inline(always)]
    pub(super) fn only_lane_of(&self, set: u32, pe: usize) -> u32 {
        let color = Color(set.trailing_zeros() as u8);
        self.routers[pe].lane(color).expect("its wavelets are in a lane")
    }

    /// Lets such a wavelet leave, the only one at its router.
    #[inline(always)]
    pub(super) fn grant(&mut self, pe: usize, one: Move) {
        let lane = &mut self.lanes[one.lane as usize];
        lane.last_input = one.input as u8;
        self.routers[pe].serve_one(one.target(), lane.color);
        self.moves.push(one);
    }

    /// Moves such a wavelet.
    #[inline(always)]
    pub(super) fn carry_plainly(&mut self, m: &Move, now: u64) {
        let pe = m.pe as usize;
        self.hops = self.hops.wrapping_add(1);
        let flit = match m.input {
            Direction::Ramp => self.take_from_ramp(pe, m.lane, now),
            side => self.take_from_link(pe, m.lane, side),
        };
        match m.to {
            Landing::Lane(next) => self.land(next, m.target().opposite(), flit, now),
            _ => self.descend(m.lane, now + u64::from(self.arch.ramp_latency), flit),
        }
        if self.routers[pe].ready() != 0 {
            self.list(pe);
        }
    }

    #[inline(always)]
    fn take_from_ramp(&mut self, pe: usize, id: u32, now: u64) -> Flit {
        let lane = &mut self.lanes[id as usize];
        let (_, flit) = lane.onramp.pop_front().expect("a wavelet that was granted an output is still there");
        let color = lane.color;
        if std::mem::take(&mut lane.refused) {
            self.freed.push(pe as u32);
        }
        match lane.onramp.front().map(|(arrives, _)| *arrives) {
            Some(arrives) if arrives > now + 1 => {
                let is_alone = lane.filled == RAMP;
                self.wake_at(pe, arrives);
                self.routers[pe].come_later(if is_alone { bit(color) } else { 0 });
            }
            Some(_) => {}
            None => self.leave_empty(pe, id, Direction::Ramp),
        }
        flit
    }

    #[inline(always)]
    fn take_from_link(&mut self, pe: usize, id: u32, side: Direction) -> Flit {
        let lane = &mut self.lanes[id as usize];
        let link = lane.link_mut(side);
        let (flit, count) =
            (*link.front().expect("a wavelet that was granted an output is still there"), link.len());
        link.pop();
        if count == 1 {
            self.leave_empty(pe, id, side);
        }
        if count >= self.link_depth
            && let Some(sender) = self.neighbour(pe, side)
        {
            self.wake(sender);
        }
        flit
    }

    /// The last wavelet has left an input.
    #[inline(always)]
    fn leave_empty(&mut self, pe: usize, id: u32, input: Direction) {
        let lane = &mut self.lanes[id as usize];
        lane.filled &= !(1 << input as u8);
        if lane.filled == 0 {
            self.routers[pe].waiting &= !bit(lane.color);
        }
    }

    /// Takes a wavelet from a PE whose lane is known to take it plainly, or gives it back when the onramp is
    /// full.
    #[inline(always)]
    pub(super) fn inject_plainly(&mut self, pe: usize, id: u32, w: Wavelet, now: u64) -> Result<(), Wavelet> {
        let depth = self.onramp_depth();
        let lane = &mut self.lanes[id as usize];
        if lane.onramp.len() >= depth {
            lane.refused = true;
            return Err(w);
        }
        self.climb(pe, id, w, now);
        Ok(())
    }

    /// Puts a wavelet onto the ramp from the PE, which has room.
    #[inline(always)]
    pub(super) fn climb(&mut self, pe: usize, id: u32, w: Wavelet, now: u64) {
        let lane = &mut self.lanes[id as usize];
        let is_alone = lane.filled == 0 && lane.inject.is_none();
        let (color, is_first) = (bit(lane.color), lane.onramp.is_empty());
        let arrives = now + u64::from(self.arch.ramp_latency);
        lane.onramp.push_back((arrives, Flit::new(w)));
        lane.filled |= RAMP;
        lane.sent += 1;
        self.routers[pe].waiting |= color;
        if is_first && self.wake_at(pe, arrives) && is_alone {
            self.routers[pe].come_later(color);
        }
    }
}
