//! Elements that are stored when their wavelets arrive, without a visit of the PE.
//!
//! Fast path: the only wavelet that comes to a PE in a cycle, for an operation that has waited for it, where nothing else of
//! the PE can move (`Pe::store_arrival`). gemm-collectives_2d, 8 x 8, then visits its PEs 95,000 instead of 229,000 times
//! and executes 0.96 of the instructions; 25-pt-stencil, 8 x 8, visits them 0.70 times as often. The wavelets behind it, of at
//! most two colors, need not even a look at the PE as long as nothing else happens to it (`Pe::store_next`): then
//! gemm-collectives_2d, 12 x 12, executes 0.94 of the instructions, and 32 x 32 takes 0.86 of the time. A recording, a
//! profile, a debugger, scripts and `--engine plain` switch both off; `tests/it/engines.rs`, `props::streams` and
//! `props::stencils` compare whole programs.

use super::element::Pe;
use super::operation::{ElementDest, ElementSource, Operation, Pacing, StepContext, StepResult};
use super::queue::MessagePart;
use super::queues::Queues;
use super::stall::Stall;
use crate::arch::Color;
use crate::dsd::local::{self, Dest, Source, write};
use crate::exec::memory::Memory;
use crate::fabric::Wavelet;

impl Pe {
    /// Gives the wavelet that has just arrived, as the only one in this cycle, to the operation that waits for it; true
    /// if the PE need not be visited because of the wavelet.
    #[inline]
    pub fn store_arrival(&mut self, now: u64) -> bool {
        self.threads.may_store_from(self.queues.latest_input())
            && self.is_undisturbed()
            && self.store_for_running(now)
    }

    fn store_for_running(&mut self, now: u64) -> bool {
        let places = self.threads.running_places(&self.queues, now);
        let (place, input) = (places.trailing_zeros() as usize, self.queues.latest_input());
        if !places.is_power_of_two() || !self.threads.is_storing(place) {
            return false;
        }
        let (mut context, threads) = self.surroundings(now);
        let Some(thread) = threads.slot(place) else { return false };
        if !thread.operation.stores_next(input, &context) {
            return false;
        }
        let step = thread.operation.step_once(&mut context);
        debug_assert!(matches!(step, Ok(StepResult::Moved)), "what could go wrong was looked at before");
        self.threads.note_early_move(place, input, now);
        let inbox = &self.queues.inputs[input];
        if inbox.message == MessagePart::No {
            self.threads.expect(inbox.color, place);
        }
        true
    }

    /// Gives a data wavelet that arrives, as the only one in this cycle, to the operation that has stored the last one in the
    /// same way; false if that is not possible, or something else has happened to the PE in between. Then
    /// [`Pe::deliver`] and [`Pe::store_arrival`] do it.
    #[inline]
    pub fn store_next(&mut self, now: u64, color: Color, wavelet: Wavelet) -> bool {
        let Some(place) = self.threads.expected.place(color) else { return false };
        let Some(thread) = self.threads.slot(place) else { return false };
        let (operation, memory) = (&mut thread.operation, &mut self.memory);
        if wavelet.control || !operation.store(wavelet.data, memory, now) {
            return false;
        }
        let stalled = thread.stalled.as_mut();
        stalled.into_iter().for_each(|(_, since)| *since = now + 1);
        self.threads.latest = place as u8;
        true
    }

    /// Whether a visit would do nothing because of the wavelet but move an operation.
    fn is_undisturbed(&self) -> bool {
        self.observer.is_nobody()
            && !self.threads.must_not_run_ahead
            && self.script.is_none()
            && self.choices.is_none()
            && !self.duties.has_flushes()
            && !self.main.is_stalled()
            // Such a task could take the wavelet from the operation (`Checks::check_contest`).
            && !(self.main.is_free() && self.tasks.want_data())
    }
}

impl Operation {
    /// The first empty input, among those from which every element takes a wavelet.
    pub fn dry_input(&self, queues: &Queues) -> Option<usize> {
        if self.steps != Pacing::Single {
            return None;
        }
        let mut inputs = self.fabins().map(|fabin| fabin.input);
        inputs.find(|input| queues.inputs[*input].items.is_empty())
    }

    /// What it waits for and since when, if it has moved before and no wavelet has come since. A visit in between
    /// would have had no visible effect.
    pub fn waits_since_moved(&self, queues: &Queues) -> Option<(Stall, u64)> {
        let input = self.dry_input(queues)?;
        let last = self.fabins().map(|fabin| fabin.last_used).find(|last| *last != u64::MAX)?;
        (!self.is_complete()).then_some((Stall::Input(input), last + 1))
    }

    /// Whether it puts each wavelet of its only input into memory or a scalar.
    pub fn only_stores(&self) -> bool {
        let takes = self.fabins().next();
        let is_plain =
            |from: &ElementSource| matches!(from, ElementSource::Local(_) | ElementSource::Fabric(_));
        self.steps == Pacing::Single
            && self.total.is_some()
            && matches!(self.to, ElementDest::Local(_))
            && self.sources().iter().all(is_plain)
            && self.fabins().count() == 1
            && takes.is_some_and(|fabin| fabin.control_transform.is_none())
    }

    /// Stores a wavelet as its next element, which is not its last one; false if that could fail. It must only store,
    /// and its queue must be empty.
    #[inline]
    fn store(&mut self, word: u32, memory: &mut Memory, now: u64) -> bool {
        if self.remaining() <= 1 || !self.has_places() {
            return false;
        }
        let (mut values, arity) = ([0; 3], self.sources().len());
        for (value, from) in values.iter_mut().zip(&mut self.from).take(arity) {
            let next = match from {
                ElementSource::Local(source) => local::next(memory.words(), source),
                ElementSource::Fabric(fabin) => Ok(fabin.take_directly(word, now)),
                ElementSource::Fifo(_) => return false,
            };
            *value = next.expect("its place was looked at before");
        }
        let result = self.compute(values);
        if let ElementDest::Local(Dest::AddressCursor(cursor)) = &mut self.to {
            let (at, words) = (cursor.next_element(), cursor.words());
            write(memory.words_mut(), at.expect("its place was looked at before"), words, result);
        }
        self.done += 1;
        true
    }

    /// Whether the next element of each of its vectors is in bounds.
    #[inline]
    fn has_places(&self) -> bool {
        let to = match &self.to {
            ElementDest::Local(Dest::AddressCursor(cursor)) => cursor.has_next(),
            ElementDest::Local(Dest::Scalar { .. }) => true,
            ElementDest::Fabric(_) | ElementDest::Fifo(_) | ElementDest::Nowhere => false,
        };
        let has_next = |from: &ElementSource| match from {
            ElementSource::Local(Source::AddressCursor(cursor)) => cursor.has_next(),
            ElementSource::Local(Source::Scalar(_)) | ElementSource::Fabric(_) => true,
            ElementSource::Fifo(_) => false,
        };
        to && self.sources().iter().all(has_next)
    }

    /// Whether the next element of an operation that stores, which is not the last one, takes the only wavelet of an input
    /// and cannot fail.
    #[inline]
    fn stores_next(&self, input: usize, context: &StepContext<'_>) -> bool {
        let inbox = &context.queues.inputs[input];
        self.remaining() > 1
            && inbox.len() == 1
            && inbox.head().is_some_and(|head| !head.control)
            && self.fabins().all(|fabin| fabin.input == input)
            && self.has_places()
    }
}
