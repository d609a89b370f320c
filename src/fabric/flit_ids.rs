//! The numbers of wavelets, in a run that is recorded or profiled.
//!
//! A flit carries no number. All buffers are first in, first out, so the numbers move through queues parallel to the
//! buffers, which exist only while a run is recorded or profiled.

use super::buffer::Flit;
use super::edge::EdgeLink;
use super::grid::Grid;
use super::next_hop::NextHop;
use super::traffic::Counter;
use crate::arch::{Color, Direction, PeCoord};
use crate::profile::{Origin, Traffic};
use crate::trace::{Event, EventKind, TracedWavelet};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// The numbers of the wavelets in the buffers of a lane.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// By side: what has come in from there.
    from: [VecDeque<u64>; Direction::ALL.len()],
    /// What goes down the ramp.
    offramp: VecDeque<u64>,
}

/// The recorder of the routers; while nobody records, it does nothing.
#[derive(Clone, Debug, Default)]
pub struct FlitIds(Option<Box<FlitNotes>>);

/// Events that nobody has taken, and the numbers of all wavelets on their way.
#[derive(Clone, Debug, Default)]
struct FlitNotes {
    events: Vec<Event>,
    now: u64,
    sent: u64,
    /// By lane.
    numbers: Vec<Numbers>,
    /// The words of messages, until they are handed over.
    messages: FxHashMap<(u32, Color), VecDeque<u64>>,
    positions: BTreeMap<(u32, Color), u8>,
    /// Whether events are written down.
    writes: bool,
    /// For a profile, wavelets are counted, and their numbers say where they came from.
    counter: Option<Box<Counter>>,
}

const NUMBERED: &str = "every wavelet on its way was given a number";

impl FlitNotes {
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

    /// The number of a wavelet that a PE or the host sends.
    fn next_number(&mut self, pe: usize, from_host: bool) -> u64 {
        if self.counter.is_some() {
            return Counter::number(pe, from_host, self.now);
        }
        self.sent += 1;
        self.sent
    }

    fn switch(&mut self, grid: &Grid, id: u32) {
        let lane = grid.lane(id);
        let (pe, color, position) = (lane.pe(), lane.color(), lane.position());
        let start = grid.route(lane).start;
        let before = self.positions.insert((pe as u32, color), position).unwrap_or(start);
        if before != position {
            self.write(grid.coord(pe), EventKind::Switch { color, position });
        }
    }

    fn write(&mut self, pe: PeCoord, what: EventKind) {
        if self.writes {
            self.events.push(Event { cycle: self.now, pe, what });
        }
    }
}

fn wavelet(number: u64, color: Color, flit: Flit) -> TracedWavelet {
    let seen = flit.delivered();
    TracedWavelet { number, color, data: seen.data, control: seen.control }
}

impl FlitIds {
    /// From now on writes down what happens; before anything runs.
    pub fn record(&mut self) {
        self.0.get_or_insert_default().writes = true;
    }

    /// From now on counts wavelets, and notes where they come from; before anything runs.
    pub fn count(&mut self) {
        self.0.get_or_insert_default().counter = Some(Box::default());
    }

    /// The counts so far, if wavelets are counted.
    pub fn traffic(&self, grid: &Grid) -> Option<Traffic> {
        Some(self.0.as_ref()?.counter.as_ref()?.traffic(grid))
    }

    /// Whether wavelets are counted.
    pub fn is_counting(&self) -> bool {
        self.0.as_ref().is_some_and(|notes| notes.counter.is_some())
    }

    /// The origin of a wavelet in an input queue: the one that was delivered before the last `behind` wavelets of its
    /// lane.
    pub fn origin(&self, id: u32, behind: usize) -> Option<Origin> {
        self.0.as_ref()?.counter.as_ref()?.origin(id, behind)
    }

    /// Writes nothing down any more.
    pub fn stop(&mut self) {
        match &mut self.0 {
            Some(notes) if notes.counter.is_some() => notes.writes = false,
            Some(_) | None => self.0 = None,
        }
    }

    /// Whether the run is recorded or profiled. Then every wavelet takes the general path, link by link.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.0.is_some()
    }

    /// What it has written down since the last call; `None` if it does not.
    pub fn events(&mut self) -> Option<&mut Vec<Event>> {
        self.0.as_mut().map(|notes| &mut notes.events)
    }

    /// The cycle of what happens next.
    #[inline]
    pub fn note_time(&mut self, now: u64) {
        if let Some(notes) = &mut self.0 {
            notes.now = now;
        }
    }

    /// A PE has sent a wavelet, which waits in these lanes.
    pub fn note_sent(&mut self, grid: &Grid, pe: usize, color: Color, flit: Flit, lanes: NextHop, now: u64) {
        let Some(notes) = &mut self.0 else { return };
        notes.now = now;
        let number = notes.next_number(pe, false);
        lanes.lanes().for_each(|id| notes.put(id, Direction::Ramp, number));
        if let Some(counter) = &mut notes.counter {
            counter.note_sent(pe, color);
        }
        notes.write(grid.coord(pe), EventKind::Sent(wavelet(number, color, flit)));
    }

    /// A copy of the oldest wavelet of an input leaves; these lanes get it.
    pub fn note_hop(
        &mut self,
        grid: &Grid,
        id: u32,
        (from, to): (Direction, Direction),
        flit: Flit,
        landed: NextHop,
    ) {
        let Some(notes) = &mut self.0 else { return };
        let lane = grid.lane(id);
        let number = notes.front(id, from);
        if to == Direction::Ramp {
            notes.lane(id).offramp.push_back(number);
        }
        landed.lanes().for_each(|id| notes.put(id, to.opposite(), number));
        if let Some(counter) = &mut notes.counter {
            counter.note_hop(id, to);
        }
        let wavelet = wavelet(number, lane.color(), flit);
        notes.write(grid.coord(lane.pe()), EventKind::Hop { wavelet, from, to });
    }

    /// All copies of the oldest wavelet of an input have left.
    pub fn note_left(&mut self, grid: &Grid, id: u32, from: Direction, flit: Flit, dropped: bool) {
        let Some(notes) = &mut self.0 else { return };
        let number = notes.lane(id).from[from as usize].pop_front().expect(NUMBERED);
        if dropped {
            let lane = grid.lane(id);
            notes.write(grid.coord(lane.pe()), EventKind::Dropped(wavelet(number, lane.color(), flit)));
        }
    }

    /// A wavelet comes into an input queue.
    pub fn note_delivered(&mut self, grid: &Grid, id: u32, flit: Flit) {
        let Some(notes) = &mut self.0 else { return };
        let lane = grid.lane(id);
        let (at, color) = (grid.coord(lane.pe()), lane.color());
        let number = notes.lane(id).offramp.pop_front().expect(NUMBERED);
        let now = notes.now;
        if let Some(counter) = &mut notes.counter {
            counter.note_delivered(id, number, now);
        }
        if !notes.writes {
            return;
        }
        let wavelet = wavelet(number, color, flit);
        let tile = grid.program().tile_at(at);
        let queue = tile.and_then(|t| t.input_queues.iter().find(|q| q.color == color)).map(|q| q.queue);
        notes.write(at, EventKind::Delivered { wavelet, queue });
    }

    /// A wavelet comes from the host.
    pub fn note_from_host(&mut self, grid: &Grid, id: u32, flit: Flit, now: u64) {
        let Some(notes) = &mut self.0 else { return };
        notes.now = now;
        let lane = grid.lane(id);
        let number = notes.next_number(lane.pe(), true);
        notes.lane(id).offramp.push_back(number);
        notes.write(grid.coord(lane.pe()), EventKind::FromHost(wavelet(number, lane.color(), flit)));
    }

    /// A wavelet comes from the host over a link at the edge; these lanes get it.
    pub fn note_at_edge(
        &mut self,
        grid: &Grid,
        (pe, color, side): EdgeLink,
        flit: Flit,
        landed: NextHop,
        now: u64,
    ) {
        let Some(notes) = &mut self.0 else { return };
        notes.now = now;
        let number = notes.next_number(pe, true);
        landed.lanes().for_each(|id| notes.put(id, side, number));
        notes.write(grid.coord(pe), EventKind::FromHost(wavelet(number, color, flit)));
    }

    /// A wavelet goes to the host.
    pub fn note_to_host(&mut self, grid: &Grid, id: u32, flit: Flit, now: u64) {
        let Some(notes) = &mut self.0 else { return };
        notes.now = now;
        let number = notes.lane(id).from[Direction::Ramp as usize].pop_front().expect(NUMBERED);
        let lane = grid.lane(id);
        notes.write(grid.coord(lane.pe()), EventKind::ToHost(wavelet(number, lane.color(), flit)));
    }

    /// A PE has sent a word of a message.
    pub fn note_message_word(&mut self, grid: &Grid, id: u32, flit: Flit, now: u64) {
        let Some(notes) = &mut self.0 else { return };
        notes.now = now;
        let (pe, color) = (grid.lane(id).pe(), grid.lane(id).color());
        let number = notes.next_number(pe, false);
        notes.messages.entry((pe as u32, color)).or_default().push_back(number);
        notes.write(grid.coord(pe), EventKind::Sent(wavelet(number, color, flit)));
    }

    /// A message is handed over to a lane; the header has a number of its own.
    pub fn note_message(&mut self, from: u32, id: u32, color: Color, words: usize) {
        let Some(notes) = &mut self.0 else { return };
        let header = notes.next_number(from as usize, false);
        let sent = notes.messages.entry((from, color)).or_default();
        let sent: Vec<u64> = sent.drain(..words).collect();
        notes.lane(id).offramp.extend(std::iter::once(header).chain(sent));
    }

    /// The switch of a color may have moved.
    #[inline]
    pub fn note_switch(&mut self, grid: &Grid, id: u32) {
        if let Some(notes) = &mut self.0 {
            notes.switch(grid, id);
        }
    }

    /// A color is suspended at a router.
    pub fn note_teardown(&mut self, pe: PeCoord, color: Color) {
        if let Some(notes) = &mut self.0 {
            notes.write(pe, EventKind::Teardown { color });
        }
    }
}
