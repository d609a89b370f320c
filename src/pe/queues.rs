//! The queues between a PE and its router.

use crate::arch::{Arch, ArchName, Color, InQueue, OutQueue};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::QUEUE_UNBOUND;
use crate::fabric::{Ramp, Wavelet};
use crate::image::TileImage;
use crate::ring::Ring;
use crate::source::Span;

/// Depth of the private queue that a color without a queue has on WSE-2 (ruling OQ-48).
const IMPLICIT_DEPTH: u8 = 6;
/// Depth of the private output queue of WSE-2 operations without one (ruling OQ-14).
const PRIVATE_OUT_DEPTH: u8 = 2;

/// Wavelets of one color on their way in, most of the time in one line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Inbox {
    pub color: Color,
    /// `None`: a private queue.
    pub queue: Option<InQueue>,
    depth: u8,
    /// Where its part of the control task table begins (WSE-3).
    pub control_table: u8,
    items: Ring<Wavelet, 4>,
    /// When the oldest wavelet became the oldest.
    pub since: u64,
    message: Message,
    /// It belongs to `<message_passing>`.
    pub is_mailbox: bool,
}

/// What an operation still has to see of the message that it receives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Message {
    /// It receives wavelets, not a message.
    No,
    /// The header, which nobody wants.
    Header,
    /// The words; a control wavelet is the last.
    Words,
    /// Nothing.
    Over,
}

impl Inbox {
    /// The oldest wavelet.
    pub fn head(&self) -> Option<Wavelet> {
        self.items.front().copied()
    }

    /// Takes the oldest wavelet.
    pub fn take(&mut self, now: u64) -> Option<Wavelet> {
        self.since = now;
        let wavelet = self.items.pop_front()?;
        if self.message == Message::Words && wavelet.control {
            self.message = Message::Over;
            return Some(Wavelet { control: false, ..wavelet });
        }
        Some(wavelet)
    }

    /// Whether a control wavelet is a word of a message, and not a command.
    pub fn is_message(&self) -> bool {
        self.message == Message::Words
    }

    /// Whether the last word of a message has just been taken; true once.
    pub fn end_message(&mut self) -> bool {
        let is_over = self.message == Message::Over;
        if is_over {
            self.message = Message::No;
        }
        is_over
    }

    /// Number of wavelets.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it just holds wavelets, and no part of a message.
    pub fn takes_plain(&self) -> bool {
        self.message == Message::No
    }

    /// Whether it takes no more.
    pub fn is_full(&self) -> bool {
        self.len() >= usize::from(self.depth)
    }
}

/// A wavelet in an output queue.
#[derive(Copy, Clone, Debug)]
pub(super) struct Outgoing {
    data: u32,
    control: bool,
    pub color: Color,
    /// The local switch moves once this wavelet has left.
    pub advance_switch: bool,
    /// The cycle in which it is sent; the clock may not have come so far.
    pub from: u64,
}

impl Outgoing {
    /// A wavelet that is sent in a cycle.
    pub fn new(color: Color, Wavelet { data, control }: Wavelet, from: u64) -> Outgoing {
        Outgoing { data, control, color, advance_switch: false, from }
    }

    /// What is sent.
    pub fn wavelet(&self) -> Wavelet {
        Wavelet { data: self.data, control: self.control }
    }
}

impl Default for Outgoing {
    fn default() -> Outgoing {
        Outgoing::new(Color(0), Wavelet::default(), 0)
    }
}

/// An operation that sends.
#[derive(Copy, Clone, Debug)]
pub struct SendOperation {
    /// The color.
    pub color: Color,
    /// Where it stands.
    pub span: Span,
    /// Whether it runs beside the main thread.
    pub is_async: bool,
}

/// Wavelets on their way out.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    /// `None`: the private queue.
    pub queue: Option<OutQueue>,
    color: Option<Color>,
    depth: u8,
    items: Ring<Outgoing, 2>,
    /// The operation that was the last to send through it.
    pub sent_by: Option<SendOperation>,
}

impl Outbox {
    /// Free places.
    pub fn space(&self) -> usize {
        usize::from(self.depth).saturating_sub(self.items.len())
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Number of wavelets.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Color of the oldest wavelet, or else of those that it is for.
    pub fn color_now(&self) -> Option<Color> {
        self.head_color().or(self.color)
    }

    /// Takes the oldest wavelet.
    pub fn take(&mut self) -> Option<Outgoing> {
        self.items.pop_front()
    }

    /// Color of the oldest wavelet.
    pub fn head_color(&self) -> Option<Color> {
        self.items.front().map(|head| head.color)
    }

    /// When the oldest of the wavelets is sent that are sent after a cycle.
    fn after(&self, now: u64) -> Option<u64> {
        self.items.iter().map(|item| item.from).find(|from| *from > now)
    }

    /// Adds a wavelet; the caller has looked at the space.
    pub fn push(&mut self, outgoing: Outgoing) {
        debug_assert!(self.space() > 0, "an output queue is never overfilled");
        self.items.push_back(outgoing);
    }
}

/// All queues of a PE.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Queues {
    /// The last cycle in which a wavelet was or will be sent.
    pub sent_last: u64,
    /// Colors whose oldest wavelet the router has refused, bit = color.
    pub refused: u32,
    next_output: u32,
    pub inputs: Vec<Inbox>,
    pub outputs: Vec<Outbox>,
    arch: &'static Arch,
    /// The color that input queues were last read for, and by whom.
    readers: Vec<(InQueue, Color, Span)>,
}

impl Queues {
    pub fn new(arch: &'static Arch, tile: &TileImage) -> Queues {
        let inputs = tile.input_queues.iter().map(|b| Inbox {
            color: b.color,
            queue: Some(b.queue),
            depth: arch.input_queue_depth[usize::from(b.queue.0)],
            control_table: tile.control_tables[usize::from(b.queue.0)],
            items: Ring::default(),
            since: 0,
            message: Message::No,
            is_mailbox: tile.mailbox == Some(b.queue),
        });
        let outputs = tile.output_queues.iter().map(|b| Outbox {
            queue: Some(b.queue),
            color: Some(b.color),
            depth: arch.output_queue_depth[usize::from(b.queue.0)],
            items: Ring::default(),
            sent_by: None,
        });
        Queues {
            arch,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            next_output: 0,
            sent_last: 0,
            readers: Vec::new(),
            refused: 0,
        }
    }

    /// The architecture, which decides how operands name queues.
    #[inline]
    pub fn arch_name(&self) -> ArchName {
        self.arch.name
    }

    /// Takes a wavelet into an input, if that has room.
    #[inline]
    pub fn deliver(&mut self, now: u64, color: Color, wavelet: Wavelet) -> Option<usize> {
        let input = match self.inputs.iter().position(|inbox| inbox.color == color) {
            Some(input) => input,
            // On WSE-3 only bound queues take wavelets; on WSE-2 every color has a way in.
            None if self.arch.name == ArchName::Wse3 => return None,
            None => self.inbox_of(color),
        };
        let inbox = &mut self.inputs[input];
        if inbox.is_full() {
            return None;
        }
        if inbox.message == Message::Header {
            inbox.message = Message::Words;
            return Some(input);
        }
        if inbox.items.is_empty() {
            inbox.since = now;
        }
        inbox.items.push_back(wavelet);
        Some(input)
    }

    /// The color of an input queue.
    pub fn input_color(&self, queue: InQueue) -> Option<Color> {
        self.inputs.iter().find(|i| i.queue == Some(queue)).map(|i| i.color)
    }

    /// The color of an output queue.
    pub fn output_color(&self, queue: OutQueue) -> Option<Color> {
        self.outputs.iter().find(|o| o.queue == Some(queue)).and_then(|o| o.color)
    }

    /// Gives an input queue another color; tells the one before, and how many wavelets it held. What has
    /// come of the new color on WSE-2 is in the queue now.
    pub fn bind_input(&mut self, queue: InQueue, color: Color) -> (Option<Color>, usize) {
        let private = self.inputs.iter().position(|i| i.color == color && i.queue.is_none());
        let Some(bound) = self.inputs.iter().position(|i| i.queue == Some(queue)) else {
            let inbox = self.inbox_of(color);
            self.inputs[inbox].queue = Some(queue);
            self.inputs[inbox].depth = self.arch.input_queue_depth[usize::from(queue.0)];
            return (None, 0);
        };
        let held = (Some(self.inputs[bound].color), self.inputs[bound].len());
        // Operations know an input by its place: the private queue stays, for the color that is given up.
        if let Some(private) = private {
            let items = std::mem::take(&mut self.inputs[private].items);
            if self.inputs[bound].items.is_empty() {
                self.inputs[bound].since = self.inputs[private].since;
            }
            items.iter().for_each(|wavelet| self.inputs[bound].items.push_back(*wavelet));
            self.inputs[private].color = self.inputs[bound].color;
        }
        self.inputs[bound].color = color;
        held
    }

    /// Gives an output queue another color for what is sent from now on; tells the one before, and how
    /// many wavelets it holds.
    pub fn bind_output(&mut self, queue: OutQueue, color: Color) -> (Option<Color>, usize) {
        let at = self.outputs.iter().position(|o| o.queue == Some(queue)).unwrap_or_else(|| {
            let depth = self.arch.output_queue_depth[usize::from(queue.0)];
            let queue = Some(queue);
            self.outputs.push(Outbox { queue, color: None, depth, items: Ring::default(), sent_by: None });
            self.outputs.len() - 1
        });
        let outbox = &mut self.outputs[at];
        let held = (outbox.color_now(), outbox.len());
        outbox.color = Some(color);
        held
    }

    /// What comes next in a queue is a message; drops its header, which may not have come yet.
    pub fn receive_message(&mut self, queue: InQueue) {
        if let Some(inbox) = self.inputs.iter_mut().find(|i| i.queue == Some(queue)) {
            let has_header = inbox.items.pop_front().is_some();
            inbox.message = if has_header { Message::Words } else { Message::Header };
        }
    }

    fn inbox_of(&mut self, color: Color) -> usize {
        self.inputs.iter().position(|i| i.color == color).unwrap_or_else(|| {
            self.inputs.push(Inbox {
                color,
                queue: None,
                depth: IMPLICIT_DEPTH,
                control_table: 0,
                items: Ring::default(),
                since: 0,
                message: Message::No,
                is_mailbox: false,
            });
            self.inputs.len() - 1
        })
    }

    /// Where a fabin operand reads: on WSE-2 its color decides, on WSE-3 its queue.
    pub fn input(&mut self, color: Option<Color>, queue: Option<InQueue>) -> Result<usize, Diag> {
        if let (Some(color), ArchName::Wse2) = (color, self.arch.name) {
            return Ok(self.inbox_of(color));
        }
        let bound = self.inputs.iter().position(|i| i.queue == queue && queue.is_some());
        bound.ok_or_else(|| unbound("input", queue.map(|q| q.0)))
    }

    /// Whether a fabin operand would read an input that is there, and that nobody has read another
    /// color through.
    pub fn has_input(&self, color: Option<Color>, queue: Option<InQueue>) -> bool {
        let reads = |inbox: &&Inbox| match (color, self.arch.name) {
            (Some(color), ArchName::Wse2) => inbox.color == color,
            _ => inbox.queue == queue && queue.is_some(),
        };
        let Some(inbox) = self.inputs.iter().find(reads) else { return false };
        let reader = self.readers.iter().find(|(reader, ..)| Some(*reader) == queue);
        reader.is_none_or(|(_, other, _)| *other == inbox.color)
    }

    /// An operation reads a color through a queue; gives the color and place of the one before.
    pub fn read_through(&mut self, queue: InQueue, color: Color, span: Span) -> Option<(Color, Span)> {
        match self.readers.iter_mut().find(|(reader, ..)| *reader == queue) {
            Some((_, c, s)) => Some((std::mem::replace(c, color), std::mem::replace(s, span))),
            None => {
                self.readers.push((queue, color, span));
                None
            }
        }
    }

    /// The operation that was the last to read a color through a queue.
    pub fn last_reader(&self, color: Color) -> Option<Span> {
        let readers = self.readers.iter().filter(|(_, c, _)| *c == color);
        readers.min_by_key(|(queue, ..)| queue.0).map(|(.., span)| *span)
    }

    /// The operation that was the last to send a color.
    pub fn last_sender(&self, color: Color) -> Option<SendOperation> {
        self.outputs.iter().filter_map(|o| o.sent_by).find(|sender| sender.color == color)
    }

    /// Where a fabout operand writes, and the color: on WSE-3 that of the queue.
    pub fn output(&mut self, color: Option<Color>, queue: Option<OutQueue>) -> Result<(usize, Color), Diag> {
        let at = self.outputs.iter().position(|o| o.queue == queue);
        let bound = at.and_then(|i| self.outputs[i].color);
        let color = match self.arch.name {
            ArchName::Wse2 => color.or(bound),
            ArchName::Wse3 => bound,
        };
        let color = color.ok_or_else(|| unbound("output", queue.map(|q| q.0)))?;
        let at = at.unwrap_or_else(|| {
            let known = queue.and_then(|q| self.arch.output_queue_depth.get(usize::from(q.0)));
            let depth = known.copied().unwrap_or(PRIVATE_OUT_DEPTH);
            self.outputs.push(Outbox { queue, color: None, depth, items: Ring::default(), sent_by: None });
            self.outputs.len() - 1
        });
        Ok((at, color))
    }

    /// Gives at most one wavelet to the router; true if it took one.
    pub fn drain(&mut self, ramp: &mut dyn Ramp, now: u64) -> bool {
        self.refused = 0;
        let count = self.outputs.len();
        let mut next = self.next_output as usize;
        for _ in 0..count {
            let at = if next < count { next } else { 0 };
            next = at + 1;
            let Some(head) = self.outputs[at].items.front().copied() else { continue };
            if head.from > now {
                continue;
            }
            if ramp.send(head.color, head.wavelet()).is_err() {
                self.refused |= 1 << head.color.0;
                continue;
            }
            if head.advance_switch {
                ramp.advance_switch(head.color);
            }
            self.outputs[at].items.pop_front();
            self.next_output = next as u32;
            return true;
        }
        false
    }

    /// Hands over wavelets before their time, as far as the router promises to take them then. Where
    /// several queues hold some, each waits for its turn.
    pub fn send_ahead(&mut self, ramp: &mut dyn Ramp, now: u64) {
        let mut filled = (0..self.outputs.len()).filter(|at| !self.outputs[*at].is_empty());
        let (Some(at), None) = (filled.next(), filled.next()) else { return };
        let items = &mut self.outputs[at].items;
        while let Some(head) = items.front().filter(|head| head.from > now && !head.advance_switch) {
            if !ramp.send_at(head.color, head.wavelet(), head.from) {
                return;
            }
            items.pop_front();
            self.next_output = at as u32 + 1;
        }
    }

    /// Whether the task picker may have something to drop.
    pub fn have_command(&self) -> bool {
        self.inputs.iter().filter_map(|inbox| inbox.head()).any(|head| head.control)
    }

    /// Whether nothing is in any queue.
    pub fn are_empty(&self) -> bool {
        self.inputs.iter().all(|inbox| inbox.items.is_empty()) && !self.has_outgoing()
    }

    /// Whether anything is in an input that is not one of these, bit = input.
    #[inline]
    pub fn hold_besides(&self, inputs: u64) -> bool {
        let mut all = self.inputs.iter().enumerate();
        all.any(|(input, inbox)| inputs & 1 << input == 0 && !inbox.items.is_empty())
    }

    /// Whether nothing is in an input queue.
    pub fn is_input_empty(&self, queue: InQueue) -> bool {
        self.inputs.iter().all(|i| i.queue != Some(queue) || i.items.is_empty())
    }

    /// Whether nothing is in an output queue.
    pub fn is_output_empty(&self, queue: OutQueue) -> bool {
        self.outputs.iter().all(|o| o.queue != Some(queue) || o.items.is_empty())
    }

    /// The next cycle in which a wavelet is sent that was made early.
    pub fn next_departure(&self, now: u64) -> Option<u64> {
        if self.sent_last <= now {
            return None;
        }
        self.outputs.iter().filter_map(|outbox| outbox.after(now)).min()
    }

    /// Whether a wavelet waits to leave that was sent by some cycle.
    pub fn has_outgoing_by(&self, cycle: u64) -> bool {
        self.outputs.iter().filter_map(|outbox| outbox.items.front()).any(|head| head.from <= cycle)
    }

    /// Whether wavelets wait to leave.
    pub fn has_outgoing(&self) -> bool {
        self.outputs.iter().any(|o| !o.items.is_empty())
    }

    /// Colors, queues and numbers of wavelets that wait to leave.
    pub fn outgoing(&self) -> impl Iterator<Item = (Color, Option<OutQueue>, usize)> {
        self.outputs.iter().filter_map(|o| Some((o.head_color()?, o.queue, o.items.len())))
    }
}

fn unbound(way: &str, queue: Option<u8>) -> Diag {
    let Some(n) = queue else { return QUEUE_UNBOUND.because(&[("queue", &"the operand")]) };
    let c = QUEUE_UNBOUND.because(&[("queue", &format!("{way} queue {n}"))]);
    c.help(format!(
        "write in a comptime block: `@initialize_queue(@get_{way}_queue({n}), .{{ .color = .. }})`"
    ))
}
