//! Messages of `<message_passing>`: words that are addressed to a PE and follow no route.
//!
//! A PE addresses a message and then sends its words on the message color. After the last word, the message crosses
//! the wafer at one cycle per link. It is delivered as a whole, behind a header with its length, once its receiver
//! has taken all of the message before; its last word is a control wavelet. A PE has one message in flight at a time:
//! later words wait in its queue.

use super::Wavelet;
use super::buffer::Flit;
use super::flit_ids::FlitIds;
use super::grid::Grid;
use super::notices::Notices;
use super::schedule::Schedule;
use crate::arch::{MESSAGE_COLOR, PeCoord};
use crate::image::Program;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A message on its way.
#[derive(Clone, Debug)]
struct InFlightMessage {
    from: u32,
    to: u32,
    length: usize,
    words: Vec<u32>,
    /// When it reaches the router of its receiver.
    arrives: u64,
}

/// All messages that are not handed over.
#[derive(Clone, Debug, Default)]
pub struct MessageNetwork {
    /// Addressed, but not sent completely, by sender.
    open: BTreeMap<u32, VecDeque<InFlightMessage>>,
    /// Sent completely, by receiver, in the order of arrival.
    closed: BTreeMap<u32, Vec<InFlightMessage>>,
    /// Senders whose next word was refused.
    refused: BTreeSet<u32>,
    /// Each receiver with every PE that has sent to it.
    correspondents: BTreeSet<(u32, u32)>,
    /// Sender and receiver of each delivered message, until they are taken.
    handed_over: Vec<(u32, u32)>,
    /// Links that words have crossed.
    hops: u64,
}

impl MessageNetwork {
    /// The message of a sender that is under way.
    fn under_way(&self, from: usize) -> Option<&InFlightMessage> {
        self.closed.values().flatten().find(|l| l.from as usize == from)
    }

    /// Who receives the message that keeps a sender from sending more.
    pub fn held_up_by(&self, from: usize) -> Option<usize> {
        self.under_way(from).map(|l| l.to as usize)
    }

    /// Words that wait for a receiver.
    pub fn waiting_for(&self, to: usize) -> usize {
        self.closed.get(&(to as u32)).map_or(0, |messages| messages.iter().map(|l| l.length + 1).sum())
    }

    /// Who has written to a PE.
    pub fn senders(&self, to: usize) -> Vec<usize> {
        let row = (to as u32, 0)..=(to as u32, u32::MAX);
        self.correspondents.range(row).map(|(_, from)| *from as usize).collect()
    }

    /// Senders and receivers of the messages handed over since the last call.
    #[inline]
    pub fn take_handed_over(&mut self) -> Vec<(u32, u32)> {
        std::mem::take(&mut self.handed_over)
    }

    /// Links that words have crossed.
    pub fn hops(&self) -> u64 {
        self.hops
    }

    /// The next `length` words that a PE sends on the color of messages go to another one.
    pub fn address(&mut self, pe: usize, to: PeCoord, length: u16, program: &Program) {
        if !can_address(to, length, program) {
            return;
        }
        let to = program.pe_index(to) as u32;
        let message =
            InFlightMessage { from: pe as u32, to, length: length.into(), words: Vec::new(), arrives: 0 };
        self.open.entry(pe as u32).or_default().push_back(message);
    }

    /// Whether the words that a PE sends belong to a message.
    pub fn are_written_by(&self, pe: usize) -> bool {
        self.open.get(&(pe as u32)).is_some_and(|messages| !messages.is_empty())
    }

    /// Takes the next word of a message, or gives it back.
    pub fn write(
        &mut self,
        grid: &mut Grid,
        flit_ids: &mut FlitIds,
        pe: usize,
        w: Wavelet,
        now: u64,
    ) -> Result<(), Wavelet> {
        if self.under_way(pe).is_some() {
            self.refused.insert(pe as u32);
            return Err(w);
        }
        let id = grid.lane_of(pe, MESSAGE_COLOR);
        grid.lane_mut(id).note_sent();
        flit_ids.note_message_word(grid, id, Flit::new(w), now);
        let open = self.open.get_mut(&(pe as u32)).expect("only asked of PEs with a message");
        let message = open.front_mut().expect("only asked of PEs with a message");
        message.words.push(w.data);
        if message.words.len() == message.length {
            let mut message = open.pop_front().expect("it was there");
            let hops = grid.distance(pe, message.to as usize) * u64::from(grid.arch().hop_latency);
            message.arrives = now + grid.ramp_latency() + hops;
            self.close(message);
        }
        Ok(())
    }

    fn close(&mut self, message: InFlightMessage) {
        self.correspondents.insert((message.to, message.from));
        let row = self.closed.entry(message.to).or_default();
        let at = row.partition_point(|l| (l.arrives, l.from) < (message.arrives, message.from));
        row.insert(at, message);
    }

    /// Whether a message can be delivered, now or later, without further action by any PE.
    #[inline]
    pub fn are_moving(&self, grid: &Grid) -> bool {
        let free =
            |to: u32| grid.known_lane(to as usize, MESSAGE_COLOR).is_none_or(|l| l.offramp().is_empty());
        self.closed.keys().any(|to| free(*to))
    }

    /// Hands over what has arrived.
    #[inline]
    pub fn step(
        &mut self,
        grid: &mut Grid,
        schedule: &mut Schedule,
        notices: &mut Notices,
        flit_ids: &mut FlitIds,
        now: u64,
    ) {
        let receivers: Vec<u32> = self.closed.keys().copied().collect();
        for to in receivers {
            let id = grid.lane_of(to as usize, MESSAGE_COLOR);
            let row = self.closed.get_mut(&to).expect("a receiver that is listed");
            if !grid.lane(id).offramp().is_empty() || row[0].arrives > now {
                continue;
            }
            let message = row.remove(0);
            if row.is_empty() {
                self.closed.remove(&to);
            }
            flit_ids.note_message(message.from, id, MESSAGE_COLOR, message.words.len());
            let header = Wavelet { data: message.length as u32, control: false };
            let last = message.words.len() - 1;
            let words = message.words.iter().enumerate();
            let words = words.map(|(k, word)| Wavelet { data: *word, control: k == last });
            for (k, w) in std::iter::once(header).chain(words).enumerate() {
                schedule.enter_offramp(grid, id, now + k as u64, Flit::new(w));
            }
            self.hops += grid.distance(message.from as usize, to as usize) * message.words.len() as u64;
            self.handed_over.push((message.from, to));
            if self.refused.remove(&message.from) {
                notices.free(message.from);
            }
        }
    }
}

/// `wafer/message_checks.rs` reports a receiver outside of the rectangle and an empty message.
fn can_address(to: PeCoord, length: u16, program: &Program) -> bool {
    to.x < program.width && to.y < program.height && length > 0
}
