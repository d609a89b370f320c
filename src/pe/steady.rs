//! A PE whose only business is one end of a stream: it does many cycles at once.

use super::Pe;
use super::operation::{From, Intake, Operation, Outlet, Surroundings, To};
use crate::arch::Color;
use crate::diagnostics::Diag;
use crate::dsd::Simd;
use crate::dsd::access::AddressCursor;
use crate::dsd::local::{Dest, Source};
use crate::fabric::Wavelet;

/// A longer part is done in pieces.
const MOST: u64 = 1 << 16;
/// The last elements are done one by one, with all that follows the end of an operation.
const LAST: u64 = 2;

impl Pe {
    /// In how many of the next cycles it does nothing but send one element on a color.
    pub fn sends_steadily(&self, color: Color, now: u64) -> Option<u64> {
        let operation = self.only_operation()?;
        let To::Fabric(outlet) = &operation.to else { return None };
        let is_local = operation.sources().iter().all(|from| matches!(from, From::Local(_)));
        let fits = is_local && outlet.color == color && outlet.is_steady(now);
        fits.then(|| operation.steady_elements())
    }

    /// In how many of the next cycles it does nothing but take one wavelet of a color, if they come.
    pub fn takes_steadily(&self, color: Color, now: u64) -> Option<u64> {
        let operation = self.only_operation()?;
        let mut intakes = operation.intakes();
        let input = intakes.next().filter(|intake| intake.is_steady(now))?.input;
        let is_only = intakes.next().is_none();
        let is_local = matches!(operation.to, To::Local(_))
            && !operation.sources().iter().any(|from| matches!(from, From::Fifo(_)));
        let count = operation.steady_elements();
        let inbox = &self.queues.inputs[input];
        (is_only && is_local && inbox.color == color && inbox.takes_plain()).then_some(count)
    }

    /// The operation that is alone on this PE, if nothing else can begin by itself.
    fn only_operation(&self) -> Option<&Operation> {
        let main = &self.main;
        let tasks_rest =
            main.is_free() && self.launches.is_empty() && self.tasks.active & !self.tasks.blocked == 0;
        let is_quiet = self.trace_buffer.is_none()
            && !self.duties.has_flushes()
            && !main.is_stalled()
            && (main.waiting || tasks_rest)
            && !self.queues.has_outgoing()
            && self.queues.inputs.iter().all(|inbox| inbox.len() == 0);
        self.threads.only_place().filter(|_| is_quiet)?;
        let (_, thread) = self.threads.iter().next()?;
        thread.stalled.is_none().then_some(&thread.operation)
    }

    /// Sends one element in each of the next cycles.
    pub fn send_steadily(&mut self, now: u64, cycles: u64, words: &mut Vec<Wavelet>) -> Result<(), Diag> {
        self.run_steadily(|operation, around| {
            let output = operation.output().expect("only asked of operations that send");
            for cycle in now..now + cycles {
                around.now = cycle;
                operation.element(around)?;
                words.push(around.queues.outputs[output].take().expect("an element is a wavelet").wavelet());
            }
            Ok(())
        })
    }

    /// Takes one of these words in each of the next cycles.
    pub fn take_steadily(&mut self, now: u64, color: Color, words: &[Wavelet]) -> Result<(), Diag> {
        self.run_steadily(|operation, around| {
            for (cycle, word) in (now..).zip(words) {
                around.now = cycle;
                around.queues.deliver(cycle, color, *word);
                operation.element(around)?;
            }
            Ok(())
        })
    }

    fn run_steadily(
        &mut self,
        run: impl FnOnce(&mut Operation, &mut Surroundings<'_>) -> Result<(), Diag>,
    ) -> Result<(), Diag> {
        let Pe { memory, queues, fifos, tasks, threads, .. } = self;
        let place = threads.only_place().expect("an operation is alone");
        let thread = threads.slot(place).as_mut().expect("only live threads run");
        run(&mut thread.operation, &mut Surroundings { memory, queues, fifos, tasks, now: 0 })
    }
}

impl Operation {
    /// How many elements it can do without an end and without leaving its memory.
    fn steady_elements(&self) -> u64 {
        let left = self.total.map_or(u64::MAX, |total| u64::from(total - self.done));
        let count = left.saturating_sub(LAST).min(MOST);
        self.steady_cursors().map(|cursor| cursor.reaches(count)).min().unwrap_or(count)
    }

    /// Whether so many elements lie where its operands may.
    pub fn stays_in_bounds(&self, count: u32) -> bool {
        self.steady_cursors().all(|cursor| cursor.reaches(count.into()) >= count.into())
    }

    fn steady_cursors(&self) -> impl Iterator<Item = &AddressCursor> {
        let dest = if let To::Local(Dest::AddressCursor(cursor)) = &self.to { Some(cursor) } else { None };
        let sources = self.sources().iter().filter_map(|from| match from {
            From::Local(Source::AddressCursor(cursor)) => Some(cursor),
            From::Local(Source::Scalar(_)) | From::Fabric(_) | From::Fifo(_) => None,
        });
        dest.into_iter().chain(sources)
    }
}

impl Outlet {
    /// It sends a data wavelet for each element, and has just done so.
    fn is_steady(&self, now: u64) -> bool {
        let is_plain = !self.control && self.control_transform.is_none() && self.half.is_none();
        is_plain && !(self.narrow && self.simd != Simd::Off) && self.last_used.wrapping_add(1) == now
    }
}

impl Intake {
    /// It takes an element from each data wavelet, and has just done so.
    fn is_steady(&self, now: u64) -> bool {
        let is_plain = self.control_transform.is_none() && self.half.is_none();
        is_plain && !(self.narrow && self.simd != Simd::Off) && self.last_used.wrapping_add(1) == now
    }
}
