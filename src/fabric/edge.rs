//! Wavelets between the host and the links at the edge of the rectangle: in programs of SDK 0.8 and before tensors come
//! and go there.

use super::Fabric;
use super::buffer::Flit;
use super::ramp::Wavelet;
use super::route::{PositionSides, received_on};
use crate::arch::{Color, Direction};
use std::collections::{BTreeMap, VecDeque};

/// A link at the edge of the rectangle: the PE inside, the color, and the side on which the rectangle ends.
pub type EdgeLink = (usize, Color, Direction);

/// Links out of the rectangle that lead to the host, each with the words that it has not taken yet.
#[derive(Clone, Debug, Default)]
pub struct Exits(BTreeMap<EdgeLink, VecDeque<u32>>);

impl Exits {
    /// Whether words wait for the host.
    pub fn hold_words(&self) -> bool {
        self.0.values().any(|words| !words.is_empty())
    }
}

impl Fabric {
    /// From now on the host receives what leaves the rectangle over a link. It takes every word at once, so it never
    /// holds up a sender.
    pub fn open_exit(&mut self, link: EdgeLink) {
        self.exits.0.entry(link).or_default();
    }

    /// Takes the oldest word that has left the rectangle over a link.
    pub fn take_at_exit(&mut self, link: EdgeLink) -> Option<u32> {
        self.exits.0.get_mut(&link)?.pop_front()
    }

    /// A wavelet leaves the rectangle: the host receives it, or it is lost. The commands of control wavelets are for
    /// routers and tasks, so the host drops these.
    #[cold]
    pub(super) fn leave_rectangle(&mut self, lane: u32, side: Direction, flit: Flit) {
        let at = self.grid.lane(lane);
        match self.exits.0.get_mut(&(at.pe(), at.color(), side)) {
            Some(_) if flit.is_control() => {}
            Some(words) => words.push_back(flit.word),
            None => self.notices.note_lost(lane, side),
        }
    }

    /// Sends a wavelet of the host over a link into the rectangle; false while the router behind it has no room.
    pub fn enter_at_edge(&mut self, (pe, color, side): EdgeLink, wavelet: Wavelet, now: u64) -> bool {
        let (landing, depth) = (self.grid.arrival(pe, color, side), self.grid.link_depth());
        if landing.lanes().any(|id| self.grid.lane(id).link(side).len() >= depth) {
            return false;
        }
        let flit = Flit::new(wavelet);
        self.flit_ids.note_at_edge(&self.grid, (pe, color, side), flit, landing, now);
        for id in landing.lanes() {
            self.grid.lane_mut(id).set_fed_by_host();
            self.cross(id, side, flit);
        }
        true
    }

    /// The sides on which the rectangle ends at a PE: those from which a color is accepted in some position of the
    /// switch, and those on which it leaves, as the program declares it.
    pub fn edge_sides(&self, pe: usize, color: Color) -> (Vec<Direction>, Vec<Direction>) {
        let is_edge = |side: &Direction| self.grid.neighbour(pe, *side).is_none();
        let edges: Vec<Direction> = Direction::ALL.into_iter().filter(is_edge).collect();
        let gate = |color| -> PositionSides { self.grid.declared_route(pe, color).widest() };
        let is_in = |side: &Direction| {
            let (first, second) = received_on(color, *side, |c| self.grid.declared_route(pe, c));
            let mut received = [Some(first), second].into_iter().flatten();
            received.any(|c| gate(c).rx.contains(*side))
        };
        let is_out = |side: &Direction| gate(color).tx.contains(*side);
        (edges.iter().copied().filter(is_in).collect(), edges.iter().copied().filter(is_out).collect())
    }
}
