//! Wavelets in flight between two routers, on a machine whose links take more than one cycle. On WSE-2 there are
//! none.

use super::Fabric;
use super::buffer::{Flit, MAX_LINK_DEPTH};
use crate::arch::{Arch, Direction};
use std::collections::VecDeque;

/// A wavelet on its way to a lane, and the side from which it comes.
#[derive(Copy, Clone, Debug)]
pub struct Passage {
    pub lane: u32,
    pub side: Direction,
    pub flit: Flit,
}

/// What is on the links.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Pipeline stages of a link that takes more than one cycle; the last one holds what sets out in this cycle.
    stages: VecDeque<Vec<Passage>>,
    count: usize,
}

impl Links {
    /// The links of a machine.
    pub fn new(arch: &Arch) -> Links {
        let stages = if Links::extra(arch) > 0 { Links::extra(arch) + 1 } else { 0 };
        Links { stages: vec![Vec::new(); stages].into(), count: 0 }
    }

    /// Cycles that a link takes beyond the first. In each of them a wavelet may set out for a buffer that has filled
    /// up by the time it arrives, so buffers need as many spare slots.
    fn extra(arch: &Arch) -> usize {
        usize::from(arch.hop_latency.max(1)) - 1
    }

    /// The deepest link buffer that a program may ask for.
    pub fn most_depth(arch: &Arch) -> usize {
        MAX_LINK_DEPTH - Links::extra(arch)
    }

    /// Whether no wavelet is in flight.
    #[inline]
    pub fn are_empty(&self) -> bool {
        self.count == 0
    }

    /// What is on the way.
    pub fn passages(&self) -> impl Iterator<Item = &Passage> {
        self.stages.iter().flatten()
    }

    /// Adds a wavelet that sets out in this cycle, or did so `before` cycles ago; false if the link has no stages, so
    /// that it arrives at once.
    #[inline(always)]
    fn set_out(&mut self, passage: Passage, before: usize) -> bool {
        let stages = self.stages.len();
        let Some(stage) = stages.checked_sub(1 + before).and_then(|n| self.stages.get_mut(n)) else {
            return false;
        };
        stage.push(passage);
        self.count += 1;
        true
    }

    /// Another copy of the state of some links.
    pub fn adopt(&mut self, other: &Links, mut rename: impl FnMut(u32) -> Option<u32>) {
        for (stage, passages) in self.stages.iter_mut().zip(&other.stages) {
            let own = passages.iter().filter_map(|p| rename(p.lane).map(|lane| Passage { lane, ..*p }));
            let before = stage.len();
            stage.extend(own);
            self.count += stage.len() - before;
        }
    }
}

impl Fabric {
    /// A wavelet leaves a router for the lane of another.
    #[inline(always)]
    pub(super) fn cross(&mut self, lane: u32, side: Direction, flit: Flit) {
        if !self.links.set_out(Passage { lane, side, flit }, 0) {
            self.land(lane, side, flit);
        }
    }

    /// As [`Fabric::cross`], for a wavelet that left a router of another band in the last cycle.
    pub(super) fn cross_seam(&mut self, lane: u32, side: Direction, flit: Flit) {
        if !self.links.set_out(Passage { lane, side, flit }, 1) {
            self.land(lane, side, flit);
        }
    }

    /// Advances the pipeline stages at the end of a cycle: wavelets that have passed all of them arrive.
    #[inline]
    pub(super) fn pass_links(&mut self) {
        if self.links.are_empty() {
            return;
        }
        let Some(mut arriving) = self.links.stages.pop_front() else { return };
        self.links.count -= arriving.len();
        for Passage { lane, side, flit } in arriving.drain(..) {
            self.land(lane, side, flit);
        }
        // The list keeps its memory.
        self.links.stages.push_back(arriving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::ArchName;

    #[test]
    fn what_set_out_in_another_band_arrives_a_cycle_before_what_sets_out_now() {
        let mut links = Links::new(ArchName::Wse3.numbers());
        let passage = |lane| Passage { lane, side: Direction::West, flit: Flit::default() };
        assert!(links.set_out(passage(1), 0) && links.set_out(passage(2), 1));
        let lanes: Vec<Vec<_>> =
            links.stages.iter().map(|stage| stage.iter().map(|passage| passage.lane).collect()).collect();
        assert_eq!(lanes, [[2], [1]]);
        // The links of the other machine take one cycle.
        assert!(!Links::new(ArchName::Wse2.numbers()).set_out(passage(1), 0));
    }
}
