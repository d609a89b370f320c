//! One color at one router: its buffers, switch and filter.

use super::buffer::{Buffer, Flit, GRANTED, HeadState, RampQueue};
use super::filter::FilterState;
use super::route::{Gate, Mask, Route, RouteId};
use super::router::{RAMP, sides};
use super::way::Way;
use crate::arch::{Color, Direction};
use crate::image::routes::Inject;
use crate::state::StateHash;

/// One color at one router. The fields are in this order because what a hop looks at is to lie in few
/// lines of the cache: the first one has what every hop needs, the second what the PE sends, the third
/// what it gets, the last one where wavelets go on to.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Lane {
    /// The PE.
    pe: u32,
    /// Its configuration.
    route: RouteId,
    /// The color.
    color: Color,
    /// Inputs that hold something.
    filled: Mask,
    /// What the position lets through.
    gate: Gate,
    /// Why it is not plain, whatever it holds.
    special: u8,
    /// Inputs of whose oldest wavelet some copies have left and others have not.
    divided: Mask,
    /// Its buffers move the switch.
    inject: Option<Inject>,
    /// A send was refused since room was last made.
    refused: bool,
    /// The input that was served last.
    last_input: u8,
    /// The oldest wavelet of each input.
    heads: [HeadState; 5],
    /// The switch position.
    position: u8,
    /// What the PE sends arrives here and nowhere else, and nothing moves because of it but itself.
    sends_plainly: bool,
    /// Where wavelets land that leave on the only side that the gate leads to, once it was looked up.
    course: Way,
    /// The buffer of a link from a neighbour. Nearly all lanes use one at most.
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
    /// Where wavelets arrive that leave on each side; for the ramp, those that the PE sends.
    ways: [Way; 5],
}

/// Suspended until the program leaves teardown.
const TEARDOWN: u8 = 1;

/// Its router has a neighbour in another band.
const AT_SEAM: u8 = 2;

impl Lane {
    /// Adds what decides how it goes on to the hash of a state: not how many wavelets it has seen.
    pub fn add_state(&self, state: &mut StateHash) {
        state.add_debug(&(self.color, self.route, self.filled, self.gate, self.special, self.refused));
        state.add_debug(&(self.last_input, self.position, self.sends_plainly, &self.heads, &self.filter));
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
            filled: 0,
            gate: route.gate(route.start),
            special: if route.teardown { TEARDOWN } else { 0 },
            divided: 0,
            inject: route.inject,
            refused: false,
            last_input: 0,
            heads: Default::default(),
            position: route.start,
            sends_plainly: false,
            course: Way::UNKNOWN,
            link: Buffer::EMPTY,
            onramp: RampQueue::default(),
            sent: 0,
            other_links: None,
            offramp: RampQueue::default(),
            received: 0,
            filter: route.filter.as_ref().map(|f| Box::new(FilterState::new(f))),
            ways: [Way::UNKNOWN; 5],
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
    pub fn gate(&self) -> Gate {
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
    pub fn filled(&self) -> Mask {
        self.filled
    }

    /// Whether no input does.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Inputs from which a wavelet may leave: those that the gate accepts, and those of which a part has left before.
    #[inline(always)]
    pub fn open(&self) -> Mask {
        self.filled & (self.gate.rx | self.divided)
    }

    /// Whether its wavelets go somewhere, and neither buffers nor a teardown have a say nor another band.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.inject.is_none() && self.gate.tx != 0 && self.special == 0
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

    /// Suspends it, or does not any more.
    pub fn tear_down(&mut self, on: bool) {
        self.special = self.special & !TEARDOWN | if on { TEARDOWN } else { 0 };
    }

    /// Whether its router has a neighbour in another band.
    pub fn set_at_seam(&mut self, is: bool) {
        self.special = self.special & !AT_SEAM | if is { AT_SEAM } else { 0 };
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

    /// Copies of the oldest wavelet of an input still have to go to some targets.
    #[inline]
    pub fn leave(&mut self, input: Direction, targets: Mask) {
        self.heads[input as usize].leave(targets);
        self.divided = self.divided & !(1 << input as u8) | u8::from(targets != 0) << input as u8;
    }

    /// The input that was served last.
    #[inline]
    pub fn last_input(&self) -> u8 {
        self.last_input
    }

    /// An input has been served.
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
        self.filled |= RAMP;
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

    /// The PE has sent a wavelet that takes no route.
    pub fn note_sent(&mut self) {
        self.sent += 1;
    }

    /// The last wavelet from the PE moves the switch when it has passed; false if none is on the ramp.
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

    /// The same; there is room now.
    #[inline]
    pub fn take_refused(&mut self) -> bool {
        std::mem::take(&mut self.refused)
    }

    /// Whether what the PE sends arrives here and nowhere else, and nothing moves because of it but itself.
    #[inline]
    pub fn sends_plainly(&self) -> bool {
        self.sends_plainly
    }

    /// It is so, or not.
    pub fn set_sends_plainly(&mut self, plainly: bool) {
        self.sends_plainly = plainly;
    }

    /// Where wavelets land that leave on a side; for the ramp, those that the PE sends.
    #[inline]
    pub fn way(&self, side: Direction) -> Way {
        self.ways[side as usize]
    }

    /// It was looked up.
    pub fn learn_way(&mut self, side: Direction, way: Way) {
        self.ways[side as usize] = way;
    }

    /// The lane where all lands that leaves it, if its gate leads to one side and that was looked up.
    #[inline]
    pub fn course(&self) -> Option<u32> {
        self.course.lane()
    }

    /// It was looked up, and is on this side.
    pub fn learn_course(&mut self, side: Direction) -> Option<u32> {
        self.course = self.ways[side as usize];
        self.course.lane()
    }

    /// The lanes to which its wavelets go on over links, as far as these were looked up.
    #[inline]
    pub fn next_lanes(&self) -> impl Iterator<Item = u32> {
        sides(self.gate.tx & !RAMP).filter_map(|side| self.ways[side as usize].lane())
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
            self.filled &= !(1 << side as u8);
        }
        (flit, count)
    }

    /// Takes the oldest wavelet from the PE, and says when the next one arrives.
    #[inline(always)]
    pub fn take_from_onramp(&mut self) -> (Flit, Option<u64>) {
        let (_, flit) = self.onramp.pop_front().expect(GRANTED);
        let next = self.onramp.front().map(|(arrives, _)| *arrives);
        if next.is_none() {
            self.filled &= !RAMP;
        }
        (flit, next)
    }

    /// Adds a wavelet that has crossed the link from one side.
    #[inline(always)]
    pub fn push(&mut self, side: Direction, flit: Flit) {
        self.link_mut(side).push(flit);
        self.filled |= 1 << side as u8;
    }

    /// Drops the oldest wavelet of an input.
    #[inline(always)]
    pub fn pop(&mut self, input: Direction) {
        match input {
            Direction::Ramp => drop(self.onramp.pop_front()),
            side => self.link_mut(side).pop(),
        }
        self.heads[input as usize] = HeadState::UNTOUCHED;
        self.divided &= !(1 << input as u8);
        if self.waiting(input) == 0 {
            self.filled &= !(1 << input as u8);
        }
    }

    /// Lets the buffers of an injecting color set the switch: low priority sends what the PE has
    /// while the fabric brings nothing, high priority as long as the PE has something.
    pub fn choose_side(&mut self, now: u64, route: &Route) {
        let Some(inject) = self.inject else { return };
        let from_pe = match inject {
            Inject::Low => self.filled & route.gate(0).rx == 0,
            Inject::High => self.head(Direction::Ramp, now).is_some(),
        };
        self.turn_to(from_pe.into(), route);
    }

    /// Another configuration takes effect.
    pub fn take_route(&mut self, id: RouteId, route: &Route) {
        self.route = id;
        self.turn_to(self.position, route);
    }

    /// The switch moves with the next configuration.
    pub fn set_position(&mut self, position: u8) {
        self.position = position;
    }

    /// Sets the switch.
    pub fn turn_to(&mut self, position: u8, route: &Route) {
        self.position = position;
        self.gate = route.gate(position);
        self.course = Way::UNKNOWN;
    }

    /// Where wavelets land has to be looked up again.
    pub fn forget_ways(&mut self) {
        (self.ways, self.course, self.sends_plainly) = ([Way::UNKNOWN; 5], Way::UNKNOWN, false);
    }

    /// Bytes of host memory beyond its own.
    #[cfg(test)]
    pub fn host_bytes(&self) -> usize {
        self.onramp.host_bytes() + self.offramp.host_bytes()
    }
}
