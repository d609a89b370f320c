//! What the routers write down while a run is recorded.
//!
//! A wavelet does not know its number. Because all buffers are first in, first out, the numbers go
//! through queues of their own beside the buffers, which exist only while a run is recorded.

use super::Fabric;
use super::lane::{Flit, Landing};
use crate::arch::{Color, Direction};
use crate::trace::{Event, EventKind, TracedWavelet};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// The numbers of what lies in the buffers of a lane.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// By side: what has come in from there.
    from: [VecDeque<u64>; Direction::ALL.len()],
    /// What goes down the ramp.
    offramp: VecDeque<u64>,
}

/// Events that nobody has taken, and the numbers of all wavelets on their way.
#[derive(Clone, Debug, Default)]
pub(super) struct FlitIds {
    pub events: Vec<Event>,
    now: u64,
    sent: u64,
    /// By lane.
    numbers: Vec<Numbers>,
    /// The words of messages, until they are handed over.
    letters: FxHashMap<(u32, Color), VecDeque<u64>>,
    positions: BTreeMap<(u32, Color), u8>,
}

const NUMBERED: &str = "every wavelet on its way was given a number";

impl FlitIds {
    fn lane(&mut self, id: u32) -> &mut Numbers {
        if id as usize >= self.numbers.len() {
            self.numbers.resize_with(id as usize + 1, Numbers::default);
        }
        &mut self.numbers[id as usize]
    }

    fn put(&mut self, id: u32, from: Direction, number: u64) {
        self.lane(id).from[from as usize].push_back(number);
    }

    fn front(&mut self, id: u32, from: Direction) -> u64 {
        *self.lane(id).from[from as usize].front().expect(NUMBERED)
    }

    fn next_number(&mut self) -> u64 {
        self.sent += 1;
        self.sent
    }
}

impl Fabric {
    /// From now on writes down what happens; before anything runs.
    pub fn record(&mut self) {
        self.go_hop_by_hop();
        self.flit_ids = Some(Box::default());
    }

    /// Writes nothing down any more.
    pub fn stop_recording(&mut self) {
        self.flit_ids = None;
    }

    /// Whether it writes down what happens: then every wavelet has to go link by link.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.flit_ids.is_some()
    }

    /// What it has written down since the last call; `None` if it does not.
    pub fn events(&mut self) -> Option<&mut Vec<Event>> {
        self.flit_ids.as_mut().map(|flit_ids| &mut flit_ids.events)
    }

    /// The cycle of what happens next.
    #[inline]
    pub(super) fn note_time(&mut self, now: u64) {
        if let Some(flit_ids) = &mut self.flit_ids {
            flit_ids.now = now;
        }
    }

    fn note(&mut self, pe: u32, what: EventKind) {
        let at = self.program.pe_coord(pe as usize);
        if let Some(flit_ids) = &mut self.flit_ids {
            flit_ids.events.push(Event { cycle: flit_ids.now, pe: at, what });
        }
    }

    fn wavelet(&self, number: u64, color: Color, flit: Flit) -> TracedWavelet {
        let seen = flit.delivered();
        TracedWavelet { number, color, data: seen.data, control: seen.control }
    }

    /// A PE has sent a wavelet, which waits in these lanes.
    pub(super) fn note_sent(&mut self, pe: usize, color: Color, flit: Flit, lanes: Landing, now: u64) {
        let Some(flit_ids) = &mut self.flit_ids else { return };
        flit_ids.now = now;
        let number = flit_ids.next_number();
        lanes.lanes().for_each(|id| flit_ids.put(id, Direction::Ramp, number));
        let wavelet = self.wavelet(number, color, flit);
        self.note(pe as u32, EventKind::Sent(wavelet));
    }

    /// A copy of the oldest wavelet of an input leaves; these lanes get it.
    pub(super) fn note_hop(
        &mut self,
        id: u32,
        (from, to): (Direction, Direction),
        flit: Flit,
        landed: Landing,
    ) {
        let Some(flit_ids) = &mut self.flit_ids else { return };
        let lane = &self.lanes[id as usize];
        let (pe, color) = (lane.pe, lane.color);
        let number = flit_ids.front(id, from);
        if to == Direction::Ramp {
            flit_ids.lane(id).offramp.push_back(number);
        }
        landed.lanes().for_each(|id| flit_ids.put(id, to.opposite(), number));
        let wavelet = self.wavelet(number, color, flit);
        self.note(pe, EventKind::Hop { wavelet, from, to });
    }

    /// The oldest wavelet of an input has left altogether.
    pub(super) fn note_left(&mut self, id: u32, from: Direction, flit: Flit, dropped: bool) {
        let Some(flit_ids) = &mut self.flit_ids else { return };
        let lane = &self.lanes[id as usize];
        let (pe, color) = (lane.pe, lane.color);
        let number = flit_ids.lane(id).from[from as usize].pop_front().expect(NUMBERED);
        if dropped {
            let wavelet = self.wavelet(number, color, flit);
            self.note(pe, EventKind::Dropped(wavelet));
        }
    }

    /// A wavelet comes into an input queue.
    pub(super) fn note_delivered(&mut self, pe: usize, color: Color, flit: Flit) {
        let id = self.routers[pe].lane(color);
        let Some(flit_ids) = &mut self.flit_ids else { return };
        let number = id.and_then(|id| flit_ids.lane(id).offramp.pop_front()).expect(NUMBERED);
        let wavelet = self.wavelet(number, color, flit);
        let tile = self.program.tile_at(self.program.pe_coord(pe));
        let queue = tile.and_then(|t| t.input_queues.iter().find(|q| q.color == color)).map(|q| q.queue);
        self.note(pe as u32, EventKind::Delivered { wavelet, queue });
    }

    /// A wavelet comes from the host.
    pub(super) fn note_from_host(&mut self, pe: usize, color: Color, flit: Flit, now: u64) {
        if !self.is_recording() {
            return;
        }
        let id = self.lane_of(pe, color);
        let Some(flit_ids) = &mut self.flit_ids else { return };
        flit_ids.now = now;
        let number = flit_ids.next_number();
        flit_ids.lane(id).offramp.push_back(number);
        let wavelet = self.wavelet(number, color, flit);
        self.note(pe as u32, EventKind::FromHost(wavelet));
    }

    /// A wavelet goes to the host.
    pub(super) fn note_to_host(&mut self, pe: usize, color: Color, flit: Flit, now: u64) {
        let id = self.routers[pe].lane(color);
        let Some(flit_ids) = &mut self.flit_ids else { return };
        flit_ids.now = now;
        let taken = id.and_then(|id| flit_ids.lane(id).from[Direction::Ramp as usize].pop_front());
        let number = taken.expect(NUMBERED);
        let wavelet = self.wavelet(number, color, flit);
        self.note(pe as u32, EventKind::ToHost(wavelet));
    }

    /// A PE has sent a word of a message.
    pub(super) fn note_letter_word(&mut self, pe: usize, color: Color, flit: Flit, now: u64) {
        let Some(flit_ids) = &mut self.flit_ids else { return };
        flit_ids.now = now;
        let number = flit_ids.next_number();
        flit_ids.letters.entry((pe as u32, color)).or_default().push_back(number);
        let wavelet = self.wavelet(number, color, flit);
        self.note(pe as u32, EventKind::Sent(wavelet));
    }

    /// A message is handed over; the header has a number of its own.
    pub(super) fn note_letter(&mut self, from: u32, to: u32, color: Color, words: usize) {
        if !self.is_recording() {
            return;
        }
        let id = self.lane_of(to as usize, color);
        let Some(flit_ids) = &mut self.flit_ids else { return };
        let header = flit_ids.next_number();
        let sent = flit_ids.letters.entry((from, color)).or_default();
        let sent: Vec<u64> = sent.drain(..words).collect();
        flit_ids.lane(id).offramp.extend(std::iter::once(header).chain(sent));
    }

    /// The switch of a color may have moved.
    pub(super) fn note_switch(&mut self, id: u32) {
        let Some(flit_ids) = &mut self.flit_ids else { return };
        let lane = &self.lanes[id as usize];
        let (pe, color, position) = (lane.pe, lane.color, lane.position);
        let start = self.routes.get(lane.route).start;
        let before = flit_ids.positions.insert((pe, color), position).unwrap_or(start);
        if before != position {
            self.note(pe, EventKind::Switch { color, position });
        }
    }

    /// A color is suspended at a router.
    pub(super) fn note_teardown(&mut self, pe: u32, color: Color) {
        self.note(pe, EventKind::Teardown { color });
    }
}
