//! The queues between a PE and its router.

use super::queue::{Inbox, MessagePart, Outbox, Outgoing, SendOperation};
use crate::arch::{Arch, ArchName, Color, InQueue, OutQueue};
use crate::diagnostics::Diag;
use crate::diagnostics::rules::run::QUEUE_UNBOUND;
use crate::fabric::Wavelet;
use crate::image::TileImage;
use crate::inline_queue::InlineQueue;
use crate::prefetch;
use crate::source::Span;
use crate::state_hash::StateHash;

/// Depth of the private queue that a color without a queue has on WSE-2 (ruling OQ-48).
const IMPLICIT_DEPTH: u8 = 6;
/// Depth of the private output queue of WSE-2 operations without one (ruling OQ-14).
const PRIVATE_OUT_DEPTH: u8 = 2;
/// Index that stands for no input: nothing receives the color.
const NO_INPUT: u64 = 1 << 63;

const NO_PLACE: u8 = u8::MAX;
/// Colors whose inputs are found without a search: those that a program can route.
const INDEXED: usize = Color::COUNT as usize;

/// The members of a bit set, in ascending order.
pub(super) fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// All queues of a PE.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Queues {
    /// The last cycle in which a wavelet was or will be sent.
    pub sent_last: u64,
    /// Colors whose oldest wavelet the router has refused, bit = color.
    pub refused: u32,
    /// Those of them that the router refuses until it announces space.
    pub(super) stalled: u32,
    /// Inputs that had no space for a wavelet, bit = input; the last bit stands for colors without an input.
    turned_away: u64,
    /// Inputs that may hold wavelets, bit = input. The set contains every nonempty input, and may still contain
    /// some that have become empty.
    filled: u64,
    /// Outputs that may hold wavelets, in the same sense.
    pub(super) outgoing: u64,
    pub inputs: Vec<Inbox>,
    pub outputs: Vec<Outbox>,
    /// For each of the first colors the first input that serves it, or [`NO_PLACE`].
    input_of: [u8; INDEXED],
    pub(super) next_output: u32,
    /// The input that has accepted the last wavelet.
    latest_input: u32,
    arch: &'static Arch,
    /// The color that each input queue was last read for, and the operation that read it.
    readers: Vec<(InQueue, Color, Span)>,
}

impl Queues {
    pub fn new(arch: &'static Arch, tile: &TileImage) -> Queues {
        let inputs = tile.input_queues.iter().map(|b| Inbox {
            color: b.color,
            queue: Some(b.queue),
            depth: arch.input_queue_depth[usize::from(b.queue.0)],
            control_table: tile.control_tables[usize::from(b.queue.0)],
            items: InlineQueue::default(),
            since: 0,
            message: MessagePart::No,
            is_mailbox: tile.mailbox == Some(b.queue),
            head_has_ended_operation: false,
        });
        let outputs = tile.output_queues.iter().map(|b| Outbox {
            queue: Some(b.queue),
            color: Some(b.color),
            depth: arch.output_queue_depth[usize::from(b.queue.0)],
            items: InlineQueue::default(),
            sent_by: None,
        });
        let mut queues = Queues {
            arch,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            next_output: 0,
            latest_input: 0,
            sent_last: 0,
            readers: Vec::new(),
            refused: 0,
            stalled: 0,
            turned_away: 0,
            filled: 0,
            outgoing: 0,
            input_of: [NO_PLACE; INDEXED],
        };
        queues.index_inputs();
        queues
    }

    /// Finds out which input serves which color, after a change.
    fn index_inputs(&mut self) {
        self.input_of = [NO_PLACE; INDEXED];
        for (place, inbox) in self.inputs.iter().enumerate().rev() {
            let input = self.input_of.get_mut(usize::from(inbox.color.0));
            input.into_iter().for_each(|input| *input = place as u8);
        }
    }

    /// The input that serves a color.
    #[inline]
    fn input_for(&self, color: Color) -> Option<usize> {
        let Some(place) = self.input_of.get(usize::from(color.0)) else {
            return self.inputs.iter().position(|inbox| inbox.color == color);
        };
        (*place != NO_PLACE).then_some((*place).into())
    }

    /// Adds what decides how it goes on to the hash of a state.
    pub fn add_state(&self, state: &mut StateHash) {
        state.add_cycle(self.sent_last);
        state.add(u64::from(self.refused) | u64::from(self.stalled) << 32);
        [self.turned_away, self.filled, self.outgoing].into_iter().for_each(|set| state.add(set));
        for input in &self.inputs {
            state.add_debug(&(
                input.color,
                input.queue,
                input.message,
                input.control_table,
                input.head_has_ended_operation,
            ));
            input.items.iter().for_each(|wavelet| state.add_debug(wavelet));
        }
        for output in &self.outputs {
            state.add_debug(&(output.queue, output.color));
            for item in output.items.iter() {
                state.add_cycle(item.from);
                state.add_debug(&(item.wavelet(), item.color, item.advance_switch));
            }
        }
    }

    /// The architecture, which decides how operands name queues.
    #[inline]
    pub fn arch_name(&self) -> ArchName {
        self.arch.name
    }

    /// Accepts a wavelet into an input queue if there is space.
    #[inline]
    pub fn deliver(&mut self, now: u64, color: Color, wavelet: Wavelet) -> Option<usize> {
        let input = match self.input_for(color) {
            Some(input) => input,
            // On WSE-3 only bound queues receive wavelets, and `bind_input` tells when there is another one; on WSE-2
            // every color has an input.
            None if self.arch.name == ArchName::Wse3 => return None,
            None => self.inbox_of(color),
        };
        self.latest_input = input as u32;
        let inbox = &mut self.inputs[input];
        if inbox.is_full() {
            self.turned_away |= 1 << input;
            return None;
        }
        // `recv_message` drops the header of a message, which holds its length (docs/decisions.md).
        if inbox.message == MessagePart::Header {
            inbox.message = MessagePart::Words;
            return Some(input);
        }
        if inbox.items.is_empty() {
            inbox.since = now;
        }
        inbox.items.push_back(wavelet);
        self.filled |= 1 << input;
        Some(input)
    }

    /// The input in which the last wavelet has arrived.
    pub fn latest_input(&self) -> usize {
        self.latest_input as usize
    }

    /// The colors, bit = color, of which wavelets had to stay on the ramp that can enter now; each only once.
    #[inline]
    pub fn take_room(&mut self) -> Option<u32> {
        if self.turned_away == 0 { None } else { self.look_for_room() }
    }

    #[inline(never)]
    fn look_for_room(&mut self) -> Option<u32> {
        let mut colors = 0;
        for input in members(std::mem::take(&mut self.turned_away)) {
            match self.inputs.get(input) {
                Some(inbox) if inbox.is_full() => self.turned_away |= 1 << input,
                Some(inbox) => colors |= 1 << (inbox.color.0 & 31),
                // Another color may have an input now.
                None => colors = u32::MAX,
            }
        }
        (colors != 0).then_some(colors)
    }

    /// Prefetches the wavelets in the queues, the inputs of arriving ones, and the outputs that code may use.
    pub fn prefetch(&self, arriving: u32, may_send: bool) {
        let coming = members(arriving.into()).filter_map(|color| self.input_for(Color(color as u8)));
        let inputs = members(self.filled).chain(coming);
        inputs.for_each(|input| prefetch::value(&self.inputs[input], prefetch::LINE));
        if may_send {
            prefetch::slice(&self.outputs, 1024);
        } else {
            members(self.outgoing).for_each(|at| prefetch::value(&self.outputs[at], prefetch::LINE));
        }
    }

    /// The color of an input queue.
    pub fn input_color(&self, queue: InQueue) -> Option<Color> {
        self.inputs.iter().find(|i| i.queue == Some(queue)).map(|i| i.color)
    }

    /// The color of an output queue.
    pub fn output_color(&self, queue: OutQueue) -> Option<Color> {
        self.outputs.iter().find(|o| o.queue == Some(queue)).and_then(|o| o.color)
    }

    /// Gives an input queue another color; returns the previous color, and how many wavelets the queue held. On
    /// WSE-2, wavelets of the new color that have already arrived move into the queue.
    pub fn bind_input(&mut self, queue: InQueue, color: Color) -> (Option<Color>, usize) {
        let private = self.inputs.iter().position(|i| i.color == color && i.queue.is_none());
        let Some(bound) = self.inputs.iter().position(|i| i.queue == Some(queue)) else {
            let inbox = self.inbox_of(color);
            // Wavelets of this color may wait on the ramp because they had no queue.
            self.turned_away |= NO_INPUT;
            self.inputs[inbox].queue = Some(queue);
            self.inputs[inbox].depth = self.arch.input_queue_depth[usize::from(queue.0)];
            return (None, 0);
        };
        let held = (Some(self.inputs[bound].color), self.inputs[bound].len());
        // Operations refer to an input by its index, so the private queue must stay; it now serves the color
        // that the queue gives up.
        if let Some(private) = private {
            let items = std::mem::take(&mut self.inputs[private].items);
            let is_heard = std::mem::take(&mut self.inputs[private].head_has_ended_operation);
            if self.inputs[bound].items.is_empty() {
                self.inputs[bound].since = self.inputs[private].since;
                self.inputs[bound].head_has_ended_operation = is_heard;
            }
            items.iter().for_each(|wavelet| self.inputs[bound].items.push_back(*wavelet));
            self.inputs[private].color = self.inputs[bound].color;
            self.filled |= 1 << bound;
        }
        self.inputs[bound].color = color;
        self.index_inputs();
        self.turned_away |= NO_INPUT;
        held
    }

    /// Gives an output queue another color for wavelets that are sent from now on; returns the previous
    /// color, and how many wavelets the queue holds.
    pub fn bind_output(&mut self, queue: OutQueue, color: Color) -> (Option<Color>, usize) {
        let at = self.outputs.iter().position(|o| o.queue == Some(queue)).unwrap_or_else(|| {
            let depth = self.arch.output_queue_depth[usize::from(queue.0)];
            let queue = Some(queue);
            self.outputs.push(Outbox::new(queue, depth));
            self.outputs.len() - 1
        });
        let outbox = &mut self.outputs[at];
        let held = (outbox.color_now(), outbox.len());
        outbox.color = Some(color);
        held
    }

    /// Prepares a queue for a message; drops its header, which may not have arrived yet.
    pub fn receive_message(&mut self, queue: InQueue) {
        if let Some(inbox) = self.inputs.iter_mut().find(|i| i.queue == Some(queue)) {
            let has_header = inbox.items.pop_front().is_some();
            inbox.message = if has_header { MessagePart::Words } else { MessagePart::Header };
        }
    }

    fn inbox_of(&mut self, color: Color) -> usize {
        self.input_for(color).unwrap_or_else(|| {
            self.inputs.push(Inbox {
                color,
                queue: None,
                depth: IMPLICIT_DEPTH,
                control_table: 0,
                items: InlineQueue::default(),
                since: 0,
                message: MessagePart::No,
                is_mailbox: false,
                head_has_ended_operation: false,
            });
            self.index_inputs();
            self.inputs.len() - 1
        })
    }

    /// The input that a fabin operand reads: on WSE-2 its color decides, on WSE-3 its queue.
    pub fn input(&mut self, color: Option<Color>, queue: Option<InQueue>) -> Result<usize, Diag> {
        if let (Some(color), ArchName::Wse2) = (color, self.arch.name) {
            return Ok(self.inbox_of(color));
        }
        let bound = self.inputs.iter().position(|i| i.queue == queue && queue.is_some());
        bound.ok_or_else(|| unbound("input", queue.map(|q| q.0)))
    }

    /// Whether the input of a fabin operand exists and has never been read for another color.
    pub fn has_input(&self, color: Option<Color>, queue: Option<InQueue>) -> bool {
        let reads = |inbox: &&Inbox| match (color, self.arch.name) {
            (Some(color), ArchName::Wse2) => inbox.color == color,
            _ => inbox.queue == queue && queue.is_some(),
        };
        let Some(inbox) = self.inputs.iter().find(reads) else { return false };
        let reader = self.readers.iter().find(|(reader, ..)| Some(*reader) == queue);
        reader.is_none_or(|(_, other, _)| *other == inbox.color)
    }

    /// Records that an operation reads a color through a queue; returns color and source location of the
    /// previous reader.
    pub fn read_through(&mut self, queue: InQueue, color: Color, span: Span) -> Option<(Color, Span)> {
        match self.readers.iter_mut().find(|(reader, ..)| *reader == queue) {
            Some((_, c, s)) => Some((std::mem::replace(c, color), std::mem::replace(s, span))),
            None => {
                self.readers.push((queue, color, span));
                None
            }
        }
    }

    /// The last operation that read a color through a queue.
    pub fn last_reader(&self, color: Color) -> Option<Span> {
        let readers = self.readers.iter().filter(|(_, c, _)| *c == color);
        readers.min_by_key(|(queue, ..)| queue.0).map(|(.., span)| *span)
    }

    /// The last operation that sent a color.
    pub fn last_sender(&self, color: Color) -> Option<SendOperation> {
        self.outputs.iter().filter_map(|o| o.sent_by).find(|sender| sender.color == color)
    }

    /// The output that a fabout operand writes, and the color: on WSE-3 that of the queue.
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
            self.outputs.push(Outbox::new(queue, depth));
            self.outputs.len() - 1
        });
        Ok((at, color))
    }

    /// The same for a queue that exists.
    #[inline]
    pub fn known_output(&self, color: Option<Color>, queue: OutQueue) -> Option<(usize, Color)> {
        let at = self.outputs.iter().position(|o| o.queue == Some(queue))?;
        let bound = self.outputs[at].color;
        let color = match self.arch.name {
            ArchName::Wse2 => color.or(bound),
            ArchName::Wse3 => bound,
        };
        color.map(|color| (at, color))
    }

    /// Adds a wavelet to an output; the caller has checked that there is space.
    #[inline]
    pub fn send(&mut self, output: usize, outgoing: Outgoing) {
        self.outputs[output].push(outgoing);
        self.outgoing |= 1 << output;
    }

    /// The nonempty inputs of a set, bit = input.
    #[inline]
    pub fn holding(&mut self, inputs: u64) -> u64 {
        // `filled` may contain inputs that have become empty; they are removed when somebody asks.
        let asked = self.filled & inputs;
        for input in members(asked) {
            if self.inputs[input].items.is_empty() {
                self.filled &= !(1 << input);
            }
        }
        self.filled & inputs
    }

    /// Inputs that may hold wavelets; all that do are among them.
    #[inline]
    pub fn filled(&self) -> impl Iterator<Item = usize> + use<> {
        members(self.filled)
    }

    /// Whether the task picker may have wavelets to drop.
    pub fn have_command(&self) -> bool {
        members(self.filled).filter_map(|input| self.inputs[input].head()).any(|head| head.control)
    }

    /// Whether all queues are empty.
    pub fn are_empty(&self) -> bool {
        members(self.filled).all(|input| self.inputs[input].items.is_empty()) && !self.has_outgoing()
    }

    /// Whether any input outside of this set is nonempty, bit = input.
    #[inline]
    pub fn hold_unclaimed(&self, inputs: u64) -> bool {
        members(self.filled & !inputs).any(|input| !self.inputs[input].items.is_empty())
    }

    /// Whether an input queue is empty.
    pub fn is_input_empty(&self, queue: InQueue) -> bool {
        self.inputs.iter().all(|i| i.queue != Some(queue) || i.items.is_empty())
    }

    /// Whether an output queue is empty.
    pub fn is_output_empty(&self, queue: OutQueue) -> bool {
        self.outputs.iter().all(|o| o.queue != Some(queue) || o.items.is_empty())
    }

    /// Whether wavelets wait to leave.
    pub fn has_outgoing(&self) -> bool {
        members(self.outgoing).any(|at| !self.outputs[at].items.is_empty())
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
