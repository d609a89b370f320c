//! Operations that send from memory and that nothing can delay.
//!
//! Fast path: such an operation leaves its wavelets in the output queue at its start (`Pe::sends_without_a_wait`), so that
//! nothing has to be prepared that would go on later. game-of-life, 16 x 16, starts 71 % of its operations here, in a
//! quarter of the instructions. Whatever is to be told, or is not as usual, is left to the general path. A recording, a
//! profile and `--engine plain` switch it off; `tests/it/engines.rs` compares whole programs.

use super::element::Pe;
use super::lines::LineOperand;
use super::main_thread::Served;
use super::open_operation::{Begun, Place};
use super::queue::{Outgoing, SendOperation};
use super::registers::completion;
use super::threads::PendingCompletion;
use super::vector::LaunchTiming;
use crate::arch::Color;
use crate::dsd::access::Row;
use crate::dsd::footprint::Footprint;
use crate::dsd::ops::OPS;
use crate::dsd::{Dsd, ENDLESS, local};
use crate::exec::cycles::LAUNCH;
use crate::exec::vector::line_shape::{SendShape, ShapeSource};
use crate::exec::vector::memory::scalar_lane;
use crate::fabric::Wavelet;
use crate::image::code::{DsdRef, VectorOp};

/// What an operation sends.
#[derive(Copy, Clone)]
enum Elements {
    /// The same value, this often.
    Same(u32, u16),
    /// A line in memory, words per element, and the words that it may access.
    Line(Row, u16, (u16, u16)),
}

impl Elements {
    fn count(self) -> u16 {
        match self {
            Elements::Same(_, count) => count,
            Elements::Line(row, ..) => row.count as u16,
        }
    }

    /// The words that it reads.
    fn footprint(self) -> Option<Footprint> {
        match self {
            Elements::Same(..) => None,
            Elements::Line(row, words, _) => Some(Footprint::line(&row, words)),
        }
    }
}

impl Pe {
    /// Sends all elements of an operation, for the cycles in which they leave. `None`: nothing is done.
    pub(super) fn send_short(
        &mut self,
        shape: &SendShape,
        vector: &VectorOp,
        timing: LaunchTiming,
    ) -> Option<Served> {
        let (to, queue) = shape.to;
        if !self.threads.is_empty()
            || !self.observer.is_nobody()
            || self.is_observed()
            || self.duties.has_flushes()
        {
            return None;
        }
        let (output, color) = self.queues.known_output(to.color, queue)?;
        let elements = self.elements(shape)?;
        if !self.may_leave(vector, (output, color), elements.count(), timing) {
            return None;
        }
        let footprint = elements.footprint();
        if self.races.is_on && footprint.as_ref().is_some_and(|words| self.races.is_of_interest(words, false))
        {
            return None;
        }
        let (is_async, span) = (vector.config.is_async, vector.span);
        self.queues.outputs[output].sent_by = Some(SendOperation { color, span, is_async });
        let done = completion(vector.config.completion, |reg| self.main.register(reg));
        let first = timing.time + timing.start_cycles + 1;
        self.threads.takes_spare = false;
        if is_async {
            let begun = Begun { span, place: Place::ahead(first, elements.count().into()), completion: done };
            self.races.start_send((OPS[usize::from(vector.op)].name, output), footprint, begun);
        }
        let last = self.put_out(shape, elements, (output, color), first);
        if !is_async && self.races.is_on {
            self.races.waited_for_send(output, last);
        }
        self.main.set_result(vector.result, true);
        if !is_async {
            return Some(Served::Done(last + 1 - timing.time));
        }
        self.threads.latest = vector.config.ut.map_or(queue.0, |ut| ut.0) & 7;
        self.threads.end_later(PendingCompletion { cycle: last, done, span });
        Some(Served::Done(timing.start_cycles + LAUNCH))
    }

    /// Whether an operation needs no diagnostic, and nothing can keep it from sending an element in each of the next
    /// cycles (`Pe::sends_without_a_wait`).
    fn may_leave(
        &self,
        vector: &VectorOp,
        (output, color): (usize, Color),
        count: u16,
        timing: LaunchTiming,
    ) -> bool {
        let outbox = &self.queues.outputs[output];
        timing.leaves_unnoticed(count.into(), vector.config.is_async)
            && self.threads.routed & 1 << (color.0 & 31) != 0
            && usize::from(count) <= outbox.space()
            && outbox.head_color().is_none_or(|head| head == color)
            && !self.queues.have_command()
    }

    /// The elements of an operation, if there are any and all lie where they may.
    fn elements(&mut self, shape: &SendShape) -> Option<Elements> {
        let extent = shape.to.0.extent;
        let its_own = |limits| limits;
        let (line, words) = match shape.source {
            ShapeSource::Nothing => return None,
            ShapeSource::Scalar(reg, words) => {
                let value = scalar_lane(self.main.register(reg), words);
                return (extent > 0 && extent != ENDLESS).then_some(Elements::Same(value, extent));
            }
            ShapeSource::Line(DsdRef::Const(n), words) => match &self.tile.dsds[n as usize] {
                Dsd::Mem(mem) => (LineOperand::new(mem, mem.base, words, its_own)?, words),
                Dsd::FabIn(_) | Dsd::FabOut(_) | Dsd::Fifo(_) => return None,
            },
            ShapeSource::Line(DsdRef::At(reg, _), words) => {
                let value = self.memory.words().get(self.main.address(reg)..)?.first_chunk()?;
                (LineOperand::from_words(value, words, its_own)?, words)
            }
            ShapeSource::Line(DsdRef::Dsr(_), _) => return None,
        };
        let (count, limits) = (line.length(), line.limits());
        let allowed = self.checks.allowed(limits, self.memory.size());
        let row = if count > 0 && extent > 0 { line.row_within(count, allowed)? } else { return None };
        let is_allocated = row.span(words).1 as usize <= self.memory.words().len();
        is_allocated.then_some(Elements::Line(row, words, limits))
    }

    /// Puts the elements into the output queue, from a cycle on; returns the cycle of the last one.
    fn put_out(
        &mut self,
        shape: &SendShape,
        elements: Elements,
        (output, color): (usize, Color),
        first: u64,
    ) -> u64 {
        let (to, last) = (&shape.to.0, elements.count() - 1);
        if let Elements::Line(_, _, (low, high)) = elements {
            self.sanitizer.give_value(low.into(), usize::from(high.saturating_sub(low)));
        }
        for k in 0..=last {
            let value = match elements {
                Elements::Same(value, _) => value,
                Elements::Line(row, words, _) => {
                    let at = row.at.wrapping_add_signed(row.step as isize * k as isize);
                    local::read(self.memory.words(), at, words)
                }
            };
            let value = (shape.each)(value, 0, 0);
            let data = if shape.words == 1 { value & 0xffff } else { value };
            let wavelet = Wavelet { data, control: to.control };
            let mut outgoing = Outgoing::new(color, wavelet, first + u64::from(k));
            outgoing.advance_switch = to.advance_switch && k == last;
            self.queues.send(output, outgoing);
        }
        self.queues.sent_last = first + u64::from(last);
        self.queues.sent_last
    }
}
