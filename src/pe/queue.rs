//! One queue between a PE and its router: of wavelets on their way in, or on their way out.

use crate::arch::{Color, InQueue, OutQueue};
use crate::fabric::Wavelet;
use crate::ring::Ring;
use crate::source::Span;

/// Wavelets of one color on their way in, most of the time in one line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Inbox {
    pub color: Color,
    /// `None`: a private queue.
    pub queue: Option<InQueue>,
    pub(super) depth: u8,
    /// Where its part of the control task table begins (WSE-3).
    pub control_table: u8,
    pub(super) items: Ring<Wavelet, 4>,
    /// When the oldest wavelet became the oldest.
    pub since: u64,
    pub(super) message: Message,
    /// It belongs to `<message_passing>`.
    pub is_mailbox: bool,
}

/// What an operation still has to see of the message that it receives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
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
    pub(super) color: Option<Color>,
    pub(super) depth: u8,
    pub(super) items: Ring<Outgoing, 2>,
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
    pub(super) fn after(&self, now: u64) -> Option<u64> {
        self.items.iter().map(|item| item.from).find(|from| *from > now)
    }

    /// Adds a wavelet; the caller has looked at the space.
    pub fn push(&mut self, outgoing: Outgoing) {
        debug_assert!(self.space() > 0, "an output queue is never overfilled");
        self.items.push_back(outgoing);
    }
}
