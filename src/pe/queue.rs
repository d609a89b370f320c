//! One queue between a PE and its router: an [`Inbox`] or an [`Outbox`].

use crate::arch::{ArchName, Color, InQueue, OutQueue};
use crate::fabric::Wavelet;
use crate::inline_queue::InlineQueue;
use crate::source::Span;

/// An input queue: wavelets of one color that have arrived. Most of the time it fits one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Inbox {
    pub color: Color,
    /// The number of the queue; `None` for a private one.
    pub queue: Option<InQueue>,
    pub(super) depth: u8,
    /// Offset of its part of the control task table (WSE-3).
    pub control_table: u8,
    pub(super) items: InlineQueue<Wavelet, 4>,
    /// The cycle in which the oldest wavelet became the oldest.
    pub since: u64,
    pub(super) message: MessagePart,
    /// Whether the queue belongs to `<message_passing>`.
    pub is_mailbox: bool,
    /// Whether the oldest wavelet is a control wavelet that has ended an operation.
    pub head_has_ended_operation: bool,
}

/// The next part of a message that the receiving operation expects.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum MessagePart {
    /// The operation receives plain wavelets, not a message.
    No,
    /// The header, which is dropped.
    Header,
    /// The words; a control wavelet is the last one.
    Words,
    /// Nothing: the message is complete.
    Over,
}

impl Inbox {
    /// The oldest wavelet.
    pub fn head(&self) -> Option<Wavelet> {
        self.items.front().copied()
    }

    /// The number of the data task that its wavelets start; `None` where it has none.
    #[inline]
    pub fn channel(&self, arch: ArchName) -> Option<u8> {
        arch.channel(self.color, self.queue)
    }

    /// Takes the oldest wavelet.
    pub fn take(&mut self, now: u64) -> Option<Wavelet> {
        self.since = now;
        self.head_has_ended_operation = false;
        let wavelet = self.items.pop_front()?;
        if self.message == MessagePart::Words && wavelet.control {
            self.message = MessagePart::Over;
            return Some(Wavelet { control: false, ..wavelet });
        }
        Some(wavelet)
    }

    /// Whether a control wavelet is a word of a message, and not a command.
    pub fn is_message(&self) -> bool {
        self.message == MessagePart::Words
    }

    /// Whether the last word of a message has just been taken; true once.
    pub fn end_message(&mut self) -> bool {
        let is_over = self.message == MessagePart::Over;
        if is_over {
            self.message = MessagePart::No;
        }
        is_over
    }

    /// Number of wavelets.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it is full.
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
    /// The cycle in which it is sent. It can be in the future, because a PE may run ahead of the clock.
    pub from: u64,
}

impl Outgoing {
    /// A wavelet, with the cycle in which it is sent.
    pub fn new(color: Color, Wavelet { data, control }: Wavelet, from: u64) -> Outgoing {
        Outgoing { data, control, color, advance_switch: false, from }
    }

    /// The wavelet.
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
    /// Its source location.
    pub span: Span,
    /// Whether it runs on a microthread, in parallel with the main thread.
    pub is_async: bool,
}

/// An output queue: wavelets that the router has not accepted yet.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    /// The number of the queue; `None` for the private one.
    pub queue: Option<OutQueue>,
    pub(super) color: Option<Color>,
    pub(super) depth: u8,
    pub(super) items: InlineQueue<Outgoing, 2>,
    /// The last operation that sent through it.
    pub sent_by: Option<SendOperation>,
}

impl Outbox {
    /// An empty queue that takes so many wavelets.
    pub fn new(queue: Option<OutQueue>, depth: u8) -> Outbox {
        Outbox { queue, color: None, depth, items: InlineQueue::default(), sent_by: None }
    }

    /// Number of wavelets that still fit.
    pub fn space(&self) -> usize {
        usize::from(self.depth).saturating_sub(self.items.len())
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Number of wavelets.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Number of wavelets that have been sent by a cycle.
    pub fn len_by(&self, now: u64) -> usize {
        self.items.iter().filter(|item| item.from <= now).count()
    }

    /// Color of the oldest wavelet, or the color of the queue if it is empty.
    pub fn color_now(&self) -> Option<Color> {
        self.head_color().or(self.color)
    }

    /// Color of the oldest wavelet.
    pub fn head_color(&self) -> Option<Color> {
        self.items.front().map(|head| head.color)
    }

    /// The first cycle after a given one in which a wavelet is sent.
    #[inline]
    pub(super) fn after(&self, now: u64) -> Option<u64> {
        match self.items.front() {
            Some(head) if head.from > now => Some(head.from),
            Some(_) if self.len() > 1 => self.behind_head_after(now),
            Some(_) | None => None,
        }
    }

    fn behind_head_after(&self, now: u64) -> Option<u64> {
        self.items.iter().map(|item| item.from).find(|from| *from > now)
    }

    /// Adds a wavelet; the caller has checked that there is space.
    pub fn push(&mut self, outgoing: Outgoing) {
        debug_assert!(self.space() > 0, "an output queue is never overfilled");
        self.items.push_back(outgoing);
    }
}
