//! One color at one router: its buffers, switch and filter.

use super::buffer::{Buffer, Flit, GRANTED, HeadState, RampQueue};
use super::filter::FilterState;
use super::next_hop::PackedHop;
use super::route::{PositionSides, Route, RouteId};
use crate::arch::{Color, Direction};
use crate::image::routes::{Directions, Inject};
use crate::state_hash::StateHash;

/// One color at one router: a virtual channel. The order of the fields keeps a hop to few cache lines. The first line
/// holds what every hop reads, the second the onramp, the third the offramp, and the last the next lanes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Lane {
    /// The PE.
    pe: u32,
    /// The number of its route.
    route: RouteId,
    /// The color.
    color: Color,
    /// Inputs that hold wavelets.
    filled: Directions,
    /// The inputs and outputs that the switch position opens.
    gate: PositionSides,
    /// Why the fast path must leave it alone, whatever it holds: `TEARDOWN`, `AT_SEAM`.
    special: u8,
    /// Inputs whose oldest wavelet has sent some of its copies, and not all.
    divided: Directions,
    /// Whether its buffers move the switch (`.ce_inject`), and which of them goes first.
    inject: Option<Inject>,
    /// A send was refused since room was last made.
    refused: bool,
    /// The input that was served last.
    last_input: u8,
    /// The oldest wavelet of each input.
    heads: [HeadState; 5],
    /// The switch position.
    position: u8,
    /// Whether what the PE sends arrives in this lane alone and moves no switch.
    arrives_alone: bool,
    /// The next lane behind the only link among the outputs of the gate, once it is cached.
    sole_next_hop: PackedHop,
    /// The link buffer that was used first. Nearly all lanes use one at most.
    link: Buffer,
    /// From the PE, with the cycle of arrival.
    onramp: RampQueue,
    /// Wavelets that the PE has sent.
    sent: u64,
    /// The buffers of the other links.
    other_links: Option<Box<[Buffer; 4]>>,
    /// To the PE, with the cycle of arrival.
    offramp: RampQueue,
    /// Wavelets that the PE has been given.
    received: u64,
    /// The filter.
    filter: Option<Box<FilterState>>,
    /// The cached landing behind each output; for the ramp, that of what the PE sends.
    ways: [PackedHop; 5],
}

/// Suspended until the program leaves teardown.
const TEARDOWN: u8 = 1;

/// Its router has a neighbour in another band.
const AT_SEAM: u8 = 2;

/// The host sends to it over a link at the edge of the rectangle.
const FED_BY_HOST: u8 = 4;

impl Lane {
    /// Adds to a state hash what its future depends on, so not the counts of wavelets.
    pub fn add_state(&self, state: &mut StateHash) {
        state.add_debug(&(self.color, self.route, self.filled, self.gate, self.special, self.refused));
        state.add_debug(&(self.last_input, self.position, self.arrives_alone, &self.heads, &self.filter));
        let others = self.other_links.iter().flat_map(|links| links.iter());
        for buffer in std::iter::once(&self.link).chain(others) {
            buffer.add_state(state);
        }
        for ramp in [&self.onramp, &self.offramp] {
            state.add(ramp.len() as u64);
            for (arrives, flit) in ramp.iter() {
                state.add_cycle(*arrives);
                state.add_debug(flit);
            }
        }
    }

    /// An empty lane.
    pub fn new(pe: u32, color: Color, id: RouteId, route: &Route) -> Lane {
        Lane {
            pe,
            route: id,
            color,
            filled: Directions::NONE,
            gate: route.gate(route.start),
            special: if route.teardown { TEARDOWN } else { 0 },
            divided: Directions::NONE,
            inject: route.inject,
            refused: false,
            last_input: 0,
            heads: Default::default(),
            position: route.start,
            arrives_alone: false,
            sole_next_hop: PackedHop::UNKNOWN,
            link: Buffer::EMPTY,
            onramp: RampQueue::default(),
            sent: 0,
            other_links: None,
            offramp: RampQueue::default(),
            received: 0,
            filter: route.filter.as_ref().map(|f| Box::new(FilterState::new(f))),
            ways: [PackedHop::UNKNOWN; 5],
        }
    }

    /// The PE.
    #[inline]
    pub fn pe(&self) -> usize {
        self.pe as usize
    }

    /// The color.
    #[inline]
    pub fn color(&self) -> Color {
        self.color
    }

    /// What the switch lets through.
    #[inline]
    pub fn gate(&self) -> PositionSides {
        self.gate
    }

    /// The switch position.
    pub fn position(&self) -> u8 {
        self.position
    }

    /// The number of its configuration.
    #[inline]
    pub fn route(&self) -> RouteId {
        self.route
    }

    /// Inputs that hold something.
    #[inline]
    pub fn filled(&self) -> Directions {
        self.filled
    }

    /// Whether all inputs are empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.filled.is_empty()
    }

    /// Inputs from which a wavelet may leave: those that the gate opens, and those whose oldest wavelet has sent some
    /// of its copies.
    #[inline(always)]
    pub fn open(&self) -> Directions {
        self.filled & (self.gate.rx | self.divided)
    }

    /// Whether the fast path may serve it: it has an output, does not inject, is not in teardown, has no neighbour in
    /// another band, and does not receive from the host at the edge.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.inject.is_none() && !self.gate.tx.is_empty() && self.special == 0
    }

    /// Whether its buffers move the switch.
    #[inline]
    pub fn injects(&self) -> bool {
        self.inject.is_some()
    }

    /// Whether it is suspended until the program leaves teardown.
    #[inline]
    pub fn is_torn_down(&self) -> bool {
        self.special & TEARDOWN != 0
    }

    /// Suspends the color, or ends the suspension.
    pub fn tear_down(&mut self, on: bool) {
        self.special = self.special & !TEARDOWN | if on { TEARDOWN } else { 0 };
    }

    /// Whether its router has a neighbour in another band.
    pub fn set_at_seam(&mut self, is: bool) {
        self.special = self.special & !AT_SEAM | if is { AT_SEAM } else { 0 };
    }

    /// The host sends to it over a link at the edge of the rectangle.
    pub fn set_fed_by_host(&mut self) {
        self.special |= FED_BY_HOST;
    }

    /// Whether the host has sent to it over a link at the edge of the rectangle.
    pub fn is_fed_by_host(&self) -> bool {
        self.special & FED_BY_HOST != 0
    }

    /// Whether it keeps wavelets from the PE.
    #[inline]
    pub fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// The filter.
    pub fn filter(&self) -> Option<&FilterState> {
        self.filter.as_deref()
    }

    /// The filter, to change.
    pub fn filter_mut(&mut self) -> Option<&mut FilterState> {
        self.filter.as_deref_mut()
    }

    /// Whether the filter lets the oldest wavelet of an input pass; it is asked once for each.
    pub fn pass_filter(&mut self, input: Direction, flit: Flit) -> bool {
        let Some(filter) = &mut self.filter else { return true };
        self.heads[input as usize].filtered(|| filter.passes(flit.delivered()))
    }

    /// What is known about the oldest wavelet of an input.
    #[inline]
    pub fn head_state(&self, input: Direction) -> HeadState {
        self.heads[input as usize]
    }

    /// Notes which targets of the oldest wavelet of an input still wait for a copy.
    #[inline]
    pub fn leave(&mut self, input: Direction, targets: Directions) {
        self.heads[input as usize].leave(targets);
        // Without a branch: this is done for each wavelet.
        let bit = u8::from(!targets.is_empty()) << input as u8;
        self.divided = (self.divided - Directions::only(input)) | Directions(bit);
    }

    /// The input that was served last.
    #[inline]
    pub fn last_input(&self) -> u8 {
        self.last_input
    }

    /// Notes that an input was served.
    #[inline]
    pub fn serve(&mut self, input: Direction) {
        self.last_input = input as u8;
    }

    /// What the PE sends, with the cycle of arrival.
    #[inline]
    pub fn onramp(&self) -> &RampQueue {
        &self.onramp
    }

    /// What goes to the PE, with the cycle of arrival.
    #[inline]
    pub fn offramp(&self) -> &RampQueue {
        &self.offramp
    }

    /// The PE sends a wavelet that arrives in a cycle; true if it is the first on the ramp.
    #[inline(always)]
    pub fn put_on_onramp(&mut self, arrives: u64, flit: Flit) -> bool {
        let is_first = self.onramp.is_empty();
        self.onramp.push_back((arrives, flit));
        self.filled |= Directions::RAMP;
        self.sent += 1;
        is_first
    }

    /// A wavelet goes down to the PE and arrives in a cycle; true if it is the first on the ramp.
    #[inline(always)]
    pub fn put_on_offramp(&mut self, arrives: u64, flit: Flit) -> bool {
        let is_first = self.offramp.is_empty();
        self.offramp.push_back((arrives, flit));
        is_first
    }

    /// The PE has taken the oldest wavelet that has come down to it.
    #[inline]
    pub fn take_from_offramp(&mut self) {
        self.offramp.pop_front();
        self.received += 1;
    }

    /// Counts a wavelet that the PE has sent without a route.
    pub fn note_sent(&mut self) {
        self.sent += 1;
    }

    /// Makes the newest wavelet on the onramp advance the switch once it has passed; false if the onramp is empty.
    pub fn advance_behind_last(&mut self) -> bool {
        let last = self.onramp.back_mut();
        last.map(|(_, flit)| flit.advances = true).is_some()
    }

    /// Wavelets that the PE has sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Wavelets that the PE has been given.
    #[inline]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// A send was refused.
    pub fn refuse(&mut self) {
        self.refused = true;
    }

    /// Whether a send was refused since room was last made.
    pub fn has_refused(&self) -> bool {
        self.refused
    }

    /// As [`Lane::has_refused`], and clears the mark, because there is room now.
    #[inline]
    pub fn take_refused(&mut self) -> bool {
        std::mem::take(&mut self.refused)
    }

    /// Whether what the PE sends arrives here and nowhere else, and nothing moves because of it but itself.
    #[inline]
    pub fn arrives_alone(&self) -> bool {
        self.arrives_alone
    }

    /// Sets what [`Lane::arrives_alone`] answers.
    pub fn set_sends_plainly(&mut self, plainly: bool) {
        self.arrives_alone = plainly;
    }

    /// The cached landing behind an output; for the ramp, that of what the PE sends.
    #[inline]
    pub fn way(&self, side: Direction) -> PackedHop {
        self.ways[side as usize]
    }

    /// Caches the landing behind an output.
    pub fn cache_next_hop(&mut self, side: Direction, way: PackedHop) {
        self.ways[side as usize] = way;
    }

    /// The next lane, if the gate has one link among its outputs, and the landing behind it is cached and a single
    /// lane.
    #[inline]
    pub fn sole_next_hop(&self) -> Option<u32> {
        self.sole_next_hop.lane()
    }

    /// Caches the next lane behind the only link among the outputs of the gate.
    pub fn learn_course(&mut self, side: Direction) -> Option<u32> {
        self.sole_next_hop = self.ways[side as usize];
        self.sole_next_hop.lane()
    }

    /// The next lanes over links, as far as they are cached.
    #[inline]
    pub fn next_lanes(&self) -> impl Iterator<Item = u32> {
        (self.gate.tx - Directions::RAMP).iter().filter_map(|side| self.ways[side as usize].lane())
    }

    /// The buffer of the link from one side.
    #[inline]
    pub fn link(&self, side: Direction) -> &Buffer {
        if self.link.is_of(side) {
            return &self.link;
        }
        self.other_links.as_ref().map_or(&Buffer::EMPTY, |all| &all[side as usize])
    }

    /// The same, to change.
    #[inline]
    fn link_mut(&mut self, side: Direction) -> &mut Buffer {
        if self.link.claim(side) {
            return &mut self.link;
        }
        &mut self.other_links.get_or_insert_default()[side as usize]
    }

    /// The oldest wavelet of an input that has arrived by now.
    #[inline(always)]
    pub fn head(&self, input: Direction, now: u64) -> Option<&Flit> {
        match input {
            Direction::Ramp => self.onramp.front().filter(|(ready, _)| *ready <= now).map(|(_, f)| f),
            side => self.link(side).front(),
        }
    }

    /// Wavelets in an input.
    #[inline(always)]
    pub fn waiting(&self, input: Direction) -> usize {
        match input {
            Direction::Ramp => self.onramp.len(),
            side => self.link(side).len(),
        }
    }

    /// Takes the oldest wavelet that has come over a link, and says how many there were.
    #[inline(always)]
    pub fn take_from_link(&mut self, side: Direction) -> (Flit, usize) {
        let link = self.link_mut(side);
        let (flit, count) = (*link.front().expect(GRANTED), link.len());
        link.pop();
        if count == 1 {
            self.filled.remove(side);
        }
        self.forget_head(side);
        (flit, count)
    }

    /// The oldest wavelet of an input has left.
    #[inline(always)]
    fn forget_head(&mut self, input: Direction) {
        self.heads[input as usize] = HeadState::UNTOUCHED;
        self.divided.remove(input);
    }

    /// Takes the oldest wavelet from the PE, and says when the next one arrives.
    #[inline(always)]
    pub fn take_from_onramp(&mut self) -> (Flit, Option<u64>) {
        let (_, flit) = self.onramp.pop_front().expect(GRANTED);
        let next = self.onramp.front().map(|(arrives, _)| *arrives);
        if next.is_none() {
            self.filled.remove(Direction::Ramp);
        }
        self.forget_head(Direction::Ramp);
        (flit, next)
    }

    /// Adds a wavelet that has crossed the link from one side.
    #[inline(always)]
    pub fn push(&mut self, side: Direction, flit: Flit) {
        self.link_mut(side).push(flit);
        self.filled |= Directions::only(side);
    }

    /// Drops the oldest wavelet of an input.
    #[inline(always)]
    pub fn pop(&mut self, input: Direction) {
        match input {
            Direction::Ramp => drop(self.onramp.pop_front()),
            side => self.link_mut(side).pop(),
        }
        self.forget_head(input);
        if self.waiting(input) == 0 {
            self.filled.remove(input);
        }
    }

    /// Lets the buffers of an injecting color set the switch: low priority sends what the PE has
    /// while the fabric brings nothing, high priority as long as the PE has something.
    pub fn choose_side(&mut self, now: u64, route: &Route) {
        let Some(inject) = self.inject else { return };
        let from_pe = match inject {
            Inject::Low => !self.filled.meets(route.gate(0).rx),
            Inject::High => self.head(Direction::Ramp, now).is_some(),
        };
        self.turn_to(from_pe.into(), route);
    }

    /// Another configuration takes effect.
    pub fn take_route(&mut self, id: RouteId, route: &Route) {
        self.route = id;
        self.turn_to(self.position, route);
    }

    /// Sets the switch position; the gate follows with the next configuration.
    pub fn set_position(&mut self, position: u8) {
        self.position = position;
    }

    /// Sets the switch.
    pub fn turn_to(&mut self, position: u8, route: &Route) {
        self.position = position;
        self.gate = route.gate(position);
        self.sole_next_hop = PackedHop::UNKNOWN;
    }

    /// Forgets the cached landings.
    pub fn forget_next_hops(&mut self) {
        (self.ways, self.sole_next_hop, self.arrives_alone) =
            ([PackedHop::UNKNOWN; 5], PackedHop::UNKNOWN, false);
    }

    /// Bytes of host memory beyond its own.
    #[cfg(test)]
    pub fn host_bytes(&self) -> usize {
        self.onramp.host_bytes() + self.offramp.host_bytes()
    }
}
