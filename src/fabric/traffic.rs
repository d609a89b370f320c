//! For a profile: counts the wavelets that cross each link, and keeps the origins of those in input queues.

use super::grid::Grid;
use crate::arch::{Color, Direction};
use crate::profile::{LinkCount, Origin, RampCount, Traffic};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Origins that are kept for each lane; no input queue holds more wavelets.
const MOST_REMEMBERED: usize = 16;
/// Bits of a number that hold the PE.
const PE_BITS: u32 = 24;
/// The bit of a number that says that the host has sent the wavelet.
const FROM_HOST: u64 = 1 << 63;

/// What has crossed the links of a lane.
#[derive(Clone, Debug, Default)]
struct LaneCount {
    hops: [u64; Direction::ALL.len()],
    delivered: u64,
    /// The last wavelets that came into the queue of the PE.
    arrivals: VecDeque<Origin>,
}

/// The counts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter {
    lanes: Vec<LaneCount>,
    sent: FxHashMap<(u32, Color), u64>,
}

impl Counter {
    /// A number that says where a wavelet comes from.
    pub fn number(pe: usize, from_host: bool, now: u64) -> u64 {
        now << PE_BITS | pe as u64 & ((1 << PE_BITS) - 1) | if from_host { FROM_HOST } else { 0 }
    }

    fn lane(&mut self, id: u32) -> &mut LaneCount {
        if id as usize >= self.lanes.len() {
            self.lanes.resize_with(id as usize + 1, LaneCount::default);
        }
        &mut self.lanes[id as usize]
    }

    /// A PE has sent a wavelet.
    pub fn note_sent(&mut self, pe: usize, color: Color) {
        *self.sent.entry((pe as u32, color)).or_default() += 1;
    }

    /// A wavelet has left a lane.
    pub fn note_hop(&mut self, id: u32, to: Direction) {
        self.lane(id).hops[to as usize] += 1;
    }

    /// A wavelet has come into a queue.
    pub fn note_delivered(&mut self, id: u32, number: u64, now: u64) {
        let lane = self.lane(id);
        lane.delivered += 1;
        if lane.arrivals.len() == MOST_REMEMBERED {
            lane.arrivals.pop_front();
        }
        lane.arrivals.push_back(Origin {
            pe: (number & ((1 << PE_BITS) - 1)) as u32,
            from_host: number & FROM_HOST != 0,
            sent: (number & !FROM_HOST) >> PE_BITS,
            delivered: now,
        });
    }

    /// Where a wavelet of a lane came from.
    pub fn origin(&self, id: u32, behind: usize) -> Option<Origin> {
        let arrivals = &self.lanes.get(id as usize)?.arrivals;
        arrivals.len().checked_sub(behind + 1).map(|at| arrivals[at])
    }

    /// All counts, in order.
    pub fn traffic(&self, grid: &Grid) -> Traffic {
        let mut traffic = Traffic::default();
        let mut ramps = self.sent.clone();
        let mut delivered: FxHashMap<(u32, Color), u64> = FxHashMap::default();
        for (id, count) in self.lanes.iter().enumerate() {
            let lane = grid.lane(id as u32);
            let (pe, color) = (lane.pe() as u32, lane.color());
            for to in Direction::ALL.into_iter().filter(|to| count.hops[*to as usize] > 0) {
                traffic.links.push(LinkCount { pe, to, color, words: count.hops[to as usize] });
            }
            ramps.entry((pe, color)).or_default();
            *delivered.entry((pe, color)).or_default() += count.delivered;
        }
        for ((pe, color), sent) in ramps {
            let delivered = delivered.get(&(pe, color)).copied().unwrap_or(0);
            traffic.ramps.push(RampCount { pe, color, sent, delivered });
        }
        traffic.links.sort_unstable_by_key(|link| (link.pe, link.color, link.to));
        traffic.ramps.sort_unstable_by_key(|ramp| (ramp.pe, ramp.color));
        traffic.ramps.retain(|ramp| ramp.sent + ramp.delivered > 0);
        traffic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wavelet_in_a_queue_is_known_by_its_number() {
        let mut counter = Counter::default();
        counter.note_delivered(3, Counter::number(5, false, 70), 90);
        counter.note_delivered(3, Counter::number(6, true, 80), 95);
        let origin = |behind| counter.origin(3, behind).map(|o| (o.pe, o.from_host, o.sent, o.delivered));
        assert_eq!(origin(0), Some((6, true, 80, 95)));
        assert_eq!(origin(1), Some((5, false, 70, 90)));
        assert_eq!(origin(2), None);
    }
}
