//! Host streams: `send` and `receive` of programs that were laid out in Python, and streams at the edge of the
//! rectangle. Streams are independent of each other.
//!
//! The words of a stream pass through the buffer of its PE. A word has been sent as soon as it is in the
//! buffer; a word from the wafer waits in the buffer until the host takes it. Both directions move one word
//! per cycle. At the edge there is no PE: a word has been sent once it is in the first router.

use super::commands::Ticket;
use super::{Failure, Runner};
use crate::arch::{Color, Direction, PeCoord};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::render::grouped;
use crate::diagnostics::rules::tasks::LEFTOVER_WAVELETS;
use crate::image::{HostStream, Program};
use crate::wafer::{Cause, HostWait, Wafer};
use std::collections::VecDeque;

/// A transfer of a part of a stream.
#[derive(Clone)]
struct Transfer {
    ticket: Ticket,
    /// The index of the first word after it in the stream, counted from the start of the program.
    end: u64,
    /// Number of words.
    count: u64,
}

/// A word on its way from the host.
#[derive(Copy, Clone)]
struct HostWord {
    data: u32,
    /// Whether it becomes a control wavelet.
    control: bool,
}

/// The state of a stream.
#[derive(Clone)]
struct StreamPort {
    stream: HostStream,
    /// The side of the PE on which the host is; the ramp if it stands in the place of the PE.
    side: Direction,
    /// Words that the host wants to send and that have not left it.
    outbox: VecDeque<HostWord>,
    /// Words in the buffer of the PE.
    buffer: VecDeque<u32>,
    /// Number of words that have left the host, or that the host has taken.
    moved: u64,
    /// Number of words that the host has requested in total.
    asked: u64,
    /// Received words that belong to no finished transfer yet.
    inbox: Vec<u32>,
    /// Unfinished transfers, in order.
    transfers: VecDeque<Transfer>,
    /// Whether the host takes every word that arrives, without a request.
    is_drained: bool,
}

/// All streams of a program.
#[derive(Clone, Default)]
pub(super) struct StreamPorts(Vec<StreamPort>);

impl StreamPorts {
    /// The streams of a program, in their initial state.
    pub fn new(program: &Program) -> StreamPorts {
        let streams = program.sdk_layout.iter().flat_map(|layout| &layout.streams);
        StreamPorts(streams.map(|stream| StreamPort::new(stream.clone(), Direction::Ramp)).collect())
    }

    /// Adds a stream, and returns its number.
    pub fn add(&mut self, stream: HostStream, side: Direction) -> usize {
        self.0.push(StreamPort::new(stream, side));
        self.0.len() - 1
    }

    /// The stream with a number.
    pub fn get(&self, stream: usize) -> Option<&HostStream> {
        self.0.get(stream).map(|port| &port.stream)
    }

    /// Whether the program has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the host waits for nothing.
    pub fn are_done(&self) -> bool {
        self.0.iter().all(|port| port.transfers.is_empty())
    }

    /// Whether a ticket is that of a transfer that is not done.
    pub fn waits_for(&self, ticket: Ticket) -> bool {
        self.0.iter().any(|port| port.transfers.iter().any(|t| t.ticket == ticket))
    }

    /// What each unfinished stream waits for.
    pub fn waits(&self, wafer: &Wafer) -> Vec<HostWait> {
        let open = self.0.iter().filter(|port| !port.transfers.is_empty());
        open.map(|port| port.wait(wafer)).collect()
    }
}

impl StreamPort {
    fn new(stream: HostStream, side: Direction) -> StreamPort {
        StreamPort {
            stream,
            side,
            outbox: VecDeque::new(),
            buffer: VecDeque::new(),
            moved: 0,
            asked: 0,
            inbox: Vec::new(),
            transfers: VecDeque::new(),
            is_drained: false,
        }
    }

    /// Where it meets the fabric.
    fn link(&self) -> (PeCoord, Color, Direction) {
        (self.stream.pe, self.stream.color, self.side)
    }

    /// The operation on the wafer that its words wait for.
    fn other_end(&self, wafer: &Wafer) -> Option<Cause> {
        wafer.stream_end(self.link(), self.stream.to_wafer)
    }

    /// A transfer of so many words, in words.
    fn describe(&self, count: u64) -> String {
        let way = if self.stream.to_wafer { "to" } else { "from" };
        format!("the transfer of {} words {way} the stream '{}'", grouped(count), self.stream.name)
    }

    fn wait(&self, wafer: &Wafer) -> HostWait {
        let HostStream { name, to_wafer, pe, color, .. } = &self.stream;
        let way = if *to_wafer { "to" } else { "from" };
        let verb = if *to_wafer { "receive" } else { "send" };
        let place = match self.side {
            Direction::Ramp => pe.to_string(),
            side => format!("{side} of {pe}"),
        };
        HostWait {
            command: format!("the stream '{name}' {way} the wafer (color {color}, {place})"),
            needs: format!(
                "after {} of {} words the program must {verb} more",
                grouped(self.moved),
                grouped(self.asked)
            ),
            span: None,
            cause: self.other_end(wafer),
            pes: Vec::new(),
            more: 0,
            advice: "the host and the program must agree on the number of words",
        }
    }

    fn has_room(&self) -> bool {
        self.buffer.len() < usize::from(self.stream.buffer.max(1))
    }

    /// One cycle of a stream to the wafer: words move from the host into the buffer, and one from the buffer
    /// into the fabric.
    fn send(&mut self, mut to_fabric: impl FnMut(u32) -> bool) -> bool {
        let mut moved = false;
        if let Some(word) = self.buffer.front().copied()
            && to_fabric(word)
        {
            self.buffer.pop_front();
            moved = true;
        }
        while self.has_room()
            && let Some(word) = self.outbox.pop_front()
        {
            self.buffer.push_back(word.data);
            self.moved += 1;
            moved = true;
        }
        moved
    }

    /// One cycle of a stream to the edge: one word moves from the host into the fabric.
    fn send_at_edge(&mut self, to_fabric: impl FnOnce(HostWord) -> bool) -> bool {
        let moves = self.outbox.front().is_some_and(|word| to_fabric(*word));
        if moves {
            self.outbox.pop_front();
            self.moved += 1;
        }
        moves
    }

    /// One cycle of a stream from the wafer: one word moves from the fabric into the buffer, and requested
    /// words leave the buffer.
    fn receive(&mut self, from_fabric: impl FnOnce() -> Option<u32>) -> bool {
        let word = if self.has_room() { from_fabric() } else { None };
        self.buffer.extend(word);
        let mut moved = word.is_some();
        while (self.is_drained || self.moved < self.asked)
            && let Some(word) = self.buffer.pop_front()
        {
            self.inbox.push(word);
            self.moved += 1;
            moved = true;
        }
        moved
    }

    /// Removes finished transfers; returns them with their words.
    fn take_done(&mut self) -> Vec<(Ticket, Vec<u32>)> {
        let mut done = Vec::new();
        while let Some(first) = self.transfers.front().filter(|t| t.end <= self.moved) {
            let (ticket, count) = (first.ticket, first.count as usize);
            let words = if self.stream.to_wafer { Vec::new() } else { self.inbox.drain(..count).collect() };
            done.push((ticket, words));
            self.transfers.pop_front();
        }
        done
    }
}

impl Runner {
    /// The host streams of the program; other functions count them from 0.
    pub fn streams(&self) -> &[HostStream] {
        self.program.sdk_layout.as_ref().map_or(&[], |layout| &layout.streams)
    }

    /// Sends words on a stream to the wafer.
    pub fn queue_send(&mut self, stream: usize, words: &[u32]) -> Ticket {
        let words = words.iter().map(|data| HostWord { data: *data, control: false });
        let count = words.len() as u64;
        self.ports.0[stream].outbox.extend(words);
        self.ask(stream, count)
    }

    /// Sends a control wavelet on a stream to the edge, behind the words sent before.
    pub fn queue_send_control(&mut self, stream: usize, payload: u32) -> Ticket {
        self.ports.0[stream].outbox.push_back(HostWord { data: payload, control: true });
        self.ask(stream, 1)
    }

    /// Requests words of a stream from the wafer; [`Runner::take_words`] returns them once they have arrived.
    pub fn queue_receive(&mut self, stream: usize, count: u64) -> Ticket {
        self.ask(stream, count)
    }

    /// From now on, the host takes every word that arrives on a stream from the wafer.
    pub fn drain(&mut self, stream: usize) {
        self.ports.0[stream].is_drained = true;
    }

    /// Returns the words that the host has taken without a request, and those in the buffer. From then on,
    /// words wait for a request again.
    pub fn end_drain(&mut self, stream: usize) -> Vec<u32> {
        let port = &mut self.ports.0[stream];
        port.is_drained = false;
        let words: Vec<u32> = port.inbox.drain(..).chain(port.buffer.drain(..)).collect();
        port.moved = port.asked;
        words
    }

    /// Runs until a transfer is done or nothing can happen any more; returns whether it is done.
    ///
    /// # Errors
    /// The run fails, reaches its cycle limit or is interrupted before that.
    pub fn run_until(&mut self, ticket: Ticket) -> Result<bool, Failure> {
        let what = match &self.log {
            Some(log) if !self.is_done(ticket) => log.describe(ticket),
            Some(_) | None => String::new(),
        };
        self.while_waiting(&what, |host| {
            while !host.is_done(ticket) {
                if !host.advance_if_possible()? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Runs until nothing can happen before the host acts.
    ///
    /// # Errors
    /// The run fails, reaches its cycle limit or is interrupted before that.
    pub fn run_until_quiet(&mut self) -> Result<(), Failure> {
        while self.advance_if_possible()? {}
        Ok(())
    }

    /// What an unfinished transfer waits for, as a sentence.
    pub fn describe_wait(&self, ticket: Ticket) -> Option<String> {
        let port = self.ports.0.iter().find(|port| port.transfers.iter().any(|t| t.ticket == ticket))?;
        let HostWait { command, needs, cause, .. } = port.wait(&self.wafer);
        let place = cause.map_or(String::new(), |cause| {
            format!(": {} ({})", cause.fact, self.program.sources.describe(cause.span))
        });
        Some(format!("{command}: {needs}{place}"))
    }

    /// Warnings about words that have come on a stream from the wafer, and that the host has not received.
    pub(super) fn unreceived(&self) -> Vec<Diagnostic> {
        let left = self.ports.0.iter().filter(|port| {
            let is_of_host = !port.stream.to_wafer && !port.is_drained;
            is_of_host && !port.buffer.is_empty()
        });
        let warning = |port: &StreamPort| {
            let HostStream { name, pe, color, .. } = &port.stream;
            let (asked, left) = (port.asked, port.buffer.len() as u64);
            let diag = LEFTOVER_WAVELETS
                .because(&[("color", color), ("pe", pe)])
                .note(format!(
                    "words received from the stream '{name}': {}; words left: {}",
                    grouped(asked),
                    grouped(left)
                ))
                .help(format!("receive all {} words, or send fewer", grouped(asked + left)));
            match port.other_end(&self.wafer) {
                Some(cause) => Diagnostic::from(diag.at(cause.span).label(cause.fact)),
                None => Diagnostic::from(diag),
            }
        };
        left.map(warning).collect()
    }

    fn ask(&mut self, stream: usize, count: u64) -> Ticket {
        let ticket = self.stream.next_ticket();
        if let Some(log) = &mut self.log {
            let now = self.wafer.now();
            log.issued(ticket, self.ports.0[stream].describe(count), now);
            log.begun(ticket, now);
        }
        let port = &mut self.ports.0[stream];
        port.asked += count;
        port.transfers.push_back(Transfer { ticket, end: port.asked, count });
        self.finish_transfers();
        ticket
    }

    /// Moves words where possible; returns whether any moved.
    pub(super) fn serve_ports(&mut self) -> bool {
        let (wafer, mut moved) = (&mut self.wafer, false);
        for port in &mut self.ports.0 {
            let (pe, color, side) = port.link();
            moved |= match (port.stream.to_wafer, side) {
                (true, Direction::Ramp) => port.send(|word| wafer.send_for_host(pe, color, word)),
                (true, _) => {
                    port.send_at_edge(|word| wafer.enter_at_edge((pe, color, side), word.data, word.control))
                }
                (false, Direction::Ramp) => port.receive(|| wafer.receive_for_host(pe, color)),
                (false, _) => port.receive(|| wafer.take_at_exit(pe, color, side)),
            };
        }
        if moved {
            self.finish_transfers();
        }
        moved
    }

    fn finish_transfers(&mut self) {
        for port in &mut self.ports.0 {
            for (ticket, words) in port.take_done() {
                self.stream.keep(ticket, words);
                if let Some(log) = &mut self.log {
                    log.done(ticket, self.wafer.now());
                }
            }
        }
    }
}
